/* Bodies that hold each other: forces against energies, no force or torque on the two together,
 * what stiff attachments must come to, and what is refused. */
#include "math/mat3.h"
#include "math/rotation.h"
#include "probe.h"
#include "sparse/bsr.h"

#include "mesh/failing.h"

#include "acts.h"
#include "test.h"

typedef struct kind {
  const char *model, *element;
  pl_setting settings[3];
  int count;
} kind;

static const kind kinds[] = {
    {"fem", "tet", {{.name = "strain", .word = "corotated"}}, 1},
    {"fem", "hex", {{.name = "strain", .word = "green"}}, 1},
    {"fem", "tet", {{.name = "strain", .word = "warped"}}, 1},
    {"springs", "tet", {{0}}, 0},
    {"frames", "hex", {{.name = "frames", .value = {3}}}, 1},
    {"frames",
     "hex",
     {{.name = "frames", .value = {2}}, {.name = "motion", .word = "quadratic"}},
     2},
    {"rigid-frames",
     "hex",
     {{.name = "frames", .value = {3}}, {.name = "blending", .word = "linear"}},
     2},
    {"rigid-frames", "hex", {{.name = "frames", .value = {3}}}, 1},
};
enum { KINDS = sizeof kinds / sizeof *kinds, DUAL = KINDS - 1, FIRST_FRAMES = 4 };

static pl_status add_bar(pl_world *world, const kind *of, const char *name, double at, int cells,
                         double length, pl_body_id *body, pl_error *error)
{
  pl_setting hooke[] = {{.name = "young", .value = {1e5}}, {.name = "poisson", .value = {0.3}}};
  pl_setting box[] = {{.name = "size", .value = {length, 0.25, 0.25}},
                      {.name = "cells", .value = {cells, 2, 2}},
                      {.name = "origin", .value = {at, 0, 0}},
                      {.name = "element", .word = of->element}};
  pl_mesh *mesh = NULL;
  pl_status status = pl_mesh_generate(&(pl_choice){"box", box, 4}, &world->allocator, &mesh, error);
  pl_body_def def = pl_body_def_default();
  def.name = name;
  def.mesh = mesh;
  def.material.law = (pl_choice){"hooke", hooke, 2};
  def.model = (pl_choice){of->model, of->settings, of->count};
  // frames stand evenly on the axis
  double sites[9];
  def.sites = sites;
  def.site_count = strstr(of->model, "frames") ? (int)of->settings[0].value[0] : 0;
  for (int i = 0; i < def.site_count; i++) {
    double part = def.site_count > 1 ? i / (def.site_count - 1.0) : 0.5;
    pl_vec3_set(sites + 3 * i, at + part * length, 0.125, 0.125);
  }
  if (!status) status = pl_world_add_body(world, &def, body, error);
  pl_mesh_destroy(mesh);
  return status;
}

static pl_status make_world(const char *integrator, const pl_allocator *allocator, pl_world **world,
                            pl_error *error)
{
  pl_setting newton = {.name = "newton-tolerance", .value = {1e-10}};
  pl_setting exact = {.name = "tolerance", .value = {1e-12}};
  pl_world_def def = pl_world_def_default();
  if (allocator) def.allocator = *allocator;
  def.dt = 0.01;
  def.threads = 1;
  memset(def.gravity, 0, sizeof def.gravity);
  def.integrator = (pl_choice){integrator, &newton, 1};
  def.solver = (pl_choice){"cg", &exact, 1};
  return pl_world_create(&def, world, error);
}

/* The end of a bar at the origin in another that begins at 0.95. */
static const pl_selector end = {.set = "x-max"};

static pl_attachment_def attach_to(pl_body_id to, int frame, int to_frame)
{
  pl_attachment_def def = pl_attachment_def_default();
  def.to = to;
  def.frame = frame;
  def.to_frame = to_frame;
  if (frame < 0) def.where = &end, def.where_count = 1;
  return def;
}

static double energy(const pl_world *world)
{
  double sum = 0;
  for (pl_coupling *c = NULL;
       (c = pl_couplings_next(&world->couplings, &pl_coupling_attachment, c)) != NULL;) {
    for (int b = 0; b < (int)world->bodies.count; b++) sum += c->ops->energy(c, world->state.q, b);
  }
  return sum;
}

