/* Obstacles: made from their definitions, asked for gaps, watched for nodes on their way in.
 *
 * A node's way through a substep is taken as straight in the obstacle's own axes. Whether it meets
 * the surface is found by sphere tracing (J. C. Hart 1996): from a point at the distance d nothing
 * is met within d. */
#include "couple/obstacle.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/mat3.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

/* Cosine between normals of one side: two faces that meet at right angles never come as near. */
#define SAME_SIDE 0.9

enum { MOST_TRACES = 48, MOST_SETTINGS = 64 };

/* ---- making ---- */

enum { FRICTION, STATIC_FRICTION, RESTITUTION, CHANGEABLE, MARGIN = CHANGEABLE, SURFACE_COUNT };

static const pl_param surface[SURFACE_COUNT] = {
    [FRICTION] = {"friction", "1", "", 0, 0, 100, NULL, 1},
    [STATIC_FRICTION] = {"static-friction", "1", "", NAN, 0, 100, NULL, 1},
    [RESTITUTION] = {"restitution", "1", "", 0, 0, 1, NULL, 1},
    [MARGIN] = {"margin", "m", "", 0, 0, 1e9, NULL, 1},
};

static int surface_param(const char *name)
{
  for (int i = 0; name && i < SURFACE_COUNT; i++) {
    if (strcmp(surface[i].name, name) == 0) return i;
  }
  return -1;
}

static pl_status take_surface(const pl_setting *setting, int param, double *value, pl_error *error)
{
  return setting->word ? pl_param_parse(&surface[param], setting->word, value, error)
                       : pl_param_check(&surface[param], setting->value, value, error);
}

/* Splits the settings into those of the surface and those of the shape. */
static pl_status split(const pl_choice *choice, pl_setting *kept, int *count,
                       double values[SURFACE_COUNT], pl_error *error)
{
  for (int i = 0; i < SURFACE_COUNT; i++) values[i] = surface[i].preset;
  *count = 0;
  for (int i = 0; i < choice->setting_count; i++) {
    int param = surface_param(choice->settings[i].name);
    pl_status status = PL_OK;
    if (param >= 0)
      status = take_surface(&choice->settings[i], param, &values[param], error);
    else if (*count < MOST_SETTINGS)
      kept[(*count)++] = choice->settings[i];
    else
      status = pl_fail(error, PL_E_LIMIT, "an obstacle has at most %d settings", MOST_SETTINGS);
    if (status) return status;
  }
  return PL_OK;
}

pl_status pl_obstacle_set_surface(pl_obstacle *to, const double values[3], pl_error *error)
{
  double taken[CHANGEABLE];
  for (int i = 0; i < CHANGEABLE; i++) {
    taken[i] = isnan(values[i]) && i == STATIC_FRICTION ? values[FRICTION] : values[i];
    pl_status status = pl_param_check(&surface[i], &taken[i], &taken[i], error);
    if (status) return status;
  }
  if (taken[STATIC_FRICTION] < taken[FRICTION])
    return pl_fail(error, PL_E_ARGUMENT,
                   "static-friction = %g must be at least the friction of what slides, %g",
                   taken[STATIC_FRICTION], taken[FRICTION]);
  to->friction = taken[FRICTION];
  to->static_friction = taken[STATIC_FRICTION];
  to->restitution = taken[RESTITUTION];
  return PL_OK;
}

static pl_status check_lists(const pl_obstacle_def *def, pl_error *error)
{
  if (def->shape.setting_count < 0 || (def->shape.setting_count && !def->shape.settings))
    return pl_fail(error, PL_E_ARGUMENT, "the obstacle has %d settings, but no list of them",
                   def->shape.setting_count);
  if (def->part_count < 0 || (def->part_count && !def->parts))
    return pl_fail(error, PL_E_ARGUMENT, "the obstacle has %d parts, but no list of them",
                   def->part_count);
  if (def->motion_count < 0 || (def->motion_count && !def->motions))
    return pl_fail(error, PL_E_ARGUMENT, "the obstacle has %d motions, but no list of them",
                   def->motion_count);
  return PL_OK;
}

