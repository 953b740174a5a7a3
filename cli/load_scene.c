#include "load_scene.h"

#include "cli.h"
#include "core/hash.h"
#include "json.h"
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* line 0: it is part of the text, if anything. */
static void add_problem(cli_diagnosis *diagnosis, const char *level, const char *text, int line)
{
  if (!diagnosis->json) return;
  cli_json_open(diagnosis->json, NULL, '{');
  cli_json_text(diagnosis->json, "level", level);
  if (line) cli_json_number(diagnosis->json, "line", line);
  cli_json_text(diagnosis->json, "text", text);
  cli_json_close(diagnosis->json, '}');
}

void cli_diagnose(cli_diagnosis *diagnosis, const pl_error *error)
{
  if (!diagnosis->errors++)
    pl_error_text(error, diagnosis->first_error, sizeof diagnosis->first_error);
  cli_wait_clear();
  add_problem(diagnosis, "error", error->message, error->line);
  cli_fail_error(error);
}

static void tell_error(void *context, const pl_error *error) { cli_diagnose(context, error); }

/* A file that is read twice, as shape and as its surface, is reported once. */
static int was_told(cli_diagnosis *diagnosis, const char *text)
{
  uint64_t hash = PL_HASH_START;
  for (const char *at = text; *at; at++) hash = (hash ^ (unsigned char)*at) * 1099511628211u;
  int count = diagnosis->printed_count < CLI_MOST_TOLD ? diagnosis->printed_count : CLI_MOST_TOLD;
  for (int i = 0; i < count; i++) {
    if (diagnosis->printed[i] == hash) return 1;
  }
  diagnosis->printed[diagnosis->printed_count++ % CLI_MOST_TOLD] = hash;
  return 0;
}

static void tell_log(void *context, pl_level level, const char *text)
{
  cli_diagnosis *diagnosis = context;
  if (was_told(diagnosis, text)) return;
  int is_warning = level == PL_WARNING;
  if (is_warning || !diagnosis->quiet) {
    cli_wait_clear();
    fprintf(stderr, "pliant: %s%s:%s %s\n", is_warning ? cli_paint(CLI_YELLOW) : "",
            is_warning ? "warning" : "note", is_warning ? cli_paint(CLI_PLAIN) : "", text);
  }
  add_problem(diagnosis, level == PL_WARNING ? "warning" : "note", text, 0);
  if (level != PL_WARNING) return;
  if (diagnosis->warnings < CLI_MOST_WARNINGS)
    snprintf(diagnosis->kept[diagnosis->warnings], sizeof diagnosis->kept[0], "%s", text);
  diagnosis->warnings++;
}

const char *cli_cache_folder(const char *word, char *room, size_t size)
{
  if (word) return strcmp(word, "off") == 0 ? NULL : word;
  const char *own = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  // the standard says that a path which is not absolute counts as none
  int length = own && *own == '/'     ? snprintf(room, size, "%s/pliant", own)
               : home && *home == '/' ? snprintf(room, size, "%s/.cache/pliant", home)
                                      : 0;
  return length > 0 && (size_t)length < size ? room : NULL;
}

pl_status cli_load(pl_scene_def *def, cli_diagnosis *diagnosis, pl_scene **scene)
{
  pl_error error = {0};
  char cache[4096];
  def->cache = cli_cache_folder(def->cache, cache, sizeof cache);
  def->log = (pl_log){tell_log, diagnosis};
  def->report = tell_error;
  def->report_context = diagnosis;
  cli_wait_begin("reading meshes and filling surfaces");
  pl_status status = pl_scene_load(def, scene, &error);
  cli_wait_end();
  def->cache = NULL; // its room ends here
  if (status && !diagnosis->errors) tell_error(diagnosis, &error);
  return status;
}
