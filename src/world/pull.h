/* Pulls as the step sees them. */
#ifndef PL_WORLD_PULL_H
#define PL_WORLD_PULL_H

#include "pliant/touch.h"
#include "sparse/bsr.h"
#include "world/ramp.h"

typedef struct pl_pull {
  int used; /* 0: the place is free for another */
  int body, count, *blocks;
  int most;                 /* blocks that there is room for */
  int spot_count, nodes[8]; /* the spot, in inside numbers */
  double spot_weights[8];
  double *J, *room; /* 9 numbers per block: how the point moves with it; of one node */
  double target[3], translation[3], until, stiffness, damping, most_force;
  pl_own_ramp ramp;
} pl_pull;

void pl_pull_release(const pl_allocator *allocator, pl_pull *pull);

/* f += scale times all pulls' forces at (t, q, v). */
void pl_pulls_force(const pl_world *world, double scale, double t, const double *q, const double *v,
                    double *f);

/* A += scale times their kq (-df/dq) + kv (-df/dv). */
void pl_pulls_stiffness(const pl_world *world, double scale, double t, const double *q, double kq,
                        double kv, pl_bsr *A);

#endif
