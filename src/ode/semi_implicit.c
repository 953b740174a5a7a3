/* The semi-implicit scheme of Terzopoulos et al. 1987 with central differences, as written out in
 * "Implementation of Deformable Objects" (DIKU), eq. 3.8.15 to 3.8.18:
 *
 *   (M/h^2 + C/(2h) + K(q0)) (q1 - q0) = f(q0) + (M/h - C/2) v0,    v0 = (q0 - q_-1) / h,  C =
 * -df/dv,
 *
 * f without the damping forces. In the new velocity z = (q1 - q0) / h this is one Newton iteration,
 * linearised at q0, of  M (z - v0) / h = f(t0, q0 + h z, (v0 + z) / 2).  Order 1: the loads are
 * those at the start and stiffness acts at the end of the step; damping is treated with order 2. */
#include "ode/stepper.h"

#include <string.h>

static const pl_param params[] = {PL_NEWTON_PARAMS(1, 1e-6, 0, 0)};

static pl_status step(pl_integrator *self, pl_system *system, double t, double h, double *q,
                      double *v, pl_step_report *report, pl_error *error)
{
  pl_stepper *state = self->state;
  int n = 3 * system->blocks;
  pl_stepper_begin(state, system, t, h, q, v);
  for (int i = 0; i < n; i++) {
    state->z[i] = state->move[i] = 0;
    state->drift[i] = 0.5 * v[i];
    state->w[i] = -v[i] / h;
  }
  pl_velocity_stage stage = {.t = t, .reach = h, .cq = h, .cv = 0.5, .cm = 1 / h};
  pl_status status = pl_stepper_solve(state, system, &stage, h, q, v, report, error);
  if (status) return status;
  for (int i = 0; i < n; i++) state->move[i] = h * state->z[i];
  if (self->estimates) report->error = pl_rms(system, h / 2, state->z, v);
  pl_stepper_end(state, self, system, h, state->move, state->z, q, v);
  return PL_OK;
}

const pl_integrator_ops pl_integrator_semi_implicit = {
    .info = PL_INFO("semi-implicit",
                    "Terzopoulos' scheme: one linear solve per step, order 1, damps fast motion",
                    "Terzopoulos et al. 1987; Implementation of Deformable Objects, eq. 3.8.16-18",
                    params),
    .is_implicit = 1,
    .freezes_time = 1,
    .order = 1,
    .error_power = 2,
    .history = 1,
    .state_size = sizeof(pl_stepper),
    .create = pl_stepper_create,
    .begin = pl_newton_begin,
    .step = step,
};
