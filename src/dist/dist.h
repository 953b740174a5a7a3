/* Ranks over MPI, and what rank 0 and the others do between steps.
 *
 * MPI and PETSc are seen by this room only, and only where the build has them (PLIANT_WITH_PETSC);
 * elsewhere without.c stands in. */
#ifndef PL_DIST_DIST_H
#define PL_DIST_DIST_H

#include "core/ranks.h"

/* How many processes a launcher (mpirun, srun with PMI) has started; 1: this one alone. */
int pl_dist_launched(void);
/* Can this build compute with several? */
int pl_dist_exists(void);
/* Is this the one of them that speaks? */
int pl_dist_is_first(void);

/* The ranks of a launched program; *ranks is NULL where it runs alone. Refused with a sentence
 * where several were started and this build has no MPI. */
pl_status pl_dist_start(pl_ranks **ranks, pl_error *error);
void pl_dist_end(pl_ranks *ranks);

/* Options for PETSc, "-NAME VALUE ...": those of solvers and preconditioners only. */
pl_status pl_dist_options(const char *text, pl_error *error);

/* Between steps: rank 0 begins to ask, does what it wants alone, and ends with its status; the
 * others serve until then. All return the same status. */
void pl_dist_ask(pl_ranks *ranks);
pl_status pl_dist_end_asking(pl_ranks *ranks, pl_status status, pl_error *error);
pl_status pl_dist_serve(pl_ranks *ranks, pl_error *error);

/* Threads for each rank so that those of one machine share its processors. */
int pl_dist_threads(const pl_ranks *ranks);

/* Is the flag set on any rank? */
int pl_dist_any(const pl_ranks *ranks, int flag);

#endif
