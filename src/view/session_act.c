/* What the session does when it is told to. Whatever is refused becomes a notice. */
#include "core/error.h"
#include "core/text.h"
#include "scene/schema.h"
#include "view/describe.h"
#include "view/session_parts.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

enum { MOST_SETTINGS = PL_MOST_VALUES };

/* A part as a choice, with room for its settings. */
typedef struct choice_room {
  pl_setting settings[MOST_SETTINGS];
  char words[MOST_SETTINGS][PL_COMMAND_WORD];
} choice_room;

static pl_choice choice_of(const pl_part *part, choice_room *room)
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
static pl_status set_param(pl_part *part, const char *name, const char *text, pl_error *error)
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

static pl_status apply_material(pl_session *session, const pl_body *body, const pl_part *law,
                                pl_material_def *def, pl_error *error)
{
  choice_room room;
  def->law = choice_of(law, &room);
  pl_body_id id = {(int32_t)(body - session->world->bodies.list) + 1};
  return pl_world_set_material(session->world, id, def, error);
}

/* The body of "material.N", NULL where the word is something else. */
static const pl_body *material_of(const pl_session *session, const char *word)
{
  int64_t index;
  if (strncmp(word, "material.", 9) != 0 || !pl_parse_int(word + 9, &index)) return NULL;
  if (index < 0 || index >= (int64_t)session->world->bodies.count) return NULL;
  return &session->world->bodies.list[index];
}

