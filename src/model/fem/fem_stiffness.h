/* The stiffness of four elements from the tangents at their points: from a whole H by pairs of
 * directions, or from a tangent of few numbers by pairs of nodes. count and points are constants
 * wherever these functions are inlined; fem_kernel.c has the formulas. */
#ifndef PL_MODEL_FEM_STIFFNESS_H
#define PL_MODEL_FEM_STIFFNESS_H

#include "math/lanes_mat3.h"
#include "model/fem/fem_batch.h"
#include "model/fem/fem_lanes.h"

enum { MOST_PAIRS = PL_ELEMENT_NODES * PL_ELEMENT_NODES };

/* The stiffness of an element from a whole H: entry (i,k) of K_ab, i <= k, for all a and b; where
 * i = k the part b >= a is used. The other half follows by symmetry. */
enum { XX, XY, XZ, YY, YZ, ZZ, DIRECTIONS };
typedef pl_lanes pairs[DIRECTIONS][MOST_PAIRS];

/* The only point's value is set, that of many is added. */
PL_INLINE void put(pl_lanes *to, pl_lanes value, const int points)
{
  *to = points == 1 ? value : *to + value;
}

/* Entry (i,k) of K_ab of all nodes but the last, from one point: h is the part of H that couples
 * these directions, (j,l) at h[9 j + l], and wb holds the weighted gradients. */
PL_INLINE void add_direction(const pl_lanes *h, const pl_lanes *b, const pl_lanes *wb,
                             const int count, const int points, const int same, pl_lanes *K)
{
  for (int n = 0; n < count - 1; n++) {
    pl_lanes t[3];
    for (int j = 0; j < 3; j++) t[j] = pl_lanes_dot3(h + 9 * j, wb + 3 * n);
    for (int m = 0; m < (same ? n + 1 : count - 1); m++)
      put(&K[count * m + n], pl_lanes_dot3(b + 3 * m, t), points);
  }
}

PL_INLINE void add_directions(const pl_lanes *H, const pl_lanes *b, pl_lanes weight,
                              const int count, const int points, pairs K)
{
  pl_lanes wb[3 * MOST_EDGES];
  for (int i = 0; i < 3 * (count - 1); i++) wb[i] = weight * b[i];
  add_direction(H, b, wb, count, points, 1, K[XX]);
  add_direction(H + 3, b, wb, count, points, 0, K[XY]);
  add_direction(H + 6, b, wb, count, points, 0, K[XZ]);
  add_direction(H + 30, b, wb, count, points, 1, K[YY]);
  add_direction(H + 33, b, wb, count, points, 0, K[YZ]);
  add_direction(H + 60, b, wb, count, points, 1, K[ZZ]);
}

/* The last node's entries off the diagonal: rows and columns sum to zero. */
PL_INLINE void close_direction(const int count, const int same, pl_lanes *K)
{
  const int last = count - 1;
  for (int a = 0; a < last; a++) {
    pl_lanes row = -K[count * a + a], column = row;
    for (int b = 0; b < last; b++) {
      if (b == a) continue;
      row -= K[same && b < a ? count * b + a : count * a + b];
      if (!same) column -= K[count * b + a];
    }
    K[count * a + last] = row;
    if (!same) K[count * last + a] = column;
  }
}

PL_INLINE void close_directions(const int count, pairs K, blocks out)
{
  for (int d = 0; d < DIRECTIONS; d++) close_direction(count, d == XX || d == YY || d == ZZ, K[d]);
  for (int a = 0; a < count; a++) {
    for (int b = a + 1; b < count; b++, out++) {
      int ab = count * a + b, ba = count * b + a;
      const pl_lanes columns[9] = {K[XX][ab], K[XY][ba], K[XZ][ba], K[XY][ab], K[YY][ab],
                                   K[YZ][ba], K[XZ][ab], K[YZ][ab], K[ZZ][ab]};
      for (int i = 0; i < 9; i++) (*out)[i] = columns[i];
    }
  }
}

/* What the first node of a pair brings to its block by a form, weighted: its gradient (times mu
 * where N is mu I), the gradient times A and a modulus (both: their sum), and times S. */
typedef struct side {
  pl_lanes b[3], lambda_g[3], mu_g[3], both_g[3], Sb[3];
} side;

