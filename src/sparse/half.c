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
                    self->values, self->lower, self->scale, self->part_nodes};
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
static void order_rows(pl_scaled_half *self, const pl_pairs *pairs, const pl_small_factor *factor)
{
  int row = 0;
  for (int part = 0; part < self->parts; part++) {
    self->part_rows[part] = row;
    for (int node = self->part_nodes[part]; node < self->part_nodes[part + 1]; node++) {
      if (factor && pairs->local[node] >= 0) continue;
      self->place[node] = row;
      self->node[row++] = node;
    }
  }
  self->part_rows[self->parts] = self->inner = row;
  for (int k = 0; factor && k < factor->count; k++, row++) {
    self->node[row] = pairs->touched[factor->order[k]];
    self->place[self->node[row]] = row;
  }
}

/* ---- the pattern ---- */

typedef struct patterning {
  pl_scaled_half *self;
  const pl_bsr *A;
} patterning;

/* How many blocks the columns of a part have, and it has in all. */
static void count_part(void *context, int part)
{
  const patterning *job = context;
  pl_scaled_half *self = job->self;
  int sum = 0;
  for (int column = self->part_rows[part]; column < self->part_rows[part + 1]; column++) {
    int node = self->node[column], count = 0;
    for (int i = job->A->start[node]; i < job->A->start[node + 1]; i++)
      count += self->place[job->A->columns[i]] > column;
    self->start[column] = count;
    sum += count;
  }
  self->part_blocks[part] = sum;
}

/* From sums to where parts begin; returns the end. */
static int place_parts(pl_scaled_half *self)
{
  int at = 0;
  for (int part = 0; part < self->parts; part++) {
    int size = self->part_blocks[part];
    self->part_blocks[part] = at;
    at += size;
  }
  return at;
}

/* Those that stand in L of a column, from a place on: rows from first to before last. They are
 * found across the diagonal, where they are in the order of rows. Returns the end. */
static int list_column(pl_scaled_half *self, const pl_bsr *A, int column, int first, int last,
                       int at)
{
  int node = self->node[column];
  for (int k = A->start[node]; k < A->start[node + 1]; k++) {
    int row = self->place[A->columns[k]];
    if (row < first || row >= last) continue;
    self->rows[at] = row;
    self->source[at++] = k;
  }
  return at;
}

static void list_part(void *context, int part)
{
  const patterning *job = context;
  pl_scaled_half *self = job->self;
  int at = self->part_blocks[part];
  for (int column = self->part_rows[part]; column < self->part_rows[part + 1]; column++) {
    self->start[column] = at;
    at = list_column(self, job->A, column, column + 1, self->inner, at);
    at = list_column(self, job->A, column, self->inner, job->A->rows, at);
  }
}

static pl_status make_room(pl_scaled_half *self, size_t blocks, int is_unsymmetric, pl_error *error)
{
  const pl_allocator *allocator = &self->allocator;
  // one double more is read
  if (pl_reserve(allocator, (void **)&self->rows, &self->row_room, blocks, sizeof(int)) ||
      pl_reserve(allocator, (void **)&self->source, &self->source_room, blocks, sizeof(int)) ||
      pl_reserve(allocator, (void **)&self->values, &self->value_room, 9 * blocks + 1,
                 sizeof(double)) ||
      (is_unsymmetric && pl_reserve(allocator, (void **)&self->lower, &self->lower_room,
                                    9 * blocks + 1, sizeof(double))))
    return pl_fail_memory(error);
  self->values[9 * blocks] = 0;
  if (is_unsymmetric) self->lower[9 * blocks] = 0;
  return PL_OK;
}

/* The columns of the factor, from a place on. */
static void list_factor(pl_scaled_half *self, const pl_small_factor *factor, int at)
{
  for (int k = 0; k <= factor->count; k++) self->start[self->inner + k] = at + factor->start[k];
  for (int e = 0; e < factor->start[factor->count]; e++) {
    self->rows[at + e] = self->inner + factor->rows[e];
    self->source[at + e] = e;
  }
}

