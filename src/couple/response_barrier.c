/* Energies that grow beyond all bounds before things touch, and increments that continuous
 * detection has let through (couple/fence.h): nothing intersects, ever. Needs steps whose end is a
 * stage that Newton's method has solved, so that what was checked there holds at the end. */
#include "couple/response.h"

#include "ode/newton.h"

static const pl_param params[] = {
    {.name = "barrier",
     .unit = "1",
     .summary = "the energy over the gap: rational, 1/y - 3 + 3 y - y^2, or the logarithm of the "
                "squared gap",
     .words = "rational|log"},
};

static const char *refuses(const pl_selection *integrator)
{
  const pl_integrator_ops *ops = (const pl_integrator_ops *)(const void *)integrator->member;
  int newton = pl_param_find(integrator->member, "newton");
  if (!ops->is_implicit)
    return "explicit methods look at forces only before they move, and pass through; choose "
           "implicit-euler with newton=\"50\", or response=\"constraint\"";
  if (!ops->ends_on_stage)
    return "its steps end where no stage was solved, so that they may end inside; choose "
           "implicit-euler, bdf2, sdirk2 or static, or response=\"constraint\"";
  if (newton >= 0 && integrator->values[pl_param_place(integrator->member, newton)] < 2)
    return "barriers are far from linear, and one Newton iteration does not solve them; set "
           "newton=\"50\", or choose response=\"constraint\"";
  return NULL;
}

/* Both have a trapezoidal stage, which takes the forces of the beginning, half of an impact that
 * the step does not resolve; measured in docs/contact.md. */
static const char *warns(const pl_selection *integrator)
{
  const pl_member *member = integrator->member;
  if (member != &pl_integrator_newmark.info && member != &pl_integrator_tr_bdf2.info) return NULL;
  return "hard impacts on barriers may gain energy with this integrator; choose sdirk2, bdf2 or "
         "implicit-euler, which do not";
}

const pl_response_ops pl_response_barrier = {
    .info = PL_INFO("barrier",
                    "energies that no force overcomes, and steps checked by continuous "
                    "detection: nothing ever intersects; for implicit methods with newton > 1",
                    "Li et al. 2020", params),
    .at_obstacles = PL_CONTACT_NONE,
    .coupling = &pl_coupling_barrier,
    .refuses = refuses,
    .warns = warns,
};
