/* The inverse of the diagonal: B = P diag(A)^-1 P. Jacobi's iteration is its source; Saad 2003,
 * "Iterative methods for sparse linear systems", 10.2. */
#include "sparse/blockwise.h"

#include <math.h>
#include <string.h>

static pl_status make(const double *D, const double *P, double *B)
{
  memset(B, 0, 9 * sizeof *B);
  for (int c = 0; c < 9; c += 4) {
    // a component that the projection wipes out needs no stiffness of its own
    if (P && P[c] == 0) continue;
    if (!(D[c] > 0) || !isfinite(1 / D[c])) return D[c] < 0 ? PL_E_INDEFINITE : PL_E_SINGULAR;
    B[c] = 1 / D[c];
  }
  if (P) pl_block_restrict(P, B);
  return PL_OK;
}

static pl_status prepare(pl_preconditioner *self, const pl_bsr *A, const pl_filter *filter,
                         pl_pool *pool, pl_error *error)
{
  return pl_blockwise_prepare(self, A, filter, pool, make, error);
}

const pl_preconditioner_ops pl_preconditioner_diagonal = {
    .info = {"diagonal", "the inverse of the diagonal", "Saad 2003, 10.2", NULL, 0, NULL},
    .state_size = sizeof(pl_blockwise),
    .create = pl_blockwise_create,
    .destroy = pl_blockwise_destroy,
    .prepare = prepare,
    .apply = pl_blockwise_apply,
    .blocks = pl_blockwise_blocks,
};
