/* Where rigid frames carry nodes and points, and what forces on these are for the frames. */
#include "core/error.h"
#include "core/memory.h"
#include "math/mat3.h"
#include "math/rotation.h"
#include "model/frames/rigid.h"

#define PL_NUMBER     double
#define PL_NAME(name) dual_##name
#include "math/dual_any.h"

/* The frames that carry each node. */
pl_status pl_rigid_make_carriers(pl_model *self, const pl_mesh *mesh, pl_error *error)
{
  pl_rigid *rigid = self->state;
  const pl_allocator *allocator = &self->allocator;
  size_t nodes = (size_t)mesh->node_count, count = (size_t)rigid->field.count, room = 0;
  rigid->carried.nodes = mesh->node_count;
  for (size_t i = 0; i < nodes * count; i++) room += rigid->field.weights[i] != 0;
  rigid->carried.start = pl_alloc(allocator, nodes + 1, sizeof *rigid->carried.start);
  rigid->carried.carrier = pl_alloc(allocator, room, sizeof *rigid->carried.carrier);
  rigid->carried.share = pl_alloc(allocator, room, sizeof *rigid->carried.share);
  rigid->carried.pair_carrier = pl_alloc(allocator, 2 * room, sizeof *rigid->carried.pair_carrier);
  rigid->carried.pair_share = pl_alloc(allocator, 2 * room, sizeof *rigid->carried.pair_share);
  rigid->carried.rest = pl_alloc(allocator, 3 * nodes, sizeof *rigid->carried.rest);
  if (!rigid->carried.start || !rigid->carried.carrier || !rigid->carried.share ||
      !rigid->carried.pair_carrier || !rigid->carried.pair_share || !rigid->carried.rest)
    return pl_fail_memory(error);
  int used = 0;
  for (int n = 0; n < mesh->node_count; n++) {
    pl_vec3_sub(mesh->nodes + 3 * n, rigid->rest_middle, rigid->carried.rest + 3 * n);
    for (int i = 0; i < (int)count; i++) {
      double w = rigid->field.weights[count * (size_t)n + (size_t)i];
      if (w == 0) continue;
      rigid->carried.carrier[used] = i;
      rigid->carried.share[used] = rigid->carried.pair_share[2 * used + 1] = w;
      rigid->carried.pair_carrier[2 * used] = 2 * i;
      rigid->carried.pair_carrier[2 * used + 1] = 2 * i + 1;
      used++;
    }
    rigid->carried.start[n + 1] = used;
  }
  return PL_OK;
}

/* Where a node is (from the middle of the frames), and 3 x 3 numbers for the turn and the shift of
 * each of its frames. J may be NULL. */
static void carry_linear(const pl_rigid *rigid, int node, double x[3], double *J)
{
  pl_vec3_set(x, 0, 0, 0);
  for (int k = rigid->carried.start[node]; k < rigid->carried.start[node + 1]; k++) {
    const pl_pose *pose = &rigid->poses[rigid->carried.carrier[k]];
    double w = rigid->carried.share[k], rest[3], arm[3];
    pl_vec3_sub(rigid->carried.rest + 3 * node, pose->C, rest);
    pl_mat3_apply(pose->R, rest, arm);
    for (int i = 0; i < 3; i++) x[i] += w * (arm[i] + pose->t[i]);
    if (!J) continue;
    const double turn[9] = {0, arm[2], -arm[1], -arm[2], 0, arm[0], arm[1], -arm[0], 0};
    for (int i = 0; i < 9; i++, J++) J[0] = w * turn[i], J[9] = w * (i % 4 == 0);
    J += 9;
  }
}

/* With g = s_i b^-1, A0 = g_w I - hat(g_v) and Ae likewise of its dual part: the paper's eq. 7 is
 * J_i = w_i [-hat(x) A0 + Ae + A0 hat(t_i), A0]. */
static void carry_dual(const pl_rigid *rigid, int node, double x[3], double *J)
{
  double b[8] = {0}, inverse[8], R[9], t[3];
  for (int k = rigid->carried.start[node]; k < rigid->carried.start[node + 1]; k++) {
    for (int i = 0; i < 8; i++)
      b[i] += rigid->carried.share[k] * rigid->poses[rigid->carried.carrier[k]].s[i];
  }
  dual_dual_motion(b, R, t);
  pl_mat3_apply(R, rigid->carried.rest + 3 * node, x);
  pl_vec3_add(x, t, x);
  if (!J) return;
  dual_dual_inverse(b, inverse);
  for (int k = rigid->carried.start[node]; k < rigid->carried.start[node + 1]; k++, J += 18) {
    const pl_pose *pose = &rigid->poses[rigid->carried.carrier[k]];
    double g[8];
    dual_dual_multiply(pose->s, inverse, g);
    for (int axis = 0; axis < 3; axis++) {
      double e[3] = {axis == 0, axis == 1, axis == 2}, at[3], turn[3], shift[3], other[3];
      for (int i = 0; i < 3; i++) {
        int p = (i + 1) % 3, q = (i + 2) % 3;
        turn[i] = g[3] * e[i] - (g[p] * e[q] - g[q] * e[p]);
        shift[i] = g[7] * e[i] - (g[4 + p] * e[q] - g[4 + q] * e[p]);
      }
      pl_vec3_cross(pose->t, e, at);
      for (int i = 0; i < 3; i++) {
        int p = (i + 1) % 3, q = (i + 2) % 3;
        shift[i] += g[3] * at[i] - (g[p] * at[q] - g[q] * at[p]);
      }
      pl_vec3_cross(turn, x, other);
      for (int i = 0; i < 3; i++) {
        J[3 * i + axis] = rigid->carried.share[k] * (shift[i] + other[i]);
        J[9 + 3 * i + axis] = rigid->carried.share[k] * turn[i];
      }
    }
  }
}

