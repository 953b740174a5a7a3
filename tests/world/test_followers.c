/* Bodies that a finer surface follows meet obstacles by that surface, and not by their elements: a
 * shape in a cage stands on the floor. With every integrator and model. */
// label: long
#include "ode/integrator.h"

#include "obstacles.h"

static const double g = 9.81, weight = 9.81 * 1000 * 0.2 * 0.2 * 0.2;

/* A cube of 0.1 m in the middle of a cage of 0.2 m. */
typedef struct follower {
  double height, velocity[3], dt;
  int threads;
  const char *integrator, *model, *response;
} follower;

enum { POINTS = 1000 };
/* Where the force begins above an obstacle: 1e-3 of the cage's diagonal. */
static const double range = 1e-3 * 0.2 * 1.7320508075688772;

static follower ordinary(void) { return (follower){.height = 0.06, .dt = 0.005, .threads = 1}; }

static pl_mesh *make_box(double size, int cells, double height, const char *element)
{
  pl_setting box[] = {{.name = "size", .value = {size, size, size}},
                      {.name = "cells", .value = {cells, cells, cells}},
                      {.name = "origin", .value = {-size / 2, -size / 2, height - size / 2}},
                      {.name = "element", .word = element}};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", box, 4}, NULL, &mesh, error));
  return mesh;
}

static pl_world *make(const follower *in, pl_body_id *body)
{
  pl_setting hooke[] = {{.name = "young", .value = {2e5}}, {.name = "poisson", .value = {0.3}}};
  pl_world_def def = pl_world_def_default();
  pl_contact_def contact = pl_contact_def_default();
  pl_body_def body_def = pl_body_def_default();
  pl_world *world = NULL;
  def.dt = in->dt;
  def.threads = in->threads;
  def.integrator = (pl_choice){.name = in->integrator};
  def.gravity[2] = -g;
  pl_mesh *cage = make_box(0.2, 2, in->height, "tet"), *cube = make_box(0.1, 5, in->height, "hex");
  CHECK_OK(pl_world_create(&def, &world, error));
  contact.response = (pl_choice){.name = in->response};
  if (in->response) CHECK_OK(pl_world_set_contact(world, &contact, error));
  body_def.mesh = cage;
  body_def.surface = cube;
  body_def.model = (pl_choice){.name = in->model};
  body_def.material.density = 1000;
  body_def.material.law = (pl_choice){"hooke", hooke, 2};
  body_def.material.stiffness_damping = in->dt < 0.001 ? 0.001 : 0.01;
  memcpy(body_def.velocity, in->velocity, sizeof body_def.velocity);
  CHECK_OK(pl_world_add_body(world, &body_def, body, error));
  pl_mesh_destroy(cage);
  pl_mesh_destroy(cube);
  return world;
}

static pl_obstacle_id add_floor(pl_world *world, double friction, double restitution)
{
  const pl_setting floor[] = {{.name = "friction", .value = {friction}},
                              {.name = "restitution", .value = {restitution}}};
  return add_obstacle(world, "plane", floor, 2, NULL);
}

static int count_points(const pl_world *world, pl_body_id body)
{
  return pl_mesh_node_count(pl_world_body_surface(world, body));
}

/* Points of the surface; their velocities. */
static void follow(pl_world *world, pl_body_id body, int of_velocity, double x[3 * POINTS])
{
  double nodes[3 * POINTS];
  CHECK(count_points(world, body) <= POINTS);
  if (of_velocity)
    CHECK_OK(pl_world_get_velocities(world, body, nodes, error));
  else
    CHECK_OK(pl_world_get_positions(world, body, nodes, error));
  CHECK_OK(pl_world_follow(world, body, 3, nodes, x, error));
}

static double lowest(pl_world *world, pl_body_id body)
{
  double x[3 * POINTS], low = INFINITY;
  follow(world, body, 0, x);
  for (int i = 0; i < count_points(world, body); i++) low = fmin(low, x[3 * i + 2]);
  return low;
}

static double mean_of(pl_world *world, pl_body_id body, int of_velocity, int k)
{
  double x[3 * POINTS], sum = 0;
  int count = count_points(world, body);
  follow(world, body, of_velocity, x);
  for (int i = 0; i < count; i++) sum += x[3 * i + k] / count;
  return sum;
}

