/* Smooth forces everywhere: an elastic layer on bodies at obstacles (couple/penalty.h), a penalty
 * between bodies (couple/collision.h). */
#include "couple/response.h"

const pl_response_ops pl_response_penalty = {
    .info = {.name = "penalty",
             .summary = "forces that grow with depth, at obstacles by a layer of 1/50 of the "
                        "body's size: cheap, and bodies enter obstacles by a part of it"},
    .at_obstacles = PL_CONTACT_LAYER,
    .coupling = &pl_coupling_collision,
};
