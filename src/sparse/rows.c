/* Rows to spans and projections: sums and triangular solves with Gram & Schmidt's basis. Where the
 * given directions are axes, everything is exact. */
#include "sparse/rows.h"

#include "core/error.h"
#include "core/hash.h"
#include "core/memory.h"
#include "math/vec3.h"

#include <string.h>

static const double min_sine = 1e-7; /* between a new direction and those that are there */

pl_status pl_rows_create(const pl_allocator *allocator, int blocks, int room, pl_rows *rows,
                         pl_error *error)
{
  size_t count = (size_t)room, max = (size_t)(room < blocks ? room : blocks);
  *rows = (pl_rows){.allocator = *allocator, .blocks = blocks, .room = room};
  rows->list = pl_alloc(allocator, count, sizeof *rows->list);
  rows->start = pl_alloc(allocator, (size_t)blocks + 1, sizeof *rows->start);
  rows->order = pl_alloc(allocator, count, sizeof *rows->order);
  rows->held = pl_alloc(allocator, max, sizeof *rows->held);
  rows->projections = pl_alloc(allocator, 9 * max, sizeof *rows->projections);
  rows->transient = pl_alloc(allocator, max, 1);
  rows->giver = pl_alloc(allocator, max, sizeof *rows->giver);
  if (rows->list && rows->start && rows->order && rows->held && rows->projections &&
      rows->transient && rows->giver)
    return PL_OK;
  pl_rows_release(rows);
  return pl_fail_memory(error);
}

void pl_rows_release(pl_rows *rows)
{
  void *arrays[] = {rows->list,        rows->start,     rows->order, rows->held,
                    rows->projections, rows->transient, rows->giver};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    if (arrays[i]) pl_free(&rows->allocator, arrays[i]);
  }
  pl_mpcs_destroy(rows->mpcs);
  *rows = (pl_rows){0};
}

pl_status pl_rows_reserve_mpcs(pl_rows *rows, int count, int entries, pl_error *error)
{
  const pl_allocator *allocator = &rows->allocator;
  int singles = rows->room < rows->blocks ? rows->room : rows->blocks;
  int max = rows->blocks - singles < entries ? rows->blocks : singles + entries;
  void *arrays[] = {rows->held, rows->projections, rows->transient, rows->giver};
  for (int i = 0; i < 4; i++) pl_free(allocator, arrays[i]);
  rows->held = pl_alloc(allocator, (size_t)max, sizeof *rows->held);
  rows->projections = pl_alloc(allocator, 9 * (size_t)max, sizeof *rows->projections);
  rows->transient = pl_alloc(allocator, (size_t)max, 1);
  rows->giver = pl_alloc(allocator, (size_t)max, sizeof *rows->giver);
  if (!rows->held || !rows->projections || !rows->transient || !rows->giver)
    return pl_fail_memory(error);
  return pl_mpcs_create(allocator, rows->blocks, count, entries, singles, &rows->mpcs, error);
}

void pl_rows_clear(pl_rows *rows)
{
  rows->count = 0;
  if (rows->mpcs) pl_mpcs_clear(rows->mpcs);
}

void pl_rows_add(pl_rows *rows, const pl_row *row)
{
  if (rows->count < rows->room) rows->list[rows->count++] = *row;
}

/* order = the rows by block, those of one block as they came. */
static void sort(pl_rows *rows)
{
  int *start = rows->start;
  memset(start, 0, ((size_t)rows->blocks + 1) * sizeof *start);
  for (int i = 0; i < rows->count; i++) start[rows->list[i].block]++;
  for (int b = 0, sum = 0; b <= rows->blocks; b++) {
    int own = start[b];
    start[b] = sum;
    sum += own;
  }
  for (int i = 0; i < rows->count; i++) rows->order[start[rows->list[i].block]++] = i;
  // every start has moved on to the next one
  memmove(start + 1, start, (size_t)rows->blocks * sizeof *start);
  start[0] = 0;
}

/* A number that is the same for the same constraints. */
static uint64_t version_of(const pl_rows *rows)
{
  uint64_t hash = pl_hash_words(PL_HASH_START, rows->projections, 9 * (size_t)rows->held_count);
  for (int i = 0; i < rows->held_count; i++) {
    int64_t node = rows->held[i];
    hash = pl_hash_words(hash, &node, 1);
  }
  return hash;
}

static void project(const pl_span *span, double P[9])
{
  for (int i = 0; i < 9; i++) {
    P[i] = i % 4 == 0;
    for (int m = 0; m < span->count; m++) P[i] -= span->basis[m][i / 3] * span->basis[m][i % 3];
    // nothing is left free by three directions, to the bit
    if (span->count == 3) P[i] = 0;
  }
}

/* Who gave the first three rows of a block, if they are the axes in their order. */
static int giver_of(const pl_rows *rows, int block)
{
  static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const int *order = rows->order + rows->start[block];
  if (rows->start[block + 1] - rows->start[block] < 3) return -1;
  for (int m = 0; m < 3; m++) {
    const pl_row *row = &rows->list[order[m]];
    if (row->tag != m || row->source != rows->list[order[0]].source ||
        memcmp(row->direction, axes[m], sizeof axes[m]) != 0)
      return -1;
  }
  return rows->list[order[0]].source;
}

static void hold(pl_rows *rows, int block, const pl_span *span)
{
  int at = rows->held_count++, transient = 0;
  project(span, rows->projections + 9 * (size_t)at);
  for (int m = 0; m < span->count; m++) transient |= span->row[m]->transient;
  rows->transient[at] = (char)transient;
  rows->held[at] = block;
  rows->giver[at] = giver_of(rows, block);
}

