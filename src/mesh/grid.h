/* Meshes that are grids: their nodes, called particles, stand at the places of an array of one to
 * three axes, each of which ends or goes around.
 *
 * The elements are one segment for each cell of a curve, two triangles for each cell of a surface,
 * or one hexahedron (six tetrahedra of
 * the generator "box") for each cell of a solid; they serve mass, drawing, loads and contact. The
 * array is what the model "grid" works on. It stays with the mesh when that is copied or
 * renumbered. */
#ifndef PL_MESH_GRID_H
#define PL_MESH_GRID_H

#include "mesh/mesh.h"

enum { PL_MOST_PARTICLES = 16000000, PL_MOST_ALONG = 4096, PL_MOST_ORDER = 32 };

struct pl_grid {
  int axes, size[3]; /* 1 to 3; particles along each, 1 along axes that are not there */
  int wraps[3];      /* the axis goes around: behind the last particle comes the first */
  int *nodes;        /* of the mesh, by place: the first index runs fastest */
};

/* How many particles there are. */
static inline int pl_grid_count(const pl_grid *grid)
{
  return grid->size[0] * grid->size[1] * grid->size[2];
}

/* Cells along an axis: one less than particles where it ends. */
static inline int pl_grid_cells_along(const pl_grid *grid, int axis)
{
  if (axis >= grid->axes) return 1;
  return grid->size[axis] - !grid->wraps[axis];
}

/* The node at a place, which is taken around where the axis is; -1 beyond its ends. */
int pl_grid_node(const pl_grid *grid, const int at[3]);

/* The place of particle number index. */
void pl_grid_place(const pl_grid *grid, int index, int at[3]);

/* Checks an array: 1 to 3 axes, 2 particles or more along each, 3 where it goes around. */
pl_status pl_grid_check(const pl_grid *grid, pl_error *error);

/* A mesh of the particles' positions in the order of places; grid->nodes is not used. */
pl_status pl_grid_mesh(const pl_grid *grid, const double *positions, const pl_allocator *allocator,
                       pl_mesh **mesh, pl_error *error);

/* Lets a mesh know that its nodes are an array in the order of places, as a box of cells has them.
 */
pl_status pl_mesh_set_grid(pl_mesh *mesh, const pl_grid *grid, pl_error *error);

/* Lets a mesh of the same nodes in another numbering (number[old] = new; NULL: the same) know its
 * array; none if the other has none. */
pl_status pl_mesh_take_grid(pl_mesh *mesh, const pl_mesh *from, const int *number, pl_error *error);
void pl_mesh_free_grid(pl_mesh *mesh);

/* Where in a picture the corners of faces (size nodes each) lie: two numbers from 0 to 1 for each,
 * along the axes in which the face extends; around the seam of an axis up to 2. */
pl_status pl_grid_spots(const pl_mesh *mesh, const int *faces, int size, int count,
                        const pl_allocator *allocator, float *spots, pl_error *error);

/* The particles named by "[m]", "[m,n]" or "[l,m,n]" with numbers, negative ones counted from the
 * end, or
 * "*" for all: first and last along each axis. What is outside is refused. */
pl_status pl_grid_parse(const pl_grid *grid, const char *text, int first[3], int last[3],
                        pl_error *error);

#endif
