/* Starts that nobody should make: deep penetration, surfaces with degenerate and duplicate
 * triangles, obstacles inside each other or of no size, places far from the origin, with every
 * response. Steps go on or end with a sentence; nothing becomes infinite, hangs or crashes. */
#include "couple/response.h"
#include "pliant/world.h"
#include "world/world.h"

#include "test.h"

enum { STEPS = 12 };

typedef struct start {
  const char *name;
  double shift[3];     /* of all bodies and obstacles */
  double apart;        /* of the second box from the first, m */
  int deep, obstacles; /* boxes begin so deep in the floor, in mm; kinds of obstacles, bits */
  int surface;         /* 1: with bad triangles on top */
  int self;
} start;

static const start starts[] = {
    {.name = "one inside the other", .apart = 0.03},
    {.name = "at the same place", .apart = 0},
    {.name = "deep in the floor", .apart = 0.2, .deep = 60, .obstacles = 1},
    {.name = "inside a sphere", .apart = 0.2, .obstacles = 3},
    {.name = "obstacles inside each other", .apart = 0.15, .obstacles = 7},
    {.name = "shapes without size", .apart = 0.15, .obstacles = 8},
    {.name = "far away", .shift = {1e6, -1e6, 1e6}, .apart = 0.1, .obstacles = 1},
    {.name = "bad surfaces", .apart = 0.09, .obstacles = 1, .surface = 1},
    {.name = "touching itself", .apart = 0.1, .obstacles = 1, .self = 1},
};

/* A surface that follows the box, with slivers, triangles that appear twice, and points
 * that all but coincide. */
static pl_status make_surface(const double at[3], pl_mesh **mesh, pl_error *error)
{
  double nodes[3 * 10];
  const int triangles[] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5,
                           4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3,
                           7, 5, 5, 7, 6, 5, 7, 6, 6, 8, 7, 8, 9, 6, 4, 5, 9};
  for (int i = 0; i < 10; i++) {
    int corner = i < 8 ? i : 6; // the last ones lie all but on another
    for (int k = 0; k < 3; k++)
      nodes[3 * i + k] = at[k] + 0.1 * (corner >> k & 1) - (i > 7) * 1e-8 * (1 + (i + k) % 3);
  }
  const pl_mesh_def def = {.nodes = nodes,
                           .node_count = 10,
                           .elements = triangles,
                           .element_count = (int)(sizeof triangles / sizeof *triangles / 3),
                           .nodes_per_element = 3};
  return pl_mesh_create(&def, mesh, error);
}

static pl_status add_box(pl_world *world, const start *in, int which, pl_error *error)
{
  const double at[3] = {in->shift[0] + 0.01 * which, in->shift[1],
                        in->shift[2] - 1e-3 * in->deep + in->apart * which};
  pl_setting box[] = {{.name = "size", .value = {0.1, 0.1, 0.1}},
                      {.name = "origin", .value = {at[0], at[1], at[2]}},
                      {.name = "cells", .value = {2, 2, 2}}};
  pl_setting hooke[] = {{.name = "young", .value = {1e5}}, {.name = "poisson", .value = {0.3}}};
  pl_mesh *mesh = NULL, *surface = NULL;
  pl_body_def def = pl_body_def_default();
  pl_status status = pl_mesh_generate(&(pl_choice){"box", box, 3}, NULL, &mesh, error);
  if (!status && in->surface) status = make_surface(at, &surface, error);
  def.mesh = mesh;
  def.surface = surface;
  def.self_contact = in->self;
  def.material.law = (pl_choice){"hooke", hooke, 2};
  def.material.stiffness_damping = 0.002;
  if (!status) status = pl_world_add_body(world, &def, NULL, error);
  pl_mesh_destroy(mesh);
  pl_mesh_destroy(surface);
  return status;
}

static pl_status add_obstacles(pl_world *world, const start *in, pl_error *error)
{
  const double *s = in->shift;
  pl_setting plane[] = {{.name = "point", .value = {s[0], s[1], s[2]}}};
  pl_setting sphere[] = {{.name = "centre", .value = {s[0], s[1], s[2]}},
                         {.name = "radius", .value = {0.12}}};
  pl_setting inner[] = {{.name = "centre", .value = {s[0], s[1], s[2]}},
                        {.name = "radius", .value = {0.05}}};
  pl_setting tiny[] = {{.name = "centre", .value = {s[0] + 0.05, s[1] + 0.05, s[2] - 0.01}},
                       {.name = "radius", .value = {1e-9}}};
  const pl_choice shapes[] = {
      {"plane", plane, 1}, {"sphere", sphere, 2}, {"sphere", inner, 2}, {"sphere", tiny, 2}};
  pl_status status = PL_OK;
  for (int i = 0; i < 4 && !status; i++) {
    pl_obstacle_def def = pl_obstacle_def_default();
    def.shape = shapes[i];
    if (in->obstacles >> i & 1) status = pl_world_add_obstacle(world, &def, NULL, error);
  }
  return status;
}

