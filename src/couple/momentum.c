/* Momentum correction after each step (Mueller et al. 2002, section 3.2, after Desbrun et al.
 * 1999).
 *
 * With r = x - c about the mass centre c before the step, F and T the external force and torque,
 * and a mass damping alpha, the momenta after the step must be
 *
 *   P* = (P + h F) / (1 + h alpha),   L* = (L + h T) / (1 + h alpha).
 *
 * A rigid motion dv = -(P1 - P*) / m - w x r, w = I^-1 (L1 - L*), takes away the rest, and
 * dx = h dv, so that x = x0 + h v still holds where it did (implicit Euler). L about the old centre
 * at old positions is L about the new ones, since the positions move along v. Bodies of rigid
 * frames are taken at their new positions, and only their velocities are corrected. */
#include "couple/momentum.h"

#include "math/mat3.h"
#include "math/vec3.h"

#include <string.h>

/* work = M x of the body. */
static const double *mass_times(const pl_substep *step, const pl_body *body, const double *x)
{
  double *out = step->work[1] + 3 * body->offset;
  memset(out, 0, (size_t)body->blocks * 3 * sizeof *out);
  body->model->ops->mass_add(body->model, 1, x, out, step->system->pool);
  return out;
}

/* The sums of a and of (q - centre) x a over the body's nodes. */
static void add_up(const pl_body *body, const double *q, const double centre[3], const double *a,
                   double sum[3], double moment[3])
{
  memset(sum, 0, 3 * sizeof *sum);
  memset(moment, 0, 3 * sizeof *moment);
  for (int i = 0; i < 3 * body->blocks; i += 3) {
    double r[3], m[3];
    if (pl_model_is_rotation(body->model, i / 3)) {
      pl_vec3_add(moment, a + i, moment);
      continue;
    }
    if (!pl_model_is_point(body->model, i / 3)) continue;
    pl_vec3_sub(q + i, centre, r);
    pl_vec3_cross(r, a + i, m);
    pl_vec3_add(sum, a + i, sum);
    pl_vec3_add(moment, m, moment);
  }
}

static double centre_of(const pl_body *body, const double *q, double centre[3])
{
  double mass = 0;
  memset(centre, 0, 3 * sizeof *centre);
  for (int i = 0; i < body->blocks; i++) {
    pl_vec3_add_scaled(body->model->lumped_mass[i], q + 3 * i, centre);
    mass += body->model->lumped_mass[i];
  }
  pl_vec3_scale(1 / mass, centre, centre);
  return mass;
}

static void begin(pl_coupling *self, const pl_substep *step)
{
  pl_momentum *kept = (pl_momentum *)self;
  const pl_body *body = &self->bodies->list[self->acts_on[0]];
  kept->active = !step->system->is_static && !pl_couplings_grip(step->couplings, self->acts_on[0]);
  if (!kept->active) return;
  const double *q = step->q + 3 * body->offset, *v = step->v + 3 * body->offset;
  double force[3], torque[3], h = step->h;
  double alpha = pl_body_spares_rigid_motion(body) ? 0 : body->mass_damping;
  step->system->ops->external(step->system, step->t + h, step->q, step->v, step->work[0]);
  centre_of(body, q, kept->centre);
  pl_body_update_mass(body, q);
  add_up(body, q, kept->centre, step->work[0] + 3 * body->offset, force, torque);
  add_up(body, q, kept->centre, mass_times(step, body, v), kept->linear, kept->angular);
  for (int k = 0; k < 3; k++) {
    // the external force holds the drag of the old velocity; it is that of the new one
    kept->linear[k] += h * (force[k] + alpha * kept->linear[k]);
    kept->angular[k] += h * (torque[k] + alpha * kept->angular[k]);
    kept->linear[k] /= 1 + h * alpha;
    kept->angular[k] /= 1 + h * alpha;
  }
}

/* The inertia tensor about the centre, with the body's mass matrix: column k is the angular
 * momentum of a spin about axis k. */
static void inertia(const pl_substep *step, const pl_body *body, const double *q,
                    const double centre[3], double I[9])
{
  double *spinning = step->work[0] + 3 * body->offset;
  for (int k = 0; k < 3; k++) {
    double axis[3] = {k == 0, k == 1, k == 2}, sum[3], moment[3];
    for (int i = 0; i < 3 * body->blocks; i += 3) {
      double r[3];
      pl_vec3_sub(q + i, centre, r);
      pl_vec3_cross(axis, r, spinning + i);
      if (pl_model_is_rotation(body->model, i / 3))
        pl_vec3_copy(axis, spinning + i);
      else if (!pl_model_is_point(body->model, i / 3))
        pl_vec3_set(spinning + i, 0, 0, 0);
    }
    add_up(body, q, centre, mass_times(step, body, spinning), sum, moment);
    for (int i = 0; i < 3; i++) I[3 * i + k] = moment[i];
  }
}

static void finish(pl_coupling *self, const pl_substep *step)
{
  const pl_momentum *kept = (const pl_momentum *)self;
  const pl_body *body = &self->bodies->list[self->acts_on[0]];
  if (!kept->active || pl_couplings_grip(step->couplings, self->acts_on[0])) return;
  double *q = step->q + 3 * body->offset, *v = step->v + 3 * body->offset;
  double linear[3], angular[3], spin[3] = {0}, I[9], inverse[9] = {0}, centre[3];
  // frames that turn change their moments of inertia: what counts is where they are now
  const double *at = pl_model_has_rotations(body->model) ? q : step->q0 + 3 * body->offset;
  double mass = centre_of(body, at, centre);
  pl_body_update_mass(body, q);
  add_up(body, at, centre, mass_times(step, body, v), linear, angular);
  pl_vec3_sub(linear, kept->linear, linear);
  pl_vec3_sub(angular, kept->angular, angular);
  inertia(step, body, at, centre, I);

  // a body that has collapsed to a line or a point keeps its spin
  pl_mat3_inverse(I, inverse);
  pl_mat3_apply(inverse, angular, spin);
  for (int i = 0; i < 3 * body->blocks; i += 3) {
    double r[3], change[3];
    pl_vec3_sub(at + i, centre, r);
    pl_vec3_cross(spin, r, change);
    pl_vec3_add_scaled(1 / mass, linear, change);
    if (pl_model_is_rotation(body->model, i / 3))
      pl_vec3_copy(spin, change);
    else if (!pl_model_is_point(body->model, i / 3))
      continue;
    pl_vec3_add_scaled(-1, change, v + i);
    if (!pl_model_has_rotations(body->model)) pl_vec3_add_scaled(-step->h, change, q + i);
  }
}

const pl_coupling_ops pl_coupling_momentum = {
    .info = {"momentum", "gives a free body the momenta that outer forces give it, after each step",
             "Mueller et al. 2002, 3.2; Desbrun et al. 1999", NULL, 0, NULL},
    .size = sizeof(pl_momentum),
    .begin = begin,
    .finish = finish,
};
