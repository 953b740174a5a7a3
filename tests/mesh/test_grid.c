/* Meshes that are grids of particles: places, names, shapes, and that they stay grids. */
#include "core/family.h"
#include "failing.h"
#include "mesh/grid.h"
#include "mesh/select.h"
#include "test.h"

static pl_mesh *lattice(const char *shape, double l, double m, double n, double arc)
{
  pl_setting settings[] = {{"shape", {0}, shape}, {"l", {l}, NULL},          {"m", {m}, NULL},
                           {"n", {n}, NULL},      {"size", {2, 3, 4}, NULL}, {"arc", {arc}, NULL}};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_generate(&(pl_choice){"lattice", settings, 6}, NULL, &mesh, error));
  return mesh;
}

TEST(lattices_have_the_cells_that_their_axes_make)
{
  static const struct {
    const char *shape;
    int nodes, elements, size;
  } cases[] = {{"plane", 35, 2 * 4 * 6, 3},
               {"tube", 35, 2 * 5 * 6, 3},
               {"ellipsoid", 35, 2 * 5 * 6 - 10, 3},
               {"box", 105, 2 * 4 * 6, 8},
               {"ball", 105, 2 * 5 * 6, 8}};
  for (int i = 0; i < 5; i++) {
    pl_mesh *mesh = lattice(cases[i].shape, 3, 5, 7, 0);
    CHECK(mesh->node_count == cases[i].nodes && mesh->element_count == cases[i].elements);
    CHECK(mesh->nodes_per_element == cases[i].size && mesh->grid->axes == (i < 3 ? 2 : 3));
    CHECK(mesh->dropped_nodes == 0);
    pl_mesh_destroy(mesh);
  }
}

/* Those of a closed surface enclose its volume; an ellipsoid of many particles that of a ball. */
TEST(closed_lattices_face_outwards)
{
  pl_mesh *mesh = lattice("ellipsoid", 3, 80, 60, 0);
  double volume = 0;
  for (int f = 0; f < mesh->face_count; f++) {
    double area[3];
    pl_face_area(mesh->nodes, mesh->faces + 3 * f, 3, area);
    for (int k = 0; k < 3; k++) volume += area[k] * mesh->nodes[3 * mesh->faces[3 * f] + k] / 3;
  }
  CHECK_NEAR(volume, 4.0 / 3 * 3.14159265358979 * 1 * 1.5 * 2, 0.005 * volume);
  pl_mesh_destroy(mesh);
}

TEST(an_arc_keeps_its_length)
{
  pl_mesh *mesh = lattice("plane", 3, 401, 3, 90);
  double length = 0;
  for (int i = 0; i < 400; i++) {
    int a = pl_grid_node(mesh->grid, (int[3]){i, 1, 0});
    int b = pl_grid_node(mesh->grid, (int[3]){i + 1, 1, 0});
    double sum = 0;
    for (int k = 0; k < 3; k++) {
      double d = mesh->nodes[3 * a + k] - mesh->nodes[3 * b + k];
      sum += d * d;
    }
    length += sqrt(sum);
  }
  CHECK_NEAR(length, 2, 1e-5);
  pl_mesh_destroy(mesh);
}

/* A renumbered mesh has the same particle at the same place. */
TEST(grids_stay_when_nodes_are_renumbered)
{
  pl_mesh *mesh = lattice("ball", 4, 6, 5, 0), *other = NULL;
  int *order = malloc((size_t)mesh->node_count * sizeof *order), at[3];
  CHECK_OK(pl_mesh_order(mesh, order, error));
  CHECK_OK(pl_mesh_reorder(mesh, order, NULL, NULL, &other, error));
  for (int i = 0; i < pl_grid_count(mesh->grid); i++) {
    pl_grid_place(mesh->grid, i, at);
    int a = pl_grid_node(mesh->grid, at), b = pl_grid_node(other->grid, at);
    CHECK(order[b] == a);
    CHECK(!memcmp(mesh->nodes + 3 * a, other->nodes + 3 * b, 3 * sizeof(double)));
  }
  free(order);
  pl_mesh_destroy(mesh);
  pl_mesh_destroy(other);
}

