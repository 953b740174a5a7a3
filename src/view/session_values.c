/* Values that a page changes while the scene runs: of the world, of bodies, of contact. */
#include "core/error.h"
#include "core/text.h"
#include "couple/contact.h"
#include "couple/response.h"
#include "scene/schema.h"
#include "view/describe.h"
#include "view/session_parts.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

enum { MOST_SETTINGS = PL_MOST_VALUES };

/* A part as a choice, with room for its settings. */
typedef struct choice_room {
  pl_setting settings[MOST_SETTINGS];
  char words[MOST_SETTINGS][PL_COMMAND_WORD];
} choice_room;

static pl_choice choice_of(const pl_selection *part, choice_room *room)
{
  const pl_member *member = part->member;
  int count = 0;
  for (int i = 0; i < member->param_count && count < MOST_SETTINGS; i++) {
    const pl_param *param = &member->params[i];
    const double *value = part->values + pl_param_place(member, i);
    pl_setting *setting = &room->settings[count];
    if (isnan(value[0])) continue; // not given
    *setting = (pl_setting){.name = param->name};
    for (int k = 0; k < pl_param_width(param) && k < 3; k++) setting->value[k] = value[k];
    if (param->words) {
      const char *word = param->words;
      for (int k = 0; k < (int)value[0]; k++) word += strcspn(word, "|") + 1;
      pl_print(room->words[count], PL_COMMAND_WORD, "%.*s", (int)strcspn(word, "|"), word);
      setting->word = room->words[count];
    }
    count++;
  }
  return (pl_choice){member->name, room->settings, count};
}

/* Parses the text as the value of the part's parameter. */
static pl_status set_param(pl_selection *part, const char *name, const char *text, pl_error *error)
{
  int index = pl_param_find(part->member, name);
  if (index < 0)
    return pl_fail(error, PL_E_ARGUMENT, "%s has no parameter \"%.60s\"", part->member->name, name);
  return pl_param_parse(&part->member->params[index], text,
                        part->values + pl_param_place(part->member, index), error);
}

static pl_status set_world(pl_session *session, const char *name, const char *text, pl_error *error)
{
  const pl_attribute *row = pl_attribute_find(pl_element_child(&pl_scene_root, "world"), name);
  double value[3];
  if (!row) return pl_fail(error, PL_E_ARGUMENT, "the world has no \"%.60s\"", name);
  pl_status status = pl_param_parse(&row->param, text, value, error);
  if (status) return status;
  if (strcmp(name, "gravity") == 0) return pl_world_set_gravity(session->world, value, error);
  if (strcmp(name, "dt") == 0) {
    status = pl_world_set_dt(session->world, value[0], error);
    pl_session_anchor(session);
    return status;
  }
  const pl_world *world = session->world;
  int budget = world->set.budget, halvings = world->set.halvings;
  double tolerance = world->set.tolerance;
  if (strcmp(name, "budget") == 0)
    budget = (int)value[0];
  else if (strcmp(name, "halvings") == 0)
    halvings = (int)value[0];
  else if (strcmp(name, "tolerance") == 0)
    tolerance = value[0];
  else
    return pl_fail(error, PL_E_ARGUMENT, "%.60s cannot be changed while the scene runs", name);
  return pl_world_set_control(session->world, budget, halvings, tolerance, error);
}

static pl_status apply_material(pl_session *session, const pl_body *body, const pl_selection *law,
                                pl_material_def *def, pl_error *error)
{
  choice_room room;
  def->law = choice_of(law, &room);
  pl_body_id id = pl_world_id_of(body);
  return pl_world_set_material(session->world, id, def, error);
}

/* N of "material.N" or the like, below count; -1 where the word is something else. */
static int number_of(const char *word, const char *kind, size_t count)
{
  int64_t index;
  size_t length = strlen(kind);
  if (strncmp(word, kind, length) != 0 || word[length] != '.') return -1;
  if (!pl_parse_int(word + length + 1, &index) || index < 0 || index >= (int64_t)count) return -1;
  return (int)index;
}

static const pl_body *body_of(const pl_session *session, const char *word, const char *kind)
{
  int index = number_of(word, kind, session->world->bodies.count);
  return index < 0 ? NULL : &session->world->bodies.list[index];
}

