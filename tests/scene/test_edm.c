/* Scenes of the format EDMConfig: what they become, that errors name their lines, and that a
 * converted scene has the same bits. */
#include "core/file.h"
#include "core/memory.h"
#include "mesh/grid.h"
#include "pliant/world.h"
#include "scene/scene.h"
#include "world/world.h"

#include "lines.h"
#include "test.h"

/* One line for each element, so that errors can name them. A line that starts with the number of a
 * change is replaced by it. */
static const char *const lines[] = {
    "<EDMConfig id=\"test\">",
    "<MaterialContainer>",
    "<Material id=\"red\" type=\"Color\"><Properties rgb=\"1,0,0.5\"/></Material>",
    "</MaterialContainer>",
    "<ExternalForces>",
    "<Force id=\"g\" type=\"Gravity\"><Properties g=\"[0, 0, -9.82]\"/></Force>",
    "<Force id=\"w\" type=\"Viscous\"><Properties c=\"2\" u=\"[1,0,0]\"/></Force>",
    "<Force id=\"s\" type=\"Spring\"><Properties k=\"10\" r0=\"[0,0,1]\"/></Force>",
    "</ExternalForces>",
    "<RigidObjects>",
    "<Object id=\"floor\" type=\"Plane\"><Properties n=\"[0,0,1]\" x0=\"[0,0,-1]\"/></Object>",
    "<Object id=\"ring\" type=\"Torus\"><Properties a=\"0.4\" r=\"1.1\" c=\"[0,0,-1]\"/></Object>",
    "</RigidObjects>",
    "<DeformableBodies>",
    "<Body id=\"cloth\" model=\"Surface\" type=\"GenericBezierPatch\">",
    "<Properties timestep=\"0.01\" order=\"1\"/>",
    "<NaturalShape>",
    "<Node index=\"0\" pos=\"[-1,-1,0]\"/>",
    "<Node index=\"1\" pos=\"[1,-1,0]\"/>",
    "<Node index=\"2\" pos=\"[-1,1,0]\"/>",
    "<Node index=\"3\" pos=\"[1,1,0]\"/>",
    "</NaturalShape>",
    "<Particles grid=\"[5,4]\">",
    ("<All mass=\"2\" damping=\"0.5\" tension=\"[[1,0.5],[0.5,1]]\" "
     "rigidity=\"[[0.01,0],[0,0.01]]\"/>"),
    "<Single particle=\"[0,0]\" fixed=\"Yes\"/>",
    "<Single particle=\"[4,3]\" mass=\"3\"/>",
    "</Particles>",
    "<Bind type=\"Material\" ref=\"red\"/>",
    "<Bind type=\"Force\" ref=\"g\"/>",
    "<Bind type=\"Force\" ref=\"w\"/>",
    "<Bind type=\"Force\" ref=\"s\" particle=\"[4,0]\"/>",
    "<Bind type=\"Collision\" ref=\"floor\"/>",
    "<Bind type=\"Collision\" ref=\"ring\"/>",
    "</Body>",
    "</DeformableBodies>",
    "</EDMConfig>",
};
enum { LINES = sizeof lines / sizeof *lines };

typedef struct complaints {
  int count;
  pl_error first;
} complaints;

static void hear(void *context, const pl_error *error)
{
  complaints *heard = context;
  if (!heard->count++) heard->first = *error;
}

static pl_status load(const char *text, pl_scene **scene, complaints *heard)
{
  pl_scene_def def = pl_scene_def_default();
  def.path = "test.xml";
  def.threads = 1;
  def.report = hear;
  def.report_context = heard;
  return pl_scene_load_memory(&def, text, strlen(text), scene, NULL);
}

/* A scene that must be read; what was said is shown. */
static pl_scene *load_well(const char *text)
{
  complaints heard = {0};
  pl_scene *scene = NULL;
  CHECK(load(text, &scene, &heard) == PL_OK);
  if (heard.count) printf("  %s\n", heard.first.message);
  return scene;
}

TEST(a_config_becomes_a_world)
{
  char text[8192];
  complaints heard = {0};
  pl_scene *scene = NULL;
  compose_lines(text, sizeof text, lines, LINES, 0, "");
  CHECK(load(text, &scene, &heard) == PL_OK && heard.count == 0);
  if (!scene) {
    printf("  %s\n", heard.first.message);
    return;
  }
  pl_world *world = pl_scene_world(scene);
  pl_body_id body = pl_world_body_at(world, 0);
  const pl_mesh *mesh = pl_world_body_mesh(world, body);
  CHECK(mesh->grid && mesh->grid->size[0] == 5 && mesh->grid->size[1] == 4);
  CHECK_NEAR(pl_scene_duration(scene), 10, 0);
  const pl_body *inside = &world->bodies.list[0];
  double mass = 0;
  for (int i = 0; i < inside->blocks; i++) mass += inside->model->lumped_mass[i];
  CHECK_NEAR(mass, 41, 1e-12);
  CHECK(strcmp(pl_world_body_name(world, body), "cloth") == 0);
  for (int i = 0; i < 100; i++) CHECK_OK(pl_world_step(world, error));
  double x[60];
  CHECK_OK(pl_world_get_positions(world, body, x, error));
  int held = pl_grid_node(mesh->grid, (int[3]){0, 0, 0});
  CHECK_NEAR(x[3 * held], -1, 1e-12);
  CHECK_NEAR(x[3 * held + 2], 0, 1e-12);
  for (int i = 0; i < 20; i++) CHECK(x[3 * i + 2] > -1 - 1e-6);
  pl_scene_destroy(scene);
}

