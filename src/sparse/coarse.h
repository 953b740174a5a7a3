/* The coarse problem above the ranks: each rank's rows are cut into compact parts, and the coarse
 * unknowns are the six rigid motions of each part, Q = R (R^T A R)^-1 R^T. It carries what a
 * preconditioner within each rank cannot: the smooth motion of the whole.
 *
 * A rank computes the rows of R^T A R of its own parts. All ranks gather the others', which are
 * few, and factorise the whole; so a correction takes one exchange of six numbers per part.
 * (Nicolaides 1987, "Deflation of conjugate gradients"; rigid motions as in Vanek, Mandel & Brezina
 * 1996, not smoothed.) */
#ifndef PL_SPARSE_COARSE_H
#define PL_SPARSE_COARSE_H

#include "core/thread.h"
#include "sparse/local.h"

typedef struct pl_coarse pl_coarse;

/* For the matrices of a local one, whose points are known: A->points of the whole. On failure *out
 * may be half made, and is to be destroyed all the same. */
pl_status pl_coarse_create(const pl_allocator *allocator, const pl_local_rows *local,
                           const pl_bsr *A, pl_coarse **out, pl_error *error);
void pl_coarse_destroy(pl_coarse *self);

/* The local matrix has been loaded. All ranks return the same. */
pl_status pl_coarse_prepare(pl_coarse *self, pl_pool *pool, pl_error *error);

/* z += Q t at the rank's own rows; t is filtered. Both are vectors of the local matrix. */
void pl_coarse_correct(pl_coarse *self, const double *t, double *z, pl_pool *pool);

/* How many parts there are over all ranks. */
int pl_coarse_parts(const pl_coarse *self);

#endif
