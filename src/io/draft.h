/* A mesh in the making: what every reader fills, and what turns it into a pl_mesh.
 *
 * Readers hand over nodes (numbered from 0 or by tags in any order), elements of any shape, and
 * which of them belong to numbered groups. Tetrahedra or hexahedra become the mesh, or, where there
 * are none, triangles and quadrilaterals, or lines as segments; a group of what fills space becomes
 * an element set, a group of anything flatter a node set. */
#ifndef PL_IO_DRAFT_H
#define PL_IO_DRAFT_H

#include "io/format.h"
#include "io/scan.h"
#include "mesh/mesh.h"

/* The most named sets that a file may hold; see mesh/mesh.h for nodes and elements. */
enum { PL_MOST_SETS = 4096 };

/* Name in messages, dimension, number of corners. Corners come first in the nodes of an element of
 * higher order, in every format. */
#define PL_SHAPES(X)                                                                               \
  X(PL_POINT, "points", 0, 1)                                                                      \
  X(PL_LINE, "lines", 1, 2)                                                                        \
  X(PL_TRIANGLE, "triangles", 2, 3)                                                                \
  X(PL_QUAD, "quadrilaterals", 2, 4)                                                               \
  X(PL_TET, "tetrahedra", 3, 4)                                                                    \
  X(PL_HEX, "hexahedra", 3, 8)                                                                     \
  X(PL_PRISM, "prisms", 3, 6)                                                                      \
  X(PL_PYRAMID, "pyramids", 3, 5)

typedef enum pl_cell_shape {
#define X(id, name, dimension, corners) id,
  PL_SHAPES(X)
#undef X
      PL_SHAPE_COUNT
} pl_cell_shape;

typedef struct pl_shape_facts {
  const char *name;
  int dimension, corners;
} pl_shape_facts;

extern const pl_shape_facts pl_shapes[PL_SHAPE_COUNT];

typedef struct pl_draft pl_draft;

/* bytes is the size of the data that the draft comes from: it bounds the memory for sets. */
pl_status pl_draft_create(const pl_source *source, size_t bytes, pl_draft **draft, pl_error *error);
void pl_draft_destroy(pl_draft *draft);

/* Room for count more nodes; tagged: they have tags, else their numbers are their tags. The count
 * must have been checked against the file (pl_scan_claim). */
pl_status pl_draft_nodes(pl_draft *draft, const pl_scan *scan, int64_t count, int tagged,
                         pl_error *error);
/* Gives the next node; refuses coordinates that are not finite. scan says where in the file. */
pl_status pl_draft_node(pl_draft *draft, const pl_scan *scan, int64_t tag, const double *position,
                        pl_error *error);
/* All nodes are there: from now on elements can name them. Refuses repeated tags. */
pl_status pl_draft_nodes_end(pl_draft *draft, const pl_scan *scan, pl_error *error);
int pl_draft_has_nodes(const pl_draft *draft);
int pl_draft_node_count(const pl_draft *draft);

/* One element; number is the file's, for messages, and tags names its corners. It stays current
 * until the next one. reduced: nodes between the corners were left out. */
pl_status pl_draft_element(pl_draft *draft, const pl_scan *scan, pl_cell_shape shape,
                           int64_t number, const int64_t *tags, int reduced, pl_error *error);
/* The six nodes on the edges of the current tetrahedron, and which corners each lies between. Those
 * that the file does not define are left out. */
pl_status pl_draft_middles(pl_draft *draft, const int64_t *tags, const int edges[6][2],
                           pl_error *error);
/* As VTK and Abaqus count them, and as Gmsh does. */
extern const int pl_vtk_edges[6][2], pl_gmsh_edges[6][2];
/* For formats whose groups name elements by number: to be called before the first element, and
 * behind the last. Then numbers must not repeat. */
void pl_draft_number_elements(pl_draft *draft);
pl_status pl_draft_elements_end(pl_draft *draft, const pl_scan *scan, pl_error *error);
/* The number of the current element in the mesh, -1 if it is of no use there. */
int pl_draft_cell(const pl_draft *draft);
/* A member that joined a group behind the mark: a node, or a cell in groups of dimension 3. */
int pl_draft_member(const pl_draft *draft, size_t mark, size_t index);
/* Puts the current element, or a cell or node by its place in the draft, into the group. Groups are
 * numbered per dimension. */
pl_status pl_draft_join(pl_draft *draft, const pl_scan *scan, int32_t group, pl_error *error);
pl_status pl_draft_join_cell(pl_draft *draft, const pl_scan *scan, int32_t group, int cell,
                             pl_error *error);
pl_status pl_draft_join_node(pl_draft *draft, const pl_scan *scan, int32_t group, int node,
                             pl_error *error);
/* Puts a node by its tag into the group; or an element by its number, if it fills space (dimension
 * 3) or else the nodes of one that does not (dimension 2). */
pl_status pl_draft_join_node_tag(pl_draft *draft, const pl_scan *scan, int32_t group, int64_t tag,
                                 pl_error *error);
pl_status pl_draft_join_number(pl_draft *draft, const pl_scan *scan, int dimension, int32_t group,
                               int64_t number, pl_error *error);
/* Puts the count members that joined a group of this dimension after the mark into another one. */
size_t pl_draft_mark(const pl_draft *draft);
pl_status pl_draft_join_copy(pl_draft *draft, const pl_scan *scan, size_t mark, size_t count,
                             int dimension, int32_t group, pl_error *error);

/* An axis of the material (0: the first, 1: the second) in a cell by its place, or in an element by
 * its number; -1 and elements that fill no space are passed over. */
pl_status pl_draft_axis(pl_draft *draft, int cell, int which, const double *axis, pl_error *error);
pl_status pl_draft_axis_number(pl_draft *draft, const pl_scan *scan, int64_t number, int which,
                               const double *axis, pl_error *error);
/* The mean of a cell's corners. */
void pl_draft_middle(const pl_draft *draft, int cell, double middle[3]);
/* Is this the name of an array of such axes? Then which one: 0, 1, or -1. */
int pl_draft_axis_named(pl_word name);

/* A parent of a hanging node with its weight, both by their places; those of one node one behind
 * the other. */
pl_status pl_draft_hang(pl_draft *draft, const pl_scan *scan, int64_t node, int64_t parent,
                        double weight, pl_error *error);

/* The group's name; without one it is called "PREFIX-NUMBER", where prefix ("group") must be a
 * literal. */
pl_status pl_draft_name(pl_draft *draft, const pl_scan *scan, int dimension, int32_t group,
                        pl_word name, pl_error *error);
void pl_draft_prefix(pl_draft *draft, int dimension, const char *prefix);

/* Makes the mesh and destroys the draft, also on failure. */
pl_status pl_draft_finish(pl_draft *draft, pl_mesh **mesh, pl_error *error);

#endif
