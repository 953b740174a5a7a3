/* Zhuang & Canny's collisions, with the sign of their (11) corrected (couple/impulse.h): they
 * change the velocity at the end of an explicit Newmark step and its acceleration. */
#include "couple/response.h"

static const pl_param params[] = {
    {.name = "sign",
     .unit = "1",
     .summary = "of the change of velocity at obstacles in (11): corrected, which stops a node, or "
                "as printed, which doubles its speed; for comparison",
     .words = "corrected|printed"},
};

static const char *refuses(const pl_selection *integrator)
{
  const pl_integrator_ops *ops = (const pl_integrator_ops *)(const void *)integrator->member;
  if (ops->strikes & PL_STRIKES_END) return NULL;
  return "the scheme changes the acceleration that explicit Newmark steps remember; choose "
         "explicit-newmark, or response=\"impulse\" or \"constraint\"";
}

const pl_response_ops pl_response_zhuang_canny = {
    .info = PL_INFO("zhuang-canny",
                    "takes the normal velocity of nodes that are inside, so that they are back "
                    "after two steps; for explicit-newmark",
                    "Zhuang & Canny 2000, eq. 11-13", params),
    .at_obstacles = PL_CONTACT_NONE,
    .coupling = &pl_coupling_zhuang_canny,
    .refuses = refuses,
};
