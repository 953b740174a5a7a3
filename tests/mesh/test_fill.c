/* Filling volumes: angles, volume, watertight boundary, and refusals. */
#include "math/vec3.h"
#include "mesh/fill.h"
#include "mesh/solid.h"

#include "failing.h"
#include "solids.h"

static pl_mesh *fill_solid(const pl_solid *solid, const char *method, double size)
{
  pl_mesh *mesh = NULL;
  pl_volume volume = pl_solid_volume(solid);
  pl_setting settings[] = {{.name = "size", .value = {size}}};
  CHECK_OK(pl_fill(&volume, &(pl_choice){method, settings, 1}, NULL, &mesh, error));
  return mesh;
}

/* Every edge of the boundary belongs to an even number of faces, once each way. */
static void check_watertight(const pl_mesh *mesh)
{
  const int *faces = pl_mesh_faces(mesh);
  double sum[3] = {0}, area[3], total = 0;
  for (int f = 0; f < pl_mesh_face_count(mesh); f++) {
    int n = pl_mesh_nodes_per_face(mesh);
    pl_face_area(pl_mesh_nodes(mesh), faces + n * f, n, area);
    pl_vec3_add(sum, area, sum);
    total += pl_vec3_norm(area);
  }
  // the area vectors of a closed surface add up to nothing
  CHECK(pl_vec3_norm(sum) < 1e-10 * total);
}

/* A union of balls and rods in a unit cube, or with noise. */
static pl_solid *random_solid(int seed)
{
  pl_solid_row rows[12];
  pl_setting settings[12][5];
  char words[12][2][80];
  int count = 0, parts = 2 + seed % 6;
  char seed_word[16], smooth_word[32];
  snprintf(seed_word, sizeof seed_word, "%d", seed);
  snprintf(smooth_word, sizeof smooth_word, "%g", 0.02 + 0.2 * fabs(test_uniform()));
  settings[0][0] = (pl_setting){.name = "amplitude", .word = "0.02"};
  settings[0][1] = (pl_setting){.name = "seed", .word = seed_word};
  if (seed % 4 == 0) rows[count++] = (pl_solid_row){{"noise", settings[0], 2}, 0};
  int depth = count;
  settings[1][0] = (pl_setting){.name = "smooth", .word = smooth_word};
  rows[count++] = (pl_solid_row){{"union", settings[1], 1}, depth};
  for (int i = 0; i < parts; i++) {
    pl_setting *s = settings[2 + i];
    for (int k = 0; k < 2; k++)
      snprintf(words[i][k], sizeof words[i][k], "%.17g %.17g %.17g", 0.4 * test_uniform(),
               0.4 * test_uniform(), 0.4 * test_uniform());
    s[0] = (pl_setting){.name = "radius", .value = {0.17 + 0.1 * fabs(test_uniform())}};
    s[1] = (pl_setting){.name = i % 2 ? "from" : "centre", .word = words[i][0]};
    s[2] = (pl_setting){.name = "to", .word = words[i][1]};
    rows[count++] = (pl_solid_row){{i % 2 ? "capsule" : "sphere", s, i % 2 ? 3 : 2}, depth + 1};
  }
  pl_solid *solid = NULL;
  CHECK_OK(pl_solid_create(rows, count, NULL, &solid, error));
  return solid;
}

/* The volume inside, from the values on a fine grid: a cell's share from its middle's distance. */
static double reference_volume(const pl_solid *solid)
{
  pl_volume volume = pl_solid_volume(solid);
  enum { N = 64 };
  double step[3], sum = 0;
  for (int k = 0; k < 3; k++) step[k] = (volume.high[k] - volume.low[k]) / N;
  double mean = cbrt(step[0] * step[1] * step[2]);
  for (int i = 0; i < N * N * N; i++) {
    int at[3] = {i % N, i / N % N, i / N / N};
    double point[3];
    for (int k = 0; k < 3; k++) point[k] = volume.low[k] + (at[k] + 0.5) * step[k];
    sum += fmin(fmax(0.5 - volume.value(volume.context, point) / mean, 0), 1);
  }
  return sum * step[0] * step[1] * step[2];
}

