/* Meshes from arrays: what is accepted, turned, dropped and refused; the boundary. */
#include "failing.h"
#include "mesh/element.h"
#include "mesh/mesh.h"
#include "test.h"

static const double cube_nodes[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                        {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
static const int cube_hex[8] = {0, 1, 2, 3, 4, 5, 6, 7};
static const double tet_nodes[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const int one_tet[4] = {0, 1, 2, 3};

static pl_mesh_def tets(int node_count, const double *nodes, int element_count, const int *elements)
{
  return (pl_mesh_def){.node_count = node_count,
                       .nodes = nodes,
                       .element_count = element_count,
                       .nodes_per_element = 4,
                       .elements = elements};
}

static pl_mesh_def hexes(int node_count, const double *nodes, int element_count,
                         const int *elements)
{
  pl_mesh_def def = tets(node_count, nodes, element_count, elements);
  def.nodes_per_element = 8;
  return def;
}

static double total_volume(const pl_mesh *mesh)
{
  double sum = 0;
  int n = mesh->nodes_per_element;
  for (int i = 0; i < mesh->element_count; i++)
    sum += pl_element_volume(mesh->nodes, mesh->elements + n * i, n);
  return sum;
}

TEST(all_orders_of_a_tet_become_positive)
{
  int flipped = 0, count = 0;
  for (int code = 0; code < 256; code++) {
    int order[4] = {code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6 & 3};
    int seen = 1 << order[0] | 1 << order[1] | 1 << order[2] | 1 << order[3];
    if (seen != 15) continue;
    pl_mesh_def def = tets(4, tet_nodes[0], 1, order);
    pl_mesh *mesh;
    CHECK_OK(pl_mesh_create(&def, &mesh, error));
    CHECK_NEAR(total_volume(mesh), 1.0 / 6, 1e-15);
    flipped += mesh->flipped_elements;
    count++;
    pl_mesh_destroy(mesh);
  }
  CHECK(count == 24 && flipped == 12);
}

TEST(faces_point_outwards)
{
  pl_mesh_def defs[2] = {tets(4, tet_nodes[0], 1, one_tet), hexes(8, cube_nodes[0], 1, cube_hex)};
  for (int d = 0; d < 2; d++) {
    pl_mesh *mesh;
    CHECK_OK(pl_mesh_create(&defs[d], &mesh, error));
    int n = mesh->node_count, width = mesh->nodes_per_face;
    CHECK(mesh->face_count == (d ? 6 : 4) && width == (d ? 4 : 3));
    double sum[3] = {0};
    for (int f = 0; f < mesh->face_count; f++) {
      double area[3], middle[3] = {0}, outwards = 0;
      pl_face_area(mesh->nodes, mesh->faces + width * f, width, area);
      for (int k = 0; k < 3; k++) {
        for (int i = 0; i < n; i++) middle[k] += mesh->nodes[3 * i + k] / n;
        outwards += area[k] * (mesh->nodes[3 * mesh->faces[width * f] + k] - middle[k]);
        sum[k] += area[k];
      }
      CHECK(outwards > 0 && mesh->face_elements[f] == 0);
    }
    for (int k = 0; k < 3; k++) CHECK_NEAR(sum[k], 0, 1e-15);
    pl_mesh_destroy(mesh);
  }
}

TEST(hexes_are_mirrored_or_refused)
{
  // top and bottom exchanged: every corner is inverted
  int mirrored[8] = {4, 5, 6, 7, 0, 1, 2, 3};
  pl_mesh *mesh;
  pl_mesh_def def = hexes(8, cube_nodes[0], 1, mirrored);
  CHECK_OK(pl_mesh_create(&def, &mesh, error));
  CHECK(mesh->flipped_elements == 1);
  CHECK_NEAR(total_volume(mesh), 1, 1e-15);
  pl_mesh_destroy(mesh);

  // nodes row by row instead of around
  int rows[8] = {0, 1, 3, 2, 4, 5, 7, 6};
  def.elements = rows;
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_MESH, "element 0 is flat or folded");

  // one corner pushed through the cube
  double dented[8][3];
  memcpy(dented, cube_nodes, sizeof dented);
  for (int k = 0; k < 3; k++) dented[6][k] = 0.2;
  def = hexes(8, dented[0], 1, cube_hex);
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_MESH, "at its corner");

  // top and bottom the same
  double flat[8][3];
  memcpy(flat, cube_nodes, sizeof flat);
  for (int i = 4; i < 8; i++) flat[i][2] = 0;
  def = hexes(8, flat[0], 1, cube_hex);
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_MESH, "element 0 is flat or folded");
}

