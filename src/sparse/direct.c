/* The direct solver: back-substitution with a complete factor, refined to the tolerance.
 *
 * Conjugate gradients around the factor are iterative refinement that finds its own step: with the
 * factor of the matrix itself one iteration is enough, and with that of an earlier matrix some
 * more, until a new one is cheaper. See precondition_factor.c. */
#include "sparse/krylov.h"

static const pl_param params[] = {PL_KRYLOV_PARAMS, PL_FACTOR_PARAMS};

const pl_solver_ops pl_solver_direct = {
    .info = {"direct", "a complete factor, kept as long as it pays; needs CHOLMOD, one thread",
             "Hauth 2004, 3.4.2 and 5.4.2", params, PL_KRYLOV_PARAM_COUNT + PL_FACTOR_PARAM_COUNT},
    .state_size = sizeof(pl_krylov),
    .companion = &pl_preconditioner_factor,
    .companion_values = PL_KRYLOV_PARAM_COUNT,
    .create = pl_cg_create,
    .destroy = pl_krylov_destroy,
    .prepare = pl_krylov_prepare,
    .solve = pl_cg_solve,
};
