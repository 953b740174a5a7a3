/* Backward differentiation formulas of order 2 to 6 with variable steps: the polynomial through the
 * new and the last states has the right derivative at the end of the step,
 *
 *   sum_j a_j q_{1-j} = v_1,    M sum_j a_j v_{1-j} = f(t1, q1, v1),    a_j = L_j'(t1)
 *
 * with Lagrange's polynomials L_j over the times. For equal steps these are the tabulated
 * 3/2, -2, 1/2; 11/6, -3, 3/2, -1/3; 25/12, -4, 3, -4/3, 1/4; and so on. Written with the
 * increments d_1 (of the last step), d_2 (of the one before) ..., which is all that is remembered:
 *
 *   q1 = q0 + (sum_j s_j d_j + v_1) / a_0,    s_j = a_{j+1} + ... + a_k,    the same for v.
 *
 * BDF2 is L-stable, the others are stable for all but weakly damped fast modes (A(alpha) with 86,
 * 73, 51 and 18 degrees). The first steps, and those after a step grew too fast for the formula,
 * are made by one-step methods whose error per step is of the formula's order at least: SDIRK2 for
 * BDF2 and 3, SDIRK4 for BDF4 and 5, and for BDF6 SDIRK4 with Richardson's extrapolation, (16 y_2 -
 * y_1) / 15 from one step and two halves: the order of the whole is kept. From order 4 on Newton
 * starts with the velocity that the polynomial through the last ones gives. Hauth 2004, 3.2.5,
 * 3.3 and table 3.2. */
#include "ode/dirk.h"
#include "ode/sdirk.h"

#include <string.h>

enum { MOST_ORDER = 6, EXTRAPOLATED = 6 };

typedef struct formula {
  int order;
} formula;

static const formula second = {2}, third = {3}, fourth = {4}, fifth = {5}, sixth = {6};

typedef struct bdf {
  pl_stepper stepper;
  double *moved[MOST_ORDER - 1]; /* history: increments of q, the last first */
  double *rate[MOST_ORDER - 1];  /* history: rates of v; the first is the stepper's */
  double *dq;                    /* scratch */
  pl_dirk start;                 /* for first steps, from order 4 on */
  double *half_q, *half_v;       /* where two halves of a step meet */
} bdf;

static const pl_param params[] = {PL_NEWTON_PARAMS(20, 1e-5, 1, 1)};

static pl_status create(pl_integrator *self, pl_error *error)
{
  bdf *state = self->state;
  const formula *rule = self->ops->table;
  pl_status status = pl_stepper_create(self, error);
  state->rate[0] = state->stepper.rate;
  if (!status) status = pl_integrator_vector(self, &state->dq, error);
  for (int j = 0; j < rule->order - 1 && !status; j++) {
    status = pl_integrator_history(self, &state->moved[j], error);
    if (!status && j > 0) status = pl_integrator_history(self, &state->rate[j], error);
  }
  if (!status && rule->order > 3)
    status = pl_dirk_create(&state->start, self, pl_dirk_sdirk4.stages, error);
  if (!status && rule->order == EXTRAPOLATED)
    status = pl_integrator_vector(self, &state->half_q, error);
  if (!status && rule->order == EXTRAPOLATED)
    status = pl_integrator_vector(self, &state->half_v, error);
  return status;
}

/* a_0 .. a_order for the step h behind the steps past[0], past[1] ... */
static void derivative(int order, double h, const double *past, double *a)
{
  double ago[MOST_ORDER + 1] = {0, h};
  for (int j = 2; j <= order; j++) ago[j] = ago[j - 1] + past[j - 2];
  a[0] = 0;
  for (int j = 1; j <= order; j++) {
    double top = 1, bottom = -ago[j];
    for (int k = 1; k <= order; k++) {
      if (k == j) continue;
      top *= ago[k];
      bottom *= ago[k] - ago[j];
    }
    a[0] += 1 / ago[j];
    a[j] = top / bottom;
  }
}

/* Divided differences of velocities from their rates: d[0] ... d[count - 1] over the steps h[0],
 * h[1] ... become those of first, second ... order at the latest end. */
static void divide_differences(int count, const double *h, double *d)
{
  for (int level = 1; level < count; level++) {
    for (int i = count - 1; i >= level; i--) {
      double span = 0;
      for (int k = i - level; k <= i; k++) span += h[k];
      d[i] = (d[i - 1] - d[i]) / span;
    }
  }
}

/* The error of the step: the derivative of the polynomial at its end is wrong by q^(order+1) times
 * the product of the times between, over (order + 1)!. That derivative is taken from velocities. */
