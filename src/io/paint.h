/* Texture coordinates belong to corners, vertices of renderers to points: points at seams of the
 * picture become several vertices. */
#ifndef PL_IO_PAINT_H
#define PL_IO_PAINT_H

#include "io/format.h"

typedef struct pl_paint {
  int count;      /* of vertices */
  int *point;     /* of each vertex */
  float *spots;   /* 2 each: right and down in the picture, as glTF has it */
  int *triangles; /* of vertices; as many as before */
} pl_paint;

/* spots: 6 for each triangle, right and up. */
pl_status pl_paint_split(const pl_allocator *allocator, int points, const int *triangles,
                         int triangle_count, const float *spots, pl_paint *out, pl_error *error);
void pl_paint_free(const pl_allocator *allocator, pl_paint *paint);

#endif
