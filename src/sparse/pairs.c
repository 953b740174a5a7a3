/* Stencils, their lists, and the product in two passes; pairs.h says what is computed. */
#include "sparse/pairs.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/mat3.h"
#include "sparse/correction.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { STENCILS_PER_CHUNK = 128, BLOCKS_PER_CHUNK = 128 };

/* ---- memory ---- */

/* An array, the size of its elements, and how many there are for each stencil or entry. */
typedef struct array {
  void **at;
  size_t size, count;
} array;

enum { STENCIL_ARRAYS = 4, ENTRY_ARRAYS = 7, ARRAYS = STENCIL_ARRAYS + ENTRY_ARRAYS };

static void list_arrays(pl_pairs *pairs, size_t room, size_t entry_room, array all[ARRAYS])
{
  const array list[ARRAYS] = {{(void **)&pairs->first, sizeof(int), room + 1},
                              {(void **)&pairs->is_scalar, 1, room},
                              {(void **)&pairs->D, 9 * sizeof(double), room},
                              {(void **)&pairs->w, 3 * sizeof(double), room},
                              {(void **)&pairs->block, sizeof(int), entry_room},
                              {(void **)&pairs->weight, sizeof(double), entry_room},
                              {(void **)&pairs->C, 9 * sizeof(double), entry_room},
                              {(void **)&pairs->touched, sizeof(int), entry_room},
                              {(void **)&pairs->list_start, sizeof(int), entry_room + 1},
                              {(void **)&pairs->list_stencil, sizeof(int), entry_room},
                              {(void **)&pairs->list_entry, sizeof(int), entry_room}};
  memcpy(all, list, sizeof list);
}

static void forget_touched(pl_pairs *pairs)
{
  for (int t = 0; t < pairs->touched_count; t++) pairs->local[pairs->touched[t]] = -1;
  pairs->touched_count = 0;
  pairs->is_closed = 0;
}

pl_status pl_pairs_reserve(pl_pairs *pairs, int stencils, int entries, pl_error *error)
{
  if (stencils <= pairs->room && entries <= pairs->entry_room) return PL_OK;
  int room = stencils > pairs->room ? stencils : pairs->room;
  int entry_room = entries > pairs->entry_room ? entries : pairs->entry_room;
  array all[ARRAYS];
  void *fresh[ARRAYS];
  list_arrays(pairs, (size_t)room, (size_t)entry_room, all);
  for (int i = 0; i < ARRAYS; i++) {
    fresh[i] = pl_alloc(&pairs->allocator, all[i].count, all[i].size);
    if (fresh[i]) continue;
    while (i-- > 0) pl_free(&pairs->allocator, fresh[i]);
    return pl_fail_memory(error);
  }
  forget_touched(pairs);
  for (int i = 0; i < ARRAYS; i++) {
    pl_free(&pairs->allocator, *all[i].at);
    *all[i].at = fresh[i];
  }
  pairs->room = room;
  pairs->entry_room = entry_room;
  pairs->wanted = pairs->wanted_entries = 0;
  pl_pairs_clear(pairs);
  return PL_OK;
}

pl_status pl_pairs_create(const pl_allocator *allocator, int rows, pl_pairs **out, pl_error *error)
{
  *out = NULL;
  pl_allocator source = pl_allocator_or_default(allocator);
  pl_pairs *pairs = pl_alloc(&source, 1, sizeof *pairs);
  if (!pairs) return pl_fail_memory(error);
  pairs->allocator = source;
  pairs->rows = rows;
  pairs->local = pl_alloc(&source, (size_t)rows, sizeof *pairs->local);
  pairs->mark = pl_alloc(&source, (size_t)rows, sizeof *pairs->mark);
  pairs->correction = pl_correction_create(&source);
  if (!pairs->local || !pairs->mark || !pairs->correction) {
    pl_pairs_destroy(pairs);
    return pl_fail_memory(error);
  }
  for (int row = 0; row < rows; row++) pairs->local[row] = -1;
  *out = pairs;
  return PL_OK;
}

