/* Rigid bodies against obstacles and each other: friction's closed forms, rebounds, a belt, a
 * tower. */
// label: release
#include "math/vec3.h"
#include "pliant/world.h"
#include "world/world.h"

#include "test.h"

#define G 9.81

static pl_obstacle_id floor_id;

typedef struct setting {
  const char *integrator, *mesh;
  double dt, tilt; /* s, degrees: of gravity, towards x */
  double friction, restitution, height, speed, belt;
  double young;
  int threads;
} setting;

static pl_mesh *make_mesh(const char *name)
{
  pl_setting box[] = {{.name = "size", .value = {0.1, 0.1, 0.1}},
                      {.name = "origin", .value = {-0.05, -0.05, 0}},
                      {.name = "cells", .value = {2, 2, 2}},
                      {.name = "element", .word = "hex"}};
  pl_setting ball[] = {{.name = "radius", .value = {0.05}},
                       {.name = "centre", .value = {0, 0, 0.05}},
                       {.name = "cells", .value = {24}}};
  int is_ball = name && !strcmp(name, "sphere");
  pl_choice choice = {is_ball ? "sphere" : "box", is_ball ? ball : box, is_ball ? 3 : 4};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_generate(&choice, NULL, &mesh, error));
  return mesh;
}

static pl_body_id add_rigid(pl_world *world, const pl_mesh *mesh, const setting *in, double height)
{
  pl_setting hooke[] = {{.name = "young", .value = {in->young > 0 ? in->young : 1e9}},
                        {.name = "poisson", .value = {0.3}}};
  pl_body_def def = pl_body_def_default();
  pl_body_id body = {0};
  def.mesh = mesh;
  def.model = (pl_choice){.name = "rigid"};
  def.material.law = (pl_choice){"hooke", hooke, 2};
  def.translation[2] = height;
  def.velocity[0] = in->speed;
  CHECK_OK(pl_world_add_body(world, &def, &body, error));
  return body;
}

/* A floor at z = 0, and one body above it. */
static pl_world *make(const setting *in)
{
  pl_world_def def = pl_world_def_default();
  pl_world *world = NULL;
  double angle = in->tilt * M_PI / 180;
  pl_vec3_set(def.gravity, G * sin(angle), 0, -G * cos(angle));
  def.dt = in->dt > 0 ? in->dt : 2e-3;
  def.threads = in->threads ? in->threads : 1;
  def.integrator = (pl_choice){.name = in->integrator};
  pl_setting tight = {.name = "tolerance", .value = {1e-12}};
  def.solver = (pl_choice){"cg", &tight, 1};
  CHECK_OK(pl_world_create(&def, &world, error));
  pl_mesh *mesh = make_mesh(in->mesh);
  (void)add_rigid(world, mesh, in, in->height);
  pl_mesh_destroy(mesh);
  pl_setting surface[] = {{.name = "friction", .value = {in->friction}},
                          {.name = "restitution", .value = {in->restitution}}};
  pl_obstacle_def floor = pl_obstacle_def_default();
  pl_setting along = {.name = "velocity", .value = {in->belt, 0, 0}};
  pl_motion_def motion = {.motion = {"velocity", &along, 1}};
  floor.shape = (pl_choice){"plane", surface, 2};
  floor.motions = &motion;
  floor.motion_count = in->belt != 0;
  CHECK_OK(pl_world_add_obstacle(world, &floor, &floor_id, error));
  return world;
}

static void run(pl_world *world, double seconds)
{
  pl_world_facts facts;
  CHECK_OK(pl_world_measure(world, &facts, error));
  double end = facts.time + seconds;
  for (int i = 0; i < 1000000 && world->state.time < end - 1e-9; i++) {
    pl_status status = pl_world_step(world, NULL);
    CHECK(status == PL_OK);
    if (status) return;
  }
}

static const double *place(const pl_world *world) { return world->state.q + 3; }
static const double *speed(const pl_world *world) { return world->state.v + 3; }

/* ---- an incline ---- */

