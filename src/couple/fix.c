/* Fixes: rows that hold blocks along given directions and carry them along a given path. */
#include "couple/fix.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/functions.h"
#include "math/rotation.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

/* ---- making one ---- */

static pl_status check_fix(const pl_fix_def *def, pl_error *error)
{
  double length = 0, numbers[] = {def->angle, def->axis[0], def->axis[1], def->axis[2]};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (!isfinite(numbers[i]))
      return pl_fail(error, PL_E_ARGUMENT, "angle and axis must be finite");
  }
  for (int k = 0; k < 3; k++) {
    if (!isfinite(def->translation[k]) || !isfinite(def->centre[k]) || !isfinite(def->offset[k]))
      return pl_fail(error, PL_E_ARGUMENT, "translation, centre and offset must be finite");
    length += def->axis[k] * def->axis[k];
  }
  if (def->angle != 0 && (!(length > 0) || !isfinite(length)))
    return pl_fail(error, PL_E_ARGUMENT, "a turn by %g degrees needs an axis that has a direction",
                   def->angle);
  if (def->free_axis[0] && def->free_axis[1] && def->free_axis[2])
    return pl_fail(error, PL_E_ARGUMENT, "a fix that leaves x, y and z free holds nothing");
  double normal = pl_vec3_norm(def->normal), along = pl_vec3_norm(def->along);
  if (!isfinite(normal) || !isfinite(along))
    return pl_fail(error, PL_E_ARGUMENT, "normal and along must be finite");
  int axes = def->free_axis[0] || def->free_axis[1] || def->free_axis[2];
  if ((normal > 0) + (along > 0) + axes > 1)
    return pl_fail(error, PL_E_ARGUMENT,
                   "axes, normal and along say the same thing in three ways; give one of them");
  return PL_OK;
}

/* The directions that it holds: axes, a plane's normal, or what is at right angles to a rail. */
static void find_hold(const pl_fix_def *def, pl_fix *fix)
{
  double normal = pl_vec3_norm(def->normal), along = pl_vec3_norm(def->along);
  if (normal > 0) {
    fix->hold_count = 1;
    pl_vec3_scale(1 / normal, def->normal, fix->hold[0]);
  } else if (along > 0) {
    // the axis that lies least along the rail shows where the first one goes
    double e[3] = {0}, way[3];
    int min = 0;
    pl_vec3_scale(1 / along, def->along, way);
    for (int k = 1; k < 3; k++) {
      if (fabs(way[k]) < fabs(way[min])) min = k;
    }
    e[min] = 1;
    fix->hold_count = 2;
    pl_vec3_cross(way, e, fix->hold[0]);
    pl_vec3_scale(1 / pl_vec3_norm(fix->hold[0]), fix->hold[0], fix->hold[0]);
    pl_vec3_cross(way, fix->hold[0], fix->hold[1]);
  } else {
    for (int k = 0; k < 3; k++) {
      if (!def->free_axis[k]) fix->hold[fix->hold_count++][k] = 1;
    }
  }
}

/* Which of its nodes are blocks changes, which ones it holds does not. */
static pl_status keep_chosen(pl_fix *fix, const pl_body *body, const pl_fix_def *def,
                             pl_error *error)
{
  const pl_bodies *bodies = fix->base.bodies;
  int *list, count;
  fix->chosen = pl_alloc(bodies->allocator, (size_t)body->mesh->node_count, 1);
  if (!fix->chosen) return pl_fail_memory(error);
  pl_status status =
      pl_body_select(bodies, body, def->where, def->where_count, 0, &list, &count, error);
  for (int i = 0; i < count && !status; i++) fix->chosen[list[i]] = 1;
  pl_free(bodies->allocator, list);
  return status;
}

