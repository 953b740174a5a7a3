/* The surface of a body that touches others: points that move with it, and triangles between them.
 * It is the surface that follows the body where there is one, else the boundary of its mesh, whose
 * four-sided faces are divided along a diagonal. Segments are triangles with two equal corners. */
#ifndef PL_BODY_BOUNDARY_H
#define PL_BODY_BOUNDARY_H

#include "body/points.h"

typedef struct pl_boundary {
  int point_count, triangle_count;
  int *nodes;     /* the inside node of each point; NULL: points follow by the body's embedding */
  int *triangles; /* 3 points each, turned outwards */
  double *area;   /* of each point: a third of its triangles' areas at rest, m^2 */
  double edge;    /* mean length of the triangles' sides at rest, m */
  double support; /* mean area of a node of the elements, of a surface that follows; else 0 */
} pl_boundary;

pl_status pl_boundary_make(const pl_bodies *bodies, const pl_body *body, pl_boundary *out,
                           pl_error *error);
void pl_boundary_release(const pl_allocator *allocator, pl_boundary *boundary);

/* Where the points are, or their velocities where v is not NULL; q and v are the world's. */
void pl_boundary_place(const pl_boundary *boundary, const pl_body *body, const double *q,
                       const double *v, double *x);

/* Where one of them is at rest. */
const double *pl_boundary_rest(const pl_boundary *boundary, const pl_body *body, int point);

/* One of them as a point that moves with its body, which has this number. */
pl_body_point pl_boundary_point(const pl_boundary *boundary, const pl_body *body, int number,
                                int point);
/* The block of the world that the point is; -1: others carry it. */
int pl_boundary_block(const pl_boundary *boundary, const pl_body *body, int point);

#endif
