/* Ways of points in a motion: what surfaces drift by, which features they bring together. */
#include "math/vec3.h"
#include "shape/finder_parts.h"

void pl_finder_find_drift(pl_finder *finder, const pl_finder_query *query)
{
  const int *start = finder->features.point_start;
  for (int s = 0; s < finder->features.surface_count && query->to; s++) {
    double *drift = finder->drift + 3 * (size_t)s, sum[3] = {0, 0, 0}, way[3];
    for (size_t i = (size_t)start[s]; i < (size_t)start[s + 1]; i++) {
      pl_vec3_sub(query->to + 3 * i, query->x + 3 * i, way);
      pl_vec3_add(sum, way, sum);
    }
    pl_vec3_scale(1.0 / fmax(start[s + 1] - start[s], 1), sum, drift);
    if (!isfinite(drift[0] + drift[1] + drift[2])) pl_vec3_set(drift, 0, 0, 0);
  }
}

/* A direction to look along: an axis, or the sum or difference of two. */
typedef struct direction {
  int first, second;
  double sign; /* of the second; 0: it is an axis */
} direction;

static double project(const direction *along, const double x[3])
{
  return x[along->first] + along->sign * x[along->second];
}

/* Without fmin and fmax, which are calls; what is not a number changes nothing here either. */
static inline void widen(double at, double extent[2])
{
  if (at < extent[0]) extent[0] = at;
  if (at > extent[1]) extent[1] = at;
}

/* Extent of some points and their ways, less what they drift by. */
static void extent_of(const pl_finder_query *query, const direction *along, double drift,
                      const int *points, int count, double extent[2])
{
  extent[0] = HUGE_VAL;
  extent[1] = -HUGE_VAL;
  for (int i = 0; i < count; i++) {
    double at = project(along, query->x + 3 * (size_t)points[i]);
    double to = project(along, query->to + 3 * (size_t)points[i]) - drift;
    widen(at, extent);
    widen(to, extent);
  }
}

static int ways_meet(const pl_finder_query *query, const pl_proximity *c, const double *drift)
{
  static const direction along[9] = {{0, 0, 0}, {1, 0, 0},  {2, 0, 0},  {0, 1, 1}, {1, 2, 1},
                                     {0, 2, 1}, {0, 1, -1}, {1, 2, -1}, {2, 0, -1}};
  int first = c->kind == PL_EDGE_EDGE ? 2 : 1;
  double range = pl_finder_range(query, c->kind) + c->thickness;
  for (int k = 0; k < 9; k++) {
    double one[2], two[2], reach = k < 3 ? range : 1.4142135 * range;
    double by = project(&along[k], drift);
    extent_of(query, &along[k], by, c->points, first, one);
    extent_of(query, &along[k], by, c->points + first, 4 - first, two);
    if (!(one[0] - two[1] <= reach && two[0] - one[1] <= reach)) return 0;
  }
  return 1;
}

static const double STILL[3] = {0, 0, 0};

int pl_finder_ways_meet(const pl_finder *finder, const pl_finder_query *query,
                        const pl_proximity *c)
{
  if (!ways_meet(query, c, STILL)) return 0;
  return c->surfaces[0] != c->surfaces[1] ||
         ways_meet(query, c, finder->drift + 3 * (size_t)c->surfaces[0]);
}

double pl_finder_find_ways(pl_finder *finder, const double *from, const double *to)
{
  double max = 0;
  for (int i = 0; i < finder->features.point_count; i++) {
    double way = pl_vec3_distance(from + 3 * (size_t)i, to + 3 * (size_t)i);
    finder->ways[i] = way;
    max = way > max ? way : way <= max ? max : HUGE_VAL;
  }
  return max;
}

double pl_finder_approach(const pl_finder *finder, const pl_proximity *c)
{
  const double *ways = finder->ways;
  const int *p = c->points;
  double a = ways[p[0]], b = ways[p[1]], last = ways[p[2]] > ways[p[3]] ? ways[p[2]] : ways[p[3]];
  return c->kind == PL_EDGE_EDGE ? (a > b ? a : b) + last : a + (b > last ? b : last);
}
