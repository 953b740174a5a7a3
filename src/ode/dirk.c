/* The members sdirk4 and tr-bdf2, and the stages they share (see dirk.h).
 *
 * TR-BDF2 (Bank et al. 1985; as a Runge-Kutta method Hosea & Shampine 1996) goes by the trapezoidal
 * rule to t + g h, g = 2 - sqrt(2), and by the backward difference over the start and that place to
 * the end. The acceleration at the start is that of the last step's end. Order 2, L-stable. */
#include "ode/dirk.h"

#include <math.h>
#include <string.h>

#define SQRT2 1.4142135623730950488

const pl_dirk_table pl_dirk_sdirk4 = {
    .stages = 5,
    .diagonal = 0.25,
    .a = {{0},
          {1.0 / 2},
          {17.0 / 50, -1.0 / 25},
          {371.0 / 1360, -137.0 / 2720, 15.0 / 544},
          {25.0 / 24, -49.0 / 48, 125.0 / 16, -85.0 / 12}},
    .embedded = {59.0 / 48, -17.0 / 96, 225.0 / 32, -85.0 / 12, 0},
};

/* Weights of order 3 from Hosea & Shampine 1996: (1 - w) / 3, (3 w + 1) / 3, d / 3. */
static const pl_dirk_table tr_bdf2_table = {
    .stages = 3,
    .is_explicit_first = 1,
    .diagonal = 1 - SQRT2 / 2,
    .a = {{0}, {1 - SQRT2 / 2}, {SQRT2 / 4, SQRT2 / 4}},
    .embedded = {(1 - SQRT2 / 4) / 3, (3 * SQRT2 / 4 + 1) / 3, (1 - SQRT2 / 2) / 3},
};

pl_status pl_dirk_create(pl_dirk *self, pl_integrator *integrator, int stages, pl_error *error)
{
  pl_status status = PL_OK;
  for (int i = 0; i < stages && !status; i++) {
    status = pl_integrator_vector(integrator, &self->v[i], error);
    if (!status) status = pl_integrator_vector(integrator, &self->a[i], error);
  }
  return status;
}

/* Stage i; its velocity goes to v[i], its acceleration to a[i]. */
static pl_status solve_stage(const pl_dirk *self, const pl_dirk_table *table, int i, double share,
                             pl_stepper *stepper, pl_system *system, double t, double h,
                             const double *q, const double *v, pl_step_report *report,
                             pl_error *error)
{
  const double *a = table->a[i];
  double c = table->diagonal, cm = 1 / (table->diagonal * h);
  for (int j = 0; j < i; j++) c += a[j];
  for (int k = 0; k < 3 * system->blocks; k++) {
    double move = 0, gain = 0;
    for (int j = 0; j < i; j++) {
      move += a[j] * self->v[j][k];
      gain += a[j] * self->a[j][k];
    }
    stepper->move[k] = h * move;
    stepper->w[k] = -cm * (v[k] + h * gain);
    stepper->drift[k] = 0;
    if (i > 0) stepper->z[k] = v[k] + c * h * self->a[i - 1][k];
  }
  pl_filter_prescribe(&system->filter, stepper->held, stepper->z);
  double weight = i + 1 < table->stages ? table->a[table->stages - 1][i] : table->diagonal;
  // an explicit first stage has no constraint forces: the others stand for it
  if (table->is_explicit_first) weight /= 1 - table->a[table->stages - 1][0];
  pl_velocity_stage stage = {.t = t + c * h,
                             .reach = c * h,
                             .cq = table->diagonal * h,
                             .cv = 1,
                             .cm = cm,
                             .share = share * weight};
  pl_status status = pl_stepper_solve(stepper, system, &stage, h, q, v, report, error);
  for (int k = 0; k < 3 * system->blocks; k++) {
    self->v[i][k] = stepper->z[k];
    self->a[i][k] = stepper->w[k] + cm * stepper->z[k];
  }
  return status;
}

/* How far the positions are from those of the embedded method. */
static double estimate(const pl_dirk *self, const pl_dirk_table *table, const pl_stepper *stepper,
                       const pl_system *system, double h)
{
  const double *a = table->a[table->stages - 1];
  for (int k = 0; k < 3 * system->blocks; k++) {
    double e = 0;
    for (int j = 0; j < table->stages; j++)
      e += ((j + 1 < table->stages ? a[j] : table->diagonal) - table->embedded[j]) * self->v[j][k];
    stepper->drift[k] = e;
  }
  return pl_rms(system, h, stepper->drift, NULL);
}

