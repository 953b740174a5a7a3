/* How small a residual can be distinguished from rounding errors at all. */
#ifndef PL_SPARSE_ROUNDING_H
#define PL_SPARSE_ROUNDING_H

#include "core/thread.h"
#include "sparse/bsr.h"
#include "sparse/filter.h"
#include "sparse/pairs.h"

#include <float.h>

#define PL_ROUNDING      (16 * DBL_EPSILON) /* sums of a row's length, with some reserve */
#define PL_SMALLEST_NORM 1e-140             /* smaller norms have no squares */

/* y = |A||x|, with absolute values of all entries, and those of the pairs unless they are NULL.
 * Only looked at in trouble, hence plain. */
void pl_absolute_product(const pl_bsr *A, const pl_pairs *pairs, const double *x, double *y);

/* The norm of P (b - A x) that rounding errors in it alone can make: PL_ROUNDING | |b| + |A||x| |
 * (Oettli and Prager's measure of what the data allow). work is a vector. */
double pl_rounding_level(const pl_bsr *A, const pl_pairs *pairs, const pl_filter *filter,
                         const double *b, const double *x, double *work, pl_pool *pool);

#endif
