/* First fit: a piece is filled from its beginning. What was taken last can be given back at once,
 * all else is free when nothing of the shelf is out. */
#include "core/shelf.h"

#include "core/memory.h"

static void *take(void *context, size_t size, size_t align)
{
  pl_shelf *shelf = context;
  if (align > PL_ALIGNMENT || size > SIZE_MAX - PL_ALIGNMENT) return NULL;
  size = (size + PL_ALIGNMENT - 1) / PL_ALIGNMENT * PL_ALIGNMENT;
  size_t i = 0;
  while (i < shelf->count && shelf->pieces[i].size - shelf->pieces[i].used < size) i++;
  if (i == shelf->count) {
    void *pieces = shelf->pieces;
    pl_status status = pl_reserve(&shelf->source, &pieces, &shelf->capacity, shelf->count + 1,
                                  sizeof *shelf->pieces);
    shelf->pieces = pieces;
    if (status) return NULL;
    char *memory = shelf->source.alloc(shelf->source.context, size, PL_ALIGNMENT);
    if (!memory) return NULL;
    shelf->pieces[shelf->count++] = (struct pl_shelf_piece){.memory = memory, .size = size};
  }
  struct pl_shelf_piece *piece = &shelf->pieces[i];
  shelf->live++;
  piece->last = piece->used;
  piece->used += size;
  return piece->memory + piece->last;
}

static void give_back(void *context, void *memory)
{
  pl_shelf *shelf = context;
  shelf->live--;
  for (size_t i = 0; i < shelf->count; i++) {
    struct pl_shelf_piece *piece = &shelf->pieces[i];
    if (shelf->live == 0)
      piece->used = 0;
    else if (memory == piece->memory + piece->last)
      piece->used = piece->last;
  }
}

pl_allocator pl_shelf_allocator(pl_shelf *shelf)
{
  return (pl_allocator){.context = shelf, .alloc = take, .free = give_back};
}

void pl_shelf_destroy(pl_shelf *shelf)
{
  for (size_t i = 0; i < shelf->count; i++) pl_free(&shelf->source, shelf->pieces[i].memory);
  pl_free(&shelf->source, shelf->pieces);
  *shelf = (pl_shelf){.source = shelf->source};
}
