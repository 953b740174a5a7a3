/* pliant study: runs all cases of a study and writes results.csv, results.md and plots. */
#include "study.h"

#include "cli.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "interrupt.h"
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_CHANGES = 256 };

/* Where a run ended: what cases are compared by. */
typedef struct end_state {
  int count; /* of numbers in positions */
  double *positions, energy, probe[3];
} end_state;

typedef struct work {
  const char *path, *folder, *progress_word, *threads_word;
  cli_words plain;
  int quiet, fresh, threads;
  char folder_room[4096];
  cli_progress progress;
  pl_study *study;
  study_table table;
  end_state reference;
} work;

/* ---- one run ---- */

/* All changes of a case, with those of the reference or of the bisection behind them. */
typedef struct change_list {
  const char *texts[MOST_CHANGES];
  int count;
} change_list;

static void add_changes(change_list *list, const pl_changes *changes)
{
  for (int i = 0; i < changes->count && list->count < MOST_CHANGES; i++)
    list->texts[list->count++] = changes->texts[i];
}

static void case_changes(const pl_study *study, int number, change_list *list)
{
  int options[PL_MOST_AXES];
  list->count = 0;
  add_changes(list, &study->changes);
  pl_study_case(study, number, options);
  for (int i = 0; i < study->axis_count; i++)
    add_changes(list, &study->axes[i].options[options[i]].changes);
}

static pl_status load(const work *w, const change_list *changes, pl_scene **scene, pl_error *error)
{
  pl_scene_def def = pl_scene_def_default();
  def.path = w->study->scene;
  def.changes = changes->texts;
  def.change_count = changes->count;
  def.threads = w->threads;
  def.allow_any_path = 1; // the user has named the scene
  return pl_scene_load(&def, scene, error);
}

/* All positions, the total energy and the probe that is compared. */
static pl_status look(const work *w, pl_world *world, end_state *end, pl_error *error)
{
  pl_allocator allocator = pl_allocator_default();
  pl_world_facts facts;
  pl_status status = pl_world_measure(world, &facts, error);
  if (status) return status;
  *end = (end_state){.count = 3 * facts.nodes,
                     .energy = facts.kinetic_energy + facts.elastic_energy + facts.gravity_energy};
  end->positions = pl_alloc(&allocator, (size_t)end->count, sizeof(double));
  if (!end->positions) return pl_fail_memory(error);
  double *next = end->positions;
  for (int i = 0; i < pl_world_body_count(world) && !status; i++) {
    pl_body_id body = pl_world_body_at(world, i);
    status = pl_world_get_positions(world, body, next, error);
    next += 3 * pl_mesh_node_count(pl_world_body_mesh(world, body));
  }
  for (int i = 0; w->study->probe && i < pl_world_probe_count(world) && !status; i++) {
    pl_probe_id id = pl_world_probe_at(world, i);
    if (strcmp(pl_world_probe_name(world, id), w->study->probe) == 0)
      status = pl_world_read_probe(world, id, end->probe, error);
  }
  return status;
}

static void release(end_state *end)
{
  pl_allocator allocator = pl_allocator_default();
  pl_free(&allocator, end->positions);
  *end = (end_state){0};
}

static double rms_distance(const double *a, const double *b, int count)
{
  double sum = 0;
  for (int i = 0; i < count; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum / (count / 3));
}

static double error_of(const work *w, const end_state *end)
{
  const end_state *best = &w->reference;
  if (!w->study->has_reference) return NAN;
  switch (w->study->error) {
  case PL_ERROR_PROBE:
    return rms_distance(end->probe, best->probe, 3);
  case PL_ERROR_ENERGY:
    return fabs(end->energy - best->energy);
  default:
    return rms_distance(end->positions, best->positions, end->count);
  }
}

static double rms_displacement(pl_world *world, const end_state *end)
{
  const double *next = end->positions;
  double sum = 0;
  for (int i = 0; i < pl_world_body_count(world); i++) {
    const pl_mesh *mesh = pl_world_body_mesh(world, pl_world_body_at(world, i));
    int count = 3 * pl_mesh_node_count(mesh);
    double rms = rms_distance(next, pl_mesh_nodes(mesh), count);
    sum += rms * rms * (count / 3);
    next += count;
  }
  return sqrt(sum / (end->count / 3));
}