static double energy_at(pl_world *world, const double *q, const double *way, double step)
{
  int n = 3 * world->bodies.blocks;
  double *move = malloc((size_t)n * sizeof *move), *before = malloc((size_t)n * sizeof *move);
  memcpy(before, world->state.q, (size_t)n * sizeof *before);
  for (int i = 0; i < n; i++) move[i] = step * way[i];
  world->system.ops->retract(&world->system, q, move, world->state.q);
  double E = energy(world);
  memcpy(world->state.q, before, (size_t)n * sizeof *before);
  free(move);
  free(before);
  return E;
}

static double dot(int n, const double *a, const double *b)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* Force and matrix along random ways against the first and second differences of the energy E, at a
 * bent state. They are compared in parts of k |J dq|^2, which is what the semidefinite matrix has
 * and never small, and of the most that the slope of E can be with that. Blended dual quaternions
 * bend the way of a point beside what the matrix knows. */
static void check_differences(pl_world *world, const double *q, double loose)
{
  int n = 3 * world->bodies.blocks;
  double *f = calloc((size_t)n, sizeof *f), *way = malloc((size_t)n * sizeof *way),
         *product = malloc((size_t)n * sizeof *product);
  probe_force(world, &pl_coupling_attachment, 0, q, world->state.v, f);
  for (int trial = 0; trial < 3; trial++) {
    double h = 1e-4, bends[2];
    for (int i = 0; i < n; i++) way[i] = test_uniform();
    for (int semidefinite = 0; semidefinite < 2; semidefinite++) {
      pl_bsr_zero(world->system.A, NULL);
      probe_matrix(world, &pl_coupling_attachment, 0, q, world->state.v, 1, 0, semidefinite,
                   world->system.A);
      pl_bsr_multiply(world->system.A, way, product, NULL);
      bends[semidefinite] = dot(n, product, way);
    }
    double E = energy_at(world, q, way, 0), up = energy_at(world, q, way, h),
           down = energy_at(world, q, way, -h);
    double seen = (up - down) / (2 * h), seen_bend = (up - 2 * E + down) / (h * h);
    CHECK_NEAR(seen, -dot(n, f, way), 1e-6 * sqrt(2 * E * bends[1]));
    CHECK_NEAR(seen_bend, bends[0], loose * bends[1]);
  }
  free(f);
  free(way);
  free(product);
}

/* The forces of attachments alone sum up to nothing. */
static void check_balance(pl_world *world, const double *q)
{
  double *f = calloc(3 * (size_t)world->bodies.blocks, sizeof *f), sum[3] = {0}, moment[3] = {0},
         all = 0;
  probe_force(world, &pl_coupling_attachment, 0, q, world->state.v, f);
  for (int i = 0; i < world->bodies.blocks; i++) {
    const pl_body *body = pl_bodies_owner(&world->bodies, i);
    double turned[3];
    all += pl_vec3_norm(f + 3 * i);
    if (pl_model_is_rotation(body->model, i - body->offset)) {
      pl_vec3_add(moment, f + 3 * i, moment);
      continue;
    }
    pl_vec3_add(sum, f + 3 * i, sum);
    pl_vec3_cross(q + 3 * i, f + 3 * i, turned);
    pl_vec3_add(moment, turned, moment);
  }
  CHECK(all > 1);
  CHECK(pl_vec3_norm(sum) < 1e-12 * all);
  CHECK(pl_vec3_norm(moment) < 1e-12 * all);
  free(f);
}

/* Dampers: forces are linear in the velocity, so that differences show the matrix to rounding; they
 * sum up to nothing, take the power of the matrix, and leave a common shift alone. */
