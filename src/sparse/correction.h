/* What makes any preconditioner fit for pairs that it does not know: the contact-node correction.
 *
 * With c the touched blocks, A_cc = rows and columns c of A + K (pairs.h), E the matrix that puts a
 * vector over c into one over all, S near A_cc^-1, and B the preconditioner of A alone, one
 * application is
 *
 *   z = E S E^T r,    z += B (r - (A + K) z),    z += E S E^T (r - (A + K) z),
 *
 * the symmetric multiplicative Schwarz method with one subspace: positive definite if B is, and
 * with a number of iterations that does not depend on the stiffness of the pairs, since all of K is
 * in A_cc. A principal part of a positive definite matrix is one, so A_cc is never singular,
 * however many pairs are redundant. (r - (A + K) z) is needed at the neighbours of c before B and
 * at c after it: with symmetric A, rows c do for both.
 *
 * S is the complete factor of A_cc (small_factor.h) where that is cheap against the solve, as it is
 * for surfaces; else a sweep of symmetric Gauss-Seidel. Constrained nodes are left out by their
 * projections as everywhere. The pattern's part is done again when other blocks are touched. */
#ifndef PL_SPARSE_CORRECTION_H
#define PL_SPARSE_CORRECTION_H

#include "sparse/solver.h"

/* Belongs to a list of pairs; NULL if there is no memory. */
struct pl_correction *pl_correction_create(const pl_allocator *allocator);
void pl_correction_destroy(struct pl_correction *self);

/* New values in A or in the pairs, which are closed, or a new filter. Memory is taken where more
 * blocks are touched than ever before. */
pl_status pl_correction_prepare(const pl_pairs *pairs, const pl_bsr *A, const pl_filter *filter,
                                pl_pool *pool, pl_error *error);

/* z = the above, with base as B. */
void pl_correction_apply(const pl_pairs *pairs, pl_preconditioner *base, const double *r, double *z,
                         pl_pool *pool);

/* Is S the complete factor? */
int pl_correction_is_exact(const pl_pairs *pairs);

/* The factor of A_cc, blocks in the order of pairs->touched; NULL: there is none, or its diagonal
 * is raised. And what its pattern was made for: another number where that is another. */
const struct pl_small_factor *pl_correction_factor(const pl_pairs *pairs);
uint64_t pl_correction_pattern(const pl_pairs *pairs);

#endif
