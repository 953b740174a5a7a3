/* Every integrator on a body: its order, its step control, and going on from a saved state or after
 * a step that failed with the same bits. */
// label: long
#include "pliant/world.h"

#include <stdlib.h>

#include "acts.h"
#include "bar.h"

static pl_world *make(const bar_def *def, pl_body_id *body)
{
  pl_world *world = NULL;
  CHECK_OK(bar_make(def, &world, body, error));
  return world;
}

/* ---- order ---- */

enum { NUMBERS = 3 * 20 };

/* A bar of 24 tetrahedra with Green's strain, half a swing under its weight. */
static void swing(const pl_integrator_ops *ops, int count, double damping, double x[NUMBERS])
{
  int has_newton = pl_param_find(&ops->info, "newton") >= 0;
  bar_def def = {.n = 1,
                 .unstable = 1,
                 .integrator = ops->info.name,
                 .strain = "green",
                 .newton = has_newton ? 40 : 0,
                 .newton_tolerance = has_newton ? 1e-12 : 0,
                 .solver = ops->is_implicit ? 1e-13 : 0,
                 .viscous_mu = damping,
                 .dt = 0.06 / count,
                 .gravity = {0, -10, 0}};
  pl_body_id body;
  pl_world *world = make(&def, &body);
  if (!world) return;
  CHECK(3 * pl_mesh_node_count(pl_world_body_mesh(world, body)) == NUMBERS);
  run_steps(world, count);
  CHECK_OK(pl_world_get_positions(world, body, x, error));
  pl_world_destroy(world);
}

TEST(every_integrator_has_its_order_on_a_body)
{
  EACH_INTEGRATOR(ops)
  {
    for (int damped = 0; damped < 2; damped++) {
      double order = damped && ops->damped_order ? ops->damped_order : ops->order, a[NUMBERS],
             b[NUMBERS], c[NUMBERS];
      if (!ops->order) continue;
      int count = order < 2 ? 800 : order < 3 ? 160 : order < 7 ? 80 : 20;
      if (TEST_SANITIZED && order < 7) count /= 8; // order 8 would not be stable
      swing(ops, count, damped ? 300 : 0, a);
      swing(ops, 2 * count, damped ? 300 : 0, b);
      swing(ops, 4 * count, damped ? 300 : 0, c);
      double found = log2(rms_distance(a, b, NUMBERS) / rms_distance(b, c, NUMBERS));
      printf("  %-18s %-8s order %.3f (theory %g)\n", ops->info.name, damped ? "damped" : "", found,
             order);
      // little is left between long steps and rounding
      if (!TEST_SANITIZED) CHECK_NEAR(found, order, order < 5 ? 0.1 : 0.3);
    }
  }
}

/* ---- step control ---- */

/* The end of a swing in steps of 30 ms that are divided to keep a tolerance. */
static void controlled(const pl_integrator_ops *ops, double tolerance, double x[NUMBERS],
                       pl_world_facts *facts)
{
  bar_def def = {.n = 1,
                 .unstable = 1,
                 .integrator = ops->info.name,
                 .strain = "green",
                 .tolerance = tolerance,
                 .stiffness_damping = 0.002,
                 .dt = 0.03,
                 .gravity = {0, -10, 0}};
  pl_body_id body;
  pl_world *world = make(&def, &body);
  if (!world) return;
  run_steps(world, 5);
  CHECK_OK(pl_world_get_positions(world, body, x, error));
  CHECK_OK(pl_world_measure(world, facts, error));
  CHECK_NEAR(pl_world_time(world), 0.15, 1e-15);
  pl_world_destroy(world);
}

TEST(steps_are_divided_until_the_tolerance_is_kept)
{
  double best[NUMBERS], x[NUMBERS];
  pl_world_facts loose, tight;
  controlled(&pl_integrator_rk4, 1e-11, best, &tight);
  EACH_INTEGRATOR(ops)
  {
    if (!ops->error_power) continue;
    controlled(ops, 1e-4, x, &loose);
    double far = rms_distance(x, best, NUMBERS);
    controlled(ops, 1e-6, x, &tight);
    double near = rms_distance(x, best, NUMBERS);
    printf("  %-18s 1e-4 m: %4d parts, %3d undone, error %.1e m; 1e-6 m: %4d, %3d, %.1e\n",
           ops->info.name, (int)loose.substeps, (int)loose.rejected_substeps, far,
           (int)tight.substeps, (int)tight.rejected_substeps, near);
    // the errors of the parts add up, and grow a little on the way
    CHECK(far < 2e-4 * (double)loose.substeps && near < 4e-6 * (double)tight.substeps);
    CHECK(near < far);
    CHECK(loose.substeps >= 5 && loose.steps == 5);
    // explicit methods are held down by stability
    CHECK(tight.substeps > loose.substeps || !ops->is_implicit);
    CHECK(tight.rejected_substeps < tight.substeps / 3 + 10);
  }
}

