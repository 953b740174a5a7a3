/* The solver that suits the matrix: Eisenstat's, which is the cheapest where few iterations are
 * needed, or conjugate gradients with multigrid; whichever has cost less so far (decision.h).
 *
 * Small matrices have the first one only. A preconditioner that the user chose is kept, with
 * conjugate gradients. The number of threads does not matter, so that the bits do not depend on it.
 *
 * Only the way that is gone stands in memory; the other is rebuilt, in the same place, when its
 * turn comes. A trial that costs more than the other way would is broken off, and the other goes on
 * from where it got to. So it does where multigrid turns out not to be positive definite for a
 * matrix that is, or where one way takes the matrix for singular and the other may not.
 *
 * Where indefinite matrices are expected (pl_solver_expect_indefinite) minres has them; it is made
 * when that is asked for first. */
#include "core/arena.h"
#include "core/text.h"
#include "sparse/decision.h"
#include "sparse/krylov.h"

#include <math.h>

enum {
  LEAST_ROWS = 400, /* of a matrix that is worth a hierarchy */
  SMALL_BUDGET = 50 /* iterations: solves that are cut short say nothing about cost */
};

/* An iteration of Eisenstat's in those of cg with block-diagonal, its preparation, and how many
 * fewer it needs. */
static const double iteration = 0.8, setup = 4, fewer = 0.4;

typedef struct automatic {
  pl_solver common;
  pl_solver *ways[PL_WAYS]; /* one of them */
  pl_solver *minres;        /* NULL: no indefinite matrix was expected so far */
  pl_selection chosen;      /* the preconditioner that the user chose */
  int both;                 /* may be gone */
  pl_arena arena;
  pl_decision decision;
} automatic;

static pl_status open_solver(automatic *self, const pl_allocator *allocator,
                             const pl_solver_ops *ops, const pl_selection *preconditioner,
                             const pl_bsr *A, pl_solver **out, pl_error *error)
{
  pl_selection part = {.member = &ops->info};
  pl_param_presets(part.member, part.values);
  for (int i = 0; i < PL_KRYLOV_PARAM_COUNT; i++) part.values[i] = self->common.values[i];
  part.values[PL_KRYLOV_ITERATIONS] = self->common.iterations;
  return pl_solver_create(allocator, &part, preconditioner, A, out, error);
}

static pl_status open_way(automatic *self, const pl_allocator *allocator, int way,
                          const pl_solver_ops *ops, const pl_selection *preconditioner,
                          const pl_bsr *A, pl_error *error)
{
  return open_solver(self, allocator, ops, preconditioner, A, &self->ways[way], error);
}

static void close_way(automatic *self, int way)
{
  pl_solver_destroy(self->ways[way]);
  self->ways[way] = NULL;
}

/* Makes this way the one that stands in memory. */
static pl_status take_turns(automatic *self, int way, const pl_bsr *A, pl_error *error)
{
  if (self->ways[way]) return PL_OK;
  pl_allocator allocator = pl_arena_allocator(&self->arena);
  close_way(self, !way);
  pl_selection multigrid = {.member = &pl_preconditioner_multigrid.info};
  pl_selection none = {.member = &pl_preconditioner_none.info};
  pl_param_presets(multigrid.member, multigrid.values);
  return way == PL_CHEAP ? open_way(self, &allocator, way, &pl_solver_eisenstat, &none, A, error)
                         : open_way(self, &allocator, way, &pl_solver_cg, &multigrid, A, error);
}

static pl_status create(pl_solver *common, const pl_bsr *A, const double *values, pl_error *error)
{
  (void)values;
  automatic *self = (automatic *)common;
  char *reason = self->decision.reason;
  size_t size = sizeof self->decision.reason;
  self->arena.source = common->allocator;
  self->chosen = *common->chosen;
  if (common->chosen->member != &pl_preconditioner_auto.info) {
    pl_print(reason, size, "it goes with the preconditioner that was chosen");
    return open_way(self, &common->allocator, PL_CHEAP, &pl_solver_cg, common->chosen, A, error);
  }
  if (A->rows < LEAST_ROWS) {
    pl_print(reason, size, "%d rows are fewer than %d", A->rows, LEAST_ROWS);
    return take_turns(self, PL_CHEAP, A, error);
  }
  self->decision = (pl_decision){.names = {"eisenstat", "multigrid"},
                                 .iteration = iteration,
                                 .setup = setup,
                                 .fewer = fewer,
                                 .now = PL_STRONG};
  if (common->iterations < SMALL_BUDGET) {
    pl_print(reason, size, "of a budget of %.0f iterations multigrid makes most",
             common->iterations);
    return take_turns(self, PL_STRONG, A, error);
  }
  // once each: from now on both have their place
  self->both = 1;
  pl_status status = take_turns(self, PL_CHEAP, A, error);
  return status ? status : take_turns(self, PL_STRONG, A, error);
}

