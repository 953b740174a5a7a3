/* Touching a world while it runs: picking, pulls, pins, changed values, earlier states. */
#include "pliant/world.h"
#include "probe.h"
#include "sparse/bsr.h"

#include "mesh/failing.h"
#include "world/acts.h"
#include "world/bar.h"

#include "test.h"

static pl_world *make(const bar_def *bar, pl_body_id *body)
{
  pl_world *world = NULL;
  CHECK_OK(bar_make(bar, &world, body, error));
  return world;
}

/* The node at the middle of the far end's upper edge. */
static int tip_node(const pl_world *world, pl_body_id body)
{
  const pl_mesh *mesh = pl_world_body_mesh(world, body);
  const double *x = pl_mesh_nodes(mesh);
  for (int i = 0; i < pl_mesh_node_count(mesh); i++) {
    if (x[3 * i] > 0.999 && x[3 * i + 1] > 0.249 && fabs(x[3 * i + 2] - 0.125) < 1e-9) return i;
  }
  return -1;
}

static pl_pull_def pull_at(pl_body_id body, int node, double x, double y, double z)
{
  pl_pull_def def = pl_pull_def_default();
  def.at = (pl_spot){.body = body, .count = 1, .nodes = {node}, .weights = {1}};
  def.target[0] = x;
  def.target[1] = y;
  def.target[2] = z;
  return def;
}

/* ---- picking ---- */

TEST(a_ray_finds_the_near_face)
{
  const char *elements[] = {"tet", "hex"};
  for (int i = 0; i < 2; i++) {
    pl_body_id body;
    pl_world *world = make(&(bar_def){.element = elements[i]}, &body);
    const double eye[3] = {0.37, 0.11, 3}, down[3] = {0, 0, -2};
    pl_hit hit;
    CHECK_OK(pl_world_pick(world, eye, down, &hit, error));
    CHECK(hit.spot.body.index1 == body.index1 && hit.spot.count == 3);
    CHECK_NEAR(hit.distance, 2.75, 1e-12);
    CHECK_NEAR(hit.normal[2], 1, 1e-12);
    CHECK_NEAR(hit.point[2], 0.25, 1e-12);
    // the weights say the same point
    double sum[3] = {0};
    const double *x = pl_mesh_nodes(pl_world_body_mesh(world, body));
    for (int a = 0; a < 3; a++) {
      for (int k = 0; k < 3; k++) sum[k] += hit.spot.weights[a] * x[3 * hit.spot.nodes[a] + k];
    }
    for (int k = 0; k < 3; k++) CHECK_NEAR(sum[k], hit.point[k], 1e-12);
    pl_world_destroy(world);
  }
}

TEST(a_ray_passes_by)
{
  pl_body_id body;
  pl_world *world = make(&(bar_def){0}, &body);
  const double eye[3] = {0.5, 0.1, 3}, up[3] = {0, 0, 1}, zero[3] = {0}, bad[3] = {NAN, 0, 1};
  pl_hit hit;
  CHECK_OK(pl_world_pick(world, eye, up, &hit, error));
  CHECK(hit.spot.body.index1 == 0 && hit.face == -1);
  CHECK_FAILS(pl_world_pick(world, eye, zero, &hit, error), PL_E_ARGUMENT, "not zero");
  CHECK_FAILS(pl_world_pick(world, eye, bad, &hit, error), PL_E_ARGUMENT, "finite");
  pl_world_destroy(world);
}

/* Rays that aim exactly at shared edges and nodes must not slip through. */
TEST(no_ray_slips_between_faces)
{
  pl_body_id body;
  pl_world *world = make(&(bar_def){.n = 3}, &body);
  int missed = 0;
  for (int i = 1; i < 24; i++) {
    for (int j = 1; j < 6; j++) {
      const double eye[3] = {i / 24.0, j / 24.0, 1}, down[3] = {0, 0, -1};
      pl_hit hit;
      CHECK_OK(pl_world_pick(world, eye, down, &hit, error));
      missed += hit.spot.body.index1 == 0;
    }
  }
  CHECK(missed == 0);
  pl_world_destroy(world);
}

/* ---- pulls ---- */

/* A point inside a hexahedron is a spot of eight nodes; a pull there holds it with k times its way.
 */
