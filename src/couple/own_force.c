/* Forces of a program on the nodes of a body: f += F_i, and to the blocks that carry node i J^T
 * F_i. Forces that were set do not change with the body, so that the matrix has nothing of them but
 * what turning blocks add; of a field F_i(x_i, ...) it has -J^T dF_i/dx_i J. */
#include "couple/own_force.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/decompose.h"
#include "math/mat3.h"
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
  if (!forces) {
    memset(self->forces, 0, 3 * (size_t)body->mesh->node_count * sizeof *self->forces);
    self->is_set = 0;
    return PL_OK;
  }
  for (int i = 0; i < 3 * body->mesh->node_count; i++) {
    if (!isfinite(forces[i]))
      return pl_fail_entity(error, PL_E_ARGUMENT, i / 3, "the force on node %d is not finite",
                            i / 3);
  }
  for (int i = 0; i < body->mesh->node_count; i++)
    pl_vec3_copy(forces + 3 * i, self->forces + 3 * body->place[i]);
  self->is_set = 1;
  return PL_OK;
}

pl_status pl_own_force_set_field(pl_own_force *self, const pl_force_field *field, pl_error *error)
{
  size_t nodes = (size_t)body_of(&self->base)->mesh->node_count;
  if (field && !self->asked) {
    self->asked = pl_alloc(self->base.bodies->allocator, nodes, 21 * sizeof(double));
    if (!self->asked) return pl_fail_memory(error);
  }
  self->field = field ? *field : (pl_force_field){0};
  return PL_OK;
}

int pl_own_force_acts(const pl_own_force *self) { return self->is_set || self->field.evaluate; }

static void destroy(pl_coupling *self)
{
  pl_free(self->bodies->allocator, ((pl_own_force *)self)->forces);
  pl_free(self->bodies->allocator, ((pl_own_force *)self)->asked);
}

/* The symmetric part of -slope; semidefinite: without negative eigenvalues. */
static void stiffness_of(const double *slope, int semidefinite, double D[9])
{
  double values[3], Q[9];
  for (int k = 0; k < 9; k++) D[k] = -0.5 * (slope[k] + slope[3 * (k % 3) + k / 3]);
  if (!semidefinite) return;
  pl_eigen(D, values, Q);
  for (int k = 0; k < 9; k++) {
    D[k] = 0;
    for (int m = 0; m < 3; m++) {
      double value = semidefinite == 2 ? fabs(values[m]) : fmax(values[m], 0);
      D[k] += value * Q[3 * (k / 3) + m] * Q[3 * (k % 3) + m];
    }
  }
}

static void stiffen(const pl_body *body, const pl_moment *at, const double *slopes,
                    const pl_tangent *tangent)
{
  const double *q = at->q + 3 * body->offset;
  for (int i = 0; i < body->mesh->node_count; i++) {
    const int *blocks;
    double D[9], J[9 * PL_MOST_CARRIERS];
    stiffness_of(slopes + 9 * (size_t)body->order[i], tangent->semidefinite, D);
    for (int k = 0; k < 9; k++) D[k] *= at->load_scale * tangent->kq;
    int count = pl_body_jacobian(body, q, &i, &blocks, NULL, J);
    pl_add_carried(tangent, body->offset, count, blocks, J, D);
  }
}

/* Asks for the field here; what is set and the field's as forces inside. */
static const double *ask(pl_own_force *self, const pl_moment *at, const pl_tangent *tangent)
{
  const pl_body *body = body_of(&self->base);
  const size_t nodes = (size_t)body->mesh->node_count;
  const double *q = at->q + 3 * body->offset, *v = at->v + 3 * body->offset;
  double *x = self->asked, *rates = x + 3 * nodes, *forces = rates + 3 * nodes;
  double *slopes = forces + 3 * nodes, *inside = slopes + 9 * nodes;
  pl_body_to_mesh(body, pl_body_nodes(body, q, NULL), x);
  pl_body_to_mesh(body, pl_body_nodes(body, q, v), rates);
  memset(forces, 0, 12 * nodes * sizeof *forces);
  self->field.evaluate(self->field.context, at->t, x, rates, forces, tangent ? slopes : NULL);
  for (size_t i = 0; i < nodes; i++) {
    pl_vec3_copy(forces + 3 * (size_t)body->order[i], inside + 3 * i);
    pl_vec3_add_scaled(1, self->forces + 3 * i, inside + 3 * i);
  }
  if (tangent && tangent->kq != 0) stiffen(body, at, slopes, tangent);
  return inside;
}

static void evaluate(pl_coupling *self, const pl_moment *at, double *f, const pl_tangent *tangent)
{
  pl_own_force *own = (pl_own_force *)self;
  const double *forces = own->field.evaluate ? ask(own, at, tangent) : own->forces;
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
