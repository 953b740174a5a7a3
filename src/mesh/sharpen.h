/* Sharp edges and corners of a filled volume. */
#ifndef PL_MESH_SHARPEN_H
#define PL_MESH_SHARPEN_H

#include "mesh/fill.h"

/* Moves boundary nodes of a mesh of tetrahedra onto the edges and corners of the volume that they
 * are near to (by at most half the size), as long as the dihedral angles around them stay between 8
 * and 168 degrees. */
pl_status pl_mesh_sharpen(pl_mesh *mesh, const pl_volume *volume, double size, pl_error *error);

#endif
