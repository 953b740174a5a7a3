/* Cloth in worlds: every integrator, the heavy elastica, terminal speed, layers, saved states. */
// label: long
#include "couple/fence.h"
#include "math/vec3.h"
#include "world/probe.h"
#include "world/world.h"

#include "world/acts.h"

typedef struct cloth {
  const char *integrator, *bending, *membrane, *pattern, *response;
  double length, width, thickness, young, poisson, density, damping, dt, gravity, limit;
  int along, across, load_steps, newton, threads, itself;
  double origin[3];
} cloth;

static pl_status add_sheet(const cloth *in, pl_world *world, pl_body_id *body, pl_error *error)
{
  const pl_setting sheet[] = {{"length", {in->length}, NULL},
                              {"width", {in->width}, NULL},
                              {"along", {in->along}, NULL},
                              {"across", {in->across}, NULL},
                              {"pattern", {0}, in->pattern ? in->pattern : "alternating"},
                              {"origin", {in->origin[0], in->origin[1], in->origin[2]}, NULL}};
  const pl_setting hooke[] = {{"young", {in->young}, NULL}, {"poisson", {in->poisson}, NULL}};
  const pl_setting model[] = {{"bending", {0}, in->bending ? in->bending : "hinge"},
                              {"membrane", {0}, in->membrane ? in->membrane : "corotated"},
                              {"thickness", {in->thickness}, NULL},
                              {"stretch-limit", {in->limit}, NULL}};
  pl_mesh *mesh = NULL;
  pl_status status = pl_mesh_generate(&(pl_choice){"sheet", sheet, 6}, NULL, &mesh, error);
  pl_body_def def = pl_body_def_default();
  def.mesh = mesh;
  def.material.law = (pl_choice){"hooke", hooke, 2};
  def.material.density = in->density;
  def.material.stiffness_damping = in->damping;
  def.model = (pl_choice){"cloth", model, 4};
  def.self_contact = in->itself;
  if (!status) status = pl_world_add_body(world, &def, body, error);
  pl_mesh_destroy(mesh);
  return status;
}

static pl_world *make(const cloth *in, pl_body_id *body)
{
  pl_world *world = NULL;
  pl_world_def def = pl_world_def_default();
  const pl_setting settings[] = {{"load-steps", {in->load_steps}, NULL},
                                 {"newton", {in->newton}, NULL}};
  def.integrator = (pl_choice){in->integrator, in->newton ? settings + 1 : settings,
                               in->load_steps > 0 || in->newton > 0};
  def.dt = in->dt;
  def.threads = in->threads ? in->threads : 1;
  def.gravity[2] = -in->gravity;
  pl_contact_def contact = pl_contact_def_default();
  contact.response = (pl_choice){in->response, NULL, 0};
  CHECK_OK(pl_world_create(&def, &world, error));
  if (in->response) CHECK_OK(pl_world_set_contact(world, &contact, error));
  CHECK_OK(add_sheet(in, world, body, error));
  return world;
}

/* Where nodes are after a few steps: all integrators agree, with scalars at edges and without. */
static double swing(const char *integrator, const char *bending, uint64_t *hash, int threads)
{
  cloth in = {.integrator = integrator,
              .bending = bending,
              .length = 0.4,
              .width = 0.3,
              .along = 4,
              .across = 3,
              .thickness = 0.02,
              .young = 2e4,
              .poisson = 0.3,
              .density = 100,
              .damping = 1e-3,
              .dt = 5e-4,
              .gravity = 9.81,
              .threads = threads};
  pl_body_id body;
  int count;
  pl_world *world = make(&in, &body);
  CHECK_OK(fix_set(world, body, "start", error));
  run_steps(world, 60);
  double *x = positions_of(world, body, &count), low = 0;
  for (int i = 0; i < count; i++) low = fmin(low, x[3 * i + 2]);
  *hash = pl_world_state_hash(world);
  free(x);
  pl_world_destroy(world);
  return low;
}

TEST(every_integrator_moves_cloth_alike)
{
  static const char *const bendings[] = {"hinge", "quadratic", "edge"};
  for (int b = 0; b < 3; b++) {
    uint64_t hash, other;
    double right = swing("implicit-midpoint", bendings[b], &hash, 1);
    CHECK(right < -1e-3);
    swing("implicit-midpoint", bendings[b], &other, 2);
    CHECK(hash == other);
    EACH_INTEGRATOR(ops)
    {
      int before = test_failures;
      double low = swing(ops->info.name, bendings[b], &hash, 1);
      CHECK_NEAR(low, right, 0.05 * fabs(right));
      if (test_failures > before) printf("    in %s with %s\n", ops->info.name, bendings[b]);
    }
  }
}

