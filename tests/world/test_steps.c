/* Steps that fail, what integrators remember in a world, and loads that follow the surface. */
#include "couple/load.h"
#include "ode/integrator.h"

#include <stdlib.h>

#include "bar.h"

/* A soft, fast spinning bar with a step and so few Newton iterations that it fails in one piece. */
static const bar_def wild = {.free = 1,
                             .strain = "green",
                             .integrator = "implicit-midpoint",
                             .newton = 3,
                             .dt = 0.1,
                             .spin = {3, 5, 20}};

TEST(a_step_that_fails_is_made_of_smaller_ones)
{
  bar_def def = wild;
  pl_world *world;
  pl_body_id body;
  CHECK_OK(bar_make(&def, &world, &body, error));
  pl_world_facts facts;
  for (int i = 0; i < 5; i++) CHECK_OK(pl_world_step(world, error));
  CHECK_OK(pl_world_measure(world, &facts, error));
  CHECK(facts.halved_steps > 0 && facts.halved_steps <= 5);
  CHECK(facts.steps == 5);
  CHECK_NEAR(pl_world_time(world), 0.5, 1e-15);
  pl_world_destroy(world);
}

TEST(a_step_that_fails_for_good_changes_nothing_and_says_where)
{
  bar_def def = wild;
  def.halve_once = 1;
  pl_world *world;
  pl_body_id body;
  CHECK_OK(bar_make(&def, &world, &body, error));
  uint64_t before = pl_world_state_hash(world);
  pl_error error = {0};
  CHECK(pl_world_step(world, &error) == PL_E_CONVERGENCE);
  CHECK(strstr(error.message, "body \"body\", near node ") != NULL);
  CHECK(strstr(error.message, "Newton's method left a residual") != NULL);
  CHECK(error.entity >= 0);
  CHECK_NEAR(error.time, 0.1, 1e-15);
  CHECK(pl_world_state_hash(world) == before);
  CHECK(pl_world_step(world, NULL) == PL_E_CONVERGENCE);
  pl_world_destroy(world);
}

static int warnings;

static void count_warning(void *context, pl_level level, const char *text)
{
  (void)context;
  if (level == PL_WARNING && strstr(text, "Newton's method was cut short")) warnings++;
}

/* In real time what Newton has counts; it is told once and counted. */
TEST(real_time_never_rejects_a_step)
{
  bar_def def = wild;
  def.never_halve = 1;
  def.log = (pl_log){count_warning, NULL};
  pl_world *world;
  pl_body_id body;
  warnings = 0;
  CHECK_OK(bar_make(&def, &world, &body, error));
  for (int i = 0; i < 3; i++) CHECK_OK(pl_world_step(world, error));
  pl_world_facts facts;
  CHECK_OK(pl_world_measure(world, &facts, error));
  CHECK(facts.unconverged_steps > 0 && facts.halved_steps == 0 && facts.substeps == 3);
  CHECK(warnings == 1);
  pl_world_destroy(world);
}

/* A spinning body without loads and two iterations, which leave little: nothing to halve for. */
TEST(few_iterations_are_no_failure_where_they_suffice)
{
  const char *methods[] = {"implicit-euler", "implicit-midpoint", "bdf2", "newmark"};
  for (int i = 0; i < 4; i++) {
    bar_def def = {.free = 1,
                   .strain = "green",
                   .integrator = methods[i],
                   .newton = 2,
                   .dt = 0.002,
                   .spin = {0, 1, 3}};
    pl_world *world;
    pl_body_id body;
    CHECK_OK(bar_make(&def, &world, &body, error));
    for (int k = 0; k < 50; k++) CHECK_OK(pl_world_step(world, error));
    pl_world_facts facts;
    CHECK_OK(pl_world_measure(world, &facts, error));
    if (facts.halved_steps) printf("  %s: %d\n", methods[i], (int)facts.halved_steps);
    CHECK(facts.halved_steps == 0);
    pl_world_destroy(world);
  }
}

