/* Geometry of single elements: numbering, volume, area, and how far from flat they are.
 *
 * Tetrahedron 0123: node 3 lies on the side of face 012 from which that face is seen counter-
 * clockwise; its volume is then positive. Hexahedron: 0-3 counter-clockwise around the bottom seen
 * from above, 4-7 above them (the numbering of VTK and Gmsh). */
#include "mesh/element.h"

#include "math/vec3.h"

#include <string.h>

const int pl_tet_faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
const int pl_hex_faces[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
const int pl_segment_edges[1][2] = {{0, 1}};
const int pl_triangle_edges[3][2] = {{0, 1}, {1, 2}, {2, 0}};
const int pl_tet_edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
const int pl_hex_edges[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                 {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
const int pl_hex_corners[8][3] = {{1, 3, 4}, {2, 0, 5}, {3, 1, 6}, {0, 2, 7},
                                  {7, 5, 0}, {4, 6, 1}, {5, 7, 2}, {6, 4, 3}};

void pl_element_corners(const double *positions, const int *nodes, int nodes_per_element,
                        double corners[][3])
{
  for (int i = 0; i < nodes_per_element; i++) {
    memcpy(corners[i], positions + 3 * (size_t)nodes[i], sizeof corners[i]);
  }
}

const int (*pl_element_edges(int nodes_per_element, int *count))[2]
{
  *count = nodes_per_element == 8   ? 12
           : nodes_per_element == 4 ? 6
           : nodes_per_element == 3 ? 3
                                    : 1;
  if (nodes_per_element == 2) return pl_segment_edges;
  if (nodes_per_element == 8) return pl_hex_edges;
  return nodes_per_element == 4 ? pl_tet_edges : pl_triangle_edges;
}

/* Twice the area of a triangle. */
static double area2(double corners[][3])
{
  double u[3], v[3], area[3];
  pl_vec3_sub(corners[1], corners[0], u);
  pl_vec3_sub(corners[2], corners[0], v);
  pl_vec3_cross(u, v, area);
  return pl_vec3_norm(area);
}

/* Six times the volume of the tetrahedron apex abc. */
static double volume6(const double apex[3], const double a[3], const double b[3], const double c[3])
{
  double u[3], v[3], w[3];
  pl_vec3_sub(a, apex, u);
  pl_vec3_sub(b, apex, v);
  pl_vec3_sub(c, apex, w);
  return pl_triple(u, v, w);
}

double pl_corners_volume(double corners[][3], int nodes_per_element)
{
  if (nodes_per_element == 2) return pl_vec3_distance(corners[0], corners[1]);
  if (nodes_per_element == 3) return area2(corners) / 2;
  if (nodes_per_element == 4) return volume6(corners[0], corners[1], corners[2], corners[3]) / 6;

  // under a bilinear face lies the mean of what lies under its two splits into triangles, which
  // makes the volume of the trilinear map exact
  double sum = 0;
  for (int f = 0; f < 6; f++) {
    const int *face = pl_hex_faces[f];
    const double *a = corners[face[0]], *b = corners[face[1]];
    const double *c = corners[face[2]], *d = corners[face[3]];
    sum += volume6(corners[0], a, b, c) + volume6(corners[0], a, c, d);
    sum += volume6(corners[0], a, b, d) + volume6(corners[0], b, c, d);
  }
  return sum / 12;
}

double pl_element_volume(const double *positions, const int *nodes, int nodes_per_element)
{
  double corners[8][3];
  pl_element_corners(positions, nodes, nodes_per_element, corners);
  return pl_corners_volume(corners, nodes_per_element);
}

void pl_face_area(const double *positions, const int *nodes, int nodes_per_face, double area[3])
{
  const double *corner[4];
  for (int i = 0; i < nodes_per_face; i++) corner[i] = positions + 3 * (size_t)nodes[i];

  // half the product of two sides, or of the diagonals (which is exact for a bilinear face)
  double u[3], v[3];
  if (nodes_per_face == 3) {
    pl_vec3_sub(corner[1], corner[0], u);
    pl_vec3_sub(corner[2], corner[0], v);
  } else {
    pl_vec3_sub(corner[2], corner[0], u);
    pl_vec3_sub(corner[3], corner[1], v);
  }
  pl_vec3_cross(u, v, area);
  for (int i = 0; i < 3; i++) area[i] *= 0.5;
}

/* The least height of the parallelepiped over u, v, w, with the sign of its volume; the face across
 * the tips counts too where a tetrahedron is meant. */
static double min_height(const double u[3], const double v[3], const double w[3], int with_tips)
{
  double area[3], side[3], tip[3], widest;
  pl_vec3_cross(u, v, area);
  widest = pl_vec3_norm(area);
  pl_vec3_cross(v, w, area);
  widest = fmax(widest, pl_vec3_norm(area));
  pl_vec3_cross(w, u, area);
  widest = fmax(widest, pl_vec3_norm(area));
  if (with_tips) {
    pl_vec3_sub(v, u, side);
    pl_vec3_sub(w, u, tip);
    pl_vec3_cross(side, tip, area);
    widest = fmax(widest, pl_vec3_norm(area));
  }
  return widest > 0 ? pl_triple(u, v, w) / widest : 0;
}

static double longest_edge(double corners[][3], int nodes_per_element)
{
  int count;
  const int(*edges)[2] = pl_element_edges(nodes_per_element, &count);
  double longest = 0, edge[3];
  for (int i = 0; i < count; i++) {
    pl_vec3_sub(corners[edges[i][1]], corners[edges[i][0]], edge);
    longest = fmax(longest, pl_vec3_norm(edge));
  }
  return longest;
}

/* The height at one corner, all lengths over size. */
static double corner_height(double corners[][3], int corner, const int to[3], double size,
                            int with_tips)
{
  double edges[3][3];
  for (int k = 0; k < 3; k++) {
    pl_vec3_sub(corners[to[k]], corners[corner], edges[k]);
    for (int i = 0; i < 3; i++) edges[k][i] /= size;
  }
  return min_height(edges[0], edges[1], edges[2], with_tips);
}

double pl_corners_shape(double corners[][3], int nodes_per_element, int *worst_corner)
{
  static const int tet_corner[3] = {1, 2, 3};
  *worst_corner = 0;
  double size = longest_edge(corners, nodes_per_element);
  if (!(size > 0)) return 0;
  if (nodes_per_element == 2) return 1;
  if (nodes_per_element == 3) return area2(corners) / size / size;
  if (nodes_per_element == 4) return corner_height(corners, 0, tet_corner, size, 1);

  // all eight corners must agree about the orientation
  double min = INFINITY, max = -INFINITY;
  for (int i = 0; i < 8; i++) {
    double height = corner_height(corners, i, pl_hex_corners[i], size, 0);
    if (height < min) *worst_corner = i;
    min = fmin(min, height);
    max = fmax(max, height);
  }
  if (min > 0) return min;
  return max < 0 ? max : 0;
}
