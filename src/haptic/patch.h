/* The part of a surface that a tool touches.
 *
 * A tool of some size does not touch in a point. One that is held in a dent of a few triangles has
 * points of nearly equal distance on all sides: the nearest of them changes from step to step, and
 * with it the direction of the force, which a hand feels as vibration. So the force is spread: with
 * g the signed distance of a surface point p from the tool and g0 the least of them, p counts by
 *
 *   w(p) = max(0, 1 - (g(p) - g0) / band)^2
 *
 * integrated over the surface. The touched point is the weighted mean of p, its normal that of
 * -grad g. Both are continuous in the body's shape and in the tool's place, and on a flat surface
 * they are the nearest point and its normal. How the normal turns with the tool's way is summed
 * beside it: with n = -grad g, H the Hessian of g and g0' = n0, the normal of the patch,
 *
 *   N = int w n,    dN/dx = int w H - 2 / band sqrt(w) n (n - n0)^T. */
#ifndef PL_HAPTIC_PATCH_H
#define PL_HAPTIC_PATCH_H

#include "shape/obstacle.h"
#include "world/world.h"

typedef struct pl_patch {
  const pl_allocator *allocator;
  double *weights;  /* of the nodes of a mesh, all zero between calls */
  int *nodes, room; /* that were touched */
  double turn[9];   /* 1/m, of the last normal with the way of the tool */
} pl_patch;

void pl_patch_release(pl_patch *self);
/* There is no patch: nothing turns. */
void pl_patch_forget(pl_patch *self);

/* The size of a tool: half of the shortest edge of the box around it. */
double pl_patch_size(const pl_shape *tool);

/* Spreads a hit, the nearest point to the tool at x: its spot and normal become those of the patch,
 * which knows how the normal turns. tool NULL: a sphere; size: its radius. */
pl_status pl_patch_spread(pl_patch *self, const pl_world *world, const pl_shape *tool, double size,
                          const double x[3], pl_hit *hit, pl_error *error);

#endif
