/* Vectors over ranks: integrators get a system of the blocks that are here (ode/share.h), where the
 * world can be stepped so. Positions and velocities are made whole at the end of a substep, for
 * whoever looks at them. */
#ifndef PL_WORLD_VECTORS_H
#define PL_WORLD_VECTORS_H

#include "world/world.h"

/* Makes world->vectors.share, or leaves it NULL; by each rank, when matrix and rows are there. */
pl_status pl_vectors_prepare(pl_world *world, pl_error *error);
/* All ranks: learns who has copies of what. */
pl_status pl_vectors_connect(pl_world *world, pl_error *error);
void pl_vectors_release(pl_world *world);
/* How many blocks the integrator's vectors have. */
int pl_vectors_blocks(const pl_world *world);
/* A step of the world's integrator over step->h. */
pl_status pl_vectors_step(pl_world *world, const pl_substep *step, pl_step_report *report,
                          pl_error *error);

/* The saved state has the vectors of the blocks that are here, and all that is no vector: from and
 * to numbers of all blocks, by all ranks together; and how many numbers those are, but for what
 * laws remember. */
void pl_vectors_pack(const pl_world *world, const double *all, double *packed);
void pl_vectors_unpack(const pl_world *world, const double *packed, double *all);
size_t pl_vectors_packed(const pl_world *world);

#endif
