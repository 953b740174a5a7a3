/* RKC2, the Runge-Kutta-Chebyshev method of order 2 (Sommeijer, Shampine & Verwer 1998, eq. 2.2 to
 * 2.8 with epsilon = 2/13): s stages whose stability interval on the negative real axis grows like
 * 0.65 s^2, so that s stages reach s/2 times further than s steps of Euler.
 *
 *   Y_1 = Y_0 + m~_1 h F_0
 *   Y_j = (1 - m_j - n_j) Y_0 + m_j Y_{j-1} + n_j Y_{j-2} + m~_j h F_{j-1} + g~_j h F_0
 *
 * ROCK2 (rock2.c) has an interval of 0.80 s^2. The number of stages follows from an estimate of the
 * spectral radius (stability.h). */
#include "core/clock.h"
#include "core/error.h"
#include "ode/stability.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

static const double epsilon = 2.0 / 13; /* damping of the method itself */

static const pl_param params[] = {PL_STAGES_PARAMS(200, 2, 10000)};

typedef struct chebyshev {
  pl_stages stages;
  double *q[3], *v[3];        /* Y_0 in place 0; Y_{j-2}, Y_{j-1} in the others in turn */
  double *a0, *a, *dq, *next; /* F_0 and F_{j-1} of the velocities; scratch */
} chebyshev;

static pl_status create(pl_integrator *self, pl_error *error)
{
  chebyshev *state = self->state;
  double **vectors[] = {&state->q[0], &state->q[1], &state->q[2], &state->v[0], &state->v[1],
                        &state->v[2], &state->a0,   &state->a,    &state->dq,   &state->next};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    pl_status status = pl_integrator_vector(self, vectors[i], error);
    if (status) return status;
  }
  return pl_stages_create(self, error);
}

/* share: of the forces there in the step's constraint forces. */
static void accelerate(pl_system *system, double t, double share, const double *q, const double *v,
                       double *a)
{
  system->ops->evaluate(system, t, q, v, a, NULL);
  pl_system_oppose(system, share, a);
  system->ops->mass_inverse(system, a, a);
  pl_system_free(system, share, a);
}

/* Chebyshev's polynomial and its first two derivatives at w, three degrees in a row. */
typedef struct triple {
  double T, d1, d2;
} triple;

static triple chebyshev_next(triple last, triple before, double w)
{
  return (triple){2 * w * last.T - before.T, 2 * last.T + 2 * w * last.d1 - before.d1,
                  4 * last.d1 + 2 * w * last.d2 - before.d2};
}

/* Y_j into the places of Y_{j-2}; for j = 1 into those of Y_1. */
static void combine(chebyshev *state, pl_system *system, int j, double h, double m, double n,
                    double mt, double gt)
{
  double *q0 = state->q[0], *v0 = state->v[0];
  double *q1 = j > 1 ? state->q[1 + (j - 2) % 2] : q0, *v1 = j > 1 ? state->v[1 + (j - 2) % 2] : v0;
  double *q2 = state->q[1 + (j - 1) % 2], *v2 = state->v[1 + (j - 1) % 2];
  // positions are kept as displacements from q0, so that Y_0 is zero there
  for (int i = 0; i < 3 * system->blocks; i++) {
    double before_q = j > 2 ? q2[i] : 0, before_v = j > 2 ? v2[i] : v0[i];
    double last_q = j > 1 ? q1[i] : 0, last_v = v1[i], start = j == 1 ? 0 : 1 - m - n;
    q2[i] = m * last_q + n * before_q + h * (mt * last_v + gt * v0[i]);
    v2[i] = start * v0[i] + m * last_v + n * before_v + h * (mt * state->a[i] + gt * state->a0[i]);
  }
}