void pl_pairs_destroy(pl_pairs *pairs)
{
  if (!pairs) return;
  pl_allocator allocator = pairs->allocator;
  array all[ARRAYS];
  list_arrays(pairs, 0, 0, all);
  for (int i = 0; i < ARRAYS; i++) pl_free(&allocator, *all[i].at);
  pl_free(&allocator, pairs->local);
  pl_free(&allocator, pairs->mark);
  pl_correction_destroy(pairs->correction);
  pl_free(&allocator, pairs);
}

int pl_pairs_is_short(const pl_pairs *pairs) { return pairs->wanted > 0; }

pl_status pl_pairs_grow(pl_pairs *pairs, pl_error *error)
{
  if (!pl_pairs_is_short(pairs)) return PL_OK;
  if (pairs->wanted > INT_MAX / 18 || pairs->wanted_entries > INT_MAX / 18)
    return pl_fail(error, PL_E_LIMIT, "%d stencils over %d blocks are too many; there can be %d",
                   pairs->wanted, pairs->wanted_entries, INT_MAX / 18);
  return pl_pairs_reserve(pairs, 2 * pairs->wanted, 2 * pairs->wanted_entries, error);
}

/* ---- the list ---- */

void pl_pairs_clear(pl_pairs *pairs)
{
  pairs->count = pairs->entries = 0;
  pairs->asked = pairs->asked_entries = 0;
  pairs->is_closed = 0;
  pairs->version++;
}

/* Adds block i of the stencil to an entry that may have something. */
static void take_entry(pl_pairs *pairs, const pl_stencil *stencil, int i, int entry)
{
  pairs->block[entry] = stencil->blocks[i];
  if (stencil->weights) {
    pairs->weight[entry] += stencil->weights[i];
    return;
  }
  for (int k = 0; k < 9; k++)
    pairs->C[9 * (size_t)entry + (size_t)k] += stencil->C[9 * (size_t)i + (size_t)k];
}

static int refuse(pl_pairs *pairs)
{
  if (pairs->asked > pairs->wanted) pairs->wanted = pairs->asked;
  if (pairs->asked_entries > pairs->wanted_entries) pairs->wanted_entries = pairs->asked_entries;
  return 0;
}

/* The entry of a block in the stencil whose entries are [first, *last). */
static int entry_of(pl_pairs *pairs, int first, int *last, int block)
{
  // the mark leads to the block's entry if this stencil has met it
  int entry = pairs->mark[block];
  if (entry < first || entry >= *last || pairs->block[entry] != block) {
    pairs->mark[block] = entry = (*last)++;
    pairs->block[entry] = block;
    pairs->weight[entry] = 0;
    memset(pairs->C + 9 * (size_t)entry, 0, 9 * sizeof *pairs->C);
  }
  return entry;
}

/* How many blocks the stencil has with those that some of its own depend on; its own if none do. */
static int linked_count(const pl_pairs *pairs, const pl_stencil *stencil)
{
  const pl_links *links = pairs->links;
  int count = stencil->count;
  for (int i = 0; links && i < stencil->count; i++) {
    int link = links->link_of[stencil->blocks[i]];
    if (link >= 0) count += links->start[link + 1] - links->start[link];
  }
  return count;
}

/* C_m += C_s L_sm for all that a block of the stencil depends on. */
static void take_links(pl_pairs *pairs, const pl_stencil *stencil, int i, int first, int *last)
{
  const pl_links *links = pairs->links;
  int link = links->link_of[stencil->blocks[i]];
  double C[9];
  for (int k = 0; k < 9; k++)
    C[k] = stencil->weights ? (k % 4 == 0) * stencil->weights[i] : stencil->C[9 * i + k];
  for (int at = link < 0 ? 0 : links->start[link]; link >= 0 && at < links->start[link + 1]; at++) {
    int entry = entry_of(pairs, first, last, links->on[at]);
    double product[9];
    pl_mat3_multiply(C, links->L + 9 * (size_t)at, product);
    for (int k = 0; k < 9; k++) pairs->C[9 * (size_t)entry + (size_t)k] += product[k];
  }
}

