/* Quadrilaterals of a mesh of triangles: each is two elements that know each other. */
#ifndef PL_MESH_QUADS_H
#define PL_MESH_QUADS_H

#include "mesh/mesh.h"

/* Cuts a quadrilateral, whose nodes go around it, into two triangles that go around the same way:
 * along the shorter diagonal (the first of two equal ones), or along the other where one half
 * would lie outside. Returns 0 if it is flat or folded: then both ways fail. */
int pl_quad_cut(const double *positions, const int quad[4], int triangles[6]);

/* Refuses quadrilaterals beside anything but triangles. */
pl_status pl_quads_check(const pl_mesh_def *def, pl_error *error);

/* Puts the halves behind the other elements, for which there is room, and keeps the
 * quadrilaterals. */
pl_status pl_quads_cut(pl_mesh *mesh, const pl_mesh_def *def, pl_error *error);

/* Lets a mesh of the same elements in another numbering (number[old] = new; NULL: the same) know
 * its quadrilaterals; none if the other has none. */
pl_status pl_mesh_take_quads(pl_mesh *mesh, const pl_mesh *from, const int *node_number,
                             const int *element_number, pl_error *error);

#endif
