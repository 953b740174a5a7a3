/* pliant bench kernels: for each hot kernel what it must move and compute, what the machine could
 * do at most, measured in the same run, and how near it comes.
 *
 * Bytes: every array of the kernel once. Operations: additions, multiplications, divisions and
 * roots, as the source has them; for elements they were counted by hand (they hold for corotated
 * tets of Hooke's law without viscosity). A kernel cannot be faster than both limits allow; the
 * last column is the least time that they allow by the time it took. */
#include "bench.h"
#include "cli.h"
#include "core/error.h"
#include "core/memory.h"
#include "math/decompose.h"
#include "sparse/blockwise.h"
#include "sparse/measure.h"
#include "sparse/multigrid.h"
#include "sparse/sparse_kernel.h"
#include "sparse/vector.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 25, DEGREE = 2, SWEEPS = 10 /* iterations of Eisenstat's */ };

/* Of the polar decomposition with its stretch, and of a whole element. */
enum { POLAR_FLOPS = 275, POLAR_BYTES = 3 * 72, TET_FLOPS = 760 };

/* A pair of a point and a triangle: its stencil, D and w, its four blocks with weights and lists,
 * and x and y there; three operations for each weight and component there, two back, and D. */
enum {
  PAIR_BYTES = 4 + 1 + 72 + 24 + 4 * (4 + 8 + 4 + 4 + 24 + 48),
  PAIR_FLOPS = 4 * 6 + 15 + 4 * 9
};

/* Elements as they are streamed: four nodes, six places and ten numbers of rest data each. */
enum { TET_BYTES = 4 * 4 + 6 * 4 + 10 * 8 };

typedef struct bench {
  pl_world *world;
  pl_multigrid grid;
  pl_preconditioner *inverse;
  pl_solver *eisenstat;
  pl_pairs *pairs;    /* contacts of a point and a triangle */
  double *vectors[4]; /* 3 numbers for each node */
  double *matrices;   /* 27 for each of some tets */
  pl_text *csv;       /* NULL: not wanted */
  int threads;
  int nodes, tets, polars;
  double triad, flops, single; /* 1e9 per second */
} bench;

typedef struct kernel {
  const char *name, *unit;
  void (*round)(void *context, pl_pool *pool);
  int single;          /* in single precision */
  double units;        /* nodes, tets */
  double bytes, flops; /* of a round */
} kernel;

/* ---- rounds ---- */

static void product_round(void *context, pl_pool *pool)
{
  const bench *b = context;
  pl_bsr_multiply(b->world->system.A, b->vectors[0], b->vectors[1], pool);
}

static void pairs_round(void *context, pl_pool *pool)
{
  const bench *b = context;
  pl_pairs_multiply(b->pairs, b->vectors[0], b->vectors[1], pool);
}

static void single_round(void *context, pl_pool *pool)
{
  bench *b = context;
  pl_multigrid_residual(&b->grid, &b->world->system.filter, pool);
}

static void cycle_round(void *context, pl_pool *pool)
{
  bench *b = context;
  pl_multigrid_cycle(&b->grid, &b->world->system.filter, DEGREE, pool);
}

static void refresh_round(void *context, pl_pool *pool)
{
  bench *b = context;
  pl_multigrid_source source = {.A = b->world->system.A, .filter = &b->world->system.filter};
  pl_multigrid_refresh(&b->grid, &source, 1, pool);
}

static void eisenstat_round(void *context, pl_pool *pool)
{
  bench *b = context;
  const pl_system *system = &b->world->system;
  pl_solve_report report = {0};
  pl_error error;
  memset(b->vectors[1], 0, 3 * (size_t)b->nodes * sizeof(double));
  // it uses up its iterations, which is what is wanted
  (void)pl_solver_solve(b->eisenstat, system->A, &system->filter, b->vectors[0], b->vectors[1], 0,
                        pool, &report, &error);
}

static void advance_chunk(void *context, int chunk)
{
  const bench *b = context;
  const int *rows = b->world->system.A->chunk_rows + chunk;
  double parts[2];
  pl_advance step = {1e-9, b->vectors[0], b->vectors[1], NULL, b->vectors[2], b->vectors[3], NULL};
  pl_sparse_kernel_pick()->advance(&step, rows[0], rows[1], parts);
}

static void advance_round(void *context, pl_pool *pool)
{
  const bench *b = context;
  pl_parallel(pool, b->world->system.A->chunks, advance_chunk, context);
}

static void dot_round(void *context, pl_pool *pool)
{
  const bench *b = context;
  b->vectors[3][0] = pl_dot(b->vectors[0], b->vectors[1], b->nodes, pool);
}

static void xpay_round(void *context, pl_pool *pool)
{
  const bench *b = context;
  pl_xpay(b->vectors[0], 0.5, b->vectors[1], b->nodes, pool);
}