static void check_damping(pl_world *world, const double *q)
{
  int n = 3 * world->bodies.blocks;
  double *room = calloc(5 * (size_t)n, sizeof *room), h = 0.5, sum[3] = {0}, all = 0;
  double *way = room, *v = room + n, *up = v + n, *down = up + n, *product = down + n;
  pl_bsr_zero(world->system.A, NULL);
  probe_matrix(world, &pl_coupling_attachment, 0, q, world->state.v, 0, 1, 0, world->system.A);
  for (int i = 0; i < n; i++) way[i] = test_uniform();
  pl_bsr_multiply(world->system.A, way, product, NULL);
  for (int i = 0; i < n; i++) v[i] = h * way[i];
  probe_force(world, &pl_coupling_attachment, 0, q, v, up);
  for (int i = 0; i < n; i++) v[i] = -h * way[i];
  probe_force(world, &pl_coupling_attachment, 0, q, v, down);
  for (int i = 0; i < n; i++) up[i] = (up[i] - down[i]) / (2 * h);
  for (int i = 0; i < world->bodies.blocks; i++) {
    const pl_body *body = pl_bodies_owner(&world->bodies, i);
    all += pl_vec3_norm(up + 3 * i);
    if (!pl_model_is_rotation(body->model, i - body->offset)) pl_vec3_add(sum, up + 3 * i, sum);
  }
  for (int i = 0; i < n; i++) CHECK_NEAR(up[i] + product[i], 0, 1e-9 * all);
  CHECK(dot(n, way, up) < 0 && pl_vec3_norm(sum) < 1e-9 * all); // of springs 1000 times as strong

  // all points move alike
  for (int i = 0; i < n; i++) {
    const pl_body *body = pl_bodies_owner(&world->bodies, i / 3);
    v[i] = pl_model_is_rotation(body->model, i / 3 - body->offset) ? 0 : 1 + i % 3;
  }
  pl_bsr_multiply(world->system.A, v, product, NULL);
  for (int i = 0; i < n; i++) CHECK_NEAR(product[i], 0, 1e-10 * all);
  free(room);
}

/* The energy is the same when all of the world is turned, and none at rest. */
static void check_turned(pl_world *world, const double *q)
{
  const double turn[3] = {0.4, -1.1, 0.7};
  int n = 3 * world->bodies.blocks;
  double *to = malloc((size_t)n * sizeof *to), *none = calloc((size_t)n, sizeof *none), quat[4],
         R[9];
  pl_quat_of_vector(turn, quat);
  pl_quat_matrix(quat, R);
  for (int i = 0; i < world->bodies.blocks; i++) {
    const pl_body *body = pl_bodies_owner(&world->bodies, i);
    if (pl_model_is_rotation(body->model, i - body->offset))
      pl_rotation_turn(q + 3 * i, turn, to + 3 * i);
    else
      pl_mat3_apply(R, q + 3 * i, to + 3 * i);
  }
  double E = energy_at(world, q, none, 0);
  CHECK_NEAR(energy_at(world, to, none, 0) / E, 1, 1e-10);
  CHECK(energy(world) < 1e-20 * E);
  free(to);
  free(none);
}

/* What evaluate makes of the matrix does not depend on what stood in it. */
static void check_overwritten(pl_world *world, const double *q)
{
  pl_bsr *A = world->system.A;
  size_t n = 9 * (size_t)A->start[A->rows];
  double *first = malloc(n * sizeof *first),
         *f = malloc(3 * (size_t)world->bodies.blocks * sizeof *f);
  const pl_tangent tangent = {1, 1, 1, 0, A, world->system.pairs};
  pl_bsr_zero(A, NULL);
  world->system.ops->evaluate(&world->system, 0, q, world->state.v, f, &tangent);
  memcpy(first, A->values, n * sizeof *first);
  for (size_t i = 0; i < n; i++) A->values[i] = 1e9;
  world->system.ops->evaluate(&world->system, 0, q, world->state.v, f, &tangent);
  CHECK(memcmp(first, A->values, n * sizeof *first) == 0);
  free(first);
  free(f);
}

