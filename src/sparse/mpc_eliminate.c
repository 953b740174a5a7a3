/* Multi-point constraints: the elimination that makes links of them. */
#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "sparse/rows.h"

#include <math.h>
#include <string.h>

static const double min_rest = 1e-7;    /* of a row's coefficients: less says nothing new */
static const double far_larger = 0.1;   /* the first block is solved for unless it has less */
static const double negligible = 1e-15; /* of a pivot */

/* ---- a row in the making ---- */

static double *sum_at(pl_mpcs *self, int block)
{
  if (!self->place[block]) {
    self->touched[self->touched_count++] = block;
    self->place[block] = self->touched_count;
    pl_vec3_set(self->sum + 3 * (size_t)block, 0, 0, 0);
  }
  return self->sum + 3 * (size_t)block;
}

static void forget(pl_mpcs *self)
{
  for (int i = 0; i < self->touched_count; i++) self->place[self->touched[i]] = 0;
  self->touched_count = 0;
}

static void add_entries(pl_mpcs *self, double scale, const pl_mpc_entry *entries, int count)
{
  for (int i = 0; i < count; i++)
    pl_vec3_add_scaled(scale, entries[i].c, sum_at(self, entries[i].block));
}

/* Takes out what other rows fix already; pivots depend on free directions only. */
static void reduce(pl_mpcs *self, const pl_rows *rows)
{
  int count = self->touched_count;
  for (int i = 0; i < count; i++) {
    int block = self->touched[i];
    double *a = self->sum + 3 * (size_t)block;
    pl_span span;
    pl_rows_span(rows, block, &span);
    pl_span_free(&span, a);
    for (int p = self->pivot_of[block]; p >= 0; p = self->pivots[p].next) {
      const pl_pivot *pivot = &self->pivots[p];
      double along = pl_vec3_dot(a, pivot->b);
      pl_vec3_add_scaled(-along, pivot->b, a);
      add_entries(self, along, self->pool + pivot->first, pivot->count);
    }
  }
}

static double size_at(const pl_mpcs *self, int i)
{
  return pl_vec3_norm(self->sum + 3 * (size_t)self->touched[i]);
}

/* The block to be solved for, or -1 if nothing is left of the row. */
static int choose(const pl_mpcs *self, double given)
{
  int best = -1;
  double max = min_rest * given;
  for (int i = 0; i < self->touched_count; i++) {
    double size = size_at(self, i);
    if (size <= max) continue;
    max = size;
    best = i;
  }
  if (best < 0) return -1;
  return self->touched[size_at(self, 0) >= far_larger * max ? 0 : best];
}

/* ---- pivots ---- */

/* Room for all that is touched, at the end of the pool. */
static pl_status reserve(pl_mpcs *self, pl_error *error)
{
  void *memory = self->pool;
  size_t wanted = self->pool_count + (size_t)self->touched_count;
  if (wanted > self->pool_room &&
      pl_reserve(&self->allocator, &memory, &self->pool_room, 2 * wanted, sizeof *self->pool))
    return pl_fail_memory(error);
  self->pool = memory;
  return PL_OK;
}

/* The row in the making as entries of a pivot, scaled; without one block (-1: with all). */
static void store(pl_mpcs *self, pl_pivot *pivot, double scale, int without)
{
  pivot->first = self->pool_count;
  pivot->count = 0;
  for (int i = 0; i < self->touched_count; i++) {
    int block = self->touched[i];
    const double *a = self->sum + 3 * (size_t)block;
    if (block == without || fabs(scale) * pl_vec3_norm(a) <= negligible) continue;
    pl_mpc_entry *entry = &self->pool[self->pool_count++];
    entry->block = block;
    pl_vec3_scale(scale, a, entry->c);
    self->links.link_of[block] = 1; // for now: something depends on it
    pivot->count++;
  }
}

static pl_status add_pivot(pl_mpcs *self, int block, pl_error *error)
{
  pl_status status = reserve(self, error);
  if (status) return status;
  pl_pivot *pivot = &self->pivots[self->pivot_count];
  const double *a = self->sum + 3 * (size_t)block;
  double length = pl_vec3_norm(a);
  *pivot = (pl_pivot){.block = block, .next = self->pivot_of[block]};
  pl_vec3_scale(1 / length, a, pivot->b);
  store(self, pivot, -1 / length, block);
  self->pivot_of[block] = self->pivot_count++;
  return PL_OK;
}

static const pl_mpc_entry *find_entry(const pl_mpcs *self, const pl_pivot *pivot, int block)
{
  for (int i = 0; i < pivot->count; i++) {
    if (self->pool[pivot->first + (size_t)i].block == block)
      return &self->pool[pivot->first + (size_t)i];
  }
  return NULL;
}

