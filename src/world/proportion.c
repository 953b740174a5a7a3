/* Explosions: steps whose result is finite and yet no motion of the bodies.
 *
 * With the energy E = kinetic + elastic >= 0, forces f from outside and mass M,
 * dE/dt = f.v <= |f|_{M^-1} |v|_M <= |f|_{M^-1} sqrt(2 E), where damping and friction only take
 * away; hence
 *
 *   |v|_M <= sqrt(2 E) <= sqrt(2 E_0) + integral |f|_{M^-1} dt.
 *
 * Divided by the square root of the whole mass this bounds the RMS speed: by the speed at the
 * start, plus what the loads would give to the mass if all of them always pushed along its motion
 * (g t for gravity). Two more speeds are added: that of the fastest prescribed node, for motions
 * that are prescribed do work as well, and that of elastic waves, sqrt((lambda + 2 mu) / rho), at
 * which a strain of order 1 is released (E_0, snapping, what is brought in by set_positions). A
 * step that ends FACTOR times faster than this sum is an error: an unstable method gets there
 * within a few steps, and no body does. While a body is slower than its waves, the sum starts from
 * its present speed at every step, and the loads of that step are asked for only if the result is
 * too fast without them, as is the speed of prescribed nodes.
 *
 * The power iterations take the state in hand, so that the critical step is that of the body as it
 * is; stretched bodies allow less. */
#include "world/proportion.h"

#include "core/error.h"
#include "core/memory.h"
#include "core/text.h"
#include "math/vec3.h"
#include "ode/stability.h"
#include "sparse/passes.h"
#include "sparse/vector.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

enum { POWER_ITERATIONS = 60 };

static const double factor = 100;

/* ---- speeds ---- */

static double whole_mass(const pl_world *world)
{
  double mass = 0;
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    for (int i = 0; i < body->blocks; i++) mass += body->model->lumped_mass[i];
  }
  return mass;
}

/* The kinetic energy of a body times 2: by M v, or by the lumped mass where blocks are points with
 * a mass each, which is one short pass. */
static double twice_kinetic(const pl_world *world, const pl_body *body)
{
  const double *v = world->state.v + 3 * body->offset;
  double *y = world->vectors.scratch + 3 * body->offset;
  pl_model *model = body->model;
  if (pl_model_has_points(model))
    return pl_pass_energy(model->lumped_mass, v, body->blocks, world->pool);
  pl_pass_clear(y, body->blocks, world->pool);
  pl_body_update_mass(body, world->state.q + 3 * body->offset);
  model->ops->mass_add(model, 1, v, y, world->pool);
  return pl_dot(v, y, body->blocks, world->pool);
}

/* That of all bodies; a single one of points is a pass that can be deferred. */
static void find_kinetic(const pl_world *world, struct pl_kinetic *to)
{
  const pl_body *first = world->bodies.list;
  to->is_known = 1;
  if (world->bodies.count == 1 && pl_model_has_points(first->model)) {
    pl_defer_energy(first->model->lumped_mass, world->state.v, first->blocks, &to->sums,
                    world->pool);
    return;
  }
  to->sums.count = 1;
  to->sums.of[0] = 0;
  for (size_t b = 0; b < world->bodies.count; b++)
    to->sums.of[0] += twice_kinetic(world, first + b);
}

/* The RMS speed of all mass. */
static double rms_speed(const pl_world *world, const struct pl_kinetic *kinetic)
{
  return sqrt(fmax(pl_range_total(&kinetic->sums), 0) / world->proportion.mass);
}

/* The body that has most of the energy. */
static const pl_body *most_energetic(const pl_world *world)
{
  const pl_body *max = world->bodies.list;
  double largest = -1;
  for (size_t b = 0; b < world->bodies.count; b++) {
    double own = twice_kinetic(world, &world->bodies.list[b]);
    if (own > largest || isnan(own)) max = &world->bodies.list[b];
    largest = fmax(largest, own);
  }
  return max;
}

/* |f|_{M^-1} over the square root of the mass: what loads add to the speed in a second; where the
 * step began, or where it has ended if that is not known at all blocks. */
