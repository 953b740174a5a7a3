/* Quality numbers, finding points, and renumbering. */
#include "core/family.h"
#include "failing.h"
#include "mesh/element.h"
#include "mesh/mesh.h"
#include "test.h"

static pl_mesh *make(const char *name, const pl_setting *settings, int count)
{
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_generate(&(pl_choice){name, settings, count}, NULL, &mesh, error));
  return mesh;
}

static pl_mesh *make_elements(const char *name, const char *element)
{
  pl_setting setting = {"element", {0}, element};
  return make(name, &setting, 1);
}

/* The same mesh with every inner node of the unit box moved, so that hexahedra have curved faces.
 */
static pl_mesh *shake(const char *element, double by)
{
  pl_setting settings[2] = {{"element", {0}, element}, {"cells", {4, 4, 4}, NULL}};
  pl_mesh *box = make("box", settings, 2), *mesh = NULL;
  double nodes[125][3];
  memcpy(nodes, box->nodes, sizeof nodes);
  for (int i = 0; i < 125; i++) {
    for (int k = 0; k < 3; k++) {
      if (nodes[i][k] > 0 && nodes[i][k] < 1) nodes[i][k] += by * test_uniform();
    }
  }
  pl_mesh_def def = {.node_count = 125,
                     .nodes = nodes[0],
                     .element_count = box->element_count,
                     .nodes_per_element = box->nodes_per_element,
                     .elements = box->elements};
  CHECK_OK(pl_mesh_create(&def, &mesh, error));
  pl_mesh_destroy(box);
  return mesh;
}