static double estimate_high(const pl_integrator *self, pl_system *system, int order, double h,
                            double a0, const double *v)
{
  const bdf *state = self->state;
  const double *past = self->past->h;
  double *e = state->stepper.newton.work, steps[MOST_ORDER] = {h}, product = h, ago = h;
  for (int j = 1; j < order; j++) {
    steps[j] = past[j - 1];
    ago += steps[j];
    product *= ago;
  }
  for (int i = 0; i < 3 * system->blocks; i++) {
    double d[MOST_ORDER] = {(state->stepper.z[i] - v[i]) / h};
    for (int j = 1; j < order; j++) d[j] = state->rate[j - 1][i];
    divide_differences(order, steps, d);
    e[i] = d[order - 1];
  }
  // order! times the difference is the derivative
  return pl_rms(system, product / ((order + 1) * a0), e, NULL);
}

static double estimate(const pl_integrator *self, pl_system *system, double h, double a0,
                       const double *v)
{
  const bdf *state = self->state;
  const pl_stepper *stepper = &state->stepper;
  const double *past = self->past->h;
  int order = ((const formula *)self->ops->table)->order;
  double product = h * (h + past[0]);
  if (order == 2)
    return product / (6 * a0) * pl_stepper_bend(stepper, self, system, h, stepper->z, v);
  if (order > 3) return estimate_high(self, system, order, h, a0, v);
  double *third_derivative = stepper->newton.work;
  for (int i = 0; i < 3 * system->blocks; i++) {
    double now = ((stepper->z[i] - v[i]) / h - stepper->rate[i]) * 2 / (h + past[0]);
    double then = (stepper->rate[i] - state->rate[1][i]) * 2 / (past[0] + past[1]);
    third_derivative[i] = (now - then) * 4 / (h + 2 * past[0] + past[1]);
  }
  product *= h + past[0] + past[1];
  return pl_rms(system, product / (24 * a0), third_derivative, NULL);
}

/* z = the velocity at the end of the step by the polynomial through the last ones. */
static void expect_high(const bdf *state, pl_system *system, int order, double h,
                        const double *past, const double *v)
{
  pl_stepper const *stepper = &state->stepper;
  for (int i = 0; i < 3 * system->blocks; i++) {
    double d[MOST_ORDER], product = h, ago = h, sum = v[i];
    for (int j = 0; j < order - 1; j++) d[j] = state->rate[j][i];
    divide_differences(order - 1, past, d);
    for (int j = 0; j < order - 1; j++) {
      sum += product * d[j];
      ago += past[j];
      product *= ago;
    }
    stepper->z[i] = sum;
  }
  pl_filter_prescribe(&system->filter, stepper->held, stepper->z);
}

static pl_status multi_step(pl_integrator *self, pl_system *system, double t, double h,
                            const double *q, const double *v, pl_step_report *report,
                            pl_error *error)
{
  bdf *state = self->state;
  pl_stepper *stepper = &state->stepper;
  const double *past = self->past->h;
  int order = ((const formula *)self->ops->table)->order, n = 3 * system->blocks;
  double a[MOST_ORDER + 1], s[MOST_ORDER + 1] = {0};
  derivative(order, h, past, a);
  for (int j = order - 1; j > 0; j--) s[j] = j + 1 < order ? a[j + 1] + s[j + 1] : a[j + 1];
  pl_stepper_begin(stepper, system, t, h, q, v);
  if (order > 3)
    expect_high(state, system, order, h, past, v);
  else
    pl_stepper_expect(stepper, self, system, h, v);
  for (int i = 0; i < n; i++) {
    double dq = s[1] * state->moved[0][i], dv = s[1] * past[0] * state->rate[0][i];
    for (int j = 2; j < order; j++) {
      dq += s[j] * state->moved[j - 1][i];
      dv += s[j] * past[j - 1] * state->rate[j - 1][i];
    }
    stepper->move[i] = state->dq[i] = dq / a[0];
    stepper->drift[i] = 0;
    stepper->w[i] = -a[0] * v[i] - dv;
  }
  pl_velocity_stage stage = {.t = t + h, .reach = h, .cq = 1 / a[0], .cv = 1, .cm = a[0]};
  pl_status status = pl_stepper_solve(stepper, system, &stage, h, q, v, report, error);
  for (int i = 0; i < n; i++) stepper->move[i] = state->dq[i] + stepper->z[i] / a[0];
  if (self->estimates && !status) report->error = estimate(self, system, h, a[0], v);
  return status;
}

