/* Axes of the material per element, which some meshes bring along: a first axis and a direction in
 * the plane of the first and second, 6 numbers, zeros where there are none. */
#ifndef PL_MESH_AXES_H
#define PL_MESH_AXES_H

#include "mesh/mesh.h"

/* Gives each element the axes of its parent among those of another mesh (NULL: the same element);
 * axes NULL: nothing is done. */
pl_status pl_mesh_take_axes(pl_mesh *mesh, const double *axes, const int *parents, pl_error *error);

/* The same for a mesh that has just been made, which is destroyed where that fails. */
pl_status pl_mesh_add_axes(pl_mesh **mesh, const double *axes, const int *parents, pl_error *error);

/* Turns all of them by the rotation R. */
void pl_mesh_turn_axes(pl_mesh *mesh, const double R[9]);

#endif
