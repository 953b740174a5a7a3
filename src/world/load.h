/* Loads on a body's nodes or faces. */
#ifndef PL_WORLD_LOAD_H
#define PL_WORLD_LOAD_H

#include "core/family.h"
#include "pliant/base.h"

typedef struct pl_load pl_load;

/* Where a load acts, in inside numbers. weights belong to the nodes: their share of the selected
 * nodes (1/count each), or of the selected faces' rest area in m^2. */
typedef struct pl_load_shape {
  int node_count, *nodes;
  double *weights;
  int face_count, nodes_per_face, *faces;
  const double *rest; /* the body's positions at rest, not owned */
} pl_load_shape;

typedef struct pl_load_ops {
  pl_member info;
  int on_faces; /* selects faces; weights are areas */
  /* f += factor times the load, the body being at q. */
  void (*add)(const double *values, const pl_load_shape *shape, double factor, const double *q,
              double *f);
} pl_load_ops;

extern const pl_family pl_load_family;

#endif
