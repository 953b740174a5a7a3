/* Keeping the momentum of free bodies: what the internal forces of a model add to a body's linear
 * and angular momentum, they must not. */
#ifndef PL_WORLD_MOMENTUM_H
#define PL_WORLD_MOMENTUM_H

#include "pliant/world.h"

/* Before a step of h from the world's state at time t, which world->before holds as well: works out
 * what external forces make of the momenta. */
void pl_momentum_expect(pl_world *world, double t, double h);

/* After it: takes away what is too much of them, unless the body touches something. The positions
 * follow as in implicit Euler. */
void pl_momentum_correct(pl_world *world, double h);

#endif
