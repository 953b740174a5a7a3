/* Preconditioned conjugate gradients with constraints as projections.
 *
 * Hestenes & Stiefel 1952 with a preconditioner B (Saad 2003, algorithm 9.1), in the space that the
 * filter P leaves free (Ascher & Boxerman 2003): r = P (b - A x), z = B r with B = P B P, so that
 * every direction p = P p. One iteration makes three passes over memory:
 *
 *   q = P A p, p.q        x += alpha p, r -= alpha q, z = B r, r.r, r.z        p = z + beta p
 *
 * The recursion's r drifts away from the true residual by rounding. When r is small enough, the
 * true one is computed; if it misses the target by more than SLACK, the iteration starts afresh
 * from it. A start that does not halve the true residual, which then is no larger than PL_ROUNDING
 * times | |b| + |A||x| | (Oettli & Prager's measure of what the data allow), has reached all there
 * is. */
#include "core/error.h"
#include "core/memory.h"
#include "sparse/rounding.h"
#include "sparse/solver.h"
#include "sparse/sparse_kernel.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

#define SLACK    0.01  /* by which the true residual may exceed the target */
#define DEPTH    1e-14 /* how far one start reduces the residual at most */
#define FLATNESS 1e-14 /* a curvature this much below the largest is none */
enum { MOST_STARTS = 20 };

enum { TOLERANCE, ITERATIONS, PARAM_COUNT };

static const pl_param params[PARAM_COUNT] = {
    [TOLERANCE] = {"tolerance", "1", "residual at the end, relative to the right side", 1e-6, 1e-15,
                   0.5, NULL, 0},
    [ITERATIONS] = {"iterations", "count", "most iterations in one solve", 10000, 1, 1e9, NULL, 0},
};

typedef struct cg {
  pl_solver common;
  const pl_sparse_kernel *kernel;
  double *r, *z, *p, *q;
  double *parts; /* two sums for each chunk */
} cg;

/* One call of solve, as the passes see it. */
typedef struct run {
  cg *self;
  const pl_bsr *A;
  const pl_filter *filter;
  const double *b, *blocks;
  double *x;
  pl_pool *pool;
  pl_solve_report *report;
  pl_advance step;
  double largest; /* curvature p.Ap / p.B^-1 p met so far */
} run;

static pl_status create(pl_solver *common, const pl_bsr *A, const double *values, pl_error *error)
{
  (void)values;
  cg *self = (cg *)common;
  self->kernel = pl_sparse_kernel_pick();
  double **vectors[] = {&self->r, &self->z, &self->p, &self->q};
  for (int i = 0; i < 4; i++) {
    *vectors[i] = pl_alloc(&common->allocator, 3 * (size_t)A->rows, sizeof(double));
    if (!*vectors[i]) return pl_fail_memory(error);
  }
  self->parts = pl_alloc(&common->allocator, 2 * (size_t)A->chunks, sizeof(double));
  return self->parts ? PL_OK : pl_fail_memory(error);
}

static void destroy(pl_solver *common)
{
  cg *self = (cg *)common;
  double *arrays[] = {self->r, self->z, self->p, self->q, self->parts};
  for (int i = 0; i < 5; i++) pl_free(&common->allocator, arrays[i]);
}

static pl_status prepare(pl_solver *self, const pl_bsr *A, const pl_filter *filter, pl_pool *pool,
                         pl_error *error)
{
  return self->preconditioner->ops->prepare(self->preconditioner, A, filter, pool, error);
}

/* ---- passes ---- */

/* The sum of the chunks' parts, in the order of the chunks. */
static double add_parts(const run *now, int which)
{
  double sum = 0;
  for (int chunk = 0; chunk < now->A->chunks; chunk++) sum += now->self->parts[2 * chunk + which];
  return sum;
}

