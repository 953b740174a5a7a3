/* Obstacles in pictures: the floor becomes the ground, walls become sheets that hide nothing, and
 * other shapes are drawn where they are. */
#include "picture/backdrop.h"
#include "pliant/mesh.h"
#include "world/bar.h"

#include "test.h"

/* A mesh at rest as a picture wants it. */
static pl_render_body drawn(const pl_mesh *mesh)
{
  return (pl_render_body){.node_count = pl_mesh_node_count(mesh),
                          .face_count = pl_mesh_face_count(mesh),
                          .nodes_per_face = pl_mesh_nodes_per_face(mesh),
                          .positions = pl_mesh_nodes(mesh),
                          .faces = pl_mesh_faces(mesh)};
}

TEST(floor_and_walls_are_added)
{
  pl_body_id body;
  pl_world *world;
  CHECK_OK(bar_make(&(bar_def){0}, &world, &body, error));
  const struct {
    double point[3], normal[3];
  } planes[] = {{{0, 0, -0.5}, {0, 0, 1}},  // below: the ground
                {{-0.2, 0, 0}, {1, 0, 0}},  // a wall that faces the eye
                {{1.5, 0, 0}, {-1, 0, 0}}}; // a wall between the eye and the bar
  for (int i = 0; i < 3; i++) {
    pl_setting settings[2] = {{.name = "point"}, {.name = "normal"}};
    memcpy(settings[0].value, planes[i].point, sizeof planes[i].point);
    memcpy(settings[1].value, planes[i].normal, sizeof planes[i].normal);
    pl_obstacle_def def = pl_obstacle_def_default();
    def.shape = (pl_choice){"plane", settings, 2};
    CHECK_OK(pl_world_add_obstacle(world, &def, NULL, error));
  }
  pl_render_body bodies[1 + PL_MOST_SHEETS] = {drawn(pl_world_body_mesh(world, body))};
  pl_backdrop backdrop;
  pl_render render = pl_render_default();
  render.width = 160;
  render.height = 120;
  render.bodies = bodies;
  render.body_count = 1;
  render.direction[0] = 2;
  render.direction[1] = -1;
  CHECK_OK(pl_backdrop_add(&backdrop, world, NULL, bodies, &render, error));
  CHECK_NEAR(render.ground, -0.5, 1e-12);
  CHECK(render.body_count == 2);
  for (int c = 0; c < 4; c++) CHECK_NEAR(bodies[1].positions[3 * c], -0.2, 1e-12);
  // the picture is of the bar and the floor below it, not of the wall
  CHECK_NEAR(render.min[0], 0, 1e-12);
  CHECK_NEAR(render.min[2], -0.5, 1e-12);
  CHECK_NEAR(render.max[0], 1, 1e-12);
  pl_text png = pl_text_make(NULL);
  CHECK_OK(pl_render_png(&render, &png, error));
  CHECK(png.size > 500);
  pl_text_release(&png);
  pl_backdrop_release(&backdrop);
  pl_world_destroy(world);
}

/* A ball that moves is drawn where it is now; of a hollow one around the bar only the far side is.
 */
TEST(other_shapes_are_drawn_where_they_are)
{
  pl_body_id body;
  pl_world *world;
  CHECK_OK(bar_make(&(bar_def){0}, &world, &body, error));
  pl_setting away = {.name = "velocity", .value = {0, 0, -10}};
  pl_setting ball[] = {{.name = "radius", .value = {0.1}}, {.name = "centre", .value = {0, 0, -1}}};
  pl_setting hollow[] = {{.name = "radius", .value = {2}}, {.name = "side", .word = "inside"}};
  pl_motion_def motion = {.motion = {"velocity", &away, 1}};
  pl_obstacle_def def = pl_obstacle_def_default();
  def.shape = (pl_choice){"sphere", ball, 2};
  def.motions = &motion;
  def.motion_count = 1;
  CHECK_OK(pl_world_add_obstacle(world, &def, NULL, error));
  def = pl_obstacle_def_default();
  def.shape = (pl_choice){"sphere", hollow, 2};
  CHECK_OK(pl_world_add_obstacle(world, &def, NULL, error));
  CHECK_OK(pl_world_step(world, error));
  pl_render_body bodies[1 + PL_MOST_SHEETS] = {drawn(pl_world_body_mesh(world, body))};
  pl_backdrop backdrop;
  pl_render render = pl_render_default();
  render.bodies = bodies;
  render.body_count = 1;
  render.direction[0] = 1;
  CHECK_OK(pl_backdrop_add(&backdrop, world, NULL, bodies, &render, error));
  CHECK(render.body_count == 3);
  const double at[3] = {0, 0, -1 - 10 * pl_world_time(world)};
  for (int i = 0; i < bodies[1].node_count; i++) {
    const double *x = bodies[1].positions + 3 * i;
    double square = 0;
    for (int k = 0; k < 3; k++) square += (x[k] - at[k]) * (x[k] - at[k]);
    CHECK_NEAR(sqrt(square), 0.1, 1e-12);
  }
  for (int i = 0; i < 3 * bodies[2].face_count; i++)
    CHECK(bodies[2].positions[3 * bodies[2].faces[i]] < 0.5);
  pl_backdrop_release(&backdrop);
  pl_world_destroy(world);
}

TESTS(X(floor_and_walls_are_added) X(other_shapes_are_drawn_where_they_are))
