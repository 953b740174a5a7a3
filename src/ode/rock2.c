/* ROCK2, the stabilised explicit method of order 2 by Abdulle & Medovikov 2001 (Hauth 2004, 3.2.8):
 * s - 2 stages by the three-term recurrence of rock2_table.h and two that finish,
 *
 *   G = K + h sigma f(K),    y1 = G + h sigma f(G) - h sigma (1 - tau / sigma^2) (f(G) - f(K)),
 *
 * with K = K_{s-2}. The last term is the estimate of the error as well. The real stability interval
 * is 0.80 s^2, a quarter longer than that of rkc2, so that it takes a tenth fewer stages. Their
 * number follows from an estimate of the spectral radius, as in rkc2.c. */
#include "core/clock.h"
#include "core/error.h"
#include "ode/rock2_table.h"
#include "ode/stability.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

static const pl_param params[] = {PL_STAGES_PARAMS(PL_ROCK2_MOST, PL_ROCK2_LEAST, PL_ROCK2_MOST)};

typedef struct rock2 {
  pl_stages stages;
  pl_rock2 table;        /* of the last step's stages */
  double *q[2], *v[2];   /* K_{k-1} and K_k in turn; q as displacements from the start */
  double *a, *dq, *next; /* accelerations; scratch */
  double *other;         /* accelerations of K while those of G are made */
} rock2;

static pl_status create(pl_integrator *self, pl_error *error)
{
  rock2 *state = self->state;
  double **vectors[] = {&state->q[0], &state->q[1], &state->v[0], &state->v[1],
                        &state->a,    &state->dq,   &state->next, &state->other};
  pl_status status = PL_OK;
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors && !status; i++)
    status = pl_integrator_vector(self, vectors[i], error);
  return status ? status : pl_stages_create(self, error);
}

/* a = P M^-1 f at the displacement dq from q; share: of the forces there in the step's. */
static void accelerate(rock2 *state, pl_system *system, double t, double share, const double *q,
                       const double *dq, const double *v, double *a)
{
  system->ops->retract(system, q, dq, state->next);
  system->ops->evaluate(system, t, state->next, v, a, NULL);
  pl_system_oppose(system, share, a);
  system->ops->mass_inverse(system, a, a);
  pl_system_free(system, share, a);
}

/* The recurrence from (0, v); K_{s-2} is left in place (s - 2) % 2. Returns its time. */
static double run_stages(rock2 *state, pl_system *system, double t, double h, const double *q,
                         const double *v)
{
  const pl_rock2 *table = &state->table;
  size_t size = (size_t)system->blocks * 3 * sizeof(double);
  double before = 0, c = 0;
  memset(state->q[0], 0, size);
  memcpy(state->v[0], v, size);
  memset(state->q[1], 0, size);
  memcpy(state->v[1], v, size);
  for (int k = 0; k < table->stages - 2 && !pl_watch_ended(system->watch); k++) {
    double *q1 = state->q[k % 2], *v1 = state->v[k % 2];
    double *q0 = state->q[1 - k % 2], *v0 = state->v[1 - k % 2];
    double m = h * table->m[k], n = table->n[k];
    accelerate(state, system, t + c * h, k == 0 ? 0.5 : 0, q, q1, v1, state->a);
    for (int i = 0; i < 3 * system->blocks; i++) {
      q0[i] = m * v1[i] + n * q1[i] - (n - 1) * q0[i];
      v0[i] = m * state->a[i] + n * v1[i] - (n - 1) * v0[i];
    }
    double next = table->m[k] + n * c - (n - 1) * before;
    before = c;
    c = next;
  }
  return c;
}

/* The two last stages: y1 in place of K. */
static void finish(const pl_integrator *self, pl_system *system, double t, double h, double c,
                   const double *q, pl_step_report *report)
{
  rock2 *state = self->state;
  const pl_rock2 *table = &state->table;
  double sigma = table->sigma, less = sigma - table->tau / sigma;
  int place = table->stages % 2, n = 3 * system->blocks;
  double *q1 = state->q[place], *v1 = state->v[place];
  double *qg = state->q[1 - place], *vg = state->v[1 - place];
  accelerate(state, system, t + c * h, 0, q, q1, v1, state->other);
  for (int i = 0; i < n; i++) {
    qg[i] = q1[i] + h * sigma * v1[i];
    vg[i] = v1[i] + h * sigma * state->other[i];
  }
  accelerate(state, system, t + (c + sigma) * h, 0.5, q, qg, vg, state->a);
  for (int i = 0; i < n; i++) {
    double jump = h * less * (vg[i] - v1[i]);
    q1[i] = qg[i] + h * sigma * vg[i] - jump;
    v1[i] = vg[i] + h * sigma * state->a[i] - h * less * (state->a[i] - state->other[i]);
    state->dq[i] = jump;
  }
  if (self->estimates) report->error = pl_rms(system, 1, state->dq, NULL);
}

static pl_status step(pl_integrator *self, pl_system *system, double t, double h, double *q,
                      double *v, pl_step_report *report, pl_error *error)
{
  rock2 *state = self->state;
  double start = pl_now(), *radius = &self->past->own[PL_STAGES_RADIUS],
         *age = &self->past->own[PL_STAGES_AGE];
  // held nodes move at the velocity that brings them where they must be
  pl_system_prescribe(system, t, h, q, v, state->dq);
  if (pl_stages_are_due(self)) {
    const pl_power room = {NULL, state->dq, state->next, state->a, state->other};
    memset(state->dq, 0, (size_t)system->blocks * 3 * sizeof(double));
    accelerate(state, system, t, 0, q, state->dq, v, state->other);
    pl_stages_estimate(self, room, system, t, q, v);
  }
  *age += 1;
  double wanted = pl_rock2_stages(h * *radius);
  if (!(wanted <= floor(self->values[PL_STAGES_MOST])))
    return pl_fail_stages(h, *radius, wanted, error);
  if (state->table.stages != (int)wanted) pl_rock2_compute((int)wanted, &state->table);
  double c = run_stages(state, system, t, h, q, v);
  finish(self, system, t, h, c, q, report);
  if (pl_watch_ended(system->watch)) return pl_watch_check(system->watch, error);
  int place = state->table.stages % 2;
  system->ops->retract(system, q, state->q[place], q);
  memcpy(v, state->v[place], (size_t)system->blocks * 3 * sizeof *v);
  system->clock.evaluate += pl_now() - start;
  return PL_OK;
}

const pl_integrator_ops pl_integrator_rock2 = {
    .info = PL_INFO("rock2",
                    "stabilised explicit, order 2, as many force evaluations as the damping "
                    "needs, fewer than rkc2; not for undamped motion",
                    "Abdulle & Medovikov 2001; Hauth 2004, 3.2.8", params),
    .order = 2,
    .needs_damping = 1,
    .error_power = 2,
    .history = PL_STAGES_HISTORY,
    .state_size = sizeof(rock2),
    .create = create,
    .begin = pl_stages_begin,
    .step = step,
};
