/* Vectors by a layout: what integrators ask of a system is asked of the system of all blocks. */
#include "ode/share.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "sparse/passes.h"

#include <math.h>
#include <string.h>

enum { Q, V, REACTION, UNFILTERED, EXPECTED, OWN_VECTORS };

int pl_share_blocks(const pl_share *self) { return self->layout->own + self->layout->copies; }

/* ---- from here to all blocks, and back ---- */

static pl_share *share_of(const pl_system *system) { return system->share; }

static const pl_partition *partition_of(const pl_share *self) { return self->layout->partition; }

/* A primal vector in room for all blocks: right at those that are here, or everywhere. */
static const double *spread(const pl_share *self, const double *x, int to_all, double *room)
{
  pl_settle(self->system.pool);
  pl_layout_put(self->layout, x, room);
  if (to_all) pl_partition_complete(partition_of(self), room);
  return room;
}

/* The system of all blocks, as the integrator wants it to be now. */
static pl_system *whole_of(const pl_share *self)
{
  pl_system *whole = self->whole;
  const double *expected = whole->pass.expected;
  whole->pass = self->system.pass;
  whole->pass.expected = expected;
  whole->load_scale = self->system.load_scale;
  return whole;
}

static void evaluate(pl_system *system, double t, const double *q, const double *v, double *f,
                     const pl_tangent *tangent)
{
  const pl_share *self = share_of(system);
  pl_system *whole = whole_of(self);
  q = spread(self, q, self->needs_all, self->q);
  v = spread(self, v, self->needs_all, self->v);
  whole->ops->evaluate(whole, t, q, v, f ? self->dual : NULL, tangent);
  if (f) pl_layout_take(self->layout, self->dual, f);
}

static void external(pl_system *system, double t, const double *q, const double *v, double *f)
{
  const pl_share *self = share_of(system);
  pl_system *whole = whole_of(self);
  q = spread(self, q, self->needs_all, self->q);
  v = spread(self, v, self->needs_all, self->v);
  whole->ops->external(whole, t, q, v, self->dual);
  pl_layout_take(self->layout, self->dual, f);
}

static void mass_add(pl_system *system, double a, const double *x, double *y)
{
  const pl_share *self = share_of(system);
  pl_system *whole = whole_of(self);
  x = spread(self, x, 0, self->primal);
  pl_pass_clear(self->dual, whole->blocks, whole->pool);
  whole->ops->mass_add(whole, a, x, self->dual);
  pl_settle(whole->pool);
  for (int i = 0; i < system->blocks; i++) {
    const double *from = self->dual + 3 * (size_t)self->layout->row[i];
    for (size_t k = 0; k < 3; k++) y[3 * (size_t)i + k] += from[k];
  }
}

static void mass_inverse(pl_system *system, const double *y, double *x)
{
  const pl_share *self = share_of(system);
  pl_system *whole = whole_of(self);
  y = spread(self, y, 0, self->dual);
  whole->ops->mass_inverse(whole, y, self->primal);
  pl_settle(whole->pool);
  pl_layout_take(self->layout, self->primal, x);
  pl_layout_update(self->layout, x);
}

static void retract(pl_system *system, const double *q, const double *dq, double *out)
{
  pl_pass_move(q, dq, out, system->blocks, system->pool);
}

static void prescribe(pl_system *system, double t, double h, const double *q, double *v)
{
  const pl_share *self = share_of(system);
  pl_system *whole = whole_of(self);
  q = spread(self, q, self->needs_all, self->q);
  (void)spread(self, v, self->needs_all, self->v);
  whole->ops->prescribe(whole, t, h, q, self->v);
  pl_settle(whole->pool);
  pl_layout_take(self->layout, self->v, v);
}

static int folded1(pl_system *system, const double *q)
{
  const pl_share *self = share_of(system);
  pl_system *whole = whole_of(self);
  return whole->ops->folded1(whole, spread(self, q, self->needs_all, self->q));
}

static const pl_system_ops share_ops = {.evaluate = evaluate,
                                        .external = external,
                                        .mass_add = mass_add,
                                        .mass_inverse = mass_inverse,
                                        .retract = retract,
                                        .prescribe = prescribe,
                                        .folded1 = folded1};

/* ---- the matrix ---- */

/* Pairs of blocks couple any of them. */
static int couples_all(const pl_share *self) { return pl_pairs_exist(self->whole->pairs); }

void pl_share_multiply(pl_share *self, const double *x, double *y)
{
  const pl_system *whole = self->whole;
  x = spread(self, x, couples_all(self), self->primal);
  pl_bsr_multiply(whole->A, x, self->dual, whole->pool);
  pl_pairs_multiply(whole->pairs, x, self->dual, whole->pool);
  pl_layout_take(self->layout, self->dual, y);
}

void pl_share_leave(pl_share *self, const double *x)
{
  const pl_system *whole = self->whole;
  const pl_filter *filter = &self->system.filter;
  x = spread(self, x, couples_all(self), self->primal);
  for (int i = 0; i < filter->count; i++) {
    int node = filter->nodes[i], row = self->layout->row[node];
    double product[3], *to = self->own[UNFILTERED] + 3 * (size_t)node;
    if (!pl_layout_is_own(self->layout, node)) continue;
    pl_bsr_multiply_row(whole->A, row, x, product);
    pl_pairs_multiply_row(whole->pairs, row, x, product);
    for (int k = 0; k < 3; k++) to[k] -= product[k];
  }
}

