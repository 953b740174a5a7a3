/* Fixed corotated material:
 *
 *   W = mu sum_i (s_i - 1)^2 + lambda/2 (J - 1)^2
 *
 * (Stomakhin, Howes, Schroeder, Teran 2012, "Energetically consistent invertible elasticity".) The
 * shape part is that of corotated strain, the volume counts by det F in place of the trace. Defined
 * for every F, drives inverted, flat and collapsed points back. */
#include "material/material.h"
#include "material/moduli.h"
#include "material/stretch_point.h"

static const pl_param params[PL_MODULUS_COUNT] = {PL_MODULI_PARAMS};

static pl_status lame(const double *values, double *lambda, double *mu, pl_error *error)
{
  return pl_moduli_lame("fixed-corotated", values, lambda, mu, error);
}

PL_INLINE void stretches(const pl_point *point, const pl_lanes *s, pl_stretches *out)
{
  const pl_lanes change = s[0] * s[1] * s[2] - 1.0, slope = point->lambda * change;
  out->w = pl_lanes_all(0);
  for (int i = 0; i < 3; i++) {
    pl_lanes strain = s[i] - 1.0;
    out->w += point->mu * strain * strain;
    out->g[i] = 2.0 * point->mu * strain;
    for (int j = 0; j < 3; j++) out->A[3 * i + j] = i == j ? 2.0 * point->mu : pl_lanes_all(0);
  }
  const pl_lanes_curve U = {0.5 * slope * change, slope, point->lambda};
  pl_stretch_add_volume(s, U, out);
}

PL_STRETCH_POINTS(stretches)

const pl_law_ops PL_VARIANT(pl_law_fixed_corotated) = {
    .info = PL_INFO("fixed-corotated",
                    "corotated strain with the true volume: defined for every deformation, "
                    "comes back from inversion and from collapse to a point; makes no use of "
                    "strain",
                    "Stomakhin, Howes, Schroeder, Teran 2012", params),
    .volume = PL_VOLUME_LAMBDA,
    .lame = lame,
    .points = PL_STRETCH_FORM_POINTS,
};
