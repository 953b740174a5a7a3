/* Mass damping: -alpha M v on every body that has some (Rayleigh's first term; it acts on rigid
 * motion as well). Its share of the matrix, kv alpha M, is added together with the inertia's: the
 * system multiplies each body's mass by km + kv alpha. */
#include "couple/coupling.h"

static void evaluate(pl_coupling *self, const pl_moment *at, double *f, const pl_tangent *tangent)
{
  (void)tangent;
  for (size_t b = 0; f && b < self->bodies->count; b++) {
    const pl_body *body = &self->bodies->list[b];
    int offset = 3 * body->offset;
    if (!(body->mass_damping > 0)) continue;
    pl_body_settle(body, at->q + offset);
    body->model->ops->mass_add(body->model, -body->mass_damping, at->v + offset, f + offset,
                               self->bodies->pool);
  }
}

const pl_coupling_ops pl_coupling_drag = {
    .info = {"drag", "what a material's mass-damping exerts on its body", "", NULL, 0},
    .size = sizeof(pl_coupling),
    .evaluate = evaluate,
};
