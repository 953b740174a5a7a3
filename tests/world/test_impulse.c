/* Impulses at half steps, and Zhuang & Canny's scheme: where nodes are after one step and two,
 * friction, momenta and energy; the laws of the layer by finite differences. */
#include "couple/response.h"
#include "pliant/world.h"
#include "world/world.h"

#include "acts.h"

typedef struct drop {
  const char *response, *integrator, *sign;
  double dt, young, damping, drag;
  double gravity[3], velocity[3], second[3]; /* second: velocity of a second box above */
  double z, friction, restitution;
  int boxes, cells, floor;
} drop;

static pl_status add_box(pl_world *world, const drop *in, int which, pl_error *error)
{
  int n = in->cells ? in->cells : 2;
  pl_setting box[] = {
      {.name = "size", .value = {0.1, 0.1, 0.1}},
      {.name = "origin", .value = {0.013 * which, 0.007 * which, in->z + 0.102 * which}},
      {.name = "cells", .value = {n, n, n}}};
  pl_setting hooke[] = {{.name = "young", .value = {in->young}},
                        {.name = "poisson", .value = {0.3}}};
  pl_mesh *mesh = NULL;
  pl_status status = pl_mesh_generate(&(pl_choice){"box", box, 3}, NULL, &mesh, error);
  pl_body_def def = pl_body_def_default();
  def.mesh = mesh;
  def.material.law = (pl_choice){"hooke", hooke, 2};
  def.material.stiffness_damping = in->damping;
  for (int k = 0; k < 3; k++) def.velocity[k] = which ? in->second[k] : in->velocity[k];
  if (!status) status = pl_world_add_body(world, &def, NULL, error);
  pl_mesh_destroy(mesh);
  return status;
}

static pl_world *make(const drop *in)
{
  pl_world_def def = pl_world_def_default();
  def.allow_unstable = 1;
  pl_world *world = NULL;
  pl_contact_def contact = pl_contact_def_default();
  pl_setting plane[] = {{.name = "friction", .value = {in->friction}},
                        {.name = "restitution", .value = {in->restitution}}};
  pl_obstacle_def floor = pl_obstacle_def_default();
  floor.shape = (pl_choice){"plane", plane, 2};
  const pl_setting sign = {.name = "sign", .word = in->sign};
  contact.response = (pl_choice){in->response, &sign, in->sign != NULL};
  contact.friction = in->friction;
  def.integrator.name = in->integrator;
  def.dt = in->dt;
  def.threads = 1;
  for (int k = 0; k < 3; k++) def.gravity[k] = in->gravity[k];
  CHECK_OK(pl_world_create(&def, &world, error));
  CHECK_OK(pl_world_set_contact(world, &contact, error));
  if (in->floor) CHECK_OK(pl_world_add_obstacle(world, &floor, NULL, error));
  for (int b = 0; b < (in->boxes ? in->boxes : 1); b++) CHECK_OK(add_box(world, in, b, error));
  return world;
}

/* A node of the lowest face. */
static int bottom(const pl_world *world)
{
  int at = 0;
  for (int i = 1; i < world->bodies.blocks; i++) {
    if (world->state.q[3 * i + 2] < world->state.q[3 * at + 2]) at = i;
  }
  return at;
}

/* One node as in the paper's argument: 5 mm above the floor, 1.2 m/s down, a step of 10 ms. Nodes
 * of a box without stiffness are such nodes: those of its lower face. */
static const drop one_node = {.response = "zhuang-canny",
                              .integrator = "explicit-newmark",
                              .dt = 0.01,
                              .young = 1e-3,
                              .gravity = {0, 0, -9.81},
                              .velocity = {0, 0, -1.2},
                              .z = 0.005,
                              .floor = 1,
                              .cells = 1};

