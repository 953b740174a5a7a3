/* Prolongators of less energy, on the pattern that they have.
 *
 * The columns of P are the coarse functions. Where volume is nearly kept, one step of damped Jacobi
 * leaves them with a large energy of volume, and the coarse levels are too stiff. Here a few
 * Chebyshev steps lower the energy of all columns, P -= w D^-1 A P, in which each step is
 * restricted to the pattern and, row by row, to changes X that leave rigid motions as they are: X B
 * = 0 with the coarse coordinates B of rigid motions (Mandel, Brezina & Vanek 1999, "Energy
 * optimization of algebraic multigrid bases"; Olson, Schroder & Tuminaro 2011). */
#include "sparse/multigrid.h"

#include <math.h>
#include <string.h>

enum { COARSE = PL_MULTIGRID_COARSE, MOST_NEAR = 48, STEPS = 5 };

/* The part of the spectrum that the steps are made for, and the roots of Chebyshev's polynomial. */
static const double reach = 1.06, spread = 16;
static const double roots[STEPS] = {0.95105651629515357, 0.58778525229247313, 0,
                                    -0.58778525229247313, -0.95105651629515357};

/* A pivot this much below its diagonal entry is what rounding left. */
#define LEAST_PIVOT 1e-9

typedef struct pass {
  const pl_multigrid_level *level, *coarse;
  const pl_filter *filter;
  double scale, step;
} pass;

/* A row of X: so many groups of size rows of 6. */
typedef struct row {
  int index, size, count;
  const int *groups;
  double unit; /* of length */
  double x[MOST_NEAR][36];
} row;

/* x += A P in the groups of the row. */
static void add_products(const pass *job, row *r)
{
  const pl_multigrid_level *level = job->level;
  const int size = r->size;
  for (int m = level->start[r->index]; m < level->start[r->index + 1]; m++) {
    const double *A = level->precise + (size_t)(size * size) * (size_t)m;
    const int column = level->columns[m];
    for (int k = level->near_start[column], to = 0; k < level->near_start[column + 1]; k++) {
      while (to < r->count && r->groups[to] < level->near[k]) to++;
      if (to == r->count) break;
      if (r->groups[to] != level->near[k]) continue;
      const float *P = level->prolong + (size_t)(size * COARSE) * (size_t)k;
      for (int i = 0; i < size; i++) {
        for (int c = 0; c < size; c++) {
          const double a = job->scale * A[size * c + i];
          for (int j = 0; j < COARSE; j++)
            r->x[to][COARSE * i + j] += a * (double)P[COARSE * c + j];
        }
      }
    }
  }
}

/* x = D^-1 x. */
static void scale_row(const pass *job, row *r)
{
  const int size = r->size;
  const float *inverse = job->level->inverse + (size_t)(size * size) * (size_t)r->index;
  for (int k = 0; k < r->count; k++) {
    double from[36];
    memcpy(from, r->x[k], sizeof from);
    for (int i = 0; i < size; i++) {
      for (int j = 0; j < COARSE; j++) {
        double sum = 0;
        for (int c = 0; c < size; c++) sum += (double)inverse[size * c + i] * from[COARSE * c + j];
        r->x[k][COARSE * i + j] = sum;
      }
    }
  }
}

/* B of a group: its six numbers in rigid motions about the row's place. */
static void motions_of(const pass *job, const row *r, int k, double B[6][6])
{
  const int group = r->groups[k];
  memset(B, 0, 36 * sizeof(double));
  for (int i = 0; i < 3; i++) B[i][i] = 1;
  if (!job->level->places) return;
  const double *at = job->level->places + 3 * (size_t)r->index;
  const double *to = job->coarse->places + 3 * (size_t)group;
  const double x = (to[0] - at[0]) / r->unit, y = (to[1] - at[1]) / r->unit,
               z = (to[2] - at[2]) / r->unit;
  const double turn[3][3] = {{0, z, -y}, {-z, 0, x}, {y, -x, 0}};
  for (int i = 0; i < 3; i++) {
    memcpy(B[i] + 3, turn[i], sizeof turn[i]);
    B[3 + i][3 + i] = job->coarse->radius[group] / r->unit;
  }
}

