/* The two halves of a scaled symmetric matrix for Eisenstat's iteration (eisenstat.c): W^T A W =
 * L + 1 + U, each half in the order in which its sweep passes.
 *
 * Where pairs touch blocks, these form one block of the splitting, A_cc = rows and columns c of
 * A + K, which stands behind all others. Its complete factor (small_factor.h) is
 * W_c^T A_cc W_c = (1 + G)(1 + G)^T with D^-1 = W_c W_c^T for the pivots D, and G and G^T take the
 * places of A's own blocks there: a sweep over L then solves with 1 + G as well, one over U with
 * its transpose. */
#ifndef PL_SPARSE_HALVES_H
#define PL_SPARSE_HALVES_H

#include "sparse/eisenstat_kernel.h"
#include "sparse/pairs.h"
#include "sparse/small_factor.h"

typedef struct pl_halves {
  pl_allocator allocator;
  int inner;         /* rows before those of the factor */
  int *node, *place; /* a row's node; the other way */
  int *counts[2];    /* of L's and U's blocks in each row */
  int *start[2];     /* where they begin, in L and in U */
  int *columns;      /* rows: L's, then U's */
  int *source;       /* which block of A each is; in G's rows of L the block of the factor */
  int *own;          /* per block of the factor: the node of its column */
  double *values;    /* L, then U */
  double *scale;     /* W, node by node, column by column */
  size_t column_room, source_room, value_room, own_room;
  int is_broken;    /* the pattern was left unfinished */
  uint64_t pattern; /* what the pattern was made for: a hash of the pairs, 0: of none */
} pl_halves;

/* With the pattern of A alone. What has failed is to be destroyed too. */
pl_status pl_halves_create(pl_halves *self, const pl_allocator *allocator, const pl_bsr *A,
                           pl_error *error);
void pl_halves_destroy(pl_halves *self);

/* Pattern and values for A, with the factor of what pairs touch (NULL: none), for the D^-1 of all
 * nodes. Memory is taken where there was never so much needed before. */
pl_status pl_halves_prepare(pl_halves *self, const pl_bsr *A, const double *inverse,
                            const pl_pairs *pairs, const pl_small_factor *factor, pl_pool *pool,
                            pl_error *error);

pl_half pl_halves_lower(const pl_halves *self, int rows);
pl_half pl_halves_upper(const pl_halves *self, int rows);

#endif
