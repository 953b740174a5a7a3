/* Corotated strain: F = R S (polar decomposition), E = S - I.
 *
 *   P = R sigma(E) = 2 mu (F - R) + lambda (tr S - 3) R
 *   W = lambda/2 (tr S - 3)^2 + mu |F - R|^2
 *
 * Hauth 2004, 3.1.3, with R per point. P is the exact derivative of W.
 *
 * A change dF turns R by omega (seen from the rest frame) and stretches by dS. With G = R^T dF,
 * [w] the matrix of the cross product with w, and axial(A) the vector of A - A^T:
 *
 *   omega = N axial(G),  N = (tr(S) I - S)^-1      dR = R [omega]      dS = sym(G - [omega] S)
 *
 * Exact tangent: dP = 2 mu dF + lambda (R:dF) R + (lambda (tr S - 3) - 2 mu) dR. Since
 * axial(R^T e_k e_l^T) = e_l x r_k with row k of R, dR is a small symmetric form in these vectors.
 * Semidefinite tangent: R is held, which is the same with N = I/2 and the factor -2 mu.
 *
 * Viscous stress: the derivative by the rate of viscous_lambda/2 tr(D)^2 + viscous_mu D:D with
 * D = dS(rate), so that a spinning stretched body feels nothing and the stress has no torque:
 *   P = R (sigma_v + [N axial(S sigma_v)])
 *
 * A prestress T adds T : E to the energy and, likewise, P = R Z with Z = T + [N axial(S T)]. (R T
 * alone would have a torque, since T and S have not the same axes.) Its exact tangent, for changes
 * a and b with their omega and dS, is
 *   (dS_a Z^T) : [omega_b] + (dS_b Z^T) : [omega_a] + omega_a . (tr(Z S) I - Z S) omega_b,
 * nothing where R is held.
 *
 * N does not exist where two stretches cancel (S has eigenvalues a and -a, or the point is
 * collapsed to a line), and grows without bound towards a point of no size. Where det(N^-1) falls
 * to 1e-9, or to 1e-9 tr(S)^3, R is held: exact tangents take the semidefinite form and D is
 * sym(G). */
#include "material/hooke_point.h"
#include "material/material.h"
#include "material/prony_point.h"
#include "math/lanes_polar.h"

/* What a change of R needs. */
typedef struct spin {
  pl_lanes S[9];
  pl_lanes N[9];  /* 0 where R is held */
  pl_mask exists; /* N does */
} spin;

/* Of the S that is there. */
PL_INLINE void find_turning(spin *out)
{
  const double min_det = 1e-9;
  pl_lanes M[9];
  pl_lanes trace = out->S[0] + out->S[4] + out->S[8];
  for (int i = 0; i < 9; i++) M[i] = -out->S[i];
  for (int i = 0; i < 9; i += 4) M[i] += trace;

  pl_lanes det = pl_lanes_mat3_cofactors(M, out->N);
  out->exists = (det > min_det * (trace * trace * trace)) & (det > min_det);
  const pl_lanes factor = pl_lanes_pick(out->exists, 1.0 / det, pl_lanes_all(0));
  for (int i = 0; i < 9; i++) out->N[i] *= factor;
}

PL_INLINE void find_spin(const pl_point *point, const pl_lanes *R, spin *out)
{
  pl_lanes_stretch(point->F, R, out->S);
  find_turning(out);
}

/* D = sym(G - [w] S) */
PL_INLINE void stretch_rate(const pl_lanes *G, const pl_lanes *w, const pl_lanes *S, pl_lanes *D)
{
  for (int j = 0; j < 3; j++) {
    pl_lanes across[3];
    // S is symmetric: its row is its column
    pl_lanes_cross3(w, S + 3 * j, across);
    for (int i = 0; i < 3; i++) D[3 * i + j] = G[3 * i + j] - across[i];
  }
  pl_lanes_mat3_symmetric(D, D);
}

/* Z = sigma + [N axial(S sigma)] */
PL_INLINE void take_torque(const spin *turn, const pl_lanes *sigma, pl_lanes *Z)
{
  pl_lanes product[9], axial[3], w[3];
  pl_lanes_mat3_multiply(turn->S, sigma, product);
  pl_lanes_mat3_axial(product, axial);
  pl_lanes_mat3_apply(turn->N, axial, w);
  memcpy(Z, sigma, 9 * sizeof *Z);
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    Z[3 * k + j] += w[i];
    Z[3 * j + k] -= w[i];
  }
}