TEST(who_estimates_nothing_is_not_controlled)
{
  pl_world_def def = pl_world_def_default();
  pl_world *world = NULL;
  def.tolerance = 1e-5;
  def.integrator.name = "static";
  CHECK_FAILS(pl_world_create(&def, &world, error), PL_E_ARGUMENT,
              "set the world's tolerance to 0");
  def.integrator.name = NULL;
  CHECK_OK(pl_world_create(&def, &world, error));
  CHECK_FAILS(pl_world_set_integrator(world, &(pl_choice){.name = "static"}, error), PL_E_ARGUMENT,
              "step control");
  pl_world_destroy(world);
  def.tolerance = NAN;
  CHECK_FAILS(pl_world_create(&def, &world, error), PL_E_ARGUMENT, "tolerance");
}

/* An explicit method whose stability wants shorter parts than a loose tolerance does ends with a
 * sentence, not with a step that never ends; the world is where it was. */
TEST(a_step_has_only_so_many_parts)
{
  bar_def def = {.n = 1, .integrator = "verlet", .tolerance = 1, .dt = 800, .gravity = {0, -10, 0}};
  pl_body_id body;
  pl_world *world = make(&def, &body), *twin = make(&def, &body);
  CHECK_FAILS(pl_world_step(world, error), PL_E_LIMIT, "divided the step into 100000 parts");
  CHECK(pl_world_state_hash(world) == pl_world_state_hash(twin) && pl_world_time(world) == 0);
  pl_world_destroy(world);
  pl_world_destroy(twin);
}

/* ---- the same bits ---- */

TEST(a_saved_state_goes_on_with_the_same_bits)
{
  for (int control = 0; control < 2; control++) {
    EACH_INTEGRATOR(ops)
    {
      if (control && !ops->error_power) continue;
      bar_def def = {.n = 1,
                     .integrator = ops->info.name,
                     .strain = "green",
                     .tolerance = control ? 1e-5 : 0,
                     .stiffness_damping = 0.002,
                     .dt = ops->is_implicit || control ? 0.01 : 2e-4,
                     .gravity = {0, -10, 0}};
      pl_body_id body;
      pl_world *world = make(&def, &body), *twin = make(&def, &body);
      size_t size = pl_world_state_size(world);
      void *state = malloc(size);
      run_steps(world, 5);
      CHECK_OK(pl_world_save_state(world, state, size, error));
      run_steps(world, 5);
      uint64_t end = pl_world_state_hash(world);
      // in the same world, and in another that was never moved
      CHECK_OK(pl_world_load_state(world, state, size, error));
      CHECK_OK(pl_world_load_state(twin, state, size, error));
      run_steps(world, 5);
      run_steps(twin, 5);
      if (pl_world_state_hash(world) != end) printf("  %s\n", ops->info.name);
      CHECK(pl_world_state_hash(world) == end);
      CHECK(pl_world_state_hash(twin) == end);
      // another integrator takes the state, without what this one remembers
      CHECK_OK(pl_world_set_integrator(twin, &(pl_choice){.name = "implicit-euler"}, error));
      CHECK_OK(pl_world_load_state(twin, state, size, error));
      run_steps(twin, 1);
      free(state);
      pl_world_destroy(world);
      pl_world_destroy(twin);
    }
  }
}

/* A step that fails for good, after all its halvings, leaves no trace: the world goes on like a
 * twin that never tried it. */
TEST(a_failed_step_is_undone_bit_for_bit)
{
  EACH_INTEGRATOR(ops)
  {
    bar_def def = {.n = 1,
                   .integrator = ops->info.name,
                   .strain = "green",
                   .halve_once = 1,
                   .dt = ops->is_implicit ? 0.01 : 2e-4,
                   .stiffness_damping = 0.002,
                   .gravity = {0, -10, 0}};
    pl_body_id body;
    pl_world *world = make(&def, &body), *twin = make(&def, &body);
    run_steps(world, 5);
    run_steps(twin, 5);
    const double mad[3] = {0, 1.7e308, 0}, usual[3] = {0, -10, 0};
    CHECK_OK(pl_world_set_gravity(world, mad, error));
    pl_error error = {0};
    if (!pl_world_step(world, &error)) printf("  %s did not fail\n", ops->info.name);
    CHECK(error.code == PL_E_DIVERGED || error.code == PL_E_CONVERGENCE);
    CHECK(pl_world_state_hash(world) == pl_world_state_hash(twin));
    CHECK(!pl_world_set_gravity(world, usual, NULL));
    run_steps(world, 5);
    run_steps(twin, 5);
    if (pl_world_state_hash(world) != pl_world_state_hash(twin)) printf("  %s\n", ops->info.name);
    CHECK(pl_world_state_hash(world) == pl_world_state_hash(twin));
    pl_world_destroy(world);
    pl_world_destroy(twin);
  }
}

TESTS(X(every_integrator_has_its_order_on_a_body) X(steps_are_divided_until_the_tolerance_is_kept)
          X(who_estimates_nothing_is_not_controlled) X(a_step_has_only_so_many_parts)
              X(a_saved_state_goes_on_with_the_same_bits) X(a_failed_step_is_undone_bit_for_bit))
