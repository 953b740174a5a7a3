/* Cauchy's linear strain: E = sym(F) - I, P = sigma(E) + sigma_v(sym(dF/dt)) + T.
 *
 * Hauth 2004, 2.2. The stiffness is constant. Rotations count as strain: beyond a few degrees the
 * body swells and feels forces that are not there. */
#include "material/hooke_point.h"
#include "material/material.h"

PL_INLINE void strain_of(const pl_lanes *F, pl_lanes *E)
{
  pl_lanes_mat3_symmetric(F, E);
  for (int i = 0; i < 9; i += 4) E[i] -= 1.0;
}

static void measure(const pl_lanes *F, pl_lanes *six)
{
  pl_lanes E[9];
  strain_of(F, E);
  pl_lanes_mat3_pack(E, six);
}

static void volume(const pl_lanes *F, pl_lanes *theta, pl_lanes *slope)
{
  *theta = F[0] + F[4] + F[8] - 3.0;
  pl_lanes_mat3_identity(slope);
}

static void stress(const pl_point *point, pl_lanes *P, pl_lanes *W)
{
  pl_lanes E[9], sigma[9];
  strain_of(point->F, E);
  if (W) *W = pl_hooke_energy(point->lambda, point->mu, E);
  if (P) pl_hooke_stress(point->lambda, point->mu, E, P);
  if (point->prestress) pl_add_prestress(point->prestress, E, P, W);
  if (point->pressure) pl_add_pressure(*point->pressure, E, P, W);
  if (!P || !point->viscous) return;
  pl_lanes_mat3_symmetric(point->rate, E);
  pl_hooke_stress(point->viscous_lambda, point->viscous_mu, E, sigma);
  for (int i = 0; i < 9; i++) P[i] += sigma[i];
}

// the exact derivative has no negative eigenvalue
static pl_tangent_shape shape(const pl_point *point, int semidefinite)
{
  (void)point;
  (void)semidefinite;
  return PL_TANGENT_TURNED;
}

PL_INLINE void form_at(const pl_point *point, double kq, double kv, int semidefinite, pl_lanes *P,
                       pl_tangent_form *out)
{
  (void)semidefinite;
  if (P) stress(point, P, NULL);
  pl_hooke_moduli(point, kq, kv, out);
  pl_lanes_mat3_identity(out->A);
}

PL_TANGENT_OF_FORM(PL_TANGENT_TURNED)

const pl_strain_ops PL_VARIANT(pl_strain_linear) = {
    .info =
        {
            .name = "linear",
            .summary = "Cauchy's strain: fastest, for small rotations only (swells beyond)",
            .source = "Hauth 2004, 2.2 and 2.5.1",
        },
    .rotation_invariant = 0,
    .points = PL_STRAIN_POINTS,
};
