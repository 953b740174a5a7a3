/* Triangles and hinges in batches and chunks: making them, finding their blocks, running over them.
 */
#ifndef PL_MODEL_CLOTH_ITEMS_H
#define PL_MODEL_CLOTH_ITEMS_H

#include "model/cloth/cloth.h"

/* Room for so many items, whose nodes and data are filled in by pl_cloth_items_set; nodes are below
 * node_count. To be destroyed even if it fails. */
pl_status pl_cloth_items_create(const pl_allocator *allocator, int count, int size, int lanes,
                                int whole, pl_cloth_items *items, pl_error *error);
void pl_cloth_items_destroy(const pl_allocator *allocator, pl_cloth_items *items);

void pl_cloth_items_set(pl_cloth_items *items, int item, const int *nodes, const double *data);

/* Fills up the last batch with copies without stiffness (those lanes of data from first on, so
 * many, are zero), and colours the chunks. */
pl_status pl_cloth_items_finish(const pl_allocator *allocator, int node_count, int first, int count,
                                pl_cloth_items *items, pl_error *error);

pl_status pl_cloth_items_bind(pl_cloth_items *items, const pl_bsr *A, int offset, pl_error *error);

/* All chunks, colour after colour; returns the sum of what the pass returns. */
double pl_cloth_items_run(pl_cloth_job *job, const pl_cloth_items *items, pl_cloth_pass *pass,
                          pl_pool *pool);

#endif
