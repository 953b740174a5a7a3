/* Fading memory in the world: the order of every integrator by both rules, and failed steps that
 * leave no trace. The body starts at rest under its weight, whose stress rate is 0 at first. */
// label: release
#include "world/world.h"

#include "acts.h"
#include "bar.h"

enum { NUMBERS = 3 * 20 };

static const pl_memory_def series = {.count = 2, .shares = {0.3, 0.2}, .times = {0.01, 0.08}};

static const pl_setting moduli[] = {{.name = "young", .value = {1e6}},
                                    {.name = "poisson", .value = {0.3}}};
static const pl_setting green = {.name = "strain", .word = "green"};

static void swing(const pl_integrator_ops *ops, const char *law, pl_memory_rule rule, int count,
                  double x[NUMBERS])
{
  int has_newton = pl_param_find(&ops->info, "newton") >= 0;
  pl_body_def like = pl_body_def_default();
  like.material.law = (pl_choice){law, moduli, 2};
  like.material.memory = series;
  like.material.memory.rule = rule;
  like.model = (pl_choice){"fem", &green, 1};
  bar_def def = {.n = 1,
                 .unstable = 1,
                 .like = &like,
                 .integrator = ops->info.name,
                 .newton = has_newton ? 40 : 0,
                 .newton_tolerance = has_newton ? 1e-12 : 0,
                 .solver = ops->is_implicit ? 1e-13 : 0,
                 .dt = 0.06 / count,
                 .gravity = {0, -10, 0}};
  pl_world *world = NULL;
  pl_body_id body;
  CHECK_OK(bar_make(&def, &world, &body, error));
  if (!world) return;
  run_steps(world, count);
  CHECK_OK(pl_world_get_positions(world, body, x, error));
  pl_world_destroy(world);
}

static void check_order(const pl_integrator_ops *ops, const char *law, pl_memory_rule rule)
{
  double order = ops->damped_order ? ops->damped_order : ops->order, x[3][NUMBERS];
  double max = rule == PL_MEMORY_HERMITE ? 4 : 2;
  int count = order < 2 ? 400 : order < 3 || max < 3 ? 160 : 100;
  if (order > max) order = max;
  for (int k = 0; k < 3; k++) swing(ops, law, rule, count << k, x[k]);
  double first = rms_distance(x[0], x[1], NUMBERS), second = rms_distance(x[1], x[2], NUMBERS);
  printf("  %-18s %-16s %-8s order %.2f (theory %g), %.1e m\n", ops->info.name, law,
         rule ? "hermite" : "linear", log2(first / second), order, second);
  if (second > 1e-13) CHECK(log2(first / second) > order - 0.2);
}

TEST(every_integrator_keeps_its_order_up_to_that_of_the_rule)
{
  EACH_INTEGRATOR(ops)
  {
    if (!ops->order || (TEST_SANITIZED && ops->order > 2)) continue;
    check_order(ops, "hooke", PL_MEMORY_LINEAR);
    check_order(ops, "hooke", PL_MEMORY_HERMITE);
  }
}

/* Laws of F have their rates by differences of stress, and leave part of them out of the matrix. */
TEST(laws_of_the_deformation_gradient_have_their_rates)
{
  static const char *const names[] = {"rk4", "sdirk4", "bdf3", "rosenbrock4"};
  for (int k = 0; k < (TEST_SANITIZED ? 1 : 4); k++) {
    const pl_integrator_ops *ops = (const void *)pl_member_find(&pl_integrator_family, names[k]);
    check_order(ops, "stable-neo-hooke", PL_MEMORY_HERMITE);
    check_order(ops, "mooney-rivlin", PL_MEMORY_HERMITE);
  }
}

/* What laws remember lies in the state: a step that fails leaves all of its bits. */
TEST(a_failed_step_leaves_the_memory_as_it_was)
{
  for (int rule = 0; rule < 2; rule++) {
    pl_body_def like = pl_body_def_default();
    like.material.law = (pl_choice){"neo-hooke", moduli, 2};
    like.material.memory = series;
    like.material.memory.rule = (pl_memory_rule)rule;
    bar_def def = {.n = 1,
                   .unstable = 1,
                   .like = &like,
                   .newton = 2,
                   .newton_tolerance = 1e-14,
                   .halve_once = 1,
                   .gravity = {0, -10, 0}};
    pl_world *world = NULL;
    pl_body_id body;
    static unsigned char before[1 << 20], after[1 << 20];
    CHECK_OK(bar_make(&def, &world, &body, error));
    pl_world_set_dt(world, 1e-4, NULL);
    for (int i = 0; i < 3; i++) CHECK_OK(pl_world_step(world, error));
    size_t size = pl_world_state_size(world);
    CHECK(size > 1000 && size <= sizeof before);
    pl_world_set_dt(world, 0.5, NULL);
    CHECK_OK(pl_world_save_state(world, before, size, error));
    pl_error failure;
    CHECK(pl_world_step(world, &failure) == PL_E_CONVERGENCE);
    CHECK_OK(pl_world_save_state(world, after, size, error));
    CHECK(!memcmp(before, after, size));
    pl_world_destroy(world);
  }
}

