/* How a step of the world is divided: into equal parts, or into parts whose errors stay below a
 * tolerance.
 *
 * Step control: a part of length h with the estimated error e counts if e <= tolerance, and is made
 * again from the same bits otherwise. The next length is h * 0.9 (tolerance / e)^(1/p), where e
 * falls with the power p of h (Hairer, Norsett & Wanner 1993, II.4, eq. 4.13), changes by limited
 * factors, does not grow after a part that was undone, and is stretched so that the last part ends
 * with the step. */
#include "core/error.h"
#include "ode/newton.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

enum { MOST_PASSES = 24 }; /* over the contacts of one part */

static const double safety = 0.9, least_change = 0.2, most_change = 2;

/* What share of the step the very first part is: nothing is known yet. */
static const double first_part = 0.01;

/* Parts get no shorter than this share of the step, and no more than that. */
static const double least_part = 1e-7;
enum { MOST_PARTS = 100000 };

/* Names the first node that is no longer finite. */
static pl_status check_finite(const pl_world *world, pl_error *error)
{
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

static void each_begin(pl_world *world, const pl_substep *step)
{
  for (size_t i = 0; i < world->couplings.count; i++) {
    pl_coupling *coupling = world->couplings.list[i];
    if (coupling->ops->begin) coupling->ops->begin(coupling, step);
  }
}

/* Does any coupling want the substep to be made again? */
static int each_revise(pl_world *world, const pl_substep *step)
{
  int again = 0;
  for (size_t i = 0; i < world->couplings.count; i++) {
    pl_coupling *coupling = world->couplings.list[i];
    if (coupling->ops->revise) again |= coupling->ops->revise(coupling, step);
  }
  return again;
}

/* Accepted: laws and couplings move on. */
static void each_finish(pl_world *world, const pl_substep *step)
{
  double h = step->system->is_static ? INFINITY : step->h;
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    const pl_moment end = {
        .h = h, .q = step->q + 3 * body->offset, .v = step->v + 3 * body->offset};
    pl_model_commit(body->model, &end, body->memory, world->pool);
  }
  for (size_t i = 0; i < world->couplings.count; i++) {
    pl_coupling *coupling = world->couplings.list[i];
    if (coupling->ops->finish) coupling->ops->finish(coupling, step);
  }
}

/* Can constraints be others than in the substep before? */
static int are_transient(const pl_world *world)
{
  for (size_t i = 0; i < world->couplings.count; i++) {
    if (world->couplings.list[i]->ops->revise) return 1;
  }
  return 0;
}

/* One substep; it is made again until no coupling wants that. */
static pl_status advance_part(pl_world *world, double t, double h, pl_step_report *report,
                              pl_error *error)
{
  pl_status status = PL_OK;
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
                     .work = {world->scratch, world->work}};
  keep_before(world, 0);
  world->substep_start = t;
  pl_world_recall(world);
  each_begin(world, &step);
  int64_t inner = report->inner_steps;
  for (step.pass = 1;; step.pass++) {
    if (are_transient(world)) pl_world_constrain(world);
    pl_system_clear_reaction(&world->system);
    status = world->integrator->ops->step(world->integrator, &world->system, t, h, world->state.q,
                                          world->state.v, report, error);
    if (status || !each_revise(world, &step) || step.pass >= MOST_PASSES) break;
    // with too little of a budget left, what was found is better than what would be
    if (pl_system_budget(&world->system, report) < 0.5 * world->set.budget) break;
    keep_before(world, 1);
  }
  world->tally.parts += report->inner_steps > inner ? report->inner_steps - inner : 1;
  if (!status) each_finish(world, &step);
  return status ? status : check_finite(world, error);
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
  double most = ops->most_growth > 0 ? fmin(ops->most_growth, most_change) : most_change;
  double wanted = safety * pow(world->set.tolerance / error, 1.0 / ops->error_power);
  return isnan(wanted) ? least_change : fmin(fmax(wanted, least_change), most);
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
    pl_status status = advance_part(world, world->saved.time + done, h, report, error);
    double change = status ? 0.5 : change_of(world, report->error);
    if (status && !pl_world_can_retry(world, status)) return status;
    // an error that is no number is too large as well
    if (status || !(report->error <= world->set.tolerance)) {
      int hopeless = h <= least_part * dt || tries >= MOST_PARTS;
      if (hopeless && status) return status;
      if (hopeless)
        return pl_fail(error, PL_E_CONVERGENCE,
                       "step control wants parts below %.3g s to keep an error of %g m; allow a "
                       "larger tolerance",
                       h, world->set.tolerance);
      world->tally.rejected_parts++;
      keep_before(world, 1);
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

pl_status pl_world_advance(pl_world *world, int parts, pl_step_report *report, pl_error *error)
{
  if (world->set.tolerance > 0) return advance_controlled(world, report, error);
  double h = world->set.dt / parts;
  pl_status status = PL_OK;
  for (int i = 0; i < parts && !status; i++)
    status = advance_part(world, world->saved.time + i * h, h, report, error);
  return status;
}
