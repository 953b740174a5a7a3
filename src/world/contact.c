/* The active set of contacts. */
#include "world/contact.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

#define CLOSE 0.02  /* part of a normal force that it may still change by */
#define SLACK 1e-6  /* part of a body's size that a node may be inside an obstacle */
enum { EARLY = 4 }; /* passes in which every node may still change its mind */

pl_obstacle_def pl_obstacle_def_default(void)
{
  return (pl_obstacle_def){.name = "obstacle", .cookie = PL_COOKIE};
}

pl_status pl_world_add_obstacle(pl_world *world, const pl_obstacle_def *def, pl_error *error)
{
  pl_obstacle obstacle = {0};
  pl_status status = pl_check_cookie(def ? def->cookie : 0, "pl_obstacle", error);
  if (!status)
    status = pl_choice_resolve(&pl_obstacle_family, &def->shape, &obstacle.part.member,
                               obstacle.part.values, error);
  if (status) return status;
  const pl_obstacle_ops *ops = (const pl_obstacle_ops *)obstacle.part.member;
  status = ops->settle(obstacle.part.values, error);
  if (!status)
    status = pl_world_one_more(world, &world->obstacles, world->obstacle_count,
                               &world->obstacle_room, sizeof(pl_obstacle), error);
  if (status) return status;
  obstacle.name = pl_strdup(&world->allocator, def->name ? def->name : "obstacle");
  if (!obstacle.name) return pl_fail_memory(error);
  pl_world_unprepare(world);
  world->obstacles[world->obstacle_count++] = obstacle;
  return PL_OK;
}

/* The nearest obstacle of a point. */
static double nearest(const pl_world *world, const double x[3], int *which, double normal[3])
{
  double least = INFINITY;
  for (size_t i = 0; i < world->obstacle_count; i++) {
    const pl_part *part = &world->obstacles[i].part;
    double n[3], gap = ((const pl_obstacle_ops *)part->member)->gap(part->values, x, n);
    if (gap >= least) continue;
    least = gap;
    *which = (int)i;
    pl_vec3_copy(n, normal);
  }
  return least;
}

double pl_obstacles_nearest(const pl_world *world, const double x[3], double *friction,
                            double normal[3])
{
  int which = 0;
  double gap = nearest(world, x, &which, normal);
  *friction = world->obstacles[which].part.values[0];
  return gap;
}

static double friction_of(const pl_world *world, const pl_contact *contact)
{
  return world->obstacles[contact->obstacle].part.values[0];
}

static double block_mass(const pl_world *world, int block)
{
  const pl_body *body = pl_bodies_owner(&world->bodies, block);
  return body->model->lumped_mass[block - body->offset];
}

/* Is it held, or not a node? Then it touches nothing itself. */
static int is_held(const pl_world *world, int block)
{
  if (pl_bodies_owner(&world->bodies, block)->skin) return 1;
  const int *holder = world->holders + 3 * (size_t)block;
  if (world->in_core && world->in_core[block]) return 1;
  return holder[0] || holder[1] || holder[2];
}

/* Touching begins as sliding where friction as large as it was last cannot stop the node within
 * the step, else as standing still. */
static void take(const pl_world *world, int block, double h)
{
  pl_contact *contact = &world->contacts[block];
  const double *v = world->before_v + 3 * (size_t)block;
  double mass = block_mass(world, block), most = friction_of(world, contact) * contact->force;
  double *slip = contact->slip;
  pl_vec3_copy(v, slip);
  pl_vec3_add_scaled(-pl_vec3_dot(v, contact->normal), contact->normal, slip);
  double speed = pl_vec3_norm(slip);
  int slides = friction_of(world, contact) == 0 || mass * speed > h * most;
  contact->touch = slides ? PL_SLIDES : PL_STICKS;
  pl_vec3_scale(speed > 0 ? 1 / speed : 0, slip, slip);
}

pl_status pl_contacts_check(pl_world *world, pl_error *error)
{
  double size = 0;
  for (size_t b = 0; b < world->bodies.count; b++) {
    pl_body *body = &world->bodies.list[b];
    double low[3], high[3];
    pl_status status = pl_skin_make(world, body, error);
    if (status) return status;
    pl_mesh_bounds(body->mesh, low, high);
    size = fmax(size, pl_vec3_distance(low, high));
  }
  world->contact_slack = SLACK * size;
  return PL_OK;
}

