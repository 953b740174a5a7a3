/* Bodies that meet each other and themselves. */
#include "couple/collision.h"
#include "math/vec3.h"
#include "ode/integrator.h"
#include "pliant/world.h"
#include "world/probe.h"

#include "test.h"

typedef struct meeting {
  double dt, gap, speed, offset; /* of the upper box above the lower: m, m/s downwards, m along x */
  double gravity[3], friction, young;
  int fixed, threads, off; /* the lower box is held below; contact is switched off */
  const char *integrator, *model;
  int attached, quads, linear; /* linear: one solve per pass in place of 20 iterations */
} meeting;

enum { MOST = 400 };

static pl_status add_box(pl_world *world, const meeting *in, int upper, pl_body_id *body,
                         pl_error *error)
{
  pl_setting box[] = {
      {.name = "size", .value = {upper ? 0.1 : 0.2, upper ? 0.1 : 0.2, 0.1}},
      {.name = "origin",
       .value = {upper ? 0.05 + in->offset : 0, 0.05 * upper, upper ? 0.1 + in->gap : 0}},
      {.name = "cells", .value = {upper ? 2 : 3, upper ? 2 : 3, 2}},
      {.name = "element", .word = in->quads ? "hex" : "tet5"}};
  pl_setting hooke[] = {{.name = "young", .value = {in->young > 0 ? in->young : 1e5}},
                        {.name = "poisson", .value = {0.3}}};
  pl_setting fem = {.name = "strain", .word = "corotated"};
  pl_mesh *mesh = NULL;
  pl_status status = pl_mesh_generate(&(pl_choice){"box", box, 4}, NULL, &mesh, error);
  pl_body_def def = pl_body_def_default();
  def.mesh = mesh;
  def.material.law = (pl_choice){"hooke", hooke, 2};
  def.model = upper && in->model ? (pl_choice){.name = in->model} : (pl_choice){"fem", &fem, 1};
  def.velocity[2] = upper ? -in->speed : 0;
  if (!status) status = pl_world_add_body(world, &def, body, error);
  pl_mesh_destroy(mesh);
  return status;
}

/* A small box above a larger one. */
static pl_world *make(const meeting *in, pl_body_id bodies[2])
{
  pl_world_def def = pl_world_def_default();
  pl_world *world = NULL;
  def.dt = in->dt > 0 ? in->dt : 0.005;
  def.threads = in->threads ? in->threads : 1;
  memcpy(def.gravity, in->gravity, sizeof def.gravity);
  pl_setting newton[] = {{.name = "newton", .value = {20}},
                         {.name = "newton-tolerance", .value = {1e-10}}};
  def.integrator = (pl_choice){
      .name = in->integrator,
      .settings = newton,
      .setting_count =
          in->integrator && !in->linear && !strncmp(in->integrator, "implicit-", 9) ? 2 : 0};
  pl_setting tight = {.name = "tolerance", .value = {1e-12}};
  def.solver = (pl_choice){"cg", &tight, 1};
  CHECK_OK(pl_world_create(&def, &world, error));
  if (!world) return NULL;
  for (int upper = 0; upper < 2; upper++)
    CHECK_OK(add_box(world, in, upper, &bodies[upper], error));
  pl_contact_def contact = pl_contact_def_default();
  contact.response.name = "constraint"; // whose coupling is looked at, with explicit methods too
  contact.friction = in->friction;
  contact.between_bodies = !in->off;
  CHECK_OK(pl_world_set_contact(world, &contact, error));
  pl_selector low = {.region = {.name = "box"}};
  pl_setting where[] = {{.name = "min", .value = {-1, -1, -1}},
                        {.name = "max", .value = {1, 1, 1e-6}}};
  low.region.settings = where;
  low.region.setting_count = 2;
  pl_fix_def fix = pl_fix_def_default();
  fix.where = &low;
  fix.where_count = 1;
  if (in->fixed) CHECK_OK(pl_world_add_fix(world, bodies[0], &fix, NULL, error));
  return world;
}

