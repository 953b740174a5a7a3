/* Rosenbrock methods: linearly implicit Runge-Kutta methods, which solve one linear system with the
 * same matrix per stage and iterate nothing. For y' = F(t, y) with J = dF/dy at the start,
 *
 *   (1/(g h) - J) U_i = F(t + c_i h, y + sum a_ij U_j) + sum c_ij/h U_j + d_i h F_t,    y1 = y +
 * sum m_j U_j
 *
 * (Hairer & Wanner 1996, IV.7, eq. 7.25). With y = (q, v), U = (X, Y), F = (v, M^-1 f) the
 * positions can be taken out, as in Hauth 2004, 3.4.1: with r = v_i + sum c_ij/h X_j,
 *
 *   X_i = g h (r + Y_i)
 *   (M/(g h) + D + g h K) Y_i = f_i + M sum c_ij/h Y_j + d_i h f_t - g h K r,
 *   g h K r = (M/(g h) + D + g h K) r - M r/(g h) - D r.
 *
 * Forces depend linearly on velocity nearly always, so that D r is the difference of two forces.
 * The matrix is symmetric and leaves out how viscous forces and live loads turn with the body. What
 * that costs is taken back by correcting Y_i with the same matrix for the true residual
 *
 *   f_i + d_i h f_t + M (sum c_ij/h Y_j - Y_i/(g h)) + df/dq X_i + df/dv Y_i,
 *
 * whose last two terms are one difference of forces along (X_i, Y_i).
 *
 * Where blocks rotate M depends on q: in the place of f_i stands M M_i^-1 f_i with the mass M_i of
 * the stage, and in that of df/dq X the slope of f - M(q) M^-1 f. The inverse is that of the lumped
 * mass. Their inertial forces are even in v and not in the matrix: D r is then the odd part of the
 * force at r, so that the same matrix stands on both sides.
 *
 * Held nodes have Y = 0 and move at constant velocity. W-methods keep their order (ROS2 all of it,
 * ROS3 two of three) with any matrix in the place of J. */
#include "core/clock.h"
#include "core/error.h"
#include "ode/newton.h"
#include "ode/share.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

enum { MOST_STAGES = 4 };

typedef struct table {
  int stages;
  double g;
  double a[MOST_STAGES][MOST_STAGES - 1], c[MOST_STAGES][MOST_STAGES - 1], m[MOST_STAGES];
  double e[MOST_STAGES]; /* m less the weights of the embedded method of lower order */
  double at[MOST_STAGES], d[MOST_STAGES];
  int reuses; /* the last stage takes the forces of the one before */
} table;

/* Verwer, Spee, Blom & Hundsdorfer 1999, eq. 14: k1, k2 with g = 1 - 1/sqrt(2), L-stable; here
 * U = g h k. */
#define G2 0.29289321881345247560
static const table ros2 = {.stages = 2,
                           .g = G2,
                           .a = {{0}, {1 / G2}},
                           .c = {{0}, {-2 / G2}},
                           .m = {1.5 / G2, 0.5 / G2},
                           .e = {0.5 / G2, 0.5 / G2},
                           .at = {0, 1},
                           .d = {G2, -G2}};

/* Two stages of order 3 with g = 1/2 + sqrt(3)/6, A-stable. b = (1/4, 3/4), c_2 = 2/3 and
 * g_21 = -4/3 g meet the four conditions of order 3 (Hairer & Wanner 1996, IV.7, eq. 7.15); it is
 * the natural reading of Gerisch & Verwer 2002, whose coefficients Hauth 2004 does not print. */
#define G3 0.78867513459481288225
static const table ros3 = {.stages = 2,
                           .g = G3,
                           .a = {{0}, {2 / (3 * G3)}},
                           .c = {{0}, {-4 / (3 * G3)}},
                           .m = {5 / (4 * G3), 3 / (4 * G3)},
                           .e = {1 / (4 * G3), 3 / (4 * G3)},
                           .at = {0, 2.0 / 3},
                           .d = {G3, -G3 / 3}};

/* Order 4 with four stages and three force evaluations: Hairer & Wanner 1996, IV.7, table 7.2. All
 * eight conditions of order 4 were checked to 1e-15. The embedded methods, of order 3, do without
 * the fourth stage, and follow from their four conditions. */
