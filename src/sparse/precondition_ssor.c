/* Symmetric Gauss-Seidel by blocks: B = (D + U)^-1 D (D + L)^-1 for A = L + D + U.
 *
 * SSOR with omega = 1; Saad 2003, 10.2. At constrained nodes D^-1 stands for P (P D P)^-1 P, which
 * keeps every sweep in the free space. The sweeps run in one thread. */
#include "sparse/blockwise.h"
#include "sparse/triangle_kernel.h"

typedef struct ssor {
  pl_blockwise blockwise;
  const pl_bsr *A;
} ssor;

static pl_status prepare(pl_preconditioner *common, const pl_bsr *A, const pl_filter *filter,
                         pl_pool *pool, pl_error *error)
{
  ((ssor *)common)->A = A;
  return pl_blockwise_prepare(common, A, filter, pool, pl_block_invert, error);
}

static void apply(pl_preconditioner *common, const double *r, double *z, pl_pool *pool)
{
  (void)pool;
  const ssor *self = (const ssor *)common;
  const pl_triangle_kernel *kernel = pl_triangle_kernel_pick();
  pl_triangles M = {self->A, self->A->values, self->blockwise.blocks};
  kernel->forward(&M, r, z);
  kernel->backward(&M, z, z);
}

static const double *blocks(const pl_preconditioner *self)
{
  (void)self;
  return NULL;
}

const pl_preconditioner_ops pl_preconditioner_ssor = {
    .info = {"ssor", "symmetric Gauss-Seidel by 3x3 blocks, in one thread", "Saad 2003, 10.2", NULL,
             0, NULL},
    .state_size = sizeof(ssor),
    .create = pl_blockwise_create,
    .destroy = pl_blockwise_destroy,
    .prepare = prepare,
    .apply = apply,
    .blocks = blocks,
};
