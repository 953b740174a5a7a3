/* Stable neo-Hookean material, finite for every F:
 *
 *   W = m/2 (I1 - 3) + l/2 (J - 1)^2 - 3m/4 (J - 1) - m/2 ln((I1 + 1) / 4)
 *   m = 4/3 mu,  l = lambda + 5/6 mu
 *
 * (Smith, de Goes, Kim 2018, "Stable neo-Hookean flesh simulation": l/2 (J - a)^2 with a = 1 + 3m /
 * (4l), less its value at rest.) The logarithm keeps a body that has shrunk to nothing from staying
 * there: without it F = 0 is stable below J = (mu / (lambda + 2 mu))^3. F = 0 itself is an
 * equilibrium of every law of I1 and J, so that a body collapsed to one point needs a small
 * disturbance to come back. */
#include "material/invariant_point.h"
#include "material/material.h"
#include "material/moduli.h"

static const pl_param params[PL_MODULUS_COUNT] = {PL_MODULI_PARAMS};

static pl_status lame(const double *values, double *lambda, double *mu, pl_error *error)
{
  return pl_moduli_lame("stable-neo-hooke", values, lambda, mu, error);
}

PL_INLINE void potential(const pl_point *point, const pl_lanes *I, pl_potential *out)
{
  const pl_lanes zero = pl_lanes_all(0);
  const pl_lanes m = point->mu * (4.0 / 3), l = point->lambda + point->mu * (5.0 / 6);
  const pl_lanes change = I[2] - 1.0, inverse = 1.0 / (I[0] + 1.0);
  *out = (pl_potential){
      .W = 0.5 * m * (I[0] - 3.0) + (0.5 * l * change - 0.75 * m) * change -
           0.5 * m * pl_lanes_log(0.25 * (I[0] + 1.0)),
      .first = {0.5 * m * (1.0 - inverse), zero, l * change - 0.75 * m},
      .second = {0.5 * m * inverse * inverse, zero, zero, zero, zero, l},
  };
}

PL_INVARIANT_POINTS(potential, 0)

const pl_law_ops PL_VARIANT(pl_law_stable_neo_hooke) = {
    .info = PL_INFO("stable-neo-hooke",
                    "flesh: like neo-hooke near rest, finite for every deformation, comes back "
                    "from inversion and collapse; makes no use of strain",
                    "Smith, de Goes, Kim 2018", params),
    .volume = PL_VOLUME_LAMBDA,
    .lame = lame,
    .points = PL_INVARIANT_LAW(pl_invariant_shape),
};