TEST(a_pull_takes_eight_nodes)
{
  const pl_setting box[] = {{.name = "cells", .value = {1, 1, 1}},
                            {.name = "element", .word = "hex"}};
  const pl_setting hooke[] = {{.name = "young", .value = {1e5}},
                              {.name = "poisson", .value = {0.3}}};
  pl_world_def def = pl_world_def_default();
  pl_body_def body = pl_body_def_default();
  pl_pull_def pull = pl_pull_def_default();
  pl_world *world;
  pl_mesh *mesh;
  pl_body_id id;
  pl_pull_id held;
  pl_pull_facts facts;
  const double middle[3] = {0.5, 0.5, 0.5};
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", box, 2}, NULL, &mesh, error));
  CHECK_OK(pl_world_create(&def, &world, error));
  body.mesh = mesh;
  body.material.law = (pl_choice){"hooke", hooke, 2};
  CHECK_OK(pl_world_add_body(world, &body, &id, error));
  CHECK_OK(pl_world_find_spot(world, id, middle, &pull.at, error));
  CHECK(pull.at.count == 8);
  memcpy(pull.target, middle, sizeof middle);
  pull.stiffness = 1e6;
  pull.damping = 1e5;
  CHECK_OK(pl_world_add_pull(world, &pull, &held, error));
  run_steps(world, 200);
  CHECK_OK(pl_world_read_pull(world, held, &facts, error));
  // the weight of 1000 kg at 1e6 N/m
  CHECK_NEAR(facts.position[2], 0.5 - 9810 / 1e6, 1e-5);
  CHECK_NEAR(facts.force[2], 9810, 10);
  pl_world_destroy(world);
  pl_mesh_destroy(mesh);
}

/* In equilibrium a pull is the same as a dead force of its size. */
TEST(a_pull_equals_its_force)
{
  pl_body_id body;
  bar_def bar = {.integrator = "static", .strain = "green", .newton = 30};
  pl_world *world = make(&bar, &body), *other = make(&bar, &body);
  int node = tip_node(world, body);
  const double *x = pl_mesh_nodes(pl_world_body_mesh(world, body)) + 3 * node;
  pl_pull_def def = pull_at(body, node, x[0], x[1], x[2] - 0.2);
  pl_pull_id pull;
  pl_pull_facts facts;
  CHECK_OK(pl_world_add_pull(world, &def, &pull, error));
  run_steps(world, 1);
  CHECK_OK(pl_world_read_pull(world, pull, &facts, error));

  pl_setting value = {.name = "value", .value = {facts.force[0], facts.force[1], facts.force[2]}};
  pl_setting ball[] = {{.name = "centre", .value = {x[0], x[1], x[2]}},
                       {.name = "radius", .value = {1e-3}}};
  pl_selector where = {.region = {"sphere", ball, 2}};
  pl_load_def load = pl_load_def_default();
  load.load = (pl_choice){"force", &value, 1};
  load.where = &where;
  load.where_count = 1;
  CHECK_OK(pl_world_add_load(other, body, &load, NULL, error));
  run_steps(other, 1);
  double a[3], b[3];
  bar_tip(world, body, a);
  bar_tip(other, body, b);
  CHECK(a[2] < -0.02);
  // both solve to 1e-6 of the load
  for (int k = 0; k < 3; k++) CHECK_NEAR(a[k], b[k], 1e-5 * fabs(a[2]));
  pl_world_destroy(world);
  pl_world_destroy(other);
}

