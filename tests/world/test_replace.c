/* A body's model replaced in place by one with a rigid part: what else there is in the world goes
 * on as before, the state is carried over, and everything that acts on nodes still does. */
#include "math/vec3.h"
#include "pliant/world.h"
#include "world/world.h"

#include "acts.h"
#include "bar.h"

static const double middle[2][3] = {{0.24, -1, -1}, {0.76, 1, 1}};
static const double whole[2][3] = {{-9, -9, -9}, {9, 9, 9}};

/* A body more at (x, y, 0); held: at its end. */
static pl_status add_neighbour(pl_world *world, double x, double y, int held, pl_body_id *body,
                               pl_error *error)
{
  pl_setting box[] = {{.name = "size", .value = {1, 0.25, 0.25}},
                      {.name = "origin", .value = {x, y, 0}},
                      {.name = "cells", .value = {4, 1, 1}}};
  pl_setting hooke[] = {{.name = "young", .value = {1e6}}, {.name = "poisson", .value = {0.3}}};
  pl_mesh *mesh = NULL;
  pl_status status = pl_mesh_generate(&(pl_choice){"box", box, 3}, NULL, &mesh, error);
  pl_body_def def = pl_body_def_default();
  def.name = "neighbour";
  def.mesh = mesh;
  def.material.law = (pl_choice){"hooke", hooke, 2};
  if (!status) status = pl_world_add_body(world, &def, body, error);
  pl_mesh_destroy(mesh);
  if (!status && held) status = fix_set(world, *body, "x-min", error);
  return status;
}

static pl_status pull_end(pl_world *world, pl_body_id body, double y, pl_error *error)
{
  const double at[3] = {1, y, 0}, to[3] = {1, y + 0.3, 0.2};
  pl_pull_def pull = pl_pull_def_default();
  pl_status status = pl_world_find_spot(world, body, at, &pull.at, error);
  memcpy(pull.target, to, sizeof pull.target);
  pull.stiffness = 500;
  return status ? status : pl_world_add_pull(world, &pull, NULL, error);
}

/* The neighbour comes after the body that is changed; its bits do not. */
TEST(other_bodies_go_on_as_before)
{
  double x[2][60];
  for (int k = 0; k < 2; k++) {
    bar_def def = {.n = 1, .gravity = {0, 0, -9.81}, .integrator = "verlet", .dt = 1e-4};
    pl_world *world;
    pl_body_id body, neighbour;
    CHECK_OK(bar_make(&def, &world, &body, error));
    CHECK_OK(add_neighbour(world, 0, 2, 1, &neighbour, error));
    CHECK_OK(pull_end(world, neighbour, 2, error));
    for (int i = 0; i < 20; i++) CHECK_OK(pl_world_step(world, error));
    // what the integrator remembers is forgotten with the change
    if (k == 0) CHECK_OK(make_rigid(world, body, middle, PL_HINGE_NONE, NULL, error));
    if (k == 1) CHECK_OK(pl_world_set_integrator(world, &(pl_choice){"verlet", NULL, 0}, error));
    CHECK(world->bodies.list[1].offset == world->bodies.list[0].blocks);
    for (int i = 0; i < 20; i++) CHECK_OK(pl_world_step(world, error));
    CHECK_OK(pl_world_get_positions(world, neighbour, x[k], error));
    CHECK(x[k][3 * 19 + 1] > 2.25);
    pl_world_destroy(world);
  }
  CHECK(!memcmp(x[0], x[1], sizeof x[0]));
}

/* A pull that was there before, and one that came after, act on the part's nodes alike; the fix
 * holds the nodes that it held. */
