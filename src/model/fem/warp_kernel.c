/* Rotations, forces and blocks of warped stiffness: four neighbours of a node at once.
 *
 * Sums over neighbours are kept per lane and added last, in fixed order. */
#include "math/decompose.h"
#include "math/lanes_polar.h"
#include "math/vec3.h"
#include "model/fem/warp.h"

/* One coordinate of the batch's nodes. */
PL_INLINE pl_lanes gather(const double *x, const int *nodes, int axis)
{
  const double *at = x + axis;
  return (pl_lanes){at[3 * (size_t)nodes[0]], at[3 * (size_t)nodes[1]], at[3 * (size_t)nodes[2]],
                    at[3 * (size_t)nodes[3]]};
}

/* ---- rotations ---- */

/* G = sum_j (x_j - x_i) w_j^T */
PL_INLINE void correlation(const pl_warp *warp, const double *q, int row, double *G)
{
  pl_lanes sums[9];
  const double *xi = q + 3 * (size_t)row;
  for (int i = 0; i < 9; i++) sums[i] = pl_lanes_all(0);
  for (int b = warp->start[row]; b < warp->start[row + 1]; b++) {
    const pl_warp_batch *batch = warp->batches + b;
    for (int i = 0; i < 3; i++) {
      pl_lanes edge = gather(q, batch->nodes, i) - xi[i];
      for (int j = 0; j < 3; j++) sums[3 * i + j] += edge * batch->weight[j];
    }
  }
  for (int i = 0; i < 9; i++) G[i] = pl_lanes_sum(sums[i]);
}

static void nearest(const pl_warp_job *job, int first, int last)
{
  pl_warp *warp = job->warp;
  for (int row = first; row < last; row += PL_LANES) {
    int count = last - row < PL_LANES ? last - row : PL_LANES;
    pl_lanes F[9], R[9];
    for (int i = 0; i < 9; i++) F[i] = pl_lanes_all(i % 4 == 0);
    for (int lane = 0; lane < count; lane++) {
      double G[9];
      correlation(warp, job->q, row + lane, G);
      for (int i = 0; i < 9; i++) F[i][lane] = G[i];
    }
    pl_lanes_polar(F, R);
    for (int lane = 0; lane < count; lane++) {
      for (int i = 0; i < 9; i++) warp->R[9 * (size_t)(row + lane) + (size_t)i] = R[i][lane];
    }
  }
}

static void sums(const pl_warp_job *job, int first, int last)
{
  for (int row = first; row < last; row++)
    correlation(job->warp, job->q, row, job->warp->R + 9 * (size_t)row);
}

/* R from the three edges alone, where they do not span a frame. */
static void nearest_to_edges(const pl_warp_frame *frame, double edges[3][3], double *R)
{
  double G[9] = {0}, S[9];
  for (int e = 0; e < 3; e++) {
    for (int i = 0; i < 9; i++) G[i] += edges[e][i / 3] * frame->edges[e][i % 3];
  }
  pl_polar(G, R, S);
}

/* R = N' N^T: the frame of the edges as they are now, and as they were at rest. */
static void frames(const pl_warp_job *job, int first, int last)
{
  const double nothing = 1e-20;
  for (int row = first; row < last; row++) {
    const pl_warp_frame *frame = job->warp->frames + row;
    double edges[3][3], N[9] = {0}, mean[3] = {0}, size = 0, *R = job->warp->R + 9 * (size_t)row;
    for (int e = 0; e < 3; e++) {
      pl_vec3_sub(job->q + 3 * (size_t)frame->nodes[e], job->q + 3 * (size_t)row, edges[e]);
      pl_vec3_add(mean, edges[e], mean);
      size += pl_vec3_dot(edges[e], edges[e]);
    }
    double square = pl_vec3_dot(mean, mean), across = 0;
    if (frame->side >= 0 && square > nothing * size) {
      pl_vec3_scale(1 / sqrt(square), mean, N);
      pl_vec3_cross(N, edges[frame->side], N + 3);
      across = pl_vec3_dot(N + 3, N + 3);
    }
    if (!(across > nothing * size)) {
      nearest_to_edges(frame, edges, R);
      continue;
    }
    pl_vec3_scale(1 / sqrt(across), N + 3, N + 3);
    pl_vec3_cross(N, N + 3, N + 6);
    // both are kept by rows
    for (int i = 0; i < 9; i++) {
      R[i] = 0;
      for (int e = 0; e < 9; e += 3) R[i] += N[e + i / 3] * frame->rest[e + i % 3];
    }
  }
}

/* ---- forces and blocks ---- */

/* out = A^T a, with one matrix for all lanes or one for each. */
PL_INLINE void turn_back(const pl_lanes *R, const pl_lanes *a, pl_lanes *out)
{
  for (int i = 0; i < 3; i++) out[i] = R[i] * a[0] + R[3 + i] * a[1] + R[6 + i] * a[2];
}

PL_INLINE void load_all(const double *R, pl_lanes *out)
{
  for (int i = 0; i < 9; i++) out[i] = pl_lanes_all(R[i]);
}

/* The rotations of the batch's nodes. */
PL_INLINE void gather_rotations(const double *R, const int *nodes, pl_lanes *out)
{
  for (int i = 0; i < 9; i++)
    out[i] = (pl_lanes){R[9 * (size_t)nodes[0] + (size_t)i], R[9 * (size_t)nodes[1] + (size_t)i],
                        R[9 * (size_t)nodes[2] + (size_t)i], R[9 * (size_t)nodes[3] + (size_t)i]};
}

