/* The matrix of the touched blocks, its inverse or sweeps, and the application around B. */
#include "sparse/correction.h"

#include "core/error.h"
#include "core/hash.h"
#include "core/memory.h"
#include "sparse/cholesky.h"
#include "sparse/small_factor.h"
#include "sparse/triangle_kernel.h"

#include <limits.h>
#include <string.h>

enum {
  MOST_EXACT = 5000, /* touched blocks, beyond which no order is looked for */
  PRODUCTS = 200,    /* with A that a complete factor may cost */
  MOST_TRIALS = 16,  /* of a factor with a raised diagonal */
  MOST_SHARES = 8,   /* of the touched blocks, each with a list of its own */
  SHARE = 64         /* blocks of one at least */
};
static const double first_shift = 1e-3;

typedef struct pl_correction {
  pl_allocator allocator;
  const pl_bsr *A;
  const pl_filter *filter;
  uint64_t pattern; /* hash of what the pattern was made for */
  int is_made, is_exact;
  double shift; /* by which the factor's diagonal is raised, as a part of itself */
  pl_bsr M;     /* A_cc; its arrays are here, without chunks */
  size_t row_room, column_room, value_room;
  int *seen;                  /* per share and touched block: work */
  const double **projections; /* per touched block, NULL: free */
  double *inverse;            /* of M's diagonal blocks, for sweeps */
  double *in, *out, *rest;    /* vectors over c */
  double *all;                /* a vector over all rows */
  size_t all_room, seen_room;
  pl_small_factor factor;
} pl_correction;

pl_correction *pl_correction_create(const pl_allocator *allocator)
{
  pl_correction *self = pl_alloc(allocator, 1, sizeof *self);
  if (self) self->allocator = self->factor.allocator = *allocator;
  return self;
}

void pl_correction_destroy(pl_correction *self)
{
  if (!self) return;
  pl_allocator allocator = self->allocator;
  void *arrays[] = {
      self->M.start, self->M.columns,           self->M.diagonal, self->M.values, self->seen,
      self->inverse, (void *)self->projections, self->in,         self->out,      self->rest,
      self->all};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(&allocator, arrays[i]);
  pl_small_factor_destroy(&self->factor);
  pl_free(&allocator, self);
}

int pl_correction_is_exact(const pl_pairs *pairs) { return pairs->correction->is_exact; }

const pl_small_factor *pl_correction_factor(const pl_pairs *pairs)
{
  const pl_correction *self = pairs->correction;
  return self->is_exact && self->shift == 0 ? &self->factor : NULL;
}

uint64_t pl_correction_pattern(const pl_pairs *pairs) { return pairs->correction->pattern; }

/* ---- the pattern ---- */

static uint64_t hash_of(const pl_pairs *pairs)
{
  uint64_t hash = PL_HASH_START;
  for (int s = 0; s < pairs->count; s++) {
    int64_t first = pairs->first[s];
    hash = pl_hash_words(hash, &first, 1);
    for (int e = pairs->first[s]; e < pairs->first[s + 1]; e++) {
      int64_t block = pairs->block[e];
      hash = pl_hash_words(hash, &block, 1);
    }
  }
  return hash;
}

/* Arrays with one element per touched block, twice as many as there are. */
static pl_status make_room(pl_correction *self, int count, int rows, pl_error *error)
{
  const pl_allocator *allocator = &self->allocator;
  if (pl_reserve(allocator, (void **)&self->all, &self->all_room, 3 * (size_t)rows,
                 sizeof *self->all) ||
      pl_reserve(allocator, (void **)&self->seen, &self->seen_room, MOST_SHARES * (size_t)count,
                 sizeof *self->seen))
    return pl_fail_memory(error);
  if ((size_t)count < self->row_room) return PL_OK;
  struct {
    void **at;
    size_t size;
  } arrays[] = {{(void **)&self->M.start, sizeof(int)},
                {(void **)&self->M.diagonal, sizeof(int)},
                {(void **)&self->projections, sizeof(double *)},
                {(void **)&self->inverse, 9 * sizeof(double)},
                {(void **)&self->in, 3 * sizeof(double)},
                {(void **)&self->out, 3 * sizeof(double)},
                {(void **)&self->rest, 3 * sizeof(double)}};
  self->row_room = 0;
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    pl_free(allocator, *arrays[i].at);
    *arrays[i].at = pl_alloc(allocator, 2 * (size_t)count + 1, arrays[i].size);
    if (!*arrays[i].at) return pl_fail_memory(error);
  }
  self->row_room = 2 * (size_t)count + 1;
  return PL_OK;
}

static void sort(int *list, int count)
{
  for (int i = 1; i < count; i++) {
    int value = list[i], k = i;
    for (; k > 0 && list[k - 1] > value; k--) list[k] = list[k - 1];
    list[k] = value;
  }
}