/* Small enough for the explicit ones. */
static double step_for(const pl_integrator_ops *ops) { return ops->is_implicit ? 0.005 : 0.0002; }

/* It stands on its surface, a part of the range above the floor, which bears its weight; the cage
 * reaches 0.05 m below the floor. */
TEST(every_integrator_stands_on_the_surface)
{
  for (int m = 0; pl_integrator_family.members[m]; m++) {
    const pl_integrator_ops *ops = (const pl_integrator_ops *)pl_integrator_family.members[m];
    if (ops->is_static || ops->info.missing) continue;
    follower in = ordinary();
    pl_body_id body;
    pl_obstacle_facts facts = {0};
    in.dt = step_for(ops);
    in.integrator = ops->info.name;
    in.response = "constraint";
    pl_world *world = make(&in, &body);
    pl_obstacle_id floor = add_floor(world, 0.5, 0);
    double rests = ops->is_implicit ? 1.2 : 0.4, force = 0;
    int steps = TEST_SANITIZED ? 4 : (int)(0.1 / in.dt);
    run_for(world, TEST_SANITIZED ? 0.02 : rests, in.dt);
    // explicit Euler's force goes to and fro between nothing and twice the weight
    for (int i = 0; i < steps; i++) {
      CHECK_OK(pl_world_step(world, error));
      CHECK_OK(pl_world_read_obstacle(world, floor, &facts, error));
      force += facts.force[2] / steps / weight;
    }
    double low = lowest(world, body);
    printf("  %-18s %6.3f ranges above the floor, which bears %.4f of the weight\n", in.integrator,
           low / range, force);
    // these two let what oscillates grow in a wide sector
    int rings = strcmp(in.integrator, "bdf5") == 0 || strcmp(in.integrator, "bdf6") == 0;
    if (!TEST_SANITIZED) {
      // linearly implicit ones of higher order have a softer penalty
      CHECK(low > -2 * range);
      CHECK(rings || low < 1.5 * range);
      if (!rings) CHECK_NEAR(force, 1, ops->is_implicit ? 0.02 : 0.04);
    }
    pl_world_destroy(world);
  }
}

/* Models whose nodes are blocks, and those that carry them: on a ball's top, in a bowl, on a floor
 * that rises. */
TEST(every_model_stands_on_curved_and_moving_obstacles)
{
  static const char *models[] = {"fem", "frames", "springs"};
  static const pl_setting rises[] = {{.name = "velocity", .value = {0, 0, 0.1}}};
  static const pl_motion_def lift = {.motion = {"velocity", rises, 1}};
  const struct {
    const char *shape;
    pl_setting settings[3];
    int count;
    double top; /* at (0, 0) when the run begins, m */
    const pl_motion_def *motion;
  } cases[] = {
      {"plane", {{.name = "friction", .value = {0.5}}}, 1, 0, NULL},
      {"plane", {{.name = "friction", .value = {0.5}}}, 1, 0, &lift},
      {"sphere",
       {{.name = "radius", .value = {2}},
        {.name = "centre", .value = {0, 0, -2}},
        {.name = "friction", .value = {0.5}}},
       3,
       0,
       NULL},
      {"box",
       {{.name = "size", .value = {1, 1, 0.01}},
        {.name = "centre", .value = {0, 0, -0.005}},
        {.name = "friction", .value = {0.5}}},
       3,
       0,
       NULL},
  };
  for (int m = 0; m < 3; m++) {
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
      follower in = ordinary();
      pl_body_id body;
      const double seconds = TEST_SANITIZED ? 0.02 : 1;
      in.model = models[m];
      pl_world *world = make(&in, &body);
      pl_obstacle_id at =
          add_obstacle(world, cases[c].shape, cases[c].settings, cases[c].count, cases[c].motion);
      run_for(world, seconds, in.dt);
      pl_obstacle_facts facts = {0};
      CHECK_OK(pl_world_read_obstacle(world, at, &facts, error));
      double low = lowest(world, body) - (cases[c].motion ? 0.1 * seconds : 0);
      printf("  %-8s %-7s%s %6.2f ranges above it, which bears %.4f of the weight\n", models[m],
             cases[c].shape, cases[c].motion ? " rising" : "", low / range,
             facts.force[2] / weight);
      // the cube's corners hang below a ball's top: 0.05 sqrt(2) out they are 1.25 mm lower
      double below = strcmp(cases[c].shape, "sphere") == 0 ? 0.00126 : 0;
      if (!TEST_SANITIZED) {
        CHECK(low > -range - below && low < 1.5 * range);
        CHECK_NEAR(facts.force[2] / weight, 1, 0.02);
      }
      pl_world_destroy(world);
    }
  }
}

