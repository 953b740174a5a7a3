/* The hierarchical basis: B = P S D^-1 S^T P.
 *
 * Rows that came into a mesh when it was refined have two parents (pl_bsr.children). S takes
 * coefficients of the hierarchical basis to values at rows, x_i += (x_p + x_q) / 2 from coarse to
 * fine, and S^T forces back; D are the diagonal blocks of S^T A S. Without such rows this is the
 * block-diagonal preconditioner. In three dimensions its condition still grows as 1/h (Yserentant
 * 1986; in two as log^2 h), so multigrid is better, but a sweep costs next to nothing. Hauth 2004,
 * 3.1.2, algorithms 3.1 and 3.3.
 *
 * D_a is the sum of w_ia w_ja A_ij over the blocks of A, where row i of S has the weight w_ia at a:
 * these weights are kept as one list per row. */
#include "core/error.h"
#include "core/memory.h"
#include "sparse/blockwise.h"

#include <string.h>

typedef struct hierarchical {
  pl_blockwise blockwise; /* the inverses of D */
  const pl_bsr *A;
  const pl_filter *filter;
  double *D;  /* 9 numbers per row */
  int *start; /* the rows that a row has weights of: [start[i], end[i]), ascending */
  int *end, *rows;
  double *weights;
  size_t used, row_room, weight_room;
} hierarchical;

/* ---- weights ---- */

static pl_status add(hierarchical *self, int row, double weight)
{
  const pl_allocator *allocator = &self->blockwise.common.allocator;
  void *rows = self->rows, *weights = self->weights;
  size_t needed = self->used + 1;
  pl_status status = pl_reserve(allocator, &rows, &self->row_room, needed, sizeof(int));
  self->rows = rows;
  if (!status) status = pl_reserve(allocator, &weights, &self->weight_room, needed, sizeof(double));
  self->weights = weights;
  if (status || needed > INT32_MAX) return PL_E_MEMORY;
  self->rows[self->used] = row;
  self->weights[self->used++] = weight;
  return PL_OK;
}

/* Half the sum of the parents' lists, and the child itself, ascending. */
static pl_status add_child(hierarchical *self, const int child[3])
{
  int row = child[0], p = self->start[child[1]], q = self->start[child[2]], placed = 0;
  int p_end = self->end[child[1]], q_end = self->end[child[2]];
  pl_status status = PL_OK;
  self->start[row] = (int)self->used;
  while (!status && (p < p_end || q < q_end || !placed)) {
    int at_p = p < p_end ? self->rows[p] : INT32_MAX, at_q = q < q_end ? self->rows[q] : INT32_MAX;
    int next = at_p < at_q ? at_p : at_q;
    if (!placed && row < next) {
      placed = 1;
      status = add(self, row, 1);
      continue;
    }
    double weight = 0;
    if (at_p == next) weight += 0.5 * self->weights[p++];
    if (at_q == next) weight += 0.5 * self->weights[q++];
    status = add(self, next, weight);
  }
  self->end[row] = (int)self->used;
  return status;
}

static pl_status find_weights(hierarchical *self, const pl_bsr *A)
{
  pl_status status = PL_OK;
  for (int i = 0; i < A->rows; i++) self->end[i] = 0;
  for (int c = 0; c < A->child_count; c++) self->end[A->children[3 * c]] = -1;
  for (int i = 0; i < A->rows && !status; i++) {
    if (self->end[i] < 0) continue;
    self->start[i] = (int)self->used;
    status = add(self, i, 1);
    self->end[i] = (int)self->used;
  }
  for (int c = 0; c < A->child_count && !status; c++)
    status = add_child(self, A->children + 3 * (size_t)c);
  return status;
}

static pl_status create(pl_preconditioner *common, const pl_bsr *A, const double *values,
                        pl_error *error)
{
  hierarchical *self = (hierarchical *)common;
  size_t rows = (size_t)A->rows;
  pl_status status = pl_blockwise_create(common, A, values, error);
  if (status) return status;
  self->D = pl_alloc(&common->allocator, 9 * rows, sizeof(double));
  self->start = pl_alloc(&common->allocator, rows, sizeof(int));
  self->end = pl_alloc(&common->allocator, rows, sizeof(int));
  if (!self->D || !self->start || !self->end || find_weights(self, A)) return pl_fail_memory(error);
  return PL_OK;
}

