/* Blocks of hexahedra in explicit steps against planes and each other, as users run them: Zhuang &
 * Canny 2000, section 4. */
// label: release
#include "pliant/scene.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>

#include "../world/acts.h"
#include "scene_test.h"

/* rule: NULL, or a sign, which the scheme of the paper has. */
static pl_scene *open_with(const char *name, const char *first, const char *second,
                           const char *rule)
{
  char path[4200];
  const char *source = getenv("PLIANT_SOURCE");
  const char *changes[] = {first, second, "contact.response=zhuang-canny", rule};
  snprintf(path, sizeof path, "%s/scenes/%s.xml", source ? source : ".", name);
  pl_scene_def def = pl_scene_def_default();
  def.path = path;
  def.changes = changes;
  def.change_count = rule ? 4 : 2;
  def.threads = 1;
  pl_scene *scene = NULL;
  CHECK_OK(pl_scene_load(&def, &scene, error));
  return scene;
}

static pl_scene *open_scene(const char *name, const char *first, const char *second)
{
  return open_with(name, first, second, NULL);
}

static double lowest(pl_world *world)
{
  static double x[3000];
  pl_body_id body = pl_world_body_at(world, 0);
  int n = pl_mesh_node_count(pl_world_body_mesh(world, body));
  double min = INFINITY;
  CHECK_OK(pl_world_get_positions(world, body, x, error));
  for (int i = 0; i < n; i++) min = fmin(min, x[3 * i + 2]);
  return min;
}

TEST(a_dropped_block_gains_no_energy_and_does_not_penetrate)
{
  static const char *const steps[] = {"world.dt=0.0025", "world.dt=0.0014", "world.dt=0.0003"};
  static const char *const methods[] = {"integrator.method=explicit-newmark",
                                        "integrator.method=verlet"};
  for (int i = 0; i < 6; i++) {
    pl_scene *scene = open_scene("hex-drop", steps[i / 2], methods[i % 2]);
    pl_world *world = pl_scene_world(scene);
    double first = energy_of(world), max = 0, deepest = 0;
    for (double t = 0; t < 0.25; t += pl_world_dt(world)) {
      CHECK_OK(pl_world_step(world, error));
      max = fmax(max, energy_of(world) - first);
      deepest = fmin(deepest, lowest(world));
    }
    printf("  %s, %s: gains %.1e of its energy, deepest %.1e m\n", steps[i / 2], methods[i % 2],
           max / first, deepest);
    CHECK(max < 1e-9 * first && deepest > -1e-6);
    pl_scene_destroy(scene);
  }
}

/* T7: the block falls through the floor, or apart, where the sign of (11) is the printed one, and
 * enters it by no more than two steps' way where it is corrected, three at 0.9 of the bound of 2.83
 * ms, where it gains energy and comes back faster. It arrives with 0.99 m/s; a prototype went 4.42,
 * 2.38 and 0.49 mm deep, which is 1.75 steps' way. */
TEST(the_papers_rule_fails_as_printed_and_holds_corrected)
{
  static const char *const steps[] = {"world.dt=0.00253", "world.dt=0.001415", "world.dt=0.000283"};
  static const char *const rules[] = {"contact.sign=corrected", "contact.sign=printed"};
  for (int i = 0; i < 6; i++) {
    pl_scene *scene =
        open_with("hex-drop", steps[i / 2], "integrator.method=explicit-newmark", rules[i % 2]);
    pl_world *world = pl_scene_world(scene);
    double dt = pl_world_dt(world), deepest = 0;
    pl_status status = PL_OK;
    for (double t = 0; t < 0.2 && !status && deepest > -0.1; t += dt) {
      status = pl_world_step(world, NULL);
      deepest = fmin(deepest, lowest(world));
    }
    printf("  %s, %s: deepest %.2e m%s\n", steps[i / 2], rules[i % 2], deepest,
           status ? ", the step fails" : "");
    if (i % 2)
      CHECK(status || deepest <= -0.1);
    else
      CHECK(!status && deepest > -(i ? 2 : 3) * dt * 0.99 && deepest < 0);
    pl_scene_destroy(scene);
  }
}

static double velocity_at(pl_world *world)
{
  static double v[3000];
  pl_body_id body = pl_world_body_at(world, 0);
  int n = pl_mesh_node_count(pl_world_body_mesh(world, body));
  double sum = 0;
  CHECK_OK(pl_world_get_velocities(world, body, v, error));
  for (int i = 0; i < n; i++) sum += v[3 * i] / n;
  return sum;
}

/* mu = 0.5; 0.8 of the element bound is 2.2 ms. */
TEST(a_block_on_an_incline_slides_by_coulombs_law_or_sticks)
{
  static const struct {
    const char *gravity;
    double expected;
  } rows[] = {{"world.gravity=4.1459 0 -8.8909", 0},
              {"world.gravity=4.6055 0 -8.6617", 0.2747},
              {"world.gravity=5.6268 0 -8.0359", 1.6088}};
  for (int i = 0; i < 3; i++) {
    pl_scene *scene = open_scene("hex-incline", rows[i].gravity, "world.dt=0.002");
    pl_world *world = pl_scene_world(scene);
    double half = 0;
    for (int k = 0; k < 500; k++) {
      CHECK_OK(pl_world_step(world, error));
      if (k == 249) half = velocity_at(world);
    }
    double acceleration = (velocity_at(world) - half) / 0.5;
    printf("  %s: %.4f of %.4f m/s^2\n", rows[i].gravity, acceleration, rows[i].expected);
    CHECK_NEAR(acceleration, rows[i].expected, 0.01 * rows[i].expected + 2e-3);
    pl_scene_destroy(scene);
  }
}

/* Along x. */
static double momentum_of(const pl_world *world)
{
  double sum = 0;
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    const double *v = world->state.v + 3 * body->offset;
    for (int i = 0; i < body->blocks; i++) sum += body->model->lumped_mass[i] * v[3 * i];
  }
  return sum;
}

TEST(two_blocks_keep_their_momentum)
{
  pl_scene *scene = open_scene("hex-blocks", "world.dt=0.001", "integrator.method=verlet");
  pl_world *world = pl_scene_world(scene);
  double first = energy_of(world), max = first, worst = 0;
  for (int k = 0; k < 300; k++) {
    CHECK_OK(pl_world_step(world, error));
    worst = fmax(worst, fabs(momentum_of(world) - 0.4));
    max = fmax(max, energy_of(world));
  }
  printf("  momentum off by %.1e of 0.4 Ns; energy at most %.6f of the first\n", worst,
         max / first);
  CHECK(worst < 1e-14 && max < first * (1 + 1e-6));
  pl_scene_destroy(scene);
}

TESTS(X(a_dropped_block_gains_no_energy_and_does_not_penetrate)
          X(the_papers_rule_fails_as_printed_and_holds_corrected)
              X(a_block_on_an_incline_slides_by_coulombs_law_or_sticks)
                  X(two_blocks_keep_their_momentum))
