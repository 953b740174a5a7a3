/* The surface that is drawn: the boundary of all bodies, or the finer surface that follows one, as
 * one list of vertices, triangles and edges, and the numbers that colour it. */
#ifndef PL_VIEW_SURFACE_H
#define PL_VIEW_SURFACE_H

#include "pliant/world.h"

/* One body's part of the lists. */
typedef struct pl_surface_part {
  pl_body_id body;
  int first_vertex, vertices, first_triangle, triangles, first_edge, edges;
} pl_surface_part;

typedef struct pl_surface {
  pl_allocator allocator;
  int vertex_count, triangle_count, edge_count, part_count;
  int *nodes;     /* per vertex: the node of its body's shown mesh      */
  int *triangles; /* 3 vertices each, turned outwards                   */
  int *elements;  /* per triangle: 1 + the element behind it; 0: it follows the body */
  int *edges;     /* 2 vertices each: those of the faces, each once     */
  pl_surface_part *parts;
  double *room;   /* scratch for the largest body */
  double *points; /* and for the largest surface that follows one */
} pl_surface;

/* The mesh whose boundary is drawn for a body, at rest. */
const pl_mesh *pl_surface_mesh(const pl_world *world, pl_body_id body);

pl_status pl_surface_create(pl_world *world, const pl_allocator *allocator, pl_surface *surface,
                            pl_error *error);
void pl_surface_release(pl_surface *surface);

/* What colours can show; the order is the protocol's. */
#define PL_TINTS(X)                                                                                \
  X(none, "none", "", "the bodies' own colours")                                                   \
  X(von_mises, "von-mises", "Pa", "von Mises stress, mean of the elements around")                 \
  X(volume_ratio, "volume-ratio", "1", "volume over rest volume (det F), mean of the elements")    \
  X(strain, "strain", "1", "equivalent strain, mean of the elements around")                       \
  X(energy_density, "energy-density", "J/m^3", "elastic energy per volume, mean of the elements")  \
  X(displacement, "displacement", "m", "distance from the place at rest")                          \
  X(velocity, "velocity", "m/s", "speed")                                                          \
  X(pressure, "pressure", "Pa", "minus the mean stress, mean of the elements around")              \
  X(principal_stress, "principal-stress", "Pa", "largest principal stress, mean of the elements")  \
  X(level, "level", "1", "how often the mesh was refined there")

typedef enum pl_tint {
#define X(id, name, unit, summary) PL_TINT_##id,
  PL_TINTS(X)
#undef X
      PL_TINT_COUNT
} pl_tint;

extern const char *const pl_tint_names[PL_TINT_COUNT];

/* What arrows can show; the order is the protocol's. */
#define PL_ARROWS(X)                                                                               \
  X(none, "none", "", "no arrows")                                                                 \
  X(velocity, "velocity", "m/s", "velocities")                                                     \
  X(outer, "outer-forces", "N", "loads, pulls, the tool, and what holds fixed points")             \
  X(inner, "inner-forces", "N", "elastic and viscous forces on the nodes")

typedef enum pl_arrows {
#define X(id, name, unit, summary) PL_ARROWS_##id,
  PL_ARROWS(X)
#undef X
      PL_ARROWS_COUNT
} pl_arrows;

extern const char *const pl_arrows_names[PL_ARROWS_COUNT];

/* The place of a word in one of these lists, -1 if it is not there. */
int pl_word_find(const char *const *names, int count, const char *word);

/* 3 numbers per vertex. */
pl_status pl_surface_positions(pl_surface *surface, const pl_world *world, float *positions,
                               pl_error *error);
/* 1 number per vertex. */
pl_status pl_surface_tint(pl_surface *surface, pl_world *world, pl_tint tint, float *values,
                          pl_error *error);
/* 3 numbers per vertex; zeros for bodies whose forces are not known at nodes. */
pl_status pl_surface_arrows(pl_surface *surface, pl_world *world, pl_arrows arrows, float *vectors,
                            pl_error *error);
/* 1 byte per vertex, as pl_world_get_held. */
pl_status pl_surface_held(pl_surface *surface, const pl_world *world, unsigned char *held,
                          pl_error *error);

/* The point of a triangle with weights (1 - u - v, u, v). */
pl_status pl_surface_spot(const pl_surface *surface, const pl_world *world, int triangle, double u,
                          double v, pl_spot *spot, pl_error *error);

#endif
