/* The edges of triangles: all sides sorted by their ends, then those with equal ends joined. */
#include "model/cloth/edges.h"

#include "core/error.h"
#include "core/memory.h"

#include <stdlib.h>

typedef struct side {
  int low, high, triangle, from, to, third;
} side;

static int compare(const void *a, const void *b)
{
  const side *p = a, *q = b;
  if (p->low != q->low) return p->low < q->low ? -1 : 1;
  if (p->high != q->high) return p->high < q->high ? -1 : 1;
  return p->triangle < q->triangle ? -1 : p->triangle > q->triangle;
}

static void list_sides(const pl_mesh *mesh, side *sides)
{
  for (int i = 0; i < 3 * mesh->element_count; i++) {
    const int *nodes = mesh->elements + i / 3 * 3;
    int from = nodes[i % 3], to = nodes[(i + 1) % 3];
    int swap = from > to;
    sides[i] = (side){swap ? to : from, swap ? from : to, i / 3, from, to, nodes[(i + 2) % 3]};
  }
}

/* Edges of the sides [0, count) of one pair of ends. Errors name places: the numbers here are not
 * those of the mesh that was read. */
static pl_status join(const double *nodes, const side *sides, int count, pl_cloth_edge *edges,
                      int *found, pl_error *error)
{
  for (int i = 0; i == 0 || i + 1 < count; i++) {
    const side *one = &sides[i], *next = i + 1 < count ? &sides[i + 1] : NULL;
    const double *x = nodes + 3 * (size_t)one->from;
    if (next && next->third == one->third)
      return pl_fail_entity(error, PL_E_MESH, next->triangle,
                            "two triangles at (%g, %g, %g) have the same three nodes; remove one "
                            "of them",
                            x[0], x[1], x[2]);
    edges[(*found)++] =
        (pl_cloth_edge){.nodes = {one->from, one->to, one->third, next ? next->third : -1},
                        .triangles = {one->triangle, next ? next->triangle : -1},
                        .shared = count};
  }
  return PL_OK;
}

pl_status pl_cloth_edges(const pl_allocator *allocator, const pl_mesh *mesh, pl_cloth_edge **edges,
                         int *count, pl_error *error)
{
  int total = 3 * mesh->element_count, found = 0;
  side *sides = pl_alloc(allocator, (size_t)total, sizeof *sides);
  *edges = pl_alloc(allocator, (size_t)total, sizeof **edges);
  pl_status status = sides && *edges ? PL_OK : pl_fail_memory(error);
  if (!status) {
    list_sides(mesh, sides);
    qsort(sides, (size_t)total, sizeof *sides, compare);
  }
  for (int i = 0, end; i < total && !status; i = end) {
    for (end = i + 1; end < total && sides[end].low == sides[i].low; end++) {
      if (sides[end].high != sides[i].high) break;
    }
    status = join(mesh->nodes, sides + i, end - i, *edges, &found, error);
  }
  pl_free(allocator, sides);
  *count = found;
  return status;
}
