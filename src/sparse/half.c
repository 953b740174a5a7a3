/* Order, parts, pattern and values of the scaled half. */
#include "sparse/half.h"

#include "core/error.h"
#include "core/memory.h"
#include "core/thread.h"
#include "sparse/correction.h"

#include <math.h>
#include <string.h>

enum { SMALL_PART = 64 }; /* rows, below which a part is joined with the next one */

void pl_half_destroy(pl_scaled_half *self)
{
  void *arrays[] = {self->node,   self->start, self->rows,  self->source,
                    self->values, self->upper, self->scale, self->part_nodes};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(&self->allocator, arrays[i]);
}

/* ---- the parts ---- */

/* A part ends before a row to which none of its rows is coupled. */
static void find_parts(pl_scaled_half *self, const pl_bsr *A)
{
  int reach = 0, first = 0;
  self->parts = 0;
  self->part_nodes[0] = 0;
  for (int row = 0; row < A->rows; row++) {
    for (int k = A->start[row]; k < A->start[row + 1]; k++)
      reach = A->columns[k] > reach ? A->columns[k] : reach;
    int is_end = reach <= row && row + 1 - first >= SMALL_PART;
    if (!is_end && row + 1 < A->rows) continue;
    first = row + 1;
    self->part_nodes[++self->parts] = first;
  }
}

/* Nodes that nothing touches in their own order, then those of the factor in its. */
static void order_rows(pl_scaled_half *self, int rows, const pl_pairs *pairs,
                       const pl_small_factor *factor)
{
  int row = 0;
  for (int part = 0; part < self->parts; part++) {
    self->part_rows[part] = row;
    for (int node = self->part_nodes[part]; node < self->part_nodes[part + 1]; node++) {
      if (!factor || pairs->local[node] < 0) self->node[row++] = node;
    }
  }
  self->part_rows[self->parts] = self->inner = row;
  for (int k = 0; factor && k < factor->count; k++)
    self->node[row++] = pairs->touched[factor->order[k]];
  for (row = 0; row < rows; row++) self->place[self->node[row]] = row;
}

/* ---- the pattern ---- */

/* Where each column begins; returns how many blocks there are in all. */
static int place_columns(pl_scaled_half *self, const pl_bsr *A, const pl_small_factor *factor)
{
  int at = 0;
  for (int column = 0; column < A->rows; column++) {
    self->start[column] = self->next[column] = at;
    int k = column - self->inner, node = self->node[column];
    if (k >= 0) {
      at += factor->start[k + 1] - factor->start[k];
      continue;
    }
    for (int i = A->start[node]; i < A->start[node + 1]; i++)
      at += self->place[A->columns[i]] > column;
  }
  self->start[A->rows] = at;
  return at;
}

static pl_status make_room(pl_scaled_half *self, size_t blocks, int is_unsymmetric, pl_error *error)
{
  const pl_allocator *allocator = &self->allocator;
  // one double more is read
  if (pl_reserve(allocator, (void **)&self->rows, &self->row_room, blocks, sizeof(int)) ||
      pl_reserve(allocator, (void **)&self->source, &self->source_room, blocks, sizeof(int)) ||
      pl_reserve(allocator, (void **)&self->values, &self->value_room, 9 * blocks + 1,
                 sizeof(double)) ||
      (is_unsymmetric && pl_reserve(allocator, (void **)&self->upper, &self->upper_room,
                                    9 * blocks + 1, sizeof(double))))
    return pl_fail_memory(error);
  self->values[9 * blocks] = 0;
  if (is_unsymmetric) self->upper[9 * blocks] = 0;
  return PL_OK;
}

static void put(pl_scaled_half *self, int column, int row, int source)
{
  int at = self->next[column]++;
  self->rows[at] = row;
  self->source[at] = source;
}

/* A's blocks of a row that stand in L, but for those that are in the factor. */
static void list_row(pl_scaled_half *self, const pl_bsr *A, int row)
{
  int node = self->node[row];
  for (int k = A->start[node]; k < A->start[node + 1]; k++) {
    int column = self->place[A->columns[k]];
    if (column < row && column < self->inner) put(self, column, row, k);
  }
}

static pl_status make_pattern(pl_scaled_half *self, const pl_bsr *A, const pl_pairs *pairs,
                              const pl_small_factor *factor, pl_error *error)
{
  order_rows(self, A->rows, pairs, factor);
  size_t blocks = (size_t)place_columns(self, A, factor);
  pl_status status = make_room(self, blocks, A->is_unsymmetric, error);
  if (status) return status;
  for (int row = 0; row < A->rows; row++) list_row(self, A, row);
  for (int k = 0; factor && k < factor->count; k++) {
    for (int e = factor->start[k]; e < factor->start[k + 1]; e++)
      put(self, self->inner + k, self->inner + factor->rows[e], e);
  }
  return PL_OK;
}

