/* pliant bench: milliseconds per step of the standard bar, and how near the matrix product comes to
 * the memory's speed, all measured in one run.
 *
 * The bar: 1 x 0.25 x 0.25 m, clamped at x = 0, gravity along -y, E = 1e6 Pa, nu = 0.3, 1000
 * kg/m^3, 4n x n x n cubes of six tets; corotated strain, implicit Euler with one Newton iteration,
 * dt 10 ms, the preset solver to a relative residual of 1e-6. */
#define _DEFAULT_SOURCE
#include "bench.h"
#include "cli.h"
#include "core/clock.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "json.h"
#include "sparse/measure.h"
#include "world/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { MOST_STEPS = 200, PRODUCT_ROUNDS = 15 };

typedef struct row {
  int n, tets, nodes, threads, steps, budget;
  const char *solver, *preconditioner;
  double step, evaluate, solve, rest; /* ms per step, medians */
  double iterations;                  /* per step */
  double product, bytes;              /* ms, bytes */
  double residual;                    /* of the last step's solve, relative */
  double memory, peak, resident;      /* bytes: the world's, its most, the process's most */
} row;

static int by_size(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double cli_median(double *values, int count)
{
  qsort(values, (size_t)count, sizeof *values, by_size);
  return values[count / 2];
}

/* ---- memory ---- */

enum { MOST_PIECES = 4096 };

/* What the world has taken from the default allocator, piece by piece. */
typedef struct tally {
  pl_allocator source;
  size_t now, max;
  int count;
  struct {
    void *memory;
    size_t size;
  } pieces[MOST_PIECES];
} tally;

static void *tally_alloc(void *context, size_t size, size_t align)
{
  tally *t = context;
  if (t->count == MOST_PIECES) return NULL;
  void *memory = t->source.alloc(t->source.context, size, align);
  if (!memory) return NULL;
  t->pieces[t->count].memory = memory;
  t->pieces[t->count++].size = size;
  t->now += size;
  if (t->now > t->max) t->max = t->now;
  return memory;
}

static void tally_free(void *context, void *memory)
{
  tally *t = context;
  int i = t->count - 1;
  while (i > 0 && t->pieces[i].memory != memory) i--;
  t->now -= t->pieces[i].size;
  t->pieces[i] = t->pieces[--t->count];
  t->source.free(t->source.context, memory);
}

/* The most memory that the process has had so far, in bytes. */
static double peak_resident(void)
{
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) ? 0 : 1024.0 * (double)usage.ru_maxrss;
}

/* ---- the bar ---- */

/* iterations: the most in one solve, 0: as many as it takes. */
static pl_status make_bar(int n, int threads, const char *solver, const char *preconditioner,
                          int iterations, const pl_allocator *allocator, pl_world **world,
                          pl_error *error)
{
  pl_setting budget = {.name = "iterations", .value = {iterations}};
  pl_world_def def = pl_world_def_default();
  if (allocator) def.allocator = *allocator;
  def.gravity[1] = -9.81;
  def.gravity[2] = 0;
  def.threads = threads;
  def.solver.name = solver;
  if (iterations > 0) {
    def.solver.settings = &budget;
    def.solver.setting_count = 1;
  }
  def.preconditioner.name = preconditioner;
  pl_status status = pl_world_create(&def, world, error);
  if (status) return status;

  const cli_block bar = {.size = {1, 0.25, 0.25}, .cells = {4 * n, n, n}, .young = 1e6};
  pl_fix_def fix = pl_fix_def_default();
  pl_selector end = {.set = "x-min"};
  pl_body_id id = {0};
  fix.where = &end;
  fix.where_count = 1;
  status = cli_add_block(*world, &bar, &id, error);
  if (!status) status = pl_world_add_fix(*world, id, &fix, NULL, error);
  if (status) {
    pl_world_destroy(*world);
    *world = NULL;
  }
  return status;
}

pl_status cli_hold_places(pl_world *world, pl_body_id body, const double places[][3], int count,
                          pl_error *error)
{
  pl_status status = PL_OK;
  for (int k = 0; k < count && !status; k++) {
    pl_setting settings[] = {{.name = "centre"}, {.name = "radius", .value = {1e-3}}};
    for (int i = 0; i < 3; i++) settings[0].value[i] = places[k][i];
    const pl_selector ball = {.region = {"sphere", settings, 2}};
    pl_fix_def fix = pl_fix_def_default();
    fix.where = &ball;
    fix.where_count = 1;
    status = pl_world_add_fix(world, body, &fix, NULL, error);
  }
  return status;
}

