/* Weight: m g on every block, with the lumped mass. */
#include "couple/gravity.h"

#include "math/vec3.h"

static void evaluate(pl_coupling *self, const pl_moment *at, double *f, const pl_tangent *tangent)
{
  const double *g = ((const pl_gravity *)self)->g;
  (void)tangent;
  for (size_t b = 0; f && b < self->bodies->count; b++) {
    const pl_body *body = &self->bodies->list[b];
    const double *mass = body->model->lumped_mass;
    double *part = f + 3 * body->offset;
    for (int i = 0; i < body->blocks; i++)
      pl_vec3_add_scaled(at->load_scale * mass[i], g, part + 3 * i);
  }
}

const pl_coupling_ops pl_coupling_gravity = {
    .info = {"gravity", "the weight of all bodies; the world's gravity", "", NULL, 0},
    .size = sizeof(pl_gravity),
    .evaluate = evaluate,
};
