/* Regions and named sets choose nodes and faces. */
#include "failing.h"
#include "mesh/mesh.h"
#include "mesh/select.h"
#include "test.h"

/* A box from (-0.5, -0.5, 0) to (0.5, 0.5, 2) with 4 x 4 x 8 cells of size 1/4: 225 nodes. */
static pl_mesh *make_box(const char *element)
{
  pl_setting settings[4] = {{"size", {1, 1, 2}, NULL},
                            {"cells", {4, 4, 8}, NULL},
                            {"origin", {-0.5, -0.5, 0}, NULL},
                            {"element", {0}, element}};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", settings, 4}, NULL, &mesh, error));
  return mesh;
}

static int count_nodes(const pl_mesh *mesh, const pl_selector *selectors, int count)
{
  unsigned char *chosen = malloc((size_t)mesh->node_count);
  int found = -1, sum = 0;
  CHECK_OK(pl_mesh_select_nodes(mesh, selectors, count, chosen, &found, error));
  for (int i = 0; i < mesh->node_count; i++) sum += chosen[i];
  CHECK(sum == found);
  free(chosen);
  return found;
}

static int count_faces(const pl_mesh *mesh, const pl_selector *selectors, int count)
{
  unsigned char *chosen = malloc((size_t)mesh->face_count);
  int found = -1, sum = 0;
  CHECK_OK(pl_mesh_select_faces(mesh, selectors, count, chosen, &found, error));
  for (int i = 0; i < mesh->face_count; i++) sum += chosen[i];
  CHECK(sum == found);
  free(chosen);
  return found;
}

static pl_selector by_region(const char *name, const pl_setting *settings, int count)
{
  return (pl_selector){.region = {name, settings, count}};
}

static pl_selector by_set(const char *name) { return (pl_selector){.set = name}; }

TEST(regions_hold_their_nodes_and_faces)
{
  static const pl_setting slab[] = {{"max", {9, 9, 0.25}, NULL}};
  static const pl_setting plate[] = {{"min", {-9, -9, 2}, NULL}, {"max", {9, 9, 2}, NULL}};
  static const pl_setting ball[] = {{"centre", {0.5, 0.5, 2}, NULL}, {"radius", {0.25}, NULL}};
  static const pl_setting nothing[] = {{"centre", {50, 0, 0}, NULL}, {"radius", {0.25}, NULL}};
  static const pl_setting below[] = {{"point", {0, 0, 0.5}, NULL}, {"normal", {0, 0, 3}, NULL}};
  static const pl_setting above[] = {{"point", {0, 0, 0.5}, NULL}, {"normal", {0, 0, -3}, NULL}};
  static const pl_setting rod[] = {{"axis", {0, 0, 2}, NULL}, {"radius", {0.25}, NULL}};
  static const pl_setting up[] = {{"direction", {0, 0, 7}, NULL}};
  static const pl_setting round[] = {{"direction", {0, 0, 1}, NULL}, {"angle", {90}, NULL}};
  const struct {
    const char *name;
    const pl_setting *settings;
    int setting_count, nodes, faces; /* of the box of hexahedra */
  } cases[] = {
      {"box", slab, 1, 50, 32},           {"box", plate, 2, 25, 16},
      {"box", NULL, 0, 225, 160},         {"sphere", ball, 2, 4, 3},
      {"sphere", nothing, 2, 0, 0},       {"half-space", below, 2, 75, 48},
      {"half-space", above, 2, 175, 112}, {"cylinder", rod, 2, 45, 8},
      {"normal", up, 1, 25, 16},          {"normal", round, 2, 162 - 9, 144},
      {"surface", NULL, 0, 162, 160},     {"all", NULL, 0, 225, 160},
  };
  pl_mesh *mesh = make_box("hex");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pl_selector selector = by_region(cases[i].name, cases[i].settings, cases[i].setting_count);
    int nodes = count_nodes(mesh, &selector, 1), faces = count_faces(mesh, &selector, 1);
    if (nodes != cases[i].nodes || faces != cases[i].faces) {
      printf("  case %d, %s: %d nodes, %d faces\n", (int)i, cases[i].name, nodes, faces);
      CHECK(0);
    }
  }
  pl_mesh_destroy(mesh);
}

TEST(nodes_on_a_border_survive_rounding)
{
  // thirds are not exact, and 0.1 + 0.2 is not 0.3; still the face's nodes are found
  pl_setting settings[3] = {{"size", {0.3, 0.3, 0.3}, NULL},
                            {"cells", {3, 3, 3}, NULL},
                            {"origin", {-0.1, -0.1, -0.1}, NULL}};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", settings, 3}, NULL, &mesh, error));
  pl_setting plate[2] = {{"min", {0, -9, -9}, NULL}, {"max", {0, 9, 9}, NULL}};
  pl_setting tip[2] = {{"min", {0.2, 0.2, 0.2}, NULL}, {"max", {0.2, 0.2, 0.2}, NULL}};
  pl_setting centre[1] = {{"radius", {0}, NULL}};
  pl_setting half[1] = {{"normal", {1, 1, 1}, NULL}};
  pl_selector where[4] = {by_region("box", plate, 2), by_region("box", tip, 2),
                          by_region("sphere", centre, 1), by_region("half-space", half, 1)};
  CHECK(count_nodes(mesh, &where[0], 1) == 16);
  CHECK(count_nodes(mesh, &where[1], 1) == 1);
  CHECK(count_nodes(mesh, &where[2], 1) == 1);
  CHECK(count_nodes(mesh, &where[3], 1) == 20); // i + j + k <= 3
  pl_mesh_destroy(mesh);
}

