/* A batch of points for the tests of strain measures and laws: random deformations, stress and
 * tangent, differences. All moduli are of order 1. */
#ifndef PL_TEST_POINTS_H
#define PL_TEST_POINTS_H

#include "law_numbers.h"
#include "material/material.h"
#include "math/decompose.h"
#include "math/mat3.h"
#include "test.h"

enum { TRIALS = TEST_SANITIZED ? 20 : 500 };

/* The measures that are one of points. */
static inline int strain_count(void)
{
  int count = 0;
  while (pl_strain_at(count) && pl_strain_at(count)->points.stress) count++;
  return count;
}

enum { MOST_LAWS = 40 };

/* The measures, and behind them the laws with points of their own as if they were measures. */
static inline const pl_strain_ops *measure_at(int index)
{
  static pl_strain_ops laws[MOST_LAWS];
  int behind = index - strain_count();
  if (behind < 0) return pl_strain_at(index);
  for (int l = 0; pl_law_at(l) && l < MOST_LAWS; l++) {
    const pl_law_ops *law = pl_law_at(l);
    if (!law->points.stress || behind-- > 0) continue;
    laws[l] = (pl_strain_ops){
        .info = law->info, .rotation_invariant = !law->memory.lags, .points = law->points};
    return &laws[l];
  }
  return NULL;
}

static inline int measure_count(void)
{
  int count = 0;
  while (measure_at(count)) count++;
  return count;
}

static inline double largest(const double *values, int count)
{
  double max = 0;
  for (int i = 0; i < count; i++) max = fmax(max, fabs(values[i]));
  return max;
}

static inline void random_matrix(double scale, double out[9])
{
  for (int i = 0; i < 9; i++) out[i] = scale * test_uniform();
}

static inline void random_rotation(double out[9])
{
  double A[9], S[9];
  random_matrix(1, A);
  pl_polar(A, out, S);
}

/* A rotated F, up to 40 % away from rest in each entry. */
static inline void random_gradient(double out[9])
{
  double Q[9], A[9];
  random_rotation(Q);
  random_matrix(0.4, A);
  for (int i = 0; i < 9; i += 4) A[i] += 1;
  pl_mat3_multiply(Q, A, out);
}

/* F = U diag(sigma) V^T with random rotations. */
static inline void gradient_of(const double sigma[3], double out[9])
{
  double U[9], V[9];
  random_rotation(U);
  random_rotation(V);
  for (int i = 0; i < 9; i++) U[i] *= sigma[i % 3];
  pl_mat3_multiply_nt(U, V, out);
}

/* Constants that every law can have for its own: parts of mu, and for those with memory shares and
 * times. */
static const double test_numbers[PL_MOST_NUMBERS] = {0.3, 0.2, 0.15, 0.1, 0, 0,  0.05,
                                                     0.4, 2,   9,    1,   1, 0.3};

/* The law that has these points, NULL for a measure. */
static inline const pl_law_ops *law_with(const pl_strain_ops *ops)
{
  for (int l = 0; pl_law_at(l); l++) {
    if (ops->points.stress == pl_law_at(l)->points.stress) return pl_law_at(l);
  }
  return NULL;
}

static inline int has_memory(const pl_strain_ops *ops)
{
  return law_with(ops) && law_with(ops)->memory.count;
}

/* The constants with which the law is tested. */
static inline const double *numbers_of(const pl_strain_ops *ops)
{
  return test_numbers_of(law_with(ops), test_numbers);
}

/* Is the response isotropic? */
static inline int is_isotropic(const pl_strain_ops *ops)
{
  const pl_law_ops *law = law_with(ops);
  return !law || !(law->uses_axes || law->memory.lags);
}

/* How many doubles a point of the law remembers with the constants of this test. */
static inline int history_of(const pl_strain_ops *ops)
{
  return has_memory(ops) ? law_with(ops)->memory.count(numbers_of(ops)) : 0;
}

/* What points find in memory, h s after history; one at a time. */
static inline void freeze_point(const pl_strain_ops *ops, double h, const pl_lanes *history,
                                pl_point *point)
{
  static pl_lanes frozen[PL_MOST_FROZEN];
  if (!has_memory(ops)) return;
  law_with(ops)->memory.freeze(point, h, history, history_of(ops), frozen);
  point->frozen = frozen;
}

/* A point to which nothing has happened yet. */
static inline pl_point point_at(const pl_strain_ops *ops, const double F[9], const double *rate)
{
  static pl_lanes numbers[PL_MOST_NUMBERS];
  const pl_lanes nothing[PL_MOST_MEMORY] = {0};
  pl_point point = {.lambda = pl_lanes_all(1.7),
                    .mu = pl_lanes_all(0.9),
                    .numbers = numbers,
                    .strain = &pl_strain_at(2)->points, // Green's: it does not resist inversion
                    .viscous_lambda = pl_lanes_all(0.4),
                    .viscous_mu = pl_lanes_all(0.6),
                    .viscous = rate != NULL};
  for (int k = 0; k < PL_MOST_NUMBERS; k++) numbers[k] = pl_lanes_all(numbers_of(ops)[k]);
  freeze_point(ops, 0, nothing, &point);
  for (int i = 0; i < 9; i++) {
    point.F[i] = pl_lanes_all(F[i]);
    if (rate) point.rate[i] = pl_lanes_all(rate[i]);
  }
  return point;
}

