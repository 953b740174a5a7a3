/* The bounds of the dihedral angles, against the worst that a surface can do: the filler's own
 * source, with signs and cuts set at random and at the limits. And what grading and sharp edges
 * promise. */
#include "mesh/stuffing.c"

#include "mesh/solid.h"

#include "failing.h"

static double nothing(const void *context, const double point[3])
{
  (void)context;
  (void)point;
  return 0;
}

/* A cut where it may stay, where it just moves a point, or anywhere. */
static double random_share(int edge)
{
  double limit = edge < 3 ? LONG : SHORT, roll = fabs(test_uniform()), t = fabs(test_uniform());
  if (roll < 0.4) return limit + 1e-6;
  if (roll < 0.8) return 1 - limit - 1e-6;
  if (roll < 0.85) return limit - 1e-6;
  if (roll < 0.9) return 1 - limit + 1e-6;
  return fmin(fmax(t, 1e-9), 1 - 1e-9);
}

/* Random signs, then random cuts, on a lattice of one block. */
static void scramble(stuffing *s, double share_inside)
{
  for (size_t i = 0; i < s->lattice.point_count; i++) {
    pl_lattice_point *p = &s->lattice.points[i];
    p->side = fabs(test_uniform()) < share_inside ? 1 : -1;
    for (int k = 0; k < 3; k++) {
      if (p->at[k] < 2 || p->at[k] > 30) p->side = -1;
    }
    p->value = -p->side;
  }
  for (size_t i = 0; i < s->lattice.point_count; i++) {
    CHECK(!cut_edges(s, (int)i));
    cut *c = s->lattice.points[i].cut ? &s->cuts[s->lattice.points[i].cut - 1] : NULL;
    for (int e = 0; c && e < EDGES; e++) {
      if (c->share[e] > 0) c->share[e] = random_share(e);
    }
  }
}

TEST(angles_hold_whatever_the_surface_does)
{
  double min = 180, max = 0;
  pl_volume volume = {.value = nothing, .low = {0, 0, 0}, .high = {12, 12, 12}};
  pl_allocator allocator = pl_allocator_default();
  for (int round = 0; round < 40; round += TEST_SANITIZED ? 5 : 1) {
    stuffing s = {.heap = {.allocator = allocator, .nodes_per_element = 4}};
    CHECK_OK(pl_lattice_create(&s.lattice, &volume, 1, 0, &allocator, error));
    scramble(&s, 0.2 + 0.015 * round);
    for (size_t i = 0; i < s.lattice.point_count; i++) CHECK(!move_point(&s, (int)i));
    CHECK(!pl_lattice_each(&s.lattice, add_leaf, &s));
    for (size_t e = 0; e < s.heap.element_count; e++) {
      double low, high;
      pl_tet_angles(s.heap.nodes, s.heap.elements + 4 * e, &low, &high);
      min = fmin(min, low);
      max = fmax(max, high);
    }
    CHECK(s.heap.element_count > 10000);
    pl_lattice_free(&s.lattice);
    pl_free(&allocator, s.cuts);
    pl_free(&allocator, s.moved);
    pl_free(&allocator, s.heap.nodes);
    pl_free(&allocator, s.heap.elements);
  }
  printf("  angles %.2f to %.2f degrees\n", min, max);
  CHECK(min > 10.7 && max < 164.8);
  // the search does come near the worst
  if (!TEST_SANITIZED) CHECK(min < 12.5 && max > 158);
}

static pl_mesh *fill_with(const char *name, double size, const char *grading, const char *sharp)
{
  pl_solid *solid = NULL;
  pl_mesh *mesh = NULL;
  pl_setting ends = {.name = "to", .value = {0, 0, 1}};
  int has_ends = strcmp(name, "cylinder") == 0;
  CHECK_OK(pl_solid_create(&(pl_solid_row){{name, &ends, has_ends}, 0}, 1, NULL, &solid, error));
  pl_volume volume = pl_solid_volume(solid);
  pl_setting settings[] = {{.name = "size", .value = {size}},
                           {.name = "grading", .word = grading},
                           {.name = "sharp", .word = sharp}};
  CHECK_OK(pl_fill(&volume, &(pl_choice){"stuffing", settings, 3}, NULL, &mesh, error));
  pl_solid_destroy(solid);
  return mesh;
}

/* The same surface and volume with fewer elements; edges grow, angles stay. */
TEST(grading)
{
  static const char *const names[] = {"sphere", "turtle", "torus", "box"};
  for (int i = TEST_SANITIZED ? 2 : 0; i < 4; i++) {
    pl_mesh_facts first = {0};
    for (int g = 0; g <= PL_LATTICE_LEVELS; g++) {
      char word[2] = {(char)('0' + g), 0};
      pl_mesh *mesh = fill_with(names[i], i == 0 ? 0.03 : 0.05, word, "no");
      pl_mesh_facts facts;
      CHECK_OK(pl_mesh_measure(mesh, &facts, error));
      if (g == 0) first = facts;
      CHECK_NEAR(facts.volume, first.volume, 1e-11);
      CHECK_NEAR(facts.surface, first.surface, 1e-11);
      CHECK(facts.face_count == first.face_count && facts.pieces == 1);
      CHECK(facts.min_angle > 10.7 && facts.max_angle < 164.8);
      CHECK(facts.flipped_elements == 0 && facts.dropped_nodes == 0);
      if (i == 0 && g > 1) {
        CHECK(facts.element_count < first.element_count / 2);
        CHECK(facts.max_edge > 3.9 * 0.03);
      }
      pl_mesh_destroy(mesh);
    }
  }
}

/* Nodes on all edges of a box, so that its volume is that of the box; of a cylinder, most. */
TEST(sharp_edges)
{
  for (int i = 0; i < 2; i++) {
    double exact = i ? acos(-1) * 0.25 : 1, wrong[2];
    for (int sharp = 0; sharp < 2; sharp++) {
      pl_mesh *mesh = fill_with(i ? "cylinder" : "box", 0.09, "0", sharp ? "yes" : "no");
      pl_mesh_facts facts;
      CHECK_OK(pl_mesh_measure(mesh, &facts, error));
      wrong[sharp] = fabs(facts.volume / exact - 1);
      CHECK(facts.min_angle > 8 - 1e-9 && facts.max_angle < 168 + 1e-9);
      pl_mesh_destroy(mesh);
    }
    printf("  volume wrong by %.2g, with sharp edges %.2g\n", wrong[0], wrong[1]);
    CHECK(i ? wrong[1] < 0.75 * wrong[0] : wrong[1] < 1e-9);
  }
}

static pl_status attempt(const pl_allocator *allocator, void *context)
{
  (void)context;
  pl_volume volume = {.value = nothing};
  pl_solid *solid;
  pl_mesh *mesh;
  pl_error error;
  pl_status status =
      pl_solid_create(&(pl_solid_row){{"box", NULL, 0}, 0}, 1, allocator, &solid, &error);
  if (status) return status;
  volume = pl_solid_volume(solid);
  pl_setting settings[] = {{.name = "elements", .value = {2000}},
                           {.name = "grading", .word = "2"},
                           {.name = "sharp", .word = "yes"}};
  status = pl_fill(&volume, &(pl_choice){"stuffing", settings, 3}, allocator, &mesh, &error);
  pl_mesh_destroy(mesh);
  pl_solid_destroy(solid);
  return status;
}

TEST(no_memory) { fail_every_allocation(attempt, NULL); }

TESTS(X(angles_hold_whatever_the_surface_does) X(grading) X(sharp_edges) X(no_memory))
