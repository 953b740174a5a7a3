/* Barrier potentials of stencils.
 *
 *   W = k r^2 B(y),  y = gap / r,  gap = d - xi:   force k r |B'|, stiffness k B''
 *
 * rational: B = 1/y - 3 + 3 y - y^2, B' = -1/y^2 + 3 - 2 y, B'' = 2/y^3 - 2: twice continuously
 * differentiable at y = 1, convex, without logarithm. log: with u = y^2, b = -(u-1)^2 ln u,
 * b' = -2 (u-1) ln u - (u-1)^2/u, b'' = -2 ln u - 4 (u-1)/u + (u-1)^2/u^2; B' = 2 y b',
 * B'' = 4 u b'' + 2 b'.
 *
 * Gradient W' c (x) n. Second derivatives W'' (c n)(c n)^T + W' Hess d with
 * Hess d = (Hess D / 2 - (c n)(c n)^T) / d. They live in the span of c (x) e_k and g_a (x) n, of 3
 * + m
 * <= 5 dimensions (shape/distance.h): negative eigenvalues are removed there.
 *
 * They are a sum of two squares. With p the m parameters, T = sum_i x_i g_i^T and S = (T^T T)^-1,
 *
 *   W'' n n^T + W'/d (I - n n^T)  of the motion sum_i c_i dx_i, and
 *   -W' d S                       of the motion (n . g_a dx + T_a . c dx / d), which is -T^T T dp/d
 *
 * (complete the square of Hess D in shape/distance.c). The first is negative along the surface, the
 * second positive; sliding in the plane of a triangle is in both, and they cancel there.
 *
 * Edges that become parallel: any symmetric matrix is a sum of squares by elimination with pivots
 * of one or two rows (J. R. Bunch & B. N. Parlett 1971): A - (A w)(A w)^T / (w . A w), where w is
 * the largest diagonal entry's direction, or in succession both eigenvectors of the 2 x 2 block of
 * a larger entry beside it. Entries of A grow by no more than 2.57 per row.
 *
 * Two edges: m(c) W with c = |a x b|^2, m = (2 - c/e) c/e for c < e = 1e-3 |a0|^2 |b0|^2, else 1
 * (Li et al. 2020): Hess = W m'' gc gc^T + W m' Hess c + m' W' (gc gd^T + gd gc^T) + m Hess W. */
#include "couple/barrier.h"

#include "math/functions.h"
#include "math/vec3.h"

#include <string.h>

enum { N = 12, MOST = 12, SWEEPS = 40 };

static const double MOLLIFIED = 1e-3;  /* of |a0|^2 |b0|^2 */
static const double LEAST = 1e-13;     /* of the largest entry: others are rounding */
static const double PIVOT = 0.6403882; /* (1 + sqrt 17)/8 */

/* ---- the law ---- */

void pl_barrier_law_at(const pl_barrier *barrier, double gap, double out[3])
{
  double r = barrier->range, k = barrier->stiffness, y = gap / r, B[3] = {0, 0, 0};
  if (!(gap > 0)) {
    out[0] = out[2] = HUGE_VAL;
    out[1] = -HUGE_VAL;
    return;
  }
  if (y < 1 && barrier->law == PL_BARRIER_RATIONAL) {
    double z = 1 - y; // in this form nothing cancels near y = 1
    B[0] = z * z * z / y;
    B[1] = -z * z * (1 + 2 * y) / (y * y);
    B[2] = 2 * z * (1 + y + y * y) / (y * y * y);
  } else if (y < 1) {
    double u = y * y, v = u - 1, ln = pl_ln(u), slope = -2 * v * ln - v * v / u;
    B[0] = -v * v * ln;
    B[1] = 2 * y * slope;
    B[2] = 4 * u * (-2 * ln - 4 * v / u + v * v / (u * u)) + 2 * slope;
  }
  out[0] = k * r * r * B[0];
  out[1] = k * r * B[1];
  out[2] = k * B[2];
}

double pl_barrier_stiffness(const double young[2], double area, double range, double mass, double h)
{
  double mean = 2 * young[0] * young[1] / (young[0] + young[1]);
  return fmax(0.1 * mean * area / range, mass / (10 * h * h));
}

/* ---- semidefinite matrices ---- */

/* The rotation that makes a symmetric 2 x 2 matrix diagonal: its eigenvectors are (c, -s), (s, c).
 */
static void turn(double pp, double pq, double qq, double *c, double *s)
{
  double theta = (qq - pp) / (2 * pq);
  double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
  *c = 1 / sqrt(t * t + 1);
  *s = t * *c;
}

/* Eigenvalues of a symmetric matrix of n <= 12 rows, row-major, by C. G. J. Jacobi's rotations; A
 * becomes diagonal, V has the eigenvectors in its columns. */
