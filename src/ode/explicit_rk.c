/* Explicit Runge-Kutta methods from their tableaux, with the lumped mass.
 *
 * With y = (q, v) the stages are v_i = v0 + h sum a_ij k_j and q_i = q0 + h sum a_ij v_j, where
 * k_j = M^-1 f(t + c_j h, q_j, v_j). Putting the first into the second leaves the accelerations as
 * the only vectors to keep:
 *
 *   q_i = q0 + c_i h v0 + h^2 sum (a a)_ij k_j        (Nystroem's form of the same method),
 *
 * and likewise the weights b and b a for the end of the step. Held nodes move at constant velocity
 * through all stages. The error of a step is estimated by giving the weight of the last stage to
 * the end of the step instead, which is a method of lower order: in the positions h b_s (v_s -
 * v_1), without another evaluation. Hauth 2004, 3.2.2; Hairer, Norsett & Wanner 1993, II.1. */
#include "ode/explicit_rk.h"
#include "core/clock.h"

#include <math.h>

static const pl_rk_table midpoint = {.stages = 2, .a = {{0}, {0.5}}, .b = {0, 1}, .last = 1};
static const pl_rk_table classic = {.stages = 4,
                                    .a = {{0}, {0.5}, {0, 0.5}, {0, 0, 1}},
                                    .b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6},
                                    .last = 1.0 / 6};
static const pl_rk_table three_eighths = {.stages = 4,
                                          .a = {{0}, {1.0 / 3}, {-1.0 / 3, 1}, {1, -1, 1}},
                                          .b = {1.0 / 8, 3.0 / 8, 3.0 / 8, 1.0 / 8},
                                          .last = 1.0 / 8};

pl_status pl_rk_create(pl_integrator *self, pl_error *error)
{
  pl_rk *state = self->state;
  const pl_rk_table *table = self->ops->table;
  int s = table->stages;
  for (int i = 0; i <= s; i++) {
    const double *row = i < s ? table->a[i] : table->b;
    for (int j = 0; j < s; j++) {
      state->to_v[i][j] = row[j];
      state->c[i] += row[j];
      for (int l = 0; l < s; l++) state->to_q[i][j] += row[l] * table->a[l][j];
    }
  }
  pl_status status = PL_OK;
  for (int i = 0; i < s && !status; i++) status = pl_integrator_vector(self, &state->k[i], error);
  if (!status) status = pl_integrator_vector(self, &state->q, error);
  if (!status) status = pl_integrator_vector(self, &state->v, error);
  if (!status) status = pl_integrator_vector(self, &state->dq, error);
  return status;
}

/* state->q and ->v: row i of the tableau applied to the first known accelerations. */
static void advance(pl_rk *state, pl_system *system, int row, int known, double h, const double *q,
                    const double *v)
{
  double c = h * state->c[row];
  for (int i = 0; i < 3 * system->blocks; i++) {
    double dq = c * v[i], dv = 0;
    for (int j = 0; j < known; j++) {
      dv += h * state->to_v[row][j] * state->k[j][i];
      dq += h * h * state->to_q[row][j] * state->k[j][i];
    }
    state->dq[i] = dq;
    state->v[i] = v[i] + dv;
  }
  system->ops->retract(system, q, state->dq, state->q);
}

/* The RMS size in the positions of weights that add up to zero: h sum w_i v_i. */
static double weigh(pl_rk *state, pl_system *system, const pl_rk_table *table, const double *w,
                    double h)
{
  double to_q[PL_RK_STAGES] = {0};
  for (int i = 0; i < table->stages; i++) {
    for (int j = 0; j < i; j++) to_q[j] += w[i] * table->a[i][j];
  }
  for (int i = 0; i < 3 * system->blocks; i++) {
    state->dq[i] = 0;
    for (int j = 0; j < table->stages; j++) state->dq[i] += to_q[j] * state->k[j][i];
  }
  return pl_rms(system, h * h, state->dq, NULL);
}

/* Both estimates in one that falls with the eighth power of the step. */
static double estimate_pair(pl_rk *state, pl_system *system, const pl_rk_table *table, double h)
{
  double fine = weigh(state, system, table, table->error, h);
  double coarse = weigh(state, system, table, table->coarse, h);
  double sum = sqrt(fine * fine + 0.01 * coarse * coarse);
  return sum > 0 ? fine * fine / sum : 0;
}

/* The difference of the position from that of the embedded method of lower order. */
static double estimate(pl_rk *state, pl_system *system, const pl_rk_table *table, double h)
{
  int s = table->stages;
  if (table->last == 0) return estimate_pair(state, system, table, h);
  for (int i = 0; i < 3 * system->blocks; i++) {
    state->dq[i] = 0;
    for (int j = 0; j < s; j++)
      state->dq[i] += (state->to_v[s - 1][j] - state->to_v[s][j]) * state->k[j][i];
  }
  return pl_rms(system, h * h * table->last, state->dq, NULL);
}

