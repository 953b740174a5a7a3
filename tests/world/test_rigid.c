/* Rigid parts of bodies: they stay rigid, keep momenta, turn about hinges, and pull at their skin.
 */
#include "math/vec3.h"
#include "pliant/world.h"
#include "world/world.h"

#include "../mesh/failing.h"
#include "bar.h"
#include "pendulum.h"

static const double whole[2][3] = {{-9, -9, -9}, {9, 9, 9}};
static const double inner[2][3] = {{-0.01, -1, -1}, {0.51, 1, 1}};

static const pl_rigid_part *part_of(const pl_world *world)
{
  return &world->bodies.list[0].ties.parts[0];
}

/* The nodes of the first body, or their velocities. */
static const double *nodes_of(const pl_world *world, int speeds)
{
  return pl_body_nodes(&world->bodies.list[0], world->state.q, speeds ? world->state.v : NULL);
}

/* The largest change of a distance between the part's nodes. */
static double bent(const pl_world *world)
{
  const pl_rigid_part *part = part_of(world);
  const double *X = world->bodies.list[0].rest, *x = nodes_of(world, 0);
  double worst = 0;
  for (int i = 0; i < part->count; i++) {
    for (int j = 0; j < i; j++) {
      int a = 3 * part->nodes[i], b = 3 * part->nodes[j];
      worst = fmax(worst, fabs(pl_vec3_distance(x + a, x + b) - pl_vec3_distance(X + a, X + b)));
    }
  }
  return worst;
}

/* Turns the first body about the z axis through the origin, at rest. */
static pl_status turn_part(pl_world *world, double angle, pl_error *error)
{
  const pl_mesh *mesh = world->bodies.list[0].mesh;
  double *x = malloc((size_t)mesh->node_count * 3 * sizeof *x), c = cos(angle), s = sin(angle);
  for (int i = 0; i < mesh->node_count; i++) {
    const double *X = mesh->nodes + 3 * i;
    pl_vec3_set(x + 3 * i, c * X[0] - s * X[1], s * X[0] + c * X[1], X[2]);
  }
  pl_status status = pl_world_set_positions(world, pl_world_body_at(world, 0), x, error);
  free(x);
  return status;
}

/* ---- a top ---- */

/* By how much of itself the angular momentum of a spinning brick changes within 1 s. */
static double lost_spin(const char *integrator, double dt, int kept, double *energy_lost)
{
  bar_def def = {.n = 1,
                 .free = 1,
                 .dt = dt,
                 .spin = {2, 0.1, 0.7},
                 .integrator = integrator,
                 .solver = 1e-12,
                 .kept = kept};
  pl_world *world;
  pl_body_id body;
  pl_rigid_id part;
  pl_rigid_facts facts;
  bar_tighten(&def);
  CHECK_OK(bar_make(&def, &world, &body, error));
  CHECK_OK(make_rigid(world, body, whole, PL_HINGE_NONE, &part, error));
  CHECK_OK(pl_world_read_rigid(world, part, &facts, error));
  CHECK(facts.nodes == pl_mesh_node_count(pl_world_body_mesh(world, body)));
  CHECK(facts.elements == pl_mesh_element_count(pl_world_body_mesh(world, body)));
  double lost = turn_top(world, dt, energy_lost);
  CHECK_NEAR(bent(world), 0, 1e-12);
  pl_world_destroy(world);
  return lost;
}

/* A brick that is free in space turns as Euler's equations say: its momentum is kept to the order
 * of the method, and to rounding by the momentum correction. */
TEST(a_free_top_keeps_its_momenta) { check_tops(lost_spin); }

/* ---- a pendulum ---- */

