/* Residuals, restarts and errors of Krylov solvers. */
#include "sparse/krylov.h"

#include "core/error.h"
#include "core/memory.h"
#include "sparse/bands.h"
#include "sparse/rounding.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

#define SLACK      0.01  /* by which the true residual may exceed the target */
#define DEPTH      1e-14 /* how far one start reduces the residual at most */
#define GROWTH     1e-4  /* rounding errors of A x that are too much of b */
#define AGAIN      0.3   /* part of the target that a further start aims at */
#define LEAST_FALL 0.1   /* what a start in single precision must make of the residual */
enum { MOST_STARTS = 20 };

/* What an iteration costs with the correction for pairs and around multigrid in double precision,
 * against one without. */
static const double corrected = 1.25;

const pl_param pl_krylov_params[PL_KRYLOV_PARAM_COUNT] = {PL_KRYLOV_PARAMS};

pl_status pl_krylov_create(pl_solver *common, const pl_bsr *A, int count, pl_error *error)
{
  pl_krylov *self = (pl_krylov *)common;
  self->kernel = pl_sparse_kernel_pick();
  self->base = common->preconditioner;
  for (int i = 0; i < count; i++) {
    self->vectors[i] = pl_alloc(&common->allocator, 3 * (size_t)A->rows, sizeof(double));
    if (!self->vectors[i]) return pl_fail_memory(error);
  }
  self->parts = pl_alloc(&common->allocator, 2 * (size_t)A->chunks, sizeof(double));
  return self->parts ? PL_OK : pl_fail_memory(error);
}

void pl_krylov_destroy(pl_solver *common)
{
  pl_krylov *self = (pl_krylov *)common;
  for (int i = 0; i < PL_KRYLOV_MOST_VECTORS; i++) pl_free(&common->allocator, self->vectors[i]);
  pl_free(&common->allocator, self->parts);
}

pl_status pl_krylov_prepare(pl_solver *common, const pl_bsr *A, const pl_filter *filter,
                            pl_pool *pool, pl_error *error)
{
  pl_preconditioner *preconditioner = common->preconditioner;
  pl_status status = preconditioner->ops->prepare(preconditioner, A, filter, pool, error);
  common->effort = preconditioner->effort * (common->pairs ? corrected : 1);
  return status ? status : pl_solver_correct(common, A, filter, pool, error);
}

/* ---- passes ---- */

double pl_krylov_sum(const pl_krylov *self, int which)
{
  double sum = 0;
  for (int chunk = 0; chunk < self->A->chunks; chunk++) sum += self->parts[2 * chunk + which];
  return sum;
}

static void residual_chunk(void *context, int chunk)
{
  pl_krylov *self = context;
  double *r = self->vectors[PL_KRYLOV_R], *product = self->vectors[PL_KRYLOV_WORK];
  int first = self->A->chunk_rows[chunk], last = self->A->chunk_rows[chunk + 1];
  if (!self->bands) self->kernel->multiply(self->A, chunk, self->x, product);
  if (self->common.pairs) (void)pl_pairs_spread(self->common.pairs, first, last, self->x, product);
  for (int i = 3 * first; i < 3 * last; i++) r[i] = self->b[i] - product[i];
  pl_filter_apply_range(self->filter, first, last, r);
  double sum = 0;
  for (int i = 3 * first; i < 3 * last; i++) sum += r[i] * r[i];
  self->parts[2 * chunk] = sum;
}

double pl_krylov_residual(pl_krylov *self)
{
  if (self->common.pairs) pl_pairs_measure(self->common.pairs, self->x, self->pool);
  if (self->bands)
    pl_bands_multiply(self->bands, self->x, self->vectors[PL_KRYLOV_WORK], NULL, NULL, self->pool);
  pl_parallel(self->pool, self->A->chunks, residual_chunk, self);
  self->report->products++;
  return sqrt(pl_krylov_sum(self, 0));
}

static int is_zero(const double *x, int blocks)
{
  for (int i = 0; i < 3 * blocks; i++) {
    if (x[i] != 0) return 0;
  }
  return 1;
}

/* The same at the start, without a product where x is zero. */
static double first_residual(pl_krylov *self)
{
  double *r = self->vectors[PL_KRYLOV_R];
  if (!is_zero(self->x, self->A->rows)) return pl_krylov_residual(self);
  memcpy(r, self->b, 3 * (size_t)self->A->rows * sizeof *r);
  pl_filter_apply(self->filter, r);
  return pl_norm(r, self->A->rows, self->pool);
}

typedef struct product {
  pl_krylov *self;
  const double *p;
  double *y;
} product;

static void product_chunk(void *context, int chunk)
{
  const product *job = context;
  pl_krylov *self = job->self;
  int first = self->A->chunk_rows[chunk], last = self->A->chunk_rows[chunk + 1];
  // p = P p, hence p.PAp = p.Ap: the sum may be taken before y is filtered
  self->parts[2 * chunk] = self->kernel->multiply_dot(self->A, chunk, job->p, job->y);
  if (self->common.pairs)
    self->parts[2 * chunk] += pl_pairs_spread(self->common.pairs, first, last, job->p, job->y);
  pl_filter_apply_range(self->filter, first, last, job->y);
}

double pl_krylov_product(pl_krylov *self, const double *p, double *y)
{
  product job = {self, p, y};
  if (self->common.pairs) pl_pairs_measure(self->common.pairs, p, self->pool);
  pl_parallel(self->pool, self->A->chunks, product_chunk, &job);
  self->report->products++;
  return pl_krylov_sum(self, 0);
}