static double load_acceleration(pl_world *world)
{
  const pl_state *from = &world->saved;
  const double *q = from->is_packed ? world->state.q : from->q;
  double *f = world->vectors.scratch, *x = world->vectors.work;
  pl_pass_clear(x, world->bodies.blocks, world->pool);
  world->system.ops->external(&world->system, from->time, q, x, f);
  world->system.ops->mass_inverse(&world->system, f, x);
  double square = pl_dot(f, x, world->bodies.blocks, world->pool);
  return sqrt(fmax(square, 0) / world->proportion.mass);
}

/* Of nodes that are held and moved, not of those that touch something. */
static double fastest_prescribed(const pl_world *world)
{
  double max = 0;
  for (int i = 0; i < world->system.filter.count; i++) {
    if (world->system.filter.transient && world->system.filter.transient[i]) continue;
    const double *v = world->state.v + 3 * world->system.filter.nodes[i];
    max = fmax(max, pl_vec3_dot(v, v));
  }
  return sqrt(max);
}

/* ---- preparation ---- */

static double wave_of(const pl_material_def *def, const pl_selection *law, double stiffer)
{
  pl_material material;
  if (pl_material_make(def, law, &material, NULL)) return 0;
  double lambda = fmax(material.lambda, 0);
  return sqrt(stiffer * (lambda + 2 * material.mu) / material.density);
}

static double wave_in(const pl_body *body)
{
  double max = wave_of(&body->material, &body->law, 1);
  const pl_composition *made = &body->composition;
  for (int e = 0; e < body->mesh->element_count; e++) {
    int part = made->part_of ? made->part_of[e] : 0;
    double stiffer = made->stiffer ? made->stiffer[e] : 1;
    if (!part && stiffer <= 1) continue;
    const pl_composition_part *from = part ? &made->parts[part - 1] : NULL;
    max = fmax(
        max, wave_of(from ? &from->def : &body->material, from ? &from->law : &body->law, stiffer));
  }
  return max;
}

static const pl_integrator_ops *method(const pl_world *world)
{
  return (const pl_integrator_ops *)world->set.integrator.member;
}

/* Into how many parts the method divides a step by itself. */
static double inner_steps(const pl_world *world)
{
  int place = pl_param_find(&method(world)->info, "substeps");
  return place < 0 ? 1 : world->set.integrator.values[place];
}

/* The part of a body's mass damping that limits the step. */
static double limiting_drag(const pl_world *world, const pl_body *body)
{
  int free = method(world)->drag_is_implicit && !pl_body_spares_rigid_motion(body);
  return free ? 0 : body->mass_damping;
}

/* The elements' bounds of w^2 and damping over all bodies that know them, with mass damping where
 * it counts; returns whether all do. */
static int element_bounds(pl_world *world, double bounds[2])
{
  int all = 1;
  bounds[0] = bounds[1] = 0;
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    double own[2] = {0};
    const pl_moment at = {.q = world->state.q + 3 * body->offset,
                          .v = world->state.v + 3 * body->offset};
    if (body->model->ops->stability.bounds)
      body->model->ops->stability.bounds(body->model, &at, own, world->pool);
    else
      all = 0;
    bounds[0] = fmax(bounds[0], own[0]);
    bounds[1] = fmax(bounds[1], own[1] + limiting_drag(world, body));
  }
  return all;
}

/* What power iterations found beyond the bounds, by pulls, attachments, contact or other models;
 * they come from below, hence a fifth more. */
static void keep_extra(pl_world *world, double stiffness, double damping)
{
  double bounds[2], *extra = world->proportion.extra;
  int all = element_bounds(world, bounds);
  double more = all ? 1 : 1.2;
  extra[0] = fmax(more * stiffness - bounds[0], 0);
  extra[1] = fmax(more * damping - bounds[1], 0);
}

double pl_proportion_bound(pl_world *world)
{
  const pl_integrator_ops *ops = method(world);
  double bounds[2];
  if (!ops->critical) return INFINITY;
  element_bounds(world, bounds);
  double stiffness = bounds[0] + world->proportion.extra[0];
  double damping = bounds[1] + world->proportion.extra[1];
  if (!(stiffness > 0)) return INFINITY;
  double bound = ops->critical(sqrt(stiffness), damping);
  // the mode that is damped most may be a slow one
  if (damping > 0) bound = fmin(bound, ops->critical(1e-3 * damping, damping));
  return inner_steps(world) * bound;
}

