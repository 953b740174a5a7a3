/* For formats that give every node and element one number instead of named sets: the sets
 * "marker-N" and "region-N" are those with the number N. */
#ifndef PL_IO_NUMBERED_H
#define PL_IO_NUMBERED_H

#include "io/draft.h"

/* The draft's groups of nodes and cells are called so, from now on. */
void pl_numbered_prefixes(pl_draft *draft);

/* Is it such a set? */
int pl_numbered_keeps(const pl_set *set);

/* For writers: the number that each node or element gets from the mesh's sets, 0 for none; where
 * two sets share one, the first counts. NULL in numbers if there is no such set. */
pl_status pl_numbered_items(const pl_mesh *mesh, const pl_allocator *allocator, int of_elements,
                            int **numbers, pl_error *error);

#endif
