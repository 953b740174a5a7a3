/* Where an obstacle was moved to by a program: a place and the next, with their times, in the
 * state. */
#ifndef PL_COUPLE_PLACEMENT_H
#define PL_COUPLE_PLACEMENT_H

#include "couple/coupling.h"
#include "shape/motion.h"

typedef struct pl_placement {
  pl_coupling base;
} pl_placement;

/* 0: it was never moved. */
int pl_placement_exists(const pl_placement *placement);
/* From where it is at time t to another place at time end. The world must be prepared. */
void pl_placement_set(pl_placement *placement, double t, double end, const pl_place *to);
void pl_placement_pose(const pl_placement *placement, double t, pl_axes *pose);

#endif
