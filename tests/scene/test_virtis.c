/* Scripts in the vocabulary of Hauth's thesis: what they become, that errors name their lines, and
 * that a script is a state that <?simulate?> runs. */
#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "pliant/world.h"
#include "scene/scene.h"

#include "lines.h"
#include "test.h"

/* One line for each element, so that errors can name them. */
static const char *const lines[] = {
    "<Script>",
    "<FEMesh MeshFile=\"bar.msh\" lambda=\"3e5\" dlambda=\"3e3\" dmu=\"30\">",
    "<mu>3e3</mu></FEMesh>",
    "<BodyLoad dir=\"(0,0,-1)\"/>",
    "<SurfacePointImmobilizer><HalfSpace normal=\"1 0 0\"/></SurfacePointImmobilizer>",
    "<Solver integrator=\"BDF(3)\" timestep=\"0.02 0.01\" endtime=\"0.5\" linearSolver=\"Eis\"/>",
    "<Simulator writeEndMesh=\"yes\"/>",
    "<!-- <?simulate not?> -->",
    "<?simulate?>",
    "<Solver integrator=\"RK4\" timestep=\"1\" endtime=\"2\"/>",
    "</Script>",
};
enum { LINES = sizeof lines / sizeof *lines };

static pl_status convert(const char *text, pl_text *out, pl_error *error)
{
  pl_scene_def def = pl_scene_def_default();
  def.path = "test.xml";
  return pl_scene_convert(&def, text, strlen(text), out, error);
}

TEST(the_first_run_becomes_a_scene)
{
  char text[4096];
  pl_text out = pl_text_make(NULL);
  compose_lines(text, sizeof text, lines, LINES, 0, "");
  CHECK_OK(convert(text, &out, error));
  pl_text_bytes(&out, "", 1);
  static const char *const expected[] = {
      "<world dt=\"0.02\" duration=\"0.5\" gravity=\"0 0 -1\"/>",
      "<integrator method=\"bdf3\"/>",
      "<solver method=\"eisenstat\"/>",
      "lambda=\"300000\" mu=\"3000\" viscous-lambda=\"3000\" viscous-mu=\"30\" density=\"1000\"",
      "<mesh name=\"mesh\" file=\"bar.msh\"/>",
      "<fix><half-space normal=\"1 0 0\"/></fix>",
      "<output every=\"0.5\" format=\"vtu\"/>",
  };
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    if (!strstr(out.data, expected[i])) printf("  %s is not in\n%s", expected[i], out.data);
    CHECK(strstr(out.data, expected[i]) != NULL);
  }
  pl_text_release(&out);
}

/* Each with the line that it is on and words of the sentence. */
TEST(errors_name_their_lines)
{
  static const struct {
    int line;
    const char *by, *words;
    int told; /* the line that is named */
  } bad[] = {
      {9, "", "has no <?simulate?>", 1},
      {6, "", "has no <Solver> before the first <?simulate?>", 1},
      {6, "<Solver integrator=\"Gear\" timestep=\"1\" endtime=\"2\"/>",
       "integrator=\"Gear\" is unknown", 6},
      {6, "<Solver timestep=\"1\" endtime=\"2\" linearSolver=\"magic\"/>",
       "linearSolver=\"magic\" is unknown", 6},
      {6, "<Solver timestep=\"-1\" endtime=\"2\"/>", "must be steps in s above 0", 6},
      {6, "<Solver timestep=\"\" endtime=\"2\"/>", "must be steps in s above 0", 6},
      {6, "<Solver timestep=\"1\"/>", "needs endtime", 6},
      {6, "<Solver timestep=\"1\" starttime=\"2\" endtime=\"2\"/>",
       "endtime must be above starttime", 6},
      {6, "<Solver endtime=\"2\"/>", "needs timestep", 6},
      {6, "<Solver timestep=\"1\" endtime=\"2\" colour=\"red\"/>", "does not know colour", 6},
      {6, "<Solver timestep=\"1\" endtime=\"2\"><x/></Solver>", "does not know <x>", 6},
      {2, "<FEMesh MeshFile=\"bar.volmesh\" lambda=\"1\">", "was never published", 2},
      {2, "<FEMesh lambda=\"1\">", "needs MeshFile", 2},
      {2, "<FEMesh MeshFile=\"a.msh\">", "needs lambda", 2},
      {2, "<FEMesh MeshFile=\"a.msh\" lambda=\"soft\">", "lambda=\"soft\" must be a finite number",
       2},
      {4, "<BodyLoad/>", "needs dir=", 4},
      {4, "<BodyLoad dir=\"down\"/>", "needs dir=", 4},
      {4, "<Camera/>", "<Camera>: is unknown", 4},
      {5, "<SurfaceFaceImmobilizer/>", "needs <BoundingBox>, <HalfSpace> or <Normal>", 5},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[4096];
    pl_error error = {0};
    pl_text out = pl_text_make(NULL);
    compose_lines(text, sizeof text, lines, LINES, bad[i].line, bad[i].by);
    CHECK(convert(text, &out, &error) == PL_E_PARSE);
    int good = strstr(error.message, bad[i].words) && error.line == bad[i].told;
    if (!good) printf("  %s: line %d: %s\n", bad[i].words, error.line, error.message);
    CHECK(good);
    pl_text_release(&out);
  }
}

/* The shipped script, as it is and converted. */
TEST(a_converted_script_has_the_same_bits)
{
  char path[512];
  const char *source = getenv("PLIANT_SOURCE");
  pl_allocator allocator = pl_allocator_default();
  pl_scene_def def = pl_scene_def_default();
  pl_text out = pl_text_make(NULL);
  pl_bytes bytes;
  uint64_t hashes[2] = {0};
  snprintf(path, sizeof path, "%s/scenes/virtis/bar.xml", source ? source : ".");
  def.path = path;
  def.threads = 1;
  CHECK_OK(pl_file_read(&allocator, path, 0, &bytes, error));
  CHECK_OK(pl_scene_convert(&def, bytes.data, bytes.size, &out, error));
  for (int i = 0; i < 2; i++) {
    pl_scene *scene = NULL;
    CHECK_OK(pl_scene_load_memory(&def, i ? out.data : bytes.data, i ? out.size : bytes.size,
                                  &scene, error));
    if (!scene) continue;
    for (int step = 0; step < 10; step++) CHECK_OK(pl_world_step(pl_scene_world(scene), error));
    hashes[i] = pl_world_state_hash(pl_scene_world(scene));
    pl_scene_destroy(scene);
  }
  CHECK(hashes[0] && hashes[0] == hashes[1]);
  pl_bytes_free(&allocator, &bytes);
  pl_text_release(&out);
}

TESTS(X(the_first_run_becomes_a_scene) X(errors_name_their_lines)
          X(a_converted_script_has_the_same_bits))
