/* Every coupling, on a stage where it does something: its forces are the slope of its energy, its
 * matrix is that of its forces (or symmetric and never indefinite where it says that it leaves
 * something out), what it remembers lies in the state, and it follows when a body before its own is
 * removed. Effects and links are on the stage with their presets; another kind that is not there
 * fails: put it there in add_kind. */
#include "couple/link.h"
#include "pliant/world.h"
#include "sparse/vector.h"
#include "world/world.h"

#include "mesh/failing.h"

typedef struct stage {
  const char *kind;
  const pl_coupling_ops *ops;
  pl_world *world;
  pl_body_id spare, low, side, high; /* spare: far away and in front of all others */
} stage;

static double friction = 0.3;

/* Those whose matrix leaves out what would make it indefinite, or what the mass adds for them. */
static const char *const partly[] = {"drag", "tool", "contact", "collision", NULL};

static int is_partly(const char *kind)
{
  int i = 0;
  while (partly[i] && strcmp(partly[i], kind) != 0) i++;
  return partly[i] != NULL;
}

static pl_status add_box(stage *s, double x, double y, double z, pl_body_id *body, pl_error *error)
{
  int momentum = strcmp(s->kind, "momentum") == 0, drag = strcmp(s->kind, "drag") == 0;
  pl_setting box[] = {{.name = "size", .value = {0.2, 0.2, 0.1}},
                      {.name = "origin", .value = {x, y, z}},
                      {.name = "cells", .value = {2, 2, 1}}};
  pl_setting hooke[] = {{.name = "young", .value = {1e5}}, {.name = "poisson", .value = {0.3}}};
  pl_mesh *mesh = NULL;
  pl_body_def def = pl_body_def_default();
  pl_status status =
      pl_mesh_generate(&(pl_choice){"box", box, 3}, &s->world->allocator, &mesh, error);
  def.mesh = mesh;
  def.material.law = (pl_choice){"hooke", hooke, 2};
  def.material.stiffness_damping = 0.002;
  def.material.mass_damping = drag ? 2 : 0;
  def.keep_momentum = momentum;
  def.velocity[0] = 0.3 + x, def.velocity[2] = -1 - z, def.spin[1] = 2;
  if (!status) status = pl_world_add_body(s->world, &def, body, error);
  pl_mesh_destroy(mesh);
  return status;
}

static pl_status add_load(stage *s, const pl_selector *all, pl_error *error)
{
  pl_setting value = {.name = "value", .value = {3, 1, 2}};
  pl_load_def def = pl_load_def_default();
  def.load = (pl_choice){"force", &value, 1};
  def.where = all, def.where_count = 1;
  return pl_world_add_load(s->world, s->low, &def, NULL, error);
}

/* Springs to the origin, of another stiffness along each axis. */
static void pull_back(void *context, double time, const double *x, const double *v, double *forces,
                      double *slopes)
{
  static const double stiffness[] = {20, 30, 40};
  (void)context, (void)time, (void)v;
  for (int i = 0; i < 3 * 18; i++) forces[i] -= stiffness[i % 3] * x[i];
  for (int i = 0; i < 3 * 18 && slopes; i++) slopes[3 * i + i % 3] = -stiffness[i % 3];
}

static pl_status add_forces(stage *s, pl_error *error)
{
  double forces[3 * 18];
  for (int i = 0; i < 3 * 18; i++) forces[i] = 0.1 * (i % 7) - 0.2;
  pl_status status = pl_world_set_forces(s->world, s->low, forces, error);
  if (status) return status;
  return pl_world_set_force_field(s->world, s->low, &(pl_force_field){pull_back, NULL}, error);
}

static pl_status add_pull(stage *s, pl_error *error)
{
  const double at[3] = {0.2, 0.2, 0.1};
  pl_pull_def def = pl_pull_def_default();
  pl_status status = pl_world_find_spot(s->world, s->low, at, &def.at, error);
  def.target[2] = 0.3;
  def.damping = 5;
  return status ? status : pl_world_add_pull(s->world, &def, NULL, error);
}

static pl_status add_tool(stage *s, pl_error *error)
{
  pl_tool_def def = pl_tool_def_default();
  return pl_world_set_tool(s->world, &def, error);
}

