/* Glyphs (world/glyph.h) in a picture of bodies, as triangles: ellipsoids of stress and of strain,
 * local frames, fibres, arrows of forces, cubes at fixes. For what is inside, bodies are cut open:
 * faces towards the eye are left out. */
#ifndef PL_PICTURE_GLYPHS_H
#define PL_PICTURE_GLYPHS_H

#include "picture/render.h"
#include "world/glyph.h"

enum { PL_GLYPH_SHEETS = 3 }; /* bodies of the picture that glyphs take, one for each colour */

typedef struct pl_glyph_drawing {
  pl_allocator allocator;
  double *points[PL_GLYPH_SHEETS];
  int *triangles[PL_GLYPH_SHEETS];
} pl_glyph_drawing;

/* Adds the glyphs of all bodies of the world behind the picture's bodies (which have room for
 * PL_GLYPH_SHEETS more), and opens these. Release the drawing when the picture is drawn, also after
 * a failure. */
pl_status pl_glyphs_add(pl_glyph_drawing *drawing, pl_world *world, pl_glyph_kind kind,
                        pl_render_body *bodies, pl_render *render, pl_error *error);
void pl_glyphs_release(pl_glyph_drawing *drawing);

#endif
