/* Every quantity on every model: it can be read, is finite and has a unit; that of the world is the
 * sum over its bodies; at rest nothing moves. */
#include "model/model.h"
#include "pliant/world.h"
#include "world/quantity.h"

#include "bar.h"

static pl_world *make(const char *model, pl_body_id bodies[2])
{
  pl_world *world = NULL;
  pl_body_def def = pl_body_def_default();
  def.model.name = model;
  def.spin[2] = 1, def.velocity[0] = 2;
  bar_def bar = {.n = 1, .free = 1, .like = &def, .gravity = {0, 0, -9.81}, .dt = 0.001};
  CHECK_OK(bar_make(&bar, &world, &bodies[0], error));
  if (!world) return NULL;
  pl_setting box[] = {{.name = "origin", .value = {3, 0, 0}},
                      {.name = "cells", .value = {2, 2, 2}}};
  pl_setting hooke[] = {{.name = "young", .value = {1e5}}, {.name = "poisson", .value = {0.3}}};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", box, 2}, NULL, &mesh, error));
  CHECK_OK(bar_skin(&bar, &mesh, error));
  def.mesh = mesh;
  def.material.law = (pl_choice){"hooke", hooke, 2};
  CHECK_OK(pl_world_add_body(world, &def, &bodies[1], error));
  pl_mesh_destroy(mesh);
  return world;
}

static pl_probe_id watch(pl_world *world, const char *quantity, pl_body_id body)
{
  pl_probe_def def = pl_probe_def_default();
  pl_probe_id probe = {0};
  def.quantity = quantity;
  def.body = body;
  def.at[0] = 0.9, def.at[1] = def.at[2] = 0.2;
  CHECK_OK(pl_world_add_probe(world, &def, &probe, error));
  return probe;
}

/* All numbers beyond the width stay as they are. */
static void read_probe(pl_world *world, pl_probe_id probe, double value[3])
{
  int width = pl_world_probe_width(world, probe);
  for (int k = 0; k < 3; k++) value[k] = 0;
  CHECK_OK(pl_world_read_probe(world, probe, value, error));
  for (int k = 0; k < width; k++) CHECK(isfinite(value[k]));
}

static void check_quantity(pl_world *world, const pl_quantity_ops *ops, const pl_body_id bodies[2])
{
  double whole[3], part[2][3];
  pl_probe_id probes[3] = {watch(world, ops->info.name, bodies[0])};
  read_probe(world, probes[0], part[0]);
  CHECK(ops->width == pl_world_probe_width(world, probes[0]));
  CHECK(strcmp(ops->unit, pl_world_probe_unit(world, probes[0])) == 0);
  if (ops->of_point) return;
  probes[1] = watch(world, ops->info.name, bodies[1]);
  probes[2] = watch(world, ops->info.name, (pl_body_id){0});
  read_probe(world, probes[1], part[1]);
  read_probe(world, probes[2], whole);
  for (int k = 0; k < ops->width; k++)
    CHECK_NEAR(whole[k], part[0][k] + part[1][k], 1e-9 * (1 + fabs(whole[k])));
}

TEST(every_quantity_can_be_read_of_every_model)
{
  for (int m = 0; pl_model_family.members[m]; m++) {
    pl_body_id bodies[2];
    int before = test_failures;
    if (((const pl_model_ops *)(const void *)pl_model_family.members[m])->meshes == PL_ON_SEGMENTS)
      continue; // the bar is solid
    pl_world *world = make(pl_model_family.members[m]->name, bodies);
    for (int steps = 0; steps < 2 && world; steps++) {
      for (int i = 0; pl_quantity_family.members[i]; i++) {
        int failures = test_failures;
        check_quantity(world, (const void *)pl_quantity_family.members[i], bodies);
        if (test_failures > failures) printf("  %s\n", pl_quantity_family.members[i]->name);
      }
      CHECK_OK(pl_world_step(world, error));
    }
    pl_world_destroy(world);
    if (test_failures > before) printf("  with model %s\n", pl_model_family.members[m]->name);
  }
}

TEST(they_have_names_units_and_widths)
{
  for (int i = 0; pl_quantity_family.members[i]; i++) {
    const pl_quantity_ops *ops = (const void *)pl_quantity_family.members[i];
    CHECK(ops->unit && *ops->unit && (ops->width == 1 || ops->width == 3) && ops->read);
    CHECK(*ops->info.name && *ops->info.summary && ops->info.param_count == 0);
    for (int k = 0; k < i; k++) CHECK(strcmp(ops->info.name, pl_quantity_family.members[k]->name));
  }
}

/* A body that rests keeps all of its values; but for where and how large it is, they are zero. */
TEST(what_rests_does_not_move)
{
  pl_world *world;
  pl_body_id body;
  CHECK_OK(bar_make(&(bar_def){.n = 1}, &world, &body, error));
  CHECK_OK(pl_world_step(world, error));
  for (int i = 0; pl_quantity_family.members[i]; i++) {
    const pl_quantity_ops *ops = (const void *)pl_quantity_family.members[i];
    int is_rate = strchr(ops->unit, 's') || strchr(ops->unit, 'J') || strchr(ops->unit, 'N') ||
                  strstr(ops->unit, "Pa");
    pl_probe_id probe = watch(world, ops->info.name, body);
    double before[3], value[3];
    read_probe(world, probe, before);
    CHECK_OK(pl_world_step(world, error));
    read_probe(world, probe, value);
    for (int c = 0; c < ops->width; c++) {
      CHECK_NEAR(value[c], before[c], 1e-9);
      if (is_rate) CHECK_NEAR(value[c], 0, 1e-9);
    }
  }
  pl_world_destroy(world);
}

TESTS(X(every_quantity_can_be_read_of_every_model) X(they_have_names_units_and_widths)
          X(what_rests_does_not_move))
