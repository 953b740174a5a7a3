/* The hand's means beside pulls. The tool: a sphere with centre c and radius r pushes a node at x
 * inside it by the penalty force F = k (r - |x - c|) n along n = (x - c) / |x - c|. Of its
 * stiffness -dF/dx = k n n^T
 * - k (r - |x - c|) / |x - c| (I - n n^T) only the first part enters the matrix: the second makes
 * it indefinite. Wherever models have control points the force goes to those that carry the node.
 */
#include "world/tool.h"

#include "core/error.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

pl_tool_def pl_tool_def_default(void)
{
  return (pl_tool_def){.radius = 0.1, .stiffness = 1000, .cookie = PL_COOKIE};
}

/* How deep a point is inside, 0 where it is not, and the normal there. */
static double depth(const pl_tool_def *tool, const double x[3], double normal[3])
{
  double way[3];
  pl_vec3_sub(x, tool->centre, way);
  double length = pl_vec3_norm(way);
  if (!(length < tool->radius) || length == 0) return 0;
  pl_vec3_scale(1 / length, way, normal);
  return tool->radius - length;
}

/* Adds the forces on a body's nodes to nodal, 3 numbers each; counts the nodes. */
static int push_nodes(const pl_world *world, const pl_body *body, double scale, const double *x,
                      double *nodal)
{
  int touched = 0;
  for (int i = 0; i < body->mesh->node_count; i++) {
    double normal[3], deep = depth(&world->tool, x + 3 * i, normal);
    if (deep == 0) continue;
    pl_vec3_add_scaled(scale * world->tool.stiffness * deep, normal, nodal + 3 * i);
    touched++;
  }
  return touched;
}

void pl_tool_force(const pl_world *world, double scale, const double *q, double *f)
{
  if (!world->has_tool) return;
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    const double *blocks = q + 3 * body->offset;
    if (!body->model->ops->nodes) {
      push_nodes(world, body, scale, blocks, f + 3 * body->offset);
      continue;
    }
    size_t numbers = 3 * (size_t)body->mesh->node_count;
    double *nodal = body->nodal + numbers;
    memset(nodal, 0, numbers * sizeof *nodal);
    if (push_nodes(world, body, scale, pl_body_nodes(body, blocks, NULL), nodal))
      body->model->ops->spread(body->model, blocks, nodal, f + 3 * body->offset);
  }
}

/* A += J^T k n n^T J over the blocks that carry a node. */
static void add_blocks(const pl_body *body, const double *q, int node, double k, const double n[3],
                       pl_bsr *A)
{
  const int *blocks;
  double J[9 * PL_MOST_CARRIERS], D[9];
  int count = pl_body_jacobian(body, q, &node, &blocks, NULL, J);
  for (int i = 0; i < 9; i++) D[i] = k * n[i / 3] * n[i % 3];
  pl_add_carried(A, body->offset, count, blocks, J, D);
}

void pl_tool_stiffness(const pl_world *world, double scale, const double *q, double kq, pl_bsr *A)
{
  if (!world->has_tool) return;
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    const double *blocks = q + 3 * body->offset, *x = pl_body_nodes(body, blocks, NULL);
    for (int i = 0; i < body->mesh->node_count; i++) {
      double n[3];
      if (depth(&world->tool, x + 3 * i, n) > 0)
        add_blocks(body, blocks, i, scale * kq * world->tool.stiffness, n, A);
    }
  }
}

pl_status pl_world_set_tool(pl_world *world, const pl_tool_def *def, pl_error *error)
{
  if (!def) {
    world->has_tool = 0;
    return PL_OK;
  }
  pl_status status = pl_check_cookie(def->cookie, "pl_tool", error);
  if (status) return status;
  for (int k = 0; k < 3; k++) {
    if (!(fabs(def->centre[k]) <= 1e9))
      return pl_fail(error, PL_E_ARGUMENT, "the centre of the tool must be three finite numbers");
  }
  if (!(def->radius > 0 && def->radius <= 1e9))
    return pl_fail(error, PL_E_ARGUMENT,
                   "the radius of the tool = %g must lie above 0, up to 1e+09", def->radius);
  if (!(def->stiffness >= 0 && def->stiffness <= 1e15))
    return pl_fail(error, PL_E_ARGUMENT,
                   "the stiffness of the tool = %g must lie between 0 and 1e+15", def->stiffness);
  world->tool = *def;
  world->has_tool = 1;
  return PL_OK;
}

void pl_world_read_tool(const pl_world *world, double force[3], int *touched)
{
  int count = 0;
  double sum[3] = {0};
  for (size_t b = 0; world->has_tool && b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    const double *x = pl_body_nodes(body, world->state.q + 3 * body->offset, NULL);
    for (int i = 0; i < body->mesh->node_count; i++) {
      double n[3], deep = depth(&world->tool, x + 3 * i, n);
      if (deep > 0) pl_vec3_add_scaled(world->tool.stiffness * deep, n, sum);
      count += deep > 0;
    }
  }
  if (force) pl_vec3_copy(sum, force);
  if (touched) *touched = count;
}

/* ---- throwing ---- */

pl_status pl_world_throw(pl_world *world, pl_body_id id, const double velocity[3], pl_error *error)
{
  const pl_body *body;
  pl_status status = pl_world_find_body(world, id, &body, error);
  if (status) return status;
  for (int k = 0; k < 3; k++) {
    if (!velocity || !isfinite(velocity[k]))
      return pl_fail(error, PL_E_ARGUMENT, "the velocity of a throw must be three finite numbers");
  }
  for (size_t i = 0; i < world->fix_count; i++) {
    const pl_fix *fix = &world->fixes[i];
    if (fix->count && &world->bodies.list[fix->body] == body) return PL_OK;
  }
  double momentum[3] = {0}, mass = 0, *v = world->state.v + 3 * body->offset;
  for (int i = 0; i < body->blocks; i++) {
    mass += body->model->lumped_mass[i];
    pl_vec3_add_scaled(body->model->lumped_mass[i], v + 3 * i, momentum);
  }
  for (int i = 0; i < body->blocks; i++) {
    if (pl_model_is_rotation(body->model, i)) continue;
    pl_vec3_add_scaled(1, velocity, v + 3 * i);
    pl_vec3_add_scaled(-1 / mass, momentum, v + 3 * i);
  }
  pl_integrator_forget(world->integrator);
  return PL_OK;
}