static pl_status add_contact(stage *s, pl_error *error)
{
  pl_setting plane = {.name = "friction", .value = {friction}};
  pl_obstacle_def def = pl_obstacle_def_default();
  def.shape = (pl_choice){"plane", &plane, 1};
  return pl_world_add_obstacle(s->world, &def, NULL, error);
}

static pl_status add_attachment(stage *s, pl_error *error)
{
  pl_selector where = {.set = "y-max"};
  pl_attachment_def def = pl_attachment_def_default();
  def.to = s->side;
  def.where = &where, def.where_count = 1;
  def.exact = strcmp(s->kind, "tie") == 0;
  if (!def.exact) def.stiffness = 1000, def.damping = 3;
  return pl_world_add_attachment(s->world, s->low, &def, NULL, error);
}

/* At a ball that stands beside it, one end sliding. */
static pl_status add_mooring(stage *s, pl_error *error)
{
  pl_setting ball[] = {{.name = "centre", .value = {0.1, -0.3, 0.05}},
                       {.name = "radius", .value = {0.25}}};
  pl_obstacle_def obstacle = pl_obstacle_def_default();
  pl_status status = PL_OK;
  pl_attachment_def def = pl_attachment_def_default();
  obstacle.shape = (pl_choice){"sphere", ball, 2};
  status = pl_world_add_obstacle(s->world, &obstacle, &def.obstacle, error);
  for (int k = 0; k < 2 && !status; k++) {
    pl_selector where = {.set = k ? "y-min" : "x-max"};
    def.where = &where, def.where_count = 1;
    def.stiffness = 1000, def.damping = 3;
    def.slides = k;
    status = pl_world_add_attachment(s->world, s->low, &def, NULL, error);
  }
  return status;
}

/* One of every law, with its presets. */
static pl_status add_links(stage *s, pl_error *error)
{
  pl_setting ends[] = {{.name = "at", .value = {0.03, 0.02, 0.1}},
                       {.name = "to-at", .value = {0.12, 0.08, 0.15}}};
  pl_status status = PL_OK;
  for (int m = 0; pl_link_family.members[m] && !status; m++)
    status = pl_world_add_link(s->world, s->low, s->high,
                               &(pl_choice){pl_link_family.members[m]->name, ends, 2}, NULL, error);
  return status;
}

static pl_status add_fix(stage *s, pl_error *error)
{
  pl_selector where = {.set = "x-min"};
  pl_fix_def def = pl_fix_def_default();
  def.where = &where, def.where_count = 1;
  return pl_world_add_fix(s->world, s->low, &def, NULL, error);
}

/* The kind itself; gravity is always there, drag and momentum come with the bodies. */
/* An obstacle that was moved by hand, apart from the bodies. */
static pl_status add_moved(stage *s, pl_error *error)
{
  pl_setting below = {.name = "point", .value = {0, 0, -1}};
  pl_obstacle_def def = pl_obstacle_def_default();
  pl_obstacle_id id;
  def.shape = (pl_choice){"plane", &below, 1};
  pl_status status = pl_world_add_obstacle(s->world, &def, &id, error);
  if (status) return status;
  return pl_world_move_obstacle(s->world, id, (double[3]){0, 0, 0.1}, (double[3]){0}, error);
}

static int is_barrier(const stage *s) { return strcmp(s->kind, "barrier") == 0; }

/* Impulses act with explicit methods only. */
static int is_impulse(const stage *s)
{
  return strcmp(s->kind, "impulse") == 0 || strcmp(s->kind, "zhuang-canny") == 0;
}

