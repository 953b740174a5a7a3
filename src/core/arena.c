/* First fit: a piece is filled from its beginning. What was taken last can be given back at once,
 * all else is free when nothing of the arena is out. */
#include "core/arena.h"

#include "core/memory.h"

static void *take(void *context, size_t size, size_t align)
{
  pl_arena *arena = context;
  if (align > PL_ALIGNMENT || size > SIZE_MAX - PL_ALIGNMENT) return NULL;
  size = (size + PL_ALIGNMENT - 1) / PL_ALIGNMENT * PL_ALIGNMENT;
  size_t i = 0;
  while (i < arena->count && arena->pieces[i].size - arena->pieces[i].used < size) i++;
  if (i == arena->count) {
    void *pieces = arena->pieces;
    pl_status status = pl_reserve(&arena->source, &pieces, &arena->capacity, arena->count + 1,
                                  sizeof *arena->pieces);
    arena->pieces = pieces;
    if (status) return NULL;
    char *memory = arena->source.alloc(arena->source.context, size, PL_ALIGNMENT);
    if (!memory) return NULL;
    arena->pieces[arena->count++] = (struct pl_arena_piece){.memory = memory, .size = size};
  }
  struct pl_arena_piece *piece = &arena->pieces[i];
  arena->live++;
  piece->last = piece->used;
  piece->used += size;
  return piece->memory + piece->last;
}

static void give_back(void *context, void *memory)
{
  pl_arena *arena = context;
  arena->live--;
  for (size_t i = 0; i < arena->count; i++) {
    struct pl_arena_piece *piece = &arena->pieces[i];
    if (arena->live == 0)
      piece->used = 0;
    else if (memory == piece->memory + piece->last)
      piece->used = piece->last;
  }
}

pl_allocator pl_arena_allocator(pl_arena *arena)
{
  return (pl_allocator){.context = arena, .alloc = take, .free = give_back};
}

void pl_arena_destroy(pl_arena *arena)
{
  for (size_t i = 0; i < arena->count; i++) pl_free(&arena->source, arena->pieces[i].memory);
  pl_free(&arena->source, arena->pieces);
  *arena = (pl_arena){.source = arena->source};
}
