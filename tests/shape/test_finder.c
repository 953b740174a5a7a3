/* The finder of contacts: the same pairs as brute force, whatever the threads and the history. */
#include "core/hash.h"
#include "counter.h"
#include "shape/surfaces.h"

static scene S;
static brute B;

static int find(pl_finder *finder, const pl_finder_query *query, pl_pool *pool,
                const pl_proximity **list)
{
  int count = 0;
  CHECK_OK(pl_finder_find(finder, query, pool, list, &count, error));
  return count;
}

/* The finder's list against brute force. */
static int same_as_brute_force(pl_finder *finder, const pl_finder_query *query)
{
  const pl_proximity *list;
  uint64_t sum = 0, last = 0;
  int count = find(finder, query, NULL, &list);
  for (int i = 0; i < count; i++) {
    if (i && list[i].key <= last) return 0;
    last = list[i].key;
    sum += contact_hash(list[i].kind, list[i].points);
  }
  brute_force(&B, &S, query);
  if (count != B.count) printf("  %d contacts, brute force finds %d\n", count, B.count);
  return count == B.count && sum == B.sum;
}

/* Every number of every contact. */
static uint64_t bits_of(const pl_proximity *list, int count)
{
  uint64_t hash = PL_HASH_START;
  for (int i = 0; i < count; i++) {
    hash = pl_hash_words(hash, &list[i].key, sizeof list[i].key / 8);
    hash = pl_hash_words(hash, list[i].points, sizeof list[i].points / 8);
    hash = pl_hash_words(hash, list[i].weights, sizeof list[i].weights / 8);
    hash = pl_hash_words(hash, list[i].normal, sizeof list[i].normal / 8);
    hash = pl_hash_words(hash, &list[i].gap, sizeof list[i].gap / 8);
  }
  return hash;
}

/* ---- scenes ---- */

enum { SCENES = 8 };

/* Scene k of several kinds; what comes near depends on chance. */
static double make_scene(int k)
{
  memset(&S, 0, sizeof S);
  double range = 0.05;
  switch (k) {
  case 0: // soup of small triangles, against itself
    scene_soup(&S, 120, 0.5, 0.2);
    break;
  case 1: // sheets that lie in planes of the axes, one edge apart
    for (int i = 0; i < 3; i++) scene_sheet(&S, 6, (double[]){0, 0, i / 6.0}, 1, 0);
    range = 1.0 / 6 * (1 + 1e-9);
    break;
  case 2: // in one plane, over each other: duplicate points, edges and triangles
    for (int i = 0; i < 2; i++) scene_sheet(&S, 5, (double[]){0, 0, 0}, 1, 0);
    break;
  case 3: // a million metres away
    scene_soup(&S, 60, 0.5, 0.2);
    scene_sheet(&S, 5, (double[]){-0.5, -0.5, 0.1}, 1, 0.3);
    for (int i = 0; i < 3 * S.points; i++) S.x[i] += i % 3 == 1 ? -1e6 : 1e6;
    break;
  case 4: // one triangle as large as everything
    scene_soup(&S, 100, 0.5, 0.1);
    scene_surface(&S);
    scene_point(&S, -1e3, -1e3, 0.01);
    scene_point(&S, 1e3, -1e3, 0.02);
    scene_point(&S, 0, 2e3, 0);
    scene_triangle(&S, 0, 1, 2);
    break;
  case 5: // wires, particles, and surfaces without any triangle
    scene_surface(&S);
    scene_soup(&S, 40, 0.3, 0.2);
    scene_surface(&S)->self = 1;
    for (int i = 0; i < 30; i++) scene_point(&S, 0.3 * test_uniform(), 0.3 * test_uniform(), 0);
    for (int i = 0; i + 1 < 30; i++) scene_triangle(&S, i, i % 2 ? i + 1 : i, i % 2 ? i + 1 : i);
    break;
  case 6: // thick sheets of very different sizes
    scene_sheet(&S, 8, (double[]){0, 0, 0}, 10, 1);
    S.surfaces[0].thickness = 0.3;
    scene_soup(&S, 60, 0.3, 0.05);
    S.surfaces[1].thickness = 0.01;
    break;
  default: // all points in one place, and a soup over it
    scene_surface(&S)->self = 1;
    for (int i = 0; i < 12; i++) scene_point(&S, 0, 0, 0);
    for (int i = 0; i < 4; i++) scene_triangle(&S, 3 * i, 3 * i + 1, 3 * i + 2);
    scene_soup(&S, 60, 0.2, 0.2);
  }
  return range;
}

