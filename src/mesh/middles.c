/* Nodes between the corners of tetrahedra, as files of quadratic elements have them: found by the
 * ends of their edges. */
#include "core/error.h"
#include "core/memory.h"
#include "mesh/mesh.h"
#include "mesh/surface.h"

#include <string.h>

static int compare(const int *a, const int *b)
{
  return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

/* The numbers of edges by their ends, earlier ones of the same edge first; room: as many, and one
 * more than the nodes. */
static void sort_edges(const pl_mesh *mesh, int count, const int *ends, int *order, int *spare,
                       int *starts)
{
  for (int i = 0; i < count; i++) spare[i] = i;
  pl_sort_pass(count, ends + 1, 2, mesh->node_count, starts, spare, order);
  memcpy(spare, order, (size_t)count * sizeof *spare);
  pl_sort_pass(count, ends, 2, mesh->node_count, starts, spare, order);
}

static void copy_edges(pl_edge_middles *to, int count, const int *order, const int *ends,
                       const double *positions)
{
  for (int i = 0; i < count; i++) {
    const int *edge = ends + 2 * (size_t)order[i];
    if (to->count && compare(edge, to->ends + 2 * (size_t)(to->count - 1)) == 0) continue;
    memcpy(to->ends + 2 * (size_t)to->count, edge, 2 * sizeof *edge);
    memcpy(to->positions + 3 * (size_t)to->count++, positions + 3 * (size_t)order[i],
           3 * sizeof *positions);
  }
}

pl_status pl_mesh_keep_middles(pl_mesh *mesh, int count, const int *ends, const double *positions,
                               pl_error *error)
{
  const pl_allocator *allocator = &mesh->allocator;
  pl_edge_middles *to = &mesh->middles;
  size_t edges = (size_t)count;
  int *order = pl_alloc(allocator, edges, sizeof *order);
  int *spare = pl_alloc(allocator, edges, sizeof *spare);
  int *starts = pl_alloc(allocator, (size_t)mesh->node_count + 1, sizeof *starts);
  to->ends = pl_alloc(allocator, 2 * edges, sizeof *to->ends);
  to->positions = pl_alloc(allocator, 3 * edges, sizeof *to->positions);
  int ok = order && spare && starts && to->ends && to->positions;
  if (ok) {
    sort_edges(mesh, count, ends, order, spare, starts);
    copy_edges(to, count, order, ends, positions);
  }
  pl_free(allocator, order);
  pl_free(allocator, spare);
  pl_free(allocator, starts);
  return ok ? PL_OK : pl_fail_memory(error);
}

const double *pl_mesh_find_middle(const pl_mesh *mesh, const int ends[2])
{
  const pl_edge_middles *of = &mesh->middles;
  int low = 0, high = of->count;
  while (low < high) {
    int at = low + (high - low) / 2, order = compare(of->ends + 2 * (size_t)at, ends);
    if (order == 0) return of->positions + 3 * (size_t)at;
    if (order < 0)
      low = at + 1;
    else
      high = at;
  }
  return NULL;
}
