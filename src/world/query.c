/* Looking at a world: positions, stress, energies, the hash of the state. */
#include "core/error.h"
#include "core/hash.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

double pl_world_time(const pl_world *world) { return world->state.time; }
double pl_world_dt(const pl_world *world) { return world->set.dt; }

const char *pl_world_integrator_name(const pl_world *world)
{
  return world->set.integrator.member->name;
}

const char *pl_world_solver_name(const pl_world *world) { return world->set.solver.member->name; }

const char *pl_world_solver_choice(const pl_world *world, const char **reason)
{
  const char *untold;
  if (!reason) reason = &untold;
  *reason = "";
  if (!world->system.solver) return pl_world_solver_name(world);
  return pl_solver_in_use(world->system.solver, reason)->ops->info.name;
}

const char *pl_world_preconditioner_name(const pl_world *world)
{
  return world->set.preconditioner.member->name;
}

const char *pl_world_preconditioner_choice(const pl_world *world, const char **reason)
{
  const char *untold;
  if (!reason) reason = &untold;
  *reason = "";
  if (!world->system.solver) return pl_world_preconditioner_name(world);
  const pl_preconditioner *used = pl_solver_in_use(world->system.solver, reason)->preconditioner;
  *reason = "";
  return used->ops->choice ? used->ops->choice(used, reason) : used->ops->info.name;
}

/* The body, and whether there is an array of its nodes. */
static pl_status find_both(const pl_world *world, pl_body_id id, const double *array,
                           const char *what, const pl_body **body, pl_error *error)
{
  pl_status status = pl_world_find_body(world, id, body, error);
  if (status || array) return status;
  return pl_fail(error, PL_E_ARGUMENT,
                 "the array for each %s of body \"%.80s\" is NULL; it must have %d numbers", what,
                 (*body)->name, 3 * (*body)->mesh->node_count);
}
/* Blocks from nodes: the first vector or the second is that of the nodes, in the mesh's order. */
static pl_status fit_blocks(pl_world *world, const pl_body *body, const double *positions,
                            const double *velocities, pl_error *error)
{
  double *q = world->state.q + 3 * body->offset, *v = world->state.v + 3 * body->offset;
  size_t numbers = 3 * (size_t)body->mesh->node_count;
  double *x = pl_alloc(&world->allocator, 2 * numbers, sizeof(double));
  if (!x) return pl_fail_memory(error);
  double *speed = x + numbers;
  memcpy(x, pl_body_nodes(body, q, NULL), numbers * sizeof *x);
  memcpy(speed, pl_body_nodes(body, q, v), numbers * sizeof *x);
  for (size_t i = 0; i < numbers; i++) {
    size_t from = 3 * (size_t)body->order[i / 3] + i % 3;
    if (positions) x[i] = positions[from];
    if (velocities) speed[i] = velocities[from];
  }
  body->model->ops->fit(body->model, x, speed, q, v);
  pl_free(&world->allocator, x);
  pl_integrator_forget(world->integrator);
  return PL_OK;
}

/* What the integrator remembers does not fit the changed state. */
static pl_status from_mesh(pl_world *world, pl_body_id id, const double *values, int speeds,
                           pl_error *error)
{
  const pl_body *body;
  const char *what = speeds ? "velocity" : "position";
  double *vector = speeds ? world->state.v : world->state.q;
  pl_status status = find_both(world, id, values, what, &body, error);
  if (status) return status;
  if (body->model->frame_count)
    return pl_fail(error, PL_E_ARGUMENT,
                   "the %s of nodes of body \"%.80s\" cannot be set: they follow its frames", what,
                   body->name);
  for (int i = 0; i < 3 * body->mesh->node_count; i++) {
    if (!isfinite(values[i]))
      return pl_fail_entity(error, PL_E_ARGUMENT, i / 3, "the %s of node %d is not finite", what,
                            i / 3);
  }
  world->tally.knows_contacts = 0;
  if (body->model->ops->fit)
    return fit_blocks(world, body, speeds ? NULL : values, speeds ? values : NULL, error);
  for (int i = 0; i < body->mesh->node_count; i++)
    memcpy(vector + 3 * (body->offset + i), values + 3 * body->order[i], 3 * sizeof *vector);
  pl_integrator_forget(world->integrator);
  return PL_OK;
}

