/* What several benches put into their worlds. */
#include "bench.h"

pl_status cli_add_block(pl_world *world, const cli_block *block, pl_body_id *body, pl_error *error)
{
  pl_setting box[] = {{.name = "size"}, {.name = "origin"}, {.name = "cells"}};
  pl_setting hooke[] = {{.name = "young", .value = {block->young}},
                        {.name = "poisson", .value = {0.3}}};
  pl_mesh *mesh = NULL;
  for (int k = 0; k < 3; k++) {
    box[0].value[k] = block->size[k];
    box[1].value[k] = block->origin[k];
    box[2].value[k] = block->cells[k];
  }
  pl_status status = pl_mesh_generate(&(pl_choice){"box", box, 3}, NULL, &mesh, error);
  pl_body_def def = pl_body_def_default();
  def.mesh = mesh;
  def.material.law = (pl_choice){"hooke", hooke, 2};
  def.material.stiffness_damping = block->damping;
  if (!status) status = pl_world_add_body(world, &def, body, error);
  pl_mesh_destroy(mesh);
  return status;
}

pl_status cli_add_plane(pl_world *world, double friction, pl_error *error)
{
  pl_setting surface = {.name = "friction", .value = {friction}};
  pl_obstacle_def def = pl_obstacle_def_default();
  def.shape = (pl_choice){"plane", &surface, 1};
  return pl_world_add_obstacle(world, &def, NULL, error);
}
