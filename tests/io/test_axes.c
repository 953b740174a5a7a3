/* Axes of the material per element: read from files of each format that has them, written, kept
 * when meshes are copied, divided, repaired and refined, turned with bodies, and used by laws. */
#include "mesh/mesh.h"
#include "mesh/repair.h"
#include "pliant/world.h"

#include "test.h"

#include <math.h>
#include <unistd.h>

static void put(const char *name, const char *text)
{
  FILE *file = fopen(name, "w");
  CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static pl_mesh *read_text(const char *name, const char *text)
{
  pl_mesh *mesh = NULL;
  put(name, text);
  CHECK_OK(pl_mesh_read(name, NULL, &mesh, error));
  unlink(name);
  return mesh;
}

static void check_axes(const pl_mesh *mesh, int element, const double expected[6], double within)
{
  CHECK(mesh && pl_mesh_axes(mesh));
  for (int k = 0; k < 6; k++) CHECK_NEAR(pl_mesh_axes(mesh)[6 * element + k], expected[k], within);
}

/* ---- files ---- */

#define TWO_TETS "0 0 0  1 0 0  0 1 0  0 0 1  1 1 1\n"

TEST(vtk_arrays_of_cells_name_fibres_and_sheets)
{
  pl_mesh *mesh =
      read_text("axes.vtk", "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                            "POINTS 5 double\n" TWO_TETS
                            "CELLS 2 10\n4 0 1 2 3\n4 1 2 3 4\nCELL_TYPES 2\n10 10\n"
                            "CELL_DATA 2\nVECTORS Fiber double\n0 0 2  0 1 0\n"
                            "FIELD f 1\nsheet 3 2 float\n1 0 0  0 0 1\n");
  check_axes(mesh, 0, (double[6]){0, 0, 2, 1, 0, 0}, 0);
  check_axes(mesh, 1, (double[6]){0, 1, 0, 0, 0, 1}, 0);
  pl_mesh_destroy(mesh);
}

TEST(gmsh_data_of_elements_name_them)
{
  pl_mesh *mesh =
      read_text("axes.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n"
                            "1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n"
                            "$Elements\n3\n6 2 2 1 1 1 2 3\n7 4 2 1 1 1 2 3 4\n9 4 2 1 1 2 3 4 5\n"
                            "$EndElements\n$ElementData\n1\n\"stress\"\n1\n0.0\n3\n0\n1\n1\n7 5\n"
                            "$EndElementData\n$ElementData\n1\n\"fibre\"\n1\n0.0\n3\n0\n3\n2\n"
                            "9 0 1 0\n7 0 0 1\n$EndElementData\n");
  check_axes(mesh, 0, (double[6]){0, 0, 1}, 0);
  check_axes(mesh, 1, (double[6]){0, 1, 0}, 0);
  pl_mesh_destroy(mesh);
}

static const char abaqus_mesh[] = "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n5,1,1,1\n"
                                  "*ELEMENT,TYPE=C3D4,ELSET=one\n11,1,2,3,4\n"
                                  "*ELEMENT,TYPE=C3D4,ELSET=two\n12,2,3,4,5\n";

static pl_mesh *read_abaqus(const char *more)
{
  char text[2000];
  snprintf(text, sizeof text, "%s%s", abaqus_mesh, more);
  return read_text("axes.inp", text);
}

TEST(abaqus_orientations_name_sets)
{
  pl_mesh *mesh = read_abaqus("*SOLID SECTION, ELSET=ONE, MATERIAL=m, ORIENTATION=flat\n"
                              "*SOLID SECTION, ELSET=two, MATERIAL=m, ORIENTATION=\"Round\"\n"
                              "*ORIENTATION, NAME=flat\n0,2,0, 0,1,1\n3, 90\n"
                              "*ORIENTATION, NAME=round, SYSTEM=CYLINDRICAL\n0,0,0, 0,0,3\n1, 0\n");
  double r = sqrt(0.5);
  check_axes(mesh, 0, (double[6]){0, 0, 1, 0, -1, 0}, 1e-15); // y and z turned about x
  check_axes(mesh, 1, (double[6]){r, r, 0, -r, r, 0}, 1e-15); // its middle is at (.5, .5, .5)
  pl_mesh_destroy(mesh);
}

TEST(abaqus_distributions_name_elements)
{
  pl_mesh *mesh = read_abaqus("*ELSET, ELSET=all\none, two\n"
                              "*ORIENTATION, NAME=o\nd\n"
                              "*DISTRIBUTION, LOCATION=ELEMENT, NAME=d, TABLE=t\n"
                              ", 1,0,0, 0,1,0\n12, 0,0,5, 1,0,1\n"
                              "*SOLID SECTION, ELSET=all, ORIENTATION=o\n");
  check_axes(mesh, 0, (double[6]){1, 0, 0, 0, 1, 0}, 0);
  check_axes(mesh, 1, (double[6]){0, 0, 1, 1, 0, 0}, 1e-15);
  pl_mesh_destroy(mesh);
}

TEST(bad_axes_in_files_are_named)
{
  static const struct {
    pl_status status;
    const char *text, *says;
  } bad[] = {
      {PL_E_PARSE,
       "*SOLID SECTION, ELSET=one, ORIENTATION=none\n*ORIENTATION, NAME=o\n1,0,0,0,1,0\n",
       "the orientation \"none\""},
      {PL_E_UNSUPPORTED, "*ORIENTATION, NAME=o, SYSTEM=SPHERICAL\n1,0,0,0,1,0\n", "SPHERICAL"},
      {PL_E_PARSE, "*ORIENTATION, NAME=o\n1,0,0,0,1,0\n4, 20\n", "axis 4"},
      {PL_E_PARSE, "*ORIENTATION, NAME=o\nd\n*DISTRIBUTION, NAME=d\n99, 1,0,0,0,1,0\n",
       "element 99"},
      {PL_E_PARSE, "*ORIENTATION, NAME=o\nd\n*DISTRIBUTION, NAME=d\n11, 1,0,0,0\n", "six numbers"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[2000];
    pl_mesh *mesh = NULL;
    snprintf(text, sizeof text, "%s%s", abaqus_mesh, bad[i].text);
    put("b.inp", text);
    CHECK_FAILS(pl_mesh_read("b.inp", NULL, &mesh, error), bad[i].status, bad[i].says);
    unlink("b.inp");
  }
}

/* ---- meshes ---- */

static pl_mesh *make_bar(const char *element, int varied)
{
  const pl_setting settings[] = {{.name = "element", .word = element},
                                 {.name = "size", .value = {1, 0.25, 0.25}},
                                 {.name = "cells", .value = {4, 1, 1}}};
  pl_mesh *plain = NULL, *mesh = NULL;
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", settings, 3}, NULL, &plain, error));
  static double axes[6 * 64];
  for (int e = 0; e < plain->element_count; e++) {
    double angle = varied ? 0.1 * e : 0.4;
    double own[6] = {cos(angle), sin(angle), 0, -sin(angle), cos(angle), 0};
    memcpy(axes + 6 * e, own, sizeof own);
  }
  pl_mesh_def def = {.node_count = plain->node_count,
                     .nodes = plain->nodes,
                     .element_count = plain->element_count,
                     .nodes_per_element = plain->nodes_per_element,
                     .elements = plain->elements,
                     .set_count = plain->set_count,
                     .sets = plain->sets,
                     .axes = axes};
  CHECK_OK(pl_mesh_create(&def, &mesh, error));
  pl_mesh_destroy(plain);
  return mesh;
}

TEST(written_axes_come_back_bit_for_bit)
{
  static const char *const names[] = {"axes-out.vtu", "axes-out.vtk"};
  for (int i = 0; i < 2; i++) {
    pl_mesh *mesh = make_bar(i ? "hex" : "tet", 1), *back = NULL;
    CHECK_OK(pl_mesh_write(mesh, names[i], error));
    CHECK_OK(pl_mesh_read(names[i], NULL, &back, error));
    CHECK(back->axes &&
          !memcmp(back->axes, mesh->axes, 6 * sizeof(double) * (size_t)mesh->element_count));
    unlink(names[i]);
    pl_mesh_destroy(mesh);
    pl_mesh_destroy(back);
  }
}

TEST(parts_of_elements_have_the_axes_of_the_whole)
{
  pl_mesh *mesh = make_bar("tet", 1), *parts = NULL;
  CHECK_OK(pl_mesh_divide(mesh, PL_DIVIDE_OCTETS, NULL, &parts, error));
  for (int e = 0; e < parts->element_count; e++)
    check_axes(parts, e, mesh->axes + 6 * (size_t)parts->element_octets[e], 0);
  pl_mesh_destroy(mesh);
  pl_mesh_destroy(parts);
}

TEST(repaired_meshes_keep_the_axes_of_what_stays)
{
  const double nodes[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
  const int elements[] = {0, 1, 2, 3, 3, 2, 1, 0, 1, 2, 3, 4};
  const double axes[18] = {1, 0, 0, 0, 1, 0, 2, 0, 0, 0, 2, 0, 3, 0, 0, 0, 3, 0};
  pl_mesh_def def = {.node_count = 5,
                     .nodes = nodes,
                     .element_count = 3,
                     .nodes_per_element = 4,
                     .elements = elements,
                     .axes = axes};
  pl_mesh_repairs repairs = {0};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_repair(&def, &repairs, &mesh, error));
  CHECK(mesh && mesh->element_count == 2);
  check_axes(mesh, 0, axes, 0);
  check_axes(mesh, 1, axes + 12, 0);
  pl_mesh_destroy(mesh);
}

/* ---- bodies ---- */

static const pl_setting wood[] = {
    {.name = "e1", .value = {1e6}},   {.name = "e2", .value = {1e5}},
    {.name = "e3", .value = {1e5}},   {.name = "nu12", .value = {0.2}},
    {.name = "nu13", .value = {0.2}}, {.name = "nu23", .value = {0.2}},
    {.name = "g12", .value = {5e4}},  {.name = "g13", .value = {5e4}},
    {.name = "g23", .value = {5e4}}};

/* A bar that begins stretched. Fills *world; the status says whether it worked. */
static pl_status try_to_make(const pl_mesh *mesh, pl_orientation orientation, double turn,
                             pl_world **world, pl_body_id *body, pl_error *error)
{
  pl_world_def def = pl_world_def_default();
  memset(def.gravity, 0, sizeof def.gravity);
  def.threads = 1;
  pl_body_def from = pl_body_def_default();
  from.mesh = mesh;
  from.material.law = (pl_choice){"orthotropic", wood, 9};
  from.material.orientation = orientation;
  from.rotation[2] = turn;
  pl_status status = pl_world_create(&def, world, error);
  return status ? status : pl_world_add_body(*world, &from, body, error);
}

/* The elastic energy of the bar pulled to 1.1 times its length along its own first edge. */
static double pull(const pl_mesh *mesh, pl_orientation orientation, double turn)
{
  pl_world *world = NULL;
  pl_body_id body = {0};
  pl_world_facts facts;
  CHECK_OK(try_to_make(mesh, orientation, turn, &world, &body, error));
  int n = pl_mesh_node_count(mesh);
  double *x = malloc(3 * (size_t)n * sizeof *x), a = turn * 3.14159265358979323846 / 180;
  for (int i = 0; i < n; i++) {
    const double *X = pl_mesh_nodes(mesh) + 3 * i;
    x[3 * i] = 1.1 * X[0] * cos(a) - X[1] * sin(a);
    x[3 * i + 1] = 1.1 * X[0] * sin(a) + X[1] * cos(a);
    x[3 * i + 2] = X[2];
  }
  CHECK_OK(pl_world_set_positions(world, body, x, error));
  CHECK_OK(pl_world_measure(world, &facts, error));
  free(x);
  pl_world_destroy(world);
  return facts.elastic_energy;
}

TEST(axes_of_the_mesh_are_those_of_the_scene)
{
  static const char *const elements[] = {"tet", "hex"};
  for (int i = 0; i < 2; i++) {
    pl_mesh *mesh = make_bar(elements[i], 0);
    pl_orientation by_mesh = {.kind = PL_ORIENTATION_MESH};
    pl_orientation by_hand = {.kind = PL_ORIENTATION_AXES,
                              .first = {cos(0.4), sin(0.4), 0},
                              .second = {-sin(0.4), cos(0.4), 0}};
    double given = pull(mesh, by_mesh, 0), expected = pull(mesh, by_hand, 0);
    double plain = pull(mesh, (pl_orientation){0}, 0);
    printf("  %s: %.6g J, by hand %.6g, along x %.6g\n", elements[i], given, expected, plain);
    CHECK_NEAR(given, expected, 1e-12 * expected);
    CHECK(fabs(plain - expected) > 0.1 * expected);
    // and turn with the body
    CHECK_NEAR(pull(mesh, by_mesh, 70), expected, 1e-9 * expected);
    pl_mesh_destroy(mesh);
  }
}

TEST(meshes_without_axes_are_refused)
{
  const pl_setting settings[] = {{.name = "cells", .value = {1, 1, 1}}};
  pl_mesh *mesh = NULL;
  pl_world *world = NULL;
  pl_body_id body;
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", settings, 1}, NULL, &mesh, error));
  pl_orientation by_mesh = {.kind = PL_ORIENTATION_MESH};
  CHECK_FAILS(try_to_make(mesh, by_mesh, 0, &world, &body, error), PL_E_ARGUMENT,
              "the mesh has no axes of the material");
  pl_world_destroy(world);
  pl_mesh_destroy(mesh);
  mesh = make_bar("hex", 0);
  memset(mesh->axes + 12, 0, 6 * sizeof(double));
  CHECK_FAILS(try_to_make(mesh, by_mesh, 0, &world, &body, error), PL_E_ARGUMENT,
              "element 2 of the mesh has no axes");
  pl_world_destroy(world);
  pl_mesh_destroy(mesh);
}

TESTS(X(vtk_arrays_of_cells_name_fibres_and_sheets) X(gmsh_data_of_elements_name_them)
          X(abaqus_orientations_name_sets) X(abaqus_distributions_name_elements)
              X(bad_axes_in_files_are_named) X(written_axes_come_back_bit_for_bit)
                  X(parts_of_elements_have_the_axes_of_the_whole)
                      X(repaired_meshes_keep_the_axes_of_what_stays)
                          X(axes_of_the_mesh_are_those_of_the_scene)
                              X(meshes_without_axes_are_refused))
