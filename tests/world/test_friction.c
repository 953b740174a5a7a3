/* Friction on inclined planes: who slides, how fast, who stays, with every integrator. */
// label: release
#include "ode/integrator.h"
#include "pliant/world.h"
#include "test.h"

#include <string.h>

typedef struct incline {
  double degrees, friction, young, dt, density;
  const char *integrator;
  double solver; /* tolerance; 0: the preset */
  int is_cube;   /* of 750 tets, undamped, in place of the plate */
} incline;

/* Sanitizers look at memory: a tenth of the time will do, and numbers are not compared. */
static const double span = TEST_SANITIZED ? 0.1 : 1;

static const double g = 9.81, degree = 3.14159265358979323846 / 180;

/* A block of 0.2 x 0.2 x 0.1 m, or a cube, that lies on a plane, gravity inclined against it. */
static pl_status make(const incline *in, pl_world **world, pl_body_id *body, pl_error *error)
{
  int n = in->is_cube ? 5 : 4, high = in->is_cube ? 5 : 2;
  pl_setting box[] = {{.name = "size", .value = {0.2, 0.2, in->is_cube ? 0.2 : 0.1}},
                      {.name = "cells", .value = {n, n, high}},
                      {.name = "element", .word = in->is_cube ? "tet" : "tet5"}};
  pl_setting hooke[] = {{.name = "young", .value = {in->young}},
                        {.name = "poisson", .value = {0.3}}};
  pl_setting plane = {.name = "friction", .value = {in->friction}};
  pl_setting cg = {.name = "tolerance", .value = {in->solver}};
  pl_world_def def = pl_world_def_default();
  def.dt = in->dt;
  def.threads = 1;
  def.gravity[0] = g * sin(in->degrees * degree);
  def.gravity[2] = -g * cos(in->degrees * degree);
  def.integrator = (pl_choice){.name = in->integrator};
  if (in->solver > 0) def.solver = (pl_choice){"cg", &cg, 1};
  pl_mesh *mesh = NULL;
  *world = NULL;
  pl_status status = pl_mesh_generate(&(pl_choice){"box", box, 3}, NULL, &mesh, error);
  if (!status) status = pl_world_create(&def, world, error);
  pl_body_def body_def = pl_body_def_default();
  body_def.mesh = mesh;
  body_def.material.law = (pl_choice){"hooke", hooke, 2};
  if (!in->is_cube) body_def.material.stiffness_damping = in->dt < 0.001 ? 0.001 : 0.01;
  if (!status) status = pl_world_add_body(*world, &body_def, body, error);
  pl_obstacle_def floor = pl_obstacle_def_default();
  floor.shape = (pl_choice){"plane", &plane, 1};
  if (!status) status = pl_world_add_obstacle(*world, &floor, NULL, error);
  pl_mesh_destroy(mesh);
  return status;
}

/* The same with a probe of its momentum. */
static pl_world *make_watched(const incline *in, pl_probe_id *probe)
{
  pl_world *world;
  pl_body_id body;
  pl_probe_def def = pl_probe_def_default();
  CHECK_OK(make(in, &world, &body, error));
  def.quantity = "momentum";
  CHECK_OK(pl_world_add_probe(world, &def, probe, error));
  return world;
}

/* Momentum along the plane over mass after so many seconds, m/s. */
static double speed_after(const incline *in, double seconds)
{
  double value[3] = {NAN};
  pl_probe_id probe;
  pl_world *world = make_watched(in, &probe);
  for (int i = 0; i < (int)(span * seconds / in->dt + 0.5); i++) {
    pl_error why = {0};
    if (pl_world_step(world, &why)) {
      printf("  %s: %s\n", in->integrator, why.message);
      test_failures++;
      break;
    }
  }
  CHECK_OK(pl_world_read_probe(world, probe, value, error));
  pl_world_destroy(world);
  return value[0] / 4;
}

/* Without friction the block slides as a point does: g sin(angle) t. */
TEST(without_friction_every_integrator_slides)
{
  for (int m = 0; pl_integrator_family.members[m]; m++) {
    const pl_integrator_ops *ops = (const pl_integrator_ops *)pl_integrator_family.members[m];
    if (ops->is_static || ops->info.missing) continue;
    incline in = {.degrees = 35,
                  .young = 1e5,
                  .dt = ops->is_implicit ? 0.005 : 0.0002,
                  .integrator = ops->info.name};
    double expected = g * sin(35 * degree) * 0.3, speed = speed_after(&in, 0.3);
    CHECK_NEAR(speed, span * expected, 0.005 * expected);
  }
}

