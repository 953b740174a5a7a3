/* Random block systems, constraints, and a dense solver to compare with. */
#ifndef TEST_SPARSE_SYSTEM_H
#define TEST_SPARSE_SYSTEM_H

#include "../counter.h"
#include "core/memory.h"
#include "sparse/bsr.h"
#include "sparse/filter.h"
#include "sparse/solver.h"
#include "test.h"

/* ---- matrices ---- */

static inline double test_entry(const pl_bsr *A, int row, int column)
{
  int k = pl_bsr_find(A, row / 3, column / 3);
  return k < 0 ? 0 : A->values[9 * k + 3 * (column % 3) + row % 3];
}

/* Random cliques of four different nodes; every node is in one at least. */
static inline int *test_cliques(int rows, int count)
{
  int *nodes = malloc(4 * (size_t)count * sizeof *nodes);
  for (int i = 0; i < count; i++) {
    int first = i < rows ? i : (int)(test_random() % (uint64_t)rows);
    for (int k = 0; k < 4; k++) nodes[4 * i + k] = (first + k * (1 + i % 3)) % rows;
  }
  return nodes;
}

/* Adds G G^T + shift I for every clique, with a random 12x12 matrix G. */
static inline void test_assemble(pl_bsr *A, const int *nodes, int count, double shift)
{
  for (int i = 0; i < count; i++) {
    double G[12][12];
    for (int r = 0; r < 12; r++) {
      for (int c = 0; c < 12; c++) G[r][c] = test_uniform();
    }
    for (int r = 0; r < 12; r++) {
      for (int c = 0; c < 12; c++) {
        double sum = shift * (r == c);
        for (int k = 0; k < 12; k++) sum += G[r][k] * G[c][k];
        int block = pl_bsr_find(A, nodes[4 * i + r / 3], nodes[4 * i + c / 3]);
        A->values[9 * block + 3 * (c % 3) + r % 3] += sum;
      }
    }
  }
}

/* A random positive definite matrix. */
static inline pl_bsr *test_spd(int rows)
{
  int count = 2 * rows, *nodes = test_cliques(rows, count);
  pl_bsr *A = NULL;
  CHECK_OK(pl_bsr_create(NULL, rows, &(pl_cliques){count, 4, nodes, 0}, 1, &A, error));
  test_assemble(A, nodes, count, 0.1);
  free(nodes);
  return A;
}

/* The stiffness of springs along a grid's edges, 1 in each component: the graph's Laplacian. */
static inline pl_bsr *test_laplacian(int nx, int ny)
{
  int rows = nx * ny, count = 0, *pairs = malloc(4 * (size_t)rows * sizeof *pairs);
  for (int i = 0; i < rows; i++) {
    if (i % nx + 1 < nx) pairs[2 * count] = i, pairs[2 * count++ + 1] = i + 1;
    if (i + nx < rows) pairs[2 * count] = i, pairs[2 * count++ + 1] = i + nx;
  }
  pl_bsr *A = NULL;
  CHECK_OK(pl_bsr_create(NULL, rows, &(pl_cliques){count, 2, pairs, 0}, 1, &A, error));
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < 4; k++) {
      int block = pl_bsr_find(A, pairs[2 * i + k / 2], pairs[2 * i + k % 2]);
      for (int c = 0; c < 9; c += 4) A->values[9 * block + c] += k / 2 == k % 2 ? 1 : -1;
    }
  }
  free(pairs);
  return A;
}

static inline double *test_vector(int rows)
{
  double *x = malloc((3 * (size_t)rows + 1) * sizeof *x);
  for (int i = 0; i < 3 * rows; i++) x[i] = test_uniform();
  return x;
}

/* ---- constraints ---- */

/* Some of every kind: fixed nodes, nodes on planes, nodes on lines, of random directions. */
typedef struct test_filter {
  pl_filter filter;
  int nodes[64];
  double projections[9 * 64];
} test_filter;

static inline void test_constrain(test_filter *constraints, int rows)
{
  constraints->filter =
      (pl_filter){.nodes = constraints->nodes, .projections = constraints->projections};
  for (int node = 1; node < rows && constraints->filter.count < 64; node += 3) {
    double n[3] = {test_uniform(), test_uniform(), test_uniform()};
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    int kind = constraints->filter.count % 3; // fixed, plane, line
    double *P = constraints->projections + 9 * constraints->filter.count;
    for (int i = 0; i < 9; i++) {
      double nn = n[i / 3] * n[i % 3] / (length * length);
      P[i] = kind == 0 ? 0 : kind == 1 ? (i % 4 == 0) - nn : nn;
    }
    constraints->nodes[constraints->filter.count++] = node;
  }
}

