/* Stretch and shear of surfaces of a grid, four cells at once; grid_stretch.c has the formulas.
 *
 * A cell has the edges a_0, a_1 along its first axis and b_0, b_1 along the second; the corner i, j
 * lies between a_j and b_i. Spacings are within G0 and C, so that edges are plain differences. With
 * C = [c0 c1 c2; c1 c3 c4; c2 c4 c5] of 11, 22, 12 the material part of the matrix is
 *
 *   aa: a u^T + b w^T,  u = 4 c0 a + 2 c2 b,  w = 2 c2 a + c5 b
 *   bb: b s^T + a t^T,  s = 4 c3 b + 2 c4 a,  t = 2 c4 b + c5 a
 *   ab: a p^T + b t^T,  p = 4 c1 b + 2 c2 a
 *
 * and T_ij I comes on top. */
#include "model/grid/grid.h"

#include "math/lanes_mat3.h"
#include "model/fem/fem_lanes.h"

/* Four cells. */
typedef struct quads {
  pl_lanes edge[2][2][3], rate[2][2][3]; /* edge[0][j]: a_j, edge[1][i]: b_i */
  pl_lanes force[2][2][3];               /* -dE by them */
  pl_lanes own[2][2][6];                 /* second derivatives: xx yy zz xy xz yz */
  pl_lanes mixed[4][9];                  /* by a_j (rows) and b_i, of corner i + 2 j */
} quads;

PL_INLINE void find_edges(const int *nodes, const double *x, pl_lanes edge[2][2][3])
{
  pl_lanes at[4][3];
  for (int n = 0; n < 4; n++) pl_fem_gather(x, nodes + PL_LANES * n, at[n]);
  for (int k = 0; k < 3; k++) {
    for (int s = 0; s < 2; s++) {
      edge[0][s][k] = at[2 * s + 1][k] - at[2 * s][k];
      edge[1][s][k] = at[s + 2][k] - at[s][k];
    }
  }
}

PL_INLINE void strain(const pl_lanes *a, const pl_lanes *b, const pl_lanes *G0, pl_lanes *g)
{
  g[0] = pl_lanes_dot3(a, a) - G0[0];
  g[1] = pl_lanes_dot3(b, b) - G0[1];
  g[2] = pl_lanes_dot3(a, b) - G0[2];
}

/* T11, T22, T12 += of a strain or a rate of strain. */
PL_INLINE void add_stress(const pl_lanes *C, const pl_lanes *g, pl_lanes *T)
{
  T[0] += 2 * (C[0] * g[0] + C[1] * g[1] + C[2] * g[2]);
  T[1] += 2 * (C[1] * g[0] + C[3] * g[1] + C[4] * g[2]);
  T[2] += C[2] * g[0] + C[4] * g[1] + C[5] * g[2];
}

/* Small entries of the report's matrix are cut; it knows them without the spacings. */
PL_INLINE void cut(const pl_grid_model *self, pl_lanes *T)
{
  const double *h = self->cells.spacing;
  const double unit[3] = {h[0] * h[0], h[1] * h[1], h[0] * h[1]};
  for (int p = 0; p < 3; p++)
    T[p] = pl_lanes_pick(pl_lanes_abs(T[p]) * unit[p] < pl_lanes_all(self->threshold),
                         pl_lanes_all(0), T[p]);
}

/* Removes the negative eigenvalues of T, or turns them: T = m I + r Q with Q of unit ones. */
PL_INLINE void clamp(pl_lanes *T, int absolute)
{
  const pl_lanes zero = pl_lanes_all(0), mean = 0.5 * (T[0] + T[1]), half = 0.5 * (T[0] - T[1]);
  const pl_lanes radius = pl_lanes_sqrt(half * half + T[2] * T[2]), low = mean - radius;
  const pl_mask bad = low < zero;
  if (!pl_lanes_any(bad)) return;
  const pl_lanes high = mean + radius, other = absolute ? -low : zero;
  const pl_lanes top = pl_lanes_pick(high > zero, high, absolute ? -high : zero);
  const pl_lanes m = 0.5 * (top + other);
  const pl_lanes r = pl_lanes_pick(radius > zero, 0.5 * (top - other) / radius, zero);
  T[0] = pl_lanes_pick(bad, m + r * half, T[0]);
  T[1] = pl_lanes_pick(bad, m - r * half, T[1]);
  T[2] = pl_lanes_pick(bad, r * T[2], T[2]);
}

