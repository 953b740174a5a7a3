/* The boundary of a mesh, and the sort that finds what elements share. */
#ifndef PL_MESH_SURFACE_H
#define PL_MESH_SURFACE_H

#include "mesh/mesh.h"

/* Fills faces, face_elements and their counts from the elements. */
pl_status pl_mesh_find_surface(pl_mesh *mesh, pl_error *error);

/* One pass of a radix sort: to[] lists the items of from[] by ascending keys[stride * item], equal
 * ones in the order they had. Keys lie in [0, buckets); starts has room for buckets + 1. */
void pl_sort_pass(int count, const int *keys, int stride, int buckets, int *starts, const int *from,
                  int *to);

#endif