/* ---- tests ---- */

TEST(contacts_are_those_of_brute_force)
{
  int max = 0;
  for (int trial = 0; trial < (TEST_SANITIZED ? 1 : 10) * SCENES; trial++) {
    double range = make_scene(trial % SCENES);
    pl_finder *finder = scene_finder(&S, NULL);
    CHECK(same_as_brute_force(finder, &(pl_finder_query){.x = S.x, .range = range}));
    max = B.count > max ? B.count : max;
    pl_finder_destroy(finder);
  }
  CHECK(max > 1000);
}

TEST(contacts_along_a_motion_are_those_of_brute_force)
{
  for (int trial = 0; trial < (TEST_SANITIZED ? 1 : 3) * SCENES; trial++) {
    double range = make_scene(trial % SCENES), way = trial % 3 == 0   ? 1
                                                     : trial % 3 == 1 ? 0.1
                                                                      : 1e-3;
    pl_finder *finder = scene_finder(&S, NULL);
    for (int round = 0; round < 3; round++) {
      // round 2: all fly the same way, and a little beside it
      for (int i = 0; i < 3 * S.points; i++)
        S.to[i] = S.x[i] + way * range * test_uniform() + (round == 2 ? 4 * range * (i % 3) : 0);
      CHECK(same_as_brute_force(finder, &(pl_finder_query){.x = S.x, .to = S.to, .range = range}));
      for (int i = 0; i < 3 * S.points; i++) S.x[i] += 0.3 * (S.to[i] - S.x[i]);
    }
    pl_finder_destroy(finder);
  }
}

/* How many contacts of the list are between edges that are not nearer than the range; and a hash of
 * all others. */
static int far_edges(const pl_proximity *list, int count, double range, uint64_t *others)
{
  int far = 0;
  *others = PL_HASH_START;
  for (int i = 0; i < count; i++) {
    int is_far = list[i].kind == PL_EDGE_EDGE && !(list[i].gap < range);
    if (!is_far) *others = pl_hash_words(*others, &list[i].key, 1);
    far += is_far;
  }
  return far;
}

TEST(edges_may_have_a_range_of_their_own)
{
  static const double shares[] = {0.3, -1, 0.5, 0}; // of the range; below 0: no edges
  for (int k = 0; k < SCENES; k++) {
    double range = make_scene(k);
    pl_finder *all = scene_finder(&S, NULL), *some = scene_finder(&S, NULL);
    for (int step = 0; step < 8; step++) {
      const pl_proximity *list;
      uint64_t wanted, found;
      double share = shares[step % 4], edges = share == 0 ? range : share * range;
      int count = find(all, &(pl_finder_query){.x = S.x, .range = range}, NULL, &list);
      int far = far_edges(list, count, share < 0 ? -HUGE_VAL : edges, &wanted);
      const pl_finder_query query = {.x = S.x, .range = range, .edge_range = share * range};
      CHECK(find(some, &query, NULL, &list) == count - far);
      CHECK(far_edges(list, count - far, HUGE_VAL, &found) == 0);
      CHECK(wanted == found);
      for (int i = 0; i < 3 * S.points; i++) S.x[i] += 0.02 * range * test_uniform();
    }
    pl_finder_destroy(all);
    pl_finder_destroy(some);
  }
}