/* A file of the report runs with the same bits as the scene that it is converted to. */
TEST(a_converted_scene_has_the_same_bits)
{
  static const char *const files[] = {"curtain", "tablecloth", "flag"};
  for (int f = 0; f < 3; f++) {
    char path[512];
    pl_bytes bytes;
    pl_allocator allocator = pl_allocator_default();
    const char *source = getenv("PLIANT_SOURCE");
    snprintf(path, sizeof path, "%s/scenes/edm/%s.xml", source ? source : ".", files[f]);
    CHECK_OK(pl_file_read(&allocator, path, 0, &bytes, error));
    pl_text text = pl_text_make(NULL);
    pl_scene_def def = pl_scene_def_default();
    def.path = "test.xml";
    def.threads = 1;
    CHECK_OK(pl_scene_convert(&def, bytes.data, bytes.size, &text, error));
    pl_scene *scenes[2] = {NULL, NULL};
    CHECK_OK(pl_scene_load_memory(&def, bytes.data, bytes.size, &scenes[0], error));
    CHECK_OK(pl_scene_load_memory(&def, text.data, text.size, &scenes[1], error));
    for (int i = 0; i < 5 && scenes[0] && scenes[1]; i++) {
      CHECK_OK(pl_world_step(pl_scene_world(scenes[0]), error));
      CHECK_OK(pl_world_step(pl_scene_world(scenes[1]), error));
    }
    if (scenes[0] && scenes[1])
      CHECK(pl_world_state_hash(pl_scene_world(scenes[0])) ==
            pl_world_state_hash(pl_scene_world(scenes[1])));
    pl_scene_destroy(scenes[0]);
    pl_scene_destroy(scenes[1]);
    pl_text_release(&text);
    pl_bytes_free(&allocator, &bytes);
  }
}

