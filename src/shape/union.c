/* Several shapes as one: d is the least of theirs, n and H those of the nearest. It is a distance
 * outside; inside where shapes overlap it is at most one. */
#include "shape/union.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

static double gap(const pl_shape *self, const double x[3], double normal[3], double *hessian)
{
  double min = INFINITY;
  pl_vec3_set(normal, 0, 0, 1);
  if (hessian) memset(hessian, 0, 9 * sizeof *hessian);
  for (int i = 1; i < self->span; i += self[i].span) {
    double n[3], H[9], gap = pl_shape_gap(&self[i], x, n, hessian ? H : NULL);
    if (!(gap < min)) continue;
    min = gap;
    pl_vec3_copy(n, normal);
    if (hessian) memcpy(hessian, H, sizeof H);
  }
  return min;
}

void pl_union_bounds(const pl_shape *self, double low[3], double high[3])
{
  pl_vec3_set(low, INFINITY, INFINITY, INFINITY);
  pl_vec3_set(high, -INFINITY, -INFINITY, -INFINITY);
  for (int i = 1; i < self->span; i += self[i].span) {
    double a[3], b[3];
    pl_shape_bounds(&self[i], a, b);
    for (int k = 0; k < 3; k++) {
      low[k] = fmin(low[k], a[k]);
      high[k] = fmax(high[k], b[k]);
    }
  }
}

pl_status pl_union_draw(const pl_shape *self, const pl_drawing_view *view, pl_drawing *drawing,
                        pl_error *error)
{
  pl_status status = PL_OK;
  for (int i = 1; i < self->span && !status; i += self[i].span)
    status = pl_shape_draw(&self[i], view, drawing, error);
  return status;
}

const pl_obstacle_ops pl_obstacle_union = {
    .info = {"union", "the shapes inside as one", "", NULL, 0, NULL},
    .min_parts = 1,
    .gap = gap,
    .bounds = pl_union_bounds,
    .draw = pl_union_draw,
};
