/* Every generator with every element word: counts, volumes, closed boundaries, sets. */
#include "core/family.h"
#include "failing.h"
#include "mesh/mesh.h"
#include "test.h"

static const double PI = 3.14159265358979323846;

static pl_mesh *make(const char *name, const pl_setting *settings, int count)
{
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_generate(&(pl_choice){name, settings, count}, NULL, &mesh, error));
  return mesh;
}

static pl_mesh_facts measure(const pl_mesh *mesh)
{
  pl_mesh_facts facts = {0};
  CHECK_OK(pl_mesh_measure(mesh, &facts, error));
  return facts;
}

static int compare_edges(const void *a, const void *b) { return memcmp(a, b, 2 * sizeof(int)); }

/* Every edge of the boundary must belong to two faces, which run through it in opposite
 * directions. Returns the Euler characteristic nodes - edges + faces of the boundary. */
static int check_closed(const pl_mesh *mesh)
{
  int width = mesh->nodes_per_face, count = width * mesh->face_count;
  int(*edges)[3] = malloc((size_t)count * sizeof *edges);
  char *on = calloc((size_t)mesh->node_count, 1);
  for (int f = 0; f < mesh->face_count; f++) {
    for (int i = 0; i < width; i++) {
      int a = mesh->faces[width * f + i], b = mesh->faces[width * f + (i + 1) % width];
      int *edge = edges[width * f + i];
      edge[0] = a < b ? a : b;
      edge[1] = a < b ? b : a;
      edge[2] = a < b;
      on[a] = 1;
    }
  }
  qsort(edges, (size_t)count, sizeof *edges, compare_edges);
  int bad = 0;
  for (int i = 0; i + 1 < count; i += 2) {
    bad += compare_edges(edges[i], edges[i + 1]) != 0 || edges[i][2] == edges[i + 1][2];
    bad += i + 2 < count && compare_edges(edges[i], edges[i + 2]) == 0;
  }
  CHECK(bad == 0 && count % 2 == 0);
  int nodes = 0;
  for (int i = 0; i < mesh->node_count; i++) nodes += on[i];
  free(on);
  free(edges);
  return nodes - count / 2 + mesh->face_count;
}

/* The words of a member's "element" parameter, one after the other; 0 when there are no more. */
static int element_word(const pl_member *member, int index, char *word, size_t size)
{
  // graded boxes have none; test_graded.c has them
  if (pl_param_find(member, "element") < 0) return 0;
  const char *words = member->params[pl_param_find(member, "element")].words;
  for (; index > 0; index--) {
    words = strchr(words, '|');
    if (!words) return 0;
    words++;
  }
  snprintf(word, size, "%.*s", (int)strcspn(words, "|"), words);
  return 1;
}

TEST(every_generator_makes_a_sound_mesh)
{
  for (int m = 0; pl_generator_family.members[m]; m++) {
    const pl_member *member = pl_generator_family.members[m];
    char word[16];
    for (int w = 0; element_word(member, w, word, sizeof word); w++) {
      pl_setting element = {"element", {0}, word};
      pl_mesh *mesh = make(member->name, &element, 1);
      pl_mesh_facts facts = measure(mesh);
      CHECK(facts.min_volume > 0 && facts.flipped_elements == 0 && facts.dropped_nodes == 0);
      CHECK(facts.pieces == 1 && facts.set_count > 0);
      CHECK(facts.min_angle > 5 && facts.max_angle < 175);
      CHECK(check_closed(mesh) == (strcmp(member->name, "tube") == 0 ? 0 : 2));
      CHECK((mesh->nodes_per_element == 8) == (strcmp(word, "hex") == 0));
      for (int s = 0; s < mesh->set_count; s++) {
        CHECK(mesh->sets[s].count > 0 && mesh->sets[s].count <= mesh->node_count);
        CHECK(!mesh->sets[s].of_elements);
      }
      pl_mesh_destroy(mesh);
    }
  }
}

TEST(small_round_bodies_are_sound)
{
  static const char *const words[] = {"tet", "hex"};
  for (int w = 0; w < 2; w++) {
    for (int n = 1; n <= 13; n++) {
      pl_setting ball[2] = {{"element", {0}, words[w]}, {"cells", {n}, NULL}};
      pl_setting rod[3] = {{"element", {0}, words[w]}, {"across", {n}, NULL}, {"along", {1}, NULL}};
      pl_setting pipe[3] = {
          {"element", {0}, words[w]}, {"around", {n + 2}, NULL}, {"radial", {1}, NULL}};
      pl_mesh *meshes[3] = {make("sphere", ball, 2), make("cylinder", rod, 3),
                            make("tube", pipe, 3)};
      for (int i = 0; i < 3; i++) {
        pl_mesh_facts facts = measure(meshes[i]);
        CHECK(facts.min_volume > 0 && facts.flipped_elements == 0);
        CHECK(check_closed(meshes[i]) == (i == 2 ? 0 : 2));
        pl_mesh_destroy(meshes[i]);
      }
    }
  }
}

