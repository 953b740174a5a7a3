/* The family of motions, and poses made of them. */
#include "shape/motion.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/mat3.h"
#include "math/rotation.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define X(name) &pl_motion_##name.info,
PL_FAMILY(motion, "how obstacles move", PL_MOTIONS(X));
#undef X

/* ---- making ---- */

pl_status pl_motion_finish_axis(double *axis, pl_error *error)
{
  double length = pl_vec3_norm(axis);
  if (isnan(axis[0]) && isnan(axis[1]) && isnan(axis[2])) {
    pl_vec3_set(axis, 0, 0, 1);
    return PL_OK;
  }
  if (!(length > 0) || !isfinite(1 / length))
    return pl_fail(error, PL_E_ARGUMENT, "axis = %g %g %g has no direction", axis[0], axis[1],
                   axis[2]);
  pl_vec3_scale(1 / length, axis, axis);
  return PL_OK;
}

static pl_status check_key(const pl_motion_key *keys, int i, pl_error *error)
{
  int known = isfinite(keys[i].time);
  for (int k = 0; k < 3; k++)
    known = known && fabs(keys[i].translation[k]) <= PL_FAR && fabs(keys[i].rotation[k]) <= 1e6;
  if (!known)
    return pl_fail_entity(error, PL_E_ARGUMENT, i,
                          "key %d needs a finite time, translation and rotation", i + 1);
  if (i == 0 || keys[i].time > keys[i - 1].time) return PL_OK;
  return pl_fail_entity(error, PL_E_ARGUMENT, i,
                        "key %d at %g s must come after the one before it, at %g s", i + 1,
                        keys[i].time, keys[i - 1].time);
}

static pl_status copy_keys(const pl_motion_def *def, const pl_allocator *allocator,
                           pl_motion *motion, pl_error *error)
{
  int has_keys = ((const pl_motion_ops *)motion->part.member)->has_keys;
  if (def->key_count < 0 || (def->key_count && !def->keys))
    return pl_fail(error, PL_E_ARGUMENT, "a motion has %d keys, but no list of them",
                   def->key_count);
  if (has_keys && !def->key_count)
    return pl_fail(error, PL_E_ARGUMENT, "a motion by keyframes needs at least one key");
  if (!has_keys && def->key_count)
    return pl_fail(error, PL_E_ARGUMENT, "a motion by %s has no keys; use keyframes",
                   motion->part.member->name);
  for (int i = 0; i < def->key_count; i++) {
    pl_status status = check_key(def->keys, i, error);
    if (status) return status;
  }
  if (!has_keys) return PL_OK;
  motion->keys = pl_alloc(allocator, (size_t)def->key_count, sizeof *motion->keys);
  if (!motion->keys) return pl_fail_memory(error);
  memcpy(motion->keys, def->keys, (size_t)def->key_count * sizeof *motion->keys);
  motion->key_count = def->key_count;
  return PL_OK;
}

pl_status pl_motion_make(const pl_motion_def *def, const pl_allocator *allocator, pl_motion *motion,
                         pl_error *error)
{
  *motion = (pl_motion){0};
  pl_status status = pl_choice_resolve(&pl_motion_family, &def->motion, &motion->part.member,
                                       motion->part.values, error);
  if (status) return status;
  const pl_motion_ops *ops = (const pl_motion_ops *)motion->part.member;
  if (ops->finish_values) status = ops->finish_values(motion->part.values, error);
  return status ? status : copy_keys(def, allocator, motion, error);
}

void pl_motion_release(const pl_allocator *allocator, pl_motion *motion)
{
  pl_free(allocator, motion->keys);
  *motion = (pl_motion){0};
}

/* ---- poses ---- */

void pl_axes_rest(pl_axes *pose) { *pose = (pl_axes){.place = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}}; }

/* x' = c + Q (x - c) + d, so v' = d' + w x (x' - c - d) + Q v, and spins add. */
static void carry_on(const pl_turn *turn, pl_axes *pose)
{
  double q[4], Q[9], R[9], arm[3], carried[3], around[3];
  pl_quat_of_vector(turn->angle, q);
  pl_quat_matrix(q, Q);
  pl_vec3_sub(pose->place.origin, turn->centre, arm);
  pl_mat3_apply(Q, arm, carried);
  pl_vec3_add(carried, turn->centre, pose->place.origin);
  pl_vec3_add(pose->place.origin, turn->translation, pose->place.origin);
  pl_vec3_cross(turn->spin, carried, around);
  pl_mat3_apply(Q, pose->velocity, arm);
  for (int k = 0; k < 3; k++) pose->velocity[k] = arm[k] + around[k] + turn->velocity[k];
  pl_mat3_apply(Q, pose->spin, arm);
  pl_vec3_add(arm, turn->spin, pose->spin);
  pl_mat3_multiply(Q, pose->place.R, R);
  memcpy(pose->place.R, R, sizeof R);
}

void pl_motions_pose(const pl_motion *motions, int count, double t, pl_axes *pose)
{
  pl_axes_rest(pose);
  for (int i = 0; i < count; i++) {
    pl_turn turn = {.angle = {0}};
    ((const pl_motion_ops *)motions[i].part.member)->at(&motions[i], t, &turn);
    carry_on(&turn, pose);
  }
}

void pl_axes_between(const pl_place *from, const pl_place *to, double s, double h, pl_axes *pose)
{
  double between[9], q[4], turn[3];
  pl_mat3_multiply_nt(to->R, from->R, between);
  pl_quat_of_matrix(between, q);
  if (q[3] < 0) {
    for (int k = 0; k < 4; k++) q[k] = -q[k];
  }
  pl_vector_of_quat(q, turn);
  for (int k = 0; k < 3; k++) {
    double way = to->origin[k] - from->origin[k];
    pose->place.origin[k] = s < 1 ? from->origin[k] + s * way : to->origin[k];
    pose->velocity[k] = h > 0 ? way / h : 0;
    pose->spin[k] = h > 0 ? turn[k] / h : 0;
    turn[k] *= s;
  }
  pl_quat_of_vector(turn, q);
  pl_quat_matrix(q, between);
  if (s < 1)
    pl_mat3_multiply(between, from->R, pose->place.R);
  else
    memcpy(pose->place.R, to->R, sizeof between);
}

void pl_axes_own(const pl_axes *pose, const double x[3], double own[3])
{
  double away[3];
  pl_vec3_sub(x, pose->place.origin, away);
  pl_mat3_apply_t(pose->place.R, away, own);
}

void pl_axes_point(const pl_axes *pose, const double own[3], double x[3])
{
  double turned[3];
  pl_mat3_apply(pose->place.R, own, turned);
  pl_vec3_add(turned, pose->place.origin, x);
}

void pl_axes_velocity(const pl_axes *pose, const double x[3], double v[3])
{
  double arm[3];
  pl_vec3_sub(x, pose->place.origin, arm);
  pl_vec3_cross(pose->spin, arm, v);
  pl_vec3_add(v, pose->velocity, v);
}
