/* Rods in worlds: every integrator, the elastica, hanging, standing, turned ends, springs, saved
 * states, attachments. */
#include "math/vec3.h"
#include "world/world.h"

#include "world/acts.h"

static const double PI = 3.14159265358979323846;

typedef struct rod {
  const char *integrator, *shape, *rest, *axis;
  double length, radius, turns, thickness, young, density, damping, dt, gravity;
  double line, bend, twist, mass_damping;
  int segments, load_steps, threads, iterates,
      renews; /* the last: direct makes a new factor for every matrix */
  double origin[3];
} rod;

static pl_status add_rod(const rod *in, pl_world *world, pl_body_id *body, pl_error *error)
{
  const pl_setting mesh_of[] = {{"shape", {0}, in->shape ? in->shape : "straight"},
                                {"length", {in->length}, NULL},
                                {"segments", {in->segments}, NULL},
                                {"axis", {0}, in->axis ? in->axis : "x"},
                                {"origin", {in->origin[0], in->origin[1], in->origin[2]}, NULL},
                                {"radius", {in->radius > 0 ? in->radius : 0.1}, NULL},
                                {"turns", {in->turns > 0 ? in->turns : 1}, NULL}};
  const pl_setting hooke[] = {{"young", {in->young > 0 ? in->young : 1e9}, NULL},
                              {"poisson", {0.3}, NULL}};
  pl_setting model[5] = {{"thickness", {in->thickness > 0 ? in->thickness : 0.01}, NULL},
                         {"rest-shape", {0}, in->rest ? in->rest : "mesh"}};
  int count = 2;
  if (in->bend > 0) model[count++] = (pl_setting){"bending-stiffness", {in->bend}, NULL};
  if (in->twist > 0) model[count++] = (pl_setting){"twist-stiffness", {in->twist}, NULL};
  if (in->line > 0) model[count++] = (pl_setting){"line-density", {in->line}, NULL};
  pl_mesh *mesh = NULL;
  pl_status status = pl_mesh_generate(&(pl_choice){"rod", mesh_of, 7}, NULL, &mesh, error);
  pl_body_def def = pl_body_def_default();
  def.mesh = mesh;
  def.material.law = (pl_choice){"hooke", hooke, 2};
  def.material.density = in->density > 0 ? in->density : 1000;
  def.material.stiffness_damping = in->damping;
  def.material.mass_damping = in->mass_damping;
  def.model = (pl_choice){"rod", model, count};
  if (!status) status = pl_world_add_body(world, &def, body, error);
  pl_mesh_destroy(mesh);
  return status;
}

static pl_world *make(const rod *in, pl_body_id *body)
{
  pl_world *world = NULL;
  pl_world_def def = pl_world_def_default();
  const pl_setting settings[] = {{"load-steps", {in->load_steps}, NULL}};
  def.integrator = (pl_choice){in->integrator, settings, in->load_steps > 0};
  const pl_setting renewed[] = {{"reuse", {0}, "no"}};
  if (!in->iterates) def.solver = (pl_choice){"direct", renewed, in->renews};
  def.dt = in->dt;
  def.threads = in->threads ? in->threads : 1;
  def.gravity[2] = -in->gravity;
  CHECK_OK(pl_world_create(&def, &world, error));
  CHECK_OK(add_rod(in, world, body, error));
  return world;
}

static pl_fix_id hold(pl_world *world, pl_body_id body, const char *set, pl_fix_def def)
{
  const pl_selector where = {.set = set};
  pl_fix_id fix = {0};
  def.where = &where;
  def.where_count = 1;
  CHECK_OK(pl_world_add_fix(world, body, &def, &fix, error));
  return fix;
}

static void position(pl_world *world, pl_body_id body, int node, double x[3])
{
  int count;
  double *all = positions_of(world, body, &count);
  memcpy(x, all + 3 * (node < 0 ? count - 1 : node), 3 * sizeof *x);
  free(all);
}

/* ---- integrators ---- */

