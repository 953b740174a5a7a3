/* Hauth's response (2004, 5.4.2): what is found inside at the end of a step is moved to the surface
 * (relocation), and constraints on the velocity, n . v = n . w, hold it there in the steps that
 * follow, until they would have to pull. So contact is found one step late, at the ends of steps
 * only: fast nodes pass through thin obstacles. */
#include "couple/response.h"

static double move(const double *values, const pl_contact_node *at, double h, double *speed)
{
  (void)values, (void)h;
  *speed = at->rate < 0 ? -at->rate : 0;
  return -at->gap;
}

static const pl_contact_rule rule = {.move = move};

const pl_response_ops pl_response_relocation = {
    .info = {.name = "relocation",
             .summary = "nodes that end a step inside an obstacle are moved to its surface and "
                        "held there by constraints on velocity; a penalty force between bodies",
             .source = "Hauth 2004, 5.4.2"},
    .at_obstacles = PL_CONTACT_HELD,
    .rule = &rule,
    .coupling = &pl_coupling_collision,
    .refuses = pl_response_refuses_statics,
};