/* Scalars that are held where the nodes are in all directions. */
static pl_status find_scalars(const pl_allocator *allocator, const pl_body *body, pl_fix *fix,
                              pl_error *error)
{
  const pl_model *model = body->model;
  if (!model->ops->scalars.held || fix->hold_count < 3) return PL_OK;
  unsigned char *held = pl_alloc(allocator, (size_t)body->mesh->node_count, 1);
  if (!held) return pl_fail_memory(error);
  for (int i = 0; i < fix->count; i++) held[fix->nodes[i]] = 1;
  fix->scalar_count = model->ops->scalars.held(model, held, NULL);
  fix->scalars = pl_alloc(allocator, (size_t)fix->scalar_count, sizeof *fix->scalars);
  if (fix->scalars) (void)model->ops->scalars.held(model, held, fix->scalars);
  pl_free(allocator, held);
  return fix->scalars ? PL_OK : pl_fail_memory(error);
}

pl_status pl_fix_make(pl_fix *fix, const pl_fix_def *def, pl_error *error)
{
  const pl_bodies *bodies = fix->base.bodies;
  const pl_body *body = &bodies->list[fix->base.acts_on[0]];
  pl_status status = check_fix(def, error);
  if (status) return status;
  find_hold(def, fix);
  fix->angle = def->angle;
  memcpy(fix->translation, def->translation, sizeof fix->translation);
  memcpy(fix->centre, def->centre, sizeof fix->centre);
  memcpy(fix->axis, def->axis, sizeof fix->axis);
  memcpy(fix->offset, def->offset, sizeof fix->offset);
  status = pl_body_select(bodies, body, def->where, def->where_count, 1, &fix->nodes, &fix->count,
                          error);
  if (!status && body->refinement) status = keep_chosen(fix, body, def, error);
  if (!status) status = find_scalars(bodies->allocator, body, fix, error);
  if (!status) status = pl_ramp_copy(bodies->allocator, &def->ramp, &fix->ramp, error);
  if (!status)
    status = pl_ramp_copy(bodies->allocator, &def->offset_ramp, &fix->offset_ramp, error);
  return status;
}

pl_status pl_fix_pin(pl_fix *fix, int block, const double x[3], pl_error *error)
{
  const pl_body *body = &fix->base.bodies->list[fix->base.acts_on[0]];
  fix->nodes = pl_alloc(fix->base.bodies->allocator, 1, sizeof *fix->nodes);
  if (!fix->nodes) return pl_fail_memory(error);
  fix->count = 1;
  fix->nodes[0] = block;
  fix->hold_count = 3;
  for (int k = 0; k < 3; k++) {
    fix->hold[k][k] = 1;
    fix->translation[k] = x[k] - body->model->rest[3 * block + k];
  }
  return PL_OK;
}

int pl_fix_take_out(pl_fix *fix, int block)
{
  for (int i = 0; i < fix->count; i++) {
    if (fix->nodes[i] != block) continue;
    if (fix->chosen) {
      const pl_body *body = &fix->base.bodies->list[fix->base.acts_on[0]];
      fix->chosen[pl_body_anchor(body, block)] = 0;
    }
    fix->count--;
    memmove(fix->nodes + i, fix->nodes + i + 1, (size_t)(fix->count - i) * sizeof(int));
    return 1;
  }
  return 0;
}

static void destroy(pl_coupling *self)
{
  pl_fix *fix = (pl_fix *)self;
  pl_free(self->bodies->allocator, fix->nodes);
  pl_free(self->bodies->allocator, fix->chosen);
  pl_free(self->bodies->allocator, fix->scalars);
  pl_ramp_release(self->bodies->allocator, &fix->ramp);
  pl_ramp_release(self->bodies->allocator, &fix->offset_ramp);
}

/* ---- motion ---- */

/* How far a fix has come: of its motion, and of its offset. */
typedef struct progress {
  double moved, offset;
} progress;

static progress progress_at(const pl_fix *fix, double t)
{
  return (progress){pl_ramp_at(&fix->ramp, t), pl_ramp_at(&fix->offset_ramp, t)};
}

