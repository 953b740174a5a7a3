/* Local frames: how some elements of the bodies are turned, to be drawn as small axes. */
#ifndef PL_VIEW_LOCAL_H
#define PL_VIEW_LOCAL_H

#include "pliant/world.h"

enum { PL_MOST_LOCALS = 240, PL_LOCAL_FLOATS = 12 };

/* One element: its corners' numbers and the inverse of its edges at rest. */
typedef struct pl_local {
  pl_body_id body;
  int nodes[8], count;
  double inverse[9];
} pl_local;

typedef struct pl_locals {
  int count;
  pl_local items[PL_MOST_LOCALS];
} pl_locals;

/* Chooses elements evenly from all bodies. */
void pl_locals_choose(pl_locals *locals, const pl_world *world);

/* For each its middle and, column by column, the rotation nearest to its deformation gradient:
 * PL_LOCAL_FLOATS numbers. room: 3 numbers per node of the largest body. */
pl_status pl_locals_read(const pl_locals *locals, const pl_world *world, double *room, float *out,
                         pl_error *error);

#endif
