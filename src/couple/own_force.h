/* Forces that a program exerts on the nodes of a body, as it likes. */
#ifndef PL_COUPLE_OWN_FORCE_H
#define PL_COUPLE_OWN_FORCE_H

#include "couple/coupling.h"

typedef struct pl_own_force {
  pl_coupling base;
  double *forces; /* N, 3 per inside node */
} pl_own_force;

pl_status pl_own_force_make(pl_own_force *self, pl_error *error);
/* forces: 3 per node of the mesh, finite. */
pl_status pl_own_force_set(pl_own_force *self, const double *forces, pl_error *error);

#endif
