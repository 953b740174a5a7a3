/* For matrices whose skew part is small against the whole, as those of warped stiffness: what is
 * made for symmetric ones as long as it converges, else bicgstab.
 *
 * Conjugate gradients on such a matrix minimise nothing, but x and r change by the same p, so that
 * r stays the residual of x, whatever the matrix is. Their directions lose conjugacy by the skew
 * part: the residual falls to some level and then rises again. Well preconditioned they are below
 * a usual tolerance long before that, at one product for an iteration instead of two.
 *
 * A try that misses the target is given up after MOST_TRIED iterations. Then bicgstab goes on from
 * the better of the guess and what was reached, and has the next solves for itself: 1, 2, 4, ...
 * of them with each failure in a row. Counted, not clocked, so that runs can be repeated. Fewer
 * iterations than that are a budget: they are spent on one way. */
#include "core/error.h"
#include "core/memory.h"
#include "sparse/krylov.h"
#include "sparse/vector.h"

#include <string.h>

enum { SYMMETRIC, GENERAL, WAYS };
enum { MOST_TRIED = 300, MOST_SKIPPED = 64 };

typedef struct nearly {
  pl_solver common;
  pl_solver *ways[WAYS];
  int is_ready[WAYS]; /* prepared for the matrix in hand */
  int now;            /* the way of the last solve, or of the next one after a prepare */
  int skipped, left;  /* solves for bicgstab alone after the last failure, and still to come */
  double *guess, *product;
} nearly;

static pl_status add_way(nearly *self, int way, const pl_solver_ops *ops, const pl_bsr *A,
                         pl_error *error)
{
  pl_selection part = {.member = &ops->info};
  pl_param_presets(part.member, part.values);
  for (int i = 0; i < PL_KRYLOV_PARAM_COUNT; i++) part.values[i] = self->common.values[i];
  double *max = &part.values[PL_KRYLOV_ITERATIONS];
  if (way == SYMMETRIC && *max > MOST_TRIED) *max = MOST_TRIED;
  return pl_solver_create(&self->common.allocator, &part, self->common.chosen, A, &self->ways[way],
                          error);
}

static pl_status create(pl_solver *common, const pl_bsr *A, const double *values, pl_error *error)
{
  (void)values;
  nearly *self = (nearly *)common;
  self->guess = pl_alloc(&common->allocator, 3 * (size_t)A->rows, sizeof *self->guess);
  self->product = pl_alloc(&common->allocator, 3 * (size_t)A->rows, sizeof *self->product);
  if (!self->guess || !self->product) return pl_fail_memory(error);
  pl_status status = add_way(self, SYMMETRIC, &pl_solver_auto, A, error);
  return status ? status : add_way(self, GENERAL, &pl_solver_bicgstab, A, error);
}

static void destroy(pl_solver *common)
{
  nearly *self = (nearly *)common;
  for (int way = 0; way < WAYS; way++) pl_solver_destroy(self->ways[way]);
  pl_free(&common->allocator, self->guess);
  pl_free(&common->allocator, self->product);
}

/* ---- which way ---- */

static void give_up(nearly *self)
{
  self->skipped = self->skipped == 0                 ? 1
                  : self->skipped < MOST_SKIPPED / 2 ? 2 * self->skipped
                                                     : MOST_SKIPPED;
  self->left = self->skipped;
}

static pl_status prepare_way(nearly *self, int way, const pl_bsr *A, const pl_filter *filter,
                             pl_pool *pool, pl_error *error)
{
  self->now = way;
  if (self->is_ready[way]) return PL_OK;
  pl_status status = pl_solver_prepare(self->ways[way], A, self->common.pairs, filter, pool, error);
  self->is_ready[way] = !status;
  return status;
}

static pl_status prepare(pl_solver *common, const pl_bsr *A, const pl_filter *filter, pl_pool *pool,
                         pl_error *error)
{
  nearly *self = (nearly *)common;
  memset(self->is_ready, 0, sizeof self->is_ready);
  if (self->left == 0) {
    if (!prepare_way(self, SYMMETRIC, A, filter, pool, NULL)) return PL_OK;
    give_up(self);
  }
  return prepare_way(self, GENERAL, A, filter, pool, error);
}

