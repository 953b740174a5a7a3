/* The inverse of the 3x3 blocks on the diagonal, in the space that the constraints leave free:
 * B = P (P D P + s (I - P))^-1 P, where s has the size of D and drops out of the result.
 *
 * Jacobi's preconditioner by blocks; Saad 2003, "Iterative methods for sparse linear
 * systems", 10.2.
 *
 * In single precision it lends conjugate gradients the matrix's upper triangle in that precision
 * (multigrid.h): a product then reads less than a third of the bytes. Of grids these are bands
 * (bands.h): less than a fifth. */
#include "sparse/bands.h"
#include "sparse/blockwise.h"
#include "sparse/multigrid.h"

#include <math.h>
#include <string.h>

/* A pivot below this part of the block's size cannot be distinguished from zero. */
#define LEAST_PIVOT 1e-14

/* Classifies a block of this size by a pivot. */
static pl_status judge(double pivot, double size)
{
  if (pivot > LEAST_PIVOT * size) return PL_OK;
  return pivot < -LEAST_PIVOT * size ? PL_E_INDEFINITE : PL_E_SINGULAR;
}

/* B = S^-1 by S = L diag(d) L^T; fails unless all of d is positive. */
static pl_status invert(const double S[9], double size, double B[9])
{
  pl_status status;
  double d0 = S[0];
  if ((status = judge(d0, size))) return status;
  double l10 = S[1] / d0, l20 = S[2] / d0;
  double d1 = S[4] - l10 * S[1];
  if ((status = judge(d1, size))) return status;
  double e21 = S[5] - l20 * S[1], l21 = e21 / d1;
  double d2 = S[8] - l20 * S[2] - l21 * e21;
  if ((status = judge(d2, size))) return status;

  // K = L^-1, and then B = K^T diag(1/d) K
  double k10 = -l10, k21 = -l21, k20 = l10 * l21 - l20;
  B[8] = 1 / d2;
  B[5] = B[7] = k21 * B[8];
  B[2] = B[6] = k20 * B[8];
  B[4] = 1 / d1 + k21 * B[5];
  B[1] = B[3] = k10 / d1 + k20 * B[5];
  B[0] = 1 / d0 + k10 * (k10 / d1) + k20 * B[2];
  return isfinite(B[0] + B[4] + B[8]) ? PL_OK : PL_E_SINGULAR;
}

pl_status pl_block_invert(const double *D, const double *P, double *B)
{
  double S[9];
  for (int c = 0; c < 3; c++) {
    for (int r = 0; r < 3; r++) S[3 * c + r] = 0.5 * (D[3 * c + r] + D[3 * r + c]);
  }
  if (P) pl_block_restrict(P, S);
  double size = fabs(S[0]) + fabs(S[4]) + fabs(S[8]);

  if (!P) return invert(S, size, B);
  if (P[0] + P[4] + P[8] < 0.5) {
    // nothing is free
    memset(B, 0, 9 * sizeof *B);
    return PL_OK;
  }
  for (int i = 0; i < 9; i++) S[i] += size * ((i % 4 == 0) - P[i]);
  pl_status status = invert(S, size, B);
  if (!status) pl_block_restrict(P, B);
  return status;
}

static const pl_param params[] = {
    {"precision", "1",
     "of conjugate gradients; single: refined in double until the residual is reached, for "
     "matrices "
     "larger than the processor's cache",
     0, 0, 1, "double|single", 0},
};

typedef struct block_diagonal {
  pl_blockwise blockwise;
  pl_multigrid grid; /* its finest level, in single precision only */
  pl_bands *bands;   /* in place of that where the matrix is a grid's */
  pl_single single;
  int is_single;
} block_diagonal;

static pl_status create(pl_preconditioner *common, const pl_bsr *A, const double *values,
                        pl_error *error)
{
  block_diagonal *self = (block_diagonal *)common;
  self->is_single = values[0] == 1;
  pl_status status = pl_blockwise_create(common, A, values, error);
  if (status || !self->is_single) return status;
  status = pl_bands_create(&common->allocator, A, &self->bands, error);
  if (status || self->bands) return status;
  return pl_multigrid_create_finest(&common->allocator, A, &self->grid, error);
}

static void destroy(pl_preconditioner *common)
{
  block_diagonal *self = (block_diagonal *)common;
  if (self->grid.levels) pl_multigrid_destroy(&self->grid);
  pl_bands_destroy(self->bands);
  pl_blockwise_destroy(common);
}

static pl_status prepare(pl_preconditioner *common, const pl_bsr *A, const pl_filter *filter,
                         pl_pool *pool, pl_error *error)
{
  block_diagonal *self = (block_diagonal *)common;
  pl_status status = pl_blockwise_prepare(common, A, filter, pool, pl_block_invert, error);
  if (status || !self->is_single) return status;
  int exponent = pl_exponent_of_matrix(A, pool);
  self->single = (pl_single){&self->grid, self->bands, 0, exponent};
  if (self->bands)
    pl_bands_load(self->bands, A, self->blockwise.blocks, ldexp(1, -exponent), pool);
  else
    pl_multigrid_load(&self->grid, A, self->blockwise.blocks, ldexp(1, -exponent), pool);
  return PL_OK;
}

static const pl_single *single(pl_preconditioner *common)
{
  block_diagonal *self = (block_diagonal *)common;
  return self->is_single ? &self->single : NULL;
}

const pl_preconditioner_ops pl_preconditioner_block_diagonal = {
    .info = {"block-diagonal", "the inverse of the 3x3 blocks on the diagonal", "Saad 2003, 10.2",
             params, 1, NULL},
    .state_size = sizeof(block_diagonal),
    .create = create,
    .destroy = destroy,
    .prepare = prepare,
    .apply = pl_blockwise_apply,
    .blocks = pl_blockwise_blocks,
    .single = single,
};
