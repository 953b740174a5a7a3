/* Springs of six dimensions between pairs of rigid frames, in place of the integrals over samples
 * (Gilles et al. 2011, 4.3, eqs. 15-25).
 *
 * A joint stands at rest midway between two frames. With D(l) = [1 0; hat(l) 1], which takes the
 * motion [turn, shift] of a frame to that of the joint at its distance -l, the stiffness at rest
 * A_ij gives the joint's K = -sym(D(-l_i)^T A_ij D(-l_j)). (The symmetric part, so that a rigid
 * motion strains nothing and forces and matrix agree.) Later K turns with the joint, which is the
 * half rotation between its two copies at the mean of their places; e = [rotation vector, shift]
 * from one copy to the other:
 *
 *   f_i = D(l_i)^T K e,   f_j = -D(l_j)^T K e,   A_ii = D(l_i)^T K D(l_i),  A_ij = -D(l_i)^T K
 * D(l_j)
 */
#include "core/error.h"
#include "core/memory.h"
#include "math/mat3.h"
#include "math/rotation.h"
#include "model/frames/rigid.h"

#include <math.h>
#include <string.h>

/* K D(l): out = [K_t + K_s hat(l), K_s] where K = [K_t K_s] by columns; and from the left. */
static void shift_columns(const double *K, const double l[3], double *out)
{
  memcpy(out, K, 36 * sizeof *out);
  for (int r = 0; r < 6; r++) {
    const double *s = K + 6 * r + 3;
    // row times hat(l)
    out[6 * r] += s[1] * l[2] - s[2] * l[1];
    out[6 * r + 1] += s[2] * l[0] - s[0] * l[2];
    out[6 * r + 2] += s[0] * l[1] - s[1] * l[0];
  }
}

static void transpose(const double *K, double *out)
{
  for (int e = 0; e < 36; e++) out[e] = K[6 * (e % 6) + e / 6];
}

void pl_rigid_shift(const double *K, const double a[3], const double b[3], double *out)
{
  double half[36], turned[36];
  shift_columns(K, b, half);
  transpose(half, turned);
  shift_columns(turned, a, half);
  transpose(half, out);
}

static void make_joint(const pl_rigid *rigid, int i, int j, const double *A, pl_joint *joint)
{
  const double *a = rigid->poses[i].C, *b = rigid->poses[j].C;
  double back_i[3], back_j[3], K[36];
  *joint = (pl_joint){.i = i, .j = j};
  for (int k = 0; k < 3; k++) {
    joint->rest[k] = 0.5 * (a[k] + b[k]);
    back_i[k] = joint->rest[k] - a[k];
    back_j[k] = joint->rest[k] - b[k];
  }
  pl_rigid_shift(A, back_i, back_j, K);
  for (int e = 0; e < 36; e++) joint->K[e] = -0.5 * (K[e] + K[6 * (e % 6) + e / 6]);
}

pl_status pl_rigid_make_joints(const pl_allocator *allocator, pl_rigid *rigid, pl_error *error)
{
  size_t pairs = pl_pair(0, rigid->field.count);
  double *A = pl_alloc(allocator, pairs * 36, sizeof *A);
  rigid->joints = pl_alloc(allocator, pairs, sizeof *rigid->joints);
  if (!A || !rigid->joints) {
    pl_free(allocator, A);
    return pl_fail_memory(error);
  }
  // the stiffness at rest
  pl_rigid_job job = {.rigid = rigid, .matrix = 1, .kq = 1};
  pl_rigid_pose(rigid, rigid->rest_blocks, NULL);
  for (int c = 0; c < rigid->field.chunk_count; c++) {
    const pl_rigid_chunk *chunk = &rigid->chunks[c];
    rigid->kernel.evaluate(&job, chunk, rigid->rooms.lanes);
    pl_rigid_complete(rigid, &job, chunk);
    const double *sums = rigid->whole + 6 * chunk->frames;
    for (int j = 0; j < chunk->frames; j++) {
      for (int i = 0; i <= j; i++) {
        double *to = A + 36 * pl_pair(chunk->frame[i], chunk->frame[j]);
        for (int e = 0; e < 36; e++) to[e] += *sums++;
      }
    }
  }
  for (int j = 0; j < rigid->field.count; j++) {
    for (int i = 0; i < j; i++) {
      const double *block = A + 36 * pl_pair(i, j);
      int coupled = 0;
      for (int e = 0; e < 36; e++) coupled |= block[e] != 0;
      if (coupled) make_joint(rigid, i, j, block, &rigid->joints[rigid->joint_count++]);
    }
  }
  pl_free(allocator, A);
  return PL_OK;
}

pl_status pl_rigid_bind_joints(pl_rigid *rigid, const pl_bsr *A, pl_error *error)
{
  for (int k = 0; k < rigid->joint_count; k++) {
    pl_joint *joint = &rigid->joints[k];
    int frame[2] = {joint->i, joint->j};
    for (int e = 0; e < 16; e++) {
      // pairs (i, i), (i, j), (j, i), (j, j), four blocks each
      int row = 2 * frame[e / 8] + e / 2 % 2, column = 2 * frame[e / 4 % 2] + e % 2;
      pl_status status = pl_bsr_place(A, rigid->offset, row, column, &joint->places[e], error);
      if (status) return status;
    }
  }
  return PL_OK;
}

