/* Exact predicates, intersections of surfaces, and how far motions are free. */
#include "shape/ccd.h"
#include "shape/exact.h"
#include "shape/surfaces.h"

static int sign(int64_t value) { return (value > 0) - (value < 0); }

/* Whole numbers below a bound. */
static void whole(double x[3], int max)
{
  for (int k = 0; k < 3; k++) x[k] = (double)((int)(test_random() % (uint64_t)(2 * max + 1)) - max);
}

static int64_t det3(double p[4][3])
{
  int64_t m[3][3];
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) m[i][k] = (int64_t)(p[i][k] - p[3][k]);
  }
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) +
         m[0][1] * (m[1][2] * m[2][0] - m[1][0] * m[2][2]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

TEST(orientation_of_whole_numbers_is_exact)
{
  int zeros = 0;
  for (int trial = 0; trial < 20000; trial++) {
    double p[4][3];
    for (int i = 0; i < 4; i++) whole(p[i], trial % 2 ? 3 : 100000);
    int expected = sign(det3(p));
    zeros += expected == 0;
    CHECK(pl_orient3d(p[0], p[1], p[2], p[3]) == expected);
    // far away, where differences are exact but coordinates large
    for (int i = 0; i < 12; i++) p[i / 3][i % 3] += 4503599627370496.0;
    CHECK(pl_orient3d(p[0], p[1], p[2], p[3]) == expected);
  }
  CHECK(zeros > 100);
}

TEST(one_last_bit_off_a_plane_is_seen)
{
  for (int trial = 0; trial < 5000; trial++) {
    // points of the plane x + y + z = 3/2, with few bits
    double p[4][3];
    for (int i = 0; i < 4; i++) {
      for (int k = 0; k < 2; k++) p[i][k] = floor(1048576 * test_uniform()) / 1048576;
      p[i][2] = 1.5 - p[i][0] - p[i][1];
    }
    CHECK(pl_orient3d(p[0], p[1], p[2], p[3]) == 0);
    int turn = pl_orient2d(p[0], p[1], p[2]);
    p[3][2] = nextafter(p[3][2], trial % 2 ? 10 : -10);
    // above a triangle that turns left seen from above: clockwise from it is below
    CHECK(pl_orient3d(p[0], p[1], p[2], p[3]) == (trial % 2 ? -turn : turn));
  }
}

TEST(one_last_bit_off_a_line_is_seen)
{
  for (int trial = 0; trial < 5000; trial++) {
    double a[2] = {0.5, 0.5}, b[2] = {12, 12}, c[2];
    c[0] = c[1] = 24 + 8 * test_uniform();
    CHECK(pl_orient2d(a, b, c) == 0);
    c[1] = nextafter(c[1], trial % 2 ? 100 : 0);
    CHECK(pl_orient2d(a, b, c) == (trial % 2 ? 1 : -1));
  }
}

/* The distance of an edge and a triangle, in double precision. */
static double distance(double p[5][3])
{
  const double *q = p[1], *a = p[2], *b = p[3], *c = p[4];
  double min = INFINITY, x[4][3];
  pl_closest at;
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 4; k++) pl_vec3_copy(k ? p[1 + k] : p[i], x[k]);
    pl_closest_points(PL_POINT_TRIANGLE, (const double(*)[3])x, &at);
    min = fmin(min, at.squared);
  }
  for (int i = 0; i < 3; i++) {
    pl_vec3_copy(p[0], x[0]);
    pl_vec3_copy(q, x[1]);
    pl_vec3_copy(p[2 + i], x[2]);
    pl_vec3_copy(p[2 + (i + 1) % 3], x[3]);
    pl_closest_points(PL_EDGE_EDGE, (const double(*)[3])x, &at);
    min = fmin(min, at.squared);
  }
  // through the middle: where the line passes the plane
  double u[3], v[3], n[3], from[3], to[3];
  pl_vec3_sub(b, a, u);
  pl_vec3_sub(c, a, v);
  pl_vec3_cross(u, v, n);
  pl_vec3_sub(p[0], a, from);
  pl_vec3_sub(q, a, to);
  double one = pl_vec3_dot(n, from), two = pl_vec3_dot(n, to);
  if (one * two < 0) {
    double t = one / (one - two);
    for (int k = 0; k < 3; k++) x[0][k] = p[0][k] + t * (q[k] - p[0][k]);
    for (int i = 1; i < 4; i++) pl_vec3_copy(p[1 + i], x[i]);
    pl_closest_points(PL_POINT_TRIANGLE, (const double(*)[3])x, &at);
    min = fmin(min, at.squared);
  }
  return sqrt(min);
}

TEST(edges_meet_triangles_where_their_distance_vanishes)
{
  int meets = 0;
  for (int trial = 0; trial < (TEST_SANITIZED ? 5000 : 200000); trial++) {
    // few places: most cases are degenerate, in one plane or touch
    double p[5][3];
    for (int i = 0; i < 5; i++) whole(p[i], 1 + trial % 3);
    if (trial % 4 == 0)
      for (int i = 0; i < 5; i++) p[i][2] = 0;
    int met = pl_edge_meets_triangle(p[0], p[1], p[2], p[3], p[4]);
    meets += met;
    CHECK(met == (distance(p) < 1e-9));
    CHECK(met == pl_edge_meets_triangle(p[1], p[0], p[3], p[2], p[4]));
  }
  CHECK(meets > 1000);
}

