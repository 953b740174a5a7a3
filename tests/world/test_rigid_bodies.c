/* Bodies of the model "rigid": tops and pendulums with every integrator, at rest on obstacles and
 * on each other, held, attached, saved and loaded. */
#include "math/vec3.h"
#include "pliant/world.h"
#include "world/world.h"

#include "bar.h"
#include "pendulum.h"

static pl_body_def rigid_like(const char *hinge, pl_setting settings[2])
{
  pl_body_def like = pl_body_def_default();
  settings[0] = (pl_setting){.name = "hinge", .word = hinge};
  like.model = (pl_choice){"rigid", settings, 1};
  return like;
}

/* ---- a top ---- */

static double lost_spin(const char *integrator, double dt, int kept, double *energy_lost)
{
  bar_def def = {.n = 1, .free = 1, .dt = dt, .integrator = integrator, .solver = 1e-12};
  pl_setting settings[2];
  pl_body_def like = rigid_like("none", settings);
  pl_world *world;
  pl_body_id body;
  like.keep_momentum = kept;
  pl_vec3_set(like.spin, 2, 0.1, 0.7);
  def.like = &like;
  bar_tighten(&def);
  CHECK_OK(bar_make(&def, &world, &body, error));
  double lost = turn_top(world, dt, energy_lost);
  pl_world_destroy(world);
  return lost;
}

TEST(a_free_top_keeps_its_momenta) { check_tops(lost_spin); }

/* ---- a pendulum ---- */

/* A bar of 1 x 0.25 x 0.25 m about an axis along z through the middle of its end. */
static double swing(const char *integrator, double dt, double time, double *energy_error)
{
  bar_def def = {.n = 1, .free = 1, .dt = dt, .gravity = {0, -9.81, 0}, .integrator = integrator};
  pl_setting settings[2];
  pl_body_def like = rigid_like("axis", settings);
  pl_world *world;
  pl_body_id body;
  settings[1] = (pl_setting){.name = "hinge-at", .value = {0, 0.125, 0.125}};
  like.model.setting_count = 2;
  def.like = &like;
  def.solver = 1e-12;
  bar_tighten(&def);
  CHECK_OK(bar_make(&def, &world, &body, error));
  double start = energy_of(world), worst = 0, m = 62.5;
  double inertia = m * (1.0 / 3 + 0.25 * 0.25 / 12);
  for (int i = 0; i < (int)(time / dt + 0.5); i++) {
    CHECK_OK(pl_world_step(world, error));
    if (i % 8 == 0) worst = fmax(worst, fabs(energy_of(world) - start) / (m * 9.81 * 0.5));
  }
  const double *q = world->state.q, *v = world->state.v;
  CHECK(q[3] == 0 && q[4] == 0.125 && q[5] == 0.125 && q[0] == 0 && q[1] == 0);
  CHECK(v[3] == 0 && v[4] == 0 && v[5] == 0);
  double angle = remainder(q[2] - exact_angle(m * 9.81 * 0.5 / inertia, time), 2 * M_PI);
  *energy_error = worst;
  pl_world_destroy(world);
  return fabs(angle);
}

TEST(every_integrator_swings_a_pendulum) { check_pendulums(TEST_SANITIZED ? 0.8 : 3, swing); }

/* Hinged at one end and hung on a spring at the other, it turns by tan a = m g / (2 k). */
TEST(statics_finds_where_it_hangs)
{
  bar_def def = {.n = 1, .free = 1, .gravity = {0, -9.81, 0}, .integrator = "static"};
  pl_setting settings[2];
  pl_body_def like = rigid_like("axis", settings);
  pl_world *world;
  pl_body_id body;
  pl_pull_def pull = pl_pull_def_default();
  settings[1] = (pl_setting){.name = "hinge-at", .value = {0, 0.125, 0.125}};
  like.model.setting_count = 2;
  def.like = &like;
  CHECK_OK(bar_make(&def, &world, &body, error));
  pl_vec3_set(pull.target, 1, 0.125, 0.125);
  CHECK_OK(pl_world_find_spot(world, body, pull.target, &pull.at, error));
  pull.stiffness = 1e3;
  CHECK_OK(pl_world_add_pull(world, &pull, NULL, error));
  for (int i = 0; i < 3; i++) CHECK_OK(pl_world_step(world, error));
  CHECK_NEAR(world->state.q[2], -atan(62.5 * 9.81 / 2e3), 1e-9);
  pl_world_destroy(world);
}

TESTS(X(a_free_top_keeps_its_momenta) X(every_integrator_swings_a_pendulum)
          X(statics_finds_where_it_hangs))