TEST(pulls_and_fixes_follow)
{
  double tips[2][3];
  for (int k = 0; k < 2; k++) {
    static const double outer[2][3] = {{0.7, -1, -1}, {2, 1, 1}};
    bar_def def = {.n = 1};
    pl_world *world;
    pl_body_id body;
    double x[3 * 64];
    unsigned char held[64];
    CHECK_OK(bar_make(&def, &world, &body, error));
    if (k) CHECK_OK(pull_end(world, body, 0, error));
    CHECK_OK(make_rigid(world, body, outer, PL_HINGE_NONE, NULL, error));
    if (!k) CHECK_OK(pull_end(world, body, 0, error));
    for (int i = 0; i < 30; i++) CHECK_OK(pl_world_step(world, error));
    CHECK_OK(pl_world_get_positions(world, body, x, error));
    CHECK_OK(pl_world_get_held(world, body, held, error));
    const pl_mesh *mesh = pl_world_body_mesh(world, body);
    for (int n = 0; n < pl_mesh_node_count(mesh); n++) {
      CHECK((held[n] != 0) == (mesh->nodes[3 * n] == 0));
      if (held[n]) CHECK(!memcmp(x + 3 * n, mesh->nodes + 3 * n, 3 * sizeof *x));
    }
    bar_tip(world, body, tips[k]);
    pl_world_destroy(world);
  }
  CHECK(tips[0][1] > 1e-3);
  CHECK(!memcmp(tips[0], tips[1], sizeof tips[0]));
}

/* A pull that comes between two steps stands before the fix in the list of couplings; what the fix
 * holds stays held. */
TEST(a_pull_may_come_between_steps)
{
  bar_def def = {.n = 1};
  pl_world *world;
  pl_body_id body;
  double x[3 * 64];
  CHECK_OK(bar_make(&def, &world, &body, error));
  CHECK_OK(pl_world_step(world, error));
  CHECK_OK(pull_end(world, body, 0, error));
  for (int i = 0; i < 5; i++) CHECK_OK(pl_world_step(world, error));
  CHECK_OK(pl_world_get_positions(world, body, x, error));
  const pl_mesh *mesh = pl_world_body_mesh(world, body);
  for (int i = 0; i < 3 * pl_mesh_node_count(mesh); i++)
    CHECK(x[i] == mesh->nodes[i] || mesh->nodes[i - i % 3] > 0);
  pl_world_destroy(world);
}

/* Added to a body that spins and trembles, a part takes over the momenta of its nodes. */
TEST(momenta_are_carried_over)
{
  bar_def def = {.n = 2, .free = 1, .dt = 1e-3, .spin = {1, 2, 3}, .integrator = "verlet"};
  pl_world *world;
  pl_body_id body;
  double before[2][3], after[2][3];
  CHECK_OK(bar_make(&def, &world, &body, error));
  CHECK_OK(pull_end(world, body, 0, error));
  for (int i = 0; i < 100; i++) CHECK_OK(pl_world_step(world, error));
  read_vector(world, "momentum", before[0]);
  read_vector(world, "angular-momentum", before[1]);
  CHECK_OK(make_rigid(world, body, middle, PL_HINGE_NONE, NULL, error));
  read_vector(world, "momentum", after[0]);
  read_vector(world, "angular-momentum", after[1]);
  CHECK(pl_vec3_norm(before[0]) > 1);
  CHECK_NEAR(pl_vec3_distance(after[0], before[0]), 0, 1e-12 * pl_vec3_norm(before[0]));
  CHECK_NEAR(pl_vec3_distance(after[1], before[1]), 0, 1e-12 * pl_vec3_norm(before[1]));
  pl_world_destroy(world);
}

/* Two bars that hold each other, the first rigid from then on: they tumble, and together keep their
 * momenta. */
