/* A cone or a part of one between two circles. Capped: filled. Open: a funnel, all that lies within
 * half its thickness of the lateral surface. */
#include "core/error.h"
#include "shape/obstacle.h"
#include "shape/profile.h"

#include <math.h>

enum { RADIUS_AT = PL_OWN_AT, TOP_AT, LENGTH_AT, ENDS_AT, THICKNESS_AT, PARAM_COUNT = 8 };

static const pl_param params[PARAM_COUNT] = {
    PL_SIDE_PARAM,
    PL_CENTRE_PARAM,
    PL_AXIS_PARAM("from the base to the top"),
    PL_LENGTH_PARAM("radius", "of the base", 0.5, 0),
    PL_LENGTH_PARAM("top-radius", "of the other end; 0: it ends in a point", 0, 0),
    PL_LENGTH_PARAM("length", "along the axis; the centre is half way", 1, 1e-9),
    {"ends", "1", "filled, or a funnel that is open at both ends", 0, 0, 1, "capped|open", 1},
    PL_LENGTH_PARAM("thickness",
                    "of the wall of a funnel; a fiftieth of the larger radius if not given", NAN,
                    1e-9),
};

static pl_status finish_values(double *values, pl_error *error)
{
  double max = fmax(values[RADIUS_AT], values[TOP_AT]);
  if (isnan(values[THICKNESS_AT])) values[THICKNESS_AT] = fmax(max / 50, 1e-9);
  if (!(max >= 1e-9))
    return pl_fail(error, PL_E_ARGUMENT,
                   "radius and top-radius are both %g m; one of them must be at least 1e-09 m",
                   max);
  if (values[THICKNESS_AT] > max)
    return pl_fail(error, PL_E_ARGUMENT, "thickness = %g m must be at most the larger radius, %g m",
                   values[THICKNESS_AT], max);
  return pl_shape_finish_axis(values, error);
}

static pl_profile profile_of(const double *values)
{
  double half = 0.5 * values[LENGTH_AT], base = values[RADIUS_AT], top = values[TOP_AT];
  if (values[ENDS_AT] > 0)
    return (pl_profile){
        .count = 2, .points = {{base, -half}, {top, half}}, .radius = 0.5 * values[THICKNESS_AT]};
  return (pl_profile){
      .count = 4, .points = {{0, -half}, {base, -half}, {top, half}, {0, half}}, .is_solid = 1};
}

PL_REVOLVED_SHAPE(cone, "a cone or a part of one, filled or a funnel", finish_values);
