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

/* Elements in chunks: at the places starts[c] to starts[c+1] - 1 of order stand those of chunk c,
 * negative ones of which do not count; order may be NULL: the places are the elements, as far as
 * there are so many. */
typedef struct pl_chunks {
  const int *elements; /* size node numbers each */
  int size, count;     /* elements */
  int chunks;
  const int *starts, *order;
} pl_chunks;

/* Node numbers are below node_count. */
pl_status pl_colours_create(const pl_allocator *allocator, int node_count, const pl_chunks *of,
                            pl_colours *colours, pl_error *error);
void pl_colours_destroy(const pl_allocator *allocator, pl_colours *colours);

#endif