/* Like pl_pairs_add, with all coefficients as matrices. */
static int take_linked(pl_pairs *pairs, const pl_stencil *stencil, int first)
{
  int last = first;
  for (int i = 0; i < stencil->count; i++) {
    int entry = entry_of(pairs, first, &last, stencil->blocks[i]);
    for (int k = 0; k < 9; k++)
      pairs->C[9 * (size_t)entry + (size_t)k] +=
          stencil->weights ? (k % 4 == 0) * stencil->weights[i] : stencil->C[9 * i + k];
    take_links(pairs, stencil, i, first, &last);
  }
  return last;
}

int pl_pairs_add(pl_pairs *pairs, const pl_stencil *stencil)
{
  int count = linked_count(pairs, stencil), is_linked = count > stencil->count;
  pairs->asked = pairs->asked < INT_MAX ? pairs->asked + 1 : INT_MAX;
  pairs->asked_entries =
      count < INT_MAX - pairs->asked_entries ? pairs->asked_entries + count : INT_MAX;
  int first = pairs->entries, last = first;
  if (pairs->count == pairs->room || count > pairs->entry_room - first) return refuse(pairs);
  if (is_linked) last = take_linked(pairs, stencil, first);
  for (int i = 0; !is_linked && i < stencil->count; i++)
    take_entry(pairs, stencil, i, entry_of(pairs, first, &last, stencil->blocks[i]));
  pairs->first[pairs->count] = first;
  pairs->is_scalar[pairs->count] = stencil->weights != NULL && !is_linked;
  memcpy(pairs->D + 9 * (size_t)pairs->count, stencil->D, 9 * sizeof *pairs->D);
  pairs->first[++pairs->count] = last;
  pairs->entries = last;
  pairs->is_closed = 0;
  pairs->version++;
  return 1;
}

/* out = C_a^T D C_b from coefficients, by the operations of the list's own blocks. */
static void make_block(const double *weights, const double *C, const double *D, int a, int b,
                       double out[9])
{
  if (weights) {
    for (int k = 0; k < 9; k++) out[k] = weights[a] * (weights[b] * D[k]);
    return;
  }
  double half[9];
  pl_mat3_multiply(D, C + 9 * (size_t)b, half);
  pl_mat3_multiply_tn(C + 9 * (size_t)a, half, out);
}

int pl_bsr_add_stencil(pl_bsr *A, const pl_stencil *stencil)
{
  int count = stencil->count;
  for (int a = 0; a < count; a++) {
    for (int b = a + 1; b < count; b++) {
      if (pl_bsr_find(A, stencil->blocks[a], stencil->blocks[b]) < 0) return 0;
    }
  }
  for (int b = 0; b < count; b++) {
    for (int a = 0; a < count; a++) {
      double block[9];
      int place = pl_bsr_find(A, stencil->blocks[a], stencil->blocks[b]);
      double *to = A->values + 9 * (size_t)place;
      make_block(stencil->weights, stencil->C, stencil->D, a, b, block);
      for (int k = 0; k < 9; k++) to[3 * (k % 3) + k / 3] += block[k];
    }
  }
  return 1;
}

int pl_stencil_put(pl_bsr *A, pl_pairs *pairs, const pl_stencil *stencil)
{
  return pl_bsr_add_stencil(A, stencil) || (pairs && pl_pairs_add(pairs, stencil));
}

/* ---- lists by block ---- */

void pl_pairs_close(pl_pairs *pairs)
{
  if (pairs->is_closed) return;
  forget_touched(pairs);
  int *count = pairs->mark, *local = pairs->local;
  for (int e = 0; e < pairs->entries; e++) {
    int block = pairs->block[e];
    count[block] = local[block] < 0 ? 1 : count[block] + 1;
    local[block] = 0;
  }
  int touched = 0, place = 0;
  for (int row = 0; row < pairs->rows && place < pairs->entries; row++) {
    if (local[row] < 0) continue;
    pairs->touched[touched] = row;
    pairs->list_start[touched] = place;
    place += count[row];
    count[row] = pairs->list_start[touched];
    local[row] = touched++;
  }
  if (pairs->list_start) pairs->list_start[touched] = place;
  for (int s = 0; s < pairs->count; s++) {
    for (int e = pairs->first[s]; e < pairs->first[s + 1]; e++) {
      int at = count[pairs->block[e]]++;
      pairs->list_stencil[at] = s;
      pairs->list_entry[at] = e;
    }
  }
  pairs->touched_count = touched;
  pairs->is_closed = 1;
}

