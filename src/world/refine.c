/* Meshes refined and coarsened while bodies move.
 *
 * Every few steps each leaf is measured (world/indicator.h); those above the upper threshold are
 * cut into eight, with their coarser neighbours before them, and eight below the lower one are
 * taken back to one where nothing depends on their nodes (mesh/refine.h). Each kind of change is
 * another model in the place of the old one (world/replace.h).
 *
 * New nodes start half-way between their parents, in position and velocity: so shape, velocity and
 * linear momentum do not change, nor with the consistent mass angular momentum and kinetic energy;
 * lumped masses of smaller elements lie nearer to their middles, so these two fall a little. Where
 * nodes go, positions of the others stay, and velocities are those nearest to the old ones by mass:
 * M v = T^T (M v)_before, in which T takes the remaining nodes to the old ones. That keeps the
 * linear momentum, and the angular one but for how far nodes that go move onto the straight line.
 * The kinetic energy that is lost with what the coarser mesh cannot show is counted. */
#include "core/error.h"
#include "core/memory.h"
#include "couple/contact.h"
#include "math/vec3.h"
#include "mesh/select.h"
#include "world/indicator.h"
#include "world/replace.h"

#include <math.h>
#include <string.h>

/* ---- velocities where nodes go ---- */

static double dot(const double *a, const double *b, size_t count)
{
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
  return sum;
}

/* Solves M v = b, from the v that is there, by conjugate gradients with the lumped mass: one step
 * where M is lumped, and not many elsewhere (Wathen 1987). room: four vectors. */
static void solve_mass(pl_model *model, const double *b, double *v, double *room, pl_pool *pool)
{
  size_t count = 3 * (size_t)model->blocks;
  double *r = room, *z = r + count, *p = z + count, *Mp = p + count;
  memcpy(r, b, count * sizeof *r);
  model->ops->mass_add(model, -1, v, r, pool);
  double goal = 1e-30 * dot(b, b, count), rho = 0;
  for (int i = 0; i < 200 && dot(r, r, count) > goal; i++) {
    double before = rho;
    for (size_t k = 0; k < count; k++) z[k] = r[k] / model->lumped_mass[k / 3];
    rho = dot(r, z, count);
    for (size_t k = 0; k < count; k++) p[k] = z[k] + (i ? rho / before * p[k] : 0);
    memset(Mp, 0, count * sizeof *Mp);
    model->ops->mass_add(model, 1, p, Mp, pool);
    double step = rho / dot(p, Mp, count);
    for (size_t k = 0; k < count; k++) v[k] += step * p[k], r[k] -= step * Mp[k];
  }
}

/* The momenta of the old blocks as forces on nodes, gathered by the new ones. */
static pl_status project(pl_world *world, const pl_replacement *what, pl_error *error)
{
  const pl_body *body = &world->bodies.list[what->body];
  pl_model *before = body->model, *after = what->after.model;
  size_t old = 3 * (size_t)before->blocks, new = 3 * (size_t)after->blocks;
  size_t nodes = 3 * (size_t)body->mesh->node_count;
  double *room = pl_alloc(&world->allocator, old + nodes + 5 * new, sizeof *room);
  if (!room) return pl_fail_memory(error);
  double *momentum = room, *nodal = momentum + old, *rhs = nodal + nodes;
  before->ops->mass_add(before, 1, world->state.v + 3 * (size_t)body->offset, momentum,
                        world->pool);
  for (int n = 0; n < body->mesh->node_count; n++) {
    int block = pl_model_node_block(before, n);
    if (block >= 0) pl_vec3_copy(momentum + 3 * (size_t)block, nodal + 3 * (size_t)n);
  }
  const double *q = what->q + 3 * (size_t)body->offset;
  double *v = what->v + 3 * (size_t)body->offset;
  after->ops->spread(after, q, nodal, rhs);
  solve_mass(after, rhs, v, rhs + new, world->pool);
  pl_free(&world->allocator, room);
  return PL_OK;
}

/* ---- one change ---- */

static double kinetic(pl_world *world, pl_model *model, const double *v, double *room)
{
  size_t count = 3 * (size_t)model->blocks;
  memset(room, 0, count * sizeof *room);
  model->ops->mass_add(model, 1, v, room, world->pool);
  return 0.5 * dot(v, room, count);
}