pl_status cli_make_bar(int n, int threads, const char *solver, const char *preconditioner,
                       pl_world **world, pl_error *error)
{
  return make_bar(n, threads, solver, preconditioner, 0, NULL, world, error);
}

/* The median time of one product with the bar's matrix. */
static pl_status time_product(pl_world *world, double *ms, double *bytes, pl_error *error)
{
  pl_status status = pl_world_prepare(world, error);
  if (status) return status;
  const pl_bsr *A = world->system.A;
  double times[PRODUCT_ROUNDS], *y = world->vectors.scratch;
  int repeats = 1 + (int)(2e7 / (double)pl_bsr_bytes(A));
  pl_bsr_multiply(A, world->state.q, y, world->pool);
  for (int i = 0; i < PRODUCT_ROUNDS; i++) {
    double start = pl_now();
    for (int k = 0; k < repeats; k++) pl_bsr_multiply(A, world->state.q, y, world->pool);
    times[i] = (pl_now() - start) / repeats;
  }
  *ms = 1e3 * cli_median(times, PRODUCT_ROUNDS);
  *bytes = (double)pl_bsr_bytes(A);
  return PL_OK;
}

static pl_status measure(row *r, pl_error *error)
{
  double step[MOST_STEPS], evaluate[MOST_STEPS], solve[MOST_STEPS], rest[MOST_STEPS];
  static tally memory;
  memory = (tally){.source = pl_allocator_default()};
  pl_allocator allocator = {.context = &memory, .alloc = tally_alloc, .free = tally_free};
  pl_world *world;
  pl_status status = make_bar(r->n, r->threads, r->solver, r->preconditioner, r->budget, &allocator,
                              &world, error);
  if (status) return status;
  r->nodes = world->bodies.blocks;
  r->tets = world->bodies.list[0].mesh->element_count;

  // two steps to warm up, then each step on its own
  for (int i = -2; !status && i < r->steps; i++) {
    double before[] = {world->tally.seconds, world->tally.seconds_evaluate,
                       world->tally.seconds_solve};
    int64_t iterations = world->tally.linear_iterations;
    status = pl_world_step(world, error);
    if (i < 0) continue;
    step[i] = 1e3 * (world->tally.seconds - before[0]);
    evaluate[i] = 1e3 * (world->tally.seconds_evaluate - before[1]);
    solve[i] = 1e3 * (world->tally.seconds_solve - before[2]);
    rest[i] = step[i] - evaluate[i] - solve[i];
    r->iterations += (double)(world->tally.linear_iterations - iterations) / r->steps;
  }
  if (!status) {
    r->step = cli_median(step, r->steps);
    r->evaluate = cli_median(evaluate, r->steps);
    r->solve = cli_median(solve, r->steps);
    r->rest = cli_median(rest, r->steps);
    r->residual = world->tally.last.linear_residual;
    r->memory = (double)memory.now;
    r->peak = (double)memory.max;
    r->resident = peak_resident();
    status = time_product(world, &r->product, &r->bytes, error);
  }
  pl_world_destroy(world);
  return status;
}

static void print_head(void)
{
  printf("%8s %7s %8s %7s %8s %8s %6s %5s %8s %8s %7s %7s %6s %7s\n", "tets", "threads", "ms/step",
         "steps/s", "force+", "solve", "rest", "CG", "residual", "ns/tet", "product", "GB/s",
         "force+", "kB/tet");
  printf("%8s %7s %8s %7s %8s %8s %6s %5s %8s %8s %7s %7s %6s %7s\n", "", "", "", "", "assembly",
         "", "", "iter.", "reached", "per step", "ms", "", "iters.", "world");
}

static void print_row(const row *r)
{
  double per_iteration = r->solve / (r->iterations > 0 ? r->iterations : 1);
  printf("%8d %7d %8.2f %7.1f %8.2f %8.2f %6.2f %5.0f %8.1e %8.0f %7.3f %7.1f %6.1f %7.2f\n",
         r->tets, r->threads, r->step, 1e3 / r->step, r->evaluate, r->solve, r->rest, r->iterations,
         r->residual, 1e6 * r->step / r->tets, r->product, r->bytes / r->product / 1e6,
         r->evaluate / per_iteration, 1e-3 * r->memory / r->tets);
}

static void add_csv(pl_text *csv, const row *r)
{
  pl_text_add(csv, "%d,%d,%d,%.4f,%.4f,%.4f,%.4f,%.1f,%.3g,%.5f,%.3f,%.0f,%.0f,%.0f\n", r->tets,
              r->nodes, r->threads, r->step, r->evaluate, r->solve, r->rest, r->iterations,
              r->residual, r->product, r->bytes / r->product / 1e6, r->memory / r->tets,
              r->peak / r->tets, r->resident / r->tets);
}

