/* Constraint rows: d . v_block = u, collected from whoever constrains something, and the filter
 * made of them.
 *
 * Several rows may act on one block; those whose directions depend on earlier ones of the block are
 * left out. With an orthonormal basis B of the span of what is left (Gram & Schmidt, so that axes
 * stay exact) the block's projection is P = I - sum B B^T, and the prescribed part of its velocity
 * is the vector of that span whose products with the given directions are u. A force on the block
 * that the constraints must balance is split into shares of the given directions the same way.
 *
 * Rows over several blocks (mpc.h) come after them: what they add to the filter are blocks that
 * depend on others, as links, and these others, whose projection is I unless they are constrained
 * themselves. Without such rows nothing of this exists. */
#ifndef PL_SPARSE_ROWS_H
#define PL_SPARSE_ROWS_H

#include "sparse/filter.h"
#include "sparse/mpc.h"

typedef struct pl_row {
  int block;
  double direction[3]; /* of length 1 */
  int source, tag;     /* who gave it, and that one's own number for it */
  int transient;       /* it may vanish next step, so no factor is built around it */
} pl_row;

typedef struct pl_rows {
  pl_allocator allocator;
  int blocks, count, room;
  pl_row *list; /* as given: earlier rows of a block come first */
  int *start;   /* per block and one more: its first place in order */
  int *order;   /* numbers of rows by block */
  // what the filter points to
  int held_count, *held;
  int *giver; /* who gave the three axes of a held block, as its numbers 0 to 2; -1: nobody */
  double *projections;
  char *transient;
  pl_mpcs *mpcs; /* rows over several blocks; NULL: there can be none */
} pl_rows;

/* Room for as many rows over as many blocks. */
pl_status pl_rows_create(const pl_allocator *allocator, int blocks, int room, pl_rows *rows,
                         pl_error *error);
/* And for as many over several blocks, with as many entries in all. */
pl_status pl_rows_reserve_mpcs(pl_rows *rows, int count, int entries, pl_error *error);
void pl_rows_release(pl_rows *rows);

void pl_rows_clear(pl_rows *rows);
/* Ignored where the room is used up. */
void pl_rows_add(pl_rows *rows, const pl_row *row);
/* To be called when all rows are there: sorts them by block and makes the filter. Memory is taken
 * only where rows over several blocks depend on each other more than ever before. */
pl_status pl_rows_finish(pl_rows *rows, pl_filter *filter, pl_error *error);

/* The independent rows of a block. */
typedef struct pl_span {
  int count;            /* 0 to 3 */
  const pl_row *row[3]; /* the given directions, in their order */
  double basis[3][3];   /* of the same space, orthonormal */
  double mix[3][3];     /* row[i]->direction is the sum of mix[i][m] basis[m], m <= i */
} pl_span;

void pl_rows_span(const pl_rows *rows, int block, pl_span *span);

/* Adds a direction unless it is in the space already. */
void pl_span_add(pl_span *span, const pl_row *row);
/* Takes the constrained part out of x. */
void pl_span_free(const pl_span *span, double x[3]);
/* Adds to x the constrained vector whose dot products with the given directions are these. */
void pl_span_fill(const pl_span *span, const double products[3], double x[3]);
/* How a force's constrained part is made of the given directions. */
void pl_span_split(const pl_span *span, const double force[3], double shares[3]);

#endif