TEST(a_surface_that_flies_does_not_meet_itself)
{
  memset(&S, 0, sizeof S);
  scene_sheet(&S, 20, (double[]){0, 0, 0}, 1, 0.1);
  pl_finder *finder = scene_finder(&S, NULL);
  const pl_proximity *list;
  for (int i = 0; i < 3 * S.points; i++) S.to[i] = S.x[i] + (i % 3 == 0 ? 0.5 : 0);
  CHECK(find(finder, &(pl_finder_query){.x = S.x, .to = S.to, .range = 0.005}, NULL, &list) == 0);
  CHECK(pl_finder_last(finder).candidates < S.triangles / 10);
  pl_finder_destroy(finder);
}

static uint64_t found_bits(pl_finder *finder, const pl_finder_query *query)
{
  const pl_proximity *list;
  int count = find(finder, query, NULL, &list);
  return bits_of(list, count);
}

/* Where a motion ends candidates along it serve again, but for parts that have gone elsewhere: two
 * sheets fly apart, but for a bump that reaches the other one. */
TEST(bits_do_not_depend_on_the_motion_before)
{
  const double range = 0.02;
  int ended = 0, near = 0;
  memset(&S, 0, sizeof S);
  scene_sheet(&S, 16, (double[]){0, 0, 0}, 1, 0);
  scene_sheet(&S, 16, (double[]){0, 0, 1.5 * range}, 1, 0);
  pl_finder *finder = scene_finder(&S, NULL), *alone = scene_finder(&S, NULL);
  for (int step = 0; step < 12; step++) {
    const pl_finder_query way = {.x = S.x, .to = S.to, .range = range};
    const pl_finder_query end = {.x = S.x, .range = range, .edge_range = step % 2 ? -1 : 0};
    for (int i = 0; i < 3 * S.points; i++) S.to[i] = S.x[i] + (i % 3 ? 0 : 3 * range);
    pl_finder_forget(alone);
    uint64_t bits = found_bits(finder, &way);
    CHECK(found_bits(alone, &way) == bits);
    for (int p = 0; p < S.points; p++) {
      for (int c = 0; c < 3; c++) S.x[3 * p + c] = S.to[3 * p + c] + 1e-3 * range * test_uniform();
      if (p >= S.points / 2) S.x[3 * p + 2] = (p - S.points / 2 == 20 * step ? 0.8 : 1.5) * range;
    }
    pl_finder_forget(alone);
    bits = found_bits(finder, &end);
    CHECK(found_bits(alone, &end) == bits);
    ended += pl_finder_last(finder).ended;
    near += pl_finder_last(finder).contacts > 0;
  }
  CHECK(ended == 11 && near == 12);
  pl_finder_destroy(finder);
  pl_finder_destroy(alone);
}

TEST(bits_depend_on_positions_alone)
{
  pl_pool *pools[4] = {NULL};
  const int threads[] = {1, 2, 3, 8};
  pl_allocator allocator = pl_allocator_default();
  for (int i = 0; i < 4; i++) CHECK_OK(pl_pool_create(&allocator, threads[i], &pools[i], error));
  for (int k = 0; k < SCENES; k++) {
    double range = make_scene(k);
    pl_finder *finders[5];
    int kept = 0;
    for (int i = 0; i < 5; i++) finders[i] = scene_finder(&S, NULL);
    for (int step = 0; step < 12; step++) {
      uint64_t bits[5];
      for (int i = 0; i < 5; i++) {
        const pl_proximity *list;
        // the first four with other numbers of threads; the last builds its trees every time
        if (i == 4) pl_finder_forget(finders[i]);
        int count =
            find(finders[i], &(pl_finder_query){.x = S.x, .range = range}, pools[i % 4], &list);
        bits[i] = bits_of(list, count);
        kept += i == 0 && pl_finder_last(finders[0]).kept;
        CHECK(i != 4 || (!pl_finder_last(finders[4]).kept && pl_finder_last(finders[4]).built));
        CHECK(bits[i] == bits[0]);
      }
      for (int i = 0; i < 3 * S.points; i++) S.x[i] += 0.08 * range * test_uniform();
    }
    CHECK(kept >= 3 && kept < 12);
    for (int i = 0; i < 5; i++) pl_finder_destroy(finders[i]);
  }
  for (int i = 0; i < 4; i++) pl_pool_destroy(pools[i]);
}

