/* Exact tests: do an edge and a triangle intersect? The judge of contact, not part of it. */
#ifndef PL_SHAPE_EXACT_H
#define PL_SHAPE_EXACT_H

/* On which side of the plane through a, b, c the point d lies: 1 if a, b, c are seen clockwise
 * from it (so the normal (b-a) x (c-a) points away from d), -1 on the other side, 0 in the plane.
 * Exact for coordinates whose products of three neither overflow nor underflow. */
int pl_orient3d(const double a[3], const double b[3], const double c[3], const double d[3]);

/* 1: a, b, c turn left in the plane of two axes, -1: right, 0: they lie on a line. */
int pl_orient2d(const double a[2], const double b[2], const double c[2]);

/* Have the edge from p to q and the triangle a, b, c a point in common? Touching counts; edges and
 * triangles of no extent are allowed. */
int pl_edge_meets_triangle(const double p[3], const double q[3], const double a[3],
                           const double b[3], const double c[3]);

#endif