/* Product against memory, for a matrix that no cache holds; the best of equally many rounds each.
 */
static int large_product(int threads)
{
  pl_error error;
  pl_world *world;
  pl_allocator allocator = pl_allocator_default();
  double ms = 0, bytes = 0, triad = 0;
  if (cli_make_bar(35, threads, NULL, NULL, &world, &error)) return cli_fail_error(&error);
  pl_status status = pl_world_prepare(world, &error);
  if (!status) {
    triad = pl_measure_triad(&allocator, world->pool, (size_t)1 << 24, PRODUCT_ROUNDS);
    ms = 1e3 * pl_measure_product(&allocator, world->pool, world->system.A, PRODUCT_ROUNDS);
    bytes = (double)pl_bsr_bytes(world->system.A);
  }
  if (!status && triad > 0 && ms > 0)
    printf("%d thread%s: product %.2f ms, %.0f MB, %.1f GB/s; triad %.1f GB/s; reached %.0f %%\n",
           threads, threads == 1 ? " " : "s", ms, bytes / 1e6, bytes / ms / 1e6, triad,
           100 * bytes / ms / 1e6 / triad);
  pl_world_destroy(world);
  return status ? cli_fail_error(&error) : CLI_OK;
}

/* What was asked for. */
typedef struct wishes {
  int quick, json;
  const char *csv_path, *solver, *preconditioner, *iterations;
} wishes;

static void add_json(pl_text *json, const row *r)
{
  cli_json_open(json, NULL, '{');
  cli_json_number(json, "tets", r->tets);
  cli_json_number(json, "nodes", r->nodes);
  cli_json_number(json, "threads", r->threads);
  cli_json_number(json, "ms_per_step", r->step);
  cli_json_number(json, "ms_evaluate", r->evaluate);
  cli_json_number(json, "ms_solve", r->solve);
  cli_json_number(json, "ms_rest", r->rest);
  cli_json_number(json, "cg_iterations", r->iterations);
  cli_json_number(json, "residual", r->residual);
  cli_json_number(json, "ms_product", r->product);
  cli_json_number(json, "product_gb_per_s", r->bytes / r->product / 1e6);
  cli_json_number(json, "bytes_per_tet", r->memory / r->tets);
  cli_json_number(json, "peak_bytes_per_tet", r->peak / r->tets);
  cli_json_number(json, "resident_bytes_per_tet", r->resident / r->tets);
  cli_json_close(json, '}');
}

enum { MOST_ROWS = 8 };

/* Measures all bars, and prints them as they come unless they are wanted as JSON. */
static pl_status measure_all(const wishes *wanted, row *rows, int *count, pl_error *error)
{
  static const int sizes[][2] = {{6, 100}, {10, 40}, {16, 15}, {35, 5}};
  if (!wanted->json) print_head();
  for (int i = 0; i < (wanted->quick ? 2 : 4); i++) {
    for (int threads = 1; threads <= 2; threads++) {
      row *r = &rows[(*count)++];
      *r = (row){.n = sizes[i][0],
                 .steps = sizes[i][1],
                 .threads = threads,
                 .budget = wanted->iterations ? atoi(wanted->iterations) : 0,
                 .solver = wanted->solver,
                 .preconditioner = wanted->preconditioner};
      pl_status status = measure(r, error);
      if (status) return status;
      if (wanted->json) continue;
      print_row(r);
      fflush(stdout);
    }
  }
  return PL_OK;
}

/* Writes and releases csv. */
static pl_status write_csv(const char *path, pl_text *csv, pl_error *error)
{
  pl_status status = pl_text_ok(csv, error);
  if (!status) status = pl_file_write(path, csv->data, csv->size, error);
  pl_text_release(csv);
  return status;
}

static pl_status write_bars(const char *path, const row *rows, int count, pl_error *error)
{
  pl_text csv = pl_text_make(NULL);
  pl_text_add(&csv, "tets,nodes,threads,ms_per_step,ms_evaluate,ms_solve,ms_rest,cg_iterations,"
                    "residual,ms_product,product_gb_per_s,bytes_per_tet,"
                    "peak_bytes_per_tet,resident_bytes_per_tet\n");
  for (int i = 0; i < count; i++) add_csv(&csv, &rows[i]);
  return write_csv(path, &csv, error);
}

static int print_json(const row *rows, int count)
{
  pl_text json = pl_text_make(NULL);
  cli_json_open(&json, NULL, '[');
  for (int i = 0; i < count; i++) add_json(&json, &rows[i]);
  cli_json_close(&json, ']');
  return cli_json_print(&json, CLI_OK);
}

