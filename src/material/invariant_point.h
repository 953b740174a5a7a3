/* Hyperelastic laws of the invariants of F, at a batch of points. A law says its energy density and
 * the derivatives of that by I1 = tr C, I2 = tr cof C and J = det F (C = F^T F); from these follow
 *
 *   P = 2 W_1 F + 2 W_2 (I1 F - F C) + W_J G,       G = cof F,
 *
 * and dP/dF with the derivatives of I1, I2 and J by F (Gilles, Bousquet, Faure, Pai 2011, appendix
 * B, in terms of F). Invariants do not see rotations, so neither does the law.
 *
 * The semidefinite tangent has a closed form in the frame of the singular values s of F (Smith, de
 * Goes, Kim 2019, "Analytic eigensystems for isotropic distortion energies"): the matrix
 * d2W/ds_i ds_j of stretches, and for each pair i, j with the third axis k the eigenvalues
 *   2 W_1 + 2 W_2 (s_k^2 - s_i s_j) - s_k W_J      2 W_1 + 2 W_2 (s_k^2 + s_i s_j) + s_k W_J
 * of shears and rotations; negative ones are set to 0 or, for PL_TANGENT_ABSOLUTE, change their
 * sign (Chen et al. 2024, "Stabler neo-Hookean simulation: absolute eigenvalue filtering").
 *
 * The exact tangent of a law of I1 and J alone takes five numbers (PL_TANGENT_INVARIANT): with
 * dI1/dF = 2 F and dJ/dF = G,
 *   mu = 2 W_1, ff = 4 W_11, fg = 2 W_1J, lambda = W_JJ, spin = W_J.
 *
 * A law that has no limit as J goes to 0 is continued below J = PL_LEAST_RATIO by a parabola in J
 * for each function of J, so that energy, stress and tangent stay finite and continuous for flat
 * and inverted points and drive them back.
 *
 * Viscous stress is that of Green's strain: P_v = F sigma_v(sym(F^T dF/dt)). So is a prestress T:
 * W += T : E, P += F T, dP_ij/dF_kl += delta_ik T_jl. With a bound t >= 0 below whose negative no
 * eigenvalue of T lies, the semidefinite tangent has the law's eigenvalues raised to t at least,
 * and T as it is: exact wherever the law alone is stiff enough, and never negative. */
#ifndef PL_MATERIAL_INVARIANT_POINT_H
#define PL_MATERIAL_INVARIANT_POINT_H

#include "material/green_point.h"
#include "material/prony_point.h"
#include "math/lanes_curves.h"
#include "math/lanes_stretches.h"

#define PL_LEAST_RATIO 0.1

/* Energy density, its derivatives by I1, I2 and J, and second ones: 11 12 1J 22 2J JJ. */
typedef struct pl_potential {
  pl_lanes W, first[3], second[6];
} pl_potential;

typedef void pl_potential_law(const pl_point *point, const pl_lanes *I, pl_potential *out);

PL_INLINE void pl_invariants(const pl_lanes *F, pl_lanes *G, pl_lanes *I)
{
  I[2] = pl_lanes_mat3_cofactors(F, G);
  I[0] = pl_lanes_mat3_dot(F, F);
  I[1] = pl_lanes_mat3_dot(G, G);
}

/* Derivatives of the invariants by F; that of J is G. */
PL_INLINE void pl_invariant_slopes(const pl_lanes *F, const pl_lanes *G, pl_lanes I1,
                                   pl_lanes D[3][9])
{
  pl_lanes C[9], FC[9];
  pl_lanes_mat3_multiply_tn(F, F, C);
  pl_lanes_mat3_multiply(F, C, FC);
  for (int e = 0; e < 9; e++) {
    D[0][e] = 2.0 * F[e];
    D[1][e] = 2.0 * (I1 * F[e] - FC[e]);
    D[2][e] = G[e];
  }
}

