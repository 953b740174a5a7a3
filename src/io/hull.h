/* Surfaces on their way in and out: a growing list of points and polygons that readers fill, and
 * the boundary of a mesh, numbered by itself, that writers use. */
#ifndef PL_IO_HULL_H
#define PL_IO_HULL_H

#include "io/format.h"
#include "io/scan.h"

#include <math.h>

typedef struct pl_hull {
  pl_allocator allocator;
  double *points; /* 3 each */
  int *triangles; /* 3 each */
  int *polygons;  /* of each triangle, the number of the face that it was cut from; NULL: unknown */
  size_t point_count, point_room, triangle_count, triangle_room, polygon_room;
  int polygon_count;
  int painted;    /* the reader sets texture coordinates, of the next corner in spot; else none */
  double spot[2]; /* right and up from the lower left corner of a picture, 1 is its size */
  double *spots;  /* 6 for each triangle if painted */
  size_t spot_room;
} pl_hull;

/* A coordinate in single precision, never so far that areas are not; a body that diverged goes on
 * to 1e300 m. */
static inline float pl_hull_single(double x) { return (float)fmin(fmax(x, -1e18), 1e18); }

/* Polygons come corner by corner, as points that may follow later, and are cut into triangles
 * around their first corner. */
typedef struct pl_fan {
  int count, first, last;
  double first_spot[2], last_spot[2];
} pl_fan;

pl_status pl_hull_point(pl_hull *hull, const pl_scan *scan, const double position[3],
                        pl_error *error);
pl_status pl_hull_corner(pl_hull *hull, pl_fan *fan, const pl_scan *scan, int64_t point,
                         pl_error *error);

void pl_hull_free(pl_hull *hull);

/* The frame of every reader of surfaces: fill adds what the file holds, and the skin is made of it;
 * what was repaired is logged. */
pl_status pl_hull_read(const pl_source *source, pl_skin **skin,
                       pl_status (*fill)(pl_scan *scan, pl_hull *hull, pl_error *error),
                       pl_error *error);

/* And of their triangles as they stand in the file, with texture coordinates; on success the caller
 * frees them. */
pl_status pl_hull_read_painted(const pl_source *source, pl_hull *hull,
                               pl_status (*fill)(pl_scan *scan, pl_hull *hull, pl_error *error),
                               pl_error *error);

/* The facets of the snapshot, or the boundary of its mesh at its positions. */
pl_status pl_hull_of(const pl_snapshot *snapshot, const pl_allocator *allocator, pl_hull *hull,
                     pl_error *error);

/* The frame of every writer of surfaces: print adds the file's content to text. */
pl_status pl_hull_write(const pl_snapshot *snapshot, const char *path, const double *values,
                        void (*print)(const pl_hull *hull, const double *values, pl_text *text),
                        pl_error *error);

/* Adds single-precision numbers or whole ones, lowest byte first. */
void pl_text_float(pl_text *text, float value);
void pl_text_floats(pl_text *text, const double *values, size_t count);
void pl_text_int32s(pl_text *text, const int *values, size_t count);

#endif
