/* Recursive coordinate bisection: nodes in compact parts of equal size.
 *
 * A set of nodes is cut across the longest side of its box, so that the parts on both sides get
 * their share, and so on (Berger & Bokhari 1987). Every time the same parts come out. */
#ifndef PL_MESH_BISECT_H
#define PL_MESH_BISECT_H

#include "mesh/mesh.h"

/* The part of each node; sizes differ by one node at most. */
pl_status pl_mesh_bisect(const pl_mesh *mesh, int parts, int *part_of, pl_error *error);

#endif
