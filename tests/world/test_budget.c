/* A fixed budget of iterations: no step takes more, and what is left undone is told. */
#include "pliant/touch.h"
#include "world/world.h"

#include "bar.h"

typedef struct outcome {
  int most;        /* iterations in one step */
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
  world->budget = budget;
  CHECK_OK(pl_world_set_solver(world, &(pl_choice){"cg", &block, 1},
                               &(pl_choice){"block-diagonal", NULL, 0}, error));
  pl_setting plane[] = {{.name = "point", .value = {0, -0.05, 0}},
                        {.name = "normal", .value = {0, 1, 0}}};
  pl_obstacle_def floor = pl_obstacle_def_default();
  floor.shape = (pl_choice){"plane", plane, 2};
  if (falls) CHECK_OK(pl_world_add_obstacle(world, &floor, error));
  for (int i = 0; i < 25; i++) {
    CHECK_OK(pl_world_step(world, error));
    // halvings are asked for, but not with a budget
    CHECK(world->halvings > 0 && world->system.never_rejects == (budget > 0));
    if (world->last.linear_iterations > out.most) out.most = world->last.linear_iterations;
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
      for (int k = 0; k < 4; k++) CHECK(run(budgets[k], newton, falls).most <= budgets[k]);
    }
  }
}

/* The smaller the budget, the larger the error: the one that is told, and that of the motion. */
TEST(errors_shrink_with_the_budget)
{
  const int budgets[] = {5, 15, 45};
  outcome full = run(0, 1, 0), last = {.residual = INFINITY, .tip = {INFINITY}};
  CHECK(full.most > 45 && full.residual <= 1.1e-8);
  for (int k = 0; k < 3; k++) {
    outcome now = run(budgets[k], 1, 0);
    CHECK(now.most == budgets[k]);
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
    world->budget = budget;
    CHECK_OK(pl_world_set_solver(world, &(pl_choice){"auto", NULL, 0},
                                 &(pl_choice){"auto", NULL, 0}, error));
    CHECK_OK(pl_world_step(world, error));
    CHECK(!budget || world->last.linear_iterations <= budget);
    CHECK(!budget || strcmp(pl_world_preconditioner_choice(world, &reason), "multigrid") == 0);
    CHECK(pl_world_solver_choice(world, &reason) != NULL);
    CHECK(!strstr(reason, "a budget of 4 iterations") == !budget);
    pl_world_destroy(world);
  }
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
  CHECK(world->budget == 7 && world->halvings == def.halvings);
  pl_world_destroy(world);
}

TESTS(X(no_step_takes_more_than_its_budget) X(errors_shrink_with_the_budget)
          X(auto_knows_the_budget) X(bad_budgets_are_refused))
