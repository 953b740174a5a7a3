/* <hand>: what it makes of a scene, the trace that it reads, and what is wrong with either, in one
 * sentence each. */
#include "scene_test.h"

#include <unistd.h>

/* Loads the scene with a hand in it, as if it lay in the folder. */
static pl_scene *load(const char *folder, const char *hand, messages *kept)
{
  char text[4000], path[200];
  const char *end = strstr(good_scene, "</pliant>");
  snprintf(text, sizeof text, "%.*s%s</pliant>", (int)(end - good_scene), good_scene, hand);
  snprintf(path, sizeof path, "%s/bar.xml", folder);
  pl_scene_def def = quiet_def(path, kept);
  pl_scene *scene = NULL;
  pl_scene_load_memory(&def, text, strlen(text), &scene, NULL);
  return scene;
}

static void write_trace(const char *folder, const char *text)
{
  char path[200];
  snprintf(path, sizeof path, "%s/trace.csv", folder);
  FILE *file = fopen(path, "w");
  CHECK(file && fputs(text, file) >= 0);
  if (file) fclose(file);
}

TEST(a_hand_presses_the_body_of_its_scene)
{
  messages kept;
  pl_haptic_facts facts;
  pl_scene *scene = load(".",
                         "<hand device=\"simulated\" stiffness=\"500\" radius=\"0.01\" "
                         "start=\"0.9 0.12 0.3\" goal=\"0.9 0.12 0.2\" speed=\"10\"/>",
                         &kept);
  CHECK(scene && pl_scene_hand(scene) && kept.errors == 0);
  for (int i = 0; scene && i < 20; i++) CHECK_OK(pl_scene_step(scene, error));
  pl_haptic_read(pl_scene_hand(scene), &facts);
  CHECK(facts.force[2] > 0 && facts.touch.force[2] < 0 && facts.radius == 0.01);
  pl_scene_destroy(scene);
}

TEST(a_trace_is_read_and_its_faults_are_named)
{
  const char *hand = "<hand device=\"record\" file=\"trace.csv\"/>";
  const struct {
    const char *rows, *sentence;
  } cases[] = {{"time,x,y,z\n0,1,2,3\n0.1,1,2,4,99\n\n", NULL},
               {"0 1 2 3\n1 1 2 4\n", NULL},
               {"time,x,y,z\n0,1,2\n", "trace.csv:2: a row needs time, x, y and z in numbers"},
               {"0,1,2,3\n0,1,2,4\n", "must come after the one before it"},
               {"0,1,2,nan\n", "not finite"},
               {"", "at least one sample"}};
  char folder[] = "/tmp/pliant-hand-XXXXXX", path[200];
  messages kept;
  CHECK(mkdtemp(folder) != NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    write_trace(folder, cases[i].rows);
    pl_scene *scene = load(folder, hand, &kept);
    CHECK(!scene == !!cases[i].sentence);
    if (cases[i].sentence) CHECK(kept.errors == 1 && strstr(kept.text[0], cases[i].sentence));
    if (cases[i].sentence && !strstr(kept.text[0], cases[i].sentence))
      printf("  %s\n", kept.text[0]);
    pl_scene_destroy(scene);
  }
  snprintf(path, sizeof path, "%s/trace.csv", folder);
  unlink(path);
  CHECK(!load(folder, hand, &kept) && kept.errors == 1);
  rmdir(folder);
  CHECK(!load(".", "<hand device=\"record\" file=\"/etc/passwd\"/>", &kept) && kept.errors == 1);
  CHECK(!load(".", "<hand device=\"glove\"/>", &kept) && strstr(kept.text[0], "glove"));
  CHECK(!load(".", "<hand/><hand/>", &kept) && kept.errors >= 1);
}

TESTS(X(a_hand_presses_the_body_of_its_scene) X(a_trace_is_read_and_its_faults_are_named))
