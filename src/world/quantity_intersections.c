/* Where surfaces pass through each other: pairs of an edge and a triangle that share no point,
 * decided exactly (shape/finder.h). The trees are built for every reading. */
#include "body/boundary.h"
#include "core/error.h"
#include "core/memory.h"
#include "shape/finder.h"
#include "world/world.h"

#include <math.h>

/* The surfaces of some bodies in a row, and where their points are. */
typedef struct surfaces {
  const pl_allocator *allocator;
  size_t count;
  pl_boundary *boundaries;
  pl_finder_surface *list;
  double *x;
} surfaces;

static void release(surfaces *of)
{
  for (size_t b = 0; of->boundaries && b < of->count; b++)
    pl_boundary_release(of->allocator, &of->boundaries[b]);
  pl_free(of->allocator, of->boundaries);
  pl_free(of->allocator, of->list);
  pl_free(of->allocator, of->x);
}

static pl_status make(const pl_world *world, size_t first, surfaces *of, pl_error *error)
{
  size_t points = 0;
  pl_status status = PL_OK;
  of->boundaries = pl_alloc(of->allocator, of->count, sizeof *of->boundaries);
  of->list = pl_alloc(of->allocator, of->count, sizeof *of->list);
  if (!of->boundaries || !of->list) return pl_fail_memory(error);
  for (size_t b = 0; b < of->count && !status; b++) {
    pl_boundary *from = &of->boundaries[b];
    status = pl_boundary_make(&world->bodies, &world->bodies.list[first + b], from, error);
    of->list[b] = (pl_finder_surface){.point_count = from->point_count,
                                      .triangle_count = from->triangle_count,
                                      .triangles = from->triangles,
                                      .self = 1};
    points += (size_t)from->point_count;
  }
  if (status) return status;
  of->x = pl_alloc(of->allocator, 3 * points, sizeof *of->x);
  if (!of->x) return pl_fail_memory(error);
  double *x = of->x;
  for (size_t b = 0; b < of->count; b++) {
    pl_boundary_place(&of->boundaries[b], &world->bodies.list[first + b], world->state.q, NULL, x);
    x += 3 * (size_t)of->boundaries[b].point_count;
  }
  return PL_OK;
}

/* Of one body with itself, or of all bodies with themselves and each other. */
static pl_status count(pl_world *world, int body, int64_t *found, pl_error *error)
{
  surfaces of = {.allocator = world->bodies.allocator, .count = body < 0 ? world->bodies.count : 1};
  pl_finder *finder = NULL;
  pl_status status = pl_world_prepare(world, error);
  if (!status) status = make(world, body < 0 ? 0 : (size_t)body, &of, error);
  const pl_finder_def def = {
      .surface_count = (int)of.count, .surfaces = of.list, .allocator = of.allocator};
  if (!status) status = pl_finder_create(&def, &finder, error);
  if (!status) status = pl_finder_intersections(finder, of.x, world->bodies.pool, found, error);
  pl_finder_destroy(finder);
  release(&of);
  return status;
}

static void read_count(pl_world *world, const pl_probe *probe, double *value)
{
  int64_t found = 0;
  *value = count(world, probe->body, &found, NULL) ? NAN : (double)found;
}

PL_QUANTITY(intersections, "intersections",
            "edges that pass through or touch triangles that they have no point in common with: of "
            "the body's surface with itself, without a body of all surfaces",
            "1", 1, 0, read_count);