/* Thrown at 20 m/s at a plate of 2 mm, 0.1 m a step: no point passes, with one linear solve a step
 * and with Newton's method. */
TEST(thin_obstacles_stop_fast_surfaces)
{
  static const char *integrators[] = {"implicit-euler", "bdf2", "sdirk2", "newmark"};
  for (int m = 0; m < 4; m++) {
    follower in = ordinary();
    pl_body_id body;
    pl_setting plate[] = {{.name = "size", .value = {1, 1, 0.002}}};
    in.integrator = integrators[m];
    in.height = 0.5;
    in.velocity[2] = -20;
    pl_world *world = make(&in, &body);
    add_obstacle(world, "box", plate, 1, NULL);
    double least = INFINITY;
    for (int i = 0; i < (TEST_SANITIZED ? 8 : 40); i++) {
      CHECK_OK(pl_world_step(world, error));
      least = fmin(least, lowest(world, body));
    }
    printf("  %-15s lowest %.4f m\n", in.integrator, least);
    CHECK(least > 0);
    pl_world_destroy(world);
  }
}

/* Coulomb's friction: what slides is slowed by mu g, what lies on a slope of less than mu stays. */
TEST(surfaces_slide_and_stick)
{
  static const char *integrators[] = {"implicit-euler", "implicit-midpoint", "sdirk2"};
  if (TEST_SANITIZED) return;
  for (int m = 0; m < 3; m++) {
    follower in = ordinary();
    pl_body_id body;
    in.integrator = integrators[m];
    in.height = 0.05 + range;
    in.dt = 0.002;
    pl_world *world = make(&in, &body);
    add_floor(world, 0.3, 0);
    run_for(world, 0.5, in.dt);
    double x0 = mean_of(world, body, 0, 0), v[3 * POINTS];
    int nodes = pl_mesh_node_count(pl_world_body_mesh(world, body));
    for (int i = 0; i < 3 * nodes; i++) v[i] = i % 3 == 0 ? 1.0 : 0;
    CHECK_OK(pl_world_set_velocities(world, body, v, error));
    run_for(world, 0.2, in.dt);
    double speed = mean_of(world, body, 1, 0), way = mean_of(world, body, 0, 0) - x0;
    run_for(world, 0.6, in.dt);
    double rest = mean_of(world, body, 0, 0);
    run_for(world, 0.5, in.dt);
    double creep = mean_of(world, body, 0, 0) - rest;
    printf("  %-15s %.4f of %.4f m/s after 0.2 s, %.4f of %.4f m; creeps %.1e m\n", in.integrator,
           speed, 1 - 0.3 * g * 0.2, way, 0.2 - 0.3 * g * 0.02, creep);
    CHECK_NEAR(speed, 1 - 0.3 * g * 0.2, 0.03);
    CHECK_NEAR(way, 0.2 - 0.3 * g * 0.02, 0.01);
    CHECK_NEAR(creep, 0, 1e-6);
    pl_world_destroy(world);
  }
}

/* On a slope the static coefficient 0.55 holds below its angle; above it the kinetic one, 0.3,
 * acts.
 */
