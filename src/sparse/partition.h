/* Which rank has which rows of the world's matrix.
 *
 * The numbering of rows does not depend on the ranks, so neither does the state. Beside it rows
 * have numbers by which each rank's stand side by side: number[row] in [first[r], first[r + 1])
 * belongs to rank r. A matrix may be incomplete in the rows of others. */
#ifndef PL_SPARSE_PARTITION_H
#define PL_SPARSE_PARTITION_H

#include "core/ranks.h"

typedef struct pl_partition {
  const pl_ranks *ranks;
  int rows;
  int *first;     /* count + 1 */
  int *number;    /* of each row */
  int *row;       /* of each number */
  int is_divided; /* rows of others are incomplete here */
  // an exchange is made in pieces, so that it needs no second vector
  int piece;    /* rows of each rank in one of them, at most */
  int *span;    /* where each rank's begin in `room`, in numbers; count + 1 */
  double *room; /* what is exchanged */
} pl_partition;

/* On failure *out may be half made, and is to be destroyed all the same. */
pl_status pl_partition_create(const pl_allocator *allocator, const pl_ranks *ranks, int rows,
                              pl_partition **out, pl_error *error);
/* Deals out the rows [from, from + count): owner says to whom; NULL: in equal spans. */
void pl_partition_deal(pl_partition *self, int from, int count, const int *owner);
/* All rows are dealt out. */
pl_status pl_partition_close(pl_partition *self, const pl_allocator *allocator, pl_error *error);
void pl_partition_destroy(const pl_allocator *allocator, pl_partition *self);

/* x, of which the rank's own rows are right, becomes whole. NULL: it is. */
void pl_partition_complete(const pl_partition *self, double *x);

/* The same for three numbers at each of the `count` rows listed, which are the same list on all
 * ranks: numbers of rows of others are replaced. */
void pl_partition_complete_at(const pl_partition *self, const int *rows, int count, double *x);

/* Does this rank own the row? */
static inline int pl_partition_is_own(const pl_partition *self, int row)
{
  const int *first = self->first + self->ranks->rank;
  return self->number[row] >= first[0] && self->number[row] < first[1];
}

#endif
