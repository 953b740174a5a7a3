/* Bodies of rigid frames in a world: laws that the whole must keep, with every integrator. */
// label: long
#include "core/family.h"
#include "ode/integrator.h"
#include "pliant/world.h"

#include "bar.h"

/* A bar of 4 x 1 x 1 m along x on hexahedra, E = 1e5 Pa, 1000 kg/m^3. */
typedef struct rigid_bar {
  const char *blending, *forces, *weights, *stiffness, *integrator;
  int frames, along, free, kept;
  double poisson, dt, damping, gravity[3], velocity[3], spin[3], turn;
  const double *at;
  const char *affine; /* the motion of frames that are not rigid */
  double insert;
} rigid_bar;

static const char *or_else(const char *word, const char *preset) { return word ? word : preset; }

static pl_status make_bar(const rigid_bar *bar, pl_world **world, pl_body_id *body, pl_error *error)
{
  pl_setting hooke[] = {{.name = "young", .value = {1e5}},
                        {.name = "poisson", .value = {bar->poisson}}};
  pl_setting model[] = {{.name = "strain", .word = "green"},
                        {.name = "blending", .word = or_else(bar->blending, "dual-quaternion")},
                        {.name = "weights", .word = or_else(bar->weights, "linear")},
                        {.name = "forces", .word = or_else(bar->forces, "integrated")},
                        {.name = "stiffness", .word = or_else(bar->stiffness, "exact")},
                        {.name = "frames", .value = {bar->frames ? bar->frames : 3}}};
  pl_setting affine[] = {model[0], model[2], model[5], {.name = "motion", .word = bar->affine}};
  pl_body_def like = pl_body_def_default();
  like.material.law = (pl_choice){"hooke", hooke, 2};
  like.material.stiffness_damping = bar->damping;
  like.model =
      bar->affine ? (pl_choice){"frames", affine, 4} : (pl_choice){"rigid-frames", model, 6};
  like.insert_reach = bar->insert;
  like.sites = bar->at;
  like.site_count = bar->at ? bar->frames : 0;
  like.keep_momentum = bar->kept;
  memcpy(like.velocity, bar->velocity, sizeof like.velocity);
  memcpy(like.spin, bar->spin, sizeof like.spin);
  bar_def def = {.length = 4,
                 .along = bar->along ? bar->along : 8,
                 .element = "hex",
                 .integrator = or_else(bar->integrator, "static"),
                 .solver = 1e-12,
                 .dt = bar->dt > 0 ? bar->dt : 1,
                 .free = bar->free,
                 .like = &like};
  memcpy(def.gravity, bar->gravity, sizeof def.gravity);
  pl_status status = bar_make(&def, world, body, error);
  if (status || bar->turn == 0) return status;

  // the other end is turned about the axis of the bar
  pl_selector other = {.set = "x-max"};
  pl_fix_def fix = pl_fix_def_default();
  fix.where = &other;
  fix.where_count = 1;
  fix.angle = bar->turn;
  memcpy(fix.axis, (const double[3]){1, 0, 0}, sizeof fix.axis);
  fix.centre[1] = fix.centre[2] = 0.5;
  return pl_world_add_fix(*world, *body, &fix, NULL, error);
}

static void read(pl_world *world, pl_body_id body, const char *quantity, const double at[3],
                 double value[3])
{
  pl_probe_def def = pl_probe_def_default();
  pl_probe_id probe = {0};
  def.body = body;
  def.quantity = quantity;
  if (at) memcpy(def.at, at, sizeof def.at);
  CHECK_OK(pl_world_add_probe(world, &def, &probe, error));
  CHECK_OK(pl_world_read_probe(world, probe, value, error));
}

static const double tip_at[3] = {4, 0.5, 0.5};

static pl_status steps(pl_world *world, int count, pl_error *error)
{
  pl_status status = PL_OK;
  for (int i = 0; i < count && !status; i++) status = pl_world_step(world, error);
  return status;
}

/* f = E A c (e + 3/2 e^2 + e^3/2) with c = (1-nu)/((1+nu)(1-2nu)), since rigid frames cannot
 * contract sideways (Gilles et al. 2011, 5.1, with c = 1); both blendings, 2 to 5 frames with as
 * many samples in every segment. */