PL_INLINE void pl_add_green_viscosity(const pl_point *point, pl_lanes *P)
{
  pl_lanes D[9], V[9], FV[9];
  pl_lanes_mat3_multiply_tn(point->F, point->rate, D);
  pl_lanes_mat3_symmetric(D, D);
  pl_hooke_stress(point->viscous_lambda, point->viscous_mu, D, V);
  pl_lanes_mat3_multiply(point->F, V, FV);
  for (int e = 0; e < 9; e++) P[e] += FV[e];
}

PL_INLINE void pl_invariant_stress(const pl_potential *at, pl_lanes D[3][9], pl_lanes *P)
{
  for (int e = 0; e < 9; e++)
    P[e] = at->first[0] * D[0][e] + at->first[1] * D[1][e] + at->first[2] * D[2][e];
}

/* S = F^-1 P, with G^T F = J I; below J = PL_LEAST_RATIO it is taken smaller. second: W depends on
 * I2. */
PL_INLINE void pl_invariant_conjugate(const pl_potential *at, const pl_lanes *F, const pl_lanes *G,
                                      const pl_lanes *I, const int second, pl_lanes *S)
{
  const pl_lanes factor = 1.0 / pl_lanes_max(I[2], pl_lanes_all(PL_LEAST_RATIO));
  const pl_lanes twice = 2.0 * factor * I[2], by_G = factor * at->first[2];
  pl_lanes A[9], by_I = twice * at->first[0];
  pl_lanes_mat3_multiply_tn(G, G, A);
  pl_lanes_mat3_pack(A, S);
  for (int k = 0; k < 6; k++) S[k] *= by_G;
  if (second) {
    pl_lanes C[6];
    const pl_lanes by_C = twice * at->first[1];
    pl_lanes_mat3_multiply_tn(F, F, A);
    pl_lanes_mat3_pack(A, C);
    for (int k = 0; k < 6; k++) S[k] -= by_C * C[k];
    by_I += by_C * I[0];
  }
  for (int k = 0; k < 3; k++) S[k] += by_I;
}

/* H_ijkl += by the second derivatives of the invariants; i k: rows, j l: columns of F. */
PL_INLINE pl_lanes pl_invariant_bend(const pl_potential *at, pl_lanes I1, const pl_lanes *F,
                                     const pl_lanes *B, const pl_lanes *C, int row, int column)
{
  const int i = row / 3, j = row % 3, k = column / 3, l = column % 3;
  pl_lanes sum = at->first[1] * (4.0 * F[row] * F[column] - 2.0 * F[3 * i + l] * F[3 * k + j]);
  if (row == column) sum += 2.0 * (at->first[0] + I1 * at->first[1]);
  if (i == k) sum -= 2.0 * at->first[1] * C[3 * j + l];
  if (j == l) sum -= 2.0 * at->first[1] * B[3 * i + k];
  if (i == k || j == l) return sum;
  // dG_ij/dF_kl is the entry of F that is left, with the sign of the permutation
  pl_lanes left = at->first[2] * F[3 * (3 - i - k) + 3 - j - l];
  return ((k - i + 3) % 3 == 1) == ((l - j + 3) % 3 == 1) ? sum + left : sum - left;
}

PL_INLINE void pl_invariant_tangent(const pl_potential *at, pl_lanes I1, const pl_lanes *F,
                                    pl_lanes D[3][9], double kq, pl_lanes *H)
{
  pl_lanes B[9], C[9];
  const pl_lanes *s = at->second;
  pl_lanes_mat3_multiply_nt(F, F, B);
  pl_lanes_mat3_multiply_tn(F, F, C);
  for (int row = 0; row < 9; row++) {
    const pl_lanes a = D[0][row], b = D[1][row], c = D[2][row];
    const pl_lanes by[3] = {s[0] * a + s[1] * b + s[2] * c, s[1] * a + s[3] * b + s[4] * c,
                            s[2] * a + s[4] * b + s[5] * c};
    for (int column = row; column < 9; column++) {
      pl_lanes entry = by[0] * D[0][column] + by[1] * D[1][column] + by[2] * D[2][column];
      entry += pl_invariant_bend(at, I1, F, B, C, row, column);
      H[9 * row + column] = H[9 * column + row] = kq * entry;
    }
  }
}

