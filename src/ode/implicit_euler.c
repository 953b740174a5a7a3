/* Implicit (backward) Euler:  M (v1 - v0) = h f(t1, q0 + h v1, v1),  q1 = q0 + h v1.
 *
 * Order 1, stable at any step for dissipative systems; damps a mode of frequency w at the rate
 * ln(1 + w^2 h^2) / (2 h). The unknown of the stage is z = v1, and the first linearisation is at
 * q0: with one Newton iteration this is the scheme of Baraff & Witkin and of Mueller et al. 2002,
 * section 3.2. The error of a step is estimated as h/2 (v1 - v0), the difference of the position
 * from that of the trapezoidal rule. Hauth 2004, 3.2.3. */
#include "ode/newton.h"
#include "sparse/vector.h"

#include <string.h>

typedef struct euler {
  pl_newton newton;
  double *z, *w, *prescribed, *falling;
} euler;

static const pl_param params[] = {PL_NEWTON_PARAMS(1, 1e-6, 0, 0)};

static pl_status create(pl_integrator *self, pl_error *error)
{
  euler *state = self->state;
  pl_status status = pl_newton_create(&state->newton, self, error);
  if (!status) status = pl_integrator_vector(self, &state->z, error);
  if (!status) status = pl_integrator_vector(self, &state->w, error);
  if (!status) status = pl_integrator_vector(self, &state->prescribed, error);
  if (!status) status = pl_integrator_vector(self, &state->falling, error);
  return status;
}

static pl_status step(pl_integrator *self, pl_system *system, double t, double h, double *q,
                      double *v, pl_step_report *report, pl_error *error)
{
  euler *state = self->state;
  int n = system->blocks;
  size_t size = 3 * (size_t)n * sizeof(double);

  // expect the old velocity, or what the loads alone make of it, or what was found before
  system->ops->external(system, t + h, q, v, state->w);
  system->ops->mass_inverse(system, state->w, state->w);
  pl_combine(v, h, state->w, state->falling, n, system->pool);

  // linearise at q0 with velocity zero
  memset(state->z, 0, size);
  pl_combine(NULL, -1 / h, v, state->w, n, system->pool);
  memcpy(state->prescribed, v, size);
  system->ops->prescribe(system, t, h, q, state->prescribed);
  pl_stage stage = {.t = t + h,
                    .cq = h,
                    .cv = 1,
                    .cm = 1 / h,
                    .q0 = q,
                    .w = state->w,
                    .prescribed = state->prescribed,
                    .guess = v,
                    .other_guess = system->pass.expected ? system->pass.expected : state->falling};
  pl_status status = pl_newton_solve(&state->newton, system, &stage, state->z, report, error);
  if (status) return status;
  pl_newton_react(system, 1);

  if (self->estimates) report->error = pl_rms(system, h / 2, state->z, v);
  memcpy(v, state->z, size);
  pl_combine(NULL, h, v, state->w, n, system->pool);
  system->ops->retract(system, q, state->w, q);
  return PL_OK;
}

const pl_integrator_ops pl_integrator_implicit_euler = {
    .info =
        PL_INFO("implicit-euler", "backward Euler: stable at any step, order 1, damps fast motion",
                "Hauth 2004, 3.2.3; Mueller et al. 2002, 3.2", params),
    .is_implicit = 1,
    .ends_on_stage = 1,
    .order = 1,
    .error_power = 2,
    .state_size = sizeof(euler),
    .create = create,
    .begin = pl_newton_begin,
    .step = step,
};
