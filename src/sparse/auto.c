/* The solver that suits the matrix: Eisenstat's, which is the cheapest where few iterations are
 * needed, or conjugate gradients with multigrid; whichever has cost less so far (decision.h).
 *
 * Small matrices have the first one only. Large ones take conjugate gradients with the "auto"
 * preconditioner: the sweeps of Eisenstat's run in one thread and want a copy of the matrix. A
 * preconditioner that the user chose is kept, with conjugate gradients. The number of threads does
 * not matter, so that the bits do not depend on it. */
#include "core/text.h"
#include "sparse/decision.h"
#include "sparse/krylov.h"

enum {
  LEAST_ROWS = 400,  /* of a matrix that is worth a hierarchy */
  SMALL_BUDGET = 50, /* iterations: solves that are cut short tell nothing about cost */
  MOST_ROWS = 5000   /* of a matrix that is worth a copy and sweeps in one thread */
};

/* An iteration of Eisenstat's in those of cg with block-diagonal, its preparation, and how many
 * fewer it needs. */
static const double iteration = 0.8, setup = 4, fewer = 0.4;

typedef struct automatic {
  pl_solver common;
  pl_solver *ways[PL_WAYS]; /* the second may be missing */
  pl_decision decision;
} automatic;

static pl_status add_way(automatic *self, int way, const pl_solver_ops *ops,
                         const pl_part *preconditioner, const pl_bsr *A, pl_error *error)
{
  pl_part part = {.member = &ops->info};
  pl_param_presets(part.member, part.values);
  for (int i = 0; i < PL_KRYLOV_PARAM_COUNT; i++) part.values[i] = self->common.values[i];
  return pl_solver_create(&self->common.allocator, &part, preconditioner, A, &self->ways[way],
                          error);
}

static pl_status create(pl_solver *common, const pl_bsr *A, const double *values, pl_error *error)
{
  (void)values;
  automatic *self = (automatic *)common;
  const pl_part *chosen = common->chosen;
  char *reason = self->decision.reason;
  size_t size = sizeof self->decision.reason;
  if (chosen->member != &pl_preconditioner_auto.info) {
    pl_print(reason, size, "it goes with the preconditioner that was chosen");
    return add_way(self, PL_CHEAP, &pl_solver_cg, chosen, A, error);
  }
  pl_part multigrid = {.member = &pl_preconditioner_multigrid.info};
  pl_param_presets(multigrid.member, multigrid.values);
  if (common->values[PL_KRYLOV_ITERATIONS] < SMALL_BUDGET && A->rows >= LEAST_ROWS) {
    pl_print(reason, size, "of a budget of %.0f iterations multigrid makes most",
             common->values[PL_KRYLOV_ITERATIONS]);
    return add_way(self, PL_CHEAP, &pl_solver_cg, &multigrid, A, error);
  }
  if (A->rows > MOST_ROWS) {
    pl_print(reason, size, "%d rows are more than %d", A->rows, MOST_ROWS);
    return add_way(self, PL_CHEAP, &pl_solver_cg, chosen, A, error);
  }
  self->decision = (pl_decision){
      .names = {"eisenstat", "multigrid"}, .iteration = iteration, .setup = setup, .fewer = fewer};
  pl_print(reason, size, "%d rows are fewer than %d", A->rows, LEAST_ROWS);
  pl_status status = add_way(self, PL_CHEAP, &pl_solver_eisenstat, chosen, A, error);
  if (!status && A->rows >= LEAST_ROWS)
    status = add_way(self, PL_STRONG, &pl_solver_cg, &multigrid, A, error);
  return status;
}

static void destroy(pl_solver *common)
{
  for (int way = 0; way < PL_WAYS; way++) pl_solver_destroy(((automatic *)common)->ways[way]);
}

static pl_solver *now(const pl_solver *common)
{
  const automatic *self = (const automatic *)common;
  return self->ways[self->decision.now];
}

static pl_status prepare(pl_solver *common, const pl_bsr *A, const pl_filter *filter, pl_pool *pool,
                         pl_error *error)
{
  automatic *self = (automatic *)common;
  const pl_preconditioner *last = now(common)->preconditioner;
  if (self->ways[PL_STRONG]) pl_decide(&self->decision, last->solves, last->iterations, A);
  return pl_solver_prepare(now(common), A, filter, pool, error);
}

static pl_status solve(pl_solver *common, const pl_bsr *A, const pl_filter *filter, const double *b,
                       double *x, double target, pl_pool *pool, pl_solve_report *report,
                       pl_error *error)
{
  pl_solver_limit(now(common), common->values[PL_KRYLOV_ITERATIONS]);
  return pl_solver_solve(now(common), A, filter, b, x, target, pool, report, error);
}

static const pl_solver *choice(const pl_solver *common, const char **reason)
{
  *reason = ((const automatic *)common)->decision.reason;
  return now(common);
}

const pl_solver_ops pl_solver_auto = {
    .info = {"auto", "eisenstat for small systems and few iterations, else cg with multigrid", "",
             pl_krylov_params, PL_KRYLOV_PARAM_COUNT},
    .state_size = sizeof(automatic),
    .companion = &pl_preconditioner_none,
    .create = create,
    .destroy = destroy,
    .prepare = prepare,
    .solve = solve,
    .choice = choice,
};
