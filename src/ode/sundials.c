/* Adaptive methods of high order from SUNDIALS, for reference solutions:
 *
 *   dormand-prince   explicit Runge-Kutta 5(4), Dormand & Prince 1980      (ARKODE, 7 stages)
 *   fehlberg8        explicit Runge-Kutta 8(7), Fehlberg 1968              (ARKODE, 13 stages)
 *   cvode            backward differences of order 1 to 5, for stiff bodies (CVODE)
 *
 * The system is y = (d, w) with d the displacement since the start of the step and w the velocity:
 * d' = w, w' = P M^-1 f(t, q moved by d, w) with the lumped mass. Held nodes move at constant
 * velocity. Every step of the world is a problem of its own: only the length of the last inner step
 * is remembered, so steps should be long. Errors per inner step stay below
 * rtol |y| + atol in the RMS sense.
 *
 * CVODE's Newton matrix is I - g J. Its linear systems are solved by GMRES, preconditioned with the
 * positions taken out: z_v from (M + g D + g^2 K) z_v = M r_v - g K r_q, z_q = r_q + g z_v, where
 * g K r_q = (A r_q - M r_q) / g - D r_q and D r_q is a difference of forces.
 *
 * The methods are adaptive themselves and give step control nothing to use. SUNDIALS takes its own
 * memory from malloc, at creation and in first steps. */
#include "core/clock.h"
#include "core/error.h"
#include "core/text.h"
#include "ode/newton.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

enum { RTOL, ATOL, MOST_STEPS, PARAM_COUNT };

static const pl_param params[PARAM_COUNT] = {
    {.name = "rtol",
     .unit = "1",
     .summary = "relative error of an inner step",
     .preset = 1e-6,
     .min = 1e-15,
     .max = 0.1},
    {.name = "atol",
     .unit = "m",
     .summary = "absolute error of an inner step, in m and m/s",
     .preset = 1e-9,
     .min = 1e-18,
     .max = 1},
    {.name = "max-steps",
     .unit = "count",
     .summary = "most inner steps of a step; one that needs more fails",
     .preset = 1e6,
     .min = 1,
     .max = 1e9},
};

#ifdef PL_WITH_SUNDIALS

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_spfgmr.h>

typedef struct tableau {
  ARKODE_ERKTableID id;
} tableau;

static const tableau dormand_prince = {ARKODE_DORMAND_PRINCE_7_4_5};
static const tableau fehlberg = {ARKODE_FEHLBERG_13_7_8};

typedef struct solver {
  SUNContext context;
  void *memory;
  N_Vector y;
  SUNLinearSolver linear; /* cvode's */
  char message[160];      /* what SUNDIALS said last */
  double *q, *a, *b;
  // of the step in hand
  pl_system *system;
  pl_step_report *report;
  double start, h, reached; /* reached: s since start */
  const double *base;
} solver;

static void keep_message(int code, const char *module, const char *function, char *text, void *data)
{
  (void)module, (void)function;
  solver *self = data;
  if (code < 0) pl_print(self->message, sizeof self->message, "%.150s", text);
}

/* d' = w, w' = P M^-1 f; forces that are not finite ask for a smaller step. */
static int derivative(realtype t, N_Vector y, N_Vector dy, void *data)
{
  solver *self = data;
  pl_system *system = self->system;
  int n = 3 * system->blocks;
  const double *d = N_VGetArrayPointer(y), *w = d + n;
  double *to = N_VGetArrayPointer(dy), *a = to + n;
  if (system->watch) system->watch->time = self->start + t;
  if (pl_watch_ended(system->watch)) return -1;
  system->ops->retract(system, self->base, d, self->q);
  system->ops->evaluate(system, self->start + t, self->q, w, a, NULL);
  system->ops->mass_inverse(system, a, a);
  pl_system_free(system, 0, a);
  memcpy(to, w, (size_t)n * sizeof *to);
  return isfinite(pl_norm(a, system->blocks, NULL)) ? 0 : 1;
}