TEST(weights_and_normal_give_the_gap)
{
  for (int k = 0; k < SCENES; k++) {
    double range = make_scene(k);
    const pl_proximity *list;
    pl_finder *finder = scene_finder(&S, NULL);
    int count = find(finder, &(pl_finder_query){.x = S.x, .range = range}, NULL, &list);
    CHECK(count > 0);
    for (int i = 0; i < count; i++) {
      const pl_proximity *c = &list[i];
      double r[3] = {0}, sum = 0;
      for (int p = 0; p < 4; p++) {
        double relative[3];
        pl_vec3_sub(S.x + 3 * c->points[p], S.x + 3 * c->points[0], relative);
        pl_vec3_add_scaled(c->weights[p], relative, r);
        sum += c->weights[p];
      }
      CHECK(!(sum < 0) && !(sum > 0));
      CHECK_NEAR(pl_vec3_norm(c->normal), 1, 1e-14);
      CHECK_NEAR(pl_vec3_dot(r, c->normal) - c->thickness, c->gap, k == 4 ? 1e-12 : 1e-14);
    }
    pl_finder_destroy(finder);
  }
}

static const int TET[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};

/* A tetrahedron with its corner at a place and edges along the axes. */
static void add_tet(double at, double size)
{
  scene_surface(&S)->closed = 1;
  for (int i = 0; i < 4; i++)
    scene_point(&S, at + size * (i == 1), at + size * (i == 2), at + size * (i == 3));
  for (int t = 0; t < 4; t++) scene_triangle(&S, TET[3 * t], TET[3 * t + 1], TET[3 * t + 2]);
}

TEST(a_point_inside_a_closed_surface_has_a_negative_gap)
{
  for (int inside = 0; inside < 2; inside++) {
    memset(&S, 0, sizeof S);
    add_tet(0, 1);
    // the second one's corner lies 0.05 before or behind the middle of the first one's large face
    add_tet(1.0 / 3 + (inside ? -0.05 : 0.05) / sqrt(3), 1);
    pl_finder *finder = scene_finder(&S, NULL);
    const pl_proximity *list;
    int count = find(finder, &(pl_finder_query){.x = S.x, .range = 0.06}, NULL, &list);
    CHECK(count == 1);
    if (count == 1) {
      CHECK(list->kind == PL_POINT_TRIANGLE && list->points[0] == 4);
      CHECK(list->side == (inside ? -1 : 1));
      CHECK(list->surfaces[0] == 1 && list->surfaces[1] == 0);
      CHECK_NEAR(list->gap, inside ? -0.05 : 0.05, 1e-15);
      for (int k = 0; k < 3; k++) CHECK_NEAR(list->normal[k], 1 / sqrt(3), 1e-15);
    }
    pl_finder_destroy(finder);
  }
}

