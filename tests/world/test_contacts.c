/* Reading contacts: points, normals and forces of bodies on obstacles and on each other. */
#include "acts.h"
#include "pliant/world.h"
#include "test.h"

typedef struct heap {
  int boxes;         /* the first of 4 kg, the one above it of 1 kg */
  int with_floor;    /* an obstacle below; 0: the lowest box is held */
  const char *model; /* of all boxes */
  const char *integrator;
  double slope, friction; /* rad, of gravity against the floor's normal */
  pl_obstacle_id floor;
  pl_body_id bodies[2];
} heap;

enum { ROOM = 2000 };

static pl_status add_box(pl_world *world, const heap *in, int which, pl_body_id *body,
                         pl_error *error)
{
  const double wide = which ? 0.1 : 0.2, aside = which ? 0.047 : 0;
  pl_setting box[] = {{.name = "size", .value = {wide, wide, 0.1}},
                      {.name = "origin", .value = {aside, aside, 0.1005 * which}},
                      {.name = "cells", .value = {3, 3, 2}},
                      {.name = "element", .word = "tet5"}};
  pl_setting hooke[] = {{.name = "young", .value = {1e6}}, {.name = "poisson", .value = {0.3}}};
  pl_mesh *mesh = NULL;
  pl_status status = pl_mesh_generate(&(pl_choice){"box", box, 4}, NULL, &mesh, error);
  pl_body_def def = pl_body_def_default();
  def.mesh = mesh;
  def.material.law = (pl_choice){"hooke", hooke, 2};
  def.material.stiffness_damping = 0.01;
  def.model = (pl_choice){.name = in->model ? in->model : "fem"};
  if (!status) status = pl_world_add_body(world, &def, body, error);
  pl_mesh_destroy(mesh);
  return status;
}

static pl_status hold_below(pl_world *world, pl_body_id body, pl_error *error)
{
  return fix_set(world, body, "z-min", error);
}

static pl_world *make(heap *in)
{
  pl_setting plane = {.name = "friction", .value = {in->friction}};
  pl_obstacle_def floor = pl_obstacle_def_default();
  floor.shape = (pl_choice){"plane", &plane, 1};
  pl_world_def def = pl_world_def_default();
  pl_world *world = NULL;
  def.dt = 0.005;
  def.threads = 1;
  def.gravity[0] = 9.81 * sin(in->slope);
  def.gravity[2] = -9.81 * cos(in->slope);
  def.integrator.name = in->integrator;
  CHECK_OK(pl_world_create(&def, &world, error));
  for (int i = 0; i < in->boxes; i++) CHECK_OK(add_box(world, in, i, &in->bodies[i], error));
  if (in->with_floor) {
    CHECK_OK(pl_world_add_obstacle(world, &floor, &in->floor, error));
  } else {
    CHECK_OK(hold_below(world, in->bodies[0], error));
  }
  return world;
}

static void advance(pl_world *world, int steps)
{
  for (int i = 0; i < steps; i++) CHECK_OK(pl_world_step(world, error));
}

static int is_body(pl_body_id a, pl_body_id b)
{
  return a.index1 == b.index1 && a.generation == b.generation;
}

/* The force of all contacts of a kind on one body; and are they where bodies can touch? */
static int sum(pl_world *world, const heap *in, int which, int obstacles, double force[3])
{
  static pl_contact_point list[ROOM];
  int count = 0, found = 0;
  memset(force, 0, 3 * sizeof *force);
  CHECK_OK(pl_world_contacts(world, ROOM, list, &count, error));
  CHECK(count <= ROOM);
  for (int i = 0; i < count && i < ROOM; i++) {
    const pl_contact_point *at = &list[i];
    int of_obstacle = at->obstacle.index1 != 0, side = is_body(at->body, in->bodies[which]);
    int opposite = is_body(at->other, in->bodies[which]);
    CHECK(of_obstacle == (at->other.index1 == 0));
    CHECK_NEAR(fabs(at->normal[2]), 1, 0.1); // all surfaces are level
    CHECK(at->force[0] * at->normal[0] + at->force[2] * at->normal[2] > -1e-3);
    CHECK(at->point[0] > -0.02 && at->point[0] < 0.3);
    if (of_obstacle != obstacles || !(side || opposite)) continue;
    if (of_obstacle) {
      CHECK(at->obstacle.index1 == in->floor.index1);
      CHECK(at->obstacle.generation == in->floor.generation);
      CHECK_NEAR(at->point[2], 0, 2e-3);
    }
    for (int k = 0; k < 3; k++) force[k] += side ? at->force[k] : -at->force[k];
    found++;
  }
  return found;
}

