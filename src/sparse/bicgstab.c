/* Stabilised bi-conjugate gradients, for matrices that need not be symmetric.
 *
 * van der Vorst 1992, preconditioned from the right (Saad 2003, 7.4.2 and 9.3), in the space that
 * the filter P leaves free, with B = P B P:
 *
 *   y = B p,  v = P A y,  alpha = rho / (r0 . v),  s = r - alpha v,
 *   z = B s,  t = P A z,  omega = t.s / t.t,  x += alpha y + omega z,  r = s - omega t,
 *   beta = (r0 . r / rho) (alpha / omega),  rho = r0 . r,  p = r + beta (p - omega v).
 *
 * Two products make one iteration. Where r0 has become orthogonal to what is needed, the iteration
 * starts afresh from the true residual; so it does when the recursion's r is small enough but the
 * true one is not. The residual may rise on its way: the best x so far is kept aside. */
#include "core/error.h"
#include "core/memory.h"
#include "sparse/rounding.h"
#include "sparse/solver.h"
#include "sparse/sparse_kernel.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

#define SLACK      0.01  /* by which the true residual may exceed the target */
#define DEPTH      1e-14 /* how far one start reduces the residual at most */
#define ORTHOGONAL 1e-16 /* a cosine that is nothing but rounding */
#define BETTER     0.1   /* a residual that is worth keeping x for */
#define UNSOLVED   1e-6  /* what of the right side cannot be left to rounding */
#define GROWTH     1e8   /* beyond this times the best residual there is no way back */
#define HARDLY     0.1   /* of the first residual: no progress at all */
enum { MOST_STARTS = 100, MOST_STALLS = 3, PATIENCE = 1000 }; /* iterations without progress */
enum { MOST_ROUNDS = 10 }; /* iterations per unknown after which nothing more is gained */

enum { TOLERANCE, ITERATIONS, PARAM_COUNT };

static const pl_param params[PARAM_COUNT] = {
    [TOLERANCE] = {"tolerance", "1", "residual at the end, relative to the right side", 1e-6, 1e-15,
                   0.5, NULL, 0},
    [ITERATIONS] = {"iterations", "count", "most iterations in one solve", 10000, 1, 1e9, NULL, 0},
};

enum { VECTORS = 9, SUMS = 2 };

typedef struct bicgstab {
  pl_solver common;
  const pl_sparse_kernel *kernel;
  double *r, *first, *p, *v, *s, *t, *y, *z, *best;
  double *parts; /* SUMS for each chunk */
} bicgstab;

/* One call of solve, as the passes see it. */
typedef struct run {
  bicgstab *self;
  const pl_bsr *A;
  const pl_filter *filter;
  const double *b;
  double *x;
  pl_pool *pool;
  pl_solve_report *report;
  pl_bi_step step;
  double best; /* residual of what is kept aside */
} run;

static void list_vectors(bicgstab *self, double **vectors[VECTORS])
{
  double **all[VECTORS] = {&self->r, &self->first, &self->p, &self->v,   &self->s,
                           &self->t, &self->y,     &self->z, &self->best};
  memcpy(vectors, all, sizeof all);
}

static pl_status create(pl_solver *common, const pl_bsr *A, const double *values, pl_error *error)
{
  (void)values;
  bicgstab *self = (bicgstab *)common;
  self->kernel = pl_sparse_kernel_pick();
  double **vectors[VECTORS];
  list_vectors(self, vectors);
  for (int i = 0; i < VECTORS; i++) {
    *vectors[i] = pl_alloc(&common->allocator, 3 * (size_t)A->rows, sizeof(double));
    if (!*vectors[i]) return pl_fail_memory(error);
  }
  self->parts = pl_alloc(&common->allocator, SUMS * (size_t)A->chunks, sizeof(double));
  return self->parts ? PL_OK : pl_fail_memory(error);
}