static pl_status set_material(pl_session *session, const pl_body *body, const char *name,
                              const char *text, pl_error *error)
{
  pl_selection law = body->law;
  pl_material_def def = body->material;
  double *number = pl_material_number(&def, name);
  pl_status status;
  if (number) {
    const pl_attribute *row = pl_attribute_find(pl_element_child(&pl_scene_root, "material"), name);
    status = pl_param_parse(&row->param, text, number, error);
  } else {
    status = set_param(&law, name, text, error);
  }
  return status ? status : apply_material(session, body, &law, &def, error);
}

/* Which parts of the world have a name of their own. */
static pl_selection *part_of(pl_session *session, const char *word, const pl_family **family)
{
  pl_world *world = session->world;
  const struct {
    pl_selection *part;
    const pl_family *family;
  } rows[] = {{&world->set.integrator, &pl_integrator_family},
              {&world->set.solver, &pl_solver_family},
              {&world->set.preconditioner, &pl_preconditioner_family}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (strcmp(rows[i].family->name, word) != 0) continue;
    *family = rows[i].family;
    return rows[i].part;
  }
  return NULL;
}

/* Puts a changed part in the place of the world's own. */
static pl_status apply_part(pl_session *session, const pl_selection *own,
                            const pl_selection *changed, pl_error *error)
{
  pl_world *world = session->world;
  choice_room room, other;
  pl_choice choice = choice_of(changed, &room);
  if (own == &world->set.integrator) return pl_world_set_integrator(world, &choice, error);
  if (own == &world->set.solver) {
    pl_choice before = choice_of(&world->set.preconditioner, &other);
    return pl_world_set_solver(world, &choice, &before, error);
  }
  pl_choice solver = choice_of(&world->set.solver, &other);
  return pl_world_set_solver(world, &solver, &choice, error);
}

/* ---- contact ---- */

/* The world's own, with the response that was chosen and room for its settings. */
static pl_contact_def contact_of(const pl_world *world, const pl_selection *response,
                                 choice_room *room)
{
  pl_contact_def def = world->contact;
  def.response = choice_of(response, room);
  return def;
}

static pl_status set_contact(pl_session *session, const char *name, const char *text,
                             pl_error *error)
{
  const pl_attribute *row = pl_attribute_find(pl_element_child(&pl_scene_root, "contact"), name);
  pl_selection response = session->world->response;
  choice_room room;
  pl_contact_def def = contact_of(session->world, &response, &room);
  double *number = pl_contact_number(&def, name);
  if (row && number) {
    pl_status status = pl_param_parse(&row->param, text, number, error);
    return status ? status : pl_world_set_contact(session->world, &def, error);
  }
  pl_status status = set_param(&response, name, text, error);
  if (status) return status;
  def = contact_of(session->world, &response, &room);
  return pl_world_set_contact(session->world, &def, error);
}

/* The obstacle of "obstacle.N". Where both coefficients are one, they stay so. */
static pl_status set_obstacle(pl_session *session, int index, const char *name, const char *text,
                              pl_error *error)
{
  const pl_attribute *row = pl_attribute_find(pl_element_child(&pl_scene_root, "obstacle"), name);
  pl_obstacle *obstacle = &pl_world_contact(session->world)->obstacles[index];
  double *number = pl_obstacle_number(obstacle, name), value;
  if (!row || !number)
    return pl_fail(error, PL_E_ARGUMENT, "%.60s of an obstacle cannot be changed", name);
  pl_status status = pl_param_parse(&row->param, text, &value, error);
  double values[3] = {obstacle->friction, obstacle->static_friction, obstacle->restitution};
  if (number == &obstacle->friction && values[0] == values[1]) values[1] = value;
  values[number == &obstacle->friction ? 0 : number == &obstacle->static_friction ? 1 : 2] = value;
  if (!status) pl_world_unprepare(session->world);
  return status ? status : pl_obstacle_set_surface(obstacle, values, error);
}

/* ---- models ---- */

static pl_status apply_model(pl_session *session, const pl_body *body, const pl_selection *part,
                             pl_error *error)
{
  choice_room room;
  pl_choice choice = choice_of(part, &room);
  return pl_world_set_model(session->world, pl_world_id_of(body), &choice, error);
}

