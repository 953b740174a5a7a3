/* pliant fit: which measurement it is follows from the columns of the table. */
#include "fit.h"

#include "core/error.h"
#include "core/file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct words {
  const char *terms, *poisson, *q, *band;
  cli_words files;
} words;

static int parse(fit_job *job, words *w, int count, char **given)
{
  const cli_option options[] = {
      {.name = "law",
       .argument = "LAW",
       .summary = "neo-hooke, mooney-rivlin, reduced-polynomial, ogden or arruda-boyce",
       .value = &job->law},
      {.name = "terms", .argument = "N", .summary = "of the law or series", .value = &w->terms},
      {.name = "weights",
       .argument = "HOW",
       .summary = "absolute (default) or relative errors are least",
       .value = &job->weights},
      {.name = "mode",
       .argument = "MODE",
       .summary = "of a table without a column for it (default: uniaxial)",
       .value = &job->mode},
      {.name = "poisson",
       .argument = "NU",
       .summary = "Poisson's ratio at rest where no test shows it (default: 0.49)",
       .value = &w->poisson},
      {.name = "modulus",
       .argument = "WHICH",
       .summary = "measured in time or frequency: shear (default) or young",
       .value = &job->modulus},
      {.name = "q", .argument = "Q", .summary = "a constant quality factor", .value = &w->q},
      {.name = "band",
       .argument = "'F1 F2'",
       .summary = "frequencies of --q in Hz (default: 0.1 10000)",
       .value = &w->band},
      {.name = "where",
       .argument = "COLUMN=WORD",
       .summary = "only rows that say so",
       .value = &job->where},
      {.name = "scene",
       .argument = "FILE",
       .summary = "that makes the measurement of displacement and force",
       .value = &job->scene},
      {.name = "force",
       .argument = "PROBE",
       .summary = "of the scene, for example grip.z",
       .value = &job->force},
      {.name = "displacement",
       .argument = "PROBE",
       .summary = "of the scene",
       .value = &job->displacement},
      {.name = "parameter",
       .argument = "PATH=START",
       .summary = "of the scene, above 0; may be given several times",
       .list = &job->parameters},
      {.name = "name", .argument = "NAME", .summary = "of the material", .value = &job->name},
      {.name = "output",
       .letter = 'o',
       .argument = "FILE",
       .summary = "the element to be put into a scene",
       .value = &job->output},
      {.name = "plot", .argument = "FILE.svg", .summary = "data and fit", .value = &job->plot},
      {.name = "allow-path",
       .summary = "let the scene name files outside its folder",
       .flag = &job->allow_path},
  };
  return cli_parse(count, given, options, sizeof options / sizeof *options,
                   "fit [OPTIONS] TABLE.csv...",
                   "Finds the constants of a material from measurements: mode, stretch (or strain) "
                   "and stress; time and modulus or compliance; frequency, storage and loss; "
                   "displacement and force with a scene. Units stand in brackets: stress [MPa].",
                   &w->files);
}

static int take_numbers(fit_job *job, const words *w)
{
  int code = CLI_OK;
  if (w->terms) code = cli_int("terms", w->terms, 1, 12, &job->terms);
  if (!code && w->poisson) code = cli_number("poisson", w->poisson, &job->poisson);
  if (!code && w->q) code = cli_number("q", w->q, &job->q);
  if (code) return code;
  if (w->q && !(job->q > 0))
    return cli_fail(CLI_USAGE, "--q %g: a number above 0 is needed; liver has about 5", job->q);
  if (!(job->poisson > -1 && job->poisson < 0.5))
    return cli_fail(CLI_USAGE,
                    "--poisson %g: a number between -1 and 0.5 is needed; rubber has "
                    "0.49 to 0.4999",
                    job->poisson);
  if (!w->band) return CLI_OK;
  const char *second = pl_read_double(w->band, &job->band[0]);
  if (second == w->band || !pl_parse_double(second, &job->band[1]) ||
      !(job->band[0] > 0 && job->band[1] > job->band[0]))
    return cli_fail(CLI_USAGE, "--band %s: two ascending frequencies are needed", w->band);
  return CLI_OK;
}

static int has(const fit_job *job, const char *name)
{
  return fit_table_column(&job->table, name) >= 0;
}

/* By its columns. */
static int fit_table_kind(fit_job *job)
{
  if ((has(job, "stretch") || has(job, "strain")) && has(job, "stress")) return fit_rubber(job);
  if (has(job, "time") && (has(job, "modulus") || has(job, "compliance"))) return fit_series(job);
  if (has(job, "frequency") && has(job, "storage") && has(job, "loss")) return fit_series(job);
  if (has(job, "displacement") && has(job, "force")) return fit_scene(job);
  return cli_fail(CLI_FAILED,
                  "%s: no known measurement; name columns stretch and stress (with mode), time and "
                  "modulus or compliance, frequency, storage and loss, or displacement and force",
                  job->table.path);
}

static int finish(fit_job *job, int code)
{
  pl_error error = {0};
  if (!code && job->element.size) printf("\n%s\n", job->element.data);
  if (!code && job->output && job->element.size &&
      pl_file_write(job->output, job->element.data, job->element.size, &error))
    code = cli_fail_error(&error);
  pl_text_release(&job->element);
  fit_table_release(&job->table);
  return code;
}

int cli_fit(int count, char **given)
{
  static fit_job job;
  static words w;
  job = (fit_job){.weights = "absolute",
                  .mode = "uniaxial",
                  .modulus = "shear",
                  .name = "fitted",
                  .poisson = 0.49,
                  .band = {0.1, 1e4},
                  .element = pl_text_make(NULL)};
  int code = parse(&job, &w, count, given);
  if (!code) code = take_numbers(&job, &w);
  if (code) return code < 0 ? CLI_OK : code;
  if (job.q > 0 && w.files.count == 0) return finish(&job, fit_constant_q(&job));
  if (w.files.count == 0)
    return cli_fail(CLI_USAGE, "fit needs a table, or --q; see pliant fit --help");
  for (int i = 0; i < w.files.count; i++) {
    pl_error error = {0};
    if (fit_table_read(&job.table, cli_input(w.files.words[i]), job.where, &error))
      return finish(&job, cli_fail_error(&error));
  }
  return finish(&job, fit_table_kind(&job));
}