/* One job over shares of the touched blocks. */
typedef struct sharing {
  pl_correction *self;
  const pl_pairs *pairs;
  const pl_bsr *A;
} sharing;

typedef struct share {
  int first, last; /* touched blocks */
  int *seen;       /* per touched block: work */
} share;

static int share_count(int count)
{
  int most = pl_chunk_count(count, SHARE);
  return most < MOST_SHARES ? most : MOST_SHARES;
}

static share share_of(const sharing *job, int number)
{
  int64_t count = job->pairs->touched_count, shares = share_count((int)count);
  return (share){(int)(count * number / shares), (int)(count * (number + 1) / shares),
                 job->self->seen + (size_t)number * (size_t)count};
}

/* Puts a column into the row's list unless it is there. */
static void add_column(const sharing *job, const share *in, int row, int column, int *end)
{
  if (in->seen[column] == row + 1) return;
  in->seen[column] = row + 1;
  job->self->M.columns[(*end)++] = column;
}

/* The columns of A's row that are touched, and those of all stencils that touch it. Returns the
 * end. */
static int list_columns(const sharing *job, const share *in, int row)
{
  const pl_pairs *pairs = job->pairs;
  const pl_bsr *A = job->A;
  int node = pairs->touched[row], end = job->self->M.start[row];
  for (int k = A->start[node]; k < A->start[node + 1]; k++) {
    int column = pairs->local[A->columns[k]];
    if (column >= 0) add_column(job, in, row, column, &end);
  }
  for (int k = pairs->list_start[row]; k < pairs->list_start[row + 1]; k++) {
    int s = pairs->list_stencil[k];
    for (int e = pairs->first[s]; e < pairs->first[s + 1]; e++)
      add_column(job, in, row, pairs->local[pairs->block[e]], &end);
  }
  return end;
}

/* M.diagonal is how many blocks a row has. */
static void make_rows(void *context, int number)
{
  const sharing *job = context;
  const share in = share_of(job, number);
  pl_bsr *M = &job->self->M;
  memset(in.seen, 0, (size_t)M->rows * sizeof *in.seen);
  for (int row = in.first; row < in.last; row++) {
    M->diagonal[row] = list_columns(job, &in, row) - M->start[row];
    sort(M->columns + M->start[row], M->diagonal[row]);
  }
}

/* Room for every row, as if no block came twice. Returns the end. */
static int64_t place_rows(pl_correction *self, const pl_pairs *pairs, const pl_bsr *A)
{
  int64_t end = 0;
  for (int row = 0; row < pairs->touched_count && end < INT_MAX; row++) {
    int node = pairs->touched[row];
    self->M.start[row] = (int)end;
    end += A->start[node + 1] - A->start[node];
    for (int k = pairs->list_start[row]; k < pairs->list_start[row + 1]; k++) {
      int s = pairs->list_stencil[k];
      end += pairs->first[s + 1] - pairs->first[s];
    }
  }
  return end;
}

/* Rows one behind the other, and where their diagonals are. */
static void pack_rows(pl_bsr *M)
{
  int end = 0;
  for (int row = 0; row < M->rows; row++) {
    int from = M->start[row], size = M->diagonal[row];
    memmove(M->columns + end, M->columns + from, (size_t)size * sizeof *M->columns);
    M->start[row] = M->diagonal[row] = end;
    while (M->columns[M->diagonal[row]] < row) M->diagonal[row]++;
    end += size;
  }
  M->start[M->rows] = end;
}

static pl_status make_pattern(pl_correction *self, const pl_pairs *pairs, const pl_bsr *A,
                              pl_pool *pool, pl_error *error)
{
  int count = pairs->touched_count;
  pl_bsr *M = &self->M;
  sharing job = {self, pairs, A};
  pl_status status = make_room(self, count, A->rows, error);
  if (status) return status;
  M->rows = count;
  int64_t most = place_rows(self, pairs, A);
  if (most >= INT_MAX)
    return pl_fail(error, PL_E_LIMIT, "%d blocks in contact have too many pairs", count);
  if (pl_reserve(&self->allocator, (void **)&M->columns, &self->column_room, (size_t)most,
                 sizeof *M->columns))
    return pl_fail_memory(error);
  pl_parallel(pool, share_count(count), make_rows, &job);
  pack_rows(M);
  // sweeps load a little beyond the end
  if (pl_reserve(&self->allocator, (void **)&M->values, &self->value_room,
                 9 * (size_t)M->start[count] + 4, sizeof *M->values))
    return pl_fail_memory(error);
  self->is_exact = 0;
  if (count > MOST_EXACT) return PL_OK;
  status =
      pl_small_factor_analyse(&self->factor, M, PRODUCTS * 9.0 * A->start[A->rows], pool, error);
  self->is_exact = self->factor.count > 0;
  return status;
}

