/* The preset "grid" of the solver "petsc": Pliant's own multigrid within each rank.
 *
 * M is one cycle of it on each rank's own rows (sparse/local.h), Q the coarse problem above them
 * (sparse/coarse.h). The first solve has the preconditioner M + Q (I - A M), z = M r and then
 * z += Q (r - A z), from a guess Q b: what is left of the residual then has no part in the coarse
 * space, where the operator is symmetric and positive definite ("A-DEF2" of Tang, Nabben, Vuik &
 * Erlangga 2009). Its iterations show the largest eigenvalue of M A. Later ones have two cycles,
 *
 *   I - (I - s M A) (I - Q A) (I - s M A),
 *
 * symmetric by themselves, and positive definite where s M A has no eigenvalue from 2 on: I - Q A
 * is an orthogonal projection in the product by A. Ranks that meet in a line or a corner add up to
 * more than 2 there, so s is chosen by that eigenvalue. Two cycles take a third fewer iterations,
 * and so a third fewer sums and coarse problems over all ranks, for the same time of computing.
 *
 * The matrix is applied as it is, with one exchange between neighbours; PETSc gets no copy of it.
 */
#ifndef PL_DIST_MPI_GRID_H
#define PL_DIST_MPI_GRID_H

#include "sparse/solver.h"

#include <petscksp.h>

typedef struct pl_dist_grid pl_dist_grid;

/* Can it be made? Every rank needs rows, and nodes need places. All ranks answer alike. */
int pl_dist_grid_suits(const pl_bsr *A);

/* On failure *out may be half made, and is to be destroyed all the same. */
pl_status pl_dist_grid_create(const pl_allocator *allocator, MPI_Comm comm, const pl_bsr *A,
                              pl_dist_grid **out, pl_error *error);
void pl_dist_grid_destroy(pl_dist_grid *self);

/* New values in A or a new filter; without the coarse problem where the matrix is so well
 * conditioned that it is not worth its price. All ranks return the same. */
pl_status pl_dist_grid_prepare(pl_dist_grid *self, const pl_bsr *A, const pl_filter *filter,
                               int with_coarse, pl_pool *pool, pl_error *error);

/* The matrix as PETSc sees it, until the end of the grid. */
Mat pl_dist_grid_matrix(pl_dist_grid *self);
/* Makes a preconditioner of it. */
PetscErrorCode pl_dist_grid_precondition(pl_dist_grid *self, PC pc);
/* x = Q b. */
PetscErrorCode pl_dist_grid_guess(pl_dist_grid *self, Vec b, Vec x);

/* What a solve took, the largest eigenvalue that it saw of the preconditioned matrix (0: none), and
 * whether it found M not positive definite: prepare then changes more. */
void pl_dist_grid_note(pl_dist_grid *self, int iterations, double largest, int is_refused);
/* The matrix has become another one, of which no eigenvalue is known. */
void pl_dist_grid_forget(pl_dist_grid *self);

#endif