static double swing(const char *integrator, int threads, uint64_t *hash)
{
  const rod in = {.integrator = integrator,
                  .shape = "helix",
                  .length = 0.6,
                  .radius = 0.05,
                  .turns = 1.5,
                  .segments = 12,
                  .thickness = 0.02,
                  .young = 1e5,
                  .damping = 1e-3,
                  .dt = 2e-4,
                  .gravity = 9.81,
                  .threads = threads};
  pl_body_id body;
  double x[3];
  pl_world *world = make(&in, &body);
  hold(world, body, "first", pl_fix_def_default());
  run_steps(world, 100);
  position(world, body, -1, x);
  *hash = pl_world_state_hash(world);
  pl_world_destroy(world);
  return x[2];
}

TEST(every_integrator_moves_rods_alike)
{
  uint64_t hash, other;
  double right = swing("implicit-midpoint", 1, &hash);
  swing("implicit-midpoint", 2, &other);
  CHECK(hash == other);
  EACH_INTEGRATOR(ops)
  {
    int before = test_failures;
    if (ops->relaxes) continue;
    CHECK_NEAR(swing(ops->info.name, 1, &hash), right, 0.05 * fabs(right));
    if (test_failures > before) printf("    in %s\n", ops->info.name);
  }
}

/* ---- closed forms; the clamp is the middle of the first segment ---- */

static void bend(double beta, double load, int segments, double tip[2])
{
  double h = 1 / (segments - 0.5), x[3];
  const rod in = {.integrator = "static",
                  .length = segments * h,
                  .segments = segments,
                  .origin = {-h / 2, 0, 0},
                  .line = 1,
                  .bend = 1,
                  .dt = 1,
                  .load_steps = 10,
                  .gravity = beta};
  pl_body_id body;
  pl_world *world = make(&in, &body);
  hold(world, body, "first", pl_fix_def_default());
  double *forces = calloc(3 * (size_t)(segments + 1), sizeof *forces);
  forces[3 * segments + 2] = -load;
  if (load > 0) CHECK_OK(pl_world_set_forces(world, body, forces, error));
  CHECK_OK(pl_world_step(world, error));
  position(world, body, -1, x);
  tip[0] = x[0];
  tip[1] = -x[2];
  free(forces);
  pl_world_destroy(world);
}

TEST(a_heavy_rod_and_a_loaded_one_are_the_elastica)
{
  static const double beta[] = {1, 5, 20, 0}, load[] = {0, 0, 0, 5};
  static const double right[][2] = {
      {0.99125, 0.12347}, {0.84666, 0.49591}, {0.44523, 0.82988}, {0.61237, 0.71379}};
  for (int k = 0; k < 4; k++) {
    double coarse[2], fine[2];
    bend(beta[k], load[k], 20, coarse);
    bend(beta[k], load[k], 40, fine);
    printf("    beta %g, P %g: %.5f %.5f of %.5f %.5f\n", beta[k], load[k], fine[0], fine[1],
           right[k][0], right[k][1]);
    for (int i = 0; i < 2; i++) CHECK_NEAR(fine[i], right[k][i], 0.01 * right[k][i]);
    CHECK_NEAR((coarse[1] - right[k][1]) / (fine[1] - right[k][1]), 4, 0.6);
  }
}

