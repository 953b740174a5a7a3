/* A session and its board, as a page sees them; scenes in a folder of their own. */
#ifndef PL_TEST_VIEW_RUN_H
#define PL_TEST_VIEW_RUN_H

#include "core/clock.h"
#include "core/file.h"
#include "view/session.h"

#include <time.h>
#include <unistd.h>

#include "test.h"

typedef struct run {
  char folder[64], path[96];
  const char *cache; /* where pictures of scenes are kept; NULL: nowhere */
  pl_board *board;
  pl_session *session;
  pl_text text;
} run;

static inline void begin_session(run *r, int playing, const char *recording)
{
  pl_session_def def = {.path = r->path,
                        .gallery_folder = r->folder,
                        .recording = recording,
                        .cache = r->cache,
                        .playing = playing,
                        .threads = 2,
                        .history_bytes = 1 << 20};
  CHECK_OK(pl_board_create(NULL, NULL, &r->board, error));
  CHECK_OK(pl_session_start(&def, r->board, &r->session, error));
}

static inline void make_scene(run *r, const char *content)
{
  *r = (run){.folder = "/tmp/pliant-session-XXXXXX", .text = pl_text_make(NULL)};
  CHECK(mkdtemp(r->folder) != NULL);
  snprintf(r->path, sizeof r->path, "%s/bar.xml", r->folder);
  CHECK_OK(pl_file_write(r->path, content, strlen(content), error));
}

static inline void start(run *r, const char *content, int playing)
{
  make_scene(r, content);
  begin_session(r, playing, NULL);
}

static inline void end(run *r)
{
  pl_session_stop(r->session, 60);
  pl_board_destroy(r->board);
  pl_text_release(&r->text);
  unlink(r->path);
  rmdir(r->folder);
}

static inline void tell(run *r, const char *line)
{
  pl_command command;
  CHECK_OK(pl_command_parse(line, strlen(line), &command, error));
  CHECK(pl_session_send(r->session, &command));
}

/* Waits for a message in the slot that contains the text; a minute is more than enough, however
 * busy the machine. */
static inline int wait_for(run *r, pl_slot slot, const char *part)
{
  for (double end = pl_now() + 60; pl_now() < end;) {
    pl_board_read(r->board, slot, 0, &r->text);
    if (r->text.size && strstr(r->text.data, part)) return 1;
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
  }
  printf("  \"%s\" did not come; there is: %.300s\n", part, r->text.size ? r->text.data : "");
  return 0;
}

/* What stands in the head of a frame. */
typedef struct head {
  uint32_t flags, pulls, place, count, tool;
  double time, force, x, z; /* of the first pull; its place */
  double push;              /* the tool's force downwards */
} head;

static inline head read_head(run *r)
{
  head out = {0};
  pl_board_read(r->board, PL_SLOT_FRAME, 0, &r->text);
  if (r->text.size < 100) return out;
  memcpy(&out.flags, r->text.data + 12, 4);
  memcpy(&out.time, r->text.data + 16, 8);
  memcpy(&out.pulls, r->text.data + 32, 4);
  memcpy(&out.place, r->text.data + 40, 4);
  memcpy(&out.count, r->text.data + 44, 4);
  float push;
  memcpy(&out.tool, r->text.data + 64, 4);
  memcpy(&push, r->text.data + 92, 4);
  out.push = -(double)push;
  if (!out.pulls) return out;
  float pull[9];
  memcpy(pull, r->text.data + 100, sizeof pull);
  out.x = (double)pull[0];
  out.z = (double)pull[2];
  for (int k = 6; k < 9; k++) out.force += (double)(pull[k] * pull[k]);
  out.force = sqrt(out.force);
  return out;
}

static inline int wait_until(run *r, int (*holds)(const head *), head *out)
{
  *out = (head){0};
  for (double end = pl_now() + 60; pl_now() < end;) {
    *out = read_head(r);
    if (holds(out)) return 1;
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
  }
  printf("  t = %g, flags %u, place %u of %u\n", out->time, out->flags, out->place, out->count);
  return 0;
}

static inline uint32_t u32_at(const pl_text *text, size_t at)
{
  uint32_t value;
  memcpy(&value, text->data + at, 4);
  return value;
}

/* Writes the two files of the saved message beside the scene. */
static inline int write_saved(run *r, char scene[512])
{
  char state[600];
  if (!wait_for(r, PL_SLOT_SAVED, "PLS1")) return 0;
  size_t xml = u32_at(&r->text, 8), rest = u32_at(&r->text, 12);
  if (r->text.size != 16 + xml + rest) return 0;
  snprintf(scene, 512, "%.*s-state.xml", (int)strlen(r->path) - 4, r->path);
  snprintf(state, sizeof state, "%.*s-state.plr", (int)strlen(r->path) - 4, r->path);
  return !pl_file_write(scene, r->text.data + 16, xml, NULL) &&
         !pl_file_write(state, r->text.data + 16 + xml, rest, NULL);
}

static inline void remove_saved(const run *r)
{
  char path[600];
  const char *const endings[] = {"xml", "plr"};
  for (int i = 0; i < 2; i++) {
    snprintf(path, sizeof path, "%.*s-state.%s", (int)strlen(r->path) - 4, r->path, endings[i]);
    unlink(path);
  }
}

#endif
