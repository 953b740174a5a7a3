/* A rank's rows of P (A + K) P + d (I - P) as PETSc's own matrix (mpi_petsc.c).
 *
 * P is the filter's projection, K the pairs beside the matrix, d the mean of the diagonal. The
 * pattern is that of A with the pairs that there are when it is made. */
#ifndef PL_DIST_MPI_MATRIX_H
#define PL_DIST_MPI_MATRIX_H

#include "sparse/pairs.h"
#include "sparse/partition.h"
#include "sparse/solver.h"

#include <petscmat.h>

typedef struct pl_dist_matrix {
  pl_allocator allocator;
  MPI_Comm comm;
  const pl_partition *partition; /* NULL: one process, which has all rows */
  int first, count;              /* the rank's rows, by number */
  Mat matrix;                    /* NULL: not made, or no longer */
  int has_pairs;                 /* in the pattern */
  double *block_row;             /* values of the longest row, and their columns */
  int *columns;
} pl_dist_matrix;

/* Which rows are this rank's; the matrix itself is made later. To be released after a failure. */
pl_status pl_dist_matrix_begin(pl_dist_matrix *self, const pl_allocator *allocator, const pl_bsr *A,
                               pl_error *error);
void pl_dist_matrix_release(pl_dist_matrix *self);

/* A new matrix, empty. pairs: NULL is none. */
pl_status pl_dist_matrix_make(pl_dist_matrix *self, const pl_bsr *A, const pl_pairs *pairs,
                              pl_error *error);
/* Its values. */
pl_status pl_dist_matrix_fill(pl_dist_matrix *self, const pl_bsr *A, const pl_pairs *pairs,
                              const pl_filter *filter, double mean, pl_error *error);

/* The row of all blocks that has the number i among this rank's. */
int pl_dist_matrix_row(const pl_dist_matrix *self, int i);
/* The filter's projection at a row; NULL: all of it is free. */
const double *pl_dist_projection(const pl_filter *filter, int row);

/* The sentence for a code that PETSc has returned. */
pl_status pl_petsc_failed(PetscErrorCode code, pl_error *error);

/* Ends the function with an error where a call of PETSc fails. */
#define PL_PETSC_TRY(call)                                                                         \
  do {                                                                                             \
    PetscErrorCode code_ = (call);                                                                 \
    if (code_) return pl_petsc_failed(code_, error);                                               \
  } while (0)

#endif
