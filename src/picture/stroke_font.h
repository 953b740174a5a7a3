/* Text in pictures, drawn with round strokes. Knows ASCII, some signs used in units (degree, micro,
 * middle dot, times, raised 2 and 3), and raises the exponent behind '^' as plots do; anything else
 * is drawn as a box. */
#ifndef PL_PICTURE_STROKE_FONT_H
#define PL_PICTURE_STROKE_FONT_H

#include "picture/png.h"

/* Width in px of a text whose capital letters are size px high. */
double pl_stroke_font_width(const char *text, double size);

/* Draws text with its left end at x and its base line at y (px from the top left corner of the
 * picture); what lies outside is cut off. The colour is given as the pixels are. */
void pl_stroke_font_draw(pl_image *image, const char *text, double x, double y, double size,
                         const unsigned char colour[3]);

#endif
