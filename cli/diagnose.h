/* Loading a scene with all its errors, warnings and notes told to the user. */
#ifndef PL_CLI_DIAGNOSE_H
#define PL_CLI_DIAGNOSE_H

#include "core/text.h"
#include "pliant/scene.h"

#include <stdint.h>

enum { CLI_MOST_WARNINGS = 32, CLI_MOST_TOLD = 64 };

/* What was told; the first warnings are kept for the summary. */
typedef struct cli_diagnosis {
  int errors, warnings;
  char kept[CLI_MOST_WARNINGS][256];
  pl_text *json; /* gets the errors and warnings as entries of an array; NULL: nobody does */
  int told_count;
  uint64_t told[CLI_MOST_TOLD]; /* hashes of the last notes and warnings */
} cli_diagnosis;

/* The option --cache, and the folder that it names: as told, else the user's own; NULL: none. */
#define CLI_CACHE_OPTION(word)                                                                     \
  {                                                                                                \
    .name = "cache", .argument = "FOLDER|off",                                                     \
    .summary = "where frames' weights are kept for the next time (default: pliant in "             \
               "XDG_CACHE_HOME or ~/.cache)",                                                      \
    .value = (word)                                                                                \
  }
const char *cli_cache_folder(const char *word, char *room, size_t size);

/* The log and the report of def are set up; errors go to stderr. */
pl_status cli_load(pl_scene_def *def, cli_diagnosis *diagnosis, pl_scene **scene);

#endif
