/* Files in and out of the session: the state as a scene with a checkpoint, and recorded runs. */
#include "core/error.h"
#include "core/file.h"
#include "couple/fix.h"
#include "io/recording.h"
#include "view/rewrite.h"
#include "view/session_parts.h"
#include "world/world.h"

#include <stdint.h>
#include <string.h>

int64_t pl_session_held_by_file(const pl_session *session)
{
  int64_t count = 0;
  const pl_coupling *at = NULL;
  for (int i = 0; i < session->file.fixes; i++) {
    at = pl_couplings_next(&session->world->couplings, &pl_coupling_fix, at);
    if (at) count += ((const pl_fix *)at)->count;
  }
  return count;
}

/* NAME.plr for a scene NAME.xml, as the page calls it. */
static void name_state(const char *path, char *out, size_t size)
{
  const char *name = pl_path_name(path), *dot = strrchr(name, '.');
  int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
  pl_print(out, size, "%.*s-state." PL_RECORDING_EXTENSION, length > 200 ? 200 : length, name);
}

pl_status pl_session_save(pl_session *session, pl_error *error)
{
  pl_scene_def def = pl_session_scene_def(session, session->file.entry);
  pl_text xml = pl_text_make(NULL), state = pl_text_make(NULL), message = pl_text_make(NULL);
  char name[256];
  name_state(def.path, name, sizeof name);
  pl_status status = pl_rewrite_scene(&def, session->world, session->file.fixes, name, &xml, error);
  pl_recording_begin(&state, session->world, "");
  if (!status) status = pl_recording_add(&state, session->world, error);
  if (!status && (xml.size > UINT32_MAX || state.size > UINT32_MAX))
    status = pl_fail(error, PL_E_LIMIT, "the state is too large to be given out");
  if (!status) {
    pl_write_saved(&message, session->scene_number, &xml, &state);
    status = pl_text_ok(&message, error);
  }
  if (!status) pl_board_post(session->board, PL_SLOT_SAVED, message.data, message.size);
  if (!status && pl_session_held_by_file(session) < session->file.held)
    pl_session_notice(session, 0,
                      "points of the file that were freed are held again in the "
                      "saved scene");
  pl_text_release(&xml);
  pl_text_release(&state);
  pl_text_release(&message);
  return status;
}

/* All states, or evenly some of them where they do not fit. */
pl_status pl_session_replay(pl_session *session, pl_error *error)
{
  pl_recording *recording;
  pl_status status =
      pl_recording_open(session->def.recording, &session->allocator, &recording, error);
  if (status) return status;
  int count = pl_recording_count(recording), room = session->history.room;
  int stride = (count + room - 1) / room;
  if (count == 0)
    status = pl_fail_at(error, PL_E_ARGUMENT, session->def.recording, 0, "holds no states");
  for (int i = 0; i < count && !status; i += stride) {
    status = pl_recording_load(recording, i, session->world, error);
    if (!status) status = pl_history_add(&session->history, session->world, error);
  }
  pl_recording_close(recording);
  return status ? status : pl_history_go(&session->history, session->world, 0, error);
}
