/* Meshes: tetrahedra, hexahedra, or triangles and quadrilaterals or segments in space, with named
 * sets. A mesh does not change once it is made. */
#ifndef PLIANT_MESH_H
#define PLIANT_MESH_H

#include "pliant/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pl_mesh pl_mesh;

/* A named set of nodes or of elements. */
typedef struct pl_set {
  const char *name;
  int of_elements; /* 1: ids are element numbers; 0: node numbers */
  int count;
  const int *ids;
} pl_set;

/* Picks nodes or faces: a member of the region family, or a named set of the mesh. */
typedef struct pl_selector {
  pl_choice region;
  const char *set; /* used if not NULL */
} pl_selector;

/* A node that hangs on others, as where small elements meet large ones: it moves as the sum of its
 * parents' positions times their weights, and what pulls at it pulls at them. At rest it must be
 * there (to 1e-6 of the distance to its parents). Parents may hang themselves, but not in a circle;
 * in the end a node may depend on at most 80 others. Its mass goes to its parents. */
typedef struct pl_hanging_node {
  int node, count;       /* in the mesh; of its parents, at least 1 */
  const int *parents;    /* nodes of the mesh */
  const double *weights; /* one for each, summing to 1 (to 1e-9) */
} pl_hanging_node;

/* The arrays a mesh is made from; all are copied. Node order of a tetrahedron: any (it is turned to
 * positive volume and counted). Of a hexahedron: 0-3 around the bottom, 4-7 above them (as in VTK).
 */
typedef struct pl_mesh_def {
  int node_count;
  const double *nodes; /* x y z of each node, in m */
  int element_count;
  int nodes_per_element; /* 2: segments, 3: triangles, 4: tetrahedra, 8: hexahedra */
  const int *elements;   /* node numbers from 0 */
  int set_count;
  const pl_set *sets;
  const pl_allocator *allocator;  /* NULL: the C library's */
  const pl_hanging_node *hanging; /* where small elements meet large ones */
  int hanging_count;
  int quad_count;   /* quadrilaterals beside triangles; a mesh may consist of them alone */
  const int *quads; /* 4 nodes each, in the order around it */
  /* Axes of the material in each element, for PL_ORIENTATION_MESH: the first axis and a direction
   * in the plane of the first and second, 6 numbers; zeros where there are none. NULL: nowhere. */
  const double *axes;
} pl_mesh_def;

/* A quadrilateral is two triangles that know each other, cut along its shorter diagonal (along the
 * other where it is not convex): they follow the triangles given, so that quadrilateral j is
 * elements element_count + 2 j and the next, by which sets may name it. Whatever works on triangles
 * works on them: every model of sheets, contact, pictures, files. */

/* Refuses non-finite coordinates, node numbers out of range, repeated nodes in an element, elements
 * of no volume (least height below 1e-12 of the longest edge), folded hexahedra, overlapping
 * elements and faces of more than two elements, naming the first by number, counted from 0.
 * Inverted elements are turned. Nodes that no element uses are dropped; the others keep their
 * order. */
PL_API pl_status pl_mesh_create(const pl_mesh_def *def, pl_mesh **mesh, pl_error *error);
PL_API void pl_mesh_destroy(pl_mesh *mesh);

/* A member of the generator family ("box", "graded-box", "cylinder", "tube", "sphere") by its
 * parameters. */
PL_API pl_status pl_mesh_generate(const pl_choice *generator, const pl_allocator *allocator,
                                  pl_mesh **mesh, pl_error *error);

/* Every tetrahedron as an octet: with the midpoints of its edges as nodes it becomes eight, which
 * know each other. The model fem takes an octet of PL_DIVIDE_TET10 as one quadratic element of ten
 * nodes, while everything else (surface, contact, pictures, files) sees eight linear ones;
 * PL_DIVIDE_OCTETS leaves them linear, and volume="patch" has them share their volume. A midpoint
 * belongs to a set of nodes if both ends of its edge do, and to a set of boundary nodes only if the
 * edge is on the boundary. */
typedef enum pl_division { PL_DIVIDE_TET10, PL_DIVIDE_OCTETS } pl_division;
PL_API pl_status pl_mesh_divide(const pl_mesh *mesh, pl_division division,
                                const pl_allocator *allocator, pl_mesh **divided, pl_error *error);

/* The boundary as a mesh of triangles; quadrilaterals are cut in two. */
PL_API pl_status pl_mesh_boundary(const pl_mesh *mesh, const pl_allocator *allocator,
                                  pl_mesh **triangles, pl_error *error);

/* The format is chosen by the file's name; see pl_families() for the list. */
PL_API pl_status pl_mesh_read(const char *path, const pl_allocator *allocator, pl_mesh **mesh,
                              pl_error *error);
PL_API pl_status pl_mesh_write(const pl_mesh *mesh, const char *path, pl_error *error);

