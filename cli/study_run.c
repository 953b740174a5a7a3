/* Running the cases of a study: one run, the fastest of several, or a bisection. */
#include "core/clock.h"
#include "core/error.h"
#include "core/memory.h"
#include "hand.h"
#include "interrupt.h"
#include "study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_changes(study_changes *list, const pl_changes *changes)
{
  for (int i = 0; i < changes->count && list->count < STUDY_MOST_CHANGES; i++)
    list->texts[list->count++] = changes->texts[i];
}

void study_case_changes(const pl_study *study, int number, study_changes *list)
{
  int options[PL_MOST_AXES];
  list->count = 0;
  list->reference = NULL;
  add_changes(list, &study->changes);
  pl_study_case(study, number, options);
  for (int i = 0; i < study->axis_count; i++)
    add_changes(list, &study->axes[i].options[options[i]].changes);
  add_changes(list, &study->last);
}

pl_status study_load_scene(const study_setup *w, const study_changes *changes, pl_scene **scene,
                           pl_error *error)
{
  pl_scene_def def = pl_scene_def_default();
  def.path = w->study->scene;
  def.changes = changes->texts;
  def.change_count = changes->count;
  def.threads = w->threads;
  def.cache = w->cache;
  def.allow_any_path = w->study->allow_any_path;
  return pl_scene_load(&def, scene, error);
}