/* The matrix is minus the derivative of the force, by central differences. */
static void compare_tangent(double max_force)
{
  pl_body_id body;
  pl_world *world = make(&(bar_def){.n = 1}, &body);
  CHECK_OK(pl_world_prepare(world, error));
  const double eye[3] = {0.9, 0.1, 1}, down[3] = {0, 0, -1};
  pl_hit hit;
  CHECK_OK(pl_world_pick(world, eye, down, &hit, error));
  pl_pull_def def = pull_at(body, 0, 1.2, 0.3, 0.7);
  def.at = hit.spot;
  def.damping = 7;
  def.max_force = max_force;
  CHECK_OK(pl_world_add_pull(world, &def, NULL, error));

  int n = 3 * world->bodies.blocks;
  double *q = world->state.q, *v = world->state.v, *f = calloc((size_t)n, 2 * sizeof *f);
  pl_bsr *A = world->system.A;
  pl_bsr_zero(A, NULL);
  probe_matrix(world, &pl_coupling_pull, 0, q, v, 2, 3, 0, A);
  double *column = calloc((size_t)n, 2 * sizeof *f), worst = 0, largest = 0;
  for (int j = 0; j < n; j++) {
    const double h = 1e-5;
    memset(f, 0, (size_t)n * 2 * sizeof *f);
    memset(column, 0, (size_t)n * 2 * sizeof *f);
    // two parts of the position and three of the velocity, as in the matrix
    double q0 = q[j], v0 = v[j];
    q[j] = q0 + 2 * h, v[j] = v0 + 3 * h;
    probe_force(world, &pl_coupling_pull, 0, q, v, f);
    for (int i = 0; i < n; i++) f[i] = -f[i];
    q[j] = q0 - 2 * h, v[j] = v0 - 3 * h;
    probe_force(world, &pl_coupling_pull, 0, q, v, f);
    q[j] = q0, v[j] = v0;
    column[j] = 1;
    pl_bsr_multiply(A, column, column + n, NULL);
    for (int i = 0; i < n; i++) {
      worst = fmax(worst, fabs(column[n + i] - f[i] / (2 * h)));
      largest = fmax(largest, fabs(column[n + i]));
    }
  }
  CHECK(largest > 1);
  // differences of order h^2 and rounding of 1e-16 / h
  CHECK_NEAR(worst, 0, 1e-6 * largest);
  free(f);
  free(column);
  pl_world_destroy(world);
}

TEST(the_tangent_is_the_derivative)
{
  compare_tangent(0);
  compare_tangent(40);
}

TEST(a_very_stiff_pull_stays_stable)
{
  pl_body_id body;
  pl_world *world = make(&(bar_def){0}, &body);
  int node = tip_node(world, body);
  pl_pull_def def = pull_at(body, node, 0.9, 0.2, 0.4);
  def.stiffness = 1e9;
  pl_pull_id pull;
  pl_pull_facts facts;
  CHECK_OK(pl_world_add_pull(world, &def, &pull, error));
  run_steps(world, 100);
  CHECK_OK(pl_world_read_pull(world, pull, &facts, error));
  for (int k = 0; k < 3; k++) CHECK_NEAR(facts.position[k], def.target[k], 1e-4);
  // moved on, it follows; removed, the bar swings back
  const double target[3] = {1, 0.2, 0.1};
  CHECK_OK(pl_world_move_pull(world, pull, target, error));
  run_steps(world, 100);
  CHECK_OK(pl_world_read_pull(world, pull, &facts, error));
  CHECK_NEAR(facts.position[2], 0.1, 1e-4);
  CHECK_OK(pl_world_remove_pull(world, pull, error));
  CHECK_FAILS(pl_world_read_pull(world, pull, &facts, error), PL_E_ARGUMENT, "has been removed");
  pl_world_destroy(world);
}

TEST(the_force_has_its_limit)
{
  pl_body_id body;
  pl_world *world = make(&(bar_def){0}, &body);
  pl_pull_def def = pull_at(body, tip_node(world, body), 5, 0.2, 3);
  def.max_force = 12;
  pl_pull_id pull;
  pl_pull_facts facts;
  CHECK_OK(pl_world_add_pull(world, &def, &pull, error));
  run_steps(world, 5);
  CHECK_OK(pl_world_read_pull(world, pull, &facts, error));
  const double *f = facts.force;
  CHECK_NEAR(sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]), 12, 1e-12);
  pl_world_destroy(world);
}

