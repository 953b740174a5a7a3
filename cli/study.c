/* pliant study: runs all cases of a study and writes results.csv, results.md and plots. */
#include "study.h"

#include "cli.h"
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/thread.h"
#include "interrupt.h"
#include "load_scene.h"
#include "progress.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef struct work {
  const char *path, *folder, *progress_word, *threads_word, *jobs_word, *cache_word, *shard_word;
  char cache_room[4096];
  cli_words plain;
  int quiet, fresh, jobs, allow_path, smallest;
  int only; /* the one case that is run; -1: all */
  char folder_room[4096];
  cli_progress progress;
  study_setup setup;
} work;

/* ---- before the first case ---- */

static pl_status fail_case(const work *w, int number, const pl_error *cause, pl_error *error)
{
  char label[200], text[600];
  study_case_label(w->setup.study, number, label, sizeof label);
  return pl_fail_at(error, cause->code, w->setup.study->path, 0, "case %.150s: %.330s", label,
                    pl_error_text(cause, text, sizeof text));
}

/* What the end of a run is compared with has to lie at the same time. */
static pl_status check_end(const work *w, pl_scene *scene, pl_error *error)
{
  double duration = pl_scene_duration(scene), dt = pl_world_dt(pl_scene_world(scene));
  double steps = duration / dt;
  if (!w->setup.study->has_reference || fabs(steps - round(steps)) < 1e-6 * steps) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT,
                 "dt = %g s does not divide the duration of %g s, so that the end cannot be "
                 "compared with the reference",
                 dt, duration);
}

static pl_status name_probes(study_table *table, pl_world *world, pl_error *error)
{
  static const char *const axes[] = {".x", ".y", ".z"};
  table->probe_count = 0;
  for (int i = 0; i < pl_world_probe_count(world); i++) {
    pl_probe_id id = pl_world_probe_at(world, i);
    int width = pl_world_probe_width(world, id);
    for (int k = 0; k < width && table->probe_count < STUDY_MOST_PROBES; k++) {
      int place = table->probe_count++;
      snprintf(table->probe_names[place], sizeof table->probe_names[0], "%.70s%s",
               pl_world_probe_name(world, id), width == 3 ? axes[k] : "");
      snprintf(table->probe_units[place], sizeof table->probe_units[0], "%s",
               pl_world_probe_unit(world, id));
    }
  }
  const char *wanted = table->study->probe;
  for (int i = 0; wanted && i < pl_world_probe_count(world); i++) {
    if (strcmp(pl_world_probe_name(world, pl_world_probe_at(world, i)), wanted) == 0) return PL_OK;
  }
  if (!wanted) return PL_OK;
  return pl_fail_at(error, PL_E_ARGUMENT, table->study->path, 0,
                    "measure: there is no probe \"%.80s\" in the scene", wanted);
}

static pl_status check_reference(const work *w, int number, pl_error *error)
{
  static study_changes changes;
  pl_scene *scene = NULL;
  pl_error cause = {0};
  pl_world_facts facts = {0};
  int nodes = w->setup.references[number].nodes;
  study_reference_changes(&w->setup, number, &changes);
  pl_status status = study_load_scene(&w->setup, &changes, &scene, &cause);
  if (!status && !w->setup.study->reference_file) status = check_end(w, scene, &cause);
  if (!status) status = pl_world_measure(pl_scene_world(scene), &facts, &cause);
  if (!status && w->setup.study->error == PL_ERROR_POSITIONS && facts.nodes != nodes)
    status = pl_fail(&cause, PL_E_ARGUMENT, "has %d nodes, the cases have %d", facts.nodes, nodes);
  pl_scene_destroy(scene);
  char text[600];
  if (!status) return PL_OK;
  return pl_fail_at(error, status, w->setup.study->path, 0, "reference: %.450s",
                    pl_error_text(&cause, text, sizeof text));
}

/* The first case of a reference has its duration; all of them have as many nodes. */
static pl_status match_reference(work *w, int number, pl_scene *scene, int nodes, pl_error *error)
{
  if (!w->setup.study->has_reference) return PL_OK;
  study_reference *r = &w->setup.references[w->setup.reference_of[number]];
  if (r->first_case == number) {
    r->nodes = nodes;
    if (w->setup.study->reference_is_long)
      pl_print(r->dt, sizeof r->dt, "world.dt=%.17g", pl_scene_duration(scene));
  }
  if (w->setup.study->error != PL_ERROR_POSITIONS || nodes == r->nodes) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT,
                 "has %d nodes, others have %d: compare a probe instead of positions", nodes,
                 r->nodes);
}

