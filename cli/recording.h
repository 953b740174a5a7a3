/* The recording of a run: what pliant view DIR shows. */
#ifndef PL_CLI_RECORDING_H
#define PL_CLI_RECORDING_H

#include "cli.h"
#include "io/recording.h"
#include "pliant/scene.h"

#define CLI_TAPE "recording." PL_RECORDING_EXTENSION

typedef struct cli_tape {
  int file;
  char path[4096];
  double every, next; /* s */
} cli_tape;

/* Refuses a folder where the copy of the scene would replace what no run has written. */
pl_status cli_tape_check(const pl_scene_def *def, const char *folder, pl_error *error);
/* Begins FOLDER/recording.plr, and copies the scene with all its files to FOLDER/scene, so that the
 * folder can be looked at wherever it is. */
pl_status cli_tape_open(cli_tape *tape, pl_scene *scene, const pl_scene_def *def,
                        const char *folder, pl_error *error);
/* Adds the state as it is now if it is due. */
pl_status cli_tape_add(cli_tape *tape, const pl_world *world, pl_error *error);
void cli_tape_close(cli_tape *tape);

/* Where the scene of a recording is: below its folder, unless any path is allowed. */
pl_status cli_tape_find_scene(const char *path, int allow_path, char *scene, size_t size,
                              pl_error *error);

#endif