TEST(bad_pulls_are_refused)
{
  pl_body_id body;
  pl_world *world = make(&(bar_def){0}, &body);
  pl_pull_def def = pull_at(body, 0, 0, 0, 0);
  pl_pull_id pull = {1, 1};
  pl_pull_def bad = {0};
  CHECK_FAILS(pl_world_add_pull(world, &bad, &pull, error), PL_E_ARGUMENT, "_default()");
  bad = def, bad.stiffness = -1;
  CHECK_FAILS(pl_world_add_pull(world, &bad, &pull, error), PL_E_ARGUMENT, "stiffness");
  bad = def, bad.target[1] = INFINITY;
  CHECK_FAILS(pl_world_add_pull(world, &bad, &pull, error), PL_E_ARGUMENT, "target");
  bad = def, bad.at.nodes[0] = 100000;
  CHECK_FAILS(pl_world_add_pull(world, &bad, &pull, error), PL_E_ARGUMENT, "no node 100000");
  bad = def, bad.at.count = 33;
  CHECK_FAILS(pl_world_add_pull(world, &bad, &pull, error), PL_E_ARGUMENT, "1 to 32");
  bad = def, bad.at.weights[0] = 0.4;
  CHECK_FAILS(pl_world_add_pull(world, &bad, &pull, error), PL_E_ARGUMENT, "add up to 1");
  bad = def, bad.at.body.index1 = 9;
  CHECK_FAILS(pl_world_add_pull(world, &bad, &pull, error), PL_E_ARGUMENT, "no body number 9");
  CHECK_FAILS(pl_world_move_pull(world, pull, def.target, error), PL_E_ARGUMENT, "no pull");
  CHECK_FAILS(pl_world_remove_pull(world, pull, error), PL_E_ARGUMENT, "no pull");
  pl_world_destroy(world);
}

/* ---- pins ---- */

TEST(a_pin_holds_and_lets_go)
{
  pl_body_id body;
  bar_def bar = {.gravity = {0, 0, -9.81}};
  pl_world *world = make(&bar, &body);
  run_steps(world, 20);
  int node = tip_node(world, body), nodes = pl_mesh_node_count(pl_world_body_mesh(world, body));
  double *before = calloc((size_t)nodes * 3, sizeof *before);
  double *after = calloc((size_t)nodes * 3, sizeof *after);
  unsigned char *held = calloc((size_t)nodes, 1);
  CHECK_OK(pl_world_get_positions(world, body, before, error));
  CHECK_OK(pl_world_pin_node(world, body, node, error));
  CHECK_OK(pl_world_get_held(world, body, held, error));
  CHECK(held[node] == 7);
  run_steps(world, 20);
  CHECK_OK(pl_world_get_positions(world, body, after, error));
  for (int k = 0; k < 3; k++) CHECK_NEAR(after[3 * node + k], before[3 * node + k], 1e-12);

  int released;
  CHECK_OK(pl_world_release_node(world, body, node, &released, error));
  CHECK(released);
  CHECK_OK(pl_world_release_node(world, body, node, &released, error));
  CHECK(!released);
  run_steps(world, 20);
  CHECK_OK(pl_world_get_positions(world, body, after, error));
  CHECK(fabs(after[3 * node + 2] - before[3 * node + 2]) > 1e-3);

  // the scene's own fixes can be opened as well: the bar falls off
  CHECK_OK(pl_world_get_held(world, body, held, error));
  for (int i = 0; i < nodes; i++) {
    if (held[i]) CHECK_OK(pl_world_release_node(world, body, i, NULL, error));
  }
  CHECK(probe_count(world, &pl_coupling_fix) == 0);
  run_steps(world, 100);
  CHECK_OK(pl_world_get_positions(world, body, after, error));
  for (int i = 0; i < nodes; i++) CHECK(after[3 * i + 2] < -1);
  CHECK_FAILS(pl_world_pin_node(world, body, nodes, error), PL_E_ARGUMENT, "no node");
  CHECK_FAILS(pl_world_release_node(world, body, -1, NULL, error), PL_E_ARGUMENT, "no node");
  free(before);
  free(after);
  free(held);
  pl_world_destroy(world);
}

/* ---- values ---- */

TEST(time_goes_on_when_dt_changes)
{
  pl_body_id body;
  pl_world *world = make(&(bar_def){.dt = 0.01}, &body);
  run_steps(world, 10);
  CHECK_OK(pl_world_set_dt(world, 0.004, error));
  run_steps(world, 5);
  CHECK_NEAR(pl_world_time(world), 0.12, 1e-15);
  CHECK_FAILS(pl_world_set_dt(world, 0, error), PL_E_ARGUMENT, "dt = 0");
  CHECK_FAILS(pl_world_set_dt(world, INFINITY, error), PL_E_ARGUMENT, "dt = inf");
  CHECK_NEAR(pl_world_dt(world), 0.004, 0);
  pl_world_destroy(world);
}

