/* Systems in which some nodes move as one: their rows and columns are condensed.
 *
 * With x = T u, where T is the identity at single nodes and pl_rigid's basis at the others, the
 * system A x = b becomes T^T A T u = T^T b. Single nodes keep their order; a rigid part has the two
 * last blocks of its own, three numbers each. As T has orthonormal columns, |T^T r| is the length
 * of the part of r that is not a constraint's force. */
#ifndef PL_SPARSE_CONDENSE_H
#define PL_SPARSE_CONDENSE_H

#include "sparse/bsr.h"
#include "sparse/filter.h"
#include "sparse/pairs.h"

typedef struct pl_condense {
  pl_allocator allocator;
  pl_bsr *A;        /* T^T A T */
  pl_pairs *pairs;  /* T^T K T: stencils with C T */
  pl_filter filter; /* of the condensed rows; what a part does not use of its six is held */
  double *b, *x;    /* condensed vectors, for the caller */
  // the rest is its own
  const pl_rigid *rigids;
  int rigid_count, rows;
  int *place;           /* per node: its row, or the first of its part's two */
  const double **basis; /* per node, NULL at single ones; what stands there may change */
  int *to; /* per block of A two places: of the block, and of the one in the next row of a part */
  int *held;
  double *projections;
  int *blocks; /* room for the blocks of one stencil, */
  double *C;   /* and their coefficients */
  size_t stencil_room;
} pl_condense;

/* For matrices of A's pattern. rigids and what they point to are the caller's and stay; their bases
 * may change. */
pl_status pl_condense_create(const pl_allocator *allocator, const pl_bsr *A, const pl_rigid *rigids,
                             int rigid_count, pl_condense **out, pl_error *error);
void pl_condense_destroy(pl_condense *condense);

/* Fills the condensed matrix, pairs (from those of A's rows; NULL: none) and filter. Fails only
 * where there is no memory for more pairs than ever before. */
pl_status pl_condense_matrix(pl_condense *condense, const pl_bsr *A, const pl_pairs *pairs,
                             const pl_filter *filter, pl_error *error);

/* u = T^T x, and x = T u. */
void pl_condense_down(const pl_condense *condense, const double *x, double *u);
void pl_condense_up(const pl_condense *condense, const double *u, double *x);

#endif
