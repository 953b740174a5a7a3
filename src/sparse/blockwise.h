/* What preconditioners share that are one symmetric 3x3 matrix per block row. */
#ifndef PL_SPARSE_BLOCKWISE_H
#define PL_SPARSE_BLOCKWISE_H

#include "sparse/solver.h"

/* The first row of a chunk whose block could not be used, and why; PL_OK if there is none. */
typedef struct pl_refusal {
  pl_status status;
  int row;
} pl_refusal;

typedef struct pl_blockwise {
  pl_preconditioner common;
  double *blocks;
  pl_refusal *refusals; /* one for each chunk */
} pl_blockwise;

/* Fills B from the diagonal block D (both column by column); P is the node's projection, NULL where
 * it is free. PL_E_SINGULAR or PL_E_INDEFINITE if D is that on what P leaves free. */
typedef pl_status pl_block_maker(const double *D, const double *P, double *B);

pl_status pl_blockwise_create(pl_preconditioner *self, const pl_bsr *A, const double *values,
                              pl_error *error);
void pl_blockwise_destroy(pl_preconditioner *self);
/* Where pairs touch a row whose block is refused, it is made with what they add to it. */
pl_status pl_blockwise_prepare(pl_preconditioner *self, const pl_bsr *A, const pl_filter *filter,
                               pl_pool *pool, pl_block_maker *make, pl_error *error);
void pl_blockwise_apply(pl_preconditioner *self, const double *r, double *z, pl_pool *pool);
const double *pl_blockwise_blocks(const pl_preconditioner *self);

/* The maker of the block-diagonal preconditioner: B = P (P D P + s (I - P))^-1 P. */
pl_status pl_block_invert(const double *D, const double *P, double *B);

/* M = P M P for a symmetric M, which stays so to the bit. */
void pl_block_restrict(const double P[9], double M[9]);

#endif
