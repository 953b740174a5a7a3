/* Triangles of shapes: growing lists, and surfaces of revolution. */
#include "shape/drawing.h"

#include "core/memory.h"
#include "math/functions.h"

#include <limits.h>

enum { AROUND = 48 }; /* points on a circle of a surface of revolution */

pl_drawing pl_drawing_make(const pl_allocator *allocator)
{
  return (pl_drawing){.allocator = pl_allocator_or_default(allocator)};
}

void pl_drawing_release(pl_drawing *drawing)
{
  pl_free(&drawing->allocator, drawing->points);
  pl_free(&drawing->allocator, drawing->triangles);
  *drawing = pl_drawing_make(&drawing->allocator);
}

int pl_drawing_point(pl_drawing *drawing, const double x[3])
{
  void *memory = drawing->points;
  if (drawing->failed || drawing->point_count >= INT_MAX / 4 ||
      pl_reserve(&drawing->allocator, &memory, &drawing->point_room, drawing->point_count + 1,
                 3 * sizeof(double))) {
    drawing->failed = 1;
    return 0;
  }
  drawing->points = memory;
  for (size_t k = 0; k < 3; k++) drawing->points[3 * drawing->point_count + k] = x[k];
  return (int)drawing->point_count++;
}

void pl_drawing_triangle(pl_drawing *drawing, int a, int b, int c)
{
  void *memory = drawing->triangles;
  if (drawing->failed || pl_reserve(&drawing->allocator, &memory, &drawing->triangle_room,
                                    drawing->triangle_count + 1, 3 * sizeof(int))) {
    drawing->failed = 1;
    return;
  }
  drawing->triangles = memory;
  int *to = drawing->triangles + 3 * drawing->triangle_count++;
  to[0] = a;
  to[1] = b;
  to[2] = c;
}

void pl_drawing_quad(pl_drawing *drawing, int a, int b, int c, int d)
{
  pl_drawing_triangle(drawing, a, b, c);
  pl_drawing_triangle(drawing, a, c, d);
}

void pl_drawing_revolve(pl_drawing *drawing, const double *outline, int count, int closed)
{
  int first = (int)drawing->point_count;
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < AROUND; k++) {
      double angle = 2 * PL_PI * k / AROUND, rho = outline[2 * i];
      pl_drawing_point(drawing,
                       (double[]){rho * pl_cos(angle), rho * pl_sin(angle), outline[2 * i + 1]});
    }
  }
  for (int i = 0; i < (closed ? count : count - 1); i++) {
    int row = first + AROUND * i, next = first + AROUND * ((i + 1) % count);
    const double *a = outline + 2 * i, *b = outline + 2 * ((i + 1) % count);
    int starts = a[0] > 0, ends = b[0] > 0;
    if (a[0] == b[0] && a[1] == b[1]) continue; // an edge
    for (int k = 0; k < AROUND; k++) {
      int l = (k + 1) % AROUND;
      if (starts) pl_drawing_triangle(drawing, row + k, row + l, ends ? next + l : next + k);
      if (ends) pl_drawing_triangle(drawing, row + k, next + l, next + k);
    }
  }
}