/* The bar of the peers' table: 4n x n x n cells. */
TEST(the_bar_has_the_known_counts)
{
  const int n[3] = {6, 10, 16}, nodes[3] = {1225, 4961, 18785}, tets[3] = {5184, 24000, 98304};
  for (int i = 0; i < 3; i++) {
    pl_setting bar[2] = {{"size", {1, 0.25, 0.25}, NULL}, {"cells", {4 * n[i], n[i], n[i]}, NULL}};
    pl_mesh *mesh = make("box", bar, 2);
    CHECK(mesh->node_count == nodes[i] && mesh->element_count == tets[i]);
    CHECK(mesh->face_count == 2 * (2 * n[i] * n[i] + 16 * n[i] * n[i]));
    pl_mesh_facts facts = measure(mesh);
    CHECK_NEAR(facts.volume, 0.0625, 1e-12); // rounding of 98304 sums
    CHECK_NEAR(facts.surface, 1.125, 1e-12);
    CHECK_NEAR(facts.min_volume, facts.max_volume, 1e-15 * facts.max_volume + 1e-18);
    CHECK(facts.high[0] == 1 && facts.high[1] == 0.25 && facts.low[2] == 0);
    pl_mesh_destroy(mesh);
  }
}

/* In the Kuhn split every tetrahedron contains the diagonal of its cell from low to high. */
TEST(the_tet_box_is_kuhns)
{
  pl_setting cells = {"cells", {3, 2, 4}, NULL};
  pl_mesh *mesh = make("box", &cells, 1);
  for (int e = 0; e < mesh->element_count; e++) {
    const int *nodes = mesh->elements + 4 * e;
    int steps = 0;
    for (int a = 0; a < 4; a++) {
      for (int b = 0; b < 4; b++) {
        int up = 1;
        for (int k = 0; k < 3; k++) {
          static const int count[3] = {3, 2, 4};
          double way = count[k] * (mesh->nodes[3 * nodes[b] + k] - mesh->nodes[3 * nodes[a] + k]);
          up &= fabs(way - 1) < 1e-12;
        }
        steps += up;
      }
    }
    CHECK(steps == 1);
  }
  pl_mesh_destroy(mesh);
}

TEST(box_nodes_lie_exactly_on_the_faces)
{
  pl_setting box[4] = {{"size", {0.3, 0.7, 1.1}, NULL},
                       {"cells", {7, 3, 9}, NULL},
                       {"origin", {-0.1, 0.2, 5}, NULL},
                       {"element", {0}, "tet5"}};
  pl_mesh *mesh = make("box", box, 4);
  CHECK(mesh->node_count == 8 * 4 * 10 && mesh->element_count == 5 * 7 * 3 * 9);
  const char *const names[6] = {"x-min", "x-max", "y-min", "y-max", "z-min", "z-max"};
  const double places[6] = {-0.1, -0.1 + 0.3, 0.2, 0.2 + 0.7, 5, 5 + 1.1};
  const int counts[6] = {40, 40, 80, 80, 32, 32};
  for (int s = 0; s < 6; s++) {
    const pl_set *set = pl_mesh_find_set(mesh, names[s]);
    CHECK(set && set->count == counts[s]);
    for (int i = 0; set && i < set->count; i++)
      CHECK(mesh->nodes[3 * set->ids[i] + s / 2] == places[s]);
  }
  CHECK_NEAR(measure(mesh).volume, 0.3 * 0.7 * 1.1, 1e-14);
  pl_mesh_destroy(mesh);
}

/* The volume error of a round body falls with the square of the cell size: by 4 when it is halved.
 * 3.8 leaves room for terms of higher order at these resolutions. */
static void check_order(const char *name, const char *fine, const char *word, int start,
                        double exact)
{
  double before = 0;
  for (int n = start; n <= 4 * start; n *= 2) {
    pl_setting settings[3] = {{"element", {0}, word}, {fine, {n}, NULL}, {"along", {2}, NULL}};
    pl_mesh *mesh = make(name, settings, strcmp(name, "sphere") ? 3 : 2);
    double missing = exact - measure(mesh).volume;
    CHECK(missing > 0);
    if (before > 0 && !(before / missing > 3.8 && before / missing < 4.2)) {
      printf("  %s %s: error falls by %g\n", name, word, before / missing);
      CHECK(0);
    }
    before = missing;
    pl_mesh_destroy(mesh);
  }
}

TEST(round_volumes_converge_with_order_two)
{
  static const char *const words[] = {"tet", "hex"};
  for (int w = 0; w < 2; w++) {
    check_order("sphere", "cells", words[w], 10, PI / 6);
    check_order("cylinder", "across", words[w], 10, PI / 4);
    check_order("tube", "around", words[w], 16, PI * (0.25 - 0.0625));
  }
}