/* With the tangent that steps take. */
static void evaluate_round(void *context, pl_pool *pool)
{
  const bench *b = context;
  (void)pool;
  pl_system *system = &b->world->system;
  const pl_tangent tangent = {100, 0.01, 1, 1, system->A, system->pairs};
  system->ops->evaluate(system, 0, b->world->state.q, b->world->state.v, b->vectors[1], &tangent);
}

static void polar_round(void *context, pl_pool *pool)
{
  const bench *b = context;
  (void)pool;
  double *F = b->matrices;
  pl_polar_many(F, b->polars, F + 9 * (size_t)b->polars, F + 18 * (size_t)b->polars);
}

/* ---- the table ---- */

static void print_kernel(const bench *b, const kernel *k, double seconds)
{
  double gbytes = 1e-9 * k->bytes, gflops = 1e-9 * k->flops,
         peak = k->single ? b->single : b->flops;
  double by_memory = gbytes / b->triad, by_flops = gflops / peak;
  printf("  %-28s %-5s %8.0f %8.0f %9.2f %7.1f %7.2f %6.0f %% %6.0f %% %6.0f %%\n", k->name,
         k->unit, k->bytes / k->units, k->flops / k->units, 1e9 * seconds / k->units,
         gbytes / seconds, gflops / seconds, 100 * by_memory / seconds, 100 * by_flops / seconds,
         100 * fmax(by_memory, by_flops) / seconds);
  if (b->csv)
    pl_text_add(b->csv, "%d,%d,\"%s\",%s,%.0f,%.0f,%.3f,%.2f,%.3f,%.3f\n", b->tets, b->threads,
                k->name, k->unit, k->bytes / k->units, k->flops / k->units,
                1e9 * seconds / k->units, gbytes / seconds, by_memory / seconds,
                by_flops / seconds);
}

static void run_kernels(bench *b)
{
  const pl_bsr *A = b->world->system.A;
  double n = b->nodes, blocks = A->start[A->rows], product = (double)pl_bsr_bytes(A);
  pl_multigrid_cost single = pl_multigrid_cost_of_residual(b->grid.level);
  pl_multigrid_cost cycle = pl_multigrid_cost_of_cycle(&b->grid, DEGREE);
  // both halves without the diagonal, r p t, p t y, and t y x r of the step
  double sweep = 76 * (blocks - n) + 8 * n + 24 * n * (4 + 3 + 6);
  const kernel kernels[] = {
      {"product, double", "node", product_round, 0, n, product, 18 * blocks},
      {"product, pairs", "pair", pairs_round, 0, b->pairs->count,
       (double)PAIR_BYTES * b->pairs->count, (double)PAIR_FLOPS * b->pairs->count},
      {"product, single", "node", single_round, 1, n, single.bytes, single.flops},
      {"Eisenstat's iteration", "node", eisenstat_round, 0, n * SWEEPS, sweep * SWEEPS,
       (18 * (blocks - n) + 45 * n) * SWEEPS},
      {"multigrid cycle", "node", cycle_round, 1, n, cycle.bytes, cycle.flops},
      {"cg step (x, r, r.r)", "node", advance_round, 0, n, 144 * n, 18 * n},
      {"scalar product", "node", dot_round, 0, n, 48 * n, 6 * n},
      {"p = z + beta p", "node", xpay_round, 0, n, 72 * n, 6 * n},
      {"force + assembly", "tet", evaluate_round, 0, b->tets,
       (double)TET_BYTES * b->tets + 2 * 72 * blocks + 120 * n, (double)TET_FLOPS * b->tets},
      {"polar decomposition", "tet", polar_round, 0, b->polars, (double)POLAR_BYTES * b->polars,
       (double)POLAR_FLOPS * b->polars},
  };
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
    double seconds = pl_measure_best(kernels[i].round, b, b->world->pool, ROUNDS);
    print_kernel(b, &kernels[i], seconds);
  }
  double seconds = pl_measure_best(refresh_round, b, b->world->pool, 5);
  printf("  renewal of the coarse levels: %.2f ms, as long as %.1f cycles\n", 1e3 * seconds,
         seconds / pl_measure_best(cycle_round, b, b->world->pool, ROUNDS));
  fflush(stdout);
}

static pl_status make_solver(bench *b, pl_error *error)
{
  pl_setting budget = {.name = "iterations", .value = {SWEEPS}};
  pl_selection solver = {0}, none = {.member = &pl_preconditioner_none.info};
  const pl_system *system = &b->world->system;
  pl_status status = pl_choice_resolve(&pl_solver_family, &(pl_choice){"eisenstat", &budget, 1},
                                       &solver.member, solver.values, error);
  if (!status)
    status =
        pl_solver_create(&b->world->allocator, &solver, &none, system->A, &b->eisenstat, error);
  return status ? status
                : pl_solver_prepare(b->eisenstat, system->A, NULL, &system->filter, system->pool,
                                    error);
}

