/* Backward differentiation formulas of order 2 and 3 with variable steps: the polynomial through
 * the new and the last states has the right derivative at the end of the step,
 *
 *   sum_j a_j q_{1-j} = v_1,    M sum_j a_j v_{1-j} = f(t1, q1, v1),    a_j = L_j'(t1)
 *
 * with Lagrange's polynomials L_j over the times. For equal steps these are the tabulated
 * 3/2, -2, 1/2 and 11/6, -3, 3/2, -1/3. Written with the increments d_1 (of the last step) and d_2
 * (of the one before), which is all that is remembered:
 *
 *   q1 = q0 + ((a_2 + a_3) d_1 + a_3 d_2 + v_1) / a_0,    the same for v.
 *
 * BDF2 is L-stable, BDF3 stable for all but weakly damped fast modes (A(86 degrees)). The first
 * steps, and those after a step grew too fast for the formula, are made by SDIRK2, whose error per
 * step is of order 3: the order of the whole is kept. Hauth 2004, 3.2.5 and table 3.2. */
#include "ode/sdirk.h"

#include <string.h>

typedef struct formula {
  int order;
} formula;

static const formula second = {2}, third = {3};

typedef struct bdf {
  pl_stepper stepper;
  double *moved, *moved_before; /* history: increments of q */
  double *rate_before;          /* history: like stepper.rate, one step earlier */
  double *dq;                   /* scratch */
} bdf;

static const pl_param params[] = {PL_NEWTON_PARAMS(20, 1e-5, 1, 1)};

static pl_status create(pl_integrator *self, pl_error *error)
{
  bdf *state = self->state;
  const formula *rule = self->ops->table;
  pl_status status = pl_stepper_create(self, error);
  if (!status) status = pl_integrator_vector(self, &state->dq, error);
  if (!status) status = pl_integrator_history(self, &state->moved, error);
  if (!status && rule->order > 2) status = pl_integrator_history(self, &state->moved_before, error);
  if (!status && rule->order > 2) status = pl_integrator_history(self, &state->rate_before, error);
  return status;
}

/* a_0 .. a_order for the step h behind the steps past[0], past[1]. */
static void derivative(int order, double h, const double *past, double *a)
{
  double ago[4] = {0, h, h + past[0], h + past[0] + past[1]};
  a[0] = a[3] = 0;
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

/* The error of the step: the derivative of the polynomial at its end is wrong by q^(order+1) times
 * the product of the times between, over (order + 1)!. That derivative is taken from velocities. */
static double estimate(const pl_integrator *self, pl_system *system, double h, double a0,
                       const double *v)
{
  const bdf *state = self->state;
  const pl_stepper *stepper = &state->stepper;
  const double *past = self->past->h;
  double product = h * (h + past[0]);
  if (((const formula *)self->ops->table)->order == 2)
    return product / (6 * a0) * pl_stepper_bend(stepper, self, system, h, stepper->z, v);
  double *third_derivative = stepper->newton.work;
  for (int i = 0; i < 3 * system->blocks; i++) {
    double now = ((stepper->z[i] - v[i]) / h - stepper->rate[i]) * 2 / (h + past[0]);
    double then = (stepper->rate[i] - state->rate_before[i]) * 2 / (past[0] + past[1]);
    third_derivative[i] = (now - then) * 4 / (h + 2 * past[0] + past[1]);
  }
  product *= h + past[0] + past[1];
  return pl_rms(system, product / (24 * a0), third_derivative, NULL);
}

static pl_status multi_step(pl_integrator *self, pl_system *system, double t, double h,
                            const double *q, const double *v, pl_step_report *report,
                            pl_error *error)
{
  bdf *state = self->state;
  pl_stepper *stepper = &state->stepper;
  const double *past = self->past->h;
  int order = ((const formula *)self->ops->table)->order, n = 3 * system->blocks;
  double a[4];
  derivative(order, h, past, a);
  pl_stepper_begin(stepper, system, t, h, q, v);
  pl_stepper_expect(stepper, self, system, h, v);
  for (int i = 0; i < n; i++) {
    double dq = (a[2] + a[3]) * state->moved[i], dv = (a[2] + a[3]) * past[0] * stepper->rate[i];
    if (order > 2) {
      dq += a[3] * state->moved_before[i];
      dv += a[3] * past[1] * state->rate_before[i];
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

static pl_status step(pl_integrator *self, pl_system *system, double t, double h, double *q,
                      double *v, pl_step_report *report, pl_error *error)
{
  bdf *state = self->state;
  pl_stepper *stepper = &state->stepper;
  const formula *rule = self->ops->table;
  size_t size = (size_t)system->blocks * 3 * sizeof(double);
  // a formula over steps that grow too fast is not stable
  if (h > 1.001 * self->ops->most_growth * self->past->h[0]) self->past->steps = 0;

  pl_status status =
      self->past->steps < rule->order - 1
          ? pl_sdirk_stages(stepper, self, system, t, h, q, v, state->dq, report, error)
          : multi_step(self, system, t, h, q, v, report, error);
  if (status) return status;
  if (rule->order > 2) {
    memcpy(state->moved_before, state->moved, size);
    memcpy(state->rate_before, stepper->rate, size);
  }
  pl_stepper_end(stepper, self, system, h, stepper->move, stepper->z, q, v);
  memcpy(state->moved, stepper->move, size);
  return PL_OK;
}

#define MEMBER(NAME, ORDER, DAMPING, GROWTH, SUMMARY, TABLE)                                       \
  const pl_integrator_ops pl_integrator_##NAME = {                                                 \
      .info = {.name = #NAME,                                                                      \
               .summary = SUMMARY,                                                                 \
               .source = "Hauth 2004, 3.2.5, table 3.2",                                           \
               .params = params,                                                                   \
               .param_count = PL_NEWTON_PARAM_COUNT},                                              \
      .is_implicit = 1,                                                                            \
      .order = ORDER,                                                                              \
      .needs_damping = DAMPING,                                                                    \
      .error_power = ORDER + 1,                                                                    \
      .most_growth = GROWTH,                                                                       \
      .history = 2 * ORDER - 2,                                                                    \
      .state_size = sizeof(bdf),                                                                   \
      .table = &(TABLE),                                                                           \
      .create = create,                                                                            \
      .begin = pl_newton_begin,                                                                    \
      .step = step,                                                                                \
  }

/* growth: below the limits of zero-stability, 2.41 and 1.53 */
MEMBER(bdf2, 2, 0, 2.2, "backward differences: order 2, stable at any step, one solve per step",
       second);
MEMBER(bdf3, 3, 1, 1.4,
       "backward differences: order 3, one solve per step; stable but for fast motion that "
       "nothing damps",
       third);
