/* The world: what holds for every combination of model, strain and integrator, and its errors. */
#include "../counter.h"
#include "core/family.h"
#include "core/memory.h"
#include "material/material.h"
#include "ode/integrator.h"

#include "bar.h"

#include <stdlib.h>

static pl_status steps(pl_world *world, int count, pl_error *error)
{
  pl_status status = PL_OK;
  for (int i = 0; i < count && !status; i++) status = pl_world_step(world, error);
  return status;
}

static double read1(pl_world *world, pl_body_id body, const char *quantity, double value[3])
{
  pl_probe_def def = pl_probe_def_default();
  pl_probe_id probe = {0};
  def.body = body;
  def.quantity = quantity;
  CHECK_OK(pl_world_add_probe(world, &def, &probe, error));
  CHECK_OK(pl_world_read_probe(world, probe, value, error));
  return value[0];
}

/* ---- physics ---- */

TEST(free_fall_is_exact)
{
  // implicit Euler falls by g dt^2 n (n + 1) / 2 after n steps, every node the same
  bar_def def = {.free = 1, .gravity = {0, 0, -10}, .dt = 0.01};
  pl_world *world;
  pl_body_id body;
  CHECK_OK(bar_make(&def, &world, &body, error));
  CHECK_OK(steps(world, 20, error));
  int nodes = pl_mesh_node_count(pl_world_body_mesh(world, body));
  double *x = calloc((size_t)nodes * 3, sizeof *x);
  const double *X = pl_mesh_nodes(pl_world_body_mesh(world, body));
  CHECK_OK(pl_world_get_positions(world, body, x, error));
  for (int i = 0; i < 3 * nodes; i++)
    CHECK_NEAR(x[i] - X[i], i % 3 == 2 ? -10 * 1e-4 * 210 : 0, 1e-9);
  free(x);
  pl_world_destroy(world);
}

/* Momentum and angular momentum of a free, spinning, deforming bar under each rotation-invariant
 * strain, with Newton driven home: only what CG's and Newton's tolerances leave may change. */
TEST(free_bodies_keep_their_momentum)
{
  for (int i = 0; pl_strain_family.members[i]; i++) {
    const pl_strain_ops *strain = (const void *)pl_strain_family.members[i];
    if (!strain->rotation_invariant) continue;
    bar_def def = {.free = 1,
                   .strain = strain->info.name,
                   .newton = 20,
                   .dt = 0.002,
                   .spin = {1, 2, 8},
                   .viscous_mu = 100};
    pl_world *world;
    pl_body_id body;
    double before[3], after[3], spin_before[3], spin_after[3];
    CHECK_OK(bar_make(&def, &world, &body, error));
    read1(world, body, "momentum", before);
    read1(world, body, "angular-momentum", spin_before);
    CHECK_OK(steps(world, 50, error));
    read1(world, body, "momentum", after);
    read1(world, body, "angular-momentum", spin_after);
    double size = sqrt(spin_before[0] * spin_before[0] + spin_before[1] * spin_before[1] +
                       spin_before[2] * spin_before[2]);
    printf("  %-10s spin kept to %.1e\n", strain->info.name,
           fabs(spin_after[2] - spin_before[2]) / size);
    for (int k = 0; k < 3; k++) {
      // implicit Euler moves x by h v at the end of the step, so x cross v loses O(h) per time: the
      // drift below is the scheme's, first order in h
      CHECK_NEAR(after[k], before[k], 1e-6 * size);
      CHECK_NEAR(spin_after[k], spin_before[k], 0.05 * size);
    }
    pl_world_destroy(world);
  }
}

/* Turning gravity, mesh and all by 90 degrees about x turns the result. */
TEST(rotating_the_scene_rotates_the_result)
{
  double tip[2][3];
  for (int turned = 0; turned < 2; turned++) {
    bar_def def = {.element = "hex", .gravity = {0, turned ? 0 : -9.81, turned ? -9.81 : 0}};
    pl_world *world;
    pl_body_id body;
    CHECK_OK(bar_make(&def, &world, &body, error));
    CHECK_OK(steps(world, 30, error));
    bar_tip(world, body, tip[turned]);
    pl_world_destroy(world);
  }
  CHECK_NEAR(tip[0][0], tip[1][0], 1e-6);
  CHECK_NEAR(tip[0][1], tip[1][2], 1e-6);
  CHECK_NEAR(tip[0][2], tip[1][1], 1e-6);
}

