/* Dependent nodes as a model around another one; the formulas stand in dependent.h. */
#include "model/dependent.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/mat3.h"
#include "math/rotation.h"
#include "model/groups.h"
#include "sparse/passes.h"

#include <string.h>

/* ---- what rotations add ---- */

/* out = c: what nodes are accelerated by because their parts turn. */
static void turning_acceleration(const pl_dependent *at, const double *v, double *out)
{
  const pl_carried *by = &at->carried;
  memset(out, 0, 3 * (size_t)at->nodes * sizeof *out);
  for (int i = 0; i < at->others.count; i++) {
    int n = at->others.list[i];
    for (int k = by->start[n]; k < by->start[n + 1]; k++) {
      const double *spin = v + 3 * (size_t)by->blocks[k];
      double speed[3], inward[3];
      if (!pl_dependent_turns(at, k)) continue;
      pl_vec3_cross(spin, at->arms + 3 * (size_t)k, speed);
      pl_vec3_cross(spin, speed, inward);
      pl_vec3_add(out + 3 * (size_t)n, inward, out + 3 * (size_t)n);
    }
  }
}

/* A += k times the second derivative of the nodes, each times its force. */
static void add_curvature(const pl_dependent *at, const double *nodal, const double *arms, double k,
                          pl_bsr *A)
{
  const pl_carried *by = &at->carried;
  for (int i = 0; i < at->others.count; i++) {
    int n = at->others.list[i];
    const double *F = nodal + 3 * (size_t)n;
    for (int entry = by->start[n]; entry < by->start[n + 1]; entry++) {
      if (!pl_dependent_turns(at, entry)) continue;
      const double *r = arms + 3 * (size_t)entry;
      double along = pl_vec3_dot(F, r);
      double *to = A->values + 9 * (size_t)A->diagonal[at->offset + by->blocks[entry]];
      for (int e = 0; e < 9; e++)
        to[e] += k * ((e % 4 == 0 ? along : 0) - 0.5 * (F[e / 3] * r[e % 3] + r[e / 3] * F[e % 3]));
    }
  }
}

/* ---- force, matrix and mass ---- */

static void clear_rows(const pl_model *self, const pl_dependent *at, pl_bsr *A)
{
  int first = A->start[at->offset], last = A->start[at->offset + self->blocks];
  memset(A->values + 9 * (size_t)first, 0, 9 * (size_t)(last - first) * sizeof *A->values);
}

/* Do the forces of the inner model depend on velocities? Where it keeps no groups, they may. */
static int needs_velocity(const pl_dependent *at)
{
  const pl_groups *groups = at->inner->groups;
  for (int g = 0; groups && g < groups->count; g++) {
    if (groups->list[g].viscous) return 1;
  }
  return !groups;
}

/* The same moment for the inner model; moving: with velocities. */
static pl_moment moment_of_nodes(pl_model *self, const pl_moment *moment, int moving, pl_pool *pool)
{
  const pl_dependent *at = self->state;
  pl_moment of_nodes = *moment;
  pl_dependent_update_mass(self, moment->q);
  pl_dependent_place(at, at->felt, moment->q, at->arms, at->room.x, pool);
  if (moving) pl_dependent_move(at, at->felt, moment->v, at->arms, at->room.speed, pool);
  of_nodes.q = at->room.x;
  of_nodes.v = moving ? at->room.speed : NULL;
  return of_nodes;
}

static void evaluate(pl_model *self, const pl_moment *moment, double *f, const pl_tangent *tangent,
                     pl_pool *pool)
{
  pl_dependent *at = self->state;
  const double *v = moment->v;
  pl_bsr *A = tangent ? tangent->A : NULL;
  int curved = A && at->part_count && !tangent->semidefinite;
  int turning = f && v && at->part_count;
  double *force = f || curved ? at->room.force : NULL;
  // with what the pool has gathered before; the nodes that hang settle it
  int gathers = pl_dependent_is_ranges(at) ? pl_pool_gather(pool, 1) : 0;
  if (force) pl_dependent_clear(at, force, pool);
  pl_moment of_nodes = moment_of_nodes(self, moment, v && needs_velocity(at), pool);
  pl_pool_gather(pool, 0);
  pl_tangent inner = tangent ? *tangent : (pl_tangent){0};
  inner.A = at->K;
  at->inner->ops->evaluate(at->inner, &of_nodes, force, A ? &inner : NULL, pool);
  if (A) {
    clear_rows(self, at, A);
    pl_dependent_add_stiffness(at, A, pool);
    if (curved) add_curvature(at, force, at->arms, tangent->kq, A);
  }
  if (turning) {
    turning_acceleration(at, v, at->room.speed);
    at->inner->ops->mass_add(at->inner, -1, at->room.speed, force, pool);
  }
  pl_pool_gather(pool, gathers);
  if (f) pl_dependent_gather(at, force, f, pool);
}

