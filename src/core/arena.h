/* Memory for things that take turns: an allocator that keeps the pieces it once got, so that what
 * is given back serves the next. Things that ask for the same sizes in the same order as before get
 * the same places, without a new piece; things that never stand there together take no more than
 * the largest of them, nearly. */
#ifndef PL_CORE_ARENA_H
#define PL_CORE_ARENA_H

#include "pliant/base.h"

typedef struct pl_arena {
  pl_allocator source; /* of the pieces */
  struct pl_arena_piece {
    char *memory;
    size_t size, used;
    size_t last; /* where what was taken last begins */
  } * pieces;
  size_t count, capacity;
  int live; /* how much is out: at none all pieces are empty */
} pl_arena;

/* The arena must stay where it is as long as its allocator is used. */
pl_allocator pl_arena_allocator(pl_arena *arena);

/* Gives the pieces back. */
void pl_arena_destroy(pl_arena *arena);

#endif
