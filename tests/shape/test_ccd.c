/* Continuous collision detection: no miss, no late time, in known queries and random ones.
 *
 * PLIANT_CCD_QUERIES=FILE reads a published file of queries (see queries.h) too; those
 * with "edge-edge" in their path hold pairs of edges, others points and triangles. */
#include "math/vec3.h"
#include "shape/queries.h"

static double distance_at(const ccd_query *q, double t)
{
  double at[4][3];
  pl_closest closest;
  for (int i = 0; i < 12; i++)
    at[i / 3][i % 3] = (1 - t) * q->x[i / 3][i % 3] + t * q->to[i / 3][i % 3];
  pl_closest_points(q->kind, (const double(*)[3])at, &closest);
  return sqrt(closest.squared);
}

static double run(const ccd_query *q, double share)
{
  return pl_ccd(q->kind, (const double(*)[3])q->x, (const double(*)[3])q->to, q->separation, share);
}

/* Those of a list that holds them. */
static FILE *open_list(void)
{
  char path[1024];
  const char *source = getenv("PLIANT_SOURCE");
  snprintf(path, sizeof path, "%s/tests/shape/data/ccd_queries.csv", source ? source : ".");
  return fopen(path, "r");
}

TEST(known_queries_are_never_missed_or_late)
{
  const double shares[] = {0.2, 0.1, 1e-3, 1e-6};
  char line[4096];
  ccd_query q;
  int count = 0, alarms[4] = {0};
  FILE *file = open_list();
  CHECK(file != NULL);
  while (file && fgets(line, sizeof line, file)) {
    if (!read_query(line, &q)) continue;
    count++;
    for (int s = 0; s < 4; s++) {
      double t = run(&q, shares[s]);
      int bad = q.hit ? !(t < 1 && t <= q.toi + 1e-12) : 0;
      if (bad) printf("  %s (%s): %.17g, expected at most %.17g\n", q.id, q.tag, t, q.toi);
      CHECK(!bad && t >= 0);
      alarms[s] += !q.hit && t < 1;
      // what passes at a good distance is free
      double gap = distance_at(&q, 0) - q.separation, min = q.min - q.separation;
      if (!q.hit && min > 1.01 * shares[s] * gap) CHECK(t >= 1);
    }
  }
  if (file) fclose(file);
  CHECK(count == 45);
  CHECK(alarms[3] <= 4); // those that pass within a millionth of their first gap
}

TEST(times_are_sharp_where_the_share_is_small)
{
  char line[4096];
  ccd_query q;
  FILE *file = open_list();
  while (file && fgets(line, sizeof line, file)) {
    if (!read_query(line, &q) || !q.hit || q.toi < 1e-6) continue;
    CHECK_NEAR(run(&q, 1e-6), q.toi, 1e-6 + 3e-6 * q.toi);
  }
  if (file) fclose(file);
}

/* A query of some kind: large, small or grazing motions. */
static void random_query(ccd_query *q, int trial)
{
  *q = (ccd_query){.kind = trial % 2 ? PL_EDGE_EDGE : PL_POINT_TRIANGLE};
  double way = trial % 3 == 0 ? 1 : trial % 3 == 1 ? 0.05 : 5, shift[3];
  for (int k = 0; k < 3; k++) shift[k] = test_uniform();
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 3; k++) {
      q->x[i][k] = test_uniform();
      q->to[i][k] =
          q->x[i][k] + way * (trial % 5 == 0 ? shift[k] + 0.1 * test_uniform() : test_uniform());
    }
  }
}

TEST(random_ways_stay_apart_until_the_time_told)
{
  int hits = 0, frees = 0;
  for (int trial = 0; trial < (TEST_SANITIZED ? 4000 : 20000); trial++) {
    ccd_query q;
    random_query(&q, trial);
    double t = run(&q, 0.2), first = distance_at(&q, 0), min = first;
    for (int i = 0; i <= 40; i++) min = fmin(min, distance_at(&q, t * i / 40));
    CHECK(min >= 0.1 * first * (1 - 1e-9));
    if (t < 1) CHECK(distance_at(&q, t) <= 0.2 * first * (1 + 1e-9) + 1e-12);
    t < 1 ? hits++ : frees++;
  }
  CHECK(hits > 100 && frees > 100);
}

TEST(common_motion_and_place_do_not_matter)
{
  for (int trial = 0; trial < 500; trial++) {
    ccd_query q, far;
    random_query(&q, trial);
    far = q;
    double t = run(&q, 0.2), size = ldexp(1, trial % 7 == 0 ? 500 : 0);
    for (int i = 0; i < 12; i++) {
      far.x[i / 3][i % 3] = (q.x[i / 3][i % 3] + 1024) * size;
      far.to[i / 3][i % 3] = (q.to[i / 3][i % 3] - 4096) * size;
    }
    CHECK_NEAR(run(&far, 0.2), t, 1e-8);
  }
}

TEST(what_is_not_finite_stops_at_once)
{
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 12; i++) {
    for (int b = 0; b < 3; b++) {
      ccd_query q;
      random_query(&q, i);
      (b % 2 ? q.x : q.to)[i / 3][i % 3] = bad[b];
      double t = run(&q, 0.2);
      CHECK(!(t > 0) && !(t < 0));
    }
  }
}

