/* The family of responses, and which of them acts. */
#include "couple/response.h"

#include "core/error.h"

#define X(name) &pl_response_##name.info,
PL_FAMILY(response, "how bodies are kept apart where they touch", PL_RESPONSES(X));
#undef X

pl_status pl_response_choose(const pl_selection *response, const pl_selection *integrator,
                             const pl_encounter *what, const pl_response_ops **out,
                             const char **why, pl_error *error)
{
  *why = NULL;
  const pl_response_ops *ops = (const pl_response_ops *)(const void *)response->member;
  if (ops->stands_for) ops = ops->stands_for(integrator, what, why);
  const char *reason = ops->refuses ? ops->refuses(integrator) : NULL;
  *out = ops;
  if (!reason) return PL_OK;
  return pl_fail(error, PL_E_UNSUPPORTED, "contact by \"%s\" does not work with %s: %s",
                 ops->info.name, integrator->member->name, reason);
}

int pl_response_owns(const pl_coupling_ops *coupling)
{
  const pl_member *const *members = pl_response_family.members;
  for (int i = 0; members[i]; i++) {
    const pl_response_ops *ops = (const pl_response_ops *)(const void *)members[i];
    if (ops->coupling == coupling) return 1;
  }
  return 0;
}

const char *pl_response_refuses_statics(const pl_selection *integrator)
{
  const pl_integrator_ops *ops = (const pl_integrator_ops *)(const void *)integrator->member;
  if (!ops->is_static) return NULL;
  return "nodes are moved after a step, which leaves no equilibrium; choose "
         "response=\"constraint\" or \"penalty\"";
}
