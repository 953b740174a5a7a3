/* Every response: with each integrator it works or says why not; it keeps a box out of the floor
 * and two boxes apart, exerts no force on both together, and its bits depend neither on the number
 * of threads nor on saving. A new member is held to all of that without a line here. */
#include "couple/response.h"
#include "math/vec3.h"
#include "pliant/world.h"
#include "world/world.h"

#include "test.h"

typedef struct scene {
  const char *response, *integrator;
  double dt, gravity, speed; /* of the upper box, downwards */
  int floor, threads;
} scene;

static char note[400]; /* the last one of the log about contact */

static void keep_note(void *context, pl_level level, const char *text)
{
  (void)context, (void)level;
  if (strstr(text, "contact")) snprintf(note, sizeof note, "%s", text);
}

static pl_status add_box(pl_world *world, double z, double speed, pl_error *error)
{
  pl_setting box[] = {{.name = "size", .value = {0.1, 0.1, 0.1}},
                      {.name = "origin", .value = {0.01 * (z > 0.05), 0, z}},
                      {.name = "cells", .value = {2, 2, 2}}};
  pl_setting hooke[] = {{.name = "young", .value = {1e5}}, {.name = "poisson", .value = {0.3}}};
  pl_mesh *mesh = NULL;
  pl_body_id body;
  pl_status status = pl_mesh_generate(&(pl_choice){"box", box, 3}, NULL, &mesh, error);
  pl_body_def def = pl_body_def_default();
  def.mesh = mesh;
  def.material.law = (pl_choice){"hooke", hooke, 2};
  def.material.stiffness_damping = 0.002;
  def.velocity[2] = -speed;
  if (!status) status = pl_world_add_body(world, &def, &body, error);
  pl_mesh_destroy(mesh);
  return status;
}

static pl_status make(const scene *in, pl_world **out, pl_error *error)
{
  pl_world_def def = pl_world_def_default();
  pl_setting newton[] = {{.name = "newton", .value = {60}},
                         {.name = "newton-tolerance", .value = {1e-11}}};
  pl_setting tight = {.name = "tolerance", .value = {1e-12}};
  const pl_member *member = pl_member_find(&pl_integrator_family, in->integrator);
  def.integrator =
      (pl_choice){in->integrator, newton, pl_param_find(member, "newton") >= 0 ? 2 : 0};
  def.solver = (pl_choice){"cg", &tight, 1};
  def.dt = in->dt > 0 ? in->dt : 0.005;
  def.threads = in->threads ? in->threads : 1;
  def.gravity[2] = -in->gravity;
  def.log.write = keep_note;
  pl_world *world = NULL;
  pl_status status = pl_world_create(&def, &world, error);
  pl_contact_def contact = pl_contact_def_default();
  contact.response.name = in->response;
  if (!status) status = pl_world_set_contact(world, &contact, error);
  pl_obstacle_def floor = pl_obstacle_def_default();
  floor.shape.name = "plane";
  if (!status && in->floor) status = pl_world_add_obstacle(world, &floor, NULL, error);
  if (!status) status = add_box(world, in->floor ? 0.005 : 0, 0, error);
  if (!status) status = add_box(world, 0.11, in->speed, error);
  *out = world;
  return status;
}

/* Fixed members of the family, and those that the integrator suits. */
static const char *fitting(const pl_response_ops *ops, double *dt)
{
  const char *const words[] = {"implicit-euler", "verlet", "explicit-newmark"};
  for (int i = 0; i < 3; i++) {
    pl_selection integrator = {.member = pl_member_find(&pl_integrator_family, words[i])};
    pl_param_presets(integrator.member, integrator.values);
    int newton = pl_param_find(integrator.member, "newton");
    if (newton >= 0) integrator.values[pl_param_place(integrator.member, newton)] = 60;
    *dt = i == 0 ? 0.0025 : i == 1 ? 4e-4 : 2e-4;
    if (!ops->refuses || !ops->refuses(&integrator)) return words[i];
  }
  return NULL;
}

#define EACH(ops)                                                                                  \
  for (int member_ = 0; pl_response_family.members[member_]; member_++)                            \
    for (const pl_response_ops *ops = (const void *)pl_response_family.members[member_]; ops;      \
         ops = NULL)

