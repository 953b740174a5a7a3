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
 * out. Hauth 2004, 3.2.7.
 *
 * local-verlet: the same with smaller steps where elements are small (local.h); a_eff in place of
 * a. */
#include "core/clock.h"
#include "ode/explicit_kernel.h"
#include "ode/local.h"
#include "sparse/passes.h"

#include <math.h>

#include <string.h>

enum { PARTS, PARAM_COUNT };

static const pl_param params[PARAM_COUNT] = {
    [PARTS] = {"parts", "1", "most steps of the smallest elements in one of the largest", 64, 1,
               10000, NULL, 1},
};

typedef struct verlet {
  double *a;        /* history: the acceleration at the start of the step, as without constraints */
  double *dq, *own; /* scratch */
  double *changed;  /* and for what prescribing changes */
  pl_local_steps local; /* of local-verlet only: parts is 0 otherwise */
} verlet;

static pl_status create(pl_integrator *self, pl_error *error)
{
  verlet *state = self->state;
  pl_status status = pl_integrator_history(self, &state->a, error);
  if (!status) status = pl_integrator_vector(self, &state->dq, error);
  if (!status) status = pl_integrator_vector(self, &state->own, error);
  return status ? status : pl_integrator_vector(self, &state->changed, error);
}

static pl_status create_local(pl_integrator *self, pl_error *error)
{
  verlet *state = self->state;
  pl_status status = create(self, error);
  return status ? status
                : pl_local_steps_create(self, &state->local, (int)self->values[PARTS], error);
}

static void destroy_local(pl_integrator *self)
{
  verlet *state = self->state;
  if (state) pl_local_steps_destroy(self, &state->local);
}

/* held: what prescribing has changed, whose force is not yet counted; NULL: nothing. */
static void accelerate(verlet *state, pl_system *system, double t, double share,
                       pl_prescribed *held, const double *q, const double *v)
{
  system->ops->evaluate(system, t, q, v, state->a, NULL);
  if (held) pl_system_finish_prescribe(system, held);
  if (state->local.parts > 1) {
    int gathers = pl_pool_gather(system->pool, 0);
    pl_local_steps_mean(&state->local, system, t, q, v, state->a);
    pl_pool_gather(system->pool, gathers);
  }
  pl_system_oppose(system, share, state->a);
  system->ops->mass_inverse(system, state->a, state->a);
}

/* Half a step, for the passes around the forces. */
typedef struct passes {
  const pl_explicit_kernel *kernel;
  const pl_system *system;
  pl_explicit_step on; /* dq: of the first half only */
} passes;

/* v += h/2 a, as far as constraints leave it free. */
static void kick(void *context, int first, int last)
{
  const passes *p = context;
  size_t from = 3 * (size_t)first, to = 3 * (size_t)last;
  if (!p->system->filter.mpcs) {
    memcpy(p->on.own + from, p->on.a + from, (to - from) * sizeof *p->on.own);
    pl_filter_apply_range(&p->system->filter, first, last, p->on.own);
  }
  p->kernel->kick(&p->on, from, to);
}

static void kick_all(passes *half, pl_system *system)
{
  // rows over several blocks: not a matter of ranges
  if (system->filter.mpcs) {
    pl_pass_copy(half->on.a, half->on.own, system->blocks, 1, system->pool);
    pl_settle(system->pool);
    pl_system_free(system, 0.5, half->on.own);
  }
  pl_defer_range(system->blocks, kick, half, sizeof *half, system->pool);
}

static pl_status step(pl_integrator *self, pl_system *system, double t, double h, double *q,
                      double *v, pl_step_report *report, pl_error *error)
{
  (void)error;
  verlet *state = self->state;
  passes half = {.kernel = pl_explicit_kernel_pick(),
                 .system = system,
                 .on = {.h = h, .v = v, .a = state->a, .own = state->own, .dq = state->dq}};
  double start = pl_now();
  if (self->past->steps == 0) accelerate(state, system, t, 0, NULL, q, v);

  // held nodes move at the velocity that brings them where they must be
  pl_prescribed held = {.work = state->changed};
  int gathers = pl_pool_gather(system->pool, 1);
  pl_system_defer_prescribe(system, t, h, q, v, &held);
  kick_all(&half, system);
  if (system->strikes & PL_STRIKES_HALF) {
    pl_settle(system->pool);
    pl_system_finish_prescribe(system, &held);
    system->ops->strike(system, 0, t, h, q, v);
    for (int i = 0; i < 3 * system->blocks; i++) state->dq[i] = h * v[i];
  }
  system->ops->retract(system, q, state->dq, q);
  if (self->estimates) pl_pass_copy(state->a, state->dq, system->blocks, 1, system->pool);
  accelerate(state, system, t + h, 1, &held, q, v);
  if (self->estimates) report->error = pl_rms(system, h * h / 6, state->a, state->dq);
  half.on.dq = NULL;
  kick_all(&half, system);
  pl_pool_gather(system->pool, gathers);
  pl_integrator_remember(self, h);
  system->clock.evaluate += pl_now() - start;
  return PL_OK;
}

/* The same with regions of smaller steps. */
static pl_status step_local(pl_integrator *self, pl_system *system, double t, double h, double *q,
                            double *v, pl_step_report *report, pl_error *error)
{
  verlet *state = self->state;
  pl_status status =
      pl_local_steps_choose(self, &state->local, system, h, (int)self->values[PARTS], error);
  if (status) return status;
  if (state->local.parts > 1) report->inner_steps += state->local.parts;
  return step(self, system, t, h, q, v, report, error);
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
    .defers = 1,
    .strikes = PL_STRIKES_HALF,
    .history = 1,
    .state_size = sizeof(verlet),
    .create = create,
    .step = step,
};

/* No error_power: forces of small steps are means, which the estimate of verlet is not made for. */
const pl_integrator_ops pl_integrator_local_verlet = {
    .info = PL_INFO("local-verlet",
                    "Stoermer-Verlet with smaller steps where elements are small: order 2, "
                    "one force evaluation for large elements; order 1 with damping",
                    "Diaz & Grote 2009", params),
    .order = 2,
    .damped_order = 1,
    .strikes = PL_STRIKES_HALF,
    .history = 1,
    .over_ranks = "verlet", // who is fast is found within one process
    .state_size = sizeof(verlet),
    .create = create_local,
    .destroy = destroy_local,
    .step = step_local,
};
