/* The scene's file as it would have to read for the world as it is now. */
#ifndef PL_VIEW_REWRITE_H
#define PL_VIEW_REWRITE_H

#include "core/text.h"
#include "pliant/scene.h"

/* Adds the text of def's file with all values as the world has them: time step, gravity, methods,
 * materials; fixes from number first_fix on become <move> elements, and the scene begins with the
 * state in the file start. Comments are not kept. */
pl_status pl_rewrite_scene(const pl_scene_def *def, const pl_world *world, int first_fix,
                           const char *start, pl_text *out, pl_error *error);

#endif
