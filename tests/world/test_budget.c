/* Budgets of iterations and of time: no step takes more, what is left undone is reported, and what
 * has been found until then is stable. */
#include "math/vec3.h"
#include "pliant/world.h"
#include "world/world.h"

#include "bar.h"

typedef struct outcome {
  int max;         /* iterations in one step */
  double residual; /* the worst */
  double tip[3];
} outcome;

/* Some steps of a bar; falls: free, onto a floor. */
static outcome run(int budget, int newton, int falls)
{
  bar_def def = {.n = 2, .free = falls, .newton = newton, .gravity = {0, -10, 0}};
  pl_setting block = {.name = "tolerance", .value = {1e-8}};
  pl_world *world;
  pl_body_id body;
  outcome out = {0};
  CHECK_OK(bar_make(&def, &world, &body, error));
  world->set.budget = budget;
  CHECK_OK(pl_world_set_solver(world, &(pl_choice){"cg", &block, 1},
                               &(pl_choice){"block-diagonal", NULL, 0}, error));
  pl_setting plane[] = {{.name = "point", .value = {0, -0.05, 0}},
                        {.name = "normal", .value = {0, 1, 0}}};
  pl_obstacle_def floor = pl_obstacle_def_default();
  floor.shape = (pl_choice){"plane", plane, 2};
  if (falls) CHECK_OK(pl_world_add_obstacle(world, &floor, NULL, error));
  for (int i = 0; i < 25; i++) {
    CHECK_OK(pl_world_step(world, error));
    // halvings are asked for, but not with a budget
    CHECK(world->set.halvings > 0 && world->system.never_rejects == (budget > 0));
    if (world->tally.last.linear_iterations > out.max)
      out.max = world->tally.last.linear_iterations;
  }
  pl_world_facts facts;
  CHECK_OK(pl_world_measure(world, &facts, error));
  out.residual = facts.worst_linear_residual;
  CHECK((facts.unfinished_solves > 0) == (out.residual > 1.1e-8));
  bar_tip(world, body, out.tip);
  pl_world_destroy(world);
  return out;
}

static double apart(const outcome *a, const outcome *b)
{
  double sum = 0;
  for (int k = 0; k < 3; k++) sum += (a->tip[k] - b->tip[k]) * (a->tip[k] - b->tip[k]);
  return sqrt(sum);
}

TEST(no_step_takes_more_than_its_budget)
{
  const int budgets[] = {1, 3, 10, 30};
  for (int falls = 0; falls < 2; falls++) {
    for (int newton = 1; newton <= 5; newton += 4) {
      for (int k = 0; k < 4; k++) CHECK(run(budgets[k], newton, falls).max <= budgets[k]);
    }
  }
}

/* The smaller the budget, the larger the error: the one that is told, and that of the motion. */
TEST(errors_shrink_with_the_budget)
{
  const int budgets[] = {5, 15, 45};
  outcome full = run(0, 1, 0), last = {.residual = INFINITY, .tip = {INFINITY}};
  CHECK(full.max > 45 && full.residual <= 1.1e-8);
  for (int k = 0; k < 3; k++) {
    outcome now = run(budgets[k], 1, 0);
    CHECK(now.max == budgets[k]);
    CHECK(now.residual < last.residual && now.residual > full.residual);
    CHECK(apart(&now, &full) < apart(&last, &full));
    last = now;
  }
  CHECK(apart(&last, &full) < 1e-3);
}

/* Auto makes most of few iterations with multigrid, and says so. */
TEST(auto_knows_the_budget)
{
  for (int budget = 0; budget <= 4; budget += 4) {
    bar_def def = {.n = 4, .gravity = {0, -10, 0}};
    pl_world *world;
    pl_body_id body;
    const char *reason;
    CHECK_OK(bar_make(&def, &world, &body, error));
    world->set.budget = budget;
    CHECK_OK(pl_world_set_solver(world, &(pl_choice){"auto", NULL, 0},
                                 &(pl_choice){"auto", NULL, 0}, error));
    CHECK_OK(pl_world_step(world, error));
    CHECK(!budget || world->tally.last.linear_iterations <= budget);
    CHECK(!budget || strcmp(pl_world_preconditioner_choice(world, &reason), "multigrid") == 0);
    CHECK(pl_world_solver_choice(world, &reason) != NULL);
    CHECK(!strstr(reason, "a budget of 4 iterations") == !budget);
    pl_world_destroy(world);
  }
}