static void check_pair(int a, int b, int frame, int to_frame)
{
  pl_world *world = NULL;
  pl_body_id ids[2] = {{0}, {0}};
  CHECK_OK(make_world("implicit-euler", NULL, &world, error));
  if (a == 2 || b == 2)
    CHECK_OK(pl_world_set_solver(world, &(pl_choice){"bicgstab", NULL, 0},
                                 &(pl_choice){"auto", NULL, 0}, error));
  CHECK_OK(add_bar(world, &kinds[a], "a", 0, 4, 1, &ids[0], error));
  CHECK_OK(add_bar(world, &kinds[b], "b", 0.95, 4, 1, &ids[1], error));
  pl_attachment_def def = attach_to(ids[1], frame, to_frame);
  def.damping = 20;
  CHECK_OK(pl_world_add_attachment(world, ids[0], &def, NULL, error));
  CHECK_OK(pl_world_prepare(world, error));
  if (!world->ready) {
    pl_world_destroy(world);
    return;
  }
  int n = 3 * world->bodies.blocks;
  double *q = malloc((size_t)n * sizeof *q), *move = malloc((size_t)n * sizeof *move);
  for (int i = 0; i < n; i++) move[i] = 0.05 * test_uniform();
  world->system.ops->retract(&world->system, world->state.q, move, q);
  int blended = (a == DUAL && frame < 0) || (b == DUAL && to_frame < 0);
  check_differences(world, q, blended ? 0.15 : 1e-6);
  check_balance(world, q);
  check_damping(world, q);
  check_turned(world, q);
  check_overwritten(world, q);
  free(q);
  free(move);
  pl_world_destroy(world);
}

/* The one at the far end, where the other bar begins. */
static int last_frame(int a) { return (int)kinds[a].settings[0].value[0] - 1; }

TEST(forces_are_those_of_an_energy_and_balance)
{
  for (int a = 0; a < KINDS; a++) {
    for (int b = 0; b < KINDS; b++) {
      check_pair(a, b, -1, -1);
      if (a >= FIRST_FRAMES) check_pair(a, b, last_frame(a), b >= FIRST_FRAMES ? 0 : -1);
      if (b >= FIRST_FRAMES) check_pair(a, b, -1, 0);
    }
  }
}

static void hold(pl_world *world, pl_body_id body, const char *set)
{
  CHECK_OK(fix_set(world, body, set, error));
}

static void push_end(pl_world *world, pl_body_id body, double x, double z)
{
  pl_setting value = {.name = "value", .value = {x, 0, z}};
  pl_load_def load = pl_load_def_default();
  load.load = (pl_choice){"force", &value, 1};
  load.where = &end;
  load.where_count = 1;
  CHECK_OK(pl_world_add_load(world, body, &load, NULL, error));
}

static void tip_of(pl_world *world, pl_body_id body, double x, double tip[3])
{
  pl_probe_def def = pl_probe_def_default();
  pl_probe_id probe = {0};
  def.body = body;
  def.quantity = "displacement";
  def.at[0] = x;
  def.at[1] = def.at[2] = 0.125;
  CHECK_OK(pl_world_add_probe(world, &def, &probe, error));
  CHECK_OK(pl_world_read_probe(world, probe, tip, error));
}

/* Two halves that are attached where they meet bend and stretch as the whole, to within what the
 * springs give: they are many times as stiff as the bar. */
TEST(two_halves_are_a_whole)
{
  double tips[2][3];
  for (int halves = 0; halves < 2; halves++) {
    pl_world *world = NULL;
    pl_body_id first = {0}, last = {0};
    CHECK_OK(make_world("static", NULL, &world, error));
    if (halves) {
      CHECK_OK(add_bar(world, &kinds[1], "first", 0, 4, 0.5, &first, error));
      CHECK_OK(add_bar(world, &kinds[1], "last", 0.5, 4, 0.5, &last, error));
      pl_attachment_def def = attach_to(last, -1, -1);
      CHECK_OK(pl_world_add_attachment(world, first, &def, NULL, error));
    } else {
      CHECK_OK(add_bar(world, &kinds[1], "whole", 0, 8, 1, &first, error));
      last = first;
    }
    hold(world, first, "x-min");
    push_end(world, last, 200, 10);
    CHECK_OK(pl_world_step(world, error));
    tip_of(world, last, 1, tips[halves]);
    pl_world_destroy(world);
  }
  CHECK(tips[0][0] > 0.02 && tips[0][2] > 0.02);
  CHECK_NEAR(tips[1][0] / tips[0][0], 1, 0.02);
  CHECK_NEAR(tips[1][2] / tips[0][2], 1, 0.03);
}

/* A rigid bar on a rigid one, by frames in their middles at 0.5 and 1.45: a force F at the end,
 * 0.5 away from the first's frame, shifts it by F / k and turns it by 0.5 F / (2/3 k arm^2). */
