/* Texts of a plot, the legend, and values worth marking, placed where they hide no data. */
#include "picture/plot_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 13, SAMPLE = 34, INSET = 8 };

/* Colours that most colour-blind people can distinguish (Okabe and Ito 2008), without the yellow
 * that vanishes on white. */
static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#AA4499",
                                      "#E69F00", "#56B4E9", "#333333"};
static const char *const dashes[] = {"", "7 3", "9 3 2 3", "2.5 2.5", "12 3 2 3 2 3"};

/* The number of a series among those that are not guides. */
static int place_of(const pl_plot *plot, int series)
{
  int number = 0;
  for (int i = 0; i < series; i++) number += plot->series[i].style != PL_PLOT_GUIDE;
  return number;
}

const char *pl_plot_colour(const pl_plot *plot, int series)
{
  if (plot->series[series].style == PL_PLOT_GUIDE) return "#777777";
  return colours[(size_t)place_of(plot, series) % (sizeof colours / sizeof *colours)];
}

const char *pl_plot_dashes(const pl_plot *plot, int series)
{
  if (plot->series[series].style == PL_PLOT_GUIDE) return series % 2 ? "3 3" : "6 4";
  return dashes[(size_t)place_of(plot, series) % (sizeof dashes / sizeof *dashes)];
}

void pl_plot_put_marker(pl_text *out, int series, pl_plot_point at)
{
  double x = at.x, y = at.y;
  switch (series % 5) {
  case 0:
    pl_text_add(out, "M%.1f %.1fa3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0-7.2 0z", x - 3.6, y);
    break;
  case 1:
    pl_text_add(out, "M%.1f %.1fh6.4v6.4h-6.4z", x - 3.2, y - 3.2);
    break;
  case 2:
    pl_text_add(out, "M%.1f %.1fl4.4 7.2h-8.8z", x, y - 4.6);
    break;
  case 3:
    pl_text_add(out, "M%.1f %.1fl4.5 4.5-4.5 4.5-4.5-4.5z", x, y - 4.5);
    break;
  default:
    pl_text_add(out, "M%.1f %.1fl4.4-7.2h-8.8z", x, y + 4.6);
  }
}

double pl_plot_text_width(const char *text, double size)
{
  double width = 0;
  for (; *text; text++) {
    unsigned char letter = (unsigned char)*text;
    if ((letter & 0xc0) == 0x80 || letter == '^') continue;
    width += strchr("ijl.,:;'|!()[] ", letter) ? 0.36 : strchr("mwMW%@", letter) ? 0.92 : 0.61;
  }
  return width * size;
}

void pl_plot_put_plain(pl_text *out, const char *text, const char *end)
{
  for (; text < end; text++) {
    char word[2] = {(unsigned char)*text < 32 || *text == 127 ? ' ' : *text, 0};
    pl_text_xml(out, word);
  }
}

/* The end of the exponent that '^' at text raises, text itself if there is none. */
static const char *exponent_end(const char *text)
{
  if (*text != '^') return text;
  const char *digits = text + 1 + (text[1] == '-' || text[1] == '+'), *end = digits;
  while (*end >= '0' && *end <= '9') end++;
  return end > digits ? end : text;
}

void pl_plot_put_text(pl_text *out, const char *text)
{
  int raised = 0;
  while (*text) {
    const char *end = exponent_end(text);
    if (end > text) {
      pl_text_add(out, "<tspan dy=\"-0.45em\" font-size=\"75%%\">%s",
                  text[1] == '-' ? "\xe2\x88\x92" : "");
      pl_plot_put_plain(out, text[1] == '-' ? text + 2 : text + 1, end);
      pl_text_add(out, "</tspan>");
      raised = 1;
    } else {
      // the letter behind an exponent brings the line back down
      end = text + 1;
      while (((unsigned char)*end & 0xc0) == 0x80) end++;
      int lower = raised && *text != ' ';
      if (lower) pl_text_add(out, "<tspan dy=\"0.34em\">");
      pl_plot_put_plain(out, text, end);
      if (lower) pl_text_add(out, "</tspan>");
      raised = raised && !lower;
    }
    text = end;
  }
}

/* ---- the legend ---- */

static double row_height(const pl_plot_layout *layout, int rows)
{
  return fmin(19, (layout->plot->height - 80.0) / rows);
}

