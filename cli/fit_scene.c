/* Force over displacement, as a scene has them: its parameters by runs of it. Each run begins as
 * the scene says, so that what is fitted may be anything that --set could change. */
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "fit.h"
#include "hand.h"
#include "material/least_squares.h"
#include "math/functions.h"
#include "picture/plot.h"
#include "pliant/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PARAMETERS = 6, MOST_SAMPLES = 20000 };

typedef struct scene_job {
  fit_job *job;
  int rows, count, samples, runs;
  double start[MOST_PARAMETERS];
  double *displacement, *force; /* measured */
  double *way, *answer;         /* of the last run */
  char paths[MOST_PARAMETERS][200];
  pl_status status;
  pl_error error;
} scene_job;

/* "name.z" into a probe and a component (-1: its length). */
static pl_status find_probe(pl_world *world, const char *word, pl_probe_id *probe, int *component,
                            pl_error *error)
{
  const char *dot = strrchr(word, '.');
  size_t length =
      dot && dot[1] && !dot[2] && strchr("xyz", dot[1]) ? (size_t)(dot - word) : strlen(word);
  *component = word[length] ? dot[1] - 'x' : -1;
  for (int i = 0; i < pl_world_probe_count(world); i++) {
    *probe = pl_world_probe_at(world, i);
    const char *name = pl_world_probe_name(world, *probe);
    if (strlen(name) == length && strncmp(name, word, length) == 0) return PL_OK;
  }
  return pl_fail(error, PL_E_ARGUMENT, "the scene has no probe \"%.*s\"", (int)length, word);
}

static double read_size(pl_world *world, pl_probe_id probe, int component)
{
  double value[3] = {0};
  if (pl_world_read_probe(world, probe, value, NULL)) return NAN;
  if (component >= 0) return fabs(value[component]);
  return sqrt(value[0] * value[0] + value[1] * value[1] + value[2] * value[2]);
}

static pl_status follow(scene_job *s, pl_scene *scene, pl_error *error)
{
  pl_world *world = pl_scene_world(scene);
  pl_probe_id force, way;
  int force_part, way_part;
  pl_status status = cli_hand_check(scene, 0, error);
  if (!status) status = find_probe(world, s->job->force, &force, &force_part, error);
  if (!status) status = find_probe(world, s->job->displacement, &way, &way_part, error);
  s->samples = 0;
  while (!status && s->samples < MOST_SAMPLES) {
    s->way[s->samples] = read_size(world, way, way_part);
    s->answer[s->samples++] = read_size(world, force, force_part);
    if (pl_world_time(world) >= pl_scene_duration(scene) - 1e-9) break;
    status = pl_scene_step(scene, error);
  }
  return status;
}

static pl_status run(scene_job *s, const double *logs, pl_error *error)
{
  char changes[MOST_PARAMETERS][260];
  const char *list[MOST_PARAMETERS];
  pl_scene_def def = pl_scene_def_default();
  pl_scene *scene = NULL;
  for (int k = 0; k < s->count; k++) {
    pl_print(changes[k], sizeof changes[k], "%s=%.15g", s->paths[k],
             s->start[k] * pl_pow(2.71828182845904523536, logs[k]));
    list[k] = changes[k];
  }
  def.path = s->job->scene;
  def.changes = list;
  def.change_count = s->count;
  def.allow_any_path = s->job->allow_path;
  pl_status status = pl_scene_load(&def, &scene, error);
  if (!status) status = follow(s, scene, error);
  pl_scene_destroy(scene);
  s->runs++;
  return status;
}

/* The force of the last run at a displacement, between its samples; beyond them along the last. */
static double force_at(const scene_job *s, double way)
{
  int k = 1;
  while (k + 1 < s->samples && s->way[k] < way) k++;
  double span = s->way[k] - s->way[k - 1];
  if (!(fabs(span) > 0)) return s->answer[k];
  return s->answer[k - 1] + (way - s->way[k - 1]) / span * (s->answer[k] - s->answer[k - 1]);
}

static void residuals(void *context, const double *x, double *r)
{
  scene_job *s = context;
  if (!s->status) s->status = run(s, x, &s->error);
  for (int i = 0; i < s->rows; i++)
    r[i] = s->status ? NAN : force_at(s, s->displacement[i]) - s->force[i];
}

