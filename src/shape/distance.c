/* Nearest points of two features and the derivatives of their distance.
 *
 * Point and triangle: interior if (u, v) = (T^T T)^-1 T^T w is strictly inside, T = [x2-x1, x3-x1],
 * w = x0-x1; else the nearest of the three edges. Two edges: interior if s and t are strictly
 * inside and the edges are not parallel, |a x b|^2 > 1e-20 |a|^2 |b|^2; else the nearest of the
 * four pairs of an end point and an edge. |a x b|^2 is computed as a cross product: aa bb - ab^2
 * cancels.
 *
 * Second derivatives: D = min_p phi(x, p) with phi = |sum_i c_i(p) x_i|^2, so by the envelope
 * theorem dD/dx_i = 2 c_i r, and d2D = phi_xx - phi_xp phi_pp^-1 phi_px. With T = sum_i x_i g_i^T,
 * S = (T^T T)^-1, y_i = T S g_i, P = I - T S T^T:
 *
 *   d2D/dx_i dx_j = 2 (c_i c_j P - c_i y_j r^T - c_j r y_i^T - (g_i . S g_j) r r^T) */
#include "shape/distance.h"

#include "math/vec3.h"

#include <string.h>

static const double PARALLEL = 1e-20; /* of det over aa bb */
static const double DOUBTFUL = 1e-8;  /* below: the interior is compared with the ends */

/* Rounds a parameter to a multiple of 2^-52, so that sums of weights are exact. */
static double grid(double u) { return (u + 1) - 1; }

/* A point and an edge: r = sign (x_p - (1-u) x_i - u x_j). Replaces out if that is nearer. */
static void try_edge(const double x[4][3], int p, int i, int j, int sign, pl_closest *out)
{
  double e[3], w[3], r[3];
  pl_vec3_sub(x[j], x[i], e);
  pl_vec3_sub(x[p], x[i], w);
  double ew = pl_vec3_dot(e, w), ee = pl_vec3_dot(e, e);
  double u = ew <= 0 ? 0 : ew >= ee ? 1 : grid(ew / ee);
  for (int k = 0; k < 3; k++) r[k] = u >= 1 ? x[p][k] - x[j][k] : w[k] - u * e[k];
  double squared = pl_vec3_dot(r, r);
  if (!(squared < out->squared)) return;
  *out = (pl_closest){.params = u > 0 && u < 1, .squared = squared};
  pl_vec3_scale(sign, r, out->r);
  out->weights[p] = sign;
  out->weights[i] = -sign * (1 - u);
  out->weights[j] = -sign * u;
  if (!out->params) return;
  out->slopes[0][i] = (signed char)sign;
  out->slopes[0][j] = (signed char)-sign;
}

/* The weights of an interior minimum, and r along the common normal. */
static void set_interior(pl_closest *out, const double normal[3], double along, double det)
{
  out->params = 2;
  pl_vec3_scale(along / det, normal, out->r);
  out->squared = along / det * along;
}

static void point_triangle(const double x[4][3], pl_closest *out)
{
  double a[3], b[3], w[3], n[3];
  pl_vec3_sub(x[2], x[1], a);
  pl_vec3_sub(x[3], x[1], b);
  pl_vec3_sub(x[0], x[1], w);
  pl_vec3_cross(a, b, n);
  double det = pl_vec3_dot(n, n);
  double u = pl_triple(n, w, b), v = pl_triple(n, a, w);
  if (u > 0 && v > 0 && u + v < det) {
    u = grid(u / det);
    v = grid(v / det);
    *out = (pl_closest){.weights = {1, -(1 - u - v), -u, -v},
                        .slopes = {{0, 1, -1, 0}, {0, 1, 0, -1}}};
    set_interior(out, n, pl_vec3_dot(n, w), det);
    return;
  }
  out->squared = HUGE_VAL;
  try_edge(x, 0, 1, 2, 1, out);
  try_edge(x, 0, 2, 3, 1, out);
  try_edge(x, 0, 3, 1, 1, out);
}

static void edge_ends(const double x[4][3], pl_closest *out)
{
  try_edge(x, 0, 2, 3, 1, out);
  try_edge(x, 1, 2, 3, 1, out);
  try_edge(x, 2, 0, 1, -1, out);
  try_edge(x, 3, 0, 1, -1, out);
}

static void edge_edge(const double x[4][3], pl_closest *out)
{
  double a[3], b[3], w[3], n[3];
  pl_vec3_sub(x[1], x[0], a);
  pl_vec3_sub(x[3], x[2], b);
  pl_vec3_sub(x[0], x[2], w);
  pl_vec3_cross(a, b, n);
  double det = pl_vec3_dot(n, n), size = pl_vec3_dot(a, a) * pl_vec3_dot(b, b);
  double s = pl_triple(n, b, w), t = pl_triple(n, a, w);
  int inside = det > PARALLEL * size && s > 0 && s < det && t > 0 && t < det;
  out->squared = HUGE_VAL;
  if (inside) {
    s = grid(s / det);
    t = grid(t / det);
    *out =
        (pl_closest){.weights = {1 - s, s, -(1 - t), -t}, .slopes = {{-1, 1, 0, 0}, {0, 0, 1, -1}}};
    set_interior(out, n, pl_vec3_dot(n, w), det);
  }
  if (!inside || det < DOUBTFUL * size) edge_ends(x, out);
}

