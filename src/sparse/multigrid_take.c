/* A residual in double precision becomes the finest level's, in single precision; by what it and
 * the matrix are scaled for that, since single precision has a small range. */
#include "sparse/multigrid.h"

#include <float.h>
#include <math.h>

enum { LEAST_RANGE = 256, MOST_RANGES = 64 };

/* Numbers whose largest is sought, in ranges of rows. */
typedef struct search {
  const pl_bsr *A;
  const double *r;
  int rows, size;
  double largest[MOST_RANGES];
} search;

/* The largest in all ranges; what is not a number must come through. */
static double find_largest(search *job, int rows, void (*work)(void *context, int range),
                           pl_pool *pool)
{
  double largest = 0;
  job->rows = rows;
  job->size = pl_chunk_count(rows, MOST_RANGES);
  if (job->size < LEAST_RANGE) job->size = LEAST_RANGE;
  int ranges = pl_chunk_count(rows, job->size);
  pl_parallel(pool, ranges, work, job);
  for (int k = 0; k < ranges; k++) largest = largest > job->largest[k] ? largest : job->largest[k];
  return largest;
}

static int end_of(const search *job, int range)
{
  int end = (range + 1) * job->size;
  return end < job->rows ? end : job->rows;
}

static void numbers_range(void *context, int range)
{
  search *job = context;
  double largest = 0;
  for (int i = 3 * range * job->size; i < 3 * end_of(job, range); i++) {
    double size = fabs(job->r[i]);
    largest = largest > size ? largest : size;
  }
  job->largest[range] = largest;
}

int pl_exponent_of(const double *r, int rows, int *exponent, pl_pool *pool)
{
  search job = {.r = r};
  double largest = find_largest(&job, rows, numbers_range, pool);
  if (!(largest > 0) || !isfinite(largest)) return 0;
  frexp(fmax(largest, DBL_MIN), exponent);
  return 1;
}

static void diagonal_range(void *context, int range)
{
  search *job = context;
  double largest = 0;
  for (int row = range * job->size; row < end_of(job, range); row++) {
    const double *D = job->A->values + 9 * (size_t)job->A->diagonal[row];
    largest = fmax(largest, fmax(D[0], fmax(D[4], D[8])));
  }
  job->largest[range] = largest;
}

int pl_exponent_of_matrix(const pl_bsr *A, pl_pool *pool)
{
  search job = {.A = A};
  int exponent = 0;
  double largest = find_largest(&job, A->rows, diagonal_range, pool);
  if (isfinite(largest) && largest >= DBL_MIN) frexp(largest, &exponent);
  return exponent;
}

typedef struct transfer {
  const pl_multigrid_level *level;
  const double *r;
  double scale;
} transfer;

static void take_chunk(void *context, int chunk)
{
  const transfer *job = context;
  int last = pl_multigrid_last(job->level, chunk);
  for (int row = chunk * job->level->chunk; row < last; row++) {
    for (int c = 0; c < 3; c++)
      job->level->r[4 * row + c] = (float)(job->scale * job->r[3 * row + c]);
  }
}

void pl_multigrid_take(pl_multigrid *grid, const double *r, double scale, pl_pool *pool)
{
  transfer job = {grid->level, r, scale};
  pl_parallel(pool, pl_chunk_count(job.level->rows, job.level->chunk), take_chunk, &job);
}
