/* Incomplete Cholesky with a drop tolerance, by blocks: A ~ (D + U)^T D^-1 (D + U), where U_ji
 * keeps what is not small,
 *
 *   U_ji = A_ji - sum_k U_kj^T D_k^-1 U_ki     dropped if |U_ji|^2 < drop^2 |A_jj| |A_ii|
 *
 * (Frobenius norms), and of each row no more blocks than A has there and "fill" besides, the
 * largest ones: so memory is bounded though the pattern depends on the values, and all of it is
 * taken in the beginning (ILUT; Saad 1994, and Lin & More 1999 for symmetric matrices). See
 * cholesky.h for breakdowns and constraints. Factor and sweeps run in one thread. */
#include "core/error.h"
#include "core/memory.h"
#include "sparse/cholesky.h"
#include "sparse/triangle_kernel.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum { DROP, FILL };

/* A block of the row in work. */
typedef struct candidate {
  int column;
  double size;
} candidate;

typedef struct threshold {
  pl_cholesky common;
  double drop;
  int fill;
  // the factor, row by row, columns ascending, without D
  int *start, *columns;
  double *values;
  // the row in work: its columns, their blocks, and at each column its place in them or -1
  int count, *place;
  candidate *row;
  double *blocks;
  // rows whose next block stands in column j: a list from first[j] on
  int *first, *next, *at;
  double *diagonal; /* |A_ii|; infinite where nothing is free, so that no block is kept */
  // both halves side by side, for the sweeps
  pl_bsr pattern;
} threshold;

static void destroy(pl_preconditioner *common)
{
  threshold *self = (threshold *)common;
  void *all[] = {self->start,
                 self->columns,
                 self->values,
                 self->place,
                 self->row,
                 self->blocks,
                 self->first,
                 self->next,
                 self->at,
                 self->diagonal,
                 self->pattern.start,
                 self->pattern.columns,
                 self->pattern.values,
                 self->pattern.diagonal};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) pl_free(&common->allocator, all[i]);
  pl_blockwise_destroy(common);
}

static pl_status create(pl_preconditioner *common, const pl_bsr *A, const double *values,
                        pl_error *error)
{
  threshold *self = (threshold *)common;
  pl_status status = pl_blockwise_create(common, A, values, error);
  if (status) return status;
  self->drop = fmax(values[DROP], DBL_MIN);
  const pl_allocator *allocator = &common->allocator;
  size_t rows = (size_t)A->rows, upper = ((size_t)A->start[A->rows] - rows) / 2;
  self->fill = (int)fmin(values[FILL], (double)rows);
  size_t max = upper + (size_t)self->fill * rows;
  if (2 * max + rows > INT_MAX)
    return pl_fail(error, PL_E_LIMIT,
                   "fill = %d for %d rows are more blocks than there may be; lower fill",
                   self->fill, A->rows);
  self->start = pl_alloc(allocator, rows + 1, sizeof *self->start);
  self->columns = pl_alloc(allocator, max, sizeof *self->columns);
  self->values = pl_alloc(allocator, 9 * max, sizeof *self->values);
  self->place = pl_alloc(allocator, rows, sizeof *self->place);
  self->row = pl_alloc(allocator, rows, sizeof *self->row);
  self->blocks = pl_alloc(allocator, 9 * rows, sizeof *self->blocks);
  self->first = pl_alloc(allocator, rows, sizeof *self->first);
  self->next = pl_alloc(allocator, rows, sizeof *self->next);
  self->at = pl_alloc(allocator, rows, sizeof *self->at);
  self->diagonal = pl_alloc(allocator, rows, sizeof *self->diagonal);
  pl_bsr *pattern = &self->pattern;
  pattern->rows = A->rows;
  pattern->start = pl_alloc(allocator, rows + 1, sizeof *pattern->start);
  pattern->diagonal = pl_alloc(allocator, rows, sizeof *pattern->diagonal);
  pattern->columns = pl_alloc(allocator, 2 * max + rows, sizeof *pattern->columns);
  // sweeps load a little beyond the end
  pattern->values = pl_alloc(allocator, 9 * (2 * max + rows) + 4, sizeof *pattern->values);
  return self->start && self->columns && self->values && self->place && self->row && self->blocks &&
                 self->first && self->next && self->at && self->diagonal && pattern->start &&
                 pattern->diagonal && pattern->columns && pattern->values
             ? PL_OK
             : pl_fail_memory(error);
}

