/* How a mesh of segments is drawn: as tubes of triangles, one for each segment, that meet where
 * segments do. */
#ifndef PL_MESH_WIRE_H
#define PL_MESH_WIRE_H

#include "mesh/mesh.h"

enum { PL_WIRE_SIDES = 10 };

/* Of each segment: a ring of vertices at its first node and one at its second, and so many
 * triangles between them. */
enum { PL_WIRE_VERTICES = 2 * PL_WIRE_SIDES, PL_WIRE_TRIANGLES = 2 * PL_WIRE_SIDES };

/* 3 vertices per triangle, turned outwards. */
void pl_wire_triangles(const pl_mesh *mesh, int *triangles);

/* The node that a vertex belongs to. */
static inline int pl_wire_node(const pl_mesh *mesh, int vertex)
{
  return mesh
      ->elements[2 * (vertex / PL_WIRE_VERTICES) + vertex % PL_WIRE_VERTICES / PL_WIRE_SIDES];
}

/* Where the vertices are if the nodes are at x; room: for 4 numbers per node. */
void pl_wire_place(const pl_mesh *mesh, const double *x, double radius, double *room,
                   double *vertices);

#endif
