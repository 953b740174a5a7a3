/* The session through its board, as a page sees it: it loads, runs, obeys, goes back, reloads. */
#include "core/clock.h"
#include "core/file.h"
#include "io/recording.h"
#include "pliant/scene.h"
#include "view/session.h"
#include "world/probe.h"

#include <time.h>
#include <unistd.h>

#include "run.h"

static const char scene_text[] =
    "<pliant title=\"Bar\"><world dt=\"0.01\" duration=\"1\" gravity=\"0 0 -9.81\"/>"
    "<material name=\"m\" young=\"1e5\" poisson=\"0.3\" density=\"1000\"/>"
    "<mesh name=\"b\"><box size=\"1 0.2 0.2\" cells=\"6 2 2\"/></mesh>"
    "<body name=\"bar\" mesh=\"b\" material=\"m\"><fix><set name=\"x-min\"/></fix></body>"
    "<probe name=\"tip\" at=\"1 0.1 0.1\" quantity=\"displacement\"/></pliant>";

static int has_run(const head *h) { return h->time > 0.1; }
static int is_paused(const head *h) { return h->count > 0 && !(h->flags & 1); }
static int is_at_5(const head *h) { return h->count > 5 && h->place == 5 && !(h->flags & 1); }
static int is_at_7(const head *h) { return h->count == 8 && h->place == 7 && !(h->flags & 1); }
static int is_pulled(const head *h) { return h->pulls == 1 && h->force > 1 && h->time > 0.5; }
static int is_pushed(const head *h) { return h->tool == 1 && h->push > 1 && h->time > 0.1; }
static int is_at_start(const head *h) { return h->count == 1 && h->time == 0; }

TEST(it_plays_and_goes_back)
{
  run r;
  head h;
  start(&r, scene_text, 1);
  CHECK(wait_for(&r, PL_SLOT_SCENE, "\"type\":\"scene\""));
  CHECK(wait_for(&r, PL_SLOT_SCENE, "\"title\":\"Bar\""));
  CHECK(wait_until(&r, has_run, &h));
  tell(&r, "pause");
  CHECK(wait_until(&r, is_paused, &h));
  CHECK(wait_for(&r, PL_SLOT_STATE, "\"playing\":false"));
  tell(&r, "seek 5");
  CHECK(wait_until(&r, is_at_5, &h));
  CHECK_NEAR(h.time, 0.05, 1e-15);
  // two steps on from there: what came later is gone
  tell(&r, "step 2");
  CHECK(wait_until(&r, is_at_7, &h));
  CHECK_NEAR(h.time, 0.07, 1e-15);
  tell(&r, "back 2");
  CHECK(wait_until(&r, is_at_5, &h));
  tell(&r, "reset");
  CHECK(wait_until(&r, is_at_start, &h));
  end(&r);
}

TEST(it_pulls_and_tells_the_force)
{
  run r;
  head h;
  start(&r, scene_text, 1);
  CHECK(wait_until(&r, has_run, &h));
  tell(&r, "pace free");
  tell(&r, "grab 0 0.3 0.3");
  tell(&r, "drag 0.5 0 2");
  CHECK(wait_until(&r, is_pulled, &h));
  tell(&r, "drop");
  tell(&r, "pause");
  CHECK(wait_until(&r, is_paused, &h));
  CHECK(h.pulls == 0);
  end(&r);
}

/* The tool comes down on the bar's free end; a thrown bar is held and stays. */
TEST(it_pushes_and_throws)
{
  run r;
  head h;
  start(&r, scene_text, 1);
  CHECK(wait_until(&r, has_run, &h));
  tell(&r, "push 1 0.1 0.4 0.1");
  tell(&r, "push 1 0.1 -0.2 0.1");
  CHECK(wait_until(&r, is_pushed, &h));
  tell(&r, "lift");
  tell(&r, "throw 1 0 0");
  tell(&r, "grab 0 0.3 0.3");
  tell(&r, "drop");
  tell(&r, "throw 1 0 0");
  tell(&r, "pause");
  CHECK(wait_until(&r, is_paused, &h));
  CHECK(h.tool == 0 && h.pulls == 0);
  tell(&r, "arrows outer-forces");
  tell(&r, "locals 1");
  CHECK(wait_for(&r, PL_SLOT_STATE, "\"arrows\":\"outer-forces\",\"locals\":true"));
  end(&r);
}

