/* The mesh as the library sees it: flat arrays, positive volumes, boundary faces. */
#ifndef PL_MESH_MESH_H
#define PL_MESH_MESH_H

#include "pliant/mesh.h"

enum { PL_MOST_NODES = 50000000, PL_MOST_ELEMENTS = 100000000 };

typedef struct pl_grid pl_grid; /* see mesh/grid.h */

/* Nodes that a file has between the corners of tetrahedra: both ends of their edges, ascending, and
 * where they are; sorted by the ends. Meshes that are made from this one do not have them. */
typedef struct pl_edge_middles {
  int count, *ends;
  double *positions;
} pl_edge_middles;

struct pl_mesh {
  pl_allocator allocator;
  int node_count, element_count, nodes_per_element;
  double *nodes; /* 3 per node */
  int *elements;
  int face_count, nodes_per_face;
  int *faces, *face_elements;
  int set_count;
  pl_set *sets; /* names and ids point into the two arrays below */
  int *set_ids;
  char *set_names;
  int hanging_count;
  pl_hanging_node *hanging; /* parents and weights point into the two arrays below */
  int *hanging_parents;
  double *hanging_weights;
  int flipped_elements, dropped_nodes;
  // the tetrahedra of octets, if they are; see pl_mesh_divide
  int octet_count, quadratic;
  int *octets, *element_octets;           /* 10 nodes each; the octet of each element */
  int quad_count, *quads, *quad_elements; /* quadrilaterals, see mesh/quads.h */
  pl_grid *grid;                          /* the array that its nodes stand in; NULL: in none */
  pl_edge_middles middles;
  double *axes; /* of the material, 6 per element; NULL: none */
};

/* Keeps where edges of tetrahedra pass through half-way, in the numbering of the mesh; the first
 * counts where an edge is there twice. */
pl_status pl_mesh_keep_middles(pl_mesh *mesh, int count, const int *ends, const double *positions,
                               pl_error *error);
/* That of an edge with ascending ends; NULL: it is not known. */
const double *pl_mesh_find_middle(const pl_mesh *mesh, const int ends[2]);

/* The nodes of an octet: four corners, then the midpoints of its edges in the order of
 * pl_tet_edges. */
enum { PL_OCTET_NODES = 10, PL_OCTET_TETS = 8 };

/* Where the midpoint of the edge between two nodes of a generated mesh is; its place on the
 * straight edge is given. */
typedef void pl_middle_of(const double *values, const int ends[2], double position[3]);

/* pl_mesh_divide with midpoints that follow the shape, whose values are handed on. */
pl_status pl_mesh_divide_by(const pl_mesh *mesh, pl_division way, pl_middle_of *middle,
                            const double *values, const pl_allocator *allocator, pl_mesh **out,
                            pl_error *error);

/* Lets a mesh of the same elements in another numbering (number[old] = new; NULL: the same) know
 * its octets; none if the other has none. */
pl_status pl_mesh_take_octets(pl_mesh *mesh, const pl_mesh *from, const int *node_number,
                              const int *element_number, pl_error *error);

/* Per node 1 if it is the midpoint of an edge of an octet; middle has room for all nodes. */
void pl_mesh_mark_middles(const pl_mesh *mesh, unsigned char *middle);

/* PL_E_LIMIT if a mesh of this size would be too large; to be asked before memory is taken. */
pl_status pl_mesh_check_limits(int64_t node_count, int64_t element_count, pl_error *error);

/* Copies hanging nodes into a new mesh, number[old] = new or -1 for nodes that are no more; frees
 * them. */
pl_status pl_mesh_copy_hanging(pl_mesh *mesh, const pl_mesh_def *def, const int *number,
                               pl_error *error);
void pl_mesh_free_hanging(pl_mesh *mesh);

/* A point inside (or nearest to) an element as a weighted sum of its nodes. */
typedef struct pl_anchor {
  int element, count;
  int nodes[8];
  double weights[8];
  double distance; /* 0 inside, else how far outside the mesh the point lies, m */
} pl_anchor;

/* The corners of the box around all nodes. */
void pl_mesh_bounds(const pl_mesh *mesh, double low[3], double high[3]);

/* Finds the element that holds the point, or the nearest one. */
pl_status pl_mesh_locate(const pl_mesh *mesh, const double point[3], pl_anchor *anchor,
                         pl_error *error);

/* A numbering in which neighbours have near numbers (reverse Cuthill-McKee): order[new] = old. */
pl_status pl_mesh_order(const pl_mesh *mesh, int *order, pl_error *error);

/* The same mesh with nodes renumbered by order[new] = old and elements sorted to follow them;
 * element_order[new] = old is filled if not NULL. */
pl_status pl_mesh_reorder(const pl_mesh *mesh, const int *order, int *element_order,
                          const pl_allocator *allocator, pl_mesh **out, pl_error *error);

/* Signed volume of an element with the given nodes at positions (3 per node); of a triangle its
 * area, of a segment its length. */
double pl_element_volume(const double *positions, const int *nodes, int nodes_per_element);

/* The faces of one element, turned outwards: nodes_per_face local indices each. */
extern const int pl_tet_faces[4][3], pl_hex_faces[6][4];

/* Area vector (length = area, direction outwards) of a face at positions. */
void pl_face_area(const double *positions, const int *nodes, int nodes_per_face, double area[3]);

/* What a generator implements. */
typedef struct pl_generator_ops {
  pl_member info;
  pl_status (*generate)(const double *values, const pl_allocator *allocator, pl_mesh **mesh,
                        pl_error *error);
  pl_middle_of *middle; /* NULL: edges are straight */
} pl_generator_ops;

extern const pl_family pl_generator_family;

/* What a region implements: does it hold this point of the rest shape (with the outward normal of
 * the surface there, zero inside the body)? A point outside by no more than the tolerance (in m,
 * far below the size of the mesh) counts as inside, so that nodes that are meant to lie on the
 * region's border are not lost to rounding. */
typedef struct pl_region_ops {
  pl_member info;
  int needs_normal; /* selects faces; nodes belong if one of their faces does */
  pl_status (*check)(const double *values, pl_error *error); /* NULL: any values will do */
  int (*holds)(const double *values, const double point[3], const double normal[3],
               double tolerance);
} pl_region_ops;

extern const pl_family pl_region_family;

#endif