/* d2W/ds_i ds_j of the singular values. */
PL_INLINE void pl_stretch_matrix(const pl_potential *at, const pl_lanes *s, pl_lanes *A)
{
  const pl_lanes *w = at->first, *ww = at->second;
  pl_lanes by[3][3];
  for (int i = 0; i < 3; i++) {
    pl_lanes a = s[(i + 1) % 3], b = s[(i + 2) % 3];
    by[0][i] = 2.0 * s[i];
    by[1][i] = 2.0 * s[i] * (a * a + b * b);
    by[2][i] = a * b;
  }
  for (int i = 0; i < 3; i++) {
    for (int j = i; j < 3; j++) {
      pl_lanes a = s[(i + 1) % 3], b = s[(i + 2) % 3], sum;
      if (i == j)
        sum = 2.0 * (w[0] + w[1] * (a * a + b * b));
      else
        sum = 4.0 * w[1] * s[i] * s[j] + w[2] * s[3 - i - j];
      sum += by[0][i] * (ww[0] * by[0][j] + ww[1] * by[1][j] + ww[2] * by[2][j]);
      sum += by[1][i] * (ww[1] * by[0][j] + ww[3] * by[1][j] + ww[4] * by[2][j]);
      sum += by[2][i] * (ww[2] * by[0][j] + ww[4] * by[1][j] + ww[5] * by[2][j]);
      A[3 * i + j] = A[3 * j + i] = sum;
    }
  }
}

/* t: 0, or where there is a prestress T so much that T + t I has no negative eigenvalue. Those of T
 * lie within mean +- 2 sqrt(J2 / 3), J2 = |T - mean I|^2 / 2. */
PL_INLINE pl_lanes pl_prestress_floor(const pl_point *point)
{
  const pl_lanes *T = point->prestress;
  if (!T) return pl_lanes_all(0);
  const pl_lanes mean = (T[0] + T[1] + T[2]) * (1.0 / 3);
  const pl_lanes d[3] = {T[0] - mean, T[1] - mean, T[2] - mean};
  const pl_lanes square = pl_lanes_dot3(d, d) + 2.0 * pl_lanes_dot3(T + 3, T + 3);
  return pl_lanes_max(pl_lanes_sqrt((2.0 / 3) * square) - mean, pl_lanes_all(0));
}

/* What an eigenvalue becomes. */
PL_INLINE pl_lanes pl_projected(pl_lanes value, int projection, pl_lanes floor)
{
  if (projection == PL_TANGENT_ABSOLUTE) value = pl_lanes_abs(value);
  return projection ? pl_lanes_max(value, floor) : value;
}

/* The eigenvalues of the matrix A of stretches projected, where fine is not set. */
PL_RARE void pl_project_stretches(int projection, pl_lanes floor, pl_mask fine, pl_lanes *A)
{
  pl_lanes values[3], Q[9], scaled[9], projected[9];
  pl_lanes_eigen(A, values, Q);
  for (int i = 0; i < 9; i++) scaled[i] = Q[i] * pl_projected(values[i % 3], projection, floor);
  pl_lanes_mat3_multiply_nt(scaled, Q, projected);
  for (int i = 0; i < 9; i++) A[i] = pl_lanes_pick(fine, A[i], projected[i]);
}

/* Is A - floor I positive definite? */
PL_INLINE pl_mask pl_is_above(const pl_lanes *A, pl_lanes floor)
{
  const pl_lanes a = A[0] - floor, b = A[4] - floor, c = A[8] - floor;
  const pl_lanes minor = a * b - A[1] * A[1];
  const pl_lanes det = c * minor + A[2] * (2.0 * A[1] * A[5] - b * A[2]) - a * (A[5] * A[5]);
  return (a > 0.0) & (minor > 0.0) & (det > 0.0);
}

