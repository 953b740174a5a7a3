/* Numbers of the hierarchy, and the cycle.
 *
 * The smoother is Chebyshev's iteration on D^-1 A over the upper part of its spectrum (Adams,
 * Brezina, Hu & Tuminaro 2003, "Parallel multigrid smoothing: polynomial versus Gauss-Seidel"); the
 * same polynomial before and after the coarse correction makes the cycle symmetric. */
#include "sparse/multigrid.h"

#include "math/vec3.h"
#include "sparse/multigrid_pass.h"

#include <math.h>
#include <string.h>

/* The power method's estimate lies below the eigenvalue: by how much the smoother reaches beyond
 * it. */
static const double reach = 1.06;

/* omega = damping / largest eigenvalue in the prolongator. */
static const double damping = 4.0 / 3.0;

/* A pivot of a block on the diagonal this much below the block's size is what rounding left. */
#define LEAST_PIVOT 1e-6

enum { LATER_ROUNDS = 3, ALONE = 4 };

typedef pl_multigrid_pass pass;

static void swap(float **a, float **b)
{
  float *kept = *a;
  *a = *b;
  *b = kept;
}

static void run(pass *job, const pl_multigrid_level *rows, void (*work)(void *, int), pl_pool *pool)
{
  pl_parallel(pool, pl_chunk_count(rows->rows, rows->chunk), work, job);
}

/* ---- the tentative prolongator ---- */

/* Centres and radii of the groups of a level. */
static void place_groups(const pl_multigrid_level *level, pl_multigrid_level *coarse)
{
  const double *places = level->places;
  memset(coarse->places, 0, 3 * (size_t)coarse->rows * sizeof(double));
  memset(coarse->radius, 0, (size_t)coarse->rows * sizeof(double));
  if (!places) return;
  int *count = coarse->counts;
  memset(count, 0, (size_t)coarse->rows * sizeof *count);
  for (int row = 0; row < level->rows; row++) {
    int group = level->group[row];
    if (group < 0) continue;
    count[group]++;
    for (int c = 0; c < 3; c++) coarse->places[3 * group + c] += places[3 * row + c];
  }
  for (int i = 0; i < 3 * coarse->rows; i++) coarse->places[i] /= count[i / 3];
  for (int row = 0; row < level->rows; row++) {
    int group = level->group[row];
    if (group < 0) continue;
    double away = pl_vec3_distance(places + 3 * row, coarse->places + 3 * group);
    double own = level->radius ? level->radius[row] : 0;
    coarse->radius[group] += (away * away + own * own) / count[group];
  }
  for (int group = 0; group < coarse->rows; group++)
    coarse->radius[group] = sqrt(coarse->radius[group]);
}

/* T of one row, as size rows of 6. */
static void place_row(const pl_multigrid_level *level, const pl_multigrid_level *coarse, int row,
                      double *T)
{
  int group = level->group[row];
  memset(T, 0, (size_t)level->size * PL_MULTIGRID_COARSE * sizeof *T);
  if (group < 0) return;
  for (int c = 0; c < 3; c++) T[PL_MULTIGRID_COARSE * c + c] = 1;
  double radius = coarse->radius[group];
  if (!(radius > 0)) return;

  // w x d = [d]^T w, over the radius
  double d[3];
  pl_vec3_sub(level->places + 3 * row, coarse->places + 3 * group, d);
  pl_vec3_scale(1 / radius, d, d);
  double turn[3][3] = {{0, d[2], -d[1]}, {-d[2], 0, d[0]}, {d[1], -d[0], 0}};
  for (int i = 0; i < 3; i++) memcpy(T + PL_MULTIGRID_COARSE * i + 3, turn[i], sizeof turn[i]);
  if (level->size == 3) return;
  for (int c = 3; c < 6; c++) T[PL_MULTIGRID_COARSE * c + c] = level->radius[row] / radius;
}

/* P times three numbers that stand some places apart. */
static void project(const double P[9], double *x, size_t apart)
{
  double a = x[0], b = x[apart], c = x[2 * apart];
  for (size_t i = 0; i < 3; i++) x[i * apart] = P[i] * a + P[3 + i] * b + P[6 + i] * c;
}