TEST(an_explicit_step_that_blows_up_names_a_node)
{
  bar_def def = {
      .integrator = "rk4", .dt = 0.1, .gravity = {0, -10, 0}, .never_halve = 1, .unstable = 1};
  pl_world *world;
  pl_body_id body;
  CHECK_OK(bar_make(&def, &world, &body, error));
  pl_error error = {0};
  pl_status status = PL_OK;
  for (int i = 0; i < 200 && !status; i++) status = pl_world_step(world, &error);
  CHECK(status == PL_E_DIVERGED);
  CHECK(strstr(error.message, "diverged: node") != NULL && error.entity >= 0);
  pl_world_destroy(world);
}

/* All integrators: the bar that hangs still under its weight after damping has done its work is the
 * same, within what tolerances leave. */
TEST(every_integrator_comes_to_the_same_rest)
{
  double first[3] = {0};
  for (int i = 0; pl_integrator_family.members[i]; i++) {
    const pl_integrator_ops *ops = (const void *)pl_integrator_family.members[i];
    if (ops->info.missing) continue;
    bar_def def = {.n = 1,
                   .integrator = ops->info.name,
                   .strain = "green",
                   // bdf6 is stable only where what the step does not resolve is overdamped
                   .dt = !ops->is_implicit ? 2e-4
                         : ops->order > 5  ? 0.002
                                           : 0.02,
                   .gravity = {0, -2, 0},
                   .stiffness_damping = 0.02,
                   .mass_damping = 8};
    pl_world *world;
    pl_body_id body;
    double tip[3];
    CHECK_OK(bar_make(&def, &world, &body, error));
    for (int k = 0; k * def.dt < (TEST_SANITIZED ? 0.05 : 3); k++)
      CHECK_OK(pl_world_step(world, error));
    bar_tip(world, body, tip);
    if (i == 0) memcpy(first, tip, sizeof tip);
    pl_world_destroy(world);
    if (TEST_SANITIZED) continue;
    if (fabs(tip[1] - first[1]) > 2e-5) printf("  %s: %.9g\n", ops->info.name, tip[1]);
    for (int k = 0; k < 3; k++) CHECK_NEAR(tip[k], first[k], 2e-5);
    CHECK(tip[1] < -0.01);
  }
}

/* Setting the positions makes integrators forget: the next step has no memory of the old place. */
TEST(a_moved_body_has_no_past)
{
  for (int i = 0; pl_integrator_family.members[i]; i++) {
    const pl_integrator_ops *ops = (const void *)pl_integrator_family.members[i];
    if (ops->is_static || ops->info.missing) continue;
    bar_def def = {.n = 1, .free = 1, .integrator = ops->info.name, .dt = 1e-3, .unstable = 1};
    pl_world *world;
    pl_body_id body;
    CHECK_OK(bar_make(&def, &world, &body, error));
    int count = 3 * pl_mesh_node_count(pl_world_body_mesh(world, body));
    double *x = calloc((size_t)count, sizeof *x), *v = calloc((size_t)count, sizeof *v);
    for (int k = 0; k < count; k++) v[k] = k % 3 == 0 ? 1 : 0;
    CHECK_OK(pl_world_set_velocities(world, body, v, error));
    for (int k = 0; k < 4; k++) CHECK_OK(pl_world_step(world, error));
    CHECK_OK(pl_world_get_positions(world, body, x, error));
    for (int k = 0; k < count; k++) {
      x[k] += 5;
      v[k] = 0;
    }
    CHECK_OK(pl_world_set_positions(world, body, x, error));
    CHECK_OK(pl_world_set_velocities(world, body, v, error));
    for (int k = 0; k < 4; k++) CHECK_OK(pl_world_step(world, error));
    CHECK_OK(pl_world_get_positions(world, body, v, error));
    for (int k = 0; k < count; k++) CHECK_NEAR(v[k], x[k], 1e-9);
    free(x);
    free(v);
    pl_world_destroy(world);
  }
}

/* ---- live loads ---- */