/* A chain of 64 links between two nails half its length apart. */
TEST(a_slack_rod_hangs_as_the_catenary)
{
  enum { LINKS = 64 };
  double nodes[3 * LINKS + 3] = {0};
  int ends[2 * LINKS];
  for (int i = 0; i <= LINKS; i++) {
    int down = i <= LINKS / 2 ? i : LINKS - i;
    nodes[3 * i] = 0.5 * i / LINKS;
    nodes[3 * i + 2] = -down * sqrt(0.75) / LINKS;
    if (i < LINKS) ends[2 * i] = i, ends[2 * i + 1] = i + 1;
  }
  const int both[] = {0, LINKS};
  const pl_set set = {"nails", 0, 2, both};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_create(&(pl_mesh_def){.node_count = LINKS + 1,
                                         .nodes = nodes,
                                         .element_count = LINKS,
                                         .nodes_per_element = 2,
                                         .elements = ends,
                                         .sets = &set,
                                         .set_count = 1},
                          &mesh, error));
  const pl_setting hooke[] = {{"young", {1e8}, NULL}, {"poisson", {0.3}, NULL}};
  const pl_setting model[] = {{"line-density", {0.1}, NULL},
                              {"bending-stiffness", {1e-7}, NULL},
                              {"rest-shape", {0}, "straight"}};
  pl_world_def def = pl_world_def_default();
  pl_world *world = NULL;
  pl_body_id id;
  double x[3];
  def.dt = 0.02;
  def.gravity[2] = -10;
  CHECK_OK(pl_world_create(&def, &world, error));
  pl_body_def body = pl_body_def_default();
  body.mesh = mesh;
  body.material.law = (pl_choice){"hooke", hooke, 2};
  body.material.mass_damping = 3;
  body.model = (pl_choice){"rod", model, 3};
  CHECK_OK(pl_world_add_body(world, &body, &id, error));
  pl_fix_id fix = hold(world, id, "nails", pl_fix_def_default());
  run_steps(world, 400);
  position(world, id, LINKS / 2, x);
  CHECK_NEAR(-x[2], 0.398194, 0.005 * 0.398194);
  pl_fix_facts facts;
  CHECK_OK(pl_world_read_fix(world, fix, &facts, error));
  CHECK_NEAR(facts.force[2], 1, 1e-3); // all of its weight
  printf("    sag %.5f of 0.39819\n", -x[2]);
  pl_mesh_destroy(mesh);
  pl_world_destroy(world);
}

/* Greenhill 1881: a rod that stands on its clamped end buckles under its weight at 7.837 B / L^3.
 */
static double stand(double beta)
{
  const double h = 1 / 39.5;
  const rod in = {.integrator = "implicit-midpoint",
                  .axis = "z",
                  .length = 40 * h,
                  .segments = 40,
                  .origin = {0, 0, -h / 2},
                  .line = beta / 10,
                  .bend = 1,
                  .young = 1e8,
                  .dt = 0.05,
                  .mass_damping = 0.5,
                  .gravity = 10};
  pl_body_id body;
  double x[3], push[3 * 41] = {0};
  pl_world *world = make(&in, &body);
  hold(world, body, "first", pl_fix_def_default());
  push[3 * 40] = 1e-3;
  CHECK_OK(pl_world_set_forces(world, body, push, error));
  for (int i = 0; i < 500; i++) {
    if (i == 10) CHECK_OK(pl_world_set_forces(world, body, NULL, error));
    CHECK_OK(pl_world_step(world, error));
  }
  position(world, body, -1, x);
  pl_world_destroy(world);
  return fabs(x[0]);
}

TEST(a_standing_rod_falls_where_it_should)
{
  CHECK(stand(7.4) < 1e-3);
  CHECK(stand(8.3) > 0.1);
}

/* One end turned by three turns: every joint has its share, and the energy is that of the twist. */
TEST(a_turned_end_twists_the_rod_evenly)
{
  const rod in = {.integrator = "implicit-euler",
                  .length = 1,
                  .segments = 20,
                  .bend = 1,
                  .twist = 0.01,
                  .dt = 0.05,
                  .damping = 0.02};
  pl_body_id body;
  pl_world *world = make(&in, &body);
  hold(world, body, "first", pl_fix_def_default());
  pl_fix_def turn = pl_fix_def_default();
  const double times[] = {0, 3}, factors[] = {0, 1};
  turn.axis[0] = 1;
  turn.axis[2] = 0;
  turn.angle = 3 * 360;
  turn.ramp = (pl_ramp){.count = 2, .times = times, .factors = factors};
  hold(world, body, "last", turn);
  run_steps(world, 100);
  pl_world_facts facts;
  CHECK_OK(pl_world_measure(world, &facts, error));
  double right = 0.01 * 36 * PI * PI / (2 * 19.0 / 20);
  CHECK_NEAR(facts.elastic_energy, right, 1e-6 * right);
  pl_world_destroy(world);
}