PL_INLINE side first_side(const pl_tangent_form *form, const int shape, pl_lanes weight,
                          const pl_lanes *b, const pl_lanes *g)
{
  side s;
  const pl_lanes lambda = weight * form->lambda, mu = weight * form->mu;
  for (int i = 0; i < 3; i++) {
    s.b[i] = (shape == PL_TANGENT_STRESSED ? weight : mu) * b[i];
    s.lambda_g[i] = lambda * g[i];
    s.mu_g[i] = mu * g[i];
    s.both_g[i] = s.lambda_g[i] + s.mu_g[i];
  }
  if (shape == PL_TANGENT_STRESSED) pl_lanes_mat3_apply(form->S, s.b, s.Sb);
  return s;
}

/* The block of a pair; the second node has the gradient b, and g = A b. */
PL_INLINE void couple(const pl_tangent_form *form, const int shape, const side *s,
                      const pl_lanes *b, const pl_lanes *g, pl_lanes *block)
{
  const pl_lanes product = pl_lanes_dot3(s->b, b);
  const pl_lanes same = shape == PL_TANGENT_STRESSED ? pl_lanes_dot3(s->Sb, b) : product;
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 3; i++) {
      pl_lanes entry =
          i == k ? s->both_g[i] * g[i] + same : s->lambda_g[i] * g[k] + s->mu_g[k] * g[i];
      if (shape == PL_TANGENT_STRESSED) entry += product * form->N[i < k ? 3 * i + k : 3 * k + i];
      block[3 * k + i] = entry;
    }
  }
}

/* The stiffness from one point by a form. The only point's blocks go straight to the matrix, those
 * of many are summed in K first. */
PL_INLINE void add_form(const pl_tangent_form *given, const int shape, const pl_lanes *rest,
                        const int count, const int points, double *values, const int *places,
                        blocks K)
{
  // a copy that stores to the matrix cannot reach
  const pl_tangent_form form = *given;
  pl_lanes b[3 * PL_ELEMENT_NODES], g[3 * PL_ELEMENT_NODES];
  for (int a = 0; a < count - 1; a++) {
    for (int i = 0; i < 3; i++) b[3 * a + i] = rest[3 * a + i];
    pl_lanes_mat3_apply(form.A, b + 3 * a, g + 3 * a);
  }
  close_vectors(count, b);
  close_vectors(count, g);
  for (int m = 0, pair = 0; m < count - 1; m++) {
    const side s = first_side(&form, shape, rest[-1], b + 3 * m, g + 3 * m);
    for (int n = m + 1; n < count; n++, pair++) {
      pl_lanes block[9];
      couple(&form, shape, &s, b + 3 * n, g + 3 * n, block);
      if (points == 1)
        pl_fem_scatter_block(values, places + PL_LANES * pair, block);
      else
        for (int i = 0; i < 9; i++) K[pair][i] += block[i];
    }
  }
}

/* The block of a pair by the five numbers of a law of I1 and J: rows of f = B b and g = A b of the
 * first node times the coefficients, against those of the second. */
PL_INLINE void couple_invariants(const pl_lanes *by_f, const pl_lanes *by_g, pl_lanes same,
                                 const pl_lanes *spin, const pl_lanes *f, const pl_lanes *g,
                                 pl_lanes *block)
{
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 3; i++) {
      pl_lanes entry = by_f[i] * f[k] + by_g[i] * g[k];
      if (i == k)
        entry += same;
      else if ((k - i + 3) % 3 == 1)
        entry += spin[3 - i - k];
      else
        entry -= spin[3 - i - k];
      block[3 * k + i] = entry;
    }
  }
}

/* S b of the first node, weighted. */
PL_INLINE void stress_side(const pl_tangent_form *form, pl_lanes weight, const pl_lanes *b,
                           pl_lanes *Sb)
{
  if (!form->stressed) return;
  pl_lanes_mat3_apply(form->S, b, Sb);
  for (int i = 0; i < 3; i++) Sb[i] *= weight;
}

