/* Line plots as SVG: probes over time, work over precision, anything over anything.
 *
 * Texts may hold exponents: "m/s^2" is drawn with a raised 2. A value that is not finite breaks a
 * line, and so does one that is not positive on a logarithmic axis. Long series are thinned out to
 * what the picture can show, peaks kept. */
#ifndef PL_PICTURE_PLOT_H
#define PL_PICTURE_PLOT_H

#include "core/text.h"

typedef struct pl_plot_axis {
  const char *label, *unit; /* NULL or "1": no unit */
  int log;
  double min, max; /* NaN: whatever shows all the data */
} pl_plot_axis;

typedef enum pl_plot_style {
  PL_PLOT_LINE,
  PL_PLOT_POINTS,
  PL_PLOT_LINE_AND_POINTS,
  PL_PLOT_GUIDE, /* a thin grey line: a fitted slope, a theory */
} pl_plot_style;

typedef struct pl_plot_series {
  const char *name; /* in the legend; NULL: not there */
  size_t count;
  const double *x, *y;
  size_t x_stride, y_stride; /* doubles from one sample to the next, 0 means 1 */
  pl_plot_style style;
} pl_plot_series;

/* A value worth marking: a line across the plot, or the band between from and to (either may be
 * infinite) if they differ. */
typedef struct pl_plot_mark {
  const char *label;
  int across_x; /* 0: a value of y, a horizontal line; 1: a value of x, a vertical one */
  double from, to;
} pl_plot_mark;

typedef struct pl_plot {
  const char *title;
  pl_plot_axis x, y;
  int series_count, mark_count;
  const pl_plot_series *series;
  const pl_plot_mark *marks;
  int width, height; /* px at natural size; the picture scales */
} pl_plot;

/* An empty plot of 800 x 480 px with linear axes that fit the data. */
pl_plot pl_plot_default(void);

/* Appends the plot as an SVG document; out is left as it was on failure. */
pl_status pl_plot_svg(const pl_plot *plot, pl_text *out, pl_error *error);

#endif
