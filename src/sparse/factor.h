/* The complete factor of a symmetric block matrix: A = L S L^T in an order of little fill, where S
 * has only +1 and -1 on its diagonal (all +1 where A is positive definite: Cholesky's factor).
 *
 * Left-looking by panels of supernodes (Ng & Peyton 1993): a panel takes what earlier panels stand
 * for in its columns by dense products, then is factorised itself. Panels of different subtrees of
 * the elimination tree know nothing of each other and are shared out to threads; at the top of the
 * tree the rows of one panel are. Rows are never exchanged, so the factor of an indefinite matrix
 * is safe only as long as no pivot is small; one that is not is refused. */
#ifndef PL_SPARSE_FACTOR_H
#define PL_SPARSE_FACTOR_H

#include "core/thread.h"
#include "sparse/bsr.h"
#include "sparse/filter.h"

/* PL_ORDER_LEAST: that of the two with fewer operations. */
typedef enum pl_ordering { PL_ORDER_LEAST, PL_ORDER_DEGREE, PL_ORDER_NESTED } pl_ordering;

typedef struct pl_factor pl_factor;
struct pl_elimination;

/* Can a factor of so many numbers be made where there is so much memory, in bytes? PL_E_LIMIT says
 * what it would take. */
pl_status pl_factor_fits(double numbers, double memory, pl_error *error);

/* Ordering and symbolic analysis for matrices of A's pattern, and all memory that there will ever
 * be. PL_E_LIMIT: the factor would not fit into the machine's memory. */
pl_status pl_factor_create(const pl_allocator *allocator, const pl_bsr *A, pl_ordering ordering,
                           pl_factor **out, pl_error *error);
void pl_factor_destroy(pl_factor *factor);

/* The first half of that: in which order, and where the numbers of L stand. */
pl_status pl_factor_plan(const pl_allocator *allocator, const pl_bsr *A, pl_ordering wanted,
                         struct pl_elimination *plan, int *is_nested, pl_error *error);

/* The numeric factor of P A P + s (I - P), where s has the size of A's diagonal; P takes the
 * filter's entries for which chosen is set (NULL: all). PL_E_SINGULAR names the block row where
 * that showed; PL_E_INDEFINITE the first with a negative pivot or, where the matrix may be
 * indefinite, the first with a pivot too small to divide by. PL_E_CANCELLED: A's watch ended it. */
pl_status pl_factor_compute(pl_factor *factor, const pl_bsr *A, const pl_filter *filter,
                            const char *chosen, int may_be_indefinite, pl_pool *pool,
                            pl_error *error);

/* x = A^-1 b; x may be b. Parts of L that only zeros of b would meet are passed over. */
void pl_factor_solve(pl_factor *factor, const double *b, double *x, pl_pool *pool);

/* What a factorisation costs in back-substitutions, about; the numbers in L, and the bytes that so
 * many take; flops for L. */
double pl_factor_cost(const pl_factor *factor);
double pl_factor_fill(const pl_factor *factor);
double pl_factor_bytes(double numbers);
double pl_factor_flops(const pl_factor *factor);

/* Its order is nested dissection. */
int pl_factor_is_nested(const pl_factor *factor);

#endif
