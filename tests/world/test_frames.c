/* Bodies of frames in a world: laws that the whole must keep, and what acts on nodes. */
#include "pliant/world.h"

#include "bar.h"

/* A bar of 4 x 1 x 1 m along x on hexahedra, E = 1e5 Pa, 1000 kg/m^3. */
typedef struct frame_bar {
  const char *motion, *weights, *mass, *strain, *integrator;
  int frames, along, across, free, samples;
  double poisson, dt, gravity[3], velocity[3], spin[3];
  const double *at; /* places of the frames; NULL: placed */
} frame_bar;

static pl_status make_bar(const frame_bar *bar, pl_world **world, pl_body_id *body, pl_error *error)
{
  pl_setting hooke[] = {{.name = "young", .value = {1e5}},
                        {.name = "poisson", .value = {bar->poisson}}};
  pl_setting model[] = {{.name = "strain", .word = bar->strain ? bar->strain : "green"},
                        {.name = "motion", .word = bar->motion ? bar->motion : "affine"},
                        {.name = "weights", .word = bar->weights ? bar->weights : "linear"},
                        {.name = "mass", .word = bar->mass ? bar->mass : "lumped"},
                        {.name = "samples", .value = {bar->samples ? bar->samples : 2}},
                        {.name = "frames", .value = {bar->frames ? bar->frames : 3}}};
  pl_body_def like = pl_body_def_default();
  like.material.law = (pl_choice){"hooke", hooke, 2};
  like.model = (pl_choice){"frames", model, 6};
  like.sites = bar->at;
  like.site_count = bar->at ? bar->frames : 0;
  memcpy(like.velocity, bar->velocity, sizeof like.velocity);
  memcpy(like.spin, bar->spin, sizeof like.spin);
  bar_def def = {.length = 4,
                 .n = bar->across,
                 .along = bar->along ? bar->along : 8,
                 .element = "hex",
                 .integrator = bar->integrator ? bar->integrator : "static",
                 .solver = 1e-12,
                 .dt = bar->dt > 0 ? bar->dt : 1,
                 .free = bar->free,
                 .like = &like};
  memcpy(def.gravity, bar->gravity, sizeof def.gravity);
  return bar_make(&def, world, body, error);
}

static void read_at(pl_world *world, pl_body_id body, const char *quantity, double x, double y,
                    double z, double value[3])
{
  pl_probe_def def = pl_probe_def_default();
  pl_probe_id probe = {0};
  def.body = body;
  def.quantity = quantity;
  def.at[0] = x;
  def.at[1] = y;
  def.at[2] = z;
  CHECK_OK(pl_world_add_probe(world, &def, &probe, error));
  CHECK_OK(pl_world_read_probe(world, probe, value, error));
}

static void read_tip(pl_world *world, pl_body_id body, double tip[3])
{
  read_at(world, body, "displacement", 4, 0.5, 0.5, tip);
}

static pl_status steps(pl_world *world, int count, pl_error *error)
{
  pl_status status = PL_OK;
  for (int i = 0; i < count && !status; i++) status = pl_world_step(world, error);
  return status;
}

static pl_status pull_end(pl_world *world, pl_body_id body, const char *name, double force,
                          pl_error *error)
{
  pl_setting value = {.name = "value", .value = {force, 0, 0}};
  pl_selector end = {.set = "x-max"};
  pl_load_def load = pl_load_def_default();
  load.load = (pl_choice){name, &value, 1};
  load.where = &end;
  load.where_count = 1;
  return pl_world_add_load(world, body, &load, NULL, error);
}

/* A dead traction on the end stretches a bar of Green strain and nu = 0 evenly by e with
 * f = E A (e + 3/2 e^2 + e^3/2) (Gilles et al. 2011, 5.1), for any number of frames. The end face
 * has area 1 m^2. Forces on the end's nodes are uniform to affine frames, however they are shared
 * out; quadratic frames would feel the difference. */
