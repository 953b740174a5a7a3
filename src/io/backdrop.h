/* Obstacles in a picture of bodies: the one that faces upwards is the ground, the others are sheets
 * where they are nearest to the bodies, left out where the eye is behind them. */
#ifndef PL_IO_BACKDROP_H
#define PL_IO_BACKDROP_H

#include "io/render.h"
#include "pliant/world.h"

enum { PL_MOST_SHEETS = 8 };

typedef struct pl_backdrop {
  double corners[PL_MOST_SHEETS][12]; /* of the sheets that were added */
} pl_backdrop;

/* Adds sheets behind the picture's bodies (bodies has room for PL_MOST_SHEETS more), and sets its
 * ground and box. The backdrop must live until the picture is drawn. */
void pl_backdrop_add(pl_backdrop *backdrop, const pl_world *world, pl_render_body *bodies,
                     pl_render *render);

#endif