static pl_status read_probes(const study_table *table, pl_world *world, study_row *row,
                             pl_error *error)
{
  int place = STUDY_METRIC_COUNT;
  for (int i = 0; i < pl_world_probe_count(world); i++) {
    double value[3];
    pl_probe_id id = pl_world_probe_at(world, i);
    pl_status status = pl_world_read_probe(world, id, value, error);
    if (status) return status;
    for (int k = 0; k < pl_world_probe_width(world, id); k++) {
      if (place < STUDY_METRIC_COUNT + table->probe_count) row->values[place++] = value[k];
    }
  }
  return PL_OK;
}

static void fill_row(study_row *row, const pl_world_facts *facts, double seconds)
{
  double steps = (double)facts->steps;
  row->values[STUDY_seconds] = seconds;
  row->values[STUDY_speed] = seconds > 0 ? facts->time / seconds : NAN;
  row->values[STUDY_steps] = steps;
  row->values[STUDY_newton] = (double)facts->newton_iterations;
  row->values[STUDY_newton_per_step] = (double)facts->newton_iterations / fmax(steps, 1);
  row->values[STUDY_linear] = (double)facts->linear_iterations;
  row->values[STUDY_matrices] = (double)facts->matrices;
  row->values[STUDY_factorisations] = (double)facts->factorisations;
  row->values[STUDY_backsubstitutions] = (double)facts->border_solves;
  row->values[STUDY_halved] = (double)facts->halved_steps;
}

/* Runs the scene to its end. A step that fails ends the run, and is told in row->failure; other
 * failures are the study's. end may be NULL: the row gets the comparison. */
static pl_status run_once(const work *w, const change_list *changes, study_row *row, end_state *end,
                          pl_error *error)
{
  pl_scene *scene = NULL;
  pl_status status = load(w, changes, &scene, error);
  if (status) return status;
  pl_world *world = pl_scene_world(scene);
  int64_t steps = (int64_t)ceil(pl_scene_duration(scene) / pl_world_dt(world) - 1e-9);
  pl_error failure = {0};
  pl_status outcome = PL_OK;
  double start = pl_processor_now();
  for (int64_t i = 0; i < steps && !outcome && !cli_interrupted; i++)
    outcome = pl_world_step(world, &failure);
  double spent = pl_processor_now() - start;
  for (int i = 0; i < STUDY_MOST_VALUES; i++) row->values[i] = NAN;
  row->failure[0] = 0;
  pl_world_facts facts;
  end_state now = {0};
  status = pl_world_measure(world, &facts, error);
  // with several threads the clock on the wall is what counts
  if (!status) fill_row(row, &facts, w->threads == 1 ? spent : facts.seconds);
  if (outcome) {
    snprintf(row->failure, sizeof row->failure, "at t = %.4g s: %.120s", pl_world_time(world),
             failure.message);
  } else if (!status && !cli_interrupted) {
    status = look(w, world, &now, error);
    if (!status) status = read_probes(&w->table, world, row, error);
    if (!status && !end) row->values[STUDY_error] = error_of(w, &now);
    if (!status) row->values[STUDY_displacement] = rms_displacement(world, &now);
    if (!status) row->values[STUDY_energy] = now.energy;
  }
  if (end && !status)
    *end = now;
  else
    release(&now);
  pl_scene_destroy(scene);
  return status;
}

/* The fastest of several runs. */
static pl_status run_case(const work *w, const change_list *changes, study_row *row,
                          pl_error *error)
{
  double best = INFINITY;
  pl_status status = PL_OK;
  for (int i = 0; i < w->study->repeat && !status && !cli_interrupted; i++) {
    status = run_once(w, changes, row, NULL, error);
    if (!status && row->values[STUDY_seconds] < best) best = row->values[STUDY_seconds];
    if (row->failure[0]) break;
  }
  row->values[STUDY_speed] *= row->values[STUDY_seconds] / best;
  row->values[STUDY_seconds] = best;
  return status;
}

/* ---- bisection ---- */

static int is_accepted(const work *w, const study_row *row)
{
  const char *name = w->study->bisect.accept;
  if (row->failure[0]) return 0;
  int column = study_column(&w->table, name ? name : "displacement");
  return row->values[column - PL_MOST_AXES] < w->study->bisect.below;
}