pl_status pl_half_create(pl_scaled_half *self, const pl_allocator *allocator, const pl_bsr *A,
                         pl_error *error)
{
  size_t rows = (size_t)A->rows;
  self->allocator = *allocator;
  self->node = pl_alloc(allocator, 2 * rows, sizeof *self->node);
  self->start = pl_alloc(allocator, 2 * rows + 1, sizeof *self->start);
  self->part_nodes = pl_alloc(allocator, 2 * (rows / SMALL_PART + 2), sizeof *self->part_nodes);
  self->scale = pl_alloc(allocator, 9 * rows + 1, sizeof *self->scale);
  if (!self->node || !self->start || !self->part_nodes || !self->scale)
    return pl_fail_memory(error);
  self->place = self->node + rows;
  self->next = self->start + rows + 1;
  self->part_rows = self->part_nodes + rows / SMALL_PART + 2;
  self->scale[9 * rows] = 0;
  find_parts(self, A);
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
    for (int k = 0; k < c; k++) pivot -= W[3 * c + k] * W[3 * c + k];
    if (!(pivot > 1e-12 * size)) continue;
    W[4 * c] = sqrt(pivot);
    for (int r = c + 1; r < 3; r++) {
      double sum = B[3 * c + r];
      for (int k = 0; k < c; k++) sum -= W[3 * r + k] * W[3 * c + k];
      W[3 * r + c] = sum / W[4 * c];
    }
  }
}

typedef struct scaling {
  pl_scaled_half *self;
  const pl_bsr *A;
  const double *inverse;
  const pl_small_factor *factor;
} scaling;

static void root_chunk(void *context, int chunk)
{
  const scaling *job = context;
  const pl_scaled_half *self = job->self;
  for (int row = job->A->chunk_rows[chunk]; row < job->A->chunk_rows[chunk + 1]; row++) {
    const double *B = row < self->inner ? job->inverse + 9 * (size_t)self->node[row]
                                        : job->factor->inverse + 9 * (size_t)(row - self->inner);
    take_root(B, self->scale + 9 * (size_t)row);
  }
}

/* U's block in a column's row, transposed and scaled as L's are. */
static void scale_mirrored(const scaling *job, int column, int at)
{
  const pl_scaled_half *self = job->self;
  const pl_bsr *A = job->A;
  int first = 0, k = pl_bsr_find(A, self->node[column], self->node[self->rows[at]]);
  double block[10] = {0}; // one more is read
  for (int i = 0; i < 9; i++) block[3 * (i % 3) + i / 3] = A->values[9 * (size_t)k + (size_t)i];
  pl_eisenstat_kernel_pick()->scale(block, &first, self->rows + at, 1, self->scale, column,
                                    self->upper + 9 * (size_t)at);
}

/* U^T of a column; the factor's is L's. */
static void scale_upper(const scaling *job, int column)
{
  const pl_scaled_half *self = job->self;
  size_t start = 9 * (size_t)self->start[column], end = 9 * (size_t)self->start[column + 1];
  if (column >= self->inner) {
    memcpy(self->upper + start, self->values + start, (end - start) * sizeof *self->upper);
    return;
  }
  for (int at = self->start[column]; at < self->start[column + 1]; at++)
    scale_mirrored(job, column, at);
}

static void scale_chunk(void *context, int chunk)
{
  const scaling *job = context;
  const pl_scaled_half *self = job->self;
  const pl_eisenstat_kernel *kernel = pl_eisenstat_kernel_pick();
  for (int column = job->A->chunk_rows[chunk]; column < job->A->chunk_rows[chunk + 1]; column++) {
    int at = self->start[column], count = self->start[column + 1] - at;
    const double *from = column < self->inner ? job->A->values : job->factor->W;
    kernel->scale(from, self->source + at, self->rows + at, count, self->scale, column,
                  self->values + 9 * (size_t)at);
    if (job->A->is_unsymmetric) scale_upper(job, column);
  }
}

pl_status pl_half_prepare(pl_scaled_half *self, const pl_bsr *A, const double *inverse,
                          const pl_pairs *pairs, const pl_small_factor *factor, pl_pool *pool,
                          pl_error *error)
{
  uint64_t pattern = factor ? pl_correction_pattern(pairs) : 0;
  if (self->is_broken || self->pattern != pattern || (A->is_unsymmetric && !self->upper)) {
    self->is_broken = 1;
    pl_status status = make_pattern(self, A, pairs, factor, error);
    if (status) return status;
    self->is_broken = 0;
    self->pattern = pattern;
  }
  scaling job = {.self = self, .A = A, .inverse = inverse, .factor = factor};
  pl_parallel(pool, A->chunks, root_chunk, &job);
  pl_parallel(pool, A->chunks, scale_chunk, &job);
  return PL_OK;
}