TEST(attachments_hold_rigid_parts)
{
  bar_def def = {.n = 1,
                 .free = 1,
                 .dt = 2e-3,
                 .spin = {1, 2, 3},
                 .integrator = "implicit-midpoint",
                 .solver = 1e-12,
                 .newton = 20,
                 .newton_tolerance = 1e-10};
  pl_selector end = {.set = "x-max"};
  pl_attachment_def attach = pl_attachment_def_default();
  pl_world *world;
  pl_body_id body, other;
  double before[2][3], after[2][3];
  CHECK_OK(bar_make(&def, &world, &body, error));
  CHECK_OK(add_neighbour(world, 0.9, 0, 0, &other, error));
  attach.to = other;
  attach.where = &end;
  attach.where_count = 1;
  CHECK_OK(pl_world_add_attachment(world, body, &attach, NULL, error));
  CHECK_OK(make_rigid(world, body, whole, PL_HINGE_NONE, NULL, error));
  read_vector(world, "momentum", before[0]);
  read_vector(world, "angular-momentum", before[1]);
  for (int i = 0; i < 200; i++) CHECK_OK(pl_world_step(world, error));
  read_vector(world, "momentum", after[0]);
  read_vector(world, "angular-momentum", after[1]);
  CHECK_NEAR(pl_vec3_distance(after[0], before[0]), 0, 1e-5 * pl_vec3_norm(before[1]));
  CHECK_NEAR(pl_vec3_distance(after[1], before[1]), 0, 1e-3 * pl_vec3_norm(before[1]));
  // the second has been dragged along
  const double *v = world->state.v + 3 * world->bodies.list[1].offset;
  CHECK(pl_vec3_norm(v + 3 * (world->bodies.list[1].blocks - 1)) > 0.1);
  pl_world_destroy(world);
}

/* Velocities that are set make the part move as they do on the whole; positions place it. */
TEST(positions_and_velocities_can_be_set)
{
  bar_def def = {.n = 1, .free = 1};
  pl_world *world;
  pl_body_id body;
  double x[3 * 64], y[3 * 64], v[3 * 64], w[3 * 64];
  CHECK_OK(bar_make(&def, &world, &body, error));
  CHECK_OK(make_rigid(world, body, middle, PL_HINGE_NONE, NULL, error));
  const pl_mesh *mesh = pl_world_body_mesh(world, body);
  int nodes = pl_mesh_node_count(mesh);
  for (int n = 0; n < nodes; n++) {
    const double *X = mesh->nodes + 3 * n;
    pl_vec3_set(x + 3 * n, 5 - X[1], X[0], X[2] + 1);
    pl_vec3_set(v + 3 * n, 1 - 2 * x[3 * n + 1], 2 * x[3 * n], 3);
  }
  CHECK_OK(pl_world_set_positions(world, body, x, error));
  CHECK_OK(pl_world_set_velocities(world, body, v, error));
  CHECK_OK(pl_world_get_positions(world, body, y, error));
  CHECK_OK(pl_world_get_velocities(world, body, w, error));
  for (int i = 0; i < 3 * nodes; i++) {
    CHECK_NEAR(y[i], x[i], 1e-13);
    CHECK_NEAR(w[i], v[i], 1e-12);
  }
  pl_world_destroy(world);
}

/* Going back to a saved state and on again gives the same bits; so does another number of threads;
 * another material keeps the part and its place. */
TEST(a_saved_state_goes_on_alike)
{
  uint64_t hash[4];
  for (int k = 0; k < 3; k++) {
    bar_def def = {.n = 2, .gravity = {0, 0, -9.81}, .threads = k + 1, .integrator = "newmark"};
    pl_world *world;
    pl_body_id body;
    CHECK_OK(bar_make(&def, &world, &body, error));
    CHECK_OK(make_rigid(world, body, middle, PL_HINGE_NONE, NULL, error));
    for (int i = 0; i < 10; i++) CHECK_OK(pl_world_step(world, error));
    size_t size = pl_world_state_size(world);
    void *memory = malloc(size);
    CHECK_OK(pl_world_save_state(world, memory, size, error));
    for (int i = 0; i < 10; i++) CHECK_OK(pl_world_step(world, error));
    hash[k] = pl_world_state_hash(world);
    CHECK_OK(pl_world_load_state(world, memory, size, error));
    for (int i = 0; i < 10; i++) CHECK_OK(pl_world_step(world, error));
    CHECK(pl_world_state_hash(world) == hash[k]);
    free(memory);

    pl_setting hooke[] = {{.name = "young", .value = {1e5}}, {.name = "poisson", .value = {0.3}}};
    pl_material_def soft = pl_material_def_default();
    soft.law = (pl_choice){"hooke", hooke, 2};
    CHECK_OK(pl_world_set_material(world, body, &soft, error));
    CHECK(pl_world_state_hash(world) == hash[k]);
    for (int i = 0; i < 10; i++) CHECK_OK(pl_world_step(world, error));
    pl_world_destroy(world);
  }
  CHECK(hash[0] == hash[1] && hash[0] == hash[2]);
}