void pl_contacts_begin(pl_world *world, double t, double h)
{
  if (!world->contacts) return;
  world->system.ops->external(&world->system, t + h, world->state.q, world->state.v,
                              world->scratch);
  world->system.ops->mass_inverse(&world->system, world->scratch, world->scratch);
  for (int i = 0; i < world->bodies.blocks; i++) {
    pl_contact *contact = &world->contacts[i];
    double way[3];
    contact->gap = nearest(world, world->state.q + 3 * i, &contact->obstacle, contact->normal);
    contact->touch = PL_APART;
    contact->settled = 0;
    if (is_held(world, i)) continue;
    for (int k = 0; k < 3; k++)
      way[k] = h * (world->state.v[3 * i + k] + h * world->scratch[3 * i + k]);
    if (contact->gap + pl_vec3_dot(contact->normal, way) < 0)
      take(world, i, h);
    else
      contact->force = 0;
  }
  pl_world_fill_filter(world);
}

/* scratch = what constraints must have pushed with: M (v1 - v0) / h - f(q1, v1). */
static void find_reactions(pl_world *world, double t, double h)
{
  pl_system *system = &world->system;
  double *change = world->work, *reaction = world->scratch;
  int n = 3 * world->bodies.blocks;
  system->ops->evaluate(system, t + h, world->state.q, world->state.v, reaction, 0, 0, 0, 0, NULL);
  for (int i = 0; i < n; i++) {
    reaction[i] = -reaction[i];
    change[i] = (world->state.v[i] - world->before_v[i]) / h;
  }
  system->ops->mass_add(system, 1, change, reaction);
}

/* Sliding or not, from the force along the surface that it took to stand still, or from where a
 * sliding node went. */
static int revise_friction(const pl_world *world, pl_contact *contact, const double *reaction,
                           const double *v, int early)
{
  double most = friction_of(world, contact) * contact->force, along[3];
  if (friction_of(world, contact) == 0) return 0;
  if (contact->touch == PL_STICKS) {
    pl_vec3_copy(reaction, along);
    pl_vec3_add_scaled(-contact->force, contact->normal, along);
    double size = pl_vec3_norm(along);
    if (size <= most || size == 0 || contact->settled) return 0;
    contact->touch = PL_SLIDES;
    pl_vec3_scale(-1 / size, along, contact->slip);
    return 1;
  }
  pl_vec3_copy(v, along);
  pl_vec3_add_scaled(-pl_vec3_dot(v, contact->normal), contact->normal, along);
  if (pl_vec3_dot(along, contact->slip) > 0) {
    pl_vec3_scale(1 / pl_vec3_norm(along), along, contact->slip);
    return 0;
  }
  contact->touch = PL_STICKS;
  contact->settled |= !early;
  return 1;
}

int pl_contacts_revise(pl_world *world, double t, double h, int pass)
{
  if (!world->contacts) return 0;
  int changed = 0, early = pass <= EARLY;
  find_reactions(world, t, h);
  for (int i = 0; i < world->bodies.blocks; i++) {
    pl_contact *contact = &world->contacts[i];
    const double *reaction = world->scratch + 3 * i;
    if (contact->touch == PL_APART) {
      double normal[3];
      int which = 0;
      if (is_held(world, i)) continue;
      double gap = nearest(world, world->state.q + 3 * i, &which, normal);
      if (gap >= -world->contact_slack) continue;
      take(world, i, h);
      contact->settled |= !early;
      if (!early && friction_of(world, contact) > 0) contact->touch = PL_STICKS;
      changed++;
      continue;
    }
    double before = contact->force;
    contact->force = pl_vec3_dot(reaction, contact->normal);
    if (contact->force < 0 && contact->settled) {
      contact->force = 0;
      continue;
    }
    if (contact->force < 0) {
      contact->touch = PL_APART;
      contact->force = 0;
      changed++;
      continue;
    }
    // friction was that of the force before
    if (contact->touch == PL_SLIDES && friction_of(world, contact) > 0)
      changed += early && fabs(contact->force - before) > CLOSE * contact->force;
    changed += revise_friction(world, contact, reaction, world->state.v + 3 * i, early);
  }
  if (changed) pl_world_fill_filter(world);
  return changed;
}

void pl_contacts_friction(const pl_world *world, double *f)
{
  for (int i = 0; world->contacts && i < world->bodies.blocks; i++) {
    const pl_contact *contact = &world->contacts[i];
    if (contact->touch != PL_SLIDES) continue;
    pl_vec3_add_scaled(-friction_of(world, contact) * contact->force, contact->slip, f + 3 * i);
  }
}
