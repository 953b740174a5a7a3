/* Attraction to a point in space: springs of length 0 from each of the n nodes to p, of k / n each,
 *
 *   f_i = -(k / n) (x_i - p),      energy (k / 2n) sum |x_i - p|^2.
 *
 * A free stiff body of mass m, its nodes even about its centre, swings through p with the angular
 * frequency sqrt(k / m). Blocks that carry node i get J_i^T f_i; the matrix is (k / n) J_i^T J_i,
 * which leaves out that J_i changes where blocks rotate. */
#include "couple/effect.h"

#include "math/mat3.h"
#include "math/vec3.h"

enum { POINT, STIFFNESS = 3 };

static const pl_param params[] = {
    {"point", "m", "where the body is drawn to", 0, -1e9, 1e9, NULL, 3},
    {"stiffness", "N/m", "of the springs of all nodes together", 10, 0, 1e15, NULL, 1},
};

/* Of one node. */
static double stiffness_of(const pl_coupling *self)
{
  return pl_effect_values(self)[STIFFNESS] / pl_effect_body(self)->mesh->node_count;
}

static void evaluate(pl_coupling *self, const pl_moment *at, double *f, const pl_tangent *tangent)
{
  const pl_body *body = pl_effect_body(self);
  double k = at->load_scale * stiffness_of(self);
  for (int i = 0; i < body->mesh->node_count; i++) {
    const int *blocks;
    double x[3], way[3], part[3], J[9 * PL_MOST_CARRIERS];
    int count = pl_body_jacobian(body, at->q + 3 * body->offset, &i, &blocks, x, J);
    pl_vec3_sub(pl_effect_values(self) + POINT, x, way);
    for (int b = 0; f && b < count; b++) {
      pl_mat3_apply_t(J + 9 * b, way, part);
      pl_vec3_add_scaled(k, part, f + 3 * (body->offset + blocks[b]));
    }
    if (!tangent) continue;
    const double d = tangent->kq * k, D[9] = {d, 0, 0, 0, d, 0, 0, 0, d};
    pl_add_carried(tangent, body->offset, count, blocks, J, D);
  }
}

static double energy(pl_coupling *self, const double *q, int index)
{
  const pl_body *body = pl_effect_body(self);
  double sum = 0;
  if (index != self->acts_on[0]) return 0;
  const double *x = pl_body_nodes(body, q + 3 * body->offset, NULL);
  for (int i = 0; i < body->mesh->node_count; i++) {
    double distance = pl_vec3_distance(x + 3 * (size_t)i, pl_effect_values(self) + POINT);
    sum += distance * distance;
  }
  return 0.5 * stiffness_of(self) * sum;
}

const pl_coupling_ops pl_coupling_attraction = {
    .info = {"attraction", "draws a body to a point by springs from all of its nodes", "", params,
             2, NULL},
    .size = sizeof(pl_effect),
    .evaluate = evaluate,
    .energy = energy,
};
