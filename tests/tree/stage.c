/* What examples of manual and headers take for granted: a bar above a floor, a hand at its surface.
 * The example itself is example.inc; it has to end without an error. */
#include "own_neo_hooke.h"
#include "pliant/haptic.h"
#include "pliant/scene.h"
#include "pliant/world.h"

#include <stdio.h>
#include <string.h>

static pl_setting shape[2] = {{.name = "size", .value = {1, 0.25, 0.25}},
                              {.name = "cells", .value = {6, 2, 2}}};
static pl_setting moduli[2] = {{.name = "young", .value = {1e6}},
                               {.name = "poisson", .value = {0.3}}};
static pl_selector root = {.set = "x-min"};
static pl_error error;
static pl_world *world;
static pl_mesh *mesh;
static pl_body_id body;
static pl_body_def body_def;
static pl_fix_def fix_def;
static pl_hit hit;
static pl_pull_id pull;
static double target[3];
static own_moduli my_data = {.lambda = 5.8e5, .mu = 3.8e5};

/* A weak spring from every node to the ground. */
static void my_forces(void *context, double time, const double *x, const double *v, double *f,
                      double *slopes)
{
  (void)context, (void)time, (void)v;
  for (int i = 0; i < pl_mesh_node_count(mesh); i++) {
    f[3 * i + 2] -= 0.1 * x[3 * i + 2];
    if (slopes) slopes[9 * i + 8] -= 0.1;
  }
}

static void my_law(void *context, const double F[9], double *W, double *P, double *H)
{
  own_neo_hooke(context, F, W, P, H);
}

static pl_status add_body(void)
{
  body_def = pl_body_def_default();
  body_def.mesh = mesh;
  body_def.material.law = (pl_choice){"hooke", moduli, 2};
  fix_def = pl_fix_def_default();
  fix_def.where = &root;
  fix_def.where_count = 1;
  pl_status status = pl_world_add_body(world, &body_def, &body, &error);
  return status ? status : pl_world_add_fix(world, body, &fix_def, NULL, &error);
}

static pl_status set_up(void)
{
  const double above[3] = {0.9, 0.1, 2}, down[3] = {0, 0, -1};
  pl_world_def def = pl_world_def_default();
  pl_pull_def pull_def = pl_pull_def_default();
  pl_status status = pl_mesh_generate(&(pl_choice){"box", shape, 2}, NULL, &mesh, &error);
  if (!status) status = pl_world_create(&def, &world, &error);
  if (!status) status = add_body();
  if (!status) status = pl_world_pick(world, above, down, &hit, &error);
  pull_def.at = hit.spot;
  memcpy(target, hit.point, sizeof target);
  memcpy(pull_def.target, hit.point, sizeof target);
  return status ? status : pl_world_add_pull(world, &pull_def, &pull, &error);
}

static void example(void)
{
#include "example.inc"
}

int main(void)
{
  pl_status status = set_up();
  if (!status) example();
  // once more with what the example has left behind
  if (!status && !error.code) status = pl_world_step(world, &error);
  if (status || error.code) fprintf(stderr, "%s\n", error.message);
  pl_world_destroy(world);
  pl_mesh_destroy(mesh);
  return status || error.code;
}