/* A strip that lies over a rail bends as the heavy elastica: beta = w L^3 / B. Values by
 * collocation to 1e-9. */
static void drape(const char *bending, double beta, int n, double tip[2])
{
  const double t = 1e-2, E = 12e6;
  cloth in = {.integrator = "static",
              .bending = bending,
              .length = 2,
              .width = 0.1,
              .along = 2 * n,
              .across = 2,
              .thickness = t,
              .young = E,
              .density = 1 / t,
              .dt = 1,
              .load_steps = 6,
              .gravity = beta * E * t * t * t / 12,
              .origin = {-1, 0, 0}};
  pl_body_id body;
  int count;
  pl_world *world = make(&in, &body);
  pl_setting rail[2];
  pl_selector where =
      box_between((const double[3]){-1e-6, -10, -10}, (const double[3]){1e-6, 10, 10}, rail);
  CHECK_OK(fix_where(world, body, &where, error));
  CHECK_OK(pl_world_step(world, error));
  double *x = positions_of(world, body, &count);
  tip[0] = tip[1] = 0;
  for (int i = 0; i < count; i++) {
    if (pl_mesh_nodes(pl_world_body_mesh(world, body))[3 * i] < 1 - 1e-9) continue;
    tip[0] += x[3 * i] / 3;
    tip[1] -= x[3 * i + 2] / 3;
  }
  free(x);
  pl_world_destroy(world);
}

TEST(a_heavy_strip_is_the_elastica)
{
  static const double betas[] = {1, 5, 20}, right[][2] = {
                                                {0.99125, 0.12347},
                                                {0.84666, 0.49591},
                                                {0.44523, 0.82988},
                                            };
  for (int k = 0; k < 3; k++) {
    double edge[2];
    drape("edge", betas[k], 40, edge);
    printf("    beta %g: %.5f %.5f of %.5f %.5f\n", betas[k], edge[0], edge[1], right[k][0],
           right[k][1]);
    for (int i = 0; i < 2; i++) CHECK_NEAR(edge[i], right[k][i], 0.01 * right[k][i]);
  }
}

/* A sheet that falls flat through air: m g = rho/2 cn A v^2. */
TEST(a_falling_sheet_reaches_its_terminal_speed)
{
  cloth in = {.integrator = "implicit-euler",
              .length = 1,
              .width = 1,
              .along = 6,
              .across = 6,
              .thickness = 1e-3,
              .young = 1e6,
              .density = 200,
              .dt = 0.01,
              .gravity = 9.81};
  pl_body_id body;
  int count;
  pl_world *world = make(&in, &body);
  const pl_setting air[] = {{"density", {1.2}, NULL}, {"normal", {1.5}, NULL}};
  const pl_selector all = {.region = {"all", NULL, 0}};
  pl_load_def load = pl_load_def_default();
  load.load = (pl_choice){"wind", air, 2};
  load.where = &all;
  load.where_count = 1;
  CHECK_OK(pl_world_add_load(world, body, &load, NULL, error));
  double *x = positions_of(world, body, &count), before = 0, after = 0;
  run_steps(world, 300);
  CHECK_OK(pl_world_get_positions(world, body, x, error));
  for (int i = 0; i < count; i++) before += x[3 * i + 2] / count;
  run_steps(world, 10);
  CHECK_OK(pl_world_get_positions(world, body, x, error));
  for (int i = 0; i < count; i++) after += x[3 * i + 2] / count;
  double right = sqrt(2 * 0.2 * 9.81 / (1.2 * 1.5));
  CHECK_NEAR((before - after) / 0.1, right, 0.01 * right);
  free(x);
  pl_world_destroy(world);
}

