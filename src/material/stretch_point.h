/* Isotropic laws given by a function w of the signed singular values s of F, at a batch of points:
 *
 *   F = U diag(s) V^T,    W = w(s),    P = U diag(g) V^T,    g_i = dw/ds_i,   A_ij = d2w/ds_i ds_j.
 *
 * dP/dF has nine modes (Smith, de Goes, Kim 2019, "Analytic eigensystems for isotropic distortion
 * energies"): the three of A along the u_i v_i^T, and for each pair i, j the eigenvalues
 *
 *   (g_i - g_j) / (s_i - s_j)  on  (u_i v_j^T + u_j v_i^T) / sqrt 2,
 *   (g_i + g_j) / (s_i + s_j)  on  (u_i v_j^T - u_j v_i^T) / sqrt 2.
 *
 * Where two stretches are nearly equal the first is taken as its limit (A_ii + A_jj) / 2 - A_ij.
 * Where two stretches cancel the rotation is not defined and the second grows without bound: it is
 * taken as 0, the rotation is held. Viscous stress and prestress are those of Green's strain
 * (invariant_point.h). */
#ifndef PL_MATERIAL_STRETCH_POINT_H
#define PL_MATERIAL_STRETCH_POINT_H

#include "material/invariant_point.h"

typedef struct pl_stretches {
  pl_lanes w, g[3], A[9];
} pl_stretches;

typedef void pl_stretch_law(const pl_point *point, const pl_lanes *s, pl_stretches *out);

/* The eigenvalues of the pairs, as pl_stretch_form takes them. */
PL_INLINE void pl_stretch_pairs(const pl_lanes *s, const pl_stretches *at, pl_lanes *pairs)
{
  const double equal = 1e-6, cancel = 1e-9;
  const pl_lanes max = pl_lanes_max(s[0], pl_lanes_max(s[1], s[2]));
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const pl_lanes apart = s[i] - s[j], sum = s[i] + s[j], *A = at->A;
    const pl_lanes limit = 0.5 * (A[4 * i] + A[4 * j]) - A[3 * i + j];
    const pl_mask near = pl_lanes_abs(apart) < equal;
    const pl_lanes divisor = pl_lanes_pick(near, pl_lanes_all(1), apart);
    pairs[k] = pl_lanes_pick(near, limit, (at->g[i] - at->g[j]) / divisor);
    const pl_mask held = sum < cancel * (1.0 + max);
    const pl_lanes whole = pl_lanes_pick(held, pl_lanes_all(1), sum);
    pairs[3 + k] = pl_lanes_pick(held, pl_lanes_all(0), (at->g[i] + at->g[j]) / whole);
  }
}

/* P = U diag(g) V^T */
PL_INLINE void pl_stretch_stress(const pl_lanes *U, const pl_lanes *g, const pl_lanes *V,
                                 pl_lanes *P)
{
  pl_lanes scaled[9];
  for (int e = 0; e < 9; e++) scaled[e] = U[e] * g[e % 3];
  pl_lanes_mat3_multiply_nt(scaled, V, P);
}

/* k_i = dJ/ds_i of J = s_0 s_1 s_2. */
PL_INLINE void pl_stretch_volume(const pl_lanes *s, pl_lanes *k)
{
  for (int i = 0; i < 3; i++) k[i] = s[(i + 1) % 3] * s[(i + 2) % 3];
}

/* Adds U(J) to w, g and A. */
PL_INLINE void pl_stretch_add_volume(const pl_lanes *s, pl_lanes_curve U, pl_stretches *out)
{
  pl_lanes k[3];
  pl_stretch_volume(s, k);
  out->w += U.value;
  for (int i = 0; i < 3; i++) {
    out->g[i] += U.slope * k[i];
    for (int j = 0; j < 3; j++) {
      out->A[3 * i + j] += U.bend * k[i] * k[j];
      if (i != j) out->A[3 * i + j] += U.slope * s[3 - i - j];
    }
  }
}