TEST(places_beyond_an_end_are_none_and_go_around_elsewhere)
{
  pl_mesh *mesh = lattice("tube", 3, 5, 4, 0);
  const pl_grid *grid = mesh->grid;
  CHECK(pl_grid_node(grid, (int[3]){0, -1, 0}) == -1 &&
        pl_grid_node(grid, (int[3]){0, 4, 0}) == -1);
  CHECK(pl_grid_node(grid, (int[3]){5, 2, 0}) == pl_grid_node(grid, (int[3]){0, 2, 0}));
  CHECK(pl_grid_node(grid, (int[3]){-1, 2, 0}) == pl_grid_node(grid, (int[3]){4, 2, 0}));
  pl_mesh_destroy(mesh);
}

TEST(particles_are_named_by_their_places)
{
  pl_mesh *mesh = lattice("plane", 3, 5, 4, 0);
  unsigned char chosen[64];
  static const struct {
    const char *name;
    int count;
  } good[] = {{"[0,0]", 1}, {"[*,1]", 5}, {" [ -1 , * ] ", 4}, {"[*,*]", 20}, {"m0", 4}, {"n1", 5}};
  for (int i = 0; i < 6; i++) {
    int count = 0;
    pl_selector where = {.set = good[i].name};
    // a name with blanks before it is a set's
    if (good[i].name[0] == ' ') where.set++;
    CHECK_OK(pl_mesh_select_nodes(mesh, &where, 1, chosen, &count, error));
    CHECK(count == good[i].count);
  }
  pl_selector two = {.set = "[2,*]"};
  int count;
  CHECK_OK(pl_mesh_select_nodes(mesh, &two, 1, chosen, &count, error));
  for (int n = 0; n < 4; n++) CHECK(chosen[pl_grid_node(mesh->grid, (int[3]){2, n, 0})]);
  CHECK_OK(pl_mesh_select_faces(mesh, &(pl_selector){.set = "[*,*]"}, 1, chosen, &count, error));
  CHECK(count == mesh->face_count);
  CHECK_OK(pl_mesh_select_elements(mesh, &two, 1, chosen, &count, error));
  CHECK(count == 0);
  static const char *const bad[] = {"[5,0]", "[0,-5]", "[0]", "[0,0,0]", "[a,0]", "[0,0", "[0,0]x"};
  for (int i = 0; i < 7; i++) {
    pl_selector where = {.set = bad[i]};
    CHECK_FAILS(pl_mesh_select_nodes(mesh, &where, 1, chosen, &count, error), PL_E_ARGUMENT,
                i < 2 ? "outside the grid" : "names no particles");
  }
  pl_mesh_destroy(mesh);
}

/* Order 1 is bilinear; any order with points of a linear map reproduces the map. */
TEST(bezier_patches_and_solids_reproduce_linear_maps)
{
  for (int axes = 2; axes <= 3; axes++) {
    for (int order = 1; order <= 5; order++) {
      double points[3 * 216], *p = points;
      for (int i = 0; i < pl_bezier_points(axes, order); i++, p += 3) {
        double s = i % (order + 1), t = i / (order + 1) % (order + 1);
        double u = i / (order + 1) / (order + 1);
        p[0] = 2 * s / order + 0.3 * t / order;
        p[1] = 1 + 3 * t / order;
        p[2] = -1 + (axes == 3 ? 0.5 : 0) * u / order + 0.2 * s / order;
      }
      pl_bezier_def def = {axes, order, {4, 3, 5}, {0}, points};
      pl_mesh *mesh = NULL;
      CHECK_OK(pl_mesh_bezier(&def, NULL, &mesh, error));
      for (int i = 0; i < pl_grid_count(mesh->grid); i++) {
        int at[3];
        pl_grid_place(mesh->grid, i, at);
        const double *x = mesh->nodes + 3 * pl_grid_node(mesh->grid, at);
        CHECK_NEAR(x[0], 2 * at[0] / 3.0 + 0.3 * at[1] / 2.0, 1e-14);
        CHECK_NEAR(x[1], 1 + 3 * at[1] / 2.0, 1e-14);
        CHECK_NEAR(x[2], -1 + (axes == 3 ? 0.5 : 0) * at[2] / 4.0 + 0.2 * at[0] / 3.0, 1e-14);
      }
      pl_mesh_destroy(mesh);
    }
  }
}

