/* Explicit (forward) Euler:  q1 = q0 + h v0,  v1 = v0 + h M^-1 f(t0, q0, v0), with the lumped mass.
 *
 * Order 1. Stable only for h < d / w^2 at every mode q'' + d q' + w^2 q = 0: undamped
 * motion always grows. Here as the baseline. The error of
 * a step is estimated as the term left out, h^2/2 a. Hauth 2004, 3.2.2. */
#include "core/clock.h"
#include "ode/integrator.h"

#include <math.h>

typedef struct euler {
  double *f, *dq;
} euler;

static pl_status create(pl_integrator *self, pl_error *error)
{
  euler *state = self->state;
  pl_status status = pl_integrator_vector(self, &state->f, error);
  return status ? status : pl_integrator_vector(self, &state->dq, error);
}

static pl_status step(pl_integrator *self, pl_system *system, double t, double h, double *q,
                      double *v, pl_step_report *report, pl_error *error)
{
  (void)error;
  euler *state = self->state;
  int n = 3 * system->blocks;
  double start = pl_now();

  // held nodes move at the velocity that brings them where they must be
  pl_system_prescribe(system, t, h, q, v, state->dq);
  if (system->strikes & PL_STRIKES_HALF) system->ops->strike(system, 0, t, h, q, v);
  system->ops->evaluate(system, t, q, v, state->f, NULL);
  for (int i = 0; i < n; i++) state->dq[i] = h * v[i];
  system->ops->retract(system, q, state->dq, q);
  pl_system_oppose(system, 1, state->f);
  system->ops->mass_inverse(system, state->f, state->f);
  pl_system_free(system, 1, state->f);
  for (int i = 0; i < n; i++) v[i] += h * state->f[i];
  if (self->estimates) report->error = pl_rms(system, h * h / 2, state->f, NULL);
  system->clock.evaluate += pl_now() - start;
  return PL_OK;
}

/* |1 + h lambda| <= 1 for both eigenvalues, a pair or the faster of two real ones. */
static double critical(double frequency, double damping)
{
  double half = damping / 2;
  if (half <= frequency) return damping / (frequency * frequency);
  return 2 / (half + sqrt((half - frequency) * (half + frequency)));
}

const pl_integrator_ops pl_integrator_explicit_euler = {
    .info = {.name = "explicit-euler",
             .summary = "forward Euler: cheap, order 1, needs tiny steps and damping",
             .source = "Hauth 2004, 3.2.2"},
    .order = 1,
    .error_power = 2,
    .needs_damping = 1,
    .critical = critical,
    .strikes = PL_STRIKES_HALF,
    .state_size = sizeof(euler),
    .create = create,
    .step = step,
};