static pl_status take(scene_job *s, pl_error *error)
{
  const fit_table *table = &s->job->table;
  int way = fit_table_column(table, "displacement"), force = fit_table_column(table, "force");
  if (!s->job->scene || !s->job->force || !s->job->displacement || !s->job->parameters.count)
    return pl_fail(error, PL_E_ARGUMENT,
                   "displacement and force need --scene, --force and --displacement with probes of "
                   "it, and a --parameter such as material[tissue].young=1e4");
  pl_status status = fit_table_numbers(table, way, error);
  if (!status) status = fit_table_numbers(table, force, error);
  s->count = s->job->parameters.count;
  s->rows = table->rows;
  if (!status && (s->rows < 3 || s->rows < s->count || s->count > MOST_PARAMETERS))
    status = pl_fail(error, PL_E_ARGUMENT, "%d rows for %d parameters; give at least 3 and %d",
                     s->rows, s->count, s->count);
  for (int k = 0; k < s->count && !status; k++) {
    const char *word = s->job->parameters.words[k], *equals = strchr(word, '=');
    if (!equals || equals - word >= (int)sizeof s->paths[k] ||
        !pl_parse_double(equals + 1, &s->start[k]) || !(s->start[k] > 0))
      return pl_fail(error, PL_E_ARGUMENT,
                     "--parameter %.80s: PATH=START with a number above 0 is needed", word);
    memcpy(s->paths[k], word, (size_t)(equals - word));
  }
  for (int i = 0; i < s->rows && !status; i++) {
    s->displacement[i] = fabs(fit_table_at(table, i, way));
    s->force[i] = fabs(fit_table_at(table, i, force));
  }
  return status;
}

static void print_result(const scene_job *s, const double *x, const double *deviations)
{
  double sum = 0, size = 0, worst = 0;
  for (int i = 0; i < s->rows; i++) {
    double off = force_at(s, s->displacement[i]) - s->force[i];
    sum += off * off;
    size = fmax(size, s->force[i]);
    worst = fmax(worst, fabs(off));
  }
  printf("force over displacement, %d rows, %d runs of %s\n\n", s->rows, s->runs, s->job->scene);
  printf("  rms %.5g N, worst %.5g N, of the largest force %.4f and %.4f\n\n", sqrt(sum / s->rows),
         worst, sqrt(sum / s->rows) / size, worst / size);
  for (int k = 0; k < s->count; k++) {
    double value = s->start[k] * pl_pow(2.71828182845904523536, x[k]);
    printf("  --set %s=%.7g   (+- %.2g)\n", s->paths[k], value, value * deviations[k]);
  }
}

static pl_status draw(const scene_job *s, pl_error *error)
{
  const pl_plot_series list[] = {{.name = "measured",
                                  .count = (size_t)s->rows,
                                  .x = s->displacement,
                                  .y = s->force,
                                  .style = PL_PLOT_POINTS},
                                 {.name = "scene",
                                  .count = (size_t)s->samples,
                                  .x = s->way,
                                  .y = s->answer,
                                  .style = PL_PLOT_LINE}};
  pl_plot plot = pl_plot_default();
  pl_text svg = pl_text_make(NULL);
  plot.title = s->job->scene;
  plot.x.label = "displacement";
  plot.x.unit = "m";
  plot.y.label = "force";
  plot.y.unit = "N";
  plot.series = list;
  plot.series_count = 2;
  pl_status status = pl_plot_svg(&plot, &svg, error);
  if (!status) status = pl_file_write(s->job->plot, svg.data, svg.size, error);
  pl_text_release(&svg);
  return status;
}

static pl_status fit(scene_job *s, pl_error *error)
{
  pl_allocator allocator = pl_allocator_default();
  double x[MOST_PARAMETERS] = {0}, deviations[MOST_PARAMETERS], sum;
  pl_status status = take(s, error);
  const pl_nonlinear_fit search = {.rows = s->rows,
                                   .count = s->count,
                                   .min_fall = 1e-6,
                                   .context = s,
                                   .step = 1e-3,
                                   .residuals = residuals};
  if (!status) status = pl_fit_nonlinear(&allocator, &search, 12, x, deviations, &sum, error);
  if (s->status) {
    *error = s->error;
    return s->status;
  }
  if (!status) status = run(s, x, error);
  if (status) return status;
  print_result(s, x, deviations);
  return s->job->plot ? draw(s, error) : PL_OK;
}

int fit_scene(fit_job *job)
{
  static scene_job s;
  pl_allocator allocator = pl_allocator_default();
  pl_error error = {0};
  s = (scene_job){.job = job};
  size_t rows = (size_t)job->table.rows;
  s.displacement = pl_alloc(&allocator, 2 * rows + 2 * MOST_SAMPLES, sizeof(double));
  if (!s.displacement) return cli_fail(CLI_FAILED, "there is no memory");
  s.force = s.displacement + rows;
  s.way = s.force + rows;
  s.answer = s.way + MOST_SAMPLES;
  pl_status status = fit(&s, &error);
  pl_free(&allocator, s.displacement);
  return status ? cli_fail_error(&error) : CLI_OK;
}