/* Volume of the trilinear map by 2x2x2 Gauss points, which integrate it exactly. */
static double gauss_volume(double corners[8][3])
{
  double sum = 0, at[2] = {0.5 - 0.5 / sqrt(3), 0.5 + 0.5 / sqrt(3)};
  for (int g = 0; g < 8; g++) {
    double s[3] = {at[g & 1], at[g >> 1 & 1], at[g >> 2]}, J[3][3] = {{0}};
    for (int i = 0; i < 8; i++) {
      for (int j = 0; j < 3; j++) {
        double slope = cube_nodes[i][j] > 0 ? 1 : -1;
        for (int k = 0; k < 3; k++) {
          if (k != j) slope *= cube_nodes[i][k] > 0 ? s[k] : 1 - s[k];
        }
        for (int k = 0; k < 3; k++) J[j][k] += slope * corners[i][k];
      }
    }
    sum += (J[0][0] * (J[1][1] * J[2][2] - J[1][2] * J[2][1]) -
            J[0][1] * (J[1][0] * J[2][2] - J[1][2] * J[2][0]) +
            J[0][2] * (J[1][0] * J[2][1] - J[1][1] * J[2][0])) /
           8;
  }
  return sum;
}

TEST(hex_volume_is_that_of_the_trilinear_map)
{
  for (int round = 0; round < 100; round++) {
    double corners[8][3];
    for (int i = 0; i < 8; i++) {
      for (int k = 0; k < 3; k++) corners[i][k] = 5 + cube_nodes[i][k] + 0.4 * test_uniform();
    }
    CHECK_NEAR(pl_element_volume(corners[0], cube_hex, 8), gauss_volume(corners), 1e-13);
  }
}

TEST(unused_nodes_are_dropped_and_sets_follow)
{
  double nodes[7][3] = {{9, 9, 9}};
  memcpy(nodes[1], tet_nodes[0], sizeof tet_nodes[0]);
  memcpy(nodes[2], tet_nodes[1], sizeof tet_nodes[1]);
  memcpy(nodes[4], tet_nodes[2], sizeof tet_nodes[2]);
  memcpy(nodes[6], tet_nodes[3], sizeof tet_nodes[3]);
  int element[4] = {1, 2, 4, 6}, ids[5] = {6, 0, 4, 6, 3}, first[1] = {0};
  pl_set sets[3] = {{"some", 0, 5, ids}, {"none", 0, 1, first}, {"body", 1, 1, first}};
  pl_mesh_def def = tets(7, nodes[0], 1, element);
  def.sets = sets;
  def.set_count = 3;
  pl_mesh *mesh;
  CHECK_OK(pl_mesh_create(&def, &mesh, error));
  CHECK(pl_mesh_node_count(mesh) == 4 && mesh->dropped_nodes == 3);
  CHECK(pl_mesh_set_count(mesh) == 3 && pl_mesh_set(mesh, 3) == NULL);
  CHECK(pl_mesh_set(mesh, -1) == NULL && pl_mesh_find_set(mesh, "nothing") == NULL);
  const pl_set *some = pl_mesh_find_set(mesh, "some");
  CHECK(some && some->count == 2 && some->ids[0] == 3 && some->ids[1] == 2);
  CHECK(pl_mesh_find_set(mesh, "none")->count == 0);
  CHECK(pl_mesh_find_set(mesh, "body")->of_elements && pl_mesh_find_set(mesh, "body")->count == 1);
  CHECK(pl_mesh_nodes(mesh)[3 * 3 + 2] == 1 && pl_mesh_elements(mesh)[3] == 3);
  CHECK(pl_mesh_element_count(mesh) == 1 && pl_mesh_nodes_per_element(mesh) == 4);
  CHECK(pl_mesh_face_count(mesh) == 4 && pl_mesh_nodes_per_face(mesh) == 3);
  CHECK(pl_mesh_faces(mesh) && pl_mesh_face_elements(mesh)[3] == 0);
  pl_mesh_destroy(mesh);
  pl_mesh_destroy(NULL);
}

TEST(bad_arrays_are_refused_by_number)
{
  pl_mesh *mesh;
  pl_mesh_def def = {0};
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_ARGUMENT, "nodes_per_element = 0 must be");
  def.nodes_per_element = 4;
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_MESH, "the mesh has no elements");
  def.element_count = 1;
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_MESH, "the mesh has no nodes");
  def.node_count = 4;
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_ARGUMENT, "are NULL");
  def.element_count = -1;
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_ARGUMENT, "-1 elements");
  def = tets(50000001, tet_nodes[0], 1, one_tet);
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_LIMIT, "limit of 50000000");

  double nodes[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5, 0.5, 0}};
  int far[4] = {0, 1, 2, 5}, below[4] = {0, -1, 2, 3}, twice[8] = {0, 1, 2, 3, 1, 2, 3, 1};
  int flat[4] = {0, 1, 2, 4};
  def = tets(5, nodes[0], 1, far);
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_MESH, "refers to node 5, but the nodes are");
  def.elements = below;
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_MESH, "refers to node -1");
  def.elements = flat;
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_MESH, "element 0 has no volume");
  def = tets(5, nodes[0], 2, twice);
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_MESH, "element 1 uses node 1 twice");
  pl_error found = {0};
  CHECK(pl_mesh_create(&def, &mesh, &found) == PL_E_MESH && found.entity == 1 && mesh == NULL);

  def = tets(5, nodes[0], 1, one_tet);
  const double bad[] = {NAN, INFINITY, -INFINITY, 1e300, -1.7e308};
  for (int i = 0; i < 5; i++) {
    nodes[3][1] = bad[i];
    CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_MESH, "node 3 has the coordinate y =");
  }
}

