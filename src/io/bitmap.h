/* Pictures without compression: .bmp (and .dib) of 24 bits, .tga of 24 or 32 bits. */
#ifndef PL_IO_BITMAP_H
#define PL_IO_BITMAP_H

#include "core/file.h"

/* Red, green, blue per pixel; rows from the top. */
typedef struct pl_bitmap {
  int width, height;
  unsigned char *pixels;
} pl_bitmap;

/* Does a path end as one of them does? */
int pl_bitmap_is(const char *path);

/* Reads a file of at most PL_MOST_IMAGE_BYTES; to be released. */
pl_status pl_bitmap_read(const pl_allocator *allocator, const char *path, pl_bitmap *out,
                         pl_error *error);
pl_status pl_bitmap_parse(const pl_allocator *allocator, const void *data, size_t size,
                          pl_bitmap *out, pl_error *error);
void pl_bitmap_release(const pl_allocator *allocator, pl_bitmap *bitmap);

#endif
