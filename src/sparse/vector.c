/* Vector work. A sum runs over four interleaved parts within a chunk, which end as
 * (s0 + s1) + (s2 + s3), and over the chunks in their order. */
#include "sparse/vector.h"

#include "math/lanes.h"

#include <math.h>

/* Chunks have a least size, to be worth a thread's while, and a greatest number, so that their sums
 * fit on the stack; both follow from the length of the vector alone. */
enum { LEAST_BLOCKS = 1024, MOST_CHUNKS = 256 };

typedef struct job {
  double a;
  const double *x;
  double *y;
  const double *other;
  int blocks, size;
  double sums[MOST_CHUNKS];
} job;

static int chunks_of(job *work)
{
  work->size = pl_chunk_count(work->blocks, MOST_CHUNKS);
  if (work->size < LEAST_BLOCKS) work->size = LEAST_BLOCKS;
  return pl_chunk_count(work->blocks, work->size);
}

static size_t chunk_first(const job *work, int chunk)
{
  return 3 * (size_t)chunk * (size_t)work->size;
}

static size_t chunk_last(const job *work, int chunk)
{
  size_t last = chunk_first(work, chunk + 1), end = 3 * (size_t)work->blocks;
  return last < end ? last : end;
}

static void dot_chunk(void *context, int chunk)
{
  job *work = context;
  size_t i = chunk_first(work, chunk), last = chunk_last(work, chunk);
  double sums[PL_LANES] = {0};
  for (; i + PL_LANES <= last; i += PL_LANES) {
    for (size_t k = 0; k < PL_LANES; k++) sums[k] += work->x[i + k] * work->other[i + k];
  }
  for (size_t k = 0; i + k < last; k++) sums[k] += work->x[i + k] * work->other[i + k];
  work->sums[chunk] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

static void axpy_chunk(void *context, int chunk)
{
  const job *work = context;
  size_t first = chunk_first(work, chunk), last = chunk_last(work, chunk);
  for (size_t i = first; i < last; i++) work->y[i] += work->a * work->x[i];
}

static void xpay_chunk(void *context, int chunk)
{
  const job *work = context;
  size_t first = chunk_first(work, chunk), last = chunk_last(work, chunk);
  for (size_t i = first; i < last; i++) work->y[i] = work->x[i] + work->a * work->y[i];
}

static void combine_chunk(void *context, int chunk)
{
  const job *work = context;
  const double *base = work->other;
  size_t first = chunk_first(work, chunk), last = chunk_last(work, chunk);
  for (size_t i = first; i < last; i++) work->y[i] = (base ? base[i] : 0) + work->a * work->x[i];
}

double pl_dot(const double *x, const double *y, int blocks, pl_pool *pool)
{
  job work = {.x = x, .other = y, .blocks = blocks};
  int chunks = chunks_of(&work);
  pl_parallel(pool, chunks, dot_chunk, &work);
  double sum = 0;
  for (int chunk = 0; chunk < chunks; chunk++) sum += work.sums[chunk];
  return sum;
}

double pl_norm(const double *x, int blocks, pl_pool *pool)
{
  return sqrt(pl_dot(x, x, blocks, pool));
}

void pl_axpy(double a, const double *x, double *y, int blocks, pl_pool *pool)
{
  job work = {.a = a, .x = x, .y = y, .blocks = blocks};
  pl_parallel(pool, chunks_of(&work), axpy_chunk, &work);
}

void pl_xpay(const double *x, double a, double *y, int blocks, pl_pool *pool)
{
  job work = {.a = a, .x = x, .y = y, .blocks = blocks};
  pl_parallel(pool, chunks_of(&work), xpay_chunk, &work);
}

void pl_combine(const double *base, double a, const double *x, double *y, int blocks, pl_pool *pool)
{
  job work = {.a = a, .x = x, .y = y, .other = base, .blocks = blocks};
  pl_parallel(pool, chunks_of(&work), combine_chunk, &work);
}
