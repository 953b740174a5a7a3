#include "summary.h"

#include "core/error.h"
#include "core/file.h"
#include "core/text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void add_word(pl_text *text, const char *key, const char *word)
{
  pl_text_add(text, "  \"%s\": \"", key);
  pl_text_json(text, word);
  pl_text_add(text, "\",\n");
}

/* JSON has no infinities and no NaN. */
static void add_value(pl_text *text, double value)
{
  if (isfinite(value))
    pl_text_number(text, value);
  else
    pl_text_add(text, "null");
}

static void add_number(pl_text *text, const char *key, double value)
{
  pl_text_add(text, "  \"%s\": ", key);
  add_value(text, value);
  pl_text_add(text, ",\n");
}

static void add_count(pl_text *text, const char *key, int64_t value)
{
  pl_text_add(text, "  \"%s\": %" PRId64 ",\n", key, value);
}

static void add_seconds(pl_text *text, const pl_world_facts *facts, double output)
{
  double rest = facts->seconds - facts->seconds_evaluate - facts->seconds_solve;
  pl_text_add(text,
              "  \"seconds\": {\"steps\": %.6f, \"force_and_assembly\": %.6f, \"solve\": %.6f, "
              "\"rest\": %.6f, \"output\": %.6f},\n",
              facts->seconds, facts->seconds_evaluate, facts->seconds_solve, rest, output);
}

static void add_warnings(pl_text *text, const cli_diagnosis *diagnosis)
{
  pl_text_add(text, "  \"warnings\": [");
  for (int i = 0; i < diagnosis->warnings && i < CLI_MOST_WARNINGS; i++) {
    pl_text_add(text, "%s\"", i ? ", " : "");
    pl_text_json(text, diagnosis->kept[i]);
    pl_text_add(text, "\"");
  }
  pl_text_add(text, "],\n");
}

static void add_bodies(pl_text *text, pl_world *world)
{
  pl_text_add(text, "  \"bodies\": [");
  for (int i = 0; i < pl_world_body_count(world); i++) {
    pl_body_id id = pl_world_body_at(world, i);
    const pl_mesh *mesh = pl_world_body_mesh(world, id);
    pl_text_add(text, "%s{\"name\": \"", i ? ", " : "");
    pl_text_json(text, pl_world_body_name(world, id));
    pl_text_add(text, "\", \"nodes\": %d, \"elements\": %d}", pl_mesh_node_count(mesh),
                pl_mesh_element_count(mesh));
  }
  pl_text_add(text, "],\n");
}

static void add_solver(pl_text *text, const pl_world *world)
{
  const char *why, *solver = pl_world_solver_choice(world, &why);
  add_word(text, "solver", pl_world_solver_name(world));
  add_word(text, "solver_in_use", solver);
  if (*why) add_word(text, "solver_reason", why);
  const char *reason, *choice = pl_world_preconditioner_choice(world, &reason);
  add_word(text, "preconditioner", pl_world_preconditioner_name(world));
  add_word(text, "preconditioner_in_use", choice);
  if (*reason) add_word(text, "preconditioner_reason", reason);
}

/* How the run kept step with the clock, and its hand. */
static void add_pace(pl_text *text, const cli_pace *pace, pl_scene *scene)
{
  pl_haptic_facts facts;
  cli_pace_facts times = cli_pace_read(pace);
  if (pace->is_on)
    pl_text_add(text,
                "  \"real_time\": {\"steps\": %" PRId64 ", \"missed\": %" PRId64
                ", \"median_ms\": %.3f, \"jitter_ms\": %.3f, \"longest_ms\": %.3f},\n",
                pace->steps, pace->missed, 1e3 * times.median, 1e3 * (times.high - times.median),
                1e3 * times.longest);
  if (!pl_scene_hand(scene)) return;
  pl_haptic_read(pl_scene_hand(scene), &facts);
  pl_text_add(text,
              "  \"hand\": {\"ticks\": %" PRId64 ", \"late\": %" PRId64 ", \"refused\": %" PRId64
              ", \"longest_ms\": %.3f, \"moving_plane\": %s, "
              "\"energy\": ",
              facts.ticks, facts.late, facts.refused, 1e3 * facts.longest,
              facts.is_moving ? "true" : "false");
  add_value(text, facts.energy);
  pl_text_add(text, "},\n");
}

static double peak_megabytes(void)
{
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) ? NAN : (double)usage.ru_maxrss / 1024;
}

