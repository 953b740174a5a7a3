/* A residual in double precision becomes the finest level's, in single precision; the matrix's
 * size, by which that is scaled. */
#include "sparse/multigrid.h"

#include <float.h>
#include <math.h>

typedef struct transfer {
  pl_multigrid_level *level;
  const pl_bsr *A;
  const double *r;
  double scale;
} transfer;

static void largest_chunk(void *context, int chunk)
{
  const transfer *job = context;
  double largest = 0;
  int last = pl_multigrid_last(job->level, chunk);
  // what is not a number must come through
  for (int i = 3 * chunk * job->level->chunk; i < 3 * last; i++) {
    double size = fabs(job->r[i]);
    largest = largest > size ? largest : size;
  }
  job->level->sums[chunk] = largest;
}

static void take_chunk(void *context, int chunk)
{
  const transfer *job = context;
  int last = pl_multigrid_last(job->level, chunk);
  for (int row = chunk * job->level->chunk; row < last; row++) {
    for (int c = 0; c < 3; c++)
      job->level->r[4 * row + c] = (float)(job->scale * job->r[3 * row + c]);
  }
}

int pl_multigrid_take(pl_multigrid *grid, const double *r, int *exponent, pl_pool *pool)
{
  transfer job = {.level = grid->level, .r = r};
  int chunks = pl_chunk_count(job.level->rows, job.level->chunk);
  double largest = 0;
  pl_parallel(pool, chunks, largest_chunk, &job);
  for (int chunk = 0; chunk < chunks; chunk++)
    largest = largest > job.level->sums[chunk] ? largest : job.level->sums[chunk];
  if (!(largest > 0) || !isfinite(largest)) return 0;
  // single precision has a small range
  frexp(fmax(largest, DBL_MIN), exponent);
  job.scale = ldexp(1, -*exponent);
  pl_parallel(pool, chunks, take_chunk, &job);
  return 1;
}

static void size_chunk(void *context, int chunk)
{
  const transfer *job = context;
  double largest = 0;
  int last = pl_multigrid_last(job->level, chunk);
  for (int row = chunk * job->level->chunk; row < last; row++) {
    const double *D = job->A->values + 9 * (size_t)job->A->diagonal[row];
    largest = fmax(largest, fmax(D[0], fmax(D[4], D[8])));
  }
  job->level->sums[chunk] = largest;
}

int pl_multigrid_exponent(pl_multigrid *grid, const pl_bsr *A, pl_pool *pool)
{
  transfer job = {.level = grid->level, .A = A};
  int exponent = 0, chunks = pl_chunk_count(job.level->rows, job.level->chunk);
  double largest = 0;
  pl_parallel(pool, chunks, size_chunk, &job);
  for (int chunk = 0; chunk < chunks; chunk++) largest = fmax(largest, job.level->sums[chunk]);
  if (isfinite(largest) && largest >= DBL_MIN) frexp(largest, &exponent);
  return exponent;
}
