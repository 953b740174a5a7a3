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
#ifndef PL_SPARSE_BORDER_H
#define PL_SPARSE_BORDER_H

#include "sparse/factor.h"

#include <stdint.h>

typedef struct pl_border_column {
  int node;
  double direction[3];
  double *u; /* B^-1 n */
} pl_border_column;

typedef struct pl_border {
  pl_allocator allocator;
  int rows;
  pl_border_column *columns; /* all that are known for this factor */
  size_t count, room, made;  /* made: those that have memory */
  int active, *list;         /* the ones in force, and room for their list */
  size_t list_room;
  double *S, *lambda; /* S's Cholesky factor, row by row; a small vector */
  size_t dense_room;
  int64_t backsubstitutions; /* for columns, since the beginning */
} pl_border;

void pl_border_create(const pl_allocator *allocator, int rows, pl_border *border);
void pl_border_destroy(pl_border *border);

/* The factor has changed: nothing is known. */
void pl_border_forget(pl_border *border);

/* How many directions the filter's entries take for which chosen is not set. */
int pl_border_size(const pl_filter *filter, const char *chosen);

/* Puts these constraints in force, for a factor of rows rows. */
pl_status pl_border_set(pl_border *border, pl_factor *factor, const pl_filter *filter,
                        const char *chosen, pl_error *error);

/* x = y - U S^-1 N^T y in place. */
void pl_border_apply(const pl_border *border, double *x);

#endif