/* A second step of `ratio` times the first. By (11'), (12): u2 = u0 + (1 - ratio^2) (u1 - u0). */
static void fall_twice(double ratio, double expected, double speed)
{
  pl_world *world = make(&one_node);
  run_steps(world, 1);
  const double *q = world->state.q + 3 * bottom(world) + 2;
  const double *v = world->state.v + 3 * bottom(world) + 2;
  CHECK_NEAR(*q, 0.005 - 0.012 - 0.5e-4 * 9.81, 1e-7); // -7.491 mm
  CHECK_NEAR(*v, 0, 1e-12);
  CHECK_OK(pl_world_set_dt(world, ratio * one_node.dt, error));
  run_steps(world, 1);
  // what is left of the stiffness moves it by 1e-8 m
  CHECK_NEAR(*q, 0.005 + (1 - ratio * ratio) * (-0.012 - 0.5e-4 * 9.81), 1e-7);
  CHECK_NEAR(*q, expected, 5e-6);
  if (speed > 0) CHECK_NEAR(*v, speed, 1e-6);
  pl_world_destroy(world);
}

TEST(a_node_is_back_after_two_equal_steps_of_zhuang_and_canny)
{
  fall_twice(1, 0.005, 1.2); // reflected
  fall_twice(0.5, -0.004368, 0);
  fall_twice(2, 0.04247, 0);
}

/* T7: with the sign as printed the node's speed is doubled, and it goes on through the floor. */
TEST(the_printed_sign_drives_a_node_through_the_floor)
{
  drop in = one_node;
  in.sign = "printed";
  pl_world *world = make(&in);
  run_steps(world, 1);
  const double *q = world->state.q + 3 * bottom(world) + 2;
  const double *v = world->state.v + 3 * bottom(world) + 2;
  CHECK_NEAR(*v, -2.4, 1e-6);
  run_steps(world, 1);
  // a = 2 (v1 - v0) / h - a0 by Newmark's rule
  double a = 2 * -1.2 / 0.01 + 9.81;
  CHECK_NEAR(*q, -7.4905e-3 - 2.4 * 0.01 + 0.5 * a * 1e-4, 1e-6);
  printf("  v %.4f m/s, u after two steps %.2f mm\n", *v, 1e3 * *q);
  pl_world_destroy(world);
}

TEST(the_half_step_impulse_lands_on_the_surface)
{
  const char *const methods[] = {"verlet", "explicit-newmark", "explicit-euler"};
  for (int m = 0; m < 3; m++) {
    drop in = one_node;
    in.response = "impulse";
    in.integrator = methods[m];
    pl_world *world = make(&in);
    for (int i = 0; i < 5; i++) {
      run_steps(world, 1);
      CHECK_NEAR(world->state.q[3 * bottom(world) + 2], 0, 1e-12);
    }
    pl_world_destroy(world);
  }
}

/* Between the half steps the velocity is e times that of the impact, less half a step of gravity.
 */
TEST(restitution_returns_its_part_of_the_velocity)
{
  for (int k = 0; k <= 4; k++) {
    double e = 0.25 * k;
    const drop in = {.response = "impulse",
                     .integrator = "verlet",
                     .dt = 0.001,
                     .young = 1e-3,
                     .velocity = {0, 0, -1},
                     .z = 0.0105,
                     .floor = 1,
                     .cells = 1,
                     .restitution = e};
    pl_world *world = make(&in);
    run_steps(world, 1);
    int at = 3 * bottom(world) + 2;
    run_steps(world, 14);
    CHECK_NEAR(world->state.v[at], e, 1e-6);
    CHECK(world->state.q[at] > -1e-12);
    pl_world_destroy(world);
  }
}

/* What is slower than outer forces make a node in two steps rests: 0.2 m/s on Earth here, 0.03 m/s
 * on the Moon, nothing where nothing acts. */
TEST(what_bounces_depends_on_the_gravity_of_the_world)
{
  const double gravity[] = {9.81, 1.62, 0};
  for (int k = 0; k < 3; k++) {
    drop in = {.response = "impulse",
               .integrator = "verlet",
               .dt = 0.01,
               .young = 1e-3,
               .velocity = {0, 0, -0.1},
               .z = 0.0005,
               .floor = 1,
               .cells = 1,
               .restitution = 1};
    in.gravity[2] = -gravity[k];
    pl_world *world = make(&in);
    run_steps(world, 1);
    double v = world->state.v[3 * bottom(world) + 2];
    CHECK(k == 0 ? v < 0 : v > 0.09);
    pl_world_destroy(world);
  }
}

