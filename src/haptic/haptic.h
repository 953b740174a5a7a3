/* What pictures and the viewer see of a hand beside pliant/haptic.h. */
#ifndef PL_HAPTIC_HAPTIC_H
#define PL_HAPTIC_HAPTIC_H

#include "pliant/haptic.h"
#include "shape/obstacle.h"

/* The shape of its tool, with its origin at the tool's place; NULL: a sphere, or a point. */
const pl_shape *pl_haptic_tool(const pl_haptic *haptic);
/* The radius with which its tool is drawn, m: its own, or of a point a fiftieth of the largest
 * body. */
double pl_haptic_drawn_radius(const pl_haptic *haptic);
/* Does a program say where its device is, by pl_haptic_place? */
int pl_haptic_is_placed(const pl_haptic *haptic);

#endif
