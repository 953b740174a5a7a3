/* Orientation by expansion arithmetic.
 *
 * orient3d = det [a-d; b-d; c-d]. In double precision its sign is right if it is larger than
 * (7 + 56 eps) eps times the sum of the absolute products, eps = 2^-53; else it is computed without
 * error: sums and products of doubles are kept as expansions, sums of doubles that do not overlap,
 * least first, so that the last one has the sign (J. R. Shewchuk, "Adaptive precision
 * floating-point arithmetic and fast robust geometric predicates", 1997; T. J. Dekker, 1971). That
 * needs round-to-even and no contraction of a product and a sum (-ffp-contract=off).
 *
 * An edge meets a triangle if its ends are not on the same side of the plane, and the line through
 * it passes the three sides of the triangle in the same sense. What lies in one plane is projected
 * along the axes: along an axis that is not in the plane nothing is lost, along others things can
 * only come to meet, so they meet if they do in all three. */
#include "shape/exact.h"

#include "math/vec3.h"

static const double HALF = 1.1102230246251565e-16; /* 2^-53 */

enum { MOST = 192 }; /* terms of orient3d */

/* ---- expansions ---- */

/* a + b = sum + error, exactly. */
static void two_sum(double a, double b, double *sum, double *error)
{
  double s = a + b, part = s - a;
  *error = (a - (s - part)) + (b - part);
  *sum = s;
}

/* a b = product + error, exactly. */
static void two_product(double a, double b, double *product, double *error)
{
  const double splitter = 134217729; // 2^27 + 1
  double p = a * b, s = splitter * a, t = splitter * b;
  double a1 = s - (s - a), a0 = a - a1, b1 = t - (t - b), b0 = b - b1;
  *error = a0 * b0 - (((p - a1 * b1) - a0 * b1) - a1 * b0);
  *product = p;
}

/* Adds a number to an expansion of n terms; returns the number of terms. */
static int grow(double *e, int n, double value)
{
  int count = 0;
  for (int i = 0; i < n; i++) {
    double error;
    two_sum(value, e[i], &value, &error);
    if (error < 0 || error > 0) e[count++] = error;
  }
  if (value < 0 || value > 0) e[count++] = value;
  return count;
}

/* e += sign * f. */
static int add(double *e, int n, const double *f, int m, double sign)
{
  for (int i = 0; i < m; i++) n = grow(e, n, sign * f[i]);
  return n;
}

/* out = e * f; out has room for 2 n m terms. */
static int multiply(const double *e, int n, const double *f, int m, double *out)
{
  int count = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      double product, error;
      two_product(e[i], f[j], &product, &error);
      count = grow(out, count, error);
      count = grow(out, count, product);
    }
  }
  return count;
}

static int sign_of(double value) { return (value > 0) - (value < 0); }

/* The sign of an expansion is that of its last term. */
static int expansion_sign(const double *e, int n) { return n ? sign_of(e[n - 1]) : 0; }

/* a - b without error. */
static void difference(double a, double b, double out[2]) { two_sum(a, -b, &out[1], &out[0]); }

/* out = a d - b c, of differences. */
static int minor(double a[2], double b[2], double c[2], double d[2], double out[16])
{
  double other[8];
  int n = multiply(a, 2, d, 2, out), m = multiply(b, 2, c, 2, other);
  return add(out, n, other, m, -1);
}

/* ---- orientation ---- */

static int exact2d(const double a[2], const double b[2], const double c[2])
{
  double d[4][2], out[16];
  for (int k = 0; k < 2; k++) {
    difference(a[k], c[k], d[k]);
    difference(b[k], c[k], d[2 + k]);
  }
  return expansion_sign(out, minor(d[0], d[1], d[2], d[3], out));
}

int pl_orient2d(const double a[2], const double b[2], const double c[2])
{
  double one = (a[0] - c[0]) * (b[1] - c[1]), two = (a[1] - c[1]) * (b[0] - c[0]);
  double det = one - two, size = fabs(one) + fabs(two);
  if (fabs(det) > (3 + 16 * HALF) * HALF * size) return sign_of(det);
  return exact2d(a, b, c);
}