/* The offset, Rodrigues' formula about the axis through the centre, then the shift. */
static void carry(const pl_fix *fix, progress by, const double rest[3], double target[3])
{
  double s = by.moved, X[3], part = by.offset;
  for (int k = 0; k < 3; k++) X[k] = rest[k] + part * fix->offset[k];
  if (fix->angle == 0) {
    for (int k = 0; k < 3; k++) target[k] = X[k] + s * fix->translation[k];
    return;
  }
  const double *n = fix->axis;
  double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  double angle = s * fix->angle * (PL_PI / 180), c = pl_cos(angle), sine = pl_sin(angle);
  double u[3], r[3], along = 0;
  for (int k = 0; k < 3; k++) {
    u[k] = n[k] / length;
    r[k] = X[k] - fix->centre[k];
    along += u[k] * r[k];
  }
  for (int k = 0; k < 3; k++) {
    int a = (k + 1) % 3, b = (k + 2) % 3;
    double turned = c * r[k] + sine * (u[a] * r[b] - u[b] * r[a]) + (1 - c) * along * u[k];
    target[k] = fix->centre[k] + turned + s * fix->translation[k];
  }
}

void pl_fix_target(const pl_fix *fix, const double rest[3], double t, double target[3])
{
  carry(fix, progress_at(fix, t), rest, target);
}

void pl_fix_turn(const pl_fix *fix, double t, double turn[3])
{
  const double *n = fix->axis;
  double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  double angle = pl_ramp_at(&fix->ramp, t) * fix->angle * (3.14159265358979323846 / 180);
  for (int k = 0; k < 3; k++) turn[k] = fix->angle == 0 ? 0 : angle * n[k] / length;
}

/* ---- rows ---- */

static int row_count(const pl_coupling *self)
{
  const pl_fix *fix = (const pl_fix *)self;
  return fix->count * fix->hold_count + fix->scalar_count;
}

/* One row for each direction, which is its tag, and one for each scalar, with a tag behind these.
 */
static void constrain(pl_coupling *self, int source, const double *q, pl_rows *rows)
{
  (void)q;
  const pl_fix *fix = (const pl_fix *)self;
  const pl_body *body = &self->bodies->list[self->acts_on[0]];
  for (int i = 0; i < fix->count; i++) {
    // who leaves a direction free leaves rotations free
    if (pl_model_is_rotation(body->model, fix->nodes[i]) && fix->hold_count < 3) continue;
    pl_row row = {.block = body->offset + fix->nodes[i], .source = source};
    for (row.tag = 0; row.tag < fix->hold_count; row.tag++) {
      pl_vec3_copy(fix->hold[row.tag], row.direction);
      pl_rows_add(rows, &row);
    }
  }
  for (int i = 0; i < fix->scalar_count; i++) {
    int k = fix->scalars[i] % 3;
    pl_row row = {.block = body->offset + fix->scalars[i] / 3, .source = source, .tag = 3 + k};
    row.direction[k] = 1;
    pl_rows_add(rows, &row);
  }
}

/* From where a block is to where the fix has carried it at t + h; 1 for a rotation. */
static int way_of(const pl_fix *fix, const pl_moment *at, progress by, int world_block,
                  double way[3])
{
  const pl_body *body = &fix->base.bodies->list[fix->base.acts_on[0]];
  const double *q = at->q + 3 * (size_t)world_block;
  int block = world_block - body->offset, is_rotation = pl_model_is_rotation(body->model, block);
  double target[3];
  if (is_rotation) {
    pl_fix_turn(fix, at->t + at->h, target);
    pl_rotation_between(q, target, way);
  } else {
    carry(fix, by, body->model->rest + 3 * (size_t)block, target);
    pl_vec3_sub(target, q, way);
  }
  return is_rotation;
}

/* Blocks that are points, where the fix does not turn; as carry has it. */
static void shift_blocks(const pl_fix *fix, const pl_moment *at, progress by, const int *blocks,
                         int count, double *v)
{
  const pl_body *body = &fix->base.bodies->list[fix->base.acts_on[0]];
  double offset[3], moved[3], h = at->h;
  for (int k = 0; k < 3; k++) {
    offset[k] = by.offset * fix->offset[k];
    moved[k] = by.moved * fix->translation[k];
  }
  for (int i = 0; i < count; i++) {
    const double *rest = body->model->rest + 3 * (size_t)(blocks[i] - body->offset);
    const double *q = at->q + 3 * (size_t)blocks[i];
    double *u = v + 3 * (size_t)blocks[i];
    for (int k = 0; k < 3; k++) u[k] = 0 + (rest[k] + offset[k] + moved[k] - q[k]) / h;
  }
}

