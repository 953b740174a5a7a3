/* Preparing a world within a step, which its watcher may cancel as the rest of the step. Questions
 * about a world use pl_world_prepare (world.h), which asks nobody. */
#ifndef PL_WORLD_PREPARE_H
#define PL_WORLD_PREPARE_H

#include "world/world.h"

pl_status pl_world_prepare_watched(pl_world *world, pl_error *error);

/* Pattern, matrix, pairs and solver for the bodies and couplings as they are. */
pl_status pl_world_make_matrix(pl_world *world, pl_error *error);

#endif
