/* The push tool: a sphere with centre c and radius r pushes a node at x inside it by the penalty
 * force F = k (r - |x - c|) n along n = (x - c) / |x - c|. Of its stiffness
 * -dF/dx = k n n^T - k (r - |x - c|) / |x - c| (I - n n^T) only the first part enters the matrix:
 * the second makes it indefinite. Where nodes are carried by other blocks the force goes to those.
 */
#include "couple/tool.h"

#include "core/error.h"
#include "math/mat3.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

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
static int push_nodes(const pl_tool_def *tool, const pl_body *body, double scale, const double *x,
                      double *nodal)
{
  int touched = 0;
  for (int i = 0; i < body->mesh->node_count; i++) {
    double normal[3], deep = depth(tool, x + 3 * i, normal);
    if (deep == 0) continue;
    pl_vec3_add_scaled(scale * tool->stiffness * deep, normal, nodal + 3 * i);
    touched++;
  }
  return touched;
}

static void push_body(const pl_tool_def *tool, const pl_body *body, double scale, const double *q,
                      double *f)
{
  if (!body->model->ops->nodes) {
    push_nodes(tool, body, scale, q, f);
    return;
  }
  size_t numbers = 3 * (size_t)body->mesh->node_count;
  double *nodal = body->nodal + numbers;
  memset(nodal, 0, numbers * sizeof *nodal);
  if (push_nodes(tool, body, scale, pl_body_nodes(body, q, NULL), nodal))
    body->model->ops->spread(body->model, q, nodal, f);
}

/* The matrix += J^T k n n^T J over the blocks that carry a node. */
static void add_blocks(const pl_body *body, const double *q, int node, double k, const double n[3],
                       const pl_tangent *to)
{
  const int *blocks;
  double J[9 * PL_MOST_CARRIERS], D[9];
  int count = pl_body_jacobian(body, q, &node, &blocks, NULL, J);
  for (int i = 0; i < 9; i++) D[i] = k * n[i / 3] * n[i % 3];
  pl_add_carried(to, body->offset, count, blocks, J, D);
}

static void stiffen_body(const pl_tool_def *tool, const pl_body *body, double scale,
                         const double *q, const pl_tangent *to)
{
  const double *x = pl_body_nodes(body, q, NULL);
  for (int i = 0; i < body->mesh->node_count; i++) {
    double n[3];
    if (depth(tool, x + 3 * i, n) > 0) add_blocks(body, q, i, scale * tool->stiffness, n, to);
  }
}

static void evaluate(pl_coupling *self, const pl_moment *at, double *f, const pl_tangent *tangent)
{
  const pl_tool_def *tool = &((const pl_tool *)self)->def;
  for (size_t b = 0; b < self->bodies->count; b++) {
    const pl_body *body = &self->bodies->list[b];
    const double *q = at->q + 3 * body->offset;
    if (f) push_body(tool, body, at->load_scale, q, f + 3 * body->offset);
    if (tangent) stiffen_body(tool, body, at->load_scale * tangent->kq, q, tangent);
  }
}

pl_status pl_tool_check(const pl_tool_def *def, pl_error *error)
{
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
  return PL_OK;
}

void pl_tool_read(const pl_tool *tool, const double *q, double force[3], int *touched)
{
  const pl_bodies *bodies = tool->base.bodies;
  for (size_t b = 0; b < bodies->count; b++) {
    const pl_body *body = &bodies->list[b];
    const double *x = pl_body_nodes(body, q + 3 * body->offset, NULL);
    for (int i = 0; i < body->mesh->node_count; i++) {
      double n[3], deep = depth(&tool->def, x + 3 * i, n);
      if (deep > 0) pl_vec3_add_scaled(tool->def.stiffness * deep, n, force);
      *touched += deep > 0;
    }
  }
}

const pl_coupling_ops pl_coupling_tool = {
    .info = {"tool", "a sphere that repels nodes by a penalty force", "", NULL, 0, NULL},
    .makes_pairs = 1,
    .size = sizeof(pl_tool),
    .evaluate = evaluate,
};
