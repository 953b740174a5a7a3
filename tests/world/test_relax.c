/* Integrators that relax relations: stiffness by compliance, the same bits for any number of
 * threads, momentum, and what the order of the sweeps does. */
// label: long
#include "math/vec3.h"
#include "mesh/grid.h"
#include "pliant/world.h"
#include "world/world.h"

#include "acts.h"
#include "obstacles.h"
#include "test.h"

typedef struct scene {
  const char *integrator, *order;
  int m, n, threads, reach, sweeps, substeps;
  double dt, gravity[3], stiffness, damping, mass, mass_damping, spin;
  const char *held;
} scene;

typedef struct stage {
  pl_world *world;
  pl_body_id body;
  const pl_mesh *mesh;
  double *x;
} stage;

static void add_sheet(const scene *s, stage *on)
{
  pl_setting hooke[] = {{.name = "young", .value = {1e6}}, {.name = "poisson", .value = {0.3}}};
  pl_setting lattice[] = {{"m", {s->m}, NULL}, {"n", {s->n}, NULL}, {"size", {1, 1, 1}, NULL}};
  pl_setting model[] = {{"reach", {s->reach ? s->reach : 1}, NULL},
                        {"stiffness", {s->stiffness}, NULL},
                        {"damping", {s->damping}, NULL},
                        {"mass", {s->mass}, NULL}};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_generate(&(pl_choice){"lattice", lattice, 3}, NULL, &mesh, error));
  pl_body_def def = pl_body_def_default();
  def.mesh = mesh;
  def.material.law = (pl_choice){"hooke", hooke, 2};
  def.material.mass_damping = s->mass_damping;
  def.model = (pl_choice){"relations", model, 4};
  def.spin[2] = s->spin;
  CHECK_OK(pl_world_add_body(on->world, &def, &on->body, error));
  pl_mesh_destroy(mesh);
  if (!s->held) return;
  CHECK_OK(fix_set(on->world, on->body, s->held, error));
}

static stage make(const scene *s)
{
  stage on = {0};
  pl_world_def def = pl_world_def_default();
  pl_setting relax[] = {{"sweeps", {s->sweeps}, NULL},
                        {"order", {0}, s->order ? s->order : "colours"},
                        {"substeps", {s->substeps}, NULL}};
  def.dt = s->dt;
  def.threads = s->threads ? s->threads : 1;
  memcpy(def.gravity, s->gravity, sizeof def.gravity);
  def.integrator.name = s->integrator;
  def.integrator.settings = relax;
  def.integrator.setting_count = !strcmp(s->integrator, "xpbd")     ? 3
                                 : !strcmp(s->integrator, "sticks") ? 2
                                                                    : 0;
  CHECK_OK(pl_world_create(&def, &on.world, error));
  add_sheet(s, &on);
  on.mesh = pl_world_body_mesh(on.world, on.body);
  on.x = malloc(3 * (size_t)on.mesh->node_count * sizeof *on.x);
  return on;
}

static void go(stage *on, int steps)
{
  for (int i = 0; i < steps; i++) CHECK_OK(pl_world_step(on->world, error));
  CHECK_OK(pl_world_get_positions(on->world, on->body, on->x, error));
}

static const double *particle(const stage *on, int m, int n)
{
  return on->x + 3 * pl_grid_node(on->mesh->grid, (int[3]){m, n, 0});
}

static void end(stage *on)
{
  pl_world_destroy(on->world);
  free(on->x);
}

/* Two chains of five sticks hang: the one under i masses is longer by i m g / k, at every step. */
TEST(compliance_and_not_the_step_decides_how_far_a_chain_stretches)
{
  static const double steps[] = {1.0 / 60, 1.0 / 240};
  for (int i = 0; i < 2; i++) {
    scene s = {.integrator = "xpbd",
               .m = 2,
               .n = 6,
               .sweeps = 1,
               .substeps = 20,
               .dt = steps[i],
               .gravity = {0, -9.81, 0},
               .stiffness = 500,
               .damping = 1,
               .mass = 0.1,
               .mass_damping = 2,
               .held = "n1"};
    stage on = make(&s);
    go(&on, (int)(8 / steps[i]));
    double expected = 15 * 0.1 * 9.81 / 500;
    CHECK_NEAR(-0.5 - particle(&on, 0, 0)[1], expected, 0.02 * expected);
    end(&on);
  }
}