TEST(every_error_has_its_line)
{
  static const struct {
    int line, at; /* what is replaced, and where the error is */
    const char *by, *part;
  } cases[] = {
      {2, 1, "<Other>", "MaterialContainer"},
      {2, 2, "<MaterialContainer/><MaterialContainer>", "twice"},
      {6, 6, "<Force id=\"g\"><Properties g=\"[0,0,-1]\"/></Force>", "needs type"},
      {24, 24, "<All tension=\"[[1,0,0],[0,1,0],[0,0,1]]\"/>", "2 x 2"},
      {25, 25, "<Single particle=\"[5,0]\" fixed=\"Yes\"/>", "outside the grid"},
      {29, 29, "<Bind type=\"Force\" ref=\"gravity\"/>", "no Force of that id"},
      {29, 29, "<Bind type=\"Force\" ref=\"floor\"/>", "not a Force"},
      {7, 7, "<Force id=\"g\" type=\"Gravity\"><Properties g=\"[0,0,1]\"/></Force>",
       "taken already"},
      {20, 20, "<Node index=\"1\" pos=\"[-1,1,0]\"/>", "twice"},
      {20, 17, "", "control points"},
      {21, 21, "<Node index=\"3\" pos=\"[1,nan,0]\"/>", "three finite numbers"},
      {16, 16, "<Properties timestep=\"0\" order=\"1\"/>", "above 0"},
      {23, 23, "<Particles grid=\"[1,4]\">", "whole numbers"},
      {24, 24, "<All mass=\"-1\"/>", "above 0"},
      {16, 16, "<Properties timestep=\"0.01\"/>", "needs order"},
      {15, 15, "<Body id=\"cloth\" model=\"Curve\" type=\"Line\">", "unknown"},
      {11, 11, "<Object id=\"floor\" type=\"Sphere\"><Properties c=\"[0,0,0]\" r=\"0\"/></Object>",
       "above 0"},
      {3, 3, "<Material id=\"red\" type=\"Color\"><Properties rgb=\"2,0,0\"/></Material>",
       "0 to 1"},
      {25, 25, "<Single particle=\"[0,0]\" fixed=\"Maybe\"/>", "Yes or No"},
      {28, 28, "<Bind type=\"Colour\" ref=\"red\"/>", "unknown"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[8192];
    complaints heard = {0};
    pl_scene *scene = NULL;
    compose_lines(text, sizeof text, lines, LINES, cases[i].line, cases[i].by);
    // an element that was renamed ends as it began
    if (i == 0) memcpy(strstr(text, "</MaterialContainer>"), "</Other>            ", 20);
    CHECK(load(text, &scene, &heard) == PL_E_PARSE && !scene);
    CHECK(heard.count == 1 && heard.first.line == cases[i].at);
    CHECK(strstr(heard.first.message, cases[i].part));
    if (heard.count != 1 || heard.first.line != cases[i].at ||
        !strstr(heard.first.message, cases[i].part))
      printf("  case %zu: %d errors, line %d: %s\n", i, heard.count, heard.first.line,
             heard.first.message);
  }
}

/* Curves, which the report names without a type: two of them, one closed. */
TEST(curves_are_read)
{
  static const char text[] =
      "<EDMConfig id=\"curves\"><MaterialContainer/>"
      "<ExternalForces><Force id=\"g\" type=\"Gravity\"><Properties g=\"[0,0,-2]\"/></Force>"
      "</ExternalForces><RigidObjects/><DeformableBodies>"
      "<Body id=\"a\" model=\"Curve\" type=\"BezierCurve\"><Properties timestep=\"0.01\" "
      "order=\"1\"/>"
      "<NaturalShape><Node index=\"0\" pos=\"[0,0,0]\"/><Node index=\"1\" pos=\"[1,0,0]\"/>"
      "</NaturalShape><Particles grid=\"[9]\"><All tension=\"[[5]]\" rigidity=\"[[0.01]]\"/>"
      "<Single particle=\"[0]\" fixed=\"Yes\"/><Single particle=\"[8]\" mass=\"3\"/></Particles>"
      "<Bind type=\"Force\" ref=\"g\"/></Body>"
      "<Body id=\"b\" model=\"Curve\" type=\"BezierCurve\">"
      "<Properties timestep=\"0.01\" order=\"3\" mcont=\"Yes\"/>"
      "<NaturalShape><Node index=\"0\" pos=\"[3,0,0]\"/><Node index=\"1\" pos=\"[5,2,0]\"/>"
      "<Node index=\"2\" pos=\"[5,-2,0]\"/><Node index=\"3\" pos=\"[3,0,0]\"/></NaturalShape>"
      "<Particles grid=\"[12]\"><All tension=\"[[5]]\"/></Particles></Body>"
      "</DeformableBodies></EDMConfig>";
  pl_scene *scene = load_well(text);
  if (!scene) return;
  pl_world *world = pl_scene_world(scene);
  for (int i = 0; i < 50; i++) CHECK_OK(pl_world_step(world, error));
  double x[27];
  CHECK_OK(pl_world_get_positions(world, pl_world_body_at(world, 0), x, error));
  CHECK_NEAR(x[2], 0, 1e-12);
  CHECK(x[26] < -0.1);
  pl_scene_destroy(scene);
}

/* A colour is the body's; a texture that is missing leaves it grey, with a warning of its line. */
TEST(materials_colour_bodies)
{
  static const char *const texture =
      "<Material id=\"red\" type=\"Texture\"><Properties file=\"no/such.tga\"/></Material>";
  for (int grey = 0; grey < 2; grey++) {
    char text[8192];
    complaints heard = {0};
    pl_scene *scene = NULL;
    compose_lines(text, sizeof text, lines, LINES, grey ? 3 : 0, texture);
    CHECK(load(text, &scene, &heard) == PL_OK && heard.count == 0);
    if (!scene) continue;
    const double *colour = pl_scene_colour_of(scene, pl_world_body_at(pl_scene_world(scene), 0));
    CHECK(colour != NULL);
    if (colour) {
      CHECK_NEAR(colour[0], grey ? 0.6 : 1, 0);
      CHECK_NEAR(colour[2], grey ? 0.6 : 0.5, 0);
    }
    pl_scene_destroy(scene);
  }
}

/* The flag of the shipped scenes has its picture, from edge to edge. */
TEST(textures_follow_the_grid)
{
  char path[512];
  const char *source = getenv("PLIANT_SOURCE");
  pl_scene_def def = pl_scene_def_default();
  snprintf(path, sizeof path, "%s/scenes/edm/flag.xml", source ? source : ".");
  def.path = path;
  pl_scene *scene = NULL;
  CHECK_OK(pl_scene_load(&def, &scene, error));
  if (!scene) return;
  pl_body_id body = pl_world_body_at(pl_scene_world(scene), 0);
  const pl_scene_texture *texture = pl_scene_texture_of(scene, body);
  CHECK(texture && !texture->surface && strstr(texture->image, "flag.tga"));
  const pl_mesh *mesh = pl_world_body_mesh(pl_scene_world(scene), body);
  int faces[3] = {0, 0, 0}, last[3];
  for (int k = 0; k < 3; k++) last[k] = mesh->grid->size[k] - 1;
  faces[0] = pl_grid_node(mesh->grid, (int[3]){0, 0, 0});
  faces[1] = pl_grid_node(mesh->grid, (int[3]){last[0], 0, 0});
  faces[2] = pl_grid_node(mesh->grid, last);
  float spots[6];
  pl_allocator allocator = pl_allocator_default();
  CHECK_OK(pl_grid_spots(mesh, faces, 3, 1, &allocator, spots, error));
  static const float expected[6] = {0, 0, 1, 0, 1, 1};
  for (int i = 0; i < 6; i++) CHECK(spots[i] == expected[i]);
  pl_scene_destroy(scene);
}

/* A solid without rigidity, an ellipsoid, springs of all particles, bodies of different gravity. */
TEST(solids_and_ellipsoids_are_read)
{
  static const char text[] =
      "<Root><EDMConfig id=\"solids\"><MaterialContainer/>"
      "<ExternalForces><Force id=\"g\" type=\"Gravity\"><Properties g=\"[0,0,-2]\"/></Force>"
      "<Force id=\"s\" type=\"Spring\"><Properties k=\"1\" r0=\"[0,0,0]\"/></Force>"
      "</ExternalForces><RigidObjects/><DeformableBodies>"
      "<Body id=\"a\" model=\"Solid\" type=\"LinearBezierSolid\"><Properties timestep=\"0.02\"/>"
      "<NaturalShape><Node index=\"0\" pos=\"[0,0,0]\"/><Node index=\"1\" pos=\"[1,0,0]\"/>"
      "<Node index=\"2\" pos=\"[0,1,0]\"/><Node index=\"3\" pos=\"[1,1,0]\"/>"
      "<Node index=\"4\" pos=\"[0,0,1]\"/><Node index=\"5\" pos=\"[1,0,1]\"/>"
      "<Node index=\"6\" pos=\"[0,1,1]\"/><Node index=\"7\" pos=\"[1,1,1]\"/></NaturalShape>"
      "<Particles grid=\"[3,4,5]\"><All tension=\"[[1,.5,.5],[.5,1,.5],[.5,.5,1]]\" mass=\"2\"/>"
      "<Single particle=\"[0,1,2]\" mass=\"5\"/></Particles>"
      "<Bind type=\"Force\" ref=\"g\"/><Bind type=\"Force\" ref=\"g\"/></Body>"
      "<Body id=\"b\" model=\"Surface\" type=\"EllipsoidPatch\"><Properties timestep=\"0.01\"/>"
      "<NaturalShape><Node index=\"0\" pos=\"[1.5,1,0.5]\"/><Node index=\"1\" pos=\"[5,0,0]\"/>"
      "</NaturalShape><Particles grid=\"[6,5]\"><All tension=\"[[1,.5],[.5,1]]\"/></Particles>"
      "<Bind type=\"Force\" ref=\"s\"/></Body>"
      "<Body id=\"c\" model=\"Solid\" type=\"EllipsoidSolid\"><Properties timestep=\"0.01\"/>"
      "<NaturalShape><Node index=\"0\" pos=\"[1,1,1]\"/><Node index=\"1\" pos=\"[-5,0,0]\"/>"
      "</NaturalShape><Particles grid=\"[3,6,5]\"/></Body>"
      "</DeformableBodies></EDMConfig></Root>";
  pl_scene *scene = load_well(text);
  if (!scene) return;
  pl_world *world = pl_scene_world(scene);
  CHECK(pl_world_body_count(world) == 3);
  for (int i = 0; i < 10; i++) CHECK_OK(pl_world_step(world, error));
  // the first body falls by twice its gravity: 0.1 s at 4 m/s^2
  double x[180], v[180], fall = 0, mass = 0;
  CHECK_OK(pl_world_get_positions(world, pl_world_body_at(world, 0), x, error));
  CHECK_OK(pl_world_get_velocities(world, pl_world_body_at(world, 0), v, error));
  const pl_body *body = &world->bodies.list[0];
  for (int i = 0; i < 60; i++) {
    double m = body->model->lumped_mass[body->place[i]];
    fall += m * v[3 * i + 2];
    mass += m;
  }
  CHECK_NEAR(mass, 123, 1e-9);
  CHECK_NEAR(fall / mass, -0.4, 1e-6);
  pl_scene_destroy(scene);
}

TESTS(X(a_config_becomes_a_world) X(a_converted_scene_has_the_same_bits) X(every_error_has_its_line)
          X(curves_are_read) X(materials_colour_bodies) X(textures_follow_the_grid)
              X(solids_and_ellipsoids_are_read))
