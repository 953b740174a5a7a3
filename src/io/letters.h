/* Text in pictures, drawn with round strokes. Knows ASCII, some signs used in units (degree, micro,
 * middle dot, times, raised 2 and 3), and raises the exponent behind '^' as plots do; anything else
 * is drawn as a box. */
#ifndef PL_IO_LETTERS_H
#define PL_IO_LETTERS_H

#include "io/png.h"

/* Width in px of a text whose capital letters are size px high. */
double pl_letters_width(const char *text, double size);

/* Draws text with its left end at x and its base line at y (px from the top left corner of the
 * picture); what lies outside is cut off. The colour is given as the pixels are. */
void pl_letters_draw(pl_image *image, const char *text, double x, double y, double size,
                     const unsigned char colour[3]);

#endif