TEST(slivers_are_judged_by_their_own_size)
{
  // heights over the longest edge, accepted and refused, from tiny to huge meshes
  const double sizes[] = {1e-90, 1e-9, 1, 1e9, 1e90};
  for (int s = 0; s < 5; s++) {
    for (int thin = 0; thin < 2; thin++) {
      double nodes[4][3];
      memcpy(nodes, tet_nodes, sizeof nodes);
      nodes[3][2] = thin ? 1e-13 : 1e-10;
      for (int i = 0; i < 12; i++) nodes[i / 3][i % 3] *= sizes[s];
      pl_mesh *mesh;
      pl_mesh_def def = tets(4, nodes[0], 1, one_tet);
      if (thin)
        CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_MESH, "no volume");
      else
        CHECK_OK(pl_mesh_create(&def, &mesh, error));
      pl_mesh_destroy(mesh);
    }
  }
  double same[4][3] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
  pl_mesh *mesh;
  pl_mesh_def def = tets(4, same[0], 1, one_tet);
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_MESH, "no volume");
}

TEST(bad_sets_are_refused)
{
  int ids[2] = {0, 4}, low[1] = {-1};
  pl_set set = {"tip", 0, 2, ids};
  pl_mesh_def def = tets(4, tet_nodes[0], 1, one_tet);
  def.sets = &set;
  def.set_count = 1;
  pl_mesh *mesh;
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_MESH, "\"tip\" refers to node 4, but they");
  set = (pl_set){"tip", 1, 1, low};
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_MESH, "refers to element -1");
  set = (pl_set){NULL, 0, 0, ids};
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_ARGUMENT, "set 0 has no name");
  set = (pl_set){"", 0, 0, ids};
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_ARGUMENT, "set 0 has no name");
  set = (pl_set){"tip", 0, 3, NULL};
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_ARGUMENT, "cannot have 3 members");
  set = (pl_set){"tip", 0, -3, ids};
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_ARGUMENT, "cannot have -3 members");
}

TEST(elements_that_cannot_fit_are_refused)
{
  // three tetrahedra on one face, and the same one twice
  double nodes[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}, {1, 1, 1}};
  int three[12] = {0, 1, 2, 3, 0, 1, 2, 4, 0, 1, 2, 5}, again[8] = {0, 1, 2, 3, 3, 1, 0, 2};
  int above[8] = {0, 1, 2, 3, 0, 1, 2, 5};
  pl_mesh *mesh;
  pl_mesh_def def = tets(6, nodes[0], 3, three);
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_MESH, "elements 0, 1 and 2 share one face");
  def = tets(6, nodes[0], 2, again);
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_MESH, "elements 0 and 1 overlap");
  def = tets(6, nodes[0], 2, above);
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_MESH, "elements 0 and 1 overlap");

  // the same four nodes, skew in space, are the top of one hexahedron and, joined in another order,
  // the side of another
  double skew[12][3] = {{1, 1, 1},  {-1, 1, -1}, {-1, -1, 1},  {1, -1, -1},
                        {1, 1, -5}, {-1, 1, -5}, {-1, -1, -5}, {1, -1, -5},
                        {1, 5, 1},  {-1, 5, 1},  {-1, 5, -1},  {1, 5, -1}};
  int pair[16] = {4, 5, 6, 7, 0, 1, 2, 3, 0, 2, 1, 3, 8, 9, 10, 11};
  def = hexes(12, skew[0], 2, pair);
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_MESH, "in different order");
}

TEST(two_pieces_and_a_shared_edge_are_fine)
{
  // two tetrahedra that share only an edge: the boundary has all eight faces
  double nodes[6][3] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {1, 1, 0}, {-1, 0, 0}, {-1, -1, 0}};
  int pair[8] = {0, 1, 2, 3, 0, 1, 4, 5};
  pl_mesh *mesh;
  pl_mesh_def def = tets(6, nodes[0], 2, pair);
  CHECK_OK(pl_mesh_create(&def, &mesh, error));
  CHECK(pl_mesh_face_count(mesh) == 8);
  pl_mesh_destroy(mesh);
}