static void rotate(double *A, double *V, int n, int p, int q)
{
  double c, s;
  turn(A[n * p + p], A[n * p + q], A[n * q + q], &c, &s);
  for (int k = 0; k < n; k++) {
    double kp = A[n * k + p], kq = A[n * k + q];
    A[n * k + p] = c * kp - s * kq;
    A[n * k + q] = s * kp + c * kq;
  }
  for (int k = 0; k < n; k++) {
    double pk = A[n * p + k], qk = A[n * q + k], vp = V[n * k + p], vq = V[n * k + q];
    A[n * p + k] = c * pk - s * qk;
    A[n * q + k] = s * pk + c * qk;
    V[n * k + p] = c * vp - s * vq;
    V[n * k + q] = s * vp + c * vq;
  }
}

static void diagonalise(double *A, double *V, int n)
{
  memset(V, 0, (size_t)(n * n) * sizeof *V);
  for (int i = 0; i < n; i++) V[n * i + i] = 1;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double off = 0, all = 0;
    for (int i = 0; i < n * n; i++) {
      all += A[i] * A[i];
      if (i % (n + 1)) off += A[i] * A[i];
    }
    if (!(off > 1e-32 * all)) return;
    for (int p = 0; p < n; p++) {
      for (int q = p + 1; q < n; q++) {
        if (fabs(A[n * p + q]) > 1e-300) rotate(A, V, n, p, q);
      }
    }
  }
}

/* The nearest semidefinite matrix. */
static void project(double *A, int n)
{
  double V[MOST * MOST], D[MOST * MOST];
  memcpy(D, A, (size_t)(n * n) * sizeof *D);
  diagonalise(D, V, n);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += fmax(D[(n + 1) * k], 0) * V[n * i + k] * V[n * j + k];
      A[n * i + j] = sum;
    }
  }
}

static double dot(const double a[N], const double b[N])
{
  double sum = 0;
  for (int i = 0; i < N; i++) sum += a[i] * b[i];
  return sum;
}

/* Orthonormal vectors of the same span (twice is enough); returns how many are left. */
static int orthonormal(double basis[5][N], int count)
{
  int kept = 0;
  for (int b = 0; b < count; b++) {
    double before = dot(basis[b], basis[b]);
    for (int pass = 0; pass < 2; pass++) {
      for (int a = 0; a < kept; a++) {
        double along = dot(basis[a], basis[b]);
        for (int i = 0; i < N; i++) basis[b][i] -= along * basis[a][i];
      }
    }
    double after = dot(basis[b], basis[b]);
    if (!(after > 1e-24 * before)) continue;
    for (int i = 0; i < N; i++) basis[kept][i] = basis[b][i] / sqrt(after);
    kept++;
  }
  return kept;
}

/* Projects a matrix that lives in the span of a few vectors. */
static void project_within(double *H, double basis[5][N], int count)
{
  double small[25] = {0}, part[5][N];
  count = orthonormal(basis, count);
  for (int a = 0; a < count; a++) {
    for (int i = 0; i < N; i++) part[a][i] = dot(H + N * i, basis[a]);
  }
  for (int a = 0; a < count; a++) {
    for (int b = 0; b < count; b++) small[count * a + b] = dot(basis[a], part[b]);
  }
  project(small, count);
  memset(H, 0, N * N * sizeof *H);
  for (int a = 0; a < count; a++) {
    for (int b = 0; b < count; b++) {
      double value = small[count * a + b];
      for (int i = 0; i < N * N; i++) H[i] += value * basis[a][i / N] * basis[b][i % N];
    }
  }
}

/* ---- one stencil ---- */

/* The distance at some points. */
typedef struct state {
  pl_closest at;
  double distance, normal[3], slope[N]; /* slope: c (x) n */
  double W[3];
} state;

static void add_outer(double factor, const double a[N], const double b[N], double *H)
{
  for (int i = 0; i < N * N; i++) H[i] += factor * a[i / N] * b[i % N];
}

/* W'' gd gd^T + W' Hess d. */
static void law_hessian(const double x[4][3], const state *s, pl_barrier_hessian which, double *H)
{
  if (which == PL_BARRIER_GAUSS_NEWTON) {
    memset(H, 0, N * N * sizeof *H);
    add_outer(s->W[2], s->slope, s->slope, H);
    return;
  }
  double factor = s->W[1] / s->distance, basis[5][N];
  pl_closest_hessian(x, &s->at, H);
  for (int i = 0; i < N * N; i++) H[i] *= 0.5 * factor;
  add_outer(s->W[2] - factor, s->slope, s->slope, H);
  if (which == PL_BARRIER_PROJECTED)
    project_within(H, basis, pl_closest_basis(&s->at, s->normal, basis));
}

