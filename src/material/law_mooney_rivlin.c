/* Mooney-Rivlin material with reduced invariants and a volume term:
 *
 *   W = c10 (J^(-2/3) I1 - 3) + c01 (J^(-4/3) I2 - 3) + bulk/2 (J - 1)^2
 *
 * (Gilles, Bousquet, Faure, Pai 2011, appendix B, eq. 29 and the volume term; Hauth 2004, 2.5.4.)
 * At rest mu = 2 (c10 + c01) and lambda = bulk - 2/3 mu; c01 = 0 is a neo-Hookean material whose
 * shape and volume do not know of each other. The point's own number is c01 / (c10 + c01). */
#include "core/error.h"
#include "material/invariant_point.h"
#include "material/material.h"
#include "material/moduli.h"
#include "material/mooney_rivlin.h"

enum { MODULI = PL_MOONEY_RIVLIN_PARAM_COUNT, PARAM_COUNT = MODULI + PL_MODULUS_COUNT };

static const pl_param params[PARAM_COUNT] = {PL_MOONEY_RIVLIN_PARAMS, PL_MODULI_PARAMS_AT(MODULI)};

/* By young and poisson, or lambda and mu: c01 is 0. */
static pl_status by_moduli(const double *values, double *lambda, double *mu, pl_error *error)
{
  if (!isnan(values[PL_C10]) || !isnan(values[PL_BULK]) || values[PL_C01] != 0)
    return pl_fail(error, PL_E_ARGUMENT,
                   "mooney-rivlin has two sets of constants; give c10, c01 and bulk, or young and "
                   "poisson, not both");
  return pl_moduli_lame("mooney-rivlin", values + MODULI, lambda, mu, error);
}

static pl_status lame(const double *values, double *lambda, double *mu, pl_error *error)
{
  for (int i = 0; i < PL_MODULUS_COUNT; i++) {
    if (!isnan(values[MODULI + i])) return by_moduli(values, lambda, mu, error);
  }
  if (isnan(values[PL_C10]) || isnan(values[PL_BULK]))
    return pl_fail(error, PL_E_ARGUMENT, "mooney-rivlin has no %s; give c10, c01 and bulk",
                   isnan(values[PL_C10]) ? "c10" : "bulk");
  *mu = 2 * (values[PL_C10] + values[PL_C01]);
  *lambda = values[PL_BULK] - 2 * *mu / 3;
  if (*mu > 0) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT, "c10 + c01 = %g must be above 0 Pa", *mu / 2);
}

static void numbers(const double *values, double *out)
{
  out[0] = isnan(values[PL_C10]) ? 0 : values[PL_C01] / (values[PL_C10] + values[PL_C01]);
}

PL_INLINE void potential(const pl_point *point, const pl_lanes *I, pl_potential *out)
{
  const pl_lanes zero = pl_lanes_all(0);
  pl_lanes j = pl_lanes_max(I[2], pl_lanes_all(PL_LEAST_RATIO)), d = I[2] - j;
  pl_lanes root = pl_lanes_inverse_root3(j), two = root * root, four = two * two;
  pl_lanes c01 = 0.5 * point->mu * point->numbers[0], c10 = 0.5 * point->mu - c01;
  pl_lanes bulk = point->lambda + point->mu * (2.0 / 3), change = I[2] - 1.0;
  pl_lanes_curve f = {two, two * (-2.0 / 3) / j, two * (10.0 / 9) / (j * j)};
  pl_lanes_curve g = {four, four * (-4.0 / 3) / j, four * (28.0 / 9) / (j * j)};
  f = pl_lanes_continue(f, d);
  g = pl_lanes_continue(g, d);
  *out = (pl_potential){
      .W = c10 * (f.value * I[0] - 3.0) + c01 * (g.value * I[1] - 3.0) +
           0.5 * bulk * change * change,
      .first = {c10 * f.value, c01 * g.value,
                c10 * (f.slope * I[0]) + c01 * (g.slope * I[1]) + bulk * change},
      .second = {zero, zero, c10 * f.slope, zero, c01 * g.slope,
                 c10 * f.bend * I[0] + c01 * g.bend * I[1] + bulk},
  };
}

PL_INVARIANT_POINTS(potential, 1)

const pl_law_ops PL_VARIANT(pl_law_mooney_rivlin) = {
    .info = PL_INFO("mooney-rivlin",
                    "rubber by two moduli of shape and one of volume; makes no use of strain",
                    "Gilles, Bousquet, Faure, Pai 2011, appendix B; Hauth 2004, 2.5.4", params),
    .has_wall = 1,
    .volume = PL_VOLUME_BULK,
    .lame = lame,
    .number_count = 1,
    .numbers = numbers,
    .points = PL_INVARIANT_LAW(pl_second_shape),
};
