/* Making a world: bodies, fixes, loads and probes. A failing call leaves the world as it was. */
#include "world/world.h"

#include "core/error.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

pl_world_def pl_world_def_default(void)
{
  return (pl_world_def){.dt = 0.01,
                        .gravity = {0, 0, -9.81},
                        .halvings = 6,
                        .allocator = pl_allocator_default(),
                        .cookie = PL_COOKIE};
}

pl_material_def pl_material_def_default(void)
{
  return (pl_material_def){.density = 1000, .cookie = PL_COOKIE};
}

pl_body_def pl_body_def_default(void)
{
  return (pl_body_def){.name = "body", .material = pl_material_def_default(), .cookie = PL_COOKIE};
}

pl_probe_def pl_probe_def_default(void)
{
  return (pl_probe_def){.name = "probe", .quantity = "displacement", .cookie = PL_COOKIE};
}

static int all_finite(const double *values, int count)
{
  for (int i = 0; i < count; i++) {
    if (!isfinite(values[i])) return 0;
  }
  return 1;
}

/* ---- the world ---- */

static pl_status resolve(const pl_family *family, const pl_choice *choice, pl_part *part,
                         pl_error *error)
{
  return pl_choice_resolve(family, choice, &part->member, part->values, error);
}

pl_status pl_world_check_control(int budget, int halvings, double tolerance,
                                 const pl_part *integrator, pl_error *error)
{
  const pl_integrator_ops *ops = (const pl_integrator_ops *)integrator->member;
  if (budget < 0)
    return pl_fail(error, PL_E_ARGUMENT,
                   "budget = %d must be 0 (no limit) or a count of iterations", budget);
  if (halvings < 0 || halvings > 20)
    return pl_fail(error, PL_E_ARGUMENT, "halvings = %d must lie between 0 and 20", halvings);
  if (!(tolerance >= 0) || !isfinite(tolerance))
    return pl_fail(error, PL_E_ARGUMENT, "tolerance = %g must be a length in m, or 0", tolerance);
  if (tolerance == 0 || ops->error_power) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT,
                 "integrator \"%s\" does not estimate its error in a way that step control could "
                 "use; set the world's tolerance to 0",
                 ops->info.name);
}

pl_status pl_world_create(const pl_world_def *def, pl_world **out, pl_error *error)
{
  if (!out) return pl_fail(error, PL_E_ARGUMENT, "pl_world_create needs a place for the world");
  *out = NULL;
  pl_status status = pl_check_cookie(def ? def->cookie : 0, "pl_world", error);
  if (status) return status;
  if (!(def->dt > 0) || !isfinite(def->dt))
    return pl_fail(error, PL_E_ARGUMENT, "dt = %g must be a positive time in s", def->dt);
  if (!all_finite(def->gravity, 3))
    return pl_fail(error, PL_E_ARGUMENT, "gravity must be three finite numbers");
  pl_allocator allocator = pl_allocator_or_default(&def->allocator);
  pl_world *world = pl_alloc(&allocator, 1, sizeof *world);
  if (!world) return pl_fail_memory(error);
  world->allocator = allocator;
  world->log = def->log;
  world->bodies = (pl_bodies){.allocator = &world->allocator, .log = &world->log};
  world->couplings.bodies = &world->bodies;
  world->set.dt = def->dt;
  world->set.budget = def->budget;
  world->set.halvings = def->halvings;
  world->set.tolerance = def->tolerance;
  memcpy(world->gravity, def->gravity, sizeof world->gravity);
  status = pl_integrator_resolve(&def->integrator, &world->set.integrator, error);
  if (!status)
    status = pl_world_check_control(def->budget, def->halvings, def->tolerance,
                                    &world->set.integrator, error);
  world->set.solver_given = def->solver.name != NULL;
  if (!status) status = resolve(&pl_solver_family, &def->solver, &world->set.solver, error);
  if (!status)
    status =
        resolve(&pl_preconditioner_family, &def->preconditioner, &world->set.preconditioner, error);
  if (!status) status = pl_pool_create(&allocator, def->threads, &world->pool, error);
  world->bodies.pool = world->pool;
  if (!status && def->cache) {
    world->cache = pl_strdup(&allocator, def->cache);
    if (!world->cache) status = pl_fail_memory(error);
    world->store = pl_store_make(&world->allocator, world->cache);
    world->bodies.store = &world->store;
  }
  if (!status) status = pl_world_add_own(world, error);
  if (status)
    pl_world_destroy(world);
  else
    *out = world;
  return status;
}