PL_API int pl_mesh_node_count(const pl_mesh *mesh);
PL_API const double *pl_mesh_nodes(const pl_mesh *mesh); /* 3 per node, m */
PL_API int pl_mesh_element_count(const pl_mesh *mesh);
PL_API int pl_mesh_nodes_per_element(const pl_mesh *mesh);
PL_API const char *pl_mesh_shape_name(const pl_mesh *mesh); /* "tetrahedra" and so on */
PL_API const int *pl_mesh_elements(const pl_mesh *mesh);
/* Of the elements, those that are halves of quadrilaterals: 4 nodes of each, around it; and the
 * numbers of its two halves. */
PL_API int pl_mesh_quad_count(const pl_mesh *mesh);
PL_API const int *pl_mesh_quads(const pl_mesh *mesh);
PL_API const int *pl_mesh_quad_elements(const pl_mesh *mesh);
/* Axes of the material as given, 6 numbers per element; NULL: there are none. */
PL_API const double *pl_mesh_axes(const pl_mesh *mesh);
PL_API int pl_mesh_set_count(const pl_mesh *mesh);
PL_API const pl_set *pl_mesh_set(const pl_mesh *mesh, int index);
PL_API const pl_set *pl_mesh_find_set(const pl_mesh *mesh, const char *name);
PL_API int pl_mesh_hanging_count(const pl_mesh *mesh);
PL_API const pl_hanging_node *pl_mesh_hanging(const pl_mesh *mesh, int index);

/* The boundary: faces of 3 nodes (tetrahedra) or 4 (hexahedra), turned outwards; triangles are
 * their own boundary, segments have none. Where nodes hang, small faces on a large one are not
 * among them. */
PL_API int pl_mesh_face_count(const pl_mesh *mesh);
PL_API int pl_mesh_nodes_per_face(const pl_mesh *mesh);
PL_API const int *pl_mesh_faces(const pl_mesh *mesh);
PL_API const int *pl_mesh_face_elements(const pl_mesh *mesh); /* the element behind each face */

/* Size and quality in numbers; the volume of triangles is their area, of segments their length. The
 * mean of the edges is over those of every element. Angles are dihedral, in degrees. Aspect is the
 * longest edge over the least height (tets, 1.22 at best) or over the shortest edge (hexes). */
typedef struct pl_mesh_facts {
  int node_count, element_count, face_count, set_count;
  int flipped_elements; /* turned to positive volume when the mesh was made */
  int dropped_nodes;    /* not used by any element                          */
  int pieces;           /* parts that share no node                         */
  double low[3], high[3];
  double volume, surface;               /* m^3, m^2 */
  double min_volume, max_volume;        /* of an element */
  double min_edge, mean_edge, max_edge; /* m */
  double min_angle, max_angle;          /* degrees */
  double mean_aspect, worst_aspect;
  int worst_element; /* number of the element with the worst aspect */
  /* The elements of the worst aspect, from the worst on; fewer if there are no more. */
  int worst_count, worst_elements[5];
  double worst_aspects[5];
  int boundary_pieces; /* parts of the boundary that share no node: a cavity adds one */
} pl_mesh_facts;

PL_API pl_status pl_mesh_measure(const pl_mesh *mesh, pl_mesh_facts *facts, pl_error *error);

/* A grid of particles on a Bezier patch (2 axes) or in a Bezier solid (3), for the model "grid". */
typedef struct pl_bezier_def {
  int axes, order;      /* order: 1 to 32, the same along all axes */
  int particles[3];     /* along each axis, at evenly spaced parameters */
  int wraps[3];         /* 1: the axis goes around, behind its last particle comes the first */
  const double *points; /* 3 per control point, m; (order + 1)^axes of them, first index fastest */
} pl_bezier_def;

PL_API int pl_bezier_points(int axes, int order); /* how many there are */
PL_API pl_status pl_mesh_bezier(const pl_bezier_def *def, const pl_allocator *allocator,
                                pl_mesh **mesh, pl_error *error);

/* A surface of triangles to be filled with elements. Everything is copied; nothing is kept. */
typedef struct pl_surface_def {
  int point_count;
  const double *points; /* 3 each, m */
  int triangle_count;
  const int *triangles; /* 3 points each; they may face either way, and leave small holes */
  /* The way of filling ("stuffing", "cage", "voxels", "octree") with its settings (size in m, or
   * elements). Without a name and a size, one is found that covers thin parts as well. */
  pl_choice filler;
  const pl_log *log;             /* hears what was repaired or chosen; may be NULL */
  const pl_allocator *allocator; /* of the mesh; NULL: the C library's */
} pl_surface_def;

/* Fills the surface. The mesh is the caller's, who ends it with pl_mesh_destroy. Fails with
 * PL_E_MESH where the surface encloses nothing. */
PL_API pl_status pl_mesh_fill(const pl_surface_def *def, pl_mesh **mesh, pl_error *error);

#ifdef __cplusplus
}
#endif
#endif
