/* Changing a world between two steps: the values of its parts. What the step has prepared is
 * dropped where it no longer fits. */
#include "core/error.h"
#include "core/memory.h"
#include "pliant/world.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

/* ---- values ---- */

pl_status pl_world_set_dt(pl_world *world, double dt, pl_error *error)
{
  if (!(dt > 0) || !isfinite(dt))
    return pl_fail(error, PL_E_ARGUMENT, "dt = %g must be a positive time in s", dt);
  // from here on, time is counted from zero
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
  if (!status) status = pl_world_check_time_budget(world->set.time_budget, tolerance, error);
  if (status) return status;
  pl_world_unprepare(world);
  world->set.budget = budget;
  world->set.halvings = halvings;
  world->set.tolerance = tolerance;
  return PL_OK;
}

pl_status pl_world_set_time_budget(pl_world *world, double seconds, pl_error *error)
{
  pl_status status = pl_world_check_time_budget(seconds, world->set.tolerance, error);
  if (status) return status;
  // a limit that comes or goes decides whether steps may be rejected
  if ((seconds > 0) != (world->set.time_budget > 0)) pl_world_unprepare(world);
  world->set.time_budget = seconds;
  world->tally.effort = (pl_effort){0};
  return PL_OK;
}

pl_status pl_world_set_integrator(pl_world *world, const pl_choice *integrator, pl_error *error)
{
  pl_selection part;
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
  pl_selection part, before;
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

/* Puts another model of the same unknowns in the place of a body's. */
static void put_model(pl_world *world, const pl_body *found, pl_model *model)
{
  pl_body *body = &world->bodies.list[found - world->bodies.list];
  pl_world_unprepare(world);
  pl_world_settle(world);
  pl_model_destroy(body->model);
  body->model = model;
}

pl_status pl_world_set_material(pl_world *world, pl_body_id id, const pl_material_def *def,
                                pl_error *error)
{
  const pl_body *found;
  pl_model *model;
  pl_material material;
  pl_selection law;
  pl_status status = pl_world_find_body(world, id, &found, error);
  if (!status) status = pl_material_check(def, &law, &material, error);
  if (status) return status;
  const pl_model_def sites = pl_body_sites(&world->bodies, found);
  status = pl_body_build(&world->allocator, found, def, &material, &sites, &model, error);
  if (status) return status;
  pl_body *body = &world->bodies.list[found - world->bodies.list];
  put_model(world, found, model);
  // another law remembers other things
  if (body->law.member != law.member || body->material.memory.count != def->memory.count ||
      body->material.memory.of != def->memory.of)
    body->memory_count = 0;
  pl_body_remember(body, def, &law);
  return PL_OK;
}

/* Can the state of the body's blocks be that of the other model? */
static pl_status check_unknowns(const pl_body *body, const pl_model *model, const char *name,
                                pl_error *error)
{
  if (model->ops->nodes == body->model->ops->nodes && model->blocks == body->blocks &&
      !model->frame_count && !body->model->frame_count)
    return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT,
                 "body \"%.80s\" cannot change from model=\"%s\" to \"%s\" while the scene runs: "
                 "their unknowns differ; change the scene's file",
                 body->name, body->model_part.member->name, name);
}

pl_status pl_world_set_model(pl_world *world, pl_body_id id, const pl_choice *choice,
                             pl_error *error)
{
  const pl_body *found;
  pl_model *model = NULL;
  pl_material material;
  pl_selection part;
  pl_status status = pl_world_find_body(world, id, &found, error);
  if (!status && !choice) status = pl_fail(error, PL_E_ARGUMENT, "the model of a body is NULL");
  if (!status)
    status = pl_choice_resolve(&pl_model_family, choice, &part.member, part.values, error);
  if (!status) status = pl_material_make(&found->material, &found->law, &material, error);
  if (status) return status;
  pl_body changed = *found;
  changed.model_part = part;
  const pl_model_def sites = pl_body_sites(&world->bodies, &changed);
  status = pl_body_build(&world->allocator, &changed, &found->material, &material, &sites, &model,
                         error);
  if (status) return status;
  changed.model = model;
  status = check_unknowns(found, model, part.member->name, error);
  if (!status) status = pl_world_fit_solver(world, &changed, error);
  if (status) {
    pl_model_destroy(model);
    return status;
  }
  pl_body *body = &world->bodies.list[found - world->bodies.list];
  put_model(world, found, model);
  body->model_part = part;
  body->memory_count = 0; // other points remember
  return PL_OK;
}