static pl_status add_kind(stage *s, pl_error *error)
{
  pl_selector all = {.region = {"all", NULL, 0}};
  pl_contact_def between = pl_contact_def_default();
  between.between_bodies = strcmp(s->kind, "collision") == 0 || is_barrier(s) || is_impulse(s);
  if (strcmp(s->kind, "collision") == 0) between.response.name = "constraint";
  if (is_impulse(s)) between.response.name = s->kind, between.range = 0.0012;
  if (is_barrier(s)) between.response.name = "barrier", between.range = 0.0012;
  between.friction = friction;
  pl_status status = pl_world_set_contact(s->world, &between, error);
  if (status) return status;
  if (strcmp(s->kind, "load") == 0) return add_load(s, &all, error);
  if (strcmp(s->kind, "own-force") == 0) return add_forces(s, error);
  if (strcmp(s->kind, "pull") == 0) return add_pull(s, error);
  if (strcmp(s->kind, "tool") == 0) return add_tool(s, error);
  if (strcmp(s->kind, "contact") == 0) return add_contact(s, error);
  if (strcmp(s->kind, "placement") == 0) return add_moved(s, error);
  if (strcmp(s->kind, "mooring") == 0) return add_mooring(s, error);
  if (strcmp(s->kind, "attachment") == 0) return add_attachment(s, error);
  if (strcmp(s->kind, "tie") == 0) return add_attachment(s, error);
  if (strcmp(s->kind, "link") == 0) return add_links(s, error);
  if (strcmp(s->kind, "fix") == 0) return add_fix(s, error);
  if (pl_member_find(&pl_effect_family, s->kind))
    return pl_world_add_effect(s->world, s->low, &(pl_choice){.name = s->kind}, NULL, error);
  return PL_OK;
}

static pl_status open_stage(stage *s, const char *integrator, double dt,
                            const pl_allocator *allocator, pl_error *error)
{
  pl_world_def def = pl_world_def_default();
  pl_setting newton = {.name = "newton", .value = {60}};
  def.integrator.name = integrator;
  def.allow_unstable = 1;
  if (is_barrier(s)) def.integrator = (pl_choice){"implicit-euler", &newton, 1};
  if (is_impulse(s)) def.integrator = (pl_choice){.name = "explicit-newmark"};
  def.dt = is_impulse(s) ? fmin(dt, 1e-4) : dt;
  def.threads = 1;
  if (allocator) def.allocator = *allocator;
  s->world = NULL;
  pl_status status = pl_world_create(&def, &s->world, error);
  if (!status) status = add_box(s, 5, 5, 5, &s->spare, error);
  if (!status) status = add_box(s, 0, 0, 0, &s->low, error);
  if (!status) status = add_box(s, 0, is_barrier(s) ? 0.21 : 0.2, 0, &s->side, error);
  if (!status) status = add_box(s, 0.1, 0.05, 0.101, &s->high, error);
  if (!status) status = add_kind(s, error);
  if (!status) status = pl_world_prepare(s->world, error);
  return status;
}

/* Calls check for every kind, with an implicit method or an explicit one. */
static void every_kind(const char *integrator, double dt, void (*check)(stage *s))
{
  for (int m = 0; pl_coupling_family.members[m]; m++) {
    int before = test_failures;
    stage s = {.kind = pl_coupling_family.members[m]->name,
               .ops = (const pl_coupling_ops *)pl_coupling_family.members[m]};
    CHECK_OK(open_stage(&s, integrator, dt, NULL, error));
    CHECK(pl_couplings_count(&s.world->couplings, s.ops) > 0);
    check(&s);
    pl_world_destroy(s.world);
    if (test_failures > before) printf("  with %s\n", s.kind);
  }
}

static void run(stage *s, int steps)
{
  for (int i = 0; i < steps; i++) CHECK_OK(pl_world_step(s->world, error));
}

/* ---- forces and matrices ---- */

static double energy_of(const stage *s, const double *q)
{
  double sum = 0;
  for (pl_coupling *c = NULL; (c = pl_couplings_next(&s->world->couplings, s->ops, c)) != NULL;) {
    for (int b = 0; b < (int)s->world->bodies.count; b++) sum += s->ops->energy(c, q, b);
  }
  return sum;
}

static void force_of(const stage *s, const double *q, const double *v, double *f)
{
  const pl_moment at = {
      .t = s->world->state.time, .h = s->world->set.dt, .q = q, .v = v, .load_scale = 1};
  memset(f, 0, 3 * (size_t)s->world->bodies.blocks * sizeof *f);
  for (pl_coupling *c = NULL; (c = pl_couplings_next(&s->world->couplings, s->ops, c)) != NULL;)
    s->ops->evaluate(c, &at, f, NULL);
}