/* The largest stretch of the sides of cells along x, of a strip that hangs by its start. */
static double hang(double limit)
{
  cloth in = {.integrator = "implicit-euler",
              .length = 1,
              .width = 0.1,
              .along = 20,
              .across = 2,
              .thickness = 1e-3,
              .young = 4e4,
              .density = 1000,
              .damping = 0.02,
              .dt = 0.02,
              .gravity = 9.81,
              .newton = 10,
              .limit = limit};
  pl_body_id body;
  int count;
  pl_world *world = make(&in, &body);
  CHECK_OK(fix_set(world, body, "start", error));
  double *x = positions_of(world, body, &count), max = 0;
  for (int i = 0; i < 200; i++) {
    CHECK_OK(pl_world_step(world, error));
    CHECK_OK(pl_world_get_positions(world, body, x, error));
    for (int k = 0; k + 1 < 3 * 21; k++) {
      if (k % 21 < 20) max = fmax(max, pl_vec3_distance(x + 3 * k, x + 3 * k + 3) / 0.05);
    }
  }
  free(x);
  pl_world_destroy(world);
  return max;
}

/* A strip that swings down, and would stretch by more than a third as it stops, with a limit of 10
 * %. What is left above it is the force over a hundred times the stiffness. */
TEST(a_limit_holds_the_stretch)
{
  double without = hang(0), with = hang(1.1);
  printf("    stretch %.3f without, %.4f with a limit of 1.1\n", without, with);
  CHECK(without > 1.3);
  CHECK(with > 1.09 && with < 1.1 + (without - 1) / 50);
}

/* Two sheets that fall on each other and on a floor keep their thickness apart. */
static void check_layers(const char *response)
{
  cloth in = {.integrator = "implicit-euler",
              .response = response,
              .length = 0.4,
              .width = 0.4,
              .along = 6,
              .across = 6,
              .thickness = 4e-3,
              .young = 1e5,
              .poisson = 0.3,
              .density = 100,
              .damping = 2e-3,
              .dt = 0.005,
              .gravity = 9.81,
              .origin = {0, 0, 0.01}};
  pl_body_id low, high;
  int count;
  pl_world *world = make(&in, &low);
  in.origin[0] = 0.03, in.origin[1] = 0.02, in.origin[2] = 0.03;
  CHECK_OK(add_sheet(&in, world, &high, error));
  pl_obstacle_def floor = pl_obstacle_def_default();
  const pl_setting friction = {"friction", {0.3}, NULL};
  floor.shape = (pl_choice){"plane", &friction, 1};
  CHECK_OK(pl_world_add_obstacle(world, &floor, NULL, error));
  run_steps(world, 100);
  double *x = positions_of(world, high, &count), min = 1;
  for (int i = 0; i < count; i++) {
    if (x[3 * i] < 0.39 && x[3 * i + 1] < 0.39) min = fmin(min, x[3 * i + 2]);
  }
  printf("    %s: the upper sheet rests %.2f mm above the lower\n", response, 1e3 * min);
  CHECK(min > 3.2e-3 && min < 8e-3);
  free(x);
  pl_world_destroy(world);
}

TEST(layers_keep_their_thickness)
{
  check_layers("constraint");
  check_layers("penalty");
}

/* A cloth that falls on a ball by barriers intersects nothing, itself included. */
TEST(by_barriers_draped_cloth_intersects_nothing)
{
  cloth in = {.integrator = "implicit-euler",
              .response = "barrier",
              .newton = 100,
              .length = 0.4,
              .width = 0.4,
              .along = 10,
              .across = 10,
              .thickness = 2e-3,
              .young = 2e4,
              .poisson = 0.3,
              .density = 100,
              .damping = 2e-3,
              .dt = 0.01,
              .gravity = 9.81,
              .itself = 1,
              .origin = {-0.2, -0.2, 0.105}};
  pl_body_id body;
  pl_world *world = make(&in, &body);
  const pl_setting ball[] = {{"radius", {0.1}, NULL}, {"centre", {0, 0, 0}, NULL}};
  pl_obstacle_def obstacle = pl_obstacle_def_default();
  obstacle.shape = (pl_choice){"sphere", ball, 2};
  CHECK_OK(pl_world_add_obstacle(world, &obstacle, NULL, error));
  int64_t worst = 0;
  for (int i = 0; i < 25; i++) {
    int64_t count = -1;
    CHECK_OK(pl_world_step(world, error));
    pl_fence *fence = (pl_fence *)probe_coupling(world, &pl_coupling_barrier, 0);
    pl_collision_place(&fence->is, world->state.q, NULL);
    CHECK_OK(pl_finder_intersections(fence->swept, fence->is.x, NULL, &count, error));
    worst = count > worst ? count : worst;
    CHECK(pl_fence_gap(fence) > 0);
  }
  int count;
  double *x = positions_of(world, body, &count), low = 1;
  for (int i = 0; i < count; i++) low = fmin(low, x[3 * i + 2]);
  printf("    it hangs down to %.3f m\n", low);
  CHECK(worst == 0);
  CHECK(low < 0.05);
  free(x);
  pl_world_destroy(world);
}

