/* Forces, stiffness and energy of hexahedra with one point, four at once; the formulas stand in
 * hourglass.h. With T = V P + sum_m q_m G_m^T - 1/8 sum_m Q_m s_m^T, where G_m = sum_i dW/dc_im e_i
 * and Q_m = dW/dq_m, the force on a corner is
 *
 *   f_a = -sum_k h_ka y_k,    y_k = T b_k  (+ Q_m / 8 for the hourglass modes).
 *
 * Modes are summed and dealt out by three stages of sums and differences each. Boxes along the axes
 * have e_i = unit vectors, s_m = 0 and one number in each b_k. */
#include "core/cpu.h"
#include "model/fem/fem.h"
#include "model/fem/fem_lanes.h"

/* Linear modes, then the hourglass modes. */
enum { MODE_R, MODE_S, MODE_T, MODE_ST, MODE_RT, MODE_RS, MODE_RST, MODES };

typedef pl_lanes vectors[8][3];

/* The seven modes of eight corners' values, all but the mean. */
PL_INLINE void to_modes(vectors x, vectors modes)
{
  for (int i = 0; i < 3; i++) {
    pl_lanes s01 = x[1][i] + x[0][i], d01 = x[1][i] - x[0][i];
    pl_lanes s32 = x[2][i] + x[3][i], d32 = x[2][i] - x[3][i];
    pl_lanes s45 = x[5][i] + x[4][i], d45 = x[5][i] - x[4][i];
    pl_lanes s76 = x[6][i] + x[7][i], d76 = x[6][i] - x[7][i];
    pl_lanes sd0 = s32 - s01, ds0 = d32 + d01, dd0 = d32 - d01;
    pl_lanes sd1 = s76 - s45, ds1 = d76 + d45, dd1 = d76 - d45;
    modes[MODE_R][i] = ds1 + ds0;
    modes[MODE_S][i] = sd1 + sd0;
    modes[MODE_T][i] = (s76 + s45) - (s32 + s01);
    modes[MODE_ST][i] = sd1 - sd0;
    modes[MODE_RT][i] = ds1 - ds0;
    modes[MODE_RS][i] = dd1 + dd0;
    modes[MODE_RST][i] = dd1 - dd0;
  }
}

/* f_a = -sum_k h_ka y_k. */
PL_INLINE void from_modes(vectors y, vectors f)
{
  for (int i = 0; i < 3; i++) {
    pl_lanes sd0 = y[MODE_ST][i] - y[MODE_S][i], sd1 = -(y[MODE_S][i] + y[MODE_ST][i]);
    pl_lanes ds0 = y[MODE_RT][i] - y[MODE_R][i], ds1 = -(y[MODE_R][i] + y[MODE_RT][i]);
    pl_lanes dd0 = y[MODE_RST][i] - y[MODE_RS][i], dd1 = -(y[MODE_RS][i] + y[MODE_RST][i]);
    pl_lanes s32 = y[MODE_T][i] + sd0, s01 = y[MODE_T][i] - sd0, d32 = ds0 + dd0, d01 = ds0 - dd0;
    pl_lanes s76 = sd1 - y[MODE_T][i], s45 = -(y[MODE_T][i] + sd1), d76 = ds1 + dd1,
             d45 = ds1 - dd1;
    f[0][i] = s01 - d01;
    f[1][i] = s01 + d01;
    f[2][i] = s32 + d32;
    f[3][i] = s32 - d32;
    f[4][i] = s45 - d45;
    f[5][i] = s45 + d45;
    f[6][i] = s76 + d76;
    f[7][i] = s76 - d76;
  }
}

PL_INLINE void gather_modes(const double *x, const int *nodes, vectors modes)
{
  vectors corners;
  for (int a = 0; a < 8; a++) pl_fem_gather(x, nodes + PL_LANES * a, corners[a]);
  to_modes(corners, modes);
}

/* G = sum_k x_k b_k^T: F from positions, its rate from velocities. */
PL_INLINE void gradient_of(vectors modes, const pl_lanes *rest, const int skew, pl_lanes *G)
{
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      if (!skew) {
        G[3 * i + j] = modes[j][i] * rest[PL_HEX_LINEAR + 4 * j];
        continue;
      }
      pl_lanes sum = modes[MODE_R][i] * rest[PL_HEX_LINEAR + j];
      for (int k = 1; k < 3; k++) sum += modes[k][i] * rest[PL_HEX_LINEAR + 3 * k + j];
      for (int m = 0; m < 4; m++) sum += modes[MODE_ST + m][i] * rest[PL_HEX_SKEW + 3 * m + j];
      G[3 * i + j] = sum;
    }
  }
}

