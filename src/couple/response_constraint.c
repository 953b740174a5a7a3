/* Constraint rows at obstacles (couple/contact.h), and between bodies, where rows would have to
 * span several blocks, the implicit penalty (couple/collision.h). */
#include "couple/response.h"

const pl_response_ops pl_response_constraint = {
    .info = {.name = "constraint",
             .summary = "constraints on velocity at obstacles, which leave no penetration; a "
                        "penalty force between bodies"},
    .at_obstacles = PL_CONTACT_ROWS,
    .coupling = &pl_coupling_collision,
};
