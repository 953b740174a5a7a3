/* A game loop: soft cubes fall on a floor, a hand drags one of them, and every touch that begins or
 * ends is an event. Each frame has a fixed share of wall time, and the renderer's buffer is filled.
 *
 *   cc game.c -o game $(pkg-config --cflags --libs pliant) && ./game */
#include "pliant/world.h"

#include <stdio.h>
#include <stdlib.h>

enum { CUBES = 3, FRAMES = 90, MOST_EVENTS = 32 };

static pl_status add_cube(pl_world *world, int number, pl_body_id *body, pl_error *error)
{
  const pl_setting shape[] = {{.name = "size", .value = {0.2, 0.2, 0.2}},
                              {.name = "cells", .value = {3, 3, 3}}};
  const pl_setting moduli[] = {{.name = "young", .value = {5e4}},
                               {.name = "poisson", .value = {0.3}}};
  const pl_choice box = {"box", shape, 2};
  pl_mesh *mesh = NULL;
  pl_status status = pl_mesh_generate(&box, NULL, &mesh, error);
  pl_body_def def = pl_body_def_default();
  def.mesh = mesh;
  def.material.law = (pl_choice){"hooke", moduli, 2};
  def.translation[0] = 0.05 * number;
  def.translation[2] = 0.05 + 0.25 * number;
  if (!status) status = pl_world_add_body(world, &def, body, error);
  pl_mesh_destroy(mesh); // the world has a copy
  return status;
}

static pl_status add_floor(pl_world *world, pl_error *error)
{
  const pl_setting values[] = {{.name = "friction", .value = {0.5}}};
  pl_obstacle_def def = pl_obstacle_def_default();
  def.shape = (pl_choice){"plane", values, 1};
  return pl_world_add_obstacle(world, &def, NULL, error);
}

/* What a ray from above meets first is taken by the hand. */
static pl_status grab(pl_world *world, pl_pull_id *hand, pl_error *error)
{
  const double from[3] = {0.15, 0.1, 5}, down[3] = {0, 0, -1};
  pl_hit hit;
  pl_pull_def def = pl_pull_def_default();
  pl_status status = pl_world_pick(world, from, down, &hit, error);
  def.at = hit.spot;
  def.stiffness = 300;
  for (int k = 0; k < 3; k++) def.target[k] = hit.point[k];
  return status ? status : pl_world_add_pull(world, &def, hand, error);
}

static pl_status tell_events(pl_world *world, int frame, pl_error *error)
{
  pl_contact_event events[MOST_EVENTS];
  int count = 0;
  pl_status status = pl_world_contact_events(world, MOST_EVENTS, events, &count, error);
  for (int i = 0; i < count && i < MOST_EVENTS && !status; i++) {
    if (events[i].phase == PL_CONTACT_LASTS) continue;
    const char *other = events[i].obstacle.index1 ? "the floor" : "another cube";
    printf("frame %d: cube %d %s %s\n", frame, (int)events[i].body.index1,
           events[i].phase == PL_CONTACT_BEGINS ? "touches" : "leaves", other);
  }
  return status;
}

int main(void)
{
  pl_error error = {0};
  pl_world_def def = pl_world_def_default();
  pl_world *world = NULL;
  pl_body_id cubes[CUBES];
  pl_pull_id hand;
  def.dt = 1.0 / 60;
  def.time_budget = 0.012; // s of each frame's 16.7 ms; the rest is the renderer's
  pl_status status = pl_world_create(&def, &world, &error);
  for (int i = 0; i < CUBES && !status; i++) status = add_cube(world, i, &cubes[i], &error);
  if (!status) status = add_floor(world, &error);
  if (!status) status = grab(world, &hand, &error);

  // a renderer's buffer: position and normal of each vertex of the highest cube
  const pl_mesh *mesh = status ? NULL : pl_world_body_mesh(world, cubes[CUBES - 1]);
  int vertices = mesh ? pl_mesh_node_count(mesh) : 0;
  float *buffer = malloc(6 * (size_t)(vertices + 1) * sizeof *buffer);
  if (!buffer) return 1;
  for (int frame = 0; frame < FRAMES && !status; frame++) {
    const double mouse[3] = {0.2, 0.1, 0.9 - 0.003 * frame};
    status = pl_world_move_pull(world, hand, mouse, &error);
    if (!status) status = pl_world_step(world, &error);
    if (!status) status = tell_events(world, frame, &error);
    if (!status)
      status = pl_world_get_vertices(world, cubes[CUBES - 1], 6, buffer, buffer + 3, &error);
  }
  if (!status) printf("the hand's cube is at z = %.2f m\n", (double)buffer[2]);

  char text[1024];
  if (status) fprintf(stderr, "%s\n", pl_error_text(&error, text, sizeof text));
  free(buffer);
  pl_world_destroy(world);
  return status != PL_OK;
}
