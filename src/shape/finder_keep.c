/* Candidates of a query, and how long they are kept. */
#include "math/vec3.h"
#include "shape/finder_parts.h"

#include <string.h>

/* How far points may move at most before candidates are sought again, as a share of the range: more
 * keeps candidates longer and makes them more. And how many queries they are to be kept. */
static const double KEEP = 0.5, KEEP_QUERIES = 8;

/* The same for candidates along a motion, which serve a query that follows where the motion has
 * ended, if they are no more than so many per point. */
static const double KEEP_END = 0.15, KEEP_COUNT = 4;

/* Square of the largest move of the chunk's points: from where candidates were found to x, or
 * twice that far, to where x goes. */
static void move_chunk(void *context, int chunk)
{
  const pl_finder_search *s = context;
  const double *x = s->query->x, *to = s->query->to, *kept = s->finder->kept.x;
  size_t count = (size_t)s->finder->features.point_count, first = (size_t)chunk * PL_POINT_CHUNK;
  size_t last = count - first < PL_POINT_CHUNK ? count : first + PL_POINT_CHUNK;
  double max = 0;
  for (size_t i = first; i < last; i++) {
    double move[3], way[3] = {0};
    pl_vec3_sub(x + 3 * i, kept + 3 * i, move);
    if (to) pl_vec3_sub(to + 3 * i, x + 3 * i, way);
    // (|a| + |b|)^2 <= 2 |a|^2 + 2 |b|^2
    double square = pl_vec3_dot(move, move);
    if (to) square = 2 * square + 2 * pl_vec3_dot(way, way);
    max = square > max ? square : square <= max ? max : HUGE_VAL;
  }
  s->finder->moves[chunk] = max;
}

/* The largest of all moves. */
static double largest_move(pl_finder_search *s, pl_pool *pool)
{
  int chunks = pl_chunk_count(s->finder->features.point_count, PL_POINT_CHUNK);
  double max = 0;
  pl_parallel(pool, chunks, move_chunk, s);
  for (int i = 0; i < chunks; i++) max = fmax(max, s->finder->moves[i]);
  return sqrt(max);
}

/* By how much the kept candidates reach farther than the query; negative: they do not. */
static double spare_of(const pl_finder_search *s)
{
  const pl_finder *finder = s->finder;
  double spare = HUGE_VAL;
  for (int kind = 0; kind < 2; kind++) {
    double range = pl_finder_range(s->query, kind);
    if (range >= 0) spare = fmin(spare, finder->kept.range[kind] - range);
  }
  return finder->kept.range[0] >= 0 ? spare : -1;
}

/* Do the kept candidates hold every pair that the query asks for? */
static int is_kept(pl_finder_search *s, pl_pool *pool)
{
  pl_finder *finder = s->finder;
  double spare = spare_of(s);
  if (!(spare >= 0) || finder->kept.is_end) return 0;
  double move = largest_move(s, pool);
  finder->kept.pace = move / ++finder->kept.uses;
  return move <= 0.999 * (finder->kept.by + 0.5 * spare);
}

/* How far points may go while candidates are kept: not at all if that is soon over. */
static double choose_by(const pl_finder *finder, const pl_finder_query *query)
{
  double max = fmax(KEEP * query->range, query->keep);
  if (finder->kept.pace < 0) return max;
  return 2 * finder->kept.pace > max ? 0 : fmin(max, KEEP_QUERIES * finder->kept.pace);
}

static void keep(pl_finder_search *s, const double *x, double by)
{
  pl_finder *finder = s->finder;
  size_t size = 3 * (size_t)finder->features.point_count * sizeof(double);
  memcpy(finder->kept.x, x, size);
  for (int kind = 0; kind < 2; kind++) finder->kept.range[kind] = pl_finder_range(s->query, kind);
  finder->kept.by = by;
  finder->kept.uses = 0;
  finder->kept.is_end = x == s->query->to;
}

/* Around x, wide enough to be kept. */
static pl_status find_around(pl_finder_search *s, pl_pool *pool, pl_error *error)
{
  pl_finder *finder = s->finder;
  double by = s->query->to ? KEEP * s->query->range : choose_by(finder, s->query);
  double reach = s->query->range + 2 * by, edges = pl_finder_range(s->query, PL_EDGE_EDGE);
  pl_trees_refit(&finder->forest, s->query->x, NULL, NULL, finder->surfaces, 0.5 * reach, pool);
  pl_search around = {.finder = finder,
                      .forest = &finder->forest,
                      .x = s->query->x,
                      .reach = {reach, edges < 0 ? edges : edges + 2 * by},
                      .watch = s->query->watch};
  pl_status status = pl_candidates_find(&finder->candidates, &around, pool, error);
  finder->is_measured = 0;
  keep(s, s->query->x, by);
  if (status) finder->kept.range[0] = -1;
  return status;
}

