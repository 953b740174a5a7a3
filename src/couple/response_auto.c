/* The response that is taken where none is asked for. Constraint rows at obstacles bear any step
 * and leave no penetration, with explicit and implicit methods alike, and the penalty between
 * bodies follows the integrator by itself (couple/collision.h): so one choice serves all. */
#include "couple/response.h"

static const pl_response_ops *stands_for(const pl_selection *integrator)
{
  (void)integrator;
  return &pl_response_constraint;
}

const pl_response_ops pl_response_auto = {
    .info = {.name = "auto", .summary = "as the integrator asks for; today constraint with all"},
    .stands_for = stands_for,
};
