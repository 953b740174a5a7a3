/* Links: their laws by differences, two bodies that swing on a spring with the frequency of their
 * reduced mass, whatever their models, momenta with every integrator, bands that are slack, and
 * what can be changed, read and removed. */
#include "couple/link.h"
#include "math/vec3.h"
#include "world/world.h"

#include "world/acts.h"

/* ---- laws ---- */

static pl_tension pull_of(const pl_link_ops *law, const double *own, double length, double rate)
{
  pl_tension T = {0};
  law->pull(own, &(pl_link_state){length, rate, 0.3}, &T);
  return T;
}

TEST(the_force_of_every_law_is_the_slope_of_its_energy_and_has_its_slopes)
{
  for (int m = 0; pl_link_family.members[m]; m++) {
    const pl_link_ops *law = (const void *)pl_link_family.members[m];
    pl_choice choice = {.name = law->info.name};
    const pl_member *member;
    double values[PL_MOST_VALUES], h = 1e-6;
    CHECK_OK(pl_choice_resolve(&pl_link_family, &choice, &member, values, error));
    CHECK(strcmp(law->info.params[0].name, "at") == 0);
    CHECK(strcmp(law->info.params[1].name, "to-at") == 0);
    const double *own = values + PL_LINK_OWN;
    int acts = 0;
    for (double l = 0.02; l < 2; l *= 1.3) {
      pl_tension T = pull_of(law, own, l, 0), up = pull_of(law, own, l + h, 0),
                 down = pull_of(law, own, l - h, 0);
      double size = fabs(T.slope) * l + fabs(T.force);
      CHECK_NEAR((up.energy - down.energy) / (2 * h), T.force, 1e-6 * size);
      CHECK_NEAR((up.force - down.force) / (2 * h), T.slope, 1e-6 * size / l);
      up = pull_of(law, own, l, h), down = pull_of(law, own, l, -h);
      CHECK_NEAR((up.force - down.force) / (2 * h), T.viscous, 1e-6 * size);
      CHECK(T.viscous >= 0);
      acts |= T.force != 0;
    }
    CHECK(acts);
  }
}

/* ---- two bodies ---- */

typedef struct two {
  pl_world *world;
  pl_body_id body[2];
  pl_effect_id link;
} two;

static void add_cube(two *on, int which, const char *model)
{
  pl_setting box[] = {{.name = "size", .value = {0.1, 0.1, 0.1}},
                      {.name = "origin", .value = {which ? 0.25 : -0.35, -0.05, -0.05}},
                      {.name = "cells", .value = {2, 2, 2}}};
  pl_setting hooke[] = {{.name = "young", .value = {1e7}}, {.name = "poisson", .value = {0.3}}};
  pl_setting frames = {.name = "frames", .value = {1}};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", box, 3}, NULL, &mesh, error));
  pl_body_def def = pl_body_def_default();
  def.mesh = mesh;
  def.model = (pl_choice){model, &frames, strstr(model, "frames") ? 1 : 0};
  def.material.law = (pl_choice){"hooke", hooke, 2};
  def.material.density = which ? 3000 : 1000;
  CHECK_OK(pl_world_add_body(on->world, &def, &on->body[which], error));
  pl_mesh_destroy(mesh);
}

/* Cubes of 1 and 3 kg whose middles are 0.6 m apart along x. */
static two make(const char *integrator, double dt, const char *first, const char *second)
{
  two on = {0};
  pl_world_def def = pl_world_def_default();
  def.integrator.name = integrator;
  def.allow_unstable = 1;
  def.dt = dt;
  def.threads = 1;
  memset(def.gravity, 0, sizeof def.gravity);
  CHECK_OK(pl_world_create(&def, &on.world, error));
  add_cube(&on, 0, first);
  add_cube(&on, 1, second);
  return on;
}

static pl_status link_middles(two *on, const char *law, const pl_setting *more, int count,
                              pl_error *error)
{
  pl_setting settings[8] = {{.name = "at", .value = {-0.3, 0, 0}},
                            {.name = "to-at", .value = {0.3, 0, 0}}};
  for (int i = 0; i < count; i++) settings[2 + i] = more[i];
  return pl_world_add_link(on->world, on->body[0], on->body[1],
                           &(pl_choice){law, settings, 2 + count}, &on->link, error);
}

static pl_link_facts facts_of(const two *on)
{
  pl_link_facts facts = {0};
  CHECK_OK(pl_world_read_link(on->world, on->link, &facts, error));
  return facts;
}

/* A spring of 12 N/m that is 0.2 m too long: w = sqrt(k / mu) = 4 1/s with mu = 3/4 kg, so that the
 * length is 0.4 + 0.2 cos(4 t). The cubes' own softness changes w by less than 1e-4. */
