/* A spring and a damper side by side, or a rubber band, which is slack when it is short:
 *
 *   T = k (l - L) + c l',   E = k (l - L)^2 / 2,   and both 0 where a band is shorter than L.
 *
 * A band does not push either: it is released while its damper would outweigh its spring. */
#include "couple/link.h"

enum { STIFFNESS, DAMPING, LENGTH, SLACK };

static const pl_param params[] = {
    PL_LINK_ENDS,
    {"stiffness", "N/m", "of the spring", 100, 0, 1e15, NULL, 1},
    {"damping", "N s/m", "of the damper beside it", 0, 0, 1e15, NULL, 1},
    {"length", "m", "of the spring at rest; -1: the way between both points at rest", -1, -1, 1e9,
     NULL, 1},
    {.name = "slack",
     .unit = "word",
     .summary = "yes: a band, which pulls but does not push",
     .words = "no|yes"},
};

static void pull(const double *own, const pl_link_state *at, pl_tension *out)
{
  double k = own[STIFFNESS], rest = own[LENGTH] < 0 ? at->at_rest : own[LENGTH];
  double stretch = at->length - rest, force = k * stretch + own[DAMPING] * at->rate;
  if (own[SLACK] > 0 && (stretch <= 0 || force <= 0)) return;
  *out = (pl_tension){force, k, own[DAMPING], 0.5 * k * stretch * stretch};
}

const pl_link_ops pl_link_spring = {
    .info = PL_INFO("spring", "a spring with a damper, or a band that is slack when it is short",
                    "", params),
    .pull = pull,
};
