/* The response that is taken where none is asked for.
 *
 * Bodies that meet under a leapfrog method get impulses: a penalty force would have to be so soft
 * there, for the step's sake, that they would sink into each other. Sheets that may touch
 * themselves have no inside that would bring back what has passed, so they get barriers wherever
 * these can be solved for. Everything else gets constraint rows at obstacles, which bear any step
 * and leave no penetration, and the penalty between bodies, which follows the integrator by itself
 * (couple/collision.h). */
#include "couple/response.h"

static const pl_response_ops *stands_for(const pl_selection *integrator, const pl_encounter *what,
                                         const char **why)
{
  const pl_integrator_ops *ops = (const pl_integrator_ops *)(const void *)integrator->member;
  if (what->bodies && !what->bound && !pl_response_impulse.refuses(integrator)) {
    *why = "bodies meet, and impulses neither soften nor limit an explicit step";
    return &pl_response_impulse;
  }
  if (what->folds && !what->bound && !ops->is_static && !pl_response_barrier.refuses(integrator)) {
    *why = "a sheet may touch itself, and nothing else would keep its sides apart";
    return &pl_response_barrier;
  }
  *why = what->bodies   ? "rows leave no penetration at obstacles, bodies push each other"
         : what->follow ? "rows keep nodes out of obstacles, surfaces that follow are pushed out"
                        : "rows leave no penetration at obstacles";
  return &pl_response_constraint;
}

const pl_response_ops pl_response_auto = {
    .info = {.name = "auto",
             .summary = "impulse where bodies meet under verlet, explicit-newmark or "
                        "explicit-euler; barrier where a sheet may touch itself and newton > 1; "
                        "constraint otherwise"},
    .stands_for = stands_for,
};
