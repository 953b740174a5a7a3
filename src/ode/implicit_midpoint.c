/* Implicit midpoint rule:  M (v1 - v0) = h f(t + h/2, q_m, v_m),  q1 = q0 + h v_m,
 * with v_m = (v0 + v1) / 2 and q_m = q0 + h/2 v_m.
 *
 * Order 2, A-stable, symplectic: motion without damping keeps its energy (exactly where forces are
 * linear), and fast modes that the step does not resolve ring on. The unknown of the stage is
 * z = v_m. The error of a step is estimated as h^3/12 v'', with v'' from this step and the last.
 * Hauth 2004, 3.2.4. */
#include "ode/stepper.h"

static const pl_param params[] = {PL_NEWTON_PARAMS(20, 1e-5, 1, 1)};

static pl_status step(pl_integrator *self, pl_system *system, double t, double h, double *q,
                      double *v, pl_step_report *report, pl_error *error)
{
  pl_stepper *state = self->state;
  int n = 3 * system->blocks;
  pl_stepper_begin(state, system, t, h, q, v);
  pl_stepper_expect(state, self, system, h / 2, v);
  for (int i = 0; i < n; i++) {
    state->move[i] = state->drift[i] = 0;
    state->w[i] = -2 / h * v[i];
  }
  pl_velocity_stage stage = {.t = t + h / 2, .reach = h / 2, .cq = h / 2, .cv = 1, .cm = 2 / h};
  pl_status status = pl_stepper_solve(state, system, &stage, h, q, v, report, error);
  if (status) return status;
  for (int i = 0; i < n; i++) {
    state->move[i] = h * state->z[i];
    state->z[i] = 2 * state->z[i] - v[i];
  }
  if (self->estimates)
    report->error = h * h * h / 12 * pl_stepper_bend(state, self, system, h, state->z, v);
  pl_stepper_end(state, self, system, h, state->move, state->z, q, v);
  return PL_OK;
}

const pl_integrator_ops pl_integrator_implicit_midpoint = {
    .info = PL_INFO("implicit-midpoint",
                    "order 2, stable at any step, keeps energy; what the step does not resolve "
                    "rings on",
                    "Hauth 2004, 3.2.4", params),
    .is_implicit = 1,
    .order = 2,
    .error_power = 3,
    .history = 1,
    .state_size = sizeof(pl_stepper),
    .create = pl_stepper_create,
    .begin = pl_newton_begin,
    .step = step,
};
