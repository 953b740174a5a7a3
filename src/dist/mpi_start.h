/* The beginning and the end of PETSc, and of MPI with it. */
#ifndef PL_DIST_MPI_START_H
#define PL_DIST_MPI_START_H

#include "pliant/base.h"

#include <mpi.h>

/* Once for a process; later calls do nothing. */
pl_status pl_petsc_start(pl_error *error);
void pl_petsc_end(void);

/* What a user has not set by options: the part of a rank, and, if asked for, sums that do not
 * depend on the order in which messages arrive. */
pl_status pl_petsc_set_options(int reproducible, pl_error *error);

#endif
