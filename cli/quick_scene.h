/* pliant run with a mesh or a surface instead of a scene. */
#ifndef PL_CLI_QUICK_SCENE_H
#define PL_CLI_QUICK_SCENE_H

#include "pliant/base.h"

#include <stddef.h>

/* Is it a file that holds a mesh or a surface? */
int cli_is_shape(const char *path);

/* Where the scene of a shape goes. */
typedef struct cli_first {
  const char *file, *up; /* the shape; its upward axis "x", "y" or "z" */
  const char *folder;
  /* Put the shape's file into FOLDER/shape, so that the scene needs nothing from elsewhere? Else it
   * names the whole path and needs allow_any_path. */
  int copies;
} cli_first;

/* Writes FOLDER/scene.xml, in which the shape is dropped on a floor, and fills path with its name.
 */
pl_status cli_first_scene(const cli_first *first, char *path, size_t size, pl_error *error);

#endif
