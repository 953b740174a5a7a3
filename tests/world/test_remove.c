/* Bodies, rigid parts and probes that are taken out of a running world: the others keep their bits,
 * what was tied to them goes as well, and no old id is ever another's. */
#include "counter.h"
#include "pliant/world.h"
#include "world/world.h"

#include "bar.h"

enum { NODES = 8 };

static const double at_rest[3] = {0};

/* A cube of 0.2 m at (x, 0, 0), thrown along y. */
static pl_body_id add_cube(pl_world *world, double x, double speed)
{
  pl_setting box[] = {{.name = "size", .value = {0.2, 0.2, 0.2}},
                      {.name = "origin", .value = {x, 0, 0}},
                      {.name = "cells", .value = {1, 1, 1}}};
  pl_setting hooke[] = {{.name = "young", .value = {1e5}}, {.name = "poisson", .value = {0.3}}};
  pl_mesh *mesh = NULL;
  pl_body_id body = {0};
  pl_body_def def = pl_body_def_default();
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", box, 3}, NULL, &mesh, error));
  def.mesh = mesh;
  def.material.law = (pl_choice){"hooke", hooke, 2};
  def.material.stiffness_damping = 0.002;
  def.velocity[1] = speed;
  CHECK_OK(pl_world_add_body(world, &def, &body, error));
  pl_mesh_destroy(mesh);
  return body;
}

/* Three cubes that slide on a plane with friction. */
static pl_world *slide(const char *integrator, double dt, const pl_allocator *allocator,
                       pl_body_id bodies[3])
{
  pl_world_def def = pl_world_def_default();
  pl_setting plane = {.name = "friction", .value = {0.3}};
  pl_obstacle_def floor = pl_obstacle_def_default();
  pl_world *world = NULL;
  def.integrator.name = integrator;
  def.dt = dt;
  def.threads = 1;
  if (allocator) def.allocator = *allocator;
  floor.shape = (pl_choice){"plane", &plane, 1};
  CHECK_OK(pl_world_create(&def, &world, error));
  for (int b = 0; b < 3; b++) bodies[b] = add_cube(world, b, 0.2 + 0.1 * b);
  CHECK_OK(pl_world_add_obstacle(world, &floor, NULL, error));
  return world;
}

static void read_body(const pl_world *world, pl_body_id body, double *x)
{
  CHECK_OK(pl_world_get_positions(world, body, x, error));
  CHECK_OK(pl_world_get_velocities(world, body, x + 3 * NODES, error));
}

/* An explicit method lets bodies that do not touch each other alone: with or without the one in the
 * middle, the others end with the same bits. What friction remembers goes with them. */
TEST(others_keep_their_bits)
{
  double x[2][2][6 * NODES];
  for (int gone = 0; gone < 2; gone++) {
    pl_body_id bodies[3];
    pl_world *world = slide("verlet", 2e-4, NULL, bodies);
    for (int i = 0; i < 400; i++) CHECK_OK(pl_world_step(world, error));
    double before[6 * NODES], after[6 * NODES];
    read_body(world, bodies[2], before);
    if (gone) CHECK_OK(pl_world_remove_body(world, bodies[1], error));
    CHECK(pl_world_body_count(world) == 3 - gone);
    read_body(world, bodies[2], after);
    CHECK(memcmp(before, after, sizeof before) == 0);
    // the method's memory goes with every change
    if (!gone) pl_world_unprepare(world);
    for (int i = 0; i < 200; i++) CHECK_OK(pl_world_step(world, error));
    for (int b = 0; b < 2; b++) read_body(world, bodies[2 * b], x[gone][b]);
    pl_world_destroy(world);
  }
  CHECK(memcmp(x[0], x[1], sizeof x[0]) == 0);
  // it slides: friction has something to remember
  CHECK(fabs(x[0][1][1] - 0.0) > 1e-3);
}