pl_status pl_world_remesh(pl_world *world, int index, int coarser, pl_error *error)
{
  pl_body *body = &world->bodies.list[index];
  pl_replacement what;
  pl_replace_begin(world, index, &what);
  // which nodes touch by a layer is determined again
  what.after.penalty = NULL;
  pl_status status = pl_replace_build(world, &what, error);
  double loss = 0;
  if (!status) {
    pl_model *after = what.after.model;
    size_t at = 3 * (size_t)body->offset;
    after->ops->fit(after, what.x, what.speed, what.q + at, what.v + at);
    if (coarser) status = project(world, &what, error);
    // positions and speeds of nodes are no longer needed
    if (!status)
      loss = kinetic(world, body->model, world->state.v + at, what.x) -
             kinetic(world, after, what.v + at, what.x);
  }
  if (!status) status = pl_replace_commit(world, &what, error);
  pl_replace_drop(world, &what);
  if (!status) body->refinement->kinetic_loss += loss;
  return status;
}

/* The forest's flags before a change, and after one that failed. */
static unsigned char *flags_of(const pl_world *world, const pl_refinement *it)
{
  unsigned char *flags = pl_alloc(&world->allocator, it->forest->tet_count, 1);
  if (flags) pl_forest_get(it->forest, flags);
  return flags;
}

/* Refines or coarsens the tetrahedra of a list; *changed: so many. */
static pl_status change(pl_world *world, int index, const int *tets, int count, int coarser,
                        int *changed, pl_error *error)
{
  pl_refinement *it = world->bodies.list[index].refinement;
  pl_status status = PL_OK;
  *changed = 0;
  unsigned char *flags = count ? flags_of(world, it) : NULL;
  if (count && !flags) return pl_fail_memory(error);
  for (int i = 0; i < count && !status; i++) {
    if (coarser)
      *changed += pl_forest_coarsen(it->forest, tets[i]);
    else if (pl_forest_is_leaf(it->forest, tets[i])) {
      status = pl_forest_refine(it->forest, tets[i], error);
      ++*changed;
    }
  }
  if (!status && *changed) status = pl_world_remesh(world, index, coarser, error);
  if (status && flags) {
    (void)pl_forest_set(it->forest, flags, NULL);
    *changed = 0;
  }
  pl_free(&world->allocator, flags);
  if (*changed) it->changed_at = world->state.steps;
  *(coarser ? &it->coarsened : &it->refined) += *changed;
  return status;
}

/* ---- by itself ---- */

/* The leaves and what is measured of them; NULL for want of memory. */
static double *measure(pl_world *world, const pl_body *body, const pl_leaf_map *map)
{
  size_t leaves = (size_t)map->mesh->element_count, nodes = (size_t)body->mesh->node_count;
  const pl_indicator_ops *ops =
      (const pl_indicator_ops *)(const void *)body->refinement->indicator.member;
  double *room = pl_alloc(&world->allocator, 19 * leaves + 10 * nodes, sizeof *room);
  if (!room) return NULL;
  const double *q = world->state.q + 3 * (size_t)body->offset;
  double *F = room + leaves, *stress = F + 9 * leaves;
  pl_dependent_leaf_tensors(body->model, q, F, stress, world->pool);
  const pl_leaf_view view = {.world = world,
                             .body = body,
                             .mesh = map->mesh,
                             .leaf_of = map->element_of,
                             .x = pl_body_nodes(body, q, NULL),
                             .F = F,
                             .stress = stress,
                             .room = stress + 9 * leaves};
  ops->measure(&view, room);
  // where time is short they count less: fewer are refined, more are taken back
  if (world->tally.effort.level >= PL_EFFORT_COARSE)
    for (size_t i = 0; i < leaves; i++) room[i] *= 0.5;
  return room;
}

/* Lists leaves above the upper threshold, and behind them tetrahedra whose eight parts are all
 * leaves below the lower one. low: room for a number per tetrahedron. */
