/* Greedy colouring: each chunk takes, of the colours that none of its nodes has seen, the one with
 * the fewest chunks, which keeps the colours of even size. */
#include "model/colour.h"

#include "core/error.h"
#include "core/memory.h"

#include <stddef.h>

/* Colours that a node can remember; chunks that find none free get a colour of their own. */
enum { MOST_SHARED = 64 };

/* The free shared colour of the fewest chunks, a new one, or -1 if all are taken. */
static int pick_colour(uint64_t taken, const int *sizes, int shared)
{
  int best = -1;
  for (int c = 0; c < shared; c++) {
    if (!(taken >> c & 1) && (best < 0 || sizes[c] < sizes[best])) best = c;
  }
  if (best < 0 && shared < MOST_SHARED) best = shared;
  return best;
}

/* The element at a place, or -1. */
static int element_at(const pl_chunks *of, int place)
{
  return of->order ? of->order[place] : place < of->count ? place : -1;
}

/* All colours that nodes of a chunk have seen. */
static uint64_t seen_by(const pl_chunks *of, int chunk, const uint64_t *seen)
{
  uint64_t taken = 0;
  for (int place = of->starts[chunk]; place < of->starts[chunk + 1]; place++) {
    int element = element_at(of, place);
    const int *nodes = of->elements + (ptrdiff_t)of->size * element;
    for (int a = 0; element >= 0 && a < of->size; a++) taken |= seen[nodes[a]];
  }
  return taken;
}

/* Lets all nodes of a chunk see a colour. */
static void mark(const pl_chunks *of, int chunk, uint64_t colour, uint64_t *seen)
{
  for (int place = of->starts[chunk]; place < of->starts[chunk + 1]; place++) {
    int element = element_at(of, place);
    const int *nodes = of->elements + (ptrdiff_t)of->size * element;
    for (int a = 0; element >= 0 && a < of->size; a++) seen[nodes[a]] |= colour;
  }
}

/* Gives every chunk a colour and returns how many there are. Colours from MOST_SHARED on, of one
 * chunk each, are numbered down from -1 until all shared ones are known. */
static int colour_chunks(const pl_chunks *of, uint64_t *seen, int *colour)
{
  int sizes[MOST_SHARED] = {0}, shared = 0, alone = 0;
  for (int chunk = 0; chunk < of->chunks; chunk++) {
    int best = pick_colour(seen_by(of, chunk, seen), sizes, shared);
    if (best < 0) {
      colour[chunk] = -++alone;
      continue;
    }
    if (best == shared) shared++;
    sizes[best]++;
    mark(of, chunk, UINT64_C(1) << best, seen);
    colour[chunk] = best;
  }
  for (int chunk = 0; chunk < of->chunks; chunk++) {
    if (colour[chunk] < 0) colour[chunk] = shared - 1 - colour[chunk];
  }
  return shared + alone;
}

pl_status pl_colours_create(const pl_allocator *allocator, int node_count, const pl_chunks *of,
                            pl_colours *colours, pl_error *error)
{
  int chunks = of->chunks;
  *colours = (pl_colours){.chunks = chunks};
  uint64_t *seen = pl_alloc(allocator, (size_t)node_count, sizeof *seen);
  int *colour = pl_alloc(allocator, (size_t)chunks, sizeof *colour);
  colours->start = pl_alloc(allocator, (size_t)chunks + 2, sizeof *colours->start);
  colours->list = pl_alloc(allocator, (size_t)chunks, sizeof *colours->list);
  int ok = seen && colour && colours->start && colours->list;
  if (ok) {
    // sort the chunks by colour: start[c + 2] counts, then start[c + 1] is where c's next one goes
    colours->count = colour_chunks(of, seen, colour);
    for (int i = 0; i < chunks; i++) colours->start[colour[i] + 2]++;
    for (int c = 0; c < colours->count; c++) colours->start[c + 2] += colours->start[c + 1];
    for (int i = 0; i < chunks; i++) colours->list[colours->start[colour[i] + 1]++] = i;
  }
  pl_free(allocator, seen);
  pl_free(allocator, colour);
  if (ok) return PL_OK;
  pl_colours_destroy(allocator, colours);
  return pl_fail_memory(error);
}

void pl_colours_destroy(const pl_allocator *allocator, pl_colours *colours)
{
  pl_free(allocator, colours->start);
  pl_free(allocator, colours->list);
  *colours = (pl_colours){0};
}