/* ---- surfaces ---- */

static scene S;
static brute B;

static int64_t brute_intersections(void)
{
  int64_t count = 0;
  brute_features(&B, &S);
  for (int e = 0; e < B.edge_count; e++) {
    for (int t = 0; t < S.triangles; t++) {
      const int *edge = B.edges + 2 * e, *c = B.triangles + 3 * t;
      int shared = 0, same = B.surface[edge[0]] == B.surface[c[0]];
      for (int i = 0; i < 6; i++) shared |= edge[i / 3] == c[i % 3];
      if (shared || (same && !S.surfaces[B.surface[c[0]]].self)) continue;
      count += pl_edge_meets_triangle(S.x + 3 * edge[0], S.x + 3 * edge[1], S.x + 3 * c[0],
                                      S.x + 3 * c[1], S.x + 3 * c[2]);
    }
  }
  return count;
}

static void make_scene(int k)
{
  memset(&S, 0, sizeof S);
  memset(&B, 0, sizeof B);
  if (k % 4 == 0) scene_soup(&S, 120, 0.5, 0.2);
  if (k % 4 == 1) {
    for (int i = 0; i < 2; i++) scene_sheet(&S, 5, (double[]){0.05 * i, 0, 0}, 1, 0); // one plane
  }
  if (k % 4 == 2) {
    scene_sheet(&S, 6, (double[]){0, 0, 0}, 1, 0);
    scene_sheet(&S, 6, (double[]){0.01, 0.02, -0.1}, 1, 0.4); // bent through the other
  }
  if (k % 4 == 3) {
    scene_sheet(&S, 6, (double[]){0, 0, 0}, 1, 0.1);
    scene_sheet(&S, 6, (double[]){0, 0, 1e-9}, 1, 0.1); // hardly apart
  }
  if (k >= 4)
    for (int i = 0; i < 3 * S.points; i++) S.x[i] += 65536;
}

TEST(intersections_of_surfaces_are_counted_as_by_brute_force)
{
  const int some[] = {1, 1, 1, 0, 1, 1, 1};
  pl_pool *pool = NULL;
  pl_allocator allocator = pl_allocator_default();
  CHECK_OK(pl_pool_create(&allocator, 3, &pool, error));
  for (int k = 0; k < 7; k++) {
    make_scene(k);
    pl_finder *finder = scene_finder(&S, NULL);
    int64_t count = -1, expected = brute_intersections(), threaded = -1;
    CHECK_OK(pl_finder_intersections(finder, S.x, NULL, &count, error));
    CHECK_OK(pl_finder_intersections(finder, S.x, pool, &threaded, error));
    if (count != expected) printf("  scene %d: %d, not %d\n", k, (int)count, (int)expected);
    CHECK(count == expected && threaded == expected);
    CHECK((count > 0) == some[k]);
    pl_finder_destroy(finder);
  }
  pl_pool_destroy(pool);
}

/* Sheets that fly at each other, through each other if nothing held them. */
static void make_flight(void)
{
  memset(&S, 0, sizeof S);
  for (int i = 0; i < 3; i++) scene_sheet(&S, 6, (double[]){0.1 * i, 0.05 * i, 0.3 * i}, 1, 0.2);
  for (int i = 0; i < 3 * S.points; i++) {
    int sheet = i / 3 / 49;
    S.to[i] = S.x[i] + (i % 3 == 2 ? 0.3 * (1 - sheet) : 0) + 0.05 * test_uniform();
  }
}

