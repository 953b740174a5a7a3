/* Chunks of elements that may work at the same time: chunks of one colour share no node. Colours
 * depend on the elements only, so sums into nodes have the same bits for any number of threads. */
#ifndef PL_MODEL_COLOUR_H
#define PL_MODEL_COLOUR_H

#include "pliant/base.h"

typedef struct pl_colours {
  int chunks, count; /* chunks in all, colours */
  int *start;        /* chunks of colour c: list[start[c]] ... list[start[c+1] - 1], ascending */
  int *list;
} pl_colours;

/* elements holds size node numbers below node_count for each of count elements; a chunk is
 * chunk_size elements in a row. */
pl_status pl_colours_create(const pl_allocator *allocator, int node_count, const int *elements,
                            int count, int size, int chunk_size, pl_colours *colours,
                            pl_error *error);
void pl_colours_destroy(const pl_allocator *allocator, pl_colours *colours);

#endif