/* A box of two layers of points around a middle. */
static void add_plate(double z, double thickness)
{
  static const int faces[] = {0, 3, 1, 0, 2, 3, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                              2, 7, 3, 2, 6, 7, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
  scene_surface(&S)->closed = 1;
  for (int i = 0; i < 8; i++) scene_point(&S, i & 1, i >> 1 & 1, z + (i >> 2 ? thickness : 0));
  for (int t = 0; t < 12; t++) scene_triangle(&S, faces[3 * t], faces[3 * t + 1], faces[3 * t + 2]);
}

TEST(thin_plates_do_not_touch_through_themselves)
{
  memset(&S, 0, sizeof S);
  add_plate(0, 0.01);
  add_plate(0.012, 0.01);
  for (int i = 24; i < 48; i += 3) S.x[i] += 0.1, S.x[i + 1] += 0.2;
  pl_finder *finder = scene_finder(&S, NULL);
  const pl_proximity *list;
  int count = find(finder, &(pl_finder_query){.x = S.x, .range = 0.05}, NULL, &list);
  CHECK(count > 0);
  for (int i = 0; i < count; i++) {
    CHECK(list[i].side == 1);
    CHECK(list[i].gap >= 0.002 * (1 - 1e-12));
  }
  // the upper one sinks in by 2 mm: the way out is short
  for (int i = 24; i < 48; i += 3) S.x[i + 2] -= 0.004;
  count = find(finder, &(pl_finder_query){.x = S.x, .range = 0.05}, NULL, &list);
  int inside = 0;
  for (int i = 0; i < count; i++) {
    if (list[i].side == 1) continue;
    inside += list[i].kind == PL_POINT_TRIANGLE;
    CHECK(list[i].gap < 0 && list[i].gap > -0.002 * (1 + 1e-12));
    if (list[i].kind == PL_POINT_TRIANGLE)
      CHECK_NEAR(list[i].normal[2], list[i].surfaces[1] == 0 ? 1 : -1, 1e-12);
  }
  CHECK(inside == 2); // one corner of each is inside of the other
  pl_finder_destroy(finder);
}

TEST(groups_and_pairs_say_who_meets)
{
  memset(&S, 0, sizeof S);
  for (int i = 0; i < 3; i++) scene_sheet(&S, 3, (double[]){0, 0, 0.01 * i}, 1, 0);
  for (int i = 0; i < 3; i++) S.surfaces[i].self = 0;
  S.surfaces[0].groups = 1;
  S.surfaces[1].meets = 2;
  const int apart[] = {2, 0};
  pl_finder *finder = NULL;
  CHECK_OK(pl_finder_create(&(pl_finder_def){3, S.surfaces, 1, apart, NULL}, &finder, error));
  const pl_proximity *list;
  int count = find(finder, &(pl_finder_query){.x = S.x, .range = 0.1}, NULL, &list);
  CHECK(count > 0);
  for (int i = 0; i < count; i++) CHECK(list[i].surfaces[0] + list[i].surfaces[1] == 3);
  pl_finder_destroy(finder);
}

TEST(coordinates_that_are_not_finite_touch_nothing)
{
  for (int k = 0; k < SCENES; k++) {
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e300, 1e30, -1e12};
    double range = make_scene(k);
    pl_finder *finder = scene_finder(&S, NULL);
    for (int i = 0; i < 6; i++) {
      const pl_proximity *list;
      for (int p = 0; p < S.points; p += 7 + i) S.x[3 * p + i % 3] = bad[i];
      int count = find(finder, &(pl_finder_query){.x = S.x, .range = range}, NULL, &list);
      for (int c = 0; c < count; c++) CHECK(isfinite(list[c].gap) && list[c].gap < range);
    }
    pl_finder_destroy(finder);
  }
}

TEST(steady_queries_take_no_memory)
{
  counter memory = {0};
  pl_allocator allocator = counter_allocator(&memory);
  double range = make_scene(0);
  pl_finder *finder = scene_finder(&S, &allocator);
  long calls = 0;
  for (int step = 0; step < 300; step++) {
    const pl_proximity *list;
    // to and fro, so that candidates are both kept and searched again
    double shift = step % 20 < 10 ? 0.2 * range : -0.2 * range;
    for (int i = 0; i < 3 * (S.points / 2); i++) S.x[i] += shift;
    (void)find(finder, &(pl_finder_query){.x = S.x, .range = range}, NULL, &list);
    if (step == 40) calls = memory.calls;
  }
  CHECK(memory.calls == calls);
  pl_finder_destroy(finder);
  CHECK(memory.blocks == 0);
}

TEST(every_failing_allocation_is_told_and_cleaned_up)
{
  int done = 0;
  for (long k = 1; !done && k < 100; k++) {
    counter memory = {.fail_at = k};
    pl_allocator allocator = counter_allocator(&memory);
    double range = make_scene(1);
    pl_finder *finder = NULL;
    const pl_proximity *list;
    int count;
    pl_error error = {0};
    pl_finder_def def = {.surface_count = S.count, .surfaces = S.surfaces, .allocator = &allocator};
    pl_status status = pl_finder_create(&def, &finder, &error);
    if (!status)
      status = pl_finder_find(finder, &(pl_finder_query){.x = S.x, .range = range}, NULL, &list,
                              &count, &error);
    done = status == PL_OK;
    CHECK(done || status == PL_E_MEMORY);
    pl_finder_destroy(finder);
    CHECK(memory.blocks == 0);
  }
  CHECK(done);
}

