/* Eigenvalues of symmetric matrices and singular values of any, by Jacobi's rotations, for four 3x3
 * matrices at once.
 *
 *   eigen:  A = Q diag(values) Q^T    values descending, Q a rotation
 *   svd:    F = U diag(sigma) V^T     |sigma| descending, U and V rotations; so sigma[2] < 0 where
 *                                     det F < 0, the others are not negative
 *
 * Two-sided cyclic Jacobi for the first (Golub and Van Loan, Matrix Computations, 8.5), one-sided
 * (Hestenes) for the second, which finds small singular values with high relative accuracy. A lane
 * that has nothing left to turn stays as it is while the others go on, so a lane's bits depend on
 * that lane alone. */
#ifndef PL_MATH_LANES_JACOBI_H
#define PL_MATH_LANES_JACOBI_H

#include "math/lanes_mat3.h"

#include <float.h>

enum { PL_JACOBI_SWEEPS = 12 };

/* The power of two at or below the largest entry, so that dividing by it is exact. */
PL_INLINE pl_lanes pl_lanes_mat3_scale(const pl_lanes *A)
{
  const long long exponent = 0x7ff0000000000000;
  pl_lanes max = pl_lanes_all(DBL_MIN);
  for (int i = 0; i < 9; i++) max = pl_lanes_max(pl_lanes_abs(A[i]), max);
  return (pl_lanes)((pl_mask)max & (pl_mask){exponent, exponent, exponent, exponent});
}

/* Tangent, cosine and sine of the smaller angle that makes ((pp, pq), (pq, qq)) diagonal. */
typedef struct pl_lanes_turn {
  pl_lanes t, c, s;
} pl_lanes_turn;

PL_INLINE pl_lanes_turn pl_lanes_jacobi_turn(pl_lanes pp, pl_lanes qq, pl_lanes pq)
{
  pl_lanes tau = (qq - pp) / (2.0 * pq), root = pl_lanes_sqrt(1.0 + tau * tau);
  pl_lanes_turn turn;
  turn.t = 1.0 / pl_lanes_pick(tau < 0.0, tau - root, tau + root);
  turn.c = 1.0 / pl_lanes_sqrt(1.0 + turn.t * turn.t);
  turn.s = turn.t * turn.c;
  return turn;
}

/* (a, b) <- (c a - s b, s a + c b) where the mask holds. */
PL_INLINE void pl_lanes_rotate(pl_mask mask, const pl_lanes_turn *turn, pl_lanes *a, pl_lanes *b)
{
  pl_lanes old = *a;
  *a = pl_lanes_pick(mask, turn->c * old - turn->s * *b, old);
  *b = pl_lanes_pick(mask, turn->s * old + turn->c * *b, *b);
}

/* Where the mask holds, exchanges columns p and q and turns one round, so that a rotation stays a
 * rotation. */
PL_INLINE void pl_lanes_exchange(pl_mask mask, pl_lanes *A, int p, int q)
{
  for (int i = 0; i < 9; i += 3) {
    pl_lanes old = A[i + p];
    A[i + p] = pl_lanes_pick(mask, A[i + q], old);
    A[i + q] = pl_lanes_pick(mask, -old, A[i + q]);
  }
}

/* Sorts keys into descending order, and the columns of A and B (if not NULL) with them. */
PL_INLINE void pl_lanes_sort_columns(pl_lanes *keys, pl_lanes *A, pl_lanes *B)
{
  static const int pairs[3][2] = {{0, 1}, {1, 2}, {0, 1}};
  for (int i = 0; i < 3; i++) {
    int p = pairs[i][0], q = pairs[i][1];
    pl_mask mask = keys[p] < keys[q];
    pl_lanes old = keys[p];
    keys[p] = pl_lanes_pick(mask, keys[q], old);
    keys[q] = pl_lanes_pick(mask, old, keys[q]);
    pl_lanes_exchange(mask, A, p, q);
    if (B) pl_lanes_exchange(mask, B, p, q);
  }
}

/* One rotation of the symmetric A and of Q; returns where there was something to turn. */
PL_INLINE pl_mask pl_lanes_eigen_step(pl_lanes *A, pl_lanes *Q, int p, int q)
{
  const double negligible = 1e-17;
  int r = 3 - p - q, pq = 3 * p + q;
  pl_mask mask = pl_lanes_abs(A[pq]) > negligible;
  if (!pl_lanes_any(mask)) return mask;
  pl_lanes_turn turn = pl_lanes_jacobi_turn(A[4 * p], A[4 * q], A[pq]);
  pl_lanes shift = turn.t * A[pq];
  A[4 * p] = pl_lanes_pick(mask, A[4 * p] - shift, A[4 * p]);
  A[4 * q] = pl_lanes_pick(mask, A[4 * q] + shift, A[4 * q]);
  A[pq] = pl_lanes_pick(mask, pl_lanes_all(0), A[pq]);
  A[3 * q + p] = A[pq];
  pl_lanes_rotate(mask, &turn, &A[3 * r + p], &A[3 * r + q]);
  A[3 * p + r] = A[3 * r + p];
  A[3 * q + r] = A[3 * r + q];
  for (int i = 0; i < 9; i += 3) pl_lanes_rotate(mask, &turn, &Q[i + p], &Q[i + q]);
  return mask;
}

