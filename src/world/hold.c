/* What holds and loads a body: fixes with their motion, and loads with their shape. */
#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "mesh/select.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

/* ---- fixes ---- */

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
    int least = 0;
    pl_vec3_scale(1 / along, def->along, way);
    for (int k = 1; k < 3; k++) {
      if (fabs(way[k]) < fabs(way[least])) least = k;
    }
    e[least] = 1;
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

pl_status pl_world_add_fix(pl_world *world, pl_body_id id, const pl_fix_def *def, int *held,
                           pl_error *error)
{
  const pl_body *body;
  pl_fix fix = {0};
  pl_status status = pl_check_cookie(def ? def->cookie : 0, "pl_fix", error);
  if (!status) status = pl_world_find_body(world, id, &body, error);
  if (!status) status = check_fix(def, error);
  if (!status)
    status = pl_world_one_more(world, &world->fixes, world->fix_count, &world->fix_room,
                               sizeof(pl_fix), error);
  if (status) return status;
  find_hold(def, &fix);
  fix.body = id.index1 - 1;
  fix.angle = def->angle;
  memcpy(fix.translation, def->translation, sizeof fix.translation);
  memcpy(fix.centre, def->centre, sizeof fix.centre);
  memcpy(fix.axis, def->axis, sizeof fix.axis);
  memcpy(fix.offset, def->offset, sizeof fix.offset);
  status = pl_body_select(&world->bodies, body, def->where, def->where_count, 1, &fix.nodes,
                          &fix.count, error);
  if (!status) status = pl_ramp_copy(&world->allocator, &def->ramp, &fix.ramp, error);
  if (!status) status = pl_ramp_copy(&world->allocator, &def->offset_ramp, &fix.offset_ramp, error);
  if (status) {
    pl_fix_release(&world->allocator, &fix);
    return status;
  }
  pl_world_unprepare(world);
  world->fixes[world->fix_count++] = fix;
  if (held) *held = fix.count;
  return PL_OK;
}