TEST(extension_law)
{
  for (int k = 0; k < 16; k++) {
    double e = 0.3, nu = k / 8 * 0.3, tip[3], middle[3];
    double c = (1 - nu) / ((1 + nu) * (1 - 2 * nu)), at[3] = {1.3, 0.2, 0.7};
    rigid_bar bar = {.frames = 2 + k % 4, .along = 2 * (1 + k % 4), .poisson = nu};
    bar.blending = k / 4 % 2 ? "linear" : "dual-quaternion";
    pl_world *world;
    pl_body_id body;
    CHECK_OK(make_bar(&bar, &world, &body, error));
    CHECK_OK(bar_pull(world, body, 1e5 * c * (e + 1.5 * e * e + 0.5 * e * e * e), error));
    CHECK_OK(steps(world, 1, error));
    read(world, body, "displacement", tip_at, tip);
    read(world, body, "displacement", at, middle);
    CHECK_NEAR(tip[0], 4 * e, 1e-6);
    CHECK_NEAR(middle[0], 1.3 * e, 1e-6);
    CHECK_NEAR(middle[1], 0, 1e-6);
    pl_world_destroy(world);
  }
}

/* Free fall is uniform and at 1 g, for integrals and springs, in a line and scattered. */
TEST(free_fall)
{
  static const double scattered[] = {0.3, 0.2, 0.9, 1.5, 0.8, 0.1, 2.6, 0.3, 0.5, 3.8, 0.9, 0.9};
  for (int k = 0; k < 4; k++) {
    rigid_bar bar = {.frames = 4, .free = 1, .dt = 0.01, .gravity = {0, 0, -9.81}};
    bar.integrator = "implicit-euler";
    bar.forces = k % 2 ? "springs" : "integrated";
    if (k / 2) bar.weights = "euclidean", bar.at = scattered;
    pl_world *world;
    pl_body_id body;
    CHECK_OK(make_bar(&bar, &world, &body, error));
    CHECK_OK(steps(world, 50, error));
    static const double places[3][3] = {{0, 0, 0}, {2.2, 0.5, 0.1}, {4, 1, 1}};
    for (int p = 0; p < 3; p++) {
      double v[3];
      read(world, body, "velocity", places[p], v);
      CHECK_NEAR(v[2], -9.81 * 0.5, 1e-9);
      CHECK_NEAR(v[0], 0, 1e-9);
      CHECK_NEAR(v[1], 0, 1e-9);
    }
    pl_world_destroy(world);
  }
}

/* Momentum of a tumbling, trembling body over 10 s: kept to 1e-6 by the momentum correction with
 * implicit Euler, and by midpoint steps of 2 ms but for their error of second order. */
TEST(tumbling_keeps_momentum)
{
  static const struct {
    const char *integrator, *forces;
    int kept, steps;
    double dt, tolerance;
  } runs[] = {{"implicit-euler", "integrated", 1, 1000, 0.01, 1e-6},
              {"implicit-euler", "springs", 1, 1000, 0.01, 1e-6},
              {"implicit-midpoint", "integrated", 1, 1000, 0.01, 1e-6},
              {"rk4", "integrated", 0, 2000, 0.005, 1e-6},
              {"rk4", "springs", 0, 2000, 0.005, 1e-6}};
  for (int k = 0; k < (int)(sizeof runs / sizeof *runs); k++) {
    rigid_bar bar = {
        .free = 1, .poisson = 0.3, .velocity = {0.3, -0.2, 0.1}, .spin = {0.5, 0.9, -0.4}};
    bar.dt = runs[k].dt;
    bar.integrator = runs[k].integrator;
    bar.forces = runs[k].forces;
    bar.kept = runs[k].kept;
    pl_world *world;
    pl_body_id body;
    double linear[2][3], angular[2][3];
    CHECK_OK(make_bar(&bar, &world, &body, error));
    for (int side = 0; side < 2; side++) {
      read(world, body, "momentum", NULL, linear[side]);
      read(world, body, "angular-momentum", NULL, angular[side]);
      int count = TEST_SANITIZED ? runs[k].steps / 10 : runs[k].steps;
      if (!side) CHECK_OK(steps(world, count, error));
    }
    int before = test_failures;
    for (int i = 0; i < 3; i++) {
      CHECK_NEAR(linear[1][i], linear[0][i], runs[k].tolerance * 4000 * 0.37);
      CHECK_NEAR(angular[1][i], angular[0][i], runs[k].tolerance * 10000);
    }
    if (test_failures > before) printf("    with %s, %s\n", runs[k].integrator, runs[k].forces);
    pl_world_destroy(world);
  }
}

