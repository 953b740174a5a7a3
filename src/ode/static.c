/* Static equilibrium:  f(t, q, 0) = 0, found by Newton's method along a path of loads.
 *
 * A step from t to t + h ends in the equilibrium of the loads and held nodes at t + h. On the way
 * there it passes `load-steps` equilibria in between; starting from rest (t = 0) the loads grow
 * from zero along this path. Where Newton fails, or ends in a state that the material cannot have,
 * the increment is halved; it grows again after success. */
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

/* Own number of the past: the largest unbalanced force met, N, which "converged" is measured by. */
enum { REFERENCE };

static const double min_increment = 1e-4; /* of a load step */

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

static pl_status step(pl_integrator *self, pl_system *system, double t, double h, double *q,
                      double *v, pl_step_report *report, pl_error *error)
{
  double whole = 1 / self->values[LOAD_STEPS], increment = whole, done = 0;
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
    increment *= 0.5;
    if (increment < min_increment * whole) break;
  }
  system->load_scale = 1;
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