/* q_m = (x_m - G s_m) / 8. */
PL_INLINE void hourglass_of(vectors modes, const pl_lanes *rest, const int skew, const pl_lanes *G,
                            pl_lanes q[4][3])
{
  for (int m = 0; m < 4; m++) {
    for (int i = 0; i < 3; i++) {
      pl_lanes off = modes[MODE_ST + m][i];
      if (skew) off -= pl_lanes_dot3(G + 3 * i, rest + PL_HEX_OFFSETS + 3 * m);
      q[m][i] = 0.125 * off;
    }
  }
}

/* The stiffness of c in bending, warping and torsion, that of q itself, and 1 / a_i. */
typedef struct control {
  pl_lanes bend[3], warp[3], twist, min;
  const pl_lanes *inverse;
} control;

/* Young's modulus; 0 of what has no stiffness. */
PL_INLINE pl_lanes young(pl_lanes lambda, pl_lanes mu)
{
  return mu * (2.0 + lambda / pl_lanes_max(lambda + mu, pl_lanes_all(1e-300)));
}

PL_INLINE control control_of(const pl_lanes *rest, pl_lanes lambda, pl_lanes mu, double factor)
{
  control k = {.inverse = rest + PL_HEX_LENGTHS};
  const pl_lanes third = rest[PL_HEX_VOLUME] * (factor / 3), E = third * young(lambda, mu);
  pl_lanes min = k.inverse[0];
  for (int i = 0; i < 3; i++) {
    k.bend[i] = E * (k.inverse[i] * k.inverse[i]);
    k.warp[i] = k.bend[i] * (1.0 / 3);
    min = pl_lanes_min(k.inverse[i], min);
  }
  k.twist = third * mu;
  k.min = 0.05 * k.twist * (min * min);
  return k;
}

/* g = dW/dc. */
PL_INLINE void respond(const control *k, pl_lanes c[3][4], pl_lanes g[3][4])
{
  const pl_lanes *a = k->inverse;
  for (int i = 0; i < 3; i++) {
    for (int m = 0; m < 3; m++) {
      if (i != m) g[i][m] = k->bend[i] * c[i][m];
    }
    g[i][3] = k->warp[i] * c[i][3];
  }
  const pl_lanes xy = k->twist * (c[0][0] * a[1] + c[1][1] * a[0]);
  const pl_lanes yz = k->twist * (c[1][1] * a[2] + c[2][2] * a[1]);
  const pl_lanes xz = k->twist * (c[0][0] * a[2] + c[2][2] * a[0]);
  g[0][0] = xy * a[1] + xz * a[2];
  g[1][1] = xy * a[0] + yz * a[2];
  g[2][2] = yz * a[1] + xz * a[0];
}

/* F e_i, or e_i. */
PL_INLINE void turned_frame(const pl_lanes *F, const pl_lanes *rest, const int skew,
                            const int linear, pl_lanes t[3][3])
{
  const pl_lanes *e = rest + PL_HEX_FRAME;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      if (linear)
        t[i][k] = skew ? e[3 * i + k] : pl_lanes_all(i == k);
      else
        t[i][k] = skew ? pl_lanes_dot3(F + 3 * k, e + 3 * i) : F[3 * k + i];
    }
  }
}

/* c_im = t_i . q_m */
PL_INLINE void parts_of(pl_lanes t[3][3], pl_lanes q[4][3], pl_lanes c[3][4])
{
  for (int i = 0; i < 3; i++) {
    for (int m = 0; m < 4; m++) c[i][m] = pl_lanes_dot3(t[i], q[m]);
  }
}

PL_INLINE void add_parts(pl_lanes more[3][4], pl_lanes to[3][4])
{
  for (int i = 0; i < 3; i++) {
    for (int m = 0; m < 4; m++) to[i][m] += more[i][m];
  }
}

/* A batch of elements and how it is deformed. */
typedef struct hexes {
  const pl_lanes *rest;
  const int *nodes;
  pl_lanes q[4][3], t[3][3], g[3][4], c[3][4];
  control elastic;
} hexes;