static void carry(const pl_rigid *rigid, int node, double x[3], double *J)
{
  if (rigid->blend == PL_BLEND_DUAL)
    carry_dual(rigid, node, x, J);
  else
    carry_linear(rigid, node, x, J);
}

void pl_rigid_nodes(const pl_model *self, const double *q, const double *v, double *out)
{
  pl_rigid *rigid = self->state;
  pl_rigid_pose(rigid, q, NULL);
  for (int n = 0; n < rigid->carried.nodes; n++) {
    double x[3], J[18 * PL_MOST_FRAMES], *to = out + 3 * (size_t)n;
    carry(rigid, n, x, v ? J : NULL);
    pl_vec3_add(x, rigid->middle, to);
    if (!v) continue;
    pl_vec3_set(to, 0, 0, 0);
    for (int k = 2 * rigid->carried.start[n], i = 0; k < 2 * rigid->carried.start[n + 1];
         k++, i++) {
      pl_mat3_apply(J + 9 * i, v + 3 * rigid->carried.pair_carrier[k], x);
      pl_vec3_add(to, x, to);
    }
  }
}

void pl_rigid_spread(const pl_model *self, const double *q, const double *nodal, double *f)
{
  pl_rigid *rigid = self->state;
  pl_rigid_pose(rigid, q, NULL);
  for (int n = 0; n < rigid->carried.nodes; n++) {
    double x[3], J[18 * PL_MOST_FRAMES];
    const double *force = nodal + 3 * (size_t)n;
    if (force[0] == 0 && force[1] == 0 && force[2] == 0) continue;
    carry(rigid, n, x, J);
    for (int k = 2 * rigid->carried.start[n], i = 0; k < 2 * rigid->carried.start[n + 1];
         k++, i++) {
      double *to = f + 3 * rigid->carried.pair_carrier[k];
      pl_mat3_apply_t(J + 9 * i, force, x);
      pl_vec3_add(to, x, to);
    }
  }
}

int pl_rigid_carriers(const pl_model *self, int node, const int **blocks, const double **weights)
{
  const pl_rigid *rigid = self->state;
  *blocks = rigid->carried.pair_carrier + 2 * rigid->carried.start[node];
  *weights = rigid->carried.pair_share + 2 * rigid->carried.start[node];
  return 2 * (rigid->carried.start[node + 1] - rigid->carried.start[node]);
}

void pl_rigid_jacobian(const pl_model *self, const double *q, int node, double x[3], double *J)
{
  pl_rigid *rigid = self->state;
  pl_rigid_pose(rigid, q, NULL);
  carry(rigid, node, x, J);
  pl_vec3_add(x, rigid->middle, x);
}

void pl_rigid_ride(const pl_model *self, const double *q, int frame, const double X[3], double x[3],
                   double *J)
{
  double quat[4], R[9], rest[3], arm[3];
  pl_quat_of_vector(q + 6 * frame, quat);
  pl_quat_matrix(quat, R);
  pl_vec3_sub(X, self->rest + 6 * frame + 3, rest);
  pl_mat3_apply(R, rest, arm);
  pl_vec3_add(q + 6 * frame + 3, arm, x);
  const double turn[9] = {0, arm[2], -arm[1], -arm[2], 0, arm[0], arm[1], -arm[0], 0};
  for (int i = 0; i < 9; i++) J[i] = turn[i], J[9 + i] = i % 4 == 0;
}

void pl_rigid_adopt(const pl_model *self, int frame, const pl_model *from, int frame_from,
                    const double *q_from, const double *v_from, double *q, double *v)
{
  double quat[4], R[9], rest[3], arm[3], speed[3];
  pl_quat_of_vector(q_from, quat);
  pl_quat_matrix(quat, R);
  pl_vec3_sub(self->rest + 6 * frame + 3, from->rest + 6 * frame_from + 3, rest);
  pl_mat3_apply(R, rest, arm);
  pl_vec3_cross(v_from, arm, speed);
  pl_vec3_copy(q_from, q);
  pl_vec3_copy(v_from, v);
  pl_vec3_add(q_from + 3, arm, q + 3);
  pl_vec3_add(v_from + 3, speed, v + 3);
}
