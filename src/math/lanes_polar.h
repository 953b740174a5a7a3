/* Polar decomposition F = R S of four matrices at once: R is the rotation closest to F (det R = +1
 * always), S is symmetric. Where det F < 0, the least eigenvalue of S is negative.
 *
 * With signed singular values s1 >= s2 >= |s3|, the trace t = s1 + s2 + s3 of S is the largest root
 * of
 *   (k(t))^2 - 2 det(F) t - |cof F|^2 = 0,   k(t) = (t^2 - |F|^2) / 2,
 * and R follows without an iteration on matrices (Markley 1993, "Attitude determination using
 * vector observations: a fast optimal matrix algorithm", called FOAM):
 *
 *   R = ((k + |F|^2) F - F F^T F + t cof F) / z,   z = k t - det F = (s1+s2) (s2+s3) (s3+s1).
 *
 * Flat and inverted matrices are nothing special here. Halley's method finds t from above (all
 * roots are real, so it does not overshoot). An error that is left in t only stretches the axes of
 * R, so one Newton step towards the nearest rotation squares it away. Where z is small (F close to
 * a line, or its reflection close to a rotation, so that R is sensitive) or F is out of range, the
 * lane is done by its singular value decomposition.
 *
 * A lane's bits depend on that lane alone, and are the same for every instruction set. */
#ifndef PL_MATH_LANES_POLAR_H
#define PL_MATH_LANES_POLAR_H

#include "math/lanes_mat3.h"

/* Replaces R by the rotation from the singular value decomposition in the lanes where fine is not
 * set (polar_kernel.c). */
void PL_VARIANT(pl_polar_rescue)(const pl_lanes *F, const pl_mask *fine, pl_lanes *R);

/* One step of Halley's method for the trace, where k = k(trace). Clears open in the lanes that need
 * no other: with c the curvature of the polynomial by twice its slope, a step d leaves an error
 * below c^2 d^3 and R stretched by less than 2 c^3 d^3, 1e-8 where c d < 1.5e-3, and the step
 * towards the nearest rotation leaves its square. */
PL_INLINE pl_lanes pl_lanes_trace_step(pl_lanes trace, pl_lanes k, pl_lanes curvature, pl_lanes det,
                                       pl_lanes cofactor_square, pl_mask *open)
{
  const double close = 3e-3;
  pl_lanes z = k * trace - det, value = (k * k - cofactor_square) - (2.0 * det) * trace;
  pl_lanes step = (2.0 * value) * z / ((4.0 * z) * z - value * curvature);
  *open &= curvature * pl_lanes_abs(step) > close * z;
  return trace - step;
}

/* The trace of S, from its upper bound; open keeps the lanes that did not converge. */
PL_INLINE pl_lanes pl_lanes_trace(pl_lanes square, pl_lanes det, pl_lanes cofactor_square,
                                  pl_mask *open)
{
  enum { MOST_STEPS = 6 };
  *open = square == square;
  pl_lanes trace = pl_lanes_trace_step(pl_lanes_sqrt(3.0 * square), square, 4.0 * square, det,
                                       cofactor_square, open);
  // a lane that is close enough stays as it is while the others go on
  for (int i = 1; i < MOST_STEPS && pl_lanes_any(*open); i++) {
    pl_mask moving = *open;
    pl_lanes k = 0.5 * (trace * trace - square), curvature = k + trace * trace;
    pl_lanes next = pl_lanes_trace_step(trace, k, curvature, det, cofactor_square, open);
    trace = pl_lanes_pick(moving, next, trace);
  }
  return trace;
}

PL_INLINE void pl_lanes_polar(const pl_lanes *F, pl_lanes *R)
{
  const double least_square = 1e-60, most_square = 1e60, least_gap = 0.02;

  // the invariants of F
  pl_lanes C[9], cofactors[9];
  pl_lanes det = pl_lanes_mat3_cofactors(F, cofactors);
  pl_lanes_mat3_multiply_tn(F, F, C);
  pl_lanes square = C[0] + C[4] + C[8];
  pl_lanes cofactor_square = pl_lanes_mat3_dot(cofactors, cofactors);
  pl_mask open;
  pl_lanes trace = pl_lanes_trace(square, det, cofactor_square, &open);

  // R up to a small stretch; C becomes (k + |F|^2) I - F^T F
  pl_lanes k = 0.5 * (trace * trace - square), z = k * trace - det, factor = 1.0 / z;
  for (int i = 0; i < 9; i++) C[i] = i % 4 ? -C[i] : (k + square) - C[i];
  pl_lanes_mat3_multiply(F, C, R);
  for (int i = 0; i < 9; i++) R[i] = (R[i] + trace * cofactors[i]) * factor;

  // R <- (R + R^-T) / 2, where 1 / det(R) = 2 - det(R) is near enough
  pl_lanes weight = 1.0 - 0.5 * pl_lanes_mat3_cofactors(R, cofactors);
  for (int i = 0; i < 9; i++) R[i] = 0.5 * R[i] + weight * cofactors[i];

  pl_mask fine = (z > least_gap * (trace * trace * trace)) & ~open & (square > least_square) &
                 (square < most_square);
  if (pl_lanes_any(~fine)) PL_VARIANT(pl_polar_rescue)(F, &fine, R);
}

/* The stretch S = sym(R^T F) that belongs to R. */
PL_INLINE void pl_lanes_stretch(const pl_lanes *F, const pl_lanes *R, pl_lanes *S)
{
  pl_lanes RtF[9];
  pl_lanes_mat3_multiply_tn(R, F, RtF);
  pl_lanes_mat3_symmetric(RtF, S);
}

#endif