/* T of the finest level leaves out what is held. */
static void hold(const pl_multigrid_level *level, const pl_filter *filter)
{
  for (int i = 0; filter && i < filter->count; i++) {
    double *T = level->tentative + 3 * PL_MULTIGRID_COARSE * (size_t)filter->nodes[i];
    for (int c = 0; c < PL_MULTIGRID_COARSE; c++)
      project(filter->projections + 9 * i, T + c, PL_MULTIGRID_COARSE);
  }
}

/* ---- coarse matrices ---- */

static void smooth_chunk(void *context, int chunk)
{
  const pass *job = context;
  job->kernel->smooth(job->level, chunk * job->level->chunk, pl_multigrid_last(job->level, chunk),
                      job->factor);
}

static void multiply_chunk(void *context, int chunk)
{
  const pass *job = context;
  job->kernel->multiply(job->level, chunk * job->level->chunk, pl_multigrid_last(job->level, chunk),
                        job->factor);
}

static void gather_chunk(void *context, int chunk)
{
  const pass *job = context;
  job->kernel->gather(job->level, chunk * job->coarse->chunk, pl_multigrid_last(job->coarse, chunk),
                      job->coarse);
}

static double *block_at(const pl_multigrid_level *coarse, int row, int column)
{
  int k = coarse->start[row];
  while (coarse->columns[k] < column) k++;
  return coarse->precise + 36 * (size_t)k;
}

/* The inverse of a symmetric 6x6 block. Unknowns that a group does not have, or that are lost in
 * rounding, are left out. */
static void invert_block(const double *block, float *out)
{
  double L[6][6] = {{0}}, W[6][6] = {{0}}, size = 0;
  for (int i = 0; i < 6; i++) size = fmax(size, block[7 * i]);
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < i; j++) {
      double sum = block[6 * j + i];
      for (int k = 0; k < j; k++) sum -= L[i][k] * L[j][k];
      L[i][j] = L[j][j] > 0 ? sum / L[j][j] : 0;
    }
    double pivot = block[7 * i];
    for (int k = 0; k < i; k++) pivot -= L[i][k] * L[i][k];
    if (!(pivot > LEAST_PIVOT * size)) continue;
    L[i][i] = sqrt(pivot);
    W[i][i] = 1 / L[i][i];
    for (int j = 0; j < i; j++) {
      for (int k = j; k < i; k++) W[i][j] -= L[i][k] * W[k][j] / L[i][i];
    }
  }
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) {
      double sum = 0;
      for (int k = 0; k < 6; k++) sum += W[k][i] * W[k][j];
      out[6 * j + i] = (float)sum;
    }
  }
}

/* What lies left of the diagonal mirrors what lies right of it. */
static void mirror_chunk(void *context, int chunk)
{
  const pl_multigrid_level *coarse = ((const pass *)context)->coarse;
  for (int row = chunk * coarse->chunk; row < pl_multigrid_last(coarse, chunk); row++) {
    for (int k = coarse->start[row]; k < coarse->diagonal[row]; k++) {
      const double *from = block_at(coarse, coarse->columns[k], row);
      double *to = coarse->precise + 36 * (size_t)k;
      for (int i = 0; i < 36; i++) to[i] = from[6 * (i % 6) + i / 6];
    }
    const double *block = coarse->precise + 36 * (size_t)coarse->diagonal[row];
    const double *end = coarse->precise + 36 * (size_t)coarse->start[row + 1];
    float *to = coarse->half.values + 36 * (size_t)coarse->half.start[row];
    for (; block < end; block += 36) {
      for (int i = 0; i < 36; i++) *to++ = (float)block[6 * (i % 6) + i / 6];
    }
    invert_block(coarse->precise + 36 * (size_t)coarse->diagonal[row],
                 coarse->inverse + 36 * (size_t)row);
  }
}

