/* Bending of surfaces of a grid: second differences against those at rest.
 *
 *   E = W/2 |r|^2,  r = L x - B0 n,  n = N/|N|,  N = U x T,  U = sum u_a x_a,  T = sum t_a x_a
 *
 * with y = L x, P = I - n n^T and g = P y / |N| (the slope of n . y by N):
 *
 *   dE/dx_a = W [l_a r - B0 (u_a T x g + t_a g x U)]
 *   Gauss-Newton: W J_a^T J_b,  J_a = l_a I - B0 P/|N| (t_a [U] - u_a [T])
 *
 * which is exact where r = 0 and never indefinite; the exact matrix is W (l_a l_b I - B0 times the
 * second derivatives of n . y). The report has beta = W |n . y - B0| (or without the bars), the
 * force -beta l_a y and the matrix beta l_a l_b I. */
#include "math/mat3.h"
#include "math/vec3.h"
#include "model/grid/grid.h"

#include <math.h>
#include <string.h>

/* A place in the present state. */
typedef struct fold {
  double y[3], U[3], T[3], n[3], g[3], along; /* along: n . y */
  double size;                                /* 1/|N|, 0 where there is no normal */
} fold;

static void sum_up(const double *weights, const int *nodes, const double *x, double out[3])
{
  // differences from the first node, so that far from the origin no digits are lost
  const double *first = x + 3 * (size_t)nodes[0];
  pl_vec3_set(out, 0, 0, 0);
  for (int a = 1; a < PL_BEND_NODES; a++) {
    const double *at = x + 3 * (size_t)nodes[a];
    for (int k = 0; k < 3; k++) out[k] += weights[a] * (at[k] - first[k]);
  }
}

static void look(const pl_grid_bend *bend, const int *nodes, const double *x, fold *now)
{
  double N[3];
  sum_up(bend->l, nodes, x, now->y);
  sum_up(bend->u, nodes, x, now->U);
  sum_up(bend->t, nodes, x, now->T);
  pl_vec3_cross(now->U, now->T, N);
  double size = pl_vec3_norm(N);
  now->size = size > 1e-12 * pl_vec3_norm(now->U) * pl_vec3_norm(now->T) ? 1 / size : 0;
  pl_vec3_scale(now->size, N, now->n);
  now->along = pl_vec3_dot(now->n, now->y);
  for (int k = 0; k < 3; k++) now->g[k] = now->size * (now->y[k] - now->along * now->n[k]);
}

static void add_force(const pl_grid_bend *bend, const fold *now, const int *nodes, double *f)
{
  double r[3], by_U[3], by_T[3];
  for (int k = 0; k < 3; k++) r[k] = now->y[k] - bend->B0 * now->n[k];
  pl_vec3_cross(now->T, now->g, by_U);
  pl_vec3_cross(now->g, now->U, by_T);
  for (int a = 0; a < PL_BEND_NODES; a++) {
    double *to = f + 3 * (size_t)nodes[a];
    for (int k = 0; k < 3; k++)
      to[k] -= bend->weight *
               (bend->l[a] * r[k] - bend->B0 * (bend->u[a] * by_U[k] + bend->t[a] * by_T[k]));
  }
}

