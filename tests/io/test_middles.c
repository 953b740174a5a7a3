/* Nodes on the edges of tetrahedra: files of quadratic elements whose edges are curved keep them
 * when they are divided. The body is a quarter of a tube, whose elements are mapped from a block.
 */
#include "mesh/element.h"
#include "mesh/mesh.h"
#include "model/quadrature.h"
#include "pliant/world.h"
#include "world/world.h"

#include "test.h"

#include <math.h>
#include <unistd.h>

/* As in src/io/draft.c: the corners that the nodes of a file lie between. */
static const int vtk_edges[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
static const int gmsh_edges[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {2, 3}, {1, 3}};

/* From the unit cube to radii 1 to 2, a quarter around, and a height of 1. */
static void bend(const double X[3], double x[3])
{
  double r = 1 + X[0], angle = 0.5 * 3.14159265358979323846 * X[1];
  x[0] = r * cos(angle);
  x[1] = r * sin(angle);
  x[2] = X[2];
}

static pl_mesh *make_block(int cells)
{
  const pl_setting settings[] = {{.name = "element", .word = "tet"},
                                 {.name = "size", .value = {1, 1, 1}},
                                 {.name = "cells", .value = {cells, cells, 1}}};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", settings, 3}, NULL, &mesh, error));
  return mesh;
}

static void write_nodes(FILE *file, const pl_mesh *octets, const char *form, int first)
{
  for (int i = 0; i < octets->node_count; i++) {
    double x[3];
    bend(octets->nodes + 3 * i, x);
    if (first) fprintf(file, form[0] == 'a' ? "%d, " : "%d ", i + first);
    fprintf(file, form[0] == 'a' ? "%.17g, %.17g, %.17g\n" : "%.17g %.17g %.17g\n", x[0], x[1],
            x[2]);
  }
}

/* The ten nodes of an element in the order of a format. */
static void write_element(FILE *file, const int *octet, const int edges[6][2], const char *between,
                          int first)
{
  for (int a = 0; a < 10; a++) {
    int node = octet[a];
    for (int e = 0; e < 6 && a >= 4; e++) {
      const int *from = edges[a - 4], *to = pl_tet_edges[e];
      if (from[0] == to[0] && from[1] == to[1]) node = octet[4 + e];
      if (from[0] == to[1] && from[1] == to[0]) node = octet[4 + e];
    }
    fprintf(file, "%s%d", a ? between : "", node + first);
  }
  fprintf(file, "\n");
}

static void write_vtk(FILE *file, const pl_mesh *octets)
{
  int count = octets->octet_count;
  fprintf(file, "# vtk DataFile Version 3.0\ntube\nASCII\nDATASET UNSTRUCTURED_GRID\n");
  fprintf(file, "POINTS %d double\n", octets->node_count);
  write_nodes(file, octets, "vtk", 0);
  fprintf(file, "CELLS %d %d\n", count, 11 * count);
  for (int e = 0; e < count; e++) {
    fprintf(file, "10 ");
    write_element(file, octets->octets + 10 * e, vtk_edges, " ", 0);
  }
  fprintf(file, "CELL_TYPES %d\n", count);
  for (int e = 0; e < count; e++) fprintf(file, "24\n");
}

static void write_gmsh(FILE *file, const pl_mesh *octets)
{
  fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", octets->node_count);
  write_nodes(file, octets, "gmsh", 1);
  fprintf(file, "$EndNodes\n$Elements\n%d\n", octets->octet_count);
  for (int e = 0; e < octets->octet_count; e++) {
    fprintf(file, "%d 11 2 0 1 ", e + 1);
    write_element(file, octets->octets + 10 * e, gmsh_edges, " ", 1);
  }
  fprintf(file, "$EndElements\n");
}

static void write_abaqus(FILE *file, const pl_mesh *octets)
{
  fprintf(file, "*NODE\n");
  write_nodes(file, octets, "abaqus", 1);
  fprintf(file, "*ELEMENT, TYPE=C3D10\n");
  for (int e = 0; e < octets->octet_count; e++) {
    fprintf(file, "%d, ", e + 1);
    write_element(file, octets->octets + 10 * e, vtk_edges, ", ", 1);
  }
}

/* Writes the tube in a format, reads it and divides it again. */
static pl_mesh *through_file(int cells, const char *format)
{
  char path[256];
  pl_mesh *block = make_block(cells), *octets = NULL, *read = NULL, *divided = NULL;
  CHECK_OK(pl_mesh_divide(block, PL_DIVIDE_TET10, NULL, &octets, error));
  const char *folder = getenv("TMPDIR");
  snprintf(path, sizeof path, "%s/pliant-middles-%ld.%s", folder ? folder : "/tmp", (long)getpid(),
           format);
  FILE *file = fopen(path, "w");
  CHECK(file != NULL);
  if (strcmp(format, "vtk") == 0) write_vtk(file, octets);
  if (strcmp(format, "msh") == 0) write_gmsh(file, octets);
  if (strcmp(format, "inp") == 0) write_abaqus(file, octets);
  fclose(file);
  CHECK_OK(pl_mesh_read(path, NULL, &read, error));
  CHECK(read->element_count == block->element_count && read->node_count == block->node_count);
  CHECK_OK(pl_mesh_divide(read, PL_DIVIDE_TET10, NULL, &divided, error));
  remove(path);
  pl_mesh_destroy(block);
  pl_mesh_destroy(octets);
  pl_mesh_destroy(read);
  return divided;
}

TEST(curved_edges_come_back_from_every_format)
{
  static const char *const formats[] = {"vtk", "msh", "inp"};
  for (int f = 0; f < 3; f++) {
    pl_mesh *block = make_block(2), *octets = NULL, *mesh = through_file(2, formats[f]);
    CHECK_OK(pl_mesh_divide(block, PL_DIVIDE_TET10, NULL, &octets, error));
    double worst = 0;
    CHECK(mesh->octet_count == octets->octet_count);
    for (int i = 0; i < 10 * mesh->octet_count; i++) {
      double x[3];
      bend(octets->nodes + 3 * octets->octets[i], x);
      for (int k = 0; k < 3; k++)
        worst = fmax(worst, fabs(x[k] - mesh->nodes[3 * mesh->octets[i] + k]));
    }
    CHECK(worst < 1e-14);
    pl_mesh_destroy(block);
    pl_mesh_destroy(octets);
    pl_mesh_destroy(mesh);
  }
}

TEST(folded_elements_are_named)
{
  pl_mesh *mesh = make_block(1), *divided = NULL;
  const int *nodes = mesh->elements + 4 * 2;
  const int ends[2] = {nodes[0] < nodes[1] ? nodes[0] : nodes[1],
                       nodes[0] < nodes[1] ? nodes[1] : nodes[0]};
  const double far[3] = {7, 8, 9};
  CHECK_OK(pl_mesh_keep_middles(mesh, 1, ends, far, error));
  CHECK_FAILS(pl_mesh_divide(mesh, PL_DIVIDE_TET10, NULL, &divided, error), PL_E_MESH,
              "is folded by the nodes on its edges");
  CHECK(divided == NULL);
  pl_mesh_destroy(mesh);
}

static double volume_of(const pl_mesh *mesh)
{
  double volume = 0;
  for (int o = 0; o < mesh->octet_count; o++) {
    for (int p = 0; p < pl_quadrature_points(10); p++) {
      pl_quadrature at = pl_quadrature_at(10, p);
      double b[PL_ELEMENT_NODES][3];
      volume += pl_quadrature_gradients(&at, mesh->nodes, mesh->octets + 10 * o, 10, b);
    }
  }
  return volume;
}

/* 3 pi / 4: straight edges miss it by h^2, curved ones by h^4. */
TEST(the_volume_of_a_curved_body_converges_with_order_four)
{
  double miss[2];
  for (int i = 0; i < 2; i++) {
    pl_mesh *mesh = through_file(2 << i, "inp");
    miss[i] = fabs(volume_of(mesh) / (0.75 * 3.14159265358979323846) - 1);
    pl_mesh_destroy(mesh);
  }
  printf("  volume off by %.2e and %.2e\n", miss[0], miss[1]);
  CHECK(miss[0] < 5e-3 && miss[0] > 12 * miss[1]);
}

/* E = 1e5 Pa, nu = 0.3. */
static pl_world *make_tube(int cells, const char *strain)
{
  const pl_setting moduli[] = {{.name = "young", .value = {1e5}},
                               {.name = "poisson", .value = {0.3}}};
  const pl_setting words[] = {{.name = "strain", .word = strain}};
  pl_world_def def = pl_world_def_default();
  pl_world *world = NULL;
  pl_mesh *mesh = through_file(cells, "vtk");
  CHECK_OK(pl_world_create(&def, &world, error));
  pl_body_def body = pl_body_def_default();
  body.mesh = mesh;
  body.material.law = (pl_choice){"hooke", moduli, 2};
  body.model = (pl_choice){"fem", words, 1};
  CHECK_OK(pl_world_add_body(world, &body, NULL, error));
  CHECK_OK(pl_world_prepare(world, error));
  pl_mesh_destroy(mesh);
  return world;
}

/* The largest force at nodes inside over that at all, with nodes at q. */
static double force_inside(const pl_body *body, const double *q)
{
  size_t n = 3 * (size_t)body->blocks;
  double *f = calloc(n, sizeof *f), inner = 0, all = 0;
  unsigned char *outer = calloc((size_t)body->blocks, 1);
  const pl_moment at = {.q = q, .v = q};
  body->model->ops->evaluate(body->model, &at, f, NULL, NULL);
  for (int k = 0; k < 3 * body->inside->face_count; k++) outer[body->inside->faces[k]] = 1;
  for (size_t k = 0; k < n; k++) {
    all = fmax(all, fabs(f[k]));
    if (!outer[k / 3]) inner = fmax(inner, fabs(f[k]));
  }
  free(f);
  free(outer);
  return inner / all;
}

/* An affine motion of all nodes has no force inside: what the four points miss of curved elements
 * is made up for. */
TEST(the_patch_test_holds_on_curved_elements)
{
  static const char *const strains[] = {"linear", "green", "corotated"};
  for (int i = 0; i < 6; i++) {
    pl_world *world = make_tube(2 << i / 3, strains[i % 3]);
    const pl_body *body = &world->bodies.list[0];
    size_t n = 3 * (size_t)body->blocks;
    double *q = malloc(n * sizeof *q);
    for (size_t k = 0; k < n; k += 3) {
      const double *X = body->model->rest + k;
      q[k] = 1.01 * X[0] + 0.02 * X[1] - 0.01 * X[2];
      q[k + 1] = 0.98 * X[1] + 0.01 * X[0];
      q[k + 2] = 1.03 * X[2] + 0.01 * X[1];
    }
    double share = force_inside(body, q);
    free(q);
    pl_world_destroy(world);
    printf("  %s strain: forces inside are %.1e of those outside\n", strains[i % 3], share);
    CHECK(share < 1e-12);
  }
}

/* Lame's solution of a tube under pressure without its even part: moving out by c / r leaves the
 * volume alone and has the energy 3 pi mu c^2 / 8 in this quarter. */
TEST(the_energy_of_a_tube_under_pressure_converges)
{
  double miss[3], c = 1e-3, exact = 3 * 3.14159265358979323846 / 8 * (1e5 / 2.6) * c * c;
  for (int i = 0; i < 3; i++) {
    pl_world *world = make_tube(2 << i, "linear");
    const pl_body *body = &world->bodies.list[0];
    size_t n = 3 * (size_t)body->blocks;
    double *q = malloc(n * sizeof *q);
    for (size_t k = 0; k < n; k += 3) {
      const double *X = body->model->rest + k;
      double scale = 1 + c / (X[0] * X[0] + X[1] * X[1]);
      q[k] = scale * X[0];
      q[k + 1] = scale * X[1];
      q[k + 2] = X[2];
    }
    miss[i] = fabs(body->model->ops->energy(body->model, q, NULL) / exact - 1);
    free(q);
    pl_world_destroy(world);
  }
  printf("  energy off by %.2e, %.2e and %.2e\n", miss[0], miss[1], miss[2]);
  CHECK(miss[0] > 8 * miss[1] && miss[1] > 8 * miss[2]);
}

TESTS(X(curved_edges_come_back_from_every_format) X(folded_elements_are_named)
          X(the_volume_of_a_curved_body_converges_with_order_four)
              X(the_patch_test_holds_on_curved_elements)
                  X(the_energy_of_a_tube_under_pressure_converges))