int pl_pairs_from(const pl_pairs *pairs, int row)
{
  int low = 0, high = pairs->touched_count;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (pairs->touched[middle] < row)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Writes the coefficients of a stencil that has weights out. */
static void write_out(pl_pairs *pairs, int stencil)
{
  for (int e = pairs->first[stencil]; e < pairs->first[stencil + 1]; e++) {
    for (int k = 0; k < 9; k++)
      pairs->C[9 * (size_t)e + (size_t)k] = k % 4 == 0 ? pairs->weight[e] : 0;
  }
  pairs->is_scalar[stencil] = 0;
}

void pl_pairs_turn(pl_pairs *pairs, int block, const double J[9])
{
  pl_pairs_close(pairs);
  int place = pairs->local[block];
  for (int k = place < 0 ? 0 : pairs->list_start[place];
       place >= 0 && k < pairs->list_start[place + 1]; k++) {
    double turned[9], *C = pairs->C + 9 * (size_t)pairs->list_entry[k];
    if (pairs->is_scalar[pairs->list_stencil[k]]) write_out(pairs, pairs->list_stencil[k]);
    pl_mat3_multiply(C, J, turned);
    memcpy(C, turned, sizeof turned);
  }
  pairs->version++;
}

/* ---- products ---- */

/* s += C_i x, or with absolute values. */
static inline void add_motion(const pl_pairs *pairs, int stencil, int entry, const double *x,
                              double s[3])
{
  if (pairs->is_scalar[stencil]) {
    double weight = pairs->weight[entry];
    for (int i = 0; i < 3; i++) s[i] += weight * x[i];
    return;
  }
  const double *C = pairs->C + 9 * (size_t)entry;
  for (int i = 0; i < 3; i++) s[i] += C[3 * i] * x[0] + C[3 * i + 1] * x[1] + C[3 * i + 2] * x[2];
}

/* y += C_i^T w. */
static inline void add_force(const pl_pairs *pairs, int stencil, int entry, double y[3])
{
  const double *w = pairs->w + 3 * (size_t)stencil;
  if (pairs->is_scalar[stencil]) {
    double weight = pairs->weight[entry];
    for (int i = 0; i < 3; i++) y[i] += weight * w[i];
    return;
  }
  const double *C = pairs->C + 9 * (size_t)entry;
  for (int i = 0; i < 3; i++) y[i] += C[i] * w[0] + C[3 + i] * w[1] + C[6 + i] * w[2];
}

typedef struct product {
  const pl_pairs *pairs;
  const double *x;
  double *y;
} product;

/* w = D sum_i C_i x_i of one stencil. */
static inline void measure_one(const pl_pairs *pairs, int s, const double *x)
{
  double motion[3] = {0}, *w = pairs->w + 3 * (size_t)s;
  for (int e = pairs->first[s]; e < pairs->first[s + 1]; e++)
    add_motion(pairs, s, e, x + 3 * (size_t)pairs->block[e], motion);
  const double *D = pairs->D + 9 * (size_t)s;
  for (int i = 0; i < 3; i++)
    w[i] = D[3 * i] * motion[0] + D[3 * i + 1] * motion[1] + D[3 * i + 2] * motion[2];
}

static void measure_chunk(void *context, int chunk)
{
  const product *job = context;
  int first = chunk * STENCILS_PER_CHUNK, last = first + STENCILS_PER_CHUNK;
  for (int s = first; s < last && s < job->pairs->count; s++) measure_one(job->pairs, s, job->x);
}

void pl_pairs_measure(const pl_pairs *pairs, const double *x, pl_pool *pool)
{
  product job = {pairs, x, NULL};
  pl_parallel(pool, pl_chunk_count(pairs->count, STENCILS_PER_CHUNK), measure_chunk, &job);
}

static double spread_places(const pl_pairs *pairs, int first, int last, const double *x, double *y)
{
  double dot = 0;
  for (int t = first; t < last; t++) {
    double force[3] = {0};
    for (int k = pairs->list_start[t]; k < pairs->list_start[t + 1]; k++)
      add_force(pairs, pairs->list_stencil[k], pairs->list_entry[k], force);
    size_t at = 3 * (size_t)pairs->touched[t];
    for (size_t i = 0; i < 3; i++) {
      y[at + i] += force[i];
      dot += x[at + i] * force[i];
    }
  }
  return dot;
}

double pl_pairs_spread(const pl_pairs *pairs, int first, int last, const double *x, double *y)
{
  int from = pl_pairs_from(pairs, first), to = from;
  while (to < pairs->touched_count && pairs->touched[to] < last) to++;
  return spread_places(pairs, from, to, x, y);
}

static void spread_chunk(void *context, int chunk)
{
  const product *job = context;
  int first = chunk * BLOCKS_PER_CHUNK, last = first + BLOCKS_PER_CHUNK;
  if (last > job->pairs->touched_count) last = job->pairs->touched_count;
  (void)spread_places(job->pairs, first, last, job->x, job->y);
}

void pl_pairs_multiply(pl_pairs *pairs, const double *x, double *y, pl_pool *pool)
{
  if (!pl_pairs_exist(pairs)) return;
  pl_pairs_close(pairs);
  pl_pairs_measure(pairs, x, pool);
  product job = {pairs, x, y};
  pl_parallel(pool, pl_chunk_count(pairs->touched_count, BLOCKS_PER_CHUNK), spread_chunk, &job);
}

void pl_pairs_multiply_row(pl_pairs *pairs, int row, const double *x, double y[3])
{
  if (!pl_pairs_exist(pairs)) return;
  pl_pairs_close(pairs);
  int place = pairs->local[row];
  if (place < 0) return;
  double force[3] = {0};
  for (int k = pairs->list_start[place]; k < pairs->list_start[place + 1]; k++) {
    measure_one(pairs, pairs->list_stencil[k], x);
    add_force(pairs, pairs->list_stencil[k], pairs->list_entry[k], force);
  }
  for (int i = 0; i < 3; i++) y[i] += force[i];
}

/* out = |C| x or |C^T| x of an entry, for an x without negative numbers. */
static void absolute_times(const pl_pairs *pairs, int stencil, int entry, int turned,
                           const double x[3], double out[3])
{
  const double *C = pairs->C + 9 * (size_t)entry;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      double scalar = i == k ? pairs->weight[entry] : 0;
      double c = pairs->is_scalar[stencil] ? scalar : C[turned ? 3 * k + i : 3 * i + k];
      out[i] += fabs(c) * x[k];
    }
  }
}