/* One particle on one stick, one sweep in a step: between two half kicks of gravity implicit Euler
 * of the damped oscillator m s'' = -k s - c s', exactly. */
static void check_damped(const char *order, double tolerance)
{
  const double k = 500, c = 3, m = 0.1, h = 0.01, g = 9.81;
  scene s = {.integrator = "xpbd",
             .order = order,
             .m = 2,
             .n = 2,
             .sweeps = 1,
             .substeps = 1,
             .dt = h,
             .gravity = {0, -g, 0},
             .stiffness = k,
             .damping = c,
             .mass = m,
             .held = "n1"};
  stage on = make(&s);
  double length = 0, rate = 0;
  for (int i = 0; i < 20; i++) {
    rate += 0.5 * h * g;
    double next = (m * (length + h * rate) / (h * h) + c * length / h) / (m / (h * h) + k + c / h);
    rate = (next - length) / h + 0.5 * h * g;
    length = next;
    go(&on, 1);
    CHECK_NEAR(-0.5 - particle(&on, 0, 0)[1], length, tolerance);
  }
  end(&on);
}

TEST(a_damped_stick_is_a_damped_oscillator)
{
  check_damped("colours", 1e-12);
  // the stick between both particles sees one of them moved before the other
  check_damped("natural", 1e-9);
}

/* What cannot stretch has nothing to damp. */
TEST(sticks_do_not_see_the_damping)
{
  double ends[2][3];
  for (int i = 0; i < 2; i++) {
    scene s = {.integrator = "sticks",
               .m = 2,
               .n = 6,
               .sweeps = 3,
               .dt = 0.01,
               .gravity = {1, -9.81, 0},
               .stiffness = 500,
               .damping = 20 * i,
               .mass = 0.1,
               .held = "n1"};
    stage on = make(&s);
    go(&on, 20);
    memcpy(ends[i], particle(&on, 0, 0), sizeof ends[i]);
    end(&on);
  }
  for (int k = 0; k < 3; k++) CHECK(ends[0][k] == ends[1][k]);
}

static const scene cloth = {.integrator = "xpbd",
                            .m = 20,
                            .n = 20,
                            .reach = 2,
                            .sweeps = 1,
                            .substeps = 10,
                            .dt = 0.01,
                            .gravity = {0, 0, -9.81},
                            .stiffness = 200,
                            .damping = 0.02,
                            .mass = 5e-4,
                            .mass_damping = 1,
                            .held = "n1"};

TEST(same_bits_for_any_number_of_threads)
{
  static const int threads[] = {1, 2, 4};
  static const char *const methods[] = {"xpbd", "sticks"};
  for (int m = 0; m < 2; m++) {
    uint64_t first = 0;
    for (int i = 0; i < 3; i++) {
      scene s = cloth;
      s.integrator = methods[m];
      s.threads = threads[i];
      stage on = make(&s);
      go(&on, 30);
      uint64_t hash = pl_world_state_hash(on.world);
      if (i == 0) first = hash;
      CHECK(hash == first);
      end(&on);
    }
  }
}

/* The same relations by implicit Euler: both come to the same rest. */
TEST(relaxation_and_newton_rest_in_the_same_place)
{
  scene s = cloth;
  s.m = s.n = 8;
  s.stiffness = 50;
  s.mass = 2e-3;
  s.mass_damping = 4;
  s.substeps = 20;
  stage relaxed = make(&s);
  s.integrator = "implicit-euler";
  stage solved = make(&s);
  go(&relaxed, 600);
  go(&solved, 600);
  for (int i = 0; i < 3 * solved.mesh->node_count; i++) CHECK_NEAR(relaxed.x[i], solved.x[i], 2e-3);
  CHECK(particle(&solved, 0, 0)[2] < -0.9);
  end(&relaxed);
  end(&solved);
}