static double size_of(const double *block)
{
  double sum = 0;
  for (int i = 0; i < 9; i++) sum += block[i] * block[i];
  return sqrt(sum);
}

/* The block of the row in work that stands in the column; a new one is zero. */
static double *block_at(threshold *self, int column)
{
  if (self->place[column] < 0) {
    self->place[column] = self->count;
    self->row[self->count].column = column;
    memset(self->blocks + 9 * (size_t)self->count++, 0, 9 * sizeof(double));
  }
  return self->blocks + 9 * (size_t)self->place[column];
}

/* Row k waits for the column of its next block. */
static void wait(threshold *self, int k)
{
  if (self->at[k] == self->start[k + 1]) return;
  int column = self->columns[self->at[k]];
  self->next[k] = self->first[column];
  self->first[column] = k;
}

/* The complete row: A's and what all rows above take from it. D is its first block. */
static void gather(threshold *self, const pl_bsr *A, int row, double shift)
{
  const double *inverse = self->common.blockwise.blocks;
  self->count = 0;
  for (int k = A->diagonal[row]; k < A->start[row + 1]; k++)
    memcpy(block_at(self, A->columns[k]), A->values + 9 * (size_t)k, 9 * sizeof(double));
  for (int i = 0; i < 9; i++) self->blocks[i] *= 1 + shift;
  for (int k = self->first[row], after; k >= 0; k = after) {
    after = self->next[k];
    // U_kj^T
    const double *U = self->values + 9 * (size_t)self->at[k];
    double mirror[9];
    for (int i = 0; i < 9; i++) mirror[i] = U[3 * (i % 3) + i / 3];
    for (int m = self->at[k]; m < self->start[k + 1]; m++) {
      // Y^T = U_ki
      const double *V = self->values + 9 * (size_t)m;
      double other[9];
      for (int i = 0; i < 9; i++) other[i] = V[3 * (i % 3) + i / 3];
      pl_block_subtract(mirror, inverse + 9 * k, other, block_at(self, self->columns[m]));
    }
    self->at[k]++;
    wait(self, k);
  }
}

static int is_larger(candidate a, candidate b)
{
  return a.size > b.size || (!(a.size < b.size) && a.column < b.column);
}

static int is_left(candidate a, candidate b) { return a.column < b.column; }

/* Shell's sort, which needs no memory. */
static void sort(candidate *all, int count, int (*before)(candidate, candidate))
{
  int gap = 1;
  while (gap < count / 3) gap = 3 * gap + 1;
  for (; gap > 0; gap /= 3) {
    for (int i = gap; i < count; i++) {
      candidate one = all[i];
      int k = i;
      for (; k >= gap && before(one, all[k - gap]); k -= gap) all[k] = all[k - gap];
      all[k] = one;
    }
  }
}

/* Keeps of the row in work what is not small, and of that no more than there is room. */
static void keep(threshold *self, const pl_bsr *A, int row)
{
  int kept = 0, max = A->start[row + 1] - A->diagonal[row] - 1 + self->fill;
  candidate *all = self->row;
  double limit = self->drop * sqrt(self->diagonal[row]);
  for (int i = 1; i < self->count; i++) {
    candidate one = {all[i].column, size_of(self->blocks + 9 * (size_t)i)};
    // what is not finite is kept, and found
    if (one.size <= limit * sqrt(self->diagonal[one.column]))
      self->place[one.column] = -1;
    else
      all[kept++] = one;
  }
  if (kept > max) {
    sort(all, kept, is_larger);
    for (int i = max; i < kept; i++) self->place[all[i].column] = -1;
    kept = max;
  }
  sort(all, kept, is_left);
  int to = self->start[row];
  for (int i = 0; i < kept; i++, to++) {
    int column = all[i].column;
    self->columns[to] = column;
    memcpy(self->values + 9 * (size_t)to, self->blocks + 9 * (size_t)self->place[column],
           9 * sizeof(double));
    self->place[column] = -1;
  }
  self->place[row] = -1;
  self->start[row + 1] = to;
}

