/* Graded meshes: the meshes of an 11-cell cube with their hanging nodes, how counts grow, balance,
 * the boundary, and octrees in any shape. */
#include "core/family.h"
#include "core/memory.h"
#include "mesh/element.h"
#include "mesh/fill.h"
#include "mesh/mesh.h"
#include "mesh/solid.h"

#include "failing.h"
#include "test.h"

#include <math.h>

static pl_mesh *graded(int cells, int levels, int ratio, const char *rest)
{
  pl_setting settings[] = {{.name = "size", .value = {0.1, 0.1, 0.1}},
                           {.name = "cells", .value = {cells, cells, cells}},
                           {.name = "levels", .value = {levels}},
                           {.name = "ratio", .value = {ratio}},
                           {.name = "rest", .word = rest}};
  pl_choice choice = {"graded-box", settings, 5};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_generate(&choice, NULL, &mesh, error));
  return mesh;
}

/* Sorts a box's volume, surface and boundary: what a crack or a doubled cell would change. */
static void check_whole(const pl_mesh *mesh, int cells)
{
  pl_mesh_facts facts;
  CHECK_OK(pl_mesh_measure(mesh, &facts, error));
  CHECK_NEAR(facts.volume, 1e-3, 1e-15);
  CHECK_NEAR(facts.surface, 0.06, 1e-14);
  CHECK(facts.pieces == 1);
  CHECK(facts.boundary_pieces == 1);
  CHECK(facts.face_count == 6 * cells * cells);
}

/* Parents' weights sum to one and give the node's place. */
static void check_places(const pl_mesh *mesh)
{
  for (int h = 0; h < pl_mesh_hanging_count(mesh); h++) {
    const pl_hanging_node *node = pl_mesh_hanging(mesh, h);
    double sum = 0, place[3] = {0};
    for (int j = 0; j < node->count; j++) {
      sum += node->weights[j];
      for (int k = 0; k < 3; k++)
        place[k] += node->weights[j] * mesh->nodes[3 * node->parents[j] + k];
    }
    CHECK_NEAR(sum, 1, 1e-15);
    for (int k = 0; k < 3; k++) CHECK_NEAR(place[k], mesh->nodes[3 * node->node + k], 1e-15);
  }
}

TEST(the_meshes_of_an_eleven_cell_cube)
{
  static const struct {
    int cells, levels, ratio;
    const char *rest;
    int elements, nodes, edge, face;
  } rows[] = {
      {11, 0, 2, "middle", 1331, 1728, 0, 0},     {11, 1, 2, "middle", 727, 1280, 240, 96},
      {11, 2, 2, "middle", 708, 1273, 264, 102},  {11, 1, 3, "middle", 629, 1224, 216, 216},
      {11, 2, 2, "outside", 876, 1411, 204, 102}, {12, 1, 2, "middle", 853, 1532, 300, 150},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    pl_mesh *mesh = graded(rows[i].cells, rows[i].levels, rows[i].ratio, rows[i].rest);
    int edge = 0, face = 0;
    for (int h = 0; h < pl_mesh_hanging_count(mesh); h++) {
      edge += pl_mesh_hanging(mesh, h)->count == 2;
      face += pl_mesh_hanging(mesh, h)->count == 4;
    }
    CHECK(pl_mesh_element_count(mesh) == rows[i].elements);
    CHECK(pl_mesh_node_count(mesh) == rows[i].nodes);
    CHECK(edge == rows[i].edge);
    CHECK(face == rows[i].face);
    CHECK(pl_mesh_hanging_count(mesh) == edge + face);
    check_whole(mesh, rows[i].cells);
    check_places(mesh);
    pl_mesh_destroy(mesh);
  }
}

/* N(n) = n^3 - (n - 2)^3 + N((n - 2) / 2) -> 8 n^2. */
TEST(elements_grow_with_the_square_of_the_cells)
{
  static const int rows[][2] = {{6, 160}, {14, 1176}, {30, 6224}, {62, 28552}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    pl_mesh *mesh = graded(rows[i][0], 12, 2, "middle");
    CHECK(pl_mesh_element_count(mesh) == rows[i][1]);
    pl_mesh_destroy(mesh);
  }
}