void pl_plot_place_legend(pl_plot_layout *layout)
{
  const pl_plot *plot = layout->plot;
  int rows = 0;
  double width = 0;
  for (int i = 0; i < plot->series_count; i++) {
    const char *name = plot->series[i].name;
    if (!name || !*name) continue;
    rows++;
    width = fmax(width, pl_plot_text_width(name, TEXT));
  }
  if (!rows) return;
  width = fmin(width, 0.45 * plot->width) + SAMPLE + 3 * INSET;
  double height = rows * row_height(layout, rows) + 2 * INSET;

  // the corner (or the middle of a side) with the least ink, if there is one with none at all
  static const double places[][2] = {{1, 0}, {0, 0}, {1, 1}, {0, 1}, {1, 0.5}, {0, 0.5}};
  const pl_box *frame = &layout->frame;
  int min = -1;
  pl_box best = {0};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    double x = frame->x + 10 + places[i][0] * (frame->width - width - 20);
    double y = frame->y + 10 + places[i][1] * (frame->height - height - 20);
    int ink = pl_plot_ink_count(layout, (pl_box){x - 6, y - 6, width + 12, height + 12});
    if (min >= 0 && ink >= min) continue;
    best = (pl_box){x, y, width, height};
    min = ink;
  }
  int fits = width < 0.5 * frame->width && height < 0.6 * frame->height;
  if (fits && min == 0) {
    layout->legend = best;
  } else {
    layout->legend = (pl_box){plot->width - width, frame->y, width, height};
  }
}

/* Writes as much of a name as has room. */
static void put_name(const pl_plot_layout *layout, const char *name)
{
  double room = 0.45 * layout->plot->width;
  if (pl_plot_text_width(name, TEXT) <= room) {
    pl_plot_put_text(layout->out, name);
    return;
  }
  char part[256];
  size_t length = strlen(name) < sizeof part ? strlen(name) : sizeof part - 1;
  memcpy(part, name, length);
  part[length] = 0;
  while (length && pl_plot_text_width(part, TEXT) > room - TEXT) part[--length] = 0;
  // not inside a letter of several bytes
  while (length && ((unsigned char)name[length] & 0xc0) == 0x80) part[--length] = 0;
  pl_plot_put_text(layout->out, part);
  pl_text_add(layout->out, "\xe2\x80\xa6");
}

void pl_plot_draw_legend(pl_plot_layout *layout)
{
  const pl_plot *plot = layout->plot;
  pl_text *out = layout->out;
  pl_box box = layout->legend;
  if (box.width <= 0) return;
  int rows = 0, row = 0;
  for (int i = 0; i < plot->series_count; i++) {
    rows += plot->series[i].name && *plot->series[i].name;
  }
  double step = row_height(layout, rows);
  pl_text_add(out,
              "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"4\" fill=\"#fff\" "
              "fill-opacity=\"0.9\"/>\n",
              box.x, box.y, box.width, box.height);
  for (int i = 0; i < plot->series_count; i++) {
    const pl_plot_series *series = &plot->series[i];
    if (!series->name || !*series->name) continue;
    double y = box.y + INSET + (row++ + 0.5) * step, x = box.x + INSET;
    if (series->style != PL_PLOT_POINTS) {
      pl_text_add(out,
                  "<path d=\"M%.1f %.1fh%d\" stroke=\"%s\" stroke-width=\"%s\" "
                  "stroke-dasharray=\"%s\"/>\n",
                  x, y, SAMPLE, pl_plot_colour(plot, i),
                  series->style == PL_PLOT_GUIDE ? "1.2" : "2", pl_plot_dashes(plot, i));
    }
    if (series->style == PL_PLOT_POINTS || series->style == PL_PLOT_LINE_AND_POINTS) {
      pl_text_add(out, "<path fill=\"%s\" stroke=\"#fff\" stroke-width=\"0.7\" d=\"",
                  pl_plot_colour(plot, i));
      pl_plot_put_marker(out, place_of(plot, i), (pl_plot_point){x + SAMPLE / 2.0, y});
      pl_text_add(out, "\"/>\n");
    }
    pl_text_add(out, "<text x=\"%.1f\" y=\"%.1f\">", x + SAMPLE + INSET, y + 0.36 * TEXT);
    put_name(layout, series->name);
    pl_text_add(out, "</text>\n");
  }
}

/* ---- marks ---- */

/* The stretch of px that a mark covers along its axis; 0 if it is not in the picture. */
static int mark_stretch(const pl_plot_layout *layout, const pl_plot_mark *mark, double *from,
                        double *to)
{
  const pl_axis *axis = mark->across_x ? &layout->x : &layout->y;
  double a = fmin(mark->from, mark->to), b = fmax(mark->from, mark->to);
  if (isnan(mark->from) || isnan(mark->to) || b < axis->min || a > axis->max) return 0;
  a = fmax(0, pl_axis_place(axis, fmax(a, axis->min)));
  b = fmin(1, pl_axis_place(axis, fmin(b, axis->max)));
  const pl_box *frame = &layout->frame;
  *from = mark->across_x ? frame->x + a * frame->width : frame->y + (1 - b) * frame->height;
  *to = mark->across_x ? frame->x + b * frame->width : frame->y + (1 - a) * frame->height;
  return 1;
}

