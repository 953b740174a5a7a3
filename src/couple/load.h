/* Loads on a body's nodes or faces: a family of its own behind the coupling "load". */
#ifndef PL_COUPLE_LOAD_H
#define PL_COUPLE_LOAD_H

#include "core/family.h"
#include "couple/coupling.h"
#include "couple/ramp.h"

#define PL_LOADS(X) X(force) X(traction) X(pressure) X(shear) X(wind) X(viscous) X(torque)

/* Where a load acts, in inside numbers. weights belong to the nodes: their share of the selected
 * nodes (1/count each), or of the selected faces' rest area in m^2. */
typedef struct pl_load_shape {
  int node_count, *nodes;
  double *weights;
  int face_count, nodes_per_face, *faces;
  double *shares;     /* of each face's nodes in its load; NULL: equal ones */
  const double *rest; /* the body's positions at rest, not owned */
} pl_load_shape;

/* The share of a face's a-th node in the load on the face. */
static inline double pl_load_share(const pl_load_shape *shape, int face, int a)
{
  int n = shape->nodes_per_face;
  return shape->shares ? shape->shares[n * face + a] : 1.0 / n;
}

/* What a load is asked about: 3 numbers per node of the body in x and v. */
typedef struct pl_load_at {
  const double *values; /* the member's parameters */
  const pl_load_shape *shape;
  double factor; /* of the ramp and the world's load scale */
  const double *x, *v;
  const double *v0; /* v at the beginning of the substep where the load must be linear in v; else
                       NULL */
} pl_load_at;

/* Takes blocks D of kq (-df/dx) + kv (-df/dv), f at node a and x or v at node b. */
typedef struct pl_load_blocks {
  double kq, kv;
  const pl_body *body;
  const double *q; /* the body's blocks */
  pl_bsr *A;
} pl_load_blocks;
void pl_load_block(const pl_load_blocks *to, int a, int b, const double D[9]);

typedef struct pl_load_ops {
  pl_member info;
  int on_faces;   /* selects faces; weights are areas */
  int is_viscous; /* depends on v, and not linearly */
  /* f += the load on the nodes, 3 numbers each. */
  void (*add)(const pl_load_at *at, double *f);
  /* Its derivatives, symmetrised since the solvers count on symmetry; NULL: it has none. */
  void (*stiffen)(const pl_load_at *at, const pl_load_blocks *to);
} pl_load_ops;

#define X(name) extern const pl_load_ops pl_load_##name;
PL_LOADS(X)
#undef X

extern const pl_family pl_load_family;

typedef struct pl_load {
  pl_coupling base;
  const pl_load_ops *ops;
  double values[PL_MOST_VALUES];
  pl_load_shape shape;
  pl_own_ramp ramp;
  double *v0; /* room for the nodes' velocities, of viscous loads */
  int lags;   /* they count in this substep */
} pl_load;

/* Chooses nodes or faces of acts_on[0]; the load was made by pl_coupling_create. */
pl_status pl_load_make(pl_load *load, const pl_load_def *def, pl_error *error);

#endif