#define ROS4(G, A21, A31, A32, C21, C31, C32, C41, C42, C43, M1, M2, M3, M4, E1, E2, E3, AT2, AT3, \
             D2, D3, D4)                                                                           \
  {                                                                                                \
    .stages = 4, .g = G, .a = {{0}, {A21}, {A31, A32}, {A31, A32}},                                \
    .c = {{0}, {C21}, {C31, C32}, {C41, C42, C43}}, .m = {M1, M2, M3, M4}, .e = {E1, E2, E3, M4},  \
    .at = {0, AT2, AT3, AT3}, .d = {G, D2, D3, D4}, .reuses = 1                                    \
  }
static const table ros4[] = {
    // L-stable, Hairer & Wanner
    ROS4(0.57282, 2, 1.867943637803922, 0.2344449711399156, -7.137615036412310, 2.580708087951457,
         0.6515950076447975, -2.137148994382534, -0.3214669691237626, -0.6949742501781779,
         2.255570073418735, 0.2870493262186792, 0.4353179431840180, 1.093502252409163,
         0.2815431932141160, 0.0727619912493892, 0.1082196201495310, 1.14564, 0.65521686381559,
         -1.769193891319233, 0.7592633437920482, -0.1049021087100450),
    // Shampine 1982
    ROS4(0.5, 2, 1.92, 0.24, -8, 14.88, 2.4, -0.896, -0.432, -0.4, 19.0 / 9, 0.5, 25.0 / 108,
         125.0 / 108, 17.0 / 54, 7.0 / 36, 0, 1, 0.6, -1.5, 2.42, 0.116),
    // Kaps & Rentrop 1979, A-stable
    ROS4(0.395, 1.108860759493671, 2.377085261983360, 0.1850114988899692, -4.920188402397641,
         1.055588686048583, 3.351817267668938, 3.846869007049313, 3.427109241268180,
         -2.162408848753263, 1.845683240405840, 0.1369796894360503, 0.7129097783291559,
         0.6329113924050632, -0.04831870177201969, 0.6471108651049498, -0.2186876660500249, 0.438,
         0.87, -0.3726723954840920, 0.06629196544571492, 0.4340946962568634),
    // Kaps & Rentrop 1979, A(89.3 degrees)-stable
    ROS4(0.231, 2, 4.524708207373116, 4.163528788597648, -5.071675338776316, 6.020152728650786,
         0.1597506846727117, -1.856343618686113, -8.505380858179826, -2.084075136023187,
         3.957503746640777, 4.624892388363313, 0.6174772638750108, 1.282612945269037,
         -2.302155402933007, -3.073634485392624, 0.8732808018045051, 0.462, 0.8802083333333334,
         -0.03962966775244303, 0.5507789395789127, -0.05535098457052764),
    // van Veldhuizen 1984, g = 1/2
    ROS4(0.5, 2, 1.75, 0.25, -8, -8, -1, 0.5, -0.5, 2, 4.0 / 3, 2.0 / 3, -4.0 / 3, 4.0 / 3, 1.0 / 3,
         1.0 / 3, 0, 1, 0.5, -1.5, -0.75, 0.25),
    // van Veldhuizen 1984, "D-stable"
    ROS4(0.2257081148225682, 2, 4.812234362695436, 4.578146956747842, -5.333333333333331,
         6.100529678848254, 1.804736797378427, -2.540515456634749, -9.443746328915205,
         -1.988471753215993, 4.289339254654537, 5.036098482851414, 0.6085736420673917,
         1.355958941201148, -2.175672787531753, -2.950911222575746, 0.7859744544887434,
         0.4514162296451364, 0.8755928946018455, -0.04599403502680582, 0.5177590504944076,
         -0.03805623938054428),
};

enum { TANGENT, REFINE, FLAVOUR, PARAM_COUNT };

#define COMMON_PARAMS(refine_preset)                                                               \
  {.name = "tangent",                                                                              \
   .unit = "1",                                                                                    \
   .summary = "spd: without negative eigenvalues, never indefinite; exact: keeps the order",       \
   .preset = 1,                                                                                    \
   .words = "spd|exact"},                                                                          \
  {                                                                                                \
    .name = "refine", .unit = "count",                                                             \
    .summary = "most corrections of a stage for what the matrix leaves out: viscous forces and "   \
               "loads that turn with the body",                                                    \
    .preset = refine_preset, .min = 0, .max = 100                                                  \
  }
static const pl_param low_params[FLAVOUR] = {COMMON_PARAMS(0)};
static const pl_param params[PARAM_COUNT] = {
    COMMON_PARAMS(2),
    {.name = "flavour",
     .unit = "1",
     .summary = "the coefficients; lstab damps fast motion fully, velds and shamp partly, grk4a "
                "hardly; grk4t and veldd are the most accurate and not stable at every step",
     .preset = 0,
     .words = "lstab|shamp|grk4a|grk4t|velds|veldd"},
};