/* The form of H times kq from A and pairs[6], the eigenvalues of the symmetric and the skew modes
 * of the planes 1 2, 2 0 and 0 1; projection: what negative ones become. */
PL_INLINE void pl_stretch_form(const pl_point *point, const pl_lanes *A, const pl_lanes *pairs,
                               double kq, int projection, pl_tangent_form *form)
{
  const pl_lanes floor = pl_prestress_floor(point);
  memcpy(form->B, A, sizeof form->B);
  const pl_mask fine = pl_is_above(A, floor);
  if (projection && pl_lanes_any(~fine)) pl_project_stretches(projection, floor, fine, form->B);
  for (int i = 0; i < 9; i++) form->B[i] *= kq;
  for (int k = 0; k < 3; k++) {
    const pl_lanes symmetric = pl_projected(pairs[k], projection, floor);
    const pl_lanes skew = pl_projected(pairs[3 + k], projection, floor);
    form->own[k] = (0.5 * kq) * (symmetric + skew);
    form->cross[k] = (0.5 * kq) * (symmetric - skew);
  }
}

PL_INLINE void pl_form_prestress(const pl_point *point, double kq, pl_tangent_form *form)
{
  form->stressed = point->prestress != NULL;
  if (!point->prestress) return;
  pl_lanes_mat3_unpack(point->prestress, form->S);
  for (int i = 0; i < 9; i++) form->S[i] *= kq;
}

/* H of the form: of the modes u_a v_b^T those on the diagonal are coupled by B, the others with
 * themselves and their mirror images. */
PL_INLINE void pl_stretch_tangent(const pl_tangent_form *form, pl_lanes *H)
{
  pl_lanes modes[9][9], scaled[9][9];
  const pl_lanes *U = form->N, *V = form->A;
  for (int m = 0; m < 9; m++) {
    for (int e = 0; e < 9; e++) modes[m][e] = U[e - e % 3 + m / 3] * V[3 * (e % 3) + m % 3];
  }
  for (int m = 0; m < 9; m++) {
    const int a = m / 3, b = m % 3, k = a == b ? 0 : 3 - a - b;
    const pl_lanes *mirror = modes[3 * b + a], *B = form->B + 3 * a;
    for (int e = 0; e < 9; e++)
      scaled[m][e] = a == b ? B[0] * modes[0][e] + B[1] * modes[4][e] + B[2] * modes[8][e]
                            : form->own[k] * modes[m][e] + form->cross[k] * mirror[e];
  }
  for (int row = 0; row < 9; row++) {
    for (int column = row; column < 9; column++) {
      pl_lanes sum = modes[0][row] * scaled[0][column];
      for (int m = 1; m < 9; m++) sum += modes[m][row] * scaled[m][column];
      H[9 * row + column] = H[9 * column + row] = sum;
    }
  }
}

/* The form by singular values at a potential of invariants. */
PL_INLINE void pl_invariant_stretches(const pl_potential *at, const pl_point *point, double kq,
                                      int projection, pl_tangent_form *form)
{
  pl_lanes s[3], A[9], pairs[6];
  pl_lanes_stretches(point->F, form->N, s, form->A);
  pl_stretch_matrix(at, s, A);
  for (int k = 0; k < 3; k++) {
    pl_lanes product = s[(k + 1) % 3] * s[(k + 2) % 3], square = s[k] * s[k];
    pl_lanes both = 2.0 * (at->first[0] + at->first[1] * square);
    pl_lanes apart = 2.0 * at->first[1] * product + s[k] * at->first[2];
    pairs[k] = both - apart;
    pairs[3 + k] = both + apart;
  }
  pl_stretch_form(point, A, pairs, kq, projection, form);
}

PL_INLINE void pl_add_green_damping(const pl_point *point, double kv, pl_lanes *H)
{
  pl_tangent_form form = {.lambda = kv * point->viscous_lambda, .mu = kv * point->viscous_mu};
  pl_lanes viscous[81];
  memcpy(form.A, point->F, sizeof form.A);
  pl_lanes_mat3_multiply_nt(point->F, point->F, form.N);
  for (int e = 0; e < 9; e++) form.N[e] *= form.mu;
  pl_form_tangent(&form, PL_TANGENT_STRESSED, viscous);
  for (int e = 0; e < 81; e++) H[e] += viscous[e];
}