/* Every integrator with every strain runs and moves the tip downwards. */
TEST(every_integrator_with_every_strain)
{
  for (int s = 0; pl_strain_family.members[s]; s++) {
    for (int m = 0; pl_integrator_family.members[m]; m++) {
      const pl_integrator_ops *ops = (const void *)pl_integrator_family.members[m];
      bar_def def = {.n = 1,
                     .integrator = ops->info.name,
                     .strain = pl_strain_family.members[s]->name,
                     .gravity = {0, -9.81, 0},
                     .dt = ops->is_implicit ? 0.01 : 1e-5,
                     .viscous_mu = 50};
      pl_world *world;
      pl_body_id body;
      double tip[3] = {0};
      CHECK_OK(bar_make(&def, &world, &body, error));
      CHECK_OK(steps(world, 20, error));
      bar_tip(world, body, tip);
      CHECK(tip[1] < 0 && tip[1] > -0.5);
      pl_world_destroy(world);
    }
  }
}

TEST(mass_damping_slows_a_free_body)
{
  // v' = -alpha v gives v / (1 + alpha dt) per implicit step
  bar_def def = {.free = 1, .mass_damping = 2, .dt = 0.1};
  pl_world *world;
  pl_body_id body;
  double p[3];
  CHECK_OK(bar_make(&def, &world, &body, error));
  int nodes = pl_mesh_node_count(pl_world_body_mesh(world, body));
  double *v = calloc((size_t)nodes * 3, sizeof *v);
  for (int i = 0; i < 3 * nodes; i++) v[i] = 1;
  CHECK_OK(pl_world_set_velocities(world, body, v, error));
  CHECK_OK(steps(world, 3, error));
  read1(world, body, "momentum", p);
  CHECK_NEAR(p[0], 62.5 / pow(1.2, 3), 1e-4); // the solver stops at 1e-6 of the change
  free(v);
  pl_world_destroy(world);
}

TEST(fixes_move_as_told)
{
  bar_def def = {.free = 1};
  pl_world *world;
  pl_body_id body;
  CHECK_OK(bar_make(&def, &world, &body, error));
  pl_selector end = {.set = "x-max"};
  double times[] = {0, 0.1}, factors[] = {0, 1};
  pl_fix_def fix = pl_fix_def_default();
  fix.where = &end;
  fix.where_count = 1;
  fix.translation[0] = 0.05;
  fix.axis[0] = 1;
  fix.axis[2] = 0;
  fix.centre[1] = fix.centre[2] = 0.125;
  fix.angle = 90;
  fix.ramp = (pl_ramp){2, times, factors};
  pl_fix_id held;
  pl_fix_facts facts;
  CHECK_OK(pl_world_add_fix(world, body, &fix, &held, error));
  CHECK_OK(pl_world_read_fix(world, held, &facts, error));
  CHECK(facts.nodes == 9);
  CHECK_OK(steps(world, 12, error));
  // the corner (1, 0, 0) turns to (1, 0.25, 0) about the axis, shifted along x
  pl_probe_def probe_def = pl_probe_def_default();
  pl_probe_id probe;
  double x[3];
  probe_def.body = body;
  probe_def.at[0] = 1;
  probe_def.quantity = "position";
  CHECK_OK(pl_world_add_probe(world, &probe_def, &probe, error));
  CHECK_OK(pl_world_read_probe(world, probe, x, error));
  CHECK_NEAR(x[0], 1.05, 1e-12);
  CHECK_NEAR(x[1], 0.25, 1e-12);
  CHECK_NEAR(x[2], 0, 1e-12);
  pl_world_destroy(world);
}

/* The total of every load arrives: a free body without gravity gains F t. */
TEST(loads_arrive_in_full)
{
  const struct {
    const char *load;
    double value[3];
    const char *set;
    double gained[3]; /* momentum after 0.1 s, the ramp rising to 1 in the first half */
  } cases[] = {{"force", {1, 2, 3}, "x-max", {0.077, 0.154, 0.231}},
               {"traction", {16, 0, 32}, "x-max", {0.077, 0, 0.154}},
               {"pressure", {16}, "x-max", {-0.077, 0, 0}}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    bar_def def = {.free = 1, .dt = 0.001};
    pl_world *world;
    pl_body_id body;
    double p[3], times[] = {0, 0.05}, factors[] = {0, 1};
    CHECK_OK(bar_make(&def, &world, &body, error));
    pl_selector where = {.set = cases[c].set};
    pl_setting value = {.name = "value"};
    memcpy(value.value, cases[c].value, sizeof value.value);
    pl_load_def load = pl_load_def_default();
    load.load = (pl_choice){cases[c].load, &value, 1};
    load.where = &where;
    load.where_count = 1;
    load.ramp = (pl_ramp){2, times, factors};
    CHECK_OK(pl_world_add_load(world, body, &load, NULL, error));
    CHECK_OK(steps(world, 100, error));
    read1(world, body, "momentum", p);
    // implicit Euler takes the load at the end of each step: half a step more of the ramp
    for (int k = 0; k < 3; k++) CHECK_NEAR(p[k], cases[c].gained[k] * 0.0755 / 0.077, 2e-4);
    pl_world_destroy(world);
  }
}

