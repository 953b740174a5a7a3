/* Surfaces to find contacts on, and what brute force finds. */
#ifndef PL_TEST_SURFACES_H
#define PL_TEST_SURFACES_H

#include "math/vec3.h"
#include "shape/finder.h"
#include "test.h"

enum { MOST_SURFACES = 4, MOST_POINTS = 2000, MOST_TRIANGLES = 2000 };

/* Several surfaces and their points. */
typedef struct scene {
  pl_finder_surface surfaces[MOST_SURFACES];
  int count, points, triangles;
  double x[3 * MOST_POINTS], to[3 * MOST_POINTS];
  int corners[3 * MOST_TRIANGLES];
  int start[MOST_SURFACES + 1]; /* of points */
} scene;

/* Begins a surface; points and triangles are added after it. */
static inline pl_finder_surface *scene_surface(scene *s)
{
  pl_finder_surface *surface = &s->surfaces[s->count];
  *surface = (pl_finder_surface){.triangles = s->corners + 3 * s->triangles};
  s->start[s->count++] = s->points;
  s->start[s->count] = s->points;
  return surface;
}

static inline int scene_point(scene *s, double x, double y, double z)
{
  pl_vec3_set(s->x + 3 * s->points, x, y, z);
  pl_vec3_set(s->to + 3 * s->points, x, y, z);
  s->points++;
  s->start[s->count]++;
  return s->surfaces[s->count - 1].point_count++;
}

static inline void scene_triangle(scene *s, int a, int b, int c)
{
  int *corners = s->corners + 3 * s->triangles++;
  corners[0] = a;
  corners[1] = b;
  corners[2] = c;
  s->surfaces[s->count - 1].triangle_count++;
}

/* A sheet of n x n squares across z at a place, bent by an amount. */
static inline void scene_sheet(scene *s, int n, const double at[3], double size, double bend)
{
  pl_finder_surface *surface = scene_surface(s);
  surface->self = 1;
  for (int j = 0; j <= n; j++) {
    for (int i = 0; i <= n; i++) {
      double u = (double)i / n, v = (double)j / n;
      scene_point(s, at[0] + size * u, at[1] + size * v, at[2] + bend * (u - v) * (u - v));
    }
  }
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) {
      int k = i + (n + 1) * j;
      scene_triangle(s, k, k + 1, k + n + 2);
      scene_triangle(s, k, k + n + 2, k + n + 1);
    }
  }
}

/* Triangles anywhere in a box, some of them degenerate, with some points in common. */
static inline void scene_soup(scene *s, int triangles, double size, double edge)
{
  pl_finder_surface *surface = scene_surface(s);
  surface->self = 1;
  for (int t = 0; t < triangles; t++) {
    int corners[3];
    double at[3];
    for (int k = 0; k < 3; k++) at[k] = size * test_uniform();
    for (int c = 0; c < 3; c++) {
      int old = surface->point_count > 0 && test_random() % 8 == 0;
      corners[c] = old ? (int)(test_random() % (uint64_t)surface->point_count)
                       : scene_point(s, at[0] + edge * test_uniform(),
                                     at[1] + edge * test_uniform(), at[2] + edge * test_uniform());
    }
    scene_triangle(s, corners[0], corners[1], test_random() % 16 == 0 ? corners[1] : corners[2]);
  }
}

static inline pl_finder *scene_finder(const scene *s, const pl_allocator *allocator)
{
  pl_finder *finder = NULL;
  pl_finder_def def = {.surface_count = s->count, .surfaces = s->surfaces, .allocator = allocator};
  CHECK_OK(pl_finder_create(&def, &finder, error));
  return finder;
}

/* ---- brute force ---- */

typedef struct brute {
  const scene *scene;
  const pl_finder_query *query;
  int edges[6 * MOST_TRIANGLES], edge_count;
  int triangles[3 * MOST_TRIANGLES];
  int surface[MOST_POINTS]; /* of each point */
  double drift[MOST_SURFACES][3];
  int count;    /* of contacts */
  uint64_t sum; /* of hashes of their points */
} brute;

