/* A constant velocity from a time on: d = v s, with s the time since then, up to another time. */
#include "math/vec3.h"
#include "shape/motion.h"

#include <math.h>

enum { VELOCITY_AT = 0, START_AT = 3, UNTIL_AT, PARAM_COUNT = 3 };

static const pl_param params[PARAM_COUNT] = {
    {"velocity", "m/s", "of every point", 0, -1e6, 1e6, NULL, 3},
    {"start", "s", "when it begins", 0, -1e9, 1e9, NULL, 1},
    {"until", "s", "when it stops", 1e9, -1e9, 1e9, NULL, 1},
};

static void at(const pl_motion *self, double t, pl_turn *turn)
{
  const double *values = self->part.values;
  double end = fmin(t, values[UNTIL_AT]), since = fmax(end - values[START_AT], 0);
  int moves = t >= values[START_AT] && t < values[UNTIL_AT];
  pl_vec3_scale(since, values + VELOCITY_AT, turn->translation);
  pl_vec3_scale(moves, values + VELOCITY_AT, turn->velocity);
}

const pl_motion_ops pl_motion_velocity = {
    .info = {"velocity", "straight on at a constant velocity", "", params, PARAM_COUNT, NULL},
    .at = at,
};