TEST(extension_law)
{
  static const char *const loads[] = {"traction", "force"};
  for (int k = 0; k < 8; k++) {
    double e = 0.3, force = 1e5 * (e + 1.5 * e * e + 0.5 * e * e * e), tip[3], middle[3];
    frame_bar bar = {.frames = 2 + k / 2};
    pl_world *world;
    pl_body_id body;
    CHECK_OK(make_bar(&bar, &world, &body, error));
    CHECK_OK(pull_end(world, body, loads[k % 2], force, error));
    CHECK_OK(steps(world, 1, error));
    read_tip(world, body, tip);
    read_at(world, body, "displacement", 1.3, 0.2, 0.7, middle);
    CHECK_NEAR(tip[0], 4 * e, 1e-6);
    CHECK_NEAR(middle[0], 1.3 * e, 1e-6);
    CHECK_NEAR(middle[1], 0, 1e-6);
    pl_world_destroy(world);
  }
}

/* The same bar drawn out by its end frame stores V E (e + e^2/2)^2 / 2. */
TEST(extension_energy)
{
  static const char *const motions[] = {"affine", "quadratic"};
  for (int k = 0; k < 8; k++) {
    double e = 0.3, strain = e + 0.5 * e * e, middle[3];
    frame_bar bar = {.frames = 2 + k / 2, .motion = motions[k % 2]};
    pl_world *world;
    pl_body_id body;
    pl_world_facts facts = {0};
    pl_selector end = {.set = "x-max"};
    pl_fix_def fix = pl_fix_def_default();
    fix.where = &end;
    fix.where_count = 1;
    fix.translation[0] = 4 * e;
    CHECK_OK(make_bar(&bar, &world, &body, error));
    CHECK_OK(pl_world_add_fix(world, body, &fix, NULL, error));
    CHECK_OK(steps(world, 1, error));
    read_at(world, body, "displacement", 1.3, 0.2, 0.7, middle);
    CHECK_NEAR(middle[0], 1.3 * e, 1e-6);
    CHECK_OK(pl_world_measure(world, &facts, error));
    CHECK_NEAR(facts.elastic_energy, 4 * 1e5 * strain * strain / 2, 1e-6 * 1e5);
    pl_world_destroy(world);
  }
}

/* Frames that can stretch sideways need no factor for nu > 0: uniaxial Green strain has
 * S = E e' along the bar, whatever nu; held at its end, the bar is a little stiffer there. */
TEST(extension_with_contraction)
{
  double e = 0.05, force = 1e5 * (e + 1.5 * e * e + 0.5 * e * e * e), near[3], far[3];
  frame_bar bar = {.frames = 5, .poisson = 0.3};
  pl_world *world;
  pl_body_id body;
  CHECK_OK(make_bar(&bar, &world, &body, error));
  CHECK_OK(pull_end(world, body, "traction", force, error));
  CHECK_OK(steps(world, 1, error));
  read_at(world, body, "displacement", 3, 0.5, 0.5, near);
  read_tip(world, body, far);
  CHECK_NEAR(far[0] - near[0], e, 0.02 * e);
  pl_world_destroy(world);
}

