/* The commands of the session. Whatever is refused becomes a notice. */
#include "core/error.h"
#include "view/session_parts.h"

#include <string.h>

static pl_status go(pl_session *session, int64_t place, pl_error *error)
{
  session->run.playing = session->run.steps_left = 0;
  return pl_history_go(&session->history, session->world, place, error);
}

static pl_status choose_tint(pl_session *session, const char *word, pl_error *error)
{
  int tint = pl_word_find(pl_tint_names, PL_TINT_COUNT, word);
  if (tint < 0) return pl_fail(error, PL_E_ARGUMENT, "there is no colouring by \"%.60s\"", word);
  session->show.tint = (pl_tint)tint;
  session->clock.next_tint = 0;
  return PL_OK;
}

static pl_status choose_arrows(pl_session *session, const char *word, pl_error *error)
{
  int arrows = pl_word_find(pl_arrows_names, PL_ARROWS_COUNT, word);
  if (arrows < 0) return pl_fail(error, PL_E_ARGUMENT, "there are no arrows of \"%.60s\"", word);
  session->show.arrows = (pl_arrows)arrows;
  session->clock.next_tint = 0;
  return PL_OK;
}

static pl_status choose_glyphs(pl_session *session, const char *word, pl_error *error)
{
  pl_glyph_kind kind = pl_glyph_kind_of(word);
  if (kind > PL_GLYPHS_FIBRES || (kind == PL_GLYPHS_NONE && strcmp(word, "none") != 0))
    return pl_fail(error, PL_E_ARGUMENT,
                   "there are no figures of \"%.60s\"; take none, frames, stress, strain or fibres",
                   word);
  session->show.glyphs = kind;
  session->clock.next_tint = 0;
  return PL_OK;
}

static pl_status choose_pace(pl_session *session, const char *word, pl_error *error)
{
  int is_free = strcmp(word, "free") == 0;
  if (!is_free && strcmp(word, "real") != 0)
    return pl_fail(error, PL_E_ARGUMENT, "the pace is real or free, not \"%.60s\"", word);
  session->run.free_pace = is_free;
  pl_session_anchor(session);
  return PL_OK;
}

/* From the file again; colours stay as they were chosen. */
static void reset(pl_session *session)
{
  pl_tint tint = session->show.tint;
  pl_session_load(session, session->file.entry);
  session->show.tint = tint;
}

/* What needs no world. */
static int act_on_scene(pl_session *session, const pl_command *command)
{
  if (command->kind == PL_COMMAND_open) {
    pl_session_load(session, (int)command->numbers[0]);
    return 1;
  }
  if (command->kind == PL_COMMAND_gallery) {
    if (session->def.by_turns)
      pl_gallery_make(session->gallery);
    else
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
  if (session->file.replaying && is_touch(command->kind))
    return pl_fail(error, PL_E_ARGUMENT,
                   "this is a recorded run; simulate from here to touch or change it");
  const double *number = command->numbers;
  switch (command->kind) {
  case PL_COMMAND_play:
    // a recorded run begins again at its end
    if (session->file.replaying && session->history.here + 1 == session->history.count)
      pl_history_go(&session->history, session->world, 0, NULL);
    session->run.playing = 1;
    pl_session_anchor(session);
    return PL_OK;
  case PL_COMMAND_pause:
    session->run.playing = session->run.steps_left = 0;
    return PL_OK;
  case PL_COMMAND_step:
    session->run.steps_left = (int)number[0];
    session->run.playing = 1;
    return PL_OK;
  case PL_COMMAND_back:
    return go(session, session->history.here - (int64_t)number[0], error);
  case PL_COMMAND_seek:
    return go(session, (int64_t)number[0], error);
  case PL_COMMAND_reset:
    reset(session);
    return PL_OK;
  case PL_COMMAND_speed:
    session->run.speed = number[0];
    pl_session_anchor(session);
    return PL_OK;
  case PL_COMMAND_pace:
    return choose_pace(session, command->words[0], error);
  case PL_COMMAND_tint:
    return choose_tint(session, command->words[0], error);
  case PL_COMMAND_arrows:
    return choose_arrows(session, command->words[0], error);
  case PL_COMMAND_locals:
    session->show.glyphs = number[0] > 0 ? PL_GLYPHS_FRAMES : PL_GLYPHS_NONE;
    return PL_OK;
  case PL_COMMAND_glyphs:
    return choose_glyphs(session, command->words[0], error);
  case PL_COMMAND_contacts:
    session->show.contacts = (int)number[0];
    return PL_OK;
  case PL_COMMAND_grab:
    return pl_session_grab(session, command, error);
  case PL_COMMAND_drag:
    return pl_session_drag(session, number, error);
  case PL_COMMAND_drop:
    pl_session_drop(session);
    return PL_OK;
  case PL_COMMAND_throw:
    return session->hand.pulled.index1
               ? pl_world_throw(session->world, session->hand.pulled, number, error)
               : PL_OK;
  case PL_COMMAND_push:
    return pl_session_push(session, number, error);
  case PL_COMMAND_lift:
    pl_session_lift(session);
    return PL_OK;
  case PL_COMMAND_strength:
    session->hand.strength = number[0];
    return PL_OK;
  case PL_COMMAND_pin:
  case PL_COMMAND_release:
    return pl_session_hold(session, command, error);
  case PL_COMMAND_save:
    return pl_session_save(session, error);
  case PL_COMMAND_live:
    session->file.replaying = 0;
    pl_session_anchor(session);
    return PL_OK;
  case PL_COMMAND_choose:
    return pl_session_choose(session, command, error);
  case PL_COMMAND_set:
    return pl_session_set(session, command, error);
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
  session->run.dirty = 1;
  if (command->kind == PL_COMMAND_drag || command->kind == PL_COMMAND_push)
    session->hand.urgent = 1;
  else
    pl_session_tell_state(session);
}
