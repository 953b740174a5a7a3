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
 * within a few steps, and no body does.
 *
 * The power iterations take the state in hand, so that the critical step is that of the body as it
 * is; stretched bodies allow less. */
#include "world/proportion.h"

#include "core/error.h"
#include "core/memory.h"
#include "core/text.h"
#include "math/vec3.h"
#include "ode/stability.h"
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

/* The kinetic energy of a body times 2, from M v in y. */
static double twice_kinetic(const pl_world *world, const pl_body *body, const double *y)
{
  double sum = 0;
  for (int i = 3 * body->offset; i < 3 * (body->offset + body->blocks); i++)
    sum += world->state.v[i] * y[i];
  return sum;
}

/* The RMS speed of all mass; the body that has most of the energy. */
static double rms_speed(pl_world *world, const pl_body **most)
{
  double *y = world->proportion.f, sum = 0, largest = -1;
  memset(y, 0, 3 * (size_t)world->bodies.blocks * sizeof *y);
  for (size_t b = 0; b < world->bodies.count; b++)
    pl_body_settle(&world->bodies.list[b], world->state.q + 3 * world->bodies.list[b].offset);
  world->system.ops->mass_add(&world->system, 1, world->state.v, y);
  for (size_t b = 0; b < world->bodies.count; b++) {
    double part = twice_kinetic(world, &world->bodies.list[b], y);
    if (part > largest || isnan(part)) *most = &world->bodies.list[b];
    largest = fmax(largest, part);
    sum += part;
  }
  return sqrt(fmax(sum, 0) / whole_mass(world));
}

/* |f|_{M^-1} over the square root of the mass: what loads add to the speed in a second. */
static double load_acceleration(pl_world *world)
{
  double *f = world->proportion.f, *x = world->proportion.x;
  memset(x, 0, 3 * (size_t)world->bodies.blocks * sizeof *x);
  world->system.ops->external(&world->system, world->state.time, world->state.q, x, f);
  world->system.ops->mass_inverse(&world->system, f, x);
  double square = pl_dot(f, x, world->bodies.blocks, world->pool);
  return sqrt(fmax(square, 0) / whole_mass(world));
}

/* Of nodes that are held and moved, not of those that touch something. */
static double fastest_prescribed(const pl_world *world)
{
  double most = 0;
  for (int i = 0; i < world->system.filter.count; i++) {
    if (world->system.filter.passing && world->system.filter.passing[i]) continue;
    most = fmax(most, pl_vec3_norm(world->state.v + 3 * world->system.filter.nodes[i]));
  }
  return most;
}

/* ---- preparation ---- */

static double wave_of(const pl_material_def *def, const pl_part *law, double stiffer)
{
  pl_material material;
  if (pl_material_make(def, law, &material, NULL)) return 0;
  double lambda = fmax(material.lambda, 0);
  return sqrt(stiffer * (lambda + 2 * material.mu) / material.density);
}

static double wave_in(const pl_body *body)
{
  double most = wave_of(&body->material, &body->law, 1);
  const pl_composition *made = &body->composition;
  for (int e = 0; e < body->mesh->element_count; e++) {
    int part = made->part_of ? made->part_of[e] : 0;
    double stiffer = made->stiffer ? made->stiffer[e] : 1;
    if (!part && stiffer <= 1) continue;
    const pl_composition_part *from = part ? &made->parts[part - 1] : NULL;
    most = fmax(most, wave_of(from ? &from->def : &body->material, from ? &from->law : &body->law,
                              stiffer));
  }
  return most;
}

