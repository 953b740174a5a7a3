/* The shapes of one segment, triangle, tetrahedron or hexahedron. */
#ifndef PL_MESH_ELEMENT_H
#define PL_MESH_ELEMENT_H

#include "math/vec3.h"
#include "mesh/mesh.h"

/* Edges as pairs of local nodes. */
extern const int pl_segment_edges[1][2], pl_triangle_edges[3][2], pl_tet_edges[6][2],
    pl_hex_edges[12][2];
const int (*pl_element_edges(int nodes_per_element, int *count))[2];

/* The three neighbours of each corner of a hexahedron, right-handed seen from inside. */
extern const int pl_hex_corners[8][3];

/* Copies the corners of an element to corners[nodes_per_element][3]. */
void pl_element_corners(const double *positions, const int *nodes, int nodes_per_element,
                        double corners[][3]);

/* Volume of an element with these corners; of a triangle its area, of a segment its length. */
double pl_corners_volume(double corners[][3], int nodes_per_element);

/* The least and the largest dihedral angle of a tetrahedron, in degrees. */
void pl_tet_angles(const double *positions, const int nodes[4], double *min, double *max);

/* How far the element is from being flat or folded: the least height of a triangle or
 * tetrahedron, the least
 * over the corners of that of the parallelepiped which a hexahedron's edges span there, over the
 * longest edge. The sign is that of the orientation; 0 if a hexahedron has corners of both signs
 * (its corner of the least value is then reported). An element of no extent gives 0. */
double pl_corners_shape(double corners[][3], int nodes_per_element, int *worst_corner);

#endif