TEST(values_change_while_it_runs)
{
  run r;
  start(&r, scene_text, 1);
  CHECK(wait_for(&r, PL_SLOT_STATE, "\"young\":100000"));
  tell(&r, "set material.0 young 2e5");
  CHECK(wait_for(&r, PL_SLOT_STATE, "\"young\":200000"));
  tell(&r, "set material.0 mass-damping 3");
  CHECK(wait_for(&r, PL_SLOT_STATE, "\"mass-damping\":3"));
  tell(&r, "set world gravity 1 2 3");
  CHECK(wait_for(&r, PL_SLOT_STATE, "\"gravity\":[1,2,3]"));
  tell(&r, "set world dt 0.002");
  CHECK(wait_for(&r, PL_SLOT_STATE, "\"dt\":0.002"));
  tell(&r, "set world halvings 2");
  CHECK(wait_for(&r, PL_SLOT_STATE, "\"halvings\":2"));
  tell(&r, "set world tolerance 1e-3");
  CHECK(wait_for(&r, PL_SLOT_STATE, "\"halvings\":2,\"tolerance\":0.001"));
  tell(&r, "set world tolerance 0");
  tell(&r, "set world budget 50");
  CHECK(wait_for(&r, PL_SLOT_STATE, "\"budget\":50,\"halvings\":2,\"tolerance\":0,"));
  tell(&r, "set integrator newton 4");
  CHECK(wait_for(&r, PL_SLOT_STATE, "\"newton\":4"));
  tell(&r, "set integrator tangent exact");
  CHECK(wait_for(&r, PL_SLOT_STATE, "\"tangent\":1"));
  tell(&r, "set solver tolerance 1e-3");
  CHECK(wait_for(&r, PL_SLOT_STATE, "\"tolerance\":0.001"));
  tell(&r, "choose preconditioner diagonal");
  CHECK(wait_for(&r, PL_SLOT_STATE, "\"preconditioner\":{\"name\":\"diagonal\""));
  tell(&r, "choose integrator static");
  CHECK(wait_for(&r, PL_SLOT_STATE, "\"integrator\":{\"name\":\"static\""));
  tell(&r, "tint velocity");
  CHECK(wait_for(&r, PL_SLOT_STATE, "\"tint\":\"velocity\""));
  end(&r);
}

TEST(what_is_wrong_is_told)
{
  static const struct {
    const char *line, *part;
  } wrong[] = {{"set material.0 young -1", "young = -1 must lie between"},
               {"set material.7 young 1", "no \\\"material.7\\\""},
               {"set world dt 0", "dt = 0 must"},
               {"set world duration 3", "cannot be changed"},
               {"set world budget -1", "budget = -1 must lie between"},
               {"set world halvings 2.5", "halvings = 2.5 must be a whole number"},
               {"set integrator speed 3", "no parameter"},
               {"choose solver magic", "unknown solver"},
               {"grab 99999 0 0", "no triangle"},
               {"tint smell", "no colouring"},
               {"arrows west", "no arrows of"},
               {"push 0 0 0 -1", "radius of the tool"}};
  run r;
  start(&r, scene_text, 0);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    tell(&r, wrong[i].line);
    CHECK(wait_for(&r, PL_SLOT_NOTICES, wrong[i].part));
  }
  CHECK(wait_for(&r, PL_SLOT_STATE, "\"young\":100000"));
  end(&r);
}

TEST(pins_are_shown)
{
  run r;
  start(&r, scene_text, 0);
  CHECK(wait_for(&r, PL_SLOT_HELD, "PLH1"));
  uint32_t before = pl_board_version(r.board, PL_SLOT_HELD);
  int held[3] = {0};
  const char *lines[] = {"pin 40 0.1 0.1", "release 40 0.1 0.1"};
  for (int i = 0; i < 3; i++) {
    for (double end = pl_now() + 60;
         pl_board_version(r.board, PL_SLOT_HELD) < before + (uint32_t)i && pl_now() < end;)
      nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    pl_board_read(r.board, PL_SLOT_HELD, 0, &r.text);
    for (size_t k = 12; k < r.text.size; k++) held[i] += r.text.data[k] == 7;
    if (i < 2) tell(&r, lines[i]);
  }
  CHECK(held[0] == 9 && held[1] == 10 && held[2] == 9);
  end(&r);
}

