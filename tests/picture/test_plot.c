/* Plots: round ticks, well-formed documents whatever the data, thinning that keeps peaks. */
#include "core/memory.h"
#include "mesh/failing.h"
#include "picture/axis.h"
#include "picture/plot.h"

/* ---- axes ---- */

/* The labels of the major ticks, separated by blanks. */
static const char *labels_of(double min, double max, int log, int wanted)
{
  static char line[512];
  pl_axis axis;
  pl_axis_set(&axis, min, max, log, 0);
  pl_axis_ticks(&axis, wanted);
  line[0] = 0;
  for (int i = 0; i < axis.count; i++) {
    char label[64];
    CHECK(i == 0 || axis.ticks[i].value > axis.ticks[i - 1].value);
    CHECK(pl_axis_place(&axis, axis.ticks[i].value) > -1e-6);
    CHECK(pl_axis_place(&axis, axis.ticks[i].value) < 1 + 1e-6);
    if (!axis.ticks[i].major) continue;
    if (line[0]) strcat(line, " ");
    strcat(line, pl_axis_label(&axis, axis.ticks[i].value, label, sizeof label));
  }
  return line;
}

TEST(ticks_are_round)
{
  CHECK(strcmp(labels_of(0, 1, 0, 5), "0.0 0.2 0.4 0.6 0.8 1.0") == 0);
  CHECK(strcmp(labels_of(-3, 7, 0, 5), "-2 0 2 4 6") == 0);
  CHECK(strcmp(labels_of(0, 47, 0, 5), "0 10 20 30 40") == 0);
  CHECK(strcmp(labels_of(0.013, 0.068, 0, 6), "0.02 0.03 0.04 0.05 0.06") == 0);
  CHECK(strcmp(labels_of(0, 3.2e6, 0, 4), "0 1 2 3") == 0);
  CHECK(strcmp(labels_of(2e-7, 9e-7, 0, 4), "200 400 600 800") == 0);
  CHECK(strcmp(labels_of(1e-3, 10, 1, 6), "10^-3 10^-2 10^-1 10^0 10^1") == 0);
  CHECK(strcmp(labels_of(1e-12, 1e3, 1, 6), "10^-12 10^-9 10^-6 10^-3 10^0 10^3") == 0);
  CHECK(strcmp(labels_of(3, 30, 1, 6), "5 10 20") == 0);
  CHECK(strcmp(labels_of(3e-7, 3e-6, 1, 6), "5\xc2\xb7"
                                            "10^-7 1\xc2\xb7"
                                            "10^-6 2\xc2\xb7"
                                            "10^-6") == 0);
  CHECK(strcmp(labels_of(1.1, 1.3, 1, 4), "1.10 1.15 1.20 1.25 1.30") == 0);
}

TEST(axes_say_their_scale)
{
  char text[64];
  pl_axis axis;
  pl_axis_set(&axis, 0, 3.2e6, 0, 0);
  pl_axis_ticks(&axis, 4);
  CHECK(strcmp(pl_axis_title(&axis, "stress", "Pa", text, sizeof text), "stress (10^6 Pa)") == 0);
  CHECK(strcmp(pl_axis_title(&axis, "ratio", "1", text, sizeof text), "ratio (10^6)") == 0);
  pl_axis_set(&axis, 0, 3, 0, 0);
  pl_axis_ticks(&axis, 4);
  CHECK(strcmp(pl_axis_title(&axis, "time", "s", text, sizeof text), "time (s)") == 0);
  CHECK(strcmp(pl_axis_title(&axis, NULL, NULL, text, sizeof text), "") == 0);
}