/* What the neighbours have moved by, seen from the node: R^T (x_j - x_i) - (X_j - X_i), or with
 * both rotations (R_j^T x_j - X_j) - (R_i^T x_i - X_i); velocities have no rest. */
PL_INLINE void moved(const double *x, int row, const pl_warp_batch *batch, const pl_lanes *Ri,
                     const pl_lanes *Rj, const int both, const pl_lanes *rest, pl_lanes *out)
{
  const double *xi = x + 3 * (size_t)row;
  pl_lanes a[3], own[3], turned[3];
  for (int i = 0; i < 3; i++) {
    a[i] = gather(x, batch->nodes, i);
    own[i] = pl_lanes_all(xi[i]);
    if (!both) a[i] -= own[i];
  }
  turn_back(both ? Rj : Ri, a, out);
  if (both) turn_back(Ri, own, turned);
  for (int i = 0; i < 3; i++) {
    if (both) out[i] -= turned[i];
    if (rest) out[i] -= rest[i];
  }
}

/* sum += M a */
PL_INLINE void add_product(const pl_lanes *M, const pl_lanes *a, pl_lanes *sum)
{
  for (int i = 0; i < 3; i++) sum[i] += M[3 * i] * a[0] + M[3 * i + 1] * a[1] + M[3 * i + 2] * a[2];
}

/* Writes the blocks, entries in the order of memory: by columns. */
PL_INLINE void store_blocks(double *values, const int *places, const pl_lanes *block)
{
  pl_lanes in[9], low[PL_LANES], high[PL_LANES];
  for (int i = 0; i < 9; i++) in[i] = block[3 * (i % 3) + i / 3];
  pl_lanes_transpose(in, low);
  pl_lanes_transpose(in + 4, high);
  for (int lane = 0; lane < PL_LANES; lane++) {
    if (places[lane] < 0) continue;
    double *to = values + 9 * (size_t)places[lane];
    pl_lanes_store(to, low[lane]);
    pl_lanes_store(to + 4, high[lane]);
    to[8] = in[8][lane];
  }
}

/* The diagonal block is minus the sum of R_i K_ij R_i^T, symmetric to the last bit. */
PL_INLINE void store_diagonal(double *block, const pl_lanes *sums)
{
  double sum[9];
  for (int i = 0; i < 9; i++) sum[i] = pl_lanes_sum(sums[i]);
  for (int i = 0; i < 9; i++) block[i] = -0.5 * (sum[i] + sum[3 * (i % 3) + i / 3]);
}

/* Zeros in a row that has other blocks than the body's own. */
PL_INLINE void clear_row(const pl_bsr *A, int row)
{
  int first = A->start[row], last = A->start[row + 1];
  memset(A->values + 9 * first, 0, (size_t)(last - first) * 9 * sizeof *A->values);
}

PL_INLINE void row_of(const pl_warp_job *job, int row, const int both, const int viscous)
{
  const pl_warp *warp = job->warp;
  pl_lanes Ri[9], Rj[9], force[3], diagonal[9];
  load_all(warp->R + 9 * (size_t)row, Ri);
  for (int i = 0; i < 3; i++) force[i] = pl_lanes_all(0);
  for (int i = 0; i < 9; i++) diagonal[i] = pl_lanes_all(0);
  if (job->A && warp->crowded) clear_row(job->A, warp->offset + row);
  for (int b = warp->start[row]; b < warp->start[row + 1]; b++) {
    const pl_warp_batch *batch = warp->batches + b;
    pl_lanes a[3];
    if (both) gather_rotations(warp->R, batch->nodes, Rj);
    moved(job->q, row, batch, Ri, Rj, both, batch->rest, a);
    add_product(batch->K, a, force);
    if (viscous && job->v) {
      moved(job->v, row, batch, Ri, Rj, both, NULL, a);
      add_product(batch->D, a, force);
    }
    if (!job->A) continue;

    pl_lanes M[9], half[9], block[9];
    for (int i = 0; i < 9; i++) {
      M[i] = job->kq * batch->K[i];
      if (viscous && job->v) M[i] += job->kv * batch->D[i];
    }
    pl_lanes_mat3_multiply(Ri, M, half);
    pl_lanes_mat3_multiply_nt(half, Ri, block);
    for (int i = 0; i < 9; i++) diagonal[i] += block[i];
    if (both) pl_lanes_mat3_multiply_nt(half, Rj, block);
    store_blocks(job->A->values, batch->places, block);
  }
  if (job->A)
    store_diagonal(job->A->values + 9 * (size_t)job->A->diagonal[warp->offset + row], diagonal);
  if (!job->f) return;
  const double *R = warp->R + 9 * (size_t)row,
               sum[3] = {pl_lanes_sum(force[0]), pl_lanes_sum(force[1]), pl_lanes_sum(force[2])};
  for (int i = 0; i < 3; i++)
    job->f[3 * (size_t)row + (size_t)i] -=
        R[3 * i] * sum[0] + R[3 * i + 1] * sum[1] + R[3 * i + 2] * sum[2];
}

static void rows(const pl_warp_job *job, int first, int last)
{
  const pl_warp *warp = job->warp;
  for (int row = first; row < last; row++) {
    if (warp->both)
      row_of(job, row, 1, warp->viscous);
    else if (warp->viscous)
      row_of(job, row, 0, 1);
    else
      row_of(job, row, 0, 0);
  }
}

const pl_warp_kernel PL_VARIANT(pl_warp_kernel) = {nearest, frames, sums, rows};