static pl_status check_case(work *w, int number, pl_error *error)
{
  static study_changes changes;
  pl_scene *scene = NULL;
  pl_error cause = {0};
  pl_world_facts facts = {0};
  study_case_changes(w->setup.study, number, &changes);
  pl_status status = study_load_scene(&w->setup, &changes, &scene, &cause);
  if (!status && !w->setup.study->bisect.path) status = check_end(w, scene, &cause);
  if (!status) status = pl_world_measure(pl_scene_world(scene), &facts, &cause);
  if (!status && !w->setup.table.probe_count)
    status = name_probes(&w->setup.table, pl_scene_world(scene), &cause);
  if (!status) status = match_reference(w, number, scene, facts.nodes, &cause);
  pl_scene_destroy(scene);
  return status ? fail_case(w, number, &cause, error) : PL_OK;
}

static pl_status check_names(const work *w, pl_error *error)
{
  const pl_study *study = w->setup.study;
  if (study->bisect.path && study->bisect.accept &&
      study_column(&w->setup.table, study->bisect.accept) < PL_MOST_AXES)
    return pl_fail_at(error, PL_E_ARGUMENT, study->path, 0,
                      "bisect: accept = \"%.80s\" is not measured", study->bisect.accept);
  for (int i = 0; i < study->axis_count; i++) {
    const pl_study_axis *axis = &study->axes[i];
    if (study_is_measured(&w->setup.table, axis->name))
      return pl_fail_at(error, PL_E_ARGUMENT, study->path, axis->line,
                        "vary: \"%.80s\" is the name of something measured; choose another",
                        axis->name);
  }
  return study_report_check(&w->setup.table, error);
}

/* Every case can be loaded, and its end compared: so that nothing fails half way. */
static pl_status check_cases(work *w, pl_error *error)
{
  int cases = pl_study_cases(w->setup.study);
  pl_status status = study_references_open(&w->setup, error);
  for (int i = 0; i < cases && !status; i++) {
    if (w->only < 0 || w->only == i) status = check_case(w, i, error);
  }
  for (int k = 0; k < w->setup.reference_count && !status; k++)
    status = check_reference(w, k, error);
  return status ? status : check_names(w, error);
}

/* Is a case that is compared with this reference still to be run? */
static int is_needed(const work *w, int reference)
{
  const study_table *table = &w->setup.table;
  int needed = !table->shards;
  for (int i = 0; i < table->case_count; i++)
    needed |=
        study_is_ours(table, i) && !table->rows[i].done && w->setup.reference_of[i] == reference;
  return needed;
}

static pl_status make_references(work *w, int resumed, pl_error *error)
{
  pl_status status = PL_OK;
  for (int k = 0; k < w->setup.reference_count && !status && !cli_interrupted; k++) {
    if (is_needed(w, k)) status = study_reference_make(&w->setup, k, resumed, w->quiet, error);
  }
  return status;
}

/* ---- the command ---- */

/* "3/8": the third of eight. */
static int parse_shard(work *w)
{
  int length = 0;
  study_table *table = &w->setup.table;
  if (sscanf(w->shard_word, "%d/%d%n", &table->shard, &table->shards, &length) == 2 &&
      !w->shard_word[length] && table->shard >= 1 && table->shard <= table->shards &&
      table->shards <= 100000)
    return w->smallest ? cli_fail(CLI_USAGE, "--smallest runs one case; leave out --shard")
                       : CLI_OK;
  return cli_fail(CLI_USAGE,
                  "--shard %s: two numbers are needed, which job this is and how many there are, "
                  "as 1/8 to 8/8",
                  w->shard_word);
}