static void residual_chunk(void *context, int chunk)
{
  const run *now = context;
  cg *self = now->self;
  int first = now->A->chunk_rows[chunk], last = now->A->chunk_rows[chunk + 1];
  self->kernel->multiply(now->A, chunk, now->x, self->q);
  for (int i = 3 * first; i < 3 * last; i++) self->r[i] = now->b[i] - self->q[i];
  pl_filter_apply_range(now->filter, first, last, self->r);
  double sum = 0;
  for (int i = 3 * first; i < 3 * last; i++) sum += self->r[i] * self->r[i];
  self->parts[2 * chunk] = sum;
}

/* r = P (b - A x); returns |r|. */
static double true_residual(run *now)
{
  pl_parallel(now->pool, now->A->chunks, residual_chunk, now);
  now->report->products++;
  return sqrt(add_parts(now, 0));
}

static int is_zero(const double *x, int blocks)
{
  for (int i = 0; i < 3 * blocks; i++) {
    if (x[i] != 0) return 0;
  }
  return 1;
}

/* The same at the start, without a product where x is zero. */
static double first_residual(run *now)
{
  double *r = now->self->r;
  if (!is_zero(now->x, now->A->rows)) return true_residual(now);
  memcpy(r, now->b, 3 * (size_t)now->A->rows * sizeof *r);
  pl_filter_apply(now->filter, r);
  return pl_norm(r, now->A->rows, now->pool);
}

static void product_chunk(void *context, int chunk)
{
  const run *now = context;
  cg *self = now->self;
  // p = P p, hence p.PAp = p.Ap: the sum may be taken before q is filtered
  self->parts[2 * chunk] = self->kernel->multiply_dot(now->A, chunk, self->p, self->q);
  pl_filter_apply_range(now->filter, now->A->chunk_rows[chunk], now->A->chunk_rows[chunk + 1],
                        self->q);
}

/* q = P A p; returns p.q. */
static double product(run *now)
{
  pl_parallel(now->pool, now->A->chunks, product_chunk, now);
  now->report->products++;
  return add_parts(now, 0);
}

static void precondition(run *now)
{
  pl_preconditioner *preconditioner = now->self->common.preconditioner;
  preconditioner->ops->apply(preconditioner, now->self->r, now->self->z, now->pool);
}

static void advance_chunk(void *context, int chunk)
{
  const run *now = context;
  now->self->kernel->advance(&now->step, now->A->chunk_rows[chunk], now->A->chunk_rows[chunk + 1],
                             now->self->parts + 2 * chunk);
}

/* x += alpha p, r -= alpha q, z = B r; returns r.r and, in rz, r.z. */
static double advance(run *now, double alpha, double *rz)
{
  now->step.alpha = alpha;
  pl_parallel(now->pool, now->A->chunks, advance_chunk, now);
  double rr = add_parts(now, 0);
  if (now->blocks) {
    *rz = add_parts(now, 1);
  } else {
    precondition(now);
    *rz = pl_dot(now->self->r, now->self->z, now->A->rows, now->pool);
  }
  return rr;
}

/* ---- what rounding can do ---- */

/* Is the curvature p.q negative, or just nothing? */
static pl_status fail_curvature(run *now, double pq, pl_error *error)
{
  double *z = now->self->z, *p = now->self->p, size = 0;
  pl_absolute_product(now->A, p, z);
  for (int i = 0; i < 3 * now->A->rows; i++) size += fabs(p[i]) * z[i];
  if (pq < -PL_ROUNDING * size)
    return pl_fail(error, PL_E_INDEFINITE,
                   "the matrix is indefinite: iteration %d met a direction of negative curvature "
                   "(%.3g); use a smaller time step or a tangent without negative eigenvalues",
                   now->report->iterations + 1, pq / size);
  return pl_fail(error, PL_E_SINGULAR,
                 "the matrix is singular: iteration %d met a direction that nothing resists; fix "
                 "enough nodes or give the bodies mass",
                 now->report->iterations + 1);
}

static pl_status fail_preconditioner(const run *now, pl_error *error)
{
  return pl_fail(
      error, PL_E_INDEFINITE,
      "the preconditioner \"%s\" is not positive definite for this matrix; choose another",
      now->self->common.preconditioner->ops->info.name);
}

