/* Finite elements whose stiffness at rest is warped by vertices: strain="warped".
 *
 * Mueller, Dorsey, McMillan, Jagnow, Cutler 2002, "Stable Real-Time Deformations", section 3;
 * warp.h has the formulas. The stiffness is that of linear strain, assembled once. Stress for
 * display comes from the elements' corotated strain. */
#include "core/error.h"
#include "core/memory.h"
#include "model/fem/fem.h"

/* Adds to weights, 3 per block of K, the gradients of each element's nodes at each of its nodes:
 * with them sum_j x_j w_j^T is the sum of weight times F over the points around a node. */
static void add_gradients(const pl_fem *fem, int element, const pl_bsr *K, double *weights)
{
  int count = fem->nodes_per_element, lane = element % PL_LANES, batch = element / PL_LANES;
  const int *nodes = fem->nodes + (size_t)batch * (size_t)(count * PL_LANES);
  const pl_lanes *rest = fem->rest + (size_t)batch * pl_fem_rest_size(count, fem->points);
  double sums[PL_ELEMENT_NODES][3] = {{0}};
  for (int p = 0; p < fem->points; p++) {
    double weight = (*rest++)[lane];
    for (int a = 0; a < count - 1; a++) {
      for (int i = 0; i < 3; i++) {
        double part = weight * (*rest++)[lane];
        sums[a][i] += part;
        sums[count - 1][i] -= part;
      }
    }
  }
  for (int a = 0; a < count; a++) {
    for (int b = 0; b < count; b++) {
      int k = pl_bsr_find(K, nodes[PL_LANES * a + lane] / 3, nodes[PL_LANES * b + lane] / 3);
      for (int i = 0; i < 3; i++) weights[3 * k + i] += sums[b][i];
    }
  }
}

/* Divided by the weight of the points around the node, so that at rest the sum is the identity. */
static void average_gradients(const pl_fem *fem, const pl_bsr *K, const double *X, double *weights)
{
  for (int e = 0; e < fem->elements; e++) add_gradients(fem, e, K, weights);
  for (int row = 0; row < K->rows; row++) {
    double volume = 0;
    for (int k = K->start[row]; k < K->start[row + 1]; k++)
      volume += X[3 * (size_t)K->columns[k]] * weights[3 * k] - X[3 * row] * weights[3 * k];
    for (int k = 3 * K->start[row]; k < 3 * K->start[row + 1]; k++) weights[k] /= volume;
  }
}

/* The stiffness at rest in K and, if there is viscosity, the viscous one in D. */
static void rest_stiffness(pl_model *self, const double *X, pl_bsr *K, double *D)
{
  pl_group *group = ((pl_fem *)self->state)->groups.list;
  const pl_point_ops *law = group->points;
  size_t numbers = 9 * (size_t)K->start[K->rows];
  group->points = &PL_PICK_VARIANT(&pl_strain_linear)->points;
  if (D) {
    // linear in velocity: any will do
    const pl_moment moving = {.q = X, .v = X};
    const pl_tangent damping = {.kv = 1, .semidefinite = 1, .A = K};
    pl_fem_evaluate(self, &moving, NULL, &damping, NULL);
    memcpy(D, K->values, numbers * sizeof *D);
  }
  const pl_moment rest = {.q = X};
  const pl_tangent stiffness = {.kq = 1, .semidefinite = 1, .A = K};
  pl_fem_evaluate(self, &rest, NULL, &stiffness, NULL);
  group->points = law;
}

pl_status pl_fem_warp(pl_model *self, const double *X, int rotation, pl_error *error)
{
  pl_fem *fem = self->state;
  pl_cliques elements = pl_fem_cliques(self);
  pl_bsr *K = NULL;
  pl_status status = pl_bsr_create(&self->allocator, self->blocks, &elements, 1, &K, error);
  if (!status) status = pl_fem_bind(self, K, 0, error);
  if (status) {
    pl_bsr_destroy(K);
    return status;
  }
  size_t blocks = (size_t)K->start[K->rows];
  double *D = fem->groups.list->viscous ? pl_alloc(&self->allocator, 9 * blocks, sizeof *D) : NULL;
  double *weights =
      rotation == PL_WARP_POLAR ? pl_alloc(&self->allocator, 3 * blocks, sizeof *weights) : NULL;
  if ((fem->groups.list->viscous && !D) || (rotation == PL_WARP_POLAR && !weights)) {
    status = pl_fail_memory(error);
  } else {
    rest_stiffness(self, X, K, D);
    if (weights) average_gradients(fem, K, X, weights);
    pl_warp_def def = {.K = K, .D = D, .X = X, .weights = weights};
    def.frames = rotation == PL_WARP_EDGES;
    def.both = rotation == PL_WARP_BOTH;
    def.global = rotation == PL_WARP_GLOBAL;
    status = pl_warp_create(&self->allocator, &def, &fem->warp, error);
  }
  pl_free(&self->allocator, D);
  pl_free(&self->allocator, weights);
  pl_bsr_destroy(K);

  // what assembly by elements needed
  pl_free(&self->allocator, fem->places);
  pl_upper_destroy(&fem->upper, &self->allocator);
  fem->places = NULL;
  self->ops = &pl_fem_warped;
  self->unsymmetric = rotation != PL_WARP_BOTH && rotation != PL_WARP_GLOBAL;
  self->inexact = self->unbalanced = 1;
  return status;
}

pl_status pl_fem_warped_bind(pl_model *self, const pl_bsr *A, int offset, pl_error *error)
{
  pl_fem *fem = self->state;
  pl_status status = pl_warp_bind(&fem->warp, A, offset, error);
  return status ? status : pl_mass_bind(&self->allocator, &fem->mass, A, offset, error);
}

void pl_fem_warped_evaluate(pl_model *self, const pl_moment *at, double *f,
                            const pl_tangent *tangent, pl_pool *pool)
{
  pl_fem *fem = self->state;
  pl_warp_evaluate(&fem->warp, at, f, tangent, pool);
}
