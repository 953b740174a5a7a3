/* Static equilibrium by dynamic relaxation: no matrix is made.
 *
 * The motion M q'' + c M q' = f(q) of the lumped mass comes to rest where f = 0. It is stepped by
 * central differences with a step h just below the critical one, 0.9 times 2 / w_max by power
 * iterations,
 *
 *   v1 = ((2 - c h) v0 + 2 h M^-1 f) / (2 + c h),      q1 = q0 + h v1,
 *
 * and damped critically for the lowest mode that is still moving, whose frequency the last
 * increment d gives (Underwood 1983, "Dynamic relaxation"; Papadrakakis 1981):
 *
 *   c = 2 sqrt( d . (f0 - f1) / (d . M d) ),      0 where that is negative.
 *
 * Where the largest unbalanced force grows a hundredfold, motion stops and h is halved: the state
 * has stiffened. A step from t to t + h ends in the equilibrium at t + h; the loads grow from zero
 * in `load-steps` steps where t is 0. Held nodes jump to where they must be at the beginning of
 * each. */
#include "core/error.h"
#include "ode/newton.h"
#include "ode/stability.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

enum { TOLERANCE, ITERATIONS, LOAD_STEPS, FORCE, PARAM_COUNT };

static const pl_param params[PARAM_COUNT] = {
    {"tolerance", "1", "ends when the unbalanced force has fallen by this factor", 1e-6, 1e-14, 0.5,
     NULL, 1},
    {"iterations", "count", "most steps of relaxation for one equilibrium", 100000, 1, 1e9, NULL,
     1},
    {"load-steps", "count", "equilibria on the way to the full load", 1, 1, 10000, NULL, 1},
    {"force", "N", "an unbalanced force below this counts as none", 1e-12, 0, 1e9, NULL, 1},
};

/* Own number of the past: the largest unbalanced force met, N. */
enum { REFERENCE };

enum { FIRST_ITERATIONS = 60, MOST_STOPS = 40 };
static const double share = 0.9, too_much = 100;

typedef struct relaxation {
  double *f, *a, *v, *move, *before, *y, *mode, *next;
} relaxation;

static pl_status create(pl_integrator *self, pl_error *error)
{
  relaxation *state = self->state;
  double **vectors[] = {&state->f,      &state->a, &state->v,    &state->move,
                        &state->before, &state->y, &state->mode, &state->next};
  pl_status status = PL_OK;
  for (int i = 0; i < 8 && !status; i++) status = pl_integrator_vector(self, vectors[i], error);
  return status;
}

/* f and its free part's length; a = P M^-1 f. */
static double unbalanced(relaxation *state, pl_system *system, double t, const double *q,
                         const double *rest)
{
  int n = 3 * system->blocks;
  system->ops->evaluate(system, t, q, rest, state->f, NULL);
  system->ops->mass_inverse(system, state->f, state->a);
  pl_system_free(system, 0, state->a);
  memcpy(state->y, state->f, (size_t)n * sizeof *state->y);
  pl_filter_force(&system->filter, state->y);
  return pl_norm(state->y, system->blocks, system->pool);
}

/* The step for the state in hand, whose acceleration is in a. */
static double stable_step(relaxation *state, pl_system *system, double t, const double *q,
                          const double *rest)
{
  const pl_power room = {state->mode, state->move, state->next, state->y, state->a};
  pl_power_start(state->mode, system->blocks);
  double square = pl_largest_eigenvalue(&room, system, t, q, rest, 0, FIRST_ITERATIONS);
  return square > 0 ? share * 2 / sqrt(square) : 0;
}

/* c, from the last increment h v and the forces around it. */
static double damping(relaxation *state, pl_system *system, double h)
{
  int n = 3 * system->blocks;
  for (int i = 0; i < n; i++) state->next[i] = state->before[i] - state->f[i];
  memset(state->y, 0, (size_t)n * sizeof *state->y);
  system->ops->mass_add(system, h, state->v, state->y);
  double stiffness = pl_dot(state->v, state->next, system->blocks, system->pool);
  double mass = pl_dot(state->v, state->y, system->blocks, system->pool);
  return mass > 0 && stiffness > 0 ? 2 * sqrt(stiffness / mass) : 0;
}

