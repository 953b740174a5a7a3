/* Surfaces of shapes as triangles, for pictures, frames and the viewer. */
#ifndef PL_SHAPE_DRAWING_H
#define PL_SHAPE_DRAWING_H

#include "pliant/base.h"

/* What is looked at: unbounded shapes are drawn so far around the centre. */
typedef struct pl_drawing_view {
  double centre[3], reach; /* m */
} pl_drawing_view;

/* Points and triangles, counter-clockwise seen from outside. */
typedef struct pl_drawing {
  pl_allocator allocator;
  double *points; /* 3 each */
  int *triangles; /* 3 each */
  size_t point_count, point_room, triangle_count, triangle_room;
  int failed; /* there was no memory: what was added is lost */
} pl_drawing;

pl_drawing pl_drawing_make(const pl_allocator *allocator);
void pl_drawing_release(pl_drawing *drawing);

/* The number of the new point. */
int pl_drawing_point(pl_drawing *drawing, const double x[3]);
void pl_drawing_triangle(pl_drawing *drawing, int a, int b, int c);
void pl_drawing_quad(pl_drawing *drawing, int a, int b, int c, int d);

/* A surface of revolution about z: the outline as pairs (rho, z), rho >= 0, going around the
 * section counter-clockwise in the plane (rho, z), sharp corners twice; closed: the last point is
 * joined to the first. */
void pl_drawing_revolve(pl_drawing *drawing, const double *outline, int count, int closed);

#endif