static int parse(work *w, int count, char **words)
{
  const cli_option options[] = {
      {.name = "output",
       .letter = 'o',
       .argument = "DIR",
       .summary = "where results go (default: out/STUDY)",
       .value = &w->folder},
      CLI_CACHE_OPTION(&w->cache_word),
      {.name = "threads",
       .argument = "N",
       .summary = "threads of each run (default: 1, which times best)",
       .value = &w->threads_word},
      {.name = "jobs",
       .letter = 'j',
       .argument = "N",
       .summary =
           "cases that run at once (default: 1 if times are reported, else one per processor)",
       .value = &w->jobs_word},
      {.name = "smallest",
       .summary = "run the smallest case only, without a reference, once: does the study work?",
       .flag = &w->smallest},
      {.name = "shard",
       .argument = "I/N",
       .summary =
           "run every N-th case from the I-th on, for jobs on many machines; the same command "
           "without it collects what they did, and runs the rest",
       .value = &w->shard_word},
      {.name = "fresh", .summary = "run all cases again", .flag = &w->fresh},
      {.name = "allow-path",
       .summary = "let the study and its scene name files outside their folders",
       .flag = &w->allow_path},
      {.name = "progress",
       .argument = "HOW",
       .summary = "auto, off or json",
       .value = &w->progress_word},
      {.name = "quiet", .letter = 'q', .summary = "print only errors", .flag = &w->quiet},
  };
  int code =
      cli_parse(count, words, options, sizeof options / sizeof *options, "study [OPTIONS] STUDY",
                "Runs a scene with varied values and compares the results: DIR/results.csv, "
                "results.md and plots (.svg). A study that was interrupted goes on where it "
                "stopped.",
                &w->plain);
  if (code) return code;
  if (w->plain.count != 1)
    return cli_fail(CLI_USAGE, "study needs one study; see pliant study --help");
  w->path = w->plain.words[0];
  if (w->shard_word && parse_shard(w)) return CLI_USAGE;
  w->setup.threads = 1;
  w->setup.cache = cli_cache_folder(w->cache_word, w->cache_room, sizeof w->cache_room);
  if (w->threads_word && cli_int("threads", w->threads_word, 0, 256, &w->setup.threads))
    return CLI_USAGE;
  if (w->jobs_word && cli_int("jobs", w->jobs_word, 1, 256, &w->jobs)) return CLI_USAGE;
  if (!cli_progress_start(&w->progress, w->progress_word))
    return cli_fail(CLI_USAGE, "--progress %s: auto, off or json is needed", w->progress_word);
  return CLI_OK;
}

/* out/NAME for a study NAME.xml, out/NAME-smallest for its smallest case. */
static void choose_folder(work *w)
{
  if (w->folder) return;
  const char *name = pl_path_name(w->path), *dot = strrchr(name, '.');
  int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
  snprintf(w->folder_room, sizeof w->folder_room, "out/%.*s%s", length, name,
           w->smallest ? "-smallest" : "");
  w->folder = w->folder_room;
}

/* ---- all cases ---- */

/* What the threads share. */
typedef struct crew {
  work *w;
  const int *cases; /* that are still to be run */
  int done;
  pl_status status;
  pl_error error; /* of the first that failed */
  pthread_mutex_t lock;
} crew;

static void run_one(void *context, int chunk)
{
  crew *all = context;
  work *w = all->w;
  study_row row = {0};
  pl_error error = {0};
  pthread_mutex_lock(&all->lock);
  int stop = all->status || cli_interrupted;
  pthread_mutex_unlock(&all->lock);
  if (stop) return;
  pl_status status = study_run_case(&w->setup, all->cases[chunk], &row, &error);
  pthread_mutex_lock(&all->lock);
  if (!status && !cli_interrupted) {
    row.done = 1;
    w->setup.table.rows[all->cases[chunk]] = row;
    status = study_table_save(&w->setup.table, &error);
    cli_progress_tell(&w->progress, ++all->done, w->setup.table.case_count);
  }
  if (status && !all->status) {
    all->status = status;
    all->error = error;
  }
  pthread_mutex_unlock(&all->lock);
}

/* Do tables or plots report times? Then nothing else should run beside. */
static int tells_times(const pl_study *study)
{
  for (int i = 0; i < study->plot_count; i++) {
    const char *names[] = {study->plots[i].x, study->plots[i].y, study->plots[i].by};
    for (int k = 0; k < 3; k++) {
      if (names[k] && (strcmp(names[k], "seconds") == 0 || strcmp(names[k], "speed") == 0))
        return 1;
    }
  }
  return study->repeat > 1;
}

static pl_status run_all(work *w, pl_error *error)
{
  const study_table *table = &w->setup.table;
  int series = study_wants_series(w->setup.study), count = 0;
  pl_allocator allocator = pl_allocator_default();
  int *cases = pl_alloc(&allocator, (size_t)table->case_count, sizeof *cases);
  if (!cases) return pl_fail_memory(error);
  for (int i = 0; i < table->case_count; i++) {
    int wanted = (w->only < 0 || w->only == i) && study_is_ours(table, i);
    if (wanted && (!table->rows[i].done || (series && !study_series_exists(table, i))))
      cases[count++] = i;
  }
  crew all = {.w = w, .cases = cases, .done = table->case_count - count};
  pl_pool *pool = NULL;
  int jobs = w->jobs ? w->jobs : tells_times(w->setup.study) || w->setup.threads != 1 ? 1 : 0;
  pl_status status = pl_pool_create(&allocator, jobs, &pool, error);
  if (!status) {
    cli_progress_tell(&w->progress, all.done, table->case_count);
    pthread_mutex_init(&all.lock, NULL);
    pl_parallel(pool, count, run_one, &all);
    pthread_mutex_destroy(&all.lock);
    status = all.status;
    if (status) *error = all.error;
  }
  cli_progress_end(&w->progress);
  pl_pool_destroy(pool);
  pl_free(&allocator, cases);
  return status;
}