/* Near incompressibility both ways are dear: the cheap one is tried, and broken off when it has
 * cost what the other one does, 3.6 and 0.8 iterations of block-diagonal to one of theirs. */
TEST(a_trial_is_broken_off)
{
  const pl_setting hooke[] = {{.name = "young", .value = {1e6}},
                              {.name = "poisson", .value = {0.49}}};
  pl_body_def like = pl_body_def_default();
  like.material.law = (pl_choice){"hooke", hooke, 2};
  bar_def def = {.n = 6, .like = &like, .gravity = {0, -10, 0}};
  double tips[2][3];
  for (int k = 0; k < 2; k++) {
    pl_world *world;
    pl_body_id body;
    const char *reason;
    int iterations[4];
    CHECK_OK(bar_make(&def, &world, &body, error));
    CHECK_OK(pl_world_set_solver(world, &(pl_choice){k ? "cg" : "auto", NULL, 0},
                                 &(pl_choice){k ? "multigrid" : "auto", NULL, 0}, error));
    for (int i = 0; i < 4; i++) {
      CHECK_OK(pl_world_step(world, error));
      iterations[i] = world->tally.last.linear_iterations;
      if (!k)
        printf("  %d iterations, %s\n", iterations[i], pl_world_solver_choice(world, &reason));
    }
    if (!k) {
      CHECK(strcmp(pl_world_solver_choice(world, &reason), "cg") == 0);
      CHECK(strstr(reason, "with multigrid and") && strstr(reason, "with eisenstat"));
      // the trial's own, and those of the way that went on
      CHECK(iterations[1] > 2 * iterations[0]);
      CHECK(iterations[1] < (int)((3.6 / 0.8 + 1) * iterations[0]) + 10);
      CHECK(iterations[2] < 1.5 * iterations[0]);
    }
    bar_tip(world, body, tips[k]);
    pl_world_destroy(world);
  }
  for (int i = 0; i < 3; i++) CHECK_NEAR(tips[0][i], tips[1][i], 1e-6);
}

TEST(bad_budgets_are_refused)
{
  pl_world_def def = pl_world_def_default();
  pl_world *world = NULL;
  CHECK(def.budget == 0);
  def.budget = -1;
  CHECK_FAILS(pl_world_create(&def, &world, error), PL_E_ARGUMENT, "budget = -1");
  def.budget = 7;
  CHECK_OK(pl_world_create(&def, &world, error));
  CHECK(world->set.budget == 7 && world->set.halvings == def.halvings);
  pl_world_destroy(world);
}

/* ---- time ---- */

/* Some steps of a bar that falls on a floor, within so many seconds each. */
static pl_world *fall(double seconds, const char *integrator, const char *solver, pl_body_id *body)
{
  bar_def def = {.n = 2, .free = 1, .newton = 8, .gravity = {0, -10, 0}, .integrator = integrator};
  pl_world *world = NULL;
  CHECK_OK(bar_make(&def, &world, body, error));
  CHECK_OK(pl_world_set_control(world, 0, 0, 0, error));
  CHECK_OK(pl_world_set_time_budget(world, seconds, error));
  CHECK_OK(
      pl_world_set_solver(world, &(pl_choice){.name = solver}, &(pl_choice){.name = NULL}, error));
  pl_setting plane[] = {{.name = "point", .value = {0, -0.05, 0}},
                        {.name = "normal", .value = {0, 1, 0}}};
  pl_obstacle_def floor = pl_obstacle_def_default();
  floor.shape = (pl_choice){"plane", plane, 2};
  CHECK_OK(pl_world_add_obstacle(world, &floor, NULL, error));
  return world;
}

/* A budget that is used up at once leaves one iteration of everything; that still falls and stays
 * finite. */