static pl_status set_model(pl_session *session, const pl_body *body, const char *name,
                           const char *text, pl_error *error)
{
  pl_selection part = body->model_part;
  pl_status status = set_param(&part, name, text, error);
  return status ? status : apply_model(session, body, &part, error);
}

/* ---- the two commands ---- */

pl_status pl_session_set(pl_session *session, const pl_command *command, pl_error *error)
{
  const char *where = command->words[0], *name = command->words[1];
  const pl_contact *contact = pl_world_contact(session->world);
  const pl_family *family;
  if (strcmp(where, "world") == 0) return set_world(session, name, command->rest, error);
  if (strcmp(where, "contact") == 0) return set_contact(session, name, command->rest, error);
  int obstacle = number_of(where, "obstacle", contact ? contact->count : 0);
  if (obstacle >= 0) return set_obstacle(session, obstacle, name, command->rest, error);
  const pl_body *body = body_of(session, where, "material");
  if (body) return set_material(session, body, name, command->rest, error);
  body = body_of(session, where, "model");
  if (body) return set_model(session, body, name, command->rest, error);
  const pl_selection *own = part_of(session, where, &family);
  if (!own) return pl_fail(error, PL_E_ARGUMENT, "there is no \"%.60s\" to set", where);
  pl_selection changed = *own;
  pl_status status = set_param(&changed, name, command->rest, error);
  return status ? status : apply_part(session, own, &changed, error);
}

/* Another member; parameters of the same name keep their values. */
static pl_status exchange(const pl_family *family, const pl_selection *own, const char *name,
                          pl_selection *changed, pl_error *error)
{
  pl_choice choice = {name, NULL, 0};
  pl_status status = pl_choice_resolve(family, &choice, &changed->member, changed->values, error);
  for (int i = 0; !status && i < changed->member->param_count; i++) {
    const pl_param *param = &changed->member->params[i];
    int same = pl_param_find(own->member, param->name);
    if (same < 0 || param->words || own->member->params[same].words) continue;
    double value[PL_MOST_VALUES];
    if (pl_param_width(param) != pl_param_width(&own->member->params[same])) continue;
    if (pl_param_check(param, own->values + pl_param_place(own->member, same), value, NULL))
      continue;
    memcpy(changed->values + pl_param_place(changed->member, i), value,
           (size_t)pl_param_width(param) * sizeof(double));
  }
  return status;
}

static pl_status choose_response(pl_session *session, const char *name, pl_error *error)
{
  pl_selection changed;
  choice_room room;
  pl_status status =
      exchange(&pl_response_family, &session->world->response, name, &changed, error);
  if (status) return status;
  pl_contact_def def = contact_of(session->world, &changed, &room);
  return pl_world_set_contact(session->world, &def, error);
}

static pl_status choose_law(pl_session *session, const pl_body *body, const char *name,
                            pl_error *error)
{
  pl_selection changed;
  pl_material_def def = body->material;
  pl_status status = exchange(&pl_law_family, &body->law, name, &changed, error);
  return status ? status : apply_material(session, body, &changed, &def, error);
}

static pl_status choose_model(pl_session *session, const pl_body *body, const char *name,
                              pl_error *error)
{
  pl_selection changed;
  pl_status status = exchange(&pl_model_family, &body->model_part, name, &changed, error);
  return status ? status : apply_model(session, body, &changed, error);
}

pl_status pl_session_choose(pl_session *session, const pl_command *command, pl_error *error)
{
  const char *where = command->words[0], *name = command->words[1];
  const pl_family *family;
  pl_selection changed;
  if (strcmp(where, "contact") == 0) return choose_response(session, name, error);
  const pl_body *body = body_of(session, where, "material");
  if (body) return choose_law(session, body, name, error);
  body = body_of(session, where, "model");
  if (body) return choose_model(session, body, name, error);
  const pl_selection *own = part_of(session, where, &family);
  if (!own) return pl_fail(error, PL_E_ARGUMENT, "there is no \"%.60s\" to choose", where);
  pl_status status = exchange(family, own, name, &changed, error);
  return status ? status : apply_part(session, own, &changed, error);
}