/* With any weights, mass and integrator a body falls at 1 g and does not deform. */
TEST(free_fall_at_one_g)
{
  static const char *const weights[] = {"harmonic", "linear", "euclidean"};
  static const char *const masses[] = {"consistent", "lumped"};
  static const char *const integrators[] = {"implicit-euler", "newmark", "verlet"};
  for (int k = 0; k < 36; k++) {
    frame_bar bar = {.free = 1,
                     .frames = 4,
                     .dt = 0.001,
                     .poisson = 0.3,
                     .gravity = {0, 0, -9.81},
                     .weights = weights[k % 3],
                     .mass = masses[k / 3 % 2],
                     .motion = k / 18 ? "quadratic" : "affine",
                     .integrator = integrators[k / 6 % 3]};
    pl_world *world;
    pl_body_id body;
    pl_world_facts facts = {0};
    double v[3];
    // explicit methods have the lumped mass only; that of blended frames is nearly singular, so
    // that accelerations are no better than Newmark's solve for them
    if (k / 6 % 3 && !strcmp(bar.mass, "consistent")) continue;
    CHECK_OK(make_bar(&bar, &world, &body, error));
    CHECK_OK(steps(world, 20, error));
    read_at(world, body, "velocity", 0.1, 0.9, 0.2, v);
    CHECK_NEAR(v[2], -9.81 * 0.02, 1e-9 * 9.81);
    CHECK_NEAR(v[0], 0, 1e-9);
    CHECK_OK(pl_world_measure(world, &facts, error));
    // of 1e5 Pa on 4 m^3; a strain of 1e-9 would store 2e-13 J
    CHECK(facts.elastic_energy >= 0 && facts.elastic_energy < 1e-12);
    pl_world_destroy(world);
  }
}

/* A bent and spinning free body keeps both momenta over 10 s. */
TEST(tumbling_keeps_momentum)
{
  static const char *const motions[] = {"affine", "quadratic"};
  for (int k = 0; k < 2; k++) {
    frame_bar bar = {.free = 1,
                     .frames = 3,
                     .dt = 0.002,
                     .motion = motions[k],
                     .mass = "lumped",
                     .integrator = "verlet",
                     .velocity = {1, 2, -0.5},
                     .spin = {0.5, 2, 1}};
    pl_world *world;
    pl_body_id body;
    double p[2][3], L[2][3];
    CHECK_OK(make_bar(&bar, &world, &body, error));
    for (int side = 0; side < 2; side++) {
      read_at(world, body, "momentum", 0, 0, 0, p[side]);
      read_at(world, body, "angular-momentum", 0, 0, 0, L[side]);
      if (!side) CHECK_OK(steps(world, 5000, error));
    }
    // the momentum of a rigid bar of 4000 kg at (2, 0.5, 0.5)
    CHECK_NEAR(p[0][0], 4000, 1e-6);
    for (int i = 0; i < 3; i++) {
      CHECK_NEAR(p[1][i], p[0][i], 1e-6 * 9165);
      CHECK_NEAR(L[1][i], L[0][i], 1e-6 * 2e4);
    }
    pl_world_destroy(world);
  }
}

/* A moved frame carries what it holds alone rigidly. */
TEST(a_moved_frame_carries_its_end)
{
  frame_bar bar = {.frames = 3, .poisson = 0.3};
  pl_world *world;
  pl_body_id body;
  CHECK_OK(make_bar(&bar, &world, &body, error));
  pl_selector end = {.set = "x-max"};
  pl_fix_def fix = pl_fix_def_default();
  fix.where = &end;
  fix.where_count = 1;
  fix.axis[0] = 1;
  fix.axis[2] = 0;
  fix.angle = 30;
  fix.centre[1] = fix.centre[2] = 0.5;
  fix.translation[0] = 0.1;
  pl_fix_id held;
  pl_fix_facts facts;
  CHECK_OK(pl_world_add_fix(world, body, &fix, &held, error));
  CHECK_OK(pl_world_read_fix(world, held, &facts, error));
  CHECK(facts.nodes == 4);
  CHECK_OK(steps(world, 1, error));
  double x[3], c = cos(acos(-1) / 6), s = sin(acos(-1) / 6);
  read_at(world, body, "position", 4, 1, 0.75, x);
  CHECK_NEAR(x[0], 4.1, 1e-9);
  CHECK_NEAR(x[1], 0.5 + c * 0.5 - s * 0.25, 1e-9);
  CHECK_NEAR(x[2], 0.5 + s * 0.5 + c * 0.25, 1e-9);
  pl_world_destroy(world);
}