/* A world that is changed before its first step is the world that was made so. */
TEST(changed_values_are_as_if_given)
{
  pl_body_id body;
  pl_world *given = make(&(bar_def){.gravity = {0, 0, -3},
                                    .integrator = "explicit-euler",
                                    .dt = 1e-4,
                                    .tolerance = 1e-7,
                                    .stiffness_damping = 1e-4},
                         &body);
  pl_world *changed = make(&(bar_def){.gravity = {0, 1, 0}}, &body);
  const double gravity[3] = {0, 0, -3};
  pl_setting hooke[] = {{.name = "young", .value = {1e6}}, {.name = "poisson", .value = {0.3}}};
  pl_material_def material = pl_material_def_default();
  material.law = (pl_choice){"hooke", hooke, 2};
  material.stiffness_damping = 1e-4;
  CHECK_OK(pl_world_set_gravity(changed, gravity, error));
  CHECK_OK(pl_world_set_dt(changed, 1e-4, error));
  CHECK_OK(pl_world_set_integrator(changed, &(pl_choice){"explicit-euler", NULL, 0}, error));
  CHECK_OK(pl_world_set_control(changed, 0, 6, 1e-7, error));
  CHECK_OK(pl_world_set_material(changed, body, &material, error));
  run_steps(given, 50);
  run_steps(changed, 50);
  CHECK(pl_world_state_hash(given) == pl_world_state_hash(changed));
  pl_world_destroy(given);
  pl_world_destroy(changed);
}

TEST(bad_values_change_nothing)
{
  pl_body_id body;
  bar_def bar = {.gravity = {0, 0, -9.81}};
  pl_world *world = make(&bar, &body), *twin = make(&bar, &body);
  const double nowhere[3] = {0, NAN, 0};
  pl_setting much = {.name = "young", .value = {-5}};
  pl_material_def material = pl_material_def_default();
  material.law = (pl_choice){"hooke", &much, 1};
  run_steps(world, 3);
  CHECK_FAILS(pl_world_set_gravity(world, nowhere, error), PL_E_ARGUMENT, "gravity");
  CHECK_FAILS(pl_world_set_integrator(world, &(pl_choice){"leap", NULL, 0}, error), PL_E_ARGUMENT,
              "leap");
  CHECK_FAILS(pl_world_set_control(world, 0, 21, 0, error), PL_E_ARGUMENT, "halvings = 21");
  CHECK_FAILS(pl_world_set_control(world, -1, 6, 0, error), PL_E_ARGUMENT, "budget = -1");
  CHECK_FAILS(pl_world_set_control(world, 0, 6, NAN, error), PL_E_ARGUMENT, "tolerance = nan");
  CHECK_FAILS(pl_world_set_solver(world, &(pl_choice){"cg", NULL, 0},
                                  &(pl_choice){"magic", NULL, 0}, error),
              PL_E_ARGUMENT, "magic");
  CHECK_FAILS(pl_world_set_material(world, body, &material, error), PL_E_ARGUMENT, "young");
  run_steps(world, 3);
  run_steps(twin, 6);
  CHECK(pl_world_state_hash(world) == pl_world_state_hash(twin));
  pl_world_destroy(world);
  pl_world_destroy(twin);
}

/* ---- states ---- */

TEST(going_back_repeats_every_bit)
{
  const char *methods[] = {"implicit-euler", "explicit-euler"};
  for (int m = 0; m < 2; m++) {
    pl_body_id body;
    bar_def bar = {
        .gravity = {0, 0, -9.81}, .integrator = methods[m], .dt = m ? 1e-4 : 0.01, .unstable = 1};
    pl_world *world = make(&bar, &body);
    size_t size = pl_world_state_size(world);
    void *state = malloc(size);
    run_steps(world, 7);
    CHECK_OK(pl_world_save_state(world, state, size, error));
    uint64_t then = pl_world_state_hash(world);
    run_steps(world, 9);
    uint64_t end = pl_world_state_hash(world);
    CHECK_OK(pl_world_load_state(world, state, size, error));
    CHECK(pl_world_state_hash(world) == then);
    run_steps(world, 9);
    CHECK(pl_world_state_hash(world) == end);
    CHECK_FAILS(pl_world_save_state(world, state, size - 1, error), PL_E_ARGUMENT, "bytes");
    CHECK_FAILS(pl_world_load_state(world, state, 3, error), PL_E_ARGUMENT, "bytes");
    ((char *)state)[0] ^= 1;
    CHECK_FAILS(pl_world_load_state(world, state, size, error), PL_E_ARGUMENT, "not a state");
    CHECK(pl_world_state_hash(world) == end);
    free(state);
    pl_world_destroy(world);
  }
}