/* The error of its angle after some time, and the worst of its energy in parts of m g d. */
static double swing(const char *integrator, double dt, double time, double *energy_error)
{
  bar_def def = {.n = 1, .free = 1, .dt = dt, .gravity = {0, -9.81, 0}, .integrator = integrator};
  pl_world *world;
  pl_body_id body;
  double start, worst = 0;
  def.solver = 1e-12;
  bar_tighten(&def);
  CHECK_OK(bar_make(&def, &world, &body, error));
  CHECK_OK(make_rigid(world, body, whole, PL_HINGE_AXIS, NULL, error));
  const double *mass = world->bodies.list[0].model->node_mass, *X = world->bodies.list[0].rest;
  double moment = 0, inertia = 0, first = 0;
  for (int i = 0; i < world->bodies.list[0].mesh->node_count; i++) {
    const double *at = X + 3 * i;
    moment += mass[i] * at[0];
    first += mass[i] * at[1];
    inertia += mass[i] * (at[0] * at[0] + at[1] * at[1]);
  }
  // let go where the mass centre is beside the hinge: the bar lies slantwise to it
  double tilt = atan2(first, moment), d = hypot(first, moment);
  CHECK_OK(turn_part(world, -tilt, error));
  start = energy_of(world);
  for (int i = 0; i < (int)(time / dt + 0.5); i++) {
    CHECK_OK(pl_world_step(world, error));
    if (i % 8 == 0) worst = fmax(worst, fabs(energy_of(world) - start) / (9.81 * d));
  }
  CHECK_NEAR(bent(world), 0, 1e-12);
  // the axis stays where it is, and nothing turns about another
  const double *q = world->state.q, *v = world->state.v;
  for (int k = 0; k < 3; k++) CHECK(q[3 + k] == 0 && v[3 + k] == 0 && (k == 2 || q[k] == 0));
  double angle = remainder(q[2] + tilt - exact_angle(9.81 * d / inertia, time), 2 * M_PI);
  *energy_error = worst;
  pl_world_destroy(world);
  return fabs(angle);
}

/* Let go at 90 degrees: every method keeps its order, and those of order 2 the energy to 1e-3 of
 * m g d in 6 s at 4 ms. */
TEST(every_integrator_swings_a_pendulum) { check_pendulums(TEST_SANITIZED ? 0.8 : 6, swing); }

/* About a point: no torque about the upright axis, and the point stays. */
TEST(a_point_hinge_lets_it_turn_any_way)
{
  bar_def def = {.n = 1,
                 .free = 1,
                 .dt = 2e-3,
                 .gravity = {0, 0, -9.81},
                 .integrator = "implicit-midpoint",
                 .spin = {1, 0.5, 3},
                 .solver = 1e-12};
  pl_world *world;
  pl_body_id body;
  double spin[2][3], start;
  bar_tighten(&def);
  CHECK_OK(bar_make(&def, &world, &body, error));
  CHECK_OK(make_rigid(world, body, whole, PL_HINGE_POINT, NULL, error));
  read_vector(world, "angular-momentum", spin[0]);
  start = energy_of(world);
  for (int i = 0; i < 500; i++) CHECK_OK(pl_world_step(world, error));
  read_vector(world, "angular-momentum", spin[1]);
  CHECK(fabs(spin[0][2]) > 1);
  CHECK_NEAR(spin[1][2], spin[0][2], 1e-3 * pl_vec3_norm(spin[0]));
  CHECK_NEAR(energy_of(world), start, 1e-3 * 62.5 * 9.81 * 0.5);
  CHECK_NEAR(bent(world), 0, 1e-12);
  CHECK(world->state.q[3] == 0 && world->state.q[4] == 0 && world->state.q[5] == 0);
  pl_world_destroy(world);
}

/* ---- with a skin ---- */

/* Half of the bar is rigid and hangs in a point; the other half bends under gravity. Every strain
 * measure and rotation leaves the part rigid, with all preconditioners. */
TEST(a_skin_hangs_on_it)
{
  static const char *const strains[] = {"corotated", "linear", "green", "warped"};
  static const char *const preconditioners[] = {"block-diagonal", "multigrid",
                                                "incomplete-cholesky", "diagonal"};
  double tips[4][3];
  for (int k = 0; k < 4; k++) {
    bar_def def = {
        .n = 2, .free = 1, .strain = strains[k], .gravity = {0, 0, -9.81}, .mass_damping = 2};
    pl_world *world;
    pl_body_id body;
    CHECK_OK(bar_make(&def, &world, &body, error));
    CHECK_OK(make_rigid(world, body, inner, PL_HINGE_POINT, NULL, error));
    CHECK_OK(pl_world_set_solver(world, &(pl_choice){.name = NULL},
                                 &(pl_choice){.name = preconditioners[k]}, error));
    for (int i = 0; i < 60; i++) CHECK_OK(pl_world_step(world, error));
    CHECK_NEAR(bent(world), 0, 1e-12);
    bar_tip(world, body, tips[k]);
    CHECK(world->tally.newton_iterations == 60 && world->tally.halved_steps == 0);
    pl_world_destroy(world);
  }
  // the soft half is short and stiff: what it adds to the swing differs by a few per cent
  CHECK(tips[0][2] < -0.3);
  CHECK_NEAR(pl_vec3_distance(tips[2], tips[0]), 0, 0.03);
  CHECK_NEAR(pl_vec3_distance(tips[3], tips[0]), 0, 0.03);
}

