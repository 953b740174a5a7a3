/* The parts of `pliant study`: cases that are run, the table of their results, and what is made of
 * it. */
#ifndef PL_CLI_STUDY_H
#define PL_CLI_STUDY_H

#include "core/text.h"
#include "scene/study.h"

/* What is measured of every case: name, unit. */
#define STUDY_METRICS(X)                                                                           \
  X(seconds, "seconds", "s")                                                                       \
  X(speed, "speed", "1")                                                                           \
  X(steps, "steps", "1")                                                                           \
  X(newton, "newton", "1")                                                                         \
  X(newton_per_step, "newton-per-step", "1")                                                       \
  X(linear, "linear", "1")                                                                         \
  X(matrices, "matrices", "1")                                                                     \
  X(factorisations, "factorisations", "1")                                                         \
  X(backsubstitutions, "backsubstitutions", "1")                                                   \
  X(passes, "passes", "1")                                                                         \
  X(halved, "halved", "1")                                                                         \
  X(unconverged, "unconverged", "1")                                                               \
  X(substeps, "substeps", "1")                                                                     \
  X(rejected, "rejected", "1")                                                                     \
  X(error, "error", "m")                                                                           \
  X(displacement, "displacement", "m")                                                             \
  X(energy, "energy", "J")                                                                         \
  X(nodes, "nodes", "1")                                                                           \
  X(elements, "elements", "1")                                                                     \
  X(found, "found", "1")

enum {
#define X(name, word, unit) STUDY_##name,
  STUDY_METRICS(X)
#undef X
      STUDY_METRIC_COUNT,
  STUDY_MOST_PROBES = 32,
  STUDY_MOST_CHANGES = 256,
  STUDY_MOST_SAMPLES = 2000, /* of a time series, about */
  STUDY_MOST_VALUES = STUDY_METRIC_COUNT + STUDY_MOST_PROBES
};

typedef struct study_row {
  int done;
  char failure[160]; /* "" where the case ran to its end */
  double values[STUDY_MOST_VALUES];
} study_row;

typedef struct study_table {
  pl_study *study;
  char folder[4096];
  int case_count, probe_count;             /* probe_count: numbers, three of a vector */
  char probe_names[STUDY_MOST_PROBES][80]; /* "tip.z" */
  char probe_units[STUDY_MOST_PROBES][24];
  study_row *rows;
  int fresh;         /* leave the results of an earlier run aside */
  int shard, shards; /* this process runs case number i if i % shards == shard - 1; 0: all */
  char key[80];      /* of all that the results depend on */
} study_table;

/* Where a run ended: what cases are compared by. */
typedef struct study_end {
  int count; /* of numbers in positions */
  double *positions, energy, probe[3];
} study_end;

/* What cases are compared with that differ only in how they are computed. */
typedef struct study_reference {
  study_end end;
  int first_case; /* of those that it stands for */
  int nodes;      /* of that case */
  char dt[64];    /* the change that makes it one step; "": none */
} study_reference;

/* What runs need to know. */
typedef struct study_setup {
  pl_study *study;
  study_table table;
  int reference_count;
  study_reference *references;
  int *reference_of; /* each case */
  int threads;       /* of each run */
  const char *cache; /* as in pl_scene_def */
} study_setup;

/* All changes of a case, with those of the reference or of the bisection behind them. */
typedef struct study_changes {
  const char *texts[STUDY_MOST_CHANGES];
  int count;
  const study_end *reference; /* what the end is compared with; NULL: nothing */
} study_changes;

/* Reads a study and loads every case, without running one; how many there are. */
pl_status study_check(const char *path, int allow_path, int *cases, int *references,
                      pl_error *error);

/* ---- runs ---- */

void study_case_changes(const pl_study *study, int number, study_changes *list);
pl_status study_load_scene(const study_setup *setup, const study_changes *changes, pl_scene **scene,
                           pl_error *error);
pl_status study_run(const study_setup *setup, const study_changes *changes, study_row *row,
                    study_end *end, pl_text *series, pl_error *error);
void study_end_release(study_end *end);
/* A case with all that belongs to it; may be called by several threads. */
pl_status study_run_case(const study_setup *setup, int number, study_row *row, pl_error *error);

/* ---- references ---- */

/* Finds out how many are needed, and for which cases. */
pl_status study_references_open(study_setup *setup, pl_error *error);
void study_references_close(study_setup *setup);
void study_reference_changes(const study_setup *setup, int reference, study_changes *list);
/* Its end, from the user's file, from an earlier run (resumed), or by running it. */
pl_status study_reference_make(study_setup *setup, int reference, int resumed, int quiet,
                               pl_error *error);

/* ---- time series: a file per case, kept beside results.csv ---- */

/* Is there a plot over time? */
int study_wants_series(const pl_study *study);
/* The first lines; a sample of all probes now. */
void study_series_begin(const study_table *table, pl_text *text);
pl_status study_series_add(const study_table *table, pl_world *world, pl_text *text,
                           pl_error *error);
pl_status study_series_save(const study_table *table, int number, pl_text *text, pl_error *error);
/* Is it there, and of this study? */
int study_series_exists(const study_table *table, int number);
/* Times and values of a column, which the caller frees (times first, values behind). */
pl_status study_series_read(const study_table *table, int number, int column, double **times,
                            size_t *count, pl_error *error);

/* ---- results ---- */

/* Is the case one of this process's shard? */
static inline int study_is_ours(const study_table *table, int number)
{
  return !table->shards || number % table->shards == table->shard - 1;
}

/* Results so far: results.csv in the folder and those of shards in results.d, as far as they belong
 * to this study, unchanged; how many. */
pl_status study_table_open(study_table *table, int *done, pl_error *error);
/* results.csv, or the shard's own file, written whole. */
pl_status study_table_save(const study_table *table, pl_error *error);
void study_table_close(study_table *table);

/* "method=bdf3, dt=0.01" */
void study_case_label(const pl_study *study, int number, char *text, size_t size);

/* A column by name: an axis, a metric or a probe's number. -1: there is none. */
int study_column(const study_table *table, const char *name);
/* The same among the probes alone: a probe may have the name of a metric. */
int study_probe_column(const study_table *table, const char *name);
/* Is it the name of a metric or a probe's number? */
int study_is_measured(const study_table *table, const char *name);
/* All names, for "did you mean". */
int study_column_words(const study_table *table, const char **words, int max);
const char *study_column_unit(const study_table *table, int column);
double study_value(const study_table *table, int number, int column);
/* The option of an axis column as text, else the number. */
void study_word(const study_table *table, int number, int column, char *text, size_t size);

/* Does the case fit "axis=label, axis=label"? NULL fits all. */
int study_fits(const study_table *table, int number, const char *where);

/* Checks the names in tables and plots; then writes results.md and the plots. */
pl_status study_report_check(const study_table *table, pl_error *error);
pl_status study_report_write(const study_table *table, pl_error *error);

#endif