static pl_status make_shape(const pl_obstacle_def *def, const pl_choice *root,
                            const pl_allocator *allocator, pl_obstacle *to, pl_error *error)
{
  int count = def->part_count + 1;
  pl_shape_row *rows = pl_alloc(allocator, (size_t)count, sizeof *rows);
  if (!rows) return pl_fail_memory(error);
  rows[0] = (pl_shape_row){
      .shape = *root,
      .source = {
          .mesh = def->mesh, .columns = def->columns, .rows = def->rows, .heights = def->heights}};
  for (int i = 1; i < count; i++) {
    const pl_part_def *part = &def->parts[i - 1];
    rows[i] =
        (pl_shape_row){.shape = part->shape, .source = {.mesh = part->mesh}, .depth = part->depth};
  }
  pl_status status = pl_shape_create(rows, count, allocator, &to->shape, error);
  pl_free(allocator, rows);
  if (!status) pl_shape_bounds(to->shape, to->low, to->high);
  return status;
}

static pl_status make_motions(const pl_obstacle_def *def, const pl_allocator *allocator,
                              pl_obstacle *to, pl_error *error)
{
  pl_status status = PL_OK;
  if (!def->motion_count) return PL_OK;
  to->motions = pl_alloc(allocator, (size_t)def->motion_count, sizeof *to->motions);
  if (!to->motions) return pl_fail_memory(error);
  for (int i = 0; i < def->motion_count && !status; i++, to->motion_count++)
    status = pl_motion_make(&def->motions[i], allocator, &to->motions[i], error);
  return status;
}

pl_status pl_obstacle_make(const pl_obstacle_def *def, const pl_allocator *allocator,
                           pl_obstacle *to, pl_error *error)
{
  pl_setting kept[MOST_SETTINGS];
  double values[SURFACE_COUNT];
  *to = (pl_obstacle){0};
  pl_choice root = {.name = def->shape.name, .settings = kept};
  pl_status status = check_lists(def, error);
  if (!status) status = split(&def->shape, kept, &root.setting_count, values, error);
  if (!status) status = pl_obstacle_set_surface(to, values, error);
  if (!status) status = make_shape(def, &root, allocator, to, error);
  if (!status) status = make_motions(def, allocator, to, error);
  if (!status) {
    to->shape->margin = values[MARGIN];
    for (int k = 0; k < 3; k++) to->low[k] -= values[MARGIN], to->high[k] += values[MARGIN];
    to->name = pl_strdup(allocator, def->name ? def->name : "obstacle");
    if (!to->name) status = pl_fail_memory(error);
  }
  if (status) pl_obstacle_release(allocator, to);
  pl_obstacle_begin(to, 0, 0);
  return status;
}

void pl_obstacle_release(const pl_allocator *allocator, pl_obstacle *obstacle)
{
  for (int i = 0; i < obstacle->motion_count; i++)
    pl_motion_release(allocator, &obstacle->motions[i]);
  pl_free(allocator, obstacle->motions);
  pl_shape_destroy(allocator, obstacle->shape);
  pl_free(allocator, obstacle->name);
  *obstacle = (pl_obstacle){0};
}

/* ---- where it is ---- */

void pl_obstacle_axes(const pl_obstacle *obstacle, double t, pl_axes *pose)
{
  if (obstacle->motion_count || !obstacle->placement)
    pl_motions_pose(obstacle->motions, obstacle->motion_count, t, pose);
  else
    pl_placement_pose(obstacle->placement, t, pose);
}

void pl_obstacle_begin(pl_obstacle *obstacle, double t, double end)
{
  obstacle->is_placed =
      obstacle->motion_count || (obstacle->placement && pl_placement_exists(obstacle->placement));
  pl_obstacle_axes(obstacle, t, &obstacle->start);
  pl_obstacle_axes(obstacle, end, &obstacle->end);
  obstacle->mid = obstacle->end;
}

/* ---- gaps ---- */

int pl_obstacle_is_flat(const pl_obstacle *obstacle) { return obstacle->shape->ops->is_flat; }