/* ---- the values ---- */

/* Adds a row's blocks of a stencil, whose entry e the row is, where seen has the places of the
 * row's columns. */
static void add_stencil(pl_bsr *M, const int *seen, const pl_pairs *pairs, int s, int e)
{
  const double *D = pairs->D + 9 * (size_t)s, *w = pairs->weight;
  const double turned[9] = {D[0], D[3], D[6], D[1], D[4], D[7], D[2], D[5], D[8]};
  double block[9];
  for (int b = pairs->first[s]; b < pairs->first[s + 1]; b++) {
    double *to = M->values + 9 * (size_t)seen[pairs->local[pairs->block[b]]];
    if (pairs->is_scalar[s]) { // as pl_pairs_block has it
      for (int i = 0; i < 9; i++) to[i] += w[e] * (w[b] * turned[i]);
      continue;
    }
    pl_pairs_block(pairs, s, e, b, block);
    for (int i = 0; i < 9; i++) to[3 * (i % 3) + i / 3] += block[i];
  }
}

/* Row by row; stencils are listed in their order at every row. */
static void load_rows(void *context, int number)
{
  const sharing *job = context;
  const share in = share_of(job, number);
  const pl_pairs *pairs = job->pairs;
  const pl_bsr *A = job->A;
  pl_bsr *M = &job->self->M;
  size_t from = 9 * (size_t)M->start[in.first], to = 9 * (size_t)M->start[in.last];
  memset(M->values + from, 0, (to - from) * sizeof *M->values);
  for (int row = in.first; row < in.last; row++) {
    int node = pairs->touched[row];
    for (int k = M->start[row]; k < M->start[row + 1]; k++) in.seen[M->columns[k]] = k;
    for (int k = A->start[node]; k < A->start[node + 1]; k++) {
      int column = pairs->local[A->columns[k]];
      if (column < 0) continue;
      memcpy(M->values + 9 * (size_t)in.seen[column], A->values + 9 * (size_t)k,
             9 * sizeof *M->values);
    }
    for (int k = pairs->list_start[row]; k < pairs->list_start[row + 1]; k++)
      add_stencil(M, in.seen, pairs, pairs->list_stencil[k], pairs->list_entry[k]);
  }
}

static void find_projections(pl_correction *self, const pl_pairs *pairs, const pl_filter *filter)
{
  int entry = 0;
  for (int row = 0; row < pairs->touched_count; row++) {
    int node = pairs->touched[row];
    while (filter && entry < filter->count && filter->nodes[entry] < node) entry++;
    int is_held = filter && entry < filter->count && filter->nodes[entry] == node;
    self->projections[row] = is_held ? filter->projections + 9 * (size_t)entry : NULL;
  }
}

static pl_status fail_factor(pl_status status, double shift, pl_error *error)
{
  if (status == PL_E_DIVERGED)
    return pl_fail(error, status,
                   "the matrix of the blocks in contact is not finite; use a smaller time step");
  return pl_fail(error, status,
                 "the matrix of the blocks in contact is indefinite even with a diagonal raised by "
                 "%.3g times itself; use a smaller time step or a tangent without negative "
                 "eigenvalues",
                 shift);
}

static pl_status invert_diagonal(pl_correction *self, double shift)
{
  for (int row = 0; row < self->M.rows; row++) {
    double D[9];
    const double *from = self->M.values + 9 * (size_t)self->M.diagonal[row];
    for (int i = 0; i < 9; i++) D[i] = (1 + shift) * from[i];
    pl_status status =
        pl_cholesky_invert(D, self->projections[row], self->inverse + 9 * (size_t)row);
    if (status) return status;
  }
  return PL_OK;
}

/* Trials with an ever larger diagonal, for matrices that are indefinite: what is a preconditioner
 * has to be positive definite all the same. */
static pl_status factorise(pl_correction *self, pl_pool *pool, pl_error *error)
{
  double shift = 0, last = 0;
  for (int trial = 0; trial < MOST_TRIALS; trial++) {
    pl_status status = self->is_exact ? pl_small_factor_compute(&self->factor, &self->M,
                                                                self->projections, shift, pool)
                                      : invert_diagonal(self, shift);
    self->shift = shift;
    if (!status) return PL_OK;
    if (status == PL_E_DIVERGED) return fail_factor(status, 0, error);
    last = shift;
    shift = shift > 0 ? 2 * shift : first_shift;
  }
  return fail_factor(PL_E_INDEFINITE, last, error);
}