/* An integrator that the response works with. */
static pl_choice method_of(const char *response, double *dt)
{
  static pl_setting newton = {.name = "newton", .value = {20}};
  *dt = 2e-4;
  if (strcmp(response, "impulse") == 0) return (pl_choice){.name = "verlet"};
  if (strcmp(response, "zhuang-canny") == 0) return (pl_choice){.name = "explicit-newmark"};
  *dt = 0.005;
  if (strcmp(response, "barrier") != 0) return (pl_choice){.name = "implicit-euler"};
  return (pl_choice){"implicit-euler", &newton, 1};
}

/* A start that is refused says so with a remedy: an "or", a "choose", a "leave". */
static void run(const start *in, const char *response, int *refused)
{
  pl_world_def def = pl_world_def_default();
  pl_contact_def contact = pl_contact_def_default();
  pl_world *world = NULL;
  pl_error said = {0};
  def.integrator = method_of(response, &def.dt);
  def.threads = 1;
  def.gravity[2] = -9.81;
  contact.response.name = response;
  CHECK_OK(pl_world_create(&def, &world, error));
  CHECK_OK(pl_world_set_contact(world, &contact, error));
  pl_status status = add_obstacles(world, in, &said);
  for (int b = 0; b < 2 && !status; b++) status = add_box(world, in, b, &said);
  for (int i = 0; i < STEPS && !status; i++) status = pl_world_step(world, &said);
  *refused += status != PL_OK;
  if (status) CHECK(strlen(said.message) > 30 && strchr(said.message, ';'));
  for (int i = 0; i < 3 * world->bodies.blocks; i++)
    CHECK(isfinite(world->state.q[i]) && isfinite(world->state.v[i]));
  pl_world_destroy(world);
}

TEST(no_start_makes_numbers_infinite)
{
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
    for (int m = 0; pl_response_family.members[m]; m++) {
      int before = test_failures, refused = 0;
      run(&starts[i], pl_response_family.members[m]->name, &refused);
      // only barriers need a start without intersections
      int is_barrier = strcmp(pl_response_family.members[m]->name, "barrier") == 0;
      CHECK(!refused || is_barrier);
      if (test_failures > before)
        printf("  %s with %s\n", starts[i].name, pl_response_family.members[m]->name);
    }
  }
}

/* What is wrong in the values is said with the value. */
TEST(wrong_values_are_refused)
{
  const struct {
    const char *shape, *name;
    double value;
  } cases[] = {{"plane", "friction", -1},       {"sphere", "radius", 0},
               {"sphere", "radius", -1},        {"torus", "tube", 0},
               {"capsule", "radius", 0},        {"plane", "restitution", 2},
               {"plane", "friction", INFINITY}, {"box", "rounding", -1}};
  pl_world_def def = pl_world_def_default();
  pl_world *world = NULL;
  CHECK_OK(pl_world_create(&def, &world, error));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pl_setting setting = {.name = cases[i].name, .value = {cases[i].value}};
    pl_obstacle_def obstacle = pl_obstacle_def_default();
    pl_error said = {0};
    obstacle.shape = (pl_choice){cases[i].shape, &setting, 1};
    CHECK(pl_world_add_obstacle(world, &obstacle, NULL, &said) == PL_E_ARGUMENT);
    CHECK(strstr(said.message, cases[i].name));
    if (!strstr(said.message, cases[i].name)) printf("  %s: %s\n", cases[i].shape, said.message);
  }
  pl_contact_def contact = pl_contact_def_default();
  pl_error said = {0};
  contact.friction = -1;
  CHECK(pl_world_set_contact(world, &contact, &said) == PL_E_ARGUMENT);
  CHECK(strstr(said.message, "friction of contact = -1"));
  pl_world_destroy(world);
}

TESTS(X(no_start_makes_numbers_infinite) X(wrong_values_are_refused))
