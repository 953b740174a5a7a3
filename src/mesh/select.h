/* Choosing nodes, boundary faces and elements of a mesh by regions and named sets. */
#ifndef PL_MESH_SELECT_H
#define PL_MESH_SELECT_H

#include "mesh/mesh.h"

/* Marks chosen[node] = 1 (else 0) for every node that one of the selectors takes: a region that
 * holds the node's rest position, a region of the surface that holds one of the node's faces, or a
 * set that contains the node or an element at it. chosen_count (may be NULL) receives their number;
 * none is no error here. */
pl_status pl_mesh_select_nodes(const pl_mesh *mesh, const pl_selector *selectors, int count,
                               unsigned char *chosen, int *chosen_count, pl_error *error);

/* The same for boundary faces: a region that holds the face's middle, a set of nodes that contains
 * all of the face's nodes, or a set of elements that contains the element behind it. */
pl_status pl_mesh_select_faces(const pl_mesh *mesh, const pl_selector *selectors, int count,
                               unsigned char *chosen, int *chosen_count, pl_error *error);

/* The same for elements: a region that holds the element's middle, a set of elements that contains
 * it, or a set of nodes that contains all of its nodes. */
pl_status pl_mesh_select_elements(const pl_mesh *mesh, const pl_selector *selectors, int count,
                                  unsigned char *chosen, int *chosen_count, pl_error *error);

#endif