/* A triangle and a quadrilateral, at rest in the plane z = 0. */
TEST(shear_follows_the_surface)
{
  double rest[] = {0, 0, 0, 2, 0, 0, 2, 1, 0, 0, 1, 0}, turned[12];
  int triangle[] = {0, 1, 2}, square[] = {0, 1, 2, 3};
  double value[] = {3, 0, 7}; // the part along z does not count
  const pl_load_ops *ops = (const void *)pl_member_find(&pl_load_family, "shear");
  pl_load_shape shapes[] = {{.face_count = 1, .nodes_per_face = 3, .faces = triangle, .rest = rest},
                            {.face_count = 1, .nodes_per_face = 4, .faces = square, .rest = rest}};
  double areas[] = {1, 2};
  for (int i = 0; i < 2; i++) {
    double f[12] = {0}, sum[3] = {0};
    ops->add(&(pl_load_at){value, &shapes[i], 1, rest, rest, NULL}, f);
    for (int k = 0; k < 12; k++) sum[k % 3] += f[k];
    CHECK_NEAR(sum[0], 3 * areas[i], 1e-14);
    CHECK_NEAR(sum[1], 0, 1e-14);
    CHECK_NEAR(sum[2], 0, 1e-14);
    // turned from x to z about y and stretched twofold along it: same size, new direction
    for (int k = 0; k < 4; k++) {
      turned[3 * k] = 1;
      turned[3 * k + 1] = rest[3 * k + 1];
      turned[3 * k + 2] = 2 * rest[3 * k];
    }
    memset(f, 0, sizeof f);
    memset(sum, 0, sizeof sum);
    ops->add(&(pl_load_at){value, &shapes[i], 0.5, turned, turned, NULL}, f);
    for (int k = 0; k < 12; k++) sum[k % 3] += f[k];
    CHECK_NEAR(sum[0], 0, 1e-14);
    CHECK_NEAR(sum[2], 1.5 * areas[i], 1e-14);
  }
}

/* Nodes that were moved and then held have no acceleration left: without a load the body rests when
 * it is let go, however long it was held. */
TEST(a_body_let_go_at_rest_stays_at_rest)
{
  static const double times[] = {0, 0.02}, factors[] = {0, 1};
  EACH_INTEGRATOR(ops)
  {
    if (ops->relaxes) continue;
    for (int held = 2; held <= 3; held++) {
      bar_def def = {.free = 1, .n = 1, .integrator = ops->info.name, .unstable = 1, .dt = 0.01};
      pl_world *world;
      pl_body_id body;
      pl_fix_id fix;
      pl_setting corners[2];
      double v[3 * 100];
      CHECK_OK(bar_make(&def, &world, &body, error));
      CHECK(pl_mesh_node_count(pl_world_body_mesh(world, body)) <= 100);
      pl_selector all =
          box_between((const double[3]){-9, -9, -9}, (const double[3]){9, 9, 9}, corners);
      pl_fix_def move = pl_fix_def_default();
      move.where = &all;
      move.where_count = 1;
      move.translation[2] = 0.01;
      move.ramp = (pl_ramp){2, times, factors};
      CHECK_OK(pl_world_add_fix(world, body, &move, &fix, error));
      run_steps(world, 2 + held);
      CHECK_OK(pl_world_remove_fix(world, fix, error));
      run_steps(world, 1);
      CHECK_OK(pl_world_get_velocities(world, body, v, error));
      int before = test_failures;
      CHECK_NEAR(v[2], 0, 1e-9);
      if (test_failures > before) printf("    %s, held for %d steps\n", ops->info.name, held);
      pl_world_destroy(world);
    }
  }
}

TESTS(X(a_body_let_go_at_rest_stays_at_rest) X(a_step_that_fails_is_made_of_smaller_ones)
          X(a_step_that_fails_for_good_changes_nothing_and_says_where)
              X(real_time_never_rejects_a_step) X(few_iterations_are_no_failure_where_they_suffice)
                  X(an_explicit_step_that_blows_up_names_a_node)
                      X(every_integrator_comes_to_the_same_rest) X(a_moved_body_has_no_past)
                          X(shear_follows_the_surface))
