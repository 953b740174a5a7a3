/* How a step of the world is divided: into equal substeps, or into substeps whose errors stay below
 * a tolerance.
 *
 * Step control: a part of length h with the estimated error e counts if e <= tolerance, and is made
 * again from the same bits otherwise. The next length is h * 0.9 (tolerance / e)^(1/p), where e
 * falls with the power p of h (Hairer, Norsett & Wanner 1993, II.4, eq. 4.13), changes by limited
 * factors, does not grow after a part that was undone, and is stretched so that the last part ends
 * with the step. */
#include "core/error.h"
#include "math/functions.h"
#include "ode/newton.h"
#include "sparse/passes.h"
#include "world/vectors.h"

#include <math.h>
#include <string.h>

static const double safety = 0.9, min_change = 0.2, max_change = 2;

/* What share of the step the very first part is: nothing is known yet. */
static const double first_part = 0.01;

/* Parts get no shorter than this share of the step, and no more than that. */
static const double min_part = 1e-7;
enum { MOST_PARTS = 100000 };

/* Names the first node that is no longer finite. At the end of a step its energy comes with it. */
static pl_status check_finite(pl_world *world, pl_error *error)
{
  if (world->substep.is_deferred && world->substep.is_last) pl_proportion_end(world);
  // positions and velocities stand one behind the other
  if (pl_pass_is_finite(world->state.q, world->bodies.blocks, 2, world->pool)) return PL_OK;
  for (int i = 0; i < 3 * world->bodies.blocks; i++) {
    if (isfinite(world->state.q[i]) && isfinite(world->state.v[i])) continue;
    const pl_body *body = pl_bodies_owner(&world->bodies, i / 3);
    int node = body->order[pl_body_anchor(body, i / 3 - body->offset)];
    return pl_fail_entity(error, PL_E_DIVERGED, node,
                          "body \"%.80s\" diverged: node %d is no longer finite; take a smaller dt "
                          "than %g s, an implicit integrator, or more damping",
                          body->name, node, world->set.dt);
  }
  return PL_OK;
}

/* Keeps the state at the beginning of the substep, or goes back there. */
static void keep_before(pl_world *world, int back)
{
  if (!world->before.numbers) return;
  if (back)
    pl_state_copy(world, &world->before, &world->state);
  else
    pl_state_copy(world, &world->state, &world->before);
}

static pl_status each_begin(pl_world *world, const pl_substep *step, pl_error *error)
{
  pl_status status = PL_OK;
  for (size_t i = 0; i < world->couplings.count && !status; i++) {
    pl_coupling *coupling = world->couplings.list[i];
    if (coupling->ops->find) status = coupling->ops->find(coupling, step, error);
    if (coupling->ops->begin && !status) coupling->ops->begin(coupling, step);
  }
  world->system.is_changing = pl_couplings_are_changing(&world->couplings);
  return status;
}

/* Does any coupling want the substep to be repeated? */
static int each_revise(pl_world *world, const pl_substep *step)
{
  int again = 0;
  world->system.pass.patched = 0;
  for (size_t i = 0; i < world->couplings.count; i++) {
    pl_coupling *coupling = world->couplings.list[i];
    if (coupling->ops->revise) again += coupling->ops->revise(coupling, step) != 0;
  }
  world->system.pass.is_same = again == world->system.pass.patched;
  return again;
}

/* Where laws remember they have begun when they moved on, or the state was changed since. */
static void begin_others(pl_world *world)
{
  for (size_t b = 0; b < world->bodies.count; b++) {
    if (!world->bodies.list[b].memory) pl_model_begin(world->bodies.list[b].model, NULL);
  }
}

static void move_laws(pl_world *world, const pl_substep *step)
{
  double h = step->system->is_static ? INFINITY : step->h;
  const double *from = world->state.materials;
  double *to = pl_world_free_room(world);
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    const pl_moment end = {
        .h = h, .q = step->q + 3 * body->offset, .v = step->v + 3 * body->offset};
    if (body->memory)
      pl_model_move(body->model, &end, body->memory, to + (body->memory - from), world->pool);
  }
  pl_world_take_room(world, to);
}

/* Accepted: laws and couplings move on. */
static void each_finish(pl_world *world, const pl_substep *step)
{
  move_laws(world, step);
  for (size_t i = 0; i < world->couplings.count; i++) {
    pl_coupling *coupling = world->couplings.list[i];
    if (coupling->ops->finish) coupling->ops->finish(coupling, step);
  }
}

