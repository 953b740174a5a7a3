/* What a page gets of rods, hands, pictures on bodies and recorded runs, and what of a session's
 * scene is written where its file has changed meanwhile. Sessions without a thread. */
#include "io/recording.h"
#include "mesh/wire.h"
#include "pliant/scene.h"

#include "run.h"

#define MATERIAL "<material name=\"m\" young=\"1e5\" poisson=\"0.3\" density=\"1000\"/>"
#define BAR                                                                                        \
  "<mesh name=\"b\"><box size=\"1 0.25 0.25\" cells=\"2 1 1\"/></mesh>"                            \
  "<body name=\"bar\" mesh=\"b\" material=\"m\"><fix><set name=\"x-min\"/></fix></body>"
#define WORLD    "<world dt=\"0.01\" duration=\"1\" gravity=\"0 0 -9.81\"/>"
#define FLOATING "<world dt=\"0.01\" duration=\"1\" gravity=\"0 0 0\"/>"

static void begin_turns(run *r, pl_session_def def)
{
  def.path = r->path;
  def.by_turns = def.threads = 1;
  if (!def.history_bytes) def.history_bytes = 1 << 20;
  CHECK_OK(pl_board_create(NULL, NULL, &r->board, error));
  CHECK_OK(pl_session_start(&def, r->board, &r->session, error));
  pl_session_turn(r->session);
}

/* Sends the command, and takes a turn. */
static void order(run *r, const char *line)
{
  tell(r, line);
  pl_session_turn(r->session);
}

static int says(run *r, pl_slot slot, const char *part)
{
  pl_board_read(r->board, slot, 0, &r->text);
  int found = r->text.size && strstr(r->text.data, part);
  if (!found) printf("  no \"%s\" in %.400s\n", part, r->text.size ? r->text.data : "");
  return found;
}

/* ---- what is shown ---- */

/* A rod at rest along x is drawn as a tube of half its thickness around its segments. */
TEST(a_rod_is_a_tube)
{
  enum { VERTICES = 3 * PL_WIRE_VERTICES };
  run r;
  make_scene(&r, "<pliant><world dt=\"0.01\" duration=\"1\" gravity=\"0 0 0\"/>" MATERIAL
                 "<mesh name=\"r\"><rod length=\"1\" segments=\"3\" axis=\"x\"/></mesh>"
                 "<body name=\"rod\" mesh=\"r\" material=\"m\" model=\"rod\" thickness=\"0.02\" "
                 "bending-stiffness=\"1e-3\"/></pliant>");
  begin_turns(&r, (pl_session_def){0});
  pl_board_read(r.board, PL_SLOT_GEOMETRY, 0, &r.text);
  CHECK(r.text.size > 20 && u32_at(&r.text, 8) == VERTICES);
  CHECK(u32_at(&r.text, 12) == 3 * PL_WIRE_TRIANGLES);
  order(&r, "step 1");
  pl_board_read(r.board, PL_SLOT_FRAME, 0, &r.text);
  float at[3 * VERTICES];
  size_t from = 100 + 4 * (size_t)u32_at(&r.text, 36);
  CHECK(u32_at(&r.text, 24) == VERTICES && r.text.size >= from + sizeof at);
  memcpy(at, r.text.data + from, sizeof at);
  for (int v = 0; v < VERTICES; v++) {
    double y = (double)at[3 * v + 1], z = (double)at[3 * v + 2];
    CHECK_NEAR(sqrt(y * y + z * z), 0.01, 1e-6);
  }
  end(&r);
}

/* The tool of a hand: its shape once, its place in every frame. */
TEST(the_tool_of_a_hand_is_shown)
{
  static const char text[] =
      "<pliant>" WORLD MATERIAL BAR "<hand device=\"%s\" stiffness=\"300\"%s>"
      "<capsule radius=\"0.02\" length=\"0.1\"/></hand></pliant>";
  static const char *const devices[][2] = {
      {"simulated", " start=\"0.8 0.1 0.3\" goal=\"0.8 0.1 0.2\""},
      {"mouse", ""},
      {"udp", " port=\"47913\""}};
  for (int i = 0; i < 3; i++) {
    run r;
    char scene[2048];
    snprintf(scene, sizeof scene, text, devices[i][0], devices[i][1]);
    make_scene(&r, scene);
    begin_turns(&r, (pl_session_def){0});
    CHECK(says(&r, PL_SLOT_SCENE, "\"tool\":{\"shape\":\"capsule\",\"points\":["));
    order(&r, "step 1");
    head h = read_head(&r);
    CHECK(h.time == 0.01 && h.tool == (i == 0));
    end(&r);
  }
}

