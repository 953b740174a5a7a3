/* Where a mesh that is refined while the body moves should be finer: a number for each leaf.
 *
 * A leaf is refined where the number exceeds `above`, and eight are taken back to one where none
 * exceeds `below`: the gap between both keeps elements from coming and going in turn. */
#ifndef PL_WORLD_INDICATOR_H
#define PL_WORLD_INDICATOR_H

#include "world/world.h"

#define PL_INDICATORS(X)                                                                           \
  X(shear_force)                                                                                   \
  X(stress)                                                                                        \
  X(strain_jump)                                                                                   \
  X(energy_error)                                                                                  \
  X(detail)                                                                                        \
  X(contact)                                                                                       \
  X(none)

/* What it may look at. */
typedef struct pl_leaf_view {
  const pl_world *world;
  const pl_body *body;
  const pl_mesh *mesh;      /* the leaves, in the body's inside nodes */
  const int *leaf_of;       /* per element of the body, inside */
  const double *x;          /* the nodes as they are */
  const double *F, *stress; /* 9 numbers per leaf: the deformation gradient, Cauchy stress in Pa */
  double *room;             /* 10 numbers per node, of no value */
} pl_leaf_view;

typedef struct pl_indicator_ops {
  pl_member info; /* its first parameters are above and below */
  void (*measure)(const pl_leaf_view *view, double *value); /* NULL: nothing is measured */
} pl_indicator_ops;

enum { PL_ABOVE, PL_BELOW, PL_INDICATOR_PARAMS };

#define X(name) extern const pl_indicator_ops pl_indicator_##name;
PL_INDICATORS(X)
#undef X

extern const pl_family pl_indicator_family;

/* The side of a regular tetrahedron with the leaf's volume at rest, m. */
double pl_leaf_size(const pl_leaf_view *view, int leaf);

#endif
