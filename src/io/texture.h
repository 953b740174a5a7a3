/* Pictures on surfaces: an image file, checked and left as it is, and where in it the corners of a
 * surface's triangles lie. */
#ifndef PL_IO_TEXTURE_H
#define PL_IO_TEXTURE_H

#include "core/file.h"
#include "io/format.h"

enum { PL_MOST_IMAGE_BYTES = 16 << 20, PL_MOST_IMAGE_SIDE = 8192 };

/* Reads a PNG or JPEG file of at most that many bytes and pixels along a side. Only its head is
 * looked at; the caller frees the bytes. */
pl_status pl_image_file_read(const pl_allocator *allocator, const char *path, pl_bytes *bytes,
                             pl_error *error);

/* Can texture coordinates come from such a file? */
pl_status pl_texture_check(const char *path, pl_error *error);

/* Six numbers for each triangle: right and up in the picture for each corner. The triangles
 * (points: 3 numbers each) are found in the file by their places; those that are not there get
 * zeros. Fails where the file has none of them, or no coordinates. */
pl_status pl_texture_find(const char *path, const double *points, const int *triangles, int count,
                          const pl_allocator *allocator, float *spots, pl_error *error);

#endif