/* ---- a rigid middle ---- */

/* The tip of a clamped bar whose middle is rigid, or a million times stiffer than the rest. */
static pl_status middle_bar(int rigid, const char *integrator, const char *solver, double dt,
                            int steps, double tip[3], pl_error *error)
{
  pl_setting hooke[] = {{.name = "young", .value = {1e5}}, {.name = "poisson", .value = {0.3}}};
  pl_setting hard[] = {{.name = "young", .value = {1e11}}, {.name = "poisson", .value = {0.3}}};
  pl_setting corners[] = {{.name = "min", .value = {0.25, -1, -1}},
                          {.name = "max", .value = {0.75, 1, 1}}};
  pl_selector where = {.region = {"box", corners, 2}};
  pl_body_part part = {.where = &where, .where_count = 1, .material = pl_material_def_default()};
  part.material.law = (pl_choice){"hooke", hard, 2};
  pl_body_def like = pl_body_def_default();
  like.material.law = (pl_choice){"hooke", hooke, 2};
  like.parts = &part;
  like.part_count = !rigid;
  bar_def def = {.n = 1,
                 .like = &like,
                 .integrator = integrator,
                 .gravity = {0, 0, -9.81},
                 .dt = dt,
                 .solver = 1e-12,
                 // rounding of stiff forces leaves no more
                 .newton_tolerance = strcmp(integrator, "static") ? 1e-6 : 1e-3,
                 .method = solver};
  const pl_member *member = pl_member_find(&pl_integrator_family, integrator);
  if (pl_param_find(member, "newton") >= 0) def.newton = 30;
  pl_world *world;
  pl_body_id body;
  pl_status status = bar_make(&def, &world, &body, error);
  if (!status && rigid) status = make_rigid(world, body, middle, PL_HINGE_NONE, NULL, error);
  for (int i = 0; i < steps && !status; i++) status = pl_world_step(world, error);
  if (!status) bar_tip(world, body, tip);
  pl_world_destroy(world);
  return status;
}

TEST(a_rigid_middle_is_the_limit_of_a_stiff_one)
{
  static const char *const integrators[] = {"static", "implicit-midpoint", "bdf2"};
  for (int k = 0; k < 3; k++) {
    double tips[2][3];
    for (int rigid = 0; rigid < 2; rigid++)
      CHECK_OK(middle_bar(rigid, integrators[k], NULL, 0.002, k ? 50 : 1, tips[rigid], error));
    CHECK(tips[1][2] < -0.02);
    // elements move straight on within a step, which rigid parts do not
    CHECK_NEAR(pl_vec3_distance(tips[0], tips[1]), 0, (k ? 5e-3 : 3e-4) * pl_vec3_norm(tips[0]));
  }
}

TEST(every_solver_knows_rigid_parts)
{
  double tip[3], other[3];
  CHECK_OK(middle_bar(1, "implicit-euler", "cg", 0.01, 5, tip, error));
  for (int s = 0; pl_solver_family.members[s]; s++) {
    const pl_member *member = pl_solver_family.members[s];
    if (member->missing) continue;
    pl_error reason = {0};
    if (pl_param_find(member, "tolerance") < 0) continue;
    pl_status status = middle_bar(1, "implicit-euler", member->name, 0.01, 5, other, &reason);
    if (status == PL_E_UNSUPPORTED) continue;
    CHECK(!status);
    CHECK_NEAR(pl_vec3_distance(tip, other), 0, 1e-6);
  }
}

