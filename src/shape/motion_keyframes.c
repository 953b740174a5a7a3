/* From key to key, each with a time, a translation and a rotation vector about the centre; before
 * the first and after the last nothing moves. Between keys translation and rotation vector follow
 * p(s), s in 0..1: linear p = s, or smooth p = 3 s^2 - 2 s^3, which rests at every key. The spin of
 * a rotation vector r that changes by r' is J(r) r' (rotation.h). */
#include "math/functions.h"
#include "math/mat3.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "shape/motion.h"

enum { CENTRE_AT = 0, BETWEEN_AT = 3, PARAM_COUNT = 2 };

static const pl_param params[PARAM_COUNT] = {
    {"centre", "m", "about which keys turn", 0, -PL_FAR, PL_FAR, NULL, 3},
    {"between", "1", "at constant velocity, or at rest at every key", 0, 0, 1, "linear|smooth", 1},
};

/* Values a + p (b - a), and their rate. */
static void blend(const double a[3], const double b[3], double p, double rate, double value[3],
                  double slope[3])
{
  for (int k = 0; k < 3; k++) {
    value[k] = a[k] + p * (b[k] - a[k]);
    slope[k] = rate * (b[k] - a[k]);
  }
}

static void at(const pl_motion *self, double t, pl_turn *turn)
{
  const double *values = self->part.values;
  int next = 0, last = self->key_count - 1;
  while (next <= last && self->keys[next].time <= t) next++;
  const pl_motion_key *a = &self->keys[next > 0 ? next - 1 : 0];
  const pl_motion_key *b = &self->keys[next <= last ? next : last];
  double length = b->time - a->time, p = 0, rate = 0, angle[3], slope[3], J[9];
  if (a != b) {
    double s = (t - a->time) / length;
    p = values[BETWEEN_AT] > 0 ? s * s * (3 - 2 * s) : s;
    rate = (values[BETWEEN_AT] > 0 ? 6 * s * (1 - s) : 1) / length;
  }
  pl_vec3_copy(values + CENTRE_AT, turn->centre);
  blend(a->translation, b->translation, p, rate, turn->translation, turn->velocity);
  blend(a->rotation, b->rotation, p, rate, angle, slope);
  pl_vec3_scale(PL_PI / 180, angle, turn->angle);
  pl_vec3_scale(PL_PI / 180, slope, slope);
  pl_rotation_jacobian(turn->angle, J);
  pl_mat3_apply(J, slope, turn->spin);
}

const pl_motion_ops pl_motion_keyframes = {
    .info = {"keyframes", "from key to key, given as <key> elements", "", params, PARAM_COUNT,
             NULL},
    .has_keys = 1,
    .at = at,
};
