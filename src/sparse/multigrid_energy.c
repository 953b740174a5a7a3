/* Prolongators of less energy, on the pattern that they have.
 *
 * The columns of P are the coarse functions. One step of damped Jacobi leaves them with much
 * energy, most of all of volume where that is nearly kept, and the coarse levels are too stiff.
 * Here one or a few Chebyshev steps lower the energy of all columns, P -= w D^-1 A P, in which each
 * step is restricted to the pattern and, row by row, to changes X that leave rigid motions as they
 * are: X B = 0 with the coarse coordinates B of rigid motions (Mandel, Brezina & Vanek 1999,
 * "Energy optimization of algebraic multigrid bases"; Olson, Schroder & Tuminaro 2011). */
#include "sparse/multigrid.h"

#include "math/vec3.h"
#include "sparse/multigrid_kernel.h"

#include <math.h>
#include <string.h>

enum { COARSE = PL_MULTIGRID_COARSE, MOST_NEAR = PL_MULTIGRID_MOST_NEAR };

/* The part of the spectrum that the steps are made for. */
static const double reach = 1.06, spread = 16;

/* The roots of Chebyshev's polynomial of degree 5; in their middle that of degree 1. */
enum { MIDDLE = PL_MULTIGRID_THOROUGH / 2 };
static const double roots[PL_MULTIGRID_THOROUGH] = {0.95105651629515357, 0.58778525229247313, 0,
                                                    -0.58778525229247313, -0.95105651629515357};

/* A pivot this much below its diagonal entry is what rounding left. */
#define LEAST_PIVOT 1e-9

typedef struct pass {
  const pl_multigrid_kernel *kernel;
  const pl_multigrid_level *level, *coarse;
  const pl_filter *filter;
  double scale, step;
} pass;

/* L with L L^T = J; unknowns that are lost in rounding are left out. */
static void factorise(double J[3][3])
{
  for (int i = 0; i < 3; i++) {
    const double whole = J[i][i];
    for (int j = 0; j <= i; j++) {
      double sum = J[i][j];
      for (int k = 0; k < j; k++) sum -= J[i][k] * J[j][k];
      if (i == j)
        J[i][i] = sum > LEAST_PIVOT * whole ? sqrt(sum) : 0;
      else
        J[i][j] = J[j][j] > 0 ? sum / J[j][j] : 0;
    }
  }
}

/* Places and radii of a row's groups, count of them. */
static void place(const pl_multigrid_level *coarse, const int *groups,
                  pl_multigrid_motions *motions)
{
  double mean[3] = {0}, J[3][3] = {{0}};
  for (int k = 0; k < motions->count; k++)
    pl_vec3_add_scaled(1.0 / motions->count, coarse->places + 3 * (size_t)groups[k], mean);
  for (int k = 0; k < motions->count; k++) {
    double *d = motions->d[k], r = motions->radius[k] = coarse->radius[groups[k]];
    pl_vec3_sub(coarse->places + 3 * (size_t)groups[k], mean, d);
    d[3] = 0;
    const double whole = pl_vec3_dot(d, d) + r * r;
    for (int i = 0; i < 3; i++) {
      J[i][i] += whole;
      for (int j = 0; j <= i; j++) J[i][j] -= d[i] * d[j];
    }
  }
  factorise(J);
  memcpy(motions->L, J, sizeof J);
}

/* What is held has no part in any motion. */
static void hold(const pl_filter *filter, int row, int count, float *X)
{
  const int entry = pl_filter_from(filter, row);
  if (!filter || entry >= filter->count || filter->nodes[entry] != row) return;
  const double *F = filter->projections + 9 * (size_t)entry;
  for (int k = 0; k < COARSE * count; k++) {
    float *x = X + 3 * COARSE * (k / COARSE) + k % COARSE;
    const double a = (double)x[0], b = (double)x[COARSE], c = (double)x[2 * COARSE];
    for (int i = 0; i < 3; i++) x[COARSE * i] = (float)(F[i] * a + F[3 + i] * b + F[6 + i] * c);
  }
}

/* The change of a row, which stands where P will stand for the second time. */
static void restrain(const pass *job, int row)
{
  const pl_multigrid_level *level = job->level;
  const int first = level->near_start[row];
  const size_t size = (size_t)(level->size * COARSE);
  pl_multigrid_motions motions; // large, and filled as far as it is read
  motions.count = level->near_start[row + 1] - first;
  if (motions.count == 0 || motions.count > MOST_NEAR) return;
  place(job->coarse, level->near + first, &motions);
  float *X = level->gathered + size * (size_t)first;
  job->kernel->keep(&motions, X);
  hold(job->filter, row, motions.count, X);
}

static void change_chunk(void *context, int chunk)
{
  const pass *job = context;
  const pl_multigrid_level *level = job->level;
  const int first = chunk * level->chunk, last = pl_multigrid_last(level, chunk);
  job->kernel->lower(level, first, last, job->scale * job->step, level->gathered);
  for (int row = first; row < last; row++) restrain(job, row);
}

static void add_chunk(void *context, int chunk)
{
  const pl_multigrid_level *level = ((const pass *)context)->level;
  const size_t size = (size_t)(level->size * COARSE);
  size_t first = size * (size_t)level->near_start[chunk * level->chunk];
  size_t last = size * (size_t)level->near_start[pl_multigrid_last(level, chunk)];
  for (size_t i = first; i < last; i++) level->prolong[i] -= level->gathered[i];
}

void pl_multigrid_minimise(pl_multigrid_level *level, const pl_filter *filter, double scale,
                           int steps, pl_pool *pool)
{
  pass job = {.kernel = pl_multigrid_kernel_pick(level->size),
              .level = level,
              .coarse = level + 1,
              .filter = filter,
              .scale = scale};
  const double high = reach * level->largest, low = high / spread;
  if (!(high > 0)) return;
  const int chunks = pl_chunk_count(level->rows, level->chunk);
  for (int i = 0; i < steps; i++) {
    const double root = steps == 1 ? roots[MIDDLE] : roots[i];
    job.step = 1 / (0.5 * (high + low) + 0.5 * (high - low) * root);
    pl_parallel(pool, chunks, change_chunk, &job);
    pl_parallel(pool, chunks, add_chunk, &job);
  }
}
