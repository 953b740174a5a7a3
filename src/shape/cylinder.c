/* A cylinder. Capped: filled, the edge of its caps rounded by a radius r inside its size. Open: a
 * tube, all that lies within half its thickness of the lateral surface. */
#include "core/error.h"
#include "shape/obstacle.h"
#include "shape/profile.h"

#include <math.h>

enum { RADIUS_AT = PL_OWN_AT, LENGTH_AT, ENDS_AT, ROUND_AT, THICKNESS_AT, PARAM_COUNT = 8 };

static const pl_param params[PARAM_COUNT] = {
    PL_SIDE_PARAM,
    PL_CENTRE_PARAM,
    PL_AXIS_PARAM("along it"),
    PL_LENGTH_PARAM("radius", "of the lateral surface", 0.5, 1e-9),
    PL_LENGTH_PARAM("length", "along the axis", 1, 1e-9),
    {"ends", "1", "filled, or a tube that is open at both ends", 0, 0, 1, "capped|open", 1},
    PL_LENGTH_PARAM("rounding", "radius of the edge of its caps", 0, 0),
    PL_LENGTH_PARAM("thickness", "of the wall of a tube; a fiftieth of the radius if not given",
                    NAN, 1e-9),
};

static pl_status finish_values(double *values, pl_error *error)
{
  double max = fmin(values[RADIUS_AT], 0.5 * values[LENGTH_AT]);
  if (isnan(values[THICKNESS_AT])) values[THICKNESS_AT] = values[RADIUS_AT] / 50;
  if (values[ROUND_AT] > max)
    return pl_fail(error, PL_E_ARGUMENT,
                   "rounding = %g m must be at most the radius and half the length, %g m",
                   values[ROUND_AT], max);
  if (values[THICKNESS_AT] > values[RADIUS_AT])
    return pl_fail(error, PL_E_ARGUMENT, "thickness = %g m must be at most the radius, %g m",
                   values[THICKNESS_AT], values[RADIUS_AT]);
  return pl_shape_finish_axis(values, error);
}

static pl_profile profile_of(const double *values)
{
  double half = 0.5 * values[LENGTH_AT], radius = values[RADIUS_AT];
  if (values[ENDS_AT] > 0)
    return (pl_profile){.count = 2,
                        .points = {{radius, -half}, {radius, half}},
                        .radius = 0.5 * values[THICKNESS_AT]};
  double r = values[ROUND_AT];
  return (pl_profile){
      .count = 4,
      .points = {{0, r - half}, {radius - r, r - half}, {radius - r, half - r}, {0, half - r}},
      .is_solid = 1,
      .radius = r};
}

PL_REVOLVED_SHAPE(cylinder, "a cylinder, filled or a tube", finish_values);