/* 200 random bodies (30 where PLIANT_LONG is not set) at a resolution of about 1/30 of the extent,
 * uniform and graded in turn: angles within the stated bounds, volume within 2 %, closed boundary.
 */
TEST(random_solids)
{
  double min = 180, max = 0, worst = 0;
  int count = getenv("PLIANT_LONG") ? 200 : TEST_SANITIZED ? 8 : 30;
  for (int seed = 0; seed < count; seed++) {
    pl_solid *solid = random_solid(seed);
    pl_mesh *mesh = NULL;
    pl_volume volume = pl_solid_volume(solid);
    pl_setting settings[] = {{.name = "size", .value = {0.04}},
                             {.name = "grading", .value = {seed % 3}}};
    CHECK_OK(pl_fill(&volume, &(pl_choice){"stuffing", settings, 2}, NULL, &mesh, error));
    if (mesh) {
      pl_mesh_facts facts;
      CHECK_OK(pl_mesh_measure(mesh, &facts, error));
      check_watertight(mesh);
      CHECK(facts.dropped_nodes == 0);
      min = fmin(min, facts.min_angle);
      max = fmax(max, facts.max_angle);
      if (seed % 5 == 1 || count == 200) {
        double wrong = fabs(facts.volume / reference_volume(solid) - 1);
        worst = fmax(worst, wrong);
      }
    }
    pl_mesh_destroy(mesh);
    pl_solid_destroy(solid);
  }
  printf("  %d solids: angles %.2f to %.2f degrees, volumes within %.2f %%\n", count, min, max,
         100 * worst);
  CHECK(min > 10.7 && max < 164.8);
  CHECK(worst < 0.02);
}

/* A ball's volume converges with the second order: 4/3 pi r^3. */
TEST(ball_converges)
{
  pl_solid *ball = one_solid("sphere");
  double wrong[2];
  for (int i = 0; i < 2; i++) {
    pl_mesh *mesh = fill_solid(ball, "stuffing", 0.1 / (1 + i));
    pl_mesh_facts facts;
    CHECK_OK(pl_mesh_measure(mesh, &facts, error));
    CHECK(facts.pieces == 1);
    wrong[i] = fabs(facts.volume - acos(-1) / 6);
    pl_mesh_destroy(mesh);
  }
  CHECK(wrong[0] < 0.01 && wrong[1] < wrong[0] / 3);
  pl_solid_destroy(ball);
}

/* Every ready-made body, both ways: one piece, angles, and a cage that holds all of it. */
TEST(bodies)
{
  int place = 0;
  for (pl_solid *solid; (solid = next_solid(&place)) != NULL;) {
    pl_volume volume = pl_solid_volume(solid);
    for (int k = 0; k < 3; k++) CHECK(volume.high[k] - volume.low[k] < 1.6);
    pl_mesh *fine = fill_solid(solid, "stuffing", 0.05), *cage = fill_solid(solid, "cage", 0.1);
    pl_mesh *voxels = fill_solid(solid, "voxels", 0.04);
    pl_mesh_facts facts, around, boxes;
    CHECK_OK(pl_mesh_measure(voxels, &boxes, error));
    pl_mesh_destroy(voxels);
    CHECK_OK(pl_mesh_measure(fine, &facts, error));
    CHECK_OK(pl_mesh_measure(cage, &around, error));
    CHECK(facts.pieces == 1 && facts.min_angle > 10.7 && facts.max_angle < 164.8);
    CHECK(around.volume > facts.volume && around.pieces == 1);
    // cells count by their middles: neither too much nor too little
    CHECK_NEAR(boxes.volume / facts.volume, 1, 0.08);
    CHECK(pl_mesh_nodes_per_element(fine) == 4 && boxes.element_count > 500);
    check_watertight(fine);
    check_watertight(cage);
    for (int n = 0; n < fine->node_count; n += 50) {
      pl_anchor anchor;
      CHECK_OK(pl_mesh_locate(cage, fine->nodes + 3 * n, &anchor, error));
      CHECK(anchor.distance < 1e-12);
    }
    pl_mesh_destroy(fine);
    pl_mesh_destroy(cage);
    pl_solid_destroy(solid);
  }
}

