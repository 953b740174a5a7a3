/* The quadratic penalty of the report on Terzopoulos' deformable objects, (3.6.8) and (3.6.9): a
 * node at depth d inside an obstacle is pushed out by k d^2 / eps, with k the stiffness of the
 * layer (couple/penalty.h), and not at all where it is leaving and deeper than a threshold (its
 * Listing 3.4), so that what comes in fast loses its energy. Whether it leaves is decided when a
 * substep begins: within one the force has no jump. */
#include "couple/response.h"

#include <math.h>

#define THIN 0.002 /* of the body's size: eps unless set */

static const pl_param params[] = {
    {.name = "epsilon",
     .unit = "m",
     .summary = "the depth at which the force is that of the linear penalty; 0: 1/500 of the "
                "body's size",
     .max = 1e9},
    {.name = "threshold",
     .unit = "m",
     .summary = "nodes that leave feel no force where they are deeper; 0: as epsilon",
     .max = 1e9},
};

static double push(const double *values, const pl_contact_node *at, double *slope)
{
  double eps = values[0] > 0 ? values[0] : THIN * at->size, depth = fmax(-at->gap, 0);
  double threshold = values[1] > 0 ? values[1] : eps;
  *slope = 0;
  if (at->leaves && depth > threshold) return 0;
  *slope = 2 * at->stiffness * depth / eps;
  return at->stiffness * depth * depth / eps;
}

static const pl_contact_rule rule = {.push = push};

const pl_response_ops pl_response_quadratic = {
    .info = PL_INFO("quadratic",
                    "a force that grows with the square of the depth at obstacles and lets go "
                    "of what leaves; a penalty force between bodies",
                    "Terzopoulos et al. 1987; OpenTissue report, 3.6.1.3", params),
    .at_obstacles = PL_CONTACT_LAYER,
    .rule = &rule,
    .coupling = &pl_coupling_collision,
};