/* The offset, Rodrigues' formula about the axis through the centre, then the shift. */
void pl_fix_target(const pl_fix *fix, const double rest[3], double t, double target[3])
{
  double s = pl_ramp_at(&fix->ramp, t), X[3], part = pl_ramp_at(&fix->offset_ramp, t);
  for (int k = 0; k < 3; k++) X[k] = rest[k] + part * fix->offset[k];
  if (fix->angle == 0) {
    for (int k = 0; k < 3; k++) target[k] = X[k] + s * fix->translation[k];
    return;
  }
  const double *n = fix->axis;
  double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  double angle = s * fix->angle * (3.14159265358979323846 / 180), c = cos(angle), sine = sin(angle);
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

void pl_fix_turn(const pl_fix *fix, double t, double turn[3])
{
  const double *n = fix->axis;
  double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  double angle = pl_ramp_at(&fix->ramp, t) * fix->angle * (3.14159265358979323846 / 180);
  for (int k = 0; k < 3; k++) turn[k] = fix->angle == 0 ? 0 : angle * n[k] / length;
}

/* ---- loads ---- */

/* Equal shares of the chosen nodes. */
static pl_status share_nodes(pl_world *world, const pl_body *body, const pl_load_def *def,
                             pl_load_shape *shape, pl_error *error)
{
  pl_status status = pl_body_select(&world->bodies, body, def->where, def->where_count, 0,
                                    &shape->nodes, &shape->node_count, error);
  if (status) return status;
  shape->weights = pl_alloc(&world->allocator, (size_t)shape->node_count, sizeof(double));
  if (!shape->weights) return pl_fail_memory(error);
  for (int i = 0; i < shape->node_count; i++) shape->weights[i] = 1.0 / shape->node_count;
  return PL_OK;
}

/* The chosen faces, and every node's share of their rest area. area is scratch per node. */
static pl_status gather_faces(pl_world *world, const pl_body *body, const unsigned char *chosen,
                              int count, double *area, pl_load_shape *shape, pl_error *error)
{
  const pl_mesh *mesh = body->mesh;
  int n = mesh->nodes_per_face;
  shape->faces = pl_alloc(&world->allocator, (size_t)count * (size_t)n, sizeof(int));
  if (!shape->faces) return pl_fail_memory(error);
  shape->nodes_per_face = n;
  for (int face = 0; face < mesh->face_count; face++) {
    if (!chosen[face]) continue;
    int *nodes = shape->faces + n * shape->face_count++;
    double vector[3];
    for (int a = 0; a < n; a++) nodes[a] = body->place[mesh->faces[n * face + a]];
    pl_face_area(body->rest, nodes, n, vector);
    double size = sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
    for (int a = 0; a < n; a++) area[nodes[a]] += size / n;
  }
  for (int i = 0; i < body->mesh->node_count; i++) shape->node_count += area[i] > 0;
  shape->nodes = pl_alloc(&world->allocator, (size_t)shape->node_count, sizeof(int));
  shape->weights = pl_alloc(&world->allocator, (size_t)shape->node_count, sizeof(double));
  if (!shape->nodes || !shape->weights) return pl_fail_memory(error);
  for (int i = 0, k = 0; i < body->mesh->node_count; i++) {
    if (!(area[i] > 0)) continue;
    shape->nodes[k] = i;
    shape->weights[k++] = area[i];
  }
  return PL_OK;
}

static pl_status share_faces(pl_world *world, const pl_body *body, const pl_load_def *def,
                             pl_load_shape *shape, pl_error *error)
{
  const pl_allocator *allocator = &world->allocator;
  unsigned char *chosen = pl_alloc(allocator, (size_t)body->mesh->face_count, 1);
  double *area = pl_alloc(allocator, (size_t)body->mesh->node_count, sizeof(double));
  int count = 0;
  pl_status status = chosen && area ? PL_OK : pl_fail_memory(error);
  if (!status)
    status = pl_mesh_select_faces(body->mesh, def->where, def->where_count, chosen, &count, error);
  if (!status && count == 0)
    status =
        pl_fail(error, PL_E_ARGUMENT, "the region holds no face of body \"%.80s\"", body->name);
  if (!status) status = gather_faces(world, body, chosen, count, area, shape, error);
  pl_free(allocator, chosen);
  pl_free(allocator, area);
  return status;
}

void pl_load_release(const pl_allocator *allocator, pl_load *load)
{
  pl_free(allocator, load->shape.nodes);
  pl_free(allocator, load->shape.weights);
  pl_free(allocator, load->shape.faces);
  pl_ramp_release(allocator, &load->ramp);
}

pl_status pl_world_add_load(pl_world *world, pl_body_id id, const pl_load_def *def, pl_error *error)
{
  const pl_body *body;
  pl_load load = {0};
  const pl_member *member = NULL;
  pl_status status = pl_check_cookie(def ? def->cookie : 0, "pl_load", error);
  if (!status) status = pl_world_find_body(world, id, &body, error);
  if (!status) status = pl_choice_resolve(&pl_load_family, &def->load, &member, load.values, error);
  if (!status)
    status = pl_world_one_more(world, &world->loads, world->load_count, &world->load_room,
                               sizeof(pl_load), error);
  if (status) return status;
  load.body = id.index1 - 1;
  load.ops = (const pl_load_ops *)member;
  load.shape.rest = body->rest;
  status = load.ops->on_faces ? share_faces(world, body, def, &load.shape, error)
                              : share_nodes(world, body, def, &load.shape, error);
  if (!status) status = pl_ramp_copy(&world->allocator, &def->ramp, &load.ramp, error);
  if (status) {
    pl_load_release(&world->allocator, &load);
    return status;
  }
  world->loads[world->load_count++] = load;
  return PL_OK;
}
