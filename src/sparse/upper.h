/* Assembling only what stands right of the diagonal.
 *
 * Forces within a body do not change when all of it is moved, so each row of its stiffness sums to
 * zero, and it is symmetric. A model therefore adds its blocks right of the diagonal only: clear,
 * add, finish. Finishing mirrors them, and a block on the diagonal is minus the sum of the others
 * in its row. */
#ifndef PL_SPARSE_UPPER_H
#define PL_SPARSE_UPPER_H

#include "sparse/bsr.h"

typedef struct pl_upper {
  int first, rows; /* the body's rows */
  int *mirror;     /* for each block of these rows left of the diagonal the place of its transposed
                      one, -1 for none: then it is zero; NULL: not bound */
} pl_upper;

/* The rows [first, first + rows) of A; may be bound again. */
pl_status pl_upper_bind(pl_upper *self, const pl_allocator *allocator, const pl_bsr *A, int first,
                        int rows, pl_error *error);
void pl_upper_destroy(pl_upper *self, const pl_allocator *allocator);

/* Zeros right of the diagonal; the rest of a row is overwritten when it is finished. */
void pl_upper_clear(const pl_upper *self, pl_bsr *A, pl_pool *pool);
void pl_upper_finish(const pl_upper *self, pl_bsr *A, pl_pool *pool);

#endif
