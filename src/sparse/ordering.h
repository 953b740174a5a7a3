/* Orders of elimination with little fill, over the graph of a symmetric block matrix.
 *
 * degree: approximate minimum degree (Amestoy, Davis & Duff 1996). The graph of what is not yet
 * eliminated is held as a quotient graph: an eliminated block is an element, which stands for the
 * clique of its neighbours. Blocks with the same neighbours are eliminated together.
 *
 * nested: nested dissection (George 1973). Two blocks far apart are found as in Gibbs, Poole &
 * Stockmeyer 1976; what is nearer to the one and what is nearer to the other are the halves, which
 * gives flatter separators than level sets around one of them (a bar of 24 000 tets: 2.3e9
 * operations against 3.6e9, METIS 2.1e9). Moving blocks across the separator while it shrinks or
 * the halves become more equal improves it (Fiduccia & Mattheyses 1982, for vertex separators). The
 * halves go first, each in the same way, the separator last; parts of some dozens of blocks are
 * ordered by degree. No coordinates are needed. */
#ifndef PL_SPARSE_ORDERING_H
#define PL_SPARSE_ORDERING_H

#include "sparse/bsr.h"

/* Neighbours of every vertex, without itself; symmetric. The watch is the matrix's: orders ask it
 * on the way. */
typedef struct pl_graph {
  int count;
  int *start, *neighbours;
  pl_watch *watch;
} pl_graph;

pl_status pl_graph_create(const pl_allocator *allocator, const pl_bsr *A, pl_graph *graph,
                          pl_error *error);
void pl_graph_destroy(const pl_allocator *allocator, pl_graph *graph);

/* order[k]: the vertex that goes k-th. */
pl_status pl_order_degree(const pl_allocator *allocator, const pl_graph *graph, int *order,
                          pl_error *error);
pl_status pl_order_nested(const pl_allocator *allocator, const pl_graph *graph, int *order,
                          pl_error *error);

#endif
