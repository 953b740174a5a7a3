/* Rigid parts of bodies: they stay rigid, keep momenta, turn about hinges, and pull at their skin.
 */
#include "math/vec3.h"
#include "pliant/touch.h"
#include "world/world.h"

#include "../mesh/failing.h"
#include "bar.h"

static const double whole[2][3] = {{-9, -9, -9}, {9, 9, 9}};
static const double inner[2][3] = {{-0.01, -1, -1}, {0.51, 1, 1}};

static pl_status make_rigid(pl_world *world, pl_body_id body, const double box[2][3],
                            pl_hinge hinge, int *elements, pl_error *error)
{
  pl_setting corners[] = {{.name = "min", .value = {box[0][0], box[0][1], box[0][2]}},
                          {.name = "max", .value = {box[1][0], box[1][1], box[1][2]}}};
  pl_selector where = {.region = {"box", corners, 2}};
  pl_rigid_def def = pl_rigid_def_default();
  def.where = &where;
  def.where_count = 1;
  def.hinge = hinge;
  return pl_world_add_rigid(world, body, &def, elements, error);
}

/* The largest change of a distance between the part's nodes. */
static double bent(const pl_world *world)
{
  const pl_core *core = &world->cores[0];
  const double *X = world->bodies.list[0].model->rest, *q = world->state.q;
  double worst = 0;
  for (int i = 0; i < core->count; i++) {
    for (int j = 0; j < i; j++) {
      int a = 3 * core->nodes[i], b = 3 * core->nodes[j];
      worst = fmax(worst, fabs(pl_vec3_distance(q + a, q + b) - pl_vec3_distance(X + a, X + b)));
    }
  }
  return worst;
}

static void read_vector(pl_world *world, const char *quantity, double out[3])
{
  pl_probe_def def = pl_probe_def_default();
  pl_probe_id probe;
  def.quantity = quantity;
  CHECK_OK(pl_world_add_probe(world, &def, &probe, error));
  CHECK_OK(pl_world_read_probe(world, probe, out, error));
}

/* A body that is rigid all over turns as Euler's equations say: both momenta are kept to rounding,
 * and its energy to the first order of the step. */
TEST(a_free_top_keeps_its_momenta)
{
  bar_def def = {.n = 1, .free = 1, .dt = 0.002, .spin = {8, 0.1, 3}};
  pl_world *world;
  pl_body_id body;
  int elements;
  double before[3], after[3], energy[3], later[3];
  CHECK_OK(bar_make(&def, &world, &body, error));
  CHECK_OK(make_rigid(world, body, whole, PL_HINGE_NONE, &elements, error));
  CHECK(elements == pl_mesh_element_count(pl_world_body_mesh(world, body)));
  read_vector(world, "angular-momentum", before);
  read_vector(world, "kinetic-energy", energy);
  for (int i = 0; i < 500; i++) CHECK_OK(pl_world_step(world, error));
  read_vector(world, "angular-momentum", after);
  read_vector(world, "kinetic-energy", later);
  CHECK_NEAR(pl_vec3_distance(before, after), 0, 1e-10 * pl_vec3_norm(before));
  CHECK_NEAR(later[0], energy[0], 0.03 * energy[0]);
  CHECK_NEAR(bent(world), 0, 1e-12);
  CHECK(world->system.condense->rows == 2);
  pl_world_destroy(world);
}

/* The first step about an axis through the origin: angular velocity = h (torque / inertia), and the
 * axis stays. */
TEST(a_hinge_takes_the_rest)
{
  bar_def def = {.n = 1, .free = 1, .dt = 1e-3, .gravity = {0, -10, 0}};
  pl_world *world;
  pl_body_id body;
  CHECK_OK(bar_make(&def, &world, &body, error));
  CHECK_OK(make_rigid(world, body, whole, PL_HINGE_AXIS, NULL, error));
  const double *mass = world->bodies.list[0].model->lumped_mass,
               *X = world->bodies.list[0].model->rest;
  double torque = 0, inertia = 0;
  for (int i = 0; i < world->bodies.blocks; i++) {
    torque -= 10 * mass[i] * X[3 * i];
    inertia += mass[i] * (X[3 * i] * X[3 * i] + X[3 * i + 1] * X[3 * i + 1]);
  }
  CHECK_OK(pl_world_step(world, error));
  for (int i = 0; i < world->bodies.blocks; i++) {
    const double *x = world->state.q + 3 * i, *v = world->state.v + 3 * i;
    double w = 1e-3 * torque / inertia;
    CHECK_NEAR(v[0], -w * x[1], 1e-12);
    CHECK_NEAR(v[1], w * x[0], 1e-12);
    CHECK_NEAR(v[2], 0, 1e-12);
  }
  // half a swing and more
  for (int i = 0; i < 700; i++) CHECK_OK(pl_world_step(world, error));
  CHECK_NEAR(bent(world), 0, 1e-12);
  for (int i = 0; i < world->bodies.blocks; i++) {
    const double *x = world->state.q + 3 * i;
    CHECK_NEAR(hypot(x[0], x[1]), hypot(X[3 * i], X[3 * i + 1]), 1e-12);
    CHECK_NEAR(x[2], X[3 * i + 2], 1e-12);
  }
  CHECK(world->state.q[0] < 0 || world->state.q[3 * (world->bodies.blocks - 1)] < 0);
  pl_world_destroy(world);
}

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
      for (int i = 0; i < world->cores[0].count; i++) {
        pl_pull_def pull = pl_pull_def_default();
        int node = world->bodies.list[0].order[world->cores[0].nodes[i]];
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

TEST(mistakes_are_refused)
{
  static const double nothing[2][3] = {{5, 5, 5}, {6, 6, 6}};
  bar_def def = {.n = 2};
  pl_world *world;
  pl_body_id body;
  CHECK_OK(bar_make(&def, &world, &body, error));
  CHECK_FAILS(make_rigid(world, body, nothing, 0, NULL, error), PL_E_ARGUMENT, "holds no element");
  CHECK_OK(make_rigid(world, body, inner, PL_HINGE_NONE, NULL, error));
  CHECK_FAILS(make_rigid(world, body, whole, PL_HINGE_NONE, NULL, error), PL_E_ARGUMENT, "share");
  CHECK_FAILS(pl_world_step(world, error), PL_E_ARGUMENT, "held and part of something rigid");
  pl_world_destroy(world);
  def.free = 1;
  const char *const others[] = {"rk4", "cvode"};
  for (int i = 0; i < (pl_integrator_cvode.missing ? 1 : 2); i++) {
    def.integrator = others[i];
    CHECK_OK(bar_make(&def, &world, &body, error));
    CHECK_OK(make_rigid(world, body, inner, PL_HINGE_NONE, NULL, error));
    CHECK_FAILS(pl_world_step(world, error), PL_E_UNSUPPORTED, "does not know of rigid parts");
    pl_world_destroy(world);
  }
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

TESTS(X(a_free_top_keeps_its_momenta) X(a_hinge_takes_the_rest) X(a_skin_hangs_on_it)
          X(it_is_the_limit_of_a_stiff_part) X(mistakes_are_refused) X(memory_may_run_out))
