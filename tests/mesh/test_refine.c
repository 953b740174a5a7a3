/* Refinement: shapes, numbering, the hierarchical basis, hanging nodes, closure, and the way back.
 */
#include "math/vec3.h"
#include "mesh/element.h"
#include "mesh/fill.h"
#include "mesh/refine.h"
#include "mesh/solid.h"

#include "failing.h"

static pl_mesh *ball(double size)
{
  pl_solid *solid = NULL;
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_solid_create(&(pl_solid_row){{"sphere", NULL, 0}, 0}, 1, NULL, &solid, error));
  pl_volume volume = pl_solid_volume(solid);
  pl_setting settings[] = {{.name = "size", .value = {size}}};
  CHECK_OK(pl_fill(&volume, &(pl_choice){"stuffing", settings, 1}, NULL, &mesh, error));
  pl_solid_destroy(solid);
  return mesh;
}

/* One tetrahedron of any shape. */
static pl_mesh *random_tet(void)
{
  double nodes[12];
  pl_mesh *mesh = NULL;
  do {
    for (int i = 0; i < 12; i++) nodes[i] = test_uniform();
  } while (fabs(pl_element_volume(nodes, (int[]){0, 1, 2, 3}, 4)) < 0.05);
  pl_mesh_def def = {.node_count = 4,
                     .nodes = nodes,
                     .element_count = 1,
                     .nodes_per_element = 4,
                     .elements = (int[]){0, 1, 2, 3}};
  CHECK_OK(pl_mesh_create(&def, &mesh, error));
  return mesh;
}

static pl_forest *plant_in(const pl_mesh *mesh)
{
  pl_forest *forest = NULL;
  CHECK_OK(pl_forest_create(mesh, NULL, &forest, error));
  return forest;
}

static pl_mesh *harvest_of(const pl_forest *forest, int closed)
{
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_forest_mesh(forest, closed, NULL, NULL, &mesh, error));
  return mesh;
}

/* What is the same for congruent tetrahedra: the lengths of the edges, sorted, over the cube root
 * of the volume. */
static void shape_of(const pl_forest *f, const pl_forest_tet *tet, double shape[6])
{
  double places[12];
  for (int i = 0; i < 12; i++) places[i] = f->nodes[tet->nodes[i / 3]].place[i % 3];
  double scale = 1 / cbrt(fabs(pl_element_volume(places, (int[]){0, 1, 2, 3}, 4)));
  for (int i = 0; i < 6; i++) {
    double length =
        scale * pl_vec3_distance(places + 3 * pl_tet_edges[i][0], places + 3 * pl_tet_edges[i][1]);
    int at = i;
    for (; at > 0 && shape[at - 1] > length; at--) shape[at] = shape[at - 1];
    shape[at] = length;
  }
}

/* However often a tetrahedron is refined, only three shapes come up (Bey, theorem 5), all children
 * have the same volume, and the quality does not fall after the second level. */
TEST(three_shapes)
{
  for (int round = 0; round < 4; round++) {
    pl_mesh *mesh = random_tet();
    pl_forest *f = plant_in(mesh);
    double shapes[8][6], min[6] = {180};
    int known = 0;
    for (int level = 0; level <= 5; level++) {
      min[level] = 180;
      for (size_t t = 0; t < f->tet_count; t++) {
        double shape[6], low, high, places[12], worst = 1;
        if (!pl_forest_is_leaf(f, (int)t)) continue;
        CHECK(f->tets[t].level == level);
        shape_of(f, &f->tets[t], shape);
        for (int i = 0; i < known && worst > 1e-6; i++) {
          worst = 0;
          for (int k = 0; k < 6; k++) worst = fmax(worst, fabs(shape[k] - shapes[i][k]));
        }
        if (worst > 1e-6 && known < 8) memcpy(shapes[known++], shape, sizeof shape);
        for (int i = 0; i < 12; i++) places[i] = f->nodes[f->tets[t].nodes[i / 3]].place[i % 3];
        pl_tet_angles(places, (int[]){0, 1, 2, 3}, &low, &high);
        min[level] = fmin(min[level], low);
      }
      if (level < 5) CHECK_OK(pl_forest_refine_all(f, error));
    }
    CHECK(known <= 3);
    CHECK_NEAR(min[5], min[2], 1e-6);
    CHECK(min[5] > 0.3 * min[0]);
    pl_mesh *fine = harvest_of(f, 1);
    pl_mesh_facts facts, coarse;
    CHECK_OK(pl_mesh_measure(fine, &facts, error));
    CHECK_OK(pl_mesh_measure(mesh, &coarse, error));
    CHECK(facts.element_count == 32768 && facts.face_count == 4 * 1024);
    CHECK_NEAR(facts.volume, coarse.volume, 1e-12);
    CHECK_NEAR(facts.min_volume * 32768, coarse.volume, 1e-12);
    pl_mesh_destroy(fine);
    pl_forest_destroy(f);
    pl_mesh_destroy(mesh);
  }
}

