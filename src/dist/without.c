/* What stands for the room in a build without MPI and PETSc. */
#include "core/error.h"
#include "dist/dist.h"
#include "dist/petsc.h"

static const pl_param params[PL_PETSC_PARAM_COUNT] = PL_PETSC_PARAMS;

const pl_solver_ops pl_solver_petsc = {
    .info = {PL_PETSC_INFO, .params = params, .param_count = PL_PETSC_PARAM_COUNT,
             .missing = "PETSc (libpetsc-real-dev, and cmake -DPLIANT_WITH_PETSC=ON)"},
};

int pl_dist_exists(void) { return 0; }

pl_status pl_dist_start(pl_ranks **ranks, pl_error *error)
{
  *ranks = NULL;
  int count = pl_dist_launched();
  if (count == 1) return PL_OK;
  return pl_fail(
      error, PL_E_UNSUPPORTED,
      "started %d times by mpirun or srun, but built without PETSc: one run of %d threads is "
      "\"pliant run --threads %d\"; or build with -DPLIANT_WITH_PETSC=ON",
      count, count, count);
}

void pl_dist_end(pl_ranks *ranks) { (void)ranks; }

pl_status pl_dist_options(const char *text, pl_error *error)
{
  (void)text;
  return pl_fail(error, PL_E_UNSUPPORTED,
                 "options for PETSc need a build with it (-DPLIANT_WITH_PETSC=ON)");
}

void pl_dist_ask(pl_ranks *ranks) { (void)ranks; }

pl_status pl_dist_end_asking(pl_ranks *ranks, pl_status status, pl_error *error)
{
  (void)ranks, (void)error;
  return status;
}

pl_status pl_dist_serve(pl_ranks *ranks, pl_error *error)
{
  (void)ranks, (void)error;
  return PL_OK;
}

int pl_dist_threads(const pl_ranks *ranks)
{
  (void)ranks;
  return 0;
}

int pl_dist_any(const pl_ranks *ranks, int flag)
{
  (void)ranks;
  return flag;
}