static pl_status make_pattern(pl_scaled_half *self, const pl_bsr *A, const pl_pairs *pairs,
                              const pl_small_factor *factor, pl_pool *pool, pl_error *error)
{
  patterning job = {self, A};
  order_rows(self, pairs, factor);
  pl_parallel(pool, self->parts, count_part, &job);
  int own = place_parts(self), rest = factor ? factor->start[factor->count] : 0;
  pl_status status = make_room(self, (size_t)own + (size_t)rest, A->is_unsymmetric, error);
  if (status) return status;
  pl_parallel(pool, self->parts, list_part, &job);
  self->start[self->inner] = own;
  if (factor) list_factor(self, factor, own);
  return PL_OK;
}

pl_status pl_half_create(pl_scaled_half *self, const pl_allocator *allocator, const pl_bsr *A,
                         pl_error *error)
{
  size_t rows = (size_t)A->rows, most = rows / SMALL_PART + 2;
  self->allocator = *allocator;
  self->node = pl_alloc(allocator, 2 * rows, sizeof *self->node);
  self->start = pl_alloc(allocator, rows + 1, sizeof *self->start);
  self->part_nodes = pl_alloc(allocator, 3 * most, sizeof *self->part_nodes);
  self->scale = pl_alloc(allocator, 9 * rows + 1, sizeof *self->scale);
  if (!self->node || !self->start || !self->part_nodes || !self->scale)
    return pl_fail_memory(error);
  self->place = self->node + rows;
  self->part_rows = self->part_nodes + most;
  self->part_blocks = self->part_rows + most;
  self->scale[9 * rows] = 0;
  find_parts(self, A);
  return make_pattern(self, A, NULL, NULL, NULL, error);
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

/* L's own blocks of a column; the factor's are the same. */
static void scale_lower(const scaling *job, int column)
{
  const pl_scaled_half *self = job->self;
  const pl_bsr *A = job->A;
  size_t start = 9 * (size_t)self->start[column], end = 9 * (size_t)self->start[column + 1];
  if (column >= self->inner) {
    memcpy(self->lower + start, self->values + start, (end - start) * sizeof *self->lower);
    return;
  }
  for (int at = self->start[column]; at < self->start[column + 1]; at++) {
    int k = pl_bsr_find(A, self->node[self->rows[at]], self->node[column]);
    pl_eisenstat_kernel_pick()->scale(A->values, &k, self->rows + at, 1, self->scale, column,
                                      self->lower + 9 * (size_t)at);
  }
}

static void scale_chunk(void *context, int chunk)
{
  const scaling *job = context;
  const pl_scaled_half *self = job->self;
  const pl_eisenstat_kernel *kernel = pl_eisenstat_kernel_pick();
  for (int column = job->A->chunk_rows[chunk]; column < job->A->chunk_rows[chunk + 1]; column++) {
    int at = self->start[column], count = self->start[column + 1] - at;
    int is_inner = column < self->inner;
    const double *from = is_inner ? job->A->values : job->factor->W;
    (is_inner ? kernel->scale_turned : kernel->scale)(from, self->source + at, self->rows + at,
                                                      count, self->scale, column,
                                                      self->values + 9 * (size_t)at);
    if (job->A->is_unsymmetric) scale_lower(job, column);
  }
}

pl_status pl_half_prepare(pl_scaled_half *self, const pl_bsr *A, const double *inverse,
                          const pl_pairs *pairs, const pl_small_factor *factor, pl_pool *pool,
                          pl_error *error)
{
  uint64_t pattern = factor ? pl_correction_pattern(pairs) : 0;
  if (self->is_broken || self->pattern != pattern || (A->is_unsymmetric && !self->lower)) {
    self->is_broken = 1;
    pl_status status = make_pattern(self, A, pairs, factor, pool, error);
    if (status) return status;
    self->is_broken = 0;
    self->pattern = pattern;
  }
  scaling job = {.self = self, .A = A, .inverse = inverse, .factor = factor};
  pl_parallel(pool, A->chunks, root_chunk, &job);
  pl_parallel(pool, A->chunks, scale_chunk, &job);
  return PL_OK;
}