/* All positions, the total energy and the probe that is compared. */
static pl_status look(const study_setup *w, pl_world *world, study_end *end, pl_error *error)
{
  pl_allocator allocator = pl_allocator_default();
  pl_world_facts facts;
  pl_status status = pl_world_measure(world, &facts, error);
  if (status) return status;
  *end = (study_end){.count = 3 * facts.nodes,
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

void study_end_release(study_end *end)
{
  pl_allocator allocator = pl_allocator_default();
  pl_free(&allocator, end->positions);
  *end = (study_end){0};
}

static double rms_distance(const double *a, const double *b, int count)
{
  double sum = 0;
  for (int i = 0; i < count; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum / (count / 3));
}

static double error_of(const study_setup *w, const study_end *end, const study_end *best)
{
  if (!best) return NAN;
  switch (w->study->error) {
  case PL_ERROR_PROBE:
    return rms_distance(end->probe, best->probe, 3);
  case PL_ERROR_ENERGY:
    return fabs(end->energy - best->energy);
  default:
    return rms_distance(end->positions, best->positions, end->count);
  }
}

static double rms_displacement(pl_world *world, const study_end *end)
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
  row->values[STUDY_factorisations] = (double)facts->direct.factorisations;
  row->values[STUDY_backsubstitutions] = (double)facts->direct.constraint_solves;
  row->values[STUDY_passes] = (double)facts->contact.passes;
  row->values[STUDY_halved] = (double)facts->halved_steps;
  row->values[STUDY_unconverged] = (double)facts->unconverged_steps;
  row->values[STUDY_substeps] = (double)facts->substeps;
  row->values[STUDY_rejected] = (double)facts->rejected_substeps;
  row->values[STUDY_nodes] = facts->nodes;
  row->values[STUDY_elements] = facts->elements;
}

/* All steps; what they took, without looking at probes on the way. */
static pl_status make_steps(const study_table *table, pl_scene *scene, pl_text *series,
                            double *spent, pl_error *failure)
{
  pl_world *world = pl_scene_world(scene);
  int64_t steps = (int64_t)ceil(pl_scene_duration(scene) / pl_world_dt(world) - 1e-9);
  int64_t every = 1 + steps / STUDY_MOST_SAMPLES;
  pl_status status = cli_hand_check(scene, 0, failure);
  if (!status && series) status = study_series_add(table, world, series, failure);
  pl_world_set_watcher(world, &cli_interrupt_watcher);
  for (int64_t i = 1; i <= steps && !status && !cli_interrupted; i++) {
    // of this thread only, so that others on the machine do not count
    double start = pl_thread_now();
    status = pl_scene_step(scene, failure);
    *spent += pl_thread_now() - start;
    if (series && !status && (i % every == 0 || i == steps))
      status = study_series_add(table, world, series, failure);
  }
  return status == PL_E_CANCELLED ? PL_OK : status;
}

/* Runs the scene to its end. A step that fails ends the run, and is reported in row->failure; other
 * failures are the study's. end may be NULL: the row gets the comparison. series may be NULL. */
pl_status study_run(const study_setup *w, const study_changes *changes, study_row *row,
                    study_end *end, pl_text *series, pl_error *error)
{
  pl_scene *scene = NULL;
  pl_status status = study_load_scene(w, changes, &scene, error);
  if (status) return status;
  pl_world *world = pl_scene_world(scene);
  pl_error failure = {0};
  double spent = 0;
  pl_status outcome = make_steps(&w->table, scene, series, &spent, &failure);
  for (int i = 0; i < STUDY_MOST_VALUES; i++) row->values[i] = NAN;
  row->failure[0] = 0;
  pl_world_facts facts;
  study_end now = {0};
  status = pl_world_measure(world, &facts, error);
  // with several threads the clock on the wall is what counts
  if (!status) fill_row(row, &facts, w->threads == 1 ? spent : facts.seconds);
  if (outcome) {
    snprintf(row->failure, sizeof row->failure, "at t = %.4g s: %.120s", pl_world_time(world),
             failure.message);
  } else if (!status && !cli_interrupted) {
    status = look(w, world, &now, error);
    if (!status) status = read_probes(&w->table, world, row, error);
    if (!status && !end) row->values[STUDY_error] = error_of(w, &now, changes->reference);
    if (!status) row->values[STUDY_displacement] = rms_displacement(world, &now);
    if (!status) row->values[STUDY_energy] = now.energy;
  }
  if (end && !status)
    *end = now;
  else
    study_end_release(&now);
  pl_scene_destroy(scene);
  return status;
}

/* The fastest of several runs; the first of them leaves the series. */
static pl_status run_repeatedly(const study_setup *w, const study_changes *changes, study_row *row,
                                pl_text *series, pl_error *error)
{
  double best = INFINITY;
  pl_status status = PL_OK;
  for (int i = 0; i < w->study->repeat && !status && !cli_interrupted; i++) {
    status = study_run(w, changes, row, NULL, i ? NULL : series, error);
    if (!status && row->values[STUDY_seconds] < best) best = row->values[STUDY_seconds];
    if (row->failure[0]) break;
  }
  row->values[STUDY_speed] *= row->values[STUDY_seconds] / best;
  row->values[STUDY_seconds] = best;
  return status;
}

/* ---- bisection ---- */

static int is_accepted(const study_setup *w, const study_row *row)
{
  const char *name = w->study->bisect.accept;
  if (row->failure[0]) return 0;
  int column = study_column(&w->table, name ? name : "displacement");
  return row->values[column - PL_MOST_AXES] < w->study->bisect.below;
}

static pl_status try_value(const study_setup *w, study_changes *changes, double value,
                           study_row *row, int *accepted, pl_error *error)
{
  char text[640];
  pl_print(text, sizeof text, "%.500s=%.9g", w->study->bisect.path, value);
  changes->texts[changes->count] = text;
  changes->count++;
  pl_status status = study_run(w, changes, row, NULL, NULL, error);
  changes->count--;
  *accepted = !status && is_accepted(w, row);
  return status;
}

/* An accepted value in *low and, unless that is the largest of all, one that is not in *high. Comes
 * down from the top in large steps, because runs with small values take long. */
static pl_status search_down(const study_setup *w, study_changes *changes, double *low,
                             double *high, study_row *row, int *accepted, pl_error *error)
{
  *low = *high = w->study->bisect.to;
  pl_status status = try_value(w, changes, *low, row, accepted, error);
  while (!status && !*accepted && !cli_interrupted && *low > w->study->bisect.from) {
    *high = *low;
    *low = fmax(*low / 4, w->study->bisect.from);
    status = try_value(w, changes, *low, row, accepted, error);
  }
  return status;
}

/* The same from below, for where what is accepted is not all one interval: stops at the first value
 * that is not. */
static pl_status search_up(const study_setup *w, study_changes *changes, double *low, double *high,
                           study_row *row, int *accepted, pl_error *error)
{
  *low = *high = w->study->bisect.from;
  pl_status status = try_value(w, changes, *low, row, accepted, error);
  for (int next = *accepted; next && !status && !cli_interrupted && *low < w->study->bisect.to;) {
    study_row other;
    *high = fmin(2 * *low, w->study->bisect.to);
    status = try_value(w, changes, *high, &other, &next, error);
    if (status || !next) break;
    *low = *high;
    *row = other;
  }
  return status;
}

/* The largest value that is accepted, to within the study's ratio; the row is of that run. */
static pl_status bisect(const study_setup *w, study_changes *changes, study_row *row,
                        pl_error *error)
{
  double low, high;
  study_row other;
  int accepted = 0;
  pl_status status = (w->study->bisect.upwards ? search_up : search_down)(w, changes, &low, &high,
                                                                          row, &accepted, error);
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

/* ---- a case ---- */

pl_status study_run_case(const study_setup *w, int number, study_row *row, pl_error *error)
{
  study_changes changes;
  pl_text series = pl_text_make(NULL);
  int wanted = study_wants_series(w->study);
  study_case_changes(w->study, number, &changes);
  if (w->study->has_reference) changes.reference = &w->references[w->reference_of[number]].end;
  if (w->study->bisect.path) return bisect(w, &changes, row, error);
  if (wanted) study_series_begin(&w->table, &series);
  pl_status status = run_repeatedly(w, &changes, row, wanted ? &series : NULL, error);
  if (!status && wanted && !cli_interrupted)
    status = study_series_save(&w->table, number, &series, error);
  pl_text_release(&series);
  return status;
}