/* A bar under its weight, after two steps of 10 ms, that is torn apart from t on. */
static pl_world *torn(const char *integrator, int rule, double t)
{
  const double times[] = {0, t, t + 1e-4}, factors[] = {0, 0, 1};
  pl_body_def like = pl_body_def_default();
  like.material.law = (pl_choice){"neo-hooke", moduli, 2};
  like.material.memory = series;
  like.material.memory.rule = (pl_memory_rule)rule;
  const bar_def def = {.n = 1,
                       .unstable = 1,
                       .like = &like,
                       .integrator = integrator,
                       .newton = 2,
                       .newton_tolerance = 1e-9,
                       .solver = 1e-12,
                       .halve_once = 1,
                       .gravity = {0, -10, 0}};
  pl_world *world = NULL;
  pl_body_id body;
  CHECK_OK(bar_make(&def, &world, &body, error));
  const pl_setting value = {.name = "value", .value = {1e9, 0, 0}};
  pl_load_def load = pl_load_def_default();
  load.load = (pl_choice){"traction", &value, 1};
  load.where = &(pl_selector){.set = "x-max"};
  load.where_count = 1;
  load.ramp = (pl_ramp){3, times, factors};
  CHECK_OK(pl_world_add_load(world, body, &load, NULL, error));
  for (int i = 0; i < 2; i++) CHECK_OK(pl_world_step(world, error));
  return world;
}

/* Of a step in two parts the first was accepted, so that laws had moved on, when the second failed:
 * all is as before, and goes on as in a world that never tried. */
TEST(a_step_that_fails_half_way_leaves_the_memory_as_it_was)
{
  static const char *const names[] = {"implicit-euler", "bdf2", "implicit-midpoint"};
  static const double starts[] = {0.021, 0.021, 0.0207}; // in a half, after the last force before
  static unsigned char before[1 << 20], after[1 << 20];
  for (int k = 0; k < 6; k++) {
    pl_world *world = torn(names[k / 2], k % 2, starts[k / 2]);
    pl_world *other = torn(names[k / 2], k % 2, starts[k / 2]);
    const size_t size = pl_world_state_size(world);
    CHECK(size > 1000 && size <= sizeof before);
    pl_world_set_dt(world, 0.002, NULL);
    CHECK_OK(pl_world_save_state(world, before, size, error));
    const int64_t passes = world->tally.passes;
    pl_error failure;
    CHECK(pl_world_step(world, &failure) == PL_E_CONVERGENCE);
    CHECK(world->tally.passes - passes == 3); // the whole, a half that worked, and one that did not
    CHECK_OK(pl_world_save_state(world, after, size, error));
    CHECK(!memcmp(before, after, size));
    for (int i = 0; i < 2; i++) {
      pl_world *either = i ? other : world;
      pl_world_set_dt(either, 4e-4, NULL);
      CHECK_OK(pl_world_step(either, error));
      CHECK_OK(pl_world_save_state(either, i ? after : before, size, error));
    }
    CHECK(!memcmp(before, after, size));
    pl_world_destroy(world);
    pl_world_destroy(other);
  }
}

/* A bar that cannot get wider is pressed and held: what is left of K + 4/3 mu when all that fades
 * has faded. */
static double confined(pl_memory_of of)
{
  static const double times[] = {0, 0.1}, factors[] = {0, 1};
  pl_body_def like = pl_body_def_default();
  like.material.memory = series;
  like.material.memory.of = of;
  bar_def def = {.like = &like, .n = 1, .strain = "linear", .free = 1, .dt = 0.5, .solver = 1e-12};
  pl_world *world;
  pl_body_id body;
  pl_fix_id end;
  pl_fix_facts facts = {0};
  pl_setting corners[2];
  pl_selector all = box_between((const double[3]){-9, -9, -9}, (const double[3]){9, 9, 9}, corners);
  CHECK_OK(bar_make(&def, &world, &body, error));
  pl_fix_def walls = pl_fix_def_default();
  walls.where = &all;
  walls.where_count = 1;
  walls.free_axis[0] = 1;
  CHECK_OK(pl_world_add_fix(world, body, &walls, NULL, error));
  CHECK_OK(fix_set(world, body, "x-min", error));
  pl_fix_def press = pl_fix_def_default();
  press.where = &(pl_selector){.set = "x-max"};
  press.where_count = 1;
  press.translation[0] = -0.01;
  press.ramp = (pl_ramp){2, times, factors};
  CHECK_OK(pl_world_add_fix(world, body, &press, &end, error));
  run_steps(world, 40);
  CHECK_OK(pl_world_read_fix(world, end, &facts, error));
  pl_world_destroy(world);
  return fabs(facts.force[0]) / (0.01 * 0.25 * 0.25);
}

TEST(of_a_pressed_bar_shape_or_volume_fades)
{
  double K = 1e6 / (3 * (1 - 2 * 0.3)), mu = 1e6 / (2 * (1 + 0.3)), left = 1 - 0.3 - 0.2;
  CHECK_NEAR(confined(PL_MEMORY_SHAPE) / (K + 4 * left * mu / 3), 1, 1e-6);
  CHECK_NEAR(confined(PL_MEMORY_VOLUME) / (left * K + 4 * mu / 3), 1, 1e-6);
  CHECK_NEAR(confined(PL_MEMORY_BOTH) / (left * (K + 4 * mu / 3)), 1, 1e-6);
}

TESTS(X(of_a_pressed_bar_shape_or_volume_fades)
          X(every_integrator_keeps_its_order_up_to_that_of_the_rule)
              X(laws_of_the_deformation_gradient_have_their_rates)
                  X(a_failed_step_leaves_the_memory_as_it_was)
                      X(a_step_that_fails_half_way_leaves_the_memory_as_it_was))
