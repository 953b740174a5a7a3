/* Laws with directions of their own, at a batch of points: an energy w of a strain measure E in the
 * axes a_1, a_2, a_3 of the material (pl_point.axes, orthonormal),
 *
 *   E'_ij = a_i . E a_j      S'_m = dw/dE'_m      C_mn = dS'_m/dE'_n     m, n: 11 22 33 12 13 23
 *
 * A stress S with components S' in these axes acts as a prestress of the measure (point.h): P(S) =
 * S : dE/dF with its exact tangent. With P_m = P of the unit stress m (both entries of a shear),
 *
 *   P = P(S)      H = sum C_mn P_m P_n^T + tangent of the prestress S,
 *
 * where C is taken by tensor components: dS'_m = sum_n c_n C_mn dE'_n, c_n = 1 for stretches and 2
 * for shears. The first part is semidefinite where C is. */
#ifndef PL_MATERIAL_AXES_POINT_H
#define PL_MATERIAL_AXES_POINT_H

#include "material/hooke_point.h"

/* Energy, stress and stiffness in the axes of the material. */
typedef struct pl_axes_state {
  pl_lanes w, S[6], C[36];
} pl_axes_state;

typedef void pl_axes_law(const pl_point *point, const pl_lanes *E, pl_axes_state *out);

/* Which entry of a symmetric matrix in material axes becomes which in world axes. */
PL_INLINE void pl_axes_to_world(const pl_point *point, const pl_lanes *own, pl_lanes *world)
{
  pl_lanes A[9], half[9], whole[9];
  if (!point->axes) {
    for (int k = 0; k < 6; k++) world[k] = own[k];
    return;
  }
  pl_lanes_mat3_unpack(own, A);
  pl_lanes_mat3_multiply(point->axes, A, half);
  pl_lanes_mat3_multiply_nt(half, point->axes, whole);
  pl_lanes_mat3_pack(whole, world);
}

PL_INLINE void pl_axes_from_world(const pl_point *point, const pl_lanes *world, pl_lanes *own)
{
  pl_lanes A[9], half[9], whole[9];
  if (!point->axes) {
    for (int k = 0; k < 6; k++) own[k] = world[k];
    return;
  }
  pl_lanes_mat3_unpack(world, A);
  pl_lanes_mat3_multiply_tn(point->axes, A, half);
  pl_lanes_mat3_multiply(half, point->axes, whole);
  pl_lanes_mat3_pack(whole, own);
}

/* The point as one of the measure alone, under the stress S in world axes and what prestress there
 * is beside. */
PL_INLINE pl_point pl_axes_bare(const pl_point *point, const pl_axes_state *at, pl_lanes *S)
{
  pl_point bare = *point;
  bare.lambda = bare.mu = pl_lanes_all(0);
  pl_axes_to_world(point, at->S, S);
  for (int k = 0; point->prestress && k < 6; k++) S[k] += point->prestress[k];
  bare.prestress = S;
  return bare;
}

PL_INLINE void pl_axes_evaluate(pl_axes_law *law, const pl_point *point, pl_lanes *E,
                                pl_axes_state *at)
{
  pl_lanes own[6];
  point->strain->measure(point->F, E);
  pl_axes_from_world(point, E, own);
  law(point, own, at);
}

PL_INLINE void pl_axes_stress_at(pl_axes_law *law, const pl_point *point, pl_lanes *P, pl_lanes *W)
{
  pl_axes_state at;
  pl_lanes E[6], S[6];
  pl_axes_evaluate(law, point, E, &at);
  if (W) *W = at.w;
  if (W && point->prestress) *W += pl_lanes_dot6(point->prestress, E);
  const pl_point bare = pl_axes_bare(point, &at, S);
  if (P) point->strain->stress(&bare, P, NULL);
}

PL_INLINE void pl_axes_conjugate_at(pl_axes_law *law, const pl_point *point, pl_lanes *S)
{
  pl_axes_state at;
  pl_lanes E[6];
  pl_axes_evaluate(law, point, E, &at);
  pl_axes_to_world(point, at.S, S);
}

PL_INLINE void pl_axes_tangent_at(pl_axes_law *law, const pl_point *point, double kq, double kv,
                                  int semidefinite, pl_lanes *P, pl_lanes *H)
{
  pl_axes_state at;
  pl_lanes E[6], S[6], unit[6][9], sum[9];
  pl_axes_evaluate(law, point, E, &at);
  pl_point bare = pl_axes_bare(point, &at, S);
  point->strain->tangent(&bare, kq, kv, semidefinite, P, H);
  if (!H) return;
  bare.viscous = 0;
  for (int m = 0; m < 6; m++) {
    pl_lanes own[6];
    for (int k = 0; k < 6; k++) own[k] = pl_lanes_all(k == m);
    pl_axes_to_world(point, own, S);
    point->strain->stress(&bare, unit[m], NULL);
  }
  for (int m = 0; m < 6; m++) {
    for (int e = 0; e < 9; e++) {
      sum[e] = at.C[6 * m] * unit[0][e];
      for (int n = 1; n < 6; n++) sum[e] += at.C[6 * m + n] * unit[n][e];
      sum[e] *= kq;
    }
    for (int row = 0; row < 9; row++) {
      for (int column = 0; column < 9; column++) H[9 * row + column] += unit[m][row] * sum[column];
    }
  }
  // sums in another order left the last bit unequal
  for (int row = 0; row < 9; row++) {
    for (int column = 0; column < row; column++)
      H[9 * row + column] = H[9 * column + row] = 0.5 * (H[9 * row + column] + H[9 * column + row]);
  }
}

/* C of orthotropic material from nine numbers: 11 22 33 12 13 23 for stretches, then the three
 * shears 12 13 23, in tensor components (C_1212 = shear modulus). */
PL_INLINE void pl_axes_stiffness(const pl_lanes *nine, pl_lanes factor, pl_lanes *C)
{
  for (int e = 0; e < 36; e++) C[e] = pl_lanes_all(0);
  for (int k = 0; k < 3; k++) {
    C[7 * k] = factor * nine[k];
    C[7 * (k + 3)] = factor * nine[6 + k];
  }
  C[1] = C[6] = factor * nine[3];
  C[2] = C[12] = factor * nine[4];
  C[8] = C[13] = factor * nine[5];
}

/* S = C : E */
PL_INLINE void pl_axes_apply(const pl_lanes *C, const pl_lanes *E, pl_lanes *S)
{
  for (int m = 0; m < 6; m++) {
    S[m] = C[6 * m] * E[0];
    for (int n = 1; n < 6; n++) S[m] += (n < 3 ? 1.0 : 2.0) * C[6 * m + n] * E[n];
  }
}

/* Defines stress, tangent and conjugate of a file's law, to be named in its table. */
#define PL_AXES_POINTS(law)                                                                        \
  static void stress(const pl_point *point, pl_lanes *P, pl_lanes *W)                              \
  {                                                                                                \
    pl_axes_stress_at(law, point, P, W);                                                           \
  }                                                                                                \
  static void tangent(const pl_point *point, double kq, double kv, int semidefinite, pl_lanes *P,  \
                      pl_lanes *H)                                                                 \
  {                                                                                                \
    pl_axes_tangent_at(law, point, kq, kv, semidefinite, P, H);                                    \
  }                                                                                                \
  static void conjugate(const pl_point *point, pl_lanes *S) { pl_axes_conjugate_at(law, point, S); }

#endif