static void advance(relaxation *state, pl_system *system, double h, double c, double *q)
{
  int n = 3 * system->blocks;
  for (int i = 0; i < n; i++) {
    state->v[i] = ((2 - c * h) * state->v[i] + 2 * h * state->a[i]) / (2 + c * h);
    state->move[i] = h * state->v[i];
    state->before[i] = state->f[i];
  }
  system->ops->retract(system, q, state->move, q);
}

static pl_status fail(const pl_integrator *self, double residual, double wanted, pl_error *error)
{
  return pl_fail(error, PL_E_CONVERGENCE,
                 "relaxation ended after %.0f steps with an unbalanced force of %.3g N, and %.3g N "
                 "were wanted; allow more iterations, more load-steps or a larger tolerance",
                 self->values[ITERATIONS], residual, wanted);
}

/* Relaxes q towards equilibrium at time t. */
static pl_status relax(pl_integrator *self, pl_system *system, double t, double *q,
                       const double *rest, pl_step_report *report, pl_error *error)
{
  relaxation *state = self->state;
  int n = 3 * system->blocks, stops = 0;
  double c = 0, *reference = &self->past->own[REFERENCE];
  double residual = unbalanced(state, system, t, q, rest), min = residual;
  double h = stable_step(state, system, t, q, rest);
  if (residual > *reference) *reference = residual;
  double wanted = fmax(self->values[FORCE], self->values[TOLERANCE] * *reference);
  memset(state->v, 0, (size_t)n * sizeof *state->v);
  for (double k = 0; residual > wanted; k++, report->inner_steps++) {
    pl_status status = system->watch ? pl_watch_check(system->watch, error) : PL_OK;
    if (status) return status;
    if (k >= self->values[ITERATIONS] || !(h > 0)) return fail(self, residual, wanted, error);
    advance(state, system, h, c, q);
    residual = unbalanced(state, system, t, q, rest);
    c = damping(state, system, h);
    min = fmin(min, residual);
    if (residual <= too_much * fmax(min, *reference)) continue;
    if (++stops > MOST_STOPS || !isfinite(residual)) return fail(self, residual, wanted, error);
    h *= 0.5;
    c = 0;
    memset(state->v, 0, (size_t)n * sizeof *state->v);
  }
  report->newton_residual = residual;
  return PL_OK;
}

static pl_status step(pl_integrator *self, pl_system *system, double t, double h, double *q,
                      double *v, pl_step_report *report, pl_error *error)
{
  relaxation *state = self->state;
  int n = 3 * system->blocks, steps = (int)self->values[LOAD_STEPS];
  pl_status status = PL_OK;
  memset(v, 0, (size_t)n * sizeof *v);
  for (int i = 0; i < steps && !status; i++) {
    double from = t + h * i / steps, to = t + h * (i + 1) / steps;
    system->load_scale = t > 0 ? 1 : (double)(i + 1) / steps;
    memset(state->move, 0, (size_t)n * sizeof *v);
    system->ops->prescribe(system, from, to - from, q, state->move);
    for (int j = 0; j < n; j++) state->move[j] *= to - from;
    system->ops->retract(system, q, state->move, q);
    status = relax(self, system, to, q, v, report, error);
  }
  system->load_scale = 1;
  if (status) return status;
  report->worst_block1 = pl_system_folded1(system, q);
  if (report->worst_block1)
    return pl_fail(error, PL_E_DIVERGED,
                   "the equilibrium that was found is no state of the material: an element is "
                   "turned inside out; take a smaller load");
  pl_system_clear_reaction(system);
  pl_system_react(system, -1, state->f);
  return PL_OK;
}

const pl_integrator_ops pl_integrator_relaxation = {
    .info = PL_INFO("relaxation",
                    "static equilibrium by dynamic relaxation: explicit, without a matrix",
                    "Underwood 1983; Zhuang & Canny 2000, 6", params),
    .is_static = 1,
    .state_size = sizeof(relaxation),
    .create = create,
    .step = step,
};