TEST(a_step_without_time_makes_one_iteration_of_each)
{
  const char *solvers[] = {"cg", "bicgstab", "minres", "auto"};
  for (int k = 0; k < 4; k++) {
    pl_body_id body;
    pl_world *world = fall(1e-9, "implicit-euler", solvers[k], &body);
    for (int i = 0; i < 25; i++) {
      CHECK_OK(pl_world_step(world, error));
      CHECK(world->tally.last.newton_iterations == 1);
      CHECK(world->tally.last.linear_iterations <= 2);
    }
    pl_world_facts facts;
    CHECK_OK(pl_world_measure(world, &facts, error));
    // what falls freely needs no iteration
    CHECK(facts.budget.late_steps >= 10 && facts.budget.late_steps <= 25 &&
          facts.unconverged_steps > 0);
    double tip[3];
    bar_tip(world, body, tip);
    CHECK(tip[1] < -0.02 && tip[1] > -1);
    pl_world_destroy(world);
  }
}

TEST(a_budget_that_is_not_used_up_changes_no_bit)
{
  const char *integrators[] = {"implicit-euler", "bdf2", "newmark", "ros2w", "verlet"};
  for (int k = 0; k < 5; k++) {
    uint64_t hashes[2];
    for (int limited = 0; limited < 2; limited++) {
      pl_body_id body;
      bar_def def = {.n = 2, .gravity = {0, -10, 0}, .integrator = integrators[k], .dt = 1e-3};
      pl_world *world = NULL;
      CHECK_OK(bar_make(&def, &world, &body, error));
      CHECK_OK(pl_world_set_time_budget(world, limited ? 1e5 : 0, error));
      for (int i = 0; i < 20; i++) CHECK_OK(pl_world_step(world, error));
      hashes[limited] = pl_world_state_hash(world);
      CHECK(world->tally.late_steps == 0);
      pl_world_destroy(world);
    }
    CHECK(hashes[0] == hashes[1]);
  }
}

/* Steps that are late again and again first keep their matrices, then refine less; with time enough
 * all of that comes back. A bar that swings with matrices of four steps stays on its way. */
TEST(steps_that_are_late_lag_and_recover)
{
  bar_def def = {.n = 2, .newton = 3, .gravity = {0, -10, 0}, .dt = 5e-3};
  double tips[2][3];
  for (int hurried = 0; hurried < 2; hurried++) {
    pl_body_id body;
    pl_world *world = NULL;
    pl_world_facts facts[3];
    CHECK_OK(bar_make(&def, &world, &body, error));
    CHECK_OK(pl_world_set_time_budget(world, hurried ? 1e-9 : 1e5, error));
    for (int i = 0; i < 8; i++) CHECK_OK(pl_world_step(world, error));
    CHECK(world->tally.effort.level == (hurried ? PL_EFFORT_COARSE : PL_EFFORT_FULL));
    CHECK_OK(pl_world_measure(world, &facts[0], error));
    // time enough for iterations, but the effort stays for a while
    world->set.time_budget = 1e5;
    for (int i = 0; i < 40; i++) CHECK_OK(pl_world_step(world, error));
    CHECK_OK(pl_world_measure(world, &facts[1], error));
    int64_t matrices = facts[1].matrices - facts[0].matrices;
    CHECK(hurried ? matrices <= 15 : matrices >= 40);
    CHECK(facts[1].budget.lagging_steps == (hurried ? 44 : 0));
    for (int i = 0; i < 60; i++) CHECK_OK(pl_world_step(world, error));
    CHECK_OK(pl_world_measure(world, &facts[2], error));
    CHECK(world->tally.effort.level == PL_EFFORT_FULL);
    CHECK(facts[2].budget.late_steps == (hurried ? 8 : 0));
    bar_tip(world, body, tips[hurried]);
    pl_world_destroy(world);
  }
  for (int k = 0; k < 3; k++) CHECK_NEAR(tips[1][k], tips[0][k], 0.02);
}