/* One iteration or many, the result is that of the whole system with a very stiff part. */
TEST(it_is_the_limit_of_a_stiff_part)
{
  double tips[2][3];
  for (int k = 0; k < 2; k++) {
    bar_def def = {.n = 2, .gravity = {0, 0, -9.81}, .newton = 20, .free = k == 0};
    pl_world *world;
    pl_body_id body;
    CHECK_OK(bar_make(&def, &world, &body, error));
    if (k == 0) {
      // rigid and free, but for a stiff spring at each of its nodes: held as good as fixed
      CHECK_OK(make_rigid(world, body, inner, PL_HINGE_NONE, NULL, error));
      for (int i = 0; i < part_of(world)->count; i++) {
        pl_pull_def pull = pl_pull_def_default();
        int node = world->bodies.list[0].order[part_of(world)->nodes[i]];
        pull.at = (pl_spot){.body = body, .count = 1, .nodes = {node}, .weights = {1}};
        memcpy(pull.target, world->bodies.list[0].mesh->nodes + 3 * node, sizeof pull.target);
        pull.stiffness = 1e9;
        CHECK_OK(pl_world_add_pull(world, &pull, NULL, error));
      }
    } else {
      pl_setting corners[] = {{.name = "min", .value = {-0.01, -1, -1}},
                              {.name = "max", .value = {0.51, 1, 1}}};
      pl_selector where = {.region = {"box", corners, 2}};
      pl_fix_def fix = pl_fix_def_default();
      fix.where = &where;
      fix.where_count = 1;
      CHECK_OK(pl_world_add_fix(world, body, &fix, NULL, error));
    }
    for (int i = 0; i < 30; i++) CHECK_OK(pl_world_step(world, error));
    bar_tip(world, body, tips[k]);
    pl_world_destroy(world);
  }
  CHECK(tips[1][2] < -2e-4);
  CHECK_NEAR(pl_vec3_distance(tips[0], tips[1]), 0, 0.01 * pl_vec3_norm(tips[1]));
}

/* ---- the world around it ---- */

TEST(mistakes_are_refused)
{
  static const double nothing[2][3] = {{5, 5, 5}, {6, 6, 6}},
                      outer[2][3] = {{0.49, -1, -1}, {2, 1, 1}};
  pl_selector end = {.set = "x-max"};
  pl_fix_def fix = pl_fix_def_default();
  fix.where = &end;
  fix.where_count = 1;
  bar_def def = {.n = 2};
  pl_world *world;
  pl_body_id body;
  CHECK_OK(bar_make(&def, &world, &body, error));
  CHECK_FAILS(make_rigid(world, body, nothing, 0, NULL, error), PL_E_ARGUMENT,
              "holds no whole element");
  // its own end is held, and the other is once that is rigid
  CHECK_FAILS(make_rigid(world, body, inner, PL_HINGE_NONE, NULL, error), PL_E_ARGUMENT,
              "held and part of something rigid");
  CHECK(world->bodies.blocks == world->bodies.list[0].mesh->node_count);
  CHECK_OK(make_rigid(world, body, outer, PL_HINGE_NONE, NULL, error));
  CHECK_FAILS(make_rigid(world, body, whole, PL_HINGE_NONE, NULL, error), PL_E_ARGUMENT, "share");
  CHECK_FAILS(pl_world_add_fix(world, body, &fix, NULL, error), PL_E_ARGUMENT,
              "held and part of something rigid");
  int node = world->bodies.list[0].order[part_of(world)->nodes[0]];
  CHECK_FAILS(pl_world_pin_node(world, body, node, error), PL_E_ARGUMENT, "cannot be pinned");
  CHECK_OK(pl_world_step(world, error));
  pl_world_destroy(world);
}

static pl_status attempt(const pl_allocator *allocator, void *context)
{
  (void)context;
  bar_def def = {.n = 1, .free = 1, .allocator = allocator, .gravity = {0, 0, -9.81}};
  pl_world *world;
  pl_body_id body;
  pl_status status = bar_make(&def, &world, &body, NULL);
  if (!status) status = make_rigid(world, body, inner, PL_HINGE_POINT, NULL, NULL);
  for (int i = 0; i < 3 && !status; i++) status = pl_world_step(world, NULL);
  pl_world_destroy(world);
  return status;
}

TEST(memory_may_run_out) { fail_every_allocation(attempt, NULL); }

TESTS(X(a_free_top_keeps_its_momenta) X(every_integrator_swings_a_pendulum)
          X(a_point_hinge_lets_it_turn_any_way) X(a_skin_hangs_on_it)
              X(it_is_the_limit_of_a_stiff_part) X(mistakes_are_refused) X(memory_may_run_out))