PL_INLINE void add_viscous_stress(const pl_point *point, const pl_lanes *R, const spin *turn,
                                  pl_lanes *P)
{
  pl_lanes G[9], D[9], sigma[9], Z[9], RZ[9], axial[3], w[3];
  pl_lanes_mat3_multiply_tn(R, point->rate, G);
  pl_lanes_mat3_axial(G, axial);
  pl_lanes_mat3_apply(turn->N, axial, w);
  stretch_rate(G, w, turn->S, D);
  pl_hooke_stress(point->viscous_lambda, point->viscous_mu, D, sigma);
  take_torque(turn, sigma, Z);
  pl_lanes_mat3_multiply(R, Z, RZ);
  for (int i = 0; i < 9; i++) P[i] += RZ[i];
}

PL_INLINE void strain_of(const pl_lanes *F, const pl_lanes *R, pl_lanes *E)
{
  pl_lanes_stretch(F, R, E);
  for (int i = 0; i < 9; i += 4) E[i] -= 1.0;
}

static void measure(const pl_lanes *F, pl_lanes *six)
{
  pl_lanes R[9], E[9];
  pl_lanes_polar(F, R);
  strain_of(F, R, E);
  pl_lanes_mat3_pack(E, six);
}

static void volume(const pl_lanes *F, pl_lanes *theta, pl_lanes *slope)
{
  *theta = pl_lanes_polar(F, slope) - 3.0;
}

/* What multiplies R in P; trace is that of S. */
PL_INLINE pl_lanes turned_part(const pl_point *point, pl_lanes trace)
{
  pl_lanes factor = point->lambda * (trace - 3.0) - 2.0 * point->mu;
  return point->pressure ? factor + *point->pressure : factor;
}

PL_INLINE void elastic_stress(const pl_point *point, const pl_lanes *R, pl_lanes trace, pl_lanes *P)
{
  const pl_lanes twice_mu = 2.0 * point->mu;
  const pl_lanes factor = turned_part(point, trace);
  for (int i = 0; i < 9; i++) P[i] = twice_mu * point->F[i] + factor * R[i];
}

/* The same with a prestress, of which Z is left. */
PL_INLINE void stressed_stress(const pl_point *point, const pl_lanes *R, pl_lanes trace,
                               const spin *turn, pl_lanes *Z, pl_lanes *P)
{
  pl_lanes T[9], Y[9], RY[9];
  const pl_lanes twice_mu = 2.0 * point->mu, factor = turned_part(point, trace);
  pl_lanes_mat3_unpack(point->prestress, T);
  take_torque(turn, T, Z);
  for (int i = 0; i < 9; i++) Y[i] = i % 4 == 0 ? Z[i] + factor : Z[i];
  pl_lanes_mat3_multiply(R, Y, RY);
  for (int i = 0; i < 9; i++) P[i] = twice_mu * point->F[i] + RY[i];
}

/* P with a prestress and W += T : E; outputs may be NULL. */
static __attribute__((noinline)) void find_stressed(const pl_point *point, const pl_lanes *R,
                                                    pl_lanes trace, pl_lanes *P, pl_lanes *W)
{
  spin turn;
  pl_lanes E[9], Z[9];
  find_spin(point, R, &turn);
  for (int i = 0; i < 9; i++) E[i] = i % 4 == 0 ? turn.S[i] - 1.0 : turn.S[i];
  if (W) pl_add_prestress(point->prestress, E, NULL, W);
  if (P) stressed_stress(point, R, trace, &turn, Z, P);
}

PL_INLINE pl_lanes elastic_energy(const pl_point *point, const pl_lanes *R, pl_lanes trace)
{
  pl_lanes difference[9], dilation = trace - 3.0;
  for (int i = 0; i < 9; i++) difference[i] = point->F[i] - R[i];
  pl_lanes W = 0.5 * point->lambda * dilation * dilation +
               point->mu * pl_lanes_mat3_dot(difference, difference);
  return point->pressure ? W + *point->pressure * dilation : W;
}

