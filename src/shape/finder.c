/* Queries of the finder: distances of candidates, the list of contacts. */
#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "shape/finder_parts.h"
#include "shape/radix.h"

#include <string.h>

enum { CHUNK = 256 }; /* candidates that are measured together */

static const double STILL[3] = {0, 0, 0};

/* ---- making ---- */

static uint64_t pair_key(int a, int b)
{
  return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}

static pl_status copy_apart(pl_finder *finder, const pl_finder_def *def, pl_error *error)
{
  size_t count = (size_t)def->apart_count;
  finder->apart = pl_alloc(&finder->allocator, 2 * count, sizeof *finder->apart);
  if (!finder->apart) return pl_fail_memory(error);
  for (size_t i = 0; i < count; i++) {
    int a = def->apart[2 * i], b = def->apart[2 * i + 1];
    if (a < 0 || b < 0 || a >= def->surface_count || b >= def->surface_count)
      return pl_fail(error, PL_E_ARGUMENT, "there are no surfaces %d and %d to be kept apart", a,
                     b);
    finder->apart[i] = pair_key(a, b);
  }
  pl_radix_sort(finder->apart, NULL, finder->apart + count, NULL, count);
  finder->apart_count = count;
  return PL_OK;
}

static pl_status fill(pl_finder *finder, const pl_finder_def *def, pl_error *error)
{
  size_t count = (size_t)def->surface_count;
  pl_status status = pl_features_make(&finder->features, def, error);
  if (!status) status = copy_apart(finder, def, error);
  if (status) return status;
  status = pl_trees_make(&finder->forest, &finder->features, error);
  if (status) return status;
  size_t points = (size_t)finder->features.point_count;
  finder->candidates.allocator = finder->allocator;
  finder->surfaces = pl_alloc(&finder->allocator, count, sizeof *finder->surfaces);
  finder->kept.x = pl_alloc(&finder->allocator, 3 * points, sizeof *finder->kept.x);
  finder->listed = pl_alloc(&finder->allocator, 3 * points, sizeof *finder->listed);
  finder->ways = pl_alloc(&finder->allocator, points, sizeof *finder->ways);
  finder->drift = pl_alloc(&finder->allocator, 3 * count, sizeof *finder->drift);
  finder->moves = pl_alloc(&finder->allocator, points / PL_POINT_CHUNK + 1, sizeof *finder->moves);
  int closed = 0;
  for (size_t s = 0; s < count; s++) closed |= def->surfaces[s].closed;
  size_t triangles = closed ? (size_t)finder->features.triangle_count : 0;
  finder->normals = pl_alloc(&finder->allocator, 3 * triangles + 1, sizeof *finder->normals);
  if (!finder->surfaces || !finder->kept.x || !finder->listed || !finder->ways)
    return pl_fail_memory(error);
  if (!finder->drift || !finder->moves || !finder->normals) return pl_fail_memory(error);
  pl_finder_forget(finder);
  for (size_t s = 0; s < count; s++) {
    finder->surfaces[s] = def->surfaces[s];
    finder->surfaces[s].triangles = NULL;
  }
  return PL_OK;
}

pl_status pl_finder_create(const pl_finder_def *def, pl_finder **out, pl_error *error)
{
  pl_allocator allocator = pl_allocator_or_default(def->allocator);
  pl_finder *finder = pl_alloc(&allocator, 1, sizeof *finder);
  *out = NULL;
  if (!finder) return pl_fail_memory(error);
  finder->allocator = allocator;
  pl_status status = fill(finder, def, error);
  if (status)
    pl_finder_destroy(finder);
  else
    *out = finder;
  return status;
}

void pl_finder_destroy(pl_finder *finder)
{
  if (!finder) return;
  pl_allocator allocator = finder->allocator;
  pl_features_release(&finder->features);
  pl_trees_release(&finder->forest);
  pl_candidates_release(&finder->candidates);
  pl_free(&allocator, finder->surfaces);
  pl_free(&allocator, finder->apart);
  pl_free(&allocator, finder->kept.x);
  pl_free(&allocator, finder->listed);
  pl_free(&allocator, finder->ways);
  pl_free(&allocator, finder->distances);
  pl_free(&allocator, finder->moves);
  pl_free(&allocator, finder->drift);
  pl_free(&allocator, finder->normals);
  pl_free(&allocator, finder->list);
  pl_free(&allocator, finder->counts);
  pl_free(&allocator, finder->parts);
  pl_free(&allocator, finder);
}

int pl_finder_point_count(const pl_finder *finder) { return finder->features.point_count; }

const int *pl_finder_point_start(const pl_finder *finder) { return finder->features.point_start; }

pl_finder_report pl_finder_last(const pl_finder *finder) { return finder->report; }

void pl_finder_forget(pl_finder *finder)
{
  finder->kept.range[0] = finder->listed_range[0] = -1;
  finder->is_measured = 0;
  finder->kept.pace = -1;
  finder->kept.is_end = finder->kept.is_followed = 0;
  pl_trees_forget(&finder->forest);
}