static pl_status try_value(const work *w, change_list *changes, double value, study_row *row,
                           int *accepted, pl_error *error)
{
  char text[640];
  pl_print(text, sizeof text, "%.500s=%.9g", w->study->bisect.path, value);
  changes->texts[changes->count] = text;
  changes->count++;
  pl_status status = run_once(w, changes, row, NULL, error);
  changes->count--;
  *accepted = !status && is_accepted(w, row);
  return status;
}

/* The largest value that is accepted, to within the study's ratio; the row is of that run. Comes
 * down from the top in large steps first, because runs with small values take long. */
static pl_status bisect(const work *w, change_list *changes, study_row *row, pl_error *error)
{
  double low = w->study->bisect.to, high = low;
  study_row other;
  int accepted = 0;
  pl_status status = try_value(w, changes, low, row, &accepted, error);
  while (!status && !accepted && !cli_interrupted && low > w->study->bisect.from) {
    high = low;
    low = fmax(low / 4, w->study->bisect.from);
    status = try_value(w, changes, low, row, &accepted, error);
  }
  if (!status && !accepted && !row->failure[0])
    snprintf(row->failure, sizeof row->failure, "not accepted at %g, the least value", low);
  if (status || !accepted) return status;
  while (high / low > w->study->bisect.ratio && !status && !cli_interrupted) {
    double middle = sqrt(low * high);
    status = try_value(w, changes, middle, &other, &accepted, error);
    if (!status && accepted) *row = other;
    *(accepted ? &low : &high) = middle;
  }
  row->values[STUDY_found] = low;
  return status;
}

/* ---- before the first case ---- */

static pl_status fail_case(const work *w, int number, const pl_error *cause, pl_error *error)
{
  char label[200], text[600];
  study_case_label(w->study, number, label, sizeof label);
  return pl_fail_at(error, cause->code, w->study->path, 0, "case %.150s: %.330s", label,
                    pl_error_text(cause, text, sizeof text));
}

