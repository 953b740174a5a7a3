/* One element at a time, for searches that know where to look. */
#ifndef PL_MESH_LOCATE_H
#define PL_MESH_LOCATE_H

#include "mesh/mesh.h"

/* Takes the element into the anchor if it is nearer to the point than anchor->distance. */
void pl_anchor_try(const pl_mesh *mesh, int element, const double point[3], pl_anchor *anchor);

#endif
