/* Has a matrix negative eigenvalues? */
#ifndef PL_TESTS_MODEL_QUOTIENT_H
#define PL_TESTS_MODEL_QUOTIENT_H

#include "bodies.h"

/* The least quotient d.A d / d.d that some iterations with s - A find, over the largest entry: s
 * bounds all eigenvalues, so that directions of the least ones grow. */
static inline double test_least_quotient(test_body *body)
{
  double s = 0, largest = 0, least = INFINITY;
  for (int row = 0; row < body->A->rows; row++) {
    double sums[3] = {0};
    for (int k = 9 * body->A->start[row]; k < 9 * body->A->start[row + 1]; k++) {
      sums[k % 3] += fabs(body->A->values[k]);
      largest = fmax(largest, fabs(body->A->values[k]));
    }
    for (int k = 0; k < 3; k++) s = fmax(s, sums[k]);
  }
  if (!(largest > 0)) return 0;
  test_fill(body->d, body->n, 1);
  for (int i = 0; i < 12; i++) {
    pl_bsr_multiply(body->A, body->d, body->f, NULL);
    double length = test_dot(body->d, body->d, body->n);
    least = fmin(least, test_dot(body->d, body->f, body->n) / length);
    for (int k = 0; k < body->n; k++) body->d[k] = (body->d[k] - body->f[k] / s) / sqrt(length);
  }
  return least / largest;
}

#endif
