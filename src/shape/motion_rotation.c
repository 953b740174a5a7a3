/* A constant rate of rotation about an axis in space: the angle is rate s, with s the time since a
 * start, up to another time. */
#include "math/functions.h"
#include "math/vec3.h"
#include "shape/motion.h"

#include <math.h>

enum { CENTRE_AT = 0, AXIS_AT = 3, RATE_AT = 6, START_AT, UNTIL_AT, PARAM_COUNT = 5 };

static const pl_param params[PARAM_COUNT] = {
    {"centre", "m", "a point on the axis", 0, -PL_FAR, PL_FAR, NULL, 3},
    {"axis", "1", "of the rotation; z if not given", NAN, -PL_FAR, PL_FAR, NULL, 3},
    {"rate", "degrees/s", "of the rotation", 0, -1e9, 1e9, NULL, 1},
    {"start", "s", "when it begins", 0, -1e9, 1e9, NULL, 1},
    {"until", "s", "when it stops", 1e9, -1e9, 1e9, NULL, 1},
};

static pl_status finish_values(double *values, pl_error *error)
{
  return pl_motion_finish_axis(values + AXIS_AT, error);
}

static void at(const pl_motion *self, double t, pl_turn *turn)
{
  const double *values = self->part.values;
  double end = fmin(t, values[UNTIL_AT]), since = fmax(end - values[START_AT], 0);
  double rate = PL_PI / 180 * values[RATE_AT];
  int moves = t >= values[START_AT] && t < values[UNTIL_AT];
  pl_vec3_copy(values + CENTRE_AT, turn->centre);
  // whole turns are nothing
  pl_vec3_scale(fmod(rate * since, 2 * PL_PI), values + AXIS_AT, turn->angle);
  pl_vec3_scale(moves * rate, values + AXIS_AT, turn->spin);
}

const pl_motion_ops pl_motion_rotation = {
    .info = {"rotation", "around an axis at a constant rate", "", params, PARAM_COUNT, NULL},
    .finish_values = finish_values,
    .at = at,
};
