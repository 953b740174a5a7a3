/* Welding by a hash of cells, each four times as wide as the tolerance, so that a point looks into
 * few of them. */
#include "mesh/weld.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"

#include <math.h>
#include <stdint.h>

typedef struct weld {
  const double *points;
  double cell, tolerance;
  int *heads, *next; /* kept points by the hash of their cell, plus 1 */
  uint64_t mask;
} weld;

static uint64_t cell_hash(const int64_t cell[3])
{
  uint64_t h = (uint64_t)cell[0] * UINT64_C(0x9e3779b97f4a7c15) ^
               (uint64_t)cell[1] * UINT64_C(0xc2b2ae3d27d4eb4f) ^
               (uint64_t)cell[2] * UINT64_C(0x165667b19e3779f9);
  return h ^ h >> 32;
}

/* A kept point within the tolerance, -1 if there is none. */
static int find_near(const weld *w, const double point[3])
{
  int64_t low[3], high[3], at[3];
  for (int k = 0; k < 3; k++) {
    low[k] = (int64_t)floor((point[k] - w->tolerance) / w->cell);
    high[k] = (int64_t)floor((point[k] + w->tolerance) / w->cell);
  }
  for (at[2] = low[2]; at[2] <= high[2]; at[2]++) {
    for (at[1] = low[1]; at[1] <= high[1]; at[1]++) {
      for (at[0] = low[0]; at[0] <= high[0]; at[0]++) {
        for (int i = w->heads[cell_hash(at) & w->mask]; i; i = w->next[i - 1]) {
          if (pl_vec3_distance(w->points + 3 * (size_t)(i - 1), point) <= w->tolerance)
            return i - 1;
        }
      }
    }
  }
  return -1;
}

static void join_points(weld *w, int count, int *number, int *kept)
{
  for (int i = 0; i < count; i++) {
    const double *point = w->points + 3 * (size_t)i;
    int near = w->tolerance < 0 ? -1 : find_near(w, point);
    if (near >= 0) {
      number[i] = number[near];
      continue;
    }
    int64_t cell[3];
    for (int k = 0; k < 3; k++) cell[k] = (int64_t)floor(point[k] / w->cell);
    int *head = &w->heads[cell_hash(cell) & w->mask];
    w->next[i] = *head;
    *head = i + 1;
    number[i] = (*kept)++;
  }
}

pl_status pl_weld(const double *points, int count, double share, const pl_allocator *allocator,
                  int *number, int *kept, pl_error *error)
{
  // nothing smaller than doubles can resolve, so that cells can be numbered
  double scale = 0;
  for (int k = 0; k < 3; k++) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < count; i++) {
      low = fmin(low, points[3 * (size_t)i + (size_t)k]);
      high = fmax(high, points[3 * (size_t)i + (size_t)k]);
    }
    if (count) scale = fmax(fmax(scale, high - low), 1e-6 * fmax(fabs(low), fabs(high)));
  }
  weld w = {.points = points, .tolerance = share * scale, .mask = 1};
  w.cell = fmax(4 * fabs(w.tolerance), 1e-300);
  while (w.mask < (uint64_t)count) w.mask = 2 * w.mask + 1;
  w.heads = pl_alloc(allocator, (size_t)w.mask + 1, sizeof *w.heads);
  w.next = pl_alloc(allocator, (size_t)count, sizeof *w.next);
  *kept = 0;
  pl_status status = w.heads && w.next ? PL_OK : pl_fail_memory(error);
  if (!status) join_points(&w, count, number, kept);
  pl_free(allocator, w.heads);
  pl_free(allocator, w.next);
  return status;
}