pl_status pl_share_solve(pl_share *self, const double *b, double *x, double target,
                         pl_solve_report *report, pl_error *error)
{
  pl_system *whole = self->whole;
  (void)spread(self, b, 0, self->dual);
  (void)spread(self, x, couples_all(self), self->primal);
  pl_status status = pl_solver_solve(whole->solver, whole->A, &whole->filter, self->dual,
                                     self->primal, target, whole->pool, report, error);
  pl_layout_take(self->layout, self->primal, x);
  return status;
}

/* ---- a step ---- */

/* Room for the filter, for which all ranks ask together. */
static pl_status reserve(pl_share *self, pl_error *error)
{
  size_t count = (size_t)self->whole->filter.count;
  const pl_allocator *memory = &self->allocator;
  if (count <= self->room) return PL_OK;
  pl_free(memory, self->nodes);
  pl_free(memory, self->projections);
  pl_free(memory, self->number);
  self->room = 0;
  self->nodes = pl_alloc(memory, count, sizeof *self->nodes);
  self->projections = pl_alloc(memory, 9 * count, sizeof *self->projections);
  self->number = pl_alloc(memory, 3 * count, sizeof *self->number);
  int is_there = self->nodes && self->projections && self->number;
  if (is_there) self->room = count;
  return self->ranks->agree(self->ranks, is_there ? PL_OK : pl_fail_memory(error), error);
}

/* What of the filter is here, by the numbers of the blocks here. */
static pl_filter filter_here(const pl_share *self)
{
  const pl_filter *all = &self->whole->filter;
  pl_filter here = {
      .nodes = self->nodes, .projections = self->projections, .version = all->version};
  for (int i = 0; i < all->count; i++) {
    int place = self->layout->place[all->nodes[i]];
    if (place < 0) continue;
    self->nodes[here.count] = place;
    memcpy(self->projections + 9 * (size_t)here.count++, all->projections + 9 * (size_t)i,
           9 * sizeof(double));
  }
  return here;
}

static void begin(pl_share *self, pl_integrator *by, const double *history)
{
  const pl_system *whole = self->whole;
  const pl_block_layout *layout = self->layout;
  pl_system *own = &self->system;
  *own = *whole;
  own->ops = &share_ops;
  own->share = self;
  own->blocks = pl_share_blocks(self);
  own->filter = filter_here(self);
  own->reaction = self->own[REACTION];
  own->unfiltered = self->own[UNFILTERED];
  if (own->pass.expected) {
    pl_layout_take(layout, own->pass.expected, self->own[EXPECTED]);
    own->pass.expected = self->own[EXPECTED];
  }
  pl_layout_take(layout, self->q, self->own[Q]);
  pl_layout_take(layout, self->v, self->own[V]);
  for (int k = 0; k < by->history_count; k++)
    pl_layout_take(layout, history + 3 * (size_t)k * (size_t)whole->blocks, by->history[k]);
  pl_system_clear_reaction(own);
  pl_settle(own->pool);
}

/* Reactions are where something is held, which all ranks know. */
static void end_reaction(pl_share *self)
{
  const pl_filter *filter = &self->whole->filter;
  const pl_block_layout *layout = self->layout;
  for (int i = 0; i < filter->count; i++) {
    int place = layout->place[filter->nodes[i]];
    if (place >= 0)
      pl_vec3_copy(self->own[REACTION] + 3 * (size_t)place, self->number + 3 * (size_t)i);
  }
  pl_partition_complete_at(partition_of(self), filter->nodes, filter->count, self->number);
  for (int i = 0; i < filter->count; i++)
    pl_vec3_copy(self->number + 3 * (size_t)i,
                 self->whole->reaction + 3 * (size_t)filter->nodes[i]);
}

static void end_well(pl_share *self, const pl_integrator *by, double *history)
{
  (void)spread(self, self->own[Q], 1, self->q);
  (void)spread(self, self->own[V], 1, self->v);
  for (int k = 0; k < by->history_count; k++)
    (void)spread(self, by->history[k], 1, history + 3 * (size_t)k * (size_t)self->whole->blocks);
  if (self->whole->reaction) end_reaction(self);
}

pl_status pl_share_step(pl_share *self, pl_integrator *by, double t, double h, double *history,
                        pl_step_report *report, pl_error *error)
{
  pl_system *whole = self->whole, *own = &self->system;
  pl_status status = reserve(self, error);
  if (status) return status;
  begin(self, by, history);
  status = by->ops->step(by, own, t, h, self->own[Q], self->own[V], report, error);
  (void)whole_of(self);
  whole->missing = own->missing;
  whole->clock = own->clock;
  if (!status) end_well(self, by, history);
  return status;
}

/* ---- making it ---- */

pl_status pl_share_create(const pl_allocator *allocator, pl_system *whole, pl_ranks *ranks,
                          pl_share **out, pl_error *error)
{
  pl_share *self = *out = pl_alloc(allocator, 1, sizeof *self);
  if (!self) return pl_fail_memory(error);
  self->allocator = *allocator;
  self->whole = whole;
  self->ranks = ranks;
  pl_status status = pl_layout_create(allocator, whole->A, &self->layout, error);
  for (int i = 0; i < OWN_VECTORS && !status; i++) {
    self->own[i] = pl_alloc(allocator, 3 * (size_t)pl_share_blocks(self), sizeof(double));
    if (!self->own[i]) status = pl_fail_memory(error);
  }
  return status;
}

void pl_share_destroy(pl_share *self)
{
  if (!self) return;
  pl_allocator memory = self->allocator;
  pl_layout_destroy(self->layout);
  for (int i = 0; i < OWN_VECTORS; i++) pl_free(&memory, self->own[i]);
  pl_free(&memory, self->nodes);
  pl_free(&memory, self->projections);
  pl_free(&memory, self->number);
  pl_free(&memory, self);
}