static void list_marks(const pl_body *body, const pl_leaf_map *map, const double *value, int *list,
                       int *low, int counts[2])
{
  const pl_refinement *it = body->refinement;
  const pl_forest *forest = it->forest;
  counts[0] = counts[1] = 0;
  for (size_t t = 0; t < forest->tet_count; t++) {
    int tet = (int)t;
    if (!pl_forest_is_leaf(forest, tet)) continue;
    double v = value[map->element_of[it->finest[t]]];
    if (v > it->above && forest->tets[t].level < it->levels) list[counts[0]++] = tet;
    if (v < it->below && forest->tets[t].parent >= 0) low[forest->tets[t].parent]++;
  }
  for (size_t t = 0; t < forest->tet_count; t++) {
    if (low[t] == 8) list[counts[0] + counts[1]++] = (int)t;
  }
}

/* Something that acts on the body cannot follow: it stays as it is. */
static pl_status refuse(pl_world *world, const pl_body *body, pl_status status,
                        const pl_error *reason, pl_error *error)
{
  if (status != PL_E_ARGUMENT) {
    if (error) *error = *reason;
    return status;
  }
  if (!body->refinement->refused)
    pl_log_write(&world->log, PL_WARNING, "the mesh of body \"%.80s\" stays as it is (%.300s)",
                 body->name, reason->message);
  body->refinement->refused = 1;
  return PL_OK;
}

static pl_status refine_where_asked(pl_world *world, int index, const double *value,
                                    pl_error *error)
{
  const pl_body *body = &world->bodies.list[index];
  size_t tets = body->refinement->forest->tet_count;
  int *list = pl_alloc(&world->allocator, 3 * tets, sizeof *list), counts[2], changed;
  if (!list) return pl_fail_memory(error);
  const pl_leaf_map *map = &((const pl_dependent *)body->model->state)->leaves;
  list_marks(body, map, value, list, list + 2 * tets, counts);
  pl_error reason = {0};
  pl_status status = change(world, index, list, counts[0], 0, &changed, &reason);
  if (!status) status = change(world, index, list + counts[0], counts[1], 1, &changed, &reason);
  if (status) status = refuse(world, body, status, &reason, error);
  pl_free(&world->allocator, list);
  return status;
}

pl_status pl_world_refine_by_indicator(pl_world *world, int index, pl_error *error)
{
  const pl_body *body = &world->bodies.list[index];
  pl_refinement *it = body->refinement;
  const pl_indicator_ops *ops = (const pl_indicator_ops *)(const void *)it->indicator.member;
  int64_t since = world->state.steps - it->changed_at;
  if (!ops->measure || (since >= 0 && since < it->wait && it->changed_at >= 0)) return PL_OK;
  double *value = measure(world, body, &((const pl_dependent *)body->model->state)->leaves);
  if (!value) return pl_fail_memory(error);
  // whatever comes of it, the next look is so many steps later
  it->changed_at = world->state.steps;
  pl_status status = refine_where_asked(world, index, value, error);
  pl_free(&world->allocator, value);
  return status;
}

pl_status pl_world_take_indicator(const pl_refine_def *def, pl_body *body, pl_error *error)
{
  pl_refinement *it = body->refinement;
  pl_status status = pl_choice_resolve(&pl_indicator_family, &def->indicator, &it->indicator.member,
                                       it->indicator.values, error);
  if (status) return status;
  it->above = it->indicator.values[PL_ABOVE];
  it->below = it->indicator.values[PL_BELOW];
  it->changed_at = -1;
  if (it->below <= 0.5 * it->above) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT,
                 "elements are refined above %g and taken back below %g: with less than half of "
                 "the first in between they would come and go in turn; give below = %g",
                 it->above, it->below, 0.25 * it->above);
}

/* ---- by hand ---- */

static pl_status find_refined(const pl_world *world, pl_body_id id, const pl_body **body,
                              pl_error *error)
{
  pl_status status = pl_world_find_body(world, id, body, error);
  if (!status && !(*body)->refinement)
    status = pl_fail(error, PL_E_ARGUMENT,
                     "body \"%.80s\" was not made to be refined; give it levels", (*body)->name);
  return status;
}