static void read_momenta(pl_world *world, double P[3], double L[3])
{
  memset(P, 0, 3 * sizeof *P);
  memset(L, 0, 3 * sizeof *L);
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    for (int i = 0; i < body->blocks; i++) {
      const double *x = world->state.q + 3 * (body->offset + i),
                   *v = world->state.v + 3 * (body->offset + i);
      double m = body->model->lumped_mass[i], l[3];
      pl_vec3_cross(x, v, l);
      pl_vec3_add_scaled(m, v, P);
      pl_vec3_add_scaled(m, l, L);
    }
  }
}

static double mean(pl_world *world, pl_body_id body, int axis)
{
  static double q[3 * MOST];
  int count = pl_mesh_node_count(pl_world_body_mesh(world, body));
  double sum = 0;
  CHECK_OK(pl_world_get_positions(world, body, q, error));
  for (int i = 0; i < count; i++) sum += q[3 * i + axis] / count;
  return sum;
}

/* The least gap of all pairs, m. */
static double min_gap(pl_world *world)
{
  const pl_collision *at = (pl_collision *)probe_coupling(world, &pl_coupling_collision, 0);
  double min = INFINITY, w[4], n[3];
  for (size_t i = 0; i < at->pair_count; i++)
    min = fmin(min, pl_collision_gap(&at->pairs[i], at->x, w, n));
  return min;
}

/* Derivatives of the gap by the points' places: the weights times the normal. */
TEST(the_gap_has_the_derivatives_that_forces_use)
{
  const struct {
    pl_contact_kind kind;
    int params;
    double weights[4];
  } cases[] = {{PL_POINT_TRIANGLE, 2, {1, -0.2, -0.3, -0.5}},
               {PL_POINT_TRIANGLE, 1, {1, -0.4, 0, -0.6}},
               {PL_POINT_TRIANGLE, 0, {1, 0, -1, 0}},
               {PL_EDGE_EDGE, 2, {0.5, 0.5, -0.5, -0.5}}};
  double x[12];
  for (int c = 0; c < 4; c++) {
    for (int i = 0; i < 12; i++) x[i] = sin(3.7 * i + 1.3 * c);
    pl_collision_pair pair = {
        .kind = cases[c].kind, .params = cases[c].params, .points = {0, 1, 2, 3}, .sign = -1};
    memcpy(pair.weights, cases[c].weights, sizeof pair.weights);
    double w[4], n[3], other[4], normal[3], sum = 0;
    pl_collision_gap(&pair, x, w, n);
    for (int i = 0; i < 4; i++) sum += w[i];
    CHECK_NEAR(sum, 0, 1e-15);
    for (int k = 0; k < 12; k++) {
      double h = 1e-5, keep = x[k];
      x[k] = keep + h;
      double up = pl_collision_gap(&pair, x, other, normal);
      x[k] = keep - h;
      double down = pl_collision_gap(&pair, x, other, normal);
      x[k] = keep;
      CHECK_NEAR((up - down) / (2 * h), w[k / 3] * n[k % 3], 1e-7);
    }
  }
}

TEST(the_law_is_twice_differentiable)
{
  const double gaps[] = {-0.02, -1e-9, 1e-9, 0.003, 0.0099, 0.0101};
  for (int i = 0; i < 6; i++) {
    double push, slope, up, down, ignored, h = 1e-6;
    pl_collision_law(gaps[i], 0.01, &push, &slope);
    double above = pl_collision_law(gaps[i] + h, 0.01, &up, &ignored);
    double below = pl_collision_law(gaps[i] - h, 0.01, &down, &ignored);
    CHECK_NEAR(-(above - below) / (2 * h), push, 1e-8);
    CHECK_NEAR(-(up - down) / (2 * h), slope, 1e-3);
  }
}