TEST(a_frame_holds_place_and_orientation)
{
  static const kind one = {"rigid-frames", "hex", {{.name = "frames", .value = {1}}}, 1};
  pl_world *world = NULL;
  pl_body_id a = {0}, b = {0};
  double tip[3], k = 1e4, arm = 0.3, force = 10;
  CHECK_OK(make_world("static", NULL, &world, error));
  CHECK_OK(add_bar(world, &one, "a", 0, 4, 1, &a, error));
  CHECK_OK(add_bar(world, &one, "b", 0.95, 4, 1, &b, error));
  pl_attachment_def def = attach_to(b, 0, 0);
  def.stiffness = k;
  def.arm = arm;
  CHECK_OK(pl_world_add_attachment(world, a, &def, NULL, error));
  const pl_body *body = pl_world_body(world, a);
  double lever = 1 - body->model->frames_at[0];
  CHECK_FAILS(pl_world_step(world, error), PL_E_SINGULAR, "not held anywhere");
  pl_selector all = {.region = {"box",
                                (pl_setting[]){{.name = "min", .value = {-9, -9, -9}},
                                               {.name = "max", .value = {9, 9, 9}}},
                                2}};
  pl_fix_def fix = pl_fix_def_default();
  fix.where = &all;
  fix.where_count = 1;
  CHECK_OK(pl_world_add_fix(world, b, &fix, NULL, error));
  push_end(world, a, 0, force);
  CHECK_OK(pl_world_step(world, error));
  tip_of(world, a, 1, tip);
  double angle = lever * force / (k * arm * arm * 2 / 3);
  CHECK_NEAR(tip[2], force / k + lever * angle, 1e-3 * tip[2]);
  pl_world_destroy(world);
}

/* With a ball joint at the frame instead, the bar swings freely about it: a pendulum of a quarter
 * of a turn arrives at the other side. */
TEST(an_arm_of_zero_lets_it_turn)
{
  static const kind two = {"rigid-frames", "hex", {{.name = "frames", .value = {2}}}, 1};
  pl_world *world = NULL;
  pl_body_id a = {0}, b = {0};
  const double down[3] = {0, 0, -10};
  double tip[3], min = 0, max = 0;
  CHECK_OK(make_world("implicit-midpoint", NULL, &world, error));
  CHECK_OK(add_bar(world, &kinds[1], "support", -0.25, 1, 0.5, &b, error));
  CHECK_OK(add_bar(world, &two, "bar", 0, 4, 1, &a, error));
  hold(world, b, "x-min");
  hold(world, b, "x-max");
  pl_attachment_def def = attach_to(b, 0, -1);
  def.arm = 0;
  CHECK_OK(pl_world_add_attachment(world, a, &def, NULL, error));
  CHECK_OK(pl_world_set_gravity(world, down, error));
  pl_probe_def watch = pl_probe_def_default();
  pl_probe_id probe = {0};
  watch.body = a;
  watch.quantity = "position";
  watch.at[0] = 1;
  watch.at[1] = watch.at[2] = 0.125;
  CHECK_OK(pl_world_add_probe(world, &watch, &probe, error));
  for (int i = 0; i < 120; i++) {
    CHECK_OK(pl_world_step(world, error));
    CHECK_OK(pl_world_read_probe(world, probe, tip, error));
    min = fmin(min, tip[0]);
    max = fmin(max, tip[2]);
  }
  CHECK_NEAR(min, -1, 0.03);
  CHECK_NEAR(max, 0.125 - 1, 0.1); // it is soft
  pl_world_destroy(world);
}

static double read_one(pl_world *world, const char *quantity, double value[3])
{
  pl_probe_def def = pl_probe_def_default();
  pl_probe_id probe = {0};
  def.quantity = quantity;
  CHECK_OK(pl_world_add_probe(world, &def, &probe, error));
  CHECK_OK(pl_world_read_probe(world, probe, value, error));
  return pl_vec3_norm(value);
}

/* Two bars of different kinds that only hold each other, one thrown at 1 m/s: their momenta
 * together stay, the angular one as well as the integrator keeps it for a single body. */
