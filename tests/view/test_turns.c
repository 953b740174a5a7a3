/* A session without a thread: the caller takes its turns, and the same commands at the same steps
 * give the same bits. */
#include "pliant/scene.h"
#include "run.h"
#include "view/gallery.h"

static const char scene_text[] =
    "<pliant title=\"Bar\">\n"
    "  <world dt=\"0.01\" duration=\"1\" gravity=\"0 0 -9.81\"/>\n"
    "  <material name=\"m\" young=\"1e5\" poisson=\"0.3\" density=\"1000\"/>\n"
    "  <mesh name=\"b\"><box size=\"1 0.25 0.25\" cells=\"6 2 2\" element=\"hex\"/></mesh>\n"
    "  <body name=\"bar\" mesh=\"b\" material=\"m\"><fix><set name=\"x-min\"/></fix></body>\n"
    "</pliant>\n";

/* A session on that scene, which stands still; its first turn is over. */
static void begin(run *r, const char *text)
{
  make_scene(r, text);
  pl_session_def def = {.path = r->path, .by_turns = 1, .threads = 1, .history_bytes = 1 << 22};
  CHECK_OK(pl_board_create(NULL, NULL, &r->board, error));
  CHECK_OK(pl_session_start(&def, r->board, &r->session, error));
  pl_session_turn(r->session);
}

/* As many steps, in as many turns as they take. */
static void steps_of(run *s, int steps)
{
  char line[32];
  int64_t before = pl_session_measure(s->session).steps;
  snprintf(line, sizeof line, "step %d", steps);
  tell(s, line);
  for (int i = 0; i < 10 * steps + 10 && pl_session_measure(s->session).steps < before + steps; i++)
    pl_session_turn(s->session);
  CHECK(pl_session_measure(s->session).steps == before + steps);
}

/* A session that stands still waits for long, and its steps are those of the scene. */
TEST(turns_make_the_steps_of_the_scene)
{
  run s;
  begin(&s, scene_text);
  CHECK(pl_board_version(s.board, PL_SLOT_SCENE) == 1);
  CHECK(pl_board_version(s.board, PL_SLOT_FRAME) >= 1);
  CHECK(pl_session_turn(s.session) > 0.05 && pl_session_measure(s.session).steps == 0);
  steps_of(&s, 7);
  pl_session_facts facts = pl_session_measure(s.session);
  pl_scene_def def = pl_scene_def_default();
  pl_scene *scene = NULL;
  def.path = s.path;
  def.threads = 2;
  CHECK_OK(pl_scene_load(&def, &scene, error));
  for (int i = 0; i < 7; i++) CHECK_OK(pl_scene_step(scene, error));
  CHECK(facts.hash == pl_world_state_hash(pl_scene_world(scene)) && facts.steps_left == 0);
  CHECK_NEAR(facts.time, 0.07, 1e-12);
  pl_scene_destroy(scene);
  end(&s);
}

/* What a hand did, done again at the same steps. */
static uint64_t play(int slowly)
{
  run s;
  begin(&s, scene_text);
  for (int i = 0; i < 5 * slowly; i++) pl_session_turn(s.session);
  steps_of(&s, 3);
  tell(&s, "grab 5 0.2 0.3");
  tell(&s, "drag 1.2 0.1 0.4");
  if (slowly) pl_session_turn(s.session);
  steps_of(&s, 4);
  tell(&s, "drag 1.1 0.2 0.5");
  tell(&s, "set material.0 young 2e5");
  steps_of(&s, 3);
  tell(&s, "drop");
  steps_of(&s, 2);
  uint64_t hash = pl_session_measure(s.session).hash;
  end(&s);
  return hash;
}

TEST(the_same_commands_at_the_same_steps_give_the_same_bits)
{
  uint64_t first = play(0);
  CHECK(first && play(1) == first);
}

TEST(a_broken_scene_is_told_and_takes_no_steps)
{
  run s;
  begin(&s, "<pliant><world/></pliant>");
  CHECK(pl_board_version(s.board, PL_SLOT_SCENE) == 1);
  tell(&s, "step 5");
  pl_session_turn(s.session);
  CHECK(pl_session_measure(s.session).steps == 0 && pl_session_measure(s.session).hash == 0);
  end(&s);
}

/* Titles and pictures without a thread: there, once the turn is over. */
TEST(pictures_of_the_gallery_are_made_at_once)
{
  run s;
  begin(&s, scene_text);
  tell(&s, "gallery");
  pl_session_turn(s.session);
  CHECK(pl_board_version(s.board, PL_SLOT_THUMB) == 1);
  end(&s);
}

/* Of a folder with more scenes than pictures are made of, none is left out of the list. */
TEST(the_gallery_lists_every_scene_of_a_large_folder)
{
  enum { FILES = PL_MOST_THUMBS + 40 };
  run s;
  char path[512], last[32];
  pl_gallery *gallery;
  begin(&s, scene_text);
  for (int i = 0; i < FILES; i++) {
    snprintf(path, sizeof path, "%s/more-%03d.xml", s.folder, i);
    CHECK_OK(pl_file_write(path, "<pliant/>", 9, error));
  }
  CHECK_OK(pl_gallery_create(s.path, s.folder, NULL, s.board, &gallery, error));
  pl_gallery_make(gallery);
  snprintf(last, sizeof last, "more-%03d.xml", FILES - 1);
  pl_board_read(s.board, PL_SLOT_GALLERY, 0, &s.text);
  CHECK(s.text.data && strstr(s.text.data, last) && strstr(s.text.data, "\"pictures\":256"));
  const char *found = pl_gallery_path(gallery, FILES);
  CHECK(found && strstr(found, last) && !pl_gallery_path(gallery, FILES + 1));
  pl_gallery_destroy(gallery);
  for (int i = 0; i < FILES; i++) {
    snprintf(path, sizeof path, "%s/more-%03d.xml", s.folder, i);
    unlink(path);
  }
  end(&s);
}

TESTS(X(turns_make_the_steps_of_the_scene) X(the_same_commands_at_the_same_steps_give_the_same_bits)
          X(a_broken_scene_is_told_and_takes_no_steps) X(pictures_of_the_gallery_are_made_at_once)
              X(the_gallery_lists_every_scene_of_a_large_folder))
