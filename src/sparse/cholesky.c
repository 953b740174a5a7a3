/* Incomplete Cholesky: trials with an ever larger diagonal. */
#include "sparse/cholesky.h"

#include "core/error.h"
#include "core/text.h"

#include <math.h>

enum { MOST_TRIALS = 16 };
static const double first_shift = 1e-3;

pl_status pl_cholesky_invert(const double *D, const double *P, double *B)
{
  double sum = 0;
  for (int i = 0; i < 9; i++) sum += D[i];
  if (!isfinite(sum)) return PL_E_DIVERGED;
  return pl_block_invert(D, P, B) ? PL_E_INDEFINITE : PL_OK;
}

pl_status pl_cholesky_prepare(pl_cholesky *self, const pl_bsr *A, const pl_filter *filter,
                              pl_pool *pool, pl_cholesky_try *factorise, pl_error *error)
{
  // bad blocks of the matrix itself are named
  pl_preconditioner *common = &self->blockwise.common;
  pl_status status = pl_blockwise_prepare(common, A, filter, pool, pl_block_invert, error);
  if (status) return status;
  // what the last matrix needed, this one needs about as well
  double shift = self->shift > 2 * first_shift ? self->shift / 2 : 0;
  for (int trial = 0; trial < MOST_TRIALS; trial++) {
    status = factorise(self, A, filter, shift);
    if (status == PL_E_DIVERGED)
      return pl_fail(error, status, "the matrix is not finite; use a smaller time step");
    if (!status) {
      self->shift = shift;
      if (shift > 0)
        pl_print(self->reason, sizeof self->reason,
                 "the diagonal is raised by %.2g times itself, or there would be no factor", shift);
      else
        self->reason[0] = 0;
      return PL_OK;
    }
    shift = shift > 0 ? 2 * shift : first_shift;
  }
  self->shift = 0;
  return pl_fail(
      error, PL_E_INDEFINITE,
      "incomplete Cholesky breaks down even with a diagonal raised by %.3g times itself; "
      "the matrix may be indefinite: choose another preconditioner",
      shift / 2);
}

const char *pl_cholesky_choice(const pl_preconditioner *self, const char **reason)
{
  *reason = ((const pl_cholesky *)self)->reason;
  return self->ops->info.name;
}