static pl_status open_solver(pl_integrator *self, pl_error *error)
{
  solver *state = self->state;
  double **vectors[] = {&state->q, &state->a, &state->b};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    pl_status status = pl_integrator_vector(self, vectors[i], error);
    if (status) return status;
  }
  if (SUNContext_Create(NULL, &state->context)) return pl_fail_memory(error);
  state->y = N_VNew_Serial(6 * (sunindextype)self->blocks, state->context);
  if (!state->y) return pl_fail_memory(error);
  N_VConst(0, state->y);
  return PL_OK;
}

static pl_status create_explicit(pl_integrator *self, pl_error *error)
{
  solver *state = self->state;
  const double *values = self->values;
  pl_status status = open_solver(self, error);
  if (status) return status;
  state->memory = ERKStepCreate(derivative, 0, state->y, state->context);
  if (!state->memory || ERKStepSetErrHandlerFn(state->memory, keep_message, state) ||
      ERKStepSetUserData(state->memory, state) ||
      ERKStepSStolerances(state->memory, values[RTOL], values[ATOL]) ||
      ERKStepSetTableNum(state->memory, ((const tableau *)self->ops->table)->id) ||
      ERKStepSetMaxNumSteps(state->memory, (long)values[MOST_STEPS]))
    return pl_fail_memory(error);
  return PL_OK;
}

static void destroy_explicit(pl_integrator *self)
{
  solver *state = self->state;
  if (state->memory) ERKStepFree(&state->memory);
  if (state->y) N_VDestroy(state->y);
  if (state->context) SUNContext_Free(&state->context);
}

/* ---- what all steps share ---- */

static void begin(pl_integrator *self, pl_system *system, double t, double h, const double *q,
                  double *v, pl_step_report *report)
{
  solver *state = self->state;
  int n = 3 * system->blocks;
  double *y = N_VGetArrayPointer(state->y);
  pl_system_prescribe(system, t, h, q, v, state->q);
  memset(y, 0, (size_t)n * sizeof *y);
  memcpy(y + n, v, (size_t)n * sizeof *y);
  state->system = system;
  state->report = report;
  state->start = t;
  state->h = h;
  state->reached = 0;
  state->base = q;
  state->message[0] = 0;
}

/* Smaller steps of the world would take as many inner ones: this is not to be tried again. */
static pl_status fail_work(const pl_integrator *self, long steps, pl_error *error)
{
  const solver *state = self->state;
  return pl_fail(error, PL_E_LIMIT,
                 "%s has made all of its max-steps = %ld inner steps and is at %.3g s of a step of "
                 "%.3g s, %.2g s each; the body is too stiff for them: %s, a larger rtol and atol, "
                 "or more max-steps",
                 self->ops->info.name, steps, state->reached, state->h,
                 state->reached / (double)steps,
                 self->ops->is_implicit ? "take a smaller dt" : "take cvode or an implicit method");
}

static pl_status finish(pl_integrator *self, pl_system *system, double h, int code, long steps,
                        double last, double *q, double *v, pl_step_report *report, pl_error *error)
{
  solver *state = self->state;
  int n = 3 * system->blocks;
  const double *y = N_VGetArrayPointer(state->y);
  report->inner_steps += steps;
  if (pl_watch_ended(system->watch)) return pl_watch_check(system->watch, error);
  if (code == ARK_TOO_MUCH_WORK || code == CV_TOO_MUCH_WORK) return fail_work(self, steps, error);
  if (code < 0)
    return pl_fail(error, PL_E_DIVERGED, "SUNDIALS gave up after %ld inner steps: %.150s", steps,
                   state->message[0] ? state->message : "no reason is known");
  // the end of the step may have cut the last inner step short
  self->past->next = fmax(last, 0.5 * self->past->next);
  system->ops->retract(system, q, y, q);
  memcpy(v, y + n, (size_t)n * sizeof *v);
  // constraint forces at the end stand for those of the step
  system->ops->evaluate(system, state->start + h, q, v, state->q, NULL);
  pl_system_oppose(system, 1, state->q);
  if (!system->filter.mpcs) return PL_OK;
  system->ops->mass_inverse(system, state->q, state->q);
  pl_system_free(system, 1, state->q);
  return PL_OK;
}