PL_INLINE void add_invariants(const pl_tangent_form *given, const pl_lanes *rest, const int count,
                              const int points, double *values, const int *places, blocks K)
{
  // a copy that stores to the matrix cannot reach
  const pl_tangent_form form = *given;
  const pl_lanes weight = rest[-1];
  pl_lanes b[3 * PL_ELEMENT_NODES], f[3 * PL_ELEMENT_NODES], g[3 * PL_ELEMENT_NODES], B[9];
  for (int a = 0; a < count - 1; a++) {
    for (int i = 0; i < 3; i++) b[3 * a + i] = rest[3 * a + i];
    pl_lanes_mat3_apply(form.B, b + 3 * a, f + 3 * a);
    pl_lanes_mat3_apply(form.A, b + 3 * a, g + 3 * a);
  }
  close_vectors(count, b);
  close_vectors(count, f);
  close_vectors(count, g);
  for (int i = 0; i < 9; i++) B[i] = (weight * form.spin) * form.B[i];
  for (int m = 0, pair = 0; m < count - 1; m++) {
    pl_lanes by_f[3], by_g[3], own[3], Sb[3];
    stress_side(&form, weight, b + 3 * m, Sb);
    for (int i = 0; i < 3; i++) {
      const pl_lanes wf = weight * f[3 * m + i], wg = weight * g[3 * m + i];
      by_f[i] = form.ff * wf + form.fg * wg;
      by_g[i] = form.fg * wf + form.lambda * wg;
      own[i] = (weight * form.mu) * b[3 * m + i];
      if (form.stressed) own[i] += Sb[i];
    }
    for (int n = m + 1; n < count; n++, pair++) {
      pl_lanes block[9], across[3], spin[3];
      pl_lanes_cross3(b + 3 * m, b + 3 * n, across);
      pl_lanes_mat3_apply(B, across, spin);
      couple_invariants(by_f, by_g, pl_lanes_dot3(own, b + 3 * n), spin, f + 3 * n, g + 3 * n,
                        block);
      if (points == 1)
        pl_fem_scatter_block(values, places + PL_LANES * pair, block);
      else
        for (int i = 0; i < 9; i++) K[pair][i] += block[i];
    }
  }
}

/* The block of a pair in the frames of the singular values: a and b are the gradients there. */
PL_INLINE void couple_stretches(const pl_tangent_form *form, const pl_lanes *a, const pl_lanes *b,
                                pl_lanes *K)
{
  pl_lanes product[3];
  for (int i = 0; i < 3; i++) product[i] = a[i] * b[i];
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    K[4 * i] = form->B[4 * i] * product[i] + form->own[k] * product[j] + form->own[j] * product[k];
    K[3 * i + j] = form->B[3 * i + j] * (a[i] * b[j]) + form->cross[k] * (a[j] * b[i]);
    K[3 * j + i] = form->B[3 * i + j] * (a[j] * b[i]) + form->cross[k] * (a[i] * b[j]);
  }
}

/* block = U K U^T + same I, by columns. */
PL_INLINE void turn_block(const pl_lanes *U, const pl_lanes *K, pl_lanes same, pl_lanes *block)
{
  pl_lanes UK[9];
  pl_lanes_mat3_multiply(U, K, UK);
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 3; i++) block[3 * k + i] = pl_lanes_dot3(UK + 3 * i, U + 3 * k);
    block[4 * k] += same;
  }
}

/* The stiffness of the only point by a form of singular values. */
PL_INLINE void add_stretches(const pl_tangent_form *given, const pl_lanes *rest, const int count,
                             double *values, const int *places)
{
  // a copy that stores to the matrix cannot reach
  const pl_tangent_form form = *given;
  const pl_lanes weight = rest[-1];
  pl_lanes b[3 * PL_ELEMENT_NODES], turned[3 * PL_ELEMENT_NODES];
  for (int a = 0; a < count - 1; a++) {
    for (int i = 0; i < 3; i++) b[3 * a + i] = rest[3 * a + i];
    pl_lanes_mat3_apply_t(form.A, b + 3 * a, turned + 3 * a);
  }
  close_vectors(count, b);
  close_vectors(count, turned);
  for (int m = 0, pair = 0; m < count - 1; m++) {
    pl_lanes first[3], Sb[3], K[9], block[9];
    for (int i = 0; i < 3; i++) first[i] = weight * turned[3 * m + i];
    stress_side(&form, weight, b + 3 * m, Sb);
    for (int n = m + 1; n < count; n++, pair++) {
      const pl_lanes same = form.stressed ? pl_lanes_dot3(Sb, b + 3 * n) : pl_lanes_all(0);
      couple_stretches(&form, first, turned + 3 * n, K);
      turn_block(form.N, K, same, block);
      pl_fem_scatter_block(values, places + PL_LANES * pair, block);
    }
  }
}

PL_INLINE void scatter_stiffness(double *values, const int *places, const int count, blocks K)
{
  for (int pair = 0; pair < count * (count - 1) / 2; pair++)
    pl_fem_scatter_block(values, places + PL_LANES * pair, K[pair]);
}

#endif