TEST(a_regular_tet_has_known_facts)
{
  double nodes[4][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
  int element[4] = {0, 1, 2, 3};
  pl_mesh *mesh;
  pl_mesh_def def = {.node_count = 4,
                     .nodes = nodes[0],
                     .element_count = 1,
                     .nodes_per_element = 4,
                     .elements = element};
  CHECK_OK(pl_mesh_create(&def, &mesh, error));
  pl_mesh_facts facts;
  CHECK_OK(pl_mesh_measure(mesh, &facts, error));
  double edge = sqrt(8), angle = acos(1.0 / 3) * 180 / acos(-1);
  CHECK_NEAR(facts.volume, 8.0 / 3, 1e-14);
  CHECK_NEAR(facts.surface, sqrt(3) * edge * edge, 1e-13);
  CHECK_NEAR(facts.min_edge, edge, 1e-14);
  CHECK_NEAR(facts.mean_edge, edge, 1e-14);
  CHECK_NEAR(facts.max_edge, edge, 1e-14);
  CHECK_NEAR(facts.min_angle, angle, 1e-12);
  CHECK_NEAR(facts.max_angle, angle, 1e-12);
  CHECK_NEAR(facts.worst_aspect, sqrt(1.5), 1e-14);
  CHECK_NEAR(facts.mean_aspect, sqrt(1.5), 1e-14);
  CHECK(facts.worst_element == 0 && facts.pieces == 1 && facts.face_count == 4);
  CHECK(facts.worst_count == 1 && facts.worst_elements[0] == 0 && facts.boundary_pieces == 1);
  CHECK(facts.low[0] == -1 && facts.high[2] == 1 && facts.node_count == 4);
  pl_mesh_destroy(mesh);
}

TEST(hex_boxes_have_known_facts)
{
  pl_setting settings[3] = {
      {"element", {0}, "hex"}, {"size", {1, 2, 6}, NULL}, {"cells", {2, 2, 3}, NULL}};
  pl_mesh *mesh = make("box", settings, 3);
  pl_mesh_facts facts;
  CHECK_OK(pl_mesh_measure(mesh, &facts, error));
  CHECK_NEAR(facts.volume, 12, 1e-13);
  CHECK_NEAR(facts.surface, 40, 1e-12);
  CHECK_NEAR(facts.min_angle, 90, 1e-12);
  CHECK_NEAR(facts.max_angle, 90, 1e-12);
  CHECK_NEAR(facts.worst_aspect, 4, 1e-13);
  CHECK_NEAR(facts.mean_edge, 3.5 / 3, 1e-13);
  pl_mesh_destroy(mesh);

  // a sheared cube: angles of 45 and 135 degrees, the volume of the straight one
  double nodes[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                        {1, 0, 1}, {2, 0, 1}, {2, 1, 1}, {1, 1, 1}};
  int element[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  pl_mesh_def def = {.node_count = 8,
                     .nodes = nodes[0],
                     .element_count = 1,
                     .nodes_per_element = 8,
                     .elements = element};
  CHECK_OK(pl_mesh_create(&def, &mesh, error));
  CHECK_OK(pl_mesh_measure(mesh, &facts, error));
  CHECK_NEAR(facts.volume, 1, 1e-14);
  CHECK_NEAR(facts.min_angle, 45, 1e-12);
  CHECK_NEAR(facts.max_angle, 135, 1e-12);
  pl_mesh_destroy(mesh);
}

TEST(pieces_are_counted)
{
  enum { COUNT = 7 };
  double nodes[4 * COUNT][3];
  int elements[4 * COUNT];
  for (int i = 0; i < 4 * COUNT; i++) {
    for (int k = 0; k < 3; k++) nodes[i][k] = i % 4 == k + 1;
    nodes[i][0] += 3 * (i / 4);
    elements[i] = i;
  }
  pl_mesh *mesh;
  pl_mesh_def def = {.node_count = 4 * COUNT,
                     .nodes = nodes[0],
                     .element_count = COUNT,
                     .nodes_per_element = 4,
                     .elements = elements};
  CHECK_OK(pl_mesh_create(&def, &mesh, error));
  pl_mesh_facts facts;
  CHECK_OK(pl_mesh_measure(mesh, &facts, error));
  CHECK(facts.pieces == COUNT && facts.face_count == 4 * COUNT);

  // an order of several pieces still names every node once
  int order[4 * COUNT], seen[4 * COUNT] = {0};
  CHECK_OK(pl_mesh_order(mesh, order, error));
  for (int i = 0; i < 4 * COUNT; i++) seen[order[i]]++;
  for (int i = 0; i < 4 * COUNT; i++) CHECK(seen[i] == 1);
  pl_mesh_destroy(mesh);
}

/* The anchor's weights must sum to one and give back the point it stands for. */
static void check_anchor(const pl_mesh *mesh, const double point[3], double distance)
{
  pl_anchor anchor;
  CHECK_OK(pl_mesh_locate(mesh, point, &anchor, error));
  double sum = 0, place[3] = {0}, gap = 0;
  CHECK(anchor.count == mesh->nodes_per_element);
  for (int i = 0; i < anchor.count; i++) {
    CHECK(anchor.nodes[i] == mesh->elements[anchor.count * anchor.element + i]);
    CHECK(anchor.weights[i] >= -2e-12 && anchor.weights[i] <= 1 + 1e-11);
    sum += anchor.weights[i];
    for (int k = 0; k < 3; k++)
      place[k] += anchor.weights[i] * mesh->nodes[3 * anchor.nodes[i] + k];
  }
  for (int k = 0; k < 3; k++) gap += (place[k] - point[k]) * (place[k] - point[k]);
  CHECK_NEAR(sum, 1, 1e-12);
  CHECK_NEAR(sqrt(gap), anchor.distance, 1e-12);
  if (distance >= 0) CHECK_NEAR(anchor.distance, distance, 1e-12);
  if (distance == 0) CHECK(anchor.distance == 0);
}

TEST(points_inside_are_found)
{
  const char *const elements[2] = {"tet", "hex"};
  for (int w = 0; w < 2; w++) {
    pl_mesh *mesh = shake(elements[w], 0.04);
    for (int i = 0; i < 2000; i++) {
      double point[3];
      for (int k = 0; k < 3; k++) point[k] = 0.5 + 0.5 * test_uniform();
      check_anchor(mesh, point, 0);
    }
    // nodes, and the middles of faces and elements, lie on borders between elements
    for (int i = 0; i < mesh->node_count; i++) check_anchor(mesh, mesh->nodes + 3 * i, 0);
    for (int e = 0; e < mesh->element_count; e++) {
      double middle[3] = {0};
      int n = mesh->nodes_per_element;
      for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) middle[k] += mesh->nodes[3 * mesh->elements[n * e + i] + k] / n;
      }
      check_anchor(mesh, middle, 0);
    }
    pl_mesh_destroy(mesh);
  }
}

TEST(points_outside_go_to_the_nearest_place)
{
  const char *const elements[2] = {"tet", "hex"};
  for (int w = 0; w < 2; w++) {
    // the box keeps its flat sides, so the distance is that to the unit cube
    pl_mesh *mesh = shake(elements[w], 0.04);
    for (int i = 0; i < 500; i++) {
      double point[3], sum = 0;
      for (int k = 0; k < 3; k++) {
        point[k] = 0.5 + 2 * test_uniform();
        double gap = fmax(fmax(-point[k], point[k] - 1), 0);
        sum += gap * gap;
      }
      check_anchor(mesh, point, sqrt(sum));
    }
    double far[3] = {1e6, 0.5, 0.5};
    pl_anchor anchor;
    CHECK_OK(pl_mesh_locate(mesh, far, &anchor, error));
    CHECK_NEAR(anchor.distance, 1e6 - 1, 1e-6);
    far[1] = NAN;
    CHECK_FAILS(pl_mesh_locate(mesh, far, &anchor, error), PL_E_ARGUMENT, "coordinate y");
    far[1] = 1e300;
    CHECK_FAILS(pl_mesh_locate(mesh, far, &anchor, error), PL_E_ARGUMENT, "coordinate y");
    pl_mesh_destroy(mesh);
  }
}

