/* What a page shows of contact, obstacles, figures and pictures on bodies, and what it changes of
 * them: each is in the state that the page gets, in the frames, and in the scene that is saved. */
#include "pliant/scene.h"
#include "world/probe.h"

#include "run.h"

/* A cube on a slab that slides on a floor, beside a ball that moves. */
static const char contact_text[] =
    "<pliant title=\"Contact\"><world dt=\"0.01\" duration=\"1\" gravity=\"0 0 -9.81\"/>"
    "<material name=\"m\" young=\"1e5\" poisson=\"0.3\" density=\"1000\" "
    "stiffness-damping=\"0.01\"/>"
    "<mesh name=\"s\"><box size=\"0.6 0.6 0.2\" cells=\"3 3 1\"/></mesh>"
    "<mesh name=\"c\"><box size=\"0.2 0.2 0.2\" cells=\"2 2 2\" origin=\"0.2 0.2 0.2\"/></mesh>"
    "<body name=\"slab\" mesh=\"s\" material=\"m\" strain=\"corotated\"/>"
    "<body name=\"cube\" mesh=\"c\" material=\"m\" strain=\"corotated\"/>"
    "<obstacle name=\"floor\" shape=\"plane\" friction=\"0.4\" point=\"0 0 0\"/>"
    "<obstacle name=\"ball\" shape=\"sphere\" centre=\"2 0 0\" radius=\"0.3\">"
    "<motion by=\"velocity\" velocity=\"0 0 1\"/></obstacle></pliant>";

static int has_contacts(const head *h) { return h->time > 0.1; }
static int is_paused(const head *h) { return h->count > 0 && !(h->flags & 1); }

/* The numbers of a frame behind its head: as many as docs/viewer.md lists. */
static int waits_for_larger_frame(run *r, size_t than)
{
  for (double end = pl_now() + 60; pl_now() < end;) {
    pl_board_read(r->board, PL_SLOT_FRAME, 0, &r->text);
    if (r->text.size > than) return 1;
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
  }
  return 0;
}

TEST(contacts_obstacles_and_figures_are_in_the_frames)
{
  run r;
  head h;
  start(&r, contact_text, 1);
  CHECK(wait_for(&r, PL_SLOT_SCENE, "\"label\":\"floor\""));
  CHECK(wait_for(&r, PL_SLOT_SCENE, "\"label\":\"ball\",\"points\":["));
  CHECK(wait_for(&r, PL_SLOT_STATE, "\"friction\":0.4,\"static-friction\":0.4,\"restitution\":0"));
  tell(&r, "speed 0.9");
  tell(&r, "strength 2");
  CHECK(wait_until(&r, has_contacts, &h));
  tell(&r, "pause");
  CHECK(wait_until(&r, is_paused, &h));
  size_t plain = r.text.size;
  tell(&r, "contacts 1");
  tell(&r, "step 1");
  CHECK(waits_for_larger_frame(&r, plain)); // 24 bytes for each contact
  size_t with_contacts = r.text.size;
  CHECK((with_contacts - plain) % 24 == 0 && with_contacts - plain >= 16 * 24);
  tell(&r, "glyphs stress");
  tell(&r, "step 1");
  CHECK(waits_for_larger_frame(&r, with_contacts));
  tell(&r, "glyphs smell");
  CHECK(wait_for(&r, PL_SLOT_NOTICES, "no figures of \\\"smell\\\""));
  tell(&r, "pace slow");
  CHECK(wait_for(&r, PL_SLOT_NOTICES, "real or free"));
  end(&r);
}

static const char *saved_scene(run *r)
{
  static char path[512];
  tell(r, "save");
  return write_saved(r, path) ? path : "";
}

