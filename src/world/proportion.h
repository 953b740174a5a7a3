/* Notices a run that leaves all proportion to its loads, and tells explicit methods' critical step.
 */
#ifndef PL_WORLD_PROPORTION_H
#define PL_WORLD_PROPORTION_H

#include "ode/integrator.h"
#include "pliant/world.h"

typedef struct pl_proportion {
  double *f, *x;   /* room, two vectors                                              */
  double expected; /* m/s: what the start and the loads so far account for           */
  double speed;    /* m/s: RMS speed at the end of the last step                     */
  double wave;     /* m/s: of the fastest elastic wave                               */
  double critical; /* s: the largest stable step, about; infinite: there is no limit */
  const pl_integrator_ops *told; /* the method whose critical step was told */
} pl_proportion;

/* At preparation: takes the room, and finds the critical step. */
pl_status pl_proportion_prepare(pl_world *world, pl_error *error);
void pl_proportion_release(pl_world *world);

/* Before a step and after it; the second fails where the speed cannot be explained. */
void pl_proportion_begin(pl_world *world);
pl_status pl_proportion_check(pl_world *world, pl_error *error);

#endif
