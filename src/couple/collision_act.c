/* Forces and matrices on points of surfaces, as blocks see them. */
#include "couple/collision.h"
#include "math/vec3.h"

/* Are all points of the pair blocks themselves? */
static int list_blocks(const pl_collision *self, const int points[4], int blocks[4])
{
  int own = 1;
  for (int i = 0; i < 4; i++) {
    blocks[i] = self->block[points[i]];
    own &= blocks[i] >= 0;
  }
  return own;
}

/* How a sum of the points with these weights moves with their blocks. */
static void relate(pl_collision *self, const int points[4], const double w[4], const double *q)
{
  double x[3] = {0};
  pl_jacobian_clear(&self->jacobian);
  for (int i = 0; i < 4; i++) {
    int owner = self->owner[points[i]];
    if (w[i] == 0) continue;
    pl_body_point at = pl_boundary_point(&self->surfaces[owner], &self->is.base.bodies->list[owner],
                                         owner, points[i] - self->point_start[owner]);
    pl_jacobian_add(&self->jacobian, &at, w[i], q, x);
  }
}

/* f += w_i force, the matrix += w_i D w_j. */
void pl_collision_act(pl_collision *self, const int points[4], const pl_moment *at,
                      const double w[4], const double force[3], const double D[9], double *f,
                      const pl_tangent *tangent)
{
  int blocks[4];
  if (list_blocks(self, points, blocks)) {
    const pl_stencil stencil = {.count = 4, .blocks = blocks, .weights = w, .D = D};
    for (int i = 0; f && i < 4; i++) pl_vec3_add_scaled(w[i], force, f + 3 * (size_t)blocks[i]);
    if (tangent) (void)pl_stencil_put(tangent->A, tangent->extra, &stencil);
    return;
  }
  relate(self, points, w, at->q);
  if (f) pl_jacobian_push(&self->jacobian, 1, force, f);
  if (tangent) pl_jacobian_stiffen(&self->jacobian, D, tangent);
}

void pl_collision_stiffen(pl_collision *self, const int points[4], const pl_moment *at,
                          const double C[4][9], const double D[9], const pl_tangent *tangent)
{
  int blocks[4];
  if (list_blocks(self, points, blocks)) {
    const pl_stencil stencil = {.count = 4, .blocks = blocks, .C = C[0], .D = D};
    (void)pl_stencil_put(tangent->A, tangent->extra, &stencil);
    return;
  }
  pl_jacobian_clear(&self->jacobian);
  for (int i = 0; i < 4; i++) {
    int owner = self->owner[points[i]];
    pl_body_point point =
        pl_boundary_point(&self->surfaces[owner], &self->is.base.bodies->list[owner], owner,
                          points[i] - self->point_start[owner]);
    pl_jacobian_add_turned(&self->jacobian, &point, C[i], at->q);
  }
  pl_jacobian_stiffen(&self->jacobian, D, tangent);
}