void pl_pairs_absolute(const pl_pairs *pairs, const double *x, double *y)
{
  for (int s = 0; s < pairs->count; s++) {
    double motion[3] = {0}, w[3] = {0};
    for (int e = pairs->first[s]; e < pairs->first[s + 1]; e++) {
      const double *at = x + 3 * (size_t)pairs->block[e];
      const double size[3] = {fabs(at[0]), fabs(at[1]), fabs(at[2])};
      absolute_times(pairs, s, e, 0, size, motion);
    }
    for (int i = 0; i < 9; i++)
      w[i / 3] += fabs(pairs->D[9 * (size_t)s + (size_t)i]) * motion[i % 3];
    for (int e = pairs->first[s]; e < pairs->first[s + 1]; e++)
      absolute_times(pairs, s, e, 1, w, y + 3 * (size_t)pairs->block[e]);
  }
}

void pl_pairs_block(const pl_pairs *pairs, int stencil, int a, int b, double out[9])
{
  make_block(pairs->is_scalar[stencil] ? pairs->weight : NULL, pairs->C,
             pairs->D + 9 * (size_t)stencil, a, b, out);
}

void pl_pairs_diagonal(const pl_pairs *pairs, int place, double out[9])
{
  memset(out, 0, 9 * sizeof *out);
  for (int k = pairs->list_start[place]; k < pairs->list_start[place + 1]; k++) {
    double block[9];
    int entry = pairs->list_entry[k];
    pl_pairs_block(pairs, pairs->list_stencil[k], entry, entry, block);
    for (int i = 0; i < 9; i++) out[i] += block[i];
  }
}