/* A spinning sheet that nothing holds keeps its momenta: corrections act on both ends alike. */
TEST(relaxation_keeps_momentum)
{
  scene s = cloth;
  s.held = NULL;
  s.spin = 3;
  s.mass_damping = 0;
  s.gravity[2] = 0;
  stage on = make(&s);
  go(&on, 100);
  double *v = malloc(3 * (size_t)on.mesh->node_count * sizeof *v), sum[3] = {0}, turn = 0, full = 0;
  CHECK_OK(pl_world_get_velocities(on.world, on.body, v, error));
  for (int i = 0; i < on.mesh->node_count; i++) {
    double cross[3];
    pl_vec3_add(sum, v + 3 * i, sum);
    pl_vec3_cross(on.x + 3 * i, v + 3 * i, cross);
    turn += cross[2];
    pl_vec3_cross(on.mesh->nodes + 3 * i,
                  (double[3]){-3 * on.mesh->nodes[3 * i + 1], 3 * on.mesh->nodes[3 * i], 0}, cross);
    full += cross[2];
  }
  for (int k = 0; k < 3; k++) CHECK_NEAR(sum[k], 0, 1e-9);
  CHECK_NEAR(turn, full, 0.02 * full);
  free(v);
  end(&on);
}

/* The plate of 5.2.3, held at its middle: sweeps in the order given turn it for ever, by colours
 * hardly. */
static double turned(const char *order)
{
  scene s = {.integrator = "sticks",
             .order = order,
             .m = 9,
             .n = 9,
             .reach = 5,
             .sweeps = 10,
             .dt = 0.01,
             .gravity = {0, 0, -9.82},
             .stiffness = 1e4,
             .damping = 0,
             .mass = 1,
             .mass_damping = 0.85,
             .held = "[4,4]"};
  stage on = make(&s);
  go(&on, 1000);
  const double *corner = particle(&on, 8, 8);
  double angle = atan2(corner[1], corner[0]) - atan2(0.5, 0.5);
  end(&on);
  return fabs(angle);
}

TEST(the_order_of_the_sweep_turns_the_plate)
{
  double natural = turned("natural"), colours = turned("colours");
  printf("  %.3g and %.3g rad\n", natural, colours);
  CHECK(natural > 1e-3);
  CHECK(colours < 0.1 * natural);
}

/* A sheet of rigid sticks slides down a plane: four sticks at once, or one after the other in the
 * order given. Returns how far its centre has moved in x. */
static double slid(const char *order)
{
  const pl_setting plane[] = {{.name = "point", .value = {0, 0, -0.1}},
                              {.name = "normal", .value = {0.1, 0, 1}}};
  scene s = cloth;
  s.integrator = "sticks";
  s.order = order;
  s.m = s.n = 8;
  s.sweeps = 40;
  s.mass_damping = 0;
  s.held = NULL;
  stage on = make(&s);
  add_obstacle(on.world, "plane", plane, 2, NULL);
  double before = 0, after = 0, worst = 0;
  CHECK_OK(pl_world_get_positions(on.world, on.body, on.x, error));
  for (int i = 0; i < 64; i++) before += on.x[3 * i] / 64;
  go(&on, 60);
  for (int i = 0; i < 64; i++) {
    after += on.x[3 * i] / 64;
    CHECK(0.1 * on.x[3 * i] + on.x[3 * i + 2] + 0.1 > -1e-6);
  }
  for (int i = 0; i < 7; i++)
    worst =
        fmax(worst, fabs(7 * pl_vec3_distance(particle(&on, i, 3), particle(&on, i + 1, 3)) - 1));
  CHECK(worst < 1e-3);
  end(&on);
  return after - before;
}

/* Without friction g sin cos t^2 / 2 in x once the sheet lies on the plane: 0.175 m in 0.6 s, less
 * what it falls before. The sticks do not change how the centre moves, so the order does not. */
TEST(sticks_slide_on_an_obstacle)
{
  double natural = slid("natural"), colours = slid("colours");
  printf("  %.6g and %.6g m\n", natural, colours);
  CHECK(colours > 0.08 && colours < 0.18);
  CHECK_NEAR(natural, colours, 2e-3);
}

TESTS(X(compliance_and_not_the_step_decides_how_far_a_chain_stretches)
          X(a_damped_stick_is_a_damped_oscillator) X(sticks_do_not_see_the_damping)
              X(same_bits_for_any_number_of_threads) X(relaxation_and_newton_rest_in_the_same_place)
                  X(relaxation_keeps_momentum) X(the_order_of_the_sweep_turns_the_plate)
                      X(sticks_slide_on_an_obstacle))