int pl_dependent_defers(const pl_model *model)
{
  return model->ops->evaluate == evaluate && pl_dependent_is_ranges(model->state);
}

static void evaluate_selected(pl_model *self, const pl_moment *moment, double *f, pl_pool *pool)
{
  pl_dependent *at = self->state;
  pl_moment of_nodes = moment_of_nodes(self, moment, moment->v && needs_velocity(at), pool);
  pl_pass_clear(at->room.force, at->nodes, pool);
  at->inner->ops->stability.evaluate_selected(at->inner, &of_nodes, at->room.force, pool);
  pl_dependent_gather(at, at->room.force, f, pool);
}

static void advance(pl_model *self, const pl_moment *moment, double *memory, pl_pool *pool)
{
  pl_dependent *at = self->state;
  pl_moment of_nodes = moment_of_nodes(self, moment, moment->v != NULL, pool);
  at->inner->ops->memory.advance(at->inner, &of_nodes, memory, pool);
}

static void begin(pl_model *self, const double *memory)
{
  pl_dependent *at = self->state;
  at->inner->ops->memory.begin(at->inner, memory);
}

static void mass_add(pl_model *self, double a, const double *x, double *f, pl_pool *pool)
{
  pl_dependent *at = self->state;
  pl_dependent_move(at, at->felt, x, at->arms, at->room.speed, pool);
  pl_pass_clear(at->room.force, at->nodes, pool);
  at->inner->ops->mass_add(at->inner, a, at->room.speed, at->room.force, pool);
  pl_dependent_gather(at, at->room.force, f, pool);
}

static void mass_matrix(pl_model *self, double a, pl_bsr *A, pl_pool *pool)
{
  (void)pool;
  pl_dependent_add_mass(self->state, a, A);
}

static pl_cliques cliques(const pl_model *self)
{
  const pl_dependent *at = self->state;
  return (pl_cliques){.count = at->inner->ops->cliques(at->inner).count,
                      .size = at->cliques.size,
                      .nodes = at->cliques.blocks};
}

/* ---- queries ---- */

const double *pl_dependent_at(const pl_dependent *at, const double *q)
{
  pl_dependent_turn(at, q, at->arms_now);
  pl_dependent_place(at, at->felt, q, at->arms_now, at->room.x, NULL);
  return at->room.x;
}

static double energy(pl_model *self, const double *q, pl_pool *pool)
{
  const pl_dependent *at = self->state;
  return at->inner->ops->energy(at->inner, pl_dependent_at(at, q), pool);
}

static double hourglass(pl_model *self, const double *q, pl_pool *pool)
{
  const pl_dependent *at = self->state;
  return at->inner->ops->hourglass(at->inner, pl_dependent_at(at, q), pool);
}

/* The lumped mass of what hangs goes where its stiffness goes, so the elements' bounds hold. */
static void bounds_of(pl_model *self, const pl_moment *moment, double bounds[2], pl_pool *pool)
{
  pl_dependent *at = self->state;
  pl_moment of_nodes = moment_of_nodes(self, moment, moment->v != NULL, pool);
  at->inner->ops->stability.bounds(at->inner, &of_nodes, bounds, pool);
}

static void nodes(const pl_model *self, const double *q, const double *v, double *out)
{
  const pl_dependent *at = self->state;
  pl_dependent_turn(at, q, at->arms_now);
  if (v)
    pl_dependent_move(at, at->others, v, at->arms_now, out, NULL);
  else
    pl_dependent_place(at, at->others, q, at->arms_now, out, NULL);
}

