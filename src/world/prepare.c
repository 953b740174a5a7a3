/* Making a world ready for stepping: constraint rows, vectors, integrator, relations. */
#include "world/prepare.h"

#include "core/error.h"
#include "core/memory.h"
#include "couple/contact.h"
#include "ode/relation.h"
#include "sparse/partition.h"
#include "world/vectors.h"

void pl_world_unprepare(pl_world *world)
{
  pl_proportion_release(world);
  pl_vectors_release(world);
  pl_integrator_destroy(world->integrator);
  pl_fallback_release(world);
  pl_solver_destroy(world->system.solver);
  pl_bsr_destroy(world->system.A);
  pl_pairs_destroy(world->system.pairs);
  pl_relations_destroy(&world->allocator, world->system.relations);
  pl_rows_release(&world->rows);
  pl_block_pairs_release(&world->widened);
  pl_partition_destroy(&world->allocator, world->partition);
  world->partition = NULL;
  void *arrays[] = {world->vectors.scratch, world->vectors.work,      world->vectors.drag,
                    world->system.reaction, world->system.unfiltered, world->system.safe,
                    world->vectors.expected};
  pl_answer_release(&world->allocator, &world->answer);
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(&world->allocator, arrays[i]);
  world->integrator = NULL;
  world->system = (pl_system){0};
  world->vectors.scratch = world->vectors.work = world->vectors.drag = world->vectors.expected =
      NULL;
  world->ready = 0;
}

/* Every block's share of the mass damping. */
static pl_status make_drag(pl_world *world, pl_error *error)
{
  world->vectors.drag = pl_alloc(&world->allocator, (size_t)world->bodies.blocks, sizeof(double));
  if (!world->vectors.drag) return pl_fail_memory(error);
  world->system.drag.is_equal = 1;
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    if (body->material.spares_rigid_motion && !pl_body_spares_rigid_motion(body))
      pl_log_write(&world->log, PL_WARNING,
                   "body \"%.80s\" has frames or rigid parts, so that its mass damping acts on its "
                   "rigid motion as well",
                   body->name);
    double own = pl_body_spares_rigid_motion(body) ? 0 : body->mass_damping;
    for (int i = 0; i < body->blocks; i++) world->vectors.drag[body->offset + i] = own;
    world->system.drag.is_equal &= own == world->vectors.drag[0];
  }
  world->system.drag.each = world->vectors.drag;
  world->bodies.lumps = ((const pl_integrator_ops *)world->set.integrator.member)->critical != NULL;
  return PL_OK;
}

/* ---- what holds bodies ---- */

/* Marks the bodies that are held in space, and those that are linked to them, and so on. */
static void mark_held(const pl_world *world, unsigned char *held)
{
  const pl_couplings *all = &world->couplings;
  for (size_t b = 0; b < world->bodies.count; b++)
    held[b] = world->bodies.list[b].model->hold_count > 0;
  for (size_t i = 0; i < all->count; i++) {
    if (all->list[i]->ops->is_ground) held[all->list[i]->acts_on[0]] = 1;
  }
  for (int more = 1; more;) {
    more = 0;
    for (size_t i = 0; i < all->count; i++) {
      const int *ends = all->list[i]->acts_on;
      if (ends[1] < 0 || held[ends[0]] == held[ends[1]]) continue;
      held[ends[0]] = held[ends[1]] = 1;
      more = 1;
    }
  }
}

/* In statics a body that nothing holds has no equilibrium, or infinitely many. */
static pl_status check_held(const pl_world *world, pl_error *error)
{
  unsigned char *held = pl_alloc(&world->allocator, world->bodies.count, 1);
  if (!held) return pl_fail_memory(error);
  mark_held(world, held);
  pl_status status = PL_OK;
  for (size_t b = 0; b < world->bodies.count && !status; b++) {
    if (!held[b])
      status =
          pl_fail(error, PL_E_SINGULAR,
                  "body \"%.80s\" is not held anywhere, so it has no static equilibrium; fix some "
                  "of its nodes, attach it to a body that is held, or use a dynamic integrator",
                  world->bodies.list[b].name);
  }
  pl_free(&world->allocator, held);
  return status;
}