/* ---- the solve ---- */

/* Goes back to the guess where what was reached is worse; 1 if it was better. */
static int keep_better(nearly *self, const pl_bsr *A, const pl_filter *filter, const double *b,
                       double *x, pl_solve_report *reached, pl_pool *pool)
{
  double *r = self->product;
  pl_bsr_multiply(A, self->guess, r, pool);
  pl_pairs_multiply(self->common.pairs, self->guess, r, pool);
  for (int i = 0; i < 3 * A->rows; i++) r[i] = b[i] - r[i];
  pl_filter_apply(filter, r);
  double before = pl_norm(r, A->rows, pool);
  reached->products++;
  if (reached->residual < before) return 1;
  memcpy(x, self->guess, 3 * (size_t)A->rows * sizeof *x);
  reached->residual = before;
  reached->left = r;
  return 0;
}

/* Where this fails, x is no worse than it was. */
static pl_status solve_symmetric(nearly *self, const pl_bsr *A, const pl_filter *filter,
                                 const double *b, double *x, double target, pl_pool *pool,
                                 pl_solve_report *report, pl_error *error)
{
  memcpy(self->guess, x, 3 * (size_t)A->rows * sizeof *x);
  pl_solver_limit(self->ways[SYMMETRIC], self->common.values[PL_KRYLOV_ITERATIONS]);
  pl_status status = prepare_way(self, SYMMETRIC, A, filter, pool, error);
  if (!status)
    status = pl_solver_solve(self->ways[SYMMETRIC], A, filter, b, x, target, pool, report, error);
  if (!status) self->skipped = 0;
  if (!status || status == PL_E_CANCELLED) return status;
  int is_better = keep_better(self, A, filter, b, x, report, pool);
  int is_budget =
      status == PL_E_CONVERGENCE && self->common.values[PL_KRYLOV_ITERATIONS] <= MOST_TRIED;
  if (!is_better || !is_budget) give_up(self);
  return status;
}

static pl_status solve(pl_solver *common, const pl_bsr *A, const pl_filter *filter, const double *b,
                       double *x, double target, pl_pool *pool, pl_solve_report *report,
                       pl_error *error)
{
  nearly *self = (nearly *)common;
  pl_solver *general = self->ways[GENERAL];
  double max = common->values[PL_KRYLOV_ITERATIONS];
  pl_solve_report tried = {0};
  if (self->left > 0) {
    self->left--;
  } else {
    pl_error failure = {0};
    pl_status status = solve_symmetric(self, A, filter, b, x, target, pool, &tried, &failure);
    // a budget that is used up is used up
    if (!status || status == PL_E_CANCELLED ||
        (status == PL_E_CONVERGENCE && tried.iterations >= max)) {
      *report = tried;
      if (status && error) *error = failure;
      return status;
    }
  }
  pl_solver_limit(general, max - tried.iterations);
  pl_status status = prepare_way(self, GENERAL, A, filter, pool, error);
  if (!status) status = pl_solver_solve(general, A, filter, b, x, target, pool, report, error);
  report->iterations += tried.iterations;
  report->products += tried.products;
  return status;
}

static const pl_solver *choice(const pl_solver *common, const char **reason)
{
  const nearly *self = (const nearly *)common;
  const pl_solver *used = pl_solver_in_use(self->ways[self->now], reason);
  *reason = self->now == SYMMETRIC ? "the matrix is near enough to a symmetric one"
                                   : "what is made for symmetric matrices did not converge";
  return used;
}

const pl_solver_ops pl_solver_nearly_symmetric = {
    .info = {"nearly-symmetric",
             "for matrices that are not quite symmetric: what auto takes for symmetric ones as "
             "long as that converges, then bicgstab",
             "", pl_krylov_params, PL_KRYLOV_PARAM_COUNT, NULL},
    .unsymmetric = 1,
    .state_size = sizeof(nearly),
    .companion = &pl_preconditioner_none,
    .create = create,
    .destroy = destroy,
    .prepare = prepare,
    .solve = solve,
    .choice = choice,
};