/* The values are bounds of the distance: no steeper than 1 anywhere. */
TEST(values_are_bounds)
{
  for (int seed = 0; seed < 40; seed++) {
    const pl_member *member = pl_solid_family.members[seed % 7];
    pl_setting ends[] = {{.name = "to", .value = {0.3, 0.2, 0.4}}};
    int has_ends = seed % 7 > 2 && seed % 7 < 6;
    pl_solid *solid = NULL;
    if (seed >= 14)
      solid = random_solid(seed);
    else
      CHECK_OK(pl_solid_create(&(pl_solid_row){{member->name, ends, has_ends}, 0}, 1, NULL, &solid,
                               error));
    pl_volume volume = pl_solid_volume(solid);
    for (int i = 0; i < 2000; i++) {
      double a[3], b[3];
      for (int k = 0; k < 3; k++) {
        a[k] = 1.5 * test_uniform();
        b[k] = a[k] + 0.05 * test_uniform();
      }
      double change = volume.value(volume.context, a) - volume.value(volume.context, b);
      CHECK(fabs(change) <= pl_vec3_distance(a, b) * (1 + 1e-9) + 1e-12);
      // inside means inside the box
      for (int k = 0; k < 3 && volume.value(volume.context, a) < 0; k++)
        CHECK(a[k] > volume.low[k] && a[k] < volume.high[k]);
    }
    pl_solid_destroy(solid);
  }
}

/* About as many elements as were asked for. */
TEST(element_count)
{
  pl_solid *duck = one_solid("duck");
  pl_volume volume = pl_solid_volume(duck);
  static const char *const methods[] = {"stuffing", "cage", "voxels", "stuffing"};
  for (int i = 0; i < 4; i++) {
    pl_mesh *mesh = NULL;
    pl_setting settings[] = {{.name = "elements", .value = {20000}},
                             {.name = "grading", .value = {3}}};
    pl_choice choice = {methods[i], settings, i < 3 ? 1 : 2};
    CHECK_OK(pl_fill(&volume, &choice, NULL, &mesh, error));
    int count = pl_mesh_element_count(mesh);
    CHECK(count > 14000 && count < 32000);
    pl_mesh_destroy(mesh);
  }
  pl_solid_destroy(duck);
}

static pl_status attempt(const pl_allocator *allocator, void *context)
{
  pl_solid *solid;
  pl_mesh *mesh;
  pl_setting settings[] = {{.name = "size", .value = {0.3}}};
  pl_error error;
  pl_status status =
      pl_solid_create(&(pl_solid_row){{"sphere", NULL, 0}, 0}, 1, allocator, &solid, &error);
  if (status) return status;
  pl_volume volume = pl_solid_volume(solid);
  status = pl_fill(&volume, &(pl_choice){context, settings, 1}, allocator, &mesh, &error);
  pl_mesh_destroy(mesh);
  pl_solid_destroy(solid);
  return status;
}

TEST(no_memory)
{
  fail_every_allocation(attempt, "stuffing");
  fail_every_allocation(attempt, "cage");
  fail_every_allocation(attempt, "voxels");
}

