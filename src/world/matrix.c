/* The matrix of a world: which solver it can have, its pattern, what is known of its rows. */
#include "core/error.h"
#include "core/memory.h"
#include "mesh/grid.h"
#include "model/divided.h"
#include "sparse/partition.h"
#include "world/prepare.h"

#include <math.h>
#include <string.h>

/* Another solver with the tolerance and the iterations that were set for the present one. */
static pl_status take_solver(pl_world *world, const char *name, pl_error *error)
{
  const double *values = world->set.solver.values;
  int at = pl_param_find(world->set.solver.member, "iterations");
  pl_setting settings[] = {{.name = "tolerance", .value = {values[0]}},
                           {.name = "iterations", .value = {at >= 0 ? values[at] : 0}}};
  pl_choice choice = {name, settings, at >= 0 ? 2 : 1};
  return pl_choice_resolve(&pl_solver_family, &choice, &world->set.solver.member,
                           world->set.solver.values, error);
}

pl_status pl_world_fit_solver(pl_world *world, const pl_body *body, pl_error *error)
{
  const pl_integrator_ops *integrator = (const pl_integrator_ops *)world->set.integrator.member;
  const pl_solver_ops *solver = (const pl_solver_ops *)world->set.solver.member;
  if (!integrator->is_implicit || !body->model->unsymmetric || solver->unsymmetric) return PL_OK;
  if (!world->set.solver_given || solver == &pl_solver_auto)
    return take_solver(world, "nearly-symmetric", error);
  return pl_fail(error, PL_E_ARGUMENT,
                 "body \"%.80s\" has a matrix that is not symmetric, on which solver \"%s\" "
                 "may diverge; use \"nearly-symmetric\" or \"bicgstab\"",
                 body->name, solver->info.name);
}

pl_status pl_world_fit_ranks(pl_world *world, pl_error *error)
{
  const pl_solver_ops *solver = (const pl_solver_ops *)world->set.solver.member;
  const pl_integrator_ops *integrator = (const pl_integrator_ops *)world->set.integrator.member;
  if (!world->bodies.ranks) return PL_OK;
  if (world->set.time_budget > 0)
    return pl_fail(error, PL_E_UNSUPPORTED,
                   "a time budget is kept by one process only; run without mpirun, or without the "
                   "budget");
  if (integrator->over_ranks)
    return pl_fail(error, PL_E_UNSUPPORTED,
                   "integrator \"%s\" works within one process; over several take \"%s\"",
                   integrator->info.name, integrator->over_ranks);
  if (solver == &pl_solver_petsc) return PL_OK;
  if (!world->set.solver_given || solver == &pl_solver_auto)
    return take_solver(world, "petsc", error);
  return pl_fail(error, PL_E_UNSUPPORTED,
                 "solver \"%s\" works within one process; over several take \"petsc\", or name "
                 "none",
                 solver->info.name);
}

/* The solver, which is to know that no solve has more iterations than the step. */
static pl_selection budgeted_solver(const pl_world *world)
{
  pl_selection solver = world->set.solver;
  int at = pl_param_find(solver.member, "iterations");
  if (!world->set.budget || at < 0) return solver;
  double *max = &solver.values[pl_param_place(solver.member, at)];
  *max = fmin(*max, world->set.budget);
  return solver;
}

/* The groups of blocks that bodies and couplings couple, as far as they were asked. */
typedef struct pattern {
  pl_cliques *sets, **memory; /* memory: what couplings gave */
  size_t count, room, memory_count;
  unsigned char *elsewhere; /* rows that other ranks complete; NULL: none */
} pattern;

static pl_status add_sets(pl_world *world, pattern *to, const pl_cliques *sets, size_t count,
                          pl_error *error)
{
  void *memory = to->sets;
  if (pl_reserve(&world->allocator, &memory, &to->room, to->count + count, sizeof *sets))
    return pl_fail_memory(error);
  to->sets = memory;
  if (count) memcpy(to->sets + to->count, sets, count * sizeof *sets);
  to->count += count;
  return PL_OK;
}

static pl_status gather(pl_world *world, pattern *to, pl_error *error)
{
  pl_status status = PL_OK;
  for (size_t b = 0; b < world->bodies.count && !status; b++) {
    const pl_body *body = &world->bodies.list[b];
    pl_cliques own = body->model->ops->cliques(body->model);
    own.offset = body->offset;
    status = add_sets(world, to, &own, 1, error);
  }
  for (size_t i = 0; i < world->couplings.count && !status; i++) {
    pl_coupling *coupling = world->couplings.list[i];
    pl_cliques *sets = NULL;
    int count = 0;
    if (!coupling->ops->cliques) continue;
    status = coupling->ops->cliques(coupling, world->state.q, &sets, &count, error);
    to->memory[to->memory_count++] = sets;
    if (!status) status = add_sets(world, to, sets, (size_t)count, error);
  }
  return status;
}

