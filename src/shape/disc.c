/* A disc with a round rim: all that lies within half its thickness of a flat disc about the axis.
 */
#include "shape/obstacle.h"
#include "shape/profile.h"

#include <math.h>

enum { RADIUS_AT = PL_OWN_AT, THICKNESS_AT, PARAM_COUNT = 5 };

static const pl_param params[PARAM_COUNT] = {
    PL_SIDE_PARAM,
    PL_CENTRE_PARAM,
    PL_AXIS_PARAM("through its middle"),
    PL_LENGTH_PARAM("radius", "to where the rim begins to be round", 0.5, 1e-9),
    PL_LENGTH_PARAM("thickness", "of the disc", 0.1, 1e-9),
};

static pl_profile profile_of(const double *values)
{
  return (pl_profile){
      .count = 2, .points = {{0, 0}, {values[RADIUS_AT], 0}}, .radius = 0.5 * values[THICKNESS_AT]};
}

PL_REVOLVED_SHAPE(disc, "a disc with a round rim", pl_shape_finish_axis);