/* Settled on the level, then tilted: how far it has slid after 0.5 s, m. */
static double slid(const char *integrator, double tilt, double mu, double *velocity)
{
  setting in = {.integrator = integrator, .friction = mu};
  double angle = tilt * M_PI / 180, gravity[3] = {G * sin(angle), 0, -G * cos(angle)};
  pl_world *world = make(&in);
  run(world, 0.2); // in touch at first, it has risen to where it rests by then
  CHECK_OK(pl_world_set_gravity(world, gravity, error));
  run(world, 0.02);
  double from = place(world)[0], v = speed(world)[0];
  run(world, 0.5);
  double way = place(world)[0] - from;
  *velocity = (speed(world)[0] - v) / 0.5;
  pl_world_destroy(world);
  return way;
}

/* The limit of mu = 0.5 lies at 26.565 degrees. */
TEST(a_block_sticks_below_the_limit_angle_and_slides_above)
{
  double a, low = 25.8, high = 27.4;
  CHECK_NEAR(slid(NULL, 26, 0.5, &a), 0, 1e-6);
  (void)slid(NULL, 35, 0.5, &a);
  CHECK_NEAR(a, 1.6088, 0.005 * 1.6088);
  (void)slid(NULL, 28, 0.5, &a);
  CHECK_NEAR(a, 0.2747, 0.01 * 0.2747);
  while (high - low > 0.1) {
    double middle = 0.5 * (low + high);
    (void)slid(NULL, middle, 0.5, &a);
    if (a > 2e-3)
      high = middle;
    else
      low = middle;
  }
  CHECK_NEAR(0.5 * (low + high), 26.565, 0.1);
}

/* ---- a ball ---- */

static double energy(const pl_world *world)
{
  double v = speed(world)[2];
  return 0.5 * v * v + G * (place(world)[2] - 0.05);
}

/* Falls from 1 m: the part of its energy that it keeps at the first step in which it rises. It
 * has fallen for 0.45 s, and that is left out: implicit Euler takes 4 per cent in it with steps of
 * 10 ms. */
static double rebounds(const char *integrator, double e, double dt)
{
  setting in = {
      .integrator = integrator, .mesh = "sphere", .restitution = e, .height = 1, .dt = dt};
  pl_world *world = make(&in);
  double before = energy(world), now = before;
  for (int i = 0; i < (int)(0.6 / dt) && !(speed(world)[2] > 0); i++) {
    before = now;
    CHECK_OK(pl_world_step(world, error));
    now = energy(world);
  }
  int is_up = speed(world)[2] > 0;
  run(world, 0.1);
  CHECK(energy(world) < 1.001 * now); // and it does not gain later
  pl_world_destroy(world);
  return is_up ? now / before : 0;
}

TEST(a_ball_without_restitution_stays_where_it_falls)
{
  static const char *by[] = {"implicit-euler",
                             "implicit-midpoint",
                             "bdf2",
                             "newmark",
                             "generalised-alpha",
                             "sdirk2",
                             "verlet",
                             "rk4"};
  static const double steps[] = {1e-3, 1e-2};
  for (int i = 0; i < 8; i++) {
    double kept[2], most = 0;
    for (int d = 0; d < 2; d++) {
      setting in = {.integrator = by[i], .mesh = "sphere", .height = 1, .dt = steps[d]};
      pl_world *world = make(&in);
      run(world, 0.5); // it has landed after 0.45 s
      kept[d] = energy(world) / G;
      for (int k = 0; k < 5; k++) {
        run(world, 0.02);
        most = fmax(most, energy(world) / G);
      }
      pl_world_destroy(world);
    }
    printf("  %-18s %.4f, %.4f; later %.4f\n", by[i], kept[0], kept[1], most);
    CHECK(fabs(kept[0]) < 1e-3 && fabs(kept[1]) < 5e-3 && most < 5e-3);
  }
}

TEST(a_ball_rebounds_by_the_restitution)
{
  static const char *by[] = {"implicit-euler",
                             "semi-implicit",
                             "implicit-midpoint",
                             "bdf2",
                             "newmark",
                             "generalised-alpha",
                             "sdirk2",
                             "ros3w",
                             "verlet",
                             "explicit-newmark",
                             "rk4"};
  static const double es[] = {0.5, 1}, steps[] = {1e-3, 1e-2};
  for (int i = 0; i < (int)(sizeof by / sizeof *by); i++) {
    for (int d = 0; d < 2; d++) {
      double kept[2];
      for (int k = 0; k < 2; k++) kept[k] = rebounds(by[i], es[k], steps[d]);
      printf("  %-18s %g ms: %.4f, %.4f\n", by[i], 1e3 * steps[d], kept[0], kept[1]);
      for (int k = 0; k < 2; k++) CHECK_NEAR(kept[k], es[k] * es[k], 0.02 * es[k] * es[k]);
    }
  }
}