/* Levels follow each other in the numbering, every new node is the middle of its two parents, which
 * have lower numbers, and nodes and edges are counted once. */
TEST(numbering)
{
  pl_mesh *mesh = ball(0.3);
  pl_forest *f = plant_in(mesh);
  size_t before[4] = {f->node_count};
  for (int level = 1; level < 4; level++) {
    size_t edges = f->edge_count, old_edges = 0;
    for (size_t e = 0; e < edges; e++) old_edges += f->edges[e].leaves >= 0;
    CHECK_OK(pl_forest_refine_all(f, error));
    before[level] = f->node_count;
    CHECK(before[level] - before[level - 1] == old_edges);
    for (size_t n = before[level - 1]; n < before[level]; n++) {
      const pl_forest_node *node = &f->nodes[n];
      int last = node->parents[0] > node->parents[1] ? node->parents[0] : node->parents[1];
      CHECK(node->parents[0] != node->parents[1] && last < (int)before[level - 1]);
      for (int k = 0; k < 3; k++)
        CHECK_NEAR(node->place[k],
                   0.5 *
                       (f->nodes[node->parents[0]].place[k] + f->nodes[node->parents[1]].place[k]),
                   1e-15);
      CHECK(!pl_forest_is_hanging(f, (int)n));
    }
  }
  pl_forest_destroy(f);
  pl_mesh_destroy(mesh);
}

/* The three algorithms against their definitions: linear fields need no detail, there and back is
 * the identity, and the transpose is one. Uniform, and with hanging nodes. */
TEST(hierarchical_basis)
{
  pl_mesh *mesh = ball(0.4);
  pl_forest *f = plant_in(mesh);
  for (int round = 0; round < 2; round++) {
    if (round == 0) CHECK_OK(pl_forest_refine_all(f, error));
    for (int t = 0; t < 5 && round; t++)
      CHECK_OK(pl_forest_refine(f, (int)f->tet_count - 1 - 20 * t, error));
    size_t count = 2 * f->node_count;
    double *x = malloc(count * sizeof *x), *y = malloc(count * sizeof *y);
    double *z = malloc(count * sizeof *z), here = 0, there = 0;
    for (size_t i = 0; i < count; i++) {
      const double *p = f->nodes[i / 2].place;
      x[i] = i % 2 ? 3 * p[0] - p[2] : 1 + p[1];
      y[i] = test_uniform();
    }
    pl_forest_to_hierarchical(f, 2, x);
    for (size_t i = 2 * (size_t)mesh->node_count; i < count; i++) CHECK_NEAR(x[i], 0, 1e-14);
    // back to the field
    pl_forest_to_nodal(f, 2, x);
    for (size_t i = 0; i < count; i += 2) CHECK_NEAR(x[i], 1 + f->nodes[i / 2].place[1], 1e-14);
    // <S y, w> = <y, S^T w>
    memcpy(z, y, count * sizeof *z);
    pl_forest_to_nodal(f, 2, z);
    for (size_t i = 0; i < count; i++) {
      x[i] = test_uniform();
      here += z[i] * x[i];
    }
    pl_forest_transpose(f, 2, x);
    for (size_t i = 0; i < count; i++) there += y[i] * x[i];
    CHECK_NEAR(here, there, 1e-10);
    pl_forest_to_hierarchical(f, 2, z);
    for (size_t i = 0; i < count; i++) CHECK_NEAR(z[i], y[i], 1e-13);
    free(x);
    free(y);
    free(z);
  }
  pl_forest_destroy(f);
  pl_mesh_destroy(mesh);
}

