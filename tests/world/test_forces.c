/* The forces of fixes and of contact on nodes: they balance weight, and friction obeys its law. */
#include "pliant/world.h"
#include "world/acts.h"
#include "world/bar.h"

#include "test.h"

enum { MOST = 3 * 400 };
static const double WEIGHT = 1000 * 0.25 * 0.25 * 9.81; /* of the bar, N */

/* Sums over the nodes of a body; returns how many nodes feel contact. */
static int sum_forces(pl_world *world, pl_body_id body, double fix[3], double contact[3])
{
  static double held[MOST], touched[MOST];
  int count = pl_mesh_node_count(pl_world_body_mesh(world, body)), touching = 0;
  memset(fix, 0, 3 * sizeof *fix);
  memset(contact, 0, 3 * sizeof *contact);
  CHECK(3 * count <= MOST);
  CHECK_OK(pl_world_get_reactions(world, body, held, touched, error));
  for (int i = 0; i < 3 * count; i++) {
    fix[i % 3] += held[i];
    contact[i % 3] += touched[i];
    touching += i % 3 == 2 && touched[i] > 0;
  }
  return touching;
}

TEST(a_fix_carries_the_weight_of_a_bar_at_rest)
{
  pl_body_id body;
  pl_world *world = NULL;
  double fix[3], contact[3];
  bar_def bar = {.integrator = "static", .gravity = {0, 0, -9.81}, .solver = 1e-12};
  CHECK_OK(bar_make(&bar, &world, &body, error));
  run_steps(world, 1);
  CHECK(sum_forces(world, body, fix, contact) == 0);
  CHECK_NEAR(fix[2], WEIGHT, 1e-5 * WEIGHT);
  CHECK_NEAR(fix[0], 0, 1e-5 * WEIGHT);
  CHECK(contact[0] == 0 && contact[1] == 0 && contact[2] == 0);
  pl_world_destroy(world);
}

/* A bar on a floor, with gravity tilted by so much. */
static pl_world *lay(double slope, pl_body_id *body)
{
  pl_world *world = NULL;
  bar_def bar = {.free = 1,
                 .integrator = "implicit-euler",
                 .gravity = {9.81 * sin(slope), 0, -9.81 * cos(slope)},
                 .stiffness_damping = 0.01,
                 .newton = 20,
                 .newton_tolerance = 1e-10,
                 .solver = 1e-12};
  CHECK_OK(bar_make(&bar, &world, body, error));
  pl_setting settings[] = {{.name = "normal", .value = {0, 0, 1}},
                           {.name = "friction", .value = {0.2}}};
  pl_obstacle_def floor = pl_obstacle_def_default();
  floor.shape = (pl_choice){"plane", settings, 2};
  CHECK_OK(pl_world_add_obstacle(world, &floor, NULL, error));
  return world;
}

TEST(the_floor_carries_the_weight_of_a_resting_bar)
{
  pl_body_id body;
  double fix[3], contact[3];
  pl_world *world = lay(0, &body);
  run_steps(world, 150);
  CHECK(sum_forces(world, body, fix, contact) > 3);
  CHECK_NEAR(contact[2], WEIGHT, 1e-3 * WEIGHT);
  CHECK_NEAR(contact[0], 0, 1e-3 * WEIGHT);
  CHECK(fix[0] == 0 && fix[1] == 0 && fix[2] == 0);
  pl_world_destroy(world);
}

TEST(friction_of_a_sliding_bar_is_mu_times_its_normal_force)
{
  pl_body_id body;
  double fix[3], contact[3];
  pl_world *world = lay(0.5, &body);
  run_steps(world, 150);
  sum_forces(world, body, fix, contact);
  CHECK_NEAR(contact[2], WEIGHT * cos(0.5), 1e-3 * WEIGHT);
  CHECK_NEAR(contact[0], -0.2 * contact[2], 1e-6 * WEIGHT);
  pl_world_destroy(world);
}

TEST(bodies_that_press_each_other_feel_opposite_contact_forces)
{
  pl_body_id lower, upper;
  double fix[3], below[3], above[3];
  pl_world *world = lay(0, &lower);
  pl_setting box[] = {{.name = "size", .value = {0.5, 0.25, 0.25}},
                      {.name = "origin", .value = {0.25, 0, 0.2505}},
                      {.name = "cells", .value = {4, 2, 2}}};
  pl_setting hooke[] = {{.name = "young", .value = {1e6}}, {.name = "poisson", .value = {0.3}}};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", box, 3}, NULL, &mesh, error));
  pl_body_def def = pl_body_def_default();
  def.mesh = mesh;
  def.material.law = (pl_choice){"hooke", hooke, 2};
  def.material.stiffness_damping = 0.01;
  CHECK_OK(pl_world_add_body(world, &def, &upper, error));
  pl_mesh_destroy(mesh);
  pl_contact_def meet = pl_contact_def_default();
  meet.between_bodies = 1;
  CHECK_OK(pl_world_set_contact(world, &meet, error));
  run_steps(world, 200);
  sum_forces(world, lower, fix, below);
  CHECK(sum_forces(world, upper, fix, above) > 0);
  CHECK_NEAR(above[2], 0.5 * WEIGHT, 5e-3 * WEIGHT);
  CHECK_NEAR(below[2], WEIGHT, 5e-3 * WEIGHT); // the floor's less that of the upper one
  pl_world_destroy(world);
}

TEST(either_field_may_be_left_out)
{
  pl_body_id body;
  double fix[3], contact[3];
  static double some[MOST];
  pl_world *world = lay(0, &body);
  run_steps(world, 20);
  sum_forces(world, body, fix, contact);
  CHECK_OK(pl_world_get_reactions(world, body, NULL, NULL, error));
  CHECK_OK(pl_world_get_reactions(world, body, NULL, some, error));
  double sum = 0;
  for (int i = 2; i < 3 * pl_mesh_node_count(pl_world_body_mesh(world, body)); i += 3)
    sum += some[i];
  CHECK(sum == contact[2] && sum > 0);
  pl_world_destroy(world);
}

TESTS(X(a_fix_carries_the_weight_of_a_bar_at_rest) X(the_floor_carries_the_weight_of_a_resting_bar)
          X(friction_of_a_sliding_bar_is_mu_times_its_normal_force)
              X(bodies_that_press_each_other_feel_opposite_contact_forces)
                  X(either_field_may_be_left_out))
