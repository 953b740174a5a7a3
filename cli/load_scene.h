/* Loading a scene with all its errors, warnings and notes printed for the user. */
#ifndef PL_CLI_LOAD_SCENE_H
#define PL_CLI_LOAD_SCENE_H

#include "core/text.h"
#include "pliant/scene.h"

#include <stdint.h>

enum { CLI_MOST_WARNINGS = 32, CLI_MOST_TOLD = 64 };

/* What was printed; the first warnings are kept for the summary. */
typedef struct cli_diagnosis {
  int quiet; /* 1: notes are kept, not printed */
  int errors, warnings;
  char first_error[512]; /* as a sentence */
  char kept[CLI_MOST_WARNINGS][256];
  pl_text *json; /* gets the errors and warnings as entries of an array; NULL: nobody does */
  int printed_count;
  uint64_t printed[CLI_MOST_TOLD]; /* hashes of the last notes and warnings */
} cli_diagnosis;

/* The option --cache, and the folder that it names: as given, else the user's own; NULL: none. */
#define CLI_CACHE_OPTION(word)                                                                     \
  {                                                                                                \
    .name = "cache", .argument = "FOLDER|off",                                                     \
    .summary = "where frames' weights are kept for the next time (default: pliant in "             \
               "XDG_CACHE_HOME or ~/.cache)",                                                      \
    .value = (word)                                                                                \
  }
const char *cli_cache_folder(const char *word, char *room, size_t size);

/* Counts and reports an error. */
void cli_diagnose(cli_diagnosis *diagnosis, const pl_error *error);

/* The log and the report of def are set up; errors go to stderr. */
pl_status cli_load(pl_scene_def *def, cli_diagnosis *diagnosis, pl_scene **scene);

#endif