/* ---- rows over several blocks ---- */

/* The blocks under rows over one block, which the other rows have to live with. */
static void keep_singles(pl_rows *rows)
{
  pl_mpcs *mpcs = rows->mpcs;
  mpcs->single_count = rows->held_count;
  memcpy(mpcs->single, rows->held, (size_t)rows->held_count * sizeof *rows->held);
  memcpy(mpcs->projections, rows->projections,
         9 * (size_t)rows->held_count * sizeof *rows->projections);
}

/* Is the block part of a row over several that counts? Marked in place. */
static void mark(const pl_mpcs *mpcs, int value)
{
  for (int i = 0; i < mpcs->count; i++) {
    const pl_mpc *row = &mpcs->list[i];
    for (int k = row->first; row->is_active && k < row->first + row->count; k++)
      mpcs->place[mpcs->entry[k].block] = value;
  }
}

static void take_pivots(const pl_mpcs *mpcs, int block, double P[9])
{
  for (int p = mpcs->pivot_of[block]; p >= 0; p = mpcs->pivots[p].next) {
    const double *b = mpcs->pivots[p].b;
    for (int i = 0; i < 9; i++) P[i] -= b[i / 3] * b[i % 3];
  }
}

/* The filter's blocks, with those that depend on others and those that are depended on. */
static void hold_all(pl_rows *rows)
{
  const pl_mpcs *mpcs = rows->mpcs;
  rows->held_count = 0;
  mark(mpcs, 1);
  for (int b = 0; b < mpcs->links.start[mpcs->links.count]; b++) mpcs->place[mpcs->links.on[b]] = 1;
  for (int b = 0; b < mpcs->links.count; b++) mpcs->place[mpcs->links.blocks[b]] = 1;
  for (int block = 0; block < rows->blocks; block++) {
    pl_span span;
    if (rows->start[block] == rows->start[block + 1] && !mpcs->place[block]) continue;
    pl_rows_span(rows, block, &span);
    hold(rows, block, &span);
    take_pivots(mpcs, block, rows->projections + 9 * ((size_t)rows->held_count - 1));
    mpcs->place[block] = 0;
  }
}

static uint64_t version_of_links(uint64_t hash, const pl_links *links)
{
  int count = links->start[links->count];
  for (int i = 0; i < count; i++) {
    int64_t on = links->on[i];
    hash = pl_hash_words(hash, &on, 1);
  }
  return pl_hash_words(hash, links->L, 9 * (size_t)count);
}

static pl_status finish_mpcs(pl_rows *rows, pl_filter *filter, pl_error *error)
{
  keep_singles(rows);
  pl_status status = pl_mpcs_eliminate(rows->mpcs, rows, error);
  if (status) return status;
  hold_all(rows);
  filter->count = rows->held_count;
  filter->version = version_of_links(version_of(rows), &rows->mpcs->links);
  filter->links = &rows->mpcs->links;
  filter->mpcs = rows->mpcs;
  return PL_OK;
}

pl_status pl_rows_finish(pl_rows *rows, pl_filter *filter, pl_error *error)
{
  sort(rows);
  rows->held_count = 0;
  for (int block = 0; block < rows->blocks; block++) {
    pl_span span;
    if (rows->start[block] == rows->start[block + 1]) continue;
    pl_rows_span(rows, block, &span);
    hold(rows, block, &span);
  }
  filter->count = rows->held_count;
  filter->nodes = rows->held;
  filter->projections = rows->projections;
  filter->transient = rows->transient;
  filter->version = version_of(rows);
  filter->links = NULL;
  filter->mpcs = NULL;
  return rows->mpcs && rows->mpcs->count ? finish_mpcs(rows, filter, error) : PL_OK;
}

void pl_rows_span(const pl_rows *rows, int block, pl_span *span)
{
  span->count = 0;
  for (int i = rows->start[block]; i < rows->start[block + 1]; i++)
    pl_span_add(span, &rows->list[rows->order[i]]);
}

void pl_span_add(pl_span *span, const pl_row *row)
{
  int at = span->count;
  double rest[3];
  if (at == 3) return;
  pl_vec3_copy(row->direction, rest);
  for (int m = 0; m < at; m++) {
    span->mix[at][m] = pl_vec3_dot(row->direction, span->basis[m]);
    pl_vec3_add_scaled(-span->mix[at][m], span->basis[m], rest);
  }
  double length = pl_vec3_norm(rest);
  if (length < min_sine) return;
  span->row[at] = row;
  span->mix[at][at] = length;
  pl_vec3_scale(1 / length, rest, span->basis[at]);
  span->count++;
}

void pl_span_free(const pl_span *span, double x[3])
{
  for (int m = 0; m < span->count; m++)
    pl_vec3_add_scaled(-pl_vec3_dot(span->basis[m], x), span->basis[m], x);
}

void pl_span_fill(const pl_span *span, const double products[3], double x[3])
{
  double along[3];
  for (int i = 0; i < span->count; i++) {
    along[i] = products[i];
    for (int m = 0; m < i; m++) along[i] -= span->mix[i][m] * along[m];
    along[i] /= span->mix[i][i];
    pl_vec3_add_scaled(along[i], span->basis[i], x);
  }
}

void pl_span_split(const pl_span *span, const double force[3], double shares[3])
{
  for (int m = span->count - 1; m >= 0; m--) {
    shares[m] = pl_vec3_dot(force, span->basis[m]);
    for (int i = m + 1; i < span->count; i++) shares[m] -= span->mix[i][m] * shares[i];
    shares[m] /= span->mix[m][m];
  }
}