pl_status pl_world_get_positions(const pl_world *world, pl_body_id id, double *positions,
                                 pl_error *error)
{
  const pl_body *body;
  pl_status status = find_both(world, id, positions, "position", &body, error);
  if (!status)
    pl_body_to_mesh(body, pl_body_nodes(body, world->state.q + 3 * body->offset, NULL), positions);
  return status;
}

pl_status pl_world_get_velocities(const pl_world *world, pl_body_id id, double *velocities,
                                  pl_error *error)
{
  const pl_body *body;
  pl_status status = find_both(world, id, velocities, "velocity", &body, error);
  if (!status)
    pl_body_to_mesh(
        body,
        pl_body_nodes(body, world->state.q + 3 * body->offset, world->state.v + 3 * body->offset),
        velocities);
  return status;
}

pl_status pl_world_set_positions(pl_world *world, pl_body_id id, const double *positions,
                                 pl_error *error)
{
  return from_mesh(world, id, positions, 0, error);
}

pl_status pl_world_set_velocities(pl_world *world, pl_body_id id, const double *velocities,
                                  pl_error *error)
{
  return from_mesh(world, id, velocities, 1, error);
}

pl_status pl_world_follow(const pl_world *world, pl_body_id id, int numbers, const double *nodal,
                          double *points, pl_error *error)
{
  const pl_body *body;
  pl_status status = pl_world_find_body(world, id, &body, error);
  if (status) return status;
  if (!body->embed)
    return pl_fail(error, PL_E_ARGUMENT, "body \"%.80s\" has no surface of its own", body->name);
  if (numbers < 1 || !nodal || !points)
    return pl_fail(error, PL_E_ARGUMENT,
                   "a surface follows arrays of at least one number per node and per point, not "
                   "%d or NULL",
                   numbers);
  pl_embed_carry(body->embed, numbers, nodal, points);
  if (numbers > 1) return PL_OK;

  // outside of the elements, a line through their values would leave the range that has a meaning
  double low = nodal[0], high = nodal[0];
  for (int i = 1; i < body->mesh->node_count; i++) {
    low = fmin(low, nodal[i]);
    high = fmax(high, nodal[i]);
  }
  for (int i = 0; i < body->surface->node_count; i++) points[i] = fmin(fmax(points[i], low), high);
  return PL_OK;
}

typedef void element_fields(pl_model *model, const double *q, double *first, double *second,
                            pl_pool *pool);

/* Two numbers of every element in the order of the mesh that the user gave; 0 where the model has
 * none, and each may be NULL. */
static pl_status read_fields(pl_world *world, const pl_body *body, element_fields *fields,
                             double *first, double *second, pl_error *error)
{
  size_t count = (size_t)body->mesh->element_count;
  double *inside = pl_alloc(&world->allocator, 2 * count, sizeof(double)); // zeros
  if (!inside) return pl_fail_memory(error);
  if (fields)
    fields(body->model, world->state.q + 3 * body->offset, first ? inside : NULL,
           second ? inside + count : NULL, world->pool);
  for (size_t e = 0; e < count; e++) {
    if (first) first[body->element_order[e]] = inside[e];
    if (second) second[body->element_order[e]] = inside[count + e];
  }
  pl_free(&world->allocator, inside);
  return PL_OK;
}

pl_status pl_world_get_stress(pl_world *world, pl_body_id id, double *von_mises,
                              double *volume_ratio, pl_error *error)
{
  const pl_body *body;
  pl_status status = pl_world_find_body(world, id, &body, error);
  if (status) return status;
  return read_fields(world, body, body->model->ops->fields, von_mises, volume_ratio, error);
}

pl_status pl_world_get_strain(pl_world *world, pl_body_id id, double *strain,
                              double *energy_density, pl_error *error)
{
  const pl_body *body;
  pl_status status = pl_world_find_body(world, id, &body, error);
  if (status) return status;
  return read_fields(world, body, body->model->ops->strains, strain, energy_density, error);
}

pl_status pl_world_get_tensors(pl_world *world, pl_body_id id, double *gradient, double *stress,
                               pl_error *error)
{
  const pl_body *body;
  pl_status status = pl_world_find_body(world, id, &body, error);
  if (status) return status;
  size_t count = (size_t)body->mesh->element_count, each = 9 * sizeof(double);
  double *inside = pl_alloc(&world->allocator, 2 * count, each); // zeros
  if (!inside) return pl_fail_memory(error);
  if (body->model->ops->tensors)
    body->model->ops->tensors(body->model, world->state.q + 3 * body->offset,
                              gradient ? inside : NULL, stress ? inside + 9 * count : NULL,
                              world->pool);
  for (size_t e = 0; e < count; e++) {
    size_t to = 9 * (size_t)body->element_order[e];
    if (gradient) memcpy(gradient + to, inside + 9 * e, each);
    if (stress) memcpy(stress + to, inside + 9 * (count + e), each);
  }
  pl_free(&world->allocator, inside);
  return PL_OK;
}

