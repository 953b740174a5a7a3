/* Sheets of triangles: areas, edges, normals, sets, patterns, arcs. */
#include "math/vec3.h"
#include "mesh/mesh.h"
#include "test.h"

static const double PI = 3.14159265358979323846;
static const char *const patterns[] = {"diagonal", "alternating", "crossed", "staggered"};

static pl_mesh *make(const char *pattern, double along, double across, double arc)
{
  const pl_setting settings[] = {{"pattern", {0}, pattern},  {"along", {along}, NULL},
                                 {"across", {across}, NULL}, {"length", {2}, NULL},
                                 {"width", {1.5}, NULL},     {"arc", {arc}, NULL},
                                 {"origin", {1, 2, 3}, NULL}};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_generate(&(pl_choice){"sheet", settings, 7}, NULL, &mesh, error));
  return mesh;
}

static void area_of(const pl_mesh *mesh, double sum[3], double *total)
{
  pl_vec3_set(sum, 0, 0, 0);
  *total = 0;
  for (int e = 0; e < mesh->element_count; e++) {
    double area[3];
    pl_face_area(mesh->nodes, mesh->elements + 3 * e, 3, area);
    pl_vec3_add_scaled(1, area, sum);
    *total += pl_vec3_norm(area);
  }
}

/* Edges of one triangle only; -1 if an edge has more than two or is run through twice alike. */
static int open_edges(const pl_mesh *mesh)
{
  int open = 0;
  for (int i = 0; i < 3 * mesh->element_count; i++) {
    int a = mesh->elements[i], b = mesh->elements[i / 3 * 3 + (i + 1) % 3], back = 0;
    for (int k = 0; k < 3 * mesh->element_count; k++) {
      int c = mesh->elements[k], d = mesh->elements[k / 3 * 3 + (k + 1) % 3];
      if (c == a && d == b && k != i) return -1;
      back += c == b && d == a;
    }
    if (back > 1) return -1;
    open += back == 0;
  }
  return open;
}

TEST(flat_sheets_have_their_area_and_one_normal)
{
  for (int p = 0; p < 4; p++) {
    for (int n = 1; n < 6; n++) {
      pl_mesh *mesh = make(patterns[p], n, 4, 0);
      double sum[3], total;
      area_of(mesh, sum, &total);
      CHECK_NEAR(total, 3, 1e-12);
      CHECK_NEAR(sum[2], 3, 1e-12);
      CHECK(open_edges(mesh) == 2 * (n + 4));
      CHECK(pl_mesh_find_set(mesh, "corners")->count == 4);
      CHECK(pl_mesh_find_set(mesh, "start")->count == 5);
      CHECK(pl_mesh_find_set(mesh, "left")->count == n + 1);
      pl_mesh_destroy(mesh);
    }
  }
}

TEST(bent_sheets_lie_on_their_cylinder)
{
  for (int p = 0; p < 4; p++) {
    pl_mesh *half = make(patterns[p], 40, 4, 180), *tube = make(patterns[p], 40, 4, 360);
    double sum[3], total;
    area_of(half, sum, &total);
    CHECK_NEAR(total, 3, 3 * 2e-3);
    CHECK_NEAR(sum[2], 1.5 * 2 * 2 / PI, 1e-12);
    for (int i = 0; i < half->node_count; i++) {
      const double *x = half->nodes + 3 * i;
      double r = sqrt((x[0] - 1 - 2 / PI) * (x[0] - 1 - 2 / PI) + (x[2] - 3) * (x[2] - 3));
      CHECK_NEAR(r, 2 / PI, 1e-12);
    }
    area_of(tube, sum, &total);
    CHECK_NEAR(total, 3, 3 * 2e-3);
    CHECK_NEAR(pl_vec3_norm(sum), 0, 1e-12);
    CHECK(open_edges(tube) == 80);
    pl_mesh_destroy(half);
    pl_mesh_destroy(tube);
  }
}

TEST(tubes_that_do_not_close_are_refused)
{
  const pl_setting settings[] = {{"along", {7}, NULL}, {"arc", {360}, NULL}};
  pl_mesh *mesh = NULL;
  pl_error error;
  CHECK(pl_mesh_generate(&(pl_choice){"sheet", settings, 2}, NULL, &mesh, &error) == PL_E_ARGUMENT);
  CHECK(strstr(error.message, "along = 7"));
}

TESTS(X(flat_sheets_have_their_area_and_one_normal) X(bent_sheets_lie_on_their_cylinder)
          X(tubes_that_do_not_close_are_refused))
