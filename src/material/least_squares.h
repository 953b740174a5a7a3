/* Small dense least squares: linear, linear with unknowns that are not negative, and nonlinear. For
 * fits of constants to measurements: some hundred rows, up to two dozen unknowns. */
#ifndef PL_MATERIAL_LEAST_SQUARES_H
#define PL_MATERIAL_LEAST_SQUARES_H

#include "pliant/base.h"

/* A (rows x count, row after row) and b: the least |A x - b|. */
typedef struct pl_linear_fit {
  int rows, count;
  const double *A, *b;
} pl_linear_fit;

/* Householder's QR of the columns scaled to length 1. condition (may be NULL): the ratio of the
 * largest to the smallest diagonal entry of R; infinite where columns depend on each other, whose
 * unknowns are then 0. */
pl_status pl_fit_linear(const pl_allocator *allocator, const pl_linear_fit *fit, double *x,
                        double *condition, pl_error *error);

/* The same with x >= 0 (Lawson, Hanson 1974, "Solving least squares problems", chapter 23). */
pl_status pl_fit_nonnegative(const pl_allocator *allocator, const pl_linear_fit *fit, double *x,
                             pl_error *error);

/* The least |r(x)|. A residual that is not finite is a point that cannot be. */
typedef struct pl_nonlinear_fit {
  int rows, count;
  double min_fall; /* of |r|^2 in a step, as a share of it: below that the search ends */
  double step;     /* of differences, relative to x above 1; 0: 1e-6 */
  void *context;
  void (*residuals)(void *context, const double *x, double *r);
  /* J (rows x count) = dr/dx; NULL: by central differences. */
  void (*slopes)(void *context, const double *x, double *J);
} pl_nonlinear_fit;

/* Levenberg's and Marquardt's method from x on: to a local
 * minimum, or until |r|^2 hardly falls, or after so many steps. deviation (count, may be
 * NULL) gets the standard deviations of x, sum (may be NULL) |r|^2. */
pl_status pl_fit_nonlinear(const pl_allocator *allocator, const pl_nonlinear_fit *fit, int steps,
                           double *x, double *deviation, double *sum, pl_error *error);

#endif
