/* Vector work in fixed chunks: the same bits for any number of threads. A block is 3 doubles. */
#ifndef PL_SPARSE_VECTOR_H
#define PL_SPARSE_VECTOR_H

#include "core/thread.h"

double pl_dot(const double *x, const double *y, int blocks, pl_pool *pool);
double pl_norm(const double *x, int blocks, pl_pool *pool);
/* y += a x, and y = x + a y. */
void pl_axpy(double a, const double *x, double *y, int blocks, pl_pool *pool);
void pl_xpay(const double *x, double a, double *y, int blocks, pl_pool *pool);
/* y = base + a x, or a x where base is NULL; y may be either of them. */
void pl_combine(const double *base, double a, const double *x, double *y, int blocks,
                pl_pool *pool);

#endif
