/* Obstacles in pictures: the floor becomes the ground, walls become sheets that hide nothing. */
#include "io/backdrop.h"
#include "pliant/mesh.h"
#include "world/bar.h"

#include "test.h"

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
  const pl_mesh *mesh = pl_world_body_mesh(world, body);
  pl_render_body bodies[1 + PL_MOST_SHEETS] = {{.node_count = pl_mesh_node_count(mesh),
                                                .face_count = pl_mesh_face_count(mesh),
                                                .nodes_per_face = pl_mesh_nodes_per_face(mesh),
                                                .positions = pl_mesh_nodes(mesh),
                                                .faces = pl_mesh_faces(mesh)}};
  pl_backdrop backdrop;
  pl_render render = pl_render_default();
  render.width = 160;
  render.height = 120;
  render.bodies = bodies;
  render.body_count = 1;
  render.direction[0] = 2;
  render.direction[1] = -1;
  pl_backdrop_add(&backdrop, world, bodies, &render);
  CHECK_NEAR(render.ground, -0.5, 1e-12);
  CHECK(render.body_count == 2);
  for (int c = 0; c < 4; c++) CHECK_NEAR(bodies[1].positions[3 * c], -0.2, 1e-12);
  // the picture is of the bar and the floor below it, not of the wall
  CHECK_NEAR(render.least[0], 0, 1e-12);
  CHECK_NEAR(render.least[2], -0.5, 1e-12);
  CHECK_NEAR(render.most[0], 1, 1e-12);
  pl_text png = pl_text_make(NULL);
  CHECK_OK(pl_render_png(&render, &png, error));
  CHECK(png.size > 500);
  pl_text_release(&png);
  pl_world_destroy(world);
}

TESTS(X(floor_and_walls_are_added))
