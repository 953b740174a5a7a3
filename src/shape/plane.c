/* A half-space: everything behind the plane through a point p with a unit normal n,
 * d = n . (x - p), H = 0. */
#include "shape/obstacle.h"

#include "core/error.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum { POINT, NORMAL, PARAM_COUNT };
enum { POINT_AT = 0, NORMAL_AT = 3 }; /* places of the values */

static const pl_param params[PARAM_COUNT] = {
    [POINT] = {"point", "m", "on the plane", 0, -1e9, 1e9, NULL, 3},
    [NORMAL] = {"normal", "1", "towards the side where bodies may be", NAN, -1e9, 1e9, NULL, 3},
};

static pl_status finish_values(double *values, pl_error *error)
{
  double *normal = values + NORMAL_AT, length = pl_vec3_norm(normal);
  if (isnan(normal[0]) && isnan(normal[1]) && isnan(normal[2])) {
    pl_vec3_set(normal, 0, 0, 1);
    return PL_OK;
  }
  if (!(length > 0) || !isfinite(1 / length))
    return pl_fail(error, PL_E_ARGUMENT, "normal = %g %g %g has no direction", normal[0], normal[1],
                   normal[2]);
  pl_vec3_scale(1 / length, normal, normal);
  return PL_OK;
}

static double gap(const pl_shape *self, const double x[3], double normal[3], double *hessian)
{
  const double *values = self->part.values;
  double away[3];
  pl_vec3_sub(x, values + POINT_AT, away);
  pl_vec3_copy(values + NORMAL_AT, normal);
  if (hessian) memset(hessian, 0, 9 * sizeof *hessian);
  return pl_vec3_dot(away, normal);
}

static void bounds(const pl_shape *self, double low[3], double high[3])
{
  (void)self;
  for (int k = 0; k < 3; k++) {
    low[k] = -INFINITY;
    high[k] = INFINITY;
  }
}

/* A square around the point that is nearest to the centre of the view. */
static pl_status draw(const pl_shape *self, const pl_drawing_view *view, pl_drawing *drawing,
                      pl_error *error)
{
  static const signed char signs[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  double normal[3], along[3] = {0}, across[3];
  double away = gap(self, view->centre, normal, NULL);
  int corner[4];
  (void)error;
  along[fabs(normal[0]) < 0.7 ? 0 : 1] = 1;
  pl_vec3_add_scaled(-pl_vec3_dot(along, normal), normal, along);
  pl_vec3_scale(1 / pl_vec3_norm(along), along, along);
  pl_vec3_cross(normal, along, across);
  for (int c = 0; c < 4; c++) {
    double x[3];
    pl_vec3_copy(view->centre, x);
    pl_vec3_add_scaled(-away, normal, x);
    pl_vec3_add_scaled(signs[c][0] * view->reach, along, x);
    pl_vec3_add_scaled(signs[c][1] * view->reach, across, x);
    corner[c] = pl_drawing_point(drawing, x);
  }
  pl_drawing_quad(drawing, corner[0], corner[1], corner[2], corner[3]);
  return PL_OK;
}

const pl_obstacle_ops pl_obstacle_plane = {
    .info = {"plane", "a plane and all behind it; without a normal it faces up along z", "", params,
             PARAM_COUNT, NULL},
    .is_flat = 1,
    .finish_values = finish_values,
    .gap = gap,
    .bounds = bounds,
    .draw = draw,
};
