/* Hooke's law in frames that turn along late: the rotation R of a point is that of the last
 * renewal, every `update` seconds, in the force as well as in the matrix.
 *
 *   E = sym(R^T F) - I,   P = R sigma(E),   W = lambda/2 (tr E)^2 + mu E:E,   R = polar(F) then
 *
 * Between renewals forces are linear, so one linear solve is a step, and the matrix and its factor
 * hold until the next. What is turned since is taken for strain: the price is an error that grows
 * with the angle, and beyond about 20 degrees the method is unstable. With update = 0 frames are
 * those of the beginning of each step. Hauth 2004, 3.1.3 and 5.3.5. */
#include "material/hooke_point.h"
#include "material/material.h"
#include "material/moduli.h"
#include "math/lanes_polar.h"

enum { UPDATE = PL_MODULUS_COUNT, PARAM_COUNT };
/* Remembered are R - I and how long ago R was found. */
enum { AGE = 9, REMEMBERED, FROZEN = 9 };

static const pl_param params[PARAM_COUNT] = {
    PL_MODULI_PARAMS,
    [UPDATE] = {.name = "update",
                .unit = "s",
                .summary = "frames are renewed that often, at the ends of steps",
                .preset = 0.02,
                .min = 0,
                .max = 1e9},
};

static pl_status lame(const double *values, double *lambda, double *mu, pl_error *error)
{
  return pl_moduli_lame("hooke-lagged", values, lambda, mu, error);
}

static void numbers(const double *values, double *out) { out[0] = values[UPDATE]; }

static int remembered(const double *values)
{
  (void)values;
  return REMEMBERED;
}

static void freeze(const pl_point *point, double h, const pl_lanes *history, int count,
                   pl_lanes *frozen)
{
  (void)point, (void)h, (void)count;
  for (int i = 0; i < 9; i++) frozen[i] = history[i] + (i % 4 == 0 ? 1.0 : 0.0);
}

/* Steps add up to the interval but for rounding. A body that was deformed in no time, or has rested
 * for ever, has the frames of its shape. */
static void advance(const pl_point *point, double h, int count, pl_lanes *history)
{
  (void)count;
  pl_lanes R[9], age = history[AGE] + h;
  pl_mask due = age >= (1 - 1e-9) * point->numbers[0];
  if (h == 0) due = age >= 0.0;
  if (!pl_lanes_any(due)) {
    history[AGE] = age;
    return;
  }
  pl_lanes_polar(point->F, R);
  for (int i = 0; i < 9; i++)
    history[i] = pl_lanes_pick(due, R[i] - (i % 4 == 0 ? 1.0 : 0.0), history[i]);
  history[AGE] = pl_lanes_pick(due, pl_lanes_all(0), age);
}

/* sym(R^T A) */
PL_INLINE void turned_back(const pl_lanes *R, const pl_lanes *A, pl_lanes *out)
{
  pl_lanes_mat3_multiply_tn(R, A, out);
  pl_lanes_mat3_symmetric(out, out);
}

static void stress(const pl_point *point, pl_lanes *P, pl_lanes *W)
{
  const pl_lanes *R = point->frozen;
  pl_lanes E[9], sigma[9];
  turned_back(R, point->F, E);
  for (int i = 0; i < 9; i += 4) E[i] -= 1.0;
  pl_hooke_stress(point->lambda, point->mu, E, sigma);
  if (W) *W = pl_hooke_energy(point->lambda, point->mu, E);
  if (point->prestress) pl_add_prestress(point->prestress, E, sigma, W);
  if (!P) return;
  if (point->viscous) {
    pl_lanes D[9], viscous[9];
    turned_back(R, point->rate, D);
    pl_hooke_stress(point->viscous_lambda, point->viscous_mu, D, viscous);
    for (int i = 0; i < 9; i++) sigma[i] += viscous[i];
  }
  pl_lanes_mat3_multiply(R, sigma, P);
}

static pl_tangent_shape shape(const pl_point *point, int semidefinite)
{
  (void)point, (void)semidefinite;
  return PL_TANGENT_TURNED;
}

PL_INLINE void form_at(const pl_point *point, double kq, double kv, int semidefinite, pl_lanes *P,
                       pl_tangent_form *out)
{
  (void)semidefinite;
  if (P) stress(point, P, NULL);
  memcpy(out->A, point->frozen, sizeof out->A);
  pl_hooke_moduli(point, kq, kv, out);
}

PL_TANGENT_OF_FORM(PL_TANGENT_TURNED)

const pl_law_ops PL_VARIANT(pl_law_hooke_lagged) = {
    .info = PL_INFO("hooke-lagged",
                    "Hooke's law in frames that are renewed at intervals, in forces and matrix: "
                    "linear in between, for cheap steps of bodies that turn slowly; makes no "
                    "use of strain",
                    "Hauth 2004, 3.1.3 and 5.3.5", params),
    .lame = lame,
    .number_count = 1,
    .numbers = numbers,
    .points = {.stress = stress, .tangent = tangent, .shape = shape, .form = form},
    .memory = {.count = remembered,
               .lasting = 1,
               .lags = 1,
               .frozen = FROZEN,
               .freeze = freeze,
               .advance = advance},
};
