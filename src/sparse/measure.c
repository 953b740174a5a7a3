/* Bandwidth of memory and speed of the product. */
#include "sparse/measure.h"

#include "core/clock.h"
#include "core/memory.h"

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

/* The shortest of some rounds. */
static double best_seconds(void (*round)(void *context, pl_pool *pool), void *context,
                           pl_pool *pool, int rounds)
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

double pl_measure_triad(const pl_allocator *allocator, pl_pool *pool, size_t doubles, int rounds)
{
  pl_allocator source = pl_allocator_or_default(allocator);
  if (doubles == 0 || doubles > (size_t)CHUNK * 1000000) return 0;
  double *memory = pl_alloc(&source, 3 * doubles, sizeof *memory);
  if (!memory) return 0;
  triad job = {doubles, memory, memory + doubles, memory + 2 * doubles};
  pl_parallel(pool, (int)((doubles + CHUNK - 1) / CHUNK), fill_chunk, &job);
  double seconds = best_seconds(triad_round, &job, pool, rounds);
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
  double seconds = best_seconds(product_round, &job, pool, rounds);
  pl_free(&source, x);
  return seconds;
}