/* What must hold at all times: nothing depends on hanging nodes, and parents are there. */
static int check_forest(const pl_forest *f)
{
  int hanging = 0;
  double volume = 0, whole = 0;
  for (size_t n = 0; n < f->node_count; n++) {
    const pl_forest_node *node = &f->nodes[n];
    if (!pl_forest_is_active(f, (int)n)) CHECK(node->dependents == 0);
    if (pl_forest_is_active(f, (int)n) && node->edge >= 0) {
      CHECK(pl_forest_is_active(f, node->parents[0]) && pl_forest_is_active(f, node->parents[1]));
      CHECK(!pl_forest_is_hanging(f, node->parents[0]));
      CHECK(!pl_forest_is_hanging(f, node->parents[1]));
    }
    if (pl_forest_is_hanging(f, (int)n)) {
      hanging++;
      CHECK(node->dependents == 0);
    }
  }
  for (size_t t = 0; t < f->tet_count; t++) {
    double places[12];
    for (int i = 0; i < 12; i++) places[i] = f->nodes[f->tets[t].nodes[i / 3]].place[i % 3];
    double part = fabs(pl_element_volume(places, (int[]){0, 1, 2, 3}, 4));
    if (pl_forest_is_leaf(f, (int)t)) {
      volume += part;
      for (int i = 0; i < 4; i++) CHECK(pl_forest_is_active(f, f->tets[t].nodes[i]));
    }
    if (f->tets[t].parent < 0) whole += part;
  }
  CHECK_NEAR(volume, whole, 1e-12);
  return hanging;
}

/* Refining and coarsening at random; the closed mesh conforms and has the same volume and surface;
 * taking everything back gives the first mesh. */
TEST(local)
{
  pl_mesh *mesh = ball(0.35);
  pl_forest *f = plant_in(mesh);
  pl_mesh_facts first, facts;
  CHECK_OK(pl_mesh_measure(mesh, &first, error));
  int max_hanging = 0, taken_back = 0;
  double min = 180;
  for (int step = 0; step < 300; step++) {
    int t = (int)(test_random() % f->tet_count);
    if (step % 3 == 2) {
      taken_back += pl_forest_coarsen(f, f->tets[t].parent >= 0 ? f->tets[t].parent : t);
    } else if (f->tets[t].level < 4) {
      CHECK_OK(pl_forest_refine(f, t, error));
    }
    if (step % 20) continue;
    int hanging = check_forest(f);
    if (hanging > max_hanging) max_hanging = hanging;
    pl_mesh *closed = harvest_of(f, 1);
    CHECK_OK(pl_mesh_measure(closed, &facts, error));
    CHECK_NEAR(facts.volume, first.volume, 1e-12);
    CHECK_NEAR(facts.surface, first.surface, 1e-11);
    CHECK(facts.pieces == 1);
    min = fmin(min, facts.min_angle);
    pl_mesh_destroy(closed);
  }
  printf("  up to %d hanging nodes, %d refinements taken back, angles from %.1f (at first %.1f)\n",
         max_hanging, taken_back, min, first.min_angle);
  CHECK(max_hanging > 50 && taken_back > 3 && min > 4);
  for (int round = 0; round < 6; round++) {
    for (size_t t = 0; t < f->tet_count; t++) pl_forest_coarsen(f, (int)t);
  }
  CHECK(check_forest(f) == 0);
  pl_mesh *back = harvest_of(f, 0);
  CHECK(back->node_count == mesh->node_count && back->element_count == mesh->element_count);
  CHECK(memcmp(back->nodes, mesh->nodes, 24 * (size_t)mesh->node_count) == 0);
  CHECK(back->face_count == mesh->face_count);
  // and forth once more, with what was kept
  size_t kept = f->tet_count;
  CHECK_OK(pl_forest_refine(f, 0, error));
  CHECK(f->tet_count <= kept + 8);
  pl_mesh_destroy(back);
  pl_forest_destroy(f);
  pl_mesh_destroy(mesh);
}

