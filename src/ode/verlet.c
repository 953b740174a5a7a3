/* Stoermer-Verlet (leapfrog) with velocities brought to the ends of the steps:
 *
 *   v_half = v0 + h/2 a0,   q1 = q0 + h v_half,   a1 = M^-1 f(t1, q1, v_half),   v1 = v_half + h/2
 * a1,
 *
 * which for the velocities at half steps is v_{n+1/2} = v_{n-1/2} + h a(q_n, v_{n-1/2}). One force
 * evaluation per step: a1 is remembered as the next a0. Order 2, symplectic and time-reversible
 * where forces depend on positions alone, stable for h < 2 / (largest frequency): the energy then
 * swings within bounds for ever. With damping, q'' + d q' + w^2 q = 0, the characteristic
 * polynomial z^2 - (2 - h d - h^2 w^2) z + (1 - h d) has its roots in the unit circle for h^2 w^2
 * <= 4 - 2 h d: h <= (sqrt(d^2 + 4 w^2) - d) / w^2. Where they depend on velocity the lag of half a
 * step makes it order 1. The error of a step is estimated as h^2/6 (a1 - a0), the first term left
 * out. Hauth 2004, 3.2.7. */
#include "core/clock.h"
#include "ode/integrator.h"

#include <math.h>

#include <string.h>

typedef struct verlet {
  double *a;        /* history: the acceleration at the start of the step, as without constraints */
  double *dq, *own; /* scratch */
} verlet;

static pl_status create(pl_integrator *self, pl_error *error)
{
  verlet *state = self->state;
  pl_status status = pl_integrator_history(self, &state->a, error);
  if (!status) status = pl_integrator_vector(self, &state->dq, error);
  return status ? status : pl_integrator_vector(self, &state->own, error);
}

static void accelerate(verlet *state, pl_system *system, double t, double share, const double *q,
                       const double *v)
{
  system->ops->evaluate(system, t, q, v, state->a, 0, 0, 0, 0, NULL);
  pl_system_react(system, -share, state->a);
  system->ops->mass_inverse(system, state->a, state->a);
}

/* v += h a, as far as constraints leave it free. */
static void kick(verlet *state, pl_system *system, double h, double *v)
{
  memcpy(state->own, state->a, (size_t)system->blocks * 3 * sizeof *v);
  pl_filter_apply(&system->filter, state->own);
  for (int i = 0; i < 3 * system->blocks; i++) v[i] += h * state->own[i];
}

static pl_status step(pl_integrator *self, pl_system *system, double t, double h, double *q,
                      double *v, pl_step_report *report, pl_error *error)
{
  (void)error;
  verlet *state = self->state;
  int n = 3 * system->blocks;
  double start = pl_now();
  if (self->past->steps == 0) accelerate(state, system, t, 0, q, v);

  // held nodes move at the velocity that brings them where they must be
  pl_system_prescribe(system, t, h, q, v, state->dq);
  kick(state, system, 0.5 * h, v);
  for (int i = 0; i < n; i++) state->dq[i] = h * v[i];
  system->ops->retract(system, q, state->dq, q);
  if (self->estimates) memcpy(state->dq, state->a, (size_t)n * sizeof *v);
  accelerate(state, system, t + h, 1, q, v);
  if (self->estimates) report->error = pl_rms(system, h * h / 6, state->a, state->dq);
  kick(state, system, 0.5 * h, v);
  pl_integrator_remember(self, h);
  system->seconds_evaluate += pl_now() - start;
  return PL_OK;
}

static double critical(double frequency, double damping)
{
  double square = frequency * frequency;
  return (sqrt(damping * damping + 4 * square) - damping) / square;
}

const pl_integrator_ops pl_integrator_verlet = {
    .info = {.name = "verlet",
             .summary =
                 "Stoermer-Verlet: order 2, one force evaluation, keeps energy within bounds "
                 "for ever; order 1 with damping, needs tiny steps",
             .source = "Hauth 2004, 3.2.7"},
    .order = 2,
    .damped_order = 1,
    .error_power = 3,
    .critical = critical,
    .history = 1,
    .state_size = sizeof(verlet),
    .create = create,
    .step = step,
};
