/* Forces and stiffness of the cells of a grid: those of solids (grid_kernel.c has surfaces).
 *
 * At a corner with the differences d_i, g_ij = d_i . d_j - G0_ij, S = C g and T_ii = 2 S_ii,
 * T_ij = S_ij (the report's alpha),
 *
 *   E = g C g / 2 + kappa/2 (J - J0)^2,   J = d_1 . (d_2 x d_3)  (solids)
 *   dE/dd_i = sum_j T_ij d_j + kappa (J - J0) d_j x d_k
 *   d2E/dd_i dd_k = T_ik I + sum (dg/dd_i) C (dg/dd_k) + kappa (J_i J_k + (J - J0) J_ik)
 *
 * The semidefinite matrix has T without its negative eigenvalues and no J_ik. The report's matrix
 * is T_ik I alone, for which K(r) r is the force. */
#include "math/decompose.h"
#include "math/vec3.h"
#include "model/grid/grid.h"

#include <math.h>
#include <string.h>

enum { AXES = 3, CORNERS = 8, PAIRS = 6 };

static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

/* One cell: differences along its edges, by axis and the edge's lower corner. */
typedef struct cell {
  double d[3][CORNERS][3], rate[3][CORNERS][3];
  double force[CORNERS][3];
  double blocks[CORNERS][CORNERS][9]; /* upper ones */
} cell;

/* One corner. */
typedef struct corner {
  const double *d[3], *rate[3];
  double T[9], volume; /* volume: kappa (J - J0) */
  double cross[3][3];  /* dJ/dd_i */
  double H[3][3][9];   /* upper blocks */
} corner;

static void find_edges(const pl_grid_cells *cells, const int *nodes, const double *x,
                       double d[3][CORNERS][3])
{
  for (int i = 0; i < AXES; i++) {
    double scale = 1 / cells->spacing[i];
    for (int low = 0; low < CORNERS; low++) {
      if (low >> i & 1) continue;
      const double *a = x + 3 * (size_t)nodes[low], *b = x + 3 * (size_t)nodes[low | 1 << i];
      for (int k = 0; k < 3; k++) d[i][low][k] = (b[k] - a[k]) * scale;
    }
  }
}

/* Removes the negative eigenvalues of a symmetric matrix, or turns them. */
static void clamp(double T[9], int absolute)
{
  double values[3], Q[9];
  pl_eigen(T, values, Q);
  if (values[2] >= 0) return;
  for (int k = 0; k < 3; k++)
    if (values[k] < 0) values[k] = absolute ? -values[k] : 0;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      T[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) T[3 * i + j] += Q[3 * i + k] * values[k] * Q[3 * j + k];
    }
  }
}

/* g at a corner. */
static inline void strain(const corner *at, const double *G0, double *g)
{
  for (int p = 0; p < PAIRS; p++)
    g[p] = pl_vec3_dot(at->d[pairs[p][0]], at->d[pairs[p][1]]) - G0[p];
}

/* T of the strain and, with velocities, of its rate. */
static inline void stress(const pl_grid_cells *cells, size_t index, int rates, corner *at)
{
  double g[PAIRS], rate[PAIRS];
  size_t place = (size_t)(PAIRS * PAIRS) * index;
  strain(at, cells->G0 + (size_t)PAIRS * index, g);
  for (int p = 0; p < PAIRS && rates; p++) {
    int i = pairs[p][0], j = pairs[p][1];
    rate[p] = pl_vec3_dot(at->rate[i], at->d[j]) + pl_vec3_dot(at->d[i], at->rate[j]);
  }
  for (int p = 0; p < PAIRS; p++) {
    const double *C = cells->C + place + (size_t)(PAIRS * p);
    double S = 0;
    for (int q = 0; q < PAIRS; q++) S += C[q] * g[q];
    for (int q = 0; q < PAIRS && rates; q++)
      S += cells->C_rate[place + (size_t)(PAIRS * p + q)] * rate[q];
    int i = pairs[p][0], j = pairs[p][1];
    at->T[3 * i + j] = at->T[3 * j + i] = i == j ? 2 * S : S;
  }
}

static inline void find_volume(const pl_grid_cells *cells, size_t index, corner *at)
{
  for (int i = 0; i < 3; i++) pl_vec3_cross(at->d[(i + 1) % 3], at->d[(i + 2) % 3], at->cross[i]);
  at->volume = cells->kappa[index] * (pl_vec3_dot(at->d[0], at->cross[0]) - cells->J0[index]);
}

/* Small entries of the report's matrix are cut. */
static inline void cut(double T[9], double threshold)
{
  for (int i = 0; i < 9; i++)
    if (fabs(T[i]) < threshold) T[i] = 0;
}