TEST(round_sets_lie_on_the_surfaces)
{
  pl_setting pipe[6] = {{"inner", {0.2}, NULL}, {"outer", {0.3}, NULL},
                        {"length", {2}, NULL},  {"origin", {1, 2, 3}, NULL},
                        {"axis", {0}, "x"},     {"element", {0}, "hex"}};
  pl_mesh *mesh = make("tube", pipe, 6);
  const double radii[2] = {0.2, 0.3};
  for (int s = 0; s < 2; s++) {
    const pl_set *set = pl_mesh_find_set(mesh, s ? "outer" : "inner");
    for (int i = 0; i < set->count; i++) {
      const double *x = mesh->nodes + 3 * set->ids[i];
      CHECK_NEAR(hypot(x[1] - 2, x[2] - 3), radii[s], 1e-14);
    }
    set = pl_mesh_find_set(mesh, s ? "top" : "bottom");
    for (int i = 0; i < set->count; i++) CHECK(mesh->nodes[3 * set->ids[i]] == (s ? 3 : 1));
  }
  pl_mesh_destroy(mesh);

  pl_setting rod[3] = {{"axis", {0}, "y"}, {"radius", {2}, NULL}, {"across", {7}, NULL}};
  mesh = make("cylinder", rod, 3);
  const pl_set *side = pl_mesh_find_set(mesh, "side");
  for (int i = 0; i < side->count; i++)
    CHECK_NEAR(hypot(mesh->nodes[3 * side->ids[i]], mesh->nodes[3 * side->ids[i] + 2]), 2, 1e-14);
  CHECK(side->count == 4 * 5 * 5);
  pl_mesh_destroy(mesh);

  pl_setting ball[2] = {{"radius", {3}, NULL}, {"centre", {1, 1, 1}, NULL}};
  mesh = make("sphere", ball, 2);
  const pl_set *skin = pl_mesh_find_set(mesh, "surface");
  for (int i = 0; i < skin->count; i++) {
    const double *x = mesh->nodes + 3 * skin->ids[i];
    CHECK_NEAR(hypot(hypot(x[0] - 1, x[1] - 1), x[2] - 1), 3, 1e-14);
  }
  CHECK(2 * skin->count == mesh->face_count + 4);
  pl_mesh_destroy(mesh);
}

TEST(bad_wishes_are_refused)
{
  pl_mesh *mesh;
#define GENERATE(name, ...)                                                                        \
  pl_mesh_generate(&(pl_choice){name, (pl_setting[]){__VA_ARGS__}, 1}, NULL, &mesh, error)
  CHECK_FAILS(GENERATE("boks", {0}), PL_E_ARGUMENT, "did you mean \"box\"");
  CHECK_FAILS(GENERATE("box", {"size", {1, 0, 1}, NULL}), PL_E_ARGUMENT, "size = 0 must lie");
  CHECK_FAILS(GENERATE("box", {"cells", {1, 1.5, 1}, NULL}), PL_E_ARGUMENT, "whole number");
  CHECK_FAILS(GENERATE("box", {"cells", {4097, 1, 1}, NULL}), PL_E_ARGUMENT, "4096");
  CHECK_FAILS(GENERATE("box", {"element", {0}, "hexa"}), PL_E_ARGUMENT, "did you mean \"hex\"");
  CHECK_FAILS(GENERATE("tube", {"inner", {0.5}, NULL}), PL_E_ARGUMENT,
              "inner = 0.5 must be less than outer = 0.5");
  CHECK_FAILS(GENERATE("box", {"cells", {4096, 4096, 4096}, NULL}), PL_E_LIMIT, "limit of");
  CHECK_FAILS(GENERATE("box", {"cells", {300, 300, 300}, NULL}), PL_E_LIMIT, "162000000 elements");
  CHECK_FAILS(GENERATE("sphere", {"cells", {4096}, NULL}), PL_E_LIMIT, "limit of");
  CHECK_FAILS(GENERATE("cylinder", {"across", {4096}, NULL}), PL_E_LIMIT, "limit of");
  CHECK(mesh == NULL);

  // cells too small for their distance from the origin have no volume
  pl_setting far[2] = {{"size", {1e-9, 1e-9, 1e-9}, NULL}, {"origin", {1e9, 0, 0}, NULL}};
  CHECK_FAILS(pl_mesh_generate(&(pl_choice){"box", far, 2}, NULL, &mesh, error), PL_E_MESH,
              "has no volume");
}

static pl_status attempt(const pl_allocator *allocator, void *context)
{
  pl_mesh *mesh;
  pl_status status = pl_mesh_generate(&(pl_choice){context, NULL, 0}, allocator, &mesh, NULL);
  CHECK((mesh != NULL) == (status == PL_OK));
  pl_mesh_destroy(mesh);
  return status;
}

TEST(every_failed_allocation_is_survived)
{
  char name[32];
  for (int m = 0; pl_generator_family.members[m]; m++) {
    snprintf(name, sizeof name, "%s", pl_generator_family.members[m]->name);
    fail_every_allocation(attempt, name);
  }
}

TESTS(X(every_generator_makes_a_sound_mesh) X(small_round_bodies_are_sound)
          X(the_bar_has_the_known_counts) X(the_tet_box_is_kuhns)
              X(box_nodes_lie_exactly_on_the_faces) X(round_volumes_converge_with_order_two)
                  X(round_sets_lie_on_the_surfaces) X(bad_wishes_are_refused)
                      X(every_failed_allocation_is_survived))