/* What links lack in the pattern, which was made with this status; *is_more: on any rank. */
static pl_status find_missing(pl_world *world, pl_status status, int *is_more, pl_error *error)
{
  const pl_links *links = world->system.filter.links;
  pl_ranks *ranks = world->partition && world->partition->is_divided ? world->bodies.ranks : NULL;
  pl_block_pairs *to = &world->widened;
  size_t known = to->count;
  *is_more = 0;
  if (!status) status = pl_links_missing(links, world->system.A, to, error);
  if (ranks && links) status = ranks->agree(ranks, status, error);
  if (!status && ranks) status = pl_links_share(links, world->system.A, ranks, to, error);
  if (!status) *is_more = pl_links_most(links, world->system.A, to->count > known);
  return status;
}

/* The pattern, with what was found missing for links; again until nothing is. */
static pl_status close_pattern(pl_world *world, pattern *all, pl_error *error)
{
  pl_block_pairs *widened = &world->widened;
  pl_bsr **A = &world->system.A;
  widened->allocator = world->allocator;
  for (int is_more = 1;;) {
    size_t known = widened->count;
    const pl_cliques pairs = {.count = (int)known, .size = 2, .nodes = widened->list};
    pl_status status = known ? add_sets(world, all, &pairs, 1, error) : PL_OK;
    if (!status)
      status = pl_bsr_create_divided(&world->allocator, world->bodies.blocks, all->sets,
                                     (int)all->count, all->elsewhere, A, error);
    if (!status) (*A)->partition = world->partition;
    status = find_missing(world, status, &is_more, error);
    if (status || !is_more) return status;
    pl_bsr_destroy(*A);
    *A = NULL;
    all->count -= known > 0;
  }
}

/* Marks the rows of divided bodies that other ranks have. */
static pl_status mark_elsewhere(const pl_world *world, pattern *to, pl_error *error)
{
  if (!world->partition || !world->partition->is_divided) return PL_OK;
  to->elsewhere = pl_alloc(&world->allocator, (size_t)world->bodies.blocks, 1);
  if (!to->elsewhere) return pl_fail_memory(error);
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    const int *owner = pl_model_owners(body->model);
    for (int i = 0; owner && i < body->blocks; i++)
      to->elsewhere[body->offset + i] = owner[i] != world->bodies.ranks->rank;
  }
  return PL_OK;
}

static pl_status make_pattern(pl_world *world, pl_error *error)
{
  const pl_allocator *allocator = &world->allocator;
  pattern all = {.memory = pl_alloc(allocator, world->couplings.count, sizeof *all.memory)};
  pl_status status = all.memory ? gather(world, &all, error) : pl_fail_memory(error);
  if (!status) status = mark_elsewhere(world, &all, error);
  if (!status) status = close_pattern(world, &all, error);
  for (size_t i = 0; i < all.memory_count; i++) pl_free(allocator, all.memory[i]);
  pl_free(allocator, all.memory);
  pl_free(allocator, all.elsewhere);
  pl_free(allocator, all.sets);
  return status;
}

/* Rows of nodes that came when a mesh was refined, parents first. */
static int list_children(const pl_body *body, int *list)
{
  const pl_refinement *it = body->refinement;
  int count = 0;
  for (size_t i = 0; it && i < it->forest->node_count; i++) {
    const int *parents = it->forest->nodes[i].parents;
    int family[3] = {(int)i, parents[0], parents[1]}, known = parents[0] >= 0;
    for (int k = 0; k < 3 && known; k++) {
      family[k] = pl_model_node_block(body->model, it->node[family[k]]);
      known = family[k] >= 0;
      family[k] += body->offset;
    }
    if (!known) continue;
    if (list) memcpy(list + 3 * (size_t)count, family, sizeof family);
    count++;
  }
  return count;
}

static pl_status find_children(const pl_world *world, pl_bsr *A, pl_error *error)
{
  int count = 0;
  for (size_t b = 0; b < world->bodies.count; b++)
    count += list_children(&world->bodies.list[b], NULL);
  if (!count) return PL_OK;
  A->children = pl_alloc(&A->allocator, 3 * (size_t)count, sizeof(int));
  if (!A->children) return pl_fail_memory(error);
  for (size_t b = 0; b < world->bodies.count; b++)
    A->child_count +=
        list_children(&world->bodies.list[b], A->children + 3 * (size_t)A->child_count);
  return PL_OK;
}

