/* Projection of the report on Terzopoulos' deformable objects, 3.6.2 (Listing 3.5): a node that has
 * ended a step inside an obstacle by d is moved out by c d along the normal, and its velocity is
 * that of the positions, c d / h more. Nothing is seen inside, and the velocity that it had lost by
 * entering comes back: (3.6.11) counts sqrt(2 g d). There is no friction. */
#include "couple/response.h"

#include <math.h>

#define OUT 1.0 /* m/s */

static const pl_param params[] = {{.name = "strength",
                                   .unit = "1",
                                   .summary = "the part of the depth by which nodes are moved; "
                                              "above 1 they bounce",
                                   .preset = 1,
                                   .min = 0.01,
                                   .max = 2}};

static double move(const double *values, const pl_contact_node *at, double h, double *speed)
{
  // what starts deep inside comes out at no more than OUT
  double way = fmin(-values[0] * at->gap, (OUT + 2 * fmax(-at->rate, 0)) * h);
  *speed = way / h;
  return way;
}

static const pl_contact_rule rule = {.move = move};

const pl_response_ops pl_response_projection = {
    .info = PL_INFO("projection",
                    "nodes that end a step inside an obstacle are moved to its surface, and "
                    "their velocities follow; a penalty force between bodies; no friction",
                    "OpenTissue report, 3.6.2", params),
    .at_obstacles = PL_CONTACT_MOVED,
    .rule = &rule,
    .coupling = &pl_coupling_collision,
    .refuses = pl_response_refuses_statics,
};
