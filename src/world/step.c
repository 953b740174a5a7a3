/* The step: what is tried again, counted and warned of. */
#include "core/clock.h"
#include "core/error.h"
#include "world/guide.h"
#include "world/prepare.h"

#include <math.h>

void pl_world_set_watcher(pl_world *world, const pl_watcher *watcher)
{
  world->watch = (pl_watch){.by = watcher ? *watcher : (pl_watcher){0}};
}

static void warn_unconverged(pl_world *world, const pl_step_report *report)
{
  if (!report->unconverged || world->tally.unconverged_steps++) return;
  pl_log_write(&world->log, PL_WARNING,
               "at t = %g s Newton's method was cut short with a residual of %.3g N, which is "
               "accepted; allow more iterations or take smaller steps",
               world->state.time, report->newton_residual);
}

static void warn_unstable(pl_world *world, const pl_step_report *report)
{
  if (!report->unstable) return;
  pl_log_write(&world->log, PL_WARNING,
               "the equilibrium at t = %g s is unstable: the least push would make it buckle; to "
               "see where to, add a small sideways load or take an integrator with inertia",
               world->state.time);
}

static void warn(pl_world *world, const pl_step_report *report)
{
  int has_budget = world->set.budget || world->set.time_budget > 0;
  if (report->unfinished_solves && !has_budget && !world->tally.warned_unfinished++)
    pl_log_write(&world->log, PL_WARNING,
                 "at t = %g s the linear solver used up its iterations with a relative residual of "
                 "%.2g; allow more iterations or a larger tolerance",
                 world->state.time, report->linear_residual);
  warn_unconverged(world, report);
  warn_unstable(world, report);
}

static void count(pl_world *world, const pl_step_report *report, double seconds)
{
  world->tally.last = *report;
  world->tally.newton_iterations += report->newton_iterations;
  world->tally.linear_iterations += report->linear_iterations;
  world->tally.matrices += report->matrices;
  world->tally.unfinished_solves += report->unfinished_solves;
  if (report->worst_residual > world->tally.worst_residual)
    world->tally.worst_residual = report->worst_residual;
  world->tally.seconds += seconds;
  world->tally.seconds_evaluate += world->system.clock.evaluate;
  world->tally.seconds_solve += world->system.clock.solve;
  world->system.clock.evaluate = world->system.clock.solve = 0;
}

static void warn_halved(pl_world *world, int halvings, const pl_error *reason)
{
  if (world->tally.halved_steps++) return;
  pl_log_write(&world->log, PL_WARNING,
               "the step at t = %g s failed and was repeated in %d parts (%.200s)",
               world->saved.time, 1 << halvings, reason->message);
}

/* When solvers and Newton's method must come to an end: early enough for what comes behind them,
 * as far as recent steps show. */
static void set_deadline(pl_world *world, double start)
{
  world->system.lags = world->tally.effort.level >= PL_EFFORT_LAG;
  double budget = world->set.time_budget, tail = fmin(world->tally.tail, 0.5 * budget);
  world->watch.ended = world->watch.is_late = 0;
  world->watch.deadline = budget > 0 ? start + budget - tail : 0;
  world->system.clock.solved_at = 0;
}

/* After LATE steps in succession that were late less is done, after IN_TIME that were not, more. */
static void choose_effort(pl_world *world, int is_late)
{
  enum { LATE = 4, IN_TIME = 50 };
  pl_effort *effort = &world->tally.effort;
  effort->late = is_late ? effort->late + 1 : 0;
  effort->in_time = is_late ? 0 : effort->in_time + 1;
  world->tally.lagging_steps += effort->level > PL_EFFORT_FULL;
  int change = effort->late == LATE && effort->level < PL_EFFORT_COARSE       ? 1
               : effort->in_time == IN_TIME && effort->level > PL_EFFORT_FULL ? -1
                                                                              : 0;
  if (!change) return;
  *effort = (pl_effort){.level = (pl_effort_level)((int)effort->level + change)};
}

static void look_at_clock(pl_world *world, double start, double end)
{
  double budget = world->set.time_budget;
  int is_late = world->watch.is_late || end - start > budget;
  double tail = world->system.clock.solved_at > 0 ? end - world->system.clock.solved_at : 0;
  world->tally.tail = fmax(tail, 0.9 * world->tally.tail);
  if (!(budget > 0)) return;
  world->tally.late_steps += is_late;
  choose_effort(world, is_late);
}

/* To the beginning of the step. */
static void go_back(pl_world *world)
{
  pl_state_copy(world, &world->saved, &world->state);
  pl_world_recall(world);
}

pl_status pl_world_step(pl_world *world, pl_error *error)
{
  double begun = pl_now();
  pl_status status = pl_world_update_models(world, error);
  world->watch.ended = 0;
  if (!status) status = pl_world_prepare_watched(world, error);
  if (status) return status;
  double start = pl_now();
  pl_step_report report = {0};
  pl_error reason = {0}, ignored;
  if (!error) error = &ignored;
  // the first step prepares what all others use
  if (world->state.steps == 0) begun = start;
  set_deadline(world, begun);
  status = pl_proportion_admit(world, error);
  if (!status) status = pl_world_follow_guide(world, error);
  if (status) return status;
  world->tally.knows_contacts = 0;
  pl_pool_gather(world->pool, pl_world_can_defer(world));
  pl_proportion_begin(world);
  pl_state_copy(world, &world->state, &world->saved);

  // a step that fails starts again from the same bits, in twice as many parts
  int halvings = 0;
  while ((status = pl_world_advance(world, 1 << halvings, &report, error)) != PL_OK) {
    pl_pool_gather(world->pool, 0);
    go_back(world);
    if (halvings == 0) reason = *error;
    if (halvings == pl_world_max_halvings(world) || world->set.tolerance > 0 ||
        !pl_world_can_retry(world, status))
      break;
    halvings++;
    report.worst_block1 = 0;
  }
  if (!status && (status = pl_proportion_check(world, error)) != PL_OK) go_back(world);
  if (status) {
    pl_world_name_fault(world, status, &report, error);
    error->time = world->saved.time + world->set.dt;
    return status;
  }
  if (halvings) warn_halved(world, halvings, &reason);

  // time is counted in steps, so that it does not drift
  world->state.steps++;
  world->state.time =
      world->state.epoch + (double)(world->state.steps - world->state.epoch_steps) * world->set.dt;
  world->tally.knows_contacts = 1;
  pl_world_sum_probes(world);
  double end = pl_now();
  look_at_clock(world, begun, end);
  count(world, &report, end - start);
  warn(world, &report);
  pl_world_watch_elements(world);
  return PL_OK;
}