/* ---- the matrix ---- */

/* dg_p/dd_i. */
static inline int slope(const corner *at, int p, int i, double out[3])
{
  const int *pair = pairs[p];
  if (pair[0] != i && pair[1] != i) return 0;
  int other = pair[0] == i ? pair[1] : pair[0];
  for (int k = 0; k < 3; k++) out[k] = (pair[0] == pair[1] ? 2 : 1) * at->d[other][k];
  return 1;
}

/* kq and kv times the part with C; the report's matrix has none of strains. */
static inline void add_material(const pl_grid_job *job, size_t index, corner *at)
{
  double kq = job->self->stencil ? 0 : job->kq;
  const pl_grid_cells *cells = &job->self->cells;
  const double *C = cells->C + (size_t)(PAIRS * PAIRS) * index;
  const double *C_rate =
      cells->C_rate && job->v ? cells->C_rate + (size_t)(PAIRS * PAIRS) * index : NULL;
  for (int k = 0; k < AXES; k++) {
    // what S becomes with d_k
    double dS[PAIRS][3] = {{0}};
    for (int q = 0; q < PAIRS; q++) {
      double by[3];
      if (!slope(at, q, k, by)) continue;
      for (int p = 0; p < PAIRS; p++) {
        double c = kq * C[PAIRS * p + q] + (C_rate ? job->kv * C_rate[PAIRS * p + q] : 0);
        for (int r = 0; r < 3; r++) dS[p][r] += c * by[r];
      }
    }
    for (int i = 0; i <= k; i++) {
      for (int p = 0; p < PAIRS; p++) {
        double by[3];
        if (!slope(at, p, i, by)) continue;
        for (int r = 0; r < 9; r++) at->H[i][k][r] += by[r / 3] * dS[p][r % 3];
      }
    }
  }
}

/* kappa (J - J0) J_ik: minus or plus the matrix of the product with d_j. */
static void add_curvature(double factor, const double *d, double H[9])
{
  H[1] -= factor * d[2];
  H[2] += factor * d[1];
  H[3] += factor * d[2];
  H[5] -= factor * d[0];
  H[6] -= factor * d[1];
  H[7] += factor * d[0];
}

static void add_volume(const pl_grid_job *job, size_t index, corner *at)
{
  double kappa = job->kq * job->self->cells.kappa[index], extra = job->kq * at->volume;
  for (int i = 0; i < 3; i++) {
    for (int k = i; k < 3; k++) {
      for (int r = 0; r < 9; r++)
        at->H[i][k][r] += kappa * at->cross[i][r / 3] * at->cross[k][r % 3];
    }
  }
  if (job->semidefinite || job->self->stencil) return;
  add_curvature(-extra, at->d[2], at->H[0][1]);
  add_curvature(extra, at->d[1], at->H[0][2]);
  add_curvature(-extra, at->d[0], at->H[1][2]);
}

/* Adds a block between two edges to those between their ends. */
static inline void add_between(cell *now, int i, int low_i, int k, int low_k, const double *H)
{
  for (int a = 0; a < 2; a++) {
    for (int b = 0; b < 2; b++) {
      int row = low_i | a << i, column = low_k | b << k;
      double sign = a == b ? 1 : -1;
      if (row <= column) {
        double *to = now->blocks[row][column];
        for (int r = 0; r < 9; r++) to[r] += sign * H[r];
      }
      if (i != k && column <= row) {
        double *to = now->blocks[column][row];
        for (int r = 0; r < 9; r++) to[r] += sign * H[3 * (r % 3) + r / 3];
      }
    }
  }
}

static inline void add_matrix(const pl_grid_job *job, size_t index, int c, corner *at, cell *now)
{
  const pl_grid_cells *cells = &job->self->cells;
  memset(at->H, 0, sizeof at->H);
  if (job->semidefinite) clamp(at->T, job->semidefinite == 2);
  if (!job->self->stencil || cells->C_rate) add_material(job, index, at);
  add_volume(job, index, at);
  for (int i = 0; i < AXES; i++) {
    for (int k = i; k < AXES; k++) {
      double *H = at->H[i][k], scale = 1 / (cells->spacing[i] * cells->spacing[k]);
      for (int r = 0; r < 9; r += 4) H[r] += job->kq * at->T[3 * i + k];
      for (int r = 0; r < 9; r++) H[r] *= scale;
      add_between(now, i, c & ~(1 << i), k, c & ~(1 << k), H);
    }
  }
}

/* ---- corners and cells ---- */