/* Off the middle, so that both turn; midpoint keeps both momenta of forces without torque. */
TEST(free_bodies_that_collide_keep_their_momenta)
{
  const meeting in = {
      .gap = 0.02, .speed = 1, .offset = 0.06, .integrator = "implicit-midpoint", .dt = 0.002};
  pl_body_id bodies[2];
  pl_world *world = make(&in, bodies);
  double P0[3], L0[3], P[3], L[3];
  read_momenta(world, P0, L0);
  int touched = 0;
  for (int i = 0; i < 50; i++) {
    CHECK_OK(pl_world_step(world, error));
    touched |=
        (int)((pl_collision *)probe_coupling(world, &pl_coupling_collision, 0))->pair_count > 0;
  }
  read_momenta(world, P, L);
  CHECK(touched);
  for (int k = 0; k < 3; k++) {
    CHECK_NEAR(P[k], P0[k], 1e-9);
    CHECK_NEAR(L[k], L0[k], 1e-9);
  }
  // the upper one bounces back
  CHECK(world->state.v[3 * world->bodies.list[1].offset + 2] > -0.5);
  pl_world_destroy(world);
}

TEST(implicit_euler_gains_no_energy_in_a_collision)
{
  const meeting in = {.gap = 0.02, .speed = 2, .offset = 0.06, .integrator = "implicit-euler"};
  pl_body_id bodies[2];
  pl_world *world = make(&in, bodies);
  pl_world_facts facts;
  double before = INFINITY;
  for (int i = 0; i < 60; i++) {
    CHECK_OK(pl_world_step(world, error));
    CHECK_OK(pl_world_measure(world, &facts, error));
    double energy = facts.kinetic_energy + facts.elastic_energy;
    for (int b = 0; b < 2; b++) {
      pl_coupling *c = probe_coupling(world, &pl_coupling_collision, 0);
      energy += c->ops->energy(c, world->state.q, b);
    }
    CHECK(energy <= before * (1 + 1e-6));
    before = energy;
  }
  pl_world_destroy(world);
}

/* Every integrator: the box falls on the other and stays there. */
TEST(no_integrator_lets_bodies_through)
{
  const pl_member *const *members = pl_integrator_family.members;
  for (; *members; members++) {
    const pl_integrator_ops *ops = (const pl_integrator_ops *)(const void *)*members;
    if (ops->is_static || ops->needs_damping) continue;
    const meeting in = {.gap = 0.005,
                        .gravity = {0, 0, -9.81},
                        .fixed = 1,
                        .integrator = (*members)->name,
                        .dt = ops->is_implicit ? 0.005 : 2e-4,
                        .friction = 0.3};
    pl_body_id bodies[2];
    pl_world *world = make(&in, bodies);
    // it touches after 0.03 s
    int steps = (ops->is_implicit ? 60 : 600) / (TEST_SANITIZED ? 3 : 1);
    double deepest = 0;
    for (int i = 0; i < steps; i++) {
      pl_error error = {0};
      if (pl_world_step(world, &error)) {
        printf("%s: %s\n", (*members)->name, error.message);
        CHECK(0);
        break;
      }
      deepest = fmax(deepest, -min_gap(world));
    }
    // a midpoint method sees contact in the middle of its steps only, and goes on from there
    CHECK(deepest < (strstr((*members)->name, "midpoint") ? 0.01 : 0.003));
    double height = mean(world, bodies[1], 2);
    int stays = height > 0.14 && height < (TEST_SANITIZED ? 0.2 : 0.18); // some bounce longer
    if (!stays) printf("  %s: at %g m\n", (*members)->name, height);
    CHECK(stays);
    pl_world_destroy(world);
  }
}

/* On a block whose gravity is tilted: sticks below the angle of friction and does not creep, slides
 * above it with g (sin - mu cos). */
typedef struct landing {
  double deepest, up; /* least gap of all pairs, m; momentum after it has turned, Ns */
} landing;

static landing land(const meeting *in)
{
  pl_body_id bodies[2];
  pl_world *world = make(in, bodies);
  landing of = {.deepest = INFINITY};
  double P[3], L[3], end = 3 * in->gap / in->speed + 0.15;
  for (double t = 0; t < end; t += in->dt) {
    CHECK_OK(pl_world_step(world, error));
    read_momenta(world, P, L);
    of.deepest = fmin(of.deepest, min_gap(world));
    of.up = fmax(of.up, P[2]);
  }
  pl_world_destroy(world);
  return of;
}

/* A box of 1 kg on one that is held below: one linear solve per pass stops it in the step in which
 * it comes, and gives it back what Newton's method does, to a ninth of what it came with; steps of
 * 10 ms, of which a collision takes six, to a quarter. */