TEST(any_range_gets_an_axis)
{
  static const double numbers[] = {0,        1,         -1,      5e-324,      -5e-324,
                                   1e-300,   1e300,     1.7e308, -1.7e308,    NAN,
                                   INFINITY, -INFINITY, 9.81,    9.81 + 1e-15};
  enum { COUNT = sizeof numbers / sizeof *numbers };
  for (int i = 0; i < 2 * COUNT * COUNT; i++) {
    pl_axis axis;
    pl_axis_set(&axis, numbers[i % COUNT], numbers[i / COUNT % COUNT], i / COUNT / COUNT, 0.05);
    CHECK(isfinite(axis.min) && isfinite(axis.max) && axis.min < axis.max);
    CHECK(!axis.log || axis.min > 0);
    for (int wanted = -1; wanted < 30; wanted += 5) {
      pl_axis_ticks(&axis, wanted);
      CHECK(axis.count > 0 && axis.count <= PL_MOST_TICKS);
      for (int k = 0; k < axis.count; k++) CHECK(isfinite(axis.ticks[k].value));
    }
  }
  // a constant lies in the middle
  pl_axis axis;
  pl_axis_set(&axis, 5.2e6, 5.2e6, 0, 0);
  CHECK_NEAR(pl_axis_place(&axis, 5.2e6), 0.5, 1e-12);
  pl_axis_set(&axis, 3e-9, 3e-9, 1, 0);
  CHECK_NEAR(pl_axis_place(&axis, 3e-9), 0.5, 1e-12);
}

/* ---- documents ---- */

/* Checks that tags are balanced, attributes quoted, and '<' and '&' stand only where they may;
 * numbers that are not numbers would show as "nan" or "inf" in an attribute. */
static int is_well_formed(const char *text)
{
  char open[16][16];
  int depth = 0, roots = 0;
  while (*text) {
    if (*text == '&') {
      const char *end = strchr(text, ';');
      if (!end || end - text > 7) return 0;
    }
    if (*text++ != '<') continue;
    int closing = *text == '/', length = 0;
    if (closing) text++;
    char name[16] = "";
    while (*text >= 'a' && *text <= 'z' && length < 15) name[length++] = *text++;
    if (!length) return 0;
    // attributes
    const char *start = text;
    int quoted = 0;
    for (; *text && (quoted || *text != '>'); text++) {
      if (*text == '"') quoted = !quoted;
      if (*text == '<') return 0;
      if (strncmp(text, "nan", 3) == 0 || strncmp(text, "inf", 3) == 0) return 0;
    }
    if (!*text || (closing && text != start)) return 0;
    int empty = text[-1] == '/';
    text++;
    if (closing) {
      if (!depth || strcmp(open[--depth], name) != 0) return 0;
    } else if (!empty) {
      if (depth == 15) return 0;
      roots += depth == 0;
      strcpy(open[depth++], name);
    }
  }
  return depth == 0 && roots == 1;
}

/* The document of a plot; the caller frees it. NULL if it fails or is malformed. */
static char *svg_of(const pl_plot *plot)
{
  pl_text text = pl_text_make(NULL);
  CHECK_OK(pl_plot_svg(plot, &text, error));
  CHECK(text.data && is_well_formed(text.data));
  return text.data;
}

static void release(char *svg)
{
  pl_allocator allocator = pl_allocator_default();
  pl_free(&allocator, svg);
}

/* The data of the first path with this stroke colour behind the start of the inner svg. */
static const char *path_of(const char *svg, const char *colour)
{
  const char *inner = strstr(svg + 4, "<svg "), *path = inner ? strstr(inner, colour) : NULL;
  return path ? strstr(path, " d=\"") + 4 : "";
}

static int count_in_path(const char *path, char letter)
{
  int count = 0;
  for (; *path && *path != '"'; path++) count += *path == letter;
  return count;
}

