/* A limit to the stretches of any material: beyond it the second slope of a knee,
 *
 *   W = sum_i k r(s_i - most) + k r(least - s_i),     k = (factor - 1) E,     r(x) = <x>^2 / 2
 *
 * with E = mu (3 lambda + 2 mu) / (lambda + mu), after the two slopes of skin in Provot 1995,
 * "Deformation constraints in a mass-spring model to describe rigid cloth behavior": beyond the
 * knee a rod has the stiffness E + k. The first sum grows with the stretches, so that its tangent
 * is semidefinite; that of the second is projected. The knee is rounded by a cubic over 2 % of the
 * limit, d = 1 %: r = (x + d)^3 / (12 d) for |x| < d, x^2 / 2 + d^2 / 6 beyond. The numbers are
 * most, least (negative: none) and factor. */
#include "material/material.h"
#include "material/stretch_point.h"

enum { MOST, LEAST, FACTOR, YOUNG };

/* r and its derivatives. */
PL_INLINE pl_lanes_curve knee(pl_lanes x, pl_lanes d)
{
  const pl_lanes zero = pl_lanes_all(0), in = x + d;
  const pl_lanes_curve round = {in * in * in / (12.0 * d), in * in / (4.0 * d), in / (2.0 * d)};
  const pl_lanes_curve beyond = {0.5 * x * x + d * d / 6.0, x, pl_lanes_all(1)};
  const pl_mask above = x > d, below = in < 0.0;
  return (pl_lanes_curve){
      pl_lanes_pick(above, beyond.value, pl_lanes_pick(below, zero, round.value)),
      pl_lanes_pick(above, beyond.slope, pl_lanes_pick(below, zero, round.slope)),
      pl_lanes_pick(above, beyond.bend, pl_lanes_pick(below, zero, round.bend))};
}

/* The point's numbers are the limit's. */
PL_INLINE void stretches(const pl_point *point, const pl_lanes *s, pl_stretches *out)
{
  const pl_lanes *n = point->numbers, zero = pl_lanes_all(0);
  const pl_lanes k = (n[FACTOR] - 1.0) * point->mu * n[YOUNG];
  memset(out, 0, sizeof *out);
  for (int i = 0; i < 3; i++) {
    const pl_lanes_curve high = knee(s[i] - n[MOST], 0.01 * n[MOST]);
    const pl_lanes_curve low =
        knee(n[LEAST] - s[i], pl_lanes_max(0.01 * n[LEAST], pl_lanes_all(1e-6)));
    const pl_mask lower = n[LEAST] > 0.0;
    out->w += k * (high.value + pl_lanes_pick(lower, low.value, zero));
    out->g[i] = k * (high.slope - pl_lanes_pick(lower, low.slope, zero));
    out->A[4 * i] = k * (high.bend + pl_lanes_pick(lower, low.bend, zero));
  }
}

/* Are all stretches inside the limits? From bounds of the eigenvalues of C = F^T F, mean plus and
 * minus twice sqrt(|C - mean|^2 / 6). */
PL_INLINE int is_inside(const pl_point *point, const pl_lanes *n)
{
  pl_lanes C[9], G[9];
  const pl_lanes J = pl_lanes_mat3_cofactors(point->F, G);
  pl_lanes_mat3_multiply_tn(point->F, point->F, C);
  const pl_lanes mean = (C[0] + C[4] + C[8]) / 3.0;
  for (int i = 0; i < 9; i += 4) C[i] -= mean;
  const pl_lanes spread = 2.0 * pl_lanes_sqrt(pl_lanes_mat3_dot(C, C) / 6.0);
  const pl_lanes high = 0.99 * n[MOST], low = 1.02 * n[LEAST];
  pl_mask out = mean + spread >= high * high;
  out |= (n[LEAST] > 0.0) & ((mean - spread <= low * low) | (J <= 0.0));
  return !pl_lanes_any(out);
}

static void add(const pl_point *point, const pl_lanes *numbers, double kq, int semidefinite,
                pl_lanes *P, pl_lanes *W, pl_lanes *H)
{
  pl_lanes more[9], energy, more_H[81];
  if (is_inside(point, numbers)) return;
  pl_point at = *point;
  at.numbers = numbers;
  at.viscous = 0;
  at.prestress = at.pressure = NULL;
  if (W) {
    pl_stretch_stress_at(stretches, &at, more, &energy);
    *W += energy;
  } else {
    pl_stretch_tangent_at(stretches, &at, kq, 0, semidefinite, more, H ? more_H : NULL);
  }
  for (int e = 0; P && e < 9; e++) P[e] += more[e];
  for (int e = 0; H && e < 81; e++) H[e] += more_H[e];
}

const pl_modifier_ops PL_VARIANT(pl_modifier_limit) = {.name = "limit", .add = add};
