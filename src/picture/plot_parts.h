/* What the files of the plot share: the layout, thinned series, and a map of where ink is. */
#ifndef PL_PICTURE_PLOT_PARTS_H
#define PL_PICTURE_PLOT_PARTS_H

#include "picture/axis.h"
#include "picture/plot.h"

/* A point of the picture in px; NaN breaks the line. */
typedef struct pl_plot_point {
  double x, y;
} pl_plot_point;

typedef struct pl_plot_points {
  pl_plot_point *data;
  size_t count, capacity;
} pl_plot_points;

typedef struct pl_box {
  double x, y, width, height;
} pl_box;

enum { PL_PLOT_CELL = 4 }; /* px per cell of the map of ink */

typedef struct pl_plot_layout {
  const pl_plot *plot;
  pl_text *out;
  pl_axis x, y;
  pl_box frame, legend;
  int columns, rows; /* of the map of ink over the whole picture */
  unsigned char *ink;
} pl_plot_layout;

/* The samples of a series as points, at most four per column of pixels: first, least, most and
 * last of each run of samples inside the column, in their order. */
pl_status pl_plot_thin(const pl_plot_layout *layout, const pl_plot_series *series,
                       pl_plot_points *points);

/* Inks the cells that a line, a box or the marked values cover, and counts inked cells in a box. */
void pl_plot_ink_line(pl_plot_layout *layout, pl_plot_point from, pl_plot_point to);
void pl_plot_ink_box(pl_plot_layout *layout, pl_box box);
void pl_plot_ink_marks(pl_plot_layout *layout);
int pl_plot_ink_count(const pl_plot_layout *layout, pl_box box);

/* Width in px of a text of the given size in an average sans-serif font. */
double pl_plot_text_width(const char *text, double size);

/* Writes the bytes from text to end as XML; control letters, which it forbids, become blanks. */
void pl_plot_put_plain(pl_text *out, const char *text, const char *end);
/* Writes a text as the content of an SVG text element, exponents raised. */
void pl_plot_put_text(pl_text *out, const char *text);

/* Whether and where the legend and the labels of the marks go; draws them. */
void pl_plot_place_legend(pl_plot_layout *layout);
void pl_plot_draw_legend(pl_plot_layout *layout);
void pl_plot_draw_marks(pl_plot_layout *layout);
void pl_plot_draw_mark_labels(pl_plot_layout *layout);

/* The look of a series: its colour, its dashes ("" for a solid line). */
const char *pl_plot_colour(const pl_plot *plot, int series);
const char *pl_plot_dashes(const pl_plot *plot, int series);
/* Adds the outline of a series' marker at a point to a path. */
void pl_plot_put_marker(pl_text *out, int series, pl_plot_point at);

#endif