/* Three soft cubes that fall on a floor and on each other. */
static pl_world *fall_together(const char *integrator)
{
  pl_setting size[] = {{.name = "size", .value = {0.2, 0.2, 0.2}},
                       {.name = "cells", .value = {2, 2, 2}}};
  pl_setting soft[] = {{.name = "young", .value = {5e4}}, {.name = "poisson", .value = {0.3}}};
  pl_setting rough = {.name = "friction", .value = {0.5}};
  pl_world_def def = pl_world_def_default();
  pl_obstacle_def floor = pl_obstacle_def_default();
  pl_world *world = NULL;
  pl_mesh *mesh = NULL;
  def.dt = 1.0 / 60;
  def.integrator.name = integrator;
  floor.shape = (pl_choice){"plane", &rough, 1};
  CHECK_OK(pl_world_create(&def, &world, error));
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", size, 2}, NULL, &mesh, error));
  for (int i = 0; i < 3; i++) {
    pl_body_def cube = pl_body_def_default();
    cube.mesh = mesh;
    cube.material.law = (pl_choice){"hooke", soft, 2};
    cube.translation[0] = 0.05 * i;
    cube.translation[2] = 0.05 + 0.25 * i;
    CHECK_OK(pl_world_add_body(world, &cube, NULL, error));
  }
  CHECK_OK(pl_world_add_obstacle(world, &floor, NULL, error));
  pl_mesh_destroy(mesh);
  return world;
}

/* The highest speed and the lowest place of some steps within 1e-9 s, or so many iterations. */
static void fall_in_budget(const char *integrator, int iterations, double *fastest, double *lowest)
{
  pl_world *world = fall_together(integrator);
  if (iterations)
    CHECK_OK(pl_world_set_control(world, iterations, 0, 0, error));
  else
    CHECK_OK(pl_world_set_time_budget(world, 1e-9, error));
  for (int i = 0; i < 60; i++) {
    CHECK_OK(pl_world_step(world, error));
    for (int b = 0; b < world->bodies.blocks; b++) {
      *fastest = fmax(*fastest, pl_vec3_norm(world->state.v + 3 * b));
      *lowest = fmin(*lowest, world->state.q[3 * b + 2]);
    }
  }
  pl_world_destroy(world);
}

/* What has been found when a budget ends does not blow up: what falls from .75 m has 3.8 m/s, and
 * few nodes ever have a multiple of it. Without care they have thousands, with every method. */
TEST(cut_short_in_contact_nothing_blows_up)
{
  const int iterations[] = {0, 1, 4};
  for (const pl_member *const *member = pl_integrator_family.members; *member; member++) {
    const pl_integrator_ops *ops = (const pl_integrator_ops *)(const void *)*member;
    if (!ops->is_implicit || ops->is_static || !ops->order) continue;
    for (int k = 0; k < (TEST_SANITIZED ? 1 : 3); k++) {
      double fastest = 0, lowest = 0;
      int before = test_failures;
      fall_in_budget(ops->info.name, iterations[k], &fastest, &lowest);
      CHECK(fastest < 16);
      CHECK(lowest > -0.02);
      if (test_failures > before)
        printf("  %s, %d: %g m/s, %g m\n", ops->info.name, iterations[k], fastest, lowest);
    }
  }
}

TEST(bad_time_budgets_are_refused)
{
  pl_body_id body;
  pl_world *world = fall(0, "implicit-euler", "cg", &body);
  CHECK_FAILS(pl_world_set_time_budget(world, -1, error), PL_E_ARGUMENT, "time_budget = -1");
  CHECK_FAILS(pl_world_set_time_budget(world, NAN, error), PL_E_ARGUMENT, "time_budget");
  CHECK_OK(pl_world_set_integrator(world, &(pl_choice){.name = "sdirk2"}, error));
  CHECK_OK(pl_world_set_time_budget(world, 0.01, error));
  CHECK_FAILS(pl_world_set_control(world, 0, 0, 1e-3, error), PL_E_ARGUMENT, "exclude each other");
  CHECK_OK(pl_world_set_time_budget(world, 0, error));
  CHECK_OK(pl_world_set_control(world, 0, 0, 1e-3, error));
  CHECK_FAILS(pl_world_set_time_budget(world, 0.01, error), PL_E_ARGUMENT, "exclude each other");
  pl_world_destroy(world);
}

TESTS(X(no_step_takes_more_than_its_budget) X(errors_shrink_with_the_budget)
          X(auto_knows_the_budget) X(a_trial_is_broken_off) X(bad_budgets_are_refused)
              X(a_step_without_time_makes_one_iteration_of_each)
                  X(a_budget_that_is_not_used_up_changes_no_bit)
                      X(steps_that_are_late_lag_and_recover) X(bad_time_budgets_are_refused)
                          X(cut_short_in_contact_nothing_blows_up))