/* Hanging nodes follow linear fields, and forces do the same work through them. */
TEST(constraints)
{
  pl_mesh *mesh = ball(0.3);
  pl_forest *f = plant_in(mesh);
  for (int t = 0; t < 40; t++) CHECK_OK(pl_forest_refine(f, 7 * t, error));
  size_t count = 3 * f->node_count;
  double *x = malloc(count * sizeof *x), *forces = malloc(count * sizeof *forces);
  double there = 0, here = 0;
  int hanging = 0;
  for (size_t i = 0; i < count; i++) {
    const double *p = f->nodes[i / 3].place;
    hanging += pl_forest_is_hanging(f, (int)(i / 3));
    x[i] = pl_forest_is_hanging(f, (int)(i / 3)) ? 99 : p[0] - 2 * p[1] + (double)(i % 3);
    forces[i] = test_uniform();
  }
  CHECK(hanging > 100);
  pl_forest_follow(f, 3, x);
  for (size_t i = 0; i < count; i++) {
    const double *p = f->nodes[i / 3].place;
    CHECK_NEAR(x[i], p[0] - 2 * p[1] + (double)(i % 3), 1e-14);
    there += x[i] * forces[i];
  }
  pl_forest_push(f, 3, forces);
  for (size_t i = 0; i < count; i++) {
    here += x[i] * forces[i];
    if (pl_forest_is_hanging(f, (int)(i / 3))) CHECK(forces[i] == 0);
  }
  CHECK_NEAR(here, there, 1e-11);
  free(x);
  free(forces);
  pl_forest_destroy(f);
  pl_mesh_destroy(mesh);
}

/* Sets are followed, and numbers tell where nodes went. */
TEST(sets)
{
  double nodes[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
  int elements[] = {0, 1, 2, 3, 1, 2, 3, 4}, face[] = {0, 1, 2}, one[] = {1};
  pl_set sets[] = {{"bottom", 0, 3, face}, {"far", 1, 1, one}};
  pl_mesh_def def = {.node_count = 5,
                     .nodes = nodes,
                     .element_count = 2,
                     .nodes_per_element = 4,
                     .elements = elements,
                     .set_count = 2,
                     .sets = sets};
  pl_mesh *mesh = NULL, *fine = NULL;
  CHECK_OK(pl_mesh_create(&def, &mesh, error));
  pl_forest *f = plant_in(mesh);
  CHECK_OK(pl_forest_refine(f, 1, error));
  int numbers[16];
  CHECK_OK(pl_forest_mesh(f, 1, numbers, NULL, &fine, error));
  for (int i = 0; i < 5; i++) CHECK(numbers[i] == i);
  // bottom: its corners and the middle of the edge that the two share; far: the eight children
  CHECK(pl_mesh_find_set(fine, "bottom")->count == 4);
  CHECK(pl_mesh_find_set(fine, "far")->count == 8);
  CHECK(fine->element_count == 12);
  pl_mesh_destroy(fine);
  pl_forest_destroy(f);
  pl_mesh_destroy(mesh);
}

static pl_status attempt(const pl_allocator *allocator, void *context)
{
  pl_forest *f;
  pl_mesh *fine = NULL;
  pl_error error;
  pl_status status = pl_forest_create(context, allocator, &f, &error);
  if (!status) status = pl_forest_refine(f, 3, &error);
  if (!status) status = pl_forest_refine_all(f, &error);
  if (!status) status = pl_forest_mesh(f, 1, NULL, allocator, &fine, &error);
  pl_mesh_destroy(fine);
  pl_forest_destroy(f);
  return status;
}

TEST(no_memory)
{
  pl_mesh *mesh = ball(0.4);
  fail_every_allocation(attempt, mesh);
  pl_mesh_destroy(mesh);
}

TEST(refusals)
{
  pl_mesh *hexes = NULL, *mesh = ball(0.6);
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", &(pl_setting){.name = "element", .word = "hex"}, 1},
                            NULL, &hexes, error));
  CHECK_FAILS(pl_forest_create(hexes, NULL, &(pl_forest *){NULL}, error), PL_E_UNSUPPORTED,
              "hexahedra");
  pl_forest *f = plant_in(mesh);
  CHECK_FAILS(pl_forest_refine(f, 1 << 20, error), PL_E_ARGUMENT, "no tetrahedron");
  CHECK(!pl_forest_coarsen(f, 0));
  int tet = 0;
  for (int i = 0; i < PL_MOST_REFINEMENTS; i++) {
    CHECK_OK(pl_forest_refine(f, tet, error));
    tet = f->tets[tet].child;
  }
  CHECK_FAILS(pl_forest_refine(f, tet, error), PL_E_LIMIT, "20 times");
  check_forest(f);
  pl_forest_destroy(f);
  pl_mesh_destroy(mesh);
  pl_mesh_destroy(hexes);
}

TESTS(X(three_shapes) X(numbering) X(hierarchical_basis) X(local) X(constraints) X(sets)
          X(no_memory) X(refusals))
