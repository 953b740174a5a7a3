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
#include "ode/explicit_kernel.h"
#include "ode/integrator.h"
#include "sparse/passes.h"

#include <math.h>
#include <string.h>

typedef struct newmark {
  double *a; /* history: the acceleration at the start of the step, as without constraints */
  double *f, *work, *own; /* scratch; own: of accelerations what constraints leave free */
  double *struck[2];      /* and for impulses; the first also for what prescribing changes */
} newmark;

static pl_status create(pl_integrator *self, pl_error *error)
{
  newmark *state = self->state;
  pl_status status = pl_integrator_history(self, &state->a, error);
  if (!status) status = pl_integrator_vector(self, &state->f, error);
  if (!status) status = pl_integrator_vector(self, &state->work, error);
  if (!status) status = pl_integrator_vector(self, &state->own, error);
  for (int i = 0; i < 2 && !status; i++)
    status = pl_integrator_vector(self, &state->struck[i], error);
  return status;
}

/* held: what prescribing has changed, whose force is not yet counted; NULL: nothing. */
static void accelerate(newmark *state, pl_system *system, double t, double share,
                       pl_prescribed *held, const double *q, const double *v)
{
  system->ops->evaluate(system, t, q, v, state->f, NULL);
  if (held) pl_system_finish_prescribe(system, held);
  pl_system_oppose(system, share, state->f);
  system->ops->mass_inverse(system, state->f, state->f);
}

/* One step, for the passes around the forces. */
typedef struct passes {
  const pl_explicit_kernel *kernel;
  const pl_system *system;
  pl_explicit_step on; /* q: moved along with the prediction; NULL: not just numbers that add */
} passes;

/* own = P a, f = the increment of q, work = the velocity that is expected at the end. */
static void predict(void *context, int first, int last)
{
  const passes *p = context;
  size_t from = 3 * (size_t)first, to = 3 * (size_t)last;
  if (!p->system->filter.mpcs) {
    memcpy(p->on.own + from, p->on.a + from, (to - from) * sizeof *p->on.own);
    pl_filter_apply_range(&p->system->filter, first, last, p->on.own);
  }
  p->kernel->predict(&p->on, from, to);
}

/* The new acceleration from M^-1 f, in runs of blocks with the same drag. */
static void accelerate_range(void *context, int first, int last)
{
  const passes *p = context;
  const double h = p->on.h, *drag = p->system->drag.each;
  for (int block = first, end; block < last; block = end) {
    for (end = p->system->drag.is_equal ? last : block + 1;
         end < last && (!drag || drag[end] == drag[block]);)
      end++;
    p->kernel->accelerate(&p->on, drag ? 0.5 * h * drag[block] : 0, 3 * (size_t)block,
                          3 * (size_t)end);
  }
}

static void speed_up(void *context, int first, int last)
{
  const passes *p = context;
  p->kernel->speed_up(&p->on, 3 * (size_t)first, 3 * (size_t)last);
}

/* The new acceleration and velocity. */
static void correct(void *context, int first, int last)
{
  const passes *p = context;
  accelerate_range(context, first, last);
  pl_filter_apply_range(&p->system->filter, first, last, p->on.own);
  speed_up(context, first, last);
}

/* Rows over several blocks are not a matter of ranges. */
static void predict_all(passes *both, pl_system *system)
{
  if (system->filter.mpcs) {
    pl_pass_copy(both->on.a, both->on.own, system->blocks, 1, system->pool);
    pl_settle(system->pool);
    pl_system_free(system, 0.5, both->on.own);
  }
  pl_defer_range(system->blocks, predict, both, sizeof *both, system->pool);
}

static void correct_all(passes *both, pl_system *system)
{
  if (!system->filter.mpcs) {
    pl_defer_range(system->blocks, correct, both, sizeof *both, system->pool);
    return;
  }
  pl_each_range(system->blocks, accelerate_range, both, system->pool);
  pl_system_free(system, 0.5, both->on.own);
  pl_each_range(system->blocks, speed_up, both, system->pool);
}

/* Impulses act on the velocity of the half step, (q1 - q0) / h; those of the second kind make v1
 * another one, and with it the acceleration that (8) has there. */
static void strike_half(newmark *state, pl_system *system, double t, double h, const double *q,
                        double *v)
{
  size_t n = 3 * (size_t)system->blocks;
  double *before = state->struck[0], *after = state->struck[1];
  for (size_t i = 0; i < n; i++) before[i] = after[i] = state->f[i] / h;
  system->ops->strike(system, 0, t, h, q, after);
  for (size_t i = 0; i < n; i++) {
    double change = after[i] - before[i];
    v[i] += change;
    state->work[i] += change;
    state->f[i] = h * after[i];
  }
}

static void strike_end(newmark *state, pl_system *system, double t, double h, const double *q,
                       double *v)
{
  size_t n = 3 * (size_t)system->blocks;
  double *before = state->struck[0];
  memcpy(before, v, n * sizeof *v);
  system->ops->strike(system, 1, t, h, q, v);
  for (size_t i = 0; i < n; i++) state->a[i] += 2 * (v[i] - before[i]) / h;
}

static pl_status step(pl_integrator *self, pl_system *system, double t, double h, double *q,
                      double *v, pl_step_report *report, pl_error *error)
{
  (void)error;
  newmark *state = self->state;
  int just_adds = !system->strikes && !system->ops->chart;
  passes both = {.kernel = pl_explicit_kernel_pick(),
                 .system = system,
                 .on = {.h = h,
                        .q = just_adds ? q : NULL,
                        .v = v,
                        .a = state->a,
                        .f = state->f,
                        .work = state->work,
                        .own = state->own}};
  double start = pl_now();
  if (self->past->steps == 0) {
    accelerate(state, system, t, 0, NULL, q, v);
    pl_pass_copy(state->f, state->a, system->blocks, 1, system->pool);
  }

  // held nodes move at the velocity that brings them where they must be
  pl_prescribed held = {.work = state->struck[0]};
  int gathers = pl_pool_gather(system->pool, 1);
  pl_system_defer_prescribe(system, t, h, q, v, &held);
  predict_all(&both, system);
  if (system->strikes) {
    pl_settle(system->pool);
    pl_system_finish_prescribe(system, &held);
    strike_half(state, system, t, h, q, v);
  }
  if (!just_adds) system->ops->retract(system, q, state->f, q);
  accelerate(state, system, t + h, 1, &held, q, state->work);
  correct_all(&both, system);
  if (system->strikes) pl_settle(system->pool);
  pl_pool_gather(system->pool, gathers);
  if (system->strikes) strike_end(state, system, t, h, q, v);
  if (self->estimates) report->error = pl_rms(system, h * h / 6, state->work, NULL);
  pl_integrator_remember(self, h);
  system->clock.evaluate += pl_now() - start;
  return PL_OK;
}

/* Of damping beside the drag, which is taken at the end of the step. */
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
    .drag_is_implicit = 1,
    .defers = 1,
    .strikes = PL_STRIKES_HALF | PL_STRIKES_END,
    .history = 1,
    .state_size = sizeof(newmark),
    .create = create,
    .step = step,
};
