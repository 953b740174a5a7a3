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

/* The shortest of some rounds of the work. */
static double best_seconds(pl_pool *pool, int chunks, void (*work)(void *, int), void *context,
                           int rounds)
{
  double best = 0;
  for (int round = 0; round < rounds; round++) {
    double start = pl_now();
    pl_parallel(pool, chunks, work, context);
    double seconds = pl_now() - start;
    if (round == 0 || seconds < best) best = seconds;
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
  int chunks = (int)((doubles + CHUNK - 1) / CHUNK);
  pl_parallel(pool, chunks, fill_chunk, &job);
  double seconds = best_seconds(pool, chunks, triad_chunk, &job, rounds);
  pl_free(&source, memory);
  return seconds > 0 ? 24e-9 * (double)doubles / seconds : 0;
}

double pl_measure_product(const pl_allocator *allocator, pl_pool *pool, const pl_bsr *A, int rounds)
{
  pl_allocator source = pl_allocator_or_default(allocator);
  size_t count = 3 * (size_t)A->rows;
  double *x = pl_alloc(&source, 2 * count, sizeof *x), best = 0;
  if (!x) return 0;
  for (size_t i = 0; i < count; i++) x[i] = 1;
  for (int round = 0; round < rounds; round++) {
    double start = pl_now();
    pl_bsr_multiply(A, x, x + count, pool);
    double seconds = pl_now() - start;
    if (round == 0 || seconds < best) best = seconds;
  }
  pl_free(&source, x);
  return best;
}