/* A bar that swings down: every integrator ends where fine steps of rk4 do, to what its order
 * leaves. */
static void end_of_swing(const char *integrator, double dt, double tip[3])
{
  rigid_bar bar = {.frames = 3, .dt = dt, .gravity = {0, 0, -0.6}, .damping = 0.02};
  bar.integrator = integrator;
  pl_world *world;
  pl_body_id body;
  CHECK_OK(make_bar(&bar, &world, &body, error));
  CHECK_OK(steps(world, (int)((TEST_SANITIZED ? 0.25 : 1.0) / dt + 0.5), error));
  read(world, body, "displacement", tip_at, tip);
  pl_world_destroy(world);
}

TEST(every_integrator_turns_frames)
{
  double exact[3];
  end_of_swing("rk4", 0.0005, exact);
  CHECK(exact[2] < (TEST_SANITIZED ? -0.01 : -0.2));
  for (int m = 0; pl_integrator_family.members[m]; m++) {
    const pl_member *member = pl_integrator_family.members[m];
    const pl_integrator_ops *ops = (const pl_integrator_ops *)member;
    double tip[3], dt = ops->is_implicit ? 0.01 : 0.002, gap = 0;
    if (ops->is_static) continue;
    end_of_swing(member->name, dt, tip);
    for (int i = 0; i < 3; i++) gap = fmax(gap, fabs(tip[i] - exact[i]));
    CHECK(gap <= (ops->order == 1 ? 0.02 : 0.002));
    if (gap > (ops->order == 1 ? 0.02 : 0.002)) printf("    %s: %g m\n", member->name, gap);
  }
}

/* Statics: both stiffnesses lead to the same place, the exact one faster; springs nearly there. */
TEST(hanging_bar)
{
  double tips[4][3];
  int64_t iterations[4];
  for (int k = 0; k < 4; k++) {
    rigid_bar bar = {.frames = 5, .along = 20, .gravity = {0, 0, -2}};
    bar.stiffness = k == 1 ? "approximate" : "exact";
    bar.forces = k == 2 ? "springs" : "integrated";
    bar.blending = k == 3 ? "linear" : "dual-quaternion";
    pl_world *world;
    pl_body_id body;
    pl_world_facts facts;
    CHECK_OK(make_bar(&bar, &world, &body, error));
    CHECK_OK(steps(world, 1, error));
    read(world, body, "displacement", tip_at, tips[k]);
    CHECK_OK(pl_world_measure(world, &facts, error));
    iterations[k] = facts.newton_iterations;
    pl_world_destroy(world);
  }
  for (int i = 0; i < 3; i++) CHECK_NEAR(tips[1][i], tips[0][i], 1e-5);
  CHECK(iterations[0] <= 15);
  CHECK(iterations[1] > iterations[0]);
  CHECK(tips[0][2] < -2.5);
  // 3.6 to 3.9 % of the length were found for this load when the paper was checked
  CHECK_NEAR(tips[2][2], tips[0][2], 0.05 * 4);
  CHECK_NEAR(tips[3][2], tips[0][2], 0.05 * 4);
}