int pl_world_revises(const pl_world *world)
{
  for (size_t i = 0; i < world->couplings.count; i++) {
    if (world->couplings.list[i]->ops->revise) return 1;
  }
  return 0;
}

static void each_start(pl_world *world, const pl_substep *step)
{
  pl_system *system = &world->system;
  if (!system->safe) return;
  memcpy(system->safe, step->q, (size_t)system->blocks * 3 * sizeof *step->q);
  for (size_t i = 0; i < world->couplings.count; i++) {
    pl_coupling *coupling = world->couplings.list[i];
    if (coupling->ops->guard) coupling->ops->guard->start(coupling, step->t);
  }
}

/* One pass of an integrator; again where pairs of blocks came for which there was no room. */
static pl_status integrate(pl_world *world, pl_integrator *by, const pl_substep *step,
                           pl_step_report *report, pl_error *error)
{
  pl_system *system = &world->system;
  for (;;) {
    pl_status status = pl_world_turn_in(world, step->h, error);
    if (status) return status;
    pl_system_clear_reaction(system);
    each_start(world, step);
    status = world->vectors.share
                 ? pl_vectors_step(world, step, report, error)
                 : by->ops->step(by, system, step->t, step->h, step->q, step->v, report, error);
    int is_short = system->pairs && pl_pairs_is_short(system->pairs);
    if (!is_short && !system->missing) return status;
    status = is_short ? pl_pairs_grow(system->pairs, error) : PL_OK;
    if (!status && system->missing) status = pl_world_widen(world, error);
    if (status) return status;
    system->pass.is_same = 0;
    keep_before(world, 1);
  }
}

static void describe(pl_system *system, const pl_integrator_ops *ops)
{
  system->order = ops->order;
  system->freezes_time = ops->freezes_time;
}

/* One pass by the integrator or, where a budget cuts its solves short, by its fallback. */
static pl_status integrate_in_budget(pl_world *world, const pl_substep *step,
                                     pl_step_report *report, pl_error *error)
{
  pl_integrator *own = world->integrator, *other = world->substep.fallback.by;
  int budget = world->set.budget, cut = report->unfinished_solves + report->unconverged;
  if (!other) return integrate(world, own, step, report, error);
  // steps that are late again and again, and single iterations, cannot afford both
  if (world->tally.effort.level == PL_EFFORT_FULL && budget != 1) {
    world->system.budget = budget / 2;
    pl_status status = integrate(world, own, step, report, error);
    if (status || report->unfinished_solves + report->unconverged == cut) return status;
    keep_before(world, 1);
  }
  world->substep.fallback.substeps++;
  world->system.budget = budget;
  pl_integrator_forget(own);
  describe(&world->system, other->ops);
  pl_status status = integrate(world, other, step, report, error);
  describe(&world->system, own->ops);
  return status;
}

static void warn_unresolved(pl_world *world, double t)
{
  if (world->tally.unresolved++) return;
  pl_log_write(&world->log, PL_WARNING,
               "at t = %g s contacts were still changing after %d passes, and are taken as they "
               "are; take smaller steps, or a gap where bodies begin inside something",
               t, PL_MOST_PASSES);
}

/* Passes from which the first one may be a trial. */
enum { FEWEST_WITH_TRIAL = 4 };

int pl_world_can_defer(const pl_world *world)
{
  const pl_layout *layout = &world->layout;
  if (!world->integrator->ops->defers || world->before.numbers || world->system.safe ||
      world->system.filter.mpcs || layout->couplings != layout->count)
    return 0;
  for (size_t b = 0; b < world->bodies.count; b++) {
    if (!pl_model_has_points(world->bodies.list[b].model)) return 0;
  }
  return 1;
}

