/* Order, pattern and values of the scaled halves. */
#include "sparse/halves.h"

#include "core/error.h"
#include "core/memory.h"
#include "core/thread.h"
#include "sparse/correction.h"

#include <math.h>
#include <string.h>

void pl_halves_destroy(pl_halves *self)
{
  void *arrays[] = {self->node,   self->counts[0], self->start[0], self->columns,
                    self->source, self->own,       self->values,   self->scale};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(&self->allocator, arrays[i]);
}

static int all_below(const pl_halves *self, int rows)
{
  return rows ? self->start[0][rows - 1] + self->counts[0][rows - 1] : 0;
}

pl_half pl_halves_lower(const pl_halves *self, int rows)
{
  return (pl_half){rows, self->counts[0], self->columns, self->values};
}

pl_half pl_halves_upper(const pl_halves *self, int rows)
{
  int below = all_below(self, rows);
  return (pl_half){rows, self->counts[1], self->columns + below, self->values + 9 * (size_t)below};
}

/* ---- the pattern ---- */

/* Nodes that nothing touches in their own order, then those of the factor in its. */
static void order_rows(pl_halves *self, int rows, const pl_pairs *pairs,
                       const pl_small_factor *factor)
{
  int row = 0;
  for (int node = 0; node < rows; node++) {
    if (!factor || pairs->local[node] < 0) self->node[row++] = node;
  }
  self->inner = row;
  for (int k = 0; factor && k < factor->count; k++)
    self->node[row++] = pairs->touched[factor->order[k]];
  for (row = 0; row < rows; row++) self->place[self->node[row]] = row;
}

/* Does A's block (row, column) stand in L or in U, and not in the factor? */
static int is_kept(const pl_halves *self, int row, int column)
{
  return row != column && (row < self->inner || column < self->inner);
}

static void count_blocks(pl_halves *self, const pl_bsr *A, const pl_small_factor *factor)
{
  memset(self->counts[0], 0, 2 * (size_t)A->rows * sizeof(int));
  for (int row = 0; row < A->rows; row++) {
    int node = self->node[row];
    for (int k = A->start[node]; k < A->start[node + 1]; k++) {
      int column = self->place[A->columns[k]];
      if (is_kept(self, row, column)) self->counts[column > row][row]++;
    }
  }
  for (int k = 0; factor && k < factor->count; k++) {
    self->counts[1][self->inner + k] = factor->start[k + 1] - factor->start[k];
    for (int e = factor->start[k]; e < factor->start[k + 1]; e++)
      self->counts[0][self->inner + factor->rows[e]]++;
  }
}

/* Where each row's blocks begin; U stands behind L, its last row first. Returns how many in all. */
static int place_rows(pl_halves *self, int rows)
{
  int at = 0;
  for (int row = 0; row < rows; row++) {
    self->start[0][row] = at;
    at += self->counts[0][row];
  }
  for (int row = rows - 1; row >= 0; row--) {
    self->start[1][row] = at;
    at += self->counts[1][row];
  }
  return at;
}

static pl_status make_room(pl_halves *self, size_t blocks, size_t own, pl_error *error)
{
  const pl_allocator *allocator = &self->allocator;
  // one double more is read
  if (pl_reserve(allocator, (void **)&self->columns, &self->column_room, blocks, sizeof(int)) ||
      pl_reserve(allocator, (void **)&self->source, &self->source_room, blocks, sizeof(int)) ||
      pl_reserve(allocator, (void **)&self->own, &self->own_room, own, sizeof(int)) ||
      pl_reserve(allocator, (void **)&self->values, &self->value_room, 9 * blocks + 1,
                 sizeof(double)))
    return pl_fail_memory(error);
  return PL_OK;
}

static void put(pl_halves *self, int at, int column, int source)
{
  self->columns[at] = column;
  self->source[at] = source;
}

/* A's blocks of a row. Touched columns come last of all, so first in a sweep upwards. */
static void list_row(pl_halves *self, const pl_bsr *A, int row)
{
  int node = self->node[row], below = self->start[0][row], above = self->start[1][row];
  for (int k = A->start[node + 1] - 1; k >= A->start[node] && row < self->inner; k--) {
    int column = self->place[A->columns[k]];
    if (column >= self->inner) put(self, above++, column, k);
  }
  for (int k = A->start[node]; k < A->start[node + 1]; k++) {
    int column = self->place[A->columns[k]];
    if (column < row && column < self->inner) put(self, below++, column, k);
  }
  for (int k = A->start[node + 1] - 1; k >= A->start[node]; k--) {
    int column = self->place[A->columns[k]];
    if (column > row && column < self->inner) put(self, above++, column, k);
  }
  self->counts[0][row] = below - self->start[0][row]; // the factor's come later
}

/* G by rows behind A's blocks of L, and G^T by rows in U. Counts of L grow with them. */
static void list_factor(pl_halves *self, const pl_small_factor *factor)
{
  for (int k = 0; k < factor->count; k++) {
    int above = self->start[1][self->inner + k];
    for (int e = factor->start[k + 1] - 1; e >= factor->start[k]; e--)
      put(self, above++, self->inner + factor->rows[e], e);
    for (int e = factor->start[k]; e < factor->start[k + 1]; e++) {
      int row = self->inner + factor->rows[e];
      self->own[e] = self->node[self->inner + k];
      put(self, self->start[0][row] + self->counts[0][row]++, self->inner + k, e);
    }
  }
}