/* Earlier pivots that depend on what the newest one has made dependent. */
static pl_status substitute(pl_mpcs *self, pl_error *error)
{
  const pl_pivot *newest = &self->pivots[self->pivot_count - 1];
  if (!self->links.link_of[newest->block]) return PL_OK;
  for (int p = 0; p + 1 < self->pivot_count; p++) {
    pl_pivot *pivot = &self->pivots[p];
    const pl_mpc_entry *found = find_entry(self, pivot, newest->block);
    double along = found ? pl_vec3_dot(found->c, newest->b) : 0;
    if (along == 0) continue;
    forget(self);
    add_entries(self, 1, self->pool + pivot->first, pivot->count);
    pl_vec3_add_scaled(-along, newest->b, sum_at(self, newest->block));
    add_entries(self, along, self->pool + newest->first, newest->count);
    pl_status status = reserve(self, error);
    if (status) return status;
    store(self, pivot, 1, -1);
  }
  return PL_OK;
}

/* ---- links ---- */

static pl_status reserve_links(pl_mpcs *self, size_t wanted, pl_error *error)
{
  if (wanted <= self->link_room) return PL_OK;
  size_t on_room = self->link_room, L_room = 9 * self->link_room;
  void *on = self->links.on, *L = self->links.L;
  pl_status status = pl_reserve(&self->allocator, &on, &on_room, 2 * wanted, sizeof(int));
  self->links.on = on;
  if (!status) status = pl_reserve(&self->allocator, &L, &L_room, 18 * wanted, sizeof(double));
  self->links.L = L;
  if (status) return pl_fail_memory(error);
  self->link_room = 2 * wanted;
  return PL_OK;
}

/* L = sum over the block's pivots of b c^T. */
static pl_status link_block(pl_mpcs *self, int block, pl_error *error)
{
  pl_links *links = &self->links;
  int first = links->start[links->count];
  forget(self);
  for (int p = self->pivot_of[block]; p >= 0; p = self->pivots[p].next)
    add_entries(self, 0, self->pool + self->pivots[p].first, self->pivots[p].count);
  pl_status status = reserve_links(self, (size_t)first + (size_t)self->touched_count, error);
  if (status) return status;
  for (int i = 0; i < self->touched_count; i++) {
    memset(links->L + 9 * (size_t)(first + i), 0, 9 * sizeof(double));
    links->on[first + i] = self->touched[i];
  }
  for (int p = self->pivot_of[block]; p >= 0; p = self->pivots[p].next) {
    const pl_pivot *pivot = &self->pivots[p];
    for (int i = 0; i < pivot->count; i++) {
      const pl_mpc_entry *entry = &self->pool[pivot->first + (size_t)i];
      double *L = links->L + 9 * (size_t)(first + self->place[entry->block] - 1);
      for (int k = 0; k < 9; k++) L[k] += pivot->b[k / 3] * entry->c[k % 3];
    }
  }
  links->link_of[block] = links->count;
  links->blocks[links->count++] = block;
  links->start[links->count] = first + self->touched_count;
  return PL_OK;
}

static pl_status make_links(pl_mpcs *self, pl_error *error)
{
  pl_status status = PL_OK;
  self->links.count = 0;
  self->links.start[0] = 0;
  for (int block = 0; block < self->blocks && !status; block++) {
    self->links.link_of[block] = -1;
    if (self->pivot_of[block] >= 0) status = link_block(self, block, error);
  }
  forget(self);
  return status;
}

/* ---- all of it ---- */

static pl_status eliminate_row(pl_mpcs *self, const pl_rows *rows, pl_mpc *row, pl_error *error)
{
  double given = 0;
  forget(self);
  add_entries(self, 1, self->entry + row->first, row->count);
  for (int i = 0; i < self->touched_count; i++) given = fmax(given, size_at(self, i));
  // twice, so that what is left of a row that lost much is orthogonal to what it lost
  for (int k = 0; k < 2; k++) reduce(self, rows);
  int block = choose(self, given);
  row->is_active = block >= 0;
  if (block < 0) return PL_OK;
  pl_status status = add_pivot(self, block, error);
  return status ? status : substitute(self, error);
}

pl_status pl_mpcs_eliminate(pl_mpcs *self, const pl_rows *rows, pl_error *error)
{
  pl_status status = PL_OK;
  self->pivot_count = 0;
  self->pool_count = 0;
  for (int b = 0; b < self->blocks; b++) {
    self->pivot_of[b] = -1;
    self->links.link_of[b] = 0;
  }
  for (int i = 0; i < self->count && !status; i++)
    status = eliminate_row(self, rows, &self->list[i], error);
  if (!status) status = make_links(self, error);
  return status;
}
