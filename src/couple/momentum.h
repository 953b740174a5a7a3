/* Keeping the momentum of a free body: what the internal forces of a model add to its linear and
 * angular momentum, they must not. */
#ifndef PL_COUPLE_MOMENTUM_H
#define PL_COUPLE_MOMENTUM_H

#include "couple/coupling.h"

typedef struct pl_momentum {
  pl_coupling base;
  // what the momenta must be after the substep, about the mass centre before it
  int active;
  double centre[3], linear[3], angular[3];
} pl_momentum;

#endif