/* ---- memory ---- */

/* Everything that takes memory, with the k-th allocation failing. */
static pl_status touch_all(const pl_allocator *allocator, void *context)
{
  pl_error *error = NULL;
  (void)context;
  pl_world *world = NULL;
  pl_body_id body;
  bar_def bar = {.n = 1, .allocator = allocator};
  pl_status status = bar_make(&bar, &world, &body, error);
  if (status) return status;
  pl_pull_def def = pull_at(body, 3, 0, 0, 1);
  pl_setting hooke[] = {{.name = "young", .value = {2e6}}, {.name = "poisson", .value = {0.3}}};
  pl_material_def material = pl_material_def_default();
  material.law = (pl_choice){"hooke", hooke, 2};
  char state[4096];
  size_t size = pl_world_state_size(world);
  status = pl_world_add_pull(world, &def, NULL, error);
  if (!status) status = pl_world_pin_node(world, body, 5, error);
  if (!status) status = pl_world_set_material(world, body, &material, error);
  if (!status) status = pl_world_step(world, error);
  if (!status) status = pl_world_save_state(world, state, size, error);
  if (!status) status = pl_world_load_state(world, state, size, error);
  if (!status) status = pl_world_release_node(world, body, 5, NULL, error);
  if (!status) status = pl_world_step(world, error);
  pl_world_destroy(world);
  return status;
}

TEST(no_memory_is_told_and_nothing_leaks) { fail_every_allocation(touch_all, NULL); }

/* A stiff spring leads its point along the way that it was told, then lets go. */
TEST(scripted_pulls_lead_and_let_go)
{
  static const double times[] = {0, 0.5}, factors[] = {0, 1}, at[3] = {1, 0.125, 0.125};
  bar_def bar = {.n = 1, .mass_damping = 5};
  pl_world *world;
  pl_body_id body;
  pl_pull_id pull;
  pl_pull_facts facts;
  CHECK_OK(bar_make(&bar, &world, &body, error));
  pl_pull_def def = pl_pull_def_default();
  CHECK_OK(pl_world_find_spot(world, body, at, &def.at, error));
  CHECK(def.at.count == 4);
  memcpy(def.target, at, sizeof at);
  def.translation[1] = 0.1;
  def.ramp = (pl_ramp){2, times, factors};
  def.stiffness = 1e7;
  def.until = 0.8;
  CHECK_OK(pl_world_add_pull(world, &def, &pull, error));
  for (int i = 0; i < 80; i++) {
    CHECK_OK(pl_world_step(world, error));
    CHECK_OK(pl_world_read_pull(world, pull, &facts, error));
    // to 2 % of the way: the bar resists with less than 1e-3 of the spring's stiffness
    CHECK_NEAR(facts.position[1], at[1] + 0.1 * fmin((i + 1) / 50.0, 1), 2e-3);
  }
  CHECK(facts.force[1] > 100);
  for (int i = 0; i < 40; i++) CHECK_OK(pl_world_step(world, error));
  CHECK_OK(pl_world_read_pull(world, pull, &facts, error));
  CHECK(facts.force[1] == 0 && facts.position[1] < at[1] + 0.08);
  def.until = NAN;
  CHECK_FAILS(pl_world_add_pull(world, &def, &pull, error), PL_E_ARGUMENT, "lets go");
  pl_world_destroy(world);
}

TESTS(X(scripted_pulls_lead_and_let_go) X(a_ray_finds_the_near_face) X(a_ray_passes_by)
          X(no_ray_slips_between_faces) X(a_pull_takes_eight_nodes) X(a_pull_equals_its_force)
              X(the_tangent_is_the_derivative) X(a_very_stiff_pull_stays_stable)
                  X(the_force_has_its_limit) X(bad_pulls_are_refused) X(a_pin_holds_and_lets_go)
                      X(time_goes_on_when_dt_changes) X(changed_values_are_as_if_given)
                          X(bad_values_change_nothing) X(going_back_repeats_every_bit)
                              X(no_memory_is_told_and_nothing_leaks))