/* Implicit methods solve for all bodies at once, to their tolerance. */
TEST(others_go_on_with_every_integrator)
{
  for (int m = 0; pl_integrator_family.members[m]; m++) {
    const pl_integrator_ops *ops = (const pl_integrator_ops *)pl_integrator_family.members[m];
    if (ops->is_static || ops->info.missing) continue;
    double x[2][6 * NODES], max = 0;
    for (int gone = 0; gone < 2; gone++) {
      pl_body_id bodies[3];
      pl_world *world = slide(ops->info.name, 5e-4, NULL, bodies);
      for (int i = 0; i < 10; i++) CHECK_OK(pl_world_step(world, error));
      if (gone) CHECK_OK(pl_world_remove_body(world, bodies[0], error));
      for (int i = 0; i < 10; i++) CHECK_OK(pl_world_step(world, error));
      read_body(world, bodies[2], x[gone]);
      pl_world_destroy(world);
    }
    for (int i = 0; i < 3 * NODES; i++) max = fmax(max, fabs(x[0][i] - x[1][i]));
    if (!(max < 1e-6)) printf("  %s: %g m\n", ops->info.name, max);
    CHECK(max < 1e-6);
  }
}

typedef struct tied {
  pl_fix_id fix;
  pl_load_id load;
  pl_pull_id pull;
  pl_attachment_id attachment;
  pl_rigid_id rigid;
  pl_probe_id probe;
} tied;

/* One of everything that can be tied to the body. */
static tied tie(pl_world *world, pl_body_id body, pl_body_id other)
{
  pl_setting value = {.name = "value", .value = {0, 0, 1}};
  pl_selector all = {.region = {"all", NULL, 0}}, end = {.set = "x-min"};
  pl_fix_def fix = pl_fix_def_default();
  pl_load_def load = pl_load_def_default();
  pl_pull_def pull = pl_pull_def_default();
  pl_attachment_def attachment = pl_attachment_def_default();
  pl_rigid_def rigid = pl_rigid_def_default();
  pl_probe_def probe = pl_probe_def_default();
  tied ids = {0};
  fix.where = &end, fix.where_count = 1;
  load.load = (pl_choice){"force", &value, 1}, load.where = &all, load.where_count = 1;
  attachment.to = other, attachment.where = &all, attachment.where_count = 1;
  rigid.where = &all, rigid.where_count = 1;
  probe.body = body;
  CHECK_OK(pl_world_add_fix(world, body, &fix, &ids.fix, error));
  CHECK_OK(pl_world_remove_fix(world, ids.fix, error));
  CHECK_OK(pl_world_add_rigid(world, body, &rigid, &ids.rigid, error));
  CHECK_OK(pl_world_remove_rigid(world, ids.rigid, error));
  CHECK_OK(pl_world_add_fix(world, body, &fix, &ids.fix, error));
  CHECK_OK(pl_world_add_load(world, body, &load, &ids.load, error));
  CHECK_OK(pl_world_find_spot(world, body, at_rest, &pull.at, error));
  CHECK_OK(pl_world_add_pull(world, &pull, &ids.pull, error));
  CHECK_OK(pl_world_add_attachment(world, body, &attachment, &ids.attachment, error));
  CHECK_OK(pl_world_add_probe(world, &probe, &ids.probe, error));
  return ids;
}

/* Every id of the removed body is refused, and names no other thing that comes later. */
static void check_refused(pl_world *world, const tied *ids)
{
  const char *gone = "has been removed";
  double value[3];
  pl_pull_facts pull;
  pl_fix_facts fix;
  CHECK_FAILS(pl_world_read_fix(world, ids->fix, &fix, error), PL_E_ARGUMENT, gone);
  CHECK_FAILS(pl_world_remove_fix(world, ids->fix, error), PL_E_ARGUMENT, gone);
  CHECK_FAILS(pl_world_remove_load(world, ids->load, error), PL_E_ARGUMENT, gone);
  CHECK_FAILS(pl_world_read_pull(world, ids->pull, &pull, error), PL_E_ARGUMENT, gone);
  CHECK_FAILS(pl_world_remove_attachment(world, ids->attachment, error), PL_E_ARGUMENT, gone);
  CHECK_FAILS(pl_world_remove_rigid(world, ids->rigid, error), PL_E_ARGUMENT, gone);
  CHECK_FAILS(pl_world_read_probe(world, ids->probe, value, error), PL_E_ARGUMENT, gone);
  CHECK_FAILS(pl_world_remove_probe(world, ids->probe, error), PL_E_ARGUMENT, gone);
  CHECK(pl_world_probe_name(world, ids->probe) == NULL);
}

