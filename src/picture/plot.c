/* Draws a plot: measures the data, lays out the axes around their labels, and writes SVG without
 * ids or styles, so that several plots can stand in one page. */
#include "picture/plot.h"

#include "core/memory.h"
#include "picture/plot_parts.h"

#include <math.h>
#include <string.h>

enum { TITLE = 16, TEXT = 13 };

pl_plot pl_plot_default(void)
{
  return (pl_plot){
      .width = 800, .height = 480, .x = {.min = NAN, .max = NAN}, .y = {.min = NAN, .max = NAN}};
}

static pl_status check_axis(const pl_plot_axis *axis, const char *name, pl_error *error)
{
  double min = axis->min, max = axis->max;
  if (isinf(min) || isinf(max)) {
    return pl_fail(error, PL_E_ARGUMENT, "the %s axis from %g to %g must be finite", name, min,
                   max);
  }
  if (min >= max) {
    return pl_fail(error, PL_E_ARGUMENT, "the %s axis from %g to %g must have length; NaN fits it",
                   name, min, max);
  }
  if (axis->log && (min <= 0 || max <= 0)) {
    return pl_fail(error, PL_E_ARGUMENT, "the logarithmic %s axis from %g to %g must be positive",
                   name, min, max);
  }
  return PL_OK;
}

static pl_status check(const pl_plot *plot, pl_error *error)
{
  if (plot->width < 240 || plot->height < 160 || plot->width > 10000 || plot->height > 10000) {
    return pl_fail(error, PL_E_ARGUMENT,
                   "a plot of %d x %d px must have 240 x 160 to 10000 x 10000; start from "
                   "pl_plot_default",
                   plot->width, plot->height);
  }
  if (plot->series_count < 0 || plot->mark_count < 0 || (plot->series_count && !plot->series) ||
      (plot->mark_count && !plot->marks)) {
    return pl_fail(error, PL_E_ARGUMENT, "a plot's %d series and %d marks must be given",
                   plot->series_count, plot->mark_count);
  }
  for (int i = 0; i < plot->series_count; i++) {
    const pl_plot_series *series = &plot->series[i];
    if (series->count && (!series->x || !series->y)) {
      return pl_fail(error, PL_E_ARGUMENT, "series %d of a plot has %zu samples but no numbers", i,
                     series->count);
    }
  }
  pl_status status = check_axis(&plot->x, "x", error);
  return status ? status : check_axis(&plot->y, "y", error);
}

/* ---- ranges ---- */

typedef struct range {
  double min, max;
} range;

static void widen(range *r, double value, int log)
{
  if (!isfinite(value) || (log && value <= 0)) return;
  r->min = fmin(r->min, value);
  r->max = fmax(r->max, value);
}

/* The ranges of the samples that can be shown, and of the marked values of y. */
static void measure(const pl_plot *plot, range *x, range *y)
{
  *x = *y = (range){INFINITY, -INFINITY};
  for (int i = 0; i < plot->series_count; i++) {
    const pl_plot_series *series = &plot->series[i];
    size_t x_stride = series->x_stride ? series->x_stride : 1;
    size_t y_stride = series->y_stride ? series->y_stride : 1;
    for (size_t k = 0; k < series->count; k++) {
      double u = series->x[k * x_stride], v = series->y[k * y_stride];
      int shown =
          isfinite(u) && isfinite(v) && !(plot->x.log && u <= 0) && !(plot->y.log && v <= 0);
      // samples outside of a given range of x do not count for y
      if (!shown || u < plot->x.min || u > plot->x.max) continue;
      widen(x, u, plot->x.log);
      widen(y, v, plot->y.log);
    }
  }
  for (int i = 0; i < plot->mark_count; i++) {
    const pl_plot_mark *mark = &plot->marks[i];
    range *r = mark->across_x ? x : y;
    int log = mark->across_x ? plot->x.log : plot->y.log;
    widen(r, mark->from, log);
    widen(r, mark->to, log);
  }
}

