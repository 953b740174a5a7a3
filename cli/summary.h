/* summary.json: what a run was and what it took. */
#ifndef PL_CLI_SUMMARY_H
#define PL_CLI_SUMMARY_H

#include "load_scene.h"
#include "pace.h"

typedef struct cli_outcome {
  pl_scene *scene;
  const char *path;
  const cli_diagnosis *diagnosis;
  double seconds_output;
  int frames, interrupted;
  const cli_pace *pace;
  const char *failure; /* NULL: none */
} cli_outcome;

pl_status cli_summary_write(const cli_outcome *outcome, const char *folder, pl_error *error);
/* An older run's summary must not stand beside a newer run's results. */
pl_status cli_summary_remove(const char *folder, pl_error *error);
/* The main numbers, for people. */
void cli_summary_print(pl_scene *scene, double seconds_output);

#endif
