/* The rows of one rank as a matrix of its own.
 *
 * It has the rank's rows and the rows of others that they are coupled with, called copies, in the
 * order of the whole matrix. A product is right at the rank's own rows
 * once x is right at the copies. The filter holds the copies as if they were fixed, so that a
 * preconditioner for both is one for the rank's block of the diagonal: a part of an additive
 * Schwarz method. Where the matrix has no other blocks here than these, theirs are used in place.
 */
#ifndef PL_SPARSE_LOCAL_H
#define PL_SPARSE_LOCAL_H

#include "sparse/filter.h"
#include "sparse/layout.h"

typedef struct pl_local_rows {
  pl_allocator allocator;
  pl_block_layout *layout; /* of its rows; connecting it is the caller's */
  pl_bsr *A;
  pl_filter filter;  /* with the copies held */
  const double **at; /* of each place: its projection in the whole filter; NULL: free */
  // the filter's, and the matrix's
  int *nodes;
  double *projections, *points;
  size_t room; /* in projections */
} pl_local_rows;

/* For matrices of A's pattern, with A's partition; without one all rows are the rank's. On failure
 * *out may be half made, and is to be destroyed all the same. */
pl_status pl_local_create(const pl_allocator *allocator, const pl_bsr *A, pl_local_rows **out,
                          pl_error *error);
void pl_local_destroy(pl_local_rows *self);

/* Takes over values, points and filter of the whole; `at` goes on pointing into that filter. */
pl_status pl_local_load(pl_local_rows *self, const pl_bsr *A, const pl_filter *filter,
                        pl_error *error);

#endif