pl_status pl_rk_step(pl_integrator *self, pl_system *system, double t, double h, double *q,
                     double *v, pl_step_report *report, pl_error *error)
{
  (void)error;
  pl_rk *state = self->state;
  const pl_rk_table *table = self->ops->table;
  int s = table->stages, n = 3 * system->blocks;
  double start = pl_now();

  // held nodes move at the velocity that brings them where they must be
  pl_system_prescribe(system, t, h, q, v, state->dq);
  for (int i = 0; i < s; i++) {
    advance(state, system, i, i, h, q, v);
    system->ops->evaluate(system, t + state->c[i] * h, state->q, state->v, state->k[i], NULL);
    pl_system_oppose(system, table->b[i], state->k[i]);
    system->ops->mass_inverse(system, state->k[i], state->k[i]);
    pl_system_free(system, table->b[i], state->k[i]);
  }
  advance(state, system, s, s, h, q, v);
  for (int i = 0; i < n; i++) {
    q[i] = state->q[i];
    v[i] = state->v[i];
  }
  if (self->estimates) report->error = estimate(state, system, table, h);
  system->clock.evaluate += pl_now() - start;
  return PL_OK;
}

/* |R(z)|^2, where a step multiplies y in y' = lambda y by R(z), z = h lambda = x + i y: the stages
 * are Y_i = 1 + z sum a_ij Y_j, and R is the row of the weights. */
static double amplification(const pl_rk_table *table, double x, double y)
{
  double re[PL_RK_STAGES + 1], im[PL_RK_STAGES + 1];
  for (int i = 0; i <= table->stages; i++) {
    const double *row = i < table->stages ? table->a[i] : table->b;
    double sum[2] = {0};
    for (int j = 0; j < i; j++) {
      sum[0] += row[j] * re[j];
      sum[1] += row[j] * im[j];
    }
    re[i] = 1 + x * sum[0] - y * sum[1];
    im[i] = x * sum[1] + y * sum[0];
  }
  return re[table->stages] * re[table->stages] + im[table->stages] * im[table->stages];
}

/* From zero along lambda, of the mode's two eigenvalues that of the larger size, to where
 * |R(z)| <= 1 ends. */
double pl_rk_critical(const pl_rk_table *table, double frequency, double damping)
{
  enum { HALVINGS = 40 };
  const double stride = 0.25, rounding = 1e-12;
  double half = damping / 2, root = sqrt(fabs((half - frequency) * (half + frequency)));
  double x = half > frequency ? -half - root : -half, y = half > frequency ? 0 : root;
  double size = sqrt(x * x + y * y), inside = 0, outside = stride;
  if (!(size > 0)) return INFINITY;
  x /= size;
  y /= size;
  while (amplification(table, outside * x, outside * y) <= 1 + rounding) {
    inside = outside;
    outside += stride;
  }
  for (int k = 0; k < HALVINGS; k++) {
    double middle = (inside + outside) / 2;
    int is_stable = amplification(table, middle * x, middle * y) <= 1 + rounding;
    *(is_stable ? &inside : &outside) = middle;
  }
  return inside / size;
}

/* Both methods of order 4 have the same R. */
static double critical4(double frequency, double damping)
{
  return pl_rk_critical(&classic, frequency, damping);
}

/* Undamped, |R(i y)|^2 = 1 + y^4 / 4 grows at any step. */
static double critical2(double frequency, double damping)
{
  return damping > 0 ? pl_rk_critical(&midpoint, frequency, damping) : 0;
}

#define MEMBER(NAME, WORD, SUMMARY, SOURCE, ORDER, DAMPING, POWER, TABLE)                          \
  const pl_integrator_ops pl_integrator_##NAME = {                                                 \
      .info = {.name = WORD, .summary = SUMMARY, .source = SOURCE},                                \
      .order = ORDER,                                                                              \
      .needs_damping = DAMPING,                                                                    \
      .critical = DAMPING ? critical2 : critical4,                                                 \
      .error_power = POWER,                                                                        \
      .state_size = sizeof(pl_rk),                                                                 \
      .table = &(TABLE),                                                                           \
      .create = pl_rk_create,                                                                      \
      .step = pl_rk_step,                                                                          \
  }

MEMBER(explicit_midpoint, "explicit-midpoint",
       "order 2, two force evaluations; needs tiny steps, undamped motion slowly grows",
       "Hauth 2004, 3.2.2 (Runge)", 2, 1, 2, midpoint);
MEMBER(rk4, "rk4",
       "the classical Runge-Kutta method: order 4, four force evaluations; needs tiny steps",
       "Hauth 2004, 3.2.2 (Kutta 1901)", 4, 0, 4, classic);
MEMBER(rk38, "rk38",
       "Kutta's 3/8 rule: order 4 with a smaller error constant than rk4, at the same cost",
       "Hauth 2004, 3.2.2 (Kutta 1901)", 4, 0, 3, three_eighths);