TEST(free_parts_of_motions_end_without_intersection)
{
  pl_pool *pools[3] = {NULL};
  const int threads[] = {2, 3, 8};
  pl_allocator allocator = pl_allocator_default();
  for (int i = 0; i < 3; i++) CHECK_OK(pl_pool_create(&allocator, threads[i], &pools[i], error));
  for (int trial = 0; trial < 10; trial++) {
    make_flight();
    pl_finder *finder = scene_finder(&S, NULL);
    double range = trial % 2 ? 0.01 : 0, min = 1;
    pl_finder_query query = {.x = S.x, .to = S.to, .range = range};
    pl_finder_limit limit, other;
    CHECK_OK(pl_finder_advance(finder, &query, 0.2, NULL, &limit, error));
    CHECK(limit.part > 0 && limit.part < 1 && limit.checked > 0 && limit.touching == 0);
    for (int i = 0; i < 3; i++) {
      CHECK_OK(pl_finder_advance(finder, &query, 0.2, pools[i], &other, error));
      CHECK_NEAR(other.part, limit.part, 0);
      CHECK(other.key == limit.key && other.checked == limit.checked);
    }
    // the least of all pairs, by the contacts that a query along the motion lists
    const pl_proximity *list;
    int count;
    int64_t crossings;
    CHECK_OK(pl_finder_find(finder, &query, NULL, &list, &count, error));
    for (int i = 0; i < count; i++) {
      double x[4][3], to[4][3];
      for (int p = 0; p < 4; p++) {
        pl_vec3_copy(S.x + 3 * list[i].points[p], x[p]);
        pl_vec3_copy(S.to + 3 * list[i].points[p], to[p]);
      }
      min = fmin(min, pl_ccd((pl_contact_kind)list[i].kind, (const double(*)[3])x,
                             (const double(*)[3])to, range, 0.2));
    }
    CHECK_NEAR(min, limit.part, 0);
    for (int i = 0; i < 3 * S.points; i++) S.x[i] += limit.part * (S.to[i] - S.x[i]);
    CHECK_OK(pl_finder_intersections(finder, S.x, NULL, &crossings, error));
    CHECK(crossings == 0);
    CHECK_OK(pl_finder_find(finder, &(pl_finder_query){.x = S.x, .range = range}, NULL, &list,
                            &count, error));
    CHECK(count == 0);
    CHECK_OK(pl_finder_intersections(finder, S.to, NULL, &crossings, error));
    CHECK(crossings > 0);
    pl_finder_destroy(finder);
  }
  for (int i = 0; i < 3; i++) pl_pool_destroy(pools[i]);
}

/* Sheets that lie near each other, and go a little way. */
static double make_stir(double way)
{
  memset(&S, 0, sizeof S);
  for (int i = 0; i < 3; i++) scene_sheet(&S, 6, (double[]){0.01 * i, 0.02 * i, 0.03 * i}, 1, 0);
  for (int i = 0; i < 3 * S.points; i++) S.to[i] = S.x[i] + way * (2 * test_uniform() - 1);
  return 0.02;
}

/* Candidates that a query has left serve motions and later queries; results are those of a finder
 * that knows nothing. */
TEST(candidates_that_are_there_limit_motions_alike)
{
  int reached = 0, cut = 0;
  for (int trial = 0; trial < 60; trial++) {
    double range = make_stir(trial % 3 == 0 ? 0.004 : 0.016);
    pl_finder *finder = scene_finder(&S, NULL), *other = scene_finder(&S, NULL);
    pl_finder_query at = {.x = S.x, .range = range, .keep = 2 * range};
    pl_finder_query along = {.x = S.x, .to = S.to};
    for (int step = 0; step < 4; step++) {
      const pl_proximity *list, *fresh;
      int count, fresh_count;
      pl_finder_limit limit, expected;
      for (int twice = 0; twice < 2; twice++)
        CHECK_OK(pl_finder_find(finder, &at, NULL, &list, &count, error));
      pl_finder_forget(other);
      CHECK_OK(pl_finder_find(other, &at, NULL, &fresh, &fresh_count, error));
      CHECK(count == fresh_count && memcmp(list, fresh, (size_t)count * sizeof *list) == 0);
      pl_finder_forget(other);
      CHECK(!pl_finder_reaches(other, &along, 0.2));
      reached += pl_finder_reaches(finder, &along, 0.2);
      CHECK_OK(pl_finder_advance(finder, &along, 0.2, NULL, &limit, error));
      CHECK_OK(pl_finder_advance(other, &along, 0.2, NULL, &expected, error));
      CHECK_NEAR(limit.part, expected.part, 0);
      CHECK(limit.key == expected.key);
      cut += limit.part < 1;
      for (int i = 0; i < 3 * S.points; i++) {
        double way = S.to[i] - S.x[i];
        S.x[i] += 0.5 * limit.part * way;
        S.to[i] = S.x[i] + way;
      }
    }
    pl_finder_destroy(finder);
    pl_finder_destroy(other);
  }
  printf("  %d of 240 motions within reach, %d cut\n", reached, cut);
  CHECK(reached > 60 && cut > 60 && cut < 240);
}

TEST(motions_to_nowhere_are_not_free)
{
  make_flight();
  pl_finder *finder = scene_finder(&S, NULL);
  pl_finder_limit limit;
  pl_finder_query query = {.x = S.x, .to = S.to};
  S.to[7] = NAN;
  CHECK_OK(pl_finder_advance(finder, &query, 0.2, NULL, &limit, error));
  CHECK(!(limit.part > 0));
  CHECK_FAILS(pl_finder_advance(finder, &query, 1, NULL, &limit, error), PL_E_ARGUMENT,
              "share = 1");
  pl_finder_destroy(finder);
}

TESTS(X(orientation_of_whole_numbers_is_exact) X(one_last_bit_off_a_plane_is_seen)
          X(one_last_bit_off_a_line_is_seen) X(edges_meet_triangles_where_their_distance_vanishes)
              X(intersections_of_surfaces_are_counted_as_by_brute_force)
                  X(free_parts_of_motions_end_without_intersection)
                      X(candidates_that_are_there_limit_motions_alike)
                          X(motions_to_nowhere_are_not_free))