TEST(a_bad_scene_is_told_and_followed)
{
  run r;
  head h;
  start(&r, "<pliant>\n<world dt=\"-1\"/>\n<boddy/>\n</pliant>", 1);
  CHECK(wait_for(&r, PL_SLOT_SCENE, "\"type\":\"broken\""));
  CHECK(wait_for(&r, PL_SLOT_SCENE, "{\"line\":2,"));
  CHECK(wait_for(&r, PL_SLOT_SCENE, "{\"line\":3,"));
  // commands do no harm meanwhile
  tell(&r, "step 3");
  tell(&r, "seek 5");
  tell(&r, "grab 0 0 0");
  CHECK_OK(pl_file_write(r.path, scene_text, strlen(scene_text), error));
  CHECK(wait_for(&r, PL_SLOT_SCENE, "\"type\":\"scene\""));
  CHECK(wait_until(&r, has_run, &h));
  end(&r);
}

TEST(a_failing_step_stops_and_goes_on)
{
  // far too large a step for an explicit method
  char text[sizeof scene_text + 128];
  const char *rest = strstr(scene_text, "<material"), *more = strstr(scene_text, "dt=");
  snprintf(text, sizeof text, "%.*sunstable=\"warn\" %.*s<integrator method=\"explicit-euler\"/>%s",
           (int)(more - scene_text), scene_text, (int)(rest - more), more, rest);
  run r;
  head h;
  start(&r, text, 1);
  tell(&r, "pace free");
  CHECK(wait_for(&r, PL_SLOT_NOTICES, "diverged"));
  CHECK(wait_until(&r, is_paused, &h));
  tell(&r, "choose integrator implicit-euler");
  tell(&r, "seek 0");
  tell(&r, "play");
  CHECK(wait_until(&r, has_run, &h));
  end(&r);
}

TEST(the_gallery_makes_pictures)
{
  run r;
  start(&r, scene_text, 0);
  CHECK(wait_for(&r, PL_SLOT_GALLERY, "\"file\":\"bar.xml\""));
  tell(&r, "gallery");
  CHECK(wait_for(&r, PL_SLOT_GALLERY, "\"title\":\"Bar\""));
  CHECK(wait_for(&r, PL_SLOT_THUMB, "PLT1"));
  CHECK(r.text.size > 500 && memcmp(r.text.data + 12, "\x89PNG", 4) == 0);
  tell(&r, "open 0");
  tell(&r, "open 31");
  CHECK(wait_for(&r, PL_SLOT_SCENE, "\"number\":2"));
  end(&r);
}

/* ---- files ---- */