typedef struct rosenbrock {
  double *X[MOST_STAGES], *Y[MOST_STAGES];
  double *f, *rate, *f0; /* of the stage, by time, at the start */
  double *a, *a0;        /* M^-1 f of the stage and at the start where blocks rotate, else 0 */
  double *q, *v, *r, *b, *work;
} rosenbrock;

static pl_status create(pl_integrator *self, pl_error *error)
{
  rosenbrock *state = self->state;
  double **vectors[] = {&state->f, &state->rate, &state->f0,   &state->q, &state->v,
                        &state->r, &state->b,    &state->work, &state->a, &state->a0};
  pl_status status = PL_OK;
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors && !status; i++)
    status = pl_integrator_vector(self, vectors[i], error);
  const table *method = self->ops->table;
  for (int i = 0; i < method->stages && !status; i++) {
    status = pl_integrator_vector(self, &state->X[i], error);
    if (!status) status = pl_integrator_vector(self, &state->Y[i], error);
  }
  return status;
}

/* out += sum weights[j] vectors[j]. */
static void add_all(const double *weights, double scale, double *const *vectors, int count,
                    double *out, pl_system *system)
{
  for (int j = 0; j < count; j++) {
    if (weights[j] != 0) pl_axpy(scale * weights[j], vectors[j], out, system->blocks, system->pool);
  }
}

/* df/dt, from three values on the side that the step goes to: of the loads and, where laws
 * remember, of what fades. */
static void force_rate(rosenbrock *state, pl_system *system, double t, double h, const double *q,
                       const double *v)
{
  static const double weights[] = {-1.5, 2, -0.5};
  double dt = h / 64;
  memset(state->rate, 0, (size_t)system->blocks * 3 * sizeof *state->rate);
  for (int k = 0; k < 3; k++) {
    if (system->remembers)
      system->ops->evaluate(system, t + k * dt, q, v, state->work, NULL);
    else
      system->ops->external(system, t + k * dt, q, v, state->work);
    pl_axpy(weights[k] / dt, state->work, state->rate, system->blocks, system->pool);
  }
}

/* a = M^-1 f with the mass as it is now. */
static void accelerate(pl_system *system, const double *f, double *a)
{
  system->ops->mass_inverse(system, f, a);
  pl_system_free(system, 0, a);
}

/* f: the forces at stage i, but for M_i a where blocks rotate; v: its velocity. */
static void stage_forces(rosenbrock *state, pl_system *system, const table *method, int i, double t,
                         double h, const double *q, const double *v)
{
  size_t size = (size_t)system->blocks * 3 * sizeof *v;
  memcpy(state->v, v, size);
  add_all(method->a[i], 1, state->Y, i, state->v, system);
  if (i == 0) memcpy(state->f, state->f0, size);
  if (i == 0 || (method->reuses && i + 1 == method->stages)) return;
  memset(state->work, 0, size);
  add_all(method->a[i], 1, state->X, i, state->work, system);
  system->ops->retract(system, q, state->work, state->q);
  system->ops->evaluate(system, t + method->at[i] * h, state->q, state->v, state->f, NULL);
  if (!system->ops->chart) return;
  accelerate(system, state->f, state->a);
  system->ops->mass_add(system, -1, state->a, state->f);
}

/* out = D r, where forces are linear in velocity but for inertial ones. */
static void resist(rosenbrock *state, pl_system *system, double t, const double *q, double *out)
{
  int n = 3 * system->blocks;
  for (int k = 0; k < n; k++) state->work[k] = -state->r[k];
  system->ops->evaluate(system, t, q, state->work, out, NULL);
  system->ops->evaluate(system, t, q, state->r, state->work, NULL);
  for (int k = 0; k < n; k++) out[k] = 0.5 * (out[k] - state->work[k]);
}