/* A contact for every tenth node, with others that are no neighbours. */
static pl_status make_pairs(bench *b, pl_error *error)
{
  const double weights[] = {1, -0.4, -0.3, -0.3}, D[9] = {0, 0, 0, 0, 0, 0, 0, 0, 1};
  int count = b->nodes / 10;
  pl_status status = pl_pairs_create(&b->world->allocator, b->nodes, &b->pairs, error);
  if (!status) status = pl_pairs_reserve(b->pairs, count, 4 * count, error);
  for (int i = 0; i < count && !status; i++) {
    int far = (5 * i + b->nodes / 2) % (b->nodes - 2), nodes[] = {i, far, far + 1, far + 2};
    (void)pl_pairs_add(b->pairs, &(pl_stencil){4, nodes, weights, NULL, D});
  }
  return status;
}

/* The hierarchy, the vectors and some deformed matrices. */
static pl_status fill(bench *b, pl_error *error)
{
  pl_world *world = b->world;
  pl_system *system = &world->system;
  b->nodes = world->bodies.blocks;
  b->tets = world->bodies.list[0].mesh->element_count;
  b->polars = b->tets < 100000 ? b->tets : 100000;
  for (int i = 0; i < 4; i++) {
    b->vectors[i] = pl_alloc(&world->allocator, 3 * (size_t)b->nodes, sizeof(double));
    if (!b->vectors[i]) return pl_fail_memory(error);
    memcpy(b->vectors[i], world->state.q, 3 * (size_t)b->nodes * sizeof(double));
  }
  b->matrices = pl_alloc(&world->allocator, 27 * (size_t)b->polars, sizeof(double));
  if (!b->matrices) return pl_fail_memory(error);
  for (int i = 0; i < 9 * b->polars; i++) b->matrices[i] = (i % 9 % 4 == 0) + 0.1 * sin(i);
  pl_filter_apply(&system->filter, b->vectors[0]);
  evaluate_round(b, NULL);
  pl_selection part = {.member = &pl_preconditioner_block_diagonal.info};
  pl_status status =
      pl_preconditioner_create(&world->allocator, &part, system->A, &b->inverse, error);
  if (!status)
    status = b->inverse->ops->prepare(b->inverse, system->A, &system->filter, system->pool, error);
  if (!status) status = pl_multigrid_create(&world->allocator, system->A, &b->grid, error);
  if (!status) status = make_pairs(b, error);
  if (status) return status;
  pl_multigrid_load(&b->grid, system->A, pl_blockwise_blocks(b->inverse), 1, system->pool);
  refresh_round(b, system->pool);
  return make_solver(b, error);
}

static void release(bench *b)
{
  if (!b->world) return;
  pl_allocator allocator = b->world->allocator;
  pl_multigrid_destroy(&b->grid);
  pl_preconditioner_destroy(b->inverse);
  pl_solver_destroy(b->eisenstat);
  pl_pairs_destroy(b->pairs);
  for (int i = 0; i < 4; i++) pl_free(&allocator, b->vectors[i]);
  pl_free(&allocator, b->matrices);
  pl_world_destroy(b->world);
}

static pl_status bench_size(int n, int threads, pl_text *csv, pl_error *error)
{
  bench b = {.csv = csv, .threads = threads};
  pl_status status = cli_make_bar(n, threads, NULL, "block-diagonal", &b.world, error);
  if (!status) status = pl_world_prepare(b.world, error);
  if (!status) {
    b.triad = pl_measure_triad(&b.world->allocator, b.world->pool, (size_t)1 << 23, ROUNDS);
    b.flops = pl_measure_flops(b.world->pool, 0, ROUNDS);
    b.single = pl_measure_flops(b.world->pool, 1, ROUNDS);
    status = fill(&b, error);
  }
  if (!status) {
    printf("\n%d tets, %d nodes, %d thread%s; triad %.1f GB/s, peak %.1f Gflop/s double, %.1f "
           "single\n  %-28s %-5s %8s %8s %9s %7s %7s %8s %8s %8s\n",
           b.tets, b.nodes, threads, threads == 1 ? "" : "s", b.triad, b.flops, b.single, "kernel",
           "per", "bytes", "flops", "ns", "GB/s", "Gflop/s", "of triad", "of peak", "of limit");
    run_kernels(&b);
  }
  release(&b);
  return status;
}

int cli_bench_kernels(int quick, pl_text *csv)
{
  static const int sizes[] = {10, 16, 35};
  pl_error error = {0};
  printf("The best of %d rounds. Above 100 %% of the triad: from the caches, or by reading only "
         "(the triad's store\nreads what it overwrites, and that is not counted). Sweeps and polar "
         "decomposition run in one thread.\n",
         ROUNDS);
  if (csv) pl_text_add(csv, "tets,threads,kernel,per,bytes,flops,ns,gb_per_s,of_triad,of_peak\n");
  for (int i = 0; i < (quick ? 1 : 3); i++) {
    for (int threads = 1; threads <= 2; threads++) {
      if (bench_size(sizes[i], threads, csv, &error)) return cli_fail_error(&error);
    }
  }
  return CLI_OK;
}
