/* How contact is met: the choice of a response, and its coupling. */
#include "core/error.h"
#include "couple/collision.h"
#include "world/world.h"

pl_contact_def pl_contact_def_default(void)
{
  return (pl_contact_def){
      .between_bodies = 1, .friction = 0.3, .stiffness = 1, .cookie = PL_COOKIE};
}

/* Is there anything that the response's own coupling could meet? */
static int is_needed(const pl_world *world, const pl_response_ops *ops)
{
  if (!ops->coupling) return 0;
  if (pl_collision_is_needed(&world->bodies, world->contact.between_bodies,
                             pl_world_contact(world) != NULL))
    return 1;
  return ops->at_obstacles == PL_CONTACT_NONE && pl_world_contact(world);
}

/* Removes what other responses have brought. */
static void drop_others(pl_world *world, const pl_coupling_ops *wanted)
{
  for (size_t i = world->couplings.count; i-- > 0;) {
    pl_coupling *coupling = world->couplings.list[i];
    if (coupling->ops != wanted && pl_response_owns(coupling->ops))
      pl_couplings_remove(&world->couplings, coupling);
  }
}

static pl_status add_coupling(pl_world *world, const pl_coupling_ops *ops, pl_error *error)
{
  pl_coupling *made;
  if (pl_couplings_count(&world->couplings, ops)) return PL_OK;
  pl_status status = pl_coupling_create(&world->bodies, ops, &made, error);
  if (status) return status;
  pl_responder *responder = (pl_responder *)made;
  responder->set = &world->contact;
  responder->values = world->response.values;
  responder->others = &world->couplings;
  return pl_couplings_add(&world->couplings, made, error);
}

static pl_encounter find_encounter(const pl_world *world)
{
  pl_encounter what = {
      .bodies = pl_collision_is_needed(&world->bodies, world->contact.between_bodies, 0)};
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    what.bound |= pl_model_has_rotations(body->model) || body->mesh->hanging_count > 0;
    what.follow |= body->surface != NULL;
    what.folds |= what.bodies && body->contact.itself && body->mesh->nodes_per_element == 3 &&
                  !body->model->is_solid;
  }
  what.bound |= pl_couplings_count(&world->couplings, &pl_coupling_tie) > 0;
  return what;
}

pl_status pl_world_add_response(pl_world *world, pl_error *error)
{
  const pl_response_ops *ops;
  const char *why;
  pl_contact *contact = pl_world_contact(world);
  const pl_encounter what = find_encounter(world);
  if (!contact && !what.bodies) {
    drop_others(world, NULL);
    return PL_OK;
  }
  pl_status status =
      pl_response_choose(&world->response, &world->set.integrator, &what, &ops, &why, error);
  if (status) return status;
  drop_others(world, ops->coupling);
  if (contact) {
    contact->mode = ops->at_obstacles;
    contact->rule = ops->rule;
    contact->values = world->response.values;
  }
  if (&ops->info != world->response.member)
    pl_log_write(&world->log, PL_NOTE, "contact is met by \"%s\" (response=\"%s\" with %s: %s)",
                 ops->info.name, world->response.member->name, world->set.integrator.member->name,
                 why);
  if (!is_needed(world, ops)) return PL_OK;
  const char *doubt = ops->warns ? ops->warns(&world->set.integrator) : NULL;
  if (doubt)
    pl_log_write(&world->log, PL_WARNING, "%s: %s", world->set.integrator.member->name, doubt);
  return add_coupling(world, ops->coupling, error);
}

static pl_status check_contact(const pl_contact_def *def, pl_error *error)
{
  const struct {
    const char *name;
    double value, min, max;
  } numbers[] = {{"friction", def->friction, 0, 1e3},
                 {"range", def->range, 0, 1e9},
                 {"stiffness", def->stiffness, 1e-9, 1e9},
                 {"passes", def->passes, 0, PL_MOST_PASSES}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (!(numbers[i].value >= numbers[i].min && numbers[i].value <= numbers[i].max))
      return pl_fail(error, PL_E_ARGUMENT, "%s of contact = %g must lie between %g and %g",
                     numbers[i].name, numbers[i].value, numbers[i].min, numbers[i].max);
  }
  return PL_OK;
}

pl_status pl_world_set_contact(pl_world *world, const pl_contact_def *def, pl_error *error)
{
  pl_selection response = {0}; // parameters of what it stands for are presets, all 0
  pl_status status = pl_check_cookie(def ? def->cookie : 0, "pl_contact", error);
  if (!status) status = check_contact(def, error);
  if (!status)
    status = pl_choice_resolve(&pl_response_family, &def->response, &response.member,
                               response.values, error);
  if (status) return status;
  pl_world_unprepare(world);
  world->contact = *def;
  world->contact.response = (pl_choice){0}; // its words are the caller's
  world->response = response;
  return PL_OK;
}
