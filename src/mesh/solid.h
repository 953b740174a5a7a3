/* Solids by formula: a tree of signed distances. The value at a point is negative inside, positive
 * outside, zero on the surface, in m, and it is never larger in size than the distance to the
 * surface: so a ball of that radius around the point holds no surface. Primitives are leaves; what
 * unites, cuts, moves or roughens solids stands around them.
 *
 * The formulas of the primitives are the common ones, see J. C. Hart, "Sphere tracing", The Visual
 * Computer 12 (1996), and its many successors; the smooth union is the polynomial one of width k:
 * min(a, b) - max(k - |a - b|, 0)^2 / (4 k). */
#ifndef PL_MESH_SOLID_H
#define PL_MESH_SOLID_H

#include "mesh/fill.h"
#include "mesh/mesh.h"

typedef struct pl_solid pl_solid;

enum { PL_SOLID_ROOM = 24, PL_MOST_SOLIDS = 4096, PL_MOST_SOLID_DEPTH = 64 };

/* One node of the tree; children follow it, and end is the first node behind them. */
typedef struct pl_solid_node {
  const struct pl_solid_ops *ops;
  int end;
  double values[PL_SOLID_ROOM];
} pl_solid_node;

/* One line of a ready-made body: values in the order of the member's parameters. */
typedef struct pl_solid_line {
  int depth;
  const struct pl_solid_ops *ops;
  double values[12];
} pl_solid_line;

/* What a member of the family implements. Functions get the node; its children are the nodes from
 * node + 1 up to those + end - index. */
typedef struct pl_solid_ops {
  pl_member info;
  int min, max; /* children; most 0: none, -1: any number */
  /* Checks the values and brings them into the form that value uses; NULL: they are. */
  pl_status (*prepare)(double *values, pl_error *error);
  double (*value)(const pl_solid_node *nodes, int index, const double point[3]);
  void (*bounds)(const pl_solid_node *nodes, int index, double low[3], double high[3]);
  const pl_solid_line *lines; /* what stands inside a ready-made body, NULL for others */
  int line_count;
} pl_solid_ops;

extern const pl_family pl_solid_family;

/* One row of the description of a solid: a member of the family and how deep it stands, 0 for the
 * outermost; several at depth 0 are united. */
typedef struct pl_solid_row {
  pl_choice solid;
  int depth;
} pl_solid_row;

pl_status pl_solid_create(const pl_solid_row *rows, int count, const pl_allocator *allocator,
                          pl_solid **solid, pl_error *error);
void pl_solid_destroy(pl_solid *solid);

/* The solid as something that can be filled. */
pl_volume pl_solid_volume(const pl_solid *solid);

/* Value and box of a node, for groups. */
static inline double pl_solid_value(const pl_solid_node *nodes, int index, const double point[3])
{
  return nodes[index].ops->value(nodes, index, point);
}

static inline void pl_solid_bounds(const pl_solid_node *nodes, int index, double low[3],
                                   double high[3])
{
  nodes[index].ops->bounds(nodes, index, low, high);
}

#define PL_SOLIDS(X)                                                                               \
  X(sphere)                                                                                        \
  X(box)                                                                                           \
  X(ellipsoid)                                                                                     \
  X(capsule)                                                                                       \
  X(cylinder)                                                                                      \
  X(cone)                                                                                          \
  X(torus)                                                                                         \
  X(half_space)                                                                                    \
  X(union)                                                                                         \
  X(intersection)                                                                                  \
  X(difference)                                                                                    \
  X(move)                                                                                          \
  X(mirror)                                                                                        \
  X(shell)                                                                                         \
  X(noise)                                                                                         \
  X(bunny)                                                                                         \
  X(duck)                                                                                          \
  X(liver)                                                                                         \
  X(turtle)                                                                                        \
  X(dog)                                                                                           \
  X(tee)                                                                                           \
  X(tube)                                                                                          \
  X(blob)

#define X(name) extern const pl_solid_ops pl_solid_##name;
PL_SOLIDS(X)
#undef X

#endif
