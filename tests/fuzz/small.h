/* A small world for states to be loaded into: a cube of six tetrahedra that is held at a side. */
#ifndef PL_FUZZ_SMALL_H
#define PL_FUZZ_SMALL_H

#include "pliant/world.h"

#include <stdlib.h>

static inline pl_world *fuzz_world(void)
{
  pl_setting box[] = {{.name = "cells", .value = {1, 1, 1}}};
  pl_setting hooke[] = {{.name = "young", .value = {1e4}}, {.name = "poisson", .value = {0.3}}};
  pl_world_def world_def = pl_world_def_default();
  pl_body_def body = pl_body_def_default();
  pl_fix_def fix = pl_fix_def_default();
  pl_selector side = {.set = "x-min"};
  pl_world *world = NULL;
  pl_mesh *mesh = NULL;
  pl_body_id id;
  world_def.threads = 1;
  world_def.halvings = 1;
  if (pl_mesh_generate(&(pl_choice){"box", box, 1}, NULL, &mesh, NULL)) abort();
  body.mesh = mesh;
  body.material.law = (pl_choice){"hooke", hooke, 2};
  fix.where = &side;
  fix.where_count = 1;
  if (pl_world_create(&world_def, &world, NULL) || pl_world_add_body(world, &body, &id, NULL) ||
      pl_world_add_fix(world, id, &fix, NULL, NULL))
    abort();
  pl_mesh_destroy(mesh);
  return world;
}

/* Goes on from a state that was accepted: a step may fail, with a sentence. */
static inline void fuzz_step(pl_world *world)
{
  pl_error error = {0};
  pl_status status = pl_world_step(world, &error);
  if (status != PL_OK && !error.message[0]) abort();
}

#endif
