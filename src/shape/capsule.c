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

const pl_obstacle_ops pl_obstacle_capsule = {
    .info = {"capsule", "a cylinder with round ends", "", params, PARAM_COUNT, NULL},
    .has_sides = 1,
    .finish_values = pl_shape_finish_axis,
    .place = pl_shape_place_axis,
    .profile = profile_of,
    .gap = pl_revolved_gap,
    .bounds = pl_revolved_bounds,
    .draw = pl_revolved_draw,
};