TEST(linear_statics_balances_the_weight)
{
  // the elastic energy of a linear body under a dead load is half the work of the load
  bar_def def = {.integrator = "static", .strain = "linear", .gravity = {0, -9.81, 0}};
  pl_world *world;
  pl_body_id body;
  double elastic[3], gravity[3], start[3];
  CHECK_OK(bar_make(&def, &world, &body, error));
  read1(world, body, "gravity-energy", start);
  CHECK_OK(pl_world_step(world, error));
  read1(world, body, "elastic-energy", elastic);
  read1(world, body, "gravity-energy", gravity);
  CHECK_NEAR(elastic[0], -0.5 * (gravity[0] - start[0]), 1e-6 * elastic[0]);
  pl_world_destroy(world);
}

/* ---- promises ---- */

TEST(bits_do_not_depend_on_threads)
{
  const int threads[] = {1, 2, 3, 8};
  const char *strains[] = {"corotated", "green"};
  for (int s = 0; s < 2; s++) {
    uint64_t first = 0;
    for (int i = 0; i < 4; i++) {
      bar_def def = {.n = 4,
                     .strain = strains[s],
                     .threads = threads[i],
                     .gravity = {0, -9.81, 1},
                     .viscous_mu = 10,
                     .mass = s ? "consistent" : "lumped"};
      pl_world *world;
      pl_body_id body;
      CHECK_OK(bar_make(&def, &world, &body, error));
      CHECK_OK(steps(world, 5, error));
      uint64_t hash = pl_world_state_hash(world);
      if (i == 0) first = hash;
      CHECK(hash == first);
      pl_world_destroy(world);
    }
  }
}

TEST(steady_steps_allocate_nothing)
{
  for (int m = 0; pl_integrator_family.members[m]; m++) {
    counter count = {0};
    pl_allocator allocator = counter_allocator(&count);
    const pl_integrator_ops *ops = (const void *)pl_integrator_family.members[m];
    bar_def def = {.integrator = ops->info.name,
                   .gravity = {0, -9.81, 0},
                   .allocator = &allocator,
                   .dt = ops->is_implicit ? 0.01 : 1e-5,
                   .viscous_mu = 20,
                   .threads = 2};
    pl_world *world;
    pl_body_id body;
    CHECK_OK(bar_make(&def, &world, &body, error));
    CHECK_OK(steps(world, 2, error));
    long made = count.calls;
    CHECK_OK(steps(world, 20, error));
    CHECK(count.calls == made);
    pl_world_destroy(world);
    CHECK(count.blocks == 0);
  }
}

TEST(every_failing_allocation_is_an_error)
{
  int failed = 0;
  for (long k = 1;; k++) {
    counter count = {.fail_at = k};
    pl_allocator allocator = counter_allocator(&count);
    bar_def def = {.n = 1, .gravity = {0, -9.81, 0}, .allocator = &allocator, .viscous_mu = 1};
    pl_world *world;
    pl_body_id body;
    pl_error error = {0};
    pl_status status = bar_make(&def, &world, &body, &error);
    if (!status) status = steps(world, 20, &error);
    pl_world_destroy(world);
    CHECK(count.blocks == 0);
    if (count.calls < k) {
      CHECK(status == PL_OK);
      break;
    }
    CHECK(status == PL_E_MEMORY && strstr(error.message, "memory"));
    failed++;
  }
  CHECK(failed > 40);
}

TEST(a_failed_step_leaves_the_world_as_it_was)
{
  bar_def def = {
      .integrator = "explicit-euler", .gravity = {0, -9.81, 0}, .dt = 0.01, .unstable = 1};
  pl_world *world;
  pl_body_id body;
  pl_error failure = {0};
  pl_status status = PL_OK;
  uint64_t before = 0;
  double time = 0;
  CHECK_OK(bar_make(&def, &world, &body, error));
  for (int i = 0; i < 2000 && !status; i++) {
    before = pl_world_state_hash(world);
    time = pl_world_time(world);
    status = pl_world_step(world, &failure);
  }
  CHECK(status == PL_E_DIVERGED && strstr(failure.message, "smaller dt"));
  CHECK(failure.entity >= 0 && failure.time > time);
  CHECK(pl_world_state_hash(world) == before && pl_world_time(world) == time);
  pl_world_destroy(world);
}

/* ---- errors ---- */

