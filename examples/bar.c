/* A soft bar is held at one end, falls under its own weight and swings for one second.
 *
 *   cc bar.c -o bar $(pkg-config --cflags --libs pliant) && ./bar */
#include "pliant/world.h"

#include <stdio.h>

int main(void)
{
  pl_error error = {0};
  pl_status status;

  // the mesh: a box of 1 x 0.2 x 0.2 m, cut into tetrahedra
  const pl_setting shape[] = {{.name = "size", .value = {1, 0.2, 0.2}},
                              {.name = "cells", .value = {15, 3, 3}}};
  const pl_choice box = {"box", shape, 2};
  pl_mesh *mesh = NULL;
  status = pl_mesh_generate(&box, NULL, &mesh, &error);

  // the world: steps of 10 ms, gravity along -z, implicit Euler
  pl_world_def world_def = pl_world_def_default();
  pl_world *world = NULL;
  if (!status) status = pl_world_create(&world_def, &world, &error);

  // the body: soft rubber on this mesh, with strains that allow large rotations
  const pl_setting moduli[] = {{.name = "young", .value = {2e6}},
                               {.name = "poisson", .value = {0.4}}};
  const pl_setting measure[] = {{.name = "strain", .word = "corotated"}};
  pl_body_def body_def = pl_body_def_default();
  body_def.name = "bar";
  body_def.mesh = mesh;
  body_def.material.law = (pl_choice){"hooke", moduli, 2};
  body_def.material.density = 1000;
  body_def.model = (pl_choice){"fem", measure, 1};
  pl_body_id body = {0};
  if (!status) status = pl_world_add_body(world, &body_def, &body, &error);

  // hold the face at x = 0; the box generator has named it
  const pl_selector root = {.set = "x-min"};
  pl_fix_def fix_def = pl_fix_def_default();
  fix_def.where = &root;
  fix_def.where_count = 1;
  if (!status) status = pl_world_add_fix(world, body, &fix_def, NULL, &error);

  // watch the middle of the other end
  pl_probe_def probe_def = pl_probe_def_default();
  probe_def.name = "tip";
  probe_def.body = body;
  probe_def.at[0] = 1;
  probe_def.at[1] = probe_def.at[2] = 0.1;
  probe_def.quantity = "displacement";
  pl_probe_id tip = {0};
  if (!status) status = pl_world_add_probe(world, &probe_def, &tip, &error);

  // one second in 100 steps, told every tenth of a second
  for (int step = 1; step <= 100 && !status; step++) {
    double moved[3] = {0};
    status = pl_world_step(world, &error);
    if (!status) status = pl_world_read_probe(world, tip, moved, &error);
    if (!status && step % 10 == 0)
      printf("the tip after %.1f s: z = %.4f m\n", pl_world_time(world), moved[2]);
  }

  char text[1024];
  if (status) fprintf(stderr, "%s\n", pl_error_text(&error, text, sizeof text));
  pl_world_destroy(world);
  pl_mesh_destroy(mesh);
  return status != PL_OK;
}