/* What the prestress adds; outputs may be NULL. */
PL_INLINE void pl_add_green_prestress(const pl_point *point, pl_lanes *P, pl_lanes *W)
{
  pl_lanes E[9], T[9], FT[9];
  pl_green_strain(point->F, E);
  pl_lanes_mat3_unpack(point->prestress, T);
  if (W) *W += pl_lanes_mat3_dot(T, E);
  pl_lanes_mat3_multiply(point->F, T, FT);
  for (int e = 0; P && e < 9; e++) P[e] += FT[e];
}

PL_INLINE void pl_add_green_bend(const pl_point *point, double kq, pl_lanes *H)
{
  pl_lanes T[9];
  pl_lanes_mat3_unpack(point->prestress, T);
  for (int i = 0; i < 3; i++) {
    for (int jl = 0; jl < 9; jl++) H[9 * (3 * i + jl / 3) + 3 * i + jl % 3] += kq * T[jl];
  }
}

/* The term p (J - 1). */
PL_RARE void pl_add_volume_pressure(const pl_point *point, pl_lanes J, pl_potential *at)
{
  at->W += *point->pressure * (J - 1.0);
  at->first[2] += *point->pressure;
}

/* ---- the functions of pl_point_ops ---- */

PL_INLINE void pl_invariant_stress_at(pl_potential_law *law, const pl_point *point, pl_lanes *P,
                                      pl_lanes *W)
{
  pl_lanes G[9], I[3], D[3][9];
  pl_potential at;
  pl_invariants(point->F, G, I);
  law(point, I, &at);
  if (point->pressure) pl_add_volume_pressure(point, I[2], &at);
  if (W) *W = at.W;
  if (P) pl_invariant_slopes(point->F, G, I[0], D);
  if (P) pl_invariant_stress(&at, D, P);
  if (point->prestress) pl_add_green_prestress(point, P, W);
  if (!P) return;
  if (point->viscous) pl_add_green_viscosity(point, P);
}

PL_INLINE void pl_invariant_tangent_at(pl_potential_law *law, const pl_point *point, double kq,
                                       double kv, int semidefinite, pl_lanes *P, pl_lanes *H)
{
  pl_lanes G[9], I[3], D[3][9];
  pl_potential at;
  pl_invariants(point->F, G, I);
  law(point, I, &at);
  if (point->pressure) pl_add_volume_pressure(point, I[2], &at);
  pl_invariant_slopes(point->F, G, I[0], D);
  if (P) pl_invariant_stress(&at, D, P);
  if (P && point->prestress) pl_add_green_prestress(point, P, NULL);
  if (P && point->viscous) pl_add_green_viscosity(point, P);
  if (!H) return;
  if (semidefinite) {
    pl_tangent_form form;
    pl_invariant_stretches(&at, point, kq, semidefinite, &form);
    pl_stretch_tangent(&form, H);
  } else {
    pl_invariant_tangent(&at, I[0], point->F, D, kq, H);
  }
  if (point->prestress) pl_add_green_bend(point, kq, H);
  if (point->viscous) pl_add_green_damping(point, kv, H);
}

PL_INLINE void pl_invariant_conjugate_at(pl_potential_law *law, const pl_point *point,
                                         const int second, pl_lanes *S)
{
  pl_lanes G[9], I[3];
  pl_potential at;
  pl_invariants(point->F, G, I);
  law(point, I, &at);
  pl_invariant_conjugate(&at, point->F, G, I, second, S);
}