/* Turns gravity from one angle against the plane to another and holds it there; the momentum over
 * mass along the plane at the end, m/s. */
static double tilt(pl_world *world, pl_probe_id probe, double dt, double from, double to,
                   double turning, double holding)
{
  double value[3] = {NAN};
  int turns = (int)(span * turning / dt + 0.5), all = turns + (int)(span * holding / dt + 0.5);
  for (int i = 0; i < all; i++) {
    double angle = (i < turns ? from + (to - from) * i / turns : to) * degree;
    const double gravity[3] = {g * sin(angle), 0, -g * cos(angle)};
    CHECK_OK(pl_world_set_gravity(world, gravity, error));
    CHECK_OK(pl_world_step(world, error));
  }
  CHECK_OK(pl_world_read_probe(world, probe, value, error));
  return value[0] / 4;
}

/* With friction, above the limit: g (sin - mu cos) within 1.5 %, once the block has settled. */
TEST(with_friction_every_integrator_slides_slower)
{
  for (int m = 0; pl_integrator_family.members[m]; m++) {
    const pl_integrator_ops *ops = (const pl_integrator_ops *)pl_integrator_family.members[m];
    if (ops->is_static || ops->info.missing) continue;
    incline in = {.friction = 0.5, .young = 1e5, .dt = ops->is_implicit ? 0.005 : 0.0002};
    in.integrator = ops->info.name;
    pl_probe_id probe;
    pl_world *world = make_watched(&in, &probe);
    tilt(world, probe, in.dt, 0, 0, 0, 0.3);
    double before = tilt(world, probe, in.dt, 0, 35, 0.1, 0.1);
    double after = tilt(world, probe, in.dt, 35, 35, 0, 0.2);
    double expected = g * (sin(35 * degree) - 0.5 * cos(35 * degree));
    printf("  %-17s %.4f of %.4f m/s^2\n", ops->info.name, (after - before) / 0.2, expected);
    if (!TEST_SANITIZED) CHECK_NEAR((after - before) / 0.2, expected, 0.015 * expected);
    pl_world_destroy(world);
  }
}

/* The limit angle of mu = 0.5 is 26.565 degrees: a block that has come to rest stays 0.2 degrees
 * below it, and slides with g (sin - mu cos) 0.2 degrees above it. */
TEST(blocks_slide_above_the_limit_angle_and_stay_below)
{
  const char *names[] = {"implicit-euler", "implicit-midpoint", "newmark", "bdf2", "sdirk2"};
  const double youngs[] = {1e5, 1e6, 1e8}, steps[] = {0.01, 0.001};
  const double limit = atan(0.5) / degree, above = limit + 0.2, below = limit - 0.2, time = 0.5;
  double expected = g * (sin(above * degree) - 0.5 * cos(above * degree)) * time;
  for (int c = 0; c < 5 * 3 * 2; c += TEST_SANITIZED ? 6 : 1) {
    incline in = {.friction = 0.5, .young = youngs[c / 2 % 3], .dt = steps[c % 2]};
    in.integrator = names[c / 6];
    pl_probe_id probe;
    pl_world *world = make_watched(&in, &probe);
    tilt(world, probe, in.dt, 0, 0, 0, 0.5);
    double stays = tilt(world, probe, in.dt, 0, below, 0.5, 2 * time);
    double slides = tilt(world, probe, in.dt, below, above, 0, time);
    printf("  %-17s E %.0e dt %2.0f ms: below %9.6f, above %.5f of %.5f m/s\n", in.integrator,
           in.young, 1e3 * in.dt, stays, slides, expected);
    if (TEST_SANITIZED) {
      pl_world_destroy(world);
      continue;
    }
    CHECK(fabs(stays) < 0.05 * expected);
    CHECK_NEAR(slides - stays, expected, 0.1 * expected);
    pl_world_destroy(world);
  }
}

/* Linear systems per step of a cube that begins to press on the plane, for half a second. */
static double solves_per_step(const incline *in)
{
  pl_world *world;
  pl_body_id body;
  pl_world_facts facts = {0};
  CHECK_OK(make(in, &world, &body, error));
  for (int i = 0; i < (int)(span * 0.5 / in->dt + 0.5); i++) CHECK_OK(pl_world_step(world, error));
  CHECK_OK(pl_world_measure(world, &facts, error));
  pl_world_destroy(world);
  return (double)facts.newton_iterations / (double)facts.steps;
}

