/* pliant bench contact: finding contacts on a folded sheet, continuous detection, and whole steps
 * with and without contact.
 *
 * The sheet lies in eight layers over each other and is one surface that may touch itself; contacts
 * are sought within a quarter of an edge. Apart: layers one edge apart, nothing touches; pressed:
 * a fifth of an edge apart, everything does. Between queries points move by at most a tenth of the
 * range, so that candidates are kept for some queries and then found again. */
#include "bench.h"
#include "cli.h"
#include "core/clock.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "pliant/world.h"
#include "shape/ccd.h"
#include "shape/finder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAYERS = 8, FRESH = 5, STEADY = 25, CCD_QUERIES = 20000, CCD_ROUNDS = 5 };

static uint64_t seed = 88172645463325252u;

/* Uniform in (-1, 1), the same in every run. */
static double uniform(void)
{
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (double)(int64_t)(seed >> 11) / 4503599627370496.0 - 1.0;
}

typedef struct sheet {
  pl_allocator allocator;
  int points, triangles;
  int *corners;
  double *x, *rest;
  double edge;
} sheet;

static void free_sheet(sheet *s)
{
  pl_free(&s->allocator, s->corners);
  pl_free(&s->allocator, s->x);
  pl_free(&s->allocator, s->rest);
}

/* A row of points: to and fro along y, layer after layer. */
static void place_row(sheet *s, int n, int row, double spacing)
{
  int layer = row / (n + 1), along = row % (n + 1);
  for (int i = 0; i <= n; i++) {
    double *x = s->rest + 3 * ((size_t)row * (size_t)(n + 1) + (size_t)i);
    pl_vec3_set(x, s->edge * i, s->edge * (layer % 2 ? n - along : along),
                s->edge * spacing * layer);
  }
}

/* n x n squares in each layer. */
static int make_sheet(sheet *s, int n, double spacing)
{
  int rows = LAYERS * (n + 1);
  *s = (sheet){.allocator = pl_allocator_default(),
               .points = rows * (n + 1),
               .triangles = 2 * n * (rows - 1),
               .edge = 1.0 / n};
  s->corners = pl_alloc(&s->allocator, 3 * (size_t)s->triangles, sizeof(int));
  s->x = pl_alloc(&s->allocator, 3 * (size_t)s->points, sizeof(double));
  s->rest = pl_alloc(&s->allocator, 3 * (size_t)s->points, sizeof(double));
  if (!s->corners || !s->x || !s->rest) return 0;
  for (int row = 0; row < rows; row++) place_row(s, n, row, spacing);
  int *corner = s->corners;
  for (int row = 0; row + 1 < rows; row++) {
    for (int i = 0; i < n; i++) {
      int k = row * (n + 1) + i;
      const int six[] = {k, k + 1, k + n + 2, k, k + n + 2, k + n + 1};
      memcpy(corner, six, sizeof six);
      corner += 6;
    }
  }
  return 1;
}

/* Every point somewhere else, at most so far from its place. */
static void shake(sheet *s, double by)
{
  for (size_t i = 0; i < 3 * (size_t)s->points; i++) s->x[i] = s->rest[i] + by * uniform();
}

/* Every point a little further from where it is. */
static void drift(sheet *s, double by)
{
  for (size_t i = 0; i < 3 * (size_t)s->points; i++) s->x[i] += by / sqrt(3) * uniform();
}

typedef struct result {
  double fresh, fresh_processor;   /* ms without kept candidates; of all threads together */
  double steady, steady_processor; /* ms: mean of queries that keep candidates */
  pl_finder_report report;
} result;

static pl_status measure(sheet *s, pl_finder *finder, pl_pool *pool, result *r, pl_error *error)
{
  const pl_proximity *list;
  double times[FRESH], processor[FRESH], range = 0.25 * s->edge;
  int count;
  pl_finder_query query = {.x = s->x, .range = range};
  pl_status status = PL_OK;
  for (int i = -1; i < FRESH && !status; i++) {
    shake(s, (i % 2 ? 0.08 : 0.02) * s->edge);
    // as far from where candidates were found last as the range is wide
    for (size_t p = 2; p < 3 * (size_t)s->points; p += 3) s->x[p] += i % 2 ? range : 0;
    double start = pl_now(), used = pl_processor_now();
    status = pl_finder_find(finder, &query, pool, &list, &count, error);
    if (i < 0) continue;
    times[i] = 1e3 * (pl_now() - start);
    processor[i] = 1e3 * (pl_processor_now() - used);
  }
  r->fresh = cli_median(times, FRESH);
  r->fresh_processor = cli_median(processor, FRESH);
  for (int i = 0; i < STEADY && !status; i++) {
    drift(s, 0.1 * range);
    double start = pl_now(), used = pl_processor_now();
    status = pl_finder_find(finder, &query, pool, &list, &count, error);
    r->steady += 1e3 * (pl_now() - start) / STEADY;
    r->steady_processor += 1e3 * (pl_processor_now() - used) / STEADY;
  }
  r->report = pl_finder_last(finder);
  return status;
}

