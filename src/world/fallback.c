#include "world/world.h"

int pl_fallback_is_needed(const pl_world *world)
{
  const pl_integrator_ops *ops = (const pl_integrator_ops *)world->set.integrator.member;
  int has_budget = world->set.budget || world->set.time_budget > 0;
  // members without an order of their own choose their steps and see errors by themselves
  int may_fail = ops->is_implicit && !ops->is_static && ops->order > 0;
  return has_budget && may_fail && ops != &pl_integrator_implicit_euler;
}

pl_status pl_fallback_prepare(pl_world *world, pl_error *error)
{
  if (!pl_fallback_is_needed(world)) return PL_OK;
  const pl_selection *own = &world->set.integrator;
  pl_selection *selection = &world->substep.fallback.selection;
  int newton = pl_param_find(own->member, "newton");
  double iterations = newton < 0 ? 1 : own->values[pl_param_place(own->member, newton)];
  const pl_setting setting = {.name = "newton", .value = {iterations}};
  const pl_choice euler = {"implicit-euler", &setting, 1};
  pl_status status = pl_integrator_resolve(&euler, selection, error);
  if (status) return status;
  return pl_integrator_create(&world->allocator, selection, world->bodies.blocks, NULL,
                              &world->substep.fallback.by, error);
}

void pl_fallback_release(pl_world *world)
{
  pl_integrator_destroy(world->substep.fallback.by);
  world->substep.fallback.by = NULL;
}
