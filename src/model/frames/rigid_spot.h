/* Four samples of rigid frames at once: the blended motion, the deformation, and its derivatives by
 * the motion of every frame. rigid_kernel.c has the formulas. */
#ifndef PL_MODEL_RIGID_SPOT_H
#define PL_MODEL_RIGID_SPOT_H

#include "model/frames/frames_point.h"
#include "model/frames/rigid.h"

#define PL_NUMBER     pl_lanes
#define PL_NAME(name) pl_lanes_quat_##name
#include "math/dual_any.h"

/* Four samples and what their frames make of them. */
typedef struct spot {
  const pl_rigid *rigid;
  const pl_rigid_chunk *chunk;
  const pl_group *group;
  int batch;
  pl_lanes volume, X[3];
  const pl_lanes *blend; /* w, g[3] per frame */
  pl_lanes F[9];         /* or U */
  // dual quaternions: the blended motion and its inverse, the place, s_i b^-1, and their sums with
  // the gradients
  pl_lanes R[9], inverse[8], x[3], c[PL_MOST_FRAMES][8], C[3][8];
} spot;

/* Not yet at a batch. */
PL_INLINE spot spot_in(const pl_rigid *rigid, const pl_rigid_chunk *chunk)
{
  return (spot){
      .rigid = rigid, .chunk = chunk, .group = pl_group_at(&rigid->field.groups, chunk->first)};
}

static const pl_pose *pose_of(const spot *at, int i)
{
  return &at->rigid->poses[at->chunk->frame[i]];
}

PL_INLINE void blend_dual(spot *at)
{
  pl_lanes b[8], s[8], t[3];
  for (int k = 0; k < 8; k++) b[k] = pl_lanes_all(0);
  for (int i = 0; i < at->chunk->frames; i++) {
    const double *from = pose_of(at, i)->s;
    for (int k = 0; k < 8; k++) b[k] += from[k] * at->blend[4 * i];
  }
  pl_lanes_quat_dual_inverse(b, at->inverse);
  pl_lanes_quat_dual_motion(b, at->R, t);
  pl_lanes_mat3_apply(at->R, at->X, at->x);
  for (int k = 0; k < 3; k++) at->x[k] += t[k];
  for (int l = 0; l < 24; l++) at->C[l / 8][l % 8] = pl_lanes_all(0);
  for (int i = 0; i < at->chunk->frames; i++) {
    const double *from = pose_of(at, i)->s;
    for (int k = 0; k < 8; k++) s[k] = pl_lanes_all(from[k]);
    pl_lanes_quat_dual_multiply(s, at->inverse, at->c[i]);
    for (int l = 0; l < 3; l++) {
      pl_lanes g = at->blend[4 * i + 1 + l];
      for (int k = 0; k < 8; k++) at->C[l][k] += g * at->c[i][k];
    }
  }
  for (int l = 0; l < 3; l++) {
    pl_lanes moved[3], turned[3];
    pl_lanes_cross3(at->C[l], at->x, moved);
    for (int r = 0; r < 3; r++) moved[r] = 2.0 * (at->C[l][4 + r] + moved[r]);
    pl_lanes_mat3_apply_t(at->R, moved, turned);
    for (int r = 0; r < 3; r++) at->F[3 * r + l] = (double)(r == l) + turned[r];
  }
}

/* w R + x g^T of one frame, x where it has the sample. */
PL_INLINE void lever(const spot *at, int i, pl_lanes *M)
{
  const pl_pose *pose = pose_of(at, i);
  const pl_lanes *blend = at->blend + 4 * i;
  for (int r = 0; r < 3; r++) {
    const double *R = pose->R + 3 * r;
    pl_lanes x = R[0] * (at->X[0] - pose->C[0]) + R[1] * (at->X[1] - pose->C[1]) +
                 R[2] * (at->X[2] - pose->C[2]) + pose->t[r];
    for (int l = 0; l < 3; l++) M[3 * r + l] = R[l] * blend[0] + x * blend[1 + l];
  }
}

PL_INLINE void blend_linear(spot *at)
{
  for (int k = 0; k < 9; k++) at->F[k] = pl_lanes_all(0);
  for (int i = 0; i < at->chunk->frames; i++) {
    pl_lanes M[9];
    lever(at, i, M);
    for (int k = 0; k < 9; k++) at->F[k] += M[k];
  }
}

static void look_at(spot *at, int batch)
{
  size_t size = 4 + 4 * (size_t)at->chunk->frames;
  const pl_lanes *rest =
      at->rigid->rest + at->chunk->rest + size * (size_t)(batch - at->chunk->first);
  at->batch = batch;
  at->volume = rest[0];
  for (int k = 0; k < 3; k++) at->X[k] = rest[1 + k];
  at->blend = rest + 4;
  if (at->rigid->blend == PL_BLEND_DUAL)
    blend_dual(at);
  else
    blend_linear(at);
}