static pl_status step_explicit(pl_integrator *self, pl_system *system, double t, double h,
                               double *q, double *v, pl_step_report *report, pl_error *error)
{
  solver *state = self->state;
  double start = pl_now(), last = 0;
  long steps = 0;
  begin(self, system, t, h, q, v, report);
  int code = ERKStepReInit(state->memory, derivative, 0, state->y);
  if (!code) code = ERKStepSetInitStep(state->memory, fmin(self->past->next, h));
  if (!code) code = ERKStepSetStopTime(state->memory, h);
  if (!code) code = ERKStepEvolve(state->memory, h, state->y, &state->reached, ARK_NORMAL);
  ERKStepGetNumSteps(state->memory, &steps);
  ERKStepGetCurrentStep(state->memory, &last);
  system->clock.evaluate += pl_now() - start;
  return finish(self, system, h, code, steps, last, q, v, report, error);
}

/* ---- cvode ---- */

/* A = M + g D + g^2 K at y. */
static int make_matrix(realtype t, N_Vector y, N_Vector dy, booleantype keep, booleantype *made,
                       realtype g, void *data)
{
  (void)dy, (void)keep;
  solver *self = data;
  pl_system *system = self->system;
  const double *d = N_VGetArrayPointer(y), *w = d + 3 * system->blocks;
  double start = pl_now();
  system->ops->retract(system, self->base, d, self->q);
  const pl_tangent tangent = {1, g * g, g, 1, system->A, system->pairs};
  system->ops->evaluate(system, self->start + t, self->q, w, NULL, &tangent);
  pl_system_fold(system);
  *made = SUNTRUE;
  system->clock.evaluate += pl_now() - start;
  return pl_solver_prepare(system->solver, system->A, system->pairs, &system->filter, system->pool,
                           NULL)
             ? 1
             : 0;
}

/* z near (I - g J)^-1 r. */
static int precondition(realtype t, N_Vector y, N_Vector dy, N_Vector r, N_Vector z, realtype g,
                        realtype delta, int left, void *data)
{
  (void)dy, (void)delta, (void)left;
  solver *self = data;
  pl_system *system = self->system;
  int n = 3 * system->blocks;
  const double *d = N_VGetArrayPointer(y), *w = d + n, *rq = N_VGetArrayPointer(r), *rv = rq + n;
  double *zq = N_VGetArrayPointer(z), *zv = zq + n, *a = self->a, *b = self->b;
  // b = D rq
  system->ops->retract(system, self->base, d, self->q);
  system->ops->evaluate(system, self->start + t, self->q, w, b, NULL);
  for (int i = 0; i < n; i++) zv[i] = w[i] + rq[i];
  system->ops->evaluate(system, self->start + t, self->q, zv, a, NULL);
  for (int i = 0; i < n; i++) b[i] -= a[i];
  // b = M (rv + rq / g) - A rq / g + D rq
  pl_system_multiply(system, rq, a);
  for (int i = 0; i < n; i++) b[i] -= a[i] / g;
  for (int i = 0; i < n; i++) zv[i] = rv[i] + rq[i] / g;
  system->ops->mass_add(system, 1, zv, b);
  pl_filter_force(&system->filter, b);
  memset(zv, 0, (size_t)n * sizeof *zv);
  double scale = pl_norm(b, system->blocks, system->pool);
  pl_status status = pl_system_solve(system, 0, b, zv, scale, 1e-3, self->report, NULL);
  for (int i = 0; i < n; i++) zq[i] = rq[i] + g * zv[i];
  return status ? 1 : 0;
}