/* A soft body that settles: waves run through its foot, nodes slip and stick again. */
TEST(settling_with_friction_takes_few_more_solves_than_without)
{
  const double angles[] = {0, 10, 20, 35}, youngs[] = {1e5, 1e6}, steps[] = {0.01, 0.005, 0.001};
  for (int c = 0; c < 4 * 2 * 3; c += TEST_SANITIZED ? 7 : 1) {
    incline in = {.degrees = angles[c % 4], .young = youngs[c / 4 % 2], .dt = steps[c / 8]};
    in.integrator = "implicit-euler";
    in.is_cube = 1;
    double without = solves_per_step(&in);
    in.friction = 0.5;
    double with = solves_per_step(&in);
    printf("  %2.0f degrees, E %.0e, dt %2.0f ms: %.2f solves a step, without friction %.2f\n",
           in.degrees, in.young, 1e3 * in.dt, with, without);
    CHECK(with <= (TEST_SANITIZED ? 4 : 1.8) * without);
  }
}

static const char *const newton_methods[] = {
    "implicit-midpoint", "newmark", "generalised-alpha", "sdirk2", "sdirk4",
    "tr-bdf2",           "bdf2",    "imex-midpoint"};
enum { NEWTON_METHODS = sizeof newton_methods / sizeof *newton_methods };

/* What steps `from` to `to` take, in iterations of conjugate gradients: of 750 tets a matrix has
 * the instructions of 13, and what else a linear system needs those of 6. */
static double cost_of(const incline *in, int from, int to, int64_t *systems)
{
  pl_world *world;
  pl_body_id body;
  pl_world_facts before = {0}, after = {0};
  CHECK_OK(make(in, &world, &body, error));
  for (int i = 0; i < to; i++) {
    if (i == from) CHECK_OK(pl_world_measure(world, &before, error));
    CHECK_OK(pl_world_step(world, error));
  }
  CHECK_OK(pl_world_measure(world, &after, error));
  pl_world_destroy(world);
  *systems = after.newton_iterations - before.newton_iterations;
  return (double)(6 * *systems + 13 * (after.matrices - before.matrices) + after.linear_iterations -
                  before.linear_iterations);
}

/* An undamped cube rings: its normal forces change in every step, and nodes come and go. */
TEST(with_every_newton_method_friction_costs_at_most_twice_as_much)
{
  const double angles[] = {20, 35};
  for (int c = 0; c < 2 * NEWTON_METHODS; c++) {
    incline in = {.degrees = angles[c % 2], .young = 1e5, .dt = 0.005, .is_cube = 1};
    int64_t systems[2];
    int steps = TEST_SANITIZED ? 5 : 100;
    in.integrator = newton_methods[c / 2];
    double without = cost_of(&in, 0, steps, &systems[0]);
    in.friction = 0.5;
    double with = cost_of(&in, 0, steps, &systems[1]);
    printf("  %-17s %2.0f degrees: %.2f systems a step, without friction %.2f; cost %.2f times\n",
           in.integrator, in.degrees, (double)systems[1] / steps, (double)systems[0] / steps,
           with / without);
    if (!TEST_SANITIZED) CHECK(with <= 2 * without);
  }
}

TEST(a_body_at_rest_costs_no_more_with_friction_than_without)
{
  for (int c = 0; c < NEWTON_METHODS; c++) {
    incline in = {.degrees = 0, .young = 1e5, .dt = 0.005};
    int64_t systems[2];
    int steps = TEST_SANITIZED ? 5 : 400;
    in.integrator = newton_methods[c];
    cost_of(&in, steps, steps + 20, &systems[0]);
    in.friction = 0.5;
    cost_of(&in, steps, steps + 20, &systems[1]);
    printf("  %-17s %d systems in 20 steps, without friction %d\n", in.integrator, (int)systems[1],
           (int)systems[0]);
    if (!TEST_SANITIZED) CHECK(systems[1] <= systems[0]);
  }
}

TESTS(X(without_friction_every_integrator_slides) X(with_friction_every_integrator_slides_slower)
          X(blocks_slide_above_the_limit_angle_and_stay_below)
              X(settling_with_friction_takes_few_more_solves_than_without)
                  X(with_every_newton_method_friction_costs_at_most_twice_as_much)
                      X(a_body_at_rest_costs_no_more_with_friction_than_without))
