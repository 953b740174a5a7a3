/* Green's strain at a batch of points: what its own file and laws of F share. */
#ifndef PL_MATERIAL_GREEN_POINT_H
#define PL_MATERIAL_GREEN_POINT_H

#include "material/hooke_point.h"
#include "math/lanes_jacobi.h"

/* E = (F^T F - I) / 2 */
PL_INLINE void pl_green_strain(const pl_lanes *F, pl_lanes *E)
{
  pl_lanes_mat3_multiply_tn(F, F, E);
  for (int i = 0; i < 9; i += 4) E[i] -= 1.0;
  for (int i = 0; i < 9; i++) E[i] *= 0.5;
}

/* Replaces S by its part without negative eigenvalues. */
PL_INLINE void pl_clamp_stress(pl_lanes *S)
{
  // most points are in tension and need nothing: all minors are positive
  pl_lanes minor = S[0] * S[4] - S[1] * S[1], cofactors[9];
  pl_lanes det = pl_lanes_mat3_cofactors(S, cofactors);
  pl_mask fine = (S[0] > 0.0) & (minor > 0.0) & (det > 0.0);
  if (!pl_lanes_any(~fine)) return;

  pl_lanes values[3], Q[9], scaled[9], clamped[9];
  pl_lanes_eigen(S, values, Q);
  for (int i = 0; i < 9; i++) scaled[i] = Q[i] * pl_lanes_max(values[i % 3], pl_lanes_all(0));
  pl_lanes_mat3_multiply_nt(scaled, Q, clamped);
  for (int i = 0; i < 9; i++) S[i] = pl_lanes_pick(fine, S[i], clamped[i]);
}

#endif