/* The tensor products of a with u and b with w, where their sum is symmetric. */
PL_INLINE void add_own(const pl_lanes *a, const pl_lanes *u, const pl_lanes *b, const pl_lanes *w,
                       pl_lanes T, pl_lanes *to)
{
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  for (int r = 0; r < 6; r++) {
    const int i = row[r], k = column[r];
    to[r] += a[i] * u[k] + b[i] * w[k];
    if (r < 3) to[r] += T;
  }
}

PL_INLINE void add_matrix(const pl_lanes *C, const pl_lanes *a, const pl_lanes *b,
                          const pl_lanes *T, quads *q, int corner)
{
  pl_lanes u[3], w[3], s[3], t[3], p[3];
  for (int k = 0; k < 3; k++) {
    w[k] = 2 * C[2] * a[k] + C[5] * b[k];
    t[k] = 2 * C[4] * b[k] + C[5] * a[k];
    u[k] = 4 * C[0] * a[k] + 2 * C[2] * b[k];
    s[k] = 4 * C[3] * b[k] + 2 * C[4] * a[k];
    p[k] = 4 * C[1] * b[k] + 2 * C[2] * a[k];
  }
  add_own(a, u, b, w, T[0], q->own[0][corner >> 1]);
  add_own(b, s, a, t, T[1], q->own[1][corner & 1]);
  for (int r = 0; r < 9; r++) {
    q->mixed[corner][r] = a[r / 3] * p[r % 3] + b[r / 3] * t[r % 3];
    if (r % 4 == 0) q->mixed[corner][r] += T[2];
  }
}

/* What the matrix is made from: kq C + kv C_rate, without the strains' part in the report's. */
PL_INLINE void mix(const pl_grid_job *job, const pl_lanes *C, const pl_lanes *rate, pl_lanes *out)
{
  const double kq = job->self->stencil ? 0 : job->kq;
  for (int k = 0; k < 6; k++) out[k] = rate ? kq * C[k] + job->kv * rate[k] : kq * C[k];
}

PL_INLINE void add_corner(const pl_grid_job *job, const pl_lanes *data, int rates, int corner,
                          quads *q)
{
  const int i = corner & 1, j = corner >> 1;
  const pl_lanes *a = q->edge[0][j], *b = q->edge[1][i];
  const pl_lanes *da = q->rate[0][j], *db = q->rate[1][i], *C = data + 3, *C_rate = data + 9;
  pl_lanes g[3], T[3] = {pl_lanes_all(0), pl_lanes_all(0), pl_lanes_all(0)}, whole[3];
  strain(a, b, data, g);
  add_stress(C, g, T);
  if (job->self->stencil) cut(job->self, T);
  memcpy(whole, T, sizeof T);
  if (rates) {
    g[0] = 2 * pl_lanes_dot3(a, da);
    g[1] = 2 * pl_lanes_dot3(b, db);
    g[2] = pl_lanes_dot3(a, db) + pl_lanes_dot3(da, b);
    add_stress(C_rate, g, whole);
  }
  for (int k = 0; k < 3; k++) {
    q->force[0][j][k] += whole[0] * a[k] + whole[2] * b[k];
    q->force[1][i][k] += whole[2] * a[k] + whole[1] * b[k];
  }
  if (!job->A) return;
  // the geometric part is that of the elastic stress
  if (job->semidefinite) clamp(T, job->semidefinite == 2);
  for (int p = 0; p < 3; p++) T[p] *= job->kq;
  pl_lanes moduli[6];
  mix(job, C, rates ? C_rate : NULL, moduli);
  add_matrix(moduli, a, b, T, q, corner);
}

/* Node n lies at the beginning or end of two edges: -1 or 1. */
PL_INLINE void scatter_forces(const quads *q, const int *nodes, double *f)
{
  for (int n = 0; n < 4; n++) {
    const int i = n & 1, j = n >> 1;
    pl_lanes sum[3];
    for (int k = 0; k < 3; k++)
      sum[k] = (i ? -q->force[0][j][k] : q->force[0][j][k]) +
               (j ? -q->force[1][i][k] : q->force[1][i][k]);
    pl_fem_scatter(f, nodes + PL_LANES * n, sum);
  }
}

static const int full[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2}; /* of six numbers */

