/* What incomplete Cholesky factors share: A ~ (D + W) D^-1 (D + W)^T by blocks. Where a block of D
 * is not positive definite, A's diagonal is raised by a factor 1 + s and the factorisation restarts
 * with a larger s (Manteuffel 1980). At constrained nodes D^-1 stands for P (P D P)^-1 P. */
#ifndef PL_SPARSE_CHOLESKY_H
#define PL_SPARSE_CHOLESKY_H

#include "sparse/blockwise.h"

typedef struct pl_cholesky {
  pl_blockwise blockwise; /* D^-1 */
  double shift;           /* s of the factor in use */
  char reason[96];
} pl_cholesky;

/* Tries the factor with the shift. PL_E_INDEFINITE: a block of D is not positive definite;
 * PL_E_DIVERGED: one is not finite. */
typedef pl_status pl_cholesky_try(pl_cholesky *self, const pl_bsr *A, const pl_filter *filter,
                                  double shift);

pl_status pl_cholesky_prepare(pl_cholesky *self, const pl_bsr *A, const pl_filter *filter,
                              pl_pool *pool, pl_cholesky_try *factorise, pl_error *error);

/* The member's own name; the reason says if the diagonal had to be raised. */
const char *pl_cholesky_choice(const pl_preconditioner *self, const char **reason);

/* B = D^-1 for a block of the factor's D; the same errors. */
pl_status pl_cholesky_invert(const double *D, const double *P, double *B);

/* C -= X B Y^T, all column by column. */
static inline void pl_block_subtract(const double *X, const double *B, const double *Y, double *C)
{
  double XB[9];
  for (int c = 0; c < 3; c++) {
    for (int r = 0; r < 3; r++)
      XB[3 * c + r] = X[r] * B[3 * c] + X[3 + r] * B[3 * c + 1] + X[6 + r] * B[3 * c + 2];
  }
  for (int c = 0; c < 3; c++) {
    for (int r = 0; r < 3; r++)
      C[3 * c + r] -= XB[r] * Y[c] + XB[3 + r] * Y[3 + c] + XB[6 + r] * Y[6 + c];
  }
}

#endif