static void stress(const pl_point *point, pl_lanes *P, pl_lanes *W)
{
  pl_lanes R[9];
  pl_lanes trace = pl_lanes_polar(point->F, R);
  if (W) *W = elastic_energy(point, R, trace);
  if (point->prestress)
    find_stressed(point, R, trace, P, W);
  else if (P)
    elastic_stress(point, R, trace, P);
  if (!P || !point->viscous) return;
  spin turn;
  find_spin(point, R, &turn);
  add_viscous_stress(point, R, &turn, P);
}

/* columns[n] = N (e_l x r_k) for n = 3 k + l: how a change of F_kl turns R. */
PL_INLINE void spin_columns(const pl_lanes *R, const pl_lanes *N, pl_lanes columns[9][3])
{
  for (int n = 0; n < 9; n++) {
    int l = n % 3, a = (l + 1) % 3, b = (l + 2) % 3;
    const pl_lanes *r = R + n - l;
    for (int i = 0; i < 3; i++) columns[n][i] = N[3 * i + b] * r[a] - N[3 * i + a] * r[b];
  }
}

/* Adds what an exact tangent has beyond the one with R held: the form of
 * mu I + (lambda (tr S - 3) - 2 mu) N in the vectors e_l x r_k. */
PL_INLINE void add_turning(const pl_point *point, double kq, const pl_lanes *R, pl_lanes trace,
                           const spin *turn, pl_lanes *H)
{
  pl_lanes form[9], columns[9][3];
  pl_lanes factor = turned_part(point, trace);
  for (int i = 0; i < 9; i++) {
    form[i] = kq * (factor * turn->N[i] + (i % 4 == 0 ? point->mu : pl_lanes_all(0)));
    form[i] = pl_lanes_pick(turn->exists, form[i], pl_lanes_all(0));
  }
  spin_columns(R, form, columns);
  for (int row = 0; row < 9; row++) {
    int j = row % 3, a = (j + 1) % 3, b = (j + 2) % 3;
    const pl_lanes *r = R + row - j;
    for (int column = row; column < 9; column++) {
      pl_lanes entry = r[a] * columns[column][b] - r[b] * columns[column][a];
      H[9 * row + column] += entry;
      if (column > row) H[9 * column + row] += entry;
    }
  }
}

/* D = the stretch rate from a unit rate of F_n, which turns R by w. */
PL_INLINE void unit_rate(const pl_lanes *R, const spin *turn, const pl_lanes *w, int n, pl_lanes *D)
{
  pl_lanes G[9];
  for (int i = 0; i < 9; i++) G[i] = i % 3 == n % 3 ? R[n - n % 3 + i / 3] : pl_lanes_all(0);
  stretch_rate(G, w, turn->S, D);
}

/* Adds what a prestress has beyond the tangent with R held: x_row . w_column + w_row . x_column
 * with x = axial(D Z^T) + (tr(Z S) I - Z S) w / 2. */
PL_RARE void add_prestress_tangent(double kq, const pl_lanes *R, const spin *turn,
                                   const pl_lanes *Z, pl_lanes *H)
{
  pl_lanes w[9][3], x[9][3], ZS[9], M[9];
  spin_columns(R, turn->N, w);
  pl_lanes_mat3_multiply(Z, turn->S, ZS);
  pl_lanes_mat3_symmetric(ZS, ZS);
  pl_lanes trace = ZS[0] + ZS[4] + ZS[8];
  for (int i = 0; i < 9; i++) M[i] = 0.5 * ((i % 4 == 0 ? trace : pl_lanes_all(0)) - ZS[i]);
  for (int n = 0; n < 9; n++) {
    pl_lanes D[9], DZ[9], more[3];
    unit_rate(R, turn, w[n], n, D);
    pl_lanes_mat3_multiply_nt(D, Z, DZ);
    pl_lanes_mat3_axial(DZ, x[n]);
    pl_lanes_mat3_apply(M, w[n], more);
    for (int i = 0; i < 3; i++) x[n][i] = kq * (x[n][i] + more[i]);
  }
  for (int row = 0; row < 9; row++) {
    for (int column = row; column < 9; column++) {
      pl_lanes entry = pl_lanes_dot3(x[row], w[column]) + pl_lanes_dot3(w[row], x[column]);
      H[9 * row + column] += entry;
      if (column > row) H[9 * column + row] += entry;
    }
  }
}