static pl_status set_material(pl_session *session, const pl_body *body, const char *name,
                              const char *text, pl_error *error)
{
  pl_part law = body->law;
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
static pl_part *part_of(pl_session *session, const char *word, const pl_family **family)
{
  pl_world *world = session->world;
  const struct {
    pl_part *part;
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
static pl_status apply_part(pl_session *session, const pl_part *own, const pl_part *changed,
                            pl_error *error)
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

static pl_status set(pl_session *session, const pl_command *command, pl_error *error)
{
  const char *where = command->words[0], *name = command->words[1];
  const pl_family *family;
  if (strcmp(where, "world") == 0) return set_world(session, name, command->rest, error);
  const pl_body *body = material_of(session, where);
  if (body) return set_material(session, body, name, command->rest, error);
  const pl_part *own = part_of(session, where, &family);
  if (!own) return pl_fail(error, PL_E_ARGUMENT, "there is no \"%.60s\" to set", where);
  pl_part changed = *own;
  pl_status status = set_param(&changed, name, command->rest, error);
  return status ? status : apply_part(session, own, &changed, error);
}

/* Another member; parameters of the same name keep their values. */
static pl_status exchange(const pl_family *family, const pl_part *own, const char *name,
                          pl_part *changed, pl_error *error)
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

static pl_status choose(pl_session *session, const pl_command *command, pl_error *error)
{
  const char *where = command->words[0];
  const pl_family *family;
  const pl_body *body = material_of(session, where);
  pl_part changed;
  if (body) {
    pl_material_def def = body->material;
    pl_status status = exchange(&pl_law_family, &body->law, command->words[1], &changed, error);
    return status ? status : apply_material(session, body, &changed, &def, error);
  }
  const pl_part *own = part_of(session, where, &family);
  if (!own) return pl_fail(error, PL_E_ARGUMENT, "there is no \"%.60s\" to choose", where);
  pl_status status = exchange(family, own, command->words[1], &changed, error);
  return status ? status : apply_part(session, own, &changed, error);
}

/* ---- the rest ---- */

static pl_status go(pl_session *session, int64_t place, pl_error *error)
{
  session->playing = session->steps_left = 0;
  return pl_history_go(&session->history, session->world, place, error);
}

static pl_status choose_tint(pl_session *session, const char *word, pl_error *error)
{
  int tint = pl_word_find(pl_tint_names, PL_TINT_COUNT, word);
  if (tint < 0) return pl_fail(error, PL_E_ARGUMENT, "there is no colouring by \"%.60s\"", word);
  session->tint = (pl_tint)tint;
  session->next_tint = 0;
  return PL_OK;
}

static pl_status choose_arrows(pl_session *session, const char *word, pl_error *error)
{
  int arrows = pl_word_find(pl_arrows_names, PL_ARROWS_COUNT, word);
  if (arrows < 0) return pl_fail(error, PL_E_ARGUMENT, "there are no arrows of \"%.60s\"", word);
  session->arrows = (pl_arrows)arrows;
  session->next_tint = 0;
  return PL_OK;
}

static pl_status choose_pace(pl_session *session, const char *word, pl_error *error)
{
  int is_free = strcmp(word, "free") == 0;
  if (!is_free && strcmp(word, "real") != 0)
    return pl_fail(error, PL_E_ARGUMENT, "the pace is real or free, not \"%.60s\"", word);
  session->free_pace = is_free;
  pl_session_anchor(session);
  return PL_OK;
}

/* From the file again; colours stay as they were chosen. */
static void reset(pl_session *session)
{
  pl_tint tint = session->tint;
  pl_session_load(session, session->entry);
  session->tint = tint;
}

/* What needs no world. */
static int act_on_scene(pl_session *session, const pl_command *command)
{
  if (command->kind == PL_COMMAND_open) {
    pl_session_load(session, (int)command->numbers[0]);
    return 1;
  }
  if (command->kind == PL_COMMAND_gallery) {
    pl_gallery_begin(session->gallery);
    return 1;
  }
  return 0;
}

/* What would change a recorded run. */
static int is_touch(pl_command_kind kind)
{
  return kind == PL_COMMAND_grab || kind == PL_COMMAND_push || kind == PL_COMMAND_throw ||
         kind == PL_COMMAND_pin || kind == PL_COMMAND_release || kind == PL_COMMAND_set ||
         kind == PL_COMMAND_choose;
}

static pl_status act(pl_session *session, const pl_command *command, pl_error *error)
{
  if (session->replaying && is_touch(command->kind))
    return pl_fail(error, PL_E_ARGUMENT,
                   "this is a recorded run; simulate from here to touch or change it");
  const double *number = command->numbers;
  switch (command->kind) {
  case PL_COMMAND_play:
    // a recorded run begins again at its end
    if (session->replaying && session->history.here + 1 == session->history.count)
      pl_history_go(&session->history, session->world, 0, NULL);
    session->playing = 1;
    pl_session_anchor(session);
    return PL_OK;
  case PL_COMMAND_pause:
    session->playing = session->steps_left = 0;
    return PL_OK;
  case PL_COMMAND_step:
    session->steps_left = (int)number[0];
    session->playing = 1;
    return PL_OK;
  case PL_COMMAND_back:
    return go(session, session->history.here - (int64_t)number[0], error);
  case PL_COMMAND_seek:
    return go(session, (int64_t)number[0], error);
  case PL_COMMAND_reset:
    reset(session);
    return PL_OK;
  case PL_COMMAND_speed:
    session->speed = number[0];
    pl_session_anchor(session);
    return PL_OK;
  case PL_COMMAND_pace:
    return choose_pace(session, command->words[0], error);
  case PL_COMMAND_tint:
    return choose_tint(session, command->words[0], error);
  case PL_COMMAND_arrows:
    return choose_arrows(session, command->words[0], error);
  case PL_COMMAND_locals:
    session->show_locals = (int)number[0];
    return PL_OK;
  case PL_COMMAND_grab:
    return pl_session_grab(session, command, error);
  case PL_COMMAND_drag:
    return session->pull.index1 ? pl_world_move_pull(session->world, session->pull, number, error)
                                : PL_OK;
  case PL_COMMAND_drop:
    pl_session_drop(session);
    return PL_OK;
  case PL_COMMAND_throw:
    return session->pulled.index1 ? pl_world_throw(session->world, session->pulled, number, error)
                                  : PL_OK;
  case PL_COMMAND_push:
    return pl_session_push(session, number, error);
  case PL_COMMAND_lift:
    pl_session_lift(session);
    return PL_OK;
  case PL_COMMAND_strength:
    session->strength = number[0];
    return PL_OK;
  case PL_COMMAND_pin:
  case PL_COMMAND_release:
    return pl_session_hold(session, command, error);
  case PL_COMMAND_save:
    return pl_session_save(session, error);
  case PL_COMMAND_live:
    session->replaying = 0;
    pl_session_anchor(session);
    return PL_OK;
  case PL_COMMAND_choose:
    return choose(session, command, error);
  case PL_COMMAND_set:
    return set(session, command, error);
  default:
    return PL_OK;
  }
}

void pl_session_act(pl_session *session, const pl_command *command)
{
  pl_error error = {0};
  if (act_on_scene(session, command)) return;
  if (!session->world) return;
  pl_status status = act(session, command, &error);
  if (status) pl_session_notice_error(session, &error);
  session->dirty = 1;
  if (command->kind == PL_COMMAND_drag || command->kind == PL_COMMAND_push)
    session->urgent = 1;
  else
    pl_session_tell_state(session);
}