PL_INLINE void place_batch(const pl_fem *fem, int batch, hexes *h)
{
  h->rest = fem->hourglass.rest + (size_t)batch * PL_HEX_REST;
  h->nodes = fem->hourglass.nodes + (size_t)batch * (8 * PL_LANES);
}

/* F, the hourglass vectors and what control answers. */
PL_INLINE void deform(const pl_fem_job *job, const int skew, pl_point *point, hexes *h)
{
  const int linear = job->fem->hourglass.linear;
  vectors modes;
  gather_modes(job->q, h->nodes, modes);
  gradient_of(modes, h->rest, skew, point->F);
  hourglass_of(modes, h->rest, skew, point->F, h->q);
  turned_frame(point->F, h->rest, skew, linear, h->t);
  parts_of(h->t, h->q, h->c);
  h->elastic = control_of(h->rest, point->lambda, point->mu, job->fem->hourglass.factor);
  respond(&h->elastic, h->c, h->g);
}

/* The same for the rate of c. */
PL_INLINE void damp(const pl_fem_job *job, const int skew, pl_point *point, hexes *h)
{
  const int linear = job->fem->hourglass.linear;
  vectors modes;
  pl_lanes rate[4][3], t[3][3], c[3][4], more[3][4];
  gather_modes(job->v, h->nodes, modes);
  gradient_of(modes, h->rest, skew, point->rate);
  hourglass_of(modes, h->rest, skew, point->rate, rate);
  parts_of(h->t, rate, c);
  if (!linear) {
    turned_frame(point->rate, h->rest, skew, 0, t);
    parts_of(t, h->q, more);
    add_parts(more, c);
  }
  const control viscous =
      control_of(h->rest, point->viscous_lambda, point->viscous_mu, job->fem->hourglass.factor);
  respond(&viscous, c, more);
  add_parts(more, h->g);
}

/* Q_m = sum_i g_im t_i + k q_m, and T as at the head of the file. */
PL_INLINE void close_forces(const hexes *h, const int skew, const int linear, const pl_lanes *P,
                            pl_lanes Q[4][3], pl_lanes *T)
{
  const pl_lanes *e = h->rest + PL_HEX_FRAME, *s = h->rest + PL_HEX_OFFSETS;
  for (int i = 0; i < 9; i++) T[i] = h->rest[PL_HEX_VOLUME] * P[i];
  for (int m = 0; m < 4; m++) {
    pl_lanes G[3];
    for (int k = 0; k < 3; k++) {
      Q[m][k] = h->g[0][m] * h->t[0][k] + h->g[1][m] * h->t[1][k] + h->g[2][m] * h->t[2][k] +
                h->elastic.min * h->q[m][k];
      G[k] = skew ? h->g[0][m] * e[k] + h->g[1][m] * e[3 + k] + h->g[2][m] * e[6 + k] : h->g[k][m];
    }
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) {
        if (!linear) T[3 * i + j] += h->q[m][i] * G[j];
        if (skew) T[3 * i + j] -= 0.125 * Q[m][i] * s[3 * m + j];
      }
    }
  }
}

PL_INLINE void scatter_modes(const hexes *h, const int skew, pl_lanes Q[4][3], const pl_lanes *T,
                             double *f)
{
  const pl_lanes *b = h->rest + PL_HEX_LINEAR;
  vectors y, forces;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++)
      y[k][i] = skew ? pl_lanes_dot3(T + 3 * i, b + 3 * k) : T[3 * i + k] * b[4 * k];
    for (int m = 0; m < 4; m++) {
      y[MODE_ST + m][i] = 0.125 * Q[m][i];
      if (skew) y[MODE_ST + m][i] += pl_lanes_dot3(T + 3 * i, h->rest + PL_HEX_SKEW + 3 * m);
    }
  }
  from_modes(y, forces);
  for (int a = 0; a < 8; a++) pl_fem_scatter(f, h->nodes + PL_LANES * a, forces[a]);
}

PL_INLINE void force_batch(const pl_fem_job *job, const pl_group *group, int batch, const int skew,
                           pl_point *point)
{
  hexes h;
  pl_lanes P[9], Q[4][3], T[9];
  place_batch(job->fem, batch, &h);
  pl_point_take(group, batch, point);
  deform(job, skew, point, &h);
  if (point->viscous) damp(job, skew, point, &h);
  pl_point_recall(group, 1, batch, 0, point);
  group->points->stress(point, P, NULL);
  close_forces(&h, skew, job->fem->hourglass.linear, P, Q, T);
  scatter_modes(&h, skew, Q, T, job->f);
}

