/* Glyphs: three axes at points of a body that show a tensor, a rotation, directions or forces, for
 * pictures and the viewer. */
#ifndef PL_WORLD_GLYPH_H
#define PL_WORLD_GLYPH_H

#include "pliant/world.h"

typedef enum pl_glyph_kind {
  PL_GLYPHS_NONE,
  PL_GLYPHS_FRAMES, /* the rotation of elements: three unit vectors                             */
  PL_GLYPHS_STRESS, /* principal Cauchy stresses in Pa along their directions: Lame's ellipsoid  */
  PL_GLYPHS_STRAIN, /* principal stretches along their directions: what a unit sphere becomes    */
  PL_GLYPHS_FIBRES, /* up to three families of fibres, as stretched as they are; others 0        */
  PL_GLYPHS_FORCES, /* the first axis: loads, contact and reactions at a node, N                 */
  PL_GLYPHS_FIXES,  /* at held nodes: x, y, z for directions that are held, others 0             */
  PL_GLYPHS_COUNT
} pl_glyph_kind;
#define PL_GLYPH_WORDS "none|frames|stress|strain|fibres|forces|fixes"

/* The kind of a word; PL_GLYPHS_NONE for others. */
pl_glyph_kind pl_glyph_kind_of(const char *word);

typedef struct pl_glyph {
  double at[3];
  double axes[3][3]; /* one after the other */
} pl_glyph;

/* Glyphs of at most so many elements or nodes, taken evenly from the body; zero ones are left out.
 * Models whose unknowns are not the nodes have no forces. */
pl_status pl_world_glyphs(pl_world *world, pl_body_id body, pl_glyph_kind kind, int max,
                          pl_glyph *list, int *count, pl_error *error);

#endif