static pl_status factorise(pl_cholesky *common, const pl_bsr *A, const pl_filter *filter,
                           double shift)
{
  threshold *self = (threshold *)common;
  for (int row = 0; row < A->rows; row++) {
    self->place[row] = self->first[row] = -1;
    self->diagonal[row] = size_of(A->values + 9 * (size_t)A->diagonal[row]);
  }
  for (int i = 0; filter && i < filter->count; i++) {
    const double *P = filter->projections + 9 * i;
    if (P[0] + P[4] + P[8] < 0.5) self->diagonal[filter->nodes[i]] = INFINITY;
  }
  self->start[0] = 0;
  int entry = 0;
  for (int row = 0; row < A->rows; row++) {
    const double *P = NULL;
    if (filter && entry < filter->count && filter->nodes[entry] == row)
      P = filter->projections + 9 * entry++;
    gather(self, A, row, shift);
    pl_status status = pl_cholesky_invert(self->blocks, P, common->blockwise.blocks + 9 * row);
    if (status) return status;
    keep(self, A, row);
    self->at[row] = self->start[row];
    wait(self, row);
  }
  return PL_OK;
}

/* Both halves in one pattern: rows of U^T, a place for D, rows of U. */
static void mirror(threshold *self)
{
  pl_bsr *both = &self->pattern;
  int rows = both->rows, *fill = self->at;
  memset(both->start, 0, ((size_t)rows + 1) * sizeof *both->start);
  for (int row = 0; row < rows; row++) {
    both->start[row + 1] += 1 + self->start[row + 1] - self->start[row];
    for (int k = self->start[row]; k < self->start[row + 1]; k++)
      both->start[self->columns[k] + 1]++;
  }
  for (int row = 0; row < rows; row++) {
    both->start[row + 1] += both->start[row];
    fill[row] = both->start[row];
  }
  for (int row = 0; row < rows; row++) {
    // all rows above have put theirs before the diagonal
    int to = both->diagonal[row] = fill[row];
    both->columns[to++] = row;
    for (int k = self->start[row]; k < self->start[row + 1]; k++, to++) {
      const double *from = self->values + 9 * (size_t)k;
      int column = self->columns[k], across = fill[column]++;
      both->columns[to] = column;
      both->columns[across] = row;
      memcpy(both->values + 9 * (size_t)to, from, 9 * sizeof(double));
      for (int i = 0; i < 9; i++)
        both->values[9 * (size_t)across + (size_t)i] = from[3 * (i % 3) + i / 3];
    }
  }
}

static pl_status prepare(pl_preconditioner *common, const pl_bsr *A, const pl_filter *filter,
                         pl_pool *pool, pl_error *error)
{
  threshold *self = (threshold *)common;
  pl_status status = pl_cholesky_prepare(&self->common, A, filter, pool, factorise, error);
  if (!status) mirror(self);
  return status;
}

static void apply(pl_preconditioner *common, const double *r, double *z, pl_pool *pool)
{
  (void)pool;
  const threshold *self = (const threshold *)common;
  const pl_triangle_kernel *kernel = pl_triangle_kernel_pick();
  pl_triangles M = {&self->pattern, self->pattern.values, self->common.blockwise.blocks};
  kernel->forward(&M, r, z);
  kernel->backward(&M, z, z);
}

static const double *blocks(const pl_preconditioner *self)
{
  (void)self;
  return NULL;
}

static const pl_param params[] = {
    {"drop", "1", "blocks are dropped that are smaller than this times their rows' diagonals", 0.01,
     0, 1, NULL, 0},
    {"fill", "1", "most blocks per row that it may have beyond the matrix's own", 10, 0, 1000, NULL,
     0},
};

const pl_preconditioner_ops pl_preconditioner_threshold = {
    .info = {"threshold-cholesky",
             "incomplete Cholesky by 3x3 blocks with a drop tolerance, in one thread",
             "Saad 1994, Lin & More 1999", params, 2, NULL},
    .state_size = sizeof(threshold),
    .create = create,
    .destroy = destroy,
    .prepare = prepare,
    .apply = apply,
    .blocks = blocks,
    .choice = pl_cholesky_choice,
};
