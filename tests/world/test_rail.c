/* Nodes that stay in a plane or on a rail of any direction, by every solver. */
#include "math/vec3.h"
#include "pliant/world.h"
#include "probe.h"

#include "bar.h"

/* A turn about no axis in particular. */
static const double turn[3][3] = {
    {2. / 3, -2. / 3, 1. / 3}, {1. / 3, 2. / 3, 2. / 3}, {-2. / 3, -1. / 3, 2. / 3}};

static void turned(const double x[3], double out[3])
{
  double copy[3] = {x[0], x[1], x[2]};
  for (int i = 0; i < 3; i++) out[i] = pl_vec3_dot(turn[i], copy);
}

/* What the end of the bar is held by. */
typedef enum hold { AXES, PLANE, RAIL, TWO_PLANES } hold;

static pl_status add(pl_world *world, pl_body_id body, const double *normal, const double *along,
                     const int *free_axis, pl_error *error)
{
  pl_selector end = {.set = "end"};
  pl_fix_def fix = pl_fix_def_default();
  fix.where = &end;
  fix.where_count = 1;
  if (normal) pl_vec3_copy(normal, fix.normal);
  if (along) pl_vec3_copy(along, fix.along);
  for (int k = 0; free_axis && k < 3; k++) fix.free_axis[k] = free_axis[k];
  return pl_world_add_fix(world, body, &fix, NULL, error);
}

/* A small bar with a set "end"; all of it turned if asked for. */
static pl_world *make(int is_turned, const char *solver, pl_body_id *body)
{
  pl_setting box[] = {{.name = "size", .value = {1, 0.25, 0.25}},
                      {.name = "cells", .value = {4, 2, 2}}};
  pl_setting hooke[] = {{.name = "young", .value = {1e5}}, {.name = "poisson", .value = {0.3}}};
  pl_setting fine = {.name = "tolerance", .value = {1e-12}};
  pl_mesh *straight = NULL, *mesh = NULL;
  pl_world *world = NULL;
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", box, 2}, NULL, &straight, error));
  int count = pl_mesh_node_count(straight), end[9], ends = 0;
  double *nodes = malloc(3 * (size_t)count * sizeof *nodes);
  for (int i = 0; i < count; i++) {
    pl_vec3_copy(pl_mesh_nodes(straight) + 3 * i, nodes + 3 * i);
    if (nodes[3 * i] == 0 && ends < 9) end[ends++] = i;
    if (is_turned) turned(nodes + 3 * i, nodes + 3 * i);
  }
  pl_set set = {.name = "end", .count = ends, .ids = end};
  pl_mesh_def def = {.node_count = count,
                     .nodes = nodes,
                     .element_count = pl_mesh_element_count(straight),
                     .nodes_per_element = 4,
                     .elements = pl_mesh_elements(straight),
                     .set_count = 1,
                     .sets = &set};
  CHECK_OK(pl_mesh_create(&def, &mesh, error));
  pl_world_def world_def = pl_world_def_default();
  pl_vec3_set(world_def.gravity, 1, -3, -9);
  if (is_turned) turned(world_def.gravity, world_def.gravity);
  world_def.solver = (pl_choice){solver, &fine, 1};
  world_def.threads = 1;
  CHECK_OK(pl_world_create(&world_def, &world, error));
  pl_body_def body_def = pl_body_def_default();
  body_def.mesh = mesh;
  body_def.material.law = (pl_choice){"hooke", hooke, 2};
  CHECK_OK(pl_world_add_body(world, &body_def, body, error));
  pl_mesh_destroy(straight);
  pl_mesh_destroy(mesh);
  free(nodes);
  return world;
}

