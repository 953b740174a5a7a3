/* The cells over which a volume is filled: an octree, finest at the surface, and the points of the
 * body-centred cubic lattice that belong to its leaves (F. Labelle, J. R. Shewchuk, 2007, section
 * on graded interiors).
 *
 * A leaf of level k has 2^k finest cells along each edge. Leaves that share an edge differ by one
 * level at most. Places are integers in half sizes of a finest cell: corners of finest cells are
 * even, their middles odd. Every leaf within one and a half cells of the surface is a finest one,
 * so that only whole tetrahedra of the uniform lattice are ever cut or moved. */
#ifndef PL_MESH_LATTICE_H
#define PL_MESH_LATTICE_H

#include "mesh/fill.h"

#include <stdint.h>

enum { PL_LATTICE_LEVELS = 4 };

/* What is known of a leaf: its level, and where it lies. */
enum { PL_LEAF_LEVEL = 7, PL_LEAF_INSIDE = 8, PL_LEAF_OUTSIDE = 16, PL_LEAF_NEAR = 32 };

typedef struct pl_lattice_point {
  int at[3];
  double value;     /* of the volume; far from the surface only its sign counts      */
  int node;         /* plus 1; 0: none yet; below: its place among the moved, minus 1 */
  int cut;          /* the cuts of the edges it owns, plus 1; 0: none is cut         */
  signed char side; /* 1 inside, -1 outside, 0 moved onto the surface                */
  signed char near; /* an edge at it is cut                                          */
} pl_lattice_point;

typedef struct pl_lattice {
  pl_allocator allocator;
  const pl_volume *volume;
  double origin[3], half; /* half: of the size */
  int levels, blocks[3];
  int *maps; /* of each block: its map plus 1, or minus the code of all its cells */
  unsigned char (*codes)[4096];
  size_t map_count, map_room;
  pl_lattice_point *points;
  size_t point_count, point_room;
  int *table; /* points by the hash of their place, plus 1 */
  uint64_t mask;
} pl_lattice;

/* levels: how often the edge may double inside. */
pl_status pl_lattice_create(pl_lattice *lattice, const pl_volume *volume, double size, int levels,
                            const pl_allocator *allocator, pl_error *error);
void pl_lattice_free(pl_lattice *lattice);

/* What is known of the leaf that holds a finest cell. */
int pl_lattice_code(const pl_lattice *lattice, const int cell[3]);

/* The point at a place, -1 if there is none. */
int pl_lattice_find(const pl_lattice *lattice, const int at[3]);
void pl_lattice_place(const pl_lattice *lattice, const int at[3], double place[3]);

/* Calls visit for every leaf that is not outside, always in the same order. */
typedef pl_status pl_lattice_visit(void *context, const int cell[3], int code);
pl_status pl_lattice_each(const pl_lattice *lattice, pl_lattice_visit *visit, void *context);

#endif