static void destroy(pl_preconditioner *common)
{
  hierarchical *self = (hierarchical *)common;
  void *arrays[] = {self->D, self->start, self->end, self->rows, self->weights};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    pl_free(&common->allocator, arrays[i]);
  pl_blockwise_destroy(common);
}

/* ---- the diagonal of S^T A S ---- */

/* D_a += w_ia w_ja A_ij at all a that both rows have. */
static void add_block(hierarchical *self, int i, int j, const double *block)
{
  int p = self->start[i], q = self->start[j];
  while (p < self->end[i] && q < self->end[j]) {
    int a = self->rows[p], b = self->rows[q];
    if (a == b) {
      double w = self->weights[p] * self->weights[q], *to = self->D + 9 * (size_t)a;
      for (int e = 0; e < 9; e++) to[e] += w * block[e];
    }
    p += a <= b;
    q += b <= a;
  }
}

static pl_status prepare(pl_preconditioner *common, const pl_bsr *A, const pl_filter *filter,
                         pl_pool *pool, pl_error *error)
{
  hierarchical *self = (hierarchical *)common;
  self->A = A;
  self->filter = A->child_count ? filter : NULL;
  if (!A->child_count) return pl_blockwise_prepare(common, A, filter, pool, pl_block_invert, error);
  memset(self->D, 0, 9 * (size_t)A->rows * sizeof *self->D);
  for (int i = 0; i < A->rows; i++) {
    for (int k = A->start[i]; k < A->start[i + 1]; k++)
      add_block(self, i, A->columns[k], A->values + 9 * (size_t)k);
  }
  for (int i = 0; i < A->rows; i++) {
    pl_status status =
        pl_block_invert(self->D + 9 * (size_t)i, NULL, self->blockwise.blocks + 9 * (size_t)i);
    if (status)
      return pl_fail_entity(error, status, i,
                            "block %d of the hierarchical basis is not positive definite; use "
                            "another preconditioner",
                            i);
  }
  return PL_OK;
}

/* ---- applying ---- */

static void apply(pl_preconditioner *common, const double *r, double *z, pl_pool *pool)
{
  hierarchical *self = (hierarchical *)common;
  const int *children = self->A->children;
  int count = self->A->child_count;
  double *t = self->D; // D is not needed once its inverses are there
  if (!count) {
    pl_blockwise_apply(common, r, z, pool);
    return;
  }
  memcpy(t, r, 3 * (size_t)self->A->rows * sizeof *t);
  for (int c = count - 1; c >= 0; c--) {
    const int *child = children + 3 * (size_t)c;
    for (int k = 0; k < 6; k++) t[3 * child[1 + k / 3] + k % 3] += 0.5 * t[3 * child[0] + k % 3];
  }
  pl_blockwise_apply(common, t, z, pool);
  for (int c = 0; c < count; c++) {
    const int *child = children + 3 * (size_t)c;
    for (int k = 0; k < 3; k++)
      z[3 * child[0] + k] += 0.5 * (z[3 * child[1] + k] + z[3 * child[2] + k]);
  }
  if (self->filter) pl_filter_apply(self->filter, z);
}

static const double *blocks(const pl_preconditioner *common)
{
  const hierarchical *self = (const hierarchical *)common;
  return self->A && self->A->child_count ? NULL : pl_blockwise_blocks(common);
}

const pl_preconditioner_ops pl_preconditioner_hierarchical = {
    .info = {"hierarchical",
             "the diagonal in the hierarchical basis of a mesh that is refined (<refine>); "
             "block-diagonal elsewhere",
             "Yserentant 1986; Hauth 2004, 3.1.2", NULL, 0, NULL},
    .state_size = sizeof(hierarchical),
    .create = create,
    .destroy = destroy,
    .prepare = prepare,
    .apply = apply,
    .blocks = blocks,
};