TEST(points_are_found_in_round_bodies_of_any_size)
{
  const char *const elements[2] = {"tet", "hex"};
  const double sizes[3] = {1e-6, 1, 1e6};
  for (int w = 0; w < 2; w++) {
    for (int s = 0; s < 3; s++) {
      pl_setting ball[2] = {{"element", {0}, elements[w]}, {"radius", {sizes[s]}, NULL}};
      pl_mesh *mesh = make("sphere", ball, 2);
      for (int i = 0; i < 200; i++) {
        double point[3], length = 0;
        for (int k = 0; k < 3; k++) point[k] = sizes[s] * test_uniform();
        for (int k = 0; k < 3; k++) length += point[k] * point[k];
        length = sqrt(length);
        pl_anchor anchor;
        CHECK_OK(pl_mesh_locate(mesh, point, &anchor, error));

        // the faceted ball lies between the spheres of 0.85 and 1 times the radius
        if (length < 0.85 * sizes[s]) CHECK(anchor.distance == 0);
        CHECK(anchor.distance >= (length - sizes[s]) * (1 - 1e-9));
        CHECK(anchor.distance <= fmax(length - 0.85 * sizes[s], 0));
      }
      pl_mesh_destroy(mesh);
    }
  }
}

/* The sum over elements of the difference between their greatest and least node. */
static double spread(const pl_mesh *mesh)
{
  double sum = 0;
  int n = mesh->nodes_per_element;
  for (int e = 0; e < mesh->element_count; e++) {
    int low = mesh->node_count, high = 0;
    for (int i = 0; i < n; i++) {
      int node = mesh->elements[n * e + i];
      low = node < low ? node : low;
      high = node > high ? node : high;
    }
    sum += high - low;
  }
  return sum / mesh->element_count;
}

static void shuffle(int *order, int count)
{
  for (int i = 0; i < count; i++) order[i] = i;
  for (int i = count - 1; i > 0; i--) {
    int j = (int)(test_random() % (uint64_t)(i + 1)), old = order[i];
    order[i] = order[j];
    order[j] = old;
  }
}

/* out must be mesh with nodes and elements renumbered. */
static void check_same(const pl_mesh *mesh, const pl_mesh *out, const int *order,
                       const int *element_order)
{
  CHECK(out->node_count == mesh->node_count && out->element_count == mesh->element_count);
  CHECK(out->face_count == mesh->face_count && out->set_count == mesh->set_count);
  CHECK(out->flipped_elements == mesh->flipped_elements);
  CHECK(memcmp(out->nodes + 3, mesh->nodes + 3 * order[1], 3 * sizeof(double)) == 0);
  int n = mesh->nodes_per_element, differ = 0;
  for (int e = 0; e < out->element_count; e++) {
    for (int i = 0; i < n; i++)
      differ += order[out->elements[n * e + i]] != mesh->elements[n * element_order[e] + i];
  }
  for (int s = 0; s < out->set_count; s++) {
    differ += strcmp(out->sets[s].name, mesh->sets[s].name) != 0;
    differ += out->sets[s].count != mesh->sets[s].count;
    for (int i = 0; i < out->sets[s].count; i++) {
      const int *old = out->sets[s].of_elements ? element_order : order;
      differ += old[out->sets[s].ids[i]] != mesh->sets[s].ids[i];
    }
  }
  CHECK(differ == 0);
}

TEST(every_mesh_can_be_shuffled_and_put_in_order)
{
  for (int m = 0; pl_generator_family.members[m]; m++) {
    // graded boxes are hexahedra always; test_graded.c has them
    if (pl_param_find(pl_generator_family.members[m], "element") < 0) continue;
    for (int w = 0; w < 2; w++) {
      pl_mesh *mesh = make_elements(pl_generator_family.members[m]->name, w ? "hex" : "tet");
      pl_mesh *mixed = NULL, *tidy = NULL;
      int *order = malloc((size_t)mesh->node_count * sizeof *order);
      int *element_order = malloc((size_t)mesh->element_count * sizeof *element_order);
      shuffle(order, mesh->node_count);
      CHECK_OK(pl_mesh_reorder(mesh, order, element_order, NULL, &mixed, error));
      check_same(mesh, mixed, order, element_order);
      CHECK_OK(pl_mesh_order(mixed, order, error));
      CHECK_OK(pl_mesh_reorder(mixed, order, element_order, NULL, &tidy, error));
      check_same(mixed, tidy, order, element_order);
      CHECK(spread(tidy) <= spread(mixed));
      free(order);
      free(element_order);
      pl_mesh_destroy(mesh);
      pl_mesh_destroy(mixed);
      pl_mesh_destroy(tidy);
    }
  }
}

