/* A cylinder with half balls as ends: all that lies within r of a segment of the axis. */
#include "shape/obstacle.h"
#include "shape/profile.h"

#include <math.h>

enum { RADIUS_AT = PL_OWN_AT, LENGTH_AT, PARAM_COUNT = 5 };

static const pl_param params[PARAM_COUNT] = {
    PL_SIDE_PARAM,
    PL_CENTRE_PARAM,
    PL_AXIS_PARAM("along it"),
    PL_LENGTH_PARAM("radius", "of the shaft and of its ends", 0.25, 1e-9),
    PL_LENGTH_PARAM("length", "between the middles of its ends", 1, 0),
};

static pl_profile profile_of(const double *values)
{
  double half = 0.5 * values[LENGTH_AT];
  return (pl_profile){.count = 2, .points = {{0, -half}, {0, half}}, .radius = values[RADIUS_AT]};
}

PL_REVOLVED_SHAPE(capsule, "a cylinder with round ends", pl_shape_finish_axis);
