/* Hybrid strain: the volume by Green's strain, the shape by corotated:
 *
 *   W = lambda/8 (I1 - 3)^2 + mu |F - R|^2
 *   P = lambda/2 (I1 - 3) F + 2 mu (F - R)
 *   dP_ij/dF_kl = lambda F_ij F_kl + lambda/2 (I1 - 3) delta_ik delta_jl + that of corotated strain
 *
 * (Hauth 2004, 3.1.3, hybrid strain, with a potential so that the force is its gradient.) No torque
 * from the trace, which is cheaper than that of the stretch. The second term is left out of a
 * semidefinite tangent where it is negative. Viscosity and prestress are those of corotated strain.
 */
#include "material/hooke_point.h"
#include "material/material.h"

static const pl_point_ops *corotated(void) { return &PL_VARIANT(pl_strain_corotated).points; }

static void measure(const pl_lanes *F, pl_lanes *E) { corotated()->measure(F, E); }

/* theta = (I1 - 3) / 2 */
static void volume(const pl_lanes *F, pl_lanes *theta, pl_lanes *slope)
{
  *theta = 0.5 * (pl_lanes_mat3_dot(F, F) - 3.0);
  memcpy(slope, F, 9 * sizeof *slope);
}

static void add_volume(const pl_point *point, pl_lanes *P, pl_lanes *W)
{
  const pl_lanes change = pl_lanes_mat3_dot(point->F, point->F) - 3.0;
  const pl_lanes p = point->pressure ? *point->pressure : pl_lanes_all(0);
  const pl_lanes factor = 0.5 * point->lambda * change;
  if (W) *W += (0.25 * factor + 0.5 * p) * change;
  for (int e = 0; P && e < 9; e++) P[e] += (factor + p) * point->F[e];
}

static void stress(const pl_point *point, pl_lanes *P, pl_lanes *W)
{
  pl_point shape = *point;
  shape.lambda = pl_lanes_all(0);
  shape.pressure = NULL;
  corotated()->stress(&shape, P, W);
  add_volume(point, P, W);
}

static void tangent(const pl_point *point, double kq, double kv, int semidefinite, pl_lanes *P,
                    pl_lanes *H)
{
  pl_point shape = *point;
  shape.lambda = pl_lanes_all(0);
  shape.pressure = NULL;
  corotated()->tangent(&shape, kq, kv, semidefinite, P, H);
  if (P) add_volume(point, P, NULL);
  if (!H) return;
  const pl_lanes *F = point->F, change = pl_lanes_mat3_dot(F, F) - 3.0;
  pl_lanes same = 0.5 * kq * point->lambda * change;
  if (point->pressure) same += kq * *point->pressure;
  if (semidefinite) same = pl_lanes_max(same, pl_lanes_all(0));
  // a negative lambda makes the first term negative as well
  pl_lanes product = kq * point->lambda;
  if (semidefinite) product = pl_lanes_max(product, pl_lanes_all(0));
  for (int row = 0; row < 9; row++) {
    H[10 * row] += same;
    for (int column = 0; column < 9; column++)
      H[9 * row + column] += product * (F[row] * F[column]);
  }
}

static pl_tangent_shape whole(const pl_point *point, int semidefinite)
{
  (void)point;
  (void)semidefinite;
  return PL_TANGENT_WHOLE;
}

const pl_strain_ops PL_VARIANT(pl_strain_hybrid) = {
    .info =
        {
            .name = "hybrid",
            .summary = "corotated strain with the volume by Green's: any rotation, stiffens in "
                       "tension; resists inversion",
            .source = "Hauth 2004, 3.1.3",
        },
    .rotation_invariant = 1,
    .is_mixed = 1,
    .points = {.stress = stress,
               .tangent = tangent,
               .shape = whole,
               .measure = measure,
               .volume = volume},
};