/* The prolongator from a level and the matrix of the next; source is NULL but for the finest. */
static void coarsen(pl_multigrid *grid, pl_multigrid_level *level,
                    const pl_multigrid_source *source, double scale, pl_pool *pool)
{
  pl_multigrid_level *coarse = level + 1;
  place_groups(level, coarse);
  size_t size = (size_t)level->size * PL_MULTIGRID_COARSE;
  for (int row = 0; row < level->rows; row++)
    place_row(level, coarse, row, level->tentative + size * (size_t)row);
  hold(level, source ? source->filter : NULL);

  pass job = {.kernel = pl_multigrid_kernel_pick(level->size), .level = level, .coarse = coarse};
  job.factor = scale * damping / level->largest;
  run(&job, level, smooth_chunk, pool);
  if (grid->lowering)
    pl_multigrid_minimise(level, source ? source->filter : NULL, scale, grid->lowering, pool);
  job.factor = scale;
  run(&job, level, multiply_chunk, pool);
  run(&job, coarse, gather_chunk, pool);
  if (source && source->pairs) pl_multigrid_add_pairs(grid, source->pairs, source->inverse, scale);
  run(&job, coarse, mirror_chunk, pool);
}

/* The finest level as a dense matrix M becomes P M P + s (I - P), s of its size. */
static void hold_dense(const pl_filter *filter, pl_multigrid_dense *dense)
{
  size_t count = (size_t)dense->count;
  double size = 0;
  for (size_t i = 0; i < count; i++) size = fmax(size, dense->factor[i * count + i]);
  for (int i = 0; filter && i < filter->count; i++) {
    const double *P = filter->projections + 9 * i;
    double *rows = dense->factor + 3 * (size_t)filter->nodes[i] * count;
    double *columns = dense->factor + 3 * (size_t)filter->nodes[i];
    for (size_t k = 0; k < count; k++) project(P, rows + k, count);
    for (size_t k = 0; k < count; k++) project(P, columns + k * count, 1);
    for (size_t k = 0; k < 9; k++)
      columns[(3 * (size_t)filter->nodes[i] + k % 3) * count + k / 3] +=
          (size > 0 ? size : 1) * ((k % 4 == 0) - P[k]);
  }
}

/* The last level as a dense matrix; constrained directions get a diagonal of their own. */
static void spread_out(const pl_multigrid_level *last, const pl_filter *filter, double scale,
                       pl_multigrid_dense *dense)
{
  size_t count = (size_t)dense->count, size = (size_t)last->size;
  memset(dense->factor, 0, count * count * sizeof(double));
  for (int row = 0; row < last->rows; row++) {
    for (int k = last->start[row]; k < last->start[row + 1]; k++) {
      double *to = dense->factor + size * ((size_t)row * count + (size_t)last->columns[k]);
      const double *block = last->precise + size * size * (size_t)k;
      for (size_t i = 0; i < size * size; i++) to[i % size * count + i / size] = scale * block[i];
    }
  }
  hold_dense(filter, dense);
}

void pl_multigrid_refresh(pl_multigrid *grid, const pl_multigrid_source *source, double scale,
                          pl_pool *pool)
{
  grid->level[0].precise = source->A->values;
  grid->level[0].places = source->A->points;
  for (int i = 0; i < grid->levels; i++) {
    pl_multigrid_level *level = &grid->level[i];
    pl_multigrid_measure(level, LATER_ROUNDS, pool);
    if (level->groups > 0) coarsen(grid, level, i ? NULL : source, i ? 1 : scale, pool);
  }
  if (grid->dense.count == 0) return;
  const pl_multigrid_level *last = &grid->level[grid->levels - 1];
  int finest = grid->levels == 1;
  spread_out(last, finest ? source->filter : NULL, finest ? scale : 1, &grid->dense);
  pl_multigrid_triangle_pick()->invert(&grid->dense);
}

/* ---- passes one behind the other ---- */

/* Passes over one level of which each reads what the one before it has written, in the same chunk
 * and in so many (reach) behind it. A level that is too large for a cache is passed over in batches
 * of chunks, each pass as far behind the one before it as it must be, so that blocks are still near
 * when the next pass asks for them. What a chunk computes does not depend on that. */