pl_status pl_dirk_stages(const pl_dirk *self, const pl_dirk_table *table, pl_stepper *stepper,
                         const pl_integrator *integrator, pl_system *system, double t, double h,
                         double share, const double *q, const double *v, pl_step_report *report,
                         pl_error *error)
{
  int first = table->is_explicit_first, last = table->stages - 1, n = 3 * system->blocks;
  pl_status status = PL_OK;
  pl_stepper_begin(stepper, system, t, h, q, v);
  pl_stepper_expect(stepper, integrator, system, table->diagonal * h, v);
  if (first) memcpy(self->v[0], v, (size_t)n * sizeof *v);
  for (int i = first; i <= last && !status; i++)
    status = solve_stage(self, table, i, share, stepper, system, t, h, q, v, report, error);
  if (status) return status;
  for (int k = 0; k < n; k++) {
    double move = table->diagonal * stepper->z[k];
    for (int j = 0; j < last; j++) move += table->a[last][j] * self->v[j][k];
    stepper->move[k] = h * move;
  }
  if (integrator->estimates) report->error = estimate(self, table, stepper, system, h);
  return PL_OK;
}

/* ---- the members ---- */

typedef struct dirk {
  pl_stepper stepper;
  pl_dirk stages;
  double *start; /* history: the acceleration at the start of the step */
  double *zero;  /* stays zero: the acceleration prescribed to held nodes at the first start */
} dirk;

static const pl_param params[] = {PL_NEWTON_PARAMS(20, 1e-5, 1, 1)};

static pl_status create(pl_integrator *self, pl_error *error)
{
  dirk *state = self->state;
  const pl_dirk_table *table = self->ops->table;
  state->stepper.stages = table->stages;
  pl_status status = pl_stepper_create(self, error);
  if (!status) status = pl_dirk_create(&state->stages, self, table->stages, error);
  if (status || !table->is_explicit_first) return status;
  status = pl_integrator_vector(self, &state->zero, error);
  return status ? status : pl_integrator_history(self, &state->start, error);
}

/* M A_0 = f at the start of the first step; later it is known. */
static pl_status first_acceleration(dirk *state, const pl_integrator *self, pl_system *system,
                                    double t, const double *q, const double *v,
                                    pl_step_report *report, pl_error *error)
{
  size_t size = (size_t)system->blocks * 3 * sizeof(double);
  pl_stage stage = {.t = t, .cm = 1, .q0 = q, .v0 = v, .prescribed = state->zero};
  pl_status status = PL_OK;
  if (self->past->steps == 0) {
    memset(state->start, 0, size);
    status = pl_newton_solve(&state->stepper.newton, system, &stage, state->start, report, error);
  }
  memcpy(state->stages.a[0], state->start, size);
  return status;
}

static pl_status step(pl_integrator *self, pl_system *system, double t, double h, double *q,
                      double *v, pl_step_report *report, pl_error *error)
{
  dirk *state = self->state;
  pl_stepper *stepper = &state->stepper;
  const pl_dirk_table *table = self->ops->table;
  pl_status status = PL_OK;
  if (state->start) status = first_acceleration(state, self, system, t, q, v, report, error);
  if (!status)
    status =
        pl_dirk_stages(&state->stages, table, stepper, self, system, t, h, 1, q, v, report, error);
  if (status) return status;
  if (state->start) {
    memcpy(state->start, state->stages.a[table->stages - 1],
           (size_t)system->blocks * 3 * sizeof *v);
    pl_filter_motion(&system->filter, state->start);
  }
  pl_stepper_end(stepper, self, system, h, stepper->move, stepper->z, q, v);
  return PL_OK;
}

#define MEMBER(NAME, WORD, ORDER, POWER, HISTORY, SUMMARY, SOURCE, TABLE)                          \
  const pl_integrator_ops pl_integrator_##NAME = {                                                 \
      .info = {.name = WORD,                                                                       \
               .summary = SUMMARY,                                                                 \
               .source = SOURCE,                                                                   \
               .params = params,                                                                   \
               .param_count = PL_NEWTON_PARAM_COUNT},                                              \
      .is_implicit = 1,                                                                            \
      .ends_on_stage = 1,                                                                          \
      .order = ORDER,                                                                              \
      .error_power = POWER,                                                                        \
      .history = HISTORY,                                                                          \
      .state_size = sizeof(dirk),                                                                  \
      .table = &(TABLE),                                                                           \
      .create = create,                                                                            \
      .begin = pl_newton_begin,                                                                    \
      .step = step,                                                                                \
  }

MEMBER(sdirk4, "sdirk4", 4, 4, 1,
       "diagonally implicit Runge-Kutta: order 4, stable at any step, damps what the step does "
       "not resolve; five solves per step",
       "Hairer & Wanner 1996, table IV.6.5", pl_dirk_sdirk4);
MEMBER(tr_bdf2, "tr-bdf2", 2, 3, 2,
       "trapezoidal rule and backward difference: order 2, stable at any step, damps what the step "
       "does not resolve; two solves per step",
       "Bank et al. 1985; Hosea & Shampine 1996", tr_bdf2_table);
