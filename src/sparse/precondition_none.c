/* No preconditioner: B = I. */
#include "sparse/solver.h"

#include <string.h>

static pl_status create(pl_preconditioner *self, const pl_bsr *A, const double *values,
                        pl_error *error)
{
  (void)self, (void)A, (void)values, (void)error;
  return PL_OK;
}

static void destroy(pl_preconditioner *self) { (void)self; }

static pl_status prepare(pl_preconditioner *self, const pl_bsr *A, const pl_filter *filter,
                         pl_pool *pool, pl_error *error)
{
  (void)self, (void)A, (void)filter, (void)pool, (void)error;
  return PL_OK;
}

static void apply(pl_preconditioner *self, const double *r, double *z, pl_pool *pool)
{
  (void)pool;
  memcpy(z, r, 3 * (size_t)self->rows * sizeof *z);
}

static const double *blocks(const pl_preconditioner *self)
{
  (void)self;
  return NULL;
}

const pl_preconditioner_ops pl_preconditioner_none = {
    .info = {"none", "none, for comparison", "", NULL, 0, NULL},
    .state_size = sizeof(pl_preconditioner),
    .create = create,
    .destroy = destroy,
    .prepare = prepare,
    .apply = apply,
    .blocks = blocks,
};