static void destroy(pl_solver *common)
{
  bicgstab *self = (bicgstab *)common;
  double **vectors[VECTORS];
  list_vectors(self, vectors);
  for (int i = 0; i < VECTORS; i++) pl_free(&common->allocator, *vectors[i]);
  pl_free(&common->allocator, self->parts);
}

static pl_status prepare(pl_solver *self, const pl_bsr *A, const pl_filter *filter, pl_pool *pool,
                         pl_error *error)
{
  pl_status status =
      self->preconditioner->ops->prepare(self->preconditioner, A, filter, pool, error);
  return status ? status : pl_solver_correct(self, A, filter, pool, error);
}

/* ---- passes ---- */

static double add_parts(const run *now, int which)
{
  double sum = 0;
  for (int chunk = 0; chunk < now->A->chunks; chunk++)
    sum += now->self->parts[SUMS * chunk + which];
  return sum;
}

/* The rows of a chunk begin here; those of the next one begin where they end. */
static int row_of(const run *now, int chunk) { return now->A->chunk_rows[chunk]; }

static void filter_chunk(const run *now, int chunk, double *a)
{
  pl_filter_apply_range(now->filter, row_of(now, chunk), row_of(now, chunk + 1), a);
}

/* The first pass of the pairs' product, and y = A x in the chunk with the second one. */
static void measure_pairs(const run *now, const double *x)
{
  const pl_pairs *pairs = now->self->common.pairs;
  if (pairs) pl_pairs_measure(pairs, x, now->pool);
}

static void multiply_chunk(const run *now, int chunk, const double *x, double *y)
{
  const pl_pairs *pairs = now->self->common.pairs;
  now->self->kernel->multiply(now->A, chunk, x, y);
  if (pairs) (void)pl_pairs_spread(pairs, row_of(now, chunk), row_of(now, chunk + 1), x, y);
}

/* The chunk's parts of a.b and a.c. */
static void keep_dots(const run *now, int chunk, const double *a, const double *b, const double *c)
{
  bicgstab *self = now->self;
  self->kernel->dots(a, b, c, row_of(now, chunk), row_of(now, chunk + 1),
                     self->parts + SUMS * chunk);
}

static void residual_chunk(void *context, int chunk)
{
  const run *now = context;
  bicgstab *self = now->self;
  multiply_chunk(now, chunk, now->x, self->t);
  for (int i = 3 * row_of(now, chunk); i < 3 * row_of(now, chunk + 1); i++)
    self->r[i] = now->b[i] - self->t[i];
  filter_chunk(now, chunk, self->r);
  keep_dots(now, chunk, self->r, self->r, self->r);
}

/* r = P (b - A x); returns |r|. */
static double true_residual(run *now)
{
  measure_pairs(now, now->x);
  pl_parallel(now->pool, now->A->chunks, residual_chunk, now);
  now->report->products++;
  return sqrt(add_parts(now, 0));
}

static void precondition(run *now, const double *in, double *out)
{
  const pl_solver *common = &now->self->common;
  pl_solver_precondition(common, common->preconditioner, in, out, now->pool);
}

/* v = P A y, with v.first and v.v. */
static void first_product_chunk(void *context, int chunk)
{
  const run *now = context;
  bicgstab *self = now->self;
  multiply_chunk(now, chunk, self->y, self->v);
  filter_chunk(now, chunk, self->v);
  keep_dots(now, chunk, self->v, self->first, self->v);
}

/* t = P A z, with t.s and t.t. */
static void second_product_chunk(void *context, int chunk)
{
  const run *now = context;
  bicgstab *self = now->self;
  multiply_chunk(now, chunk, self->z, self->t);
  filter_chunk(now, chunk, self->t);
  keep_dots(now, chunk, self->t, self->s, self->t);
}

static void halve_chunk(void *context, int chunk)
{
  const run *now = context;
  now->self->kernel->halve(&now->step, row_of(now, chunk), row_of(now, chunk + 1),
                           now->self->parts + SUMS * chunk);
}

static void stabilise_chunk(void *context, int chunk)
{
  const run *now = context;
  now->self->kernel->stabilise(&now->step, row_of(now, chunk), row_of(now, chunk + 1),
                               now->self->parts + SUMS * chunk);
}