/* The block of a node with itself. */
PL_INLINE void scatter_own(const quads *q, int n, const int *places, double *A)
{
  const int i = n & 1, j = n >> 1;
  const pl_lanes *M = q->mixed[n];
  pl_lanes K[9];
  for (int r = 0; r < 9; r++) {
    const pl_lanes both = M[r] + M[3 * (r % 3) + r / 3];
    K[r] = q->own[0][j][full[r]] + q->own[1][i][full[r]] + (i == j ? both : -both);
  }
  pl_fem_scatter_block(A, places, K);
}

/* A block between two nodes: sign times a symmetric one (may be NULL), first (sign x M), and other
 * (sign x M^T); there: the rows' node first. */
PL_INLINE void scatter_pair(const pl_lanes *own, int first, const pl_lanes *M, int other,
                            const pl_lanes *N, const int *there, const int *back, double *A)
{
  pl_lanes K[9], turned[9];
  for (int r = 0; r < 9; r++) {
    const pl_lanes a = M[r], b = N[3 * (r % 3) + r / 3];
    K[r] = (first > 0 ? a : -a) + (other > 0 ? b : -b);
    if (own) K[r] -= own[full[r]];
  }
  for (int r = 0; r < 9; r++) turned[r] = K[3 * (r % 3) + r / 3];
  // blocks are stored by columns
  pl_fem_scatter_block(A, there, turned);
  pl_fem_scatter_block(A, back, K);
}

PL_INLINE void scatter_matrix(const quads *q, const int *places, double *A)
{
#define AT(a, b) (places + PL_LANES * (4 * (a) + (b)))
  for (int n = 0; n < 4; n++) scatter_own(q, n, AT(n, n), A);
  const pl_lanes(*M)[9] = q->mixed;
  scatter_pair(q->own[0][0], 1, M[1], -1, M[0], AT(0, 1), AT(1, 0), A);
  scatter_pair(q->own[1][0], -1, M[0], 1, M[2], AT(0, 2), AT(2, 0), A);
  scatter_pair(NULL, -1, M[1], -1, M[2], AT(0, 3), AT(3, 0), A);
  scatter_pair(NULL, 1, M[0], 1, M[3], AT(1, 2), AT(2, 1), A);
  scatter_pair(q->own[1][1], 1, M[1], -1, M[3], AT(1, 3), AT(3, 1), A);
  scatter_pair(q->own[0][1], -1, M[3], 1, M[2], AT(2, 3), AT(3, 2), A);
#undef AT
}

void PL_VARIANT(pl_grid_quads)(const pl_grid_job *job, int first, int last)
{
  const pl_grid_quads *all = &job->self->quads;
  const int rates = all->rates && job->v;
  for (int i = first; i < last; i++) {
    const int *nodes = all->nodes + 4 * PL_LANES * (size_t)i;
    const pl_lanes *data = all->data + 4 * (size_t)all->lanes * (size_t)i;
    quads q;
    find_edges(nodes, job->q, q.edge);
    if (rates) find_edges(nodes, job->v, q.rate);
    memset(q.force, 0, sizeof q.force);
    if (job->A) memset(q.own, 0, sizeof q.own);
    for (int c = 0; c < 4; c++) add_corner(job, data + all->lanes * c, rates, c, &q);
    if (job->f) scatter_forces(&q, nodes, job->f);
    if (job->A) scatter_matrix(&q, all->places + 16 * PL_LANES * (size_t)i, job->A);
  }
}

double PL_VARIANT(pl_grid_quads_energy)(const pl_grid_job *job, int first, int last)
{
  const pl_grid_quads *all = &job->self->quads;
  pl_lanes sum = pl_lanes_all(0);
  for (int i = first; i < last; i++) {
    const pl_lanes *data = all->data + 4 * (size_t)all->lanes * (size_t)i;
    pl_lanes edge[2][2][3];
    find_edges(all->nodes + 4 * PL_LANES * (size_t)i, job->q, edge);
    for (int c = 0; c < 4; c++, data += all->lanes) {
      pl_lanes g[3], T[3] = {pl_lanes_all(0), pl_lanes_all(0), pl_lanes_all(0)};
      strain(edge[0][c >> 1], edge[1][c & 1], data, g);
      add_stress(data + 3, g, T);
      sum += 0.25 * (T[0] * g[0] + T[1] * g[1]) + 0.5 * T[2] * g[2];
    }
  }
  return pl_lanes_sum(sum);
}
