/* The symbolic side of a complete factor: which blocks L has, and in which panels they stand.
 *
 * Columns of L with the same rows below form a supernode; so do some that have nearly the same, for
 * a few zeros that are stored (relaxed supernodes, Ashcraft & Grimes 1989). A supernode is cut into
 * panels of at most PL_PANEL_BLOCKS columns, so that one kernel serves for columns of the same
 * supernode and of others. Panel s has the columns [first[s], first[s+1]) and, below them, the
 * block rows rows[row_start[s]] ... rows[row_end[s] - 1], ascending. All columns and rows are
 * numbered in the order of elimination: order[k] is the k-th block, place the other way.
 *
 * Elimination tree: Liu 1990; its postorder is part of the order. */
#ifndef PL_SPARSE_ELIMINATION_H
#define PL_SPARSE_ELIMINATION_H

#include "sparse/ordering.h"

enum { PL_PANEL_BLOCKS = 16, PL_MOST_RANGES = 32 };

typedef struct pl_elimination {
  pl_allocator allocator;
  int blocks, count; /* of columns, of panels */
  int *order, *place;
  int *first;                  /* count + 1 */
  size_t *row_start, *row_end; /* of each panel, in rows */
  int *rows;
  size_t *value_start; /* of a panel's numbers; count + 1 */
  /* What other panels take from panel s: those in from[update_start[s]] ... and the places in
   * their rows where the columns of s begin. */
  size_t *update_start, *at;
  int *from;
  /* Work for threads: ranges of panels that know nothing of each other once those of the top are
   * left out, and the top, which goes last. */
  char *is_top;
  int ranges, range[PL_MOST_RANGES + 1];
  double fill, flops; /* numbers in L without zeros that are stored, operations for them */
} pl_elimination;

/* The order is changed to a postorder of its elimination tree. */
pl_status pl_elimination_create(const pl_allocator *allocator, const pl_graph *graph, int *order,
                                pl_elimination *out, pl_error *error);
void pl_elimination_destroy(pl_elimination *self);

/* Numbers of L and operations for it in this order, without making anything of that size. */
pl_status pl_elimination_count(const pl_allocator *allocator, const pl_graph *graph, int *order,
                               double *fill, double *flops, pl_error *error);

/* Width of a panel, and its height with the columns' own rows, in numbers; the stride of its
 * columns. */
static inline int pl_panel_width(const pl_elimination *self, int s)
{
  return 3 * (self->first[s + 1] - self->first[s]);
}
static inline int pl_panel_height(const pl_elimination *self, int s)
{
  return pl_panel_width(self, s) + 3 * (int)(self->row_end[s] - self->row_start[s]);
}
static inline int pl_panel_stride(const pl_elimination *self, int s)
{
  return (pl_panel_height(self, s) + 3) / 4 * 4;
}

#endif