/* ---- edges that become parallel ---- */

/* c = |a x b|^2 by the four points, and its second derivatives (NULL: not asked for). */
static double area_at(const double x[4][3], double slope[N], double *H)
{
  double a[3], b[3], n[3];
  pl_vec3_sub(x[1], x[0], a);
  pl_vec3_sub(x[3], x[2], b);
  pl_vec3_cross(a, b, n);
  double aa = pl_vec3_dot(a, a), bb = pl_vec3_dot(b, b), ab = pl_vec3_dot(a, b);
  for (int k = 0; k < 3; k++) {
    double by_a = 2 * (bb * a[k] - ab * b[k]), by_b = 2 * (aa * b[k] - ab * a[k]);
    slope[3 + k] = by_a, slope[k] = -by_a;
    slope[9 + k] = by_b, slope[6 + k] = -by_b;
  }
  for (int i = 0; H && i < N * N; i++) {
    int p = i / N / 3, q = i % N / 3, k = i / N % 3, l = i % N % 3;
    double unit = k == l, value = 0, sign = (p % 2 ? 1 : -1) * (q % 2 ? 1 : -1);
    if (p < 2 && q < 2) value = bb * unit - b[k] * b[l];
    if (p >= 2 && q >= 2) value = aa * unit - a[k] * a[l];
    if (p < 2 && q >= 2) value = 2 * a[k] * b[l] - b[k] * a[l] - ab * unit;
    if (p >= 2 && q < 2) value = 2 * b[k] * a[l] - a[k] * b[l] - ab * unit;
    H[i] = 2 * sign * value;
  }
  return pl_vec3_dot(n, n);
}

static int is_parallel(const pl_barrier *barrier, pl_contact_kind kind, const double x[4][3])
{
  double slope[N];
  if (kind != PL_EDGE_EDGE || !(barrier->rest > 0)) return 0;
  return area_at(x, slope, NULL) < MOLLIFIED * barrier->rest;
}

/* m(c) W; all that was computed for W is brought to m W. */
static double mollify(const pl_barrier *barrier, const double x[4][3], const state *s,
                      pl_barrier_hessian which, double *gradient, double *H)
{
  double slope[N], bend[N * N], limit = MOLLIFIED * barrier->rest;
  double c = area_at(x, slope, H ? bend : NULL) / limit;
  double m = (2 - c) * c, m1 = (2 - 2 * c) / limit, m2 = -2 / (limit * limit);
  for (int i = 0; gradient && i < N; i++)
    gradient[i] = m * s->W[1] * s->slope[i] + m1 * s->W[0] * slope[i];
  if (!H) return m * s->W[0];
  for (int i = 0; i < N * N; i++) {
    H[i] *= m;
    if (which != PL_BARRIER_GAUSS_NEWTON) H[i] += s->W[0] * m1 * bend[i];
  }
  if (which != PL_BARRIER_GAUSS_NEWTON) {
    add_outer(s->W[0] * m2, slope, slope, H);
    add_outer(m1 * s->W[1], slope, s->slope, H);
    add_outer(m1 * s->W[1], s->slope, slope, H);
  }
  if (which == PL_BARRIER_PROJECTED) project(H, N);
  return m * s->W[0];
}

/* Returns 0 where the features are not apart. */
static int find_state(const pl_barrier *barrier, pl_contact_kind kind, const double x[4][3],
                      state *s)
{
  pl_closest_points(kind, x, &s->at);
  s->distance = sqrt(s->at.squared);
  pl_barrier_law_at(barrier, s->distance - barrier->separation, s->W);
  if (!(s->W[0] < HUGE_VAL)) return 0;
  pl_closest_normal(kind, x, &s->at, s->normal);
  for (int i = 0; i < N; i++) s->slope[i] = s->at.weights[i / 3] * s->normal[i % 3];
  return 1;
}

double pl_barrier_at(const pl_barrier *barrier, pl_contact_kind kind, const double x[4][3],
                     pl_barrier_hessian which, double gradient[12], double hessian[144])
{
  state s;
  if (!find_state(barrier, kind, x, &s)) return HUGE_VAL;
  int mollified = is_parallel(barrier, kind, x);
  // what is projected at the end is not projected before
  pl_barrier_hessian inner = mollified && which == PL_BARRIER_PROJECTED ? PL_BARRIER_EXACT : which;
  for (int i = 0; gradient && i < N; i++) gradient[i] = s.W[1] * s.slope[i];
  if (hessian) law_hessian(x, &s, inner, hessian);
  if (!mollified) return s.W[0];
  return mollify(barrier, x, &s, which, gradient, hessian);
}

