/* The family of obstacles' shapes, and trees of them. */
#include "shape/obstacle.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/mat3.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "shape/motion.h"

#include <math.h>
#include <string.h>

#define X(name) &pl_obstacle_##name.info,
PL_FAMILY(obstacle, "rigid things that bodies touch", PL_OBSTACLES(X));
#undef X

/* ---- axes ---- */

pl_status pl_shape_finish_axis(double *values, pl_error *error)
{
  return pl_motion_finish_axis(values + PL_AXIS_AT, error);
}

void pl_shape_place_axis(const double *values, pl_place *place)
{
  const double *axis = values + PL_AXIS_AT;
  double across[3] = {0}, other[3];
  across[fabs(axis[0]) < 0.7 ? 0 : 1] = 1;
  pl_vec3_add_scaled(-pl_vec3_dot(across, axis), axis, across);
  pl_vec3_scale(1 / pl_vec3_norm(across), across, across);
  pl_vec3_cross(axis, across, other);
  for (int k = 0; k < 3; k++) {
    place->R[3 * k] = across[k];
    place->R[3 * k + 1] = other[k];
    place->R[3 * k + 2] = axis[k];
  }
  pl_vec3_copy(values + PL_CENTRE_AT, place->origin);
}

void pl_shape_place_rotation(const double *values, pl_place *place)
{
  double turn[3], q[4];
  pl_vec3_scale(PL_PI / 180, values + PL_AXIS_AT, turn);
  pl_quat_of_vector(turn, q);
  pl_quat_matrix(q, place->R);
  pl_vec3_copy(values + PL_CENTRE_AT, place->origin);
}

void pl_shape_round(double scale, const double n[3], double *hessian)
{
  for (int k = 0; hessian && k < 9; k++) hessian[k] = scale * ((k % 4 == 0) - n[k / 3] * n[k % 3]);
}

/* H in the axes of the place becomes R H R^T. */
static void turn_hessian(const double R[9], double H[9])
{
  double half[9];
  pl_mat3_multiply(R, H, half);
  pl_mat3_multiply_nt(half, R, H);
}

/* ---- making ---- */

static pl_status make_one(const pl_shape_row *row, const pl_allocator *allocator, pl_shape *to,
                          pl_error *error)
{
  pl_status status =
      pl_choice_resolve(&pl_obstacle_family, &row->shape, &to->part.member, to->part.values, error);
  if (status) return status;
  const pl_obstacle_ops *ops = (const pl_obstacle_ops *)to->part.member;
  if (ops->finish_values) status = ops->finish_values(to->part.values, error);
  if (status) return status;
  to->ops = ops; // from here on it can be destroyed
  to->span = 1;
  if (ops->place) ops->place(to->part.values, &to->place);
  return ops->build ? ops->build(to, &row->source, allocator, error) : PL_OK;
}

static pl_status check_depth(const pl_shape_row *rows, int i, const pl_shape *parent,
                             pl_error *error)
{
  if (i == 0 && rows[0].depth == 0) return PL_OK;
  if (rows[i].depth > PL_MOST_SHAPE_DEPTH)
    return pl_fail(error, PL_E_LIMIT, "shapes may stand at most %d deep inside each other",
                   PL_MOST_SHAPE_DEPTH);
  if (i == 0 || rows[i].depth < 1 || rows[i].depth > rows[i - 1].depth + 1)
    return pl_fail(error, PL_E_ARGUMENT, "the depth %d of a part fits no shape above it",
                   rows[i].depth);
  if (parent->ops->min_parts) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT,
                 "a %s has no parts; use a union to put shapes together, or remove them",
                 parent->ops->info.name);
}

/* The direct parts of a shape. */
static int part_count(const pl_shape *shape)
{
  int count = 0;
  for (int i = 1; i < shape->span; i += shape[i].span) count++;
  return count;
}

static pl_status check_parts(const pl_shape *shapes, int i, pl_error *error)
{
  int parts = part_count(&shapes[i]), min = shapes[i].ops->min_parts;
  if (parts >= min) return PL_OK;
  return pl_fail_entity(error, PL_E_ARGUMENT, i,
                        "a %s of %d shapes is none; put at least %d shapes inside",
                        shapes[i].ops->info.name, parts, min);
}

static pl_status make_all(const pl_shape_row *rows, int count, const pl_allocator *allocator,
                          pl_shape *shapes, pl_error *error)
{
  int above[PL_MOST_SHAPE_DEPTH + 2] = {0};
  for (int i = 0; i < count; i++) {
    int depth = rows[i].depth;
    int known = depth >= 1 && depth <= PL_MOST_SHAPE_DEPTH;
    pl_status status = check_depth(rows, i, known ? &shapes[above[depth - 1]] : shapes, error);
    if (!status) status = make_one(&rows[i], allocator, &shapes[i], error);
    if (status && error && error->entity < 0) error->entity = i;
    if (status) return status;
    above[depth] = i;
    for (int d = 0; d < depth; d++) shapes[above[d]].span++;
  }
  for (int i = 0; i < count; i++) {
    pl_status status = check_parts(shapes, i, error);
    if (status) return status;
  }
  return PL_OK;
}

