/* Static equilibrium:  f(t, q, 0) = 0, found by Newton's method along a path of loads.
 *
 * A step from t to t + h ends in the equilibrium of the loads and held nodes at t + h. On the way
 * there it passes `load-steps` equilibria in between; starting from rest (t = 0) the loads grow
 * from zero along this path. Where Newton fails, or ends in a state that the material cannot have,
 * the increment is halved; it grows again after success.
 *
 * Where the tangent is indefinite Newton takes a semidefinite one, which goes downhill: towards
 * stable equilibria. Near an unstable one that it has no reason to leave (a column that has
 * buckled, but stands straight) it converges only linearly. There, and where no increment is
 * small enough, the true tangent is taken as long as equilibria are unstable, if the solver can be
 * asked to bear it. */
#include "ode/newton.h"

#include "core/error.h"

#include <math.h>
#include <string.h>

enum { LOAD_STEPS = PL_NEWTON_PARAM_COUNT, PARAM_COUNT };

static const pl_param params[PARAM_COUNT] = {
    PL_NEWTON_PARAMS(40, 1e-8, 1, 0),
    {.name = "load-steps",
     .unit = "count",
     .summary = "equilibria on the way to the full load",
     .preset = 1,
     .min = 1,
     .max = 10000},
};

/* Own numbers of the past: the largest unbalanced force met, N, which "converged" is measured by;
 * and whether the solver is to bear indefinite tangents. */
enum { REFERENCE, BEARS };

static const double min_increment = 1e-4; /* of a load step */
static const double near = 1e-4;          /* an equilibrium: of the first residual */

typedef struct statics {
  pl_newton newton;
  double *z, *start, *prescribed;
} statics;

static pl_status create(pl_integrator *self, pl_error *error)
{
  statics *state = self->state;
  pl_status status = pl_newton_create(&state->newton, self, error);
  if (!status) status = pl_integrator_vector(self, &state->z, error);
  if (!status) status = pl_integrator_vector(self, &state->start, error);
  if (!status) status = pl_integrator_vector(self, &state->prescribed, error);
  return status;
}

/* Equilibrium at time t1 from the one in q at time t0. */
static pl_status balance(pl_integrator *self, pl_system *system, double t0, double t1, double *q,
                         pl_step_report *report, pl_error *error)
{
  statics *state = self->state;
  int n = 3 * system->blocks;
  double *reference = &self->past->own[REFERENCE];
  memset(state->z, 0, (size_t)n * sizeof *state->z);
  memcpy(state->start, q, (size_t)n * sizeof *q);
  memset(state->prescribed, 0, (size_t)n * sizeof *q);
  system->ops->prescribe(system, t0, t1 - t0, q, state->prescribed);
  for (int i = 0; i < n; i++) state->prescribed[i] *= t1 - t0;

  pl_solver_expect_indefinite(system->solver, self->past->own[BEARS] > 0);
  pl_stage stage = {.t = t1, .cq = 1, .q0 = state->start, .prescribed = state->prescribed};
  state->newton.floor = fmax(self->values[PL_NEWTON_FORCE], state->newton.tolerance * *reference);
  pl_status status = pl_newton_solve(&state->newton, system, &stage, state->z, report, error);
  if (status) return status;
  if (state->newton.reference > *reference) *reference = state->newton.reference;
  // q is left alone until it is known to be good
  system->ops->retract(system, state->start, state->z, state->prescribed);
  report->worst_block1 = pl_system_folded1(system, state->prescribed);
  if (report->worst_block1)
    return pl_fail(error, PL_E_DIVERGED,
                   "the equilibrium that was found is no state of the material: an element is "
                   "turned inside out; take a smaller load");
  memcpy(q, state->prescribed, (size_t)n * sizeof *q);
  pl_system_clear_reaction(system);
  pl_newton_react(system, 1);
  return PL_OK;
}

/* Has Newton ended near an equilibrium that it did not reach? */
static int is_near(const pl_newton *newton, const pl_step_report *report)
{
  return report->newton_residual <= near * newton->reference;
}

/* If the tangent was indefinite on the way, the solver is asked to bear that from now on, or no
 * longer if it did so far. Returns whether it can. */
static int change_tangent(pl_integrator *self, pl_system *system, const pl_step_report *report)
{
  double *bears = &self->past->own[BEARS];
  if (*bears == 0 && report->semidefinite_fallbacks == 0) return 0;
  if (!system->solver->ops->indefinite_on_demand) return 0;
  *bears = *bears == 0;
  return 1;
}

/* Is q an unstable equilibrium? The solver expects from now on what was found. */
static int is_unstable(pl_integrator *self, pl_system *system, double t, const double *q,
                       const pl_step_report *report)
{
  statics *state = self->state;
  pl_step_report unread = *report;
  pl_stage stage = {.t = t, .cq = 1, .q0 = q};
  memset(state->z, 0, (size_t)system->blocks * 3 * sizeof *state->z);
  pl_solver_expect_indefinite(system->solver, 0);
  int unstable = pl_newton_is_indefinite(&state->newton, system, &stage, state->z, &unread);
  pl_solver_expect_indefinite(system->solver, unstable);
  return unstable;
}

static pl_status fail_indefinite(const pl_newton *newton, const pl_step_report *report,
                                 pl_error *error)
{
  return pl_fail(error, PL_E_CONVERGENCE,
                 "Newton's method left a residual of %.3g N (%.3g N wanted) where the tangent is "
                 "indefinite: the body buckles or snaps; add a small sideways load, take an "
                 "integrator with inertia, or solver \"minres\", which also finds unstable "
                 "equilibria",
                 report->newton_residual, newton->tolerance * newton->reference);
}

static pl_status step(pl_integrator *self, pl_system *system, double t, double h, double *q,
                      double *v, pl_step_report *report, pl_error *error)
{
  const statics *state = self->state;
  double whole = 1 / self->values[LOAD_STEPS], increment = whole, done = 0;
  int is_changed = 0;
  pl_status status = PL_OK;
  memset(v, 0, (size_t)system->blocks * 3 * sizeof *v);
  while (done < 1) {
    // the last increment ends exactly at 1
    double next = done + increment > 1 - 1e-9 ? 1 : done + increment;
    system->load_scale = t > 0 ? 1 : next;
    status = balance(self, system, t + done * h, t + next * h, q, report, error);
    if (!status) {
      done = next;
      increment = increment < whole ? 2 * increment : whole;
      continue;
    }
    if (status != PL_E_CONVERGENCE && status != PL_E_DIVERGED) break;
    int is_lost = 0.5 * increment < min_increment * whole;
    int may_change = !is_changed && (is_lost || is_near(&state->newton, report));
    if (may_change && change_tangent(self, system, report)) {
      is_changed = 1;
      if (is_lost) increment = whole;
      continue;
    }
    if (is_lost) break;
    increment *= 0.5;
  }
  system->load_scale = 1;
  double *bears = &self->past->own[BEARS];
  if (!status && *bears > 0) *bears = is_unstable(self, system, t + h, q, report);
  report->unstable = !status && is_changed && *bears > 0;
  if (status == PL_E_CONVERGENCE && report->semidefinite_fallbacks > 0)
    return fail_indefinite(&state->newton, report, error);
  return status;
}

const pl_integrator_ops pl_integrator_static = {
    .info = PL_INFO("static", "equilibrium of the loads at the end of each step; no inertia",
                    "Hauth 2004, 2.4 and 3.3", params),
    .is_implicit = 1,
    .ends_on_stage = 1,
    .is_static = 1,
    .state_size = sizeof(statics),
    .create = create,
    .begin = pl_newton_begin,
    .step = step,
};