TEST(what_is_tied_to_a_body_goes_with_it)
{
  pl_body_id bodies[3];
  pl_world *world = slide("implicit-euler", 0.01, NULL, bodies);
  pl_body_id twin = add_cube(world, 1, 0), next;
  pl_probe_def watch = pl_probe_def_default();
  pl_probe_id whole, corner;
  double energy[3], before[3], after[3];
  watch.quantity = "kinetic-energy";
  CHECK_OK(pl_world_add_probe(world, &watch, &whole, error));
  watch.quantity = "position", watch.body = twin;
  CHECK_OK(pl_world_add_probe(world, &watch, &corner, error));
  const tied first = tie(world, bodies[1], twin);
  CHECK_OK(pl_world_step(world, error));
  CHECK_OK(pl_world_read_probe(world, corner, before, error));
  CHECK_OK(pl_world_remove_body(world, bodies[1], error));
  CHECK_FAILS(pl_world_remove_body(world, bodies[1], error), PL_E_ARGUMENT, "body number 2 has");
  check_refused(world, &first);
  // those of others mean what they meant
  CHECK_OK(pl_world_read_probe(world, whole, energy, error));
  CHECK_OK(pl_world_read_probe(world, corner, after, error));
  CHECK(memcmp(before, after, sizeof before) == 0);
  // a body that comes into its place is another one
  next = add_cube(world, 1, 0);
  CHECK(next.index1 == bodies[1].index1 && next.generation != bodies[1].generation);
  CHECK(pl_world_body_name(world, bodies[1]) == NULL && pl_world_body_name(world, next) != NULL);
  const tied second = tie(world, next, twin);
  check_refused(world, &first);
  CHECK_OK(pl_world_step(world, error));
  CHECK_OK(pl_world_remove_probe(world, second.probe, error));
  // removing the other end of an attachment takes the attachment only
  CHECK_OK(pl_world_remove_body(world, twin, error));
  CHECK_FAILS(pl_world_remove_attachment(world, second.attachment, error), PL_E_ARGUMENT,
              "removed");
  CHECK_OK(pl_world_remove_load(world, second.load, error));
  CHECK_OK(pl_world_step(world, error));
  pl_world_destroy(world);
}

TEST(an_empty_world_can_be_filled_again)
{
  pl_body_id bodies[3];
  pl_world *world = slide("bdf2", 0.01, NULL, bodies);
  CHECK_OK(pl_world_step(world, error));
  for (int b = 0; b < 3; b++) CHECK_OK(pl_world_remove_body(world, bodies[b], error));
  CHECK_FAILS(pl_world_step(world, error), PL_E_ARGUMENT, "the world has no body");
  add_cube(world, 0, 0);
  for (int i = 0; i < 5; i++) CHECK_OK(pl_world_step(world, error));
  pl_world_destroy(world);
}

