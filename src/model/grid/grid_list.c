/* Lists of elements of a grid: their chunks, colours and blocks; elements of the mesh by cells. */
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

pl_status pl_grid_find_elements(const pl_grid_source *from, int **out, pl_error *error)
{
  const pl_mesh *mesh = from->mesh;
  int cells = pl_grid_cell_nodes(from->grid, NULL), corners = 1 << from->grid->axes;
  int n = mesh->nodes_per_element;
  int *nodes = pl_alloc(from->allocator, (size_t)cells * (size_t)corners, sizeof *nodes);
  int *start = pl_alloc(from->allocator, (size_t)mesh->node_count + 2, sizeof *start);
  int *list = pl_alloc(from->allocator, (size_t)mesh->element_count * (size_t)n, sizeof *list);
  *out = pl_alloc(from->allocator, (size_t)cells, sizeof **out);
  int ok = nodes && start && list && *out;
  if (ok) {
    pl_grid_cell_nodes(from->grid, nodes);
    for (int i = 0; i < n * mesh->element_count; i++) start[mesh->elements[i] + 2]++;
    for (int i = 0; i < mesh->node_count; i++) start[i + 2] += start[i + 1];
    for (int i = 0; i < n * mesh->element_count; i++) list[start[mesh->elements[i] + 1]++] = i / n;
  }
  for (int cell = 0; ok && cell < cells; cell++) {
    const int *own = nodes + corners * cell;
    // every node of a cell with an element in it is a candidate, since poles have triangles only
    int found = -1;
    for (int c = 0; c < corners && found < 0; c++) {
      for (int k = start[own[c]]; k < start[own[c] + 1] && found < 0; k++) {
        int inside = 0;
        for (int a = 0; a < n; a++) {
          for (int b = 0; b < corners; b++) inside += mesh->elements[n * list[k] + a] == own[b];
        }
        if (inside == n) found = list[k];
      }
    }
    (*out)[cell] = found < 0 ? 0 : found;
  }
  pl_free(from->allocator, nodes);
  pl_free(from->allocator, start);
  pl_free(from->allocator, list);
  return ok ? PL_OK : pl_fail_memory(error);
}
