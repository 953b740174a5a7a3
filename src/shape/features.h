/* Points, edges and triangles of several surfaces in one numbering, and to which triangle each
 * point and edge belongs. */
#ifndef PL_SHAPE_FEATURES_H
#define PL_SHAPE_FEATURES_H

#include "shape/finder.h"

typedef struct pl_features {
  pl_allocator allocator;
  int surface_count, point_count, triangle_count, edge_count;
  int *point_start, *triangle_start; /* per surface, one more than surfaces */
  int *triangles;                    /* 3 points of all surfaces each */
  int *edges;                        /* 2 points each; no edge has equal ends */
  int *point_surface;
  int *owned_edges; /* 3 per triangle: the edge from corner k to the next if it belongs to this
                       triangle (the first that has it), else -1 */
  unsigned char *owned_points; /* per triangle: bit k is set if corner k belongs to it */
  int *edge_triangles;         /* the first two triangles of each edge; -1: none */
  int *fan_start, *fans;       /* the triangles around each point */
} pl_features;

/* Checks the numbers; the struct must be zeroed. Released by the caller on failure too. */
pl_status pl_features_make(pl_features *features, const pl_finder_def *def, pl_error *error);
void pl_features_release(pl_features *features);

/* A contact's key and back: kind, first feature, second feature. Edges in rising order. */
enum {
  PL_KEY_SHIFT = 31,
  PL_EDGE_TRIANGLE = 2, /* a kind of keys for crossings: edge and triangle */
};

static inline uint64_t pl_contact_key(int kind, int first, int second)
{
  return (uint64_t)kind << 62 | (uint64_t)first << PL_KEY_SHIFT | (uint64_t)second;
}

/* The four points of a key's features. */
void pl_features_points(const pl_features *features, uint64_t key, int points[4]);

#endif