enum { MOST_PASSES = 8 };

typedef struct wave {
  struct following {
    pass job;
    void (*work)(void *, int), (*late)(void *, int); /* late NULL: no product */
  } list[MOST_PASSES];
  int count;
} wave;

typedef struct span {
  void (*work)(void *, int);
  pass *job;
  int first;
} span;

static void span_chunk(void *context, int chunk)
{
  const span *now = context;
  now->work(now->job, now->first + chunk);
}

/* The chunks [first, last) of a pass, as far as there are such. */
static void run_span(struct following *one, int first, int last, pl_pool *pool)
{
  const int chunks = pl_chunk_count(one->job.level->rows, one->job.level->chunk);
  span now = {one->work, &one->job, first > 0 ? first : 0};
  const int count = (last < chunks ? last : chunks) - now.first;
  if (count <= 0) return;
  pl_parallel(pool, count, span_chunk, &now);
  now.work = one->late;
  if (now.work) pl_parallel(pool, count, span_chunk, &now);
}

static void run_wave(wave *passes, pl_pool *pool)
{
  if (passes->count == 0) return;
  const pl_multigrid_level *level = passes->list[0].job.level;
  const int chunks = pl_chunk_count(level->rows, level->chunk), threads = pl_pool_threads(pool);
  const int batch = level->half.batch > 2 * threads ? level->half.batch : 2 * threads;
  const int lag = batch < chunks ? level->half.reach : 0;
  for (int from = 0; from < chunks + (passes->count - 1) * lag; from += batch) {
    for (int i = 0; i < passes->count; i++)
      run_span(&passes->list[i], from - i * lag, from + batch - i * lag, pool);
  }
  passes->count = 0;
}

static void follow(wave *passes, const pass *job, void (*work)(void *, int),
                   void (*late)(void *, int), pl_pool *pool)
{
  if (passes->count == MOST_PASSES) run_wave(passes, pool);
  passes->list[passes->count++] = (struct following){*job, work, late};
}

/* ---- the cycle ---- */

void pl_multigrid_filter(const pl_filter *filter, int first, int last, float *x)
{
  for (int i = pl_filter_from(filter, first);
       filter && i < filter->count && filter->nodes[i] < last; i++) {
    const double *P = filter->projections + 9 * i;
    float *at = x + 4 * (size_t)filter->nodes[i];
    double from[3] = {(double)at[0], (double)at[1], (double)at[2]};
    for (int c = 0; c < 3; c++)
      at[c] = (float)(P[c] * from[0] + P[3 + c] * from[1] + P[6 + c] * from[2]);
  }
}

static void start_chunk(void *context, int chunk)
{
  const pass *job = context;
  job->kernel->start(job->level, chunk * job->level->chunk, pl_multigrid_last(job->level, chunk),
                     job->sweep.b, job->sweep.r, job->sweep.out);
}

static void late_sweep_chunk(void *context, int chunk)
{
  const pass *job = context;
  job->kernel->sweep(job->level, chunk, 1, &job->sweep);
}

static void residual_chunk(void *context, int chunk)
{
  const pass *job = context;
  job->kernel->residual(job->level, chunk, 0, &job->sweep);
}

static void late_residual_chunk(void *context, int chunk)
{
  const pass *job = context;
  const pl_multigrid_level *level = job->level;
  job->kernel->residual(level, chunk, 1, &job->sweep);
  int first = chunk * level->chunk, last = pl_multigrid_last(level, chunk);
  pl_multigrid_filter(job->filter, first, last, level->t);
  if (job->turns) pl_multigrid_turning_pick()->back(first, last, job->turns->R, level->t);
}

/* t = r - A x. */
static void subtract(wave *passes, pass *job, pl_pool *pool)
{
  const pl_multigrid_level *level = job->level;
  job->sweep = (pl_multigrid_sweep){.r = level->r, .x = level->x, .out = level->t};
  follow(passes, job, residual_chunk, late_residual_chunk, pool);
  run_wave(passes, pool);
}

