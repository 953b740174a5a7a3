/* Candidates: pairs of features that may be in contact, found by descending trees in pairs. */
#ifndef PL_SHAPE_CANDIDATES_H
#define PL_SHAPE_CANDIDATES_H

#include "shape/tree.h"

/* A pair of nodes whose boxes meet. */
typedef struct pl_node_pair {
  int trees[2];
  uint32_t nodes[2];
} pl_node_pair;

typedef struct pl_candidates {
  pl_allocator allocator;
  uint64_t *keys; /* sorted; twice as much room as keys */
  size_t count, room;
  pl_node_pair *tasks;
  size_t task_count, task_room;
} pl_candidates;

/* Between which surfaces. */
typedef enum pl_search_pairs { PL_SEARCH_ALL, PL_SEARCH_SELF, PL_SEARCH_OTHERS } pl_search_pairs;

/* What is looked for. */
typedef struct pl_search {
  const pl_finder *finder; /* surfaces and who meets whom */
  const pl_trees *forest;  /* refitted to the same positions */
  const double *x;         /* where distances are measured; NULL: every pair whose boxes meet */
  double reach[2];         /* m, by kind: pairs nearer than this and half of both thicknesses;
                              negative: none */
  int crossings;           /* 1: edges and triangles that may intersect, in place of contacts */
  pl_search_pairs pairs;
  int append;   /* 1: to the keys that there are */
  double alike; /* m: nothing is looked for between nodes whose points' departures lie in a box of
                   this diagonal, since the keys have it; 0: everywhere */
  pl_watch *watch; /* asked while it takes long; NULL: nobody */
} pl_search;

/* Fills and sorts the keys. */
pl_status pl_candidates_find(pl_candidates *candidates, const pl_search *search, pl_pool *pool,
                             pl_error *error);
void pl_candidates_release(pl_candidates *candidates);

#endif
