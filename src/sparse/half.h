/* One half of a scaled symmetric matrix for Eisenstat's iteration (eisenstat.c): W^T A W =
 * L + 1 + L^T, with L column by column, which serves the sweeps over both. It is read across the
 * diagonal, so it is U^T; where A is not symmetric (nearly_symmetric.c) L stands beside it.
 *
 * Where pairs touch blocks, these form one block of the splitting, A_cc = rows and columns c of
 * A + K, which stands behind all others. Its complete factor (small_factor.h) is
 * W_c^T A_cc W_c = (1 + G)(1 + G)^T with D^-1 = W_c W_c^T for the pivots D, and G takes the
 * place of A's own blocks there: a sweep over L then solves with 1 + G as well, one over L^T with
 * its transpose.
 *
 * Parts are ranges of rows that A does not couple to any other, as the bodies of a pile: a sweep
 * over one needs nothing of the others, so that both sweeps can pass over a part while it is in the
 * cache, and threads share the parts. They are A's own, whatever pairs touch. */
#ifndef PL_SPARSE_HALF_H
#define PL_SPARSE_HALF_H

#include "sparse/eisenstat_kernel.h"
#include "sparse/pairs.h"
#include "sparse/small_factor.h"

typedef struct pl_scaled_half {
  pl_allocator allocator;
  int inner;         /* rows before those of the factor */
  int *node, *place; /* a row's node; the other way */
  int *start;        /* where each column's blocks begin, and the end */
  int *rows;         /* of the blocks, column by column */
  int *source;       /* which block of A is across the diagonal, or which of the factor */
  double *values;
  double *lower; /* L's, where A is not symmetric and values are those of U^T; NULL: the same */
  double *scale; /* W, row by row, row-major; 1 more is read */
  int parts;
  int *part_nodes;  /* where each part begins, and the end */
  int *part_rows;   /* likewise of those that are not in the factor */
  int *part_blocks; /* work: of the pattern, per part */
  size_t row_room, source_room, value_room, lower_room;
  int is_broken;    /* the pattern was left unfinished */
  uint64_t pattern; /* what the pattern was made for: a hash of the pairs, 0: of none */
} pl_scaled_half;

/* With the pattern of A alone. What has failed is to be destroyed too. */
pl_status pl_half_create(pl_scaled_half *self, const pl_allocator *allocator, const pl_bsr *A,
                         pl_error *error);
void pl_half_destroy(pl_scaled_half *self);

/* Pattern and values for A, with the factor of what pairs touch (NULL: none), for the D^-1 of all
 * nodes. Memory is taken where there was never so much needed before. */
pl_status pl_half_prepare(pl_scaled_half *self, const pl_bsr *A, const double *inverse,
                          const pl_pairs *pairs, const pl_small_factor *factor, pl_pool *pool,
                          pl_error *error);

static inline pl_half pl_half_view(const pl_scaled_half *self)
{
  const double *lower = self->lower ? self->lower : self->values;
  return (pl_half){self->start, self->rows, lower, self->values};
}

#endif