static void compose(pl_text *text, const cli_outcome *outcome, const pl_world_facts *facts)
{
  pl_world *world = pl_scene_world(outcome->scene);
  pl_text_add(text, "{\n");
  add_word(text, "pliant", pl_version());
  add_word(text, "scene", outcome->path);
  add_word(text, "title", pl_scene_title(outcome->scene));
  pl_text_add(text, "  \"state_hash\": \"%016" PRIx64 "\",\n", pl_world_state_hash(world));
  pl_text_add(text, "  \"completed\": %s,\n",
              outcome->interrupted || outcome->failure ? "false" : "true");
  pl_text_add(text, "  \"interrupted\": %s,\n", outcome->interrupted ? "true" : "false");
  if (outcome->failure) add_word(text, "failure", outcome->failure);
  add_count(text, "steps", facts->steps);
  add_number(text, "dt", pl_world_dt(world));
  add_number(text, "simulated_seconds", facts->time);
  add_number(text, "wall_seconds", facts->seconds + outcome->seconds_output);
  add_number(text, "real_time_factor", facts->seconds > 0 ? facts->time / facts->seconds : NAN);
  add_seconds(text, facts, outcome->seconds_output);
  add_pace(text, outcome->pace, outcome->scene);
  add_word(text, "integrator", pl_world_integrator_name(world));
  add_solver(text, world);
  add_count(text, "newton_iterations", facts->newton_iterations);
  add_count(text, "linear_iterations", facts->linear_iterations);
  add_count(text, "matrices", facts->matrices);
  add_count(text, "factorisations", facts->direct.factorisations);
  add_count(text, "constraint_backsubstitutions", facts->direct.constraint_solves);
  add_count(text, "unfinished_linear_solves", facts->unfinished_solves);
  add_number(text, "worst_linear_residual", facts->worst_linear_residual);
  add_count(text, "halved_steps", facts->halved_steps);
  add_count(text, "unconverged_steps", facts->unconverged_steps);
  add_count(text, "late_steps", facts->budget.late_steps);
  add_count(text, "lagging_steps", facts->budget.lagging_steps);
  add_count(text, "fallback_substeps", facts->budget.fallback_substeps);
  add_count(text, "passes", facts->contact.passes);
  add_count(text, "unresolved_substeps", facts->contact.unresolved_substeps);
  add_count(text, "substeps", facts->substeps);
  add_count(text, "rejected_substeps", facts->rejected_substeps);
  if (facts->critical_dt > 0) add_number(text, "critical_dt", facts->critical_dt);
  add_number(text, "last_linear_residual", facts->linear_residual);
  add_number(text, "last_newton_residual_newtons", facts->newton_residual);
  pl_text_add(text, "  \"energy\": {\"kinetic\": ");
  add_value(text, facts->kinetic_energy);
  pl_text_add(text, ", \"elastic\": ");
  add_value(text, facts->elastic_energy);
  pl_text_add(text, ", \"gravity\": ");
  add_value(text, facts->gravity_energy);
  pl_text_add(text, "},\n");
  add_number(text, "least_det_f", facts->min_volume_ratio);
  add_count(text, "nodes", facts->nodes);
  add_count(text, "elements", facts->elements);
  add_count(text, "held_nodes", facts->held_nodes);
  add_count(text, "matrix_blocks", facts->matrix_blocks);
  add_bodies(text, world);
  add_count(text, "frames", outcome->frames);
  add_number(text, "peak_megabytes", peak_megabytes());
  add_warnings(text, outcome->diagnosis);
  pl_text_add(text, "  \"threads\": %d\n}\n", facts->threads);
}

pl_status cli_summary_write(const cli_outcome *outcome, const char *folder, pl_error *error)
{
  char path[4096];
  pl_world_facts facts;
  pl_status status = pl_path_join(path, sizeof path, folder, "summary.json", error);
  if (!status) status = pl_world_measure(pl_scene_world(outcome->scene), &facts, error);
  if (status) return status;
  pl_text text = pl_text_make(NULL);
  compose(&text, outcome, &facts);
  status = pl_text_ok(&text, error);
  if (!status) status = pl_file_write(path, text.data, text.size, error);
  pl_text_release(&text);
  return status;
}

pl_status cli_summary_remove(const char *folder, pl_error *error)
{
  char path[4096];
  pl_status status = pl_path_join(path, sizeof path, folder, "summary.json", error);
  if (!status && unlink(path) && errno != ENOENT)
    status = pl_fail_at(error, PL_E_IO, path, 0, "cannot be replaced: %s", strerror(errno));
  return status;
}

void cli_summary_print(pl_scene *scene, double seconds_output)
{
  pl_world_facts facts;
  if (pl_world_measure(pl_scene_world(scene), &facts, NULL)) return;
  printf("  %" PRId64
         " steps, %g s simulated in %.2f s (%.2f times real time) and %.2f s of output\n",
         facts.steps, facts.time, facts.seconds, facts.time / fmax(facts.seconds, 1e-12),
         seconds_output);
}