/* The pointer is the device of a hand whose device is the mouse: it pushes with that hand's tool,
 * of its radius, up to its greatest force; pulls by its grip; and each ends the other. */
TEST(the_pointer_is_the_mouse_of_a_hand)
{
  run r;
  float radius;
  make_scene(&r, "<pliant>" FLOATING MATERIAL BAR "<hand device=\"mouse\" stiffness=\"200\" "
                 "radius=\"0.02\" max-force=\"3\"/></pliant>");
  begin_turns(&r, (pl_session_def){0});
  CHECK(says(&r, PL_SLOT_SCENE, "\"pointed\":{\"radius\":0.02,\"drawn\":0.02}"));
  order(&r, "push 0.8 0.12 0.3 0.5");
  order(&r, "push 0.8 0.12 0.2 0.5");
  for (int i = 0; i < 30; i++) order(&r, "step 1");
  head h = read_head(&r);
  memcpy(&radius, r.text.data + 68, sizeof radius);
  CHECK(h.tool == 1 && h.pulls == 0 && fabs((double)radius - 0.02) < 1e-6);
  CHECK(h.push > 2.9 && h.push <= 3 + 1e-5);
  order(&r, "grab 0 0.3 0.3");
  order(&r, "drag 0.5 0.1 0.5");
  for (int i = 0; i < 5; i++) order(&r, "step 1");
  h = read_head(&r);
  CHECK(h.pulls == 1 && h.tool == 1 && h.force > 2.9 && h.force <= 3 + 1e-5);
  order(&r, "push 0.8 0.12 0.4 0.5");
  order(&r, "step 1");
  h = read_head(&r);
  CHECK(h.pulls == 0 && h.tool == 1 && h.push == 0);
  order(&r, "lift");
  order(&r, "step 1");
  CHECK(read_head(&r).tool == 0);
  end(&r);
}

/* What was felt at one place is not felt at the next, even if no step lies between. */
TEST(a_hand_that_was_lifted_feels_no_plane_of_before)
{
  run r;
  make_scene(&r, "<pliant>" FLOATING MATERIAL BAR
                 "<hand device=\"mouse\" stiffness=\"200\" radius=\"0.02\"/></pliant>");
  begin_turns(&r, (pl_session_def){0});
  order(&r, "push 0.8 0.12 0.24 0");
  for (int i = 0; i < 5; i++) order(&r, "step 1");
  CHECK(read_head(&r).push > 1);
  order(&r, "lift");
  order(&r, "push 0.8 0.12 -0.5 0"); // far below the plane, and outside the body
  order(&r, "step 1");
  head h = read_head(&r);
  CHECK(h.tool == 1 && h.push == 0);
  end(&r);
}

static void write_bitmap(const char *path)
{
  // 2 x 1 pixels of 24 bits without compression
  static const unsigned char tga[] = {0, 0, 2, 0, 0,  0, 0, 0, 0, 0, 0, 0,
                                      2, 0, 1, 0, 24, 0, 9, 8, 7, 6, 5, 4};
  CHECK_OK(pl_file_write(path, tga, sizeof tga, error));
}

