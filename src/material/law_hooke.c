/* Hooke's law for isotropic material: sigma = lambda tr(E) I + 2 mu E, with the strain E and all
 * that follows from it as the strain measure has them.
 *
 * Hauth 2004, 2.5.1. */
#include "material/material.h"
#include "material/moduli.h"

static const pl_param params[PL_MODULUS_COUNT] = {PL_MODULI_PARAMS};

static pl_status lame(const double *values, double *lambda, double *mu, pl_error *error)
{
  return pl_moduli_lame("hooke", values, lambda, mu, error);
}

const pl_law_ops PL_VARIANT(pl_law_hooke) = {
    .info = PL_INFO("hooke", "stress in proportion to strain, the same in all directions",
                    "Hauth 2004, 2.5.1", params),
    .volume = PL_VOLUME_LAMBDA,
    .lame = lame,
};
