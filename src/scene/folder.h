/* Files that a scene, a study or a recording names: below their own folder only. */
#ifndef PL_SCENE_FOLDER_H
#define PL_SCENE_FOLDER_H

#include "pliant/base.h"

/* Refuses a path that does not lie below the folder, links followed; what: "scene's" for the
 * message, file: the path as it was written. Paths that cannot be opened are refused as well. */
pl_status pl_path_confine(const char *folder, const char *path, const char *what, const char *file,
                          pl_error *error);

#endif
