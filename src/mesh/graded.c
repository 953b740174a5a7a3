/* Boxes on a grid of integers; see graded.h. */
#include "mesh/graded.h"

#include "core/error.h"
#include "core/memory.h"

#include <string.h>

void pl_graded_begin(pl_graded *graded, const pl_allocator *allocator)
{
  *graded = (pl_graded){.allocator = *allocator};
}

void pl_graded_release(pl_graded *graded)
{
  void *arrays[] = {graded->nodes, graded->cells, graded->table, graded->hanging, graded->hangs};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    pl_free(&graded->allocator, arrays[i]);
}

/* ---- nodes ---- */

static uint64_t hash_of(const int at[3])
{
  uint64_t h = (uint64_t)(uint32_t)at[0] + ((uint64_t)(uint32_t)at[1] << 21) +
               ((uint64_t)(uint32_t)at[2] << 42);
  h = (h ^ h >> 31) * UINT64_C(0x9e3779b97f4a7c15);
  return h ^ h >> 29;
}

int pl_graded_find(const pl_graded *graded, const int at[3])
{
  if (!graded->table) return -1;
  for (uint64_t i = hash_of(at);; i++) {
    int node = graded->table[i & graded->mask] - 1;
    if (node < 0) return -1;
    if (memcmp(graded->nodes[node], at, sizeof graded->nodes[node]) == 0) return node;
  }
}

static void enter(pl_graded *graded, int node)
{
  uint64_t i = hash_of(graded->nodes[node]);
  while (graded->table[i & graded->mask]) i++;
  graded->table[i & graded->mask] = node + 1;
}

static pl_status grow_table(pl_graded *graded)
{
  uint64_t room = graded->table ? 2 * (graded->mask + 1) : 1024;
  int *table = pl_alloc(&graded->allocator, (size_t)room, sizeof *table);
  if (!table) return PL_E_MEMORY;
  pl_free(&graded->allocator, graded->table);
  graded->table = table;
  graded->mask = room - 1;
  for (size_t i = 0; i < graded->node_count; i++) enter(graded, (int)i);
  return PL_OK;
}

/* The node at a grid point, made if it is not there; -1: no memory. */
static int node_at(pl_graded *graded, const int at[3])
{
  int known = pl_graded_find(graded, at);
  if (known >= 0) return known;
  void *nodes = graded->nodes;
  if (pl_reserve(&graded->allocator, &nodes, &graded->node_room, graded->node_count + 1,
                 sizeof *graded->nodes))
    return -1;
  graded->nodes = nodes;
  if ((!graded->table || 2 * graded->node_count > graded->mask) && grow_table(graded)) return -1;
  memcpy(graded->nodes[graded->node_count], at, sizeof *graded->nodes);
  enter(graded, (int)graded->node_count);
  return (int)graded->node_count++;
}

/* ---- cells ---- */

/* Is corner c of a hexahedron on the high side of axis k? */
static int is_high(int c, int k)
{
  return k == 0 ? c % 4 == 1 || c % 4 == 2 : k == 1 ? c % 4 >= 2 : c / 4;
}

pl_status pl_graded_cell(pl_graded *graded, const int low[3], const int high[3], pl_error *error)
{
  void *cells = graded->cells;
  pl_status status =
      pl_mesh_check_limits((int64_t)graded->node_count + 8, (int64_t)graded->cell_count + 1, error);
  if (status) return status;
  if (pl_reserve(&graded->allocator, &cells, &graded->cell_room, graded->cell_count + 1,
                 sizeof *graded->cells))
    return pl_fail_memory(error);
  graded->cells = cells;
  int *nodes = graded->cells[graded->cell_count++];
  for (int c = 0; c < 8; c++) {
    int at[3];
    for (int k = 0; k < 3; k++) at[k] = is_high(c, k) ? high[k] : low[k];
    nodes[c] = node_at(graded, at);
    if (nodes[c] < 0) return pl_fail_memory(error);
  }
  return PL_OK;
}

/* ---- hanging nodes ---- */

/* The parents among the corners of a cell with a share of the way from low to high along each axis:
 * those of all weights that are not zero. */