static void block_velocities(const pl_coupling *self, const pl_moment *at, const int *blocks,
                             int count, double *v)
{
  const pl_fix *fix = (const pl_fix *)self;
  const progress by = progress_at(fix, at->t + at->h);
  const pl_model *model = self->bodies->list[self->acts_on[0]].model;
  if (fix->angle == 0 && !pl_model_has_rotations(model)) {
    shift_blocks(fix, at, by, blocks, count, v);
    return;
  }
  for (int i = 0; i < count; i++) {
    double way[3], *u = v + 3 * (size_t)blocks[i];
    int is_rotation = way_of(fix, at, by, blocks[i], way);
    for (int k = 0; k < 3; k++) u[k] = 0 + (is_rotation ? 1 / at->h * way[k] : way[k] / at->h);
  }
}

static double velocity(const pl_coupling *self, const pl_moment *at, const pl_row *row)
{
  const pl_fix *fix = (const pl_fix *)self;
  const pl_body *body = &self->bodies->list[self->acts_on[0]];
  double target[3], way[3];
  if (row->tag >= 3) {
    int k = row->tag - 3, number = 3 * (row->block - body->offset) + k;
    double q = at->q[3 * (size_t)row->block + (size_t)k];
    pl_fix_turn(fix, at->t + at->h, target);
    return (body->model->ops->scalars.turned(body->model, number, target, q) - q) / at->h;
  }
  int is_rotation = way_of(fix, at, progress_at(fix, at->t + at->h), row->block, way);
  double along = pl_vec3_dot(row->direction, way);
  return is_rotation ? 1 / at->h * along : along / at->h;
}

/* ---- other blocks ---- */

/* Frames that are held keep their numbers. */
static int is_concerned(const pl_coupling *self, const pl_renumbering *change)
{
  return !change->gone && self->acts_on[0] == change->body && !change->after->model->frame_count;
}

static pl_status can_follow(const pl_coupling *self, const pl_renumbering *change, pl_error *error)
{
  const pl_fix *fix = (const pl_fix *)self;
  const pl_allocator *allocator = self->bodies->allocator;
  if (!is_concerned(self, change)) return PL_OK;
  size_t nodes = (size_t)change->after->mesh->node_count;
  int count, *list = pl_alloc(allocator, nodes, sizeof *list);
  unsigned char *chosen = pl_alloc(allocator, nodes, 1);
  pl_status status = list && chosen ? PL_OK : pl_fail_memory(error);
  for (int i = 0; i < fix->count && !status; i++)
    chosen[pl_body_anchor(change->before, fix->nodes[i])] = 1;
  if (!status && fix->chosen) memcpy(chosen, fix->chosen, nodes);
  if (!status) status = pl_body_held_blocks(change->after, chosen, list, &count, error);
  pl_free(allocator, list);
  pl_free(allocator, chosen);
  return status;
}

/* It holds the same nodes; those that hang now are held by what they hang on. */
static void follow(pl_coupling *self, const pl_renumbering *change)
{
  pl_fix *fix = (pl_fix *)self;
  int used = 0;
  if (!is_concerned(self, change)) return;
  if (fix->chosen) {
    // there is room for all nodes, and this was asked before
    (void)pl_body_held_blocks(change->after, fix->chosen, fix->nodes, &fix->count, NULL);
    return;
  }
  for (int i = 0; i < fix->count; i++) {
    int node = pl_body_anchor(change->before, fix->nodes[i]);
    int block = pl_model_node_block(change->after->model, node);
    if (block >= 0) fix->nodes[used++] = block;
  }
  fix->count = used;
}

static int grips(const pl_coupling *self, int body) { return self->acts_on[0] == body; }

const pl_coupling_ops pl_coupling_fix = {
    .info = {"fix", "holds nodes where they are, along some directions, or moves them", "", NULL, 0,
             NULL},
    .is_ground = 1,
    .size = sizeof(pl_fix),
    .destroy = destroy,
    .can_follow = can_follow,
    .follow = follow,
    .row_count = row_count,
    .constrain = constrain,
    .velocity = velocity,
    .block_velocities = block_velocities,
    .grips = grips,
};