/* A cube that turns about an axis through one of its sides falls on the floor with a corner: what
 * strikes it leaves the hinge alone, and it keeps its energy with e = 1. */
TEST(a_hinged_cube_rebounds_about_its_axis)
{
  static const char *by[] = {"implicit-midpoint", "newmark", "bdf2"};
  for (int i = 0; i < 3; i++) {
    setting in = {.integrator = by[i], .restitution = 1, .height = 10, .dt = 2e-4};
    pl_world *world = make(&in); // with another one, far above
    pl_mesh *mesh = make_mesh("box");
    pl_setting hinge[] = {{.name = "hinge", .word = "axis"},
                          {.name = "hinge-at", .value = {-0.05, 0, 0.05}},
                          {.name = "hinge-axis", .value = {0, 1, 0}}};
    pl_setting hooke[] = {{.name = "young", .value = {1e9}}, {.name = "poisson", .value = {0.3}}};
    pl_body_def def = pl_body_def_default();
    pl_body_id body;
    def.mesh = mesh;
    def.model = (pl_choice){"rigid", hinge, 3};
    def.material.law = (pl_choice){"hooke", hooke, 2};
    def.translation[2] = 0.02;
    CHECK_OK(pl_world_add_body(world, &def, &body, error));
    const double *q = world->state.q, *v = world->state.v;
    double fastest = 0, back = 0;
    for (int k = 0; k < 500; k++) {
      CHECK_OK(pl_world_step(world, error));
      q = world->state.q + 6, v = world->state.v + 6;
      fastest = fmax(fastest, v[1]);
      back = fmax(back, -v[1]);
    }
    printf("  %-18s turns with %.4f, then %.4f rad/s\n", by[i], fastest, back);
    CHECK(fastest > 0.5);
    CHECK_NEAR(back, fastest, 0.01 * fastest); // gravity gives it 0.005 in the step before
    CHECK_NEAR(q[3], -0.05, 1e-12);
    CHECK_NEAR(q[5], 0.05, 1e-12);
    CHECK_NEAR(v[0], 0, 1e-12);
    CHECK_NEAR(v[3], 0, 1e-12);
    pl_mesh_destroy(mesh);
    pl_world_destroy(world);
  }
}

/* ---- a belt ---- */

TEST(a_belt_takes_a_block_along)
{
  setting in = {.friction = 0.4, .belt = 1, .dt = 1e-3, .height = 1.5e-4};
  pl_world *world = make(&in);
  run(world, 0.2);
  CHECK_NEAR(speed(world)[0], 0.4 * G * 0.2, 0.01 * 0.4 * G * 0.2);
  run(world, 0.2);
  CHECK_NEAR(speed(world)[0], 1, 1e-3);
  pl_world_destroy(world);
}

/* ---- a tower ---- */

TEST(a_tower_of_blocks_rests)
{
  setting in = {.friction = 0.5};
  pl_world *world = make(&in);
  pl_mesh *mesh = make_mesh("box");
  for (int k = 1; k < 4; k++) (void)add_rigid(world, mesh, &in, 0.101 * k);
  run(world, 1);
  double before = world->state.q[3 * 7 + 2], max = 0;
  CHECK(before > 0.35 && before < 0.354);
  run(world, 0.4);
  CHECK_NEAR(world->state.q[3 * 7 + 2], before, 1e-5);
  for (int i = 0; i < 24; i++) max = fmax(max, fabs(world->state.v[i]));
  CHECK(max < 0.02); // it still rings a little
  pl_obstacle_facts facts;
  CHECK_OK(pl_world_read_obstacle(world, floor_id, &facts, error));
  CHECK_NEAR(facts.force[2], 4 * G, 0.02 * 4 * G);
  pl_mesh_destroy(mesh);
  pl_world_destroy(world);
}

