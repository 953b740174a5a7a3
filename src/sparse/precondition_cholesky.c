/* Incomplete Cholesky without fill, by blocks: A ~ (D + W) D^-1 (D + W)^T on A's pattern,
 *
 *   W_ik = A_ik - sum_m W_im D_m^-1 W_km^T        D_i = A_ii - sum_k W_ik D_k^-1 W_ik^T
 *
 * IC(0); Saad 2003, 10.3. Factor and sweeps run in one thread. See cholesky.h. */
#include "core/error.h"
#include "core/memory.h"
#include "sparse/cholesky.h"
#include "sparse/triangle_kernel.h"

#include <string.h>

typedef struct cholesky {
  pl_cholesky common;
  const pl_bsr *A;
  double *values;
} cholesky;

static pl_status create(pl_preconditioner *common, const pl_bsr *A, const double *values,
                        pl_error *error)
{
  cholesky *self = (cholesky *)common;
  pl_status status = pl_blockwise_create(common, A, values, error);
  if (status) return status;
  // sweeps load a little beyond the end
  self->values =
      pl_alloc(&common->allocator, 9 * (size_t)A->start[A->rows] + 4, sizeof *self->values);
  return self->values ? PL_OK : pl_fail_memory(error);
}

static void destroy(pl_preconditioner *common)
{
  pl_free(&common->allocator, ((cholesky *)common)->values);
  pl_blockwise_destroy(common);
}

/* W and D of a row, from those of the rows above. */
static void eliminate(cholesky *self, const pl_bsr *A, int row)
{
  double *values = self->values;
  const double *inverse = self->common.blockwise.blocks;
  for (int k = A->start[row]; k <= A->diagonal[row]; k++) {
    int column = A->columns[k], end = A->diagonal[column];
    // the columns that both rows have, left of this one
    for (int i = A->start[row], j = A->start[column]; i < k && j < end;) {
      if (A->columns[i] == A->columns[j])
        pl_block_subtract(values + 9 * (size_t)i, inverse + 9 * A->columns[i],
                          values + 9 * (size_t)j, values + 9 * (size_t)k);
      int left = A->columns[i] <= A->columns[j], right = A->columns[j] <= A->columns[i];
      i += left;
      j += right;
    }
  }
}

/* Tries the factor with a raised diagonal. */
static pl_status factorise(pl_cholesky *common, const pl_bsr *A, const pl_filter *filter,
                           double shift)
{
  cholesky *self = (cholesky *)common;
  memcpy(self->values, A->values, 9 * (size_t)A->start[A->rows] * sizeof *self->values);
  int entry = 0;
  for (int row = 0; row < A->rows; row++) {
    const double *P = NULL;
    if (filter && entry < filter->count && filter->nodes[entry] == row)
      P = filter->projections + 9 * entry++;
    double *D = self->values + 9 * (size_t)A->diagonal[row];
    for (int i = 0; i < 9; i++) D[i] *= 1 + shift;
    eliminate(self, A, row);
    pl_status status = pl_cholesky_invert(D, P, self->common.blockwise.blocks + 9 * row);
    if (status) return status;
    // the other half for the way back
    for (int k = A->start[row]; k < A->diagonal[row]; k++) {
      double *mirror = self->values + 9 * (size_t)pl_bsr_find(A, A->columns[k], row);
      for (int i = 0; i < 9; i++)
        mirror[i] = self->values[9 * (size_t)k + (size_t)(3 * (i % 3) + i / 3)];
    }
  }
  return PL_OK;
}

static pl_status prepare(pl_preconditioner *common, const pl_bsr *A, const pl_filter *filter,
                         pl_pool *pool, pl_error *error)
{
  cholesky *self = (cholesky *)common;
  self->A = A;
  return pl_cholesky_prepare(&self->common, A, filter, pool, factorise, error);
}

static void apply(pl_preconditioner *common, const double *r, double *z, pl_pool *pool)
{
  (void)pool;
  const cholesky *self = (const cholesky *)common;
  const pl_triangle_kernel *kernel = pl_triangle_kernel_pick();
  pl_triangles M = {self->A, self->values, self->common.blockwise.blocks};
  kernel->forward(&M, r, z);
  kernel->backward(&M, z, z);
}

static const double *blocks(const pl_preconditioner *self)
{
  (void)self;
  return NULL;
}

const pl_preconditioner_ops pl_preconditioner_cholesky = {
    .info = {"incomplete-cholesky", "IC(0) by 3x3 blocks, in one thread", "Saad 2003, 10.3", NULL,
             0, NULL},
    .state_size = sizeof(cholesky),
    .create = create,
    .destroy = destroy,
    .prepare = prepare,
    .apply = apply,
    .blocks = blocks,
    .choice = pl_cholesky_choice,
};