static inline double stress_at(const pl_strain_ops *ops, const double F[9], const double *rate,
                               double *P)
{
  pl_point point = point_at(ops, F, rate);
  pl_lanes stress[9], W;
  ops->points.stress(&point, stress, &W);
  for (int i = 0; i < 9; i++) P[i] = stress[i][0];
  return W[0];
}

static inline void tangent_at(const pl_strain_ops *ops, const double F[9], const double *rate,
                              double kq, double kv, int semidefinite, double *H)
{
  pl_point point = point_at(ops, F, rate);
  pl_lanes tangent[81];
  ops->points.tangent(&point, kq, kv, semidefinite, NULL, tangent);
  for (int i = 0; i < 81; i++) H[i] = tangent[i][0];
}

/* Central differences of the stress by F (by_rate = 0) or by the rate. */
static inline void differences(const pl_strain_ops *ops, const double F[9], const double *rate,
                               int by_rate, double *H)
{
  const double h = 1e-5;
  double f[9], r[9], above[9], below[9];
  memcpy(f, F, sizeof f);
  if (rate) memcpy(r, rate, sizeof r);
  for (int k = 0; k < 9; k++) {
    double *moved = by_rate ? &r[k] : &f[k], centre = *moved;
    *moved = centre + h;
    stress_at(ops, f, rate ? r : NULL, above);
    *moved = centre - h;
    stress_at(ops, f, rate ? r : NULL, below);
    *moved = centre;
    for (int i = 0; i < 9; i++) H[9 * i + k] = (above[i] - below[i]) / (2 * h);
  }
}

static inline double distance(const double *a, const double *b, int count)
{
  double max = 0;
  for (int i = 0; i < count; i++) max = fmax(max, fabs(a[i] - b[i]));
  return max;
}

static inline double asymmetry(const double *A, int size)
{
  double max = 0;
  for (int i = 0; i < size; i++) {
    for (int j = 0; j < size; j++) max = fmax(max, fabs(A[size * i + j] - A[size * j + i]));
  }
  return max;
}

/* Makes a symmetric 9x9 matrix diagonal by Jacobi's rotations; its eigenvectors are the columns of
 * Q. */
static inline void diagonalise(double A[81], double Q[81])
{
  for (int i = 0; i < 81; i++) Q[i] = i % 10 == 0;
  for (int sweep = 0, turned = 1; sweep < 30 && turned; sweep++) {
    turned = 0;
    for (int p = 0; p < 9; p++) {
      for (int q = p + 1; q < 9; q++) {
        if (fabs(A[9 * p + q]) < 1e-300) continue;
        turned |= fabs(A[9 * p + q]) > 1e-18 * (fabs(A[10 * p]) + fabs(A[10 * q]));
        double tau = (A[10 * q] - A[10 * p]) / (2 * A[9 * p + q]);
        double t = (tau < 0 ? -1 : 1) / (fabs(tau) + sqrt(1 + tau * tau));
        double c = 1 / sqrt(1 + t * t), s = t * c;
        for (int i = 0; i < 9; i++) {
          double a = A[9 * i + p], b = A[9 * i + q], x = Q[9 * i + p], y = Q[9 * i + q];
          A[9 * i + p] = c * a - s * b;
          A[9 * i + q] = s * a + c * b;
          Q[9 * i + p] = c * x - s * y;
          Q[9 * i + q] = s * x + c * y;
        }
        for (int i = 0; i < 9; i++) {
          double a = A[9 * p + i], b = A[9 * q + i];
          A[9 * p + i] = c * a - s * b;
          A[9 * q + i] = s * a + c * b;
        }
      }
    }
  }
}

static inline double min_eigenvalue(const double *H)
{
  double A[81], Q[81];
  memcpy(A, H, sizeof A);
  diagonalise(A, Q);
  double min = A[0];
  for (int i = 1; i < 9; i++) min = fmin(min, A[10 * i]);
  return min;
}

/* H with its eigenvalues clamped or made positive. */
static inline void project(const double *H, int absolute, double *out)
{
  double A[81], Q[81];
  memcpy(A, H, sizeof A);
  diagonalise(A, Q);
  memset(out, 0, 81 * sizeof *out);
  for (int m = 0; m < 9; m++) {
    double value = absolute ? fabs(A[10 * m]) : fmax(A[10 * m], 0);
    for (int e = 0; e < 81; e++) out[e] += value * Q[9 * (e / 9) + m] * Q[9 * (e % 9) + m];
  }
}

/* Isotropic laws of F: their semidefinite tangent is the exact one with projected eigenvalues. */
static inline int is_projected(const pl_strain_ops *ops)
{
  const pl_law_ops *law = law_with(ops);
  return law && !law->uses_strain && !law->uses_axes && !law->memory.count;
}

#endif