static void set_axis(pl_axis *axis, const pl_plot_axis *given, range data, double margin)
{
  pl_axis_set(axis, data.min, data.max, given->log, margin);
  if (!isnan(given->min)) axis->min = given->min;
  if (!isnan(given->max)) axis->max = given->max;
  // one given end beyond all the data
  if (!(axis->min < axis->max)) {
    if (isnan(given->max))
      axis->max = axis->min + fmax(1, fabs(axis->min));
    else
      axis->min = given->log ? axis->max / 10 : axis->max - fmax(1, fabs(axis->max));
  }
}

/* Lines reach the sides of the frame; points keep a distance. */
static double side_margin(const pl_plot *plot)
{
  for (int i = 0; i < plot->series_count; i++) {
    if (plot->series[i].style == PL_PLOT_POINTS ||
        plot->series[i].style == PL_PLOT_LINE_AND_POINTS) {
      return 0.05;
    }
  }
  return 0;
}

/* ---- layout ---- */

static double widest_label(const pl_axis *axis)
{
  double width = 0;
  char label[64];
  for (int i = 0; i < axis->count; i++) {
    if (!axis->ticks[i].major) continue;
    pl_axis_label(axis, axis->ticks[i].value, label, sizeof label);
    width = fmax(width, pl_plot_text_width(label, TEXT));
  }
  return width;
}

/* Frame and ticks, with this much room at the right for a legend. */
static void arrange(pl_plot_layout *layout, double legend_width)
{
  const pl_plot *plot = layout->plot;
  pl_box *frame = &layout->frame;
  frame->y = plot->title && *plot->title ? 46 : 20;
  frame->height = plot->height - frame->y - 58;
  pl_axis_ticks(&layout->y, (int)fmax(2, frame->height / 48));
  frame->x = 40 + widest_label(&layout->y);
  frame->width = plot->width - frame->x - (legend_width > 0 ? legend_width + 10 : 24);

  // as many labels on the x axis as have room
  int wanted = (int)fmax(2, frame->width / 75);
  do {
    pl_axis_ticks(&layout->x, wanted);
  } while (wanted * (widest_label(&layout->x) + 16) > frame->width && --wanted > 1);
}

/* Notes where the series and the marked values are. */
static pl_status ink_data(pl_plot_layout *layout, pl_plot_points *points)
{
  for (int i = 0; i < layout->plot->series_count; i++) {
    const pl_plot_series *series = &layout->plot->series[i];
    if (pl_plot_thin(layout, series, points)) return PL_E_MEMORY;
    for (size_t k = 0; k < points->count; k++) {
      size_t before = k && series->style != PL_PLOT_POINTS ? k - 1 : k;
      pl_plot_ink_line(layout, points->data[before], points->data[k]);
    }
  }
  pl_plot_ink_marks(layout);
  return PL_OK;
}

static pl_status lay_out(pl_plot_layout *layout, pl_plot_points *points)
{
  const pl_plot *plot = layout->plot;
  range x, y;
  measure(plot, &x, &y);
  set_axis(&layout->x, &plot->x, x, side_margin(plot));
  set_axis(&layout->y, &plot->y, y, 0.05);
  arrange(layout, 0);
  if (ink_data(layout, points)) return PL_E_MEMORY;
  pl_plot_place_legend(layout);

  // a legend outside takes room from the frame, so everything moves
  if (layout->legend.x + layout->legend.width >= plot->width - 1) {
    arrange(layout, layout->legend.width);
    memset(layout->ink, 0, (size_t)layout->columns * (size_t)layout->rows);
    return ink_data(layout, points);
  }
  return PL_OK;
}

/* ---- drawing ---- */