/* Two panels that start apart are sewn together: the seam closes, and pulls at both alike. */
static void check_seam(int exact)
{
  cloth in = {.integrator = "implicit-euler",
              .length = 0.5,
              .width = 0.5,
              .along = 10,
              .across = 10,
              .thickness = 1e-3,
              .young = 1e5,
              .poisson = 0.3,
              .density = 200,
              .damping = 5e-3,
              .dt = 0.01};
  pl_body_id left, right;
  int count;
  pl_world *world = make(&in, &left);
  in.origin[0] = 0.5;
  CHECK_OK(add_sheet(&in, world, &right, error));
  double *x = positions_of(world, right, &count);
  for (int i = 0; i < count; i++) x[3 * i] += 0.04, x[3 * i + 2] += 0.02;
  CHECK_OK(pl_world_set_positions(world, right, x, error));
  const pl_selector seam = {.set = "start"};
  pl_attachment_def def = pl_attachment_def_default();
  pl_attachment_id id;
  def.to = left;
  def.where = &seam;
  def.where_count = 1;
  def.exact = exact;
  def.damping = exact ? 0 : 2;
  CHECK_OK(pl_world_add_attachment(world, right, &def, &id, error));
  run_steps(world, 150);
  pl_attachment_facts facts;
  CHECK_OK(pl_world_read_attachment(world, id, &facts, error));
  double momentum[3] = {0}, size = 0;
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    for (int i = 0; i < body->blocks; i++) {
      const double *v = world->state.v + 3 * (size_t)(body->offset + i);
      pl_vec3_add_scaled(body->model->lumped_mass[i], v, momentum);
      size += body->model->lumped_mass[i];
    }
  }
  printf("    %s: the seam is open by %.1e m, momentum %.1e kg m/s\n", exact ? "exact" : "springs",
         facts.gap, pl_vec3_norm(momentum));
  CHECK(facts.gap < 1e-4 && facts.points == 11);
  // up to what the linear solver leaves
  CHECK(pl_vec3_norm(momentum) < 1e-3 * size);
  free(x);
  pl_world_destroy(world);
}

TEST(seams_close)
{
  check_seam(0);
  check_seam(1);
}

/* Scalars at edges belong to the state. */
TEST(a_saved_shell_goes_on_with_the_same_bits)
{
  cloth in = {.integrator = "bdf2",
              .bending = "edge",
              .length = 0.4,
              .width = 0.3,
              .along = 4,
              .across = 3,
              .thickness = 0.02,
              .young = 2e4,
              .poisson = 0.3,
              .density = 100,
              .dt = 5e-3,
              .gravity = 9.81};
  pl_world *worlds[2] = {NULL, NULL};
  pl_body_id body;
  for (int k = 0; k < 2; k++) {
    worlds[k] = make(&in, &body);
    CHECK_OK(fix_set(worlds[k], body, "start", error));
  }
  for (int i = 0; i < 5; i++) CHECK_OK(pl_world_step(worlds[0], error));
  CHECK_OK(pl_world_prepare(worlds[1], error));
  size_t size = pl_world_state_size(worlds[0]);
  void *memory = malloc(size);
  CHECK_OK(pl_world_save_state(worlds[0], memory, size, error));
  CHECK_OK(pl_world_load_state(worlds[1], memory, size, error));
  for (int i = 0; i < 10; i++) CHECK_OK(pl_world_step(worlds[i % 2], error));
  CHECK(pl_world_state_hash(worlds[0]) == pl_world_state_hash(worlds[1]));
  free(memory);
  for (int k = 0; k < 2; k++) pl_world_destroy(worlds[k]);
}

TESTS(X(every_integrator_moves_cloth_alike) X(a_heavy_strip_is_the_elastica)
          X(a_limit_holds_the_stretch) X(a_falling_sheet_reaches_its_terminal_speed)
              X(layers_keep_their_thickness) X(by_barriers_draped_cloth_intersects_nothing)
                  X(a_saved_shell_goes_on_with_the_same_bits) X(seams_close))
