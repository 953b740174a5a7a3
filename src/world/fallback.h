/* What makes a substep whose solves were cut short by a budget: implicit Euler.
 *
 * The stages of methods of higher order rest on each other and on solutions. Half of a solution is
 * no state on the way to a better one there: midpoint, SDIRK and BDF methods blow up within some
 * steps in contact. Implicit Euler that is cut short gains no energy (ode/newton.c, hold_back). So
 * the method has half of a budget of iterations, or all the time that there is; where that is not
 * enough, the substep begins again with implicit Euler. Steps that are late again and again take it
 * at once. */
#ifndef PL_WORLD_FALLBACK_H
#define PL_WORLD_FALLBACK_H

#include "ode/integrator.h"

typedef struct pl_fallback {
  pl_selection selection;
  pl_integrator *by; /* NULL: there is no budget, or the method needs none */
  int64_t substeps;  /* that it has made */
} pl_fallback;

/* Is there a budget, and a method that needs somebody else if it runs out? */
int pl_fallback_is_needed(const pl_world *world);

pl_status pl_fallback_prepare(pl_world *world, pl_error *error);
void pl_fallback_release(pl_world *world);

#endif
