/* Making a world: bodies, fixes, loads and probes. A failing call leaves the world as it was. */
#include "world/world.h"

#include "core/error.h"
#include "core/memory.h"
#include "couple/response.h"
#include "world/guide.h"

#include <math.h>
#include <string.h>

pl_world_def pl_world_def_default(void)
{
  return (pl_world_def){.dt = 0.01,
                        .gravity = {0, 0, -9.81},
                        .halvings = 6,
                        .substeps = 1,
                        .allocator = pl_allocator_default(),
                        .cookie = PL_COOKIE};
}

pl_material_def pl_material_def_default(void)
{
  return (pl_material_def){.density = 1000, .cookie = PL_COOKIE};
}

pl_body_def pl_body_def_default(void)
{
  return (pl_body_def){.name = "body",
                       .material = pl_material_def_default(),
                       .stretch = {1, 1, 1},
                       .cookie = PL_COOKIE};
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

static pl_status resolve(const pl_family *family, const pl_choice *choice, pl_selection *part,
                         pl_error *error)
{
  return pl_choice_resolve(family, choice, &part->member, part->values, error);
}

pl_status pl_world_check_time_budget(double seconds, double tolerance, pl_error *error)
{
  if (!(seconds >= 0) || !isfinite(seconds))
    return pl_fail(error, PL_E_ARGUMENT, "time_budget = %g must be 0 (no limit) or a time in s",
                   seconds);
  if (seconds > 0 && tolerance > 0)
    return pl_fail(error, PL_E_ARGUMENT,
                   "a time budget and step control by a tolerance exclude each other: the first "
                   "bounds the work of a step, the second its error; set one of them to 0");
  return PL_OK;
}

pl_status pl_world_check_control(int budget, int halvings, double tolerance,
                                 const pl_selection *integrator, pl_error *error)
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
  world->bodies =
      (pl_bodies){.allocator = &world->allocator, .log = &world->log, .ranks = def->ranks};
  world->couplings.bodies = &world->bodies;
  world->set.dt = def->dt;
  world->set.budget = def->budget;
  world->set.time_budget = def->time_budget;
  world->set.halvings = def->halvings;
  world->set.substeps = def->substeps;
  world->set.allow_unstable = def->allow_unstable;
  world->set.tolerance = def->tolerance;
  memcpy(world->gravity, def->gravity, sizeof world->gravity);
  world->contact = pl_contact_def_default();
  world->response.member = pl_response_family.members[0];
  pl_param_presets(world->response.member, world->response.values);
  status = pl_integrator_resolve(&def->integrator, &world->set.integrator, error);
  if (!status)
    status = pl_world_check_control(def->budget, def->halvings, def->tolerance,
                                    &world->set.integrator, error);
  if (!status) status = pl_world_check_time_budget(def->time_budget, def->tolerance, error);
  world->set.solver_given = def->solver.name != NULL;
  if (!status) status = resolve(&pl_solver_family, &def->solver, &world->set.solver, error);
  if (!status)
    status =
        resolve(&pl_preconditioner_family, &def->preconditioner, &world->set.preconditioner, error);
  if (!status) status = pl_world_fit_ranks(world, error);
  if (!status) status = pl_pool_create(&allocator, def->threads, &world->pool, error);
  world->bodies.pool = world->pool;
  // ranks ask together: how often may not depend on what each of them finds
  world->bodies.watch = world->bodies.ranks ? NULL : &world->watch;
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
  pl_guide_destroy(&allocator, world->set.guide);
  pl_world_unprepare(world);
  pl_couplings_release(&world->couplings);
  for (size_t i = 0; i < world->bodies.count; i++)
    pl_body_release(&allocator, &world->bodies.list[i]);
  for (size_t i = 0; i < world->probes.count; i++) pl_free(&allocator, world->probes.list[i].name);
  pl_world_free_numbers(world);
  void *arrays[] = {world->bodies.list,   world->probes.list,   world->cache,
                    world->touching.list, world->saved.numbers, world->before.numbers};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(&allocator, arrays[i]);
  pl_slots *slots[] = {&world->ids.bodies, &world->ids.probes, &world->ids.obstacles,
                       &world->ids.rigid_parts};
  for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) pl_slots_release(&allocator, slots[i]);
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
  if (world->bodies.blocks > INT32_MAX / 9 - body->blocks)
    return pl_fail(error, PL_E_LIMIT, "the world would have more than %d nodes", INT32_MAX / 9);
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

static void warn_locking(const pl_world *world, const pl_body *body)
{
  if (body->model->locking.from > 0)
    pl_log_write(&world->log, PL_WARNING,
                 "body \"%.80s\" has a Poisson's ratio of %.4g, at which its elements lock: it is "
                 "much too stiff; take %s",
                 body->name, body->model->locking.from, body->model->locking.cure);
}

/* A body that starts deformed: its laws take it as deformed suddenly, in no time. On failure it is
 * gone. */
static pl_status start_shape(pl_world *world, const pl_body_def *def, pl_body *body,
                             const double *shape, pl_error *error)
{
  pl_body_id id = pl_world_id_of(body);
  pl_status status = pl_world_set_positions(world, id, shape, error);
  if (status) {
    (void)pl_world_remove_body(world, id, NULL);
    return status;
  }
  size_t at = 3 * (size_t)body->offset;
  pl_body_spin(body, def->velocity, def->spin, world->state.q + at, world->state.v + at);
  const pl_moment now = {.h = 0, .q = world->state.q + at, .v = world->state.v + at};
  pl_model_begin(body->model, body->memory);
  pl_model_commit(body->model, &now, body->memory, world->pool);
  return PL_OK;
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
  status =
      pl_slots_take(&world->allocator, &world->ids.bodies, &body->slot, &body->generation, error);
  if (status) return status;
  double *shape = NULL;
  status = pl_body_make(&world->bodies, def, body, error);
  if (!status && body->refinement) status = pl_world_take_indicator(&def->refine, body, error);
  if (!status) status = pl_body_start_shape(&world->allocator, def, body, &shape, error);
  if (!status) status = place_body(world, def, body, error);
  if (status) {
    pl_free(&world->allocator, shape);
    pl_slots_give_back(&world->ids.bodies, body->slot);
    pl_body_release(&world->allocator, body);
    return status;
  }
  pl_body_start(body, def->velocity, def->spin, world->state.q + 3 * body->offset,
                world->state.v + 3 * body->offset);
  pl_world_unprepare(world);
  if (shape) status = start_shape(world, def, body, shape, error);
  pl_free(&world->allocator, shape);
  if (status) return status;
  warn_locking(world, body);
  if (id) *id = pl_world_id_of(body);
  return PL_OK;
}

int pl_world_body_count(const pl_world *world) { return (int)world->bodies.count; }

pl_body_id pl_world_body_at(const pl_world *world, int index)
{
  if (index < 0 || (size_t)index >= world->bodies.count) return (pl_body_id){0};
  return pl_world_id_of(&world->bodies.list[index]);
}

pl_body_id pl_world_id_of(const pl_body *body)
{
  return (pl_body_id){body->slot + 1, body->generation};
}

const pl_body *pl_world_body(const pl_world *world, pl_body_id id)
{
  if (pl_slots_check(&world->ids.bodies, "body", id.index1, id.generation, NULL)) return NULL;
  size_t at = 0;
  while (world->bodies.list[at].slot != id.index1 - 1) at++;
  return &world->bodies.list[at];
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
  return pl_slots_check(&world->ids.bodies, "body", id.index1, id.generation, error);
}