static pl_status find_row(int n, double spacing, int threads, pl_text *csv, pl_error *error)
{
  sheet s;
  result r = {0};
  pl_finder *finder = NULL;
  pl_pool *pool = NULL;
  pl_status status = PL_OK;
  if (!make_sheet(&s, n, spacing)) status = PL_E_MEMORY;
  pl_finder_surface surface = {
      .point_count = s.points, .triangle_count = s.triangles, .triangles = s.corners, .self = 1};
  if (!status) status = pl_pool_create(&s.allocator, threads, &pool, error);
  if (!status)
    status = pl_finder_create(&(pl_finder_def){.surface_count = 1, .surfaces = &surface}, &finder,
                              error);
  if (!status) status = measure(&s, finder, pool, &r, error);
  if (!status)
    printf("%9d %-8s %7d %9.1f %9.1f %9.0f %9.1f %9.1f %10lld %9d\n", s.triangles,
           spacing < 0.5 ? "pressed" : "apart", threads, r.fresh, r.fresh_processor,
           1e6 * r.fresh_processor / s.triangles, r.steady, r.steady_processor,
           (long long)r.report.candidates, r.report.contacts);
  if (!status && csv)
    pl_text_add(csv, "%d,%s,%d,%.3f,%.3f,%.3f,%.3f,%lld,%d\n", s.triangles,
                spacing < 0.5 ? "pressed" : "apart", threads, r.fresh, r.fresh_processor, r.steady,
                r.steady_processor, (long long)r.report.candidates, r.report.contacts);
  fflush(stdout);
  pl_finder_destroy(finder);
  pl_pool_destroy(pool);
  free_sheet(&s);
  return status;
}

/* ---- continuous detection ---- */

typedef struct query {
  pl_contact_kind kind;
  double x[4][3], to[4][3];
} query;

/* A query of one of four kinds: large or small motions, fast along the face, near contact. */
static void make_query(query *q, int which, int i)
{
  double way = which == 0 ? 1 : which == 1 ? 0.01 : 0.1, flight = which == 2 ? 20 : 0;
  *q = (query){.kind = i % 2 ? PL_EDGE_EDGE : PL_POINT_TRIANGLE};
  for (int p = 0; p < 4; p++) {
    for (int k = 0; k < 3; k++) q->x[p][k] = uniform();
    int first = p <= (i % 2);
    if (which >= 2) q->x[p][2] = (which == 2 ? 0.1 : 1e-3) * first + 1e-4 * uniform();
    for (int k = 0; k < 3; k++) {
      q->to[p][k] = q->x[p][k] + (which == 2 && k == 2 ? 1e-3 : way) * uniform();
      if (first && k == 0) q->to[p][k] += flight;
    }
  }
}

static void ccd_row(int which, query *queries)
{
  static const char *const names[] = {"large motions", "small motions", "fast, tangential",
                                      "near contact"};
  double times[CCD_ROUNDS];
  int free_ways = 0;
  for (int i = 0; i < CCD_QUERIES; i++) make_query(&queries[i], which, i);
  for (int round = 0; round < CCD_ROUNDS; round++) {
    double start = pl_thread_now();
    free_ways = 0;
    for (int i = 0; i < CCD_QUERIES; i++) {
      const query *q = &queries[i];
      free_ways += pl_ccd(q->kind, q->x, q->to, 0, 0.2) >= 1;
    }
    times[round] = 1e9 * (pl_thread_now() - start) / CCD_QUERIES;
  }
  printf("  %-18s %8.0f ns per query, %3.0f %% free\n", names[which], cli_median(times, CCD_ROUNDS),
         100.0 * free_ways / CCD_QUERIES);
}

/* ---- steps with contact ---- */

enum { BLOCK_STEPS = 12 };

/* Two plates of 12 288 tets each, the upper one on the lower one: what a step takes apart, and in
 * contact. */
