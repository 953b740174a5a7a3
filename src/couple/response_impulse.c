/* Impulses at the half step of leapfrog methods (couple/impulse.h). */
#include "couple/response.h"

static const char *refuses(const pl_selection *integrator)
{
  const pl_integrator_ops *ops = (const pl_integrator_ops *)(const void *)integrator->member;
  if (ops->strikes & PL_STRIKES_HALF) return NULL;
  return "impulses act on the velocity of a half step, which it does not have; choose verlet, "
         "explicit-newmark or explicit-euler, or response=\"constraint\"";
}

const pl_response_ops pl_response_impulse = {
    .info = {.name = "impulse",
             .summary = "impulses at the half step that land on the surface, between bodies with "
                        "both momenta kept; for verlet, explicit-newmark and explicit-euler"},
    .at_obstacles = PL_CONTACT_NONE,
    .coupling = &pl_coupling_impulse,
    .refuses = refuses,
};