/* A joint as it stands now. */
typedef struct stand {
  double l[2][3], way[6], K[36];
} stand;

static void stand_of(const pl_rigid *rigid, const pl_joint *joint, stand *to)
{
  const pl_pose *pose[2] = {&rigid->poses[joint->i], &rigid->poses[joint->j]};
  double place[2][3], conjugate[4], relative[4], half[3], turn[4], R[9], RM[9];
  for (int s = 0; s < 2; s++) {
    double arm[3];
    pl_vec3_sub(joint->rest, pose[s]->C, arm);
    pl_mat3_apply(pose[s]->R, arm, place[s]);
    pl_vec3_add(place[s], pose[s]->t, place[s]);
  }
  pl_vec3_scale(-1, pose[0]->s, conjugate);
  conjugate[3] = pose[0]->s[3];
  pl_quat_multiply(pose[1]->s, conjugate, relative);
  pl_vector_of_quat(relative, to->way);
  pl_vec3_sub(place[1], place[0], to->way + 3);
  for (int s = 0; s < 2; s++) {
    for (int k = 0; k < 3; k++) to->l[s][k] = pose[s]->t[k] - 0.5 * (place[0][k] + place[1][k]);
  }
  // the joint's rotation is half way between its copies
  pl_vec3_scale(0.5, to->way, half);
  pl_quat_of_vector(half, turn);
  pl_quat_matrix(turn, R);
  pl_mat3_multiply(R, pose[0]->R, RM);
  for (int b = 0; b < 4; b++) {
    double block[9], product[9], turned[9];
    int from = 18 * (b / 2) + 3 * (b % 2);
    for (int e = 0; e < 9; e++) block[e] = joint->K[from + 6 * (e / 3) + e % 3];
    pl_mat3_multiply(RM, block, product);
    pl_mat3_multiply_nt(product, RM, turned);
    for (int e = 0; e < 9; e++) to->K[from + 6 * (e / 3) + e % 3] = turned[e];
  }
}

/* f += sign D(l)^T force. */
static void push(const double force[6], const double l[3], double sign, double *f)
{
  double torque[3];
  pl_vec3_cross(force + 3, l, torque);
  for (int k = 0; k < 3; k++) {
    f[k] += sign * (force[k] + torque[k]);
    f[3 + k] += sign * force[3 + k];
  }
}

static void times(const double *K, const double x[6], double out[6])
{
  for (int r = 0; r < 6; r++) {
    out[r] = 0;
    for (int c = 0; c < 6; c++) out[r] += K[6 * r + c] * x[c];
  }
}

/* The velocity of the way: the joint's at j minus that at i. */
static void rate_of(const pl_rigid *rigid, const pl_joint *joint, const stand *at, double rate[6])
{
  const double *vi = rigid->poses[joint->i].velocity, *vj = rigid->poses[joint->j].velocity;
  double a[3], b[3];
  pl_vec3_cross(at->l[0], vi, a);
  pl_vec3_cross(at->l[1], vj, b);
  for (int k = 0; k < 3; k++) {
    rate[k] = vj[k] - vi[k];
    rate[3 + k] = vj[3 + k] + b[k] - vi[3 + k] - a[k];
  }
}

void pl_rigid_spring(const pl_rigid *rigid, const pl_rigid_job *job, double *f, pl_bsr *A)
{
  // viscosity in proportion to stiffness
  const pl_material *material = &rigid->field.material;
  double lag = job->moving && material->mu > 0 ? material->viscous_mu / material->mu : 0;
  for (int n = 0; n < rigid->joint_count; n++) {
    const pl_joint *joint = &rigid->joints[n];
    stand at;
    stand_of(rigid, joint, &at);
    if (f) {
      double way[6], rate[6], force[6];
      memcpy(way, at.way, sizeof way);
      if (lag > 0) {
        rate_of(rigid, joint, &at, rate);
        for (int k = 0; k < 6; k++) way[k] += lag * rate[k];
      }
      times(at.K, way, force);
      push(force, at.l[0], 1, f + 6 * joint->i);
      push(force, at.l[1], -1, f + 6 * joint->j);
    }
    for (int b = 0; A && b < 4; b++) {
      double K[36];
      pl_rigid_shift(at.K, at.l[b / 2], at.l[b % 2], K);
      pl_rigid_add_block(K, joint->places + 4 * b, (job->kq + lag * job->kv) * (b % 3 ? -1 : 1), A);
    }
  }
}

double pl_rigid_spring_energy(const pl_rigid *rigid)
{
  double sum = 0;
  for (int n = 0; n < rigid->joint_count; n++) {
    stand at;
    double force[6];
    stand_of(rigid, &rigid->joints[n], &at);
    times(at.K, at.way, force);
    for (int k = 0; k < 6; k++) sum += 0.5 * at.way[k] * force[k];
  }
  return sum;
}