/* Mass damping of the blocks that have least and most of it, 1/s. */
static void find_drag(const pl_world *world, double range[2])
{
  range[0] = range[1] = world->vectors.drag[0];
  for (int i = 1; i < world->bodies.blocks; i++) {
    range[0] = fmin(range[0], world->vectors.drag[i]);
    range[1] = fmax(range[1], world->vectors.drag[i]);
  }
}

/* That of the fastest mode, or of the slowest, which drag alone damps. */
static double critical_of(const pl_world *world, double stiffness, double damping)
{
  const pl_integrator_ops *ops = method(world);
  double drag[2], slow = INFINITY;
  find_drag(world, drag);
  if (!ops->drag_is_implicit && drag[1] > 0) slow = ops->critical(1e-3 * drag[1], drag[1]);
  if (!(stiffness > 0)) return INFINITY;
  return inner_steps(world) * fmin(ops->critical(sqrt(stiffness), damping), slow);
}

/* Infinite where the method has no limit, or nothing resists. */
static double critical_step(pl_world *world, double *memory)
{
  size_t n = 3 * (size_t)world->bodies.blocks;
  pl_system *system = &world->system;
  const pl_state *at = &world->state;
  double *a0 = memory + 3 * n;
  pl_power room = {world->vectors.scratch, world->vectors.work, memory, memory + n, a0};
  pl_accelerate(system, at->time, at->q, at->v, a0);
  pl_power_start(room.mode, world->bodies.blocks);
  double stiffness =
      pl_largest_eigenvalue(&room, system, at->time, at->q, at->v, 0, POWER_ITERATIONS);
  pl_power_start(room.mode, world->bodies.blocks);
  double damping =
      pl_largest_eigenvalue(&room, system, at->time, at->q, at->v, 1, POWER_ITERATIONS);
  if (method(world)->drag_is_implicit) {
    double drag[2];
    find_drag(world, drag);
    damping = fmax(damping - drag[0], 0);
  }
  if (world->set.substeps == 0) keep_extra(world, stiffness, damping);
  return critical_of(world, stiffness, damping);
}

static void tell_critical(pl_world *world, const pl_integrator_ops *ops)
{
  double critical = world->proportion.critical;
  if (world->proportion.logged == ops || world->set.tolerance > 0 || world->set.substeps == 0)
    return;
  world->proportion.logged = ops;
  if (critical == 0)
    pl_log_write(&world->log, PL_WARNING, "%s is stable at no step without damping: motion grows",
                 ops->info.name);
  else if (world->set.dt > critical)
    pl_log_write(&world->log, PL_WARNING,
                 "%s is stable up to a step of about %.3g s here, and dt is %g s: motion grows",
                 ops->info.name, critical, world->set.dt);
  else if (isfinite(critical))
    pl_log_write(&world->log, PL_NOTE, "%s is stable up to a step of about %.3g s; dt is %g s",
                 ops->info.name, critical, world->set.dt);
}

pl_status pl_proportion_admit(const pl_world *world, pl_error *error)
{
  double critical = world->proportion.critical, dt = world->set.dt;
  if (world->set.allow_unstable || world->set.tolerance > 0 || world->set.substeps == 0)
    return PL_OK;
  // power iterations come from below
  if (!(dt > 1.01 * critical)) return PL_OK;
  if (critical == 0)
    return pl_fail(error, PL_E_ARGUMENT,
                   "%s is stable at no step without damping; take verlet, rk4 or an implicit "
                   "method, or unstable=\"warn\" to step nevertheless",
                   method(world)->info.name);
  return pl_fail(error, PL_E_ARGUMENT,
                 "%s is stable up to a step of about %.3g s here, and dt is %g s; take "
                 "substeps=\"auto\", a smaller dt or an implicit method, or unstable=\"warn\" to "
                 "step nevertheless",
                 method(world)->info.name, critical, dt);
}