/* One substep, repeated until no coupling asks for it. */
static pl_status make_part(pl_world *world, double t, double h, pl_step_report *report,
                           pl_error *error)
{
  world->watch.time = t;
  pl_status status = pl_watch_check(&world->watch, error);
  if (status) return status;
  int moved = 0;
  pl_substep step = {.system = &world->system,
                     .couplings = &world->couplings,
                     .t = t,
                     .h = h,
                     .q0 = world->before.q,
                     .v0 = world->before.v,
                     .q = world->state.q,
                     .v = world->state.v,
                     .reaction = world->system.reaction,
                     .rows = &world->rows,
                     .work = {world->vectors.scratch, world->vectors.work},
                     .moved = &moved};
  keep_before(world, 0);
  world->substep.start = t;
  world->substep.length = h;
  begin_others(world);
  world->system.pass.is_trial = world->system.pass.is_same = 0;
  if ((status = each_begin(world, &step, error)) != PL_OK) return status;
  int64_t inner = report->inner_steps;
  int max = world->contact.passes >= 1 ? (int)world->contact.passes : PL_MOST_PASSES;
  world->system.pass.expected = NULL;
  if (max < FEWEST_WITH_TRIAL || world->set.budget || pl_pairs_exist(world->system.pairs))
    world->system.pass.is_trial = 0;
  for (step.pass = 1;; step.pass++) {
    world->substep.pass = step.pass;
    world->tally.passes++;
    if (pl_world_revises(world) && (status = pl_world_constrain(world, error)) != PL_OK) break;
    world->system.pass.is_cut = 0;
    status = integrate_in_budget(world, &step, report, error);
    if (world->system.filter.mpcs) pl_mpcs_split(world->rows.mpcs, world->system.reaction);
    world->system.pass.is_trial = 0;
    if (status) break;
    if (!each_revise(world, &step) && !world->system.pass.is_cut) break;
    if (step.pass >= max) {
      if (!(world->contact.passes >= 1)) warn_unresolved(world, t);
      break;
    }
    // with too little of a budget left, what was found is better than what would be
    if (pl_system_budget(&world->system, report) < 0.5 * world->set.budget) break;
    if (pl_watch_late(&world->watch)) break;
    memcpy(world->vectors.expected, step.v, 3 * (size_t)world->system.blocks * sizeof(double));
    world->system.pass.expected = world->vectors.expected;
    keep_before(world, 1);
  }
  world->tally.substeps += report->inner_steps > inner ? report->inner_steps - inner : 1;
  if (!status) status = pl_world_turn_out(world, h, error);
  if (!status) each_finish(world, &step);
  if (moved) pl_integrator_forget(world->integrator);
  return status ? status : check_finite(world, error);
}

/* The same; where nothing but the integrator reads or changes the state in it, the pool gathers
 * what precedes the forces, and what follows them. */
static pl_status advance_part(pl_world *world, double t, double h, int is_last,
                              pl_step_report *report, pl_error *error)
{
  world->substep.is_last = is_last;
  world->substep.is_deferred = pl_world_can_defer(world);
  pl_pool_gather(world->pool, world->substep.is_deferred);
  pl_status status = make_part(world, t, h, report, error);
  pl_pool_gather(world->pool, 0);
  return status;
}

int pl_world_can_retry(const pl_world *world, pl_status status)
{
  if (world->integrator->ops->is_static) return 0;
  return status == PL_E_DIVERGED || status == PL_E_CONVERGENCE || status == PL_E_SINGULAR ||
         status == PL_E_INDEFINITE;
}

/* By which factor the next part may be longer than one with this error. */
static double change_of(const pl_world *world, double error)
{
  const pl_integrator_ops *ops = world->integrator->ops;
  double max = ops->max_growth > 0 ? fmin(ops->max_growth, max_change) : max_change;
  double wanted = safety * pl_pow(world->set.tolerance / error, 1.0 / ops->error_power);
  return isnan(wanted) ? min_change : fmin(fmax(wanted, min_change), max);
}

/* The length of the next part where `rest` of the step is left: no crumbs at the end. */
static double fit(double h, double rest)
{
  if (h >= 0.99 * rest) return rest;
  return h > 0.5 * rest ? 0.5 * rest : h;
}

