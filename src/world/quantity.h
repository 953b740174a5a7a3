/* What a probe can watch. */
#ifndef PL_WORLD_QUANTITY_H
#define PL_WORLD_QUANTITY_H

#include "pliant/world.h"

typedef struct pl_probe pl_probe;

typedef struct pl_quantity_ops {
  pl_member info;
  const char *unit;
  int width;    /* 1 or 3 */
  int of_point; /* needs a body and a point in it */
  void (*read)(pl_world *world, const pl_probe *probe, double *value);
} pl_quantity_ops;

extern const pl_family pl_quantity_family;

#endif
