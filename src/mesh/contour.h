/* The surface of a volume as triangles. */
#ifndef PL_MESH_CONTOUR_H
#define PL_MESH_CONTOUR_H

#include "mesh/skin.h"

/* Marching cubes over cells of this size, in m: closed, turned outwards, no edge of more than two
 * triangles, whatever the volume. */
pl_status pl_contour(const pl_volume *volume, double size, const pl_allocator *allocator,
                     pl_skin **skin, pl_error *error);

#endif
