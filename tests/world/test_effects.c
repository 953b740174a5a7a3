/* Effects: a body that is drawn to a point swings through it, whatever its model; ids and numbers.
 */
#include "couple/effect.h"
#include "pliant/world.h"
#include "test.h"

/* A free body of 2 kg, its centre at x = 0.3 m, drawn to the origin. */
static pl_world *swing(const char *model, pl_body_id *body, pl_effect_id *effect)
{
  pl_world_def def = pl_world_def_default();
  pl_setting box[] = {{.name = "size", .value = {0.2, 0.1, 0.1}},
                      {.name = "origin", .value = {0.2, -0.05, -0.05}},
                      {.name = "cells", .value = {2, 1, 1}}};
  pl_setting hooke[] = {{.name = "young", .value = {1e6}}, {.name = "poisson", .value = {0.3}}};
  pl_setting stiffness = {.name = "stiffness", .value = {8}};
  pl_setting frames = {.name = "frames", .value = {1}};
  pl_world *world = NULL;
  pl_mesh *mesh = NULL;
  def.integrator.name = "newmark";
  def.dt = 0.01;
  CHECK_OK(pl_world_create(&def, &world, error));
  CHECK_OK(pl_world_set_gravity(world, (double[3]){0}, error));
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", box, 3}, NULL, &mesh, error));
  pl_body_def of = pl_body_def_default();
  of.mesh = mesh;
  of.model = (pl_choice){model, &frames, strstr(model, "frames") ? 1 : 0};
  of.material.law = (pl_choice){"hooke", hooke, 2};
  CHECK_OK(pl_world_add_body(world, &of, body, error));
  CHECK_OK(
      pl_world_add_effect(world, *body, &(pl_choice){"attraction", &stiffness, 1}, effect, error));
  pl_mesh_destroy(mesh);
  return world;
}

/* The mean of its nodes, which is where its centre is. */
static double centre(const pl_world *world, pl_body_id body)
{
  const pl_mesh *mesh = pl_world_body_mesh(world, body);
  int count = pl_mesh_node_count(mesh);
  double *x = malloc(3 * (size_t)count * sizeof *x), sum = 0;
  CHECK_OK(pl_world_get_positions(world, body, x, error));
  for (int i = 0; i < count; i++) sum += x[3 * i] / count;
  free(x);
  return sum;
}

/* x = 0.3 cos(w t) with w = sqrt(8 / 2) = 2: at t = pi / 2 it is -0.3. Newmark's frequency is off
 * by (w h)^2 / 12 = 3e-5. */
TEST(bodies_of_every_model_swing_through_the_point)
{
  static const char *const models[] = {"fem", "springs", "rigid", "frames", "rigid-frames"};
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    pl_body_id body;
    pl_effect_id effect;
    pl_world *world = swing(models[i], &body, &effect);
    for (int step = 0; step < 157; step++) CHECK_OK(pl_world_step(world, error));
    double expected = 0.3 * cos(2 * 1.57);
    printf("  %-12s %.6f of %.6f m\n", models[i], centre(world, body), expected);
    CHECK_NEAR(centre(world, body), expected, 2e-4);
    pl_world_destroy(world);
  }
}

/* Every member with its presets: it can be read, a step with it is finite, and it can be removed.
 */
TEST(every_effect_comes_and_goes)
{
  for (int m = 0; pl_effect_family.members[m]; m++) {
    const pl_member *member = pl_effect_family.members[m], *found = NULL;
    pl_body_id body;
    pl_effect_id swinging, effect;
    pl_world *world = swing("fem", &body, &swinging);
    double value[3];
    CHECK_OK(pl_world_add_effect(world, body, &(pl_choice){.name = member->name}, &effect, error));
    for (int k = 0; k < member->param_count; k++) {
      const pl_param *param = &member->params[k];
      CHECK_OK(pl_world_read_effect(world, effect, &found, param->name, value, error));
      CHECK(found == member && value[0] == param->preset);
    }
    CHECK_OK(pl_world_step(world, error));
    CHECK(isfinite(centre(world, body)));
    CHECK_OK(pl_world_remove_effect(world, effect, error));
    CHECK_OK(pl_world_read_effect(world, swinging, NULL, "stiffness", value, error));
    CHECK(value[0] == 8);
    pl_world_destroy(world);
  }
}

TEST(numbers_can_be_changed_and_effects_removed)
{
  pl_body_id body;
  pl_effect_id effect;
  pl_world *world = swing("rigid", &body, &effect);
  const pl_member *member = NULL;
  double value[3];
  CHECK_OK(pl_world_read_effect(world, effect, &member, "stiffness", value, error));
  CHECK(strcmp(member->name, "attraction") == 0 && value[0] == 8);
  pl_setting wrong = {.name = "stiffness", .value = {-1}},
             point = {.name = "point", .value = {9, 0, 0}};
  CHECK_FAILS(pl_world_set_effect(world, effect, &wrong, error), PL_E_ARGUMENT, "stiffness = -1");
  wrong.name = "speed";
  CHECK_FAILS(pl_world_set_effect(world, effect, &wrong, error), PL_E_ARGUMENT,
              "effect \"attraction\" has no parameter \"speed\"");
  CHECK_OK(pl_world_set_effect(world, effect, &point, error));
  CHECK_OK(pl_world_read_effect(world, effect, NULL, "point", value, error));
  CHECK(value[0] == 9 && value[1] == 0);
  CHECK_OK(pl_world_step(world, error));
  CHECK(centre(world, body) > 0.3); // that way now

  // without it the body goes on straight, and the id is nobody's
  CHECK_OK(pl_world_remove_effect(world, effect, error));
  CHECK_FAILS(pl_world_read_effect(world, effect, NULL, NULL, NULL, error), PL_E_ARGUMENT,
              "it may have been removed");
  CHECK_FAILS(pl_world_remove_effect(world, effect, error), PL_E_ARGUMENT, "there is no effect");
  CHECK_FAILS(pl_world_set_effect(world, effect, &point, error), PL_E_ARGUMENT, "no effect");
  double before = centre(world, body), way;
  CHECK_OK(pl_world_step(world, error));
  way = centre(world, body) - before;
  CHECK_OK(pl_world_step(world, error));
  CHECK_NEAR(centre(world, body) - before, 2 * way, 1e-12);
  CHECK_FAILS(pl_world_add_effect(world, body, &(pl_choice){.name = "magic"}, NULL, error),
              PL_E_ARGUMENT, "magic");
  CHECK_FAILS(pl_world_add_effect(world, body, NULL, NULL, error), PL_E_ARGUMENT, "a choice");
  CHECK_FAILS(pl_world_set_effect(world, effect, NULL, error), PL_E_ARGUMENT, "a setting");
  pl_world_destroy(world);
}

TESTS(X(bodies_of_every_model_swing_through_the_point) X(every_effect_comes_and_goes)
          X(numbers_can_be_changed_and_effects_removed))
