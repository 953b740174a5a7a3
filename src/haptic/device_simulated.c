/* A hand that is a mass on a spring and a damper,
 *
 *   m x'' = k (target - x) + c (target' - x') + F,
 *
 * to a target that goes from the start to the goal at constant speed, stays there, and goes back
 * at once. It is integrated by ten semi-implicit steps in each tick, so that a run with it is the
 * same every time. */
#include "haptic/device.h"
#include "math/vec3.h"

enum {
  MASS_AT,
  STIFFNESS_AT,
  DAMPING_AT,
  START_AT,
  GOAL_AT = START_AT + 3,
  SPEED_AT = GOAL_AT + 3,
  LEAVE_AT,
  PARAM_COUNT = 7,
  SUBSTEPS = 10
};

static const pl_param params[PARAM_COUNT] = {
    {"mass", "kg", "of hand and device", 0.08, 1e-6, 1e3, NULL, 1},
    {"hand-stiffness", "N/m", "of the hand's spring to its target", 200, 0, 1e6, NULL, 1},
    {"hand-damping", "N s/m", "of the hand", 2, 0, 1e4, NULL, 1},
    {"start", "m", "where the hand begins, and where it goes back to", 0, -1e3, 1e3, NULL, 3},
    {"goal", "m", "where it goes", 0, -1e3, 1e3, NULL, 3},
    {"speed", "m/s", "at which it goes there", 0.1, 1e-6, 1e3, NULL, 1},
    {"leave", "s", "when it goes back", 3, 0, 1e9, NULL, 1},
};

typedef struct hand {
  pl_device base;
  double x[3], v[3];
} hand;

static pl_status open(pl_device *self, pl_error *error)
{
  (void)error;
  pl_vec3_copy(self->values + START_AT, ((hand *)self)->x);
  return PL_OK;
}

/* The target at time t and its velocity. */
static void aim(const double *values, double t, double target[3], double rate[3])
{
  double way[3];
  pl_vec3_sub(values + GOAL_AT, values + START_AT, way);
  double length = pl_vec3_norm(way), part = length > 0 ? values[SPEED_AT] * t / length : 1;
  int goes = part < 1 && t < values[LEAVE_AT];
  if (part > 1) part = 1;
  if (t >= values[LEAVE_AT]) part = 0;
  pl_vec3_copy(values + START_AT, target);
  pl_vec3_add_scaled(part, way, target);
  pl_vec3_scale(goes ? values[SPEED_AT] / length : 0, way, rate);
}

static int sense(pl_device *self, double t, double x[3], double v[3])
{
  (void)t;
  pl_vec3_copy(((hand *)self)->x, x);
  pl_vec3_copy(((hand *)self)->v, v);
  return PL_DEVICE_PRESENT;
}

static void act(pl_device *self, double t, double dt, const double force[3])
{
  hand *at = (hand *)self;
  const double *values = self->values;
  double h = dt / SUBSTEPS, target[3], rate[3];
  for (int i = 0; i < SUBSTEPS; i++) {
    aim(values, t + i * h, target, rate);
    for (int k = 0; k < 3; k++) {
      double pull = values[STIFFNESS_AT] * (target[k] - at->x[k]);
      pull += values[DAMPING_AT] * (rate[k] - at->v[k]) + force[k];
      at->v[k] += h * pull / values[MASS_AT];
      at->x[k] += h * at->v[k];
    }
  }
}

const pl_device_ops pl_device_simulated = {
    .info = {"simulated", "a mass on a spring, led by a hand that comes, stays and goes", "",
             params, PARAM_COUNT, NULL},
    .size = sizeof(hand),
    .open = open,
    .sense = sense,
    .act = act,
};
