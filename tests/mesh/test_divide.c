/* Octets: tetrahedra divided into eight by the midpoints of their edges. */
#include "failing.h"
#include "mesh/element.h"
#include "mesh/mesh.h"
#include "test.h"

static pl_mesh *box(const char *element, int cells)
{
  const pl_setting settings[] = {{.name = "element", .word = element},
                                 {.name = "cells", .value = {cells, 1, 2}}};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", settings, 2}, NULL, &mesh, error));
  return mesh;
}

static pl_mesh *divide(const pl_mesh *mesh, pl_division way)
{
  pl_mesh *divided = NULL;
  CHECK_OK(pl_mesh_divide(mesh, way, NULL, &divided, error));
  return divided;
}

TEST(eight_of_each_fill_the_same_volume)
{
  pl_mesh *mesh = box("tet", 3), *fine = divide(mesh, PL_DIVIDE_TET10);
  double volume = 0, min = 1;
  CHECK(fine->element_count == 8 * mesh->element_count);
  CHECK(fine->octet_count == mesh->element_count && fine->quadratic);
  CHECK(fine->face_count == 4 * mesh->face_count);
  for (int e = 0; e < fine->element_count; e++) {
    double one = pl_element_volume(fine->nodes, fine->elements + 4 * e, 4);
    volume += one;
    min = fmin(min, one);
  }
  CHECK_NEAR(volume, 1, 1e-14);
  CHECK_NEAR(min, 1.0 / fine->element_count, 1e-14);
  // a grid of 3 x 1 x 2 cells has the nodes of one of 6 x 2 x 4
  CHECK(fine->node_count == 7 * 3 * 5);
  pl_mesh_destroy(mesh);
  pl_mesh_destroy(fine);
}

/* Corners, then the middles of edges in the order of pl_tet_edges. */
static void check_octets(const pl_mesh *mesh)
{
  int *count = calloc((size_t)mesh->octet_count, sizeof *count);
  for (int o = 0; o < mesh->octet_count; o++) {
    const int *nodes = mesh->octets + 10 * o;
    for (int e = 0; e < 6; e++) {
      const double *a = mesh->nodes + 3 * nodes[pl_tet_edges[e][0]];
      const double *b = mesh->nodes + 3 * nodes[pl_tet_edges[e][1]];
      const double *m = mesh->nodes + 3 * nodes[4 + e];
      for (int k = 0; k < 3; k++) CHECK_NEAR(m[k], 0.5 * (a[k] + b[k]), 1e-15);
    }
  }
  for (int e = 0; e < mesh->element_count; e++) {
    int octet = mesh->element_octets[e], found = 0;
    count[octet]++;
    for (int i = 0; i < 40; i++)
      found += mesh->octets[10 * octet + i % 10] == mesh->elements[4 * e + i / 10];
    CHECK(found == 4);
  }
  for (int o = 0; o < mesh->octet_count; o++) CHECK(count[o] == 8);
  free(count);
}

TEST(octets_survive_another_numbering)
{
  pl_mesh *mesh = box("tet5", 4), *fine = divide(mesh, PL_DIVIDE_OCTETS), *other = NULL;
  int *order = calloc((size_t)fine->node_count, sizeof *order);
  CHECK(!fine->quadratic);
  check_octets(fine);
  for (int i = 0; i < fine->node_count; i++) order[i] = (i * 38 + 5) % fine->node_count;
  CHECK_OK(pl_mesh_reorder(fine, order, NULL, NULL, &other, error));
  check_octets(other);
  free(order);
  pl_mesh_destroy(mesh);
  pl_mesh_destroy(fine);
  pl_mesh_destroy(other);
}

TEST(sets_take_the_midpoints_between_their_nodes)
{
  pl_mesh *mesh = box("tet", 2), *fine = divide(mesh, PL_DIVIDE_TET10);
  const pl_set *low = pl_mesh_find_set(fine, "x-min");
  // 1 x 2 cells in y and z
  CHECK(low && low->count == 3 * 5);
  for (int i = 0; low && i < low->count; i++) CHECK(fabs(fine->nodes[3 * low->ids[i]]) < 1e-15);
  // y-min and y-max hold all nodes between them, but edges through the body are not theirs
  const pl_set *side = pl_mesh_find_set(fine, "y-min");
  CHECK(side && side->count == 5 * 5);
  pl_mesh_destroy(mesh);
  pl_mesh_destroy(fine);
}

TEST(only_tetrahedra_are_divided_and_only_once)
{
  pl_mesh *mesh = box("hex", 1), *fine = NULL;
  CHECK_FAILS(pl_mesh_divide(mesh, PL_DIVIDE_TET10, NULL, &fine, error), PL_E_ARGUMENT,
              "the mesh has hexahedra");
  CHECK(!fine);
  pl_mesh_destroy(mesh);
  mesh = box("tet", 1);
  pl_mesh *once = divide(mesh, PL_DIVIDE_TET10);
  CHECK_FAILS(pl_mesh_divide(once, PL_DIVIDE_TET10, NULL, &fine, error), PL_E_ARGUMENT, "already");
  pl_mesh_destroy(mesh);
  pl_mesh_destroy(once);
}

static pl_status attempt(const pl_allocator *allocator, void *context)
{
  pl_mesh *mesh = context, *fine = NULL;
  pl_error error;
  pl_status status = pl_mesh_divide(mesh, PL_DIVIDE_TET10, allocator, &fine, &error);
  pl_mesh_destroy(fine);
  return status;
}

TEST(every_failed_allocation_is_survived)
{
  pl_mesh *mesh = box("tet", 1);
  fail_every_allocation(attempt, mesh);
  pl_mesh_destroy(mesh);
}

TESTS(X(eight_of_each_fill_the_same_volume) X(octets_survive_another_numbering)
          X(sets_take_the_midpoints_between_their_nodes)
              X(only_tetrahedra_are_divided_and_only_once) X(every_failed_allocation_is_survived))