/* L with L L^T = G; unknowns that are lost in rounding are left out. */
static void factorise(double G[6][6])
{
  for (int i = 0; i < 6; i++) {
    const double whole = G[i][i];
    for (int j = 0; j <= i; j++) {
      double sum = G[i][j];
      for (int k = 0; k < j; k++) sum -= G[i][k] * G[j][k];
      if (i == j)
        G[i][i] = sum > LEAST_PIVOT * whole ? sqrt(sum) : 0;
      else
        G[i][j] = G[j][j] > 0 ? sum / G[j][j] : 0;
    }
  }
}

static void solve(double L[6][6], double y[6])
{
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < i; j++) y[i] -= L[i][j] * y[j];
    y[i] = L[i][i] > 0 ? y[i] / L[i][i] : 0;
  }
  for (int i = 5; i >= 0; i--) {
    for (int j = i + 1; j < 6; j++) y[i] -= L[j][i] * y[j];
    y[i] = L[i][i] > 0 ? y[i] / L[i][i] : 0;
  }
}

/* x -= x B (B^T B)^-1 B^T: rigid motions stay as they are. */
static void keep_motions(const pass *job, row *r)
{
  double G[6][6] = {{0}}, sums[6][6] = {{0}}, B[6][6];
  for (int k = 0; k < r->count; k++) {
    motions_of(job, r, k, B);
    for (int m = 0; m < 6; m++) {
      for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) G[i][j] += B[m][i] * B[m][j];
        for (int line = 0; line < r->size; line++)
          sums[line][i] += r->x[k][COARSE * line + m] * B[m][i];
      }
    }
  }
  factorise(G);
  for (int line = 0; line < r->size; line++) solve(G, sums[line]);
  for (int k = 0; k < r->count; k++) {
    motions_of(job, r, k, B);
    for (int line = 0; line < r->size; line++) {
      for (int m = 0; m < 6; m++) {
        for (int j = 0; j < 6; j++) r->x[k][COARSE * line + m] -= B[m][j] * sums[line][j];
      }
    }
  }
}

/* What is held has no part in any motion. */
static void hold(const pass *job, row *r)
{
  const pl_filter *filter = job->filter;
  const int entry = pl_filter_from(filter, r->index);
  if (!filter || entry >= filter->count || filter->nodes[entry] != r->index) return;
  const double *F = filter->projections + 9 * (size_t)entry;
  for (int k = 0; k < r->count; k++) {
    for (int j = 0; j < COARSE; j++) {
      double *x = r->x[k] + j, a = x[0], b = x[COARSE], c = x[2 * COARSE];
      for (int i = 0; i < 3; i++) x[COARSE * i] = F[i] * a + F[3 + i] * b + F[6 + i] * c;
    }
  }
}

/* The change of a row, to where P stands for the second time, which is not in use yet. */
static void change_row(const pass *job, int index, row *r)
{
  const pl_multigrid_level *level = job->level;
  const int first = level->near_start[index], count = level->near_start[index + 1] - first;
  const size_t size = (size_t)(level->size * COARSE);
  float *to = level->gathered + size * (size_t)first;
  memset(to, 0, size * (size_t)count * sizeof *to);
  if (count == 0 || count > MOST_NEAR) return;
  r->index = index;
  r->size = level->size;
  r->count = count;
  r->groups = level->near + first;
  r->unit = job->coarse->radius[r->groups[0]] > 0 ? job->coarse->radius[r->groups[0]] : 1;
  memset(r->x, 0, (size_t)count * sizeof *r->x);
  add_products(job, r);
  scale_row(job, r);
  keep_motions(job, r);
  hold(job, r);
  for (int k = 0; k < count; k++) {
    for (size_t i = 0; i < size; i++) *to++ = (float)(job->step * r->x[k][i]);
  }
}

static void change_chunk(void *context, int chunk)
{
  const pass *job = context;
  row r;
  const int last = pl_multigrid_last(job->level, chunk);
  for (int index = chunk * job->level->chunk; index < last; index++) change_row(job, index, &r);
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
                           pl_pool *pool)
{
  pass job = {.level = level, .coarse = level + 1, .filter = filter, .scale = scale};
  const double high = reach * level->largest, low = high / spread;
  if (!(high > 0)) return;
  const int chunks = pl_chunk_count(level->rows, level->chunk);
  for (int i = 0; i < STEPS; i++) {
    job.step = 1 / (0.5 * (high + low) + 0.5 * (high - low) * roots[i]);
    pl_parallel(pool, chunks, change_chunk, &job);
    pl_parallel(pool, chunks, add_chunk, &job);
  }
}