/* At rest contacts carry the weight, whatever the model: rows for nodes, a layer for frames. */
TEST(what_lies_on_the_floor_is_carried_by_its_contacts)
{
  const char *const models[] = {"fem", "springs", "frames", "rigid-frames"};
  for (int m = 0; m < 4; m++) {
    heap in = {.boxes = 1, .with_floor = 1, .model = models[m], .friction = 0.5};
    double force[3];
    pl_world *world = make(&in);
    advance(world, 200);
    CHECK(sum(world, &in, 0, 1, force) > 0);
    printf("  %s: %.4f N of 39.24\n", models[m], force[2]);
    CHECK_NEAR(force[2], 4 * 9.81, 0.1);
    CHECK_NEAR(force[0], 0, 0.1);
    pl_world_destroy(world);
  }
}

/* Friction is part of the force: it holds the box on a slope. */
TEST(contacts_know_friction_and_slip)
{
  const double mu[] = {0.8, 0.2};
  for (int slides = 0; slides < 2; slides++) {
    heap in = {.boxes = 1, .with_floor = 1, .friction = mu[slides], .slope = 0.4};
    double force[3], weight = 4 * 9.81;
    int count;
    pl_world *world = make(&in);
    pl_contact_point first;
    advance(world, slides ? 20 : 100);
    sum(world, &in, 0, 1, force);
    printf("  mu = %g: %.4f N along, %.4f N across\n", mu[slides], force[0], force[2]);
    CHECK_NEAR(force[2], weight * cos(0.4), 0.3);
    CHECK_NEAR(force[0], slides ? -mu[1] * force[2] : -weight * sin(0.4), 0.3);
    CHECK_OK(pl_world_contacts(world, 1, &first, &count, error));
    CHECK(count > 1);
    if (slides)
      CHECK_NEAR(first.slip[0], 0.1 * 9.81 * (sin(0.4) - 0.2 * cos(0.4)), 0.02);
    else
      CHECK_NEAR(first.slip[0], 0, 1e-4);
    pl_world_destroy(world);
  }
}

/* Between bodies: the upper one is carried by the lower, which feels the opposite. */
TEST(contacts_between_bodies_carry_what_is_above)
{
  const char *const integrators[] = {"implicit-euler", "ros2w"};
  for (int i = 0; i < 2; i++) {
    heap in = {.boxes = 2, .integrator = integrators[i]};
    double upper[3], lower[3];
    pl_world *world = make(&in);
    advance(world, 300);
    CHECK(sum(world, &in, 1, 0, upper) > 0);
    sum(world, &in, 0, 0, lower);
    printf("  %s: %.4f N of 9.81\n", integrators[i], upper[2]);
    CHECK_NEAR(upper[2], 9.81, 0.1);
    CHECK_NEAR(lower[2], -upper[2], 1e-9);
    pl_world_destroy(world);
  }
}

/* There are none that do not belong to the state. */
TEST(contacts_are_those_of_the_last_step)
{
  heap in = {.boxes = 1, .with_floor = 1, .friction = 0.5};
  pl_world *world = make(&in);
  int count = -1, again;
  CHECK_OK(pl_world_contacts(world, 0, NULL, &count, error));
  CHECK(count == 0);
  advance(world, 50);
  CHECK_OK(pl_world_contacts(world, 0, NULL, &count, error));
  CHECK(count == 16);
  size_t size = pl_world_state_size(world);
  void *bytes = malloc(size);
  CHECK_OK(pl_world_save_state(world, bytes, size, error));
  CHECK_OK(pl_world_load_state(world, bytes, size, error));
  CHECK_OK(pl_world_contacts(world, 0, NULL, &again, error));
  CHECK(again == 0);
  advance(world, 1);
  CHECK_OK(pl_world_contacts(world, 0, NULL, &again, error));
  CHECK(again == 16);
  CHECK_OK(pl_world_remove_obstacle(world, in.floor, error));
  CHECK_OK(pl_world_contacts(world, 0, NULL, &again, error));
  CHECK(again == 0);
  CHECK_FAILS(pl_world_contacts(world, 0, NULL, NULL, error), PL_E_ARGUMENT, "a place");
  CHECK_FAILS(pl_world_contacts(world, 3, NULL, &count, error), PL_E_ARGUMENT, "for 3 of them");
  CHECK_FAILS(pl_world_contacts(world, -1, NULL, &count, error), PL_E_ARGUMENT, "a place");
  free(bytes);
  pl_world_destroy(world);
}