TEST(bodies_of_every_model_swing_with_the_frequency_of_their_reduced_mass)
{
  static const char *const models[] = {"fem", "springs", "rigid", "frames", "rigid-frames"};
  const pl_setting spring[] = {{.name = "stiffness", .value = {12}},
                               {.name = "length", .value = {0.4}}};
  for (int i = 0; i < 5; i++) {
    two on = make("newmark", 0.005, models[i], models[(i + 2) % 5]);
    CHECK_OK(link_middles(&on, "spring", spring, 2, error));
    pl_link_facts facts = facts_of(&on);
    CHECK_NEAR(facts.length, 0.6, 1e-12);
    CHECK_NEAR(facts.tension, 12 * 0.2, 1e-9);
    double energy = energy_of(on.world);
    run_steps(on.world, 150);
    facts = facts_of(&on);
    double right = 0.4 + 0.2 * cos(4 * 0.75);
    printf("  %-12s and %-12s %.6f of %.6f m\n", models[i], models[(i + 2) % 5], facts.length,
           right);
    CHECK_NEAR(facts.length, right, 2e-4);
    CHECK_NEAR(facts.ends[0][0], -0.3 + 0.75 * (0.6 - right), 2e-4); // three parts of the way
    CHECK_NEAR(energy_of(on.world), energy, 2e-3 * energy);
    pl_world_destroy(on.world);
  }
}

/* Forces at points off the middles, of a state that is shaken: no net force and no torque. */
TEST(what_the_ends_feel_balances)
{
  two on = make("implicit-euler", 0.01, "fem", "fem");
  const pl_setting ends[] = {{.name = "at", .value = {-0.25, 0.05, 0.01}},
                             {.name = "to-at", .value = {0.27, -0.02, 0.05}}};
  for (int m = 0; pl_link_family.members[m]; m++)
    CHECK_OK(pl_world_add_link(on.world, on.body[0], on.body[1],
                               &(pl_choice){pl_link_family.members[m]->name, ends, 2}, NULL,
                               error));
  CHECK_OK(pl_world_prepare(on.world, error));
  int n = 3 * on.world->bodies.blocks;
  double *q = calloc(3 * (size_t)n, sizeof *q), *v = q + n, *f = v + n;
  for (int i = 0; i < n; i++) {
    q[i] = on.world->state.q[i] + 0.01 * test_uniform();
    v[i] = test_uniform();
  }
  const pl_moment at = {.q = q, .v = v, .load_scale = 1};
  pl_coupling *link = NULL;
  while ((link = pl_couplings_next(&on.world->couplings, &pl_coupling_link, link))) {
    double sum[3] = {0}, torque[3] = {0}, size = 0;
    memset(f, 0, (size_t)n * sizeof *f);
    pl_coupling_link.evaluate(link, &at, f, NULL);
    for (int i = 0; i < n; i += 3) {
      double turn[3];
      pl_vec3_add(sum, f + i, sum);
      pl_vec3_cross(q + i, f + i, turn);
      pl_vec3_add(torque, turn, torque);
      size += pl_vec3_norm(f + i);
    }
    CHECK(size > 0);
    CHECK(pl_vec3_norm(sum) < 1e-14 * size);
    CHECK(pl_vec3_norm(torque) < 1e-14 * size);
  }
  free(q);
  pl_world_destroy(on.world);
}

TEST(momentum_is_kept_with_every_law_and_integrator)
{
  EACH_INTEGRATOR(ops)
  {
    for (int m = 0; pl_link_family.members[m]; m++) {
      int before = test_failures;
      two on = make(ops->info.name, ops->is_implicit ? 0.005 : 1e-4, "fem", "fem");
      double momentum[3], kinetic[3] = {0};
      const pl_setting ends[] = {{.name = "at", .value = {-0.25, 0.05, 0}},
                                 {.name = "to-at", .value = {0.25, -0.02, 0.05}}};
      CHECK_OK(pl_world_add_link(on.world, on.body[0], on.body[1],
                                 &(pl_choice){pl_link_family.members[m]->name, ends, 2}, &on.link,
                                 error));
      const pl_setting length = {.name = "length", .value = {0.2}};
      if (pl_param_find(pl_link_family.members[m], "length") >= 0)
        CHECK_OK(pl_world_set_effect(on.world, on.link, &length, error));
      run_steps(on.world, 20);
      read_vector(on.world, "momentum", momentum);
      read_vector(on.world, "kinetic-energy", kinetic);
      double size = sqrt(kinetic[0] * 2 * 1); // momentum of 1 kg with that energy
      CHECK(kinetic[0] > 0);
      CHECK(pl_vec3_norm(momentum) < 1e-4 * size);
      if (test_failures > before)
        printf("  %s with %s\n", ops->info.name, pl_link_family.members[m]->name);
      pl_world_destroy(on.world);
    }
  }
}

