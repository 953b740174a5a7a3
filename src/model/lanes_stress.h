/* What kernels say of four points at once: volume ratio, von Mises stress, equivalent strain. */
#ifndef PL_MODEL_LANES_STRESS_H
#define PL_MODEL_LANES_STRESS_H

#include "math/lanes_mat3.h"

PL_INLINE pl_lanes pl_lanes_det(const pl_lanes *F)
{
  return F[0] * (F[4] * F[8] - F[5] * F[7]) + F[1] * (F[5] * F[6] - F[3] * F[8]) +
         F[2] * (F[3] * F[7] - F[4] * F[6]);
}

/* sigma = P F^T / det F, its symmetric part; a nearly flat element is taken as 1e-6 thick. */
PL_INLINE void pl_lanes_cauchy(const pl_lanes *F, const pl_lanes *P, pl_lanes *sigma)
{
  pl_lanes J = pl_lanes_max(pl_lanes_abs(pl_lanes_det(F)), pl_lanes_all(1e-6));
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j <= i; j++) {
      pl_lanes sum = pl_lanes_dot3(P + 3 * i, F + 3 * j) + pl_lanes_dot3(P + 3 * j, F + 3 * i);
      sigma[3 * i + j] = sigma[3 * j + i] = 0.5 * sum / J;
    }
  }
}

/* Von Mises stress of sigma = P F^T / det F; a nearly flat element is taken as 1e-6 thick. */
PL_INLINE pl_lanes pl_lanes_von_mises(const pl_lanes *F, const pl_lanes *P, pl_lanes J)
{
  pl_lanes s[9];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) s[3 * i + j] = pl_lanes_dot3(P + 3 * i, F + 3 * j);
  }
  pl_lanes a = s[0] - s[4], b = s[4] - s[8], c = s[8] - s[0];
  pl_lanes u = 0.5 * (s[1] + s[3]), v = 0.5 * (s[5] + s[7]), w = 0.5 * (s[2] + s[6]);
  pl_lanes square = 0.5 * (a * a + b * b + c * c) + 3.0 * (u * u + v * v + w * w);
  return pl_lanes_sqrt(square) / pl_lanes_max(pl_lanes_abs(J), pl_lanes_all(1e-6));
}

/* sqrt(2/3 e : e) of the deviator e of Green's strain (F^T F - I) / 2. A stretch by 1 + s at
 * constant volume gives s, a simple shear by g gives g / sqrt(3), to first order. */
PL_INLINE pl_lanes pl_lanes_equivalent_strain(const pl_lanes *F)
{
  pl_lanes C[6];
  for (int k = 0; k < 6; k++) {
    int i = k % 3, j = k < 3 ? i : (k + 1) % 3;
    C[k] = F[i] * F[j] + F[3 + i] * F[3 + j] + F[6 + i] * F[6 + j];
  }
  pl_lanes a = C[0] - C[1], b = C[1] - C[2], c = C[2] - C[0];
  pl_lanes square = (a * a + b * b + c * c) / 3.0;
  square += 2.0 * (C[3] * C[3] + C[4] * C[4] + C[5] * C[5]);
  return pl_lanes_sqrt(square / 6.0);
}

#endif
