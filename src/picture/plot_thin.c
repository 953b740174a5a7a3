/* Thinning of long series and the map of where ink is in a plot. */
#include "core/memory.h"
#include "picture/plot_parts.h"

#include <math.h>

/* Pixels further out than this are cut off: far outside of every picture, short to write. */
static const double FAR_OUT = 20000;

typedef struct sample {
  pl_plot_point at;
  size_t index;
} sample;

/* Consecutive samples inside one column of pixels. */
typedef struct run {
  double column;
  sample first, min, max, last;
} run;

static pl_plot_point place(const pl_plot_layout *layout, double x, double y)
{
  const pl_box *frame = &layout->frame;
  double right = pl_axis_place(&layout->x, x), up = pl_axis_place(&layout->y, y);
  if (!isfinite(x) || !isfinite(y) || isnan(right) || isnan(up)) return (pl_plot_point){NAN, NAN};
  double px = frame->x + right * frame->width, py = frame->y + (1 - up) * frame->height;
  return (pl_plot_point){fmax(-FAR_OUT, fmin(FAR_OUT, px)), fmax(-FAR_OUT, fmin(FAR_OUT, py))};
}

static pl_status add(const pl_plot_layout *layout, pl_plot_points *points, pl_plot_point point)
{
  void *data = points->data;
  pl_status status = pl_reserve(&layout->out->allocator, &data, &points->capacity,
                                points->count + 1, sizeof *points->data);
  points->data = data;
  if (status == PL_OK) points->data[points->count++] = point;
  return status;
}

/* Adds the run's four samples in their order, each once. */
static pl_status flush(const pl_plot_layout *layout, const run *ended, pl_plot_points *points)
{
  int min_first = ended->min.index < ended->max.index;
  const sample *order[4] = {&ended->first, min_first ? &ended->min : &ended->max,
                            min_first ? &ended->max : &ended->min, &ended->last};
  for (int i = 0; i < 4; i++) {
    if (i > 0 && order[i]->index == order[i - 1]->index) continue;
    if (add(layout, points, order[i]->at)) return PL_E_MEMORY;
  }
  return PL_OK;
}

pl_status pl_plot_thin(const pl_plot_layout *layout, const pl_plot_series *series,
                       pl_plot_points *points)
{
  size_t x_stride = series->x_stride ? series->x_stride : 1;
  size_t y_stride = series->y_stride ? series->y_stride : 1;
  pl_status status = PL_OK;
  run current = {0};
  int open = 0;
  points->count = 0;
  for (size_t i = 0; i < series->count && status == PL_OK; i++) {
    sample next = {place(layout, series->x[i * x_stride], series->y[i * y_stride]), i};
    if (isnan(next.at.x)) {
      // a gap closes the run and is kept once
      if (!open) continue;
      status = flush(layout, &current, points);
      if (status == PL_OK) status = add(layout, points, next.at);
      open = 0;
    } else if (open && floor(next.at.x) == current.column) {
      if (next.at.y < current.min.at.y) current.min = next;
      if (next.at.y > current.max.at.y) current.max = next;
      current.last = next;
    } else {
      if (open) status = flush(layout, &current, points);
      current = (run){floor(next.at.x), next, next, next, next};
      open = 1;
    }
  }
  if (open && status == PL_OK) status = flush(layout, &current, points);
  return status;
}

static unsigned char *cell(const pl_plot_layout *layout, double x, double y)
{
  double column = floor(x / PL_PLOT_CELL), row = floor(y / PL_PLOT_CELL);
  if (!(column >= 0 && row >= 0 && column < layout->columns && row < layout->rows)) return NULL;
  return &layout->ink[(int)row * layout->columns + (int)column];
}

void pl_plot_ink_line(pl_plot_layout *layout, pl_plot_point from, pl_plot_point to)
{
  if (isnan(from.x) || isnan(to.x)) return;
  double length = fmax(fabs(to.x - from.x), fabs(to.y - from.y));
  int steps = 1 + (int)(2 * length / PL_PLOT_CELL);
  for (int i = 0; i <= steps; i++) {
    double t = (double)i / steps;
    unsigned char *mark = cell(layout, from.x + t * (to.x - from.x), from.y + t * (to.y - from.y));
    if (mark) *mark = 1;
  }
}

/* Counts the inked cells that the box touches, and inks them all if asked to. */
static int visit_box(const pl_plot_layout *layout, pl_box box, int fill)
{
  int sum = 0;
  double right = box.x + box.width, low = box.y + box.height;
  for (double y = floor(box.y / PL_PLOT_CELL) * PL_PLOT_CELL; y < low; y += PL_PLOT_CELL) {
    for (double x = floor(box.x / PL_PLOT_CELL) * PL_PLOT_CELL; x < right; x += PL_PLOT_CELL) {
      unsigned char *mark = cell(layout, x, y);
      if (!mark) continue;
      sum += *mark;
      if (fill) *mark = 1;
    }
  }
  return sum;
}

void pl_plot_ink_box(pl_plot_layout *layout, pl_box box) { visit_box(layout, box, 1); }
int pl_plot_ink_count(const pl_plot_layout *layout, pl_box box)
{
  return visit_box(layout, box, 0);
}