pl_status pl_correction_prepare(const pl_pairs *pairs, const pl_bsr *A, const pl_filter *filter,
                                pl_pool *pool, pl_error *error)
{
  pl_correction *self = pairs->correction;
  uint64_t pattern = hash_of(pairs);
  if (!self->is_made || self->pattern != pattern || self->A != A) {
    self->is_made = 0;
    pl_status status = make_pattern(self, pairs, A, pool, error);
    if (status) return status;
    self->is_made = 1;
    self->pattern = pattern;
    self->A = A;
  }
  self->filter = filter;
  sharing job = {self, pairs, A};
  pl_parallel(pool, share_count(pairs->touched_count), load_rows, &job);
  find_projections(self, pairs, filter);
  return factorise(self, pool, error);
}

/* ---- the application ---- */

/* y -= block x, and y -= block^T x, for a block column by column. */
static inline void subtract(const double *block, const double *x, double *y)
{
  for (int i = 0; i < 3; i++) y[i] -= block[i] * x[0] + block[3 + i] * x[1] + block[6 + i] * x[2];
}

static inline void subtract_turned(const double *block, const double *x, double *y)
{
  for (int i = 0; i < 3; i++)
    y[i] -= block[3 * i] * x[0] + block[3 * i + 1] * x[1] + block[3 * i + 2] * x[2];
}

/* rest = b - M x over c. */
static void residual(const pl_correction *self, const double *b, const double *x, double *rest)
{
  const pl_bsr *M = &self->M;
  for (int row = 0; row < M->rows; row++) {
    double *to = rest + 3 * (size_t)row;
    memcpy(to, b + 3 * (size_t)row, 3 * sizeof *to);
    for (int k = M->start[row]; k < M->start[row + 1]; k++)
      subtract(M->values + 9 * (size_t)k, x + 3 * (size_t)M->columns[k], to);
  }
}

/* out = S in. */
static void smooth(const pl_correction *self, const double *in, double *out, pl_pool *pool)
{
  if (self->is_exact) {
    pl_small_factor_solve(&self->factor, in, out, pool);
    return;
  }
  const pl_triangle_kernel *kernel = pl_triangle_kernel_pick();
  pl_triangles M = {&self->M, self->M.values, self->inverse};
  kernel->forward(&M, in, out);
  kernel->backward(&M, out, out);
}

static void gather(const pl_pairs *pairs, const double *all, double *some)
{
  for (int t = 0; t < pairs->touched_count; t++)
    memcpy(some + 3 * (size_t)t, all + 3 * (size_t)pairs->touched[t], 3 * sizeof *some);
}

static void add_to(const pl_pairs *pairs, const double *some, double *all)
{
  for (int t = 0; t < pairs->touched_count; t++) {
    for (int i = 0; i < 3; i++) all[3 * (size_t)pairs->touched[t] + (size_t)i] += some[3 * t + i];
  }
}

/* all = P (r - (A + K) E z), r given over c too. */
static void leave_rest(const pl_correction *self, const pl_pairs *pairs, const double *r,
                       const double *z)
{
  const pl_bsr *A = self->A;
  double *all = self->all;
  memcpy(all, r, 3 * (size_t)A->rows * sizeof *all);
  // a complete factor leaves nothing at c
  if (self->is_exact && self->shift == 0)
    memset(self->rest, 0, 3 * (size_t)self->M.rows * sizeof *self->rest);
  else
    residual(self, self->in, z, self->rest);
  for (int t = 0; t < pairs->touched_count; t++) {
    int node = pairs->touched[t];
    memcpy(all + 3 * (size_t)node, self->rest + 3 * (size_t)t, 3 * sizeof *all);
    for (int k = A->start[node]; k < A->start[node + 1]; k++) {
      int column = A->columns[k];
      if (pairs->local[column] < 0)
        subtract_turned(A->values + 9 * (size_t)k, z + 3 * (size_t)t, all + 3 * (size_t)column);
    }
  }
  pl_filter_apply(self->filter, all);
}

/* rest = E^T (r - (A + K) z). */
static void rest_of(const pl_correction *self, const pl_pairs *pairs, const double *z)
{
  const pl_bsr *A = self->A;
  gather(pairs, z, self->out);
  residual(self, self->in, self->out, self->rest);
  for (int t = 0; t < pairs->touched_count; t++) {
    int node = pairs->touched[t];
    for (int k = A->start[node]; k < A->start[node + 1]; k++) {
      int column = A->columns[k];
      if (pairs->local[column] < 0)
        subtract(A->values + 9 * (size_t)k, z + 3 * (size_t)column, self->rest + 3 * (size_t)t);
    }
  }
}

void pl_correction_apply(const pl_pairs *pairs, pl_preconditioner *base, const double *r, double *z,
                         pl_pool *pool)
{
  pl_correction *self = pairs->correction;
  gather(pairs, r, self->in);
  smooth(self, self->in, self->out, pool);
  leave_rest(self, pairs, r, self->out);
  base->ops->apply(base, self->all, z, pool);
  add_to(pairs, self->out, z);
  rest_of(self, pairs, z);
  smooth(self, self->rest, self->out, pool);
  add_to(pairs, self->out, z);
}
