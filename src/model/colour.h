/* Chunks of elements that may work at the same time: chunks of one colour share no node. Colours
 * depend on the elements only, so sums into nodes have the same bits for any number of threads.
 *
 * Threads do not wait for the end of a colour. Each has a run of neighbouring chunks, mostly the
 * same in every round; a chunk waits for those only that add to its nodes before it, which are few
 * and mostly its neighbours in the same run. Colours follow each other as waves through the run, at
 * a distance at which no chunk is before its turn, so that what a chunk adds to is still in the
 * processor's cache from its neighbours. */
#ifndef PL_MODEL_COLOUR_H
#define PL_MODEL_COLOUR_H

#include "core/thread.h"

#include <stdatomic.h>

typedef struct pl_colours {
  int chunks, count; /* chunks in all, colours */
  int *start;        /* chunks of colour c: list[start[c]] ... list[start[c+1] - 1], ascending */
  int *list;
  int *colour; /* of each chunk */
  int reach;   /* how far apart, at most, chunks are that wait for each other */
  // the chunks that a chunk c waits for: before[before_start[c]] ...
  int *before_start, *before;
  atomic_uint *done; /* per chunk: the last round that it was done in */
  struct pl_colour_runs *runs;
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

/* Calls work(context, chunk) for every chunk; sums into nodes are in the order of colours. Not to
 * be called for the same colours by two threads at once. */
void pl_colours_run(const pl_colours *colours, pl_pool *pool,
                    void (*work)(void *context, int chunk), void *context);

#endif