static void tell_results(const work *w)
{
  int failed = 0;
  for (int i = 0; i < w->setup.table.case_count; i++)
    failed += w->setup.table.rows[i].failure[0] != 0;
  if (w->quiet) return;
  if (w->shard_word) {
    printf("results in %s/results.d/%d-of-%d.csv; \"pliant study %s\" collects them\n", w->folder,
           w->setup.table.shard, w->setup.table.shards, w->path);
    return;
  }
  printf("results in %s: results.csv, results.md", w->folder);
  for (int i = 0; i < w->setup.study->plot_count; i++) {
    if (!w->setup.study->plots[i].is_table) printf(", %s.svg", w->setup.study->plots[i].name);
  }
  printf("\n  %d cases", w->setup.table.case_count);
  if (failed) printf(", %d of them ended early; the column failure says why", failed);
  printf("\n");
}

/* The first case that fits what the study calls its smallest. */
static pl_status find_smallest(const study_table *table, int *number, pl_error *error)
{
  const char *where = table->study->smallest;
  *number = 0;
  while (*number < table->case_count && !study_fits(table, *number, where)) ++*number;
  if (*number < table->case_count) return PL_OK;
  return pl_fail_at(error, PL_E_ARGUMENT, table->study->path, 0,
                    "study: smallest = \"%.80s\" fits no case", where);
}

/* Leaves one case, to be run once, at one value of a bisection, compared with nothing. */
static void keep_only(work *w, int number)
{
  pl_study *study = w->setup.study;
  w->only = number;
  study->has_reference = 0;
  study->repeat = 1;
  study->last = study->smallest_set;
  study->bisect.from = study->bisect.to;
  study->bisect.upwards = 0;
  study->hash = ~study->hash; // its results are not those of the whole
}

/* Reads the study and loads all its cases once. */
static pl_status prepare(work *w, pl_error *error)
{
  pl_status status = pl_study_load(NULL, w->path, w->allow_path, &w->setup.study, error);
  if (status) return status;
  choose_folder(w);
  w->setup.table.study = w->setup.study;
  w->setup.table.fresh = w->fresh;
  w->setup.table.case_count = pl_study_cases(w->setup.study);
  snprintf(w->setup.table.folder, sizeof w->setup.table.folder, "%s", w->folder);
  int number = 0;
  w->only = -1;
  status = find_smallest(&w->setup.table, &number, error);
  if (!status && w->smallest) keep_only(w, number);
  return status ? status : check_cases(w, error);
}

static pl_status execute(work *w, pl_error *error)
{
  int done = 0;
  pl_status status = prepare(w, error);
  if (!status) status = pl_folder_make(w->folder, error);
  // other machines may be writing here
  if (!status && !w->shard_word) pl_folder_tidy(w->folder);
  if (!status) status = study_table_open(&w->setup.table, &done, error);
  if (status) return status;
  if (done && !w->quiet)
    printf("%d of %d cases were done before\n", done, w->setup.table.case_count);
  cli_catch_interrupts();
  status = make_references(w, done > 0, error);
  if (!status && !cli_interrupted) status = run_all(w, error);
  if (!status && !w->shard_word) status = study_report_write(&w->setup.table, error);
  return status;
}

static void release(work *w)
{
  study_references_close(&w->setup);
  study_table_close(&w->setup.table);
  pl_study_destroy(w->setup.study);
}

pl_status study_check(const char *path, int allow_path, int *cases, int *references,
                      pl_error *error)
{
  static work w;
  w = (work){.path = path, .quiet = 1, .allow_path = allow_path, .setup.threads = 1};
  pl_status status = prepare(&w, error);
  *cases = w.setup.table.case_count;
  *references = w.setup.reference_count;
  release(&w);
  return status;
}

int cli_study(int count, char **words)
{
  static work w;
  pl_error error = {0};
  int code = parse(&w, count, words);
  if (code) return code < 0 ? CLI_OK : code;
  pl_status status = execute(&w, &error);
  if (status)
    code = cli_fail_error(&error);
  else if (cli_interrupted)
    code = cli_fail(CLI_INTERRUPTED, "interrupted; the same command goes on with the rest");
  else
    tell_results(&w);
  release(&w);
  return code;
}
