/* The edges of a mesh of triangles, and which triangles meet at them. */
#ifndef PL_MODEL_CLOTH_EDGES_H
#define PL_MODEL_CLOTH_EDGES_H

#include "mesh/mesh.h"

/* An edge between two triangles, or on the border, where the second is -1. The first triangle runs
 * from nodes[0] to nodes[1]: its own third node, nodes[2], lies to the left. Where more than two
 * triangles meet, each and the next one have an edge. */
typedef struct pl_cloth_edge {
  int nodes[4]; /* ends, third nodes of the first and the second triangle (-1: none) */
  int triangles[2];
  int shared; /* triangles that meet here */
} pl_cloth_edge;

/* Fails where two triangles have the same three nodes. The caller frees the list, which is sorted
 * by the ends' numbers. */
pl_status pl_cloth_edges(const pl_allocator *allocator, const pl_mesh *mesh, pl_cloth_edge **edges,
                         int *count, pl_error *error);

#endif
