/* Refinement of tetrahedra into eight, everywhere or in places, and back.
 *
 * Every refined tetrahedron keeps its place in a forest, so that all levels stay at hand. A node in
 * the middle of an edge has the edge's ends as its two parents; parents always have lower numbers.
 * Where a refined tetrahedron meets one that is not, nodes hang: they lie in the middle of a whole
 * edge of the neighbour, and follow its ends. Nothing depends on a hanging node: a tetrahedron is
 * refined only when none of its corners hangs, so its coarser neighbours are refined first, and
 * taken back only when no node has one of its middles as a parent.
 *
 * Sources: M. Hauth, "Visual simulation of deformable models", 2004, 3.1.2 and 5.3.4; the order of
 * the corners of the eight, which keeps shapes from getting worse: J. Bey, "Tetrahedral grid
 * refinement", Computing 55 (1995). */
#ifndef PL_MESH_REFINE_H
#define PL_MESH_REFINE_H

#include "mesh/mesh.h"

#include <stdint.h>

enum { PL_MOST_REFINEMENTS = 20 };

typedef struct pl_forest_node {
  double place[3];
  int parents[2]; /* -1: a node of the mesh                                     */
  int edge;       /* between the parents                                        */
  int uses;       /* refined tetrahedra that need it; 0: it is not there now    */
  int dependents; /* nodes that are there now and have it as a parent           */
} pl_forest_node;

typedef struct pl_forest_edge {
  int ends[2]; /* the lower number first */
  int middle;  /* the node there, -1: none was ever made */
  int leaves;  /* first of the leaves that have the edge: 6 * tet + place, -1: none */
  int next;    /* with the same hash, -1: none */
} pl_forest_edge;

typedef struct pl_forest_tet {
  int nodes[4];          /* in Bey's order, which may turn it inside out */
  int edges[6], next[6]; /* in the order of pl_tet_edges; next leaf at the edge */
  int parent, child;     /* child: the first of eight, -1: never refined */
  int element;           /* of the mesh */
  signed char level, refined;
} pl_forest_tet;

typedef struct pl_forest {
  pl_allocator allocator;
  const pl_mesh *mesh; /* the coarsest; it must outlive the forest */
  pl_forest_node *nodes;
  pl_forest_edge *edges;
  pl_forest_tet *tets;
  size_t node_count, node_room, edge_count, edge_room, tet_count, tet_room;
  int *table; /* edges by the hash of their ends */
  uint64_t mask;
} pl_forest;

pl_status pl_forest_create(const pl_mesh *mesh, const pl_allocator *allocator, pl_forest **forest,
                           pl_error *error);
void pl_forest_destroy(pl_forest *forest);

/* Is the tetrahedron there, and not refined? */
int pl_forest_is_leaf(const pl_forest *forest, int tet);

/* Refines a leaf, and before it what must be; nothing to do for others. A failure leaves a valid
 * forest. */
pl_status pl_forest_refine(pl_forest *forest, int tet, pl_error *error);

/* Every leaf once. */
pl_status pl_forest_refine_all(pl_forest *forest, pl_error *error);

/* Takes a refinement back; returns whether it was allowed. What was made is kept for another time.
 */
int pl_forest_coarsen(pl_forest *forest, int tet);

/* Which tetrahedra are refined, one byte each; and the forest as it was when it said so. Fails, and
 * leaves a valid forest, where no such forest exists. */
void pl_forest_get(const pl_forest *forest, unsigned char *refined);
pl_status pl_forest_set(pl_forest *forest, const unsigned char *refined, pl_error *error);

/* Is the node there; does it hang between its parents? */
int pl_forest_is_active(const pl_forest *forest, int node);
int pl_forest_is_hanging(const pl_forest *forest, int node);

/* Hanging nodes as constraints, for width numbers at each of the forest's nodes: their values
 * become the means of their parents', and the transpose, which gives their forces to their parents.
 */
void pl_forest_follow(const pl_forest *forest, int width, double *values);
void pl_forest_push(const pl_forest *forest, int width, double *forces);

/* The leaves as a mesh. Hanging nodes are removed by cutting the tetrahedra that they hang on
 * (closed = 1), or left as they are: then faces beside them count as boundary. Sets are kept: a new
 * node belongs to a set if both its parents do. numbers (one for each node of the forest, may be
 * NULL) becomes the node's number in the mesh, -1 for those that are not there. */
pl_status pl_forest_mesh(const pl_forest *forest, int closed, int *numbers,
                         const pl_allocator *allocator, pl_mesh **mesh, pl_error *error);

/* Between values at nodes and values in the hierarchical basis (H. Yserentant, 1986), in place, for
 * width numbers at each of the forest's nodes; in the basis, a new node's value is what it adds to
 * the mean of its parents. The third is the transpose of the first: from forces on nodes to forces
 * in the basis. Algorithms 3.1, 3.2 and 3.3 of Hauth. */
void pl_forest_to_nodal(const pl_forest *forest, int width, double *values);
void pl_forest_to_hierarchical(const pl_forest *forest, int width, double *values);
void pl_forest_transpose(const pl_forest *forest, int width, double *values);

#endif
