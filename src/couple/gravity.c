/* Weight: m g on every block, with the lumped mass or the row sums of the consistent one, or on
 * every node where blocks carry them. */
#include "couple/gravity.h"

#include "math/vec3.h"
#include "sparse/passes.h"

#include <math.h>

/* Nodes that blocks carry: m g on every node, which turns with them. */
static void weigh_nodes(const pl_body *body, const pl_moment *at, const double g[3], double *f,
                        const pl_tangent *tangent)
{
  const double *q = at->q + 3 * body->offset;
  for (int n = 0; n < body->mesh->node_count; n++)
    pl_vec3_scale(at->load_scale * body->model->node_mass[n], g, body->nodal + 3 * (size_t)n);
  if (f) body->model->ops->spread(body->model, q, body->nodal, f + 3 * body->offset);
  if (tangent && !tangent->semidefinite)
    body->model->ops->curvature(body->model, q, body->nodal, tangent->kq, tangent->A);
}

/* What gravity acts on; in statics all the time in the world has passed. */
static const double *mass_of(const pl_model *model, const pl_moment *at)
{
  int by_weight = model->weight && (!model->weight_in_statics || isinf(at->h));
  return by_weight ? model->weight : model->lumped_mass;
}

static void evaluate(pl_coupling *self, const pl_moment *at, double *f, const pl_tangent *tangent)
{
  const double *g = ((const pl_gravity *)self)->g;
  for (size_t b = 0; b < self->bodies->count; b++) {
    const pl_body *body = &self->bodies->list[b];
    const double *mass = mass_of(body->model, at);
    // where no block rotates, what hangs on others has its mass in their lumped mass
    int by_nodes = body->model->node_mass && pl_model_has_rotations(body->model);
    if (by_nodes) {
      pl_settle(self->bodies->pool);
      weigh_nodes(body, at, g, f, tangent);
    }
    if (!f || by_nodes) continue;
    pl_pass_weigh(at->load_scale, mass, g, f + 3 * body->offset, body->blocks, self->bodies->pool);
  }
}

const pl_coupling_ops pl_coupling_gravity = {
    .info = {"gravity", "the weight of all bodies; the world's gravity", "", NULL, 0, NULL},
    .by_ranges = 1,
    .size = sizeof(pl_gravity),
    .evaluate = evaluate,
};