TEST(a_plot_has_all_its_parts)
{
  const double x[] = {0, 1, 2, 3}, y[] = {0, 1, 4, 9}, z[] = {1, 2, 1, 2};
  pl_plot_series series[] = {{"square", 4, x, y, 0, 0, PL_PLOT_LINE},
                             {"<zig> & \"zag\"", 4, x, z, 0, 0, PL_PLOT_LINE_AND_POINTS},
                             {"h^2", 4, x, y, 0, 0, PL_PLOT_GUIDE}};
  pl_plot_mark marks[] = {{"limit", 0, 5, 5}, {"ramp", 1, 0, 0.5}, {"open", 1, 2.5, INFINITY}};
  pl_plot plot = pl_plot_default();
  plot.title = "Title";
  plot.x = (pl_plot_axis){"time", "s", 0, NAN, NAN};
  plot.y = (pl_plot_axis){"acceleration", "m/s^2", 0, NAN, NAN};
  plot.series = series;
  plot.series_count = 3;
  plot.marks = marks;
  plot.mark_count = 3;
  char *svg = svg_of(&plot);
  CHECK(strstr(svg, "viewBox=\"0 0 800 480\""));
  CHECK(strstr(svg, ">Title</text>") && strstr(svg, ">time (s)</text>"));
  CHECK(strstr(svg, ">acceleration (m/s<tspan dy=\"-0.45em\" font-size=\"75%\">2</tspan>"));
  CHECK(strstr(svg, ">square</text>") && strstr(svg, ">&lt;zig&gt; &amp; &quot;zag&quot;</text>"));
  CHECK(strstr(svg, ">limit</text>") && strstr(svg, ">ramp</text>") && strstr(svg, ">open</text>"));
  // two colours, two patterns of dashes, and the guide's grey
  CHECK(strstr(svg, "#0072B2") && strstr(svg, "#D55E00") &&
        strstr(svg, "stroke-dasharray=\"7 3\""));
  CHECK(count_in_path(path_of(svg, "stroke=\"#0072B2\""), 'L') == 3);
  CHECK(count_in_path(path_of(svg, "fill=\"#D55E00\""), 'M') == 4);
  CHECK(strstr(svg, "stroke=\"#777777\""));
  release(svg);
}

TEST(points_lie_where_they_should)
{
  const double x[] = {0, 10}, y[] = {1, 1000};
  pl_plot_series series = {NULL, 2, x, y, 0, 0, PL_PLOT_LINE};
  pl_plot plot = pl_plot_default();
  plot.x.min = 0;
  plot.x.max = 20;
  plot.y = (pl_plot_axis){NULL, NULL, 1, 0.1, 1000};
  plot.series = &series;
  plot.series_count = 1;
  char *svg = svg_of(&plot);
  // the inner svg is the frame and one px around it
  double left = 0, top = 0, width = 0, height = 0, x0, y0, x1, y1;
  const char *inner = strstr(svg + 4, "<svg ");
  CHECK(inner && sscanf(inner, "<svg x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\"", &left, &top,
                        &width, &height) == 4);
  CHECK(sscanf(path_of(svg, "stroke=\"#0072B2\""), "M%lf %lfL%lf %lf", &x0, &y0, &x1, &y1) == 4);
  // written with one decimal
  CHECK_NEAR(x0, left + 1, 0.16);
  CHECK_NEAR(x1, left + 1 + 0.5 * (width - 2), 0.16);
  CHECK_NEAR(y0, top + 1 + 0.75 * (height - 2), 0.16);
  CHECK_NEAR(y1, top + 1, 0.16);
  release(svg);
}

TEST(gaps_break_lines)
{
  const double y[] = {NAN, 1, 2, NAN, NAN, 3, INFINITY, 2, 1, NAN};
  double x[10];
  for (int i = 0; i < 10; i++) x[i] = i;
  pl_plot_series series = {"s", 10, x, y, 0, 0, PL_PLOT_LINE};
  pl_plot plot = pl_plot_default();
  plot.series = &series;
  plot.series_count = 1;
  char *svg = svg_of(&plot);
  const char *path = path_of(svg, "stroke=\"#0072B2\"");
  CHECK(count_in_path(path, 'M') == 3 && count_in_path(path, 'L') == 2);
  CHECK(count_in_path(path, 'm') == 1); // the lone sample is a dot
  release(svg);

  // on a logarithmic axis nothing below zero can be shown
  const double w[] = {1, 10, 0, 10, -5, 10, 100, 1, 1, 1};
  series.y = w;
  plot.y.log = 1;
  svg = svg_of(&plot);
  path = path_of(svg, "stroke=\"#0072B2\"");
  CHECK(count_in_path(path, 'M') == 3);
  release(svg);
}

