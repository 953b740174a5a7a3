/* Hexahedra of several sizes on one grid of integers: boxes whose corners are grid points. Where a
 * small box meets a larger one, its corners inside an edge or a face of that hang there, by the
 * trilinear interpolation of the larger box: halfway along an edge by 1/2 and 1/2, in the middle of
 * a face by four times 1/4 (Zhuang & Canny 2000, section 5), elsewhere by products of shares.
 *
 * A node that hangs on several takes the smallest of them; its parents may hang on larger ones. */
#ifndef PL_MESH_GRADED_H
#define PL_MESH_GRADED_H

#include "mesh/mesh.h"

#include <stdint.h>

/* What a node hangs on. */
typedef struct pl_graded_parents {
  int node, count, parents[4];
  double weights[4];
  int size; /* the longest edge of the box that the parents belong to */
} pl_graded_parents;

typedef struct pl_graded {
  pl_allocator allocator;
  int (*nodes)[3], (*cells)[8]; /* grid points of nodes; nodes of cells, as a hexahedron's */
  size_t node_count, node_room, cell_count, cell_room;
  int *table; /* nodes by the hash of their place, plus 1 */
  uint64_t mask;
  pl_graded_parents *hanging;
  size_t hanging_count, hanging_room;
  int *hangs; /* per node 1 + its place among the hanging ones, 0: it is free; once found */
} pl_graded;

void pl_graded_begin(pl_graded *graded, const pl_allocator *allocator);
void pl_graded_release(pl_graded *graded);

/* Adds the box from low to high. */
pl_status pl_graded_cell(pl_graded *graded, const int low[3], const int high[3], pl_error *error);

/* The node at a grid point, -1 if there is none. */
int pl_graded_find(const pl_graded *graded, const int at[3]);

/* Finds hanging nodes when all cells are there. */
pl_status pl_graded_hang(pl_graded *graded, pl_error *error);

/* The mesh with nodes at these positions, 3 each. */
pl_status pl_graded_mesh(const pl_graded *graded, const double *positions, int set_count,
                         const pl_set *sets, pl_mesh **mesh, pl_error *error);

#endif