TEST(bad_definitions_are_refused)
{
  pl_world_def def = pl_world_def_default();
  pl_world *world = NULL;
  CHECK_FAILS(pl_world_create(&(pl_world_def){0}, &world, error), PL_E_ARGUMENT, "_default()");
  def.dt = 0;
  CHECK_FAILS(pl_world_create(&def, &world, error), PL_E_ARGUMENT, "dt = 0 must be a positive");
  def.dt = NAN;
  CHECK_FAILS(pl_world_create(&def, &world, error), PL_E_ARGUMENT, "positive");
  def.dt = 0.01;
  def.integrator.name = "implicit-eular";
  CHECK_FAILS(pl_world_create(&def, &world, error), PL_E_ARGUMENT,
              "did you mean \"implicit-euler\"");
  def.integrator.name = NULL;
  def.threads = 1000;
  CHECK_FAILS(pl_world_create(&def, &world, error), PL_E_ARGUMENT, "threads = 1000");
  def.threads = 1;
  CHECK_OK(pl_world_create(&def, &world, error));
  CHECK_FAILS(pl_world_step(world, error), PL_E_ARGUMENT, "nothing to simulate");
  pl_fix_def fix = pl_fix_def_default();
  CHECK_FAILS(pl_world_add_fix(world, (pl_body_id){3, 1}, &fix, NULL, error), PL_E_ARGUMENT,
              "no body number 3");
  pl_body_def body = pl_body_def_default();
  CHECK_FAILS(pl_world_add_body(world, &body, NULL, error), PL_E_ARGUMENT, "needs a mesh");
  pl_world_destroy(world);
}

TEST(bad_materials_and_regions_are_refused)
{
  bar_def def = {.free = 1};
  pl_world *world;
  pl_body_id body;
  CHECK_OK(bar_make(&def, &world, &body, error));
  uint64_t before = pl_world_state_hash(world);
  pl_selector nowhere = {.set = "x-mni"};
  pl_fix_def fix = pl_fix_def_default();
  fix.where = &nowhere;
  fix.where_count = 1;
  CHECK_FAILS(pl_world_add_fix(world, body, &fix, NULL, error), PL_E_ARGUMENT, "x-min");
  pl_setting far[] = {{.name = "min", .value = {5, 5, 5}}, {.name = "max", .value = {6, 6, 6}}};
  nowhere = (pl_selector){.region = {"box", far, 2}};
  CHECK_FAILS(pl_world_add_fix(world, body, &fix, NULL, error), PL_E_ARGUMENT, "holds no node");
  fix.where_count = 0;
  CHECK_FAILS(pl_world_add_fix(world, body, &fix, NULL, error), PL_E_ARGUMENT, "no region of body");
  pl_load_def load = pl_load_def_default();
  for (int k = 0; k < 2; k++) {
    load.load = k ? (pl_choice){"pressure", NULL, 0} : (pl_choice){"force", NULL, 0};
    CHECK_FAILS(pl_world_add_load(world, body, &load, NULL, error), PL_E_ARGUMENT,
                "is given; name a set of its mesh");
  }
  pl_rigid_def rigid = pl_rigid_def_default();
  CHECK_FAILS(pl_world_add_rigid(world, body, &rigid, NULL, error), PL_E_ARGUMENT,
              "no region of body");
  pl_body_def another = pl_body_def_default();
  another.mesh = pl_world_body_mesh(world, body);
  CHECK_FAILS(pl_world_add_body(world, &another, NULL, error), PL_E_ARGUMENT, "young");
  another.material.density = -1;
  CHECK_FAILS(pl_world_add_body(world, &another, NULL, error), PL_E_ARGUMENT, "density = -1");
  CHECK(pl_world_state_hash(world) == before && pl_world_body_count(world) == 1);
  pl_world_destroy(world);
}

TEST(statics_needs_a_held_body)
{
  bar_def def = {.free = 1, .integrator = "static", .gravity = {0, -9.81, 0}};
  pl_world *world;
  pl_body_id body;
  CHECK_OK(bar_make(&def, &world, &body, error));
  CHECK_FAILS(pl_world_step(world, error), PL_E_SINGULAR, "not held anywhere");
  pl_world_destroy(world);
}

TESTS(X(free_fall_is_exact) X(free_bodies_keep_their_momentum)
          X(rotating_the_scene_rotates_the_result) X(every_integrator_with_every_strain)
              X(mass_damping_slows_a_free_body) X(fixes_move_as_told) X(loads_arrive_in_full)
                  X(linear_statics_balances_the_weight) X(bits_do_not_depend_on_threads)
                      X(steady_steps_allocate_nothing) X(every_failing_allocation_is_an_error)
                          X(a_failed_step_leaves_the_world_as_it_was) X(bad_definitions_are_refused)
                              X(bad_materials_and_regions_are_refused) X(statics_needs_a_held_body))
