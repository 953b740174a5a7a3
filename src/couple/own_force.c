/* Forces of a program on the nodes of a body: f += F_i, and to the blocks that carry node i J^T
 * F_i. They do not change with the body, so that the matrix has nothing of them but what turning
 * blocks add. */
#include "couple/own_force.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

static const pl_body *body_of(const pl_coupling *self)
{
  return &self->bodies->list[self->acts_on[0]];
}

pl_status pl_own_force_make(pl_own_force *self, pl_error *error)
{
  size_t count = 3 * (size_t)body_of(&self->base)->mesh->node_count;
  self->forces = pl_alloc(self->base.bodies->allocator, count, sizeof(double));
  return self->forces ? PL_OK : pl_fail_memory(error);
}

pl_status pl_own_force_set(pl_own_force *self, const double *forces, pl_error *error)
{
  const pl_body *body = body_of(&self->base);
  for (int i = 0; i < 3 * body->mesh->node_count; i++) {
    if (!isfinite(forces[i]))
      return pl_fail_entity(error, PL_E_ARGUMENT, i / 3, "the force on node %d is not finite",
                            i / 3);
  }
  for (int i = 0; i < body->mesh->node_count; i++)
    pl_vec3_copy(forces + 3 * i, self->forces + 3 * body->place[i]);
  return PL_OK;
}

static void destroy(pl_coupling *self)
{
  pl_free(self->bodies->allocator, ((pl_own_force *)self)->forces);
}

static void evaluate(pl_coupling *self, const pl_moment *at, double *f, const pl_tangent *tangent)
{
  const double *forces = ((const pl_own_force *)self)->forces;
  const pl_body *body = body_of(self);
  const pl_model *model = body->model;
  const double *q = at->q + 3 * body->offset;
  int nodes = body->mesh->node_count;
  if (!model->ops->nodes) {
    for (int i = 0; i < nodes && f; i++)
      pl_vec3_add_scaled(at->load_scale, forces + 3 * i, f + 3 * (body->offset + i));
    return;
  }
  double *nodal = body->nodal + 6 * (size_t)nodes;
  for (int i = 0; i < nodes; i++) pl_vec3_scale(at->load_scale, forces + 3 * i, nodal + 3 * i);
  if (f) model->ops->spread(model, q, nodal, f + 3 * body->offset);
  if (tangent && !tangent->semidefinite && model->ops->curvature)
    model->ops->curvature(model, q, nodal, tangent->kq, tangent->A);
}

const pl_coupling_ops pl_coupling_own_force = {
    .info = {"own-force", "forces of a program on the nodes of a body", "", NULL, 0, NULL},
    .size = sizeof(pl_own_force),
    .destroy = destroy,
    .evaluate = evaluate,
};