/* A rigid brick falls on a plane and comes to rest there. */
TEST(rigid_parts_touch)
{
  bar_def def = {.n = 1, .free = 1, .gravity = {0, 0, -9.81}, .dt = 0.002, .mass_damping = 3};
  pl_world *world;
  pl_body_id body;
  double x[3 * 64], lowest = INFINITY;
  pl_setting plane[] = {{.name = "point", .value = {0, 0, -0.2}},
                        {.name = "normal", .value = {0, 0, 1}}};
  pl_obstacle_def floor = pl_obstacle_def_default();
  floor.shape = (pl_choice){"plane", plane, 2};
  CHECK_OK(bar_make(&def, &world, &body, error));
  CHECK_OK(make_rigid(world, body, whole, PL_HINGE_NONE, NULL, error));
  CHECK_OK(pl_world_add_obstacle(world, &floor, NULL, error));
  for (int i = 0; i < 1000; i++) CHECK_OK(pl_world_step(world, error));
  CHECK_OK(pl_world_get_positions(world, body, x, error));
  for (int n = 0; n < pl_mesh_node_count(pl_world_body_mesh(world, body)); n++)
    lowest = fmin(lowest, x[3 * n + 2]);
  CHECK_NEAR(lowest, -0.2, 1e-3);
  pl_world_destroy(world);
}

/* Models and laws: springs, and a law whose energy is infinite at no volume, both in statics, where
 * nothing but a hinge and weight holds the part. */
TEST(every_model_of_nodes_and_law_takes_them)
{
  static const struct {
    const char *model, *law;
  } cases[] = {{"fem", "neo-hooke"}, {"springs", "hooke"}, {"fem", "hooke"}};
  for (int k = 0; k < 3; k++) {
    static const double outer[2][3] = {{0.49, -1, -1}, {2, 1, 1}};
    pl_setting moduli[] = {{.name = "young", .value = {2e5}}, {.name = "poisson", .value = {0.25}}};
    pl_body_def like = pl_body_def_default();
    like.model.name = cases[k].model;
    like.material.law = (pl_choice){cases[k].law, moduli, 2};
    bar_def def = {.n = 1, .like = &like, .gravity = {0, 0, -2}, .integrator = "static"};
    pl_world *world;
    pl_body_id body;
    double tip[3];
    int before = test_failures;
    CHECK_OK(bar_make(&def, &world, &body, error));
    CHECK_OK(make_rigid(world, body, outer, PL_HINGE_NONE, NULL, error));
    CHECK_OK(pl_world_step(world, error));
    bar_tip(world, body, tip);
    CHECK(tip[2] < -1e-3 && tip[2] > -0.5);
    if (test_failures > before) printf("    %s of %s\n", cases[k].model, cases[k].law);
    pl_world_destroy(world);
  }
}

/* A rigid bar on an axis hangs along gravity in equilibrium: what keeps it there is how its weight
 * turns with it. (From above, where that pushes it away, statics would not find it.) */
TEST(a_rigid_pendulum_has_an_equilibrium)
{
  bar_def def = {.n = 1, .free = 1, .gravity = {9.81, -3, 0}, .integrator = "static"};
  pl_world *world;
  pl_body_id body;
  double x[3 * 64], centre[3] = {0};
  CHECK_OK(bar_make(&def, &world, &body, error));
  CHECK_OK(make_rigid(world, body, whole, PL_HINGE_AXIS, NULL, error));
  CHECK_OK(pl_world_step(world, error));
  CHECK_OK(pl_world_get_positions(world, body, x, error));
  const pl_body *inside = &world->bodies.list[0];
  for (int n = 0; n < inside->mesh->node_count; n++)
    pl_vec3_add_scaled(inside->model->node_mass[inside->place[n]], x + 3 * n, centre);
  CHECK(centre[0] > 0 && centre[1] < 0);
  CHECK_NEAR(centre[0] * -3 - centre[1] * 9.81, 0, 1e-4 * pl_vec3_norm(centre));
  pl_world_destroy(world);
}

TESTS(X(other_bodies_go_on_as_before) X(pulls_and_fixes_follow) X(a_pull_may_come_between_steps)
          X(momenta_are_carried_over) X(attachments_hold_rigid_parts)
              X(positions_and_velocities_can_be_set) X(a_saved_state_goes_on_alike)
                  X(a_rigid_middle_is_the_limit_of_a_stiff_one) X(every_solver_knows_rigid_parts)
                      X(rigid_parts_touch) X(every_model_of_nodes_and_law_takes_them)
                          X(a_rigid_pendulum_has_an_equilibrium))