/* Nine sheets with a bitmap each: eight are sent, as PNG, and a sentence says so. */
TEST(bitmaps_are_sent_and_not_too_many)
{
  run r;
  char path[128];
  pl_text text = pl_text_make(NULL);
  pl_text_add(&text,
              "<pliant>" WORLD MATERIAL
              "<mesh name=\"g\"><lattice shape=\"plane\" m=\"3\" n=\"3\" size=\"1 1 1\"/></mesh>");
  for (int i = 0; i < 9; i++)
    pl_text_add(
        &text,
        "<body name=\"s%d\" mesh=\"g\" material=\"m\" model=\"grid\" tension=\"1 1 0\" mass=\"1\" "
        "texture=\"p.tga\"/>",
        i);
  pl_text_add(&text, "</pliant>");
  make_scene(&r, text.data);
  pl_text_release(&text);
  snprintf(path, sizeof path, "%s/p.tga", r.folder);
  write_bitmap(path);
  begin_turns(&r, (pl_session_def){0});
  CHECK(says(&r, PL_SLOT_SCENE, "\"type\":\"scene\""));
  pl_board_read(r.board, PL_SLOT_TEXTURES, 0, &r.text);
  CHECK(r.text.size > 24 && u32_at(&r.text, 8) == 8);
  if (r.text.size > 24) {
    size_t from = 24 + 24 * (size_t)u32_at(&r.text, 16);
    CHECK(r.text.size > from + 4 && memcmp(r.text.data + from, "\x89PNG", 4) == 0);
  }
  CHECK(says(&r, PL_SLOT_NOTICES, "only the first 8 textures are shown"));
  // one that is gone is named when the scene is opened again
  unlink(path);
  order(&r, "open 0");
  pl_session_turn(r.session);
  CHECK(says(&r, PL_SLOT_SCENE, "p.tga"));
  end(&r);
}

/* Takes turns until the flag "too slow" of the frames is as wanted and a pace is known; seconds. */
static double wait_for_pace(run *r, uint32_t slow)
{
  double start = pl_now(), until = start + 30;
  for (float factor = 0; pl_now() < until; nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL)) {
    pl_session_turn(r->session);
    pl_board_read(r->board, PL_SLOT_FRAME, 0, &r->text);
    memcpy(&factor, r->text.data + 48, sizeof factor);
    if (factor > 0 && (u32_at(&r->text, 12) & 2) == slow) break;
  }
  return pl_now() - start;
}

/* The pace is measured over half a second; frames tell whether it is what was asked for. */
TEST(the_pace_is_measured)
{
  run r;
  make_scene(&r, "<pliant>" WORLD MATERIAL BAR "</pliant>");
  begin_turns(&r, (pl_session_def){.playing = 1});
  pl_session_turn(r.session);
  nanosleep(&(struct timespec){.tv_nsec = 400000000}, NULL); // the caller was busy
  CHECK(wait_for_pace(&r, 2) < 30);
  CHECK(wait_for_pace(&r, 0) < 30);
  end(&r);
}

/* ---- what is taken ---- */

TEST(more_commands_than_there_is_room_for_are_refused)
{
  run r;
  pl_command command;
  make_scene(&r, "<pliant>" WORLD MATERIAL BAR "</pliant>");
  begin_turns(&r, (pl_session_def){0});
  CHECK_OK(pl_command_parse("pause", 5, &command, error));
  for (int i = 0; i < PL_SESSION_QUEUE; i++) CHECK(pl_session_send(r.session, &command));
  CHECK(!pl_session_send(r.session, &command));
  for (int i = 0; i < 3; i++) pl_session_turn(r.session);
  CHECK(pl_session_send(r.session, &command));
  end(&r);
}

TEST(values_of_the_response_change)
{
  run r;
  make_scene(&r,
             "<pliant>" WORLD MATERIAL BAR
             "<contact response=\"exponential\"/><obstacle name=\"f\" shape=\"plane\"/></pliant>");
  begin_turns(&r, (pl_session_def){0});
  order(&r, "set contact stiffness 3e4");
  CHECK(says(&r, PL_SLOT_STATE, "\"stiffness\":30000"));
  order(&r, "set contact strength 2.5");
  CHECK(says(&r, PL_SLOT_STATE, "\"strength\":2.5"));
  end(&r);
}

/* ---- what is saved ---- */

