/* The state: all that changes from step to step, side by side in one block of numbers.
 *
 *   q | v | the integrator's memory | the couplings' memory | what the bodies' laws remember
 *
 * and the clock. Saving, restoring a rejected step, checkpoints and going back are copies of it.
 *
 * The last part, most of a state, is never copied in a step: states that agree in it share one
 * room. Each state brings a room along, so that where laws move on one is free for what they
 * remember then. */
#ifndef PL_WORLD_STATE_H
#define PL_WORLD_STATE_H

#include "pliant/world.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Where the parts of a state begin, in numbers. */
typedef struct pl_layout {
  size_t v, integrator, couplings, materials, count;
} pl_layout;

/* The numbers of a state that views hold as well (view.c): the last one frees them. */
typedef struct pl_shared {
  pl_allocator allocator;
  double *numbers;
  atomic_int holders;
} pl_shared;

typedef struct pl_state {
  double time;   /* s */
  int64_t steps; /* made so far */
  double epoch;  /* the time at step epoch_steps, since when dt has been as it is */
  int64_t epoch_steps;
  double *numbers;   /* NULL: no room */
  double *q, *v;     /* in them */
  double *materials; /* what laws remember: in these numbers or in those of another state */
  pl_shared *shared; /* what views hold of them; NULL: there are none */
  int is_packed;     /* vectors have the blocks that are here only (vectors.h); q and v are NULL */
} pl_state;

/* Takes a holder off; NULL is fine. */
void pl_shared_release(pl_shared *shared);

/* Frees the numbers of the state, or leaves them to the views that hold them. */
void pl_world_free_numbers(pl_world *world);

/* Gives the state the layout that bodies, couplings and the integrator ask for now. What stood in
 * q, v and the memory of couplings and laws stays as far as it fits; the integrator's memory is
 * zero. On failure nothing has changed. */
pl_status pl_world_resize(pl_world *world, pl_error *error);

/* Hands the laws what they remember as it stands in the state. */
void pl_world_recall(pl_world *world);

/* Copies numbers and clock; both have room. What laws remember is shared from then on. */
void pl_state_copy(pl_world *world, const pl_state *from, pl_state *to);

/* A room for what laws remember that no other state has; once they have moved on to it, or it was
 * another state's, it is the state's. */
double *pl_world_free_room(const pl_world *world);
void pl_world_take_room(pl_world *world, double *room);

/* Carries out what models have postponed: all that laws remember stands in the state. */
void pl_world_settle(const pl_world *world);

#endif