TEST(order_makes_a_bar_narrow)
{
  // x runs fastest in the generator, which is the worst numbering for a bar along x
  pl_setting bar[2] = {{"size", {1, 0.25, 0.25}, NULL}, {"cells", {24, 6, 6}, NULL}};
  pl_mesh *mesh = make("box", bar, 2), *tidy = NULL;
  int order[1225];
  CHECK_OK(pl_mesh_order(mesh, order, error));
  CHECK_OK(pl_mesh_reorder(mesh, order, NULL, NULL, &tidy, error));
  CHECK(spread(mesh) > 190 && spread(tidy) < 75);

  // elements follow their nodes, but neighbours of a window stand in different lines of four
  int before = 0, next = 0, close = 0;
  for (int e = 0; e < tidy->element_count; e++) {
    int low = tidy->node_count;
    if (e % 64 == 0) before = next;
    for (int i = 0; i < 4; i++)
      low = tidy->elements[4 * e + i] < low ? tidy->elements[4 * e + i] : low;
    CHECK(low >= before);
    next = low > next ? low : next;
    for (int i = 0; e % 4 > 0 && i < 4; i++) close += tidy->elements[4 * (e - 1) + i] == low;
  }
  CHECK(close < tidy->element_count / 8);
  pl_mesh_destroy(tidy);

  order[5] = order[6];
  CHECK_FAILS(pl_mesh_reorder(mesh, order, NULL, NULL, &tidy, error), PL_E_ARGUMENT,
              "each of the 1225 nodes once");
  order[5] = 1225;
  CHECK_FAILS(pl_mesh_reorder(mesh, order, NULL, NULL, &tidy, error), PL_E_ARGUMENT, "order[5]");
  order[5] = -1;
  CHECK_FAILS(pl_mesh_reorder(mesh, order, NULL, NULL, &tidy, error), PL_E_ARGUMENT, "order[5]");
  CHECK(tidy == NULL);
  pl_mesh_destroy(mesh);
}

TEST(element_sets_follow_a_reordering)
{
  pl_mesh *box = shake("hex", 0), *mesh = NULL, *out = NULL;
  int ids[3] = {5, 60, 0}, order[125], element_order[64];
  pl_set set = {"some", 1, 3, ids};
  pl_mesh_def def = {.node_count = 125,
                     .nodes = box->nodes,
                     .element_count = 64,
                     .nodes_per_element = 8,
                     .elements = box->elements,
                     .set_count = 1,
                     .sets = &set};
  CHECK_OK(pl_mesh_create(&def, &mesh, error));
  shuffle(order, 125);
  CHECK_OK(pl_mesh_reorder(mesh, order, element_order, NULL, &out, error));
  check_same(mesh, out, order, element_order);
  CHECK(out->sets[0].of_elements == 1);
  pl_mesh_destroy(box);
  pl_mesh_destroy(mesh);
  pl_mesh_destroy(out);
}

static pl_status attempt_reorder(const pl_allocator *allocator, void *context)
{
  const pl_mesh *mesh = context;
  int order[1000];
  pl_mesh *out, *copy = NULL;
  shuffle(order, mesh->node_count);
  pl_status status = pl_mesh_reorder(mesh, order, NULL, allocator, &out, NULL);
  CHECK((out != NULL) == (status == PL_OK));

  // what works on the copy uses its allocator
  pl_mesh_facts facts;
  if (!status) status = pl_mesh_measure(out, &facts, NULL);
  if (!status) status = pl_mesh_order(out, order, NULL);
  if (!status) status = pl_mesh_reorder(out, order, NULL, allocator, &copy, NULL);
  pl_mesh_destroy(copy);
  pl_mesh_destroy(out);
  return status;
}

TEST(every_failed_allocation_is_survived)
{
  pl_mesh *mesh = make_elements("sphere", "tet");
  fail_every_allocation(attempt_reorder, mesh);
  pl_mesh_destroy(mesh);
}

TESTS(X(a_regular_tet_has_known_facts) X(hex_boxes_have_known_facts) X(pieces_are_counted)
          X(points_inside_are_found) X(points_outside_go_to_the_nearest_place)
              X(points_are_found_in_round_bodies_of_any_size)
                  X(every_mesh_can_be_shuffled_and_put_in_order) X(order_makes_a_bar_narrow)
                      X(element_sets_follow_a_reordering) X(every_failed_allocation_is_survived))
