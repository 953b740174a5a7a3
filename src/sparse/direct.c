/* The direct solver: back-substitution with a complete factor, refined to the tolerance.
 *
 * Conjugate gradients around the factor are iterative refinement that finds its own step: with the
 * factor of the matrix itself one iteration is enough, and with that of an earlier matrix some
 * more, until a new one is cheaper. Where negative pivots are allowed, minimal residuals (gmres.h)
 * take their place. See precondition_factor.c. */
#include "sparse/gmres.h"

static const pl_param params[] = {PL_KRYLOV_PARAMS, PL_FACTOR_PARAMS};

static int is_any(const double *values)
{
  return values[PL_KRYLOV_PARAM_COUNT + PL_FACTOR_PIVOTS] == 1;
}

static pl_status create(pl_solver *common, const pl_bsr *A, const double *values, pl_error *error)
{
  return is_any(values) ? pl_gmres_create(common, A, values, error)
                        : pl_cg_create(common, A, values, error);
}

static pl_status solve(pl_solver *self, const pl_bsr *A, const pl_filter *filter, const double *b,
                       double *x, double target, pl_pool *pool, pl_solve_report *report,
                       pl_error *error)
{
  return is_any(self->values) ? pl_gmres_solve(self, A, filter, b, x, target, pool, report, error)
                              : pl_cg_solve(self, A, filter, b, x, target, pool, report, error);
}

const pl_solver_ops pl_solver_direct = {
    .info = {"direct", "a complete factor, kept as long as it pays", "Hauth 2004, 3.4.2 and 5.4.2",
             params, PL_KRYLOV_PARAM_COUNT + PL_FACTOR_PARAM_COUNT, NULL},
    .state_size = sizeof(pl_gmres),
    .companion = &pl_preconditioner_factor,
    .companion_values = PL_KRYLOV_PARAM_COUNT,
    .create = create,
    .destroy = pl_gmres_destroy,
    .prepare = pl_krylov_prepare,
    .solve = solve,
};
