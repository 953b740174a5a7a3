/* A scene with all the files that it names, copied into a folder: what a recorded run needs to be
 * looked at wherever it is taken. */
#ifndef PL_SCENE_PACK_H
#define PL_SCENE_PACK_H

#include "pliant/scene.h"

/* Writes FOLDER/NAME.xml with the changes made and its files beside it, named without folders; a
 * scene that was packed there before is replaced. path becomes where it is. The scene was loaded by
 * def; its text is what was read then, so that it may come from a pipe, or change meanwhile. */
pl_status pl_scene_pack(const pl_scene *scene, const pl_scene_def *def, const char *folder,
                        char *path, size_t size, pl_error *error);

/* Copies a mesh file to FOLDER/NAME, and with it the files of the same name that its format reads
 * along ("bar.ele" beside "bar.node"). */
pl_status pl_pack_file(const char *folder, const char *source, const char *name, pl_error *error);

#endif
