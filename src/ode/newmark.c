/* Newmark's method and the generalised-alpha method of Chung & Hulbert 1993.
 *
 *   q1 = q0 + h v0 + h^2 ((1/2 - b) a0 + b a1),    v1 = v0 + h ((1 - g) a0 + g a1),
 *   M ((1 - am) a1 + am a0) = f at t1, q1, v1 mixed with af parts of t0, q0, v0.
 *
 * Newmark has am = af = 0; b = 1/4, g = 1/2 is the average acceleration (trapezoidal rule): order
 * 2, A-stable, no damping of its own. g > 1/2 damps, at order 1. Generalised-alpha damps fast modes
 * to rho at infinite step, keeps order 2 and the slow modes (their eq. 17, 20, 25):
 *
 *   am = (2 rho - 1) / (rho + 1),  af = rho / (rho + 1),  g = 1/2 - am + af,  b = (1 - am + af)^2
 * / 4.
 *
 * The error of a step is estimated as h^2 |b - 1/6| (a1 - a0), with 1/12 as the least factor
 * (Zienkiewicz & Xie 1991). The unknown of the stage is z = v1.
 *
 * Constraints: what they exert over Newmark's step follows from its mean acceleration and mean
 * forces, M (v1 - v0) / h - ((1 - g) f0 + g f1), not from the forces at its end alone. The method
 * lets motion that the step does not resolve change its sign in every step; at the ends the normal
 * forces of contact would show that in full, and friction with them. */
#include "ode/stepper.h"

#include <math.h>
#include <string.h>

enum { BETA = PL_NEWTON_PARAM_COUNT, GAMMA, NEWMARK_PARAM_COUNT };
enum { RHO = PL_NEWTON_PARAM_COUNT, ALPHA_PARAM_COUNT };

static const pl_param newmark_params[NEWMARK_PARAM_COUNT] = {
    PL_NEWTON_PARAMS(20, 1e-5, 1, 1),
    {.name = "beta",
     .unit = "1",
     .summary = "weight of the new acceleration in the position",
     .preset = 0.25,
     .min = 0.01,
     .max = 1},
    {.name = "gamma",
     .unit = "1",
     .summary = "weight of the new acceleration in the velocity; above 0.5 damps, at order 1",
     .preset = 0.5,
     .min = 0.5,
     .max = 1},
};

static const pl_param alpha_params[ALPHA_PARAM_COUNT] = {
    PL_NEWTON_PARAMS(20, 1e-5, 1, 1),
    {.name = "rho",
     .unit = "1",
     .summary = "what is left of very fast motion after one step; 1 damps nothing",
     .preset = 0.8,
     .min = 0,
     .max = 1},
};

typedef struct weights {
  double am, af, b, g;
  double e; /* of the change of a in the error estimate */
} weights;

static weights newmark_weights(const double *values)
{
  return (weights){
      .b = values[BETA], .g = values[GAMMA], .e = fmax(fabs(values[BETA] - 1.0 / 6), 1.0 / 12)};
}

static weights alpha_weights(const double *values)
{
  double rho = values[RHO], am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1);
  double b = (1 - am + af) * (1 - am + af) / 4;
  return (weights){am, af, b, 0.5 - am + af, fmax(fabs(b - 1.0 / 6), 1.0 / 12)};
}

typedef struct method {
  weights (*weigh)(const double *values);
} method;

static const method newmark_method = {newmark_weights}, alpha_method = {alpha_weights};

typedef struct newmark {
  pl_stepper stepper;
  double *a;     /* history: the acceleration at the start of the step */
  double *force; /* history: f at the start of the step, as far as it is known */
  double *zero;  /* stays zero: the acceleration prescribed to held nodes at the start */
} newmark;

static pl_status create(pl_integrator *self, pl_error *error)
{
  newmark *state = self->state;
  pl_status status = pl_stepper_create(self, error);
  if (!status) status = pl_integrator_vector(self, &state->zero, error);
  if (!status) status = pl_integrator_history(self, &state->a, error);
  return status ? status : pl_integrator_history(self, &state->force, error);
}

/* M a = f at the start of the first step. */
static pl_status first_acceleration(newmark *state, pl_system *system, double t, const double *q,
                                    const double *v, pl_step_report *report, pl_error *error)
{
  pl_stage stage = {.t = t, .cm = 1, .q0 = q, .v0 = v, .prescribed = state->zero};
  memset(state->a, 0, (size_t)system->blocks * 3 * sizeof *state->a);
  return pl_newton_solve(&state->stepper.newton, system, &stage, state->a, report, error);
}

