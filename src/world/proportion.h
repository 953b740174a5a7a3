/* Notices a run that leaves all proportion to its loads, and logs explicit methods' critical step.
 */
#ifndef PL_WORLD_PROPORTION_H
#define PL_WORLD_PROPORTION_H

#include "ode/integrator.h"
#include "pliant/world.h"
#include "sparse/passes.h"

typedef struct pl_proportion {
  double expected;    /* m/s: what the start and the loads so far account for           */
  double speed;       /* m/s: RMS speed at the end of the last step                     */
  double wave;        /* m/s: of the fastest elastic wave                               */
  double mass;        /* kg, of all bodies                                              */
  struct pl_kinetic { /* of all bodies at the beginning of a step and at its end, times 2 */
    int is_known;     /* the sums are there, or deferred */
    pl_range_sums sums;
  } begin, end;
  double critical; /* s: the largest stable step, about; infinite: there is no limit */
  double extra[2]; /* of w^2 and damping by power iterations: what elements' bounds do not account
                      for, 1/s^2 and 1/s */
  double *dets;    /* room for det F of each element of a body that is computed here */
  int warned_inverted, warned_hourglass;
  const pl_integrator_ops *logged; /* the method whose critical step was logged */
} pl_proportion;

/* At preparation: takes the room, and finds the critical step. */
pl_status pl_proportion_prepare(pl_world *world, pl_error *error);
void pl_proportion_release(pl_world *world);

/* A step that explicit methods are stable with in the present state: from upper bounds of the
 * elements' frequencies where models know them, else from power iterations at preparation. Infinite
 * for methods without a limit. */
double pl_proportion_bound(pl_world *world);

/* Fails where dt is above the critical step and the world does not allow that. */
pl_status pl_proportion_admit(const pl_world *world, pl_error *error);

/* Before a step, after it, and to judge it, which fails where the speed cannot be explained. The
 * first two read velocities only, and later where the pool gathers. The second may be left out. */
void pl_proportion_begin(pl_world *world);
void pl_proportion_end(pl_world *world);
pl_status pl_proportion_check(pl_world *world, pl_error *error);

#endif