/* Changes of the command line are in the saved scene; so is a note where freed points come back. */
TEST(a_saved_scene_has_the_changes_of_the_command_line)
{
  run r;
  char path[512];
  static const char *const changes[] = {"world.dt=0.02"};
  make_scene(&r,
             "<pliant>" WORLD MATERIAL
             "<material name=\"spare\" young=\"1\" poisson=\"0\" density=\"1\"/>" BAR "</pliant>");
  begin_turns(&r, (pl_session_def){.changes = changes, .change_count = 1});
  order(&r, "release 0 0.2 0.2");
  order(&r, "save");
  CHECK(says(&r, PL_SLOT_NOTICES, "are held again in the saved scene"));
  CHECK(write_saved(&r, path));
  pl_scene *scene = NULL;
  pl_scene_def def = pl_scene_def_default();
  def.path = path;
  CHECK_OK(pl_scene_load(&def, &scene, error));
  if (scene) CHECK(pl_world_dt(pl_scene_world(scene)) == 0.02);
  pl_scene_destroy(scene);
  remove_saved(&r);
  end(&r);
}

/* The file was changed by an editor since it was read: another body, or no world at all. */
TEST(a_file_that_has_changed_does_no_harm_when_saving)
{
  static const char other[] = "<pliant>" WORLD MATERIAL
                              "<mesh name=\"b\"><box size=\"1 0.25 0.25\" cells=\"2 1 1\"/></mesh>"
                              "<body name=\"pole\" mesh=\"b\" material=\"m\"/></pliant>";
  run r;
  make_scene(&r, "<pliant>" WORLD MATERIAL BAR "</pliant>");
  begin_turns(&r, (pl_session_def){0});
  CHECK_OK(pl_file_write(r.path, other, sizeof other - 1, error));
  order(&r, "save");
  CHECK(says(&r, PL_SLOT_SAVED, "PLS1"));
  CHECK_OK(pl_file_write(r.path, "<pliant/>", 9, error));
  order(&r, "save");
  CHECK(says(&r, PL_SLOT_NOTICES, "the scene's file has changed and has no <world>"));
  end(&r);
}

/* ---- recorded runs ---- */

/* Writes a recording of so many states beside the scene. */
static void record(run *r, int states, char path[128])
{
  pl_scene *scene;
  pl_scene_def def = pl_scene_def_default();
  def.path = r->path;
  snprintf(path, 128, "%s/run.plr", r->folder);
  CHECK_OK(pl_scene_load(&def, &scene, error));
  pl_text text = pl_text_make(NULL);
  pl_recording_begin(&text, pl_scene_world(scene), "");
  for (int i = 0; i < states; i++) {
    CHECK_OK(pl_recording_add(&text, pl_scene_world(scene), error));
    CHECK_OK(pl_scene_step(scene, error));
  }
  CHECK_OK(pl_file_write(path, text.data, text.size, error));
  pl_text_release(&text);
  pl_scene_destroy(scene);
}

TEST(a_recorded_run_begins_again_at_its_end)
{
  run r;
  char path[128];
  make_scene(&r, "<pliant>" WORLD MATERIAL BAR "</pliant>");
  record(&r, 4, path);
  begin_turns(&r, (pl_session_def){.recording = path});
  order(&r, "seek 3");
  CHECK(read_head(&r).place == 3);
  tell(&r, "play");
  tell(&r, "pause");
  pl_session_turn(r.session);
  head h = read_head(&r);
  CHECK(h.place < 3 && h.count == 4);
  unlink(path);
  end(&r);
}

TEST(a_recording_without_states_is_told)
{
  run r;
  char path[128];
  make_scene(&r, "<pliant>" WORLD MATERIAL BAR "</pliant>");
  record(&r, 0, path);
  begin_turns(&r, (pl_session_def){.recording = path});
  CHECK(says(&r, PL_SLOT_SCENE, "holds no states"));
  unlink(path);
  end(&r);
}

TESTS(X(a_rod_is_a_tube) X(the_tool_of_a_hand_is_shown) X(the_pointer_is_the_mouse_of_a_hand)
          X(a_hand_that_was_lifted_feels_no_plane_of_before) X(bitmaps_are_sent_and_not_too_many)
              X(the_pace_is_measured) X(more_commands_than_there_is_room_for_are_refused)
                  X(values_of_the_response_change)
                      X(a_saved_scene_has_the_changes_of_the_command_line)
                          X(a_file_that_has_changed_does_no_harm_when_saving)
                              X(a_recorded_run_begins_again_at_its_end)
                                  X(a_recording_without_states_is_told))