double pl_obstacle_friction(const pl_obstacle *obstacle) { return obstacle->friction; }

double pl_obstacle_gap_in(const pl_obstacle *obstacle, const pl_axes *pose, const double x[3],
                          double normal[3], double *hessian)
{
  double own[3], n[3], half[9];
  if (!obstacle->is_placed) return pl_shape_gap(obstacle->shape, x, normal, hessian);
  pl_axes_own(pose, x, own);
  double gap = pl_shape_gap(obstacle->shape, own, n, hessian);
  pl_mat3_apply(pose->place.R, n, normal);
  if (!hessian) return gap;
  pl_mat3_multiply(pose->place.R, hessian, half);
  pl_mat3_multiply_nt(half, pose->place.R, hessian);
  return gap;
}

double pl_obstacle_gap(const pl_obstacle *obstacle, const double x[3], double normal[3])
{
  return pl_obstacle_gap_in(obstacle, &obstacle->end, x, normal, NULL);
}

/* A place in its own axes; those of one that is nowhere placed are the world's. */
static void look_from(const pl_obstacle *obstacle, const pl_axes *pose, const double x[3],
                      double own[3])
{
  if (obstacle->is_placed)
    pl_axes_own(pose, x, own);
  else
    pl_vec3_copy(x, own);
}

/* Is the box around a way apart from the box around the shape? */
static int is_apart(const pl_obstacle *obstacle, const double from[3], const double to[3])
{
  for (int k = 0; k < 3; k++) {
    if (from[k] < obstacle->low[k] && to[k] < obstacle->low[k]) return 1;
    if (from[k] > obstacle->high[k] && to[k] > obstacle->high[k]) return 1;
  }
  return 0;
}

/* Follows the way from outside until it meets the surface within slack; 0: it does not. */
static int trace(const pl_shape *shape, const double from[3], const double to[3], double slack,
                 double hit[3])
{
  double length = pl_vec3_distance(from, to), way[3], normal[3], s = 0;
  pl_vec3_sub(to, from, way);
  for (int i = 0; i < MOST_TRACES; i++) {
    pl_vec3_copy(from, hit);
    pl_vec3_add_scaled(s, way, hit);
    double gap = pl_shape_gap(shape, hit, normal, NULL);
    if (gap <= slack) return i > 0;
    s += gap / length;
    if (!(s < 1)) return 0;
  }
  return 0;
}

int pl_obstacle_catches(const pl_obstacle *obstacle, const double x0[3], const double x[3],
                        double slack, double foot[3], double normal[3])
{
  const pl_shape *shape = obstacle->shape;
  double from[3], to[3], at[3], n[3], other[3];
  look_from(obstacle, &obstacle->start, x0, from);
  look_from(obstacle, &obstacle->end, x, to);
  if (is_apart(obstacle, from, to)) return 0;
  double gap = pl_shape_gap(shape, to, n, NULL), length = pl_vec3_distance(from, to);
  // a gap changes by no more than the way is long: so far away it began beyond its own reach
  if (gap - slack > 2 * length) return 0;
  double before = pl_shape_gap(shape, from, other, NULL);
  if (!(before - slack <= length) && !(gap < -slack)) return 0;
  // where it ends inside and faces as it did outside it has come in by that side
  int in = gap < -slack && pl_vec3_dot(n, other) > SAME_SIDE;
  int met = !in && before > slack && trace(shape, from, to, slack, at);
  if (!met && !(gap < -slack)) return 0;
  if (met) {
    double there = pl_shape_gap(shape, at, other, NULL);
    // out again on the other side, or nearer to it
    if (gap >= -slack && pl_vec3_dot(n, other) > 0) return 0;
    if (gap >= -slack || pl_vec3_dot(n, other) <= 0) {
      gap = there;
      pl_vec3_copy(at, to);
      pl_vec3_copy(other, n);
    }
  }
  if (!isfinite(gap)) return 0;
  pl_vec3_add_scaled(-gap, n, to);
  pl_axes_point(&obstacle->end, to, foot);
  pl_mat3_apply(obstacle->end.place.R, n, normal);
  return 1;
}
