/* Moduli of isotropic material. Hauth 2004, 2.5.1. */
#include "material/moduli.h"

#include "core/error.h"

#include <stdio.h>

/* Above it, forces of volume lose all digits of those of shape. */
static const double max_poisson = 0.4999;

/* Says which moduli there are, and which there should be. */
static pl_status wrong_moduli(const char *law, const int *given, int count, pl_error *error)
{
  static const char *const names[PL_MODULUS_COUNT] = {"young", "poisson", "lambda", "mu"};
  char list[64] = "no modulus";
  size_t used = 0;
  for (int i = 0, named = 0; i < PL_MODULUS_COUNT; i++) {
    if (!given[i]) continue;
    named++;
    const char *before = named == 1 ? "" : named == count ? " and " : ", ";
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", before, names[i]);
  }
  return pl_fail(error, PL_E_ARGUMENT, "%s has %s%s; give young and poisson, or lambda and mu", law,
                 list, count == 1 ? " only" : "");
}

pl_status pl_moduli_lame(const char *law, const double *values, double *lambda, double *mu,
                         pl_error *error)
{
  int given[PL_MODULUS_COUNT], count = 0;
  for (int i = 0; i < PL_MODULUS_COUNT; i++) count += given[i] = !isnan(values[i]);
  int constants = given[PL_LAMBDA] && given[PL_MU],
      engineering = given[PL_YOUNG] && given[PL_POISSON];
  if (count != 2 || (!constants && !engineering)) return wrong_moduli(law, given, count, error);
  if (constants) {
    *lambda = values[PL_LAMBDA];
    *mu = values[PL_MU];
  } else {
    double young = values[PL_YOUNG], poisson = values[PL_POISSON];
    if (poisson > max_poisson)
      return pl_fail(error, PL_E_ARGUMENT,
                     "poisson = %g leaves no finite bulk modulus; take at most %g with elements "
                     "that do not lock (hexahedra, tet10), or a law that takes bulk, such as "
                     "mooney-rivlin",
                     poisson, max_poisson);
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
