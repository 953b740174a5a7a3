/* The complete factor of a small block matrix, M = (D + W) D^-1 (D + W)^T with 3x3 blocks, W
 * strictly lower triangular in an order of little fill.
 *
 * The order is that of minimum degree (Tinney & Walker 1967): the block with the fewest neighbours
 * goes first, and its neighbours become neighbours of each other. Neighbourhoods are sets of bits,
 * so a matrix of n blocks takes n^2/8 bytes and some n^2 operations for the analysis: meant for the
 * thousands of nodes of a surface, not for a body. At constrained
 * nodes D^-1 stands for P (P D P)^-1 P, which keeps everything in the free space.
 *
 * Blocks that are not connected with each other, as those of separate places of contact, are parts
 * of their own, one behind the other in the order; threads share the parts. */
#ifndef PL_SPARSE_SMALL_FACTOR_H
#define PL_SPARSE_SMALL_FACTOR_H

#include "core/thread.h"
#include "sparse/bsr.h"
#include "sparse/filter.h"

#include <stdint.h>

typedef struct pl_small_factor {
  pl_allocator allocator;
  int count;
  int *order, *place;  /* order[k]: the block that goes k-th; place: the other way */
  int *start, *rows;   /* W by columns: rows [start[k], start[k+1]), ascending; all in the order */
  double *W, *inverse; /* blocks column by column; inverse: D^-1 */
  double *work;        /* a vector in the order */
  int parts;
  int *part_start;                /* where each part begins in the order, and the end */
  double *cost;                   /* per part: multiplications of compute */
  pl_status *status;              /* per part: of compute */
  int *degree, *label, *labelled; /* of the analysis: labelled[label[block]] is the block */
  int *least;                     /* degree in each group of labels */
  int *low, *high;                /* first and last word of a set that may be not zero */
  uint64_t *bits;                 /* neighbourhoods */
  size_t room, bit_room, rows_room, W_room; /* of these arrays */
} pl_small_factor;

void pl_small_factor_destroy(pl_small_factor *factor);

/* Order and pattern for matrices of M's pattern, which is symmetric. Memory is taken where there
 * was never so much needed before. Where compute would take more than so many multiplications, the
 * analysis is broken off, and count is 0. */
pl_status pl_small_factor_analyse(pl_small_factor *factor, const pl_bsr *M, double max,
                                  pl_pool *pool, pl_error *error);

/* The factor of M's symmetric part with its diagonal blocks times 1 + shift; projections holds one
 * pointer per block, NULL where it is free. PL_E_INDEFINITE: a pivot is not positive definite;
 * PL_E_DIVERGED: one is not finite. */
pl_status pl_small_factor_compute(pl_small_factor *factor, const pl_bsr *M,
                                  const double *const *projections, double shift, pl_pool *pool);

/* x = M^-1 b; x may be b. */
void pl_small_factor_solve(const pl_small_factor *factor, const double *b, double *x,
                           pl_pool *pool);

#endif
