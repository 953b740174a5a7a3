/* Embedded points: rigid motions, linear fields, the transpose, points outside. */
#include "math/vec3.h"
#include "mesh/embed.h"
#include "mesh/fill.h"
#include "mesh/solid.h"

#include "failing.h"

enum { POINTS = 400 };

static pl_mesh *cage(const char *element)
{
  pl_solid *solid = NULL;
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_solid_create(&(pl_solid_row){{"duck", NULL, 0}, 0}, 1, NULL, &solid, error));
  pl_volume volume = pl_solid_volume(solid);
  pl_setting settings[] = {{.name = "size", .value = {0.15}}, {.name = "cell", .word = element}};
  CHECK_OK(pl_fill(&volume, &(pl_choice){"cage", settings, 2}, NULL, &mesh, error));
  pl_solid_destroy(solid);
  return mesh;
}

/* Inside the duck and around it. */
static void scatter(double *points)
{
  for (int i = 0; i < POINTS; i++) {
    points[3 * i] = 0.8 * test_uniform();
    points[3 * i + 1] = 0.5 * test_uniform();
    points[3 * i + 2] = 0.5 + 0.6 * test_uniform();
  }
}

/* x -> A x + b keeps every embedded point to 1e-12, whether A is a rotation or any matrix. */
TEST(linear_motions)
{
  static const char *const kinds[] = {"tet", "hex"};
  for (int kind = 0; kind < 2; kind++) {
    pl_mesh *mesh = cage(kinds[kind]);
    double points[3 * POINTS], moved[3 * POINTS], back[3 * POINTS];
    scatter(points);
    pl_embed *embed = NULL;
    CHECK_OK(pl_embed_create(mesh, POINTS, points, NULL, &embed, error));
    double *nodes = malloc(3 * (size_t)mesh->node_count * sizeof *nodes);
    double c = cos(0.7), s = sin(0.7);
    for (int shear = 0; shear < 2; shear++) {
      double A[3][3] = {{c, -s, 0}, {s, c, shear}, {0, 0, 1 + shear}};
      for (int n = 0; n < mesh->node_count + POINTS; n++) {
        int of_mesh = n < mesh->node_count, i = of_mesh ? n : n - mesh->node_count;
        const double *from = of_mesh ? mesh->nodes + 3 * i : points + 3 * i;
        double *to = of_mesh ? nodes + 3 * i : moved + 3 * i;
        for (int k = 0; k < 3; k++) to[k] = 0.5 + pl_vec3_dot(A[k], from);
      }
      pl_embed_follow(embed, nodes, back);
      double worst = 0;
      for (int i = 0; i < 3 * POINTS; i++) worst = fmax(worst, fabs(back[i] - moved[i]));
      CHECK_NEAR(worst, 0, 1e-12);
    }
    // the nearest element is the one that the exhaustive search finds
    for (int i = 0; i < POINTS; i += 10) {
      pl_anchor anchor;
      CHECK_OK(pl_mesh_locate(mesh, points + 3 * i, &anchor, error));
      double middle[3] = {0};
      for (int k = 0; k < mesh->nodes_per_element; k++) {
        int node = mesh->elements[mesh->nodes_per_element * embed->elements[i] + k];
        pl_vec3_add_scaled(1.0 / mesh->nodes_per_element, mesh->nodes + 3 * node, middle);
      }
      // one element across, at most
      CHECK(pl_vec3_distance(middle, points + 3 * i) <= anchor.distance + 0.27);
    }
    free(nodes);
    pl_embed_destroy(embed);
    pl_mesh_destroy(mesh);
  }
}

/* The work of forces on points is that of the forces on nodes. */
TEST(forces_are_the_transpose)
{
  pl_mesh *mesh = cage("tet");
  double points[3 * POINTS], push[3 * POINTS], follow[3 * POINTS], there = 0, here = 0;
  scatter(points);
  pl_embed *embed = NULL;
  CHECK_OK(pl_embed_create(mesh, POINTS, points, NULL, &embed, error));
  size_t count = 3 * (size_t)mesh->node_count;
  double *move = malloc(count * sizeof *move), *forces = calloc(count, sizeof *forces);
  for (size_t i = 0; i < count; i++) move[i] = test_uniform();
  for (int i = 0; i < 3 * POINTS; i++) push[i] = test_uniform();
  pl_embed_follow(embed, move, follow);
  pl_embed_push(embed, push, forces);
  for (int i = 0; i < 3 * POINTS; i++) there += push[i] * follow[i];
  for (size_t i = 0; i < count; i++) here += forces[i] * move[i];
  CHECK_NEAR(here, there, 1e-10 * POINTS);
  free(move);
  free(forces);
  pl_embed_destroy(embed);
  pl_mesh_destroy(mesh);
}

