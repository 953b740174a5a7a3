/* A ring: all that lies within r of a circle of radius R about the axis. */
#include "core/error.h"
#include "shape/obstacle.h"
#include "shape/profile.h"

#include <math.h>

enum { RADIUS_AT = PL_OWN_AT, TUBE_AT, PARAM_COUNT = 5 };

static const pl_param params[PARAM_COUNT] = {
    PL_SIDE_PARAM,
    PL_CENTRE_PARAM,
    PL_AXIS_PARAM("through the hole"),
    PL_LENGTH_PARAM("radius", "from the axis to the middle of the tube", 0.5, 1e-9),
    PL_LENGTH_PARAM("tube", "radius of the tube", 0.2, 1e-9),
};

static pl_status finish_values(double *values, pl_error *error)
{
  if (!(values[TUBE_AT] <= values[RADIUS_AT]))
    return pl_fail(error, PL_E_ARGUMENT,
                   "tube = %g m must be at most the radius, %g m, or the ring has no hole",
                   values[TUBE_AT], values[RADIUS_AT]);
  return pl_shape_finish_axis(values, error);
}

static pl_profile profile_of(const double *values)
{
  return (pl_profile){.count = 1, .points = {{values[RADIUS_AT], 0}}, .radius = values[TUBE_AT]};
}

PL_REVOLVED_SHAPE(torus, "a ring", finish_values);
