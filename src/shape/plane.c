/* A half-space: everything behind the plane through a point with a normal. */
#include "shape/obstacle.h"

#include "core/error.h"
#include "math/vec3.h"

#include <math.h>

enum { FRICTION, POINT, NORMAL, PARAM_COUNT };
enum { POINT_AT = 1, NORMAL_AT = 4 }; /* places of the values */

static const pl_param params[PARAM_COUNT] = {
    [FRICTION] = PL_FRICTION_PARAM,
    [POINT] = {"point", "m", "on the plane", 0, -1e9, 1e9, NULL, 3},
    [NORMAL] = {"normal", "1", "towards the side where bodies may be", NAN, -1e9, 1e9, NULL, 3},
};

static pl_status settle(double *values, pl_error *error)
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

static double gap(const double *values, const double x[3], double normal[3])
{
  double away[3];
  pl_vec3_sub(x, values + POINT_AT, away);
  pl_vec3_copy(values + NORMAL_AT, normal);
  return pl_vec3_dot(away, normal);
}

const pl_obstacle_ops pl_obstacle_plane = {
    .info = {"plane", "a plane and all behind it; without a normal it faces up along z", "", params,
             PARAM_COUNT},
    .settle = settle,
    .gap = gap,
};