/* Before memory is taken for it, and without looking at every cell that is not there. */
TEST(a_graded_box_beyond_the_limit_is_refused)
{
  const pl_setting settings[] = {{.name = "cells", .value = {4096, 4096, 4096}},
                                 {.name = "levels", .value = {12}}};
  const pl_choice choice = {"graded-box", settings, 2};
  pl_mesh *mesh = NULL;
  CHECK_FAILS(pl_mesh_generate(&choice, NULL, &mesh, error), PL_E_LIMIT, "more than the limit of");
  CHECK(!mesh);
}

TEST(sets_of_a_graded_box_hold_its_sides)
{
  static const char *const names[] = {"x-min", "x-max", "y-min", "y-max", "z-min", "z-max"};
  pl_mesh *mesh = graded(11, 2, 2, "middle");
  for (int s = 0; s < 6; s++) {
    const pl_set *set = pl_mesh_find_set(mesh, names[s]);
    CHECK(set && set->count == 144);
    for (int i = 0; set && i < set->count; i++)
      CHECK_NEAR(mesh->nodes[3 * set->ids[i] + s / 2], s % 2 ? 0.1 : 0, 1e-15);
  }
  pl_mesh_destroy(mesh);
}

TEST(renumbering_keeps_hanging_nodes_and_the_boundary)
{
  pl_mesh *mesh = graded(11, 2, 2, "outside"), *other = NULL;
  int *order = calloc((size_t)mesh->node_count, sizeof *order);
  CHECK_OK(pl_mesh_order(mesh, order, error));
  CHECK_OK(pl_mesh_reorder(mesh, order, NULL, NULL, &other, error));
  CHECK(pl_mesh_hanging_count(other) == 306);
  check_whole(other, 11);
  check_places(other);
  free(order);
  pl_mesh_destroy(mesh);
  pl_mesh_destroy(other);
}

TEST(hanging_nodes_that_cannot_be_are_refused)
{
  static const double nodes[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  static const int tet[] = {0, 1, 2, 3}, parents[] = {1, 9};
  static const double weights[] = {0.5, NAN};
  const pl_hanging_node wrong[] = {{7, 1, parents, weights},
                                   {0, 0, parents, weights},
                                   {0, 2, parents, weights},
                                   {0, 1, parents, weights + 1}};
  for (int i = 0; i < 4; i++) {
    pl_mesh_def def = {.node_count = 4,
                       .nodes = nodes,
                       .element_count = 1,
                       .nodes_per_element = 4,
                       .elements = tet,
                       .hanging = &wrong[i],
                       .hanging_count = 1};
    pl_mesh *mesh = NULL;
    CHECK(pl_mesh_create(&def, &mesh, NULL) == PL_E_MESH);
    CHECK(!mesh);
  }
}

/* ---- octrees ---- */

static pl_status fill_ball(const char *surface, double size, int grading,
                           const pl_allocator *allocator, pl_mesh **mesh, pl_error *error)
{
  pl_setting ball = {.name = "radius", .value = {0.1}};
  pl_solid_row row = {{"sphere", &ball, 1}, 0};
  pl_setting settings[] = {{.name = "size", .value = {size}},
                           {.name = "grading", .value = {grading}},
                           {.name = "surface", .word = surface}};
  pl_choice choice = {"octree", settings, 3};
  pl_solid *solid;
  pl_status status = pl_solid_create(&row, 1, allocator, &solid, error);
  if (status) return status;
  pl_volume volume = pl_solid_volume(solid);
  status = pl_fill(&volume, &choice, allocator, mesh, error);
  pl_solid_destroy(solid);
  return status;
}

static const double ball_volume = 4.0 / 3 * 3.14159265358979 * 1e-3;

TEST(an_octree_fills_a_ball)
{
  static const struct {
    const char *surface;
    double min, max;
  } rows[] = {{"inside", 0.97, 1.03}, {"embedded", 1.02, 1.6}, {"trimmed", 0.975, 1.005}};
  for (int i = 0; i < 3; i++) {
    pl_mesh *mesh = NULL;
    pl_mesh_facts facts;
    CHECK_OK(fill_ball(rows[i].surface, 0.0125, 4, NULL, &mesh, error));
    CHECK_OK(pl_mesh_measure(mesh, &facts, error));
    printf("  %s: %.4f of the volume, angles %.0f to %.0f\n", rows[i].surface,
           facts.volume / ball_volume, facts.min_angle, facts.max_angle);
    CHECK(facts.volume > rows[i].min * ball_volume && facts.volume < rows[i].max * ball_volume);
    CHECK(pl_mesh_hanging_count(mesh) > 0);
    CHECK(facts.boundary_pieces == 1);
    CHECK(facts.pieces == 1);
    CHECK(facts.max_volume > 7.9 * 0.0125 * 0.0125 * 0.0125);
    check_places(mesh);
    pl_mesh_destroy(mesh);
  }
}

/* Nodes of the boundary lie on the sphere, but for those that quality holds back. */
TEST(trimmed_nodes_lie_on_the_surface)
{
  pl_mesh *mesh = NULL;
  double worst = 0, sum = 0;
  CHECK_OK(fill_ball("trimmed", 0.0125, 4, NULL, &mesh, error));
  for (int i = 0; i < 4 * mesh->face_count; i++) {
    const double *x = mesh->nodes + 3 * mesh->faces[i];
    double off = fabs(sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) - 0.1);
    worst = fmax(worst, off);
    sum += off;
  }
  printf("  off by %.3f cells at most, %.3f in the mean\n", worst / 0.0125,
         sum / (4 * mesh->face_count) / 0.0125);
  CHECK(worst < 0.6 * 0.0125);
  CHECK(sum / (4 * mesh->face_count) < 0.1 * 0.0125);
  pl_mesh_destroy(mesh);
}