/* The term p (J - 1) of a shared volume. */
PL_RARE void pl_stretch_add_pressure(const pl_point *point, const pl_lanes *s, pl_stretches *out)
{
  const pl_lanes p = *point->pressure;
  const pl_lanes_curve U = {p * (s[0] * s[1] * s[2] - 1.0), p, pl_lanes_all(0)};
  pl_stretch_add_volume(s, U, out);
}

PL_INLINE void pl_stretch_stress_at(pl_stretch_law *law, const pl_point *point, pl_lanes *P,
                                    pl_lanes *W)
{
  pl_lanes U[9], V[9], s[3];
  pl_stretches at;
  pl_lanes_stretches(point->F, U, s, V);
  law(point, s, &at);
  if (point->pressure) pl_stretch_add_pressure(point, s, &at);
  if (W) *W = at.w;
  if (P) pl_stretch_stress(U, at.g, V, P);
  if (point->prestress) pl_add_green_prestress(point, P, W);
  if (P && point->viscous) pl_add_green_viscosity(point, P);
}

PL_INLINE void pl_stretch_form_at(pl_stretch_law *law, const pl_point *point, double kq,
                                  int semidefinite, pl_lanes *P, pl_tangent_form *form)
{
  pl_lanes s[3], pairs[6];
  pl_stretches at;
  pl_lanes_stretches(point->F, form->N, s, form->A);
  law(point, s, &at);
  if (point->pressure) pl_stretch_add_pressure(point, s, &at);
  if (P) pl_stretch_stress(form->N, at.g, form->A, P);
  if (P && point->prestress) pl_add_green_prestress(point, P, NULL);
  pl_stretch_pairs(s, &at, pairs);
  pl_stretch_form(point, at.A, pairs, kq, semidefinite, form);
  pl_form_prestress(point, kq, form);
}

PL_INLINE void pl_stretch_tangent_at(pl_stretch_law *law, const pl_point *point, double kq,
                                     double kv, int semidefinite, pl_lanes *P, pl_lanes *H)
{
  pl_tangent_form form;
  pl_stretch_form_at(law, point, kq, semidefinite, P, &form);
  if (P && point->viscous) pl_add_green_viscosity(point, P);
  if (!H) return;
  pl_stretch_tangent(&form, H);
  if (point->prestress) pl_add_green_bend(point, kq, H);
  if (point->viscous) pl_add_green_damping(point, kv, H);
}

/* Viscosity adds other parts. */
PL_INLINE pl_tangent_shape pl_stretch_shape(const pl_point *point, int semidefinite)
{
  (void)semidefinite;
  return point->viscous ? PL_TANGENT_WHOLE : PL_TANGENT_STRETCHED;
}

/* Defines the functions of a file's law, to be named in its table. */
#define PL_STRETCH_POINTS(law)                                                                     \
  static void stress(const pl_point *point, pl_lanes *P, pl_lanes *W)                              \
  {                                                                                                \
    pl_stretch_stress_at(law, point, P, W);                                                        \
  }                                                                                                \
  static void tangent(const pl_point *point, double kq, double kv, int semidefinite, pl_lanes *P,  \
                      pl_lanes *H)                                                                 \
  {                                                                                                \
    pl_stretch_tangent_at(law, point, kq, kv, semidefinite, P, H);                                 \
  }                                                                                                \
  static void form(pl_point *point, double kq, double kv, int semidefinite, pl_lanes *P,           \
                   pl_tangent_form *out)                                                           \
  {                                                                                                \
    (void)kv;                                                                                      \
    pl_stretch_form_at(law, point, kq, semidefinite, P, out);                                      \
  }
#define PL_STRETCH_FORM_POINTS                                                                     \
  {                                                                                                \
    .stress = stress, .tangent = tangent, .shape = pl_stretch_shape, .form = form                  \
  }

#endif
