/* A ball: d = |x| - r, n = x / |x|, H = (I - n n^T) / |x|. */
#include "math/functions.h"
#include "math/vec3.h"
#include "shape/obstacle.h"

#include <math.h>

enum { RADIUS_AT = 4, PARAM_COUNT = 3, ROWS = 24 };

static const pl_param params[PARAM_COUNT] = {
    PL_SIDE_PARAM,
    PL_CENTRE_PARAM,
    PL_LENGTH_PARAM("radius", "of the sphere", 0.5, 1e-9),
};

static void place(const double *values, pl_place *place)
{
  *place = (pl_place){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  pl_vec3_copy(values + PL_CENTRE_AT, place->origin);
}

static double gap(const pl_shape *self, const double x[3], double normal[3], double *hessian)
{
  double length = pl_vec3_norm(x);
  pl_vec3_set(normal, 0, 0, 1); // in the very middle every direction is as good
  if (length > 0) pl_vec3_scale(1 / length, x, normal);
  pl_shape_round(length > 0 ? 1 / length : 0, normal, hessian);
  return length - self->part.values[RADIUS_AT];
}

static void bounds(const pl_shape *self, double low[3], double high[3])
{
  for (int k = 0; k < 3; k++) {
    low[k] = -self->part.values[RADIUS_AT];
    high[k] = self->part.values[RADIUS_AT];
  }
}

static pl_status draw(const pl_shape *self, const pl_drawing_view *view, pl_drawing *drawing,
                      pl_error *error)
{
  double outline[2 * (ROWS + 1)], radius = self->part.values[RADIUS_AT];
  (void)view, (void)error;
  for (int i = 0; i <= ROWS; i++) {
    double angle = PL_PI * (i - 0.5 * ROWS) / ROWS;
    outline[2 * i] = i % ROWS ? radius * pl_cos(angle) : 0;
    outline[2 * i + 1] = radius * pl_sin(angle);
  }
  pl_drawing_revolve(drawing, outline, ROWS + 1, 0);
  return PL_OK;
}

const pl_obstacle_ops pl_obstacle_sphere = {
    .info = {"sphere", "a ball, or the inside of a hollow one", "", params, PARAM_COUNT, NULL},
    .has_sides = 1,
    .place = place,
    .gap = gap,
    .bounds = bounds,
    .draw = draw,
};
