/* The rigid motion that is nearest to that of points: a rotation about P, and where P is. */
#ifndef PL_MODEL_NEAREST_H
#define PL_MODEL_NEAREST_H

#include "model/model.h"

typedef enum pl_part_hinge { PL_PART_FREE, PL_PART_BALL, PL_PART_AXIS } pl_part_hinge;

/* Points with their masses, places and velocities. */
typedef struct pl_cloud {
  int count;
  const int *nodes;   /* their numbers in the arrays below; NULL: 0 to count - 1 */
  const double *mass; /* kg; NULL: all alike */
  const double *rest, *x, *speed;
} pl_cloud;

/* q and v of a rotation block and a point block. A hinge keeps P where it is; axis (length 1) is
 * that of PL_PART_AXIS. */
void pl_nearest_motion(pl_part_hinge hinge, const double P[3], const double axis[3],
                       const pl_cloud *from, double q[6], double v[6]);

/* What is at right angles to an axis of length 1: a rotation that is held so turns about it only.
 */
void pl_hold_turns(const double axis[3], pl_block_hold *to);

#endif
