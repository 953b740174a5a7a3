/* The features of all surfaces. Edges are numbered in the order in which triangles name them, so
 * that numbers depend on the triangles only. */
#include "shape/features.h"

#include "core/error.h"
#include "core/memory.h"
#include "shape/radix.h"

#include <limits.h>

static pl_status check(const pl_finder_def *def, pl_error *error)
{
  int64_t points = 0, triangles = 0;
  for (int s = 0; s < def->surface_count; s++) {
    const pl_finder_surface *surface = &def->surfaces[s];
    if (surface->point_count < 0 || surface->triangle_count < 0)
      return pl_fail(error, PL_E_ARGUMENT, "surface %d has %d points and %d triangles", s,
                     surface->point_count, surface->triangle_count);
    if (!(surface->thickness >= 0) || surface->thickness - surface->thickness != 0)
      return pl_fail(error, PL_E_ARGUMENT, "thickness = %g of surface %d must be 0 or positive",
                     surface->thickness, s);
    for (int64_t i = 0; i < 3 * (int64_t)surface->triangle_count; i++) {
      int point = surface->triangles[i];
      if (point < 0 || point >= surface->point_count)
        return pl_fail(error, PL_E_ARGUMENT, "triangle %lld of surface %d has point %d of %d",
                       (long long)(i / 3), s, point, surface->point_count);
    }
    points += surface->point_count;
    triangles += surface->triangle_count;
  }
  if (points > INT_MAX || 6 * triangles > INT_MAX)
    return pl_fail(error, PL_E_ARGUMENT, "%lld points and %lld triangles are too many for contact",
                   (long long)points, (long long)triangles);
  return PL_OK;
}

static void *take(const pl_features *f, int64_t count, size_t size)
{
  return pl_alloc(&f->allocator, (size_t)count, size);
}

static pl_status take_all(pl_features *f, pl_error *error)
{
  int64_t points = f->point_count, triangles = f->triangle_count;
  f->triangles = take(f, 3 * triangles, sizeof(int));
  f->point_surface = take(f, points, sizeof(int));
  f->owned_edges = take(f, 3 * triangles, sizeof(int));
  f->owned_points = take(f, triangles, 1);
  f->fan_start = take(f, points + 1, sizeof(int));
  f->fans = take(f, 3 * triangles, sizeof(int));
  if (f->triangles && f->point_surface && f->owned_edges && f->owned_points && f->fan_start &&
      f->fans)
    return PL_OK;
  return pl_fail_memory(error);
}

static void copy_surface(pl_features *f, const pl_finder_surface *surface, int s)
{
  int *triangles = f->triangles + 3 * (size_t)f->triangle_start[s];
  for (size_t i = 0; i < 3 * (size_t)surface->triangle_count; i++)
    triangles[i] = f->point_start[s] + surface->triangles[i];
  for (int i = f->point_start[s]; i < f->point_start[s + 1]; i++) f->point_surface[i] = s;
}

/* The triangles around each point; the first of them owns it. */
static void make_fans(pl_features *f)
{
  for (int t = 0; t < f->triangle_count; t++) {
    for (int k = 0; k < 3; k++) f->fan_start[f->triangles[3 * t + k] + 1]++;
  }
  for (int i = 0; i < f->point_count; i++) f->fan_start[i + 1] += f->fan_start[i];
  // filled from the end, so that the starts come out right
  for (int t = f->triangle_count - 1; t >= 0; t--) {
    for (int k = 2; k >= 0; k--) f->fans[--f->fan_start[f->triangles[3 * t + k] + 1]] = t;
  }
  for (int i = 0; i < f->point_count; i++) f->fan_start[i] = f->fan_start[i + 1];
  f->fan_start[f->point_count] = 3 * f->triangle_count;
  for (int i = 0; i < f->point_count; i++) {
    if (f->fan_start[i] == f->fan_start[i + 1]) continue;
    int t = f->fans[f->fan_start[i]], k = 0;
    while (f->triangles[3 * t + k] != i) k++;
    f->owned_points[t] |= (unsigned char)(1 << k);
  }
}

static uint64_t edge_key(const pl_features *f, int side)
{
  int t = side / 3, k = side % 3;
  int a = f->triangles[3 * t + k], b = f->triangles[3 * t + (k + 1) % 3];
  return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}

