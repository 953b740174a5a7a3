/* From what the kernel sums over a chunk's samples, for twists about the middle of the frames, to
 * what each frame feels at its own point, [turn, shift]; the last frame from the others where a
 * rigid motion of all strains nothing. */
#include "math/vec3.h"
#include "model/frames/rigid.h"

#include <string.h>

/* A block's entry for row frame i and column frame j, whichever of them comes first. */
static double entry(const double *K, int i, int j, int e)
{
  return i <= j ? K[36 * pl_pair(i, j) + (size_t)e]
                : K[36 * pl_pair(j, i) + (size_t)(6 * (e % 6) + e / 6)];
}

/* The last frame's forces and blocks: the same twist of all frames strains nothing, and turns the
 * forces along. Of that turning G (f + b x f for a twist b) each symmetric second derivative has
 * half: sum_j K_ij = -G_i / 2. */
static void balance(const pl_rigid_chunk *chunk, double curved, double *f, double *K)
{
  int last = chunk->frames - 1;
  double *own = K + 36 * pl_pair(last, last);
  for (int k = 0; k < 6 * last; k++) f[6 * last + k % 6] -= f[k];
  for (int i = 0; i < last; i++) {
    double *across = K + 36 * pl_pair(i, last), *force = f + 6 * i;
    for (int e = 0; e < 36; e++) {
      for (int j = 0; j < last; j++) across[e] -= entry(K, i, j, e);
      own[e] -= across[e];
    }
    for (int a = 0; a < 3; a++) {
      int p = (a + 1) % 3, q = (a + 2) % 3;
      double turn = 0.5 * curved * force[a], shift = 0.5 * curved * force[3 + a];
      // + hat(torque) / 2 and + hat(force) / 2: -G / 2
      across[6 * p + q] -= turn, across[6 * q + p] += turn;
      across[6 * p + 3 + q] -= shift, across[6 * q + 3 + p] += shift;
      across[6 * (3 + p) + q] -= shift, across[6 * (3 + q) + p] += shift;
    }
  }
}

void pl_rigid_complete(const pl_rigid *rigid, const pl_rigid_job *job, const pl_rigid_chunk *chunk)
{
  const pl_lanes *sums = rigid->sums + chunk->sums;
  double *f = rigid->whole, *K = f + 6 * chunk->frames, turned[36];
  double curved = job->semidefinite || rigid->approximate ? 0 : job->kq;
  size_t pairs = job->matrix ? pl_pair(0, chunk->frames) : 0;
  memset(f, 0, (6 * (size_t)chunk->frames + 36 * pairs) * sizeof *f);
  for (int i = 0; i < 6 * chunk->moved; i++) f[i] = pl_lanes_sum(*sums++);
  for (size_t e = 0; pairs && e < 36 * pl_pair(0, chunk->moved); e++) K[e] = pl_lanes_sum(*sums++);
  for (int i = 0; pairs && i < chunk->moved; i++) {
    double *own = K + 36 * pl_pair(i, i);
    for (int e = 0; e < 36; e++) turned[e] = own[6 * (e % 6) + e / 6];
    for (int e = 0; e < 36; e++) own[e] = 0.5 * (own[e] + turned[e]);
  }
  if (chunk->moved < chunk->frames) balance(chunk, curved, f, K);
  // from the middle to the frames' points
  for (int j = 0; j < chunk->frames; j++) {
    const double *t = rigid->poses[chunk->frame[j]].t;
    double *force = f + 6 * j, torque[3];
    pl_vec3_cross(t, force + 3, torque);
    pl_vec3_sub(force, torque, force);
    for (int i = 0; pairs && i <= j; i++, K += 36) {
      pl_rigid_shift(K, rigid->poses[chunk->frame[i]].t, t, turned);
      memcpy(K, turned, sizeof turned);
    }
    // points move straight on while a frame turns
    for (int a = 0; pairs && a < 3; a++) {
      int p = (a + 1) % 3, q = (a + 2) % 3;
      double half = 0.5 * curved * force[3 + a], *own = K - 36;
      own[6 * (3 + p) + q] -= half, own[6 * (3 + q) + p] += half;
      own[6 * q + 3 + p] -= half, own[6 * p + 3 + q] += half;
    }
  }
}