/* Positions after some steps, by mesh node; the end is held along z, or along y and z. */
static double *run(hold how, int held, const char *solver, int *count)
{
  pl_body_id body;
  pl_world *world = make(how != AXES, solver, &body);
  double x[3], y[3], z[3], oblique[3];
  turned((double[]){1, 0, 0}, x);
  turned((double[]){0, 3, 0}, y);
  turned((double[]){0, 0, 2}, z);
  // together with z it holds y too
  pl_vec3_add(y, z, oblique);
  if (how == AXES) CHECK_OK(add(world, body, NULL, NULL, (int[]){1, held == 1, 0}, error));
  if (how == PLANE) CHECK_OK(add(world, body, z, NULL, NULL, error));
  if (how == RAIL) CHECK_OK(add(world, body, NULL, x, NULL, error));
  if (how == TWO_PLANES) {
    CHECK_OK(add(world, body, z, NULL, NULL, error));
    CHECK_OK(add(world, body, oblique, NULL, NULL, error));
  }
  for (int i = 0; i < 20; i++) CHECK_OK(pl_world_step(world, error));
  *count = pl_mesh_node_count(pl_world_body_mesh(world, body));
  double *positions = malloc(3 * (size_t)*count * sizeof *positions);
  CHECK_OK(pl_world_get_positions(world, body, positions, error));
  pl_world_destroy(world);
  return positions;
}

/* The turned world is the other one turned: 1e-9 of the size allows for the solver's 1e-12. */
TEST(oblique_constraints_are_turned_axes)
{
  const char *const solvers[] = {"cg", "eisenstat", "minres", "auto", "direct"};
  const hold ways[] = {PLANE, RAIL, TWO_PLANES};
  for (int held = 1; held <= 2; held++) {
    int count;
    double *straight = run(AXES, held, "cg", &count), moved = 0;
    for (int i = 0; i < count; i++) moved = fmax(moved, fabs(straight[3 * i + 2]));
    CHECK(moved > 0.02);
    for (int s = 0; s < 5; s++) {
      for (int w = held == 1 ? 0 : 1; w < (held == 1 ? 1 : 3); w++) {
        int same;
        double *there = run(ways[w], held, solvers[s], &same), worst = 0;
        CHECK(same == count);
        for (int i = 0; i < count; i++) {
          double here[3];
          turned(straight + 3 * i, here);
          worst = fmax(worst, pl_vec3_distance(here, there + 3 * i));
        }
        CHECK_NEAR(worst, 0, 1e-9);
        free(there);
      }
    }
    free(straight);
  }
}

/* All nodes on rails: the body falls along them as a point would, and does not leave them. */
TEST(a_body_on_rails_slides)
{
  bar_def def = {.n = 1, .free = 1, .gravity = {0, 0, -10}, .solver = 1e-12};
  pl_world *world;
  pl_body_id body;
  CHECK_OK(bar_make(&def, &world, &body, error));
  pl_selector all = {.region = {"all", NULL, 0}};
  pl_fix_def fix = pl_fix_def_default();
  fix.where = &all;
  fix.where_count = 1;
  pl_vec3_set(fix.along, 4, 0, -3);
  CHECK_OK(pl_world_add_fix(world, body, &fix, NULL, error));
  int steps = 30;
  for (int i = 0; i < steps; i++) CHECK_OK(pl_world_step(world, error));
  // implicit Euler: g sin h^2 (1 + 2 + ... + n)
  double way = 10 * 0.6 * 1e-4 * steps * (steps + 1) / 2;
  const double *rest = world->bodies.list[0].model->rest;
  for (int i = 0; i < world->bodies.blocks; i++) {
    double moved[3];
    pl_vec3_sub(world->state.q + 3 * i, rest + 3 * i, moved);
    CHECK_NEAR(moved[0], 0.8 * way, 1e-12);
    CHECK_NEAR(moved[1], 0, 1e-14);
    CHECK_NEAR(moved[2], -0.6 * way, 1e-12);
  }
  pl_world_destroy(world);
}

TEST(what_makes_no_sense_is_refused)
{
  pl_body_id body;
  pl_world *world = make(0, "cg", &body);
  const double z[3] = {0, 0, 1}, bad[3] = {0, NAN, 1};
  CHECK_FAILS(add(world, body, z, z, NULL, error), PL_E_ARGUMENT, "give one of them");
  CHECK_FAILS(add(world, body, z, NULL, (int[]){1, 0, 0}, error), PL_E_ARGUMENT,
              "give one of them");
  CHECK_FAILS(add(world, body, bad, NULL, NULL, error), PL_E_ARGUMENT, "finite");
  CHECK(probe_count(world, &pl_coupling_fix) == 0);
  pl_world_destroy(world);
}

TESTS(X(oblique_constraints_are_turned_axes) X(a_body_on_rails_slides)
          X(what_makes_no_sense_is_refused))
