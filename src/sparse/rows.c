/* Rows to spans and projections: sums and triangular solves with Gram & Schmidt's basis. Where the
 * given directions are axes, everything is exact. */
#include "sparse/rows.h"

#include "core/error.h"
#include "core/hash.h"
#include "core/memory.h"
#include "math/vec3.h"

#include <string.h>

static const double least_sine = 1e-7; /* between a new direction and those that are there */

pl_status pl_rows_create(const pl_allocator *allocator, int blocks, int room, pl_rows *rows,
                         pl_error *error)
{
  size_t count = (size_t)room, most = (size_t)(room < blocks ? room : blocks);
  *rows = (pl_rows){.allocator = *allocator, .blocks = blocks, .room = room};
  rows->list = pl_alloc(allocator, count, sizeof *rows->list);
  rows->start = pl_alloc(allocator, (size_t)blocks + 1, sizeof *rows->start);
  rows->order = pl_alloc(allocator, count, sizeof *rows->order);
  rows->held = pl_alloc(allocator, most, sizeof *rows->held);
  rows->projections = pl_alloc(allocator, 9 * most, sizeof *rows->projections);
  rows->transient = pl_alloc(allocator, most, 1);
  if (rows->list && rows->start && rows->order && rows->held && rows->projections &&
      rows->transient)
    return PL_OK;
  pl_rows_release(rows);
  return pl_fail_memory(error);
}

void pl_rows_release(pl_rows *rows)
{
  void *arrays[] = {rows->list, rows->start,       rows->order,
                    rows->held, rows->projections, rows->transient};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    if (arrays[i]) pl_free(&rows->allocator, arrays[i]);
  }
  *rows = (pl_rows){0};
}

void pl_rows_clear(pl_rows *rows) { rows->count = 0; }

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

void pl_rows_finish(pl_rows *rows, pl_filter *filter)
{
  sort(rows);
  rows->held_count = 0;
  for (int block = 0; block < rows->blocks; block++) {
    pl_span span;
    if (rows->start[block] == rows->start[block + 1]) continue;
    pl_rows_span(rows, block, &span);
    int at = rows->held_count++, transient = 0;
    project(&span, rows->projections + 9 * (size_t)at);
    for (int m = 0; m < span.count; m++) transient |= span.row[m]->transient;
    rows->transient[at] = (char)transient;
    rows->held[at] = block;
  }
  filter->count = rows->held_count;
  filter->nodes = rows->held;
  filter->projections = rows->projections;
  filter->passing = rows->transient;
  filter->version = version_of(rows);
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
  if (length < least_sine) return;
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