/* out = the matrix of the product with a. */
static void skew(const double a[3], double out[9])
{
  const double all[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
  memcpy(out, all, sizeof all);
}

/* dn/dU and dn/dT. */
static void normal_slopes(const fold *now, double by_U[9], double by_T[9])
{
  double P[9], T[9], U[9];
  for (int i = 0; i < 9; i++) P[i] = now->size * ((i % 4 == 0) - now->n[i / 3] * now->n[i % 3]);
  skew(now->T, T);
  skew(now->U, U);
  pl_mat3_multiply(P, T, by_U);
  pl_mat3_multiply(P, U, by_T);
  for (int i = 0; i < 9; i++) by_U[i] = -by_U[i];
}

static void gauss_newton(const pl_grid_bend *bend, const fold *now, double factor, double *blocks)
{
  double by_U[9], by_T[9], J[PL_BEND_NODES][9];
  normal_slopes(now, by_U, by_T);
  for (int a = 0; a < PL_BEND_NODES; a++) {
    for (int i = 0; i < 9; i++)
      J[a][i] =
          (i % 4 == 0 ? bend->l[a] : 0) - bend->B0 * (bend->u[a] * by_U[i] + bend->t[a] * by_T[i]);
  }
  for (int a = 0; a < PL_BEND_NODES; a++) {
    for (int b = a; b < PL_BEND_NODES; b++) {
      double *to = blocks + 9 * (PL_BEND_NODES * a + b);
      for (int i = 0; i < 9; i++) {
        to[i] = 0;
        for (int k = 0; k < 3; k++) to[i] += J[a][3 * k + i / 3] * J[b][3 * k + i % 3];
        to[i] *= factor;
      }
    }
  }
}

/* Second derivatives of n . y by U, T and y, in the order yU, yT, UU, UT, TT. */
static void second(const fold *now, double out[5][9])
{
  double T[9], U[9], F[9], FT[9], FU[9], Py[3];
  normal_slopes(now, out[0], out[1]);
  skew(now->T, T);
  skew(now->U, U);
  pl_vec3_scale(now->size, now->g, Py); // P y / |N|^2
  for (int i = 0; i < 9; i++) {
    int a = i / 3, b = i % 3;
    double P = (a == b) - now->n[a] * now->n[b], s = now->size * now->size;
    F[i] = -(s * now->along * P + now->n[a] * Py[b] + Py[a] * now->n[b]);
  }
  pl_mat3_multiply(F, T, FT);
  pl_mat3_multiply(F, U, FU);
  pl_mat3_multiply(T, FT, out[2]); // [T]^T F [T] = -[T] F [T]
  pl_mat3_multiply(T, FU, out[3]); // (-[T])^T F [U] = [T] F [U]
  pl_mat3_multiply(U, FU, out[4]);
  double g[9];
  skew(now->g, g);
  for (int i = 0; i < 9; i++) {
    out[2][i] = -out[2][i];
    out[3][i] -= g[i];
    out[4][i] = -out[4][i];
  }
}

static void exact(const pl_grid_bend *bend, const fold *now, double factor, double *blocks)
{
  double D[5][9];
  second(now, D);
  for (int a = 0; a < PL_BEND_NODES; a++) {
    for (int b = a; b < PL_BEND_NODES; b++) {
      double *to = blocks + 9 * (PL_BEND_NODES * a + b);
      double la = bend->l[a], lb = bend->l[b], ua = bend->u[a], ub = bend->u[b];
      double ta = bend->t[a], tb = bend->t[b];
      for (int i = 0; i < 9; i++) {
        int j = 3 * (i % 3) + i / 3;
        double sum = la * ub * D[0][i] + ua * lb * D[0][j] + la * tb * D[1][i] + ta * lb * D[1][j] +
                     ua * ub * D[2][i] + ua * tb * D[3][i] + ta * ub * D[3][j] + ta * tb * D[4][i];
        to[i] = factor * ((i % 4 == 0 ? la * lb : 0) - bend->B0 * sum);
      }
    }
  }
}

/* The report's forces; returns beta. */
static double report_beta(const pl_grid_model *self, const pl_grid_bend *bend, const fold *now)
{
  double beta = bend->weight * (now->along - bend->B0);
  if (self->stencil == PL_STENCIL_REPORT) beta = fabs(beta);
  return fabs(beta) < self->threshold ? 0 : beta;
}

static void add_report(const pl_grid_job *job, const pl_grid_bend *bend, const fold *now,
                       const int *nodes, double *blocks)
{
  double beta = report_beta(job->self, bend, now);
  for (int a = 0; a < PL_BEND_NODES && job->f; a++)
    pl_vec3_add_scaled(-beta * bend->l[a], now->y, job->f + 3 * (size_t)nodes[a]);
  if (!job->A) return;
  if (job->semidefinite && beta < 0) beta = job->semidefinite == 2 ? -beta : 0;
  memset(blocks, 0, 9 * PL_BEND_NODES * PL_BEND_NODES * sizeof *blocks);
  for (int a = 0; a < PL_BEND_NODES; a++) {
    for (int b = a; b < PL_BEND_NODES; b++) {
      for (int i = 0; i < 9; i += 4)
        blocks[9 * (PL_BEND_NODES * a + b) + i] = job->kq * beta * bend->l[a] * bend->l[b];
    }
  }
}

void pl_grid_scatter(const pl_grid_list *list, int element, const double *blocks, double *A)
{
  int n = list->size;
  const int *places = list->places + (size_t)(n * n) * (size_t)element;
  for (int a = 0; a < n; a++) {
    for (int b = a; b < n; b++) {
      const double *block = blocks + 9 * (n * a + b);
      double *upper = A + 9 * (size_t)places[n * a + b], *lower = A + 9 * (size_t)places[n * b + a];
      for (int i = 0; i < 9; i++) upper[3 * (i % 3) + i / 3] += block[i];
      for (int i = 0; i < 9 && b > a; i++) lower[i] += block[i];
    }
  }
}

void pl_grid_bends_chunk(const pl_grid_job *job, int chunk)
{
  const pl_grid_bends *bends = &job->self->bends;
  double blocks[9 * PL_BEND_NODES * PL_BEND_NODES];
  for (int i = bends->list.starts[chunk]; i < bends->list.starts[chunk + 1]; i++) {
    const pl_grid_bend *bend = &bends->bends[i];
    const int *nodes = bends->list.nodes + (size_t)PL_BEND_NODES * (size_t)i;
    fold now;
    look(bend, nodes, job->q, &now);
    if (job->self->stencil)
      add_report(job, bend, &now, nodes, blocks);
    else if (job->f)
      add_force(bend, &now, nodes, job->f);
    if (!job->A) continue;
    double factor = job->kq * bend->weight;
    if (!job->self->stencil) (job->semidefinite ? gauss_newton : exact)(bend, &now, factor, blocks);
    pl_grid_scatter(&bends->list, i, blocks, job->A);
  }
}

double pl_grid_bends_energy(const pl_grid_model *self, const double *q, int chunk)
{
  const pl_grid_bends *bends = &self->bends;
  double sum = 0;
  for (int i = bends->list.starts[chunk]; i < bends->list.starts[chunk + 1]; i++) {
    const pl_grid_bend *bend = &bends->bends[i];
    fold now;
    double r[3];
    look(bend, bends->list.nodes + (size_t)PL_BEND_NODES * (size_t)i, q, &now);
    for (int k = 0; k < 3; k++) r[k] = now.y[k] - bend->B0 * now.n[k];
    sum += 0.5 * bend->weight * pl_vec3_dot(r, r);
  }
  return sum;
}