/* Infinite where the method has no limit, or nothing resists. */
static double critical_step(pl_world *world, const pl_integrator_ops *ops, double *memory)
{
  size_t n = 3 * (size_t)world->bodies.blocks;
  pl_system *system = &world->system;
  const pl_state *at = &world->state;
  double *a0 = memory + 3 * n;
  pl_power room = {world->proportion.f, world->proportion.x, memory, memory + n, a0};
  pl_accelerate(system, at->time, at->q, at->v, a0);
  pl_power_start(room.mode, world->bodies.blocks);
  double stiffness =
      pl_largest_eigenvalue(&room, system, at->time, at->q, at->v, 0, POWER_ITERATIONS);
  pl_power_start(room.mode, world->bodies.blocks);
  double damping =
      pl_largest_eigenvalue(&room, system, at->time, at->q, at->v, 1, POWER_ITERATIONS);
  return stiffness > 0 ? ops->critical(sqrt(stiffness), damping) : INFINITY;
}

static void tell_critical(pl_world *world, const pl_integrator_ops *ops)
{
  double critical = world->proportion.critical;
  if (world->proportion.told == ops || world->set.tolerance > 0) return;
  world->proportion.told = ops;
  if (critical == 0)
    pl_log_write(&world->log, PL_WARNING,
                 "%s is stable at no step without damping: motion grows; take rk4, verlet or an "
                 "implicit method",
                 ops->info.name);
  else if (world->set.dt > critical)
    pl_log_write(&world->log, PL_WARNING,
                 "%s is stable up to a step of about %.3g s here, and dt is %g s; take a smaller "
                 "dt or an implicit method",
                 ops->info.name, critical, world->set.dt);
  else
    pl_log_write(&world->log, PL_NOTE, "%s is stable up to a step of about %.3g s; dt is %g s",
                 ops->info.name, critical, world->set.dt);
}

pl_status pl_proportion_prepare(pl_world *world, pl_error *error)
{
  pl_proportion *self = &world->proportion;
  const pl_integrator_ops *ops = (const pl_integrator_ops *)world->set.integrator.member;
  size_t n = 3 * (size_t)world->bodies.blocks;
  self->f = pl_alloc(&world->allocator, n, sizeof(double));
  self->x = pl_alloc(&world->allocator, n, sizeof(double));
  if (!self->f || !self->x) return pl_fail_memory(error);
  self->wave = 0;
  for (size_t b = 0; b < world->bodies.count; b++)
    self->wave = fmax(self->wave, wave_in(&world->bodies.list[b]));
  self->critical = INFINITY;
  if (!ops->critical) return PL_OK;
  double *memory = pl_alloc(&world->allocator, 4 * n, sizeof(double));
  if (!memory) return pl_fail_memory(error);
  self->critical = critical_step(world, ops, memory);
  pl_free(&world->allocator, memory);
  tell_critical(world, ops);
  return PL_OK;
}

void pl_proportion_release(pl_world *world)
{
  pl_free(&world->allocator, world->proportion.f);
  pl_free(&world->allocator, world->proportion.x);
  world->proportion.f = world->proportion.x = NULL;
}

/* ---- the rule ---- */

void pl_proportion_begin(pl_world *world)
{
  pl_proportion *self = &world->proportion;
  const pl_body *most;
  if (world->integrator->ops->is_static) return;
  // another speed than at the end of the last step was given from outside
  double speed = rms_speed(world, &most);
  if (speed != self->speed) self->expected = fmax(self->expected, speed);
  self->expected += world->set.dt * load_acceleration(world);
}

static int fastest_node(const pl_world *world, const pl_body *body)
{
  int fastest = 0;
  double most = -1;
  for (int i = 0; i < body->blocks; i++) {
    double speed = pl_vec3_norm(world->state.v + 3 * (body->offset + i));
    if (speed > most) fastest = i;
    most = fmax(most, speed);
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
  const pl_body *most = world->bodies.list;
  if (world->integrator->ops->is_static) return PL_OK;
  double speed = rms_speed(world, &most);
  double limit = factor * (self->expected + fastest_prescribed(world) + self->wave);
  if (speed > limit || isnan(speed)) return fail(world, most, speed, limit, error);
  self->speed = speed;
  return PL_OK;
}