void pl_krylov_precondition(pl_krylov *self, const double *r, double *z)
{
  pl_solver_precondition(&self->common, self->base, r, z, self->pool);
}

int pl_krylov_spent(const pl_krylov *self)
{
  return self->report->iterations >= (int)self->common.values[PL_KRYLOV_ITERATIONS] ||
         pl_watch_ended(self->A->watch) ||
         (self->report->iterations > 0 && pl_watch_late(self->A->watch));
}

/* ---- errors ---- */

pl_status pl_krylov_fail_curvature(pl_krylov *self, const double *p, double curvature,
                                   pl_error *error)
{
  double *z = self->vectors[PL_KRYLOV_WORK], size = 0;
  pl_absolute_product(self->A, self->common.pairs, p, z);
  for (int i = 0; i < 3 * self->A->rows; i++) size += fabs(p[i]) * z[i];
  if (curvature < -PL_ROUNDING * size)
    return pl_fail(error, PL_E_INDEFINITE,
                   "the matrix is indefinite: iteration %d met a direction of negative curvature "
                   "(%.3g); use a smaller time step or a tangent without negative eigenvalues",
                   self->report->iterations + 1, curvature / size);
  return pl_fail(error, PL_E_SINGULAR,
                 "the matrix is singular: iteration %d met a direction that nothing resists; fix "
                 "enough nodes or give the bodies mass",
                 self->report->iterations + 1);
}

pl_status pl_krylov_fail_preconditioner(pl_krylov *self, double rz, pl_error *error)
{
  self->common.preconditioner->refusals++;
  if (isnan(rz)) return pl_krylov_fail_diverged(self, error);
  return pl_fail(error, PL_E_INDEFINITE,
                 "the preconditioner \"%s\" is not positive definite for this matrix, which may be "
                 "indefinite; choose another",
                 self->common.preconditioner->ops->info.name);
}

pl_status pl_krylov_fail_diverged(const pl_krylov *self, pl_error *error)
{
  return pl_fail(error, PL_E_DIVERGED,
                 "the linear system became infinite or undefined in iteration %d; use a smaller "
                 "time step",
                 self->report->iterations);
}

static pl_status fail_convergence(const pl_krylov *self, double residual, double target,
                                  pl_error *error)
{
  return pl_fail(error, PL_E_CONVERGENCE,
                 "%s reached a residual of %.3g instead of %.3g in %d iterations; "
                 "allow more iterations or a larger tolerance",
                 self->common.ops->info.name, residual, target, self->report->iterations);
}

static pl_status fail_growth(const pl_krylov *self, pl_error *error)
{
  return pl_fail(error, PL_E_SINGULAR,
                 "the matrix is singular or nearly so: after %d iterations of %s the solution has "
                 "grown beyond what can be computed; fix enough nodes or give the bodies mass",
                 self->report->iterations, self->common.ops->info.name);
}

/* ---- the solve ---- */

pl_status pl_krylov_solve(pl_solver *common, const pl_bsr *A, const pl_filter *filter,
                          const double *b, double *x, double target, pl_pool *pool,
                          pl_solve_report *report, pl_krylov_iteration *iterate, pl_error *error)
{
  pl_krylov *self = (pl_krylov *)common;
  self->A = A;
  self->filter = filter;
  self->b = b;
  self->x = x;
  self->pool = pool;
  self->report = report;
  self->largest = 0;
  self->bands = pl_solver_bands(common);
  pl_preconditioner *preconditioner = common->preconditioner;
  // single precision knows nothing of pairs
  self->single = preconditioner && preconditioner->ops->single && !common->pairs
                     ? preconditioner->ops->single(preconditioner)
                     : NULL;
  double first = first_residual(self), residual = report->residual = first;
  if (!isfinite(residual)) return pl_krylov_fail_diverged(self, error);
  if (!(target >= 0))
    return pl_fail(error, PL_E_ARGUMENT, "a residual of %g cannot be aimed at", target);
  if (residual <= target) return PL_OK;

  double aim = target;
  for (int start = 0; start < MOST_STARTS; start++) {
    double before = residual, goal = fmax(fmax(aim, DEPTH * residual), PL_SMALLEST_NORM);
    self->aim = goal;
    self->known = INFINITY;
    pl_status status = residual <= goal ? PL_OK : iterate(self, goal, error);
    int is_known = self->known <= (1 + SLACK) * target;
    residual = report->residual = is_known ? self->known : pl_krylov_residual(self);
    report->left = is_known ? NULL : self->vectors[PL_KRYLOV_R];
    if (status && status != PL_E_CONVERGENCE) return status;
    if (residual <= (1 + SLACK) * target) return PL_OK;
    if (status) break;
    // a start that missed by little, or measured by another norm, is followed by a bolder one
    if (self->aim <= target) aim = AGAIN * target;
    if (self->single) {
      // single precision has to be worth it
      if (residual > LEAST_FALL * before) self->single = NULL;
    } else if (residual > 0.5 * before) {
      double level = pl_rounding_level(self->A, common->pairs, self->filter, self->b, self->x,
                                       self->vectors[PL_KRYLOV_WORK], self->pool);
      // a solver that does not watch the curvature meets singular matrices by a growing x
      if (common->ops->indefinite && level > GROWTH * first + 2 * PL_SMALLEST_NORM)
        return fail_growth(self, error);
      if (residual <= level) return PL_OK;
      if (common->ops->indefinite && residual > 0.99 * before) break;
    }
  }
  pl_status cancelled = pl_watch_check(self->A->watch, error);
  return cancelled ? cancelled : fail_convergence(self, residual, target, error);
}