/* y = (kq (-df/dq) + kv (-df/dv)) d, from the matrix. */
static void product_of(const stage *s, double kq, double kv, const double *d, double *y)
{
  pl_world *world = s->world;
  const pl_moment at = {.t = world->state.time,
                        .h = world->set.dt,
                        .q = world->state.q,
                        .v = world->state.v,
                        .load_scale = 1};
  const pl_tangent tangent = {.kq = kq, .kv = kv, .A = world->system.A};
  pl_bsr_zero(world->system.A, NULL);
  for (pl_coupling *c = NULL; (c = pl_couplings_next(&world->couplings, s->ops, c)) != NULL;)
    s->ops->evaluate(c, &at, NULL, &tangent);
  pl_bsr_multiply(world->system.A, d, y, NULL);
}

static double largest(const double *x, int n)
{
  double max = 0;
  for (int i = 0; i < n; i++) max = fmax(max, fabs(x[i]));
  return max;
}

enum { PARTS = 6 };

static void check_energy(stage *s)
{
  int n = 3 * s->world->bodies.blocks;
  if (!s->ops->energy || !s->ops->evaluate) return;
  double *q = calloc(3 * (size_t)n, sizeof *q), *f = q + n, *rest = f + n,
         h = is_barrier(s) ? 1e-8 : 1e-5;
  run(s, is_barrier(s) ? 1 : 2);
  // without velocity there is no damping
  force_of(s, s->world->state.q, rest, f);
  memcpy(q, s->world->state.q, (size_t)n * sizeof *q);
  CHECK(largest(f, n) > 0);
  for (int i = 0; i < n; i++) {
    double x = q[i];
    q[i] = x + h;
    double up = energy_of(s, q);
    q[i] = x - h;
    double down = energy_of(s, q);
    q[i] = x;
    CHECK_NEAR(f[i], -(up - down) / (2 * h), 1e-5 * largest(f, n));
  }
  free(q);
}

TEST(forces_are_the_slope_of_the_energy)
{
  friction = 0; // it has no energy
  every_kind("implicit-euler", 0.002, check_energy);
  friction = 0.3;
}

/* Along random directions, by positions and by velocities. */
static void check_slope(const stage *s, int by_velocity, double *room, int n)
{
  double *d = room, *y = d + n, *q = y + n, *v = q + n, *up = v + n, *down = up + n, h = 1e-6;
  for (int i = 0; i < n; i++) d[i] = test_uniform();
  product_of(s, !by_velocity, by_velocity, d, y);
  for (int sign = -1; sign <= 1; sign += 2) {
    for (int i = 0; i < n; i++) {
      q[i] = s->world->state.q[i] + (by_velocity ? 0 : sign * h * d[i]);
      v[i] = s->world->state.v[i] + (by_velocity ? sign * h * d[i] : 0);
    }
    force_of(s, q, v, sign < 0 ? down : up);
  }
  double scale = largest(y, n) + 1e-3 * largest(up, n) + 1e-9;
  for (int i = 0; i < n; i++) CHECK_NEAR(y[i], -(up[i] - down[i]) / (2 * h), 1e-5 * scale);
}

/* Symmetric, and x A x >= 0. */
static void check_form(const stage *s, double *room, int n)
{
  double *x = room, *y = x + n, *Ax = y + n, *Ay = Ax + n;
  for (int i = 0; i < n; i++) x[i] = test_uniform(), y[i] = test_uniform();
  product_of(s, 1, 0.5, x, Ax);
  product_of(s, 1, 0.5, y, Ay);
  double left = pl_dot(y, Ax, n / 3, NULL), right = pl_dot(x, Ay, n / 3, NULL);
  CHECK_NEAR(left, right, 1e-10 * (1 + fabs(left)));
  CHECK(pl_dot(x, Ax, n / 3, NULL) >= -1e-10);
}

static void check_matrix(stage *s)
{
  int n = 3 * s->world->bodies.blocks;
  // pairs have a matrix of their own, and world/collision their derivatives
  if (!s->ops->evaluate || s->ops->makes_pairs) return;
  double *room = calloc(PARTS * (size_t)n, sizeof *room);
  run(s, 3);
  check_form(s, room, n);
  for (int by_velocity = 0; by_velocity < 2 && !is_partly(s->kind); by_velocity++)
    check_slope(s, by_velocity, room, n);
  free(room);
}