/* Sides with equal keys are one edge, which belongs to the first of them. */
static void mark_owners(pl_features *f, const uint64_t *keys, const uint32_t *sides, int *seconds)
{
  int count = 3 * f->triangle_count;
  for (int i = 0; i < count; i++) f->owned_edges[i] = seconds[i] = -1;
  for (int i = 0; i < count;) {
    int first = i, second = -1;
    for (; i < count && keys[i] == keys[first]; i++) {
      int other = (int)sides[i] / 3;
      if (second < 0 && other != (int)sides[first] / 3) second = other;
    }
    if (keys[first] >> 32 == (keys[first] & UINT32_MAX)) continue; // equal ends
    f->owned_edges[sides[first]] = 0;
    seconds[sides[first]] = second;
  }
}

static pl_status number_edges(pl_features *f, const int *seconds, pl_error *error)
{
  int count = 3 * f->triangle_count;
  f->edge_count = 0;
  for (int i = 0; i < count; i++) {
    if (f->owned_edges[i] >= 0) f->owned_edges[i] = f->edge_count++;
  }
  f->edges = take(f, 2 * (int64_t)f->edge_count, sizeof(int));
  f->edge_triangles = take(f, 2 * (int64_t)f->edge_count, sizeof(int));
  if (!f->edges || !f->edge_triangles) return pl_fail_memory(error);
  for (int i = 0; i < count; i++) {
    int edge = f->owned_edges[i];
    if (edge < 0) continue;
    f->edges[2 * edge] = f->triangles[i];
    f->edges[2 * edge + 1] = f->triangles[i / 3 * 3 + (i % 3 + 1) % 3];
    f->edge_triangles[2 * edge] = i / 3;
    f->edge_triangles[2 * edge + 1] = seconds[i];
  }
  return PL_OK;
}

static pl_status make_edges(pl_features *f, pl_error *error)
{
  int count = 3 * f->triangle_count;
  uint64_t *keys = take(f, 2 * (int64_t)count, sizeof *keys);
  uint32_t *sides = take(f, 2 * (int64_t)count, sizeof *sides);
  pl_status status = PL_OK;
  if (keys && sides) {
    for (int i = 0; i < count; i++) {
      keys[i] = edge_key(f, i);
      sides[i] = (uint32_t)i;
    }
    pl_radix_sort(keys, sides, keys + count, sides + count, (size_t)count);
    mark_owners(f, keys, sides, (int *)(sides + count));
    status = number_edges(f, (int *)(sides + count), error);
  } else {
    status = pl_fail_memory(error);
  }
  pl_free(&f->allocator, keys);
  pl_free(&f->allocator, sides);
  return status;
}

pl_status pl_features_make(pl_features *f, const pl_finder_def *def, pl_error *error)
{
  pl_status status = check(def, error);
  if (status) return status;
  f->allocator = pl_allocator_or_default(def->allocator);
  f->surface_count = def->surface_count;
  f->point_start = take(f, def->surface_count + 1, sizeof(int));
  f->triangle_start = take(f, def->surface_count + 1, sizeof(int));
  if (!f->point_start || !f->triangle_start) return pl_fail_memory(error);
  for (int s = 0; s < def->surface_count; s++) {
    f->point_start[s + 1] = f->point_start[s] + def->surfaces[s].point_count;
    f->triangle_start[s + 1] = f->triangle_start[s] + def->surfaces[s].triangle_count;
  }
  f->point_count = f->point_start[def->surface_count];
  f->triangle_count = f->triangle_start[def->surface_count];
  status = take_all(f, error);
  if (status) return status;
  for (int s = 0; s < def->surface_count; s++) copy_surface(f, &def->surfaces[s], s);
  make_fans(f);
  return make_edges(f, error);
}

void pl_features_release(pl_features *f)
{
  int *const all[] = {f->point_start, f->triangle_start, f->triangles, f->edges, f->point_surface,
                      f->owned_edges, f->edge_triangles, f->fan_start, f->fans};
  if (!f->allocator.alloc) return;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) pl_free(&f->allocator, all[i]);
  pl_free(&f->allocator, f->owned_points);
}

void pl_features_points(const pl_features *f, uint64_t key, int points[4])
{
  const uint64_t mask = ((uint64_t)1 << PL_KEY_SHIFT) - 1;
  size_t first = key >> PL_KEY_SHIFT & mask, second = key & mask;
  if (key >> 62) {
    for (size_t k = 0; k < 2; k++) {
      points[k] = f->edges[2 * first + k];
      points[2 + k] = f->edges[2 * second + k];
    }
    return;
  }
  points[0] = (int)first;
  for (size_t k = 0; k < 3; k++) points[1 + k] = f->triangles[3 * second + k];
}