/* ---- the whole ---- */

/* Least det F over all bodies. */
static pl_status min_ratio(pl_world *world, double *min, pl_error *error)
{
  *min = INFINITY;
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    size_t count = (size_t)body->mesh->element_count;
    double *ratio = pl_alloc(&world->allocator, count, sizeof(double));
    if (!ratio) return pl_fail_memory(error);
    body->model->ops->fields(body->model, world->state.q + 3 * body->offset, NULL, ratio,
                             world->pool);
    for (size_t e = 0; e < count; e++) *min = fmin(*min, ratio[e]);
    pl_free(&world->allocator, ratio);
  }
  return PL_OK;
}

static double quantity(pl_world *world, const char *name)
{
  const pl_probe whole = {.body = -1};
  double value[3];
  const pl_member *member = pl_member_find(&pl_quantity_family, name);
  ((const pl_quantity_ops *)member)->read(world, &whole, value);
  return value[0];
}

pl_status pl_world_measure(pl_world *world, pl_world_facts *facts, pl_error *error)
{
  if (!facts) return pl_fail(error, PL_E_ARGUMENT, "pl_world_measure needs a place for the facts");
  pl_status status = pl_world_prepare(world, error);
  double min;
  if (!status) status = min_ratio(world, &min, error);
  if (status) return status;
  *facts = (pl_world_facts){.steps = world->state.steps,
                            .newton_iterations = world->tally.newton_iterations,
                            .linear_iterations = world->tally.linear_iterations,
                            .halved_steps = world->tally.halved_steps,
                            .unconverged_steps = world->tally.unconverged_steps,
                            .budget = {.late_steps = world->tally.late_steps,
                                       .lagging_steps = world->tally.lagging_steps,
                                       .fallback_substeps = world->substep.fallback.substeps},
                            .contact = {world->tally.passes, world->tally.unresolved},
                            .substeps = world->tally.substeps,
                            .rejected_substeps = world->tally.rejected_substeps,
                            .matrices = world->tally.matrices,
                            .unfinished_solves = world->tally.unfinished_solves,
                            .worst_linear_residual = world->tally.worst_residual,
                            .time = world->state.time,
                            .seconds = world->tally.seconds,
                            .seconds_evaluate = world->tally.seconds_evaluate,
                            .seconds_solve = world->tally.seconds_solve,
                            .kinetic_energy = quantity(world, "kinetic-energy"),
                            .elastic_energy = quantity(world, "elastic-energy"),
                            .gravity_energy = quantity(world, "gravity-energy"),
                            .min_volume_ratio = min,
                            .linear_residual = world->tally.last.linear_residual,
                            .newton_residual = world->tally.last.newton_residual,
                            .held_nodes = world->system.filter.count,
                            .threads = pl_pool_threads(world->pool)};
  facts->critical_dt = isfinite(world->proportion.critical) ? world->proportion.critical : 0;
  for (size_t b = 0; b < world->bodies.count; b++) {
    facts->nodes += world->bodies.list[b].mesh->node_count;
    facts->elements += pl_body_elements(&world->bodies.list[b]);
  }
  if (world->system.solver) {
    const char *reason;
    const pl_preconditioner *preconditioner =
        pl_solver_in_use(world->system.solver, &reason)->preconditioner;
    facts->direct.factorisations = preconditioner->factorisations;
    facts->direct.constraint_solves = preconditioner->constraint_solves;
  }
  if (world->system.A) facts->matrix_blocks = world->system.A->start[world->bodies.blocks];
  return PL_OK;
}

uint64_t pl_world_state_hash(const pl_world *world)
{
  uint64_t hash = pl_hash_words(PL_HASH_START, &world->state.time, 1);
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    for (int i = 0; i < body->blocks; i++) {
      int is_node = !body->model->ops->nodes && i < body->mesh->node_count;
      int place = body->offset + (is_node ? body->place[i] : i);
      hash = pl_hash_words(hash, world->state.q + 3 * place, 3);
      hash = pl_hash_words(hash, world->state.v + 3 * place, 3);
    }
  }
  return hash;
}