/* Leaves that share an edge differ by one level: no node hangs on a way of more than two. */
TEST(an_octree_is_balanced)
{
  pl_mesh *mesh = NULL;
  CHECK_OK(fill_ball("embedded", 0.004, 4, NULL, &mesh, error));
  for (int h = 0; h < pl_mesh_hanging_count(mesh); h++) {
    const pl_hanging_node *node = pl_mesh_hanging(mesh, h);
    double weight = node->count == 2 ? 0.5 : 0.25;
    for (int j = 0; j < node->count; j++) CHECK_NEAR(node->weights[j], weight, 0);
  }
  pl_mesh_destroy(mesh);
}

TEST(a_shape_thinner_than_the_cells_is_refused)
{
  pl_setting sizes = {.name = "size", .value = {0.1, 0.1, 0.001}};
  pl_solid_row row = {{"box", &sizes, 1}, 0};
  pl_setting settings[] = {{.name = "size", .value = {0.03}},
                           {.name = "surface", .word = "inside"}};
  pl_choice choice = {"octree", settings, 2};
  pl_solid *solid;
  pl_mesh *mesh = NULL;
  pl_error failure;
  CHECK_OK(pl_solid_create(&row, 1, NULL, &solid, error));
  pl_volume volume = pl_solid_volume(solid);
  pl_status status = pl_fill(&volume, &choice, NULL, &mesh, &failure);
  CHECK(status == PL_E_ARGUMENT && strstr(failure.message, "thinner"));
  pl_solid_destroy(solid);
  pl_mesh_destroy(mesh);
}

static pl_status attempt_ball(const pl_allocator *allocator, void *context)
{
  (void)context;
  pl_mesh *mesh = NULL;
  pl_status status = fill_ball("trimmed", 0.02, 2, allocator, &mesh, NULL);
  pl_mesh_destroy(mesh);
  return status;
}

static pl_status attempt_box(const pl_allocator *allocator, void *context)
{
  (void)context;
  pl_setting settings[] = {{.name = "cells", .value = {6, 6, 6}}, {.name = "levels", .value = {2}}};
  pl_choice choice = {"graded-box", settings, 2};
  pl_mesh *mesh = NULL;
  pl_status status = pl_mesh_generate(&choice, allocator, &mesh, NULL);
  pl_mesh_destroy(mesh);
  return status;
}

TEST(failing_allocations_are_reported)
{
  fail_every_allocation(attempt_box, NULL);
  fail_every_allocation(attempt_ball, NULL);
}

TESTS(X(the_meshes_of_an_eleven_cell_cube) X(elements_grow_with_the_square_of_the_cells)
          X(a_graded_box_beyond_the_limit_is_refused) X(sets_of_a_graded_box_hold_its_sides)
              X(renumbering_keeps_hanging_nodes_and_the_boundary)
                  X(hanging_nodes_that_cannot_be_are_refused) X(an_octree_fills_a_ball)
                      X(trimmed_nodes_lie_on_the_surface) X(an_octree_is_balanced)
                          X(a_shape_thinner_than_the_cells_is_refused)
                              X(failing_allocations_are_reported))
