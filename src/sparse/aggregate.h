/* Groups of neighbouring nodes: the coarse nodes of a multigrid hierarchy. */
#ifndef PL_SPARSE_AGGREGATE_H
#define PL_SPARSE_AGGREGATE_H

#include "pliant/base.h"

/* The neighbours of node i, itself included, are columns[start[i]] .. columns[start[i+1]-1]. Gives
 * every node the number of its group in [0, result), and -1 to a node without neighbours; groups
 * are connected and, where the graph allows, hold a node with all its neighbours. The order of the
 * nodes decides; nothing is random. Returns -1 if there is no memory. */
int pl_aggregate(const pl_allocator *allocator, int nodes, const int *start, const int *columns,
                 int *group);

#endif
