/* Explicit Newmark (beta = 0, gamma = 1/2), Zhuang & Canny 2000, equations 7 to 10, in that order:
 *
 *   (7)  q1 = q0 + h v0 + h^2/2 a0
 *   (9)  (M + h/2 C) a1 = f(t1, q1, v0 + h/2 a0)
 *   (8)  v1 = v0 + h/2 (a0 + a1)
 *
 * The paper's damping C is proportional to the mass, so that with the lumped mass nothing is
 * solved; here that is the drag of the system. Other damping (which the paper does not have) is
 * taken at the velocity v0 + h a0, expected with the old acceleration, which keeps order 2:
 *
 *   (1 + h/2 drag) a1 = M^-1 f(t1, q1, v0 + h a0) + h/2 drag a0.
 *
 * Without damping the positions are those of Stoermer-Verlet. With q'' + d q' + w^2 q = 0 a
 * step has the characteristic polynomial z^3 - (2 - W - 3/2 D) z^2 + (1 - 2 D) z + D/2, W = h^2 w^2
 * and D = h d, whose roots lie in the unit circle for W <= 4 - 4 D:
 * h <= 2 (sqrt(d^2 + w^2) - d) / w^2, 2 / w without damping. The error of a step is estimated as
 * for Stoermer-Verlet. */
#include "core/clock.h"
#include "ode/integrator.h"

#include <math.h>
#include <string.h>

typedef struct newmark {
  double *a; /* history: the acceleration at the start of the step, as without constraints */
  double *f, *work, *own; /* scratch; own: of accelerations what constraints leave free */
} newmark;

static pl_status create(pl_integrator *self, pl_error *error)
{
  newmark *state = self->state;
  pl_status status = pl_integrator_history(self, &state->a, error);
  if (!status) status = pl_integrator_vector(self, &state->f, error);
  if (!status) status = pl_integrator_vector(self, &state->work, error);
  if (!status) status = pl_integrator_vector(self, &state->own, error);
  return status;
}

static void accelerate(newmark *state, pl_system *system, double t, double share, const double *q,
                       const double *v)
{
  system->ops->evaluate(system, t, q, v, state->f, 0, 0, 0, 0, NULL);
  pl_system_react(system, -share, state->f);
  system->ops->mass_inverse(system, state->f, state->f);
}

/* own = P a. */
static const double *free_part(newmark *state, pl_system *system)
{
  memcpy(state->own, state->a, (size_t)system->blocks * 3 * sizeof *state->own);
  pl_filter_apply(&system->filter, state->own);
  return state->own;
}

static pl_status step(pl_integrator *self, pl_system *system, double t, double h, double *q,
                      double *v, pl_step_report *report, pl_error *error)
{
  (void)error;
  newmark *state = self->state;
  int n = 3 * system->blocks;
  double start = pl_now(), *a = state->a;
  if (self->past->steps == 0) {
    accelerate(state, system, t, 0, q, v);
    for (int i = 0; i < n; i++) a[i] = state->f[i];
  }

  // held nodes move at the velocity that brings them where they must be
  pl_system_prescribe(system, t, h, q, v, state->work);
  const double *own = free_part(state, system);
  for (int i = 0; i < n; i++) state->work[i] = h * (v[i] + 0.5 * h * own[i]);
  system->ops->retract(system, q, state->work, q);
  for (int i = 0; i < n; i++) state->work[i] = v[i] + h * own[i];
  accelerate(state, system, t + h, 1, q, state->work);
  for (int i = 0; i < n; i++) {
    double drag = system->drag ? 0.5 * h * system->drag[i / 3] : 0;
    double next = (state->f[i] + drag * a[i]) / (1 + drag);
    state->f[i] = own[i];
    state->work[i] = next - a[i];
    a[i] = next;
  }
  own = free_part(state, system);
  for (int i = 0; i < n; i++) v[i] += 0.5 * h * (state->f[i] + own[i]);
  if (self->estimates) report->error = pl_rms(system, h * h / 6, state->work, NULL);
  pl_integrator_remember(self, h);
  system->seconds_evaluate += pl_now() - start;
  return PL_OK;
}

/* With the drag among the damping, which would not count: on the safe side. */
static double critical(double frequency, double damping)
{
  return 2 * (sqrt(damping * damping + frequency * frequency) - damping) / (frequency * frequency);
}

const pl_integrator_ops pl_integrator_explicit_newmark = {
    .info = {.name = "explicit-newmark",
             .summary =
                 "Newmark with beta = 0: order 2, one force evaluation, mass damping without "
                 "a limit on the step; needs tiny steps",
             .source = "Zhuang & Canny 2000, eq. 7-10"},
    .order = 2,
    .error_power = 3,
    .critical = critical,
    .history = 1,
    .state_size = sizeof(newmark),
    .create = create,
    .step = step,
};
