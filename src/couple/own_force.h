/* Forces that a program exerts on the nodes of a body, as it likes. */
#ifndef PL_COUPLE_OWN_FORCE_H
#define PL_COUPLE_OWN_FORCE_H

#include "couple/coupling.h"

typedef struct pl_own_force {
  pl_coupling base;
  double *forces;       /* N, 3 per inside node */
  int is_set;           /* they are not zero by chance */
  pl_force_field field; /* without evaluate there is none */
  double *asked; /* positions, velocities and forces of the mesh's nodes, and 9 slopes; then forces
                    inside */
} pl_own_force;

pl_status pl_own_force_make(pl_own_force *self, pl_error *error);
/* forces: 3 per node of the mesh, finite; NULL: none. */
pl_status pl_own_force_set(pl_own_force *self, const double *forces, pl_error *error);
pl_status pl_own_force_set_field(pl_own_force *self, const pl_force_field *field, pl_error *error);
/* Does it do anything at all? */
int pl_own_force_acts(const pl_own_force *self);

#endif