/* All stages from Y_0 and F_0 on; leaves Y_s in place 1 + (s - 1) % 2. */
static void run_stages(chebyshev *state, pl_system *system, double t, double h, int s)
{
  // the polynomials of degree s give w1
  double w0 = 1 + epsilon / ((double)s * s);
  triple before = {1, 0, 0}, last = {w0, 1, 0};
  for (int j = 2; j <= s; j++) {
    triple next = chebyshev_next(last, before, w0);
    before = last;
    last = next;
  }
  double w1 = last.d1 / last.d2;

  // first stage; b_0 = b_1 = b_2, with T_2' = 4 w0 and T_2'' = 4
  double b2 = 4 / (16 * w0 * w0), b_last = b2, b_before = b2, c = b2 * w1;
  memcpy(state->a, state->a0, (size_t)system->blocks * 3 * sizeof *state->a);
  combine(state, system, 1, h, 1, 0, b2 * w1, 0);
  before = (triple){1, 0, 0};
  last = (triple){w0, 1, 0};
  for (int j = 2; j <= s; j++) {
    // forces of the last stage, which stands at t + c h
    int place = 1 + (j - 2) % 2;
    if (pl_watch_ended(system->watch)) return;
    system->ops->retract(system, state->q[0], state->q[place], state->next);
    accelerate(system, t + c * h, j == s ? 0.5 : 0, state->next, state->v[place], state->a);
    triple now = chebyshev_next(last, before, w0);
    double b = now.d2 / (now.d1 * now.d1), mt = 2 * b * w1 / b_last;
    double gt = -(1 - b_last * last.T) * mt;
    combine(state, system, j, h, 2 * b * w0 / b_last, -b / b_before, mt, gt);
    c = w1 * now.d2 / now.d1;
    b_before = b_last;
    b_last = b;
    before = last;
    last = now;
  }
}

/* Their eq. 2.8: the difference from the cubic through both ends of the step, with 15 for safety.
 */
static double estimate_error(chebyshev *state, pl_system *system, double h, int end)
{
  for (int i = 0; i < 3 * system->blocks; i++)
    state->dq[i] = (6 * h * (state->v[0][i] + state->v[end][i]) - 12 * state->q[end][i]) / 15;
  return pl_rms(system, 1, state->dq, NULL);
}

static pl_status step(pl_integrator *self, pl_system *system, double t, double h, double *q,
                      double *v, pl_step_report *report, pl_error *error)
{
  chebyshev *state = self->state;
  size_t size = (size_t)system->blocks * 3 * sizeof(double);
  double start = pl_now();

  // held nodes move at the velocity that brings them where they must be
  pl_system_prescribe(system, t, h, q, v, state->dq);
  memcpy(state->q[0], q, size);
  memcpy(state->v[0], v, size);
  accelerate(system, t, 0.5, q, v, state->a0);
  double *radius = &self->past->own[PL_STAGES_RADIUS], *age = &self->past->own[PL_STAGES_AGE];
  if (pl_stages_are_due(self)) {
    const pl_power room = {NULL, state->dq, state->next, state->a, state->a0};
    pl_stages_estimate(self, room, system, t, q, v);
  }
  *age += 1;
  double wanted = 1 + floor(sqrt(1.54 * h * *radius + 1));
  if (!(wanted <= self->values[PL_STAGES_MOST])) return pl_fail_stages(h, *radius, wanted, error);
  int s = wanted < 2 ? 2 : (int)wanted;
  run_stages(state, system, t, h, s);
  if (pl_watch_ended(system->watch)) return pl_watch_check(system->watch, error);
  system->ops->retract(system, q, state->q[1 + (s - 1) % 2], q);
  memcpy(v, state->v[1 + (s - 1) % 2], size);
  if (self->estimates) report->error = estimate_error(state, system, h, 1 + (s - 1) % 2);
  system->clock.evaluate += pl_now() - start;
  return PL_OK;
}

const pl_integrator_ops pl_integrator_rkc2 = {
    .info = PL_INFO("rkc2",
                    "stabilised Runge-Kutta-Chebyshev: order 2, as many "
                    "force evaluations as the damping needs; not for undamped motion",
                    "Sommeijer, Shampine & Verwer 1998, eq. 2.2-2.8", params),
    .order = 2,
    .needs_damping = 1,
    .error_power = 3,
    .history = PL_STAGES_HISTORY,
    .state_size = sizeof(chebyshev),
    .create = create,
    .begin = pl_stages_begin,
    .step = step,
};