typedef struct patience {
  int left, asked;
} patience;

static int lose_patience(void *context, double time)
{
  patience *p = context;
  (void)time;
  p->asked++;
  return p->left-- <= 0;
}

/* A search ends wherever the caller wants no more, and the next one has the same bits as ever. */
TEST(a_search_can_be_cancelled)
{
  pl_allocator allocator = pl_allocator_default();
  for (int threads = 1; threads <= 3; threads += 2) {
    double range = make_scene(0), *to = malloc(3 * (size_t)S.points * sizeof *to);
    for (int i = 0; i < 3 * S.points; i++) to[i] = S.x[i] + 2.0 * (i % 7 - 3);
    pl_finder *finder = scene_finder(&S, NULL);
    pl_pool *pool = NULL;
    CHECK_OK(pl_pool_create(&allocator, threads, &pool, error));
    const pl_proximity *list;
    const pl_finder_query query = {.x = S.x, .to = to, .range = range};
    int count = find(finder, &query, pool, &list), cancelled = 0, done = 0;
    uint64_t bits = bits_of(list, count);
    for (int left = 0; !done; left = 2 * left + 1) {
      patience p = {.left = left};
      pl_watch watch = {.by = {.ask = lose_patience, .context = &p}};
      pl_finder_query watched = query;
      watched.watch = &watch;
      pl_status status = pl_finder_find(finder, &watched, pool, &list, &count, NULL);
      CHECK(status == (watch.ended ? PL_E_CANCELLED : PL_OK));
      CHECK(status == PL_OK || count == 0);
      done = status == PL_OK;
      cancelled += !done;
      count = find(finder, &query, pool, &list);
      CHECK(bits_of(list, count) == bits);
    }
    CHECK(cancelled > 1);
    pl_pool_destroy(pool);
    pl_finder_destroy(finder);
    free(to);
  }
}

TEST(wrong_numbers_are_refused)
{
  pl_finder *finder;
  const int bad[] = {0, 1, 3};
  pl_finder_surface surface = {3, 1, bad, .thickness = 0};
  pl_finder_def def = {.surface_count = 1, .surfaces = &surface};
  CHECK_FAILS(pl_finder_create(&def, &finder, error), PL_E_ARGUMENT,
              "triangle 0 of surface 0 has point 3 of 3");
  surface.point_count = 4;
  surface.thickness = -1;
  CHECK_FAILS(pl_finder_create(&def, &finder, error), PL_E_ARGUMENT, "thickness = -1");
  surface.thickness = 0;
  CHECK_OK(pl_finder_create(&def, &finder, error));
  double x[12] = {0};
  const pl_proximity *list;
  int count;
  CHECK_FAILS(
      pl_finder_find(finder, &(pl_finder_query){.x = x, .range = NAN}, NULL, &list, &count, error),
      PL_E_ARGUMENT, "range = nan");
  pl_finder_destroy(finder);
}

TESTS(X(contacts_are_those_of_brute_force) X(contacts_along_a_motion_are_those_of_brute_force)
          X(edges_may_have_a_range_of_their_own) X(a_surface_that_flies_does_not_meet_itself)
              X(bits_do_not_depend_on_the_motion_before) X(bits_depend_on_positions_alone)
                  X(weights_and_normal_give_the_gap)
                      X(a_point_inside_a_closed_surface_has_a_negative_gap)
                          X(thin_plates_do_not_touch_through_themselves)
                              X(groups_and_pairs_say_who_meets)
                                  X(coordinates_that_are_not_finite_touch_nothing)
                                      X(steady_queries_take_no_memory)
                                          X(every_failing_allocation_is_told_and_cleaned_up)
                                              X(a_search_can_be_cancelled)
                                                  X(wrong_numbers_are_refused))