TEST(one_linear_solve_lets_nothing_in_and_returns_the_rebound)
{
  const double speeds[] = {0.5, 1, 2}, steps[] = {0.0025, 0.005, 0.01};
  for (int i = 0; i < 9; i++) {
    meeting in = {.gap = 0.02,
                  .speed = speeds[i / 3],
                  .dt = steps[i % 3],
                  .fixed = 1,
                  .integrator = "implicit-euler"};
    landing newton = land(&in);
    in.linear = 1;
    landing linear = land(&in);
    printf("  %.1f m/s, %.1f ms: deepest %.2e and %.2e m, rebound %.4f and %.4f of %.1f Ns\n",
           in.speed, 1e3 * in.dt, newton.deepest, linear.deepest, newton.up, linear.up, in.speed);
    CHECK(linear.deepest > 0);
    CHECK_NEAR(linear.up, newton.up, (in.dt > 0.005 ? 0.25 : 0.11) * in.speed);
  }
}

TEST(friction_between_bodies_is_coulombs)
{
  const double mu = 0.5, angles[] = {20, 35};
  for (int a = 0; a < 2; a++) {
    double slope = angles[a] * M_PI / 180;
    const meeting in = {.gap = 0.0002,
                        .gravity = {9.81 * sin(slope), 0, -9.81 * cos(slope)},
                        .fixed = 1,
                        .friction = mu,
                        .young = 1e6,
                        .offset = -0.04,
                        .dt = 0.002};
    pl_body_id bodies[2];
    pl_world *world = make(&in, bodies);
    for (int i = 0; i < 50; i++) CHECK_OK(pl_world_step(world, error));
    double x = mean(world, bodies[1], 0), P[3], L[3], before, t = 0.1;
    read_momenta(world, P, L);
    before = P[0];
    for (int i = 0; i < 50; i++) CHECK_OK(pl_world_step(world, error));
    read_momenta(world, P, L);
    double mass = 1, moved = mean(world, bodies[1], 0) - x;
    if (a == 0) CHECK_NEAR(moved, 0, 1e-5);
    double expected = 9.81 * (sin(slope) - mu * cos(slope)) * t * mass;
    if (a == 1) CHECK_NEAR(P[0] - before, expected, 0.05 * expected);
    pl_world_destroy(world);
  }
}

static uint64_t run(const meeting *in, int steps, int split)
{
  pl_body_id bodies[2];
  pl_world *world = make(in, bodies);
  unsigned char *state = NULL;
  size_t size = 0;
  for (int i = 0; i < steps; i++) {
    if (split && i == steps / 2) {
      size = pl_world_state_size(world);
      state = malloc(size);
      CHECK_OK(pl_world_save_state(world, state, size, error));
      for (int k = 0; k < 5; k++) CHECK_OK(pl_world_step(world, error));
      CHECK_OK(pl_world_load_state(world, state, size, error));
    }
    CHECK_OK(pl_world_step(world, error));
  }
  uint64_t hash = pl_world_state_hash(world);
  free(state);
  pl_world_destroy(world);
  return hash;
}

TEST(bits_do_not_depend_on_threads_or_on_saving)
{
  meeting in = {.gap = 0.004, .gravity = {1, 0, -9.81}, .fixed = 1, .friction = 0.4};
  uint64_t hash = run(&in, 40, 0);
  CHECK(run(&in, 40, 1) == hash);
  const int threads[] = {2, 3, 8};
  for (int i = 0; i < 3; i++) {
    in.threads = threads[i];
    CHECK(run(&in, 40, i == 0) == hash);
  }
}

/* Models that carry their nodes by frames, and hexahedra. */
TEST(every_model_touches)
{
  const char *const models[] = {"fem", "springs", "frames"};
  for (int m = 0; m < 4; m++) {
    const meeting in = {.gap = 0.002,
                        .gravity = {0, 0, -9.81},
                        .fixed = 1,
                        .model = m < 3 ? models[m] : NULL,
                        .quads = m == 3};
    pl_body_id bodies[2];
    pl_world *world = make(&in, bodies);
    for (int i = 0; i < 60; i++) CHECK_OK(pl_world_step(world, error));
    double height = mean(world, bodies[1], 2);
    CHECK(height > 0.14 && height < 0.16);
    pl_world_destroy(world);
  }
}