/* ---- derivatives ---- */

/* Components of the strain xx yy zz 2xy 2yz 2zx for a change d of F. */
PL_INLINE void strain_of(const pl_lanes *F, const pl_lanes *d, pl_lanes *out)
{
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3;
    out[a] = F[a] * d[a] + F[3 + a] * d[3 + a] + F[6 + a] * d[6 + a];
    out[3 + a] = F[a] * d[b] + F[3 + a] * d[3 + b] + F[6 + a] * d[6 + b] + F[b] * d[a] +
                 F[3 + b] * d[3 + a] + F[6 + b] * d[6 + a];
  }
}

/* vec(e_k y) of a quaternion y. */
PL_INLINE void unit_times(int k, const pl_lanes *y, pl_lanes *out)
{
  int a = (k + 1) % 3, b = (k + 2) % 3;
  out[k] = y[3];
  out[a] = -y[b];
  out[b] = y[a];
}

/* Where the columns of a frame stand: entry e of twist k at shift (k / 3) + twist (k % 3) + entry
 * e. */
typedef struct places {
  int shift, twist, entry;
} places;

PL_INLINE void columns_dual(const spot *at, int i, const places to, pl_lanes *out)
{
  const pl_lanes *blend = at->blend + 4 * i;
  for (int l = 0; l < 3; l++) {
    pl_lanes half[8], y[8];
    for (int k = 0; k < 8; k++) half[k] = -blend[0] * at->C[l][k];
    half[3] += blend[1 + l];
    pl_lanes_quat_dual_multiply(at->c[i], half, y);
    for (int k = 0; k < 3; k++) {
      pl_lanes shift[3], turn[3], across[3];
      unit_times(k, y, shift);
      unit_times(k, y + 4, turn);
      pl_lanes_cross3(shift, at->x, across);
      for (int r = 0; r < 3; r++) {
        pl_lanes *column = out + to.twist * k + to.entry * (3 * r + l);
        column[0] = turn[r] + across[r];
        column[to.shift] = shift[r];
      }
    }
  }
}

PL_INLINE void columns_linear(const spot *at, int i, const places to, pl_lanes *out)
{
  pl_lanes M[9];
  lever(at, i, M);
  for (int k = 0; k < 3; k++) {
    int a = (k + 1) % 3, b = (k + 2) % 3;
    pl_lanes *turn = out + to.twist * k, *shift = turn + to.shift;
    for (int l = 0; l < 3; l++) {
      turn[to.entry * (3 * k + l)] = pl_lanes_all(0);
      turn[to.entry * (3 * a + l)] = -M[3 * b + l];
      turn[to.entry * (3 * b + l)] = M[3 * a + l];
      shift[to.entry * (3 * k + l)] = at->blend[4 * i + 1 + l];
      shift[to.entry * (3 * a + l)] = shift[to.entry * (3 * b + l)] = pl_lanes_all(0);
    }
  }
}

/* How F changes with the frame, in world axes (and without the blended rotation's change): nine
 * numbers for each twist. */
PL_INLINE void columns_of(const spot *at, int i, const places to, pl_lanes *out)
{
  if (at->rigid->blend == PL_BLEND_LINEAR)
    columns_linear(at, i, to, out);
  else
    columns_dual(at, i, to, out);
}

/* How the frame moves relative to the last one, where that is left out. */
PL_INLINE void relative_twist(const spot *at, int i, double *out)
{
  const pl_rigid_chunk *chunk = at->chunk;
  const double *own = pose_of(at, i)->twist;
  const double *last = chunk->moved < chunk->frames ? pose_of(at, chunk->moved)->twist : NULL;
  for (int k = 0; k < 6; k++) out[k] = own[k] - (last ? last[k] : 0);
}

/* The change of F in time in the axes of the world, or in those of U. */
static void rate_of(const spot *at, int turned, pl_lanes *rate)
{
  pl_lanes sum[9], columns[6][9];
  for (int e = 0; e < 9; e++) sum[e] = pl_lanes_all(0);
  for (int i = 0; i < at->chunk->moved; i++) {
    double twist[6];
    relative_twist(at, i, twist);
    columns_of(at, i, (places){27, 9, 1}, columns[0]);
    for (int k = 0; k < 6; k++) {
      for (int e = 0; e < 9; e++) sum[e] += twist[k] * columns[k][e];
    }
  }
  if (turned)
    pl_lanes_mat3_multiply_tn(at->R, sum, rate);
  else
    memcpy(rate, sum, sizeof sum);
}

#endif