static void spread(const pl_model *self, const double *q, const double *nodal, double *f)
{
  const pl_dependent *at = self->state;
  pl_dependent_turn(at, q, at->arms_now);
  pl_dependent_spread(at, nodal, at->arms_now, f);
}

static void curvature(const pl_model *self, const double *q, const double *nodal, double k,
                      pl_bsr *A)
{
  const pl_dependent *at = self->state;
  pl_dependent_turn(at, q, at->arms_now);
  add_curvature(at, nodal, at->arms_now, k, A);
}

static int carriers(const pl_model *self, int node, const int **blocks, const double **weights)
{
  const pl_carried *by = &((const pl_dependent *)self->state)->carried;
  *blocks = by->blocks + by->start[node];
  *weights = by->weights + by->start[node];
  return by->start[node + 1] - by->start[node];
}

static void jacobian(const pl_model *self, const double *q, int node, double x[3], double *J)
{
  const pl_dependent *at = self->state;
  const pl_carried *by = &at->carried;
  pl_vec3_set(x, 0, 0, 0);
  for (int k = by->start[node]; k < by->start[node + 1]; k++, J += 9) {
    const double *block = q + 3 * (size_t)by->blocks[k];
    double w = by->weights[k], quat[4], R[9], r[3];
    memset(J, 0, 9 * sizeof *J);
    if (!pl_dependent_turns(at, k)) {
      pl_vec3_add_scaled(w, block, x);
      J[0] = J[4] = J[8] = w;
      continue;
    }
    pl_quat_of_vector(block, quat);
    pl_quat_matrix(quat, R);
    pl_mat3_apply(R, by->arms + 3 * (size_t)k, r);
    pl_vec3_add(x, r, x);
    J[1] = r[2], J[2] = -r[1], J[3] = -r[2], J[5] = r[0], J[6] = r[1], J[7] = -r[0];
  }
}

/* ---- creation ---- */

/* The blocks of the inner cliques' nodes, each once, the last repeated. room: as many as one clique
 * may have; returns how many there are. */
static int clique_of(const pl_dependent *at, const pl_cliques *from, int clique, int *list)
{
  const pl_carried *by = &at->carried;
  int count = 0;
  for (int i = 0; i < from->size; i++) {
    int n = from->nodes[(size_t)clique * (size_t)from->size + (size_t)i];
    for (int k = by->start[n]; k < by->start[n + 1]; k++) {
      int at_place = 0;
      while (at_place < count && list[at_place] != by->blocks[k]) at_place++;
      if (at_place == count) list[count++] = by->blocks[k];
    }
  }
  return count;
}

static pl_status make_cliques(pl_model *self, pl_dependent *at, pl_error *error)
{
  pl_cliques from = at->inner->ops->cliques(at->inner);
  size_t room = (size_t)from.size * PL_MOST_DEPENDENT_CARRIERS;
  int *list = pl_alloc(&self->allocator, room, sizeof(int));
  if (!list) return pl_fail_memory(error);
  at->cliques.size = 1;
  for (int c = 0; c < from.count; c++) {
    int count = clique_of(at, &from, c, list);
    if (count > at->cliques.size) at->cliques.size = count;
  }
  size_t size = (size_t)at->cliques.size;
  at->cliques.blocks = pl_alloc(&self->allocator, (size_t)from.count * size, sizeof(int));
  for (int c = 0; c < from.count && at->cliques.blocks; c++) {
    int count = clique_of(at, &from, c, list), *to = at->cliques.blocks + (size_t)c * size;
    for (int i = 0; i < at->cliques.size; i++) to[i] = list[i < count ? i : count - 1];
  }
  pl_free(&self->allocator, list);
  return at->cliques.blocks ? PL_OK : pl_fail_memory(error);
}

/* The others that inner elements have. */
static pl_status find_felt(pl_model *self, pl_dependent *at, pl_error *error)
{
  pl_cliques from = at->inner->ops->cliques(at->inner);
  size_t nodes = (size_t)at->nodes, entries = (size_t)from.count * (size_t)from.size;
  unsigned char *has = pl_alloc(&self->allocator, nodes, 1);
  at->felt.list = pl_alloc(&self->allocator, (size_t)at->others.count, sizeof(int));
  for (size_t i = 0; i < entries && has; i++) has[from.nodes[i]] = 1;
  for (int i = 0; i < at->others.count && has && at->felt.list; i++) {
    if (has[at->others.list[i]]) at->felt.list[at->felt.count++] = at->others.list[i];
  }
  int ok = has && at->felt.list;
  pl_free(&self->allocator, has);
  return ok ? PL_OK : pl_fail_memory(error);
}