static int exact3d(const double a[3], const double b[3], const double c[3], const double d[3])
{
  const double *const rows[3] = {a, b, c};
  double e[3][3][2], sum[MOST];
  int n = 0;
  for (int i = 0; i < 9; i++) difference(rows[i / 3][i % 3], d[i % 3], e[i / 3][i % 3]);
  for (int k = 0; k < 3; k++) {
    double part[16], product[64];
    int next = (k + 1) % 3, last = (k + 2) % 3;
    int m = minor(e[1][next], e[1][last], e[2][next], e[2][last], part);
    int terms = multiply(part, m, e[0][k], 2, product);
    n = add(sum, n, product, terms, 1);
  }
  return expansion_sign(sum, n);
}

int pl_orient3d(const double a[3], const double b[3], const double c[3], const double d[3])
{
  double u[3], v[3], w[3], det = 0, size = 0;
  pl_vec3_sub(a, d, u);
  pl_vec3_sub(b, d, v);
  pl_vec3_sub(c, d, w);
  for (int k = 0; k < 3; k++) {
    int next = (k + 1) % 3, last = (k + 2) % 3;
    double one = v[next] * w[last], two = v[last] * w[next];
    det += u[k] * (one - two);
    size += fabs(u[k]) * (fabs(one) + fabs(two));
  }
  if (fabs(det) > (7 + 56 * HALF) * HALF * size) return sign_of(det);
  return exact3d(a, b, c, d);
}

/* ---- in one plane ---- */

/* Is c, which lies on the line through a and b, between them? */
static int between(const double a[2], const double b[2], const double c[2])
{
  for (int k = 0; k < 2; k++) {
    if (c[k] < fmin(a[k], b[k]) || c[k] > fmax(a[k], b[k])) return 0;
  }
  return 1;
}

static int edges_meet(const double p[2], const double q[2], const double a[2], const double b[2])
{
  int sa = pl_orient2d(p, q, a), sb = pl_orient2d(p, q, b);
  int sp = pl_orient2d(a, b, p), sq = pl_orient2d(a, b, q);
  if (sa * sb < 0 && sp * sq < 0) return 1;
  return (sa == 0 && between(p, q, a)) || (sb == 0 && between(p, q, b)) ||
         (sp == 0 && between(a, b, p)) || (sq == 0 && between(a, b, q));
}

static int is_within(const double p[2], const double a[2], const double b[2], const double c[2])
{
  int one = pl_orient2d(a, b, p), two = pl_orient2d(b, c, p), three = pl_orient2d(c, a, p);
  if (!one && !two && !three) return 0; // of no extent: its edges decide
  return (one >= 0 && two >= 0 && three >= 0) || (one <= 0 && two <= 0 && three <= 0);
}

/* The shadows along one axis. */
static int shadows_meet(const double *const points[5], int axis)
{
  double s[5][2];
  for (int i = 0; i < 5; i++) {
    s[i][0] = points[i][(axis + 1) % 3];
    s[i][1] = points[i][(axis + 2) % 3];
  }
  for (int k = 0; k < 3; k++) {
    if (edges_meet(s[0], s[1], s[2 + k], s[2 + (k + 1) % 3])) return 1;
  }
  return is_within(s[0], s[2], s[3], s[4]);
}

int pl_edge_meets_triangle(const double p[3], const double q[3], const double a[3],
                           const double b[3], const double c[3])
{
  int sp = pl_orient3d(a, b, c, p), sq = pl_orient3d(a, b, c, q);
  if (sp * sq > 0) return 0;
  int one = pl_orient3d(p, q, a, b), two = pl_orient3d(p, q, b, c), three = pl_orient3d(p, q, c, a);
  if (!sp && !sq) {
    const double *const points[5] = {p, q, a, b, c};
    if (one || two || three) return 0; // beside a triangle of no extent
    return shadows_meet(points, 0) && shadows_meet(points, 1) && shadows_meet(points, 2);
  }
  return (one >= 0 && two >= 0 && three >= 0) || (one <= 0 && two <= 0 && three <= 0);
}