/* b = the right-hand side of stage i, and r. */
static void right_side(rosenbrock *state, pl_system *system, const table *method, int i, double t,
                       double h, const double *q, const double *v)
{
  int n = system->blocks;
  size_t size = (size_t)n * 3 * sizeof *v;
  memcpy(state->r, state->v, size);
  add_all(method->c[i], 1 / h, state->X, i, state->r, system);

  // b = f + d h f_t + D r, with D r = f(q, v) - f(q, v + r) where no block rotates
  for (int k = 0; k < 3 * n; k++) state->work[k] = v[k] + state->r[k];
  if (system->ops->chart)
    resist(state, system, t, q, state->b);
  else
    system->ops->evaluate(system, t, q, state->work, state->b, NULL);
  for (int k = 0; k < 3 * n; k++) {
    double known = state->f[k] + method->d[i] * h * state->rate[k];
    state->b[k] = system->ops->chart ? known + state->b[k] : known + state->f0[k] - state->b[k];
  }

  // b += M (sum c Y / h + r / (g h)) - A r
  for (int k = 0; k < 3 * n; k++) state->work[k] = state->r[k] / (method->g * h);
  add_all(method->c[i], 1 / h, state->Y, i, state->work, system);
  if (i > 0 && system->ops->chart) pl_axpy(1, state->a, state->work, n, system->pool);
  system->ops->mass_add(system, 1, state->work, state->b);
  pl_system_multiply(system, state->r, state->work);
  pl_axpy(-1, state->work, state->b, n, system->pool);
  pl_system_keep_residual(system, state->b);
  pl_filter_force(&system->filter, state->b);
}

/* What stage i adds to the mean constraint force of the step: A Y_i - b_i at constrained blocks,
 * with the weight that a force in this stage alone has in the velocity at the end. */
static void react(pl_system *system, const table *method, int i, const double *Y)
{
  double weight[MOST_STAGES];
  for (int k = method->stages - 1; k >= 0; k--) {
    weight[k] = method->m[k];
    for (int l = k + 1; l < method->stages; l++) weight[k] += weight[l] * method->c[l][k];
    weight[k] *= method->g;
  }
  pl_system_leave(system, Y);
  if (system->unfiltered) pl_system_react(system, -weight[i], system->unfiltered);
}

/* Differences of forces know a derivative to about this part of it. */
static const double knowable = 1e-9;

/* b = the true residual of stage i. */
static void true_residual(rosenbrock *state, pl_system *system, const table *method, int i,
                          double t, double h, const double *q, const double *v)
{
  int n = 3 * system->blocks;
  double max = pl_system_largest(system, state->X[i]), size = pl_system_largest(system, q);
  // twice the way along (X, Y), short against the body: b = f(+) - f(-)
  double s = max > 0 ? 1e-5 * size / max : 1;
  for (int sign = -1; sign <= 1; sign += 2) {
    for (int k = 0; k < n; k++) {
      state->work[k] = sign * s * state->X[i][k];
      state->r[k] = v[k] + sign * s * state->Y[i][k];
    }
    system->ops->retract(system, q, state->work, state->q);
    double *f = sign < 0 ? state->b : state->work;
    system->ops->evaluate(system, t, state->q, state->r, f, NULL);
    if (system->ops->chart) system->ops->mass_add(system, -1, state->a0, f);
  }
  for (int k = 0; k < n; k++)
    state->b[k] =
        state->f[k] + method->d[i] * h * state->rate[k] + (state->work[k] - state->b[k]) / (2 * s);
  for (int k = 0; k < n; k++) state->work[k] = -state->Y[i][k] / (method->g * h);
  add_all(method->c[i], 1 / h, state->Y, i, state->work, system);
  if (i > 0 && system->ops->chart) pl_axpy(1, state->a, state->work, system->blocks, system->pool);
  // the mass is that of the start again
  if (system->ops->chart) system->ops->evaluate(system, t, q, v, state->r, NULL);
  system->ops->mass_add(system, 1, state->work, state->b);
  pl_filter_force(&system->filter, state->b);
}

/* Corrects Y_i and X_i for what the matrix leaves out. */
static pl_status refine(rosenbrock *state, pl_system *system, const table *method, int i, double t,
                        double h, const double *q, const double *v, int max, double scale,
                        pl_step_report *report, pl_error *error)
{
  double tolerance = fmax(pl_solver_tolerance(system->solver), knowable);
  for (int pass = 0; pass < max; pass++) {
    double start = pl_now();
    true_residual(state, system, method, i, t, h, q, v);
    system->clock.evaluate += pl_now() - start;
    if (!(pl_system_norm(system, state->b) > tolerance * scale)) break;
    memset(state->work, 0, (size_t)system->blocks * 3 * sizeof *v);
    pl_status status =
        pl_system_solve(system, 0, state->b, state->work, scale, tolerance, report, error);
    if (status) return status;
    for (int k = 0; k < 3 * system->blocks; k++) {
      state->Y[i][k] += state->work[k];
      state->X[i][k] += method->g * h * state->work[k];
    }
  }
  return PL_OK;
}