/* The leaves that have a chosen element, or the tetrahedra all whose parts are leaves with chosen
 * elements only; chosen is in the mesh's order. */
static int list_chosen(const pl_body *body, const unsigned char *chosen, int coarser, int *list,
                       int *hits)
{
  const pl_refinement *it = body->refinement;
  int count = 0, part = 1;
  for (int e = 0; e < body->inside->element_count; e++)
    hits[pl_refinement_leaf(it, e)] += chosen[body->element_order[e]] != 0;
  for (int t = 0; t < (int)it->forest->tet_count; t++) {
    const pl_forest_tet *tet = &it->forest->tets[t];
    if (!coarser && hits[t] && tet->level < it->levels) list[count++] = t;
    if (!coarser || !tet->refined) continue;
    int whole = 1;
    part = 1;
    for (int l = tet->level + 1; l < it->levels; l++) part *= 8;
    for (int c = 0; c < 8; c++) whole &= hits[tet->child + c] == part;
    if (whole) list[count++] = t;
  }
  return count;
}

static pl_status by_hand(pl_world *world, pl_body_id id, const pl_selector *where, int where_count,
                         int coarser, pl_error *error)
{
  const pl_body *body;
  pl_status status = find_refined(world, id, &body, error);
  if (status) return status;
  size_t elements = (size_t)body->mesh->element_count, tets = body->refinement->forest->tet_count;
  int index = (int)(body - world->bodies.list), any = 0, changed;
  unsigned char *chosen = pl_alloc(&world->allocator, elements, 1);
  int *list = pl_alloc(&world->allocator, 2 * tets, sizeof *list);
  status = chosen && list ? PL_OK : pl_fail_memory(error);
  if (!status && where_count)
    status = pl_mesh_select_elements(body->mesh, where, where_count, chosen, &any, error);
  else if (!status)
    memset(chosen, 1, elements);
  if (!status) {
    int count = list_chosen(body, chosen, coarser, list, list + tets);
    status = change(world, index, list, count, coarser, &changed, error);
  }
  pl_free(&world->allocator, chosen);
  pl_free(&world->allocator, list);
  return status;
}

pl_status pl_world_refine(pl_world *world, pl_body_id body, const pl_selector *where, int count,
                          pl_error *error)
{
  return by_hand(world, body, where, count, 0, error);
}

pl_status pl_world_coarsen(pl_world *world, pl_body_id body, const pl_selector *where, int count,
                           pl_error *error)
{
  return by_hand(world, body, where, count, 1, error);
}

pl_status pl_world_get_levels(const pl_world *world, pl_body_id id, double *levels, pl_error *error)
{
  const pl_body *body;
  pl_status status = pl_world_find_body(world, id, &body, error);
  if (!status && !levels)
    status = pl_fail(error, PL_E_ARGUMENT, "pl_world_get_levels needs a place for the levels");
  if (status) return status;
  const pl_refinement *it = body->refinement;
  for (int e = 0; e < body->inside->element_count; e++)
    levels[body->element_order[e]] = it ? it->forest->tets[pl_refinement_leaf(it, e)].level : 0;
  return PL_OK;
}

pl_status pl_world_read_refinement(const pl_world *world, pl_body_id id, pl_refinement_facts *facts,
                                   pl_error *error)
{
  const pl_body *body;
  pl_status status = find_refined(world, id, &body, error);
  if (!status && !facts)
    status = pl_fail(error, PL_E_ARGUMENT, "pl_world_read_refinement needs a place for the facts");
  if (status) return status;
  const pl_refinement *it = body->refinement;
  *facts = (pl_refinement_facts){.free_nodes = body->blocks,
                                 .refined = it->refined,
                                 .coarsened = it->coarsened,
                                 .kinetic_loss = it->kinetic_loss};
  for (int t = 0; t < (int)it->forest->tet_count; t++) {
    if (!pl_forest_is_leaf(it->forest, t)) continue;
    facts->elements++;
    if (it->forest->tets[t].level > facts->finest) facts->finest = it->forest->tets[t].level;
  }
  for (int n = 0; n < (int)it->forest->node_count; n++)
    facts->hanging_nodes += pl_forest_is_hanging(it->forest, n);
  return PL_OK;
}