/* A turned end: frames go where the fix takes them, and those between follow evenly. */
TEST(twist)
{
  rigid_bar bar = {.frames = 3, .turn = 300};
  pl_world *world;
  pl_body_id body;
  double at[3] = {2, 0.5, 1}, d[3];
  CHECK_OK(make_bar(&bar, &world, &body, error));
  CHECK_OK(steps(world, 1, error));
  read(world, body, "displacement", (const double[3]){4, 0.5, 1}, d);
  // a turn about x takes y to z: the top goes to -y
  CHECK_NEAR(d[1], -0.5 * sin(300 * acos(-1) / 180), 1e-9);
  CHECK_NEAR(d[2], 0.5 * cos(300 * acos(-1) / 180) - 0.5, 1e-9);
  read(world, body, "displacement", at, d);
  CHECK_NEAR(d[1], -0.5 * sin(150 * acos(-1) / 180), 1e-6);
  CHECK_NEAR(d[2], 0.5 * cos(150 * acos(-1) / 180) - 0.5, 1e-6);
  pl_world_destroy(world);
}

/* A body lies on a plane without sinking in, and slides on a slope only without friction. */
TEST(lies_on_the_floor)
{
  for (int k = 0; k < 3; k++) {
    rigid_bar bar = {.frames = 3, .free = 1, .dt = 0.01, .gravity = {0, 0, -1}, .damping = 0.05};
    bar.integrator = "implicit-euler";
    if (k > 0) bar.gravity[0] = 0.2;
    pl_world *world;
    pl_body_id body;
    double low[3], tip[3];
    CHECK_OK(make_bar(&bar, &world, &body, error));
    pl_setting plane[] = {{.name = "point", .value = {0, 0, -0.05}},
                          {.name = "normal", .value = {0, 0, 1}},
                          {.name = "friction", .value = {k == 2 ? 0 : 0.5}}};
    pl_obstacle_def obstacle = pl_obstacle_def_default();
    obstacle.shape = (pl_choice){"plane", plane, 3};
    CHECK_OK(pl_world_add_obstacle(world, &obstacle, NULL, error));
    CHECK_OK(steps(world, 300, error));
    read(world, body, "position", (const double[3]){2, 0.5, 0}, low);
    read(world, body, "displacement", tip_at, tip);
    CHECK(low[2] > -0.06 && low[2] < -0.045);
    if (k == 0) CHECK_NEAR(tip[0], 0, 1e-3);
    if (k == 1) CHECK(fabs(tip[0]) < 0.05); // creeps at most
    if (k == 2) CHECK_NEAR(tip[0], 0.5 * 0.2 * 9, 0.02);
    pl_world_destroy(world);
  }
}

/* A pull moves the point that it holds to its target. */
TEST(pull_at_a_point)
{
  rigid_bar bar = {.frames = 3, .dt = 0.05, .damping = 0.1, .integrator = "implicit-euler"};
  pl_world *world;
  pl_body_id body;
  pl_pull_id pull;
  pl_pull_facts facts;
  CHECK_OK(make_bar(&bar, &world, &body, error));
  const pl_mesh *mesh = pl_world_body_mesh(world, body);
  pl_pull_def def = pl_pull_def_default();
  def.at = (pl_spot){.body = body, .count = 1, .weights = {1}};
  def.at.nodes[0] = pl_mesh_node_count(mesh) - 1;
  const double *x = pl_mesh_nodes(mesh) + 3 * (size_t)def.at.nodes[0];
  for (int i = 0; i < 3; i++) def.target[i] = x[i] + 0.3 * (i == 1);
  def.stiffness = 1e6;
  CHECK_OK(pl_world_add_pull(world, &def, &pull, error));
  CHECK_OK(steps(world, 100, error));
  CHECK_OK(pl_world_read_pull(world, pull, &facts, error));
  for (int i = 0; i < 3; i++) CHECK_NEAR(facts.position[i], def.target[i], 0.01);
  CHECK(facts.force[1] > 10);
  pl_world_destroy(world);
}

/* Frames come and go: nodes and energy of a bent bar hardly change, the number of frames does, the
 * pull stays where it was, and what is wrong is refused. */