/* A box from z = low to high over the unit square: 8 nodes, a hexahedron, 12 triangles. */
static void add_box(double low, double high, int first, double *nodes, int *hex, int *triangles)
{
  static const int sides[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7},
                                   {0, 1, 5}, {0, 5, 4}, {1, 2, 6}, {1, 6, 5},
                                   {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};
  for (int i = 0; i < 8; i++) {
    double *node = nodes + 3 * (first + i);
    node[0] = i % 4 == 1 || i % 4 == 2;
    node[1] = i % 4 >= 2;
    node[2] = i < 4 ? low : high;
    if (hex) hex[i] = first + i;
  }
  for (int i = 0; triangles && i < 36; i++) triangles[i] = first + sides[i / 3][i % 3];
}

typedef struct slabs {
  pl_mesh *mesh, *surface;
} slabs;

/* Two slabs, 0.05 apart; the elements of the lower one end 0.1 below its top. */
static slabs make_slabs(void)
{
  double nodes[48];
  int hexes[16], triangles[72];
  slabs s = {0};
  add_box(0, 0.1, 0, nodes, hexes, NULL);
  add_box(0.25, 0.45, 8, nodes, hexes + 8, NULL);
  pl_mesh_def def = {.node_count = 16, .nodes = nodes, .element_count = 2};
  def.nodes_per_element = 8;
  def.elements = hexes;
  CHECK_OK(pl_mesh_create(&def, &s.mesh, error));
  add_box(0, 0.2, 0, nodes, NULL, triangles);
  add_box(0.25, 0.45, 8, nodes, NULL, triangles + 36);
  def.element_count = 24;
  def.nodes_per_element = 3;
  def.elements = triangles;
  CHECK_OK(pl_mesh_create(&def, &s.surface, error));
  return s;
}

TEST(points_of_a_surface_do_not_follow_elements_across_a_gap)
{
  slabs s = make_slabs();
  pl_embed *embed = NULL;
  CHECK_OK(pl_embed_create(s.mesh, 16, s.surface->nodes, NULL, &embed, error));
  CHECK_NEAR(embed->distances[4], 0.05, 1e-15);
  CHECK(embed->distances[0] == 0 && embed->distances[12] == 0);
  pl_embed_destroy(embed);
  CHECK_OK(pl_embed_surface(s.mesh, s.surface, NULL, &embed, error));
  for (int i = 0; i < 16; i++) CHECK(embed->elements[i] == (s.surface->nodes[3 * i + 2] > 0.2));
  CHECK_NEAR(embed->distances[4], 0.1, 1e-15);
  pl_embed_destroy(embed);
  pl_mesh_destroy(s.mesh);
  pl_mesh_destroy(s.surface);
}

static pl_status attempt_surface(const pl_allocator *allocator, void *context)
{
  const slabs *s = context;
  pl_embed *embed;
  pl_status status = pl_embed_surface(s->mesh, s->surface, allocator, &embed, &(pl_error){0});
  pl_embed_destroy(embed);
  return status;
}

static pl_status attempt(const pl_allocator *allocator, void *context)
{
  pl_embed *embed;
  pl_status status =
      pl_embed_create(context, 1, (double[]){0, 0, 0.3}, allocator, &embed, &(pl_error){0});
  pl_embed_destroy(embed);
  return status;
}

TEST(no_memory)
{
  pl_mesh *mesh = cage("hex");
  fail_every_allocation(attempt, mesh);
  CHECK_FAILS(pl_embed_create(mesh, 1, (double[]){0, NAN, 0}, NULL, &(pl_embed *){NULL}, error),
              PL_E_ARGUMENT, "point 0");
  pl_mesh_destroy(mesh);
  slabs s = make_slabs();
  fail_every_allocation(attempt_surface, &s);
  pl_mesh_destroy(s.mesh);
  pl_mesh_destroy(s.surface);
}

TESTS(X(linear_motions) X(forces_are_the_transpose)
          X(points_of_a_surface_do_not_follow_elements_across_a_gap) X(no_memory))