static void put_tag(pl_text *out, double x, double y, const char *attributes, const char *text)
{
  pl_text_add(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
  pl_plot_put_text(out, text);
  pl_text_add(out, "</text>\n");
}

static void open_document(const pl_plot_layout *layout)
{
  const pl_plot *plot = layout->plot;
  pl_text *out = layout->out;
  pl_text_add(out,
              "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
              "height=\"%d\" role=\"img\" font-family=\"Helvetica, Arial, 'DejaVu Sans', "
              "sans-serif\" font-size=\"%d\" fill=\"none\">\n",
              plot->width, plot->height, plot->width, plot->height, TEXT);
  if (plot->title && *plot->title) {
    pl_text_add(out, "<title>");
    pl_plot_put_plain(out, plot->title, plot->title + strlen(plot->title));
    pl_text_add(out, "</title>\n");
  }
  pl_text_add(out, "<rect width=\"%d\" height=\"%d\" rx=\"6\" fill=\"#fff\"/>\n", plot->width,
              plot->height);
  if (plot->title && *plot->title) {
    put_tag(out, layout->frame.x, 29, "font-size=\"16\" font-weight=\"bold\" fill=\"#222\"",
            plot->title);
  }
}

/* Lines at the ticks of both axes, all of one kind in one path. */
static void draw_grid(const pl_plot_layout *layout, int major, const char *colour)
{
  const pl_box *frame = &layout->frame;
  pl_text_add(layout->out, "<path stroke=\"%s\" stroke-width=\"1\" d=\"", colour);
  for (int i = 0; i < layout->x.count; i++) {
    if (layout->x.ticks[i].major != major) continue;
    double place = pl_axis_place(&layout->x, layout->x.ticks[i].value);
    pl_text_add(layout->out, "M%.1f %.1fv%.1f", frame->x + place * frame->width, frame->y,
                frame->height);
  }
  for (int i = 0; i < layout->y.count; i++) {
    if (layout->y.ticks[i].major != major) continue;
    double place = pl_axis_place(&layout->y, layout->y.ticks[i].value);
    pl_text_add(layout->out, "M%.1f %.1fh%.1f", frame->x, frame->y + (1 - place) * frame->height,
                frame->width);
  }
  pl_text_add(layout->out, "\"/>\n");
}

static void draw_axes(const pl_plot_layout *layout)
{
  const pl_box *frame = &layout->frame;
  pl_text *out = layout->out;
  double bottom = frame->y + frame->height;
  char text[256];
  pl_text_add(out, "<path d=\"M%.1f %.1fv%.1fh%.1f\" stroke=\"#555\" stroke-width=\"1.2\"/>\n",
              frame->x, frame->y, frame->height, frame->width);
  pl_text_add(out, "<g fill=\"#333\" text-anchor=\"middle\">\n");
  for (int i = 0; i < layout->x.count; i++) {
    const pl_tick *tick = &layout->x.ticks[i];
    if (!tick->major) continue;
    put_tag(out, frame->x + pl_axis_place(&layout->x, tick->value) * frame->width, bottom + 19, "",
            pl_axis_label(&layout->x, tick->value, text, sizeof text));
  }
  pl_axis_title(&layout->x, layout->plot->x.label, layout->plot->x.unit, text, sizeof text);
  put_tag(out, frame->x + frame->width / 2, bottom + 44, "", text);
  pl_axis_title(&layout->y, layout->plot->y.label, layout->plot->y.unit, text, sizeof text);
  char turn[64];
  double middle = frame->y + frame->height / 2;
  pl_print(turn, sizeof turn, "transform=\"rotate(-90 20 %.1f)\"", middle);
  put_tag(out, 20, middle, turn, text);
  pl_text_add(out, "</g>\n<g fill=\"#333\" text-anchor=\"end\">\n");
  for (int i = 0; i < layout->y.count; i++) {
    const pl_tick *tick = &layout->y.ticks[i];
    if (!tick->major) continue;
    double y = frame->y + (1 - pl_axis_place(&layout->y, tick->value)) * frame->height;
    put_tag(out, frame->x - 7, y + 4.5, "",
            pl_axis_label(&layout->y, tick->value, text, sizeof text));
  }
  pl_text_add(out, "</g>\n");
}

static void draw_line(const pl_plot_layout *layout, int number, const pl_plot_points *points)
{
  const pl_plot *plot = layout->plot;
  pl_text *out = layout->out;
  int guide = plot->series[number].style == PL_PLOT_GUIDE, pen_up = 1;
  pl_text_add(out,
              "<path stroke=\"%s\" stroke-width=\"%s\" stroke-linejoin=\"round\" "
              "stroke-dasharray=\"%s\" d=\"",
              pl_plot_colour(plot, number), guide ? "1.2" : "1.8", pl_plot_dashes(plot, number));
  for (size_t i = 0; i < points->count; i++) {
    pl_plot_point at = points->data[i];
    int gap_behind = i + 1 == points->count || isnan(points->data[i + 1].x);
    if (!isnan(at.x)) {
      pl_text_add(out, "%c%.1f %.1f", pen_up ? 'M' : 'L', at.x, at.y);
      // a lone sample shows as a dot
      if (pen_up && gap_behind) pl_text_add(out, "m-1.5 0a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0");
    }
    pen_up = isnan(at.x);
  }
  pl_text_add(out, "\"/>\n");
}

/* A marker where none is near: each sample of a short series, some of a long one. */
static void draw_points(const pl_plot_layout *layout, int number, const pl_plot_points *points)
{
  const double distance = layout->plot->series[number].style == PL_PLOT_POINTS ? 1.5 : 12;
  pl_text *out = layout->out;
  int guides = 0;
  for (int i = 0; i < number; i++) guides += layout->plot->series[i].style == PL_PLOT_GUIDE;
  pl_plot_point last = {NAN, NAN};
  pl_text_add(out, "<path fill=\"%s\" stroke=\"#fff\" stroke-width=\"0.7\" d=\"",
              pl_plot_colour(layout->plot, number));
  for (size_t i = 0; i < points->count; i++) {
    pl_plot_point at = points->data[i];
    if (isnan(at.x) || hypot(at.x - last.x, at.y - last.y) < distance) continue;
    pl_plot_put_marker(out, number - guides, at);
    last = at;
  }
  pl_text_add(out, "\"/>\n");
}

/* The inner svg cuts off what leaves the frame. */
static pl_status draw_series(const pl_plot_layout *layout, pl_plot_points *points)
{
  const pl_box *frame = &layout->frame;
  size_t shown = 0;
  double reach = side_margin(layout->plot) > 0 ? 0 : 1;
  pl_text_add(layout->out,
              "<svg x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" viewBox=\"%.1f %.1f %.1f "
              "%.1f\">\n",
              frame->x - reach, frame->y - reach, frame->width + 2 * reach,
              frame->height + 2 * reach, frame->x - reach, frame->y - reach,
              frame->width + 2 * reach, frame->height + 2 * reach);
  for (int i = 0; i < layout->plot->series_count; i++) {
    const pl_plot_series *series = &layout->plot->series[i];
    if (pl_plot_thin(layout, series, points)) return PL_E_MEMORY;
    shown += points->count;
    if (series->style != PL_PLOT_POINTS) draw_line(layout, i, points);
    if (series->style == PL_PLOT_POINTS || series->style == PL_PLOT_LINE_AND_POINTS) {
      draw_points(layout, i, points);
    }
  }
  pl_text_add(layout->out, "</svg>\n");
  if (!shown) {
    put_tag(layout->out, frame->x + frame->width / 2, frame->y + frame->height / 2,
            "font-size=\"18\" fill=\"#999\" text-anchor=\"middle\"", "no data");
  }
  return PL_OK;
}

static pl_status draw(pl_plot_layout *layout, pl_plot_points *points)
{
  if (lay_out(layout, points)) return PL_E_MEMORY;
  open_document(layout);
  draw_grid(layout, 0, "#f0f0f0");
  draw_grid(layout, 1, "#d9d9d9");
  pl_plot_draw_marks(layout);
  if (draw_series(layout, points)) return PL_E_MEMORY;
  draw_axes(layout);
  pl_text_add(layout->out, "<g fill=\"#333\">\n");
  pl_plot_draw_mark_labels(layout);
  pl_plot_draw_legend(layout);
  pl_text_add(layout->out, "</g>\n</svg>\n");
  return PL_OK;
}

pl_status pl_plot_svg(const pl_plot *plot, pl_text *out, pl_error *error)
{
  pl_status status = check(plot, error);
  if (status) return status;
  size_t start = out->size;
  pl_plot_layout layout = {.plot = plot,
                           .out = out,
                           .columns = plot->width / PL_PLOT_CELL + 1,
                           .rows = plot->height / PL_PLOT_CELL + 1};
  pl_plot_points points = {0};
  layout.ink = pl_alloc(&out->allocator, (size_t)layout.columns * (size_t)layout.rows, 1);
  status = layout.ink ? draw(&layout, &points) : PL_E_MEMORY;
  pl_free(&out->allocator, points.data);
  pl_free(&out->allocator, layout.ink);
  if (status || out->failed) {
    out->size = start;
    return pl_fail_memory(error);
  }
  return PL_OK;
}