void pl_world_destroy(pl_world *world)
{
  if (!world) return;
  pl_allocator allocator = world->allocator;
  pl_world_unprepare(world);
  pl_couplings_release(&world->couplings);
  for (size_t i = 0; i < world->bodies.count; i++)
    pl_body_release(&allocator, &world->bodies.list[i]);
  for (size_t i = 0; i < world->probe_count; i++) pl_free(&allocator, world->probes[i].name);
  void *arrays[] = {world->bodies.list,   world->probes,        world->cache,
                    world->state.numbers, world->saved.numbers, world->before.numbers};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(&allocator, arrays[i]);
  pl_pool_destroy(world->pool);
  pl_free(&allocator, world);
}

pl_status pl_world_one_more(pl_world *world, void *array, size_t count, size_t *room, size_t size,
                            pl_error *error)
{
  void *memory;
  memcpy(&memory, array, sizeof memory);
  if (pl_reserve(&world->allocator, &memory, room, count + 1, size)) return pl_fail_memory(error);
  memcpy(array, &memory, sizeof memory);
  return PL_OK;
}

/* ---- bodies ---- */

/* Puts the body behind all others: room in the state, and what acts on it from the start. */
static pl_status place_body(pl_world *world, const pl_body_def *def, pl_body *body, pl_error *error)
{
  if (world->bodies.blocks > INT32_MAX / 3 - body->blocks)
    return pl_fail(error, PL_E_LIMIT, "the world would have more than %d nodes", INT32_MAX / 3);
  pl_status status = pl_world_fit_solver(world, body, error);
  if (!status && def->keep_momentum)
    status = pl_world_keep_momentum(world, (int)world->bodies.count, error);
  if (status) return status;
  body->offset = world->bodies.blocks;
  world->bodies.blocks += body->blocks;
  world->bodies.count++;
  status = pl_world_resize(world, error);
  if (!status) return PL_OK;
  world->bodies.blocks -= body->blocks;
  world->bodies.count--;
  if (def->keep_momentum)
    pl_couplings_remove(&world->couplings,
                        pl_couplings_last(&world->couplings, &pl_coupling_momentum));
  return status;
}

pl_status pl_world_add_body(pl_world *world, const pl_body_def *def, pl_body_id *id,
                            pl_error *error)
{
  pl_status status = pl_check_cookie(def ? def->cookie : 0, "pl_body", error);
  if (status) return status;
  if (!def->mesh) return pl_fail(error, PL_E_ARGUMENT, "a body needs a mesh");
  if (!(def->insert_reach >= 0) || !isfinite(def->insert_reach))
    return pl_fail(error, PL_E_ARGUMENT, "insert_reach = %g must be a length in m, or 0",
                   def->insert_reach);
  if (!all_finite(def->velocity, 3) || !all_finite(def->spin, 3))
    return pl_fail(error, PL_E_ARGUMENT, "velocity and spin must be finite");
  status = pl_world_one_more(world, &world->bodies.list, world->bodies.count, &world->bodies.room,
                             sizeof(pl_body), error);
  if (status) return status;
  pl_body *body = &world->bodies.list[world->bodies.count];
  memset(body, 0, sizeof *body);
  status = pl_body_make(&world->bodies, def, body, error);
  if (!status) status = place_body(world, def, body, error);
  if (status) {
    pl_body_release(&world->allocator, body);
    return status;
  }
  pl_body_start(body, def->velocity, def->spin, world->state.q + 3 * body->offset,
                world->state.v + 3 * body->offset);
  pl_world_unprepare(world);
  if (id) id->index1 = (int32_t)world->bodies.count;
  return PL_OK;
}

int pl_world_body_count(const pl_world *world) { return (int)world->bodies.count; }

pl_body_id pl_world_body_at(const pl_world *world, int index)
{
  return (pl_body_id){index >= 0 && index < (int)world->bodies.count ? index + 1 : 0};
}

const pl_body *pl_world_body(const pl_world *world, pl_body_id id)
{
  if (id.index1 < 1 || (size_t)id.index1 > world->bodies.count) return NULL;
  return &world->bodies.list[id.index1 - 1];
}

const char *pl_world_body_name(const pl_world *world, pl_body_id id)
{
  const pl_body *body = pl_world_body(world, id);
  return body ? body->name : NULL;
}

const pl_mesh *pl_world_body_mesh(const pl_world *world, pl_body_id id)
{
  const pl_body *body = pl_world_body(world, id);
  return body ? body->mesh : NULL;
}

const pl_mesh *pl_world_body_surface(const pl_world *world, pl_body_id id)
{
  const pl_body *body = pl_world_body(world, id);
  return body ? body->surface : NULL;
}

pl_status pl_world_find_body(const pl_world *world, pl_body_id id, const pl_body **body,
                             pl_error *error)
{
  *body = pl_world_body(world, id);
  if (*body) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT, "there is no body number %d", (int)id.index1);
}
