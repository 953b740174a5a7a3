/* The finest level's numbers, and the largest eigenvalue of a level by the power method. */
#include "sparse/multigrid.h"

#include "sparse/multigrid_pass.h"

#include <math.h>
#include <string.h>

enum { FIRST_ROUNDS = 15 };

typedef pl_multigrid_pass pass;

/* ---- loading ---- */

static void load_chunk(void *context, int chunk)
{
  const pass *job = context;
  const pl_multigrid_level *level = job->level;
  int first = chunk * level->chunk, last = pl_multigrid_last(level, chunk);
  pl_multigrid_vectors_pick()->load(level, first, last, job->A->values, job->factor);
  for (int k = 9 * first; k < 9 * last; k++)
    level->inverse[k] = (float)(job->inverse[k] / job->factor);
}

void pl_multigrid_load(pl_multigrid *grid, const pl_bsr *A, const double *inverse, double scale,
                       pl_pool *pool)
{
  pass job = {.level = grid->level, .A = A, .inverse = inverse, .factor = scale};
  pl_parallel(pool, pl_chunk_count(grid->level->rows, grid->level->chunk), load_chunk, &job);
}

/* ---- the largest eigenvalue ---- */

static void power_chunk(void *context, int chunk)
{
  const pass *job = context;
  const pl_multigrid_level *level = job->level;
  int first = chunk * level->chunk, last = pl_multigrid_last(level, chunk);
  job->kernel->sweep(level, chunk, 1, &job->sweep);
  double sum = 0;
  size_t width = pl_multigrid_width(level);
  for (int row = first; row < last; row++) {
    const float *at = job->sweep.out + width * (size_t)row;
    for (int c = 0; c < level->size; c++) sum += (double)at[c] * (double)at[c];
  }
  level->sums[chunk] = sum;
}

/* A start that has something of every eigenvector. */
static void scatter(pl_multigrid_level *level)
{
  unsigned seed = 12345;
  for (size_t i = 0; i < pl_multigrid_width(level) * (size_t)level->rows; i++) {
    seed = seed * 1664525u + 1013904223u;
    level->mode[i] = (float)(seed >> 8) * 0x1p-24f - 0.5f;
  }
}

void pl_multigrid_measure(pl_multigrid_level *level, int rounds, pl_pool *pool)
{
  // out = x + a x + b D^-1 (0 - A x) with a = -1; the eigenvector kept is as long as its eigenvalue
  memset(level->t, 0, pl_multigrid_width(level) * (size_t)level->rows * sizeof(float));
  pass job = {.kernel = pl_multigrid_kernel_pick(level->size),
              .level = level,
              .sweep = {.r = level->t, .a = -1}};
  const int chunks = pl_chunk_count(level->rows, level->chunk);
  double length = level->largest;
  if (!(length > 0)) {
    scatter(level);
    length = 1;
    rounds = FIRST_ROUNDS;
  }
  for (int round = 0; round < rounds && length > 0 && isfinite(length); round++) {
    job.sweep.x = level->mode;
    job.sweep.out = level->y;
    job.sweep.b = (float)(-1 / length);
    pl_parallel(pool, chunks, pl_multigrid_sweep_chunk, &job);
    pl_parallel(pool, chunks, power_chunk, &job);
    float *before = level->mode;
    level->mode = level->y;
    level->y = before;
    length = 0;
    for (int chunk = 0; chunk < chunks; chunk++) length += level->sums[chunk];
    length = sqrt(length);
  }
  level->largest = length;
}
