/* pliant run with a mesh or a surface instead of a scene. */
#ifndef PL_CLI_FIRST_H
#define PL_CLI_FIRST_H

#include "pliant/base.h"

#include <stddef.h>

/* Is it a file that holds a mesh or a surface? */
int cli_is_shape(const char *path);

/* Writes FOLDER/scene.xml, in which the shape of the file is dropped on a floor, and fills path
 * with its name. up is "x", "y" or "z". */
pl_status cli_first_scene(const char *file, const char *up, const char *folder, char *path,
                          size_t size, pl_error *error);

#endif