/* ---- all of it ---- */

int pl_world_max_halvings(const pl_world *world)
{
  return world->set.budget || world->set.time_budget > 0 ? 0 : world->set.halvings;
}

/* Couplings as they need it, and room for their rows. */
static pl_status prepare_couplings(pl_world *world, pl_error *error)
{
  pl_status status = PL_OK;
  int64_t rows = 0, mpcs = 0, entries = 0;
  for (size_t b = 0; b < world->bodies.count; b++)
    rows += 3 * world->bodies.list[b].model->hold_count;
  for (size_t i = 0; i < world->couplings.count && !status; i++) {
    pl_coupling *coupling = world->couplings.list[i];
    if (coupling->ops->prepare) status = coupling->ops->prepare(coupling, error);
    if (coupling->ops->row_count) rows += coupling->ops->row_count(coupling);
    if (coupling->ops->mpc_room) coupling->ops->mpc_room(coupling, world->state.q, &mpcs, &entries);
  }
  if (!status && (rows > INT32_MAX || entries > INT32_MAX / 9))
    status = pl_fail(error, PL_E_LIMIT, "there are more than %d constraints", INT32_MAX);
  if (!status)
    status =
        pl_rows_create(&world->allocator, world->bodies.blocks, (int)rows, &world->rows, error);
  if (!status && mpcs) status = pl_rows_reserve_mpcs(&world->rows, (int)mpcs, (int)entries, error);
  return status;
}

static pl_status make_vectors(pl_world *world, pl_error *error)
{
  double **vectors[] = {&world->vectors.scratch, &world->vectors.work, &world->system.reaction,
                        &world->system.unfiltered, &world->vectors.expected};
  // only what may ask for another pass expects something of it
  size_t count = sizeof vectors / sizeof *vectors - !pl_world_revises(world);
  for (size_t i = 0; i < count; i++) {
    *vectors[i] = pl_alloc(&world->allocator, (size_t)world->bodies.blocks * 3, sizeof(double));
    if (!*vectors[i]) return pl_fail_memory(error);
  }
  return PL_OK;
}

/* Where a coupling lets nothing pass, Newton's increments are guarded. */
static pl_status make_safe(pl_world *world, pl_error *error)
{
  int is_guarded = 0;
  for (size_t i = 0; i < world->couplings.count; i++)
    is_guarded |= world->couplings.list[i]->ops->guard != NULL;
  if (!is_guarded) return PL_OK;
  if (world->system.ops->chart)
    return pl_fail(error, PL_E_UNSUPPORTED,
                   "contact by \"barrier\" follows points on straight ways, and blocks of a body "
                   "rotate here (frames, rigid parts); choose response=\"penalty\" or "
                   "\"constraint\"");
  world->system.safe =
      pl_alloc(&world->allocator, (size_t)world->bodies.blocks * 3, sizeof(double));
  return world->system.safe ? PL_OK : pl_fail_memory(error);
}

/* When couplings exert impulses: as far as the integrator has moments for them. */
static int strikes(const pl_world *world)
{
  const pl_integrator_ops *ops = (const void *)world->set.integrator.member;
  for (size_t i = 0; i < world->couplings.count; i++) {
    if (world->couplings.list[i]->ops->strike) return ops->strikes;
  }
  return 0;
}

static pl_status make_integrator(pl_world *world, pl_error *error)
{
  double *memory = world->state.numbers + world->layout.integrator;
  double *vectors = world->vectors.share ? NULL : memory;
  pl_status status =
      pl_integrator_create(&world->allocator, &world->set.integrator, pl_vectors_blocks(world),
                           vectors, &world->integrator, error);
  if (status) return status;
  // numbers of the past lie in the state in any case
  world->integrator->past = (pl_past *)memory;
  world->integrator->estimates = world->set.tolerance > 0;
  return PL_OK;
}

/* Does the integrator solve linear systems only? */
static int is_linear(const pl_world *world)
{
  const pl_member *member = world->set.integrator.member;
  int newton = pl_param_find(member, "newton");
  if (!((const pl_integrator_ops *)member)->is_implicit) return 0;
  return newton < 0 || world->set.integrator.values[pl_param_place(member, newton)] == 1;
}

