/* The inverse of the 3x3 blocks on the diagonal, in the space that the constraints leave free:
 * B = P (P D P + s (I - P))^-1 P, where s has the size of D and drops out of the result.
 *
 * Jacobi's preconditioner by blocks; Saad 2003, "Iterative methods for sparse linear
 * systems", 10.2. */
#include "sparse/blockwise.h"

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

static pl_status prepare(pl_preconditioner *self, const pl_bsr *A, const pl_filter *filter,
                         pl_pool *pool, pl_error *error)
{
  return pl_blockwise_prepare(self, A, filter, pool, pl_block_invert, error);
}

const pl_preconditioner_ops pl_preconditioner_block_diagonal = {
    .info = {"block-diagonal", "the inverse of the 3x3 blocks on the diagonal", "Saad 2003, 10.2",
             NULL, 0, NULL},
    .state_size = sizeof(pl_blockwise),
    .create = pl_blockwise_create,
    .destroy = pl_blockwise_destroy,
    .prepare = prepare,
    .apply = pl_blockwise_apply,
    .blocks = pl_blockwise_blocks,
};
