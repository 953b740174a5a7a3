/* Loading a scene into the session, and again when its file changes. */
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "view/describe.h"
#include "view/session_parts.h"
#include "world/world.h"

#include <string.h>
#include <sys/stat.h>

static pl_stamp stamp_of(const char *path)
{
  struct stat facts;
  if (stat(path, &facts)) return (pl_stamp){.size = -1};
  return (pl_stamp){facts.st_mtim, facts.st_size};
}

static int is_same_stamp(const pl_stamp *a, const pl_stamp *b)
{
  return a->size == b->size && a->time.tv_sec == b->time.tv_sec &&
         a->time.tv_nsec == b->time.tv_nsec;
}

void pl_session_unload(pl_session *session)
{
  pl_surface_release(&session->surface);
  pl_history_release(&session->history);
  pl_session_drop(session);
  pl_scene_destroy(session->scene);
  void *arrays[] = {session->room.positions, session->room.values, session->room.vectors,
                    session->room.held};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    pl_free(&session->allocator, arrays[i]);
  session->scene = NULL;
  session->world = NULL;
  session->room.positions = session->room.values = session->room.vectors = NULL;
  session->room.held = NULL;
  session->hand.pulled = (pl_body_id){0};
  session->hand.has_tool = 0;
  session->hand.refused = 0;
  session->run.steps_left = 0;
  session->pace.missed = 0;
  session->gauges.of = (pl_world_facts){0};
}

/* What is drawn of the world, and room for its history. */
static pl_status prepare(pl_session *session, pl_error *error)
{
  session->world = pl_scene_world(session->scene);
  pl_status status =
      pl_surface_create(session->world, &session->allocator, &session->surface, error);
  if (!status)
    status = pl_history_create(session->world, session->def.history_bytes, &session->allocator,
                               &session->history, error);
  if (!status && session->file.replaying)
    status = pl_session_replay(session, error);
  else if (!status)
    status = pl_history_add(&session->history, session->world, error);
  pl_haptic *hand = pl_scene_hand(session->scene);
  if (!status && !session->file.replaying && pl_haptic_is_live(hand))
    status = pl_haptic_start(hand, error);
  if (status) return status;
  size_t vertices = (size_t)session->surface.vertex_count;
  session->room.positions = pl_alloc(&session->allocator, 3 * vertices, sizeof(float));
  session->room.values = pl_alloc(&session->allocator, vertices, sizeof(float));
  session->room.vectors = pl_alloc(&session->allocator, 3 * vertices, sizeof(float));
  session->room.held = pl_alloc(&session->allocator, vertices, 1);
  session->file.fixes = (int)pl_couplings_count(&session->world->couplings, &pl_coupling_fix);
  session->file.held = pl_session_held_by_file(session);
  pl_locals_choose(&session->show.locals, session->world);
  pl_glyph_kind glyphs = pl_glyph_kind_of(pl_scene_view(session->scene)->glyphs);
  session->show.glyphs = glyphs <= PL_GLYPHS_FIBRES ? glyphs : PL_GLYPHS_NONE;
  if (session->room.positions && session->room.values && session->room.vectors &&
      session->room.held)
    return PL_OK;
  return pl_fail_memory(error);
}

static void take_log(void *context, pl_level level, const char *text)
{
  pl_session *session = context;
  if (session->def.log.write) session->def.log.write(session->def.log.context, level, text);
  if (level == PL_WARNING) pl_session_notice(session, 0, "%s", text);
}

/* The errors of a scene's file, as the page shows them. */
typedef struct errors {
  pl_session *session;
  int count;
} errors;

static void take_error(void *context, const pl_error *error)
{
  errors *list = context;
  pl_session *session = list->session;
  pl_describe_error(&session->room.text, list->count++, error);
  char line[1024];
  pl_log_write(&session->def.log, PL_WARNING, "%s", pl_error_text(error, line, sizeof line));
}

pl_scene_def pl_session_scene_def(const pl_session *session, int entry)
{
  pl_scene_def def = pl_scene_def_default();
  def.path = pl_gallery_path(session->gallery, entry);
  def.threads = session->def.threads;
  def.allow_any_path = session->def.allow_any_path;
  def.cache = session->def.cache;
  if (entry == 0) {
    def.changes = session->def.changes;
    def.change_count = session->def.change_count;
  }
  return def;
}

void pl_session_load(pl_session *session, int index)
{
  const char *path = pl_gallery_path(session->gallery, index);
  if (!path) return;
  session->file.stamp = stamp_of(path);
  session->file.entry = index;
  session->scene_number++;
  session->run.steps = 0;
  pl_session_unload(session);
  session->file.replaying = index == 0 && session->def.recording;

  errors list = {.session = session};
  pl_scene_def def = pl_session_scene_def(session, index);
  def.log = (pl_log){take_log, session};
  def.report = take_error;
  def.report_context = &list;

  // either the scene or the list of what is wrong with it
  pl_error error = {0};
  pl_describe_begin_errors(&session->room.text, session->scene_number, pl_path_name(path));
  pl_status status = pl_scene_load(&def, &session->scene, &error);
  if (!status) status = prepare(session, &error);
  if (status) {
    if (!list.count) take_error(&list, &error);
    pl_describe_end_errors(&session->room.text);
    pl_session_post(session, PL_SLOT_SCENE);
    pl_session_unload(session);
    return;
  }
  int tint = pl_word_find(pl_tint_names, PL_TINT_COUNT, pl_scene_view(session->scene)->colour);
  session->show.tint = tint < 0 ? PL_TINT_none : (pl_tint)tint;
  session->run.dirty = 1;
  session->run.stepped = 1;
  session->clock.next_tint = session->clock.next_gauge = 0;
  pl_session_anchor(session);
  pl_session_tell_scene(session);
  pl_session_tell_held(session);
  pl_session_tell_state(session);
}

void pl_session_look(pl_session *session)
{
  const char *path = pl_gallery_path(session->gallery, session->file.entry);
  pl_stamp stamp = stamp_of(path);
  // a file that is being replaced is looked at again later
  if (stamp.size <= 0 || is_same_stamp(&stamp, &session->file.stamp)) return;
  pl_session_load(session, session->file.entry);
  pl_session_notice(session, 0, "%s has changed and was read again", pl_path_name(path));
}