/* Soft again, in its place and with its velocity: momentum stays, and rest is rest. */
TEST(a_rigid_part_becomes_soft_again)
{
  pl_body_id bodies[3];
  pl_world *world = slide("implicit-euler", 0.005, NULL, bodies);
  pl_selector all = {.region = {"all", NULL, 0}};
  pl_rigid_def def = pl_rigid_def_default();
  pl_rigid_facts facts;
  pl_rigid_id part;
  double before[6 * NODES], after[6 * NODES];
  def.where = &all, def.where_count = 1;
  CHECK_OK(pl_world_add_rigid(world, bodies[1], &def, &part, error));
  CHECK_OK(pl_world_read_rigid(world, part, &facts, error));
  CHECK(facts.nodes == NODES && facts.elements == 6);
  for (int i = 0; i < 10; i++) CHECK_OK(pl_world_step(world, error));
  read_body(world, bodies[1], before);
  CHECK_OK(pl_world_remove_rigid(world, part, error));
  CHECK_FAILS(pl_world_read_rigid(world, part, &facts, error), PL_E_ARGUMENT,
              "rigid part number 1");
  read_body(world, bodies[1], after);
  for (int i = 0; i < 6 * NODES; i++) CHECK_NEAR(after[i], before[i], 1e-15);
  CHECK(world->bodies.list[1].blocks == NODES);
  for (int i = 0; i < 10; i++) CHECK_OK(pl_world_step(world, error));
  pl_world_destroy(world);
}

/* Of two parts the other stays. */
TEST(other_rigid_parts_stay)
{
  pl_world *world;
  pl_body_id body;
  pl_rigid_id parts[2];
  pl_rigid_facts facts;
  CHECK_OK(bar_make(&(bar_def){.n = 2, .free = 1}, &world, &body, error));
  for (int p = 0; p < 2; p++) {
    pl_setting box[] = {{.name = "min", .value = {0.6 * p - 0.01, -1, -1}},
                        {.name = "max", .value = {0.6 * p + 0.41, 1, 1}}};
    pl_selector where = {.region = {"box", box, 2}};
    pl_rigid_def def = pl_rigid_def_default();
    def.where = &where, def.where_count = 1;
    CHECK_OK(pl_world_add_rigid(world, body, &def, &parts[p], error));
  }
  CHECK_OK(pl_world_remove_rigid(world, parts[0], error));
  CHECK_OK(pl_world_read_rigid(world, parts[1], &facts, error));
  int rigid = 0;
  const pl_body *inside = &world->bodies.list[0];
  for (int e = 0; e < inside->mesh->element_count; e++) rigid += inside->rigid[e];
  CHECK(facts.elements > 0 && rigid == facts.elements);
  CHECK_OK(pl_world_step(world, error));
  pl_world_destroy(world);
}

/* Removing takes no memory; where a part's removal finds none, all is as it was. */
TEST(removing_needs_no_memory_or_leaves_all_as_it_was)
{
  counter c = {0};
  pl_allocator allocator = counter_allocator(&c);
  pl_body_id bodies[3];
  pl_world *world = slide("implicit-euler", 0.01, &allocator, bodies);
  pl_selector all = {.region = {"all", NULL, 0}};
  pl_rigid_def def = pl_rigid_def_default();
  pl_rigid_id part;
  def.where = &all, def.where_count = 1;
  CHECK_OK(pl_world_add_rigid(world, bodies[1], &def, &part, error));
  CHECK_OK(pl_world_step(world, error));
  pl_status status = PL_E_MEMORY;
  for (long k = 1; status == PL_E_MEMORY; k++) {
    uint64_t hash = pl_world_state_hash(world);
    c.fail_at = c.calls + k;
    status = pl_world_remove_rigid(world, part, NULL);
    c.fail_at = 0;
    if (status) CHECK(status == PL_E_MEMORY && pl_world_state_hash(world) == hash);
  }
  CHECK(!status);
  CHECK_OK(pl_world_step(world, error));
  long calls = c.calls;
  CHECK_OK(pl_world_remove_body(world, bodies[0], error));
  CHECK(c.calls == calls);
  CHECK_OK(pl_world_step(world, error));
  pl_world_destroy(world);
  CHECK(c.blocks == 0);
}

TESTS(X(others_keep_their_bits) X(others_go_on_with_every_integrator)
          X(what_is_tied_to_a_body_goes_with_it) X(an_empty_world_can_be_filled_again)
              X(a_rigid_part_becomes_soft_again) X(other_rigid_parts_stay)
                  X(removing_needs_no_memory_or_leaves_all_as_it_was))
