/* The generators and what they share: a builder that takes hexahedral cells and makes a mesh of
 * hexahedra or of tetrahedra from them. */
#ifndef PL_MESH_GENERATOR_H
#define PL_MESH_GENERATOR_H

#include "mesh/mesh.h"

#define PL_GENERATORS(X)                                                                           \
  X(box) X(graded_box) X(block) X(cylinder) X(tube) X(sphere) X(sheet) X(lattice) X(rod) X(net)

#define X(name) extern const pl_generator_ops pl_generator_##name;
PL_GENERATORS(X)
#undef X

typedef struct pl_builder {
  pl_allocator allocator;
  int node_count, element_count, nodes_per_element; /* nodes and elements added so far */
  double *nodes;
  int *elements;
  unsigned char *marks; /* bit i: the node is in the set i */
} pl_builder;

/* What a generator wants to build. */
typedef struct pl_build_plan {
  int64_t node_count, cell_count;
  int elements_per_cell; /* 1: hexahedra, 5 or 6: tetrahedra */
  int nodes_per_element; /* 0: as these have */
  int set_count;         /* at most 8 */
  const char *const *set_names;
  void (*fill)(pl_builder *builder, const double *values); /* adds all nodes and cells */
} pl_build_plan;

/* Sets the counts of nodes and cells to those of a box of so many cells along each axis. */
void pl_build_count(pl_build_plan *plan, const double cells[3]);

/* Makes room, fills it, makes the mesh. Too large a plan is refused before memory is taken. */
pl_status pl_build(const pl_build_plan *plan, const double *values, const pl_allocator *allocator,
                   pl_mesh **mesh, pl_error *error);

/* Adds a node that lies in the sets whose bits are set; returns its number. */
int pl_builder_node(pl_builder *builder, const double position[3], unsigned sets);

/* Adds a cell, nodes in the order of a hexahedron: as it is, or as six tetrahedra. */
void pl_builder_cell(pl_builder *builder, const int nodes[8]);
void pl_builder_tet(pl_builder *builder, int a, int b, int c, int d);

/* The place of a point given with the axis (0 x, 1 y, 2 z) as its third direction. */
void pl_along_axis(int axis, const double origin[3], const double local[3], double position[3]);

/* A square (dimensions = 2) or cube (3) of cells that fills a unit disc or ball: side cells in each
 * direction of a rounded core, and layers of cells in a shell around it. */
typedef struct pl_round {
  int dimensions, side, layers;
} pl_round;

/* About across cells along a diameter (exactly, for multiples of five). */
pl_round pl_round_make(int dimensions, int across);

/* Where the lattice point at[] of the core lies (0 to side in each direction), or, with
 * layer > 0, the point that many layers outside it. */
void pl_round_place(const pl_round *round, const int at[3], int layer, double position[3]);

/* Does the lattice point lie on the boundary of the core? */
int pl_round_outer(const pl_round *round, const int at[3]);

#endif