static void redirect_chunk(void *context, int chunk)
{
  const run *now = context;
  now->self->kernel->redirect(&now->step, row_of(now, chunk), row_of(now, chunk + 1));
}

/* ---- the iteration ---- */

static pl_status fail_diverged(const run *now, pl_error *error)
{
  return pl_fail(error, PL_E_DIVERGED,
                 "the linear system became infinite or undefined in iteration %d; use a smaller "
                 "time step",
                 now->report->iterations);
}

static void keep_if_better(run *now, double residual)
{
  if (!(residual < BETTER * now->best)) return;
  memcpy(now->self->best, now->x, 3 * (size_t)now->A->rows * sizeof *now->x);
  now->best = residual;
}

/* From the true residual in r until the recursion's r is no longer than goal, or until it breaks
 * down or gets nowhere: all are PL_OK, the true residual decides. PL_E_CONVERGENCE if the
 * iterations are used up. */
static pl_status iterate(run *now, double goal, pl_error *error)
{
  bicgstab *self = now->self;
  size_t size = 3 * (size_t)now->A->rows * sizeof *self->r;
  int chunks = now->A->chunks, max = (int)self->common.values[ITERATIONS];
  memcpy(self->first, self->r, size);
  memcpy(self->p, self->r, size);
  double rho = pl_dot(self->r, self->r, now->A->rows, now->pool), first = sqrt(rho);
  precondition(now, self->p, self->y);
  double min = INFINITY;
  for (int idle = 0; idle < PATIENCE; idle++) {
    if (now->report->iterations >= max || pl_watch_ended(now->A->watch)) return PL_E_CONVERGENCE;
    if (now->report->iterations > 0 && pl_watch_late(now->A->watch)) return PL_E_CONVERGENCE;

    // half way: along p
    measure_pairs(now, self->y);
    pl_parallel(now->pool, chunks, first_product_chunk, now);
    double sigma = add_parts(now, 0), vv = add_parts(now, 1);
    now->report->products++;
    if (!isfinite(sigma) || !isfinite(vv)) return fail_diverged(now, error);
    if (fabs(sigma) <= ORTHOGONAL * first * sqrt(vv)) return PL_OK;
    now->step.alpha = rho / sigma;
    pl_parallel(now->pool, chunks, halve_chunk, now);
    double ss = add_parts(now, 0);
    now->report->iterations++;
    if (!isfinite(ss)) return fail_diverged(now, error);
    if (sqrt(ss) <= goal) {
      pl_axpy(now->step.alpha, self->y, now->x, now->A->rows, now->pool);
      return PL_OK;
    }

    // the other half: along B s, as far as the residual falls
    if (!now->step.blocks) precondition(now, self->s, self->z);
    measure_pairs(now, self->z);
    pl_parallel(now->pool, chunks, second_product_chunk, now);
    double ts = add_parts(now, 0), tt = add_parts(now, 1);
    now->report->products++;
    if (!isfinite(ts) || !isfinite(tt)) return fail_diverged(now, error);
    now->step.omega = tt > 0 ? ts / tt : 0;
    pl_parallel(now->pool, chunks, stabilise_chunk, now);
    double rr = add_parts(now, 0), next = add_parts(now, 1);
    if (!isfinite(rr)) return fail_diverged(now, error);
    if (sqrt(rr) <= goal) return PL_OK;
    keep_if_better(now, sqrt(rr));
    if (rr < min) {
      min = rr;
      idle = 0;
    }
    if (sqrt(rr) > GROWTH * now->best) return PL_OK;
    if (fabs(next) <= ORTHOGONAL * first * sqrt(rr) || now->step.omega == 0) return PL_OK;

    now->step.beta = next / rho * (now->step.alpha / now->step.omega);
    rho = next;
    pl_parallel(now->pool, chunks, redirect_chunk, now);
    if (!now->step.blocks) precondition(now, self->p, self->y);
  }
  return PL_OK;
}