static double mean_speed(const pl_world *world)
{
  double sum = 0, mass = 0;
  const pl_model *model = world->bodies.list[0].model;
  for (int i = 0; i < world->bodies.blocks; i++) {
    sum += model->lumped_mass[i] * world->state.v[3 * i];
    mass += model->lumped_mass[i];
  }
  return sum / mass;
}

/* Acceleration on a slope with mu = 0.5: g (sin - mu cos) above 26.565 degrees, none below. */
static double slide(double degrees, const char *method)
{
  double a = degrees * M_PI / 180;
  const drop in = {.response = "impulse",
                   .integrator = method,
                   .dt = 2e-4,
                   .young = 2e5,
                   .damping = 0.002,
                   .gravity = {9.81 * sin(a), 0, -9.81 * cos(a)},
                   .friction = 0.5,
                   .floor = 1};
  pl_world *world = make(&in);
  run_steps(world, 1500);
  double before = mean_speed(world);
  run_steps(world, 1000);
  double after = mean_speed(world);
  pl_world_destroy(world);
  return (after - before) / 0.2;
}

TEST(friction_by_impulses_sticks_and_slides_as_coulomb_says)
{
  const char *const methods[] = {"verlet", "explicit-newmark"};
  for (int m = 0; m < 2; m++) {
    CHECK_NEAR(slide(25, methods[m]), 0, 2e-3);
    CHECK_NEAR(slide(28, methods[m]), 0.2747, 3e-3);
    CHECK_NEAR(slide(35, methods[m]), 1.6088, 0.005 * 1.6088);
  }
}

/* Momenta about the origin. */
static void momenta(const pl_world *world, double P[6])
{
  for (int k = 0; k < 6; k++) P[k] = 0;
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    for (int i = 0; i < body->blocks; i++) {
      const double *x = world->state.q + 3 * (body->offset + i);
      const double *v = world->state.v + 3 * (body->offset + i);
      double m = body->model->lumped_mass[i];
      for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, c = (k + 2) % 3;
        P[k] += m * v[k];
        P[3 + k] += m * (x[a] * v[c] - x[c] * v[a]);
      }
    }
  }
}

static double energy(pl_world *world)
{
  pl_world_facts facts;
  CHECK_OK(pl_world_measure(world, &facts, error));
  return facts.kinetic_energy + facts.elastic_energy;
}

/* The law is linear and not turned with the body, so angular momentum is kept as far as the boxes
 * do not turn: the impulses alone are looked at, over the step in which they act. */
TEST(impulses_between_bodies_keep_both_momenta_and_give_no_energy)
{
  const char *const responses[] = {"impulse", "zhuang-canny"};
  for (int r = 0; r < 2; r++) {
    const drop in = {.response = responses[r],
                     .integrator = "explicit-newmark",
                     .dt = 2e-4,
                     .young = 1e-3,
                     .second = {0.1, 0.05, -1},
                     .boxes = 2};
    double before[6], after[6], P = 1;
    pl_world *world = make(&in);
    double start = energy(world), max = 0;
    for (int i = 0; i < 60; i++) {
      momenta(world, before);
      run_steps(world, 1);
      momenta(world, after);
      for (int k = 0; k < 3; k++) CHECK_NEAR(after[k], before[k], 1e-13 * P);
      for (int k = 3; k < 6; k++) CHECK_NEAR(after[k], before[k], 1e-13 * P);
      max = fmax(max, energy(world));
    }
    CHECK(max <= start * (1 + (r ? 1e-3 : 1e-9))); // reflection is not exact where points slide
    CHECK(energy(world) < 0.999 * start || r);     // they have met
    pl_world_destroy(world);
  }
}