PL_INLINE void force_batches(const pl_fem_job *job, int first, int last)
{
  const pl_group *group = pl_group_at(&job->fem->groups, first);
  pl_point point = pl_point_of(group, job->v != NULL);
  for (int batch = first; batch < last; batch++) {
    if (job->fem->hourglass.is_skew[batch])
      force_batch(job, group, batch, 1, &point);
    else
      force_batch(job, group, batch, 0, &point);
  }
}

static void forces(const pl_fem_job *job, int first, int last) { force_batches(job, first, last); }

#ifdef PL_USE_AVX2
/* The numbers in hand do not fit into 16 registers; with 32, forces take four fifths of the time.
 */
PL_TARGET_AVX512 static void forces_avx512(const pl_fem_job *job, int first, int last)
{
  force_batches(job, first, last);
}
#endif

/* ---- energy ---- */

/* The energy of control of each element of a batch, J. */
PL_INLINE pl_lanes energy_batch(const pl_fem_job *job, const pl_group *group, int batch,
                                pl_point *point)
{
  hexes h;
  pl_lanes sum = pl_lanes_all(0), square = pl_lanes_all(0);
  place_batch(job->fem, batch, &h);
  pl_point_take(group, batch, point);
  deform(job, 1, point, &h);
  for (int m = 0; m < 4; m++) {
    for (int i = 0; i < 3; i++) sum += h.c[i][m] * h.g[i][m];
    square += pl_lanes_dot3(h.q[m], h.q[m]);
  }
  return 0.5 * (sum + h.elastic.min * square);
}

static double energy(const pl_fem_job *job, int first, int last)
{
  const pl_group *group = pl_group_at(&job->fem->groups, first);
  pl_point point = pl_point_of(group, 0);
  pl_lanes sum = pl_lanes_all(0);
  for (int batch = first; batch < last; batch++) sum += energy_batch(job, group, batch, &point);
  return pl_lanes_sum(sum);
}

static void densities(const pl_fem_job *job, int first, int last)
{
  const pl_fem *fem = job->fem;
  const pl_group *group = pl_group_at(&fem->groups, first);
  pl_point point = pl_point_of(group, 0);
  for (int batch = first; batch < last; batch++) {
    const pl_lanes volume = fem->hourglass.rest[(size_t)batch * PL_HEX_REST + PL_HEX_VOLUME];
    const pl_lanes density = energy_batch(job, group, batch, &point) / volume;
    for (int lane = 0; lane < PL_LANES; lane++) {
      int element = pl_groups_item(&fem->groups, PL_LANES * batch + lane);
      if (element >= 0) job->density[element] += density[lane];
    }
  }
}

/* ---- stiffness ---- */

/* M_a = dc/dx_a, as (i, m) by direction, and C M_a; gradients b_a and g_ma of the nodes. */
typedef struct node_parts {
  pl_lanes M[3][4][3], CM[3][4][3], b[3], gamma[4], geometric[4];
} node_parts;

/* b_a and g_ma of a node, each lane at its own corner. */
PL_INLINE void node_gradients(const hexes *h, const unsigned char *corners, node_parts *node)
{
  for (int i = 0; i < 3; i++) node->b[i] = pl_lanes_all(0);
  for (int k = 0; k < MODES; k++) {
    pl_lanes sign = {pl_hex_modes[k][corners[0]], pl_hex_modes[k][corners[1]],
                     pl_hex_modes[k][corners[2]], pl_hex_modes[k][corners[3]]};
    const pl_lanes *b =
        h->rest + (k < MODE_ST ? PL_HEX_LINEAR + 3 * k : PL_HEX_SKEW + 3 * (k - MODE_ST));
    for (int i = 0; i < 3; i++) node->b[i] += sign * b[i];
    if (k >= MODE_ST) node->gamma[k - MODE_ST] = sign;
  }
  for (int m = 0; m < 4; m++)
    node->gamma[m] =
        0.125 * (node->gamma[m] - pl_lanes_dot3(h->rest + PL_HEX_OFFSETS + 3 * m, node->b));
}