TEST(momentum_is_kept)
{
  static const int pairs[][4] = {{1, 0, -1, -1}, {6, 0, 2, -1}, {4, 7, -1, 0}, {7, 6, 2, 0}};
  for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
    pl_world *world = NULL;
    pl_body_id a = {0}, b = {0};
    double before[2][3] = {{0}}, after[2][3] = {{0}};
    CHECK_OK(make_world("implicit-midpoint", NULL, &world, error));
    CHECK_OK(add_bar(world, &kinds[pairs[k][0]], "a", 0, 4, 1, &a, error));
    CHECK_OK(add_bar(world, &kinds[pairs[k][1]], "b", 0.95, 4, 1, &b, error));
    pl_attachment_def def = attach_to(b, pairs[k][2], pairs[k][3]);
    CHECK_OK(pl_world_add_attachment(world, a, &def, NULL, error));
    CHECK_OK(pl_world_throw(world, b, (const double[3]){0.1, 0.3, 1}, error));
    for (int i = 0; i < 40; i++) {
      if (i == 1) {
        read_one(world, "momentum", before[0]);
        read_one(world, "angular-momentum", before[1]);
      }
      CHECK_OK(pl_world_step(world, error));
    }
    read_one(world, "momentum", after[0]);
    read_one(world, "angular-momentum", after[1]);
    for (int m = 0; m < 2; m++) {
      double size = pl_vec3_norm(before[m]), gap = pl_vec3_distance(before[m], after[m]);
      CHECK(size > 1);
      if (!(gap < (m ? 2e-3 : 1e-6) * size)) printf("  pair %d: %g of %g\n", (int)k, gap, size);
      CHECK(gap < (m ? 2e-3 : 1e-6) * size);
    }
    pl_world_destroy(world);
  }
}

/* Two rigid bars in one place that hold each other in the middle, one of them thrown at 1 m/s. With
 * their reduced mass M = m/2 the gap is an oscillator, M g'' + c g' + k g = 0 from g = 0, g' = 1:
 * g = exp(-d t) sin(w t) / w with d = c / 2M and w^2 = k/M - d^2. The midpoint rule's error after
 * 1 s is (w dt)^2 w t / 12 of a period, 0.4 %; it never adds energy, and keeps it without a damper.
 */
TEST(dampers_take_energy)
{
  static const kind one = {"rigid-frames", "hex", {{.name = "frames", .value = {1}}}, 1};
  const double mass = 62.5, M = mass / 2, k = 400 * M;
  for (int damped = 0; damped < 2; damped++) {
    pl_world *world = NULL;
    pl_body_id a = {0}, b = {0};
    pl_world_facts facts;
    double d = damped ? 2 : 0, last = INFINITY;
    CHECK_OK(make_world("implicit-midpoint", NULL, &world, error));
    CHECK_OK(pl_world_set_dt(world, 0.0025, error));
    CHECK_OK(add_bar(world, &one, "a", 0, 4, 1, &a, error));
    CHECK_OK(add_bar(world, &one, "b", 0, 4, 1, &b, error));
    pl_attachment_def def = attach_to(b, 0, 0);
    def.arm = 0;
    def.stiffness = k;
    def.damping = 2 * M * d;
    CHECK_OK(pl_world_add_attachment(world, a, &def, NULL, error));
    CHECK_OK(pl_world_throw(world, a, (const double[3]){0, 1, 0}, error));
    for (int i = 0; i < 400; i++) {
      CHECK_OK(pl_world_step(world, error));
      CHECK_OK(pl_world_measure(world, &facts, error));
      double E = facts.kinetic_energy + facts.elastic_energy;
      CHECK(E <= last + 1e-9);
      last = E;
    }
    // the mass centre goes on with 1/2 m/s
    double t = facts.time, w = sqrt(k / M - d * d), g = exp(-d * t) * sin(w * t) / w;
    double rate = exp(-d * t) * cos(w * t) - d * g, E = 0.5 * (M * rate * rate + k * g * g);
    CHECK_NEAR((last - mass / 4) / E, 1, damped ? 0.01 : 1e-6);
    CHECK_NEAR(E / (M / 2), exp(-2 * d * t), 0.2 * exp(-2 * d * t));
    pl_world_destroy(world);
  }
}

