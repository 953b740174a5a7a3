#include "io/paint.h"

#include "core/error.h"
#include "core/memory.h"

#include <string.h>

void pl_paint_free(const pl_allocator *allocator, pl_paint *paint)
{
  pl_free(allocator, paint->point);
  pl_free(allocator, paint->spots);
  pl_free(allocator, paint->triangles);
  *paint = (pl_paint){0};
}

/* The vertex of that point and place in the picture, made where there is none. Those of a point are
 * a list; next holds what follows each of them plus 1. */
static int find_vertex(pl_paint *paint, int *first, int *next, int point, const float spot[2])
{
  const float at[2] = {spot[0], 1 - spot[1]};
  for (int v = first[point] - 1; v >= 0; v = next[v] - 1) {
    if (memcmp(paint->spots + 2 * (size_t)v, at, sizeof at) == 0) return v;
  }
  int v = paint->count++;
  paint->point[v] = point;
  memcpy(paint->spots + 2 * (size_t)v, at, sizeof at);
  next[v] = first[point];
  first[point] = v + 1;
  return v;
}

pl_status pl_paint_split(const pl_allocator *allocator, int points, const int *triangles,
                         int triangle_count, const float *spots, pl_paint *out, pl_error *error)
{
  size_t corners = 3 * (size_t)triangle_count;
  int *first = pl_alloc(allocator, (size_t)points, sizeof *first);
  int *next = pl_alloc(allocator, corners, sizeof *next);
  *out = (pl_paint){.point = pl_alloc(allocator, corners, sizeof *out->point),
                    .spots = pl_alloc(allocator, 2 * corners, sizeof *out->spots),
                    .triangles = pl_alloc(allocator, corners, sizeof *out->triangles)};
  int ok = first && next && out->point && out->spots && out->triangles;
  if (ok) memset(first, 0, (size_t)points * sizeof *first);
  for (size_t c = 0; ok && c < corners; c++)
    out->triangles[c] = find_vertex(out, first, next, triangles[c], spots + 2 * c);
  pl_free(allocator, first);
  pl_free(allocator, next);
  if (ok) return PL_OK;
  pl_paint_free(allocator, out);
  return pl_fail_memory(error);
}
