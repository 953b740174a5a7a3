/* The door to a sparse direct solver: A = L D L^T by SuiteSparse's CHOLMOD (Chen, Davis, Hager &
 * Rajamanickam 2008, "Algorithm 887: CHOLMOD").
 *
 * Only its simplicial factorisation is called (under the LGPL); the ordering "nested" calls METIS
 * through a module under the GPL. Memory inside CHOLMOD is its own, not the caller's allocator's.
 * It runs in one thread, so the bits do not depend on the pool. Without CHOLMOD every function
 * still exists, and create says what is missing. */
#ifndef PL_SPARSE_FACTOR_H
#define PL_SPARSE_FACTOR_H

#include "sparse/bsr.h"
#include "sparse/filter.h"

typedef enum pl_ordering { PL_ORDER_DEGREE, PL_ORDER_NESTED } pl_ordering;

typedef struct pl_factor pl_factor;

/* Is there one in this build? */
int pl_factor_exists(void);

/* Can a factor of so many numbers be made where there is so much memory, in bytes? PL_E_LIMIT says
 * what it would take. */
pl_status pl_factor_fits(double numbers, double memory, pl_error *error);

/* Ordering and symbolic analysis for matrices of A's pattern. PL_E_LIMIT: by that the factor would
 * not fit into the machine's memory. */
pl_status pl_factor_create(const pl_allocator *allocator, const pl_bsr *A, pl_ordering ordering,
                           pl_factor **out, pl_error *error);
void pl_factor_destroy(pl_factor *factor);

/* The numeric factor of P A P + s (I - P), where s has the size of A's diagonal; P takes the
 * filter's entries for which chosen is set (NULL: all). PL_E_INDEFINITE and PL_E_SINGULAR name the
 * block row where that showed. */
pl_status pl_factor_compute(pl_factor *factor, const pl_bsr *A, const pl_filter *filter,
                            const char *chosen, pl_error *error);

/* x = A^-1 b; x may be b. Returns whether there was memory (there is after the first one). */
int pl_factor_solve(pl_factor *factor, const double *b, double *x);

/* What a factorisation costs in back-substitutions, about; the numbers in L, and the bytes that it
 * takes; flops for L. */
double pl_factor_cost(const pl_factor *factor);
double pl_factor_fill(const pl_factor *factor);
double pl_factor_bytes(double numbers);
double pl_factor_flops(const pl_factor *factor);

#endif
