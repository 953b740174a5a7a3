/* Closed forms of mechanics with contact: a ball that slides until it rolls. */
// label: long
#include "pliant/world.h"
#include "world/world.h"

#include "test.h"

static pl_world *make_world(double dt)
{
  pl_world_def def = pl_world_def_default();
  pl_world *world = NULL;
  def.dt = dt;
  def.threads = 1;
  def.gravity[2] = -9.81;
  CHECK_OK(pl_world_create(&def, &world, error));
  return world;
}

static void add_floor(pl_world *world, double friction)
{
  pl_setting surface = {.name = "friction", .value = {friction}};
  pl_obstacle_def floor = pl_obstacle_def_default();
  floor.shape = (pl_choice){"plane", &surface, 1};
  CHECK_OK(pl_world_add_obstacle(world, &floor, NULL, error));
}

static void add_body(pl_world *world, const pl_choice *generator, double young,
                     const pl_body_def *like)
{
  pl_setting hooke[] = {{.name = "young", .value = {young}}, {.name = "poisson", .value = {0.3}}};
  pl_mesh *mesh = NULL;
  pl_body_def def = *like;
  CHECK_OK(pl_mesh_generate(generator, NULL, &mesh, error));
  def.mesh = mesh;
  def.material.law = (pl_choice){"hooke", hooke, 2};
  CHECK_OK(pl_world_add_body(world, &def, NULL, error));
  pl_mesh_destroy(mesh);
}

static void run(pl_world *world, int steps)
{
  for (int i = 0; i < steps; i++) CHECK_OK(pl_world_step(world, error));
}

/* v0 = 2 m/s, mu = 0.2: it rolls with 5/7 v0 = 1.4286 m/s from t = 2 v0 / (7 mu g) = 0.2912 s on,
 * after 12 v0^2 / (49 mu g) = 0.4993 m. The ball is a polyhedron of 3 mm edges, and rolls only if
 * steps resolve how it tips from corner to corner, some 2 ms each: with steps of 2, 0.5, 0.25 and
 * 0.125 ms the spin after 0.4 s is 0.34, 0.77, 1.001 and 1.002 of v / R. At every corner it loses
 * speed, 5 per cent in all. Friction over normal force is mu in any case. */
TEST(a_sliding_ball_comes_to_roll_with_five_sevenths_of_its_speed)
{
  pl_setting ball[] = {{.name = "radius", .value = {0.05}},
                       {.name = "centre", .value = {0, 0, 0.05}},
                       {.name = "cells", .value = {24}}};
  pl_body_def def = pl_body_def_default();
  pl_world *world = make_world(2.5e-4);
  pl_probe_def probe = pl_probe_def_default();
  pl_probe_id force;
  double sum[3] = {0};
  def.model.name = "rigid";
  def.velocity[0] = 2;
  add_body(world, &(pl_choice){"sphere", ball, 3}, 1e9, &def);
  add_floor(world, 0.2);
  probe.quantity = "contact-force";
  CHECK_OK(pl_world_add_probe(world, &probe, &force, error));
  for (int i = 0; i < 800; i++) {
    double value[3];
    run(world, 1);
    CHECK_OK(pl_world_read_probe(world, force, value, error));
    for (int k = 0; k < 3; k++) sum[k] += value[k];
  }
  CHECK_NEAR(-sum[0] / sum[2], 0.2, 0.002);
  run(world, 800); // 0.4 s
  const double *x = world->state.q + 3, *v = world->state.v + 3, *w = world->state.v;
  CHECK_NEAR(v[0], 10.0 / 7, 0.06 * 10 / 7);
  CHECK_NEAR(w[1] * 0.05 / v[0], 1, 0.01);
  CHECK_NEAR(x[0], 0.4993 + (0.4 - 0.2912) * 10 / 7, 0.01 * 0.6547);
  pl_world_destroy(world);
}

TESTS(X(a_sliding_ball_comes_to_roll_with_five_sevenths_of_its_speed))
