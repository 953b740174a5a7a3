/* SDIRK2 with g = 1 - 1/sqrt(2) (Alexander 1977): two implicit stages with the same matrix,
 *
 *   v_1 = v0 + g h a_1,                  q_1 = q0 + g h v_1,
 *   v_2 = v0 + (1-g) h a_1 + g h a_2,    q_2 = q0 + (1-g) h v_1 + g h v_2,    M a_i = f(t_i, q_i,
 * v_i),
 *
 * at t + g h and t + h; the second is the end of the step. Order 2, L-stable: it damps what it does
 * not resolve, like implicit Euler, but is far more accurate. It remembers nothing that matters. */
#include "ode/sdirk.h"

#include <math.h>

typedef struct sdirk {
  pl_stepper stepper;
  double *dq;
} sdirk;

static const pl_param params[] = {PL_NEWTON_PARAMS(20, 1e-5, 1, 1)};

static pl_status create(pl_integrator *self, pl_error *error)
{
  sdirk *state = self->state;
  state->stepper.stages = 2;
  pl_status status = pl_stepper_create(self, error);
  return status ? status : pl_integrator_vector(self, &state->dq, error);
}

/* How far the position is from q0 + h (b_0 v0 + b_1 v_1 + b_2 v_2), a rule of order 3. */
static double estimate(pl_stepper *stepper, pl_system *system, double h, const double *v,
                       const double *dq)
{
  const double g = 1 - 1 / sqrt(2.0);
  double b1 = 1 / (6 * g * (1 - g)), b2 = 0.5 - b1 * g, *e = stepper->drift;
  for (int i = 0; i < 3 * system->blocks; i++)
    e[i] = (1 - b1 - b2) * v[i] + (b1 / (1 - g) - 1) * dq[i] / h + (b2 - g) * stepper->z[i];
  return pl_rms(system, h, e, NULL);
}

pl_status pl_sdirk_stages(pl_stepper *stepper, const pl_integrator *integrator, pl_system *system,
                          double t, double h, const double *q, const double *v, double *dq,
                          pl_step_report *report, pl_error *error)
{
  const double g = 1 - 1 / sqrt(2.0);
  int n = 3 * system->blocks;
  pl_velocity_stage stage = {
      .t = t + g * h, .reach = g * h, .cq = g * h, .cv = 1, .cm = 1 / (g * h), .share = 1 - g};

  pl_stepper_begin(stepper, system, t, h, q, v);
  pl_stepper_expect(stepper, integrator, system, g * h, v);
  for (int i = 0; i < n; i++) {
    stepper->move[i] = stepper->drift[i] = 0;
    stepper->w[i] = -stage.cm * v[i];
  }
  pl_status status = pl_stepper_solve(stepper, system, &stage, h, q, v, report, error);
  if (status) return status;

  // the second stage starts with the acceleration of the first
  stage.t = t + h;
  stage.reach = h;
  stage.share = g;
  for (int i = 0; i < n; i++) {
    double a = (stepper->z[i] - v[i]) / (g * h);
    dq[i] = stepper->move[i] = (1 - g) * h * stepper->z[i];
    stepper->w[i] = -stage.cm * (v[i] + (1 - g) * h * a);
    stepper->z[i] = v[i] + h * a;
    stepper->drift[i] = 0;
  }
  pl_filter_prescribe(&system->filter, stepper->held, stepper->z);
  status = pl_stepper_solve(stepper, system, &stage, h, q, v, report, error);
  for (int i = 0; i < n; i++) stepper->move[i] = dq[i] + g * h * stepper->z[i];
  if (integrator->estimates && !status) report->error = estimate(stepper, system, h, v, dq);
  return status;
}

static pl_status step(pl_integrator *self, pl_system *system, double t, double h, double *q,
                      double *v, pl_step_report *report, pl_error *error)
{
  sdirk *state = self->state;
  pl_stepper *stepper = &state->stepper;
  pl_status status = pl_sdirk_stages(stepper, self, system, t, h, q, v, state->dq, report, error);
  if (!status) pl_stepper_end(stepper, self, system, h, stepper->move, stepper->z, q, v);
  return status;
}

const pl_integrator_ops pl_integrator_sdirk2 = {
    .info = PL_INFO("sdirk2",
                    "diagonally implicit Runge-Kutta: order 2, stable at any step, damps only "
                    "what the step does not resolve; two solves per step",
                    "Alexander 1977, theorem 5", params),
    .is_implicit = 1,
    .ends_on_stage = 1,
    .order = 2,
    .error_power = 3,
    .history = 1,
    .state_size = sizeof(sdirk),
    .create = create,
    .begin = pl_newton_begin,
    .step = step,
};
