/* The recording of a run: what pliant view DIR shows. */
#ifndef PL_CLI_TAPE_H
#define PL_CLI_TAPE_H

#include "cli.h"
#include "io/recording.h"
#include "pliant/scene.h"

#define CLI_TAPE "recording." PL_RECORDING_EXTENSION

typedef struct cli_tape {
  int file;
  char path[4096];
  double every, next; /* s */
} cli_tape;

/* Begins FOLDER/recording.plr, with a note of the scene's file and the changes to it. */
pl_status cli_tape_open(cli_tape *tape, pl_scene *scene, const char *scene_path,
                        const cli_words *changes, const char *folder, pl_error *error);
/* Adds the state as it is now if it is due. */
pl_status cli_tape_add(cli_tape *tape, const pl_world *world, pl_error *error);
void cli_tape_close(cli_tape *tape);

/* The scene and the changes that a recording's note names. */
typedef struct cli_tape_note {
  char *text; /* cut into the words below */
  const char *scene;
  cli_words changes;
} cli_tape_note;

pl_status cli_tape_read_note(const char *path, cli_tape_note *note, pl_error *error);

#endif
