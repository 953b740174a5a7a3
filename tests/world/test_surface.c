/* Surfaces that follow a body. */
#include "mesh/mesh.h"
#include "ode/integrator.h"

#include "../mesh/failing.h"
#include "bar.h"

/* A bar of few tetrahedra with the boundary of many hexahedra around it, a little larger. */
static pl_status make(const pl_allocator *allocator, pl_world **world, pl_body_id *body,
                      pl_error *error)
{
  pl_setting coarse[] = {{.name = "size", .value = {1, 0.25, 0.25}},
                         {.name = "cells", .value = {4, 1, 1}}};
  pl_setting fine[] = {{.name = "size", .value = {1.1, 0.3, 0.3}},
                       {.name = "cells", .value = {12, 3, 3}},
                       {.name = "element", .word = "hex"}};
  pl_setting hooke[] = {{.name = "young", .value = {1e6}}, {.name = "poisson", .value = {0.3}}};
  pl_mesh *mesh = NULL, *around = NULL;
  pl_world_def world_def = pl_world_def_default();
  if (allocator) world_def.allocator = *allocator;
  world_def.threads = 1;
  *world = NULL;
  pl_status status = pl_mesh_generate(&(pl_choice){"box", coarse, 2}, NULL, &mesh, error);
  if (!status) status = pl_mesh_generate(&(pl_choice){"box", fine, 3}, NULL, &around, error);
  if (!status) status = pl_world_create(&world_def, world, error);
  pl_body_def def = pl_body_def_default();
  def.mesh = mesh;
  def.surface = around;
  def.material.law = (pl_choice){"hooke", hooke, 2};
  if (!status) status = pl_world_add_body(*world, &def, body, error);
  pl_mesh_destroy(mesh);
  pl_mesh_destroy(around);
  return status;
}

/* Where nodes go to A X + b, so do all points, inside and outside of the elements. */
TEST(points_follow_linear_motions)
{
  static const double A[3][3] = {{0, -1.2, 0.1}, {1, 0.3, 0}, {0, 0.2, 0.9}};
  pl_world *world;
  pl_body_id body;
  CHECK_OK(make(NULL, &world, &body, error));
  const pl_mesh *mesh = pl_world_body_mesh(world, body);
  const pl_mesh *surface = pl_world_body_surface(world, body);
  CHECK(surface && surface->nodes_per_element == 3 && surface->face_count == 2 * (18 + 4 * 36));
  double *x = malloc(3 * (size_t)mesh->node_count * sizeof *x);
  double *points = malloc(3 * (size_t)surface->node_count * sizeof *points), worst = 0;
  const pl_mesh *meshes[] = {mesh, surface};
  for (int m = 0; m < 2; m++) {
    if (m) CHECK_OK(pl_world_follow(world, body, 3, x, points, error));
    for (int i = 0; i < 3 * meshes[m]->node_count; i++) {
      const double *X = meshes[m]->nodes + 3 * (i / 3), *row = A[i % 3];
      double there = 7 + row[0] * X[0] + row[1] * X[1] + row[2] * X[2];
      if (m)
        worst = fmax(worst, fabs(points[i] - there));
      else
        x[i] = there;
    }
  }
  CHECK_NEAR(worst, 0, 1e-13);
  for (int i = 0; i < mesh->node_count; i++) x[i] = 3;
  CHECK_OK(pl_world_follow(world, body, 1, x, points, error));
  CHECK_NEAR(points[surface->node_count - 1], 3, 1e-14);
  free(x);
  free(points);
  pl_world_destroy(world);
}

TEST(bodies_without_a_surface_have_none)
{
  bar_def def = {.n = 1};
  pl_world *world;
  pl_body_id body;
  double x[3];
  CHECK_OK(bar_make(&def, &world, &body, error));
  CHECK(pl_world_body_surface(world, body) == NULL);
  CHECK_FAILS(pl_world_follow(world, body, 1, x, x, error), PL_E_ARGUMENT, "no surface");
  pl_world_destroy(world);
}

static pl_status attempt(const pl_allocator *allocator, void *context)
{
  (void)context;
  pl_world *world;
  pl_body_id body;
  pl_status status = make(allocator, &world, &body, NULL);
  pl_world_destroy(world);
  return status;
}

TEST(memory_may_run_out) { fail_every_allocation(attempt, NULL); }

TESTS(X(points_follow_linear_motions) X(bodies_without_a_surface_have_none) X(memory_may_run_out))