static pl_status make_pattern(pl_halves *self, const pl_bsr *A, const pl_pairs *pairs,
                              const pl_small_factor *factor, pl_error *error)
{
  order_rows(self, A->rows, pairs, factor);
  count_blocks(self, A, factor);
  int blocks = place_rows(self, A->rows);
  size_t own = factor ? (size_t)factor->start[factor->count] : 0;
  pl_status status = make_room(self, (size_t)blocks, own, error);
  if (status) return status;
  for (int row = 0; row < A->rows; row++) list_row(self, A, row);
  if (factor) list_factor(self, factor);
  return PL_OK;
}

pl_status pl_halves_create(pl_halves *self, const pl_allocator *allocator, const pl_bsr *A,
                           pl_error *error)
{
  size_t rows = (size_t)A->rows;
  self->allocator = *allocator;
  self->node = pl_alloc(allocator, 2 * rows, sizeof *self->node);
  self->counts[0] = pl_alloc(allocator, 2 * rows, sizeof(int));
  self->start[0] = pl_alloc(allocator, 2 * rows, sizeof(int));
  self->scale = pl_alloc(allocator, 9 * rows, sizeof *self->scale);
  if (!self->node || !self->counts[0] || !self->start[0] || !self->scale)
    return pl_fail_memory(error);
  self->place = self->node + rows;
  self->counts[1] = self->counts[0] + rows;
  self->start[1] = self->start[0] + rows;
  return make_pattern(self, A, NULL, NULL, error);
}

/* ---- the values ---- */

/* W with B = W W^T, lower triangular; columns without a pivot are left out. */
static void take_root(const double B[9], double W[9])
{
  double size = B[0] + B[4] + B[8];
  memset(W, 0, 9 * sizeof *W);
  for (int c = 0; c < 3; c++) {
    double pivot = B[4 * c];
    for (int k = 0; k < c; k++) pivot -= W[3 * k + c] * W[3 * k + c];
    if (!(pivot > 1e-12 * size)) continue;
    W[4 * c] = sqrt(pivot);
    for (int r = c + 1; r < 3; r++) {
      double sum = B[3 * c + r];
      for (int k = 0; k < c; k++) sum -= W[3 * k + r] * W[3 * k + c];
      W[3 * c + r] = sum / W[4 * c];
    }
  }
}

typedef struct scaling {
  pl_halves *self;
  const pl_bsr *A;
  const double *inverse;
  const pl_small_factor *factor;
  pl_bsr G; /* the factor's blocks, with their columns' nodes */
} scaling;

static void root_chunk(void *context, int chunk)
{
  const scaling *job = context;
  const pl_halves *self = job->self;
  for (int row = job->A->chunk_rows[chunk]; row < job->A->chunk_rows[chunk + 1]; row++) {
    size_t node = (size_t)self->node[row];
    const double *B = row < self->inner ? job->inverse + 9 * node
                                        : job->factor->inverse + 9 * (size_t)(row - self->inner);
    take_root(B, self->scale + 9 * node);
  }
}

/* G^T's blocks of U's row from those of L. */
static void turn_row(const pl_halves *self, const pl_small_factor *factor, int row)
{
  for (int i = self->start[0][row]; i < self->start[0][row] + self->counts[0][row]; i++) {
    int column = self->columns[i];
    if (column < self->inner) continue;
    int k = column - self->inner, e = self->source[i];
    int at = self->start[1][column] + factor->start[k + 1] - 1 - e;
    const double *from = self->values + 9 * (size_t)i;
    double *to = self->values + 9 * (size_t)at;
    for (int b = 0; b < 9; b++) to[b] = from[3 * (b % 3) + b / 3];
  }
}

static void scale_row(const scaling *job, int row)
{
  const pl_halves *self = job->self;
  const pl_eisenstat_kernel *kernel = pl_eisenstat_kernel_pick();
  int node = self->node[row], below = self->start[0][row], above = self->start[1][row];
  int count = self->counts[0][row], from_A = count;
  while (row >= self->inner && from_A > 0 && self->columns[below + from_A - 1] >= self->inner)
    from_A--;
  kernel->scale(job->A, node, self->source + below, from_A, self->scale,
                self->values + 9 * (size_t)below);
  if (row < self->inner) {
    kernel->scale(job->A, node, self->source + above, self->counts[1][row], self->scale,
                  self->values + 9 * (size_t)above);
    return;
  }
  below += from_A;
  kernel->scale(&job->G, node, self->source + below, count - from_A, self->scale,
                self->values + 9 * (size_t)below);
  turn_row(self, job->factor, row);
}

static void scale_chunk(void *context, int chunk)
{
  const scaling *job = context;
  for (int row = job->A->chunk_rows[chunk]; row < job->A->chunk_rows[chunk + 1]; row++)
    scale_row(job, row);
}

pl_status pl_halves_prepare(pl_halves *self, const pl_bsr *A, const double *inverse,
                            const pl_pairs *pairs, const pl_small_factor *factor, pl_pool *pool,
                            pl_error *error)
{
  uint64_t pattern = factor ? pl_correction_pattern(pairs) : 0;
  if (self->is_broken || self->pattern != pattern) {
    self->is_broken = 1;
    pl_status status = make_pattern(self, A, pairs, factor, error);
    if (status) return status;
    self->is_broken = 0;
    self->pattern = pattern;
  }
  scaling job = {.self = self, .A = A, .inverse = inverse, .factor = factor};
  job.G.values = factor ? factor->W : NULL;
  job.G.columns = self->own;
  pl_parallel(pool, A->chunks, root_chunk, &job);
  pl_parallel(pool, A->chunks, scale_chunk, &job);
  return PL_OK;
}