static void restrict_chunk(void *context, int chunk)
{
  const pass *job = context;
  job->kernel->restrict_to(job->level, chunk * job->coarse->chunk,
                           pl_multigrid_last(job->coarse, chunk), job->level->t, job->coarse->r);
}

static void prolong_chunk(void *context, int chunk)
{
  const pass *job = context;
  const pl_multigrid_level *level = job->level;
  int first = chunk * level->chunk, last = pl_multigrid_last(level, chunk);
  size_t width = pl_multigrid_width(level);
  float *x = job->sweep.out, *to = job->turns ? job->spare : x;
  if (job->turns)
    memset(to + width * (size_t)first, 0, width * (size_t)(last - first) * sizeof *to);
  job->kernel->prolong(level, first, last, job->coarse->x, to);
  if (job->turns) pl_multigrid_turning_pick()->add(first, last, job->turns->R, to, x);
  pl_multigrid_filter(job->filter, first, last, x);
}

/* x += P times the next level's x. */
static void correct(wave *passes, pass *job, pl_pool *pool)
{
  job->sweep = (pl_multigrid_sweep){.out = job->level->x};
  job->spare = job->level->y;
  follow(passes, job, prolong_chunk, NULL, pool);
}

/* Chebyshev's iteration from x, or from zero: level->x becomes the result. */
static void smooth(wave *passes, pass *job, int degree, int from_zero, pl_pool *pool)
{
  pl_multigrid_level *level = job->level;
  double high = reach * job->caution * level->largest;
  double low = high / job->spread;
  double centre = 0.5 * (high + low), half = 0.5 * (high - low), rho = half / centre;
  job->sweep = (pl_multigrid_sweep){.r = level->r, .b = (float)(1 / centre)};
  for (int k = 0; k < degree; k++) {
    if (k > 0) {
      double next = 1 / (2 * centre / half - rho);
      job->sweep.a = (float)(next * rho);
      job->sweep.b = (float)(2 * next / half);
      rho = next;
    }
    job->sweep.x = level->x;
    job->sweep.out = level->y;
    job->sweep.previous = k > 1 || (k == 1 && !from_zero) ? level->y : NULL;
    if (k == 0 && from_zero)
      follow(passes, job, start_chunk, NULL, pool);
    else
      follow(passes, job, pl_multigrid_sweep_chunk, late_sweep_chunk, pool);
    swap(&level->x, &level->y);
  }
}

static void solve_last(pl_multigrid_level *last, const pl_multigrid_dense *dense)
{
  size_t width = pl_multigrid_width(last), size = (size_t)last->size;
  for (int i = 0; i < last->rows; i++)
    memcpy(dense->in + size * (size_t)i, last->r + width * (size_t)i, size * sizeof(float));
  pl_multigrid_triangle_pick()->apply(dense);
  for (int i = 0; i < last->rows; i++)
    memcpy(last->x + width * (size_t)i, dense->out + size * (size_t)i, size * sizeof(float));
}

/* How often a level is corrected from the next one: the third level is small enough to be visited
 * twice, unless it is solved at once. */
static int visits_from(const pl_multigrid *grid, int index)
{
  int is_solved = grid->dense.count > 0 && index + 2 == grid->levels;
  return index == 1 && !is_solved ? 2 : 1;
}

/* Coarse levels are smoothed more, which costs little. */
static int degree_on(int index, int degree) { return index == 0 ? degree : degree + 1; }

/* Which part of the spectrum a level leaves to coarser ones: polynomials of degree d reach down to
 * about 1 / d^2 of it. */
static double spread_on(int index, int degree)
{
  const double d = degree_on(index, degree);
  return index == 0 ? 2 * d * d : 20 * d * d / 9;
}