TEST(contact_between_bodies_can_be_switched_off)
{
  const meeting in = {.gap = 0.002, .gravity = {0, 0, -9.81}, .fixed = 1, .off = 1};
  pl_body_id bodies[2];
  pl_world *world = make(&in, bodies);
  for (int i = 0; i < 40; i++) CHECK_OK(pl_world_step(world, error));
  CHECK(mean(world, bodies[1], 2) < 0.1);
  CHECK(probe_count(world, &pl_coupling_collision) == 0);
  // and on again, while one is inside the other: it is pushed out without an explosion
  pl_contact_def def = pl_contact_def_default();
  CHECK_OK(pl_world_set_contact(world, &def, error));
  for (int i = 0; i < 40; i++) CHECK_OK(pl_world_step(world, error));
  pl_world_facts facts;
  CHECK_OK(pl_world_measure(world, &facts, error));
  CHECK(facts.kinetic_energy < 10);
  pl_world_destroy(world);
}

typedef struct patience {
  int asked, end_at; /* the question to which the answer is no; 0: none */
} patience;

static int lose_patience(void *context, double time)
{
  patience *p = context;
  (void)time;
  return ++p->asked == p->end_at;
}

/* One step of boxes that fly through each other's place, by a method without linear systems. */
static pl_status fly(int off, patience *p, uint64_t *after)
{
  pl_body_id bodies[2];
  pl_world *world = make(
      &(meeting){.dt = 1e-5, .gap = 0.1, .speed = 3e4, .integrator = "verlet", .off = off}, bodies);
  uint64_t before = pl_world_state_hash(world);
  pl_world_set_watcher(world, &(pl_watcher){.ask = lose_patience, .context = p});
  pl_status status = pl_world_step(world, NULL);
  if (status) CHECK(pl_world_state_hash(world) == before);
  pl_world_set_watcher(world, NULL);
  if (status) CHECK_OK(pl_world_step(world, error));
  *after = pl_world_state_hash(world);
  pl_world_destroy(world);
  return status;
}

TEST(the_search_for_contact_can_be_cancelled)
{
  patience alone = {0}, together = {0};
  uint64_t whole, other;
  CHECK(fly(1, &alone, &other) == PL_OK && fly(0, &together, &whole) == PL_OK);
  CHECK(together.asked > alone.asked + 3);
  for (int k = 1; k <= together.asked; k++) {
    patience p = {.end_at = k};
    CHECK(fly(0, &p, &other) == PL_E_CANCELLED && p.asked == k && other == whole);
  }
}

TEST(bad_numbers_of_contact_are_refused)
{
  const meeting in = {.gap = 0.002};
  pl_body_id bodies[2];
  pl_world *world = make(&in, bodies);
  pl_contact_def def = pl_contact_def_default();
  def.friction = -1;
  CHECK_FAILS(pl_world_set_contact(world, &def, error), PL_E_ARGUMENT,
              "friction of contact = -1 must lie between 0 and 1000");
  def = pl_contact_def_default();
  def.range = NAN;
  CHECK_FAILS(pl_world_set_contact(world, &def, error), PL_E_ARGUMENT, "range of contact");
  def.cookie = 0;
  CHECK_FAILS(pl_world_set_contact(world, &def, error), PL_E_ARGUMENT, "pl_contact_def_default");
  pl_world_destroy(world);
}

TESTS(X(the_gap_has_the_derivatives_that_forces_use) X(the_law_is_twice_differentiable)
          X(free_bodies_that_collide_keep_their_momenta)
              X(implicit_euler_gains_no_energy_in_a_collision) X(no_integrator_lets_bodies_through)
                  X(one_linear_solve_lets_nothing_in_and_returns_the_rebound)
                      X(friction_between_bodies_is_coulombs)
                          X(bits_do_not_depend_on_threads_or_on_saving) X(every_model_touches)
                              X(contact_between_bodies_can_be_switched_off)
                                  X(the_search_for_contact_can_be_cancelled)
                                      X(bad_numbers_of_contact_are_refused))