/* Constraint forces of the step's mean instead of its end: adds (1 - g) (f1 - f0), where f1 = M a1
 * and what the constraints exert less; in a first step f0 is taken as f1. */
static void react_evenly(const pl_integrator *self, pl_system *system, double cm, double share)
{
  newmark *state = self->state;
  pl_stepper *stepper = &state->stepper;
  double *a = stepper->drift, *f = stepper->newton.work;
  if (!system->reaction || !system->unfiltered) return;
  for (int i = 0; i < 3 * system->blocks; i++) {
    a[i] = stepper->w[i] + cm * stepper->z[i];
    f[i] = 0;
  }
  system->ops->mass_add(system, 1, a, f);
  for (int i = 0; i < system->filter.count; i++) {
    int k = 3 * system->filter.nodes[i];
    for (int j = k; j < k + 3; j++) f[j] += system->unfiltered[j];
  }
  if (self->past->steps > 0) {
    pl_system_react(system, share, f);
    pl_system_react(system, -share, state->force);
  }
  memcpy(state->force, f, (size_t)system->blocks * 3 * sizeof *f);
}

static pl_status step(pl_integrator *self, pl_system *system, double t, double h, double *q,
                      double *v, pl_step_report *report, pl_error *error)
{
  newmark *state = self->state;
  pl_stepper *stepper = &state->stepper;
  weights m = ((const method *)self->ops->table)->weigh(self->values);
  int n = 3 * system->blocks;
  pl_status status = PL_OK;
  if (self->past->steps == 0) status = first_acceleration(state, system, t, q, v, report, error);
  if (status) return status;

  // a1 = (z - v0) / (g h) - (1 - g) / g a0 turns everything into functions of z
  double to_a = 1 / (m.g * h), to_q = m.b * h / m.g, now = 1 - m.af;
  pl_stepper_begin(stepper, system, t, h, q, v);
  pl_stepper_expect(stepper, self, system, h, v);
  for (int i = 0; i < n; i++) {
    double base = -to_a * v[i] - (1 - m.g) / m.g * state->a[i];
    stepper->w[i] = (1 - m.am) * base + m.am * state->a[i];
    stepper->move[i] = now * h * (v[i] + h * ((0.5 - m.b) * state->a[i] + m.b * base));
    stepper->drift[i] = m.af * v[i];
  }
  pl_velocity_stage stage = {
      .t = t + now * h, .reach = now * h, .cq = now * to_q, .cv = now, .cm = (1 - m.am) * to_a};
  status = pl_stepper_solve(stepper, system, &stage, h, q, v, report, error);
  if (status) return status;
  if (m.af == 0 && m.am == 0) react_evenly(self, system, stage.cm, 1 - m.g);
  for (int i = 0; i < n; i++) {
    double a = to_a * (stepper->z[i] - v[i]) - (1 - m.g) / m.g * state->a[i];
    stepper->move[i] = h * (v[i] + h * ((0.5 - m.b) * state->a[i] + m.b * a));
    stepper->drift[i] = a - state->a[i];
    state->a[i] = a;
  }
  if (self->estimates) report->error = pl_rms(system, h * h * m.e, stepper->drift, NULL);
  pl_filter_motion(&system->filter, state->a);
  pl_stepper_end(stepper, self, system, h, stepper->move, stepper->z, q, v);
  return PL_OK;
}

#define MEMBER(NAME, WORD, LANDS, SUMMARY, SOURCE, PARAMS, COUNT, METHOD)                          \
  const pl_integrator_ops pl_integrator_##NAME = {                                                 \
      .info = PL_INFO_SOME(WORD, SUMMARY, SOURCE, PARAMS, COUNT),                                  \
      .is_implicit = 1,                                                                            \
      .ends_on_stage = LANDS,                                                                      \
      .order = 2,                                                                                  \
      .error_power = 3,                                                                            \
      .history = 3,                                                                                \
      .state_size = sizeof(newmark),                                                               \
      .table = &(METHOD),                                                                          \
      .create = create,                                                                            \
      .begin = pl_newton_begin,                                                                    \
      .step = step,                                                                                \
  }

MEMBER(newmark, "newmark", 1,
       "average acceleration: order 2, stable at any step, keeps energy; what the step does not "
       "resolve rings on",
       "Newmark 1959, eq. 1-2", newmark_params, NEWMARK_PARAM_COUNT, newmark_method);
MEMBER(generalised_alpha, "generalised-alpha", 0,
       "Newmark with damping of fast motion only, set by rho: order 2, stable at any step",
       "Chung & Hulbert 1993, eq. 17, 20, 25", alpha_params, ALPHA_PARAM_COUNT, alpha_method);