/* Reads the upper triangle of A only. */
PL_INLINE void pl_lanes_eigen(const pl_lanes *A, pl_lanes *values, pl_lanes *Q)
{
  pl_lanes B[9], scale = pl_lanes_mat3_scale(A);
  for (int i = 0; i < 3; i++) {
    for (int j = i; j < 3; j++) B[3 * i + j] = B[3 * j + i] = A[3 * i + j] / scale;
  }
  pl_lanes_mat3_identity(Q);
  for (int sweep = 0; sweep < PL_JACOBI_SWEEPS; sweep++) {
    pl_mask turned = pl_lanes_eigen_step(B, Q, 0, 1);
    turned |= pl_lanes_eigen_step(B, Q, 0, 2);
    turned |= pl_lanes_eigen_step(B, Q, 1, 2);
    if (!pl_lanes_any(turned)) break;
  }
  for (int i = 0; i < 3; i++) values[i] = scale * B[4 * i];
  pl_lanes_sort_columns(values, Q, NULL);
}

/* Makes columns p and q of B orthogonal; returns where there was something to turn. */
PL_INLINE pl_mask pl_lanes_svd_step(pl_lanes *B, pl_lanes *V, int p, int q)
{
  const double negligible = 1e-15;
  pl_lanes pp = B[p] * B[p] + B[3 + p] * B[3 + p] + B[6 + p] * B[6 + p];
  pl_lanes qq = B[q] * B[q] + B[3 + q] * B[3 + q] + B[6 + q] * B[6 + q];
  pl_lanes pq = B[p] * B[q] + B[3 + p] * B[3 + q] + B[6 + p] * B[6 + q];
  pl_mask mask = pl_lanes_abs(pq) > negligible * pl_lanes_sqrt(pp * qq);
  if (!pl_lanes_any(mask)) return mask;
  pl_lanes_turn turn = pl_lanes_jacobi_turn(pp, qq, pq);
  for (int i = 0; i < 9; i += 3) {
    pl_lanes_rotate(mask, &turn, &B[i + p], &B[i + q]);
    pl_lanes_rotate(mask, &turn, &V[i + p], &V[i + q]);
  }
  return mask;
}

/* The direction of a without its part along the unit vector u; returns the square of its length. */
PL_INLINE pl_lanes pl_lanes_normal_part(const pl_lanes *a, const pl_lanes *u, pl_lanes *out)
{
  pl_lanes along = pl_lanes_dot3(a, u);
  for (int i = 0; i < 3; i++) out[i] = a[i] - along * u[i];
  pl_lanes square = pl_lanes_dot3(out, out), length = pl_lanes_sqrt(square);
  for (int i = 0; i < 3; i++) out[i] /= length;
  return square;
}

/* The rotation whose columns point along the orthogonal columns of B. Where B is a line or a point,
 * the directions it leaves open are taken from V. */
PL_INLINE void pl_lanes_column_frame(const pl_lanes *B, const pl_lanes *V, pl_lanes *U)
{
  const double nothing = 1e-290;
  pl_lanes b[2][3], v[3][3], u[3][3], open[3];
  for (int i = 0; i < 9; i++) v[i % 3][i / 3] = V[i];
  for (int i = 0; i < 3; i++) {
    b[0][i] = B[3 * i];
    b[1][i] = B[3 * i + 1];
  }

  pl_lanes square = pl_lanes_dot3(b[0], b[0]), length = pl_lanes_sqrt(square);
  for (int i = 0; i < 3; i++) u[0][i] = pl_lanes_pick(square > nothing, b[0][i] / length, v[0][i]);

  // of two normal directions, at least one is at 45 degrees or more to the first column
  pl_lanes along = pl_lanes_dot3(v[1], u[0]);
  for (int i = 0; i < 3; i++) open[i] = pl_lanes_pick(along * along > 0.5, v[2][i], v[1][i]);
  square = pl_lanes_normal_part(open, u[0], open);
  pl_mask given = pl_lanes_normal_part(b[1], u[0], u[1]) > nothing;
  for (int i = 0; i < 3; i++) u[1][i] = pl_lanes_pick(given, u[1][i], open[i]);

  pl_lanes_cross3(u[0], u[1], u[2]);
  for (int i = 0; i < 9; i++) U[i] = u[i % 3][i / 3];
}

PL_INLINE void pl_lanes_svd(const pl_lanes *F, pl_lanes *U, pl_lanes *sigma, pl_lanes *V)
{
  pl_lanes B[9], scale = pl_lanes_mat3_scale(F);
  for (int i = 0; i < 9; i++) B[i] = F[i] / scale;

  // B = F V with orthogonal columns
  pl_lanes_mat3_identity(V);
  for (int sweep = 0; sweep < PL_JACOBI_SWEEPS; sweep++) {
    pl_mask turned = pl_lanes_svd_step(B, V, 0, 1);
    turned |= pl_lanes_svd_step(B, V, 0, 2);
    turned |= pl_lanes_svd_step(B, V, 1, 2);
    if (!pl_lanes_any(turned)) break;
  }
  for (int j = 0; j < 3; j++) sigma[j] = B[j] * B[j] + B[3 + j] * B[3 + j] + B[6 + j] * B[6 + j];
  pl_lanes_sort_columns(sigma, B, V);

  // U from the columns, sigma from both
  pl_lanes_column_frame(B, V, U);
  for (int j = 0; j < 3; j++)
    sigma[j] = scale * (U[j] * B[j] + U[3 + j] * B[3 + j] + U[6 + j] * B[6 + j]);
}

#endif
