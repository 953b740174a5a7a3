/* Hooke's law for isotropic material: sigma = lambda tr(E) I + 2 mu E.
 *
 *   lambda = young poisson / ((1 + poisson) (1 - 2 poisson))      mu = young / (2 (1 + poisson))
 *
 * Hauth 2004, 2.5.1. */
#include "core/error.h"
#include "material/material.h"

#include <math.h>
#include <stdio.h>

enum { YOUNG, POISSON, LAMBDA, MU, PARAM_COUNT };

static const pl_param params[PARAM_COUNT] = {
    [YOUNG] = {.name = "young",
               .unit = "Pa",
               .summary = "Young's modulus: stress per stretch of a rod; give it with poisson",
               .preset = NAN,
               .least = 1e-3,
               .most = 1e13},
    [POISSON] = {.name = "poisson",
                 .unit = "1",
                 .summary = "Poisson's ratio: how much a stretched rod thins; 0.5 keeps its volume",
                 .preset = NAN,
                 .least = -0.99,
                 .most = 0.4999},
    [LAMBDA] = {.name = "lambda",
                .unit = "Pa",
                .summary = "Lame's first constant; give it with mu instead of young and poisson",
                .preset = NAN,
                .least = -1e15,
                .most = 1e17},
    [MU] = {.name = "mu",
            .unit = "Pa",
            .summary = "Lame's second constant, the shear modulus",
            .preset = NAN,
            .least = 1e-4,
            .most = 1e15},
};

/* Says which moduli there are, and which there should be. */
static pl_status wrong_moduli(const int *given, int count, pl_error *error)
{
  char list[64] = "no modulus";
  size_t used = 0;
  for (int i = 0, named = 0; i < PARAM_COUNT; i++) {
    if (!given[i]) continue;
    named++;
    const char *before = named == 1 ? "" : named == count ? " and " : ", ";
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", before, params[i].name);
  }
  return pl_fail(error, PL_E_ARGUMENT, "hooke has %s%s; give young and poisson, or lambda and mu",
                 list, count == 1 ? " only" : "");
}

static pl_status lame(const double *values, double *lambda, double *mu, pl_error *error)
{
  int given[PARAM_COUNT], count = 0;
  for (int i = 0; i < PARAM_COUNT; i++) count += given[i] = !isnan(values[i]);
  int constants = given[LAMBDA] && given[MU], engineering = given[YOUNG] && given[POISSON];
  if (count != 2 || (!constants && !engineering)) return wrong_moduli(given, count, error);
  if (constants) {
    *lambda = values[LAMBDA];
    *mu = values[MU];
  } else {
    double young = values[YOUNG], poisson = values[POISSON];
    *lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    *mu = young / (2 * (1 + poisson));
  }
  if (!(*mu > 0)) return pl_fail(error, PL_E_ARGUMENT, "mu = %g must be above 0 Pa", *mu);
  if (!(3 * *lambda + 2 * *mu > 0))
    return pl_fail(error, PL_E_ARGUMENT,
                   "lambda = %g must be above -2/3 mu = %g Pa, or the body swells under pressure",
                   *lambda, -2 * *mu / 3);
  return PL_OK;
}

const pl_law_ops pl_law_hooke = {
    .info =
        {
            .name = "hooke",
            .summary = "stress in proportion to strain, the same in all directions",
            .source = "Hauth 2004, 2.5.1",
            .params = params,
            .param_count = PARAM_COUNT,
        },
    .lame = lame,
};
