/* Hooke's law at a batch of points: the parts that the strain measures share.
 *
 *   sigma(E) = lambda tr(E) I + 2 mu E        W = lambda/2 tr(E)^2 + mu E:E
 *
 * Hauth 2004, 2.5.1; the viscous stress is the same operator on the strain rate (5.2.1). */
#ifndef PL_MATERIAL_HOOKE_POINT_H
#define PL_MATERIAL_HOOKE_POINT_H

#include "material/point.h"
#include "math/lanes_mat3.h"

/* sigma = sigma(E) */
PL_INLINE void pl_hooke_stress(pl_lanes lambda, pl_lanes mu, const pl_lanes *E, pl_lanes *sigma)
{
  pl_lanes pressure = lambda * (E[0] + E[4] + E[8]);
  for (int i = 0; i < 9; i++) sigma[i] = (2.0 * mu) * E[i];
  for (int i = 0; i < 9; i += 4) sigma[i] += pressure;
}

PL_INLINE pl_lanes pl_hooke_energy(pl_lanes lambda, pl_lanes mu, const pl_lanes *E)
{
  pl_lanes trace = E[0] + E[4] + E[8];
  return 0.5 * lambda * trace * trace + mu * pl_lanes_mat3_dot(E, E);
}

/* S += T and W += T : E for the prestress T, which the strain's stress S and energy have beside
 * Hooke's; both may be NULL. */
PL_INLINE void pl_add_prestress(const pl_lanes *prestress, const pl_lanes *E, pl_lanes *S,
                                pl_lanes *W)
{
  pl_lanes T[9];
  pl_lanes_mat3_unpack(prestress, T);
  if (W) *W += pl_lanes_mat3_dot(T, E);
  for (int i = 0; S && i < 9; i++) S[i] += T[i];
}

/* S += p I and W += p tr(E); both may be NULL. */
PL_INLINE void pl_add_pressure(pl_lanes p, const pl_lanes *E, pl_lanes *S, pl_lanes *W)
{
  if (W) *W += p * (E[0] + E[4] + E[8]);
  for (int i = 0; S && i < 9; i += 4) S[i] += p;
}

/* The moduli of the tangent: elastic, and viscous where there is viscosity. */
PL_INLINE void pl_hooke_moduli(const pl_point *point, double kq, double kv, pl_tangent_form *form)
{
  form->lambda = kq * point->lambda;
  form->mu = kq * point->mu;
  if (!point->viscous) return;
  form->lambda += kv * point->viscous_lambda;
  form->mu += kv * point->viscous_mu;
}

/* The part of pl_form_tangent that couples directions i <= k, and its mirror image. */
PL_INLINE void pl_form_directions(const pl_tangent_form *form, const pl_tangent_shape shape,
                                  const pl_lanes *lambda_A, const pl_lanes *mu_A, const int i,
                                  const int k, pl_lanes *H)
{
  const pl_lanes *A = form->A;
  for (int j = 0; j < 3; j++) {
    for (int l = i == k ? j : 0; l < 3; l++) {
      pl_lanes entry = lambda_A[3 * i + j] * A[3 * k + l] + mu_A[3 * i + l] * A[3 * k + j];
      if (shape == PL_TANGENT_STRESSED) {
        if (j == l) entry += form->N[3 * i + k];
        if (i == k) entry += form->S[3 * j + l];
      } else if (j == l && i == k) {
        entry += form->mu;
      }
      H[9 * (3 * i + j) + 3 * k + l] = H[9 * (3 * k + l) + 3 * i + j] = entry;
    }
  }
}

/* H[81] of a form. */
PL_INLINE void pl_form_tangent(const pl_tangent_form *form, const pl_tangent_shape shape,
                               pl_lanes *H)
{
  pl_lanes lambda_A[9], mu_A[9];
  for (int i = 0; i < 9; i++) {
    lambda_A[i] = form->lambda * form->A[i];
    mu_A[i] = form->mu * form->A[i];
  }
  pl_form_directions(form, shape, lambda_A, mu_A, 0, 0, H);
  pl_form_directions(form, shape, lambda_A, mu_A, 0, 1, H);
  pl_form_directions(form, shape, lambda_A, mu_A, 0, 2, H);
  pl_form_directions(form, shape, lambda_A, mu_A, 1, 1, H);
  pl_form_directions(form, shape, lambda_A, mu_A, 1, 2, H);
  pl_form_directions(form, shape, lambda_A, mu_A, 2, 2, H);
}

/* Defines form as form_at, and tangent as that of the form, whose shape is given. */
#define PL_TANGENT_OF_FORM(SHAPE)                                                                  \
  static void form(pl_point *point, double kq, double kv, int semidefinite, pl_lanes *P,           \
                   pl_tangent_form *out)                                                           \
  {                                                                                                \
    form_at(point, kq, kv, semidefinite, P, out);                                                  \
  }                                                                                                \
  static void tangent(const pl_point *point, double kq, double kv, int semidefinite, pl_lanes *P,  \
                      pl_lanes *H)                                                                 \
  {                                                                                                \
    pl_tangent_form parts;                                                                         \
    form_at(point, kq, kv, semidefinite, P, &parts);                                               \
    if (H) pl_form_tangent(&parts, SHAPE, H);                                                      \
  }

/* What a strain measure with a form of its tangent computes. */
#define PL_STRAIN_POINTS                                                                           \
  {                                                                                                \
    .stress = stress, .tangent = tangent, .shape = shape, .form = form, .measure = measure,        \
    .volume = volume                                                                               \
  }

#endif