TEST(matrices_are_those_of_the_forces) { every_kind("implicit-euler", 0.002, check_matrix); }

/* ---- the state ---- */

static void check_state(stage *s)
{
  stage twin = *s;
  run(s, 6);
  size_t size = pl_world_state_size(s->world);
  void *memory = malloc(size);
  CHECK_OK(pl_world_save_state(s->world, memory, size, error));
  run(s, 6);
  uint64_t hash = pl_world_state_hash(s->world);
  CHECK_OK(pl_world_load_state(s->world, memory, size, error));
  run(s, 6);
  CHECK(pl_world_state_hash(s->world) == hash);
  CHECK_OK(open_stage(&twin, "implicit-euler", 0.002, NULL, error));
  CHECK_OK(pl_world_load_state(twin.world, memory, size, error));
  run(&twin, 6);
  CHECK(pl_world_state_hash(twin.world) == hash);
  pl_world_destroy(twin.world);
  free(memory);
}

TEST(what_they_remember_lies_in_the_state) { every_kind("implicit-euler", 0.002, check_state); }

/* ---- other blocks ---- */

enum { NODES = 18 };

static void read_all(const stage *s, double x[3][3 * NODES])
{
  const pl_body_id bodies[] = {s->low, s->side, s->high};
  for (int b = 0; b < 3; b++) CHECK_OK(pl_world_get_positions(s->world, bodies[b], x[b], error));
}

static double largest_difference(const double *a, const double *b, int n)
{
  double max = 0;
  for (int i = 0; i < n; i++) max = fmax(max, fabs(a[i] - b[i]));
  return max;
}

/* A body far away and in front of the others is removed: for explicit methods nothing changes. */
static void check_follows(stage *s)
{
  static double with[3][3 * NODES], without[3][3 * NODES];
  stage twin = *s;
  CHECK_OK(open_stage(&twin, "verlet", 2e-4, NULL, error));
  run(s, 40), run(&twin, 40);
  CHECK_OK(pl_world_remove_body(twin.world, twin.spare, error));
  pl_world_unprepare(s->world); // both forget what the method remembers
  run(s, 40), run(&twin, 40);
  read_all(s, with), read_all(&twin, without);
  CHECK(largest_difference(with[0], without[0], 9 * NODES) <= (is_barrier(s) ? 1e-6 : 0));
  pl_world_destroy(twin.world);
}

TEST(they_follow_when_a_body_before_theirs_is_removed)
{
  every_kind("verlet", 2e-4, check_follows);
}

/* What is removed with its body acts no more, and the others run on. */
static void check_gone(stage *s)
{
  size_t others = s->world->couplings.count - pl_couplings_count(&s->world->couplings, s->ops);
  run(s, 2);
  CHECK_OK(pl_world_remove_body(s->world, s->low, error));
  CHECK(s->world->couplings.count >= others);
  for (size_t i = 0; i < s->world->couplings.count; i++) {
    const int *ends = s->world->couplings.list[i]->acts_on;
    CHECK(ends[0] < 3 && ends[1] < 3);
  }
  run(s, 2);
}

TEST(they_go_with_their_body) { every_kind("implicit-euler", 0.002, check_gone); }

/* ---- memory ---- */

static pl_status attempt(const pl_allocator *allocator, void *context)
{
  stage s = {.kind = context};
  pl_error error = {0};
  pl_status status = open_stage(&s, "implicit-euler", 0.002, allocator, &error);
  pl_world_destroy(s.world);
  return status;
}

TEST(failing_allocations_do_no_harm)
{
  for (int m = 0; pl_coupling_family.members[m]; m++) {
    int before = test_failures;
    fail_every_allocation(attempt, (void *)(uintptr_t)pl_coupling_family.members[m]->name);
    if (test_failures > before) printf("  with %s\n", pl_coupling_family.members[m]->name);
  }
}

TESTS(X(forces_are_the_slope_of_the_energy) X(matrices_are_those_of_the_forces)
          X(what_they_remember_lies_in_the_state)
              X(they_follow_when_a_body_before_theirs_is_removed) X(they_go_with_their_body)
                  X(failing_allocations_do_no_harm))