TEST(a_million_samples_keep_their_peaks)
{
  enum { COUNT = 1000000, WIDTH = 4 };
  pl_allocator allocator = pl_allocator_default();
  double *table = pl_alloc(&allocator, (size_t)COUNT * WIDTH, sizeof *table);
  for (int i = 0; i < COUNT; i++) {
    table[WIDTH * i] = 1e-3 * i;
    table[WIDTH * i + 2] = sin(1e-2 * i);
  }
  table[WIDTH * 444444 + 2] = 5; // one sample, higher than all others
  pl_plot_series series = {"s", COUNT, table, table + 2, WIDTH, WIDTH, PL_PLOT_LINE};
  pl_plot plot = pl_plot_default();
  plot.y.min = 0;
  plot.y.max = 5;
  plot.series = &series;
  plot.series_count = 1;
  char *svg = svg_of(&plot);
  CHECK(strlen(svg) < 100000);
  // the peak reaches the top of the frame at its own time
  double left, top, width, height, highest = INFINITY, at = 0;
  CHECK(sscanf(strstr(svg + 4, "<svg "), "<svg x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\"",
               &left, &top, &width, &height) == 4);
  const char *path = path_of(svg, "stroke=\"#0072B2\"");
  for (const char *p = path; *p != '"'; p++) {
    double x, y;
    if ((*p == 'L' || *p == 'M') && sscanf(p + 1, "%lf %lf", &x, &y) == 2 && y < highest) {
      highest = y;
      at = x;
    }
  }
  CHECK_NEAR(highest, top + 1, 0.11);
  CHECK_NEAR(at, left + 1 + 0.444444 * (width - 2), 1.01);
  release(svg);

  // points are thinned as well
  series.style = PL_PLOT_POINTS;
  svg = svg_of(&plot);
  CHECK(strlen(svg) < 300000);
  release(svg);
  pl_free(&allocator, table);
}

TEST(all_data_give_a_document)
{
  static const double odd[] = {0,       1,        -1,  5e-324,   1e-300, 1e300,
                               1.7e308, -1.7e308, NAN, INFINITY, 9.81,   9.81 + 1e-15};
  enum { ODD = sizeof odd / sizeof *odd };
  double x[4], y[4];
  pl_plot_series series[3];
  pl_plot_mark marks[2];
  for (int trial = 0; trial < 2000; trial++) {
    for (int i = 0; i < 4; i++) {
      x[i] = odd[test_random() % ODD];
      y[i] = odd[test_random() % ODD];
    }
    for (int i = 0; i < 3; i++) {
      series[i] =
          (pl_plot_series){"a \x01 very \n long name of a series that has no room at all in "
                           "the picture, however wide one makes it",
                           test_random() % 5,
                           x,
                           y,
                           0,
                           0,
                           (pl_plot_style)(test_random() % 4)};
    }
    for (int i = 0; i < 2; i++) {
      marks[i] = (pl_plot_mark){"mark", i, odd[test_random() % ODD], odd[test_random() % ODD]};
    }
    pl_plot plot = pl_plot_default();
    plot.x.log = (int)(test_random() % 2);
    plot.y.log = (int)(test_random() % 2);
    plot.series = series;
    plot.series_count = (int)(test_random() % 4);
    plot.marks = marks;
    plot.mark_count = (int)(test_random() % 3);
    plot.width = 240 + (int)(test_random() % 600);
    plot.height = 160 + (int)(test_random() % 400);
    release(svg_of(&plot));
  }
  pl_plot empty = pl_plot_default();
  char *svg = svg_of(&empty);
  CHECK(strstr(svg, ">no data</text>"));
  release(svg);
}

/* The left end and the top of the legend's box. */
static void legend_place(const char *svg, double *left, double *top)
{
  const char *box = strstr(svg, "rx=\"4\""); // only the legend has it
  while (box && box > svg && strncmp(box, "<rect", 5) != 0) box--;
  CHECK(box && sscanf(box, "<rect x=\"%lf\" y=\"%lf\"", left, top) == 2);
}

