/* Pictures of 8-bit channels, and the PNG file format (ISO/IEC 15948). */
#ifndef PL_PICTURE_PNG_H
#define PL_PICTURE_PNG_H

#include "core/text.h"

enum { PL_MOST_PIXELS = 16384 }; /* along each side */

/* Rows from the top, pixels from the left, channels interleaved. */
typedef struct pl_image {
  int width, height, channels; /* 3: red, green, blue; 4: and opacity */
  unsigned char *pixels;
} pl_image;

void pl_image_free(const pl_allocator *allocator, pl_image *image);

/* Appends the picture as a PNG file; out is left as it was on failure. */
pl_status pl_png_write(const pl_image *image, pl_text *out, pl_error *error);

#endif
