/* Attachments that break: a box hangs from another by glue that bears its weight, or does not. */
#include "pliant/world.h"
#include "test.h"

typedef struct glued {
  pl_world *world;
  pl_body_id above, below;
  pl_attachment_id glue;
} glued;

static pl_status add_box(pl_world *world, double z, pl_body_id *body, pl_error *error)
{
  pl_setting box[] = {{.name = "size", .value = {0.1, 0.1, 0.1}},
                      {.name = "origin", .value = {0, 0, z}},
                      {.name = "cells", .value = {2, 2, 2}}};
  pl_setting hooke[] = {{.name = "young", .value = {1e6}}, {.name = "poisson", .value = {0.3}}};
  pl_mesh *mesh = NULL;
  pl_status status = pl_mesh_generate(&(pl_choice){"box", box, 3}, NULL, &mesh, error);
  pl_body_def def = pl_body_def_default();
  def.mesh = mesh;
  def.material.law = (pl_choice){"hooke", hooke, 2};
  def.material.stiffness_damping = 0.01;
  if (!status) status = pl_world_add_body(world, &def, body, error);
  pl_mesh_destroy(mesh);
  return status;
}

static glued make(double breaking, double dt)
{
  glued to = {0};
  pl_world_def def = pl_world_def_default();
  pl_selector top = {.set = "z-max"};
  pl_fix_def fix = pl_fix_def_default();
  pl_attachment_def attach = pl_attachment_def_default();
  fix.where = &top, fix.where_count = 1;
  def.dt = dt;
  def.threads = 1;
  def.gravity[2] = -9.81;
  CHECK_OK(pl_world_create(&def, &to.world, error));
  CHECK_OK(add_box(to.world, 0.1, &to.above, error));
  CHECK_OK(add_box(to.world, 0, &to.below, error));
  CHECK_OK(pl_world_add_fix(to.world, to.above, &fix, NULL, error));
  attach.to = to.above;
  attach.where = &top, attach.where_count = 1;
  attach.breaking = breaking;
  CHECK_OK(pl_world_add_attachment(to.world, to.below, &attach, &to.glue, error));
  return to;
}

static pl_attachment_facts run(const glued *in, int steps)
{
  pl_attachment_facts facts = {0};
  for (int i = 0; i < steps; i++) CHECK_OK(pl_world_step(in->world, error));
  CHECK_OK(pl_world_read_attachment(in->world, in->glue, &facts, error));
  return facts;
}

static double height(const glued *in)
{
  double x[3 * 27], sum = 0;
  CHECK_OK(pl_world_get_positions(in->world, in->below, x, error));
  for (int i = 0; i < 27; i++) sum += x[3 * i + 2] / 27;
  return sum;
}

/* Glue breaks as gravity pulls the lower box away under barriers; turned round, it brings it back:
 * the box stops at the other one. At first their faces lie in one plane. */
TEST(what_glue_held_meets_under_barriers_once_it_is_apart)
{
  glued in = make(5, 0.005);
  pl_setting newton = {.name = "newton", .value = {50}};
  pl_contact_def contact = pl_contact_def_default();
  contact.response.name = "barrier";
  CHECK_OK(pl_world_set_integrator(in.world, &(pl_choice){"implicit-euler", &newton, 1}, error));
  CHECK_OK(pl_world_set_contact(in.world, &contact, error));
  CHECK(run(&in, 20).broken == 9);
  CHECK(height(&in) < 0.048);
  CHECK_OK(pl_world_set_gravity(in.world, (double[3]){0, 0, 9.81}, error));
  double highest = 0;
  for (int i = 0; i < 60; i++) {
    (void)run(&in, 1);
    highest = fmax(highest, height(&in));
  }
  CHECK(highest > 0.045 && highest < 0.051);
  pl_world_destroy(in.world);
}

/* 1 kg at nine points, whose shares differ; suddenly loaded, they bear up to twice of it. */
TEST(glue_holds_below_its_limit_and_breaks_above)
{
  glued strong = make(60, 0.005), weak = make(5, 0.005);
  pl_attachment_facts facts = run(&strong, 100);
  CHECK(facts.points == 9 && facts.broken == 0);
  CHECK_NEAR(facts.force[2], 9.81, 0.1);
  CHECK(height(&strong) > 0.049);
  facts = run(&weak, 40);
  CHECK(facts.broken == 9 && facts.force[2] == 0);
  CHECK(height(&weak) < 0.05 - 0.5 * 9.81 * 0.15 * 0.15);
  pl_world_destroy(strong.world);
  pl_world_destroy(weak.world);
}

/* It falls as free bodies do, from the step after it broke. */
TEST(what_broke_stays_broken_and_is_saved_with_the_state)
{
  static char saved[1 << 17];
  glued weak = make(5, 0.005);
  size_t size = pl_world_state_size(weak.world);
  CHECK(size < sizeof saved);
  CHECK_OK(pl_world_save_state(weak.world, saved, size, error));
  CHECK(run(&weak, 10).broken == 9);
  uint64_t hash = pl_world_state_hash(weak.world);
  CHECK_OK(pl_world_load_state(weak.world, saved, size, error));
  CHECK(run(&weak, 0).broken == 0); // whole again
  CHECK(run(&weak, 10).broken == 9);
  CHECK(pl_world_state_hash(weak.world) == hash);
  pl_world_destroy(weak.world);
}

TEST(a_breaking_force_must_make_sense)
{
  glued in = make(10, 0.005);
  pl_selector top = {.set = "z-max"};
  pl_attachment_def attach = pl_attachment_def_default();
  pl_error said = {0};
  attach.to = in.above;
  attach.where = &top, attach.where_count = 1;
  attach.breaking = -1;
  CHECK(pl_world_add_attachment(in.world, in.below, &attach, NULL, &said) == PL_E_ARGUMENT);
  CHECK(strstr(said.message, "breaking force of an attachment = -1"));
  attach.breaking = 10, attach.exact = 1;
  CHECK(pl_world_add_attachment(in.world, in.below, &attach, NULL, &said) == PL_E_ARGUMENT);
  pl_world_destroy(in.world);
}

TESTS(X(what_glue_held_meets_under_barriers_once_it_is_apart)
          X(glue_holds_below_its_limit_and_breaks_above)
              X(what_broke_stays_broken_and_is_saved_with_the_state)
                  X(a_breaking_force_must_make_sense))