/* Moves the memory on by the law with the moduli that fade. */
PL_INLINE void pl_invariant_move(pl_potential_law *law, pl_point *point, const pl_lanes *G,
                                 const pl_lanes *I, const int second)
{
  const pl_lanes lambda = point->lambda, mu = point->mu;
  pl_lanes e[6];
  pl_potential at;
  pl_only_fading(point->fading->of, &point->lambda, &point->mu);
  law(point, I, &at);
  point->lambda = lambda;
  point->mu = mu;
  pl_invariant_conjugate(&at, point->F, G, I, second, e);
  pl_fading_part_of_stress(mu, e);
  pl_move_and_fade(point, e);
}

/* The form of a law: five numbers where it is one of I1 and J and the tangent is exact, else by
 * singular values. */
PL_INLINE void pl_invariant_form_at(pl_potential_law *law, pl_point *point, double kq,
                                    int semidefinite, const int second, pl_lanes *P,
                                    pl_tangent_form *form)
{
  pl_lanes G[9], I[3], D[3][9];
  pl_potential at;
  pl_invariants(point->F, G, I);
  if (point->move) pl_invariant_move(law, point, G, I, second);
  law(point, I, &at);
  if (point->pressure) pl_add_volume_pressure(point, I[2], &at);
  if (P) pl_invariant_slopes(point->F, G, I[0], D);
  if (P) pl_invariant_stress(&at, D, P);
  if (P && point->prestress) pl_add_green_prestress(point, P, NULL);
  pl_form_prestress(point, kq, form);
  if (semidefinite) {
    pl_invariant_stretches(&at, point, kq, semidefinite, form);
    return;
  }
  memcpy(form->A, G, sizeof form->A);
  memcpy(form->B, point->F, sizeof form->B);
  form->mu = (2 * kq) * at.first[0];
  form->ff = (4 * kq) * at.second[0];
  form->fg = (2 * kq) * at.second[2];
  form->lambda = kq * at.second[5];
  form->spin = kq * at.first[2];
}

/* Viscosity adds other parts. */
PL_INLINE pl_tangent_shape pl_invariant_shape(const pl_point *point, int semidefinite)
{
  if (point->viscous) return PL_TANGENT_WHOLE;
  return semidefinite ? PL_TANGENT_STRETCHED : PL_TANGENT_INVARIANT;
}

/* That of laws of I2 as well, whose exact tangent has no form of its own. */
PL_INLINE pl_tangent_shape pl_second_shape(const pl_point *point, int semidefinite)
{
  return semidefinite && !point->viscous ? PL_TANGENT_STRETCHED : PL_TANGENT_WHOLE;
}

/* Defines stress, tangent, form and conjugate of a file's law, to be named in its table. */
#define PL_INVARIANT_POINTS(law, second)                                                           \
  static void stress(const pl_point *point, pl_lanes *P, pl_lanes *W)                              \
  {                                                                                                \
    pl_invariant_stress_at(law, point, P, W);                                                      \
  }                                                                                                \
  static void tangent(const pl_point *point, double kq, double kv, int semidefinite, pl_lanes *P,  \
                      pl_lanes *H)                                                                 \
  {                                                                                                \
    pl_invariant_tangent_at(law, point, kq, kv, semidefinite, P, H);                               \
  }                                                                                                \
  static void conjugate(const pl_point *point, pl_lanes *S)                                        \
  {                                                                                                \
    pl_invariant_conjugate_at(law, point, second, S);                                              \
  }                                                                                                \
  static void form(pl_point *point, double kq, double kv, int semidefinite, pl_lanes *P,           \
                   pl_tangent_form *out)                                                           \
  {                                                                                                \
    (void)kv;                                                                                      \
    pl_invariant_form_at(law, point, kq, semidefinite, second, P, out);                            \
  }
#define PL_INVARIANT_LAW(is_of)                                                                    \
  {                                                                                                \
    .stress = stress, .tangent = tangent, .shape = is_of, .form = form, .moves = 1,                \
    .conjugate = conjugate                                                                         \
  }

/* All of H. */
PL_INLINE pl_tangent_shape pl_whole_shape(const pl_point *point, int semidefinite)
{
  (void)point;
  (void)semidefinite;
  return PL_TANGENT_WHOLE;
}

#endif