static int bench_bars(const wishes *wanted)
{
  row rows[MOST_ROWS];
  int count = 0, code = CLI_OK;
  pl_error error = {0};
  if (measure_all(wanted, rows, &count, &error)) return cli_fail_error(&error);
  if (wanted->csv_path && write_bars(wanted->csv_path, rows, count, &error))
    return cli_fail_error(&error);
  if (wanted->json) return print_json(rows, count);
  const row *first = &rows[0], *last = &rows[count - 2];
  printf(
      "\nTime per tet and step, %d tets against %d, one thread: %.2f times as much. Memory of the "
      "world, per tet: %.0f bytes in steps, %.0f at most while it is made; of the process %.0f at "
      "most.\n",
      last->tets, first->tets, last->step / last->tets / (first->step / first->tets),
      last->memory / last->tets, last->peak / last->tets, last->resident / last->tets);
  if (wanted->quick) return CLI_OK;
  printf("\nThe matrix of a bar of 1 029 000 tets, beyond the caches:\n");
  for (int threads = 1; threads <= 2 && !code; threads++) code = large_product(threads);
  return code;
}

static int bench_part(int (*part)(int quick, pl_text *csv), const wishes *wanted)
{
  pl_text csv = pl_text_make(NULL);
  pl_error error = {0};
  int code = part(wanted->quick, wanted->csv_path ? &csv : NULL);
  if (!code && wanted->csv_path && write_csv(wanted->csv_path, &csv, &error))
    return cli_fail_error(&error);
  if (code) pl_text_release(&csv);
  return code;
}

int cli_bench(int count, char **words)
{
  static const struct {
    const char *word;
    int (*part)(int quick, pl_text *csv);
  } parts[] = {{"solvers", cli_bench_solvers},
               {"kernels", cli_bench_kernels},
               {"frames", cli_bench_frames},
               {"contact", cli_bench_contact},
               {"contact-solves", cli_bench_contact_solves},
               {"friction", cli_bench_friction},
               {"hexes", cli_bench_hexes},
               {"materials", cli_bench_materials},
               {"cloth", cli_bench_cloth},
               {"grids", cli_bench_grids},
               {"haptics", cli_bench_haptics}};
  static cli_words plain;
  wishes wanted = {0};
  const cli_option options[] = {
      {.name = "quick", .summary = "the two smaller bars only", .flag = &wanted.quick},
      {.name = "json", .summary = "the table of bars for other programs", .flag = &wanted.json},
      {.name = "csv",
       .argument = "FILE",
       .summary = "write the table there too",
       .value = &wanted.csv_path},
      {.name = "solver",
       .argument = "NAME",
       .summary = "another than the preset",
       .value = &wanted.solver},
      {.name = "preconditioner",
       .argument = "NAME",
       .summary = "another than the preset",
       .value = &wanted.preconditioner},
      {.name = "iterations",
       .argument = "N",
       .summary = "the most in one solve: a budget for real time",
       .value = &wanted.iterations}};
  int code = cli_parse(
      count, words, options, 6, "bench [OPTIONS] [WORD]",
      "Measures steps of the standard bar (corotated, implicit Euler, 10 ms, "
      "residual 1e-6) and the matrix product against the memory's speed; all "
      "solvers on the matrices of Hauth 2004, 3.4, and on large bars; each kernel "
      "against the machine's limits; bodies of frames beside table I of "
      "Gilles et al. 2011; finding contacts on a folded sheet; iterations in contact; what "
      "friction adds to a step; forces "
      "and explicit steps of hexahedra; laws, memory and elements against each "
      "other; steps of hanging cloth; of grids; or how large a body a hand can feel in real "
      "time. WORD is one of solvers, kernels, frames, contact, contact-solves, friction, "
      "hexes, materials, cloth, grids and haptics.",
      &plain);
  if (code) return code < 0 ? CLI_OK : code;
  for (int i = 0; i < (int)(sizeof parts / sizeof *parts) && plain.count == 1; i++) {
    if (strcmp(plain.words[0], parts[i].word) == 0) return bench_part(parts[i].part, &wanted);
  }
  if (plain.count)
    return cli_fail(CLI_USAGE, "bench takes one of the words \"solvers\", \"kernels\", \"frames\", "
                               "\"contact\", \"contact-solves\", \"friction\", \"hexes\", "
                               "\"materials\", \"cloth\", \"grids\" and \"haptics\", or none; "
                               "see pliant bench --help");
  return bench_bars(&wanted);
}