/* The array that a body's blocks are; NULL: they are none. */
static const pl_grid *grid_of(const pl_body *body)
{
  const pl_grid *grid = body->inside->grid;
  int are_nodes = !body->model->ops->nodes && body->blocks == body->inside->node_count;
  return grid && are_nodes ? grid : NULL;
}

/* Where all bodies are grids their rows follow each other along the lines. */
static pl_status find_lines(const pl_world *world, pl_bsr *A, pl_error *error)
{
  for (size_t b = 0; b < world->bodies.count; b++) {
    if (!grid_of(&world->bodies.list[b])) return PL_OK;
  }
  A->lines = pl_alloc(&A->allocator, (size_t)A->rows, sizeof *A->lines);
  if (!A->lines) return pl_fail_memory(error);
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    for (int i = 0; i < body->blocks; i++)
      A->lines[body->offset + i] = body->offset + grid_of(body)->nodes[i];
  }
  return PL_OK;
}

/* Are all blocks nodes of sheets? */
static int has_only_sheets(const pl_world *world)
{
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_model *model = world->bodies.list[b].model;
    if (!(model->thickness > 0) || model->kinds) return 0;
  }
  return 1;
}

/* Who has which rows: each body is cut as its model is, or into equal spans. */
static pl_status make_partition(pl_world *world, pl_error *error)
{
  const pl_ranks *ranks = world->bodies.ranks;
  if (!ranks) return PL_OK;
  pl_partition_destroy(&world->allocator, world->partition);
  pl_status status =
      pl_partition_create(&world->allocator, ranks, world->bodies.blocks, &world->partition, error);
  if (status) return status;
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    const int *owner = pl_model_owners(body->model);
    pl_partition_deal(world->partition, body->offset, body->blocks, owner);
    world->partition->is_divided |= owner != NULL;
  }
  return pl_partition_close(world->partition, &world->allocator, error);
}

static int has_unsymmetric(const pl_world *world)
{
  for (size_t b = 0; b < world->bodies.count; b++) {
    if (world->bodies.list[b].model->unsymmetric) return 1;
  }
  return 0;
}

pl_status pl_world_make_matrix(pl_world *world, pl_error *error)
{
  for (size_t b = 0; b < world->bodies.count; b++) {
    pl_status fits = pl_world_fit_solver(world, &world->bodies.list[b], error);
    if (fits) return fits;
  }
  pl_status status = make_partition(world, error);
  if (!status) status = make_pattern(world, error);
  if (!status) status = find_children(world, world->system.A, error);
  if (!status) status = find_lines(world, world->system.A, error);
  if (!status)
    status = pl_pairs_create(&world->allocator, world->bodies.blocks, &world->system.pairs, error);
  if (!status) world->system.pairs->links = world->system.filter.links;
  if (!status) world->system.A->watch = &world->watch;
  // rotations are no places
  if (!status && !world->system.ops->chart) world->system.A->points = world->state.q;
  if (!status) world->system.A->is_sheet = has_only_sheets(world);
  if (!status) world->system.A->is_unsymmetric = has_unsymmetric(world);
  for (size_t b = 0; !status && b < world->bodies.count; b++) {
    pl_body *body = &world->bodies.list[b];
    status = pl_model_bind(body->model, world->system.A, body->offset, error);
  }
  pl_selection solver = budgeted_solver(world);
  if (!status)
    status = pl_solver_create(&world->allocator, &solver, &world->set.preconditioner,
                              world->system.A, &world->system.solver, error);
  return status;
}

pl_status pl_world_widen(pl_world *world, pl_error *error)
{
  pl_solver_destroy(world->system.solver);
  pl_bsr_destroy(world->system.A);
  pl_pairs_destroy(world->system.pairs);
  world->system.solver = NULL;
  world->system.A = NULL;
  world->system.pairs = NULL;
  world->system.missing = 0;
  pl_integrator_begin(world->integrator);
  pl_ranks *ranks = world->bodies.ranks;
  pl_status status = pl_world_make_matrix(world, error);
  // a rank that failed before others asked for its rows says so now
  if (ranks) status = ranks->agree(ranks, status, error);
  if (status) world->ready = 0; // the next step prepares from the beginning
  return status;
}
