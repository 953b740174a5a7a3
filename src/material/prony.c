/* Prony series: shares and times from parameters. With shares m_i of the modulus mu_inf that lasts,
 * that of a sudden load is mu = mu_inf (1 + sum m_i) and g_i = m_i / (1 + sum m_i); the bulk
 * modulus lambda + 2/3 mu stays. */
#include "material/prony.h"

#include "core/error.h"

static double share(const double *values, int i) { return values[PL_PRONY_FIRST + 2 * i]; }

static double sum_of_shares(const double *values)
{
  double sum = 0;
  for (int i = 0; i < PL_PRONY_TERMS; i++) sum += share(values, i);
  return sum;
}

pl_status pl_prony_instant(const double *values, double *lambda, double *mu, pl_error *error)
{
  double sum = sum_of_shares(values);
  for (int i = 0; i < PL_PRONY_TERMS; i++) {
    if (share(values, i) > 0 && isnan(values[PL_PRONY_FIRST + 2 * i + 1]))
      return pl_fail(error, PL_E_ARGUMENT, "g%d = %g has no tau%d; give the time in which it fades",
                     i + 1, share(values, i), i + 1);
  }
  if (values[PL_PRONY_GIVEN] == PL_PRONY_LONG) {
    *lambda -= 2.0 / 3 * sum * *mu;
    *mu *= 1 + sum;
    return PL_OK;
  }
  if (sum < 1) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT,
                 "the sum of all g is %g; below 1 something lasts: give smaller ones, or shares of "
                 "the moduli that last with moduli=\"long\"",
                 sum);
}

void pl_prony_numbers(const double *values, double *numbers)
{
  double whole = values[PL_PRONY_GIVEN] == PL_PRONY_LONG ? 1 + sum_of_shares(values) : 1;
  for (int i = 0; i < PL_PRONY_TERMS; i++) {
    double tau = values[PL_PRONY_FIRST + 2 * i + 1];
    numbers[i] = share(values, i) / whole;
    numbers[PL_PRONY_TERMS + i] = isnan(tau) ? 1 : tau;
  }
}

int pl_prony_history(const double *numbers)
{
  int terms = PL_PRONY_TERMS;
  while (terms > 0 && numbers[terms - 1] == 0) terms--;
  return 6 * (1 + terms);
}
