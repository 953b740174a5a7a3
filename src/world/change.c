/* Changing a world between two steps: the values of its parts. What the step has prepared is
 * dropped where it no longer fits. */
#include "core/error.h"
#include "core/memory.h"
#include "pliant/touch.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

/* ---- values ---- */

pl_status pl_world_set_dt(pl_world *world, double dt, pl_error *error)
{
  if (!(dt > 0) || !isfinite(dt))
    return pl_fail(error, PL_E_ARGUMENT, "dt = %g must be a positive time in s", dt);
  // from here on, time is counted anew
  world->state.epoch = world->state.time;
  world->state.epoch_steps = world->state.steps;
  world->set.dt = dt;
  return PL_OK;
}

pl_status pl_world_set_gravity(pl_world *world, const double gravity[3], pl_error *error)
{
  if (!gravity || !isfinite(gravity[0]) || !isfinite(gravity[1]) || !isfinite(gravity[2]))
    return pl_fail(error, PL_E_ARGUMENT, "gravity must be three finite numbers");
  memcpy(world->gravity, gravity, sizeof world->gravity);
  return PL_OK;
}

pl_status pl_world_set_control(pl_world *world, int budget, int halvings, double tolerance,
                               pl_error *error)
{
  pl_status status =
      pl_world_check_control(budget, halvings, tolerance, &world->set.integrator, error);
  if (status) return status;
  pl_world_unprepare(world);
  world->set.budget = budget;
  world->set.halvings = halvings;
  world->set.tolerance = tolerance;
  return PL_OK;
}

pl_status pl_world_set_integrator(pl_world *world, const pl_choice *integrator, pl_error *error)
{
  pl_part part;
  pl_status status = pl_integrator_resolve(integrator, &part, error);
  if (!status)
    status = pl_world_check_control(world->set.budget, world->set.halvings, world->set.tolerance,
                                    &part, error);
  if (status) return status;
  pl_world_unprepare(world);
  world->set.integrator = part;
  return PL_OK;
}

pl_status pl_world_set_solver(pl_world *world, const pl_choice *solver,
                              const pl_choice *preconditioner, pl_error *error)
{
  pl_part part, before;
  pl_status status = pl_choice_resolve(&pl_solver_family, solver, &part.member, part.values, error);
  if (!status)
    status = pl_choice_resolve(&pl_preconditioner_family, preconditioner, &before.member,
                               before.values, error);
  if (status) return status;
  pl_world_unprepare(world);
  world->set.solver = part;
  world->set.solver_given = solver->name != NULL;
  world->set.preconditioner = before;
  return PL_OK;
}

pl_status pl_world_set_material(pl_world *world, pl_body_id id, const pl_material_def *def,
                                pl_error *error)
{
  const pl_body *found;
  pl_model *model;
  pl_material material;
  pl_part law;
  pl_status status = pl_world_find_body(world, id, &found, error);
  if (!status) status = pl_material_check(def, &law, &material, error);
  if (status) return status;
  const pl_sites sites = pl_body_sites(&world->bodies, found);
  status = pl_body_build(&world->allocator, found, def, &material, &sites, &model, error);
  if (status) return status;
  pl_body *body = &world->bodies.list[id.index1 - 1];
  pl_world_unprepare(world);
  pl_model_destroy(body->model);
  body->model = model;
  // another law remembers other things
  if (body->law.member != law.member) body->memory_count = 0;
  pl_body_remember(body, def, &law);
  return PL_OK;
}