static pl_status fail_diverged(const run *now, pl_error *error)
{
  return pl_fail(error, PL_E_DIVERGED,
                 "the linear system became infinite or undefined in iteration %d; use a smaller "
                 "time step",
                 now->report->iterations);
}

static pl_status fail_convergence(const run *now, double residual, double target, pl_error *error)
{
  return pl_fail(error, PL_E_CONVERGENCE,
                 "conjugate gradients reached a residual of %.3g instead of %.3g in %d iterations; "
                 "allow more iterations or a larger tolerance",
                 residual, target, now->report->iterations);
}

/* ---- the iteration ---- */

/* From the true residual in r until the recursion's r is no longer than goal. PL_E_CONVERGENCE if
 * the iterations are used up (the caller knows the sentence). */
static pl_status iterate(run *now, double goal, pl_error *error)
{
  cg *self = now->self;
  int rows = now->A->rows, most = (int)self->common.values[ITERATIONS];
  precondition(now);
  double rz = pl_dot(self->r, self->z, rows, now->pool);
  memcpy(self->p, self->z, 3 * (size_t)rows * sizeof *self->p);

  // p.B^-1 p follows from the recursion, since r is orthogonal to the last p
  double length = rz;
  for (;;) {
    if (now->report->iterations >= most) return PL_E_CONVERGENCE;
    if (rz <= 0) return fail_preconditioner(now, error);
    double pq = product(now);
    if (!isfinite(pq) || !isfinite(rz)) return fail_diverged(now, error);
    if (pq > now->largest * length) now->largest = pq / length;
    if (pq <= FLATNESS * now->largest * length) return fail_curvature(now, pq, error);

    double before = rz, rr = advance(now, rz / pq, &rz);
    now->report->iterations++;
    if (!isfinite(rr)) return fail_diverged(now, error);
    if (sqrt(rr) <= goal) return PL_OK;

    double beta = rz / before;
    length = rz + beta * beta * length;
    pl_xpay(self->z, beta, self->p, rows, now->pool);
  }
}

static pl_status solve(pl_solver *common, const pl_bsr *A, const pl_filter *filter, const double *b,
                       double *x, double target, pl_pool *pool, pl_solve_report *report,
                       pl_error *error)
{
  cg *self = (cg *)common;
  const double *blocks = common->preconditioner->ops->blocks(common->preconditioner);
  run now = {.self = self,
             .A = A,
             .filter = filter,
             .b = b,
             .blocks = blocks,
             .x = x,
             .pool = pool,
             .report = report,
             .step = {0, self->p, self->q, blocks, x, self->r, self->z}};
  double residual = report->residual = first_residual(&now);
  if (!isfinite(residual)) return fail_diverged(&now, error);
  if (!(target >= 0))
    return pl_fail(error, PL_E_ARGUMENT, "a residual of %g cannot be aimed at", target);
  if (residual <= target) return PL_OK;

  for (int start = 0; start < MOST_STARTS; start++) {
    double before = residual, goal = fmax(fmax(target, DEPTH * residual), PL_SMALLEST_NORM);
    pl_status status = residual <= goal ? PL_OK : iterate(&now, goal, error);
    residual = report->residual = true_residual(&now);
    if (status && status != PL_E_CONVERGENCE) return status;
    if (residual <= (1 + SLACK) * target) return PL_OK;
    if (status) break;
    if (residual > 0.5 * before && residual <= pl_rounding_level(A, filter, b, x, self->z, pool))
      return PL_OK;
  }
  return fail_convergence(&now, residual, target, error);
}

const pl_solver_ops pl_solver_cg = {
    .info = {"cg", "preconditioned conjugate gradients", "Saad 2003, algorithm 9.1", params,
             PARAM_COUNT},
    .state_size = sizeof(cg),
    .create = create,
    .destroy = destroy,
    .prepare = prepare,
    .solve = solve,
};
