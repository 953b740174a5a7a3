/* Bodies that are attached to obstacles: held at places that move, sliding along surfaces and the
 * curve of two, glue that breaks. */
#include "math/vec3.h"
#include "pliant/world.h"
#include "world/world.h"

#include "test.h"

typedef struct scene {
  pl_world *world;
  pl_body_id body;
} scene;

/* A box of 0.1 m with its lower side at z = 0, from x = 0 to 0.1. */
static scene make(const char *integrator, double dt, const double gravity[3])
{
  pl_setting box[] = {{.name = "size", .value = {0.1, 0.1, 0.1}},
                      {.name = "cells", .value = {2, 2, 2}}};
  pl_setting hooke[] = {{.name = "young", .value = {1e6}}, {.name = "poisson", .value = {0.3}}};
  pl_world_def def = pl_world_def_default();
  pl_body_def body = pl_body_def_default();
  pl_mesh *mesh = NULL;
  scene to = {0};
  def.dt = dt;
  def.threads = 1;
  def.integrator.name = integrator;
  pl_vec3_copy(gravity, def.gravity);
  CHECK_OK(pl_world_create(&def, &to.world, error));
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", box, 2}, NULL, &mesh, error));
  body.mesh = mesh;
  body.material.law = (pl_choice){"hooke", hooke, 2};
  body.material.stiffness_damping = 0.01;
  CHECK_OK(pl_world_add_body(to.world, &body, &to.body, error));
  pl_mesh_destroy(mesh);
  return to;
}

static pl_obstacle_id add_obstacle(const scene *in, const char *shape, const pl_setting *of,
                                   int count)
{
  pl_obstacle_def def = pl_obstacle_def_default();
  pl_obstacle_id id = {0};
  def.shape = (pl_choice){shape, of, count};
  CHECK_OK(pl_world_add_obstacle(in->world, &def, &id, error));
  return id;
}

static pl_attachment_id attach(const scene *in, const char *set, pl_obstacle_id to, int slides,
                               double breaking)
{
  pl_selector where = {.set = set};
  pl_attachment_def def = pl_attachment_def_default();
  pl_attachment_id id = {0};
  def.where = &where, def.where_count = 1;
  def.obstacle = to;
  def.slides = slides;
  def.breaking = breaking;
  CHECK_OK(pl_world_add_attachment(in->world, in->body, &def, &id, error));
  return id;
}

static void run(const scene *in, int steps)
{
  for (int i = 0; i < steps; i++) CHECK_OK(pl_world_step(in->world, error));
}

/* It hangs below a plate and is carried along; the springs bear its weight. */
TEST(nodes_are_carried_by_an_obstacle_that_moves)
{
  static const char *const integrators[] = {"implicit-euler",    "bdf2",       "sdirk2", "newmark",
                                            "implicit-midpoint", "rosenbrock4"};
  for (int i = 0; i < 6; i++) {
    scene in = make(integrators[i], 2e-3, (double[3]){0, 0, -9.81});
    pl_setting plate[] = {{.name = "centre", .value = {0.05, 0.05, 0.12}},
                          {.name = "size", .value = {0.2, 0.2, 0.04}}};
    pl_obstacle_id id = add_obstacle(&in, "box", plate, 2);
    pl_attachment_id held = attach(&in, "z-max", id, 0, 0);
    pl_attachment_facts facts;
    double from = in.world->state.q[0];
    for (int s = 1; s <= 100; s++) {
      CHECK_OK(pl_world_move_obstacle(in.world, id, (double[3]){0.001 * s, 0, 0}, (double[3]){0},
                                      error));
      run(&in, 1);
    }
    run(&in, 400);
    CHECK_OK(pl_world_read_attachment(in.world, held, &facts, error));
    CHECK(facts.points == 9 && facts.gap < 1e-3);
    CHECK_NEAR(facts.force[2], 9.81, 0.05);
    CHECK_NEAR(in.world->state.q[0] - from, 0.1, 1e-4);
    pl_world_destroy(in.world);
  }
}

/* Nodes that slide on a ball keep their distance; those on ball and plane swing along a circle. */
TEST(nodes_slide_along_a_surface_and_the_curve_of_two)
{
  scene in = make("implicit-euler", 1e-3, (double[3]){2, 0, -9.81});
  pl_setting ball[] = {{.name = "centre", .value = {0, 0, -0.4}},
                       {.name = "radius", .value = {0.3}}};
  pl_setting plane[] = {{.name = "point", .value = {0, -1, 0}},
                        {.name = "normal", .value = {0, 1, 0}}};
  pl_attachment_id on_ball = attach(&in, "x-min", add_obstacle(&in, "sphere", ball, 2), 1, 0);
  pl_attachment_id on_plane = attach(&in, "x-min", add_obstacle(&in, "plane", plane, 2), 1, 0);
  pl_attachment_facts facts;
  double way = in.world->state.q[0];
  for (int i = 0; i < 20; i++) {
    run(&in, 10);
    CHECK_OK(pl_world_read_attachment(in.world, on_ball, &facts, error));
    CHECK(facts.points == 9 && facts.gap < 2e-4);
    CHECK_OK(pl_world_read_attachment(in.world, on_plane, &facts, error));
    CHECK(facts.gap < 1e-4);
  }
  way = in.world->state.q[0] - way;
  printf("  slid by %.4f m\n", way);
  CHECK(way > 0.02);
  pl_world_destroy(in.world);
}

TEST(glue_breaks_and_goes_with_its_obstacle)
{
  scene in = make("implicit-euler", 2e-3, (double[3]){0, 0, -9.81});
  pl_setting plate[] = {{.name = "centre", .value = {0.05, 0.05, 0.12}},
                        {.name = "size", .value = {0.2, 0.2, 0.04}}};
  pl_obstacle_id id = add_obstacle(&in, "box", plate, 2);
  pl_attachment_id weak = attach(&in, "z-max", id, 0, 5);
  pl_attachment_facts facts;
  run(&in, 100);
  CHECK_OK(pl_world_read_attachment(in.world, weak, &facts, error));
  CHECK(facts.broken == 9);
  CHECK(in.world->state.q[2] < -0.05); // it falls
  CHECK_OK(pl_world_remove_obstacle(in.world, id, error));
  CHECK(pl_world_read_attachment(in.world, weak, &facts, NULL) != PL_OK);
  run(&in, 5);
  pl_world_destroy(in.world);
}

TESTS(X(nodes_are_carried_by_an_obstacle_that_moves)
          X(nodes_slide_along_a_surface_and_the_curve_of_two)
              X(glue_breaks_and_goes_with_its_obstacle))