/* A coil spring gives way by twisting: F/x = C / (2 pi R^3 n). */
TEST(a_helical_spring_has_the_stiffness_of_its_twist)
{
  const double R = 0.1, turns = 6;
  const rod in = {.integrator = "static",
                  .shape = "helix",
                  .axis = "z",
                  .length = 2 * PI * R * turns * 1.003,
                  .radius = R,
                  .turns = turns,
                  .segments = 240,
                  .young = 1e11,
                  .dt = 1,
                  .bend = 1.3,
                  .twist = 1};
  pl_body_id body;
  pl_world *world = make(&in, &body);
  hold(world, body, "first", pl_fix_def_default());
  pl_fix_def pull = pl_fix_def_default();
  pull.translation[2] = 0.01;
  pl_fix_id fix = hold(world, body, "last", pull);
  CHECK_OK(pl_world_step(world, error));
  pl_fix_facts facts;
  CHECK_OK(pl_world_read_fix(world, fix, &facts, error));
  double right = 1 / (2 * PI * R * R * R * turns);
  printf("    spring: %.3f of %.3f N/m\n", facts.force[2] / 0.01, right);
  CHECK_NEAR(facts.force[2] / 0.01, right, 0.03 * right);
  pl_world_destroy(world);
}

static void check_saved(int iterates)
{
  const rod in = {.integrator = "bdf2",
                  .iterates = iterates,
                  .renews = 1,
                  .shape = "ring",
                  .rest = "straight",
                  .length = 1,
                  .segments = 20,
                  .young = 1e6,
                  .dt = 0.01,
                  .gravity = 9.81};
  pl_world *worlds[2];
  pl_body_id bodies[2];
  for (int w = 0; w < 2; w++) {
    worlds[w] = make(&in, &bodies[w]);
    CHECK_OK(pl_world_pin_node(worlds[w], bodies[w], 0, error));
  }
  for (int i = 0; i < 20; i++) CHECK_OK(pl_world_step(worlds[0], error));
  CHECK_OK(pl_world_prepare(worlds[1], error));
  size_t size = pl_world_state_size(worlds[0]);
  void *memory = malloc(size);
  CHECK_OK(pl_world_save_state(worlds[0], memory, size, error));
  CHECK_OK(pl_world_load_state(worlds[1], memory, size, error));
  for (int i = 0; i < 20; i++) {
    for (int w = 0; w < 2; w++) CHECK_OK(pl_world_step(worlds[w], error));
  }
  CHECK(pl_world_state_hash(worlds[0]) == pl_world_state_hash(worlds[1]));
  free(memory);
  for (int w = 0; w < 2; w++) pl_world_destroy(worlds[w]);
}

/* Also with a direct solver that keeps no factor of an earlier matrix, which no state holds. */
TEST(a_saved_rod_goes_on_with_the_same_bits)
{
  check_saved(1);
  check_saved(0);
}

/* Two rods, the second of which hangs on the end of the first. */
TEST(rods_hang_on_each_other)
{
  rod in = {.integrator = "implicit-euler",
            .length = 0.5,
            .segments = 10,
            .young = 1e7,
            .dt = 0.01,
            .gravity = 9.81};
  pl_body_id first, second;
  double end[3], start[3];
  pl_world *world = make(&in, &first);
  in.origin[0] = 0.5;
  CHECK_OK(add_rod(&in, world, &second, error));
  hold(world, first, "first", pl_fix_def_default());
  const pl_selector where = {.set = "start"};
  pl_attachment_def def = pl_attachment_def_default();
  def.where = &where;
  def.where_count = 1;
  def.exact = 1;
  def.to = first;
  CHECK_OK(pl_world_add_attachment(world, second, &def, NULL, error));
  run_steps(world, 50);
  position(world, first, -1, end);
  position(world, second, 0, start);
  CHECK(end[2] < -0.05);
  CHECK(pl_vec3_distance(end, start) <= 1e-9);
  pl_world_destroy(world);
}

TESTS(X(every_integrator_moves_rods_alike) X(a_heavy_rod_and_a_loaded_one_are_the_elastica)
          X(a_slack_rod_hangs_as_the_catenary) X(a_standing_rod_falls_where_it_should)
              X(a_turned_end_twists_the_rod_evenly)
                  X(a_helical_spring_has_the_stiffness_of_its_twist)
                      X(a_saved_rod_goes_on_with_the_same_bits) X(rods_hang_on_each_other))