TEST(frames_come_and_go)
{
  static const char *const models[] = {"rigid", "affine", "quadratic"};
  for (int k = 0; k < 3; k++) {
    rigid_bar bar = {.frames = 3, .along = 16, .gravity = {0, 0, -0.4}};
    bar.affine = k ? models[k] : NULL;
    pl_world *world;
    pl_body_id body;
    double before[3], after[3], energy[6], point[3], jump;
    int frame = 0;
    CHECK_OK(make_bar(&bar, &world, &body, error));
    CHECK_OK(steps(world, 1, error));
    read(world, body, "position", (const double[3]){2.7, 0.8, 0.6}, point);
    read(world, body, "position", tip_at, before);
    read(world, body, "elastic-energy", NULL, energy);
    CHECK_OK(pl_world_insert_frame(world, body, point, 0.9, &frame, error));
    CHECK(frame == 3 && pl_world_frame_count(world, body) == 4);
    read(world, body, "position", tip_at, after);
    for (int i = 0; i < 3; i++) CHECK_NEAR(after[i], before[i], 1e-3);
    read(world, body, "position", (const double[3]){2.7, 0.8, 0.6}, after);
    // 1 % of the section; 5 % of the energy, or 15 % where frames that strain themselves are fitted
    for (int i = 0; i < 3; i++) CHECK_NEAR(after[i], point[i], 0.01);
    read(world, body, "elastic-energy", NULL, energy + 3);
    CHECK_NEAR(energy[3], energy[0], (k ? 0.15 : 0.05) * energy[0]);
    // with one more rigid frame the bar hangs about as low
    CHECK_OK(steps(world, 1, error));
    read(world, body, "position", tip_at, after);
    if (k == 0) CHECK(after[2] < before[2] + 0.01);
    CHECK_OK(pl_world_remove_frame(world, body, 3, &jump, error));
    CHECK(pl_world_frame_count(world, body) == 3 && jump < 0.1);
    CHECK_OK(steps(world, 1, error));
    read(world, body, "position", tip_at, after);
    for (int i = 0; i < 3; i++) CHECK_NEAR(after[i], before[i], 1e-5);
    // frames that were there first stay; points outside are refused
    const double far[3] = {9, 9, 9};
    CHECK_FAILS(pl_world_remove_frame(world, body, 0, NULL, error), PL_E_ARGUMENT, "not put in");
    CHECK_FAILS(pl_world_insert_frame(world, body, far, 1, NULL, error), PL_E_ARGUMENT,
                "is not in body");
    CHECK_FAILS(pl_world_insert_frame(world, body, point, 0, NULL, error), PL_E_ARGUMENT, "reach");
    pl_world_destroy(world);
  }
}

/* A bar that falls on a peg-like slope gets frames where it touches, and loses them when it flies
 * on; its energy never grows. */
TEST(frames_at_contacts)
{
  rigid_bar bar = {.frames = 2, .free = 1, .dt = 0.01, .gravity = {0, 0, -2}};
  bar.along = TEST_SANITIZED ? 8 : 16;
  bar.integrator = "implicit-euler";
  bar.insert = 0.8;
  pl_world *world;
  pl_body_id body;
  int max = 0;
  double low = INFINITY, x[3];
  CHECK_OK(make_bar(&bar, &world, &body, error));
  pl_setting plane[] = {{.name = "point", .value = {0, 0, -0.3}},
                        {.name = "normal", .value = {0.2, 0, 1}}};
  pl_obstacle_def obstacle = pl_obstacle_def_default();
  obstacle.shape = (pl_choice){"plane", plane, 2};
  CHECK_OK(pl_world_add_obstacle(world, &obstacle, NULL, error));
  for (int i = 0; i < 200; i++) {
    CHECK_OK(pl_world_step(world, error));
    int count = pl_world_frame_count(world, body);
    if (count > max) max = count;
  }
  read(world, body, "position", (const double[3]){0, 0.5, 0}, x);
  low = (0.2 * x[0] + x[2] + 0.3) / sqrt(1.04);
  CHECK(low > -0.05);
  CHECK(max > 2);
  // lifted off, it loses them
  CHECK_OK(pl_world_set_gravity(world, (const double[3]){0, 0, 4}, error));
  CHECK_OK(steps(world, 300, error));
  CHECK(pl_world_frame_count(world, body) < max);
  pl_world_destroy(world);
}

TESTS(X(extension_law) X(free_fall) X(tumbling_keeps_momentum) X(every_integrator_turns_frames)
          X(hanging_bar) X(twist) X(lies_on_the_floor) X(pull_at_a_point) X(frames_come_and_go)
              X(frames_at_contacts))
