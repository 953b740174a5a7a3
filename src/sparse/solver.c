/* The families of solvers and preconditioners, and the way to their members. */
#include "sparse/solver.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/functions.h"
#include "sparse/bands.h"
#include "sparse/correction.h"
#include "sparse/multigrid.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

/* What counts for an iteration of a solve that did not reach its target, where costs are counted.
 */
enum { CUT_OFF = 10 };

/* How often a solve prepares a refused preconditioner again. */
enum { MOST_REFUSALS = 2 };

/* Places of the first values of every solver. */
enum { TOLERANCE, ITERATIONS };

#define X(name) &pl_preconditioner_##name.info,
PL_FAMILY(preconditioner, "what makes an iterative solver need fewer iterations",
          PL_PRECONDITIONERS(X));
#undef X

#define X(name) &pl_solver_##name.info,
PL_FAMILY(solver, "how linear systems are solved", PL_SOLVERS(X));
#undef X

void pl_preconditioner_destroy(pl_preconditioner *self)
{
  if (!self) return;
  pl_allocator allocator = self->allocator;
  self->ops->destroy(self);
  pl_free(&allocator, self);
}

pl_status pl_preconditioner_create(const pl_allocator *allocator, const pl_selection *part,
                                   const pl_bsr *A, pl_preconditioner **out, pl_error *error)
{
  // a member's info stands at the beginning of its ops
  const pl_preconditioner_ops *ops = (const pl_preconditioner_ops *)part->member;
  pl_preconditioner *self = pl_alloc(allocator, 1, ops->state_size);
  if (!self) return pl_fail_memory(error);
  self->ops = ops;
  self->allocator = *allocator;
  self->rows = A->rows;
  self->effort = 1;
  *out = self;
  return ops->create(self, A, part->values, error);
}

pl_status pl_solver_create(const pl_allocator *allocator, const pl_selection *solver,
                           const pl_selection *preconditioner, const pl_bsr *A, pl_solver **out,
                           pl_error *error)
{
  *out = NULL;
  const pl_solver_ops *ops = (const pl_solver_ops *)solver->member;
  pl_solver *self = pl_alloc(allocator, 1, ops->state_size);
  if (!self) return pl_fail_memory(error);
  self->ops = ops;
  self->allocator = *allocator;
  self->rows = A->rows;
  memcpy(self->values, solver->values, sizeof self->values);
  self->chosen = preconditioner;
  self->iterations = self->values[ITERATIONS];
  pl_selection own = {0};
  if (ops->companion) {
    own.member = &ops->companion->info;
    memcpy(own.values, self->values + ops->companion_values,
           (size_t)own.member->param_count * sizeof *own.values);
    preconditioner = &own;
  }
  pl_status status =
      pl_preconditioner_create(allocator, preconditioner, A, &self->preconditioner, error);
  if (!status) status = ops->create(self, A, self->values, error);
  if (status)
    pl_solver_destroy(self);
  else
    *out = self;
  return status;
}

void pl_solver_destroy(pl_solver *solver)
{
  if (!solver) return;
  pl_allocator allocator = solver->allocator;
  solver->ops->destroy(solver);
  pl_preconditioner_destroy(solver->preconditioner);
  pl_free(&allocator, solver);
}

const pl_solver *pl_solver_in_use(const pl_solver *solver, const char **reason)
{
  *reason = "";
  return solver->ops->choice ? solver->ops->choice(solver, reason) : solver;
}

double pl_solver_tolerance(const pl_solver *solver) { return solver->values[TOLERANCE]; }

void pl_solver_limit(pl_solver *solver, double max)
{
  solver->values[ITERATIONS] = max < solver->iterations ? max : solver->iterations;
}

static pl_status check_rows(const pl_solver *solver, const pl_bsr *A, pl_error *error)
{
  if (A->rows == solver->rows) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT, "a matrix of %d rows was given to a solver made for %d",
                 A->rows, solver->rows);
}

pl_status pl_solver_prepare(pl_solver *solver, const pl_bsr *A, pl_pairs *pairs,
                            const pl_filter *filter, pl_pool *pool, pl_error *error)
{
  pl_status status = check_rows(solver, A, error);
  if (status) return status;
  solver->pairs = pl_pairs_exist(pairs) ? pairs : NULL;
  solver->pairs_version = pl_pairs_version(pairs);
  if (solver->pairs && pairs->rows != solver->rows)
    return pl_fail(error, PL_E_ARGUMENT, "pairs over %d rows were given to a solver made for %d",
                   pairs->rows, solver->rows);
  if (solver->pairs) pl_pairs_close(pairs);
  solver->effort = 1;
  solver->preconditioner->pairs = solver->pairs;
  status = solver->ops->prepare(solver, A, filter, pool, error);
  solver->filter_version = filter ? filter->version : 0;
  solver->preconditioner->solves = solver->preconditioner->iterations = 0;
  solver->preconditioner->with_pairs = solver->pairs != NULL;
  return status;
}

