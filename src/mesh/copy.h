/* Copying meshes. */
#ifndef PL_MESH_COPY_H
#define PL_MESH_COPY_H

#include "mesh/mesh.h"

/* What the mesh could be made from again, but for its octets, quadrilaterals and grid. */
pl_mesh_def pl_mesh_def_of(const pl_mesh *mesh, const pl_allocator *allocator);

/* The same mesh once more, with all that it knows. */
pl_status pl_mesh_copy(const pl_mesh *mesh, const pl_allocator *allocator, pl_mesh **out,
                       pl_error *error);

#endif