/* x of a level = its share of a cycle for its r. */
static void visit(pl_multigrid *grid, int index, const pl_filter *filter, int degree, pl_pool *pool)
{
  pass job = {.kernel = pl_multigrid_kernel_pick(grid->level[index].size),
              .level = &grid->level[index],
              .coarse = &grid->level[index + 1],
              .filter = index ? NULL : filter,
              .turns = index == 0 && grid->turns.active ? &grid->turns : NULL,
              .caution = grid->caution,
              .spread = spread_on(index, degree)};
  int is_last = index + 1 == grid->levels;
  if (is_last && grid->dense.count > 0) {
    solve_last(job.level, &grid->dense);
    return;
  }
  wave passes = {.count = 0};
  smooth(&passes, &job, is_last ? ALONE * degree : degree_on(index, degree), 1, pool);
  for (int visits = is_last ? 0 : visits_from(grid, index); visits > 0; visits--) {
    subtract(&passes, &job, pool);
    run(&job, job.coarse, restrict_chunk, pool);
    visit(grid, index + 1, filter, degree, pool);
    correct(&passes, &job, pool);
  }
  if (!is_last) smooth(&passes, &job, degree_on(index, degree), 0, pool);
  run_wave(&passes, pool);
}

void pl_multigrid_cycle(pl_multigrid *grid, const pl_filter *filter, int degree, pl_pool *pool)
{
  visit(grid, 0, filter, degree, pool);
}

void pl_multigrid_residual(pl_multigrid *grid, const pl_filter *filter, pl_pool *pool)
{
  pass job = {.kernel = pl_multigrid_kernel_pick(grid->level->size),
              .level = grid->level,
              .filter = filter};
  wave passes = {.count = 0};
  subtract(&passes, &job, pool);
}

/* ---- what it costs ---- */

pl_multigrid_cost pl_multigrid_cost_of_residual(const pl_multigrid_level *level)
{
  const pl_multigrid_half *half = &level->half;
  double blocks = level->start[level->rows], rows = level->rows, size = level->size;
  double late = half->late_first[pl_chunk_count(level->rows, level->chunk)];
  double slots = half->late_start[(int)late],
         vector = (double)pl_multigrid_width(level) * sizeof(float);
  // vectors: r, x, t and the sums
  return (pl_multigrid_cost){half->start[level->rows] *
                                     (size * size * sizeof(float) + sizeof(int)) +
                                 rows * (2 * sizeof(int) + 4 * vector) + 2 * late * sizeof(int) +
                                 slots * (sizeof(int) + vector),
                             2 * blocks * size * size + rows * size};
}

pl_multigrid_cost pl_multigrid_cost_of_cycle(const pl_multigrid *grid, int degree)
{
  pl_multigrid_cost sum = {0};
  double times = 1; /* that a level is visited */
  for (int i = 0; i < grid->levels; i++) {
    const pl_multigrid_level *level = &grid->level[i];
    double rows = level->rows, size = level->size, count = grid->dense.count;
    double vector = (double)pl_multigrid_width(level) * sizeof(float);
    if (i + 1 == grid->levels && count > 0) {
      sum.bytes += times * count * (count + 1) / 2 * sizeof(float);
      sum.flops += times * 2 * count * (count + 1);
      continue;
    }
    // products, the first sweep has none; the inverse blocks and a vector more where it is a sweep
    int is_last = i + 1 == grid->levels, visits = is_last ? 0 : visits_from(grid, i);
    int sweeps = is_last ? ALONE * degree : 2 * degree_on(i, degree);
    pl_multigrid_cost product = pl_multigrid_cost_of_residual(level);
    double products = sweeps - 1 + visits;
    sum.bytes +=
        times * (products * product.bytes + sweeps * rows * (size * size * sizeof(float) + vector));
    sum.flops += times * (products * product.flops + sweeps * rows * (2 * size * size + 4 * size));
    if (is_last) continue;
    // down and up
    times *= visits;
    double entries = level->near_start[level->rows], coarse = 32.0 * level->groups;
    double step = entries * (size * PL_MULTIGRID_COARSE * sizeof(float) + sizeof(int)) + coarse;
    sum.bytes += times * (2 * step + 3 * rows * vector);
    sum.flops += times * 4 * entries * size * PL_MULTIGRID_COARSE;
  }
  return sum;
}