TEST(sets_choose_and_selectors_unite)
{
  pl_mesh *mesh = make_box("tet");
  pl_selector low = by_set("z-min"), high = by_set("z-max"), side = by_set("x-min");
  CHECK(count_nodes(mesh, &low, 1) == 25 && count_faces(mesh, &low, 1) == 32);
  CHECK(count_nodes(mesh, &high, 1) == 25 && count_faces(mesh, &side, 1) == 64);
  pl_selector all[3] = {low, high, side};
  CHECK(count_nodes(mesh, all, 2) == 50);
  CHECK(count_nodes(mesh, all, 3) == 50 + 45 - 10);
  CHECK(count_faces(mesh, all, 3) == 128);

  // each set must hold all of a face's nodes by itself
  pl_setting up = {"direction", {0, 0, -1}, NULL};
  pl_selector mixed[2] = {high, by_region("normal", &up, 1)};
  CHECK(count_faces(mesh, mixed, 2) == 64 && count_nodes(mesh, mixed, 2) == 50);
  CHECK(count_nodes(mesh, NULL, 0) == 0 && count_faces(mesh, NULL, 0) == 0);
  pl_mesh_destroy(mesh);
}

TEST(element_sets_choose_their_nodes_and_faces)
{
  pl_mesh *box = make_box("hex"), *mesh = NULL;
  int elements[2] = {0, 1}, node[1] = {224};
  // two sets of one name count together
  pl_set sets[2] = {{"some", 1, 2, elements}, {"some", 0, 1, node}};
  pl_mesh_def def = {.node_count = box->node_count,
                     .nodes = box->nodes,
                     .element_count = box->element_count,
                     .nodes_per_element = 8,
                     .elements = box->elements,
                     .set_count = 2,
                     .sets = sets};
  CHECK_OK(pl_mesh_create(&def, &mesh, error));
  pl_selector some = by_set("some");
  CHECK(count_nodes(mesh, &some, 1) == 13);
  CHECK(count_faces(mesh, &some, 1) == 3 + 2);
  pl_mesh_destroy(box);
  pl_mesh_destroy(mesh);
}

TEST(bad_selectors_are_refused)
{
  pl_mesh *mesh = make_box("hex");
  unsigned char chosen[1000];
  pl_setting zero = {"normal", {0, 0, 0}, NULL}, radius = {"radius", {1}, NULL};
  pl_setting crossed[2] = {{"min", {0, 1, 0}, NULL}, {"max", {1, 0, 1}, NULL}};
  pl_setting axis[2] = {{"axis", {0, 0, 0}, NULL}, radius};
  pl_setting wide = {"angle", {181}, NULL}, direction = {"direction", {0, 0, 0}, NULL};
  const struct {
    pl_selector selector;
    const char *message;
  } cases[] = {
      {by_set("z-mix"), "unknown set \"z-mix\"; did you mean \"z-min\"?"},
      {by_set("handle"), "there is: x-min, x-max"},
      {{.set = NULL}, "needs a region or the name of a set"},
      {by_region("torus", NULL, 0), "unknown region \"torus\"; there is: box, sphere"},
      {by_region("half-spac", NULL, 0), "did you mean \"half-space\""},
      {by_region("half-space", &zero, 1), "normal = 0 0 0 must not be zero"},
      {by_region("half-space", NULL, 0), "normal is missing"},
      {by_region("sphere", NULL, 0), "radius is missing"},
      {by_region("box", crossed, 2), "min = 1 must not exceed max = 0 along y"},
      {by_region("box", &radius, 1), "unknown parameter of box \"radius\""},
      {by_region("cylinder", NULL, 0), "radius is missing"},
      {by_region("cylinder", &radius, 1), "axis is missing"},
      {by_region("cylinder", axis, 2), "axis = 0 0 0 must not be zero"},
      {by_region("normal", NULL, 0), "direction is missing"},
      {by_region("normal", &direction, 1), "direction = 0 0 0 must not be zero"},
      {by_region("normal", &wide, 1), "angle = 181 must lie between 0 and 180 degree"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    CHECK_FAILS(pl_mesh_select_nodes(mesh, &cases[i].selector, 1, chosen, NULL, error),
                PL_E_ARGUMENT, cases[i].message);
    CHECK_FAILS(pl_mesh_select_faces(mesh, &cases[i].selector, 1, chosen, NULL, error),
                PL_E_ARGUMENT, cases[i].message);
  }
  pl_mesh_destroy(mesh);
}

static pl_status attempt(const pl_allocator *allocator, void *context)
{
  (void)context;
  pl_mesh *mesh;
  unsigned char chosen[1000];
  pl_selector where[2] = {by_set("x-min"), by_region("surface", NULL, 0)};
  pl_status status = pl_mesh_generate(&(pl_choice){"box", NULL, 0}, allocator, &mesh, NULL);
  if (!status) status = pl_mesh_select_nodes(mesh, where, 2, chosen, NULL, NULL);
  if (!status) status = pl_mesh_select_faces(mesh, where, 2, chosen, NULL, NULL);
  pl_mesh_destroy(mesh);
  return status;
}

TEST(every_failed_allocation_is_survived) { fail_every_allocation(attempt, NULL); }

TESTS(X(regions_hold_their_nodes_and_faces) X(nodes_on_a_border_survive_rounding)
          X(sets_choose_and_selectors_unite) X(element_sets_choose_their_nodes_and_faces)
              X(bad_selectors_are_refused) X(every_failed_allocation_is_survived))
