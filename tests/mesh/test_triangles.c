/* Meshes of triangles: boundaries, their size, finding points, and what is refused. */
#include "math/vec3.h"
#include "mesh/mesh.h"

#include "failing.h"

static pl_mesh *box(const char *element)
{
  pl_setting settings[] = {{.name = "size", .value = {1, 2, 3}},
                           {.name = "cells", .value = {2, 3, 4}},
                           {.name = "element", .word = element}};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", settings, 3}, NULL, &mesh, error));
  return mesh;
}

/* Area, enclosed volume and closedness are those of the box, to rounding. */
TEST(boundaries_of_elements)
{
  static const char *const kinds[] = {"tet", "hex"};
  for (int kind = 0; kind < 2; kind++) {
    pl_mesh *mesh = box(kinds[kind]), *skin = NULL;
    CHECK_OK(pl_mesh_boundary(mesh, NULL, &skin, error));
    CHECK(skin->nodes_per_element == 3 && skin->element_count == 2 * 2 * (2 * 3 + 3 * 4 + 2 * 4));
    CHECK(skin->face_count == skin->element_count && skin->nodes_per_face == 3);
    CHECK(strcmp(pl_mesh_shape_name(skin), "triangles") == 0);
    double sum[3] = {0}, volume = 0;
    for (int i = 0; i < skin->face_count; i++) {
      double area[3];
      pl_face_area(skin->nodes, skin->faces + 3 * i, 3, area);
      pl_vec3_add_scaled(1, area, sum);
      volume += pl_vec3_dot(area, skin->nodes + 3 * skin->faces[3 * i]) / 3;
    }
    CHECK_NEAR(pl_vec3_norm(sum), 0, 1e-13);
    CHECK_NEAR(volume, 6, 1e-13); // positive: turned outwards
    pl_mesh_facts facts;
    CHECK_OK(pl_mesh_measure(skin, &facts, error));
    CHECK_NEAR(facts.surface, 22, 1e-12);
    CHECK_NEAR(facts.volume, 22, 1e-12); // of triangles, the area
    CHECK(facts.pieces == 1 && facts.flipped_elements == 0 && facts.max_angle <= 90 + 1e-9);
    pl_mesh_destroy(mesh);
    pl_mesh_destroy(skin);
  }
}

/* The nearest point of a surface, above a face and beyond a corner. */
TEST(nearest_points)
{
  pl_mesh *mesh = box("tet"), *skin = NULL;
  CHECK_OK(pl_mesh_boundary(mesh, NULL, &skin, error));
  double low[3], high[3];
  pl_mesh_bounds(skin, low, high);
  double points[2][3] = {{low[0] + 0.3, low[1] + 0.7, high[2] + 0.5},
                         {high[0] + 1, high[1] + 2, high[2] + 2}};
  double distances[2] = {0.5, 3};
  for (int i = 0; i < 2; i++) {
    pl_anchor anchor;
    CHECK_OK(pl_mesh_locate(skin, points[i], &anchor, error));
    CHECK(anchor.count == 3);
    CHECK_NEAR(anchor.distance, distances[i], 1e-13);
    CHECK_NEAR(anchor.weights[0] + anchor.weights[1] + anchor.weights[2], 1, 1e-13);
  }
  pl_mesh_destroy(mesh);
  pl_mesh_destroy(skin);
}

TEST(bad_triangles_are_refused)
{
  double nodes[] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 0, 1, 0};
  int flat[] = {0, 1, 2}, twice[] = {0, 3, 3};
  pl_mesh *mesh;
  pl_mesh_def def = {.node_count = 4,
                     .nodes = nodes,
                     .element_count = 1,
                     .nodes_per_element = 3,
                     .elements = flat};
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_MESH, "no area");
  def.elements = twice;
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_MESH, "twice");
  def.nodes_per_element = 5;
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_ARGUMENT, "nodes_per_element = 5");
}

static pl_status attempt(const pl_allocator *allocator, void *context)
{
  pl_mesh *skin = NULL;
  pl_status status = pl_mesh_boundary(context, allocator, &skin, NULL);
  pl_mesh_destroy(skin);
  return status;
}

TEST(memory_may_run_out)
{
  pl_mesh *mesh = box("hex");
  fail_every_allocation(attempt, mesh);
  pl_mesh_destroy(mesh);
}

TESTS(X(boundaries_of_elements) X(nearest_points) X(bad_triangles_are_refused)
          X(memory_may_run_out))
