/* The arguments that travel together when forces and their derivatives are evaluated. */
#ifndef PL_SPARSE_MOMENT_H
#define PL_SPARSE_MOMENT_H

#include "sparse/bsr.h"
#include "sparse/pairs.h"

/* Where forces are evaluated. */
typedef struct pl_moment {
  double t; /* s */
  double h; /* s since the beginning of the substep, where history was frozen; 0: there */
  const double *q, *v; /* positions and velocities, 3 per block */
  double load_scale;   /* factor on all loads; 1 except while statics ramps them up */
  int stage;           /* of an implicit method, from 1; 0: there is only one */
  double share;        /* the stage's weight in the mean of the step */
} pl_moment;

/* The matrix that is asked for with them: A + extra = km M + kq (-df/dq) + kv (-df/dv). */
typedef struct pl_tangent {
  double km, kq, kv;
  int semidefinite; /* its elastic part must have no negative eigenvalues: 1 clamps, 2 absolute */
  pl_bsr *A;
  pl_pairs *extra; /* for what A's pattern has no room for; NULL: nothing may come */
} pl_tangent;

/* Blocks where some elements take smaller steps than others (ode/local.h): those that move in the
 * smaller steps, and the others of the same elements, which only feel their forces. */
enum { PL_NEAR_BLOCK = 1, PL_FAST_BLOCK = 2 };

#endif