/* Adds 2 mu D(row) : D(column), where D(n) is the stretch rate from a unit rate of F_n. */
PL_INLINE void add_viscous_tangent(pl_lanes mu, const pl_lanes *R, const spin *turn, pl_lanes *H)
{
  pl_lanes columns[9][3], D[9][6];
  spin_columns(R, turn->N, columns);
  for (int n = 0; n < 9; n++) {
    pl_lanes whole[9];
    unit_rate(R, turn, columns[n], n, whole);
    pl_lanes_mat3_pack(whole, D[n]);
  }
  for (int row = 0; row < 9; row++) {
    // entries off the diagonal count twice
    pl_lanes scaled[6];
    for (int i = 0; i < 6; i++) scaled[i] = (i < 3 ? 2.0 : 4.0) * mu * D[row][i];
    for (int column = row; column < 9; column++) {
      const pl_lanes *d = D[column];
      pl_lanes entry = pl_lanes_dot3(scaled, d) + pl_lanes_dot3(scaled + 3, d + 3);
      H[9 * row + column] += entry;
      if (column > row) H[9 * column + row] += entry;
    }
  }
}

static void tangent(const pl_point *point, double kq, double kv, int semidefinite, pl_lanes *P,
                    pl_lanes *H)
{
  pl_tangent_form held;
  spin turn;
  pl_lanes *R = held.A, Z[9], own[9];
  pl_lanes trace = pl_lanes_polar(point->F, R);
  if (!semidefinite || point->viscous || point->prestress) find_spin(point, R, &turn);
  if (point->prestress)
    stressed_stress(point, R, trace, &turn, Z, P ? P : own);
  else if (P)
    elastic_stress(point, R, trace, P);
  if (P && point->viscous) add_viscous_stress(point, R, &turn, P);
  if (!H) return;

  // with R held; the trace of the stretch rate does not see R turn
  held.lambda = kq * point->lambda;
  held.mu = kq * point->mu;
  if (point->viscous) held.lambda += kv * point->viscous_lambda;
  pl_form_tangent(&held, PL_TANGENT_TURNED, H);
  if (!semidefinite) add_turning(point, kq, R, trace, &turn, H);
  if (!semidefinite && point->prestress) add_prestress_tangent(kq, R, &turn, Z, H);
  if (point->viscous) add_viscous_tangent(kv * point->viscous_mu, R, &turn, H);
}

/* As long as R is held. */
static pl_tangent_shape shape(const pl_point *point, int semidefinite)
{
  return semidefinite && !point->viscous ? PL_TANGENT_TURNED : PL_TANGENT_WHOLE;
}

/* R and P with a prestress, and before it what moves that on. */
static __attribute__((noinline)) void stressed(pl_point *point, pl_lanes *R, pl_lanes *P)
{
  spin turn;
  pl_lanes e[6], Z[9];
  const pl_lanes trace = pl_lanes_polar(point->F, R);
  pl_lanes_stretch(point->F, R, turn.S);
  if (point->move) {
    pl_lanes_mat3_pack(turn.S, e);
    for (int k = 0; k < 3; k++) e[k] -= 1.0;
    pl_fading_strain(point, e);
    pl_move_and_fade(point, e);
  }
  find_turning(&turn);
  stressed_stress(point, R, trace, &turn, Z, P);
}

static void form(pl_point *point, double kq, double kv, int semidefinite, pl_lanes *P,
                 pl_tangent_form *out)
{
  (void)kv;
  (void)semidefinite;
  if (P && point->prestress) {
    stressed(point, out->A, P);
  } else {
    const pl_lanes trace = pl_lanes_polar(point->F, out->A);
    if (P) elastic_stress(point, out->A, trace, P);
  }
  out->lambda = kq * point->lambda;
  out->mu = kq * point->mu;
}

const pl_strain_ops PL_VARIANT(pl_strain_corotated) = {
    .info =
        {
            .name = "corotated",
            .summary = "linear strain in a frame that turns along: any rotation, resists "
                       "inversion, keeps momentum, has an energy, costs 1.2 of linear; for small "
                       "to moderate strain",
            .source = "Hauth 2004, 3.1.3",
        },
    .rotation_invariant = 1,
    .points = {.stress = stress,
               .tangent = tangent,
               .shape = shape,
               .form = form,
               .moves = 1,
               .measure = measure,
               .volume = volume},
};
