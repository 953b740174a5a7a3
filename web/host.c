/* A session behind a Web Worker: the worker hands in the lines that the page would send to the
 * server, takes turns, and fetches the messages that the page would get from it.
 *
 * Everything is in one thread. Messages are fetched in the order in which a page needs them; a
 * frame only when the page has shown the last but one, so that a slow page loses frames and
 * nothing else. */
#include "web/host.h"
#include "../cli/quick_scene.h"
#include "core/error.h"
#include "view/session.h"

#include <emscripten.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_IN_FLIGHT = 2, HISTORY_BYTES = 64 << 20 };

static struct {
  pl_board *board;
  pl_session *session;
  uint32_t sent[PL_SLOT_COUNT];
  int in_flight;
  pl_text message;
  pl_error error;
  char path[256], text[1024];
} host;

static void wake(void *context) { (void)context; }

/* The last error as a sentence. */
EMSCRIPTEN_KEEPALIVE const char *host_error(void)
{
  return pl_error_text(&host.error, host.text, sizeof host.text);
}

EMSCRIPTEN_KEEPALIVE void host_stop(void)
{
  pl_session_stop(host.session, 0);
  host.session = NULL;
  pl_board_destroy(host.board);
  host.board = NULL;
  memset(host.sent, 0, sizeof host.sent);
  host.in_flight = 0;
}

/* Begins with the scene of that file; the .xml files of the folder can be chosen. 0: it works. */
EMSCRIPTEN_KEEPALIVE int host_start(const char *path, const char *folder, int threads, int playing)
{
  host_stop();
  host.error = (pl_error){0};
  pl_text_release(&host.message);
  host.message = pl_text_make(NULL);
  snprintf(host.path, sizeof host.path, "%s", path);
  pl_session_def def = {.path = host.path,
                        .gallery_folder = folder,
                        .threads = threads,
                        .playing = playing,
                        .by_turns = 1,
                        .history_bytes = HISTORY_BYTES};
  pl_status status = pl_board_create(wake, NULL, &host.board, &host.error);
  if (!status) status = pl_session_start(&def, host.board, &host.session, &host.error);
  return (int)status;
}

/* A line as the page sends it. 0: it was taken. */
EMSCRIPTEN_KEEPALIVE int host_send(const char *line)
{
  pl_command command;
  host.error = (pl_error){0};
  if (strcmp(line, "ack") == 0) {
    host.in_flight -= host.in_flight > 0;
    return 0;
  }
  pl_status status = pl_command_parse(line, strlen(line), &command, &host.error);
  if (!status && !pl_session_send(host.session, &command))
    status = pl_fail(&host.error, PL_E_LIMIT, "too many commands wait");
  return (int)status;
}

/* Milliseconds until the next turn has something to do. */
EMSCRIPTEN_KEEPALIVE double host_turn(void) { return 1e3 * pl_session_turn(host.session); }

/* The next message: its slot, -1 if there is none. host_data and host_size give its bytes. */
EMSCRIPTEN_KEEPALIVE int host_next(void)
{
  for (int slot = 0; slot < PL_SLOT_COUNT; slot++) {
    uint32_t version = pl_board_version(host.board, (pl_slot)slot);
    if (version == host.sent[slot]) continue;
    if (slot == PL_SLOT_FRAME && host.in_flight >= MOST_IN_FLIGHT) continue;
    host.sent[slot] = pl_board_read(host.board, (pl_slot)slot, 0, &host.message);
    host.in_flight += slot == PL_SLOT_FRAME;
    return slot;
  }
  return -1;
}

EMSCRIPTEN_KEEPALIVE const char *host_data(void) { return host.message.data; }
EMSCRIPTEN_KEEPALIVE size_t host_size(void) { return host.message.size; }

/* Is the message of that slot text? */
EMSCRIPTEN_KEEPALIVE int host_is_text(int slot)
{
  return slot == PL_SLOT_SCENE || slot == PL_SLOT_STATE || slot == PL_SLOT_GALLERY ||
         slot == PL_SLOT_NOTICES;
}

/* "STEPS TIME HASH STEPS-LEFT" of where the session stands. */
EMSCRIPTEN_KEEPALIVE const char *host_facts(void)
{
  pl_session_facts facts = pl_session_measure(host.session);
  pl_print(host.text, sizeof host.text, "%" PRId64 " %.17g %016" PRIx64 " %d", facts.steps,
           facts.time, facts.hash, facts.steps_left);
  return host.text;
}

/* Writes FOLDER/scene.xml, in which the shape of that file is dropped on a floor, as "pliant run"
 * does. 0: it is there. */
EMSCRIPTEN_KEEPALIVE int host_shape(const char *file, const char *folder, const char *up)
{
  char path[256];
  host.error = (pl_error){0};
  cli_first first = {.file = file, .up = up, .folder = folder, .copies = 1};
  return (int)cli_first_scene(&first, path, sizeof path, &host.error);
}