/* (Sanitizers see a fifth of it, and no results.) */
static void step(pl_world *world, double dt, double seconds)
{
  for (int i = 0; i < (TEST_SANITIZED ? 0.2 : 1) * seconds / dt; i++)
    CHECK_OK(pl_world_step(world, error));
}

/* The lowest node of a body, and its highest. */
static void extent(const pl_world *world, int b, double *low, double *high)
{
  const pl_body *body = &world->bodies.list[b];
  *low = INFINITY, *high = -INFINITY;
  for (int i = 0; i < body->blocks; i++) {
    double z = world->state.q[3 * (body->offset + i) + 2];
    *low = fmin(*low, z), *high = fmax(*high, z);
  }
}

static void momentum(const pl_world *world, double P[3])
{
  pl_vec3_set(P, 0, 0, 0);
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    for (int i = 0; i < body->blocks; i++)
      pl_vec3_add_scaled(body->model->lumped_mass[i], world->state.v + 3 * (body->offset + i), P);
  }
}

/* What the floor exerts by all contacts, upwards. */
static double floor_force(pl_world *world)
{
  static pl_contact_point list[4000];
  int count = 0;
  double sum = 0;
  CHECK_OK(pl_world_contacts(world, 4000, list, &count, error));
  CHECK(count <= 4000);
  for (int i = 0; i < count; i++) {
    if (list[i].obstacle.index1) sum += list[i].force[2];
  }
  return sum;
}

/* Once they rest, the floor carries both in the mean: 2 kg. */
static double mean_force(pl_world *world, double dt, double seconds)
{
  double impulse = 0, before[3], after[3];
  int steps = (int)(seconds / dt);
  momentum(world, before);
  for (int i = 0; i < steps; i++) {
    step(world, dt, dt);
    impulse += dt * floor_force(world);
  }
  momentum(world, after);
  return (impulse - (after[2] - before[2])) / (dt * steps);
}

TEST(boxes_rest_on_the_floor_and_on_each_other)
{
  EACH(ops)
  {
    scene in = {.response = ops->info.name, .gravity = 9.81, .floor = 1};
    double low[2], high[2];
    pl_world *world = NULL;
    in.integrator = fitting(ops, &in.dt);
    CHECK(in.integrator);
    CHECK_OK(make(&in, &world, error));
    step(world, in.dt, 0.3);
    for (int b = 0; b < 2; b++) extent(world, b, &low[b], &high[b]);
    int ok = low[0] > -0.003 && low[0] < 0.003 && low[1] > 0.09 && high[1] > 0.18;
    // (under sanitizers they take a few steps only, and are not yet at rest)
    if (!ok && !TEST_SANITIZED)
      fprintf(stderr, "%s: %g %g, %g %g\n", in.response, low[0], high[0], low[1], high[1]);
    CHECK(ok || TEST_SANITIZED);
    double force = TEST_SANITIZED ? 2 * 9.81 : mean_force(world, in.dt, 0.05);
    ok = fabs(force - 2 * 9.81) < 0.02 * 2 * 9.81;
    if (!ok) fprintf(stderr, "%s: %g N of %g\n", in.response, force, 2 * 9.81);
    CHECK(ok);
    pl_world_destroy(world);
  }
}

TEST(boxes_that_collide_keep_their_momentum_and_part)
{
  EACH(ops)
  {
    scene in = {.response = ops->info.name, .speed = 1};
    double before[3], after[3], low[2], high[2];
    pl_world *world = NULL;
    in.integrator = fitting(ops, &in.dt);
    CHECK_OK(make(&in, &world, error));
    CHECK_OK(pl_world_step(world, error));
    momentum(world, before);
    step(world, in.dt, 0.15);
    momentum(world, after);
    for (int k = 0; k < 3; k++) CHECK_NEAR(after[k], before[k], 1e-7);
    for (int b = 0; b < 2; b++) extent(world, b, &low[b], &high[b]);
    CHECK(low[1] > high[0] - 0.002);
    CHECK(world->state.v[2] < -0.1 || TEST_SANITIZED); // the lower one was pushed
    pl_world_destroy(world);
  }
}