/* A step by SDIRK4 in halves, and the error estimated from the whole one. */
static pl_status extrapolate(pl_integrator *self, pl_system *system, double t, double h,
                             const double *q, const double *v, pl_step_report *report,
                             pl_error *error)
{
  bdf *state = self->state;
  pl_stepper *stepper = &state->stepper;
  const pl_dirk_table *table = &pl_dirk_sdirk4;
  int n = 3 * system->blocks;
  double *last_v = state->start.v[table->stages - 1], *dq = state->dq;
  // the whole step is done: its velocity waits among the history that is overwritten anyway
  double *whole = state->rate[MOST_ORDER - 2], error_of_whole = report->error;
  memcpy(dq, stepper->move, (size_t)n * sizeof *dq);
  memcpy(whole, last_v, (size_t)n * sizeof *whole);
  pl_system_clear_reaction(system);
  pl_status status = pl_dirk_stages(&state->start, table, stepper, self, system, t, h / 2, 0.5, q,
                                    v, report, error);
  if (status) return status;
  for (int i = 0; i < n; i++) dq[i] = (16 * stepper->move[i] - dq[i]) / 15;
  memcpy(state->half_v, stepper->z, (size_t)n * sizeof *v);
  system->ops->retract(system, q, stepper->move, state->half_q);
  status = pl_dirk_stages(&state->start, table, stepper, self, system, t + h / 2, h / 2, 0.5,
                          state->half_q, state->half_v, report, error);
  for (int i = 0; i < n; i++) {
    stepper->move[i] = dq[i] + 16 * stepper->move[i] / 15;
    stepper->z[i] = (16 * stepper->z[i] - whole[i]) / 15;
  }
  report->error = error_of_whole;
  pl_stepper_begin(stepper, system, t, h, q, v);
  return status;
}

/* A step without a past. */
static pl_status one_step(pl_integrator *self, pl_system *system, double t, double h,
                          const double *q, const double *v, pl_step_report *report, pl_error *error)
{
  bdf *state = self->state;
  int order = ((const formula *)self->ops->table)->order;
  if (order < 4)
    return pl_sdirk_stages(&state->stepper, self, system, t, h, q, v, state->dq, report, error);
  pl_status status = pl_dirk_stages(&state->start, &pl_dirk_sdirk4, &state->stepper, self, system,
                                    t, h, 1, q, v, report, error);
  if (!status && order == EXTRAPOLATED)
    status = extrapolate(self, system, t, h, q, v, report, error);
  return status;
}

static pl_status step(pl_integrator *self, pl_system *system, double t, double h, double *q,
                      double *v, pl_step_report *report, pl_error *error)
{
  bdf *state = self->state;
  pl_stepper *stepper = &state->stepper;
  int order = ((const formula *)self->ops->table)->order;
  size_t size = (size_t)system->blocks * 3 * sizeof(double);
  // a formula over steps that grow too fast is not stable
  if (h > 1.001 * self->ops->max_growth * self->past->h[0]) self->past->steps = 0;

  pl_status status = self->past->steps < order - 1
                         ? one_step(self, system, t, h, q, v, report, error)
                         : multi_step(self, system, t, h, q, v, report, error);
  if (status) return status;
  for (int j = order - 2; j > 0; j--) {
    memcpy(state->moved[j], state->moved[j - 1], size);
    memcpy(state->rate[j], state->rate[j - 1], size);
  }
  pl_stepper_end(stepper, self, system, h, stepper->move, stepper->z, q, v);
  memcpy(state->moved[0], stepper->move, size);
  return PL_OK;
}

#define MEMBER(NAME, ORDER, DAMPING, POWER, GROWTH, SUMMARY, TABLE)                                \
  const pl_integrator_ops pl_integrator_##NAME = {                                                 \
      .info = {.name = #NAME,                                                                      \
               .summary = SUMMARY,                                                                 \
               .source = "Hauth 2004, 3.2.5, table 3.2",                                           \
               .params = params,                                                                   \
               .param_count = PL_NEWTON_PARAM_COUNT},                                              \
      .is_implicit = 1,                                                                            \
      .ends_on_stage = (ORDER) < EXTRAPOLATED,                                                     \
      .order = ORDER,                                                                              \
      .needs_damping = DAMPING,                                                                    \
      .error_power = POWER,                                                                        \
      .max_growth = GROWTH,                                                                        \
      .history = 2 * ORDER - 2,                                                                    \
      .state_size = sizeof(bdf),                                                                   \
      .table = &(TABLE),                                                                           \
      .create = create,                                                                            \
      .begin = pl_newton_begin,                                                                    \
      .step = step,                                                                                \
  }

/* BDF6 bears no change of the step worth the name, so that it gives step control no estimate.
 * growth: below the limits of zero-stability, 2.41, 1.61, 1.28, 1.12 and 1.04 (Calvo, Grande &
 * Grigorieff 1990) */
MEMBER(bdf2, 2, 0, 3, 2.2, "backward differences: order 2, stable at any step, one solve per step",
       second);
MEMBER(bdf3, 3, 1, 4, 1.4,
       "backward differences: order 3, one solve per step; stable but for fast motion that "
       "nothing damps",
       third);
MEMBER(bdf4, 4, 1, 5, 1.2,
       "backward differences: order 4, one solve per step; like bdf3, for smoother motion", fourth);
MEMBER(bdf5, 5, 1, 6, 1.1,
       "backward differences: order 5, one solve per step; for motion that is well damped", fifth);
MEMBER(bdf6, 6, 1, 0, 1.03,
       "backward differences: order 6, one solve per step; for motion that is strongly damped",
       sixth);
