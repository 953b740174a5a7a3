/* What the finder computes besides contacts: how far a motion is free, and whether surfaces
 * intersect.
 */
#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "shape/ccd.h"
#include "shape/exact.h"
#include "shape/finder_parts.h"

#include <string.h>

enum { CHUNK = 256 };

/* One pass over candidates. */
typedef struct pass {
  pl_finder *finder;
  const pl_finder_query *query;
  double share;
  const double *distances; /* of the candidates; NULL: not known */
} pass;

static pl_status run(pass *p, pl_pool *pool, void (*work)(void *context, int chunk), int *chunks,
                     pl_error *error)
{
  pl_finder *finder = p->finder;
  void *parts = finder->parts;
  *chunks = (int)((finder->candidates.count + CHUNK - 1) / CHUNK);
  pl_status status = pl_reserve(&finder->allocator, &parts, &finder->part_room, (size_t)*chunks,
                                sizeof *finder->parts);
  finder->parts = parts;
  if (status) return pl_fail_memory(error);
  return pl_parallel_watched(pool, *chunks, work, p, p->query->watch, error);
}

/* ---- how far ---- */

static void join_limits(pl_finder_limit *limit, const pl_finder_limit *other)
{
  if (other->part < limit->part) {
    limit->part = other->part;
    limit->key = other->key;
  }
  limit->checked += other->checked;
  limit->touching += other->touching;
}

/* Does a contact keep its share of the gap whatever the directions of its ways? Then pl_ccd lets it
 * go the whole way. */
static int is_free(const pass *p, size_t i, const pl_proximity *c)
{
  if (!p->distances) return 0;
  double gap = p->distances[i] - c->thickness - p->query->range;
  return 1.001 * pl_finder_approach(p->finder, c) < (1 - p->share) * gap;
}

static void limit_by(const pass *p, size_t i, pl_finder_limit *limit)
{
  pl_proximity c;
  double x[4][3], to[4][3];
  pl_closest at;
  uint64_t key = p->finder->candidates.keys[i];
  pl_finder_set(p->finder, key, &c);
  if (is_free(p, i, &c)) return;
  if (!pl_finder_ways_meet(p->finder, p->query, &c)) return;
  for (int k = 0; k < 4; k++) {
    pl_vec3_copy(p->query->x + 3 * (size_t)c.points[k], x[k]);
    pl_vec3_copy(p->query->to + 3 * (size_t)c.points[k], to[k]);
  }
  pl_contact_kind kind = (pl_contact_kind)c.kind;
  double separation = p->query->range + c.thickness;
  double part = pl_ccd(kind, (const double(*)[3])x, (const double(*)[3])to, separation, p->share);
  limit->checked++;
  if (!(part > 0)) {
    pl_closest_points(kind, (const double(*)[3])x, &at);
    if (at.squared <= separation * separation) {
      limit->touching++;
      return;
    }
  }
  join_limits(limit, &(pl_finder_limit){.part = part, .key = key});
}

static void limit_chunk(void *context, int chunk)
{
  const pass *p = context;
  const pl_candidates *all = &p->finder->candidates;
  pl_finder_limit limit = {.part = 1};
  size_t first = (size_t)chunk * CHUNK, last = first + CHUNK;
  for (size_t i = first; i < last && i < all->count; i++) limit_by(p, i, &limit);
  p->finder->parts[chunk].limit = limit;
}

/* A motion to nowhere is free nowhere. */
static int is_finite(const pl_finder_query *query, size_t count)
{
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += 0 * query->x[i] + 0 * query->to[i];
  return sum - sum == 0;
}

int pl_finder_reaches(pl_finder *finder, const pl_finder_query *query, double share)
{
  size_t size = 3 * (size_t)finder->features.point_count * sizeof(double);
  const double *range = finder->kept.range;
  if (!finder->is_measured || finder->kept.is_end || !(range[0] >= 0)) return 0;
  if (pl_finder_range(query, PL_EDGE_EDGE) < 0) return 0;
  if (memcmp(query->x, finder->listed, size) != 0) return 0;
  // others were farther apart than that where candidates were sought
  double apart = fmin(range[0], range[1]) + 2 * finder->kept.by - query->range;
  double left = apart - 2 * pl_finder_find_ways(finder, finder->kept.x, query->x);
  return left > 0 && 2.002 * pl_finder_find_ways(finder, query->x, query->to) < (1 - share) * left;
}

/* Candidates for a motion, and what is known of their distances. */
static pl_status find_candidates(pass *p, pl_pool *pool, pl_error *error)
{
  pl_finder_find_drift(p->finder, p->query);
  if (!pl_finder_reaches(p->finder, p->query, p->share))
    return pl_finder_along(p->finder, p->query, 0, pool, error);
  p->distances = p->finder->distances;
  return PL_OK;
}

pl_status pl_finder_advance(pl_finder *finder, const pl_finder_query *query, double share,
                            pl_pool *pool, pl_finder_limit *limit, pl_error *error)
{
  pass p = {.finder = finder, .query = query, .share = share};
  int chunks = 0;
  *limit = (pl_finder_limit){.part = 1};
  if (!(share > 0 && share < 1))
    return pl_fail(error, PL_E_ARGUMENT, "share = %g of the gap must be between 0 and 1", share);
  if (!(query->range >= 0) || query->range > 1e38 || !query->to)
    return pl_fail(error, PL_E_ARGUMENT, "range = %g of a motion must be 0 or positive",
                   query->range);
  if (!is_finite(query, 3 * (size_t)finder->features.point_count)) {
    limit->part = 0;
    return PL_OK;
  }
  pl_status status = find_candidates(&p, pool, error);
  if (!status) status = run(&p, pool, limit_chunk, &chunks, error);
  for (int i = 0; i < chunks && !status; i++) join_limits(limit, &finder->parts[i].limit);
  return status;
}

/* ---- intersections ---- */

static void count_chunk(void *context, int chunk)
{
  const pass *p = context;
  const pl_candidates *all = &p->finder->candidates;
  const pl_features *f = &p->finder->features;
  const uint64_t mask = ((uint64_t)1 << PL_KEY_SHIFT) - 1;
  const double *x = p->query->x;
  size_t first = (size_t)chunk * CHUNK, last = first + CHUNK;
  int64_t count = 0;
  for (size_t i = first; i < last && i < all->count; i++) {
    const int *edge = f->edges + 2 * (all->keys[i] >> PL_KEY_SHIFT & mask);
    const int *corner = f->triangles + 3 * (all->keys[i] & mask);
    count += pl_edge_meets_triangle(x + 3 * (size_t)edge[0], x + 3 * (size_t)edge[1],
                                    x + 3 * (size_t)corner[0], x + 3 * (size_t)corner[1],
                                    x + 3 * (size_t)corner[2]);
  }
  p->finder->parts[chunk].count = count;
}

pl_status pl_finder_intersections(pl_finder *finder, const double *x, pl_pool *pool, int64_t *count,
                                  pl_error *error)
{
  pl_finder_query query = {.x = x};
  pass p = {.finder = finder, .query = &query};
  pl_search search = {.finder = finder, .forest = &finder->forest, .x = x, .crossings = 1};
  int chunks = 0;
  *count = 0;
  pl_trees_refit(&finder->forest, x, NULL, NULL, finder->surfaces, 0, pool);
  finder->kept.range[0] = -1;
  finder->is_measured = 0;
  pl_status status = pl_candidates_find(&finder->candidates, &search, pool, error);
  if (!status) status = run(&p, pool, count_chunk, &chunks, error);
  for (int i = 0; i < chunks && !status; i++) *count += finder->parts[i].count;
  return status;
}
