/* Quadrilaterals: how they are cut, what is refused, and that copies know them. */
#include "math/vec3.h"
#include "mesh/element.h"
#include "mesh/quads.h"
#include "mesh/repair.h"
#include "mesh/skin.h"

#include "failing.h"

/* A unit square, a far corner that makes it an arrow, and a point beside them. */
static const double places[] = {0, 0,   0,   1, 0, 0, 1, 1, 0, 0,  1,
                                0, 0.2, 0.2, 0, 2, 0, 0, 2, 1, 0.5};

static pl_mesh_def def_of(const int *quads, int count)
{
  return (pl_mesh_def){.node_count = 7,
                       .nodes = places,
                       .nodes_per_element = 3,
                       .quad_count = count,
                       .quads = quads};
}

/* The area of both halves is that of the plane quadrilateral, and both go around its way. */
static void check_halves(const int quad[4], double area)
{
  int halves[6];
  CHECK(pl_quad_cut(places, quad, halves));
  for (int t = 0; t < 2; t++) {
    double vector[3];
    pl_face_area(places, halves + 3 * t, 3, vector);
    CHECK(vector[2] > 0);
    area -= vector[2];
  }
  CHECK_NEAR(area, 0, 1e-15);
}

TEST(every_way_of_cutting)
{
  for (int turn = 0; turn < 4; turn++) {
    const int square[4] = {0, 1, 2, 3}, arrow[4] = {0, 1, 4, 3}, kite[4] = {4, 1, 2, 3};
    int turned[3][4], halves[6];
    for (int i = 0; i < 4; i++) {
      turned[0][i] = square[(i + turn) % 4];
      turned[1][i] = arrow[(i + turn) % 4];
      turned[2][i] = kite[(i + turn) % 4];
    }
    check_halves(turned[0], 1);
    check_halves(turned[1], 0.2); // not convex at node 4: the diagonal from there, though equal
    check_halves(turned[2], 0.8);
    int bow[4] = {turned[0][0], turned[0][2], turned[0][1], turned[0][3]};
    CHECK(!pl_quad_cut(places, bow, halves));
  }
  // three corners on a line: the cut goes through the middle one
  double line[] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 1, 1, 0};
  int halves[6];
  CHECK(pl_quad_cut(line, (int[]){0, 1, 2, 3}, halves));
  CHECK(pl_element_volume(line, halves, 3) > 0.4 && pl_element_volume(line, halves + 3, 3) > 0.4);
  memset(line, 0, sizeof line);
  CHECK(!pl_quad_cut(line, (int[]){0, 1, 2, 3}, halves));
}

TEST(sentences)
{
  pl_mesh *mesh = NULL;
  const int folded[] = {0, 1, 2, 3, 0, 2, 1, 3}, twice[] = {0, 1, 1, 3}, far[] = {0, 1, 2, 7};
  pl_mesh_def def = def_of(folded, 2);
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_MESH,
              "quadrilateral 1 is flat or folded; its nodes go around it");
  def = def_of(twice, 1);
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_MESH, "quadrilateral 0 uses node 1 twice");
  def = def_of(far, 1);
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_MESH, "refers to node 7");
  def.nodes_per_element = 4;
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_ARGUMENT, "beside triangles only");
  def = def_of(NULL, 1);
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_ARGUMENT, "quadrilaterals is NULL");
  def = def_of(folded, -1);
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_ARGUMENT, "-1 quadrilaterals");
  def = def_of(folded, 0);
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_MESH, "has no elements");
}

/* The nodes of the two elements are those of the quadrilateral. */
static void check_elements(const pl_mesh *mesh)
{
  for (int j = 0; j < mesh->quad_count; j++) {
    const int *quad = mesh->quads + 4 * j;
    double sum[3] = {0}, whole[3];
    pl_face_area(mesh->nodes, quad, 4, whole);
    for (int h = 0; h < 2; h++) {
      const int *nodes = mesh->elements + 3 * mesh->quad_elements[2 * j + h];
      double area[3];
      pl_face_area(mesh->nodes, nodes, 3, area);
      pl_vec3_add_scaled(1, area, sum);
      for (int i = 0; i < 3; i++)
        CHECK(nodes[i] == quad[0] || nodes[i] == quad[1] || nodes[i] == quad[2] ||
              nodes[i] == quad[3]);
    }
    for (int i = 0; i < 3; i++) CHECK_NEAR(sum[i], whole[i], 1e-15);
  }
}