static pl_status solve_stages(rosenbrock *state, pl_system *system, const table *method, double t,
                              double h, const double *q, const double *v, int semidefinite,
                              int corrections, pl_step_report *report, pl_error *error)
{
  double gh = method->g * h, start = pl_now();
  const pl_tangent tangent = {1 / gh, gh, 1, semidefinite, system->A, system->pairs};
  system->ops->evaluate(system, t, q, v, state->f0, &tangent);
  pl_system_fold(system);
  if (system->ops->chart) accelerate(system, state->f0, state->a0);
  system->clock.evaluate += pl_now() - start;
  for (int i = 0; i < method->stages; i++) {
    start = pl_now();
    stage_forces(state, system, method, i, t, h, q, v);
    right_side(state, system, method, i, t, h, q, v);
    system->clock.evaluate += pl_now() - start;
    double scale = pl_system_norm(system, state->b);
    if (!isfinite(scale))
      return pl_fail(error, PL_E_DIVERGED, "the forces are not finite; take smaller steps");
    memset(state->Y[i], 0, (size_t)system->blocks * 3 * sizeof *v);
    pl_status status = pl_system_solve(system, i == 0, state->b, state->Y[i], scale,
                                       pl_solver_tolerance(system->solver), report, error);
    if (status) return status;
    for (int k = 0; k < 3 * system->blocks; k++)
      state->X[i][k] = gh * (state->r[k] + state->Y[i][k]);
    react(system, method, i, state->Y[i]);
    status = refine(state, system, method, i, t, h, q, v, corrections, scale, report, error);
    if (status) return status;
  }
  return PL_OK;
}

static pl_status step(pl_integrator *self, pl_system *system, double t, double h, double *q,
                      double *v, pl_step_report *report, pl_error *error)
{
  rosenbrock *state = self->state;
  const table *method = self->ops->table;
  if (method == ros4) method += (int)self->values[FLAVOUR];

  // held nodes move at the velocity that brings them where they must be
  pl_system_prescribe(system, t, h, q, v, state->work);
  force_rate(state, system, t, h, q, v);
  int spd = self->values[TANGENT] == 0, corrections = (int)self->values[REFINE];
  pl_status status =
      solve_stages(state, system, method, t, h, q, v, spd, corrections, report, error);
  if (status == PL_E_INDEFINITE && !spd) {
    report->semidefinite_fallbacks++;
    status = solve_stages(state, system, method, t, h, q, v, 1, corrections, report, error);
  }
  if (status) return status;
  memset(state->work, 0, (size_t)system->blocks * 3 * sizeof *v);
  add_all(method->m, 1, state->X, method->stages, state->work, system);
  system->ops->retract(system, q, state->work, q);
  add_all(method->m, 1, state->Y, method->stages, v, system);
  if (self->estimates) {
    memset(state->work, 0, (size_t)system->blocks * 3 * sizeof *v);
    add_all(method->e, 1, state->X, method->stages, state->work, system);
    report->error = pl_rms(system, 1, state->work, NULL);
  }
  return PL_OK;
}

#define MEMBER(NAME, WORD, ORDER, POWER, SUMMARY, SOURCE, PARAMS, COUNT, TABLE)                    \
  const pl_integrator_ops pl_integrator_##NAME = {                                                 \
      .info = PL_INFO_SOME(WORD, SUMMARY, SOURCE, PARAMS, COUNT),                                  \
      .is_implicit = 1,                                                                            \
      .order = ORDER,                                                                              \
      .error_power = POWER,                                                                        \
      .state_size = sizeof(rosenbrock),                                                            \
      .table = TABLE,                                                                              \
      .create = create,                                                                            \
      .step = step,                                                                                \
  }

MEMBER(ros2w, "ros2w", 2, 2,
       "linearly implicit, two linear solves per step: order 2 with any matrix, damps fast motion",
       "Verwer, Spee, Blom & Hundsdorfer 1999; Hauth 2004, 3.2.6", low_params, FLAVOUR, &ros2);
MEMBER(ros3w, "ros3w", 3, 2,
       "linearly implicit, two linear solves per step: order 3, damps fast motion weakly",
       "Hairer & Wanner 1996, IV.7; Gerisch & Verwer 2002; Hauth 2004, 3.2.6", low_params, FLAVOUR,
       &ros3);
MEMBER(rosenbrock4, "rosenbrock4", 4, 4,
       "linearly implicit, four linear solves per step: order 4; needs accurate solves and the "
       "exact tangent",
       "Hairer & Wanner 1996, IV.7, table 7.2; Hauth 2004, 3.2.6", params, PARAM_COUNT, ros4);
