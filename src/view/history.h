/* The states that can be gone back to: the latest ones, as many as a number of bytes allows. */
#ifndef PL_VIEW_HISTORY_H
#define PL_VIEW_HISTORY_H

#include "pliant/world.h"

typedef struct pl_history {
  pl_allocator allocator;
  int room, first, count; /* a ring of room states, the oldest at first */
  int here;               /* which of them, from 0, the world stands at */
  int64_t dropped;        /* states that fell off the old end           */
  struct pl_history_state {
    size_t size;
    void *bytes;
  } * states;
} pl_history;

/* Room for states of the world in about that many bytes; at least two. */
pl_status pl_history_create(const pl_world *world, size_t bytes, const pl_allocator *allocator,
                            pl_history *history, pl_error *error);
void pl_history_release(pl_history *history);

/* Takes the world's state behind where it stands; what came later is forgotten. */
pl_status pl_history_add(pl_history *history, const pl_world *world, pl_error *error);

/* Puts the world at one of the states, the nearest there is. */
pl_status pl_history_go(pl_history *history, pl_world *world, int64_t place, pl_error *error);

#endif