static inline uint64_t contact_hash(int kind, const int points[4])
{
  uint64_t hash = 0;
  for (int side = 0; side < 2; side++) {
    uint64_t part = 0;
    int first = side ? (kind == PL_EDGE_EDGE ? 2 : 1) : 0;
    int last = side ? 4 : kind == PL_EDGE_EDGE ? 2 : 1;
    for (int i = first; i < last; i++) {
      uint64_t p = (uint64_t)points[i] * UINT64_C(0x9e3779b97f4a7c15);
      part += (p ^ p >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    }
    part ^= part >> 31;
    part *= UINT64_C(0x94d049bb133111eb);
    hash += kind == PL_POINT_TRIANGLE && side == 0 ? 3 * part : part ^ part >> 17;
  }
  return hash;
}

/* Where a point goes, seen by somebody who moves with its surface, or by somebody at rest. */
static inline void goes_to(const brute *b, int point, int along, double out[3])
{
  const double *drift = b->drift[b->surface[point]];
  for (int k = 0; k < 3; k++) out[k] = b->query->to[3 * point + k] - (along ? drift[k] : 0);
}

static inline double longest(const brute *b, const int *points, int count, int along)
{
  double max = 0, to[3];
  for (int i = 0; i < count; i++) {
    goes_to(b, points[i], along, to);
    max = fmax(max, pl_vec3_distance(b->query->x + 3 * points[i], to));
  }
  return max;
}

/* Do the ways of both features come near along each axis and each diagonal of two axes? */
static inline int ways_are_near(const brute *b, const int *points, int first, double range,
                                int along)
{
  for (int k = 0; k < 9; k++) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < 8; i++) {
      double p[3];
      int side = i % 4 >= first;
      pl_vec3_copy(b->query->x + 3 * points[i % 4], p);
      if (i >= 4) goes_to(b, points[i % 4], along, p);
      double at = p[k % 3] + (k < 3 ? 0 : k < 6 ? p[(k + 1) % 3] : -p[(k + 1) % 3]);
      low[side] = fmin(low[side], at);
      high[side] = fmax(high[side], at);
    }
    double reach = k < 3 ? range : 1.4142135 * range;
    if (!(low[0] - high[1] <= reach && low[1] - high[0] <= reach)) return 0;
  }
  return 1;
}

static inline void brute_try(brute *b, pl_contact_kind kind, const int points[4])
{
  int first = kind == PL_EDGE_EDGE ? 2 : 1, one = b->surface[points[0]],
      two = b->surface[points[3]];
  for (int i = 0; i < first; i++) {
    for (int j = first; j < 4; j++) {
      if (points[i] == points[j]) return;
    }
  }
  if (one == two && !b->scene->surfaces[one].self) return;
  double x[4][3],
      thickness = 0.5 * (b->scene->surfaces[one].thickness + b->scene->surfaces[two].thickness);
  pl_closest at;
  for (int i = 0; i < 4; i++) pl_vec3_copy(b->query->x + 3 * points[i], x[i]);
  pl_closest_points(kind, (const double(*)[3])x, &at);
  double range = b->query->range;
  if (b->query->to) {
    double nearer = INFINITY;
    for (int along = 0; along < (one == two ? 2 : 1); along++) {
      nearer = fmin(nearer, longest(b, points, first, along) +
                                longest(b, points + first, 4 - first, along));
      if (!ways_are_near(b, points, first, b->query->range + thickness, along)) return;
    }
    range += nearer;
  }
  if (!(sqrt(at.squared) - thickness < range)) return;
  b->count++;
  b->sum += contact_hash((int)kind, points);
}

static inline void brute_edge(brute *b, int p, int q)
{
  if (p == q) return;
  for (int i = 0; i < b->edge_count; i++) {
    const int *e = b->edges + 2 * i;
    if ((e[0] == p && e[1] == q) || (e[0] == q && e[1] == p)) return;
  }
  b->edges[2 * b->edge_count] = p;
  b->edges[2 * b->edge_count++ + 1] = q;
}

static inline void brute_features(brute *b, const scene *s)
{
  int used[MOST_POINTS] = {0}, triangle = 0;
  for (int i = 0; i < s->count; i++) {
    for (int t = 0; t < s->surfaces[i].triangle_count; t++, triangle++) {
      for (int k = 0; k < 3; k++) {
        int point = s->start[i] + s->corners[3 * triangle + k];
        b->triangles[3 * triangle + k] = point;
        b->surface[point] = i;
        used[point] = 1;
      }
      for (int k = 0; k < 3; k++)
        brute_edge(b, b->triangles[3 * triangle + k], b->triangles[3 * triangle + (k + 1) % 3]);
    }
  }
  for (int p = 0; p < s->points; p++) {
    if (!used[p]) b->surface[p] = -1;
  }
}

/* All contacts of open surfaces, pair by pair. */
static inline void brute_force(brute *b, const scene *s, const pl_finder_query *query)
{
  *b = (brute){.scene = s, .query = query};
  brute_features(b, s);
  for (int i = 0; i < 3 * s->points && query->to; i++) {
    int of = 0;
    while (i / 3 >= s->start[of + 1]) of++;
    b->drift[of][i % 3] += (query->to[i] - query->x[i]) / (s->start[of + 1] - s->start[of]);
  }
  for (int p = 0; p < s->points; p++) {
    for (int t = 0; t < s->triangles && b->surface[p] >= 0; t++) {
      const int *c = b->triangles + 3 * t;
      brute_try(b, PL_POINT_TRIANGLE, (int[]){p, c[0], c[1], c[2]});
    }
  }
  for (int i = 0; i < b->edge_count; i++) {
    for (int j = i + 1; j < b->edge_count; j++) {
      const int *e = b->edges + 2 * i, *f = b->edges + 2 * j;
      brute_try(b, PL_EDGE_EDGE, (int[]){e[0], e[1], f[0], f[1]});
    }
  }
}

#endif