static pl_status add_along(pl_finder *finder, const pl_finder_query *query, double more,
                           pl_search_pairs pairs, pl_pool *pool, pl_error *error)
{
  const double *drift = pairs == PL_SEARCH_SELF ? finder->drift : NULL;
  const double reach = query->range + more, edges = pl_finder_range(query, PL_EDGE_EDGE);
  const pl_search along = {.finder = finder,
                           .forest = &finder->forest,
                           .reach = {reach, edges < 0 ? edges : edges + more},
                           .pairs = pairs,
                           .append = 1,
                           .watch = query->watch};
  pl_trees_refit(&finder->forest, query->x, query->to, drift, finder->surfaces, 0.5 * reach, pool);
  return pl_candidates_find(&finder->candidates, &along, pool, error);
}

/* A surface that flies as a whole sweeps over itself without touching: its drift is taken off where
 * it is compared with itself. */
pl_status pl_finder_along(pl_finder *finder, const pl_finder_query *query, double more,
                          pl_pool *pool, pl_error *error)
{
  int count = finder->features.surface_count, self = 0;
  pl_status status = PL_OK;
  finder->kept.range[0] = -1;
  finder->is_measured = 0;
  finder->candidates.count = 0;
  for (int s = 0; s < count; s++) self |= finder->surfaces[s].self;
  if (self) status = add_along(finder, query, more, PL_SEARCH_SELF, pool, error);
  if (!status && count > 1) status = add_along(finder, query, more, PL_SEARCH_OTHERS, pool, error);
  return status;
}

/* Do points go so far that candidates around x would not do? */
static int is_far(pl_finder_search *s, pl_pool *pool)
{
  keep(s, s->query->x, KEEP * s->query->range);
  return !is_kept(s, pool);
}

/* Along the motion, and somewhat around its end if a query followed the last one. */
static pl_status find_along(pl_finder_search *s, pl_pool *pool, pl_error *error)
{
  pl_finder *finder = s->finder;
  double by =
      finder->kept.is_followed && isfinite(finder->kept.pace) ? KEEP_END * s->query->range : 0;
  pl_status status = pl_finder_along(finder, s->query, 2 * by, pool, error);
  int few = (double)finder->candidates.count <= KEEP_COUNT * finder->features.point_count;
  finder->kept.is_followed = 0;
  if (!status) keep(s, s->query->to, few ? by : 0);
  return status;
}

/* Where a motion has ended: the candidates along it are all there are between parts of surfaces
 * that have departed alike from where they were to go. */
static pl_status find_at_end(pl_finder_search *s, pl_pool *pool, pl_error *error)
{
  pl_finder *finder = s->finder;
  const pl_finder_query *query = s->query;
  const pl_search at_end = {.finder = finder,
                            .forest = &finder->forest,
                            .x = query->x,
                            .reach = {query->range, pl_finder_range(query, PL_EDGE_EDGE)},
                            .append = 1,
                            .alike = 0.999 * 2 * finder->kept.by,
                            .watch = query->watch};
  finder->kept.range[0] = -1;
  finder->is_measured = 0;
  pl_trees_refit(&finder->forest, query->x, NULL, NULL, finder->surfaces, 0.5 * query->range, pool);
  pl_trees_depart(&finder->forest, query->x, finder->kept.x, pool);
  return pl_candidates_find(&finder->candidates, &at_end, pool, error);
}

pl_status pl_finder_candidates(pl_finder_search *s, pl_pool *pool, pl_error *error)
{
  pl_finder *finder = s->finder;
  int is_end = !s->query->to && finder->kept.is_end && spare_of(s) >= 0;
  finder->report = (pl_finder_report){0};
  finder->report.kept = is_kept(s, pool);
  finder->kept.is_followed |= is_end;
  finder->report.ended = is_end && finder->kept.by > 0;
  if (finder->report.kept) return PL_OK;
  double before = finder->forest.built_area;
  pl_status status = finder->report.ended              ? find_at_end(s, pool, error)
                     : s->query->to && is_far(s, pool) ? find_along(s, pool, error)
                                                       : find_around(s, pool, error);
  finder->report.built = memcmp(&before, &finder->forest.built_area, sizeof before) != 0;
  return status;
}
