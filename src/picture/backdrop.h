/* Obstacles and links in a picture of bodies. Links are rods. The plane that faces upwards is the
 * ground; other planes are sheets where they are nearest to the bodies, left out where the eye is
 * behind them; other shapes and the tool of a hand are drawn as they are, without the walls that
 * would hide the bodies inside them. */
#ifndef PL_PICTURE_BACKDROP_H
#define PL_PICTURE_BACKDROP_H

#include "picture/render.h"
#include "pliant/world.h"

enum { PL_MOST_SHEETS = 64 };

typedef struct pl_backdrop {
  pl_allocator allocator;
  int count; /* of what was added */
  double *points[PL_MOST_SHEETS];
  int *triangles[PL_MOST_SHEETS];
} pl_backdrop;

/* The tool of a hand: a shape with its origin at a place. */
typedef struct pl_backdrop_tool {
  const struct pl_shape *shape; /* NULL: none */
  double at[3];
} pl_backdrop_tool;

/* Adds the obstacles and the tool (or NULL) behind the picture's bodies (bodies has room for
 * PL_MOST_SHEETS more), and sets its ground and box. Release the backdrop when the picture is
 * drawn, also after a failure. */
pl_status pl_backdrop_add(pl_backdrop *backdrop, const pl_world *world,
                          const pl_backdrop_tool *tool, pl_render_body *bodies, pl_render *render,
                          pl_error *error);
void pl_backdrop_release(pl_backdrop *backdrop);

#endif