TEST(refusals)
{
  pl_solid *solid = NULL;
  pl_mesh *mesh;
  CHECK_FAILS(pl_solid_create(NULL, 0, NULL, &solid, error), PL_E_ARGUMENT, "empty");
  pl_solid_row rows[] = {{{"sphere", NULL, 0}, 0}, {{"box", NULL, 0}, 1}};
  CHECK_FAILS(pl_solid_create(rows, 2, NULL, &solid, error), PL_E_ARGUMENT, "nothing can stand");
  rows[0].solid.name = "union";
  CHECK_FAILS(pl_solid_create(rows, 1, NULL, &solid, error), PL_E_ARGUMENT, "needs 1");
  rows[0].solid.name = "capsule";
  CHECK_FAILS(pl_solid_create(rows, 1, NULL, &solid, error), PL_E_ARGUMENT, "same point");
  solid = one_solid("half-space");
  pl_volume volume = pl_solid_volume(solid);
  CHECK_FAILS(pl_fill(&volume, &(pl_choice){"stuffing", NULL, 0}, NULL, &mesh, error),
              PL_E_ARGUMENT, "no end along x");
  pl_solid_destroy(solid);
  solid = one_solid("sphere");
  volume = pl_solid_volume(solid);
  pl_setting size = {.name = "size", .value = {1e-6}};
  CHECK_FAILS(pl_fill(&volume, &(pl_choice){"stuffing", &size, 1}, NULL, &mesh, error), PL_E_LIMIT,
              "enlarge");
  size.value[0] = 50;
  for (int i = 0; pl_filler_family.members[i]; i++) {
    const char *name = pl_filler_family.members[i]->name;
    CHECK_FAILS(pl_fill(&volume, &(pl_choice){name, &size, 1}, NULL, &mesh, error), PL_E_ARGUMENT,
                "a size of 50 m is larger than the whole shape of 1 m; make it smaller");
    CHECK(!mesh);
  }
  pl_solid_destroy(solid);
}

/* One cell may be as large as the shape; a cage may be thicker than a plate, voxels may not. */
TEST(the_largest_cells)
{
  const double edges[][3] = {{2, 2, 2}, {2, 2, 0.1}};
  for (int i = 0; i < 2; i++) {
    pl_setting box = {.name = "size", .value = {edges[i][0], edges[i][1], edges[i][2]}};
    pl_setting size = {.name = "size", .value = {2}}, few = {.name = "elements", .value = {1}};
    pl_solid *solid = NULL;
    pl_mesh *mesh = NULL;
    CHECK_OK(pl_solid_create(&(pl_solid_row){{"box", &box, 1}, 0}, 1, NULL, &solid, error));
    if (!solid) return;
    pl_volume volume = pl_solid_volume(solid);
    for (int method = 0; method < 4; method++) {
      pl_choice choice = {method % 2 ? "voxels" : "cage", method / 2 ? &few : &size, 1};
      if (i == 1 && method % 2) {
        CHECK_FAILS(pl_fill(&volume, &choice, NULL, &mesh, error), PL_E_ARGUMENT,
                    method == 1 ? "voxels of 2 m are thicker than the shape, 0.1 m along z; make"
                                : "thicker than the shape, 0.1 m along z; ask for more elements");
        continue;
      }
      CHECK_OK(pl_fill(&volume, &choice, NULL, &mesh, error));
      if (mesh) CHECK(pl_mesh_element_count(mesh) == (method % 2 ? 1 : i && method ? 24 : 6));
      pl_mesh_destroy(mesh);
    }
    size.value[0] = 0.1;
    CHECK_OK(pl_fill(&volume, &(pl_choice){"voxels", &size, 1}, NULL, &mesh, error));
    if (mesh) CHECK(pl_mesh_element_count(mesh) == (i ? 400 : 8000));
    pl_mesh_destroy(mesh);
    pl_solid_destroy(solid);
  }
}

TESTS(X(random_solids) X(ball_converges) X(bodies) X(values_are_bounds) X(element_count)
          X(no_memory) X(refusals) X(the_largest_cells))
