/* To and fro: translation and angle times sin(2 pi f t + phase) - sin(phase), so that it begins
 * where the obstacle stands. */
#include "math/functions.h"
#include "math/vec3.h"
#include "shape/motion.h"

#include <math.h>

enum {
  TRANSLATION_AT = 0,
  CENTRE_AT = 3,
  AXIS_AT = 6,
  ANGLE_AT = 9,
  FREQUENCY_AT,
  PHASE_AT,
  PARAM_COUNT = 6
};

static const pl_param params[PARAM_COUNT] = {
    {"translation", "m", "amplitude of the way", 0, -PL_FAR, PL_FAR, NULL, 3},
    {"centre", "m", "a point on the axis", 0, -PL_FAR, PL_FAR, NULL, 3},
    {"axis", "1", "of the turn; z if not given", NAN, -PL_FAR, PL_FAR, NULL, 3},
    {"angle", "degrees", "amplitude of the turn", 0, -1e6, 1e6, NULL, 1},
    {"frequency", "Hz", "how often it comes back in a second", 1, 0, 1e6, NULL, 1},
    {"phase", "degrees", "where in the sine it begins", 0, -1e6, 1e6, NULL, 1},
};

static pl_status finish_values(double *values, pl_error *error)
{
  return pl_motion_finish_axis(values + AXIS_AT, error);
}

static void at(const pl_motion *self, double t, pl_turn *turn)
{
  const double *values = self->part.values;
  double rate = 2 * PL_PI * values[FREQUENCY_AT], phase = PL_PI / 180 * values[PHASE_AT];
  double turned = fmod(values[FREQUENCY_AT] * t, 1); // whole periods are nothing
  double s = pl_sin(2 * PL_PI * turned + phase) - pl_sin(phase);
  double slope = rate * pl_cos(2 * PL_PI * turned + phase);
  double angle = PL_PI / 180 * values[ANGLE_AT];
  pl_vec3_copy(values + CENTRE_AT, turn->centre);
  pl_vec3_scale(s, values + TRANSLATION_AT, turn->translation);
  pl_vec3_scale(slope, values + TRANSLATION_AT, turn->velocity);
  pl_vec3_scale(s * angle, values + AXIS_AT, turn->angle);
  pl_vec3_scale(slope * angle, values + AXIS_AT, turn->spin);
}

const pl_motion_ops pl_motion_oscillation = {
    .info = {"oscillation", "to and fro as a sine", "", params, PARAM_COUNT, NULL},
    .finish_values = finish_values,
    .at = at,
};