pl_status pl_shape_create(const pl_shape_row *rows, int count, const pl_allocator *allocator,
                          pl_shape **shape, pl_error *error)
{
  *shape = NULL;
  if (count < 1 || count > PL_MOST_SHAPES)
    return pl_fail(error, PL_E_LIMIT, "an obstacle of %d shapes must have 1 to %d", count,
                   PL_MOST_SHAPES);
  // one more, without ops, marks the end for destroy
  pl_shape *made = pl_alloc(allocator, (size_t)count + 1, sizeof *made);
  if (!made) return pl_fail_memory(error);
  pl_status status = make_all(rows, count, allocator, made, error);
  if (status) {
    pl_shape_destroy(allocator, made);
    return status;
  }
  *shape = made;
  return PL_OK;
}

void pl_shape_destroy(const pl_allocator *allocator, pl_shape *shape)
{
  for (pl_shape *at = shape; at && at->ops; at++) {
    if (at->ops->destroy) at->ops->destroy(at, allocator);
  }
  pl_free(allocator, shape);
}

/* ---- asking ---- */

static int is_inverted(const pl_shape *shape)
{
  return shape->ops->has_sides && shape->part.values[PL_SIDE_AT] > 0;
}

/* From the shape's own axes to those around it. */
static double gap_placed(const pl_shape *shape, const double x[3], double normal[3],
                         double *hessian)
{
  const pl_place *place = &shape->place;
  double away[3], own[3], n[3];
  pl_vec3_sub(x, place->origin, away);
  pl_mat3_apply_t(place->R, away, own);
  double gap = shape->ops->gap(shape, own, n, hessian);
  pl_mat3_apply(place->R, n, normal);
  if (hessian) turn_hessian(place->R, hessian);
  return gap;
}

double pl_shape_gap(const pl_shape *shape, const double x[3], double normal[3], double *hessian)
{
  double gap = shape->ops->place ? gap_placed(shape, x, normal, hessian)
                                 : shape->ops->gap(shape, x, normal, hessian);
  if (!is_inverted(shape)) return gap - shape->margin;
  pl_vec3_scale(-1, normal, normal);
  for (int k = 0; hessian && k < 9; k++) hessian[k] = -hessian[k];
  return -gap - shape->margin;
}

void pl_place_box(const pl_place *place, double low[3], double high[3])
{
  double own_low[3], own_high[3];
  pl_vec3_copy(low, own_low);
  pl_vec3_copy(high, own_high);
  for (int k = 0; k < 3; k++) {
    low[k] = high[k] = place->origin[k];
    for (int j = 0; j < 3; j++) {
      double r = place->R[3 * k + j];
      if (r == 0) continue; // times infinity
      low[k] += fmin(r * own_low[j], r * own_high[j]);
      high[k] += fmax(r * own_low[j], r * own_high[j]);
    }
  }
}

void pl_shape_bounds(const pl_shape *shape, double low[3], double high[3])
{
  if (is_inverted(shape)) {
    pl_vec3_set(low, -INFINITY, -INFINITY, -INFINITY);
    pl_vec3_set(high, INFINITY, INFINITY, INFINITY);
    return;
  }
  shape->ops->bounds(shape, low, high);
  if (shape->ops->place) pl_place_box(&shape->place, low, high);
}

pl_status pl_shape_draw(const pl_shape *shape, const pl_drawing_view *view, pl_drawing *drawing,
                        pl_error *error)
{
  size_t first = drawing->point_count, first_triangle = drawing->triangle_count;
  pl_status status = shape->ops->draw(shape, view, drawing, error);
  if (!status && drawing->failed) status = pl_fail_memory(error);
  if (status) return status;
  for (size_t i = first; i < drawing->point_count && shape->ops->place; i++) {
    double turned[3], *x = drawing->points + 3 * i;
    pl_mat3_apply(shape->place.R, x, turned);
    pl_vec3_add(turned, shape->place.origin, x);
  }
  // counter-clockwise seen from where bodies may be
  for (size_t t = first_triangle; t < drawing->triangle_count && is_inverted(shape); t++) {
    int *corner = drawing->triangles + 3 * t, kept = corner[1];
    corner[1] = corner[2];
    corner[2] = kept;
  }
  return PL_OK;
}
