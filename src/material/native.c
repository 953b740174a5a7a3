/* A law's own constants or the engineer's moduli. */
#include "material/native.h"

#include "core/error.h"

int pl_native_by_moduli(const double *values)
{
  int count = 0;
  for (int i = 0; i < PL_MODULUS_COUNT; i++) count += !isnan(values[PL_NATIVE_MODULI + i]);
  return count > 0;
}

pl_status pl_native_lame(const char *law, const char *native, const double *values, double shear,
                         int any, double *lambda, double *mu, pl_error *error)
{
  double bulk = values[PL_NATIVE_BULK];
  int own = any || !isnan(bulk), moduli = pl_native_by_moduli(values);
  if (own && moduli)
    return pl_fail(error, PL_E_ARGUMENT,
                   "%s has two sets of constants; give %s and bulk, or young and poisson, not both",
                   law, native);
  if (moduli) return pl_moduli_lame(law, values + PL_NATIVE_MODULI, lambda, mu, error);
  if (isnan(shear) || isnan(bulk))
    return pl_fail(error, PL_E_ARGUMENT, "%s has no %s; give %s and bulk, or young and poisson",
                   law, isnan(shear) ? native : "bulk", native);
  *mu = shear;
  *lambda = bulk - 2 * shear / 3;
  if (shear > 0) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT,
                 "%s gives the shear modulus %g Pa at rest; change %s so that it is above 0", law,
                 shear, native);
}