static pl_status allocate(pl_model *self, pl_dependent *at, pl_error *error)
{
  const pl_allocator *allocator = &self->allocator;
  size_t blocks = (size_t)self->blocks, nodal = 3 * (size_t)at->nodes;
  size_t parts = (size_t)at->part_count;
  at->parts = pl_alloc(allocator, parts, sizeof *at->parts);
  at->R = pl_alloc(allocator, 9 * parts, sizeof *at->R);
  at->holds = pl_alloc(allocator, 2 * parts, sizeof *at->holds);
  at->rest = pl_alloc(allocator, 3 * blocks, sizeof *at->rest);
  at->lumped = pl_alloc(allocator, blocks, sizeof *at->lumped);
  at->kinds = pl_alloc(allocator, blocks, sizeof *at->kinds);
  at->anchors = pl_alloc(allocator, blocks, sizeof *at->anchors);
  double **vectors[] = {&at->room.x, &at->room.speed, &at->room.force};
  int ok = at->parts && at->R && at->holds && at->rest && at->lumped && at->kinds && at->anchors;
  for (int i = 0; i < 3; i++) {
    *vectors[i] = pl_alloc(allocator, nodal, sizeof(double));
    ok = ok && *vectors[i];
  }
  return ok ? PL_OK : pl_fail_memory(error);
}