static pl_status create_cvode(pl_integrator *self, pl_error *error)
{
  solver *state = self->state;
  const double *values = self->values;
  pl_status status = open_solver(self, error);
  if (status) return status;
  state->memory = CVodeCreate(CV_BDF, state->context);
  state->linear = SUNLinSol_SPFGMR(state->y, SUN_PREC_RIGHT, 20, state->context);
  if (!state->memory || !state->linear ||
      CVodeSetErrHandlerFn(state->memory, keep_message, state) ||
      CVodeInit(state->memory, derivative, 0, state->y) || CVodeSetUserData(state->memory, state) ||
      CVodeSStolerances(state->memory, values[RTOL], values[ATOL]) ||
      CVodeSetMaxNumSteps(state->memory, (long)values[MOST_STEPS]) ||
      CVodeSetLinearSolver(state->memory, state->linear, NULL) ||
      CVodeSetPreconditioner(state->memory, make_matrix, precondition))
    return pl_fail_memory(error);
  return PL_OK;
}

static void destroy_cvode(pl_integrator *self)
{
  solver *state = self->state;
  if (state->memory) CVodeFree(&state->memory);
  if (state->linear) SUNLinSolFree(state->linear);
  if (state->y) N_VDestroy(state->y);
  if (state->context) SUNContext_Free(&state->context);
}

static pl_status step_cvode(pl_integrator *self, pl_system *system, double t, double h, double *q,
                            double *v, pl_step_report *report, pl_error *error)
{
  solver *state = self->state;
  long steps = 0, newton = 0;
  begin(self, system, t, h, q, v, report);
  // the first step is of order 1 and has to be short: CVODE finds out how much
  int code = CVodeReInit(state->memory, 0, state->y);
  if (!code) code = CVodeSetStopTime(state->memory, h);
  if (!code) code = CVode(state->memory, h, state->y, &state->reached, CV_NORMAL);
  CVodeGetNumSteps(state->memory, &steps);
  CVodeGetNumNonlinSolvIters(state->memory, &newton);
  report->newton_iterations += (int)newton;
  return finish(self, system, h, code, steps, 0, q, v, report, error);
}

#define STEPS(create_function, destroy_function, step_function, coefficients)                      \
  .state_size = sizeof(solver), .table = (coefficients), .create = (create_function),              \
  .destroy = (destroy_function), .step = (step_function)

#else

#define STEPS(create_function, destroy_function, step_function, coefficients)                      \
  .info.missing = "SUNDIALS (Debian: libsundials-dev)"

#endif

const pl_integrator_ops pl_integrator_dormand_prince = {
    .info = PL_INFO("dormand-prince",
                    "adaptive, explicit, order 5(4): divides every step to keep rtol and atol; "
                    "for reference solutions",
                    "Dormand & Prince 1980; SUNDIALS (ARKODE); Hauth 2004, 3.2.2 (DOPRI5)", params),
    STEPS(create_explicit, destroy_explicit, step_explicit, &dormand_prince),
};

const pl_integrator_ops pl_integrator_fehlberg8 = {
    .info = PL_INFO("fehlberg8",
                    "adaptive, explicit, order 8(7): divides every step to keep rtol and atol; "
                    "for the most precise reference solutions",
                    "Fehlberg 1968; SUNDIALS (ARKODE); in place of Hauth's DOPRI853", params),
    STEPS(create_explicit, destroy_explicit, step_explicit, &fehlberg),
};

const pl_integrator_ops pl_integrator_cvode = {
    .info = PL_INFO("cvode",
                    "adaptive, implicit, orders 1 to 5: divides every step to keep rtol and "
                    "atol; for reference solutions of stiff bodies, in long steps",
                    "Hindmarsh et al. 2005; SUNDIALS (CVODE)", params),
    .is_implicit = 1,
    STEPS(create_cvode, destroy_cvode, step_cvode, NULL),
};