pl_status pl_proportion_prepare(pl_world *world, pl_error *error)
{
  pl_proportion *self = &world->proportion;
  const pl_integrator_ops *ops = method(world);
  size_t n = 3 * (size_t)world->bodies.blocks;
  pl_status status = pl_world_watch_create(world, error);
  if (status) return status;
  self->mass = whole_mass(world);
  self->wave = 0;
  for (size_t b = 0; b < world->bodies.count; b++)
    self->wave = fmax(self->wave, wave_in(&world->bodies.list[b]));
  self->critical = INFINITY;
  if (!ops->critical) return PL_OK;
  double *memory = pl_alloc(&world->allocator, 4 * n, sizeof(double));
  if (!memory) return pl_fail_memory(error);
  self->critical = critical_step(world, memory);
  pl_free(&world->allocator, memory);
  if (pl_proportion_admit(world, NULL) == PL_OK) tell_critical(world, ops);
  return pl_proportion_admit(world, error);
}

void pl_proportion_release(pl_world *world)
{
  pl_free(&world->allocator, world->proportion.dets);
  world->proportion.dets = NULL;
}

/* ---- the rule ---- */

void pl_proportion_begin(pl_world *world)
{
  pl_proportion *self = &world->proportion;
  self->end.is_known = 0;
  if (!world->integrator->ops->is_static) find_kinetic(world, &self->begin);
}

void pl_proportion_end(pl_world *world) { find_kinetic(world, &world->proportion.end); }

/* What the speed at the beginning explains, and the loads of the step where that was fast. */
static int expect(pl_world *world)
{
  pl_proportion *self = &world->proportion;
  double speed = rms_speed(world, &self->begin);
  int is_slow = speed <= self->wave;
  // another speed than at the end of the last step was given from outside
  if (speed != self->speed) self->expected = fmax(self->expected, speed);
  if (is_slow)
    self->expected = speed;
  else
    self->expected += world->set.dt * load_acceleration(world);
  return is_slow;
}

static int fastest_node(const pl_world *world, const pl_body *body)
{
  int fastest = 0;
  double max = -1;
  for (int i = 0; i < body->blocks; i++) {
    double speed = pl_vec3_norm(world->state.v + 3 * (body->offset + i));
    if (speed > max) fastest = i;
    max = fmax(max, speed);
  }
  return body->order[pl_body_anchor(body, fastest)];
}

static pl_status fail(const pl_world *world, const pl_body *body, double speed, double limit,
                      pl_error *error)
{
  const pl_proportion *self = &world->proportion;
  const char *name = world->integrator->ops->info.name;
  char cause[200];
  int node = fastest_node(world, body);
  if (self->critical == 0)
    pl_print(cause, sizeof cause,
             "%s is stable at no step without damping; take another method, or a smaller dt with "
             "damping",
             name);
  else if (world->set.dt > self->critical)
    pl_print(cause, sizeof cause,
             "%s is stable up to a step of about %.3g s, and dt is %g s; take a smaller dt or an "
             "implicit method",
             name, self->critical, world->set.dt);
  else
    pl_print(cause, sizeof cause, "take a smaller dt than %g s, or more damping", world->set.dt);
  return pl_fail_entity(
      error, PL_E_DIVERGED, node,
      "body \"%.80s\" diverged: node %d is the fastest at t = %g s, and the mean "
      "speed of %.3g m/s is more than %.0f times what loads and waves account for "
      "(%.3g m/s); %s",
      body->name, node, world->state.time + world->set.dt, speed, factor, limit / factor, cause);
}

pl_status pl_proportion_check(pl_world *world, pl_error *error)
{
  pl_proportion *self = &world->proportion;
  if (world->integrator->ops->is_static) return PL_OK;
  if (!self->end.is_known) pl_proportion_end(world);
  int is_slow = expect(world);
  double speed = rms_speed(world, &self->end), limit = factor * (self->expected + self->wave);
  // what else may explain it is asked for only where that is not enough
  if (!(speed <= limit)) limit += factor * fastest_prescribed(world);
  if (speed > limit && is_slow) limit += factor * world->set.dt * load_acceleration(world);
  if (speed > limit || isnan(speed)) return fail(world, most_energetic(world), speed, limit, error);
  self->speed = speed;
  return PL_OK;
}
