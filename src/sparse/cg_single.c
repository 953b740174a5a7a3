/* Conjugate gradients in single precision, inside a refinement in double precision.
 *
 * A start works on the finest level of a multigrid hierarchy, whose values are the matrix in single
 * precision: half the bytes, and residuals need not be converted for every cycle. It reduces the
 * residual by a few digits; then the correction is added to x, and the caller computes the true
 * residual in double precision, from which the next start sets out: Wilkinson's iterative
 * refinement. (To keep the search direction from start to start does not pay: the residual that
 * single precision believes in and the true one differ by too much.) Sums are in double precision,
 * over fixed chunks in their order. */
#include "sparse/cg_single.h"

#include "sparse/multigrid_kernel.h"

#include <math.h>
#include <string.h>

/* How far a start reduces the residual at most. */
#define DEPTH 1e-3

/* A curvature this much below the largest may be none. */
#define FLATNESS 1e-6

typedef pl_cg_single_work work;

static double pass(work *job, void (*chunk_work)(void *, int))
{
  const pl_multigrid_level *level = job->level;
  int chunks = pl_chunk_count(level->rows, level->chunk);
  pl_parallel(job->pool, chunks, chunk_work, job);
  double sum = 0;
  for (int chunk = 0; chunk < chunks; chunk++) sum += level->sums[chunk];
  return sum;
}

static void product_chunk(void *context, int chunk)
{
  const work *job = context;
  const pl_multigrid_level *level = job->level;
  level->sums[chunk] = job->kernel->product(level, chunk, 0, job->p, level->t);
}

static void late_product_chunk(void *context, int chunk)
{
  const work *job = context;
  const pl_multigrid_level *level = job->level;
  // p = P p, hence p.PAp = p.Ap: the sum may be taken before q is filtered
  level->sums[chunk] += job->kernel->product(level, chunk, 1, job->p, level->t);
  pl_multigrid_filter(job->filter, chunk * level->chunk, pl_multigrid_last(level, chunk), level->t);
}

static void advance_chunk(void *context, int chunk)
{
  const work *job = context;
  const pl_multigrid_level *level = job->level;
  level->sums[chunk] = job->kernel->advance(chunk * level->chunk, pl_multigrid_last(level, chunk),
                                            job->alpha, job->p, level->t, job->x, level->r);
}

/* z = B r, by the inverse blocks unless a cycle has found it, is filtered, then r.z. */
static void dot_chunk(void *context, int chunk)
{
  const work *job = context;
  const pl_multigrid_level *level = job->level;
  int first = chunk * level->chunk, last = pl_multigrid_last(level, chunk);
  if (job->single->degree == 0)
    pl_multigrid_kernel_pick(3)->start(level, first, last, 1, level->r, level->x);
  pl_multigrid_filter(job->filter, first, last, level->x);
  level->sums[chunk] = job->kernel->dot(first, last, level->r, level->x);
}

static void turn_chunk(void *context, int chunk)
{
  const work *job = context;
  const pl_multigrid_level *level = job->level;
  job->kernel->turn(chunk * level->chunk, pl_multigrid_last(level, chunk), job->beta, level->x,
                    job->p);
}

static double precondition(work *job)
{
  if (job->single->degree > 0)
    pl_multigrid_cycle(job->single->grid, job->filter, job->single->degree, job->pool);
  return pass(job, dot_chunk);
}

static void turn(work *job)
{
  pl_parallel(job->pool, pl_chunk_count(job->level->rows, job->level->chunk), turn_chunk, job);
}

static double multiply(work *job)
{
  pl_parallel(job->pool, pl_chunk_count(job->level->rows, job->level->chunk), product_chunk, job);
  return pass(job, late_product_chunk);
}

static double advance(work *job) { return pass(job, advance_chunk); }

static void start(work *job, double scale)
{
  size_t size = 4 * (size_t)job->level->rows * sizeof *job->x;
  pl_multigrid_take(job->single->grid, job->b, scale, job->pool);
  memset(job->x, 0, size);
  memset(job->p, 0, size);
}

/* The caller's x gets what was found; what is held stays to the last bit. */
static void add_chunk(void *context, int chunk)
{
  const work *job = context;
  const pl_filter *filter = job->filter;
  int first = chunk * job->level->chunk, last = pl_multigrid_last(job->level, chunk);
  int entry = pl_filter_from(filter, first);
  for (int row = first; row < last; row++) {
    const float *from = job->x + 4 * (size_t)row;
    double d[3] = {job->back * (double)from[0], job->back * (double)from[1],
                   job->back * (double)from[2]};
    if (filter && entry < filter->count && filter->nodes[entry] == row) {
      const double *P = filter->projections + 9 * (size_t)entry++;
      const double a = d[0], b = d[1], c = d[2];
      for (int i = 0; i < 3; i++) d[i] = P[i] * a + P[3 + i] * b + P[6 + i] * c;
    }
    for (int i = 0; i < 3; i++) job->out[3 * row + i] += d[i];
  }
}

static void finish(work *job)
{
  pl_parallel(job->pool, pl_chunk_count(job->level->rows, job->level->chunk), add_chunk, job);
}

static const pl_cg_single_passes by_rows = {start, precondition, turn, multiply, advance, finish};

static int give_up(pl_krylov *self)
{
  self->single = NULL;
  return 0;
}

/* Until r is no longer than goal, in the scaled residual's unit; 0: single precision does not do.
 */
static int run(pl_krylov *self, work *job, double goal)
{
  double length = 0, before = 0;
  for (;;) {
    double rz = job->passes->precondition(job);
    if (!(rz > 0) || !isfinite(rz)) return give_up(self);
    double beta = before > 0 ? rz / before : 0;
    job->beta = (float)beta;
    before = rz;
    // p.B^-1 p follows from the recursion, since r is orthogonal to the last p
    length = rz + beta * beta * length;
    job->passes->turn(job);

    double pq = job->passes->multiply(job);
    self->report->products++;
    if (!isfinite(pq)) return give_up(self);
    if (pq > self->largest * length) self->largest = pq / length;
    if (pq <= FLATNESS * self->largest * length) return give_up(self);
    job->alpha = (float)(rz / pq);
    double rr = job->passes->advance(job);
    self->report->iterations++;
    if (!isfinite(rr)) return give_up(self);
    if (sqrt(rr) <= goal || pl_krylov_spent(self)) return 1;
  }
}

pl_status pl_cg_single(pl_krylov *self, double goal, float *x, float *p)
{
  const pl_single *single = self->single;
  work job = {.passes = single->bands ? &pl_cg_bands : &by_rows,
              .single = single,
              .kernel = pl_multigrid_vectors_pick(),
              .level = single->bands ? NULL : single->grid->level,
              .filter = self->filter,
              .pool = self->pool,
              .b = self->vectors[PL_KRYLOV_R],
              .x = x,
              .p = p,
              .out = self->x};
  int exponent;
  if (pl_krylov_spent(self)) return PL_E_CONVERGENCE;
  if (!pl_exponent_of(job.b, self->A->rows, &exponent, self->pool)) {
    give_up(self);
    return PL_OK;
  }
  job.passes->start(&job, ldexp(1, -exponent));
  self->aim = fmax(goal, DEPTH * self->report->residual);
  if (!run(self, &job, ldexp(self->aim, -exponent))) return PL_OK;

  job.back = ldexp(1, exponent - single->exponent);
  job.passes->finish(&job);
  return pl_krylov_spent(self) ? PL_E_CONVERGENCE : PL_OK;
}
