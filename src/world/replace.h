/* A body's model replaced in place: frames that come and go, rigid parts, and whatever changes the
 * blocks of a body while its nodes stay.
 *
 * Everything that can fail is done on a copy: the body as it shall be, its model, the state's
 * vectors with room for its blocks; couplings are asked whether they can follow. Then the copy
 * takes the body's place, later bodies move up or down, couplings follow, and what the step had
 * prepared is dropped, with what the integrator remembered. */
#ifndef PL_WORLD_REPLACE_H
#define PL_WORLD_REPLACE_H

#include "world/world.h"

typedef struct pl_replacement {
  int body, shift;   /* shift: so many blocks more */
  pl_body after;     /* it shares with the present body what has not been changed */
  double *q, *v;     /* the state's vectors as they shall be */
  double *x, *speed; /* the nodes as they are, inside order */
} pl_replacement;

/* A copy of the body without its model, for the caller to change. What he puts into it (sites,
 * reach, idle, rigid, ties) is released by drop. */
void pl_replace_begin(const pl_world *world, int body, pl_replacement *to);

/* Makes the model and the vectors; the state of other bodies and the positions and velocities of
 * nodes are in them, that of the body's own blocks is the caller's to fill. */
pl_status pl_replace_build(pl_world *world, pl_replacement *to, pl_error *error);

/* Puts everything in its place; where there is no memory for the state nothing has changed. */
pl_status pl_replace_commit(pl_world *world, pl_replacement *what, pl_error *error);

/* Releases what is not in use: the copy, or after commit what was there before. */
void pl_replace_drop(const pl_world *world, pl_replacement *what);

#endif