/* What the end of a run is compared with has to lie at the same time. */
static pl_status check_end(const work *w, pl_scene *scene, pl_error *error)
{
  double duration = pl_scene_duration(scene), dt = pl_world_dt(pl_scene_world(scene));
  double steps = duration / dt;
  if (!w->study->has_reference || fabs(steps - round(steps)) < 1e-6 * steps) return PL_OK;
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

/* The scene of the reference: the study's changes and its own. */
static void reference_changes(const pl_study *study, change_list *list)
{
  list->count = 0;
  add_changes(list, &study->changes);
  add_changes(list, &study->reference);
}

static pl_status check_reference(const work *w, int nodes, pl_error *error)
{
  static change_list changes;
  pl_scene *scene = NULL;
  pl_error cause = {0};
  pl_world_facts facts = {0};
  if (!w->study->has_reference) return PL_OK;
  reference_changes(w->study, &changes);
  pl_status status = load(w, &changes, &scene, &cause);
  if (!status && !w->study->reference_file) status = check_end(w, scene, &cause);
  if (!status) status = pl_world_measure(pl_scene_world(scene), &facts, &cause);
  if (!status && w->study->error == PL_ERROR_POSITIONS && facts.nodes != nodes)
    status = pl_fail(&cause, PL_E_ARGUMENT, "has %d nodes, the cases have %d", facts.nodes, nodes);
  pl_scene_destroy(scene);
  char text[600];
  if (!status) return PL_OK;
  return pl_fail_at(error, status, w->study->path, 0, "reference: %.450s",
                    pl_error_text(&cause, text, sizeof text));
}

/* Every case can be loaded, and its end compared: so that nothing fails half way. */
static pl_status check_cases(work *w, pl_error *error)
{
  static change_list changes;
  int cases = pl_study_cases(w->study), nodes = -1;
  for (int i = 0; i < cases; i++) {
    pl_scene *scene = NULL;
    pl_error cause = {0};
    case_changes(w->study, i, &changes);
    pl_status status = load(w, &changes, &scene, &cause);
    if (!status && !w->study->bisect.path) status = check_end(w, scene, &cause);
    pl_world_facts facts = {0};
    if (!status) status = pl_world_measure(pl_scene_world(scene), &facts, &cause);
    if (!status && i == 0) status = name_probes(&w->table, pl_scene_world(scene), &cause);
    if (!status && i == 0) nodes = facts.nodes;
    if (!status && w->study->has_reference && w->study->error == PL_ERROR_POSITIONS &&
        facts.nodes != nodes)
      status = pl_fail(&cause, PL_E_ARGUMENT,
                       "has %d nodes, others have %d: compare a probe instead of positions",
                       facts.nodes, nodes);
    pl_scene_destroy(scene);
    if (status) return fail_case(w, i, &cause, error);
  }
  if (w->study->bisect.path && w->study->bisect.accept &&
      study_column(&w->table, w->study->bisect.accept) < PL_MOST_AXES)
    return pl_fail_at(error, PL_E_ARGUMENT, w->study->path, 0,
                      "bisect: accept = \"%.80s\" is not measured", w->study->bisect.accept);
  for (int i = 0; i < w->study->axis_count; i++) {
    const pl_study_axis *axis = &w->study->axes[i];
    if (study_is_measured(&w->table, axis->name))
      return pl_fail_at(error, PL_E_ARGUMENT, w->study->path, axis->line,
                        "vary: \"%.80s\" is the name of something measured; choose another",
                        axis->name);
  }
  pl_status status = check_reference(w, nodes, error);
  return status ? status : study_report_check(&w->table, error);
}

/* ---- the reference ---- */

/* One number per line: energy, probe, positions. */
static pl_status save_reference(const work *w, const char *path, pl_error *error)
{
  const end_state *end = &w->reference;
  pl_text text = pl_text_make(NULL);
  double head[] = {end->energy, end->probe[0], end->probe[1], end->probe[2]};
  pl_text_add(&text, "energy_probe_and_positions\n");
  for (int i = 0; i < 4 + end->count; i++) {
    pl_text_number(&text, i < 4 ? head[i] : end->positions[i - 4]);
    pl_text_add(&text, "\n");
  }
  pl_status status = pl_text_ok(&text, error);
  if (!status) status = pl_file_write(path, text.data, text.size, error);
  pl_text_release(&text);
  return status;
}

static pl_status read_reference(work *w, const char *path, int count, pl_error *error)
{
  pl_allocator allocator = pl_allocator_default();
  pl_bytes bytes;
  pl_status status = pl_file_read(&allocator, path, 0, &bytes, error);
  if (status) return status;
  end_state *end = &w->reference;
  *end = (end_state){.count = count};
  end->positions = pl_alloc(&allocator, (size_t)count, sizeof(double));
  status = end->positions ? PL_OK : pl_fail_memory(error);
  const char *line = bytes.data + strcspn(bytes.data, "\n");
  for (int i = 0; i < 4 + count && !status; i++) {
    double value;
    const char *next = *line ? pl_read_double(line + 1, &value) : line;
    if (!*line || next == line + 1 || (*next != '\n' && *next))
      status = pl_fail_at(error, PL_E_PARSE, path, i + 2,
                          "is not a reference of this scene: %d numbers are needed", 4 + count);
    else if (i < 4)
      *(i ? &end->probe[i - 1] : &end->energy) = value;
    else
      end->positions[i - 4] = value;
    line = next;
  }
  pl_bytes_free(&allocator, &bytes);
  return status;
}

/* From the user's file, from an earlier run (resumed), or by running it. */
static pl_status make_reference(work *w, int resumed, pl_error *error)
{
  static change_list changes;
  static study_row row;
  char path[4200], folder[4096];
  if (!w->study->has_reference) return PL_OK;
  reference_changes(w->study, &changes);
  pl_scene *scene = NULL;
  pl_world_facts facts = {0};
  pl_status status = load(w, &changes, &scene, error);
  if (!status) status = pl_world_measure(pl_scene_world(scene), &facts, error);
  pl_scene_destroy(scene);
  if (status) return status;
  if (w->study->reference_file) {
    status = pl_path_folder(folder, sizeof folder, w->path, error);
    if (!status) status = pl_path_join(path, sizeof path, folder, w->study->reference_file, error);
    return status ? status : read_reference(w, path, 3 * facts.nodes, error);
  }
  status = pl_path_join(path, sizeof path, w->folder, "reference.csv", error);
  if (status) return status;
  if (resumed && !read_reference(w, path, 3 * facts.nodes, NULL)) return PL_OK;
  release(&w->reference);
  status = run_once(w, &changes, &row, &w->reference, error);
  if (!status && row.failure[0])
    status =
        pl_fail_at(error, PL_E_DIVERGED, w->study->path, 0, "the reference failed %s", row.failure);
  if (status || cli_interrupted) return status;
  if (!w->quiet)
    printf("reference: %.0f steps in %.2f s\n", row.values[STUDY_steps], row.values[STUDY_seconds]);
  return save_reference(w, path, error);
}

/* ---- the command ---- */

static int parse(work *w, int count, char **words)
{
  const cli_option options[] = {
      {.name = "output",
       .letter = 'o',
       .argument = "DIR",
       .summary = "where results go (default: out/STUDY)",
       .value = &w->folder},
      {.name = "threads",
       .argument = "N",
       .summary = "threads of each run (default: 1, which times best)",
       .value = &w->threads_word},
      {.name = "fresh", .summary = "run all cases again", .flag = &w->fresh},
      {.name = "progress",
       .argument = "HOW",
       .summary = "auto, off or json",
       .value = &w->progress_word},
      {.name = "quiet", .letter = 'q', .summary = "tell only errors", .flag = &w->quiet},
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
  w->threads = 1;
  if (w->threads_word && cli_int("threads", w->threads_word, 0, 256, &w->threads)) return CLI_USAGE;
  if (!cli_progress_start(&w->progress, w->progress_word))
    return cli_fail(CLI_USAGE, "--progress %s: auto, off or json is needed", w->progress_word);
  return CLI_OK;
}

/* out/NAME for a study NAME.xml. */
static void choose_folder(work *w)
{
  if (w->folder) return;
  const char *name = pl_path_name(w->path), *dot = strrchr(name, '.');
  int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
  snprintf(w->folder_room, sizeof w->folder_room, "out/%.*s", length, name);
  w->folder = w->folder_room;
}

static pl_status run_all(work *w, pl_error *error)
{
  static change_list changes;
  pl_status status = PL_OK;
  for (int i = 0; i < w->table.case_count && !status && !cli_interrupted; i++) {
    study_row *row = &w->table.rows[i];
    cli_progress_tell(&w->progress, i, w->table.case_count);
    if (row->done) continue;
    case_changes(w->study, i, &changes);
    status =
        w->study->bisect.path ? bisect(w, &changes, row, error) : run_case(w, &changes, row, error);
    if (status || cli_interrupted) break;
    row->done = 1;
    status = study_table_save(&w->table, error);
  }
  cli_progress_end(&w->progress);
  return status;
}

static void tell_results(const work *w)
{
  int failed = 0;
  for (int i = 0; i < w->table.case_count; i++) failed += w->table.rows[i].failure[0] != 0;
  if (w->quiet) return;
  printf("results in %s: results.csv, results.md", w->folder);
  for (int i = 0; i < w->study->plot_count; i++) {
    if (!w->study->plots[i].is_table) printf(", %s.svg", w->study->plots[i].name);
  }
  printf("\n  %d cases", w->table.case_count);
  if (failed) printf(", %d of them ended early; the column failure tells why", failed);
  printf("\n");
}

static pl_status execute(work *w, pl_error *error)
{
  int done = 0;
  pl_status status = pl_study_load(NULL, w->path, &w->study, error);
  if (status) return status;
  choose_folder(w);
  w->table.study = w->study;
  w->table.fresh = w->fresh;
  w->table.case_count = pl_study_cases(w->study);
  snprintf(w->table.folder, sizeof w->table.folder, "%s", w->folder);
  status = check_cases(w, error);
  if (!status) status = pl_folder_make(w->folder, error);
  if (!status) status = study_table_open(&w->table, &done, error);
  if (status) return status;
  if (done && !w->quiet) printf("%d of %d cases were done before\n", done, w->table.case_count);
  cli_catch_interrupts();
  status = make_reference(w, done > 0, error);
  if (!status && !cli_interrupted) status = run_all(w, error);
  if (!status) status = study_report_write(&w->table, error);
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
  release(&w.reference);
  study_table_close(&w.table);
  pl_study_destroy(w.study);
  return code;
}