static int is_apart(const pl_finder *finder, uint64_t key)
{
  size_t low = 0, high = finder->apart_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (finder->apart[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low < finder->apart_count && finder->apart[low] == key;
}

static uint32_t bits(uint32_t value) { return value ? value : UINT32_MAX; }

int pl_finder_meets(const pl_finder *finder, int a, int b)
{
  const pl_finder_surface *one = &finder->surfaces[a], *two = &finder->surfaces[b];
  if (a == b) return one->self;
  if (!(bits(one->groups) & bits(two->meets)) || !(bits(two->groups) & bits(one->meets))) return 0;
  return !is_apart(finder, pair_key(a, b));
}

/* ---- one contact ---- */

/* The nearest points of both features. */
typedef struct nearest {
  double corners[4][3];
  pl_closest at;
} nearest;

static void find_nearest(const double *x, const pl_proximity *c, nearest *out)
{
  for (int i = 0; i < 4; i++) pl_vec3_copy(x + 3 * (size_t)c->points[i], out->corners[i]);
  pl_closest_points((pl_contact_kind)c->kind, (const double(*)[3])out->corners, &out->at);
}

/* Fills in what follows from them. */
static void describe(const pl_finder *finder, const pl_outside *where, const nearest *from,
                     pl_proximity *c)
{
  double distance = sqrt(from->at.squared);
  pl_closest_normal((pl_contact_kind)c->kind, (const double(*)[3])from->corners, &from->at,
                    c->normal);
  memcpy(c->weights, from->at.weights, sizeof c->weights);
  c->params = from->at.params;
  c->side = pl_finder_side(finder, where, c, from->at.r);
  if (c->side < 0) {
    distance = -distance;
    pl_vec3_scale(-1, c->normal, c->normal);
  }
  c->gap = distance - c->thickness;
}

void pl_finder_measure(const pl_finder *finder, const double *x, pl_proximity *c)
{
  nearest points;
  find_nearest(x, c, &points);
  describe(finder, &(pl_outside){.x = x}, &points, c);
}

void pl_finder_set(const pl_finder *finder, uint64_t key, pl_proximity *c)
{
  const pl_features *f = &finder->features;
  *c = (pl_proximity){.key = key, .kind = key >> 62 ? PL_EDGE_EDGE : PL_POINT_TRIANGLE};
  pl_features_points(f, key, c->points);
  c->surfaces[0] = f->point_surface[c->points[0]];
  c->surfaces[1] = f->point_surface[c->points[3]];
  c->thickness = 0.5 * (finder->surfaces[c->surfaces[0]].thickness +
                        finder->surfaces[c->surfaces[1]].thickness);
}

/* ---- contacts ---- */

/* The longest way of some points, less a drift. */
static double longest_way(const pl_finder_query *query, const int *points, int count,
                          const double *drift)
{
  double max = 0;
  for (int i = 0; i < count; i++) {
    double way[3];
    pl_vec3_sub(query->to + 3 * (size_t)points[i], query->x + 3 * (size_t)points[i], way);
    pl_vec3_sub(way, drift, way);
    max = fmax(max, pl_vec3_norm(way));
  }
  return max;
}

/* How much nearer both features may come. */
static double approach(const pl_finder_query *query, const pl_proximity *c, const double *drift)
{
  int first = c->kind == PL_EDGE_EDGE ? 2 : 1;
  return longest_way(query, c->points, first, drift) +
         longest_way(query, c->points + first, 4 - first, drift);
}

/* Is the contact to be reported? */
static int counts(const pl_finder *finder, const pl_finder_query *query, const pl_proximity *c,
                  double gap)
{
  double range = pl_finder_range(query, c->kind);
  if (range < 0) return 0;
  if (gap < range || !query->to) return gap < range;
  double nearer = approach(query, c, STILL);
  if (c->surfaces[0] == c->surfaces[1])
    nearer = fmin(nearer, approach(query, c, finder->drift + 3 * (size_t)c->surfaces[0]));
  return gap < range + nearer && pl_finder_ways_meet(finder, query, c);
}

/* The normals of one closed surface. */
static void normal_chunk(void *context, int surface)
{
  const pl_finder_search *s = context;
  const pl_features *f = &s->finder->features;
  if (!s->finder->surfaces[surface].closed) return;
  for (int t = f->triangle_start[surface]; t < f->triangle_start[surface + 1]; t++) {
    double *n = s->finder->normals + 3 * (size_t)t;
    if (!pl_finder_normal(s->query->x, f->triangles + 3 * (size_t)t, n)) pl_vec3_set(n, 0, 0, 0);
  }
}

/* What a candidate was apart, less the ways of its points since then: is it out of range? */
static int is_out(const pl_finder_search *s, const pl_proximity *c, double *distance)
{
  const pl_finder *finder = s->finder;
  if (!finder->is_measured || s->query->to) return 0;
  double now = *distance - pl_finder_approach(finder, c);
  if (!(now > 1.001 * pl_finder_range(s->query, c->kind) + c->thickness)) return 0;
  *distance = now;
  return 1;
}

static void measure_chunk(void *context, int chunk)
{
  const pl_finder_search *s = context;
  pl_finder *finder = s->finder;
  size_t first = (size_t)chunk * CHUNK, last = first + CHUNK, to = first;
  const pl_outside where = {s->query->x, finder->normals};
  for (size_t i = first; i < last && i < finder->candidates.count; i++) {
    pl_proximity *c = &finder->list[to];
    nearest points;
    pl_finder_set(finder, finder->candidates.keys[i], c);
    if (is_out(s, c, &finder->distances[i])) continue;
    find_nearest(s->query->x, c, &points);
    finder->distances[i] = sqrt(points.at.squared);
    if (!counts(finder, s->query, c, finder->distances[i] - c->thickness)) continue;
    describe(finder, &where, &points, c);
    to++;
  }
  finder->counts[chunk] = (int)(to - first);
}

static pl_status make_room(pl_finder *finder, int chunks, pl_error *error)
{
  void *list = finder->list, *per_chunk = finder->counts, *distances = finder->distances;
  pl_status status = pl_reserve(&finder->allocator, &list, &finder->list_room,
                                (size_t)chunks * CHUNK, sizeof *finder->list);
  finder->list = list;
  if (!status)
    status = pl_reserve(&finder->allocator, &per_chunk, &finder->count_room, (size_t)chunks,
                        sizeof *finder->counts);
  finder->counts = per_chunk;
  if (!status)
    status = pl_reserve(&finder->allocator, &distances, &finder->distance_room,
                        (size_t)chunks * CHUNK, sizeof *finder->distances);
  finder->distances = distances;
  return status ? pl_fail_memory(error) : PL_OK;
}

static pl_status measure_all(pl_finder_search *s, pl_pool *pool, pl_error *error)
{
  pl_finder *finder = s->finder;
  int chunks = (int)((finder->candidates.count + CHUNK - 1) / CHUNK);
  pl_status status = make_room(finder, chunks, error);
  if (status) return status;
  if (finder->is_measured) pl_finder_find_ways(finder, finder->listed, s->query->x);
  if (chunks) pl_parallel(pool, finder->features.surface_count, normal_chunk, s);
  status = pl_parallel_watched(pool, chunks, measure_chunk, s, s->query->watch, error);
  if (status) return status;
  size_t to = 0;
  for (int i = 0; i < chunks; i++) {
    size_t from = (size_t)i * CHUNK, count = (size_t)finder->counts[i];
    if (to != from) memmove(finder->list + to, finder->list + from, count * sizeof *finder->list);
    to += count;
  }
  finder->list_count = to;
  pl_finder_choose(finder);
  finder->report.candidates = (int64_t)finder->candidates.count;
  finder->report.contacts = (int)finder->list_count;
  return PL_OK;
}

/* Is the list that of these positions? */
static int is_listed(const pl_finder_search *s)
{
  const pl_finder *finder = s->finder;
  const double range[2] = {pl_finder_range(s->query, 0), pl_finder_range(s->query, 1)};
  size_t size = 3 * (size_t)finder->features.point_count * sizeof(double);
  return finder->listed_range[0] >= 0 && !s->query->to &&
         memcmp(range, finder->listed_range, sizeof range) == 0 &&
         memcmp(s->query->x, finder->listed, size) == 0;
}

/* A query for the same positions may follow. */
static void remember(pl_finder_search *s)
{
  pl_finder *finder = s->finder;
  size_t size = 3 * (size_t)finder->features.point_count * sizeof(double);
  memcpy(finder->listed, s->query->x, size);
  finder->is_measured = 1;
  if (s->query->to) return;
  for (int kind = 0; kind < 2; kind++) finder->listed_range[kind] = pl_finder_range(s->query, kind);
}

pl_status pl_finder_find(pl_finder *finder, const pl_finder_query *query, pl_pool *pool,
                         const pl_proximity **list, int *count, pl_error *error)
{
  pl_finder_search s = {.finder = finder, .query = query};
  *list = NULL;
  *count = 0;
  if (!(query->range >= 0) || query->range > 1e38)
    return pl_fail(error, PL_E_ARGUMENT, "range = %g of contact must be 0 or positive",
                   query->range);
  pl_status status = PL_OK;
  if (!is_listed(&s)) {
    finder->listed_range[0] = -1;
    pl_finder_find_drift(finder, query);
    status = pl_finder_candidates(&s, pool, error);
    if (!status) status = measure_all(&s, pool, error);
    finder->is_measured = 0;
    if (!status) remember(&s);
  }
  *list = finder->list;
  *count = status ? 0 : (int)finder->list_count;
  return status;
}