TEST(the_legend_hides_no_data)
{
  enum { COUNT = 200 };
  double x[COUNT], y[COUNT];
  for (int i = 0; i < COUNT; i++) x[i] = i, y[i] = i;
  pl_plot_series series = {"name", COUNT, x, y, 0, 0, PL_PLOT_LINE};
  pl_plot plot = pl_plot_default();
  plot.series = &series;
  plot.series_count = 1;
  // a rising line leaves the upper left free, a falling one the upper right
  for (int falling = 0; falling < 2; falling++) {
    for (int i = 0; i < COUNT; i++) y[i] = falling ? COUNT - i : i;
    char *svg = svg_of(&plot);
    double left = 0, top = 0;
    legend_place(svg, &left, &top);
    CHECK(top < 100 && (falling ? left > 400 : left < 200));
    release(svg);
  }
  // a line that is everywhere drives it out of the frame
  for (int i = 0; i < COUNT; i++) y[i] = i % 2;
  char *svg = svg_of(&plot);
  double frame_left, frame_width, top, left = 0;
  CHECK(sscanf(strstr(svg + 4, "<svg "), "<svg x=\"%lf\" y=\"%lf\" width=\"%lf\"", &frame_left,
               &top, &frame_width) == 3);
  legend_place(svg, &left, &top);
  CHECK(left > frame_left + frame_width);
  release(svg);
}

TEST(what_cannot_be_plotted_is_refused)
{
  pl_text out = pl_text_make(NULL);
  pl_plot zero = {0}, plot = pl_plot_default();
  CHECK_FAILS(pl_plot_svg(&zero, &out, error), PL_E_ARGUMENT, "start from pl_plot_default");
  plot.x.min = 2;
  plot.x.max = 1;
  CHECK_FAILS(pl_plot_svg(&plot, &out, error), PL_E_ARGUMENT, "the x axis from 2 to 1");
  plot = pl_plot_default();
  plot.y = (pl_plot_axis){NULL, NULL, 1, 0, NAN};
  CHECK_FAILS(pl_plot_svg(&plot, &out, error), PL_E_ARGUMENT, "logarithmic y axis");
  plot.y.min = INFINITY;
  CHECK_FAILS(pl_plot_svg(&plot, &out, error), PL_E_ARGUMENT, "must be finite");
  plot = pl_plot_default();
  plot.series_count = 1;
  CHECK_FAILS(pl_plot_svg(&plot, &out, error), PL_E_ARGUMENT, "1 series");
  pl_plot_series series = {.count = 3};
  plot.series = &series;
  CHECK_FAILS(pl_plot_svg(&plot, &out, error), PL_E_ARGUMENT, "series 0 of a plot has 3 samples");
  CHECK(out.size == 0);
  pl_text_release(&out);
}

static pl_status plot_small(const pl_allocator *allocator, void *context)
{
  pl_text out = pl_text_make(allocator);
  pl_error error;
  pl_status status = pl_plot_svg(context, &out, &error);
  CHECK(status == PL_OK || (out.size == 0 && error.code == PL_E_MEMORY));
  pl_text_release(&out);
  return status;
}

TEST(no_memory_is_reported)
{
  double x[100], y[100];
  for (int i = 0; i < 100; i++) x[i] = i, y[i] = test_uniform();
  pl_plot_series series[] = {{"a", 100, x, y, 0, 0, PL_PLOT_LINE},
                             {"b", 100, y, x, 0, 0, PL_PLOT_POINTS}};
  pl_plot plot = pl_plot_default();
  plot.series = series;
  plot.series_count = 2;
  fail_every_allocation(plot_small, &plot);
}

TESTS(X(ticks_are_round) X(axes_say_their_scale) X(any_range_gets_an_axis)
          X(a_plot_has_all_its_parts) X(points_lie_where_they_should) X(gaps_break_lines)
              X(a_million_samples_keep_their_peaks) X(all_data_give_a_document)
                  X(the_legend_hides_no_data) X(what_cannot_be_plotted_is_refused)
                      X(no_memory_is_reported))