PL_INLINE void node_slopes(const hexes *h, const int linear, const control *k, node_parts *node)
{
  const pl_lanes *e = h->rest + PL_HEX_FRAME;
  for (int i = 0; i < 3; i++) {
    const pl_lanes along = linear ? pl_lanes_all(0) : pl_lanes_dot3(e + 3 * i, node->b);
    for (int m = 0; m < 4; m++) {
      for (int d = 0; d < 3; d++)
        node->M[i][m][d] = node->gamma[m] * h->t[i][d] + along * h->q[m][d];
    }
  }
  for (int d = 0; d < 3; d++) {
    pl_lanes c[3][4], g[3][4];
    for (int im = 0; im < 12; im++) c[im / 4][im % 4] = node->M[im / 4][im % 4][d];
    respond(k, c, g);
    for (int im = 0; im < 12; im++) node->CM[im / 4][im % 4][d] = g[im / 4][im % 4];
  }
  // G_m . b of the second derivative of c
  for (int m = 0; m < 4; m++) {
    node->geometric[m] = pl_lanes_all(0);
    for (int i = 0; i < 3; i++)
      node->geometric[m] += h->g[i][m] * pl_lanes_dot3(e + 3 * i, node->b);
  }
}

/* The block of a pair: M_a^T C M_b + (second derivative and control of q itself) I. */
PL_INLINE void pair_block(const node_parts *a, const node_parts *b, pl_lanes second, pl_lanes min,
                          pl_lanes *block)
{
  pl_lanes same = pl_lanes_all(0);
  for (int m = 0; m < 4; m++) {
    same += min * a->gamma[m] * b->gamma[m];
    same += second * (a->gamma[m] * b->geometric[m] + a->geometric[m] * b->gamma[m]);
  }
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 3; i++) {
      pl_lanes sum = i == k ? same : pl_lanes_all(0);
      for (int im = 0; im < 12; im++) sum += a->M[im / 4][im % 4][i] * b->CM[im / 4][im % 4][k];
      block[3 * k + i] = sum;
    }
  }
}

static void stiffness_batch(const pl_fem_job *job, const pl_group *group, int batch,
                            pl_point *point)
{
  const pl_fem *fem = job->fem;
  const pl_tangent *tangent = &job->tangent;
  const int linear = fem->hourglass.linear;
  const double kv = point->viscous ? tangent->kv : 0;
  const unsigned char *corners = fem->hourglass.corners + (size_t)batch * (8 * PL_LANES);
  const int *places = fem->places + (size_t)batch * (28 * PL_LANES);
  node_parts nodes[8];
  hexes h;
  place_batch(fem, batch, &h);
  pl_point_take(group, batch, point);
  deform(job, 1, point, &h);

  // stiffness and damping have the same form
  control k = control_of(h.rest, point->lambda, point->mu, fem->hourglass.factor * tangent->kq);
  const control damping =
      control_of(h.rest, point->viscous_lambda, point->viscous_mu, fem->hourglass.factor * kv);
  for (int i = 0; i < 3; i++) {
    k.bend[i] += damping.bend[i];
    k.warp[i] += damping.warp[i];
  }
  k.twist += damping.twist;
  const pl_lanes second = pl_lanes_all(linear || tangent->semidefinite ? 0 : tangent->kq);
  for (int a = 0; a < 8; a++) {
    node_gradients(&h, corners + PL_LANES * a, &nodes[a]);
    node_slopes(&h, linear, &k, &nodes[a]);
  }
  for (int a = 0; a < 8; a++) {
    for (int b = a + 1; b < 8; b++, places += PL_LANES) {
      pl_lanes block[9];
      pair_block(&nodes[a], &nodes[b], second, k.min, block);
      pl_fem_scatter_block(tangent->A->values, places, block);
    }
  }
}

static void stiffness(const pl_fem_job *job, int first, int last)
{
  const pl_group *group = pl_group_at(&job->fem->groups, first);
  pl_point point = pl_point_of(group, job->v != NULL);
  for (int batch = first; batch < last; batch++) stiffness_batch(job, group, batch, &point);
}

const pl_hourglass_kernel PL_VARIANT(pl_hourglass_kernel) = {forces, stiffness, energy, densities};
#ifdef PL_USE_AVX2
const pl_hourglass_kernel pl_hourglass_kernel_avx512 = {forces_avx512, stiffness, energy,
                                                        densities};
#endif
