/* From the engineer's constants to stiffness: C = S^-1 with the compliance of stretches
 *
 *   S = ( 1/E1  -nu12/E1  -nu13/E1 ; . 1/E2 -nu23/E2 ; . . 1/E3 )
 *
 * (Lekhnitskii 1963, "Theory of elasticity of an anisotropic body".) Voigt's mean: K = tr over 9,
 * mu = (C_iijj part, shears) over 15. */
#include "material/orthotropic.h"

#include "core/error.h"

/* Are all leading minors of the compliance positive? */
static int is_positive(const double S[6], double *det)
{
  double a = S[0], b = S[1], c = S[2], d = S[3], e = S[4], f = S[5];
  *det = a * (b * c - f * f) - d * (d * c - e * f) + e * (d * f - e * b);
  return a > 0 && a * b - d * d > 0 && *det > 0;
}

pl_status pl_orthotropic_stiffness(const char *law, const pl_orthotropic *from, double nine[9],
                                   pl_error *error)
{
  const double *E = from->E;
  const double S[6] = {1 / E[0],           1 / E[1],           1 / E[2],
                       -from->nu12 / E[0], -from->nu13 / E[0], -from->nu23 / E[1]};
  double det;
  if (!is_positive(S, &det))
    return pl_fail(error, PL_E_ARGUMENT,
                   "%s with nu12 = %g, nu13 = %g, nu23 = %g has a compliance that is not positive; "
                   "take smaller ratios, at least |nu_ij| < sqrt(E_i/E_j)",
                   law, from->nu12, from->nu13, from->nu23);
  nine[0] = (S[1] * S[2] - S[5] * S[5]) / det;
  nine[1] = (S[0] * S[2] - S[4] * S[4]) / det;
  nine[2] = (S[0] * S[1] - S[3] * S[3]) / det;
  nine[3] = (S[4] * S[5] - S[3] * S[2]) / det;
  nine[4] = (S[3] * S[5] - S[4] * S[1]) / det;
  nine[5] = (S[3] * S[4] - S[5] * S[0]) / det;
  nine[6] = from->G12;
  nine[7] = from->G13;
  nine[8] = from->G23;
  return PL_OK;
}

void pl_orthotropic_mean(const double nine[9], double *lambda, double *mu)
{
  double along = nine[0] + nine[1] + nine[2], across = nine[3] + nine[4] + nine[5];
  double shear = nine[6] + nine[7] + nine[8];
  *mu = (along - across + 3 * shear) / 15;
  *lambda = (along + 2 * across) / 9 - 2 * *mu / 3;
}