void pl_closest_points(pl_contact_kind kind, const double x[4][3], pl_closest *out)
{
  *out = (pl_closest){.weights = {1, -1, 0, 0}};
  if (kind == PL_POINT_TRIANGLE)
    point_triangle(x, out);
  else
    edge_edge(x, out);
}

/* A vector with its largest entry taken out, so that squares do not underflow; 0: none. */
static int direction(const double v[3], double out[3])
{
  double max = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
  if (!(max > 0) || !isfinite(max)) return 0;
  pl_vec3_set(out, v[0] / max, v[1] / max, v[2] / max);
  pl_vec3_scale(1 / pl_vec3_norm(out), out, out);
  return 1;
}

/* Normal of the triangle, or of both edges. */
static void feature_normal(pl_contact_kind kind, const double x[4][3], double n[3])
{
  double a[3], b[3];
  int edges = kind == PL_EDGE_EDGE;
  pl_vec3_sub(x[edges ? 1 : 2], x[edges ? 0 : 1], a);
  pl_vec3_sub(x[3], x[edges ? 2 : 1], b);
  pl_vec3_cross(a, b, n);
}

void pl_closest_normal(pl_contact_kind kind, const double x[4][3], const pl_closest *at,
                       double normal[3])
{
  double n[3];
  if (direction(at->r, normal)) return;
  feature_normal(kind, x, n);
  if (!direction(n, normal)) pl_vec3_set(normal, 0, 0, 1);
}

/* T = sum_i x_i g_i^T by columns, from differences: sum_i g_ia = 0. */
static void tangents(const double x[4][3], const pl_closest *at, double T[2][3])
{
  for (int a = 0; a < at->params; a++) {
    for (int k = 0; k < 3; k++) {
      T[a][k] = 0;
      for (int i = 1; i < 4; i++) T[a][k] += at->slopes[a][i] * (x[i][k] - x[0][k]);
    }
  }
}

/* S = (T^T T)^-1; zero for parameters that do not move the point. */
static void inverse(double T[2][3], int params, double S[2][2])
{
  memset(S, 0, 4 * sizeof(double));
  double aa = params > 0 ? pl_vec3_dot(T[0], T[0]) : 0, n[3];
  if (params == 1 && aa > 0) S[0][0] = 1 / aa;
  if (params < 2) return;
  pl_vec3_cross(T[0], T[1], n);
  double det = pl_vec3_dot(n, n), ab = pl_vec3_dot(T[0], T[1]);
  if (!(det > 0)) return;
  S[0][0] = pl_vec3_dot(T[1], T[1]) / det;
  S[1][1] = aa / det;
  S[0][1] = S[1][0] = -ab / det;
}

void pl_closest_metric(const double x[4][3], const pl_closest *at, double T[2][3], double S[2][2])
{
  memset(T, 0, 6 * sizeof(double));
  tangents(x, at, T);
  inverse(T, at->params, S);
}

/* What all blocks share: S g_i, y_i = T S g_i and P. */
typedef struct parts {
  double Sg[4][2], y[4][3], P[3][3];
} parts;

static void make_parts(const double x[4][3], const pl_closest *at, parts *out)
{
  double T[2][3], S[2][2];
  pl_closest_metric(x, at, T, S);
  for (int i = 0; i < 4; i++) {
    for (int a = 0; a < 2; a++)
      out->Sg[i][a] = S[a][0] * at->slopes[0][i] + S[a][1] * at->slopes[1][i];
    for (int k = 0; k < 3; k++) out->y[i][k] = T[0][k] * out->Sg[i][0] + T[1][k] * out->Sg[i][1];
  }
  for (int k = 0; k < 3; k++) {
    for (int l = 0; l < 3; l++) {
      double TST = 0;
      for (int a = 0; a < 2; a++) TST += T[a][k] * (S[a][0] * T[0][l] + S[a][1] * T[1][l]);
      out->P[k][l] = (k == l) - TST;
    }
  }
}

void pl_closest_hessian(const double x[4][3], const pl_closest *at, double hessian[144])
{
  parts p;
  make_parts(x, at, &p);
  const double *c = at->weights, *r = at->r;
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      double gSg = at->slopes[0][i] * p.Sg[j][0] + at->slopes[1][i] * p.Sg[j][1];
      for (int k = 0; k < 3; k++) {
        for (int l = 0; l < 3; l++)
          hessian[12 * (3 * i + k) + 3 * j + l] =
              2 * (c[i] * c[j] * p.P[k][l] - c[i] * p.y[j][k] * r[l] - c[j] * r[k] * p.y[i][l] -
                   gSg * r[k] * r[l]);
      }
    }
  }
}

int pl_closest_basis(const pl_closest *at, const double normal[3], double basis[5][12])
{
  memset(basis, 0, 60 * sizeof(double));
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 3; k++) {
      basis[k][3 * i + k] = at->weights[i];
      for (int a = 0; a < at->params; a++) basis[3 + a][3 * i + k] = at->slopes[a][i] * normal[k];
    }
  }
  return 3 + at->params;
}
