/* Green's strain, with Hooke's law called St.Venant-Kirchhoff:
 *
 *   E = (F^T F - I) / 2      S = sigma(E) + T + sigma_v(sym(F^T dF/dt))      P = F S
 *   dP_ij/dF_kl = delta_ik S_lj + lambda F_ij F_kl + mu (F_il F_kj + delta_jl (F F^T)_ik)
 *
 * Hauth 2004, 2.2, 2.5.3 and 5.2.1. The law softens under strong compression and does not resist
 * inversion. Only the first term can have negative eigenvalues: a semidefinite tangent takes S
 * without its negative principal stresses there. */
#include "material/green_point.h"
#include "material/material.h"

/* The elastic second Piola-Kirchhoff stress and the energy (if not NULL). */
PL_INLINE void elastic_stress(const pl_point *point, pl_lanes *S, pl_lanes *W)
{
  pl_lanes E[9];
  pl_green_strain(point->F, E);
  if (W) *W = pl_hooke_energy(point->lambda, point->mu, E);
  pl_hooke_stress(point->lambda, point->mu, E, S);
  if (point->prestress) pl_add_prestress(point->prestress, E, S, W);
  if (point->pressure) pl_add_pressure(*point->pressure, E, S, W);
}

static void measure(const pl_lanes *F, pl_lanes *six)
{
  pl_lanes E[9];
  pl_green_strain(F, E);
  pl_lanes_mat3_pack(E, six);
}

static void volume(const pl_lanes *F, pl_lanes *theta, pl_lanes *slope)
{
  *theta = 0.5 * (pl_lanes_mat3_dot(F, F) - 3.0);
  memcpy(slope, F, 9 * sizeof *slope);
}

/* P = F (S + viscous stress) */
PL_INLINE void whole_stress(const pl_point *point, const pl_lanes *S, pl_lanes *P)
{
  if (!point->viscous) {
    pl_lanes_mat3_multiply(point->F, S, P);
    return;
  }
  pl_lanes D[9], V[9];
  pl_lanes_mat3_multiply_tn(point->F, point->rate, D);
  pl_lanes_mat3_symmetric(D, D);
  pl_hooke_stress(point->viscous_lambda, point->viscous_mu, D, V);
  for (int i = 0; i < 9; i++) V[i] += S[i];
  pl_lanes_mat3_multiply(point->F, V, P);
}

static void stress(const pl_point *point, pl_lanes *P, pl_lanes *W)
{
  pl_lanes S[9];
  elastic_stress(point, S, W);
  if (P) whole_stress(point, S, P);
}

static pl_tangent_shape shape(const pl_point *point, int semidefinite)
{
  (void)point;
  (void)semidefinite;
  return PL_TANGENT_STRESSED;
}

PL_INLINE void form_at(const pl_point *point, double kq, double kv, int semidefinite, pl_lanes *P,
                       pl_tangent_form *out)
{
  pl_lanes S[9];
  elastic_stress(point, S, NULL);
  if (P) whole_stress(point, S, P);

  // the strain's first derivative, elastic and viscous alike
  pl_hooke_moduli(point, kq, kv, out);
  memcpy(out->A, point->F, sizeof out->A);
  pl_lanes_mat3_multiply_nt(point->F, point->F, out->N);
  for (int i = 0; i < 9; i++) out->N[i] *= out->mu;

  // the strain's second derivative
  if (semidefinite) pl_clamp_stress(S);
  for (int i = 0; i < 9; i++) out->S[i] = kq * S[i];
}

PL_TANGENT_OF_FORM(PL_TANGENT_STRESSED)

const pl_strain_ops PL_VARIANT(pl_strain_green) = {
    .info =
        {
            .name = "green",
            .summary = "Green's strain (St.Venant-Kirchhoff): exact for any rotation, stiffens in "
                       "tension, softens in compression",
            .source = "Hauth 2004, 2.2 and 2.5.3",
        },
    .rotation_invariant = 1,
    .points = PL_STRAIN_POINTS,
};