/* What a hinge holds: the point, and for an axis the rotation but for turns about that. */
static void hold_part(pl_model *self, pl_dependent *at, int p)
{
  const pl_part_body *part = &at->parts[p];
  if (part->hinge == PL_PART_AXIS) {
    pl_block_hold *turn = &at->holds[self->hold_count++];
    turn->block = at->free + 2 * p;
    pl_hold_turns(part->axis, turn);
  }
  if (part->hinge != PL_PART_FREE)
    at->holds[self->hold_count++] =
        (pl_block_hold){at->free + 2 * p + 1, 3, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

static void fill_blocks(pl_model *self, pl_dependent *at)
{
  for (int n = 0; n < at->nodes; n++) {
    int block = at->node_block[n];
    if (block < 0) continue;
    at->anchors[block] = n;
    pl_vec3_copy(at->inner->rest + 3 * (size_t)n, at->rest + 3 * (size_t)block);
  }
  for (int p = 0; p < at->part_count; p++) {
    int block = at->free + 2 * p;
    at->kinds[block] = PL_BLOCK_ROTATION;
    at->anchors[block] = at->anchors[block + 1] = at->ties.parts[p].nodes[0];
    pl_vec3_copy(at->parts[p].P, at->rest + 3 * (size_t)(block + 1));
    hold_part(self, at, p);
  }
  self->rest = at->rest;
  self->lumped_mass = at->lumped;
  self->kinds = at->part_count ? at->kinds : NULL;
  self->anchors = at->anchors;
  self->node_block = at->node_block;
  self->node_mass = at->inner->lumped_mass;
  self->holds = at->holds;
  self->inexact = at->inner->inexact || at->ties.averaged;
  self->unsymmetric = at->inner->unsymmetric;
  self->predicts = at->inner->predicts;
  self->locking = at->inner->locking;
  self->unbalanced = at->inner->unbalanced || at->ties.averaged;
}

static void destroy(pl_model *self)
{
  pl_dependent *at = self->state;
  if (!at) return;
  pl_model_destroy(at->inner);
  pl_bsr_destroy(at->K);
  pl_mesh_destroy(at->leaves.mesh);
  pl_ties_release(&self->allocator, &at->ties);
  void *arrays[] = {at->felt.list,
                    at->felt_by.blocks,
                    at->felt_by.start,
                    at->felt_by.nodes,
                    at->felt_by.weights,
                    at->means.places,
                    at->means.blocks,
                    at->means.others,
                    at->means.weights,
                    at->leaves.element_of,
                    at->leaves.room,
                    at->others.list,
                    at->parts,
                    at->R,
                    at->carried.start,
                    at->carried.blocks,
                    at->carried.weights,
                    at->carried.arms,
                    at->arms,
                    at->arms_now,
                    at->rest,
                    at->lumped,
                    at->kinds,
                    at->anchors,
                    at->node_block,
                    at->holds,
                    at->cliques.blocks,
                    at->mass,
                    at->places,
                    at->row_places,
                    at->room.x,
                    at->room.speed,
                    at->room.force,
                    at};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(&self->allocator, arrays[i]);
}

static const pl_model_ops all_ops = {
    .info = {.name = "dependent",
             .summary = "a model some of whose nodes are rigid parts or hang on others",
             .source = "Shabana 2013, 3.4"},
    .destroy = destroy,
    .cliques = cliques,
    .bind = pl_dependent_bind,
    .evaluate = evaluate,
    .memory = {.advance = advance, .begin = begin},
    .mass_add = mass_add,
    .mass_matrix = mass_matrix,
    .update_mass = pl_dependent_update_mass,
    .mass_inverse = pl_dependent_mass_inverse,
    .energy = energy,
    .hourglass = hourglass,
    .fields = pl_dependent_fields,
    .strains = pl_dependent_strains,
    .tensors = pl_dependent_tensors,
    .stability = {bounds_of, pl_dependent_mark_fast, pl_dependent_select, evaluate_selected},
    .nodes = nodes,
    .spread = spread,
    .carriers = carriers,
    .jacobian = jacobian,
    .curvature = curvature,
    .fit = pl_dependent_fit,
};

static pl_status create(pl_model *self, pl_dependent *at, const pl_ties *ties, const int *names,
                        pl_error *error)
{
  pl_status status = pl_ties_copy(&self->allocator, ties, &at->ties, error);
  if (!status) status = pl_dependent_resolve(self, at, names, error);
  if (status) return status;
  at->part_count = ties->part_count;
  self->blocks = at->free + 2 * at->part_count;
  if (self->blocks == 0)
    return pl_fail(error, PL_E_ARGUMENT, "every node hangs on others; leave some free");
  status = allocate(self, at, error);
  if (!status) status = find_felt(self, at, error);
  if (!status) status = pl_dependent_find_carriers(self, at, error);
  if (!status) status = pl_dependent_lump(at, names, error);
  if (!status) status = make_cliques(self, at, error);
  if (status) return status;
  fill_blocks(self, at);
  pl_dependent_update_mass(self, at->rest);
  return PL_OK;
}

pl_status pl_dependent_create(const pl_allocator *allocator, pl_model *inner, int node_count,
                              const pl_ties *ties, const int *names, pl_model **out,
                              pl_error *error)
{
  pl_allocator memory = pl_allocator_or_default(allocator);
  pl_model *self = pl_alloc(&memory, 1, sizeof *self);
  pl_dependent *at = pl_alloc(&memory, 1, sizeof *at);
  *out = NULL;
  if (!self || !at) {
    pl_free(&memory, self);
    pl_free(&memory, at);
    pl_model_destroy(inner);
    return pl_fail_memory(error);
  }
  // it can do what the inner one can
  at->ops = all_ops;
  if (!inner->ops->energy) at->ops.energy = NULL;
  if (!inner->ops->hourglass) at->ops.hourglass = NULL;
  if (!inner->ops->strains) at->ops.strains = NULL;
  if (!inner->ops->tensors) at->ops.tensors = NULL;
  if (!inner->ops->stability.bounds || ties->part_count) at->ops.stability.bounds = NULL;
  // forces that are lost between nodes and blocks leave no element to itself
  if (!inner->ops->stability.mark_fast || ties->part_count || ties->averaged)
    at->ops.stability.mark_fast = NULL;
  // without rotations a node moves with its blocks by their weights
  if (!ties->part_count) at->ops.jacobian = NULL;
  if (!inner->ops->memory.advance) at->ops.memory.advance = NULL;
  if (!inner->ops->memory.begin) at->ops.memory.begin = NULL;
  *self = (pl_model){.ops = &at->ops,
                     .allocator = memory,
                     .memory = inner->memory,
                     .groups = inner->groups,
                     .state = at};
  at->inner = inner;
  at->nodes = node_count;
  pl_status status = create(self, at, ties, names, error);
  if (status)
    pl_model_destroy(self);
  else
    *out = self;
  return status;
}
