/* From a volume, given by a function of place, to elements that fill it. */
#ifndef PL_MESH_FILL_H
#define PL_MESH_FILL_H

#include "mesh/mesh.h"

/* What is to be filled: value is negative inside and positive outside, and its size is at most the
 * distance to the surface, in m. Everything inside lies in the box. */
typedef struct pl_volume {
  double (*value)(const void *context, const double point[3]);
  const void *context;
  double low[3], high[3];
} pl_volume;

/* The value at a point; nothing outside the box is inside. */
double pl_volume_value(const pl_volume *volume, const double point[3]);

/* Where the surface cuts the way from a to b, whose values have different signs: the share of the
 * way from a. */
double pl_volume_cut(const pl_volume *volume, const double a[3], double at_a, const double b[3],
                     double at_b);

/* What a way of filling implements; size, in m, has been chosen. */
typedef struct pl_filler_ops {
  pl_member info; /* the first two parameters are size and elements */
  double elements_per_cell;
  int grading; /* index of the parameter for how often cells double inwards; 0: they do not */
  pl_status (*fill)(const pl_volume *volume, double size, const double *values,
                    const pl_allocator *allocator, pl_mesh **mesh, pl_error *error);
} pl_filler_ops;

#define PL_FILLERS(X) X(stuffing) X(cage) X(voxels) X(octree)

extern const pl_family pl_filler_family;

/* Fills the volume by a member of the filler family. A size that is not given follows from the
 * wanted number of elements. */
pl_status pl_fill(const pl_volume *volume, const pl_choice *filler, const pl_allocator *allocator,
                  pl_mesh **mesh, pl_error *error);

/* Elements and nodes that grow in number while a filler works. */
typedef struct pl_heap {
  pl_allocator allocator;
  double *nodes;
  int *elements;
  size_t node_count, node_room, element_count, element_room;
  int nodes_per_element, failed;
} pl_heap;

/* The number of the new node; -1 if there is no memory or no number left, remembered in failed. */
int pl_heap_node(pl_heap *heap, const double position[3]);
void pl_heap_element(pl_heap *heap, const int *nodes);
/* Makes the mesh, if there are elements and nothing failed, and frees the heap. */
pl_status pl_heap_finish(pl_heap *heap, double size, pl_mesh **mesh, pl_error *error);

#endif
