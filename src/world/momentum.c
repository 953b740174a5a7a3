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
#include "world/momentum.h"

#include "math/mat3.h"
#include "math/vec3.h"
#include "world/world.h"

#include <string.h>

/* work = M x of the body. */
static const double *mass_times(pl_world *world, const pl_body *body, const double *x)
{
  double *out = world->work + 3 * body->offset;
  memset(out, 0, (size_t)body->blocks * 3 * sizeof *out);
  body->model->ops->mass_add(body->model, 1, x, out, world->pool);
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
    pl_vec3_sub(q + i, centre, r);
    pl_vec3_cross(r, a + i, m);
    pl_vec3_add(sum, a + i, sum);
    pl_vec3_add(moment, m, moment);
  }
}

/* By a fix, a hinge or another body. */
static int is_held(const pl_world *world, int body)
{
  if (pl_world_is_attached(world, body)) return 1;
  for (size_t f = 0; f < world->fix_count; f++) {
    if (world->fixes[f].body == body) return 1;
  }
  for (size_t c = 0; c < world->core_count; c++) {
    if (world->cores[c].body == body && world->cores[c].hinge != PL_HINGE_NONE) return 1;
  }
  return 0;
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

void pl_momentum_expect(pl_world *world, double t, double h)
{
  const pl_integrator_ops *integrator = (const pl_integrator_ops *)world->integrator_part.member;
  int any = 0;
  for (size_t b = 0; b < world->bodies.count; b++) {
    pl_body *body = &world->bodies.list[b];
    body->momentum.active =
        body->keeps_momentum && !integrator->is_static && !is_held(world, (int)b);
    any |= body->momentum.active;
  }
  if (!any) return;
  world->system.ops->external(&world->system, t + h, world->state.q, world->state.v,
                              world->scratch);
  for (size_t b = 0; b < world->bodies.count; b++) {
    pl_body *body = &world->bodies.list[b];
    pl_momentum *kept = &body->momentum;
    if (!kept->active) continue;
    const double *q = world->state.q + 3 * body->offset, *v = world->state.v + 3 * body->offset;
    double force[3], torque[3], alpha = body->mass_damping;
    centre_of(body, q, kept->centre);
    pl_body_settle(body, q);
    add_up(body, q, kept->centre, world->scratch + 3 * body->offset, force, torque);
    add_up(body, q, kept->centre, mass_times(world, body, v), kept->linear, kept->angular);
    for (int k = 0; k < 3; k++) {
      // the external force holds the drag of the old velocity; it is that of the new one
      kept->linear[k] += h * (force[k] + alpha * kept->linear[k]);
      kept->angular[k] += h * (torque[k] + alpha * kept->angular[k]);
      kept->linear[k] /= 1 + h * alpha;
      kept->angular[k] /= 1 + h * alpha;
    }
  }
}

/* The inertia tensor about the centre, with the body's mass matrix: column k is the angular
 * momentum of a spin about axis k. */
static void inertia(pl_world *world, const pl_body *body, const double *q, const double centre[3],
                    double I[9])
{
  double *spinning = world->scratch + 3 * body->offset;
  for (int k = 0; k < 3; k++) {
    double axis[3] = {k == 0, k == 1, k == 2}, sum[3], moment[3];
    for (int i = 0; i < 3 * body->blocks; i += 3) {
      double r[3];
      pl_vec3_sub(q + i, centre, r);
      pl_vec3_cross(axis, r, spinning + i);
      if (pl_model_is_rotation(body->model, i / 3)) pl_vec3_copy(axis, spinning + i);
    }
    add_up(body, q, centre, mass_times(world, body, spinning), sum, moment);
    for (int i = 0; i < 3; i++) I[3 * i + k] = moment[i];
  }
}

static void correct(pl_world *world, const pl_body *body, double h)
{
  const pl_momentum *kept = &body->momentum;
  double *q = world->state.q + 3 * body->offset, *v = world->state.v + 3 * body->offset;
  double linear[3], angular[3], spin[3] = {0}, I[9], inverse[9] = {0}, centre[3];
  // frames that turn change their moments of inertia: what counts is where they are now
  const double *at = body->model->turns ? q : world->before + 3 * body->offset;
  double mass = centre_of(body, at, centre);
  pl_body_settle(body, q);
  add_up(body, at, centre, mass_times(world, body, v), linear, angular);
  pl_vec3_sub(linear, kept->linear, linear);
  pl_vec3_sub(angular, kept->angular, angular);
  inertia(world, body, at, centre, I);

  // a body that has collapsed to a line or a point keeps its spin
  pl_mat3_inverse(I, inverse);
  pl_mat3_apply(inverse, angular, spin);
  for (int i = 0; i < 3 * body->blocks; i += 3) {
    double r[3], change[3];
    pl_vec3_sub(at + i, centre, r);
    pl_vec3_cross(spin, r, change);
    pl_vec3_add_scaled(1 / mass, linear, change);
    if (pl_model_is_rotation(body->model, i / 3)) pl_vec3_copy(spin, change);
    pl_vec3_add_scaled(-1, change, v + i);
    if (!body->model->turns) pl_vec3_add_scaled(-h, change, q + i);
  }
}

static int touches(const pl_world *world, const pl_body *body)
{
  double depth;
  if (pl_skin_deepest(world, body, world->state.q + 3 * body->offset, &depth) >= 0 ||
      pl_skin_deepest(world, body, world->before + 3 * body->offset, &depth) >= 0)
    return 1;
  for (int i = 0; world->contacts && i < body->blocks; i++) {
    if (world->contacts[body->offset + i].touch != PL_APART) return 1;
  }
  return 0;
}

void pl_momentum_correct(pl_world *world, double h)
{
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    if (body->momentum.active && !touches(world, body)) correct(world, body, h);
  }
}