/* Stiff boxes: they meet, part, and no energy comes from nowhere. */
TEST(elastic_boxes_part_without_gaining_energy)
{
  const drop in = {.response = "impulse",
                   .integrator = "verlet",
                   .dt = 2e-4,
                   .young = 1e5,
                   .second = {0, 0, -1},
                   .boxes = 2};
  pl_world *world = make(&in);
  double start = energy(world), P[6], Q[6];
  momenta(world, P);
  run_steps(world, 500);
  momenta(world, Q);
  for (int k = 0; k < 3; k++) CHECK_NEAR(P[k], Q[k], 1e-12);
  CHECK(energy(world) < 1.0001 * start);
  CHECK(world->state.v[2] < -0.3);
  pl_world_destroy(world);
}

TEST(bodies_without_masses_at_nodes_are_refused)
{
  pl_world_def def = pl_world_def_default();
  pl_world *world = NULL;
  pl_setting box[] = {{.name = "size", .value = {0.1, 0.1, 0.1}}};
  pl_setting hooke[] = {{.name = "young", .value = {1e5}}, {.name = "poisson", .value = {0.3}}};
  pl_mesh *mesh = NULL;
  pl_error said = {0};
  def.integrator.name = "verlet";
  def.dt = 1e-3;
  CHECK_OK(pl_world_create(&def, &world, error));
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", box, 1}, NULL, &mesh, error));
  pl_body_def body = pl_body_def_default();
  body.mesh = mesh;
  body.name = "die";
  body.model.name = "rigid";
  body.material.law = (pl_choice){"hooke", hooke, 2};
  CHECK_OK(pl_world_add_body(world, &body, NULL, error));
  pl_mesh_destroy(mesh);
  pl_obstacle_def floor = pl_obstacle_def_default();
  floor.shape.name = "plane";
  CHECK_OK(pl_world_add_obstacle(world, &floor, NULL, error));
  pl_contact_def contact = pl_contact_def_default();
  contact.response.name = "impulse";
  CHECK_OK(pl_world_set_contact(world, &contact, error));
  CHECK(pl_world_step(world, &said) == PL_E_UNSUPPORTED);
  CHECK(strstr(said.message, "\"die\"") && strstr(said.message, "choose"));
  pl_world_destroy(world);
}

/* Slopes of the layers' laws. */
TEST(the_laws_of_layers_have_the_slopes_they_say)
{
  int found = 0;
  for (int m = 0; pl_response_family.members[m]; m++) {
    const pl_response_ops *ops = (const void *)pl_response_family.members[m];
    double values[PL_MOST_VALUES];
    if (!ops->rule || !ops->rule->push) continue;
    found++;
    pl_param_presets(&ops->info, values);
    for (int i = -40; i < 40; i++) {
      double gap = 1e-4 * (i + 0.37), d = 1e-9, slope, ignored;
      pl_contact_node at = {.gap = gap, .stiffness = 1000, .size = 0.1};
      double push = ops->rule->push(values, &at, &slope);
      at.gap = gap - d;
      double nearer = ops->rule->push(values, &at, &ignored);
      at.gap = gap + d;
      double farther = ops->rule->push(values, &at, &ignored);
      CHECK(push >= 0 && slope >= 0);
      CHECK_NEAR((nearer - farther) / (2 * d), slope, 1e-5 * (1 + slope));
    }
  }
  CHECK(found == 2);
}

TESTS(X(a_node_is_back_after_two_equal_steps_of_zhuang_and_canny)
          X(the_printed_sign_drives_a_node_through_the_floor)
              X(the_half_step_impulse_lands_on_the_surface)
                  X(restitution_returns_its_part_of_the_velocity)
                      X(what_bounces_depends_on_the_gravity_of_the_world)
                          X(friction_by_impulses_sticks_and_slides_as_coulomb_says)
                              X(impulses_between_bodies_keep_both_momenta_and_give_no_energy)
                                  X(elastic_boxes_part_without_gaining_energy)
                                      X(bodies_without_masses_at_nodes_are_refused)
                                          X(the_laws_of_layers_have_the_slopes_they_say))