struct pl_bands *pl_solver_bands(const pl_solver *solver)
{
  pl_preconditioner *base = solver->preconditioner;
  const pl_single *single = base->ops->single ? base->ops->single(base) : NULL;
  return single ? single->bands : NULL;
}

void pl_solver_multiply_two(const pl_solver *solver, const pl_bsr *A, const double *x, double *y,
                            const double *other_x, double *other_y, pl_pool *pool)
{
  pl_bands *bands = pl_solver_bands(solver);
  if (bands)
    pl_bands_multiply(bands, x, y, other_x, other_y, pool);
  else
    pl_bsr_multiply_two(A, x, y, other_x, other_y, pool);
}

void pl_solver_forget(pl_solver *solver) { solver->filter_version = UINT64_MAX; }

void pl_solver_expect_indefinite(pl_solver *solver, int expects)
{
  if (solver->expects_indefinite == expects) return;
  solver->expects_indefinite = expects;
  pl_solver_forget(solver);
}

pl_status pl_solver_correct(pl_solver *solver, const pl_bsr *A, const pl_filter *filter,
                            pl_pool *pool, pl_error *error)
{
  return solver->pairs ? pl_correction_prepare(solver->pairs, A, filter, pool, error) : PL_OK;
}

void pl_solver_precondition(const pl_solver *solver, pl_preconditioner *base, const double *r,
                            double *z, pl_pool *pool)
{
  if (solver->pairs)
    pl_correction_apply(solver->pairs, base, r, z, pool);
  else
    base->ops->apply(base, r, z, pool);
}

const double *pl_solver_blocks(const pl_solver *solver)
{
  const pl_preconditioner *base = solver->preconditioner;
  return solver->pairs ? NULL : base->ops->blocks(base);
}

/* How many more a solve that was cut off would have needed from a residual of about first, if it
 * had gone on at its pace; at most CUT_OFF times as many as it took. */
static int missing_iterations(const pl_solve_report *report, double first, double target)
{
  double max = (double)CUT_OFF * report->iterations, done = pl_ln(first / report->residual);
  double rest = report->iterations * pl_ln(report->residual / target) / done;
  return done > 0 && rest >= 0 && rest < max ? (int)ceil(rest) : (int)max;
}

/* A solve that goes on from where a preconditioner was refused, after another preparation: that may
 * renew what it has kept, or take another one. */
static pl_status try_again(pl_solver *solver, const pl_bsr *A, const pl_filter *filter,
                           const double *b, double *x, double target, pl_pool *pool,
                           pl_solve_report *report, pl_error *error)
{
  pl_solve_report spent = *report;
  *report = (pl_solve_report){0};
  pl_status status = solver->ops->prepare(solver, A, filter, pool, error);
  if (!status) status = solver->ops->solve(solver, A, filter, b, x, target, pool, report, error);
  report->iterations += spent.iterations;
  report->products += spent.products;
  return status;
}

pl_status pl_solver_solve(pl_solver *solver, const pl_bsr *A, const pl_filter *filter,
                          const double *b, double *x, double target, pl_pool *pool,
                          pl_solve_report *report, pl_error *error)
{
  pl_solve_report unread;
  if (!report) report = &unread;
  *report = (pl_solve_report){0};
  solver->left = NULL;
  pl_status status = check_rows(solver, A, error);
  if (status) return status;
  status = solver->ops->solve(solver, A, filter, b, x, target, pool, report, error);
  if (status == PL_E_CANCELLED) return status;
  int *refusals = &solver->preconditioner->refusals;
  for (int known = 0; status && *refusals > known && known < MOST_REFUSALS;) {
    known = *refusals;
    status = try_again(solver, A, filter, b, x, target, pool, report, error);
  }
  if (!status) *refusals = 0;
  solver->preconditioner->solves++;
  solver->preconditioner->iterations += report->iterations;
  solver->left = report->left;
  if (status == PL_E_CONVERGENCE)
    solver->preconditioner->iterations +=
        missing_iterations(report, pl_norm(b, A->rows, pool), target);
  return status;
}
