/* Finds where surfaces of triangles come near each other, and themselves.
 *
 * Sees arrays of points and triangles only: the surfaces of all bodies that may meet are handed in
 * once, their positions with every query. All points stand in one array, surface after surface: the
 * first point of surface s is point_start[s].
 *
 * A contact is a pair of features that do not share a point: a point and a triangle, or two edges.
 * Each point and edge belongs to the first of its triangles, so no pair is found twice. Contacts
 * are sorted by key, and the key is made of the features' numbers only: the list's order and bits
 * depend on the positions, not on the number of threads or on earlier queries.
 *
 * Points and edges that belong to no triangle (wires, particles) are triangles with equal corners:
 * (a, b, b) and (a, a, a).
 *
 * A query that needs no more room than earlier ones takes no memory. */
#ifndef PL_SHAPE_FINDER_H
#define PL_SHAPE_FINDER_H

#include "core/watch.h"
#include "shape/distance.h"

#include <stdint.h>

typedef struct pl_finder pl_finder;

/* One surface. */
typedef struct pl_finder_surface {
  int point_count, triangle_count;
  const int *triangles; /* 3 points each, in [0, point_count); copied */
  double thickness;     /* m; 0 for the boundary of a volume */
  int closed;      /* 1: the boundary of a volume, normals outwards: gaps are negative inside */
  int self;        /* 1: may touch itself */
  uint32_t groups; /* which groups it belongs to (bits); 0: all */
  uint32_t meets;  /* which groups it may touch (bits); 0: all */
} pl_finder_surface;

typedef struct pl_finder_def {
  int surface_count;
  const pl_finder_surface *surfaces;
  int apart_count;  /* pairs of surfaces that do not meet, whatever their groups */
  const int *apart; /* 2 surfaces each */
  const pl_allocator *allocator;
} pl_finder_def;

typedef struct pl_finder_query {
  const double *x;   /* positions, 3 per point of all surfaces, m */
  const double *to;  /* positions at the end of a straight motion from x; NULL: none */
  double range;      /* report what comes nearer than this, m, thickness not counted */
  double keep;       /* candidates may be kept while points go this far; half the range at least */
  double edge_range; /* the same for two edges, at most range; 0: range; negative: none of them */
  pl_watch *watch;   /* asked while it takes long; NULL: nobody */
} pl_finder_query;

/* Two features near each other.
 *
 * r = sum_i weights_i x_i goes from the second feature to the first, and
 *
 *   gap = normal . r - thickness,   d gap/dx_i = weights_i normal
 *
 * with the mean of both thicknesses. The normal is r / |r|; where a feature lies inside a closed
 * surface the normal points out of it, against r, and normal . r is negative. So a law W(gap)
 * gives forces -W' weights_i normal in all cases. The weights' sum is exactly zero. */
typedef struct pl_proximity {
  uint64_t key;    /* grows along the list: kind, feature, feature */
  int kind;        /* pl_contact_kind */
  int points[4];   /* of all surfaces: point | triangle, or edge | edge */
  int surfaces[2]; /* of the first and the second feature */
  int params;      /* free barycentric coordinates, as in pl_closest */
  int side;        /* 1: outside, -1: inside of a closed surface */
  double weights[4];
  double normal[3];
  double gap, thickness; /* m */
} pl_proximity;

/* What the last query did. */
typedef struct pl_finder_report {
  int64_t candidates; /* pairs whose distance was measured */
  int contacts;
  int kept;  /* 1: the candidates of an earlier query were used again */
  int built; /* 1: the trees were rebuilt */
  int ended; /* 1: those along the motion before this query were used again, and others added */
} pl_finder_report;

/* Refuses numbers out of range and more than 2^31 - 1 points, edges or triangles. */
pl_status pl_finder_create(const pl_finder_def *def, pl_finder **finder, pl_error *error);
void pl_finder_destroy(pl_finder *finder); /* NULL is fine */

int pl_finder_point_count(const pl_finder *finder);        /* of all surfaces */
const int *pl_finder_point_start(const pl_finder *finder); /* surface_count + 1 numbers */

/* Without `to`: all pairs with gap < range (of their kind) at x. With it: at least all pairs whose
 * gap falls below range on the way from x to `to`, with gap, weights and normal at x: those whose
 * ways come that near along the axes and their diagonals, and whose gap at x is below range plus
 * the longest way of a point of each (for features of one surface also as seen by its mean motion).
 * The list is the finder's and lives until the next query. Of features with coordinates that are
 * not finite, or beyond 1e38 m, nothing is reported. */
pl_status pl_finder_find(pl_finder *finder, const pl_finder_query *query, pl_pool *pool,
                         const pl_proximity **list, int *count, pl_error *error);

pl_finder_report pl_finder_last(const pl_finder *finder);

/* Drops what is kept from query to query; results do not depend on it. */
void pl_finder_forget(pl_finder *finder);

/* Brings gap, weights and normal of one contact to other positions. Reads only: may be called by
 * several threads at once. */
void pl_finder_measure(const pl_finder *finder, const double *x, pl_proximity *contact);

/* A contact with its points, surfaces and thickness, but not measured. */
void pl_finder_set(const pl_finder *finder, uint64_t key, pl_proximity *contact);

/* How far along a motion everything stays apart. */
typedef struct pl_finder_limit {
  double part;      /* of the motion, in [0, 1]; 1: nothing hinders it */
  uint64_t key;     /* of the first contact that limits it; 0: none */
  int64_t checked;  /* pairs that were looked at */
  int64_t touching; /* pairs that were not apart at the beginning: they limit nothing */
} pl_finder_limit;

/* The largest part of the motion from query->x to query->to that is free of contact, by continuous
 * detection (shape/ccd.h): each pair keeps a distance above its thickness and query->range, and at
 * least share / 2 of what it has beyond that. For ways that are arcs add to the range what both
 * may depart from their chords (pl_arc_height). Nothing of a motion is free if a coordinate is not
 * finite. */
pl_status pl_finder_advance(pl_finder *finder, const pl_finder_query *query, double share,
                            pl_pool *pool, pl_finder_limit *limit, pl_error *error);

/* Do the candidates of the last pl_finder_find at query->x hold all pairs that may limit the
 * motion? Then pl_finder_advance looks at these only, and else for others; with the same result. */
int pl_finder_reaches(pl_finder *finder, const pl_finder_query *query, double share);

/* Counts the pairs of an edge and a triangle that intersect at x and share no point, exactly:
 * touching counts. Of surfaces that may meet, and of those with self within themselves. */
pl_status pl_finder_intersections(pl_finder *finder, const double *x, pl_pool *pool, int64_t *count,
                                  pl_error *error);

#endif