TEST(contact_models_and_laws_change_and_are_saved)
{
  run r;
  start(&r, contact_text, 0);
  CHECK(wait_for(&r, PL_SLOT_STATE, "\"young\":100000"));
  tell(&r, "set contact friction 0.2");
  CHECK(wait_for(&r, PL_SLOT_STATE, "\"friction\":0.2"));
  tell(&r, "choose contact penalty");
  CHECK(wait_for(&r, PL_SLOT_STATE, "\"penalty\""));
  tell(&r, "set contact nothing 3");
  CHECK(wait_for(&r, PL_SLOT_NOTICES, "nothing"));
  tell(&r, "choose contact magic");
  CHECK(wait_for(&r, PL_SLOT_NOTICES, "magic"));
  tell(&r, "set obstacle.0 friction 0.75");
  CHECK(wait_for(&r, PL_SLOT_STATE, "\"friction\":0.75,\"static-friction\":0.75"));
  tell(&r, "set obstacle.0 static-friction 0.8");
  CHECK(wait_for(&r, PL_SLOT_STATE, "\"static-friction\":0.8"));
  tell(&r, "set obstacle.0 restitution 0.1");
  CHECK(wait_for(&r, PL_SLOT_STATE, "\"restitution\":0.1"));
  tell(&r, "set obstacle.0 radius 3");
  CHECK(wait_for(&r, PL_SLOT_NOTICES, "of an obstacle cannot be changed"));
  tell(&r, "set model.0 strain linear");
  tell(&r, "choose model.1 springs");
  CHECK(wait_for(&r, PL_SLOT_STATE, "\"springs\""));
  tell(&r, "choose material.0 neo-hooke");
  tell(&r, "set material.1 young 3e5");
  tell(&r, "set material.1 density 500");
  CHECK(wait_for(&r, PL_SLOT_STATE, "\"young\":300000"));
  pl_scene *scene = NULL;
  pl_scene_def def = pl_scene_def_default();
  def.path = saved_scene(&r);
  CHECK_OK(pl_scene_load(&def, &scene, error));
  if (scene) {
    const pl_world *world = pl_scene_world(scene);
    const pl_contact *contact = pl_world_contact(world);
    CHECK(contact->obstacles[0].friction == 0.75 && contact->obstacles[0].static_friction == 0.8);
    CHECK(contact->obstacles[0].restitution == 0.1 && contact->obstacles[1].motion_count == 1);
    CHECK(strcmp(world->bodies.list[1].model_part.member->name, "springs") == 0);
    // they shared a material
    CHECK(world->bodies.list[1].law.values[0] == 3e5 &&
          world->bodies.list[1].material.density == 500);
    CHECK(world->bodies.list[0].material.density == 1000);
    CHECK(strcmp(world->response.member->name, "penalty") == 0 && world->contact.friction == 0.2);
  }
  pl_scene_destroy(scene);
  remove_saved(&r);
  end(&r);
}

/* A picture on a body goes out with its coordinates, filled up to a multiple of four bytes. */
TEST(a_picture_on_a_body_is_sent)
{
  run r = {0};
  char path[160];
  snprintf(path, sizeof path, "%s/scenes/ball.xml", getenv("PLIANT_SOURCE"));
  r.text = pl_text_make(NULL);
  snprintf(r.folder, sizeof r.folder, "%s", "/tmp/pliant-session-none");
  pl_session_def def = {.path = path, .threads = 1, .history_bytes = 1 << 20};
  CHECK_OK(pl_board_create(NULL, NULL, &r.board, error));
  CHECK_OK(pl_session_start(&def, r.board, &r.session, error));
  CHECK(wait_for(&r, PL_SLOT_TEXTURES, "PLU1"));
  CHECK(u32_at(&r.text, 8) == 1 && u32_at(&r.text, 12) == 0);
  size_t triangles = u32_at(&r.text, 16), bytes = u32_at(&r.text, 20), from = 24 + 24 * triangles;
  CHECK(r.text.size == from + (bytes + 3) / 4 * 4);
  CHECK(r.text.size > from + 4 && memcmp(r.text.data + from, "\x89PNG", 4) == 0);
  pl_session_stop(r.session, 60);
  pl_board_destroy(r.board);
  pl_text_release(&r.text);
}

/* The second session shows the picture of the first, by the title that is kept with it. */
TEST(pictures_of_scenes_are_kept)
{
  static const char text[] = "<pliant title=\"Kept\"><world dt=\"0.01\" duration=\"1\"/>"
                             "<material name=\"m\" young=\"1e5\" poisson=\"0.3\" density=\"1000\"/>"
                             "<mesh name=\"b\"><box size=\"1 0.2 0.2\" cells=\"2 1 1\"/></mesh>"
                             "<body name=\"bar\" mesh=\"b\" material=\"m\"/></pliant>";
  run r;
  char cache[96], file[400] = "", line[400];
  make_scene(&r, text);
  snprintf(cache, sizeof cache, "%s/cache", r.folder);
  r.cache = cache;
  for (int round = 0; round < 2; round++) {
    begin_session(&r, 0, NULL);
    tell(&r, "gallery");
    CHECK(wait_for(&r, PL_SLOT_THUMB, "PLT1"));
    CHECK(wait_for(&r, PL_SLOT_GALLERY, round ? "\"title\":\"Older\"" : "\"title\":\"Kept\""));
    pl_session_stop(r.session, 60);
    pl_board_destroy(r.board);
    if (round) break;
    // what was kept is taken, whatever its title
    snprintf(line, sizeof line, "ls %s/picture-*", cache);
    FILE *list = popen(line, "r");
    CHECK(list && fgets(file, sizeof file, list) != NULL);
    if (list) pclose(list);
    file[strcspn(file, "\n")] = 0;
    FILE *kept = fopen(file, "r+");
    CHECK(kept != NULL);
    if (!kept) break;
    fseek(kept, 72, SEEK_SET);
    fwrite("Older", 6, 1, kept);
    fclose(kept);
  }
  unlink(file);
  rmdir(cache);
  pl_text_release(&r.text);
  unlink(r.path);
  rmdir(r.folder);
}

TESTS(X(contacts_obstacles_and_figures_are_in_the_frames)
          X(contact_models_and_laws_change_and_are_saved) X(a_picture_on_a_body_is_sent)
              X(pictures_of_scenes_are_kept))
