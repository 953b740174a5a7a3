/* The inside of a draft, for draft.c, which fills it, and draft_finish.c, which makes the mesh. */
#ifndef PL_IO_DRAFT_INSIDE_H
#define PL_IO_DRAFT_INSIDE_H

#include "io/draft.h"

/* An array that grows. */
typedef struct list {
  void *data;
  size_t count, capacity;
} list;

/* Consecutive members of one group. The code orders groups by dimension and number. */
typedef struct run {
  uint64_t code;
  size_t first, count;
  int set; /* which set it goes to, known at the end */
} run;

typedef struct title {
  uint64_t code;
  char *name;
} title;

typedef struct tagged {
  int64_t tag;
  int index;
} tagged;

/* The nodes of an element that fills no space. */
typedef struct flat {
  int count, nodes[8];
} flat;

/* From tags to places: table[tag - low] = place + 1, or a sorted list where tags lie too far
 * apart. */
typedef struct tag_index {
  int64_t low;
  size_t size;
  int *table;
  tagged *sorted;
  int count;
} tag_index;

struct pl_draft {
  const pl_source *source;
  pl_allocator allocator;
  size_t bytes;

  int node_count, node_room; /* room: how many were announced */
  size_t node_capacity, tag_capacity;
  double *nodes;
  int64_t *tags; /* NULL: numbered from 0 */
  int indexed;
  tag_index by_tag;

  int64_t shape_counts[PL_SHAPE_COUNT], reduced;
  struct pl_draft_copies {
    int64_t count;  /* elements that were there before, and joined no group */
    int is_current; /* the current one was there before */
  } copies;
  pl_cell_shape cell_shape;
  int cell_count;
  list cells;               /* int: corners of the tets or hexes */
  list faces, quads, lines; /* int: of each the corners; the mesh where nothing fills space */
  struct pl_draft_numbers { /* where elements are found by their numbers */
    int wanted;
    list all;    /* int64_t: of all elements */
    list places; /* int: their cells, or -1 - place among the flats */
    list flats;  /* flat: those that do not fill space */
    tag_index index;
  } numbers;
  pl_cell_shape last; /* the current element */
  int last_nodes[8];

  list members; /* int: nodes, or cells in groups of dimension 3 */
  list runs, titles;
  const char *prefixes[4];

  struct pl_draft_edges {
    list ends, nodes; /* int: both ends of edges of tetrahedra, and the nodes on them */
  } edges;

  list axes; /* double: of the material, 6 for each cell up to the last that has some */

  struct pl_draft_hanging {
    list nodes;            /* pl_hanging_node: their parents and weights lie in the lists */
    list parents, weights; /* int and double */
  } hanging;
};

#endif
