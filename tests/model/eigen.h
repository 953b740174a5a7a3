/* Eigenvalues of a small dense symmetric matrix by Jacobi's rotations, for tests. */
#ifndef PL_TEST_EIGEN_H
#define PL_TEST_EIGEN_H

#include <math.h>

static inline void test_rotate(double *A, int n, int p, int q)
{
  double off = A[n * p + q];
  if (off * off < 1e-30 * A[n * p + p] * A[n * p + p] + 1e-40) return;
  double theta = (A[n * q + q] - A[n * p + p]) / (2 * off);
  double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
  double c = 1 / sqrt(t * t + 1), s = t * c;
  for (int k = 0; k < n; k++) {
    double a = A[n * k + p], b = A[n * k + q];
    A[n * k + p] = c * a - s * b;
    A[n * k + q] = s * a + c * b;
  }
  for (int k = 0; k < n; k++) {
    double a = A[n * p + k], b = A[n * q + k];
    A[n * p + k] = c * a - s * b;
    A[n * q + k] = s * a + c * b;
  }
}

/* They stand on the diagonal afterwards. */
static inline void test_eigenvalues(double *A, int n)
{
  for (int sweep = 0; sweep < 12; sweep++) {
    for (int p = 0; p < n; p++) {
      for (int q = p + 1; q < n; q++) test_rotate(A, n, p, q);
    }
  }
}

#endif
