/* Bandwidth of memory, speed of computing, and speed of the product. */
#include "sparse/measure.h"

#include "core/clock.h"
#include "core/memory.h"
#include "sparse/measure_kernel.h"

enum { CHUNK = 32768 };

typedef struct triad {
  size_t count;
  double *a, *b, *c;
} triad;

static void fill_chunk(void *context, int chunk)
{
  const triad *job = context;
  size_t first = (size_t)chunk * CHUNK;
  for (size_t i = first; i < first + CHUNK && i < job->count; i++) {
    job->b[i] = 1;
    job->c[i] = 2;
  }
}

static void triad_chunk(void *context, int chunk)
{
  const triad *job = context;
  size_t first = (size_t)chunk * CHUNK, rest = job->count - first;
  size_t count = rest < CHUNK ? rest : CHUNK;
  double *restrict a = job->a + first;
  const double *restrict b = job->b + first, *restrict c = job->c + first;
  for (size_t i = 0; i < count; i++) a[i] = b[i] + 3.0 * c[i];
}

static void triad_round(void *context, pl_pool *pool)
{
  const triad *job = context;
  pl_parallel(pool, (int)((job->count + CHUNK - 1) / CHUNK), triad_chunk, context);
}

typedef struct product {
  const pl_bsr *A;
  double *x, *y;
} product;

static void product_round(void *context, pl_pool *pool)
{
  const product *job = context;
  pl_bsr_multiply(job->A, job->x, job->y, pool);
}

double pl_measure_best(void (*round)(void *context, pl_pool *pool), void *context, pl_pool *pool,
                       int rounds)
{
  double best = 0;
  for (int i = 0; i < rounds; i++) {
    double start = pl_now();
    round(context, pool);
    double seconds = pl_now() - start;
    if (i == 0 || seconds < best) best = seconds;
  }
  return best;
}

enum { CALCULATION = 20000 /* rounds of a kernel, for each thread */ };

typedef struct calculation {
  double (*run)(int rounds);
  double results[256];
} calculation;

static void calculate_chunk(void *context, int chunk)
{
  calculation *job = context;
  job->results[chunk % 256] = job->run(CALCULATION);
}

static void calculation_round(void *context, pl_pool *pool)
{
  pl_parallel(pool, pl_pool_threads(pool), calculate_chunk, context);
}

double pl_measure_flops(pl_pool *pool, int single, int rounds)
{
  const pl_flops_kernel *kernel = pl_flops_kernel_pick();
  calculation job = {.run = single ? kernel->run_single : kernel->run_double};
  double seconds = pl_measure_best(calculation_round, &job, pool, rounds);
  double count = (single ? 2.0 : 1.0) * PL_FLOPS_PER_ROUND * CALCULATION * pl_pool_threads(pool);
  return seconds > 0 ? 1e-9 * count / seconds : 0;
}

double pl_measure_triad(const pl_allocator *allocator, pl_pool *pool, size_t doubles, int rounds)
{
  pl_allocator source = pl_allocator_or_default(allocator);
  if (doubles == 0 || doubles > (size_t)CHUNK * 1000000) return 0;
  double *memory = pl_alloc(&source, 3 * doubles, sizeof *memory);
  if (!memory) return 0;
  triad job = {doubles, memory, memory + doubles, memory + 2 * doubles};
  pl_parallel(pool, (int)((doubles + CHUNK - 1) / CHUNK), fill_chunk, &job);
  double seconds = pl_measure_best(triad_round, &job, pool, rounds);
  pl_free(&source, memory);
  return seconds > 0 ? 24e-9 * (double)doubles / seconds : 0;
}

double pl_measure_product(const pl_allocator *allocator, pl_pool *pool, const pl_bsr *A, int rounds)
{
  pl_allocator source = pl_allocator_or_default(allocator);
  size_t count = 3 * (size_t)A->rows;
  double *x = pl_alloc(&source, 2 * count, sizeof *x);
  if (!x) return 0;
  for (size_t i = 0; i < count; i++) x[i] = 1;
  product job = {A, x, x + count};
  double seconds = pl_measure_best(product_round, &job, pool, rounds);
  pl_free(&source, x);
  return seconds;
}