TEST(a_band_is_slack_when_it_is_short)
{
  two on = make("newmark", 0.005, "rigid", "rigid");
  const pl_setting band[] = {{.name = "stiffness", .value = {12}},
                             {.name = "length", .value = {0.7}},
                             {.name = "damping", .value = {1}},
                             {.name = "slack", .word = "yes"}};
  CHECK_OK(link_middles(&on, "spring", band, 4, error));
  run_steps(on.world, 20);
  CHECK(facts_of(&on).tension == 0);
  CHECK_NEAR(facts_of(&on).length, 0.6, 1e-12);
  const pl_setting shorter = {.name = "length", .value = {0.5}};
  CHECK_OK(pl_world_set_effect(on.world, on.link, &shorter, error));
  CHECK_NEAR(facts_of(&on).tension, 1.2, 1e-12);
  double least = 1;
  for (int i = 0; i < 200; i++) {
    run_steps(on.world, 1);
    least = fmin(least, facts_of(&on).tension);
  }
  CHECK(least == 0); // it never pushes
  CHECK(facts_of(&on).length < 0.5);
  pl_world_destroy(on.world);
}

TEST(links_are_read_changed_and_removed)
{
  two on = make("implicit-euler", 0.01, "fem", "rigid");
  const pl_member *member = NULL;
  double value[3];
  CHECK_OK(link_middles(&on, "magnet", NULL, 0, error));
  CHECK(pl_world_link_at(on.world, 0).index1 == on.link.index1);
  CHECK(pl_world_link_at(on.world, 1).index1 == 0);
  CHECK_OK(pl_world_read_effect(on.world, on.link, &member, "to-at", value, error));
  CHECK(strcmp(member->name, "magnet") == 0 && value[0] == 0.3);
  CHECK(facts_of(&on).bodies[1].index1 == on.body[1].index1);
  run_steps(on.world, 3);
  pl_setting point = {.name = "at", .value = {-0.25, 0.05, 0.05}};
  CHECK_OK(pl_world_set_effect(on.world, on.link, &point, error));
  CHECK_NEAR(facts_of(&on).ends[0][1], 0.05, 1e-3);
  run_steps(on.world, 3);
  pl_setting away = {.name = "at", .value = {5, 0, 0}};
  CHECK_FAILS(pl_world_set_effect(on.world, on.link, &away, error), PL_E_ARGUMENT,
              "at = 5 0 0 lies 5.25 m outside body");
  CHECK_NEAR(facts_of(&on).ends[0][1], 0.05, 1e-3); // as before
  pl_setting wrong = {.name = "stiffness", .value = {1}};
  CHECK_FAILS(pl_world_set_effect(on.world, on.link, &wrong, error), PL_E_ARGUMENT,
              "link \"magnet\" has no parameter \"stiffness\"");
  CHECK_FAILS(pl_world_add_link(on.world, on.body[0], on.body[0], &(pl_choice){.name = "spring"},
                                NULL, error),
              PL_E_ARGUMENT, "cannot be linked to itself");
  CHECK_FAILS(pl_world_add_link(on.world, on.body[0], on.body[1], &(pl_choice){.name = "rope"},
                                NULL, error),
              PL_E_ARGUMENT, "rope");
  CHECK_FAILS(pl_world_add_link(on.world, on.body[0], on.body[1], NULL, NULL, error), PL_E_ARGUMENT,
              "needs a choice");
  // a link goes with either of its bodies
  CHECK_OK(pl_world_remove_body(on.world, on.body[1], error));
  CHECK_FAILS(pl_world_read_link(on.world, on.link, &(pl_link_facts){0}, error), PL_E_ARGUMENT,
              "removed");
  run_steps(on.world, 1);
  pl_world_destroy(on.world);
}

/* In statics the spring alone holds the second body. */
TEST(a_spring_holds_what_hangs_on_it)
{
  two on = make("static", 1, "fem", "fem");
  const pl_setting spring[] = {{.name = "stiffness", .value = {500}}};
  CHECK_OK(pl_world_set_gravity(on.world, (double[3]){10, 0, 0}, error));
  CHECK_OK(fix_set(on.world, on.body[0], "x-min", error));
  CHECK_OK(link_middles(&on, "spring", spring, 1, error));
  // sideways it hangs on nothing: planes hold it
  for (int axis = 1; axis < 3; axis++) {
    pl_selector where = {.set = axis == 1 ? "y-min" : "z-min"};
    pl_fix_def fix = pl_fix_def_default();
    fix.where = &where;
    fix.where_count = 1;
    for (int k = 0; k < 3; k++) fix.free_axis[k] = k != axis;
    CHECK_OK(pl_world_add_fix(on.world, on.body[1], &fix, NULL, error));
  }
  run_steps(on.world, 1);
  CHECK_NEAR(facts_of(&on).tension, 30, 1e-3); // 3 kg
  CHECK_NEAR(facts_of(&on).length, 0.6 + 30.0 / 500, 1e-4);
  pl_world_destroy(on.world);
}

TESTS(X(the_force_of_every_law_is_the_slope_of_its_energy_and_has_its_slopes)
          X(bodies_of_every_model_swing_with_the_frequency_of_their_reduced_mass)
              X(what_the_ends_feel_balances) X(momentum_is_kept_with_every_law_and_integrator)
                  X(a_band_is_slack_when_it_is_short) X(links_are_read_changed_and_removed)
                      X(a_spring_holds_what_hangs_on_it))
