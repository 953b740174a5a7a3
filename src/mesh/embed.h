/* Fine points that follow a coarse mesh: each is a weighted sum of the nodes of the element that
 * holds it, or of the nearest one for points outside. Weights add up to 1 and reproduce the point,
 * so that rigid motions and linear fields are followed exactly. */
#ifndef PL_MESH_EMBED_H
#define PL_MESH_EMBED_H

#include "mesh/mesh.h"

typedef struct pl_embed {
  pl_allocator allocator;
  int point_count, width; /* width: nodes per element */
  int *elements;          /* that each point follows */
  int *nodes;             /* width for each point */
  double *weights;        /* beside them */
  double *distances;      /* from each point to its element, m; 0 inside */
} pl_embed;

/* points: 3 numbers each, at rest, in m. */
pl_status pl_embed_create(const pl_mesh *mesh, int point_count, const double *points,
                          const pl_allocator *allocator, pl_embed **embed, pl_error *error);
void pl_embed_destroy(pl_embed *embed);

/* The nodes of a surface of triangles: those outside the elements follow only elements that they
 * can reach inside the surface, as far as there are any in the neighbourhood. */
pl_status pl_embed_surface(const pl_mesh *mesh, const pl_mesh *surface,
                           const pl_allocator *allocator, pl_embed **embed, pl_error *error);

/* How points lie outside of the elements: the largest distance, and the share of those beyond the
 * limit, both in m. */
typedef struct pl_embed_outside {
  double max, share;
} pl_embed_outside;
pl_embed_outside pl_embed_measure(const pl_embed *embed, double limit);

/* Do elements hold a surface that was measured with their mean edge as the limit? At most 0.5 % of
 * it may lie farther outside than that, and nothing farther than three of them: otherwise thin
 * parts (handles, ears) have been lost or torn. */
int pl_embed_holds(const pl_embed_outside *outside, double edge);

/* Where the points are when the nodes are at positions; and any field of so many numbers each. */
void pl_embed_carry(const pl_embed *embed, int numbers, const double *values, double *points);
void pl_embed_follow(const pl_embed *embed, const double *positions, double *points);

/* Adds forces on the points to those on the nodes: the transpose, so that the work is the same. */
void pl_embed_push(const pl_embed *embed, const double *point_forces, double *node_forces);

#endif
