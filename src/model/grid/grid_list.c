/* Lists of elements of a grid: their chunks, colours and blocks. */
#include "core/error.h"
#include "core/memory.h"
#include "model/grid/grid.h"

enum { CHUNK = 32 };

pl_status pl_grid_list_make(const pl_allocator *allocator, int node_count, pl_grid_list *list,
                            pl_error *error)
{
  size_t square = (size_t)list->size * (size_t)list->size * (size_t)list->count;
  list->chunks = pl_chunk_count(list->count, CHUNK);
  list->starts = pl_alloc(allocator, (size_t)list->chunks + 1, sizeof *list->starts);
  list->sums = pl_alloc(allocator, (size_t)list->chunks, sizeof *list->sums);
  list->blocks = pl_alloc(allocator, square, sizeof *list->blocks);
  list->places = pl_alloc(allocator, square, sizeof *list->places);
  if (!list->starts || !list->sums || !list->blocks || !list->places) return pl_fail_memory(error);
  for (int c = 0; c <= list->chunks; c++)
    list->starts[c] = c * CHUNK < list->count ? c * CHUNK : list->count;
  const pl_chunks of = {list->nodes, list->size, list->count, list->chunks, list->starts, NULL};
  return pl_colours_create(allocator, node_count, &of, &list->colours, error);
}

void pl_grid_list_release(const pl_allocator *allocator, pl_grid_list *list)
{
  void *arrays[] = {list->nodes, list->blocks, list->places, list->starts, list->sums};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(allocator, arrays[i]);
  if (list->colours.start || list->colours.list) pl_colours_destroy(allocator, &list->colours);
}

void pl_grid_list_find(const pl_bsr *pattern, pl_grid_list *list)
{
  int n = list->size;
  for (int e = 0; e < list->count; e++) {
    const int *nodes = list->nodes + (size_t)n * (size_t)e;
    int *blocks = list->blocks + (size_t)(n * n) * (size_t)e;
    for (int ab = 0; ab < n * n; ab++)
      blocks[ab] = pl_bsr_find(pattern, nodes[ab / n], nodes[ab % n]);
  }
}

void pl_grid_list_bind(const int *places, pl_grid_list *list)
{
  size_t total = (size_t)list->size * (size_t)list->size * (size_t)list->count;
  for (size_t i = 0; i < total; i++) list->places[i] = places[list->blocks[i]];
}
