/* Loading scenes from memory, with all their messages kept. */
#ifndef PL_SCENE_TEST_H
#define PL_SCENE_TEST_H

#include "scene/scene.h"
#include "test.h"

enum { MOST_MESSAGES = 32, MESSAGE_ROOM = 800 };

typedef struct messages {
  int errors, warnings;
  char text[MOST_MESSAGES][MESSAGE_ROOM], warning[MESSAGE_ROOM];
} messages;

static inline void keep_error(void *context, const pl_error *error)
{
  messages *kept = context;
  if (kept->errors < MOST_MESSAGES) pl_error_text(error, kept->text[kept->errors], MESSAGE_ROOM);
  kept->errors++;
}

static inline void keep_warning(void *context, pl_level level, const char *text)
{
  messages *kept = context;
  if (level == PL_WARNING) snprintf(kept->warning, MESSAGE_ROOM, "%s", text);
  kept->warnings += level == PL_WARNING;
}

static inline pl_scene_def quiet_def(const char *path, messages *kept)
{
  memset(kept, 0, sizeof *kept);
  pl_scene_def def = pl_scene_def_default();
  def.path = path;
  def.threads = 1;
  def.report = keep_error;
  def.report_context = kept;
  def.log = (pl_log){keep_warning, kept};
  return def;
}

/* The scene that tests change here and there. */
static const char good_scene[] =
    "<pliant title=\"Bar\">\n"
    "  <world dt=\"0.01\" duration=\"1\" gravity=\"0 -9.81 0\"/>\n"
    "  <integrator method=\"implicit-euler\"/>\n"
    "  <solver method=\"cg\" preconditioner=\"block-diagonal\" tolerance=\"1e-6\"/>\n"
    "  <material name=\"rubber\" law=\"hooke\" young=\"1e6\" poisson=\"0.3\" density=\"1000\"/>\n"
    "  <mesh name=\"bar\"><box size=\"1 0.25 0.25\" cells=\"4 1 1\" element=\"tet\"/></mesh>\n"
    "  <body name=\"bar\" model=\"fem\" mesh=\"bar\" material=\"rubber\" strain=\"corotated\">\n"
    "    <fix axes=\"xyz\"><set name=\"x-min\"/></fix>\n"
    "    <force value=\"0 1 0\" ramp=\"0 0, 0.5 1\"><box min=\"0.9 -1 -1\"/></force>\n"
    "  </body>\n"
    "  <probe name=\"tip\" body=\"bar\" at=\"1 0.125 0.125\" quantity=\"displacement\"/>\n"
    "  <output every=\"0.1\" format=\"vtu\"/>\n"
    "  <view direction=\"0 0 -1\" up=\"0 1 0\" colour=\"displacement\"/>\n"
    "</pliant>\n";

/* The good scene with the first occurrence of one piece replaced; free it. */
static inline char *edited(const char *text, const char *from, const char *to)
{
  const char *place = strstr(text, from);
  char *out = malloc(strlen(text) + strlen(to) + 1);
  if (!place) {
    printf("  the scene does not hold \"%s\"\n", from);
    test_failures++;
    strcpy(out, text);
    return out;
  }
  sprintf(out, "%.*s%s%s", (int)(place - text), text, to, place + strlen(from));
  return out;
}

#endif