/* What is saved while it runs, with changed values and a pin, goes on as the session would. */
TEST(the_state_is_saved_as_a_scene)
{
  run r;
  head h;
  char path[512];
  start(&r, scene_text, 1);
  CHECK(wait_until(&r, has_run, &h));
  tell(&r, "pause");
  CHECK(wait_until(&r, is_paused, &h));
  tell(&r, "set material.0 young 2e5");
  tell(&r, "set world gravity 1 2 -3");
  tell(&r, "set world dt 0.004");
  tell(&r, "set world budget 70");
  tell(&r, "set world halvings 3");
  tell(&r, "set world tolerance 0.01");
  tell(&r, "choose integrator newmark");
  tell(&r, "choose preconditioner diagonal");
  tell(&r, "pin 40 0.1 0.1");
  tell(&r, "save");
  CHECK(write_saved(&r, path));
  pl_scene *scene = NULL;
  pl_scene_def def = pl_scene_def_default();
  def.path = path;
  CHECK_OK(pl_scene_load(&def, &scene, error));
  if (scene) {
    pl_world *world = pl_scene_world(scene);
    CHECK_NEAR(pl_world_time(world), h.time, 0);
    CHECK(pl_world_dt(world) == 0.004 && strcmp(pl_world_integrator_name(world), "newmark") == 0);
    CHECK(strcmp(pl_world_preconditioner_name(world), "diagonal") == 0);
    CHECK(world->gravity[0] == 1 && world->gravity[2] == -3);
    CHECK(world->set.budget == 70 && world->set.halvings == 3 && world->set.tolerance == 0.01);
    CHECK(world->bodies.list[0].law.values[0] == 2e5);
    const pl_fix *pin = (const pl_fix *)probe_coupling(world, &pl_coupling_fix, 1);
    CHECK(probe_count(world, &pl_coupling_fix) == 2 && pin->count == 1);
    // the pinned node stays where it was
    int node = pin->nodes[0];
    double before[3];
    memcpy(before, world->state.q + 3 * node, sizeof before);
    for (int i = 0; i < 5; i++) CHECK_OK(pl_world_step(world, error));
    for (int k = 0; k < 3; k++) CHECK_NEAR(world->state.q[3 * node + k], before[k], 1e-12);
  }
  pl_scene_destroy(scene);
  // a state of other bodies is refused, with the line that names it
  char text[1024];
  snprintf(text, sizeof text,
           "<pliant><world dt=\"0.01\" duration=\"1\"\nstart=\"bar-state.plr\"/>%s",
           strstr(scene_text, "<material"));
  strstr(text, "cells=\"6")[7] = '5';
  CHECK_OK(pl_file_write(path, text, strlen(text), error));
  CHECK_FAILS(pl_scene_load(&def, &scene, error), PL_E_ARGUMENT, "other bodies");
  remove_saved(&r);
  end(&r);
}

static int is_at_end(const head *h) { return h->count == 20 && h->place == 19 && !(h->flags & 1); }
static int is_beyond(const head *h) { return h->count > 20 && h->time > 0.2; }

/* A recorded run plays to its end and stops; touching it is refused until it is taken over. */
TEST(a_recorded_run_is_shown)
{
  run r;
  head h;
  char path[128];
  make_scene(&r, scene_text);
  snprintf(path, sizeof path, "%s/run.plr", r.folder);
  pl_scene *scene;
  pl_scene_def def = pl_scene_def_default();
  def.path = r.path;
  CHECK_OK(pl_scene_load(&def, &scene, error));
  pl_text text = pl_text_make(NULL);
  pl_recording_begin(&text, pl_scene_world(scene), "a note");
  for (int i = 0; i < 20; i++) {
    CHECK_OK(pl_recording_add(&text, pl_scene_world(scene), error));
    CHECK_OK(pl_world_step(pl_scene_world(scene), error));
  }
  // the last state was only begun to be written
  CHECK_OK(pl_recording_add(&text, pl_scene_world(scene), error));
  CHECK_OK(pl_file_write(path, text.data, text.size - 5, error));
  pl_text_release(&text);
  pl_scene_destroy(scene);
  begin_session(&r, 1, path);
  CHECK(wait_for(&r, PL_SLOT_STATE, "\"replaying\":true"));
  CHECK(wait_until(&r, is_at_end, &h));
  CHECK_NEAR(h.time, 0.19, 1e-12);
  tell(&r, "grab 0 0.3 0.3");
  CHECK(wait_for(&r, PL_SLOT_NOTICES, "recorded run"));
  tell(&r, "seek 5");
  CHECK(wait_until(&r, is_at_5, &h));
  tell(&r, "seek 19");
  tell(&r, "live");
  tell(&r, "play");
  CHECK(wait_until(&r, is_beyond, &h));
  unlink(path);
  end(&r);
}

/* A session can be stopped at any moment. */
TEST(it_stops_at_once)
{
  for (int i = 0; i < 5; i++) {
    run r;
    start(&r, scene_text, 1);
    if (i) nanosleep(&(struct timespec){.tv_nsec = i * 3000000}, NULL);
    end(&r);
  }
}

TESTS(X(it_plays_and_goes_back) X(it_pulls_and_tells_the_force) X(it_pushes_and_throws)
          X(values_change_while_it_runs) X(what_is_wrong_is_told) X(pins_are_shown)
              X(a_bad_scene_is_told_and_followed) X(a_failing_step_stops_and_goes_on)
                  X(the_gallery_makes_pictures) X(the_state_is_saved_as_a_scene)
                      X(a_recorded_run_is_shown) X(it_stops_at_once))