/* A pull carries the point that it holds to its target, through the weights of all frames there. */
TEST(a_pull_moves_the_body)
{
  frame_bar bar = {.frames = 3,
                   .weights = "harmonic",
                   .integrator = "implicit-euler",
                   .dt = 0.05,
                   .at = (const double[]){0, 0.5, 0.5, 2, 0.5, 0.5, 4, 0.5, 0.5}};
  pl_world *world;
  pl_body_id body;
  pl_hit hit;
  pl_pull_id id = {0};
  pl_pull_facts facts;
  CHECK_OK(make_bar(&bar, &world, &body, error));
  CHECK_OK(
      pl_world_pick(world, (const double[]){3.9, 0.5, 9}, (const double[]){0, 0, -1}, &hit, error));
  CHECK(hit.spot.body.index1 == body.index1);
  CHECK_NEAR(hit.distance, 8, 1e-9);
  pl_pull_def def = pl_pull_def_default();
  def.at = hit.spot;
  def.stiffness = 1e6;
  def.damping = 1e5;
  def.target[0] = 3.9;
  def.target[1] = 0.5;
  def.target[2] = 1.1;
  CHECK_OK(pl_world_add_pull(world, &def, &id, error));
  CHECK_OK(steps(world, 200, error));
  CHECK_OK(pl_world_read_pull(world, id, &facts, error));
  // the bar's own stiffness, 3 E I / L^3 = 390 N/m, holds it back a little
  CHECK_NEAR(facts.position[2], 1.1, 1e-3);
  double x[3];
  read_at(world, body, "position", 3.9, 0.5, 1, x);
  for (int i = 0; i < 3; i++) CHECK_NEAR(x[i], facts.position[i], 1e-9);
  CHECK_OK(pl_world_remove_pull(world, id, error));
  CHECK_OK(steps(world, 1, error));
  pl_world_destroy(world);
}

/* Every integrator works on frames and moves the tip downwards. */
TEST(bending_follows_gravity)
{
  static const char *const integrators[] = {"implicit-euler", "sdirk2", "bdf2", "ros3w",
                                            "newmark",        "verlet", "rkc2", "semi-implicit"};
  for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
    frame_bar bar = {.dt = 0.002,
                     .integrator = integrators[i],
                     .strain = "corotated",
                     .mass = "lumped",
                     .poisson = 0.3,
                     .gravity = {0, 0, -9.81}};
    pl_world *world;
    pl_body_id body;
    double tip[3] = {0};
    CHECK_OK(make_bar(&bar, &world, &body, error));
    CHECK_OK(steps(world, 50, error));
    read_tip(world, body, tip);
    CHECK(tip[2] < -0.02 && tip[2] > -0.06);
    pl_world_destroy(world);
  }
}

TEST(what_frames_cannot_do_is_said)
{
  frame_bar bar = {.frames = 3, .at = (const double[]){1, 0.5, 0.5, 2, 0.5, 0.5, 4, 0.5, 0.5}};
  pl_world *world;
  pl_body_id body;
  CHECK_FAILS(make_bar(&bar, &world, &body, error), PL_E_ARGUMENT, "the region holds no frame");
  bar.free = 1;
  CHECK_OK(make_bar(&bar, &world, &body, error));
  double *x = calloc((size_t)pl_mesh_node_count(pl_world_body_mesh(world, body)) * 3, sizeof *x);
  CHECK_OK(pl_world_get_positions(world, body, x, error));
  CHECK_FAILS(pl_world_set_positions(world, body, x, error), PL_E_ARGUMENT, "follow its frames");
  CHECK_FAILS(pl_world_pin_node(world, body, 0, error), PL_E_ARGUMENT, "follow its frames");
  free(x);
  pl_world_destroy(world);
}

TESTS(X(extension_law) X(extension_energy) X(extension_with_contraction) X(free_fall_at_one_g)
          X(tumbling_keeps_momentum) X(a_moved_frame_carries_its_end) X(a_pull_moves_the_body)
              X(bending_follows_gravity) X(what_frames_cannot_do_is_said))
