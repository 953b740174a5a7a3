/* Laws W = f(Ib1 - 3) + U(J) with Ib1 = J^(-2/3) I1 at a batch of points: rubber whose change of
 * shape is given by one function.
 *
 * With c(J) = J^(-2/3) and x = c I1 - 3,
 *   W_1  = f' c             W_J  = f' c' I1 + U'
 *   W_11 = f'' c^2          W_1J = f'' c c' I1 + f' c'
 *   W_JJ = f'' (c' I1)^2 + f' c'' I1 + U''.
 * Below J = PL_LEAST_RATIO c goes on as a parabola (invariant_point.h). */
#ifndef PL_MATERIAL_ISOCHORIC_POINT_H
#define PL_MATERIAL_ISOCHORIC_POINT_H

#include "material/invariant_point.h"

/* J^(-2/3) and its first two derivatives. */
PL_INLINE pl_lanes_curve pl_isochoric_factor(pl_lanes J)
{
  pl_lanes j = pl_lanes_max(J, pl_lanes_all(PL_LEAST_RATIO));
  pl_lanes root = pl_lanes_inverse_root3(j), c = root * root;
  const pl_lanes_curve curve = {c, c * (-2.0 / 3) / j, c * (10.0 / 9) / (j * j)};
  return pl_lanes_continue(curve, J - j);
}

/* Energy and derivatives from f at x and U at J; c: the factor of J. */
PL_INLINE void pl_isochoric_potential(const pl_lanes *I, const pl_lanes_curve *c, pl_lanes_curve f,
                                      pl_lanes_curve U, pl_potential *out)
{
  const pl_lanes zero = pl_lanes_all(0);
  pl_lanes by_J = c->slope * I[0];
  *out = (pl_potential){
      .W = f.value + U.value,
      .first = {f.slope * c->value, zero, f.slope * by_J + U.slope},
      .second = {f.bend * c->value * c->value, zero, f.bend * c->value * by_J + f.slope * c->slope,
                 zero, zero, f.bend * by_J * by_J + f.slope * c->bend * I[0] + U.bend},
  };
}

/* K/2 (J - 1)^2 */
PL_INLINE pl_lanes_curve pl_bulk_energy(const pl_point *point, pl_lanes J)
{
  pl_lanes bulk = point->lambda + point->mu * (2.0 / 3), change = J - 1.0;
  return (pl_lanes_curve){0.5 * bulk * change * change, bulk * change, bulk};
}

#endif