static pl_graded_parents interpolate(const int cell[8], int node, const double share[3], int size)
{
  pl_graded_parents out = {.node = node, .size = size};
  for (int c = 0; c < 8; c++) {
    double weight = 1;
    for (int k = 0; k < 3; k++) weight *= is_high(c, k) ? share[k] : 1 - share[k];
    if (!(weight > 0) || out.count == 4) continue;
    out.parents[out.count] = cell[c];
    out.weights[out.count++] = weight;
  }
  return out;
}

/* Keeps the smaller box of two, and of equal ones the edge. */
static pl_status add_hanging(pl_graded *graded, const pl_graded_parents *found, pl_error *error)
{
  int *place = &graded->hangs[found->node];
  if (*place) {
    pl_graded_parents *old = &graded->hanging[*place - 1];
    if (found->size < old->size || (found->size == old->size && found->count < old->count))
      *old = *found;
    return PL_OK;
  }
  void *hanging = graded->hanging;
  if (pl_reserve(&graded->allocator, &hanging, &graded->hanging_room, graded->hanging_count + 1,
                 sizeof *graded->hanging))
    return pl_fail_memory(error);
  graded->hanging = hanging;
  graded->hanging[graded->hanging_count++] = *found;
  *place = (int)graded->hanging_count;
  return PL_OK;
}

/* All grid points of a cell's surface but its corners. */
static pl_status hang_on_cell(pl_graded *graded, const int cell[8], pl_error *error)
{
  const int *low = graded->nodes[cell[0]], *high = graded->nodes[cell[6]];
  int at[3], size = 0;
  for (int k = 0; k < 3; k++) size = high[k] - low[k] > size ? high[k] - low[k] : size;
  if (size == 1) return PL_OK;
  for (at[2] = low[2]; at[2] <= high[2]; at[2]++) {
    for (at[1] = low[1]; at[1] <= high[1]; at[1]++) {
      int rim = at[2] == low[2] || at[2] == high[2] || at[1] == low[1] || at[1] == high[1];
      for (at[0] = low[0]; at[0] <= high[0]; at[0] += rim ? 1 : high[0] - low[0]) {
        double share[3];
        int inside = 0, node = pl_graded_find(graded, at);
        if (node < 0) continue;
        for (int k = 0; k < 3; k++) {
          share[k] = (double)(at[k] - low[k]) / (high[k] - low[k]);
          inside += at[k] > low[k] && at[k] < high[k];
        }
        if (inside == 0) continue;
        const pl_graded_parents found = interpolate(cell, node, share, size);
        pl_status status = add_hanging(graded, &found, error);
        if (status) return status;
      }
    }
  }
  return PL_OK;
}

pl_status pl_graded_hang(pl_graded *graded, pl_error *error)
{
  graded->hangs = pl_alloc(&graded->allocator, graded->node_count, sizeof *graded->hangs);
  if (!graded->hangs) return pl_fail_memory(error);
  pl_status status = PL_OK;
  for (size_t c = 0; c < graded->cell_count && !status; c++)
    status = hang_on_cell(graded, graded->cells[c], error);
  return status;
}

pl_status pl_graded_mesh(const pl_graded *graded, const double *positions, int set_count,
                         const pl_set *sets, pl_mesh **mesh, pl_error *error)
{
  size_t count = graded->hanging_count;
  pl_hanging_node *hanging = pl_alloc(&graded->allocator, count, sizeof *hanging);
  if (!hanging) return pl_fail_memory(error);
  for (size_t h = 0; h < count; h++) {
    const pl_graded_parents *from = &graded->hanging[h];
    hanging[h] = (pl_hanging_node){from->node, from->count, from->parents, from->weights};
  }
  pl_status status = pl_mesh_create(&(pl_mesh_def){.node_count = (int)graded->node_count,
                                                   .nodes = positions,
                                                   .element_count = (int)graded->cell_count,
                                                   .nodes_per_element = 8,
                                                   .elements = &graded->cells[0][0],
                                                   .set_count = set_count,
                                                   .sets = sets,
                                                   .hanging_count = (int)count,
                                                   .hanging = hanging,
                                                   .allocator = &graded->allocator},
                                    mesh, error);
  pl_free(&graded->allocator, hanging);
  return status;
}
