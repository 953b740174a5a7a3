/* A family of fibres in any material:
 *
 *   W = k1 / (2 k2) (exp(k2 e^2) - 1),     e = <kappa (I1 - 3) + (1 - 3 kappa) (I4 - 1)>
 *   I4 = |F a|^2
 *
 * (Holzapfel, Gasser, Ogden 2000, "A new constitutive framework for arterial wall mechanics";
 * Gasser, Ogden, Holzapfel 2006 with the dispersion kappa: 0 all along a, 1/3 in all directions.)
 * Fibres do not push: <> is 0 where e is negative, which for kappa = 0 is where they are shortened.
 * Full invariants, not isochoric ones, with which a compressible body could swell without stress in
 * its fibres (Nolan et al. 2014). With g = de/dF = 2 kappa F + 2 (1 - 3 kappa) (F a) a^T,
 *
 *   P = W' g      H = W'' g g^T + W' (2 kappa 1 + 2 (1 - 3 kappa) delta_ik a_j a_l)
 *
 * which is semidefinite by itself. Where k2 e^2 > 300 the exponential goes on as a parabola. The
 * numbers are k1 / mu, k2, kappa and the unit vector a in the axes of the material. */
#include "material/invariant_point.h"
#include "material/material.h"

enum { K1, K2, KAPPA, DIRECTION };

/* a in world axes. */
PL_INLINE void direction(const pl_point *point, const pl_lanes *own, pl_lanes *a)
{
  if (point->axes)
    pl_lanes_mat3_apply(point->axes, own, a);
  else
    memcpy(a, own, 3 * sizeof *a);
}

PL_INLINE void add_tangent(const pl_lanes *g, const pl_lanes *a, pl_lanes bend, pl_lanes along,
                           pl_lanes same, pl_lanes *H)
{
  for (int row = 0; row < 9; row++) {
    const pl_lanes scaled = bend * g[row];
    for (int column = row; column < 9; column++) {
      pl_lanes entry = scaled * g[column];
      if (row / 3 == column / 3) entry += along * (a[row % 3] * a[column % 3]);
      if (row == column) entry += same;
      H[9 * row + column] += entry;
      if (column > row) H[9 * column + row] += entry;
    }
  }
}

static void add(const pl_point *point, const pl_lanes *numbers, double kq, int semidefinite,
                pl_lanes *P, pl_lanes *W, pl_lanes *H)
{
  (void)semidefinite;
  const pl_lanes zero = pl_lanes_all(0), *F = point->F;
  const pl_lanes k1 = point->mu * numbers[K1], k2 = numbers[K2], kappa = numbers[KAPPA];
  const pl_lanes part = 1.0 - 3.0 * kappa;
  pl_lanes a[3], Fa[3], g[9];
  direction(point, numbers + DIRECTION, a);
  pl_lanes_mat3_apply(F, a, Fa);
  const pl_lanes e = pl_lanes_max(
      kappa * (pl_lanes_mat3_dot(F, F) - 3.0) + part * (pl_lanes_dot3(Fa, Fa) - 1.0), zero);
  if (!pl_lanes_any(e > 0.0)) return;
  const pl_lanes_curve x = pl_lanes_exp_curve(k2 * e * e, 300);
  if (W) *W += 0.5 * k1 / k2 * (x.value - 1.0);
  const pl_lanes slope = k1 * e * x.slope;
  for (int i = 0; i < 9; i++) g[i] = 2.0 * (kappa * F[i] + part * (Fa[i / 3] * a[i % 3]));
  for (int i = 0; P && i < 9; i++) P[i] += slope * g[i];
  if (!H) return;
  const pl_lanes bend = pl_lanes_pick(e > 0.0, k1 * (x.slope + 2.0 * k2 * e * e * x.bend), zero);
  add_tangent(g, a, kq * bend, (2 * kq) * slope * part, (2 * kq) * slope * kappa, H);
}

const pl_modifier_ops PL_VARIANT(pl_modifier_fibres) = {.name = "fibres", .add = add};
