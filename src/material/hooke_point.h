/* Hooke's law at a batch of points: the parts that the strain measures share.
 *
 *   sigma(E) = lambda tr(E) I + 2 mu E        W = lambda/2 tr(E)^2 + mu E:E
 *
 * Hauth 2004, 2.5.1; the viscous stress is the same operator on the strain rate (5.2.1). */
#ifndef PL_MATERIAL_HOOKE_POINT_H
#define PL_MATERIAL_HOOKE_POINT_H

#include "material/point.h"
#include "math/lanes_mat3.h"

/* sigma = sigma(E) */
PL_INLINE void pl_hooke_stress(pl_lanes lambda, pl_lanes mu, const pl_lanes *E, pl_lanes *sigma)
{
  pl_lanes pressure = lambda * (E[0] + E[4] + E[8]);
  for (int i = 0; i < 9; i++) sigma[i] = (2.0 * mu) * E[i];
  for (int i = 0; i < 9; i += 4) sigma[i] += pressure;
}

PL_INLINE pl_lanes pl_hooke_energy(pl_lanes lambda, pl_lanes mu, const pl_lanes *E)
{
  pl_lanes trace = E[0] + E[4] + E[8];
  return 0.5 * lambda * trace * trace + mu * pl_lanes_mat3_dot(E, E);
}

/* The part of pl_hooke_tangent that couples directions i <= k, and its mirror image. */
PL_INLINE void pl_hooke_directions(const pl_lanes *A, const pl_lanes *lambda_A,
                                   const pl_lanes *mu_A, pl_lanes mu_B, const int i, const int k,
                                   pl_lanes *H)
{
  for (int j = 0; j < 3; j++) {
    for (int l = i == k ? j : 0; l < 3; l++) {
      pl_lanes entry = lambda_A[3 * i + j] * A[3 * k + l] + mu_A[3 * i + l] * A[3 * k + j];
      if (j == l) entry += mu_B;
      H[9 * (3 * i + j) + 3 * k + l] = H[9 * (3 * k + l) + 3 * i + j] = entry;
    }
  }
}

/* The second derivative by dF of the energy of the strain sym(A^T dF), with B = A A^T:
 *   H_ijkl = lambda A_ij A_kl + mu (A_il A_kj + delta_jl B_ik)
 * It has no negative eigenvalue. B = NULL stands for the identity. */
PL_INLINE void pl_hooke_tangent(pl_lanes lambda, pl_lanes mu, const pl_lanes *A, const pl_lanes *B,
                                pl_lanes *H)
{
  pl_lanes lambda_A[9], mu_A[9], zero = pl_lanes_all(0);
  for (int i = 0; i < 9; i++) {
    lambda_A[i] = lambda * A[i];
    mu_A[i] = mu * A[i];
  }
  pl_hooke_directions(A, lambda_A, mu_A, B ? mu * B[0] : mu, 0, 0, H);
  pl_hooke_directions(A, lambda_A, mu_A, B ? mu * B[1] : zero, 0, 1, H);
  pl_hooke_directions(A, lambda_A, mu_A, B ? mu * B[2] : zero, 0, 2, H);
  pl_hooke_directions(A, lambda_A, mu_A, B ? mu * B[4] : mu, 1, 1, H);
  pl_hooke_directions(A, lambda_A, mu_A, B ? mu * B[5] : zero, 1, 2, H);
  pl_hooke_directions(A, lambda_A, mu_A, B ? mu * B[8] : mu, 2, 2, H);
}

#endif