static inline void add_corner(const pl_grid_job *job, size_t index, int c, cell *now)
{
  const pl_grid_cells *cells = &job->self->cells;
  int rates = job->v && cells->C_rate;
  corner at;
  for (int i = 0; i < AXES; i++) {
    at.d[i] = now->d[i][c & ~(1 << i)];
    at.rate[i] = now->rate[i][c & ~(1 << i)];
  }
  memset(at.T, 0, sizeof at.T);
  stress(cells, index, rates, &at);
  find_volume(cells, index, &at);
  if (job->self->stencil) cut(at.T, job->self->threshold);
  for (int i = 0; i < AXES && job->f; i++) {
    double slope_i[3] = {0}, scale = 1 / cells->spacing[i];
    for (int j = 0; j < AXES; j++) pl_vec3_add_scaled(at.T[3 * i + j], at.d[j], slope_i);
    pl_vec3_add_scaled(at.volume, at.cross[i], slope_i);
    pl_vec3_add_scaled(scale, slope_i, now->force[c & ~(1 << i)]);
    pl_vec3_add_scaled(-scale, slope_i, now->force[c | 1 << i]);
  }
  if (!job->A) return;
  // the geometric part is that of the elastic stress
  if (rates) stress(cells, index, 0, &at);
  add_matrix(job, index, c, &at, now);
}

static inline void add_cell(const pl_grid_job *job, int index, cell *now)
{
  const pl_grid_cells *cells = &job->self->cells;
  const int *nodes = cells->list.nodes + (size_t)CORNERS * (size_t)index;
  find_edges(cells, nodes, job->q, now->d);
  if (job->v && cells->C_rate) find_edges(cells, nodes, job->v, now->rate);
  memset(now->force, 0, sizeof now->force);
  for (int a = 0; a < CORNERS && job->A; a++)
    memset(now->blocks[a], 0, (size_t)CORNERS * sizeof now->blocks[a][0]);
  for (int c = 0; c < CORNERS; c++)
    add_corner(job, (size_t)index * (size_t)CORNERS + (size_t)c, c, now);
  for (int c = 0; c < CORNERS && job->f; c++)
    pl_vec3_add(job->f + 3 * (size_t)nodes[c], now->force[c], job->f + 3 * (size_t)nodes[c]);
  if (!job->A) return;
  const int *places = cells->list.places + (size_t)(CORNERS * CORNERS) * (size_t)index;
  for (int a = 0; a < CORNERS; a++) {
    for (int b = a; b < CORNERS; b++) {
      const double *block = now->blocks[a][b];
      double *upper = job->A + 9 * (size_t)places[CORNERS * a + b];
      double *lower = job->A + 9 * (size_t)places[CORNERS * b + a];
      // blocks of A are stored by columns
      for (int r = 0; r < 9; r++) upper[3 * (r % 3) + r / 3] += block[r];
      for (int r = 0; r < 9 && b > a; r++) lower[r] += block[r];
    }
  }
}

void pl_grid_cells_chunk(const pl_grid_job *job, int chunk)
{
  const pl_grid_cells *cells = &job->self->cells;
  cell now;
  for (int i = cells->list.starts[chunk]; i < cells->list.starts[chunk + 1]; i++)
    add_cell(job, i, &now);
}

static double corner_energy(const pl_grid_cells *cells, size_t index, corner *at)
{
  double g[PAIRS], sum = 0;
  const double *C = cells->C + (size_t)(PAIRS * PAIRS) * index;
  strain(at, cells->G0 + (size_t)PAIRS * index, g);
  for (int p = 0; p < PAIRS; p++) {
    for (int q = 0; q < PAIRS; q++) sum += 0.5 * g[p] * C[PAIRS * p + q] * g[q];
  }
  find_volume(cells, index, at);
  double change = pl_vec3_dot(at->d[0], at->cross[0]) - cells->J0[index];
  return sum + 0.5 * cells->kappa[index] * change * change;
}

double pl_grid_cells_energy(const pl_grid_model *self, const double *q, int chunk)
{
  const pl_grid_cells *cells = &self->cells;
  double d[3][CORNERS][3], sum = 0;
  for (int i = cells->list.starts[chunk]; i < cells->list.starts[chunk + 1]; i++) {
    find_edges(cells, cells->list.nodes + (size_t)CORNERS * (size_t)i, q, d);
    for (int c = 0; c < CORNERS; c++) {
      corner at;
      for (int k = 0; k < AXES; k++) at.d[k] = d[k][c & ~(1 << k)];
      sum += corner_energy(cells, (size_t)i * (size_t)CORNERS + (size_t)c, &at);
    }
  }
  return sum;
}
