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
 * roots are real, so it does not overshoot). What rounding leaves of R^T R - I is below 3e-15 for
 * an F close to a rotation and grows as z / t^3 falls from 8/27, to 6e-14 at 0.08. Below that (F
 * close to a line, or its reflection close to a rotation, so that R is sensitive), or where F is
 * out of range, the lane is done by its singular value decomposition.
 *
 * A lane's bits depend on that lane alone, and are the same for every instruction set. */
#ifndef PL_MATH_LANES_POLAR_H
#define PL_MATH_LANES_POLAR_H

#include "math/lanes_mat3.h"

/* Replaces R by the rotation from the singular value decomposition in the lanes where fine is not
 * set (polar_kernel.c). */
void PL_VARIANT(pl_polar_rescue)(const pl_lanes *F, const pl_mask *fine, pl_lanes *R);

/* One step of Halley's method for the trace, from 2 z, 4 times the polynomial's value and a quarter
 * of its curvature there. Keeps open in the lanes that need another: with c the curvature by twice
 * the slope, a step d leaves an error below c^2 d^3 and R stretched by less than 2 c^3 d^3, which
 * is rounding where c d < 5e-6. */
PL_INLINE pl_lanes pl_lanes_trace_step(pl_lanes trace, pl_lanes z, pl_lanes value,
                                       pl_lanes curvature, pl_mask *open)
{
  const double close = 1.25e-6;
  pl_lanes step = (0.25 * value) * z / (z * z - value * curvature);
  *open &= curvature * pl_lanes_abs(step) > close * z;
  return trace - step;
}

/* The step from any trace but the first. */
PL_INLINE pl_lanes pl_lanes_next_trace(pl_lanes trace, pl_lanes square, pl_lanes det2,
                                       pl_lanes cofactors4, pl_mask *open)
{
  pl_lanes trace2 = trace * trace, k = trace2 - square;
  pl_lanes value = k * k - (cofactors4 + (4.0 * det2) * trace);
  pl_lanes curvature = 0.375 * trace2 - 0.125 * square;
  return pl_lanes_trace_step(trace, k * trace - det2, value, curvature, open);
}

/* The trace of S, from its upper bound; open keeps the lanes that did not converge. */
PL_INLINE pl_lanes pl_lanes_trace(pl_lanes square, pl_lanes det2, pl_lanes cofactors4,
                                  pl_mask *open)
{
  enum { MOST_STEPS = 6 };
  pl_lanes k = 2.0 * square, max = pl_lanes_sqrt(3.0 * square);
  pl_lanes value = (k * k - cofactors4) - (4.0 * det2) * max;
  pl_lanes trace = pl_lanes_trace_step(max, k * max - det2, value, square, open);
  *open = square == square;
  trace = pl_lanes_next_trace(trace, square, det2, cofactors4, open);
  // a lane that is close enough stays as it is while the others go on
  for (int i = 2; i < MOST_STEPS && pl_lanes_any(*open); i++) {
    pl_mask moving = *open;
    pl_lanes next = pl_lanes_next_trace(trace, square, det2, cofactors4, open);
    trace = pl_lanes_pick(moving, next, trace);
  }
  return trace;
}

/* Returns the trace of S. */
PL_INLINE pl_lanes pl_lanes_polar(const pl_lanes *F, pl_lanes *R)
{
  const double min_square = 1e-60, max_square = 1e60, min_gap = 0.08;

  // the invariants of F, and what of R does not need the trace
  pl_lanes C[9], FC[9], cofactors[9];
  pl_lanes det2 = 2.0 * pl_lanes_mat3_cofactors(F, cofactors);
  pl_lanes_mat3_multiply_tn(F, F, C);
  pl_lanes square = C[0] + C[4] + C[8];
  pl_lanes cofactors4 = 4.0 * pl_lanes_mat3_dot(cofactors, cofactors);
  pl_lanes_mat3_multiply(F, C, FC);

  pl_mask open = square == square;
  pl_lanes trace = pl_lanes_trace(square, det2, cofactors4, &open), trace2 = trace * trace;
  pl_lanes z = (trace2 - square) * trace - det2, factor = 2.0 / z, half = 0.5 * (trace2 + square);
  for (int i = 0; i < 9; i++) R[i] = ((half * F[i] - FC[i]) + trace * cofactors[i]) * factor;

  pl_mask fine = (z > (2 * min_gap) * (trace * trace2)) & ~open & (square > min_square) &
                 (square < max_square);
  if (pl_lanes_any(~fine)) {
    PL_VARIANT(pl_polar_rescue)(F, &fine, R);
    trace = pl_lanes_pick(fine, trace, pl_lanes_mat3_dot(R, F));
  }
  return trace;
}

/* The stretch S = sym(R^T F) that belongs to R. */
PL_INLINE void pl_lanes_stretch(const pl_lanes *F, const pl_lanes *R, pl_lanes *S)
{
  pl_lanes RtF[9];
  pl_lanes_mat3_multiply_tn(R, F, RtF);
  pl_lanes_mat3_symmetric(RtF, S);
}

#endif