/* Two blocks that begin in touch with the floor and each other are lifted to the range, and not
 * thrown: neither is ever higher than that. */
TEST(blocks_that_begin_in_touch_are_not_thrown)
{
  static const double steps[] = {1e-3, 5e-3, 1e-2};
  for (int k = 0; k < 3; k++) {
    setting in = {.friction = 0.5, .dt = steps[k]};
    pl_contact_def contact = pl_contact_def_default();
    pl_world *world = make(&in);
    pl_mesh *mesh = make_mesh("box");
    contact.range = 2e-3;
    CHECK_OK(pl_world_set_contact(world, &contact, error));
    (void)add_rigid(world, mesh, &in, 0.1);
    double top[2] = {0};
    for (int i = 0; i < (int)(0.5 / steps[k]); i++) {
      CHECK_OK(pl_world_step(world, error));
      for (int b = 0; b < 2; b++) {
        const double *z = world->state.q + 3 * (2 * b + 1) + 2;
        top[b] = fmax(top[b], *z - 0.05 - 0.1 * b);
      }
    }
    printf("  steps of %g ms: %.3g and %.3g mm\n", 1e3 * steps[k], 1e3 * top[0], 1e3 * top[1]);
    CHECK(top[0] < 1.01 * contact.range && top[1] < 2.02 * contact.range);
    pl_mesh_destroy(mesh);
    pl_world_destroy(world);
  }
}

/* A block of group 1 that meets group 2 only falls through another of group 1. */
TEST(bodies_of_groups_that_do_not_meet_pass)
{
  for (int k = 0; k < 2; k++) {
    setting in = {.friction = 0.3};
    pl_world *world = make(&in);
    pl_mesh *mesh = make_mesh("box");
    pl_setting hooke[] = {{.name = "young", .value = {1e9}}, {.name = "poisson", .value = {0.3}}};
    pl_body_def def = pl_body_def_default();
    def.mesh = mesh;
    def.model = (pl_choice){.name = "rigid"};
    def.material.law = (pl_choice){"hooke", hooke, 2};
    def.translation[2] = 0.11;
    def.groups = 1;
    def.meets = k ? 2 : 0;
    CHECK_OK(pl_world_add_body(world, &def, NULL, error));
    world->bodies.list[0].contact.groups = 1; // before the first step
    run(world, 0.2);
    CHECK_NEAR(world->state.q[3 * 3 + 2], k ? 0.05 : 0.15, 2e-3);
    pl_mesh_destroy(mesh);
    pl_world_destroy(world);
  }
}

/* The same bits for any number of threads, and from a saved state on. */
TEST(bits_do_not_depend_on_threads_or_on_being_saved)
{
  uint64_t hashes[4];
  for (int k = 0; k < 4; k++) {
    setting in = {.friction = 0.3, .height = 0.02, .speed = 0.5, .threads = k == 3 ? 1 : 1 + k};
    pl_world *world = make(&in);
    pl_mesh *mesh = make_mesh("sphere");
    (void)add_rigid(world, mesh, &in, 0.14);
    run(world, 0.2);
    if (k == 3) {
      size_t size = pl_world_state_size(world);
      void *kept = malloc(size);
      CHECK_OK(pl_world_save_state(world, kept, size, error));
      run(world, 0.05);
      CHECK_OK(pl_world_load_state(world, kept, size, error));
      free(kept);
    }
    run(world, 0.2);
    hashes[k] = pl_world_state_hash(world);
    pl_mesh_destroy(mesh);
    pl_world_destroy(world);
  }
  CHECK(hashes[1] == hashes[0] && hashes[2] == hashes[0] && hashes[3] == hashes[0]);
}

TESTS(X(a_block_sticks_below_the_limit_angle_and_slides_above) X(a_ball_rebounds_by_the_restitution)
          X(a_ball_without_restitution_stays_where_it_falls)
              X(a_hinged_cube_rebounds_about_its_axis) X(a_belt_takes_a_block_along)
                  X(a_tower_of_blocks_rests) X(blocks_that_begin_in_touch_are_not_thrown)
                      X(bodies_of_groups_that_do_not_meet_pass)
                          X(bits_do_not_depend_on_threads_or_on_being_saved))