TEST(every_integrator_works_or_the_reason_is_given)
{
  int works = 0;
  EACH(ops)
  {
    for (int i = 0; pl_integrator_family.members[i]; i++) {
      const pl_integrator_ops *method = (const void *)pl_integrator_family.members[i];
      if (method->info.missing || method->is_static) continue;
      scene in = {.response = ops->info.name,
                  .integrator = method->info.name,
                  .gravity = 9.81,
                  .floor = 1,
                  .dt = 1e-4};
      pl_world *world = NULL;
      pl_error said = {0};
      CHECK_OK(make(&in, &world, error));
      pl_status status = pl_world_step(world, &said);
      works += !status;
      if (status) {
        CHECK(status == PL_E_UNSUPPORTED);
        CHECK(strstr(said.message, ops->info.name) && strstr(said.message, "; "));
      }
      pl_world_destroy(world);
    }
  }
  CHECK(works > 60);
}

TEST(bits_depend_neither_on_threads_nor_on_saving)
{
  EACH(ops)
  {
    uint64_t hash[3];
    for (int run = 0; run < 3; run++) {
      scene in = {.response = ops->info.name, .gravity = 9.81, .floor = 1, .threads = 1 + run};
      pl_world *world = NULL;
      static char saved[1 << 19];
      in.integrator = fitting(ops, &in.dt);
      CHECK_OK(make(&in, &world, error));
      step(world, in.dt, 0.03);
      size_t size = pl_world_state_size(world);
      CHECK(size < sizeof saved);
      CHECK_OK(pl_world_save_state(world, saved, size, error));
      if (run == 2) {
        step(world, in.dt, 0.01);
        CHECK_OK(pl_world_load_state(world, saved, size, error));
      }
      step(world, in.dt, 0.03);
      hash[run] = pl_world_state_hash(world);
      pl_world_destroy(world);
    }
    CHECK(hash[0] == hash[1] && hash[0] == hash[2]);
  }
}

TEST(auto_says_what_it_chooses)
{
  scene in = {.response = "auto", .integrator = "verlet", .dt = 4e-4, .floor = 1};
  pl_world *world = NULL;
  note[0] = 0;
  CHECK_OK(make(&in, &world, error));
  CHECK_OK(pl_world_step(world, error));
  CHECK(strstr(note, "contact is met by \"impulse\" (response=\"auto\" with verlet: bodies meet"));
  pl_world_destroy(world);
  in.integrator = "implicit-euler";
  CHECK_OK(make(&in, &world, error));
  CHECK_OK(pl_world_step(world, error));
  CHECK(strstr(note, "contact is met by \"constraint\""));
  pl_contact_def contact = pl_contact_def_default();
  contact.response.name = "glue";
  pl_error said = {0};
  CHECK(pl_world_set_contact(world, &contact, &said) == PL_E_ARGUMENT);
  CHECK(strstr(said.message, "unknown response \"glue\""));
  pl_world_destroy(world);
}

/* The layer of all nodes is that of one mode. */
TEST(the_response_can_be_changed_between_steps)
{
  scene in = {
      .response = "constraint", .integrator = "implicit-euler", .gravity = 9.81, .floor = 1};
  pl_world *world = NULL;
  double low, high;
  CHECK_OK(make(&in, &world, error));
  for (int i = 0; pl_response_family.members[i]; i++) {
    pl_selection response = {.member = pl_response_family.members[i]};
    const pl_response_ops *ops;
    const pl_encounter what = {.bodies = 1};
    const char *why;
    if (pl_response_choose(&response, &world->set.integrator, &what, &ops, &why, NULL)) continue;
    pl_contact_def contact = pl_contact_def_default();
    contact.response.name = response.member->name;
    CHECK_OK(pl_world_set_contact(world, &contact, error));
    pl_error said = {0};
    pl_status status = pl_world_step(world, &said);
    if (status) { // it bears no penetration that another has left
      CHECK(status == PL_E_ARGUMENT && strstr(said.message, "at the beginning"));
      continue;
    }
    step(world, 0.005, 0.2);
    extent(world, 0, &low, &high);
    CHECK(low > -0.003 && low < 0.006);
  }
  pl_world_destroy(world);
}

TESTS(X(boxes_rest_on_the_floor_and_on_each_other)
          X(boxes_that_collide_keep_their_momentum_and_part)
              X(every_integrator_works_or_the_reason_is_given)
                  X(bits_depend_neither_on_threads_nor_on_saving) X(auto_says_what_it_chooses)
                      X(the_response_can_be_changed_between_steps))