static pl_status add_plate(pl_world *world, double z, pl_body_id *body, pl_error *error)
{
  const cli_block plate = {.size = {0.2, 0.2, 0.0125},
                           .origin = {0.003 * (z > 0), 0.002 * (z > 0), z},
                           .cells = {32, 32, 2},
                           .young = 1e5,
                           .damping = 0.002};
  return cli_add_block(world, &plate, body, error);
}

static pl_status step_row(const char *name, const char *response, int newton, double gap,
                          pl_error *error)
{
  pl_world_def def = pl_world_def_default();
  pl_contact_def contact = pl_contact_def_default();
  pl_selector low = {.set = "z-min"};
  pl_fix_def fix = pl_fix_def_default();
  pl_world *world = NULL;
  pl_body_id bodies[2];
  pl_world_facts before = {0}, after = {0};
  pl_setting max = {.name = "newton", .value = {newton}};
  int contacts = 0;
  fix.where = &low, fix.where_count = 1;
  def.dt = 0.01;
  def.threads = 2;
  def.gravity[2] = -9.81;
  def.integrator = (pl_choice){"implicit-euler", &max, 1};
  contact.response.name = response;
  pl_status status = pl_world_create(&def, &world, error);
  if (!status) status = pl_world_set_contact(world, &contact, error);
  for (int b = 0; b < 2 && !status; b++)
    status = add_plate(world, (0.0125 + gap) * b, &bodies[b], error);
  if (!status) status = pl_world_add_fix(world, bodies[0], &fix, NULL, error);
  for (int i = 0; i < 2 && !status; i++) status = pl_world_step(world, error);
  if (!status) status = pl_world_measure(world, &before, error);
  double start = pl_now(), used = pl_processor_now();
  for (int i = 0; i < BLOCK_STEPS && !status; i++) status = pl_world_step(world, error);
  double ms = 1e3 * (pl_now() - start) / BLOCK_STEPS;
  double processor = 1e3 * (pl_processor_now() - used) / BLOCK_STEPS;
  if (!status) status = pl_world_measure(world, &after, error);
  if (!status) status = pl_world_contacts(world, 0, NULL, &contacts, error);
  if (!status)
    printf("  %-34s %9.1f %9.1f %9.1f %9d\n", name, ms, processor,
           (double)(after.newton_iterations - before.newton_iterations) / BLOCK_STEPS, contacts);
  fflush(stdout);
  pl_world_destroy(world);
  return status;
}

static pl_status step_rows(pl_error *error)
{
  printf("Steps of two plates, 24 576 tets, two threads:\n  %-34s %9s %9s %9s %9s\n", "", "ms",
         "processor", "solves", "contacts");
  pl_status status = step_row("apart", "penalty", 1, 1, error); // does not land
  if (!status) status = step_row("penalty", "penalty", 1, 2e-4, error);
  return status ? status : step_row("barrier", "barrier", 50, 2e-4, error);
}

int cli_bench_contact(int quick, pl_text *csv)
{
  static const int sizes[] = {56, 250};
  pl_error error = {0};
  if (!quick && step_rows(&error)) return cli_fail_error(&error);
  printf("\n%9s %-8s %7s %9s %9s %9s %9s %9s %10s %9s\n", "triangles", "layers", "threads",
         "ms fresh", "processor", "ns/tri.", "ms kept", "processor", "candidates", "contacts");
  if (csv)
    pl_text_add(csv, "triangles,layers,threads,ms_fresh,ms_fresh_processor,ms_kept,"
                     "ms_kept_processor,candidates,contacts\n");
  for (int i = 0; i < (quick ? 1 : 2); i++) {
    // a million pressed triangles have 16 million contacts, which take minutes
    for (int pressed = 0; pressed < (i ? 1 : 2); pressed++) {
      for (int threads = 1; threads <= 2; threads++) {
        if (find_row(sizes[i], pressed ? 0.2 : 1, threads, csv, &error))
          return cli_fail_error(&error);
      }
    }
  }
  pl_allocator allocator = pl_allocator_default();
  query *queries = pl_alloc(&allocator, CCD_QUERIES, sizeof *queries);
  if (!queries) return cli_fail(CLI_FAILED, "there is no memory for %d queries", CCD_QUERIES);
  printf("\nContinuous detection, processor time of one thread, a fifth of the gap left:\n");
  for (int which = 0; which < 4; which++) ccd_row(which, queries);
  pl_free(&allocator, queries);
  return CLI_OK;
}
