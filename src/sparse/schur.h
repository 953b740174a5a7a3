/* Constraints that come and go, around a factor that does not know them.
 *
 * The factor solves B x = b. Under constraints N^T x = 0 (N: one unit vector at one node for each
 * direction that a node may not take) the solution is
 *
 *   y = B^-1 b,      x = y - U S^-1 N^T y,      U = B^-1 N,   S = N^T U,
 *
 * which is the Woodbury formula with sparse vectors (Hauth 2004, 5.4.2): a constraint costs one
 * back-substitution when it first appears. Its column of U is kept as long as the factor is, so
 * that one that stays, or comes back, costs nothing. */
#ifndef PL_SPARSE_SCHUR_H
#define PL_SPARSE_SCHUR_H

#include "sparse/factor.h"

#include <stdint.h>

typedef struct pl_schur_column {
  int node;
  double direction[3];
  double *u; /* B^-1 n */
} pl_schur_column;

typedef struct pl_schur {
  pl_allocator allocator;
  int rows;
  pl_schur_column *columns; /* all that are known for this factor */
  size_t count, room, made; /* made: those that have memory */
  int active, *list;        /* the ones in force, and room for their list */
  size_t list_room;
  double *S, *lambda; /* S's Cholesky factor, row by row; a small vector */
  size_t dense_room;
  int64_t backsubstitutions; /* for columns, since the beginning */
} pl_schur;

void pl_schur_create(const pl_allocator *allocator, int rows, pl_schur *schur);
void pl_schur_destroy(pl_schur *schur);

/* The factor has changed: nothing is known. */
void pl_schur_forget(pl_schur *schur);

/* How many directions the filter's entries take for which chosen is not set. */
int pl_schur_size(const pl_filter *filter, const char *chosen);

/* Puts these constraints in force, for a factor of rows rows. */
pl_status pl_schur_set(pl_schur *schur, pl_factor *factor, const pl_filter *filter,
                       const char *chosen, pl_pool *pool, pl_error *error);

/* x = y - U S^-1 N^T y in place. */
void pl_schur_apply(const pl_schur *schur, double *x);

#endif
