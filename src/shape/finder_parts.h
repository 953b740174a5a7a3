/* What the parts of the finder share. */
#ifndef PL_SHAPE_FINDER_PARTS_H
#define PL_SHAPE_FINDER_PARTS_H

#include "shape/candidates.h"

/* Positions, and all triangles' unit normals there (0 0 0: none); NULL: not known. */
typedef struct pl_outside {
  const double *x, *normals;
} pl_outside;

struct pl_finder {
  pl_allocator allocator;
  pl_features features;
  pl_trees forest;
  pl_candidates candidates;
  pl_finder_surface *surfaces; /* without triangles */
  uint64_t *apart;             /* sorted pairs of surfaces that do not meet */
  size_t apart_count;
  struct pl_finder_kept {
    double *x;       /* positions at which the candidates were found */
    double range[2]; /* by kind: they hold for this range... */
    double by;       /* ...while no point moves farther than by */
    int uses;        /* queries since then */
    double pace;     /* largest move per query, m; negative: not known */
    int is_end;      /* x is where a motion was to end... */
    int is_followed; /* ...and a query came there without one */
  } kept;
  pl_proximity *list;
  size_t list_count, list_room;
  double *listed;         /* positions of the list */
  double listed_range[2]; /* by kind, as asked for; [0] negative: the list is another one */
  double *distances;      /* at most those of the candidates at these positions, m */
  size_t distance_room;
  int is_measured; /* distances are those of the present candidates */
  double *ways;    /* of all points, as pl_finder_find_ways was asked for last */
  double *normals; /* of the triangles of closed surfaces at the query's x, 3 numbers each */
  int *counts;     /* contacts per chunk of candidates */
  size_t count_room;
  double *moves;          /* largest move per chunk of points */
  double *drift;          /* mean motion of each surface, 3 numbers */
  struct pl_finder_part { /* what one chunk of candidates gives */
    pl_finder_limit limit;
    int64_t count;
  } * parts;
  size_t part_room;
  pl_finder_report report;
};

enum { PL_POINT_CHUNK = 16384 }; /* points whose moves are measured together */

typedef struct pl_finder_search {
  pl_finder *finder;
  const pl_finder_query *query;
} pl_finder_search;

/* All pairs of features that the query may report, or more: kept ones, or new ones. */
pl_status pl_finder_candidates(pl_finder_search *search, pl_pool *pool, pl_error *error);

/* May features of these surfaces touch (the same twice: itself)? */
int pl_finder_meets(const pl_finder *finder, int a, int b);

/* 1: the features are outside of each other's surfaces, or those are open; -1: inside; 0: neither,
 * they do not face each other. r goes from the second to the first. */
int pl_finder_side(const pl_finder *finder, const pl_outside *at, const pl_proximity *contact,
                   const double r[3]);

/* A triangle's unit normal; 0: it has none. */
int pl_finder_normal(const double *x, const int *triangle, double n[3]);

/* Do the ways of both features come nearer than the range along the axes and their diagonals?
 * Features of one surface also without its drift. */
int pl_finder_ways_meet(const pl_finder *finder, const pl_finder_query *query,
                        const pl_proximity *contact);

/* How far every point goes from one place to another; returns the longest way. */
double pl_finder_find_ways(pl_finder *finder, const double *from, const double *to);
/* How much nearer both features come by these ways, at most. */
double pl_finder_approach(const pl_finder *finder, const pl_proximity *contact);

/* The mean motion of every surface: what moves with it does not bring its features together. */
void pl_finder_find_drift(pl_finder *finder, const pl_finder_query *query);

/* The range of a kind of pairs; negative: none are wanted. */
static inline double pl_finder_range(const pl_finder_query *query, int kind)
{
  return kind == PL_POINT_TRIANGLE || query->edge_range == 0 ? query->range : query->edge_range;
}

/* Candidates along the query's motion, whose drift is known, by so much (m) more than its range. */
pl_status pl_finder_along(pl_finder *finder, const pl_finder_query *query, double more,
                          pl_pool *pool, pl_error *error);

/* Removes contacts through closed bodies: of a feature that is outside of a surface those from
 * inside, and of one that is inside all but the nearest. */
void pl_finder_choose(pl_finder *finder);

#endif