static pl_status advance_controlled(pl_world *world, pl_step_report *report, pl_error *error)
{
  double done = 0, dt = world->set.dt;
  double wanted =
      world->integrator->past->next > 0 ? world->integrator->past->next : first_part * dt;
  int rejected = 0; // the last part was
  for (int tries = 0; done < dt; tries++) {
    double h = fit(wanted, dt - done);
    pl_status status = advance_part(world, world->saved.time + done, h, 0, report, error);
    double change = status ? 0.5 : change_of(world, report->error);
    if (status && !pl_world_can_retry(world, status)) return status;
    // an error that is no number is too large as well
    if (status || !(report->error <= world->set.tolerance)) {
      int hopeless = h <= min_part * dt || tries >= MOST_PARTS;
      if (hopeless && status) return status;
      if (hopeless)
        return pl_fail(error, PL_E_CONVERGENCE,
                       "step control wants substeps below %.3g s to keep an error of %g m; allow a "
                       "larger tolerance",
                       h, world->set.tolerance);
      world->tally.rejected_substeps++;
      keep_before(world, 1);
      pl_world_recall(world);
      wanted = h * fmin(change, safety);
      rejected = 1;
      continue;
    }
    if (tries >= MOST_PARTS)
      return pl_fail(error, PL_E_LIMIT,
                     "step control has divided the step into %d parts; take a smaller dt, an "
                     "implicit integrator, or a tolerance that is small against the elements",
                     MOST_PARTS);
    if (rejected) change = fmin(change, 1);
    rejected = 0;
    // a part that was cut short by the end of the step says little about the next
    done = h == dt - done ? dt : done + h;
    wanted = h < wanted ? fmax(wanted, h * change) : h * change;
    world->integrator->past->next = wanted;
  }
  return PL_OK;
}

/* Substeps of explicit methods: as long as the critical step in the present state allows, all that
 * are left of equal length, and looked at again after some. */
enum { SUBSTEPS_BETWEEN = 16 };

static const double bound_share = 0.9; /* of the bound: it changes until it is looked at again */

static pl_status count_substeps(pl_world *world, double rest, int parts, int *count,
                                pl_error *error)
{
  double bound = pl_proportion_bound(world), wanted = ceil(parts * rest / (bound_share * bound));
  if (!(wanted <= MOST_PARTS))
    return pl_fail(error, PL_E_LIMIT,
                   "%s is stable up to a step of %.3g s here, which divides the step of %g s into "
                   "more than %d parts; take a smaller dt, a coarser mesh or an implicit method",
                   world->integrator->ops->info.name, bound, world->set.dt, MOST_PARTS);
  *count = wanted < 1 ? 1 : (int)wanted;
  return PL_OK;
}

static pl_status advance_bounded(pl_world *world, int parts, pl_step_report *report,
                                 pl_error *error)
{
  double done = 0, dt = world->set.dt;
  pl_status status = PL_OK;
  while (done < dt && !status) {
    int count = 1;
    status = count_substeps(world, dt - done, parts, &count, error);
    double h = (dt - done) / count, start = done;
    for (int i = 1; i <= count && i <= SUBSTEPS_BETWEEN && !status; i++) {
      status = advance_part(world, world->saved.time + done, h, i == count, report, error);
      done = i == count ? dt : start + i * h;
    }
  }
  return status;
}

/* Couplings that guard against passing through may want a substep to be divided. */
static pl_status advance_flight(pl_world *world, double t, double h, int is_last,
                                pl_step_report *report, pl_error *error)
{
  pl_substep step = {.system = &world->system,
                     .couplings = &world->couplings,
                     .t = t,
                     .h = h,
                     .q = world->state.q,
                     .v = world->state.v};
  int count = 1;
  pl_status status = PL_OK;
  for (size_t i = 0; i < world->couplings.count && world->system.safe; i++) {
    pl_coupling *coupling = world->couplings.list[i];
    int own = coupling->ops->guard ? coupling->ops->guard->parts(coupling, &step) : 1;
    count = own > count ? own : count;
  }
  if (count > 1 && !world->tally.flights++)
    pl_log_write(&world->log, PL_WARNING,
                 "at t = %g s bodies fly farther in a step than half their size and might pass "
                 "around each other: the step is made in %d parts",
                 t, count);
  for (int i = 0; i < count && !status; i++)
    status = advance_part(world, t + i * (h / count), h / count, is_last && i == count - 1, report,
                          error);
  return status;
}

pl_status pl_world_advance(pl_world *world, int parts, pl_step_report *report, pl_error *error)
{
  if (world->set.tolerance > 0) return advance_controlled(world, report, error);
  if (world->set.substeps == 0 && world->integrator->ops->critical)
    return advance_bounded(world, parts, report, error);
  double h = world->set.dt / parts;
  pl_status status = PL_OK;
  for (int i = 0; i < parts && !status; i++)
    status = advance_flight(world, world->saved.time + i * h, h, i == parts - 1, report, error);
  return status;
}