TEST(static_friction_holds_more_than_kinetic)
{
  if (TEST_SANITIZED) return;
  for (int c = 0; c < 2; c++) {
    const pl_setting floor[] = {{.name = "friction", .value = {0.3}},
                                {.name = "static-friction", .value = {0.55}}};
    follower in = ordinary();
    pl_body_id body;
    in.height = 0.05 + range;
    const double slope = atan(c ? 0.57 : 0.53);
    in.dt = 0.002;
    pl_world *world = make(&in, &body);
    add_obstacle(world, "plane", floor, 2, NULL);
    run_for(world, 0.5, in.dt);
    for (int i = 1; i <= 250; i++) {
      const double angle = slope * i / 250, down[3] = {g * sin(angle), 0, -g * cos(angle)};
      CHECK_OK(pl_world_set_gravity(world, down, error));
      CHECK_OK(pl_world_step(world, error));
    }
    run_for(world, 0.3, in.dt);
    double before = mean_of(world, body, 1, 0);
    run_for(world, 0.3, in.dt);
    double rate = (mean_of(world, body, 1, 0) - before) / 0.3;
    double slides = g * (sin(slope) - 0.3 * cos(slope));
    printf("  tan %.2f: %.4f m/s^2, sliding %.4f\n", tan(slope), rate, slides);
    CHECK_NEAR(rate, c ? slides : 0, 0.02 * slides);
    pl_world_destroy(world);
  }
}

/* Dropped from some height it comes back higher with restitution than without. */
TEST(surfaces_bounce)
{
  double highest[2];
  if (TEST_SANITIZED) return;
  for (int e = 0; e < 2; e++) {
    follower in = ordinary();
    pl_body_id body;
    in.height = 0.25;
    in.dt = 0.002;
    pl_world *world = make(&in, &body);
    add_floor(world, 0.3, e ? 0.8 : 0);
    run_for(world, 0.24, in.dt); // it has come down after 0.2 s
    highest[e] = 0;
    for (int i = 0; i < 150; i++) {
      CHECK_OK(pl_world_step(world, error));
      highest[e] = fmax(highest[e], mean_of(world, body, 0, 2) - 0.05);
    }
    printf("  restitution %.1f: up to %.4f m from 0.2 m\n", e ? 0.8 : 0.0, highest[e]);
    CHECK(highest[e] < 0.2);
    pl_world_destroy(world);
  }
  CHECK(highest[1] > 1.5 * highest[0]);
}

/* What begins inside comes out, not faster than 1 m/s. */
TEST(what_starts_deep_inside_comes_out_slowly)
{
  follower in = ordinary();
  pl_body_id body;
  double fastest = 0;
  in.height = 0;
  pl_world *world = make(&in, &body);
  add_floor(world, 0.3, 0);
  for (int i = 0; i < (TEST_SANITIZED ? 5 : 200); i++) {
    CHECK_OK(pl_world_step(world, error));
    fastest = fmax(fastest, mean_of(world, body, 1, 2));
  }
  printf("  at %.3f m/s to %.2f ranges above\n", fastest, lowest(world, body) / range);
  CHECK(fastest < 1.5);
  if (!TEST_SANITIZED) CHECK(lowest(world, body) > -range);
  pl_world_destroy(world);
}

static uint64_t hash_after(int threads, int saves)
{
  follower in = ordinary();
  pl_body_id body;
  in.threads = threads;
  in.velocity[0] = 0.5;
  pl_world *world = make(&in, &body);
  add_floor(world, 0.5, 0);
  run_for(world, 0.1, in.dt);
  if (saves) {
    // what happens in between is undone, friction's memory too
    size_t size = pl_world_state_size(world);
    void *state = malloc(size);
    CHECK_OK(pl_world_save_state(world, state, size, error));
    run_for(world, 0.03, in.dt);
    CHECK_OK(pl_world_load_state(world, state, size, error));
    free(state);
  }
  run_for(world, 0.1, in.dt);
  uint64_t hash = pl_world_state_hash(world);
  pl_world_destroy(world);
  return hash;
}

TEST(same_bits_for_any_number_of_threads_and_after_going_back)
{
  uint64_t one = hash_after(1, 0);
  CHECK(hash_after(2, 0) == one);
  CHECK(hash_after(3, 0) == one);
  CHECK(hash_after(1, 1) == one);
}

TESTS(X(every_integrator_stands_on_the_surface) X(every_model_stands_on_curved_and_moving_obstacles)
          X(thin_obstacles_stop_fast_surfaces) X(surfaces_slide_and_stick)
              X(static_friction_holds_more_than_kinetic) X(surfaces_bounce)
                  X(what_starts_deep_inside_comes_out_slowly)
                      X(same_bits_for_any_number_of_threads_and_after_going_back))
