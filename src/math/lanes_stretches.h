/* Signed singular values F = U diag(s) V^T of four matrices at once, without an iteration on
 * matrices: the polar decomposition F = R S (lanes_polar.h), then the eigenvectors of S. U and V
 * are rotations, s is in no order, and where det F < 0 the one of least size is negative.
 *
 * Of B = (S - m I) / p, with the mean m of the eigenvalues and 6 p^2 = |S - m I|^2, the eigenvalues
 * are the roots of x^3 - 3 x - 2 r = 0, r = det(B) / 2, and that of the sign of r is the one far
 * from both others: |x| lies between sqrt 3 and 2, the others at least sqrt 3 away. So its
 * eigenvector, the largest column of the cofactors of B - x I, is always well defined; the two
 * others follow by one rotation in the plane across it (the idea is Eberly's, "A robust eigensolver
 * for 3x3 symmetric matrices"). Equal stretches need no care: whatever vectors come out are
 * orthogonal and make S diagonal to rounding. */
#ifndef PL_MATH_LANES_STRETCHES_H
#define PL_MATH_LANES_STRETCHES_H

#include "math/lanes_jacobi.h"
#include "math/lanes_polar.h"

/* The largest root of x^3 - 3 x - 2 r for 0 <= r <= 1: a parabola within 8e-4 of it, then
 * Halley's steps, which cube the error. */
PL_INLINE pl_lanes pl_lanes_far_root(pl_lanes r)
{
  pl_lanes x = 1.73279 + r * (0.31966 - 0.05292 * r);
  for (int i = 0; i < 2; i++) {
    const pl_lanes square = x * x, value = x * (square - 3.0) - 2.0 * r, slope = 3.0 * square - 3.0;
    x -= value * slope / (slope * slope - 3.0 * x * value);
  }
  return x;
}

/* The unit vector that B - x I (B symmetric) maps to 0. */
PL_INLINE void pl_lanes_far_vector(const pl_lanes *B, pl_lanes x, pl_lanes *v)
{
  pl_lanes M[9], G[9];
  for (int i = 0; i < 9; i++) M[i] = i % 4 == 0 ? B[i] - x : B[i];
  pl_lanes_mat3_cofactors(M, G);
  const pl_mask second = G[4] > G[0];
  const pl_mask third = G[8] > pl_lanes_max(G[0], G[4]);
  for (int i = 0; i < 3; i++)
    v[i] = pl_lanes_pick(third, G[3 * i + 2], pl_lanes_pick(second, G[3 * i + 1], G[3 * i]));
  const pl_lanes factor = 1.0 / pl_lanes_sqrt(pl_lanes_dot3(v, v));
  for (int i = 0; i < 3; i++) v[i] *= factor;
}

/* Unit vectors a and b with v x a = b. */
PL_INLINE void pl_lanes_across(const pl_lanes *v, pl_lanes *a, pl_lanes *b)
{
  const pl_lanes zero = pl_lanes_all(0);
  const pl_mask first = pl_lanes_abs(v[0]) > pl_lanes_abs(v[1]);
  const pl_lanes other = pl_lanes_pick(first, v[0], v[1]);
  const pl_lanes factor = 1.0 / pl_lanes_sqrt(other * other + v[2] * v[2]);
  a[0] = pl_lanes_pick(first, -factor * v[2], zero);
  a[1] = pl_lanes_pick(first, zero, factor * v[2]);
  a[2] = pl_lanes_pick(first, factor * v[0], -factor * v[1]);
  pl_lanes_cross3(v, a, b);
}

/* Turns a and b in their plane so that a . B b = 0; values: a . B a and b . B b. */
PL_INLINE void pl_lanes_turn_plane(const pl_lanes *B, pl_lanes *a, pl_lanes *b, pl_lanes *values)
{
  pl_lanes Ba[3], Bb[3];
  pl_lanes_mat3_apply(B, a, Ba);
  pl_lanes_mat3_apply(B, b, Bb);
  const pl_lanes aa = pl_lanes_dot3(a, Ba), bb = pl_lanes_dot3(b, Bb), ab = pl_lanes_dot3(a, Bb);
  const pl_mask mask = pl_lanes_abs(ab) > 1e-17;
  const pl_lanes_turn turn = pl_lanes_jacobi_turn(aa, bb, pl_lanes_pick(mask, ab, pl_lanes_all(1)));
  const pl_lanes shift = pl_lanes_pick(mask, turn.t * ab, pl_lanes_all(0));
  values[0] = aa - shift;
  values[1] = bb + shift;
  for (int i = 0; i < 3; i++) pl_lanes_rotate(mask, &turn, &a[i], &b[i]);
}

/* S = V diag(s) V^T of a symmetric S. */
PL_INLINE void pl_lanes_symmetric_frame(const pl_lanes *S, pl_lanes *s, pl_lanes *V)
{
  const double nothing = 1e-280;
  const pl_lanes mean = (S[0] + S[4] + S[8]) * (1.0 / 3), one = pl_lanes_all(1);
  pl_lanes B[9], G[9], v[3][3], values[3];
  for (int i = 0; i < 9; i++) B[i] = i % 4 == 0 ? S[i] - mean : S[i];
  // what rounding of the mean leaves may be all there is
  const pl_lanes left = (B[0] + B[4] + B[8]) * (1.0 / 3);
  for (int i = 0; i < 9; i += 4) B[i] -= left;
  const pl_lanes square = pl_lanes_mat3_dot(B, B) * (1.0 / 6);
  const pl_mask differ = square > nothing;
  const pl_lanes p = pl_lanes_sqrt(square), scale = 1.0 / pl_lanes_pick(differ, p, one);
  for (int i = 0; i < 9; i++) B[i] *= scale;

  const pl_lanes r = 0.5 * pl_lanes_mat3_cofactors(B, G);
  const pl_lanes x = pl_lanes_far_root(pl_lanes_min(pl_lanes_abs(r), one));
  values[0] = pl_lanes_pick(r < 0.0, -x, x);
  pl_lanes_far_vector(B, values[0], v[0]);
  pl_lanes_across(v[0], v[1], v[2]);
  pl_lanes_turn_plane(B, v[1], v[2], values + 1);
  for (int i = 0; i < 3; i++) s[i] = pl_lanes_pick(differ, mean + p * values[i], mean);
  for (int i = 0; i < 9; i++)
    V[i] = pl_lanes_pick(differ, v[i % 3][i / 3], pl_lanes_all(i % 4 == 0));
}

PL_INLINE void pl_lanes_stretches(const pl_lanes *F, pl_lanes *U, pl_lanes *s, pl_lanes *V)
{
  pl_lanes R[9], S[9];
  pl_lanes_polar(F, R);
  pl_lanes_stretch(F, R, S);
  pl_lanes_symmetric_frame(S, s, V);
  pl_lanes_mat3_multiply(R, V, U);
}

#endif