/* ---- the dense way ---- */

/* M y = c by elimination with pivots; M is destroyed and c becomes y. */
static inline void test_eliminate(double *M, double *c, int n)
{
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++) {
      if (fabs(M[i * n + k]) > fabs(M[pivot * n + k])) pivot = i;
    }
    for (int j = 0; j < n; j++) {
      double kept = M[k * n + j];
      M[k * n + j] = M[pivot * n + j];
      M[pivot * n + j] = kept;
    }
    double kept = c[k];
    c[k] = c[pivot];
    c[pivot] = kept;
    for (int i = k + 1; i < n; i++) {
      double factor = M[i * n + k] / M[k * n + k];
      for (int j = k; j < n; j++) M[i * n + j] -= factor * M[k * n + j];
      c[i] -= factor * c[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) c[k] -= M[k * n + j] * c[j];
    c[k] /= M[k * n + k];
  }
}

/* The columns of P as a dense matrix: 1 where nothing is constrained. */
static inline void test_dense_projection(const pl_filter *filter, int rows, double *P)
{
  int n = 3 * rows;
  for (int j = 0; j < n; j++) {
    double *column = calloc((size_t)n, sizeof *column);
    column[j] = 1;
    pl_filter_apply(filter, column);
    for (int i = 0; i < n; i++) P[i * n + j] = column[i];
    free(column);
  }
}

/* Solves P (b - A x) = 0 with (I - P) x given, densely: x = g + y, g = (I - P) x,
 * (P A P + I - P) y = P (b - A g). */
static inline void test_dense_solve(const pl_bsr *A, const pl_filter *filter, const double *b,
                                    double *x)
{
  int n = 3 * A->rows;
  size_t size = (size_t)n * (size_t)n;
  double *M = calloc(size, sizeof *M), *P = calloc(size, sizeof *P);
  double *PA = calloc(size, sizeof *PA), *y = calloc((size_t)n + 1, sizeof *y);
  test_dense_projection(filter, A->rows, P);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < n; k++) PA[i * n + j] += P[i * n + k] * test_entry(A, k, j);
    }
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < n; k++) M[i * n + j] += PA[i * n + k] * P[k * n + j];
      M[i * n + j] += (i == j) - P[i * n + j];
    }
  }
  double *g = calloc((size_t)n + 1, sizeof *g);
  for (int i = 0; i < n; i++) {
    g[i] = x[i];
    for (int j = 0; j < n; j++) g[i] -= P[i * n + j] * x[j];
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) y[i] += P[i * n + j] * b[j] - PA[i * n + j] * g[j];
  }
  test_eliminate(M, y, n);
  for (int i = 0; i < n; i++) x[i] = g[i] + y[i];
  free(M), free(P), free(PA), free(y), free(g);
}

/* |P (b - A x)|, entry by entry. */
static inline double test_residual(const pl_bsr *A, const pl_filter *filter, const double *b,
                                   const double *x)
{
  double *r = malloc((3 * (size_t)A->rows + 1) * sizeof *r), sum = 0;
  memcpy(r, b, 3 * (size_t)A->rows * sizeof *r);
  for (int row = 0; row < A->rows; row++) {
    for (int k = A->start[row]; k < A->start[row + 1]; k++) {
      for (int i = 0; i < 9; i++)
        r[3 * row + i % 3] -= A->values[9 * k + i] * x[3 * A->columns[k] + i / 3];
    }
  }
  pl_filter_apply(filter, r);
  for (int i = 0; i < 3 * A->rows; i++) sum += r[i] * r[i];
  free(r);
  return sqrt(sum);
}

static inline double test_length(const double *x, int rows)
{
  double sum = 0;
  for (int i = 0; i < 3 * rows; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

static inline double test_distance(const double *x, const double *y, int rows)
{
  double max = 0;
  for (int i = 0; i < 3 * rows; i++) max = fmax(max, fabs(x[i] - y[i]));
  return max;
}

#endif