/* Friction changes in time where obstacles move. */
static int has_moving_obstacles(const pl_world *world)
{
  const pl_contact *contact = pl_world_contact(world);
  for (size_t i = 0; contact && i < contact->count; i++) {
    const pl_obstacle *obstacle = &contact->obstacles[i];
    if (obstacle->motion_count || pl_placement_exists(obstacle->placement)) return 1;
  }
  return 0;
}

static int predicts(const pl_world *world)
{
  int any = 0;
  for (size_t b = 0; b < world->bodies.count; b++) any |= world->bodies.list[b].model->predicts;
  return any;
}

/* The relations of all bodies that have them, in the world's blocks. */
static pl_status make_relations(pl_world *world, pl_error *error)
{
  int total = 0, count;
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_model *model = world->bodies.list[b].model;
    if (!model->ops->relations) continue;
    model->ops->relations(model, &count);
    total += count;
  }
  if (!total) return PL_OK;
  pl_relation *all = pl_alloc(&world->allocator, (size_t)total, sizeof *all);
  if (!all) return pl_fail_memory(error);
  total = 0;
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    if (!body->model->ops->relations) continue;
    const pl_relation *own = body->model->ops->relations(body->model, &count);
    for (int i = 0; i < count; i++) {
      all[total] = own[i];
      for (int k = 0; k < 2; k++) all[total].blocks[k] += body->offset;
      total++;
    }
  }
  pl_status status = pl_relations_create(&world->allocator, world->bodies.blocks, all, total,
                                         &world->system.relations, error);
  pl_free(&world->allocator, all);
  return status;
}

pl_status pl_world_prepare_watched(pl_world *world, pl_error *error)
{
  if (world->ready) return PL_OK;
  pl_world_unprepare(world);
  if (world->bodies.count == 0)
    return pl_fail(error, PL_E_ARGUMENT, "there is nothing to simulate: the world has no body");
  const pl_integrator_ops *ops = (const pl_integrator_ops *)world->set.integrator.member;
  pl_status status = ops->is_static ? check_held(world, error) : PL_OK;
  if (!status) status = pl_world_add_response(world, error);
  if (!status) status = pl_world_resize(world, error);
  if (status) return status;
  world->system = (pl_system){.ops = pl_world_system_ops(world),
                              .blocks = world->bodies.blocks,
                              .pool = world->pool,
                              .watch = &world->watch,
                              .load_scale = 1,
                              .is_static = ops->is_static,
                              .is_linear = is_linear(world),
                              .order = ops->order,
                              .predicts = predicts(world),
                              .remembers = world->layout.count > world->layout.materials ||
                                           has_moving_obstacles(world),
                              .freezes_time = ops->freezes_time,
                              .strikes = strikes(world),
                              .budget = world->set.budget,
                              .never_rejects = pl_world_max_halvings(world) == 0};
  status = make_vectors(world, error);
  if (!status) status = make_safe(world, error);
  if (!status) status = make_drag(world, error);
  if (!status) status = prepare_couplings(world, error);
  if (!status) status = pl_world_constrain(world, error);
  if (!status && ops->is_implicit) status = pl_world_make_matrix(world, error);
  if (!status && ops->relaxes) status = make_relations(world, error);
  if (!status) status = pl_vectors_prepare(world, error);
  if (!status) status = make_integrator(world, error);
  if (!status) status = pl_fallback_prepare(world, error);
  // from here on ranks compute together
  if (world->bodies.ranks) status = world->bodies.ranks->agree(world->bodies.ranks, status, error);
  if (!status) status = pl_vectors_connect(world, error);
  if (!status) status = pl_proportion_prepare(world, error);
  if (!status) pl_world_recall(world);
  if (status)
    pl_world_unprepare(world);
  else
    world->ready = 1;
  return status;
}

pl_status pl_world_prepare(pl_world *world, pl_error *error)
{
  pl_watcher by = world->watch.by;
  world->watch.by = (pl_watcher){0};
  pl_status status = pl_world_prepare_watched(world, error);
  world->watch.by = by;
  return status;
}