static void destroy(pl_solver *common)
{
  automatic *self = (automatic *)common;
  for (int way = 0; way < PL_WAYS; way++) close_way(self, way);
  pl_solver_destroy(self->minres);
  pl_arena_destroy(&self->arena);
}

static pl_solver *now(const pl_solver *common)
{
  const automatic *self = (const automatic *)common;
  int is_minres = common->expects_indefinite && self->minres;
  return is_minres ? self->minres : self->ways[self->decision.now];
}

static pl_status prepare_minres(automatic *self, const pl_bsr *A, const pl_filter *filter,
                                pl_pool *pool, pl_error *error)
{
  pl_status status = PL_OK;
  if (!self->minres)
    status = open_solver(self, &self->common.allocator, &pl_solver_minres, &self->chosen, A,
                         &self->minres, error);
  if (status) return status;
  return pl_solver_prepare(self->minres, A, self->common.pairs, filter, pool, error);
}

static pl_status prepare(pl_solver *common, const pl_bsr *A, const pl_filter *filter, pl_pool *pool,
                         pl_error *error)
{
  automatic *self = (automatic *)common;
  if (common->expects_indefinite) return prepare_minres(self, A, filter, pool, error);
  if (self->both) {
    const pl_solver *last = now(common);
    pl_decide(&self->decision, last ? last->preconditioner->solves : 0,
              last ? (int)(last->effort * last->preconditioner->iterations) : 0, A);
    pl_status status = take_turns(self, self->decision.now, A, error);
    if (status) return status;
  }
  return pl_solver_prepare(now(common), A, common->pairs, filter, pool, error);
}

/* Did multigrid fail, not the matrix? Then the cheap way is prepared, and has the next solves. */
static int falls_back(automatic *self, pl_status status, const double *x, const pl_bsr *A,
                      const pl_filter *filter, pl_pool *pool)
{
  const pl_solver *way = self->ways[self->decision.now];
  if (self->decision.now != PL_STRONG) return 0;
  int refused = status == PL_E_INDEFINITE && way->preconditioner->refusals > 0;
  if (!refused && status != PL_E_SINGULAR && status != PL_E_DIVERGED) return 0;
  for (int i = 0; i < 3 * A->rows; i++) {
    if (!isfinite(x[i])) return 0;
  }
  pl_decision_bar(&self->decision);
  if (take_turns(self, PL_CHEAP, A, NULL)) return 0;
  self->both = 1;
  return !pl_solver_prepare(self->ways[PL_CHEAP], A, self->common.pairs, filter, pool, NULL);
}

static pl_status solve(pl_solver *common, const pl_bsr *A, const pl_filter *filter, const double *b,
                       double *x, double target, pl_pool *pool, pl_solve_report *report,
                       pl_error *error)
{
  automatic *self = (automatic *)common;
  double max = common->values[PL_KRYLOV_ITERATIONS];
  if (common->expects_indefinite) {
    pl_solver_limit(self->minres, max);
    return pl_solver_solve(self->minres, A, filter, b, x, target, pool, report, error);
  }
  double trial =
      self->both ? ceil(pl_decision_limit(&self->decision) / now(common)->effort) : INFINITY;
  pl_solver_limit(now(common), fmin(max, trial));
  pl_status status = pl_solver_solve(now(common), A, filter, b, x, target, pool, report, error);
  pl_solve_report spent = *report;
  if (status == PL_E_CONVERGENCE && trial < max) {
    status = prepare(common, A, filter, pool, error);
    if (status) return status;
  } else if (!status || !falls_back(self, status, x, A, filter, pool)) {
    return status;
  }
  pl_solver_limit(now(common), max - spent.iterations);
  status = pl_solver_solve(now(common), A, filter, b, x, target, pool, report, error);
  report->iterations += spent.iterations;
  report->products += spent.products;
  return status;
}

static const pl_solver *choice(const pl_solver *common, const char **reason)
{
  *reason = common->expects_indefinite
                ? "Newton's method converged to an equilibrium only with an indefinite tangent"
                : ((const automatic *)common)->decision.reason;
  return now(common);
}

const pl_solver_ops pl_solver_auto = {
    .info = {"auto", "eisenstat where few iterations are needed, else cg with multigrid", "",
             pl_krylov_params, PL_KRYLOV_PARAM_COUNT, NULL},
    .indefinite_on_demand = 1,
    .state_size = sizeof(automatic),
    .companion = &pl_preconditioner_none,
    .create = create,
    .destroy = destroy,
    .prepare = prepare,
    .solve = solve,
    .choice = choice,
};
