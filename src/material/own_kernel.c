/* A law that a program computes, one point after the other: W, P = dW/dF and H = dP/dF come from a
 * function (pl_own_law), times mu over what mu is at rest, which maps of stiffness change. Viscous
 * stress and prestress are those of Green's strain (invariant_point.h). The semidefinite tangent
 * has the eigenvalues of H raised to 0 (or to where prestress cannot make them negative), or their
 * sign changed, by Jacobi's rotations (Golub, Van Loan 2013, 8.5). */
#include "material/invariant_point.h"
#include "material/material.h"

enum { SIDE = 9, SWEEPS = 30 };

/* Turns rows and columns p and q of A so that A_pq becomes 0, and the columns of V. */
static void rotate(double A[SIDE][SIDE], double V[SIDE][SIDE], int p, int q)
{
  const double theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
  const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
  const double c = 1 / sqrt(t * t + 1), s = t * c;
  for (int k = 0; k < SIDE; k++) {
    const double a = A[k][p], b = A[k][q], v = V[k][p], w = V[k][q];
    A[k][p] = c * a - s * b, A[k][q] = s * a + c * b;
    V[k][p] = c * v - s * w, V[k][q] = s * v + c * w;
  }
  for (int k = 0; k < SIDE; k++) {
    const double a = A[p][k], b = A[q][k];
    A[p][k] = c * a - s * b, A[q][k] = s * a + c * b;
  }
}

/* A = V diag V^T, the values then on the diagonal of A. */
static void diagonalize(double A[SIDE][SIDE], double V[SIDE][SIDE])
{
  double whole = 0, off = 1;
  for (int i = 0; i < SIDE * SIDE; i++) whole += A[i / SIDE][i % SIDE] * A[i / SIDE][i % SIDE];
  for (int i = 0; i < SIDE; i++) {
    for (int j = 0; j < SIDE; j++) V[i][j] = i == j;
  }
  for (int sweep = 0; sweep < SWEEPS && off > 1e-30 * whole; sweep++) {
    off = 0;
    for (int p = 0; p < SIDE; p++) {
      for (int q = p + 1; q < SIDE; q++) {
        off += A[p][q] * A[p][q];
        if (A[p][q] != 0) rotate(A, V, p, q);
      }
    }
  }
}

static void project(double *H, int projection, double floor)
{
  double A[SIDE][SIDE], V[SIDE][SIDE];
  int raised = 0;
  memcpy(A, H, sizeof A);
  diagonalize(A, V);
  for (int m = 0; m < SIDE; m++) {
    double value = projection == PL_TANGENT_ABSOLUTE ? fabs(A[m][m]) : A[m][m];
    value = value > floor ? value : floor;
    raised |= value != A[m][m];
    A[m][m] = value;
  }
  for (int e = 0; raised && e < SIDE * SIDE; e++) {
    H[e] = 0;
    for (int m = 0; m < SIDE; m++) H[e] += A[m][m] * V[e / SIDE][m] * V[e % SIDE][m];
  }
}

/* The symmetric part counts; what is not finite stays, and fails the step. */
static void finish_tangent(double *H, int projection, double floor)
{
  double sum = 0;
  for (int row = 0; row < SIDE; row++) {
    for (int column = 0; column <= row; column++) {
      const double mean = 0.5 * (H[SIDE * row + column] + H[SIDE * column + row]);
      H[SIDE * row + column] = H[SIDE * column + row] = mean;
      sum += mean;
    }
  }
  if (projection && isfinite(sum)) project(H, projection, floor);
}

/* One lane; P and H may be NULL. */
static void ask(const pl_point *point, int lane, int projection, double floor, double *W,
                pl_lanes *P, pl_lanes *H)
{
  const pl_own_law *own = &point->layers->own;
  double F[9], p[9] = {0}, h[81] = {0}, w = 0;
  for (int e = 0; e < 9; e++) F[e] = point->F[e][lane];
  own->evaluate(own->context, F, W ? &w : NULL, P ? p : NULL, H ? h : NULL);
  const double scale = point->mu[lane] * point->numbers[0][lane];
  if (H) finish_tangent(h, projection, scale > 0 ? floor / scale : 0);
  if (W) *W = scale * w;
  for (int e = 0; P && e < 9; e++) P[e][lane] = scale * p[e];
  for (int e = 0; H && e < 81; e++) H[e][lane] = scale * h[e];
}

static void stress(const pl_point *point, pl_lanes *P, pl_lanes *W)
{
  for (int lane = 0; lane < PL_LANES; lane++) {
    double w;
    ask(point, lane, 0, 0, W ? &w : NULL, P, NULL);
    if (W) (*W)[lane] = w;
  }
  if (point->prestress) pl_add_green_prestress(point, P, W);
  if (P && point->viscous) pl_add_green_viscosity(point, P);
}

static void tangent(const pl_point *point, double kq, double kv, int semidefinite, pl_lanes *P,
                    pl_lanes *H)
{
  const pl_lanes floor = pl_prestress_floor(point);
  for (int lane = 0; lane < PL_LANES; lane++)
    ask(point, lane, semidefinite, floor[lane], NULL, P, H);
  for (int e = 0; H && e < 81; e++) H[e] *= kq;
  if (P && point->prestress) pl_add_green_prestress(point, P, NULL);
  if (H && point->prestress) pl_add_green_bend(point, kq, H);
  if (P && point->viscous) pl_add_green_viscosity(point, P);
  if (H && point->viscous) pl_add_green_damping(point, kv, H);
}

const pl_law_ops PL_VARIANT(pl_law_own) = {
    .info = {.name = "own", .summary = "a law of a program's own", .source = ""},
    .number_count = 1,
    .points = {.stress = stress, .tangent = tangent, .shape = pl_whole_shape},
};