/* Friction changed between two steps: what slid is held, and refused numbers change nothing. */
TEST(friction_changes_while_it_runs)
{
  heap in = {.boxes = 1, .with_floor = 1, .friction = 0.1, .slope = 0.4};
  double force[3];
  pl_contact_point first;
  int count;
  pl_world *world = make(&in);
  advance(world, 20);
  CHECK_FAILS(pl_world_set_friction(world, in.floor, -1, 1, 0, error), PL_E_ARGUMENT, "friction");
  CHECK_FAILS(pl_world_set_friction(world, in.floor, 0.5, 0.4, 0, error), PL_E_ARGUMENT,
              "at least the friction");
  CHECK_FAILS(pl_world_set_friction(world, in.floor, NAN, NAN, 0, error), PL_E_ARGUMENT, "");
  advance(world, 1);
  sum(world, &in, 0, 1, force);
  CHECK_NEAR(force[0] / force[2], -0.1, 0.01);
  CHECK_OK(pl_world_set_friction(world, in.floor, 0.8, 0.9, 0, error));
  advance(world, 200);
  CHECK_OK(pl_world_contacts(world, 1, &first, &count, error));
  CHECK_NEAR(first.slip[0], 0, 1e-4);
  pl_world_destroy(world);
}

/* Models of the same unknowns: a box goes on lying there; frames are refused. */
TEST(models_change_while_it_runs)
{
  heap in = {.boxes = 1, .with_floor = 1, .friction = 0.5};
  pl_setting strain = {.name = "strain", .word = "green"};
  const pl_choice choices[] = {{.name = "springs"}, {"fem", &strain, 1}, {.name = "fem"}};
  double force[3];
  pl_world *world = make(&in);
  advance(world, 100);
  for (int i = 0; i < 3; i++) {
    CHECK_OK(pl_world_set_model(world, in.bodies[0], &choices[i], error));
    advance(world, 100);
    sum(world, &in, 0, 1, force);
    CHECK_NEAR(force[2], 4 * 9.81, 0.5);
  }
  uint64_t hash = pl_world_state_hash(world);
  CHECK_FAILS(pl_world_set_model(world, in.bodies[0], &(pl_choice){.name = "frames"}, error),
              PL_E_ARGUMENT, "unknowns differ");
  CHECK_FAILS(pl_world_set_model(world, in.bodies[0], &(pl_choice){.name = "none"}, error),
              PL_E_ARGUMENT, "none");
  CHECK_FAILS(pl_world_set_model(world, in.bodies[0], NULL, error), PL_E_ARGUMENT, "NULL");
  CHECK(pl_world_state_hash(world) == hash);
  advance(world, 1);
  pl_world_destroy(world);
}

/* The events of a pair of these, if there is one. */
static int find_phase(pl_world *world, pl_body_id body, pl_body_id other, pl_obstacle_id obstacle,
                      double force[3])
{
  pl_contact_event list[16];
  int count = 0, phase = -1;
  CHECK_OK(pl_world_contact_events(world, 16, list, &count, error));
  CHECK(count <= 16);
  for (int i = 0; i < count; i++) {
    if (!is_body(list[i].body, body) || !is_body(list[i].other, other) ||
        list[i].obstacle.index1 != obstacle.index1)
      continue;
    CHECK(phase == -1); // each pair once
    phase = (int)list[i].phase;
    CHECK((list[i].points == 0) == (phase == PL_CONTACT_ENDS));
    for (int k = 0; k < 3; k++) force[k] = list[i].force[k];
  }
  return phase;
}