/* Beside a triangle, with an unused node, a set of elements, and in another order. */
TEST(quadrilaterals_are_kept)
{
  const int quads[] = {0, 1, 2, 3, 1, 5, 6, 2}, triangle[] = {3, 2, 6}, halves[] = {3, 4, 0};
  pl_set set = {.name = "right", .of_elements = 1, .count = 3, .ids = halves};
  pl_mesh_def def = def_of(quads, 2);
  def.element_count = 1;
  def.elements = triangle;
  def.set_count = 1;
  def.sets = &set;
  pl_mesh *mesh = NULL, *other = NULL;
  CHECK_OK(pl_mesh_create(&def, &mesh, error));
  CHECK(mesh->element_count == 5 && mesh->quad_count == 2 && mesh->node_count == 6);
  CHECK(pl_mesh_quads(mesh)[5] == 4 && pl_mesh_quad_elements(mesh)[2] == 3); // node 4 is unused
  CHECK(pl_mesh_quad_count(mesh) == 2 && pl_mesh_set(mesh, 0)->count == 3);
  check_elements(mesh);
  const int order[] = {5, 3, 1, 0, 2, 4};
  CHECK_OK(pl_mesh_reorder(mesh, order, NULL, NULL, &other, error));
  CHECK(other->quad_count == 2 && other->quads[0] == 3 && other->quads[1] == 2);
  check_elements(other);
  pl_mesh_destroy(other);
  pl_mesh_destroy(mesh);
}

/* Corners in one place make it a triangle, nodes row by row are put around, the flat go. */
TEST(repair)
{
  const double nodes[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0, 2, 0, 0, 3, 0, 0};
  const int quads[] = {0, 1, 3, 2, 1, 5, 2, 4, 0, 1, 5, 6}, triangles[] = {0, 1, 2, 0, 1, 5};
  const int all[] = {0, 1, 2, 3, 4, 5, 6, 7};
  pl_set set = {.name = "all", .of_elements = 1, .count = 8, .ids = all};
  pl_mesh_def def = {.node_count = 7,
                     .nodes = nodes,
                     .nodes_per_element = 3,
                     .element_count = 2,
                     .elements = triangles,
                     .quad_count = 3,
                     .quads = quads,
                     .set_count = 1,
                     .sets = &set};
  pl_mesh_repairs repairs = {0};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_repair(&def, &repairs, &mesh, error));
  CHECK(mesh->quad_count == 1 && mesh->element_count == 4 && mesh->sets[0].count == 4);
  CHECK(repairs.rewound_elements == 1 && repairs.flat_elements == 2 && repairs.merged_nodes == 1);
  check_elements(mesh);
  pl_mesh_destroy(mesh);
}

/* A surface whose faces were cut into fans: a square, a pentagon, and a square that was turned. */
TEST(quadrilaterals_of_a_surface)
{
  const int triangles[] = {0, 1, 2, 0, 2, 3, 1, 5, 6, 1, 6, 2, 1, 2, 4, 0, 3, 4},
            polygons[] = {1, 1, 2, 2, 2, 3};
  pl_skin_def def = {.point_count = 7,
                     .points = places,
                     .triangle_count = 6,
                     .triangles = triangles,
                     .polygons = polygons,
                     .max_hole = -1};
  pl_skin *skin = NULL;
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_skin_create(&def, &skin, error));
  CHECK_OK(pl_skin_mesh(skin, NULL, &mesh, error));
  CHECK(mesh->element_count == 6 && mesh->quad_count == 1 && mesh->quad_elements[1] == 1);
  check_elements(mesh);
  pl_mesh_destroy(mesh);
  pl_skin_destroy(skin);
}

static pl_status make(const pl_allocator *allocator, void *context)
{
  const int quads[] = {0, 1, 2, 3, 1, 5, 6, 2}, order[] = {5, 3, 1, 0, 2, 4};
  pl_mesh_def def = def_of(quads, 2);
  (void)context;
  def.allocator = allocator;
  pl_mesh *mesh = NULL, *other = NULL;
  pl_status status = pl_mesh_create(&def, &mesh, NULL);
  if (!status) status = pl_mesh_reorder(mesh, order, NULL, allocator, &other, NULL);
  pl_mesh_destroy(other);
  pl_mesh_destroy(mesh);
  return status;
}

TEST(memory_may_run_out) { fail_every_allocation(make, NULL); }

TESTS(X(every_way_of_cutting) X(sentences) X(quadrilaterals_are_kept) X(repair)
          X(quadrilaterals_of_a_surface) X(memory_may_run_out))
