#include "diagnose.h"

#include "cli.h"

#include <stdio.h>

static void tell_error(void *context, const pl_error *error)
{
  cli_diagnosis *diagnosis = context;
  diagnosis->errors++;
  cli_fail_error(error);
}

static void tell_log(void *context, pl_level level, const char *text)
{
  cli_diagnosis *diagnosis = context;
  fprintf(stderr, "pliant: %s: %s\n", level == PL_WARNING ? "warning" : "note", text);
  if (level != PL_WARNING) return;
  if (diagnosis->warnings < CLI_MOST_WARNINGS)
    snprintf(diagnosis->kept[diagnosis->warnings], sizeof diagnosis->kept[0], "%s", text);
  diagnosis->warnings++;
}

pl_status cli_load(pl_scene_def *def, cli_diagnosis *diagnosis, pl_scene **scene)
{
  pl_error error = {0};
  def->log = (pl_log){tell_log, diagnosis};
  def->report = tell_error;
  def->report_context = diagnosis;
  pl_status status = pl_scene_load(def, scene, &error);
  if (status && !diagnosis->errors) cli_fail_error(&error);
  return status;
}