/* Goes back to the best x where the last one is worse; returns the true residual, left in r. */
static double finish(run *now)
{
  double residual = true_residual(now);
  if (!(residual <= now->best)) {
    memcpy(now->x, now->self->best, 3 * (size_t)now->A->rows * sizeof *now->x);
    residual = true_residual(now);
  }
  return now->report->residual = residual;
}

/* A preconditioner that was made for an earlier matrix may be what is singular. */
static pl_status fail_singular(const run *now, pl_error *error)
{
  now->self->common.preconditioner->refusals++;
  return pl_fail(error, PL_E_SINGULAR,
                 "the matrix is singular, or nearly so: bicgstab cannot reduce a residual of %.3g, "
                 "there is a motion that nothing resists; fix enough nodes or give the bodies mass",
                 now->report->residual);
}

static pl_status fail_convergence(const run *now, double target, pl_error *error)
{
  return pl_fail(error, PL_E_CONVERGENCE,
                 "bicgstab reached a residual of %.3g instead of %.3g in %d iterations; allow more "
                 "iterations or a larger tolerance, or take smaller steps",
                 now->report->residual, target, now->report->iterations);
}

static pl_status solve(pl_solver *common, const pl_bsr *A, const pl_filter *filter, const double *b,
                       double *x, double target, pl_pool *pool, pl_solve_report *report,
                       pl_error *error)
{
  bicgstab *self = (bicgstab *)common;
  run now = {.self = self,
             .A = A,
             .filter = filter,
             .b = b,
             .x = x,
             .pool = pool,
             .report = report,
             .step = {.blocks = pl_solver_blocks(common),
                      .first = self->first,
                      .x = x,
                      .r = self->r,
                      .p = self->p,
                      .v = self->v,
                      .s = self->s,
                      .t = self->t,
                      .y = self->y,
                      .z = self->z},
             .best = INFINITY};
  double residual = report->residual = true_residual(&now);
  if (!isfinite(residual)) return fail_diverged(&now, error);
  if (!(target >= 0))
    return pl_fail(error, PL_E_ARGUMENT, "a residual of %g cannot be aimed at", target);
  if (residual <= target) return PL_OK;

  const double first = residual;
  // rounding is no excuse where x has run away along a motion that nothing resists
  double excusable = fmax(UNSOLVED * fmax(residual, pl_norm(b, A->rows, pool)), PL_SMALLEST_NORM);
  for (int start = 0, stalls = 0; start < MOST_STARTS; start++) {
    double before = residual, goal = fmax(fmax(target, DEPTH * residual), PL_SMALLEST_NORM);
    keep_if_better(&now, residual);
    pl_status status = residual <= goal ? PL_OK : iterate(&now, goal, error);
    residual = finish(&now);
    if (status && status != PL_E_CONVERGENCE) return status;
    if (residual <= (1 + SLACK) * target) return PL_OK;
    if (status) break;
    if (residual <= 0.5 * before) continue;
    if (residual <=
        fmin(excusable, pl_rounding_level(A, common->pairs, filter, b, x, self->t, pool)))
      return PL_OK;
    if (++stalls == MOST_STALLS) return fail_singular(&now, error);
  }
  pl_status cancelled = pl_watch_check(A->watch, error);
  if (cancelled) return cancelled;
  // many times as many iterations as unknowns, and nothing gained
  if (report->iterations / MOST_ROUNDS > 3 * A->rows && residual > HARDLY * first)
    return fail_singular(&now, error);
  return fail_convergence(&now, target, error);
}

const pl_solver_ops pl_solver_bicgstab = {
    .info = {"bicgstab",
             "stabilised bi-conjugate gradients, also for matrices that are not symmetric",
             "van der Vorst 1992; Saad 2003, 7.4.2", params, PARAM_COUNT, NULL},
    .unsymmetric = 1,
    .state_size = sizeof(bicgstab),
    .create = create,
    .destroy = destroy,
    .prepare = prepare,
    .solve = solve,
};