/* ---- as motions that are resisted ---- */

/* W'' n n^T + W'/d (I - n n^T) of the motion of the nearest points against each other. */
static void part_of_points(const state *s, pl_barrier_part *to)
{
  double along = s->W[1] / s->distance;
  for (int e = 0; e < 9; e++)
    to->D[e] = along * (e % 4 == 0) + (s->W[2] - along) * s->normal[e / 3] * s->normal[e % 3];
  for (int i = 0; i < 4; i++) {
    for (int e = 0; e < 9; e++) to->C[i][e] = s->at.weights[i] * (e % 4 == 0);
  }
}

/* -W' d S of the motion of the nearest points within their features. */
static void part_of_params(const double x[4][3], const state *s, pl_barrier_part *to)
{
  double T[2][3], S[2][2];
  memset(to, 0, sizeof *to);
  pl_closest_metric(x, &s->at, T, S);
  for (int a = 0; a < s->at.params; a++) {
    for (int b = 0; b < s->at.params; b++) to->D[3 * a + b] = -s->W[1] * s->distance * S[a][b];
    for (int i = 0; i < 4; i++) {
      for (int k = 0; k < 3; k++)
        to->C[i][3 * a + k] =
            s->at.slopes[a][i] * s->normal[k] + s->at.weights[i] / s->distance * T[a][k];
    }
  }
}

/* The largest entries of a symmetric matrix: at [0] on the diagonal, at [1] and [2] beside it.
 * Returns the larger one. */
static double largest_entries(const double *A, int at[3], int *is_beside)
{
  double on = 0, beside = 0;
  at[0] = at[1] = at[2] = 0;
  for (int i = 0; i < N; i++) {
    if (fabs(A[(N + 1) * i]) > on) on = fabs(A[(N + 1) * i]), at[0] = i;
    for (int j = 0; j < i; j++) {
      if (fabs(A[N * i + j]) > beside) beside = fabs(A[N * i + j]), at[1] = i, at[2] = j;
    }
  }
  *is_beside = on < PIVOT * beside;
  return fmax(on, beside);
}

/* Moves the square D (row . dx)^2 of the direction w = c e_p + s e_q out of A: row = A w / D with
 * D = w . A w. */
static void take_square(double *A, int p, double c, int q, double s, int number,
                        pl_barrier_part parts[PL_BARRIER_PARTS])
{
  pl_barrier_part *to = &parts[number / 3];
  int row = number % 3;
  double u[N], D;
  for (int i = 0; i < N; i++) u[i] = c * A[N * i + p] + s * A[N * i + q];
  D = c * u[p] + s * u[q];
  add_outer(-1 / D, u, u, A);
  if (row == 0) memset(to, 0, sizeof *to);
  to->D[4 * row] = D;
  for (int i = 0; i < N; i++) to->C[i / 3][3 * row + i % 3] = u[i] / D;
}

static void strike_out(double *A, int p)
{
  for (int i = 0; i < N; i++) A[N * i + p] = A[N * p + i] = 0;
}

/* Any symmetric matrix, three squares at a time. */
static int split_any(double A[N * N], pl_barrier_part parts[PL_BARRIER_PARTS])
{
  double max = 0, now, c, s;
  int at[3], is_beside, count = 0;
  while (count < N && (now = largest_entries(A, at, &is_beside)) > LEAST * max) {
    int p = is_beside ? at[1] : at[0], q = is_beside ? at[2] : p;
    max = fmax(max, now);
    if (is_beside) {
      turn(A[(N + 1) * p], A[N * p + q], A[(N + 1) * q], &c, &s);
      take_square(A, p, c, q, -s, count++, parts);
      take_square(A, p, s, q, c, count++, parts);
    } else {
      take_square(A, p, 1, p, 0, count++, parts);
    }
    strike_out(A, p);
    strike_out(A, q);
  }
  return (count + 2) / 3;
}

int pl_barrier_split(const pl_barrier *barrier, pl_contact_kind kind, const double x[4][3],
                     pl_barrier_part parts[PL_BARRIER_PARTS])
{
  state s;
  if (!find_state(barrier, kind, x, &s) || !(s.W[2] > 0)) return 0;
  if (is_parallel(barrier, kind, x)) {
    double H[N * N];
    law_hessian(x, &s, PL_BARRIER_EXACT, H);
    (void)mollify(barrier, x, &s, PL_BARRIER_EXACT, NULL, H);
    return split_any(H, parts);
  }
  part_of_points(&s, &parts[0]);
  if (!s.at.params) return 1;
  part_of_params(x, &s, &parts[1]);
  return 2;
}