TEST(events_tell_what_begins_lasts_and_ends)
{
  heap in = {.boxes = 2, .with_floor = 1};
  double force[3];
  pl_body_id none = {0};
  pl_world *world = make(&in);
  CHECK(find_phase(world, in.bodies[0], none, in.floor, force) == -1);
  advance(world, 1);
  CHECK(find_phase(world, in.bodies[0], none, in.floor, force) == PL_CONTACT_BEGINS);
  advance(world, 200);
  CHECK(find_phase(world, in.bodies[0], none, in.floor, force) == PL_CONTACT_LASTS);
  CHECK_NEAR(force[2], 5 * 9.81, 0.05);
  CHECK(find_phase(world, in.bodies[0], in.bodies[1], (pl_obstacle_id){0}, force) ==
        PL_CONTACT_LASTS);
  CHECK_NEAR(force[2], -9.81, 0.05); // on the lower one
  // the upper box flies away
  double up[3 * 48];
  for (int i = 0; i < 48; i++) up[3 * i] = up[3 * i + 1] = 0, up[3 * i + 2] = 2;
  CHECK_OK(pl_world_set_velocities(world, in.bodies[1], up, error));
  advance(world, 2);
  CHECK(find_phase(world, in.bodies[0], in.bodies[1], (pl_obstacle_id){0}, force) ==
        PL_CONTACT_ENDS);
  CHECK(find_phase(world, in.bodies[0], in.bodies[1], (pl_obstacle_id){0}, force) == -1);
  CHECK_OK(pl_world_remove_body(world, in.bodies[0], error));
  advance(world, 1);
  CHECK(find_phase(world, in.bodies[0], none, in.floor, force) == -1);
  pl_world_destroy(world);
}

static double read_quantity(pl_world *world, pl_body_id body, const char *name, int at)
{
  pl_probe_def def = pl_probe_def_default();
  pl_probe_id probe;
  double value[3] = {0};
  def.quantity = name;
  def.body = body;
  CHECK_OK(pl_world_add_probe(world, &def, &probe, error));
  CHECK_OK(pl_world_read_probe(world, probe, value, error));
  CHECK_OK(pl_world_remove_probe(world, probe, error));
  return value[at];
}

/* A block of 4 kg slides down a plane: friction's power is mu N v, and its heat what is missing of
 * the energy. */
TEST(probes_watch_contact_forces_slip_and_heat)
{
  heap in = {.boxes = 1, .with_floor = 1, .slope = 0.6, .friction = 0.3};
  pl_world *world = make(&in);
  pl_probe_def def = pl_probe_def_default();
  pl_probe_id heat;
  double value[3], N = 4 * 9.81 * cos(0.6);
  pl_world_facts before, after;
  double x0[3 * 48], x1[3 * 48];
  advance(world, 20);
  CHECK_OK(pl_world_measure(world, &before, error));
  CHECK_OK(pl_world_get_positions(world, in.bodies[0], x0, error));
  def.quantity = "friction-heat";
  CHECK_OK(pl_world_add_probe(world, &def, &heat, error));
  advance(world, 100);
  CHECK_OK(pl_world_measure(world, &after, error));
  CHECK_OK(pl_world_get_positions(world, in.bodies[0], x1, error));
  double speed = read_quantity(world, in.bodies[0], "slip", 0);
  CHECK_NEAR(read_quantity(world, in.bodies[0], "contact-force", 2), N, 0.002 * N);
  CHECK_NEAR(read_quantity(world, (pl_body_id){0}, "contact-force", 0), -0.3 * N, 0.003 * N);
  CHECK_NEAR(read_quantity(world, in.bodies[0], "friction-power", 0), 0.3 * N * speed,
             0.01 * 0.3 * N * speed);
  CHECK_NEAR(read_quantity(world, in.bodies[0], "contact-gap", 0), 0, 1e-6);
  CHECK_OK(pl_world_read_probe(world, heat, value, error));
  double lost = before.kinetic_energy + before.elastic_energy + before.gravity_energy -
                after.kinetic_energy - after.elastic_energy - after.gravity_energy;
  CHECK_NEAR(value[0], 0.3 * N * (x1[0] - x0[0]), 0.01 * value[0]);
  CHECK_NEAR(value[0], lost, 0.03 * lost); // implicit Euler takes a little more
  pl_world_destroy(world);
}

TESTS(X(friction_changes_while_it_runs) X(models_change_while_it_runs)
          X(what_lies_on_the_floor_is_carried_by_its_contacts) X(contacts_know_friction_and_slip)
              X(contacts_between_bodies_carry_what_is_above) X(contacts_are_those_of_the_last_step)
                  X(events_tell_what_begins_lasts_and_ends)
                      X(probes_watch_contact_forces_slip_and_heat))
