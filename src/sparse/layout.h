/* The blocks that a rank holds: its own and copies of others', which these are coupled with.
 *
 * A vector by the layout has three numbers for each of them, in the order of all blocks. A primal
 * vector (positions, velocities, increments) is right at own blocks and copies; a dual one (forces,
 * residuals, products) at own blocks only, or is summed there from what each rank has. Messages go
 * between ranks that share blocks, 24 bytes for each copy. Dot products run over own blocks and are
 * summed by pl_ranks.sum; what is decided by a maximum, by pl_ranks.max. */
#ifndef PL_SPARSE_LAYOUT_H
#define PL_SPARSE_LAYOUT_H

#include "sparse/bsr.h"
#include "sparse/partition.h"

typedef struct pl_block_layout {
  pl_allocator allocator;
  const pl_partition *partition; /* NULL: one process, which owns all */
  int own, copies;
  int *own_at;  /* place here of each own block, ascending */
  int *copy_at; /* ... of each copy */
  int *row;     /* of all blocks, of each place */
  int *place;   /* of each of all blocks, -1: not here */
  // neighbour i takes what is at give_at[give[i]..) and sends what is at take_at[take[i]..)
  pl_neighbours with; /* its `send` is give, `receive` is take, in numbers */
  int *give_at, *take_at;
  double *out, *in;
} pl_block_layout;

/* Of A's own rows and their columns. On failure *out may be half made, and is to be destroyed all
 * the same. */
pl_status pl_layout_create(const pl_allocator *allocator, const pl_bsr *A, pl_block_layout **out,
                           pl_error *error);
/* All ranks: learns who has copies of which blocks; before any of the functions below. */
pl_status pl_layout_connect(pl_block_layout *self, pl_error *error);
void pl_layout_destroy(pl_block_layout *self);

/* Is the block at this place here the rank's own? */
static inline int pl_layout_is_own(const pl_block_layout *self, int place)
{
  return !self->partition || pl_partition_is_own(self->partition, self->row[place]);
}

/* From a vector of all blocks to one by the layout, and back; other blocks keep what they have. */
void pl_layout_take(const pl_block_layout *self, const double *all, double *x);
void pl_layout_put(const pl_block_layout *self, const double *x, double *all);

/* All ranks. Copies become their owners' values. */
void pl_layout_update(const pl_block_layout *self, double *x);
/* All ranks. What each rank has at copies is added to the owners' values, in the order of ranks. */
void pl_layout_sum(const pl_block_layout *self, double *f);

#endif
