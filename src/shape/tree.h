/* Bounding volume trees over the triangles of surfaces: complete binary trees of boxes in single
 * precision, refitted for every query.
 *
 * Each surface has its own tree. Node k has the children 2k and 2k + 1; the leaves hold four
 * triangles each. Triangles are divided across the axis along which they are spread most; that
 * order is rebuilt when the boxes have grown. Coordinates are relative to an origin among the
 * points, so that precision does not suffer far from the world's origin. Boxes contain their
 * triangles, padded, whatever the rounding; they may be too large, never too small. */
#ifndef PL_SHAPE_TREE_H
#define PL_SHAPE_TREE_H

#include "shape/features.h"

enum { PL_LEAF = 4 }; /* triangles in a leaf */

/* What coordinates in single precision, and sums of two of them, may be wrong by, as a share of the
 * largest coordinate. */
#define PL_SINGLE_ERROR 4.8e-7f

typedef struct pl_tree_box {
  float low[4], high[4]; /* x y z 0 */
} pl_tree_box;

/* The boxes of a leaf's triangles, side by side; empty places have low > high. */
typedef struct pl_tree_leaf {
  float low[3][PL_LEAF], high[3][PL_LEAF];
  float scale[PL_LEAF]; /* largest coordinate */
} pl_tree_leaf;

/* A triangle in its place in a tree, with what belongs to it. */
typedef struct pl_tree_slot {
  int points[3], edges[3]; /* edge from corner k to the next; -1: belongs to another triangle */
  int triangle;            /* -1: empty */
  int owned;               /* bit k: corner k belongs to this triangle */
} pl_tree_slot;

typedef struct pl_tree {
  int levels;  /* below the root: 2^levels leaves */
  size_t node; /* where its nodes start; the root is node 1 of them */
  size_t leaf; /* where its leaves start */
  int chunk;   /* its first chunk of work */
  int top;     /* levels above the chunks: it has 2^top of them */
} pl_tree;

/* A part of a tree that one thread refits. */
typedef struct pl_tree_chunk {
  int tree, root;
} pl_tree_chunk;

typedef struct pl_trees {
  pl_allocator allocator;
  const pl_features *features;
  pl_tree *trees;
  pl_tree_box *nodes;
  pl_tree_box *departures; /* of nodes: pl_trees_depart */
  pl_tree_leaf *leaves;
  pl_tree_slot *slots; /* PL_LEAF per leaf */
  float (*at)[4];      /* points relative to the origin; after them those at the end of a motion */
  pl_tree_chunk *chunks;
  int chunk_count;
  size_t node_count, leaf_count;
  double *areas;  /* of the leaves, per chunk */
  float *pads;    /* per surface */
  uint64_t *keys; /* for ordering the triangles of the largest surface */
  float (*centres)[3];
  double origin[3];
  double built_area; /* of all leaves after the last build; 0: not built yet */
  int is_moving;     /* boxes hold a motion */
} pl_trees;

/* The struct must be zeroed; features must stay. Released by the caller on failure too. */
pl_status pl_trees_make(pl_trees *forest, const pl_features *features, pl_error *error);
void pl_trees_release(pl_trees *forest);

/* Fits all boxes to points at x (and on their way to `to`, unless that is NULL, less the drift of
 * their surface, 3 numbers each, unless that is NULL), each grown by pad and half of its surface's
 * thickness. Rebuilds the trees if they have degraded. */
void pl_trees_refit(pl_trees *forest, const double *x, const double *to, const double *drift,
                    const pl_finder_surface *surfaces, double pad, pl_pool *pool);

/* For every node the box of how far its points have departed: x - from. */
void pl_trees_depart(pl_trees *forest, const double *x, const double *from, pl_pool *pool);

/* Lets the next refit rebuild the trees. */
void pl_trees_forget(pl_trees *forest);

static inline const pl_tree_box *pl_tree_root(const pl_trees *forest, int tree)
{
  return &forest->nodes[forest->trees[tree].node + 1];
}

#endif
