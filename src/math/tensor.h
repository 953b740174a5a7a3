/* What engineers read off a deformation gradient F and a Cauchy stress, both 3x3 and row-major:
 *
 *   pressure   -tr(sigma)/3                        von Mises   sqrt(3/2 dev:dev)
 *   second Piola-Kirchhoff stress   S = J F^-1 sigma F^-T
 *   Green's strain                  E = (F^T F - I) / 2
 *
 * Stress is positive in tension. S does not exist where F is flat: 0 there. */
#ifndef PL_MATH_TENSOR_H
#define PL_MATH_TENSOR_H

#include "math/mat3.h"

#include <math.h>
#include <string.h>

static inline double pl_pressure(const double s[9]) { return -(s[0] + s[4] + s[8]) / 3; }

static inline double pl_von_mises(const double s[9])
{
  double a = s[0] - s[4], b = s[4] - s[8], c = s[8] - s[0];
  return sqrt(0.5 * (a * a + b * b + c * c) + 3 * (s[1] * s[1] + s[2] * s[2] + s[5] * s[5]));
}

static inline void pl_green(const double F[9], double E[9])
{
  pl_mat3_multiply_tn(F, F, E);
  for (int i = 0; i < 9; i++) E[i] = 0.5 * (E[i] - (i % 4 == 0));
}

static inline void pl_second_piola(const double F[9], const double sigma[9], double S[9])
{
  double inverse[9] = {0}, half[9], J = pl_mat3_inverse(F, inverse);
  memset(S, 0, 9 * sizeof *S);
  if (!(fabs(J) > 1e-12)) return;
  pl_mat3_multiply(inverse, sigma, half);
  pl_mat3_multiply_nt(half, inverse, S);
  for (int i = 0; i < 9; i++) S[i] *= J;
}

#endif