TEST(a_star_of_many_faces_is_fast)
{
  // half a million tetrahedra around one edge: a quadratic search would not end
  enum { COUNT = 500000 };
  double *nodes = malloc((COUNT + 2) * 3 * sizeof *nodes);
  int *elements = malloc(COUNT * 4 * sizeof *elements);
  nodes[0] = nodes[1] = nodes[3] = nodes[4] = 0;
  nodes[2] = -1, nodes[5] = 1;
  for (int i = 0; i < COUNT; i++) {
    double angle = 6.283185307179586 * i / COUNT;
    nodes[3 * (i + 2)] = cos(angle);
    nodes[3 * (i + 2) + 1] = sin(angle);
    nodes[3 * (i + 2) + 2] = 0;
    int element[4] = {0, 1, i + 2, (i + 1) % COUNT + 2};
    memcpy(elements + 4 * i, element, sizeof element);
  }
  pl_mesh *mesh;
  pl_mesh_def def = tets(COUNT + 2, nodes, COUNT, elements);
  CHECK_OK(pl_mesh_create(&def, &mesh, error));
  CHECK(mesh && pl_mesh_face_count(mesh) == 2 * COUNT);
  int *order = malloc((COUNT + 2) * sizeof *order);
  CHECK_OK(pl_mesh_order(mesh, order, error));
  free(order);
  pl_mesh_destroy(mesh);
  free(nodes);
  free(elements);
}

/* Whatever the numbers are, there is a sound mesh or a reason; the sanitizers watch. */
TEST(random_arrays_are_made_or_refused)
{
  int made = 0;
  for (int round = 0; round < 20000; round++) {
    double nodes[8][3];
    int elements[16], ids[4], n = round % 2 ? 4 : 8;
    for (int i = 0; i < 24; i++) nodes[i / 3][i % 3] = (double)(test_random() % 4);
    for (int i = 0; i < 16; i++) elements[i] = (int)(test_random() % 8);
    for (int i = 0; i < 4; i++) ids[i] = (int)(test_random() % 8);
    if (n == 8 && test_random() % 2) {
      memcpy(nodes, cube_nodes, sizeof nodes);
      memcpy(elements, cube_hex, sizeof cube_hex);
    }
    if (test_random() % 8 == 0) elements[test_random() % 4] = (int)(test_random() % 12) - 2;
    if (test_random() % 8 == 0) nodes[test_random() % 8][0] = NAN;
    pl_set set = {"some", (int)(test_random() % 2), (int)(test_random() % 4), ids};
    pl_mesh_def def = {.node_count = 8,
                       .nodes = nodes[0],
                       .element_count = 1 + (int)(test_random() % 2),
                       .nodes_per_element = n,
                       .elements = elements,
                       .set_count = 1,
                       .sets = &set};
    pl_mesh *mesh;
    pl_error found = {0};
    pl_status status = pl_mesh_create(&def, &mesh, &found);
    CHECK((status == PL_OK) == (mesh != NULL));
    CHECK(status == PL_OK || (status == PL_E_MESH && found.message[0]));
    for (int e = 0; mesh && e < mesh->element_count; e++)
      CHECK(pl_element_volume(mesh->nodes, mesh->elements + n * e, n) > 0);
    made += mesh != NULL;
    pl_mesh_destroy(mesh);
  }
  CHECK(made > 1000 && made < 19000);
}

static pl_status attempt(const pl_allocator *allocator, void *context)
{
  (void)context;
  int ids[2] = {0, 3};
  pl_set set = {"tip", 0, 2, ids};
  pl_mesh_def def = tets(4, tet_nodes[0], 1, one_tet);
  def.sets = &set;
  def.set_count = 1;
  def.allocator = allocator;
  pl_mesh *mesh;
  pl_status status = pl_mesh_create(&def, &mesh, NULL);
  CHECK((mesh != NULL) == (status == PL_OK));
  pl_mesh_destroy(mesh);
  return status;
}

TEST(every_failed_allocation_is_survived) { fail_every_allocation(attempt, NULL); }

TESTS(X(all_orders_of_a_tet_become_positive) X(faces_point_outwards)
          X(hexes_are_mirrored_or_refused) X(hex_volume_is_that_of_the_trilinear_map)
              X(unused_nodes_are_dropped_and_sets_follow) X(bad_arrays_are_refused_by_number)
                  X(slivers_are_judged_by_their_own_size) X(bad_sets_are_refused)
                      X(elements_that_cannot_fit_are_refused)
                          X(two_pieces_and_a_shared_edge_are_fine) X(a_star_of_many_faces_is_fast)
                              X(random_arrays_are_made_or_refused)
                                  X(every_failed_allocation_is_survived))
