/* Implicit-explicit methods: what comes from inside the bodies is stiff and treated implicitly,
 * what comes from outside (gravity, drag, loads) is not and is treated explicitly.
 *
 *   IMEX Euler:     M (v1 - v0) = h (f_in(q1, v1) + f_out(t0, q0, v0)),              q1 = q0 + h v1
 *   IMEX midpoint:  M (v1 - v0) = h (f_in(q_m, v_m) + f_out(t0 + h/2, q_e, v_e)),    q1 = q0 + h
 * v_m
 *
 * with q_m, v_m as in the implicit midpoint rule and q_e, v_e extrapolated to the middle from the
 * last step. Loads that follow the body need no derivative this way, and leave the matrix
 * symmetric. Hauth 2004, 4.2 (there the split is between kinds of springs); Ascher, Ruuth & Wetton
 * 1995. */
#include "ode/stepper.h"

typedef struct imex {
  pl_stepper stepper;
  double *loads;
} imex;

typedef struct point {
  double part; /* of the step, where the stiff forces are taken */
} point;

static const point end = {1}, middle = {0.5};

static const pl_param params[] = {PL_NEWTON_PARAMS(20, 1e-5, 1, 1)};

static pl_status create(pl_integrator *self, pl_error *error)
{
  imex *state = self->state;
  pl_status status = pl_stepper_create(self, error);
  return status ? status : pl_integrator_vector(self, &state->loads, error);
}

/* The loads at the start (Euler), or where the body is expected in the middle of the step. */
static void take_loads(imex *state, pl_system *system, double t, double ahead, const double *q,
                       const double *v)
{
  pl_stepper *stepper = &state->stepper;
  if (ahead == 0) {
    system->ops->external(system, t, q, v, state->loads);
    return;
  }
  for (int i = 0; i < 3 * system->blocks; i++) stepper->move[i] = ahead * v[i];
  system->ops->retract(system, q, stepper->move, stepper->start);
  system->ops->external(system, t + ahead, stepper->start, stepper->z, state->loads);
}

static pl_status step(pl_integrator *self, pl_system *system, double t, double h, double *q,
                      double *v, pl_step_report *report, pl_error *error)
{
  imex *state = self->state;
  pl_stepper *stepper = &state->stepper;
  double part = ((const point *)self->ops->table)->part, reach = part * h;
  int n = 3 * system->blocks;
  pl_stepper_begin(stepper, system, t, h, q, v);
  pl_stepper_expect(stepper, self, system, reach, v);
  take_loads(state, system, t, part < 1 ? reach : 0, q, v);
  for (int i = 0; i < n; i++) {
    stepper->move[i] = stepper->drift[i] = 0;
    stepper->w[i] = -v[i] / reach;
  }
  pl_velocity_stage stage = {
      .t = t + reach, .reach = reach, .cq = reach, .cv = 1, .cm = 1 / reach, .loads = state->loads};
  pl_status status = pl_stepper_solve(stepper, system, &stage, h, q, v, report, error);
  if (status) return status;
  for (int i = 0; i < n; i++) {
    stepper->move[i] = h * stepper->z[i];
    stepper->z[i] = v[i] + (stepper->z[i] - v[i]) / part;
  }
  if (self->estimates)
    report->error = part < 1
                        ? h * h * h / 12 * pl_stepper_bend(stepper, self, system, h, stepper->z, v)
                        : pl_rms(system, h / 2, stepper->z, v);
  pl_stepper_end(stepper, self, system, h, stepper->move, stepper->z, q, v);
  return PL_OK;
}

#define MEMBER(NAME, WORD, ORDER, SUMMARY, POINT)                                                  \
  const pl_integrator_ops pl_integrator_##NAME = {                                                 \
      .info = {.name = WORD,                                                                       \
               .summary = SUMMARY,                                                                 \
               .source = "Hauth 2004, 4.2; Ascher, Ruuth & Wetton 1995",                           \
               .params = params,                                                                   \
               .param_count = PL_NEWTON_PARAM_COUNT},                                              \
      .is_implicit = 1,                                                                            \
      .order = ORDER,                                                                              \
      .error_power = ORDER + 1,                                                                    \
      .history = 1,                                                                                \
      .state_size = sizeof(imex),                                                                  \
      .table = &(POINT),                                                                           \
      .create = create,                                                                            \
      .begin = pl_newton_begin,                                                                    \
      .step = step,                                                                                \
  }

MEMBER(imex_euler, "imex-euler", 1,
       "implicit Euler for inner forces, explicit for loads: order 1, damps fast motion", end);
MEMBER(imex_midpoint, "imex-midpoint", 2,
       "implicit midpoint for inner forces, explicit for loads: order 2, keeps energy", middle);