TEST(wrong_attachments_are_refused)
{
  pl_world *world = NULL;
  pl_body_id a = {0}, b = {0}, far = {0};
  CHECK_OK(make_world("implicit-euler", NULL, &world, error));
  CHECK_OK(add_bar(world, &kinds[4], "a", 0, 4, 1, &a, error));
  CHECK_OK(add_bar(world, &kinds[0], "b", 0.95, 4, 1, &b, error));
  CHECK_OK(add_bar(world, &kinds[4], "far", 5, 4, 1, &far, error));
  pl_attachment_def def = attach_to(a, -1, -1);
#define REFUSED(part)                                                                              \
  CHECK_FAILS(pl_world_add_attachment(world, a, &def, NULL, error), PL_E_ARGUMENT, part)
  REFUSED("cannot be attached to itself");
  def.to = (pl_body_id){9, 1};
  REFUSED("body");
  def = attach_to(far, -1, -1);
  REFUSED("lies 4 m outside body \"far\"");
  def = attach_to(far, 2, -1);
  REFUSED("frame 3 of body \"a\"");
  def = attach_to(b, 3, -1);
  REFUSED("its frames are 1 to 3");
  def = attach_to(b, -1, 0);
  REFUSED("not made of frames");
  def = attach_to(b, 2, -1);
  def.where = &end;
  def.where_count = 1;
  REFUSED("leave out its regions");
  def = attach_to(b, -1, -1);
  def.where_count = 0;
  REFUSED("nothing of body");
  def = attach_to(b, -1, -1);
  def.stiffness = -1;
  REFUSED("stiffness");
  def = attach_to(b, -1, -1);
  def.damping = -1;
  REFUSED("the damping of an attachment = -1 must lie between 0 and 1e+15");
  def = attach_to(b, 2, -1);
  def.arm = -2;
  REFUSED("arm");
  // a surface has no inside
  pl_setting ball[] = {{.name = "radius", .value = {0.5}}};
  pl_mesh *solid = NULL, *hull = NULL;
  pl_body_id skin = {0};
  CHECK_OK(pl_mesh_generate(&(pl_choice){"sphere", ball, 1}, NULL, &solid, error));
  CHECK_OK(pl_mesh_boundary(solid, NULL, &hull, error));
  pl_setting hooke[] = {{.name = "young", .value = {1e5}}, {.name = "poisson", .value = {0.3}}};
  pl_body_def body = pl_body_def_default();
  body.name = "skin";
  body.mesh = hull;
  body.material.law = (pl_choice){"hooke", hooke, 2};
  body.model = (pl_choice){"springs", NULL, 0};
  CHECK_OK(pl_world_add_body(world, &body, &skin, error));
  pl_mesh_destroy(hull);
  pl_mesh_destroy(solid);
  def = attach_to(skin, -1, -1);
  REFUSED("is of triangles and has no inside");
  // far away is no hindrance where frames hold each other
  def = attach_to(far, 2, 0);
  CHECK_OK(pl_world_add_attachment(world, a, &def, NULL, error));
  CHECK_OK(pl_world_step(world, error));
  pl_world_destroy(world);
}

static pl_status attempt(const pl_allocator *allocator, void *context)
{
  pl_world *world = NULL;
  pl_body_id a = {0}, b = {0};
  pl_error error;
  (void)context;
  pl_status status = make_world("implicit-euler", allocator, &world, &error);
  if (!status) status = add_bar(world, &kinds[0], "a", 0, 2, 1, &a, &error);
  if (!status) status = add_bar(world, &kinds[7], "b", 0.95, 2, 1, &b, &error);
  pl_attachment_def def = attach_to(b, -1, -1);
  if (!status) status = pl_world_add_attachment(world, a, &def, NULL, &error);
  def = attach_to(a, 0, -1);
  if (!status) status = pl_world_add_attachment(world, b, &def, NULL, &error);
  if (!status) status = pl_world_step(world, &error);
  pl_world_destroy(world);
  return status;
}

TEST(memory_may_fail) { fail_every_allocation(attempt, NULL); }

TESTS(X(forces_are_those_of_an_energy_and_balance) X(two_halves_are_a_whole)
          X(a_frame_holds_place_and_orientation) X(an_arm_of_zero_lets_it_turn) X(momentum_is_kept)
              X(dampers_take_energy) X(wrong_attachments_are_refused) X(memory_may_fail))