/* A quadratic arc: half-way it stands half-way to the control point. */
TEST(a_quadratic_patch_bulges_towards_its_middle_point)
{
  double points[27];
  for (int i = 0; i < 9; i++) {
    points[3 * i] = i % 3;
    points[3 * i + 1] = i / 3;
    points[3 * i + 2] = i == 4 ? 1 : 0;
  }
  pl_bezier_def def = {2, 2, {5, 5, 0}, {0}, points};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_bezier(&def, NULL, &mesh, error));
  CHECK_NEAR(mesh->nodes[3 * pl_grid_node(mesh->grid, (int[3]){2, 2, 0}) + 2], 0.25, 1e-15);
  pl_mesh_destroy(mesh);
}

TEST(what_is_no_grid_is_refused)
{
  double flat[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}, line[12] = {0, 0, 0, 1, 0, 0, 2};
  double lost[12] = {0, 0, 0, NAN};
  pl_mesh *mesh = NULL;
  static const struct {
    int axes, order, m, n, around;
    const char *part;
  } cases[] = {{4, 1, 4, 4, 0, "4 axes"},      {2, 0, 4, 4, 0, "order = 0"},
               {2, 33, 4, 4, 0, "order"},      {2, 1, 1, 4, 0, "too few"},
               {2, 1, 4, 5000, 0, "too many"}, {2, 1, 2, 4, 1, "goes around"}};
  for (int i = 0; i < 6; i++) {
    pl_bezier_def def = {
        cases[i].axes, cases[i].order, {cases[i].m, cases[i].n, 2}, {cases[i].around, 0, 0}, flat};
    CHECK_FAILS(pl_mesh_bezier(&def, NULL, &mesh, error), PL_E_ARGUMENT, cases[i].part);
    CHECK(!mesh);
  }
  pl_bezier_def def = {2, 1, {4, 4, 0}, {0}, lost};
  CHECK_FAILS(pl_mesh_bezier(&def, NULL, &mesh, error), PL_E_ARGUMENT, "not finite");
  def.points = line;
  CHECK_FAILS(pl_mesh_bezier(&def, NULL, &mesh, error), PL_E_MESH, "");
  def = (pl_bezier_def){3, 1, {4096, 4096, 4}, {0}, flat};
  double cube[24] = {0};
  def.points = cube;
  CHECK_FAILS(pl_mesh_bezier(&def, NULL, &mesh, error), PL_E_LIMIT, "more than the limit");
}

static pl_status bezier_again(const pl_allocator *allocator, void *context)
{
  (void)context;
  pl_mesh *mesh = NULL;
  double points[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
  pl_bezier_def def = {2, 1, {4, 3, 0}, {0}, points};
  pl_status status = pl_mesh_bezier(&def, allocator, &mesh, NULL);
  pl_mesh_destroy(mesh);
  return status;
}

TEST(failing_allocations_are_reported) { fail_every_allocation(bezier_again, NULL); }

TESTS(X(failing_allocations_are_reported) X(lattices_have_the_cells_that_their_axes_make)
          X(closed_lattices_face_outwards) X(an_arc_keeps_its_length)
              X(grids_stay_when_nodes_are_renumbered)
                  X(places_beyond_an_end_are_none_and_go_around_elsewhere)
                      X(particles_are_named_by_their_places)
                          X(bezier_patches_and_solids_reproduce_linear_maps)
                              X(a_quadratic_patch_bulges_towards_its_middle_point)
                                  X(what_is_no_grid_is_refused))
