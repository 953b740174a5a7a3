/* Adding, moving, reading and removing obstacles: the public functions around the coupling
 * "contact". A failing call leaves the world as it was. */
#include "core/error.h"
#include "couple/mooring.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "world/world.h"

#include <math.h>

pl_obstacle_def pl_obstacle_def_default(void)
{
  return (pl_obstacle_def){.name = "obstacle", .cookie = PL_COOKIE};
}

pl_contact *pl_world_contact(const pl_world *world)
{
  return (pl_contact *)pl_couplings_next(&world->couplings, &pl_coupling_contact, NULL);
}

/* The place of the obstacle with this id. */
static pl_status find_obstacle(const pl_world *world, pl_obstacle_id id, size_t *at,
                               pl_error *error)
{
  pl_status status =
      pl_slots_check(&world->ids.obstacles, "obstacle", id.index1, id.generation, error);
  if (status) return status;
  const pl_contact *contact = pl_world_contact(world);
  for (*at = 0; contact->obstacles[*at].slot != id.index1 - 1;) ++*at;
  return PL_OK;
}

/* ---- adding and removing ---- */

/* The coupling, and the obstacle as its last. */
static pl_status add_shape(pl_world *world, const pl_obstacle_def *def, pl_error *error)
{
  pl_coupling *made = NULL;
  pl_contact *contact = pl_world_contact(world);
  pl_status status = PL_OK;
  if (!contact) {
    status = pl_coupling_create(&world->bodies, &pl_coupling_contact, &made, error);
    contact = (pl_contact *)made;
  }
  if (!status) status = pl_contact_add(contact, def, error);
  if (made || status) status = pl_world_take(world, status, made, error);
  return status;
}

/* What remembers where it is moved to. */
static pl_status add_placement(pl_world *world, pl_obstacle *obstacle, pl_error *error)
{
  pl_coupling *made;
  pl_status status = pl_coupling_create(&world->bodies, &pl_coupling_placement, &made, error);
  if (!status) status = pl_world_take(world, status, made, error);
  if (!status) obstacle->placement = (pl_placement *)made;
  return status;
}

/* What is attached to an obstacle goes with it. */
static void drop_moorings(pl_world *world, int slot)
{
  pl_coupling *at = NULL, *next = pl_couplings_next(&world->couplings, &pl_coupling_mooring, NULL);
  while ((at = next) != NULL) {
    next = pl_couplings_next(&world->couplings, &pl_coupling_mooring, at);
    if (((const pl_mooring *)at)->obstacle == slot) pl_couplings_remove(&world->couplings, at);
  }
}

static void drop_obstacle(pl_world *world, size_t at)
{
  pl_contact *contact = pl_world_contact(world);
  pl_placement *placement = contact->obstacles[at].placement;
  int slot = contact->obstacles[at].slot;
  pl_slots_give_back(&world->ids.obstacles, slot);
  pl_world_unprepare(world);
  drop_moorings(world, slot);
  pl_contact_remove(contact, at);
  if (placement) pl_couplings_remove(&world->couplings, &placement->base);
  if (!contact->count) pl_couplings_remove(&world->couplings, &contact->base);
}

pl_status pl_world_add_obstacle(pl_world *world, const pl_obstacle_def *def, pl_obstacle_id *id,
                                pl_error *error)
{
  int slot;
  uint32_t generation;
  pl_status status = pl_check_cookie(def ? def->cookie : 0, "pl_obstacle", error);
  if (!status)
    status = pl_slots_take(&world->allocator, &world->ids.obstacles, &slot, &generation, error);
  if (status) return status;
  status = add_shape(world, def, error);
  if (status) {
    pl_slots_give_back(&world->ids.obstacles, slot);
    return status;
  }
  pl_world_unprepare(world);
  pl_contact *contact = pl_world_contact(world);
  pl_obstacle *last = &contact->obstacles[contact->count - 1];
  last->slot = slot;
  status = add_placement(world, last, error);
  if (status)
    drop_obstacle(world, contact->count - 1);
  else if (id)
    *id = (pl_obstacle_id){slot + 1, generation};
  return status;
}

pl_status pl_world_remove_obstacle(pl_world *world, pl_obstacle_id id, pl_error *error)
{
  size_t at;
  pl_status status = find_obstacle(world, id, &at, error);
  if (!status) drop_obstacle(world, at);
  return status;
}

/* ---- moving and reading ---- */

static pl_status check_place(const double translation[3], const double rotation[3], pl_error *error)
{
  if (!translation || !rotation)
    return pl_fail(error, PL_E_ARGUMENT, "the place of an obstacle is NULL");
  for (int k = 0; k < 3; k++) {
    if (!(fabs(translation[k]) <= 1e9) || !(fabs(rotation[k]) <= 1e6))
      return pl_fail(
          error, PL_E_ARGUMENT,
          "the place of an obstacle must be finite numbers, up to 1e9 m and 1e6 degrees");
  }
  return PL_OK;
}

pl_status pl_world_move_obstacle(pl_world *world, pl_obstacle_id id, const double translation[3],
                                 const double rotation[3], pl_error *error)
{
  size_t at;
  pl_status status = find_obstacle(world, id, &at, error);
  if (!status) status = check_place(translation, rotation, error);
  if (status) return status;
  const pl_obstacle *obstacle = &pl_world_contact(world)->obstacles[at];
  if (obstacle->motion_count)
    return pl_fail(error, PL_E_ARGUMENT,
                   "obstacle \"%.80s\" has motions of its own; make it without them to move it",
                   obstacle->name);
  status = pl_world_prepare(world, error);
  if (status) return status;
  double turn[3], q[4], t = world->state.time;
  pl_place to;
  pl_vec3_scale(PL_PI / 180, rotation, turn);
  pl_quat_of_vector(turn, q);
  pl_quat_matrix(q, to.R);
  pl_vec3_copy(translation, to.origin);
  pl_placement_set(obstacle->placement, t, t + world->set.dt, &to);
  world->system.remembers = 1; // friction on it changes in time
  return PL_OK;
}

pl_status pl_world_set_friction(pl_world *world, pl_obstacle_id id, double friction,
                                double static_friction, double restitution, pl_error *error)
{
  size_t at;
  const double values[3] = {friction, static_friction, restitution};
  pl_status status = find_obstacle(world, id, &at, error);
  if (status) return status;
  return pl_obstacle_set_surface(&pl_world_contact(world)->obstacles[at], values, error);
}

pl_status pl_world_read_obstacle(const pl_world *world, pl_obstacle_id id, pl_obstacle_facts *facts,
                                 pl_error *error)
{
  size_t at;
  pl_status status = find_obstacle(world, id, &at, error);
  if (!status && !facts)
    status = pl_fail(error, PL_E_ARGUMENT, "the place for the obstacle's facts is NULL");
  if (status) return status;
  const pl_obstacle *obstacle = &pl_world_contact(world)->obstacles[at];
  pl_axes now;
  double q[4];
  pl_obstacle_axes(obstacle, world->state.time, &now);
  *facts = (pl_obstacle_facts){.nodes = obstacle->nodes};
  pl_quat_of_matrix(now.place.R, q);
  pl_vector_of_quat(q, facts->rotation);
  pl_vec3_scale(180 / PL_PI, facts->rotation, facts->rotation);
  pl_vec3_copy(now.place.origin, facts->translation);
  pl_vec3_copy(now.velocity, facts->velocity);
  pl_vec3_copy(now.spin, facts->spin);
  pl_vec3_copy(obstacle->force, facts->force);
  return PL_OK;
}
