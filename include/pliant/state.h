/* The state of a world: a copy of it, and going back to the copy. */
#ifndef PLIANT_STATE_H
#define PLIANT_STATE_H

#include "pliant/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes that the state takes (they depend on the integrator and on what acts on the bodies), and
 * the state itself: time, positions, velocities, and what integrator and couplings remember, so
 * that a run goes on with the same bits, in another process as well. It fits the world it was taken
 * from, or one made alike; another integrator than then starts without a memory, and so do
 * couplings where they are others. Where an integrator keeps its matrix over steps
 * (matrix = "kept") the matrix is a part of the state from the first step on, and its size grows
 * by that. Solvers that keep a factor or coarse levels over several matrices (direct, unless
 * reuse = "no", and multigrid) recompute them after loading: then a run goes on to within the
 * solver's tolerance. It carries a checksum: damaged bytes are refused. */
PL_API size_t pl_world_state_size(const pl_world *world);
PL_API pl_status pl_world_save_state(const pl_world *world, void *memory, size_t size,
                                     pl_error *error);
PL_API pl_status pl_world_load_state(pl_world *world, const void *memory, size_t size,
                                     pl_error *error);

/* Equal hash: the same time, positions and velocities, bit for bit. */
PL_API uint64_t pl_world_state_hash(const pl_world *world);

#ifdef __cplusplus
}
#endif
#endif
