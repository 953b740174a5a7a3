/* Compressible neo-Hookean material:
 *
 *   W = mu/2 (I1 - 3) - mu ln J + lambda/2 (J - 1)^2
 *
 * (Bonet, Wood 2008, "Nonlinear continuum mechanics for finite element analysis", 6.4.3, with the
 * volume term of Gilles, Bousquet, Faure, Pai 2011, appendix B; Hauth 2004, 2.5.4.) A bar that is
 * stretched by s along its axis has the stretch t across with u = t^2 from
 *   lambda s^2 u^2 + (mu - lambda s) u - mu = 0,
 * and the nominal stress mu (s - 1/s) + lambda (J - 1) u, J = s u. */
#include "material/invariant_point.h"
#include "material/material.h"
#include "material/moduli.h"

static const pl_param params[PL_MODULUS_COUNT] = {PL_MODULI_PARAMS};

static pl_status lame(const double *values, double *lambda, double *mu, pl_error *error)
{
  return pl_moduli_lame("neo-hooke", values, lambda, mu, error);
}

PL_INLINE void potential(const pl_point *point, const pl_lanes *I, pl_potential *out)
{
  const pl_lanes zero = pl_lanes_all(0);
  pl_lanes j = pl_lanes_max(I[2], pl_lanes_all(PL_LEAST_RATIO)), change = I[2] - 1.0;
  pl_lanes_curve log = {pl_lanes_log(j), 1.0 / j, -1.0 / (j * j)};
  log = pl_lanes_continue(log, I[2] - j);
  *out = (pl_potential){
      .W = 0.5 * point->mu * (I[0] - 3.0) - point->mu * log.value +
           0.5 * point->lambda * change * change,
      .first = {0.5 * point->mu, zero, point->lambda * change - point->mu * log.slope},
      .second = {zero, zero, zero, zero, zero, point->lambda - point->mu * log.bend},
  };
}

PL_INVARIANT_POINTS(potential, 0)

const pl_law_ops PL_VARIANT(pl_law_neo_hooke) = {
    .info = PL_INFO("neo-hooke",
                    "rubber: softens in tension, stiffens without bound in compression; makes "
                    "no use of strain",
                    "Bonet, Wood 2008, 6.4.3; Hauth 2004, 2.5.4", params),
    .has_wall = 1,
    .volume = PL_VOLUME_LAMBDA,
    .lame = lame,
    .points = PL_INVARIANT_LAW(pl_invariant_shape),
};
