/* What pulls, and a hand that feels the body, exert on it. */
#include "couple/pull.h"
#include "math/vec3.h"
#include "world/world.h"

static void read_pull_force(pl_world *world, const pl_probe *probe, double *value)
{
  pl_coupling *at = NULL;
  pl_vec3_set(value, 0, 0, 0);
  while ((at = pl_couplings_next(&world->couplings, &pl_coupling_pull, at))) {
    pl_pull_facts facts;
    if (probe->body >= 0 && at->acts_on[0] != probe->body) continue;
    pl_pull_read((pl_pull *)at, world->state.time, world->state.q, world->state.v, &facts);
    pl_vec3_add(value, facts.force, value);
  }
}

PL_QUANTITY(pull_force, "pull-force", "sum of what pulls and a hand exert on the body", "N", 3, 0,
            read_pull_force);