TEST(arcs_stay_near_their_chords)
{
  for (int trial = 0; trial < 200; trial++) {
    double angle = PL_ARC_MOST * fabs(test_uniform()), radius = 1 + fabs(test_uniform());
    double height = pl_arc_height(radius, angle), max = 0;
    for (int i = 0; i <= 100; i++) {
      double t = i / 100.0, on_arc[2] = {radius * cos(angle * t), radius * sin(angle * t)};
      double on_chord[2] = {radius * (1 + t * (cos(angle) - 1)), radius * t * sin(angle)};
      max = fmax(max, hypot(on_arc[0] - on_chord[0], on_arc[1] - on_chord[1]));
    }
    CHECK(max <= height * (1 + 1e-9));
    CHECK(max >= 0.98 * height);
  }
}

/* A point on an arc against a triangle that its chord misses. */
TEST(the_height_of_arcs_keeps_curved_ways_apart)
{
  const double angle = 0.3, radius = 1;
  double height = pl_arc_height(radius, angle), middle = cos(angle / 2);
  ccd_query q = {.kind = PL_POINT_TRIANGLE,
                 .x = {{cos(angle / 2), -sin(angle / 2), 0}, {1, -1, -1}, {1, 1, -1}, {1, 0, 2}},
                 .to = {{cos(angle / 2), sin(angle / 2), 0}, {1, -1, -1}, {1, 1, -1}, {1, 0, 2}}};
  // the chord lies at x = cos(angle/2), the arc touches the triangle at x = 1
  CHECK_NEAR(1 - middle, height, 1e-2 * height);
  CHECK(run(&q, 0.2) >= 1);
  q.separation = height;
  CHECK(run(&q, 0.2) < 1);
}

/* ---- the published format ---- */

/* A double as a fraction of whole numbers. */
static void write_rational(FILE *file, double value)
{
  int exponent;
  double mantissa = ldexp(frexp(value, &exponent), 53);
  exponent -= 53;
  while (mantissa < 0 || mantissa > 0) {
    if (exponent >= 0 || fmod(mantissa, 2) < 0 || fmod(mantissa, 2) > 0) break;
    mantissa /= 2;
    exponent++;
  }
  if (!(mantissa < 0 || mantissa > 0)) exponent = 0;
  fprintf(file, "%.0f,%.0f,", exponent > 0 ? ldexp(mantissa, exponent) : mantissa,
          exponent < 0 ? ldexp(1, -exponent) : 1.0);
}

static void write_query(FILE *file, const ccd_query *q)
{
  for (int row = 0; row < 8; row++) {
    const double *x = row < 4 ? q->x[row] : q->to[row - 4];
    for (int k = 0; k < 3; k++) write_rational(file, x[k]);
    fprintf(file, "%d\n", q->hit);
  }
}

TEST(rational_queries_are_read_to_the_last_bit)
{
  char line[4096];
  ccd_query queries[64], again;
  int count = 0;
  FILE *list = open_list(), *file = tmpfile();
  while (list && fgets(line, sizeof line, list) && count < 64)
    count += read_query(line, &queries[count]);
  if (list) fclose(list);
  CHECK(file != NULL && count == 45);
  if (!file) return;
  for (int i = 0; i < count; i++) write_query(file, &queries[i]);
  rewind(file);
  for (int i = 0; i < count; i++) {
    CHECK(read_rational_query(file, queries[i].kind, &again));
    CHECK(again.hit == queries[i].hit);
    for (int k = 0; k < 12; k++) {
      CHECK_NEAR(again.x[k / 3][k % 3], queries[i].x[k / 3][k % 3], 0);
      CHECK_NEAR(again.to[k / 3][k % 3], queries[i].to[k / 3][k % 3], 0);
    }
  }
  CHECK(!read_rational_query(file, PL_EDGE_EDGE, &again));
  fclose(file);
}

TEST(published_queries_are_not_missed)
{
  const char *path = getenv("PLIANT_CCD_QUERIES");
  if (!path) return;
  FILE *file = fopen(path, "r");
  ccd_query q;
  int count = 0, hits = 0, missed = 0, alarms = 0;
  pl_contact_kind kind = strstr(path, "edge-edge") ? PL_EDGE_EDGE : PL_POINT_TRIANGLE;
  while (file && read_rational_query(file, kind, &q)) {
    double t = run(&q, 0.1);
    count++;
    hits += q.hit;
    missed += q.hit && t >= 1;
    alarms += !q.hit && t < 1;
  }
  if (file) fclose(file);
  printf("  %d queries, %d collide, %d missed, %d others shortened\n", count, hits, missed, alarms);
  CHECK(count > 0 && missed == 0);
}

TESTS(X(known_queries_are_never_missed_or_late) X(times_are_sharp_where_the_share_is_small)
          X(random_ways_stay_apart_until_the_time_told) X(common_motion_and_place_do_not_matter)
              X(what_is_not_finite_stops_at_once) X(arcs_stay_near_their_chords)
                  X(the_height_of_arcs_keeps_curved_ways_apart)
                      X(rational_queries_are_read_to_the_last_bit)
                          X(published_queries_are_not_missed))