void pl_plot_ink_marks(pl_plot_layout *layout)
{
  const pl_box *frame = &layout->frame;
  for (int i = 0; i < layout->plot->mark_count; i++) {
    const pl_plot_mark *mark = &layout->plot->marks[i];
    double from, to;
    if (mark->from != mark->to || !mark_stretch(layout, mark, &from, &to)) continue;
    pl_plot_point start =
        mark->across_x ? (pl_plot_point){from, frame->y} : (pl_plot_point){frame->x, from};
    pl_plot_point end = mark->across_x ? (pl_plot_point){from, frame->y + frame->height}
                                       : (pl_plot_point){frame->x + frame->width, from};
    pl_plot_ink_line(layout, start, end);
  }
}

void pl_plot_draw_marks(pl_plot_layout *layout)
{
  const pl_box *frame = &layout->frame;
  for (int i = 0; i < layout->plot->mark_count; i++) {
    const pl_plot_mark *mark = &layout->plot->marks[i];
    double from, to;
    if (!mark_stretch(layout, mark, &from, &to)) continue;
    pl_box box = mark->across_x ? (pl_box){from, frame->y, to - from, frame->height}
                                : (pl_box){frame->x, from, frame->width, to - from};
    if (mark->from != mark->to) {
      pl_text_add(layout->out,
                  "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#f2c14e\" "
                  "fill-opacity=\"0.22\"/>\n",
                  box.x, box.y, box.width, box.height);
    } else {
      pl_text_add(layout->out,
                  "<path d=\"M%.1f %.1f%c%.1f\" stroke=\"#666\" stroke-width=\"1.2\" "
                  "stroke-dasharray=\"5 3\"/>\n",
                  box.x, box.y, mark->across_x ? 'v' : 'h',
                  mark->across_x ? box.height : box.width);
    }
  }
}

/* The places for a label: along the line or band, at its two ends, on both sides of a line. */
static int label_places(const pl_plot_layout *layout, const pl_plot_mark *mark, double from,
                        double to, double width, pl_box *places)
{
  const double height = 13, gap = 5;
  const pl_box *frame = &layout->frame;
  int is_band = mark->from != mark->to, count = 0;
  for (int end = 0; end < 3; end++) {
    for (int side = 0; side < 2; side++) {
      double t = end == 2 ? 0.5 : end == 0 ? 1 : 0;
      pl_box *box = &places[count++];
      *box = (pl_box){0, 0, width, height};
      if (mark->across_x) {
        box->x = is_band ? (from + to - width) / 2 : side ? from - gap - width : from + gap;
        box->y = frame->y + gap + (1 - t) * (frame->height - height - 2 * gap);
      } else {
        box->x = frame->x + gap + t * (frame->width - width - 2 * gap);
        box->y = side ? from + gap : to - height - gap;
      }
      // all of the text stays inside the frame
      box->x = fmin(fmax(box->x, frame->x + gap), frame->x + frame->width - width - gap);
      box->y = fmin(fmax(box->y, frame->y + 2), frame->y + frame->height - height - 2);
    }
  }
  return count;
}

void pl_plot_draw_mark_labels(pl_plot_layout *layout)
{
  pl_plot_ink_box(layout, layout->legend);
  for (int i = 0; i < layout->plot->mark_count; i++) {
    const pl_plot_mark *mark = &layout->plot->marks[i];
    double from, to;
    if (!mark->label || !*mark->label || !mark_stretch(layout, mark, &from, &to)) continue;
    pl_box places[6], best = {0};
    int min = -1;
    int count = label_places(layout, mark, from, to, pl_plot_text_width(mark->label, 12), places);
    for (int k = 0; k < count; k++) {
      int ink = pl_plot_ink_count(layout, places[k]);
      if (min < 0 || ink < min) best = places[k], min = ink;
    }
    pl_plot_ink_box(layout, best);
    pl_text_add(layout->out,
                "<text x=\"%.1f\" y=\"%.1f\" font-size=\"12\" fill=\"#555\" stroke=\"#fff\" "
                "stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\" "
                "text-anchor=\"middle\">",
                best.x + best.width / 2, best.y + 10.5);
    pl_plot_put_text(layout->out, mark->label);
    pl_text_add(layout->out, "</text>\n");
  }
}
