/* Every load: its size follows the factor, its matrix is symmetric, and where it claims to have
 * derivatives they are those of its forces. */
#include "sparse/vector.h"
#include "world/probe.h"

#include "world/bar.h"

typedef struct bench {
  pl_world *world;
  int n;
  double *q, *v, *d, *f, *up, *down, *product;
} bench;

/* A bar of tetrahedra, deformed and moving, with a load on all of its surface. */
static bench open_bench(const char *name, const pl_setting *settings, int count)
{
  bench b = {0};
  pl_body_id body;
  pl_load_def def = pl_load_def_default();
  pl_selector all = {.region = {"all", NULL, 0}};
  def.load = (pl_choice){name, settings, count};
  def.where = &all;
  def.where_count = 1;
  CHECK_OK(bar_make(&(bar_def){.n = 2, .free = 1}, &b.world, &body, error));
  CHECK_OK(pl_world_add_load(b.world, body, &def, NULL, error));
  CHECK_OK(pl_world_prepare(b.world, error));
  b.n = 3 * b.world->bodies.blocks;
  double *room = calloc(7 * (size_t)b.n, sizeof *room);
  b.q = room, b.v = room + b.n, b.d = b.v + b.n, b.f = b.d + b.n, b.up = b.f + b.n;
  b.down = b.up + b.n, b.product = b.down + b.n;
  for (int i = 0; i < b.n; i++) {
    b.q[i] = b.world->state.q[i] + 0.02 * (test_uniform() - 0.5);
    b.v[i] = test_uniform() - 0.5;
  }
  return b;
}

static void close_bench(bench *b)
{
  free(b->q);
  pl_world_destroy(b->world);
}

static void force(const bench *b, const double *q, const double *v, double *f)
{
  memset(f, 0, (size_t)b->n * sizeof *f);
  probe_force(b->world, &pl_coupling_load, 0, q, v, f);
}

/* The largest difference of A d from -df/ds along d, over the largest entry of A d. */
static double slope_error(const bench *b, double kq, double kv)
{
  const double h = 1e-6;
  double worst = 0, max = 1e-12, *q = malloc(2 * (size_t)b->n * sizeof *q), *v = q + b->n;
  pl_bsr_zero(b->world->system.A, NULL);
  probe_matrix(b->world, &pl_coupling_load, 0, b->q, b->v, kq, kv, 0, b->world->system.A);
  for (int i = 0; i < b->n; i++) b->d[i] = test_uniform() - 0.5;
  pl_bsr_multiply(b->world->system.A, b->d, b->product, NULL);
  for (int sign = -1; sign <= 1; sign += 2) {
    for (int i = 0; i < b->n; i++) {
      q[i] = b->q[i] + sign * h * kq * b->d[i];
      v[i] = b->v[i] + sign * h * kv * b->d[i];
    }
    force(b, q, v, sign < 0 ? b->down : b->up);
  }
  for (int i = 0; i < b->n; i++) {
    worst = fmax(worst, fabs(b->product[i] + (b->up[i] - b->down[i]) / (2 * h)));
    max = fmax(max, fabs(b->product[i]));
  }
  free(q);
  return worst / max;
}

TEST(every_load_pushes_and_its_matrix_is_symmetric)
{
  for (int m = 0; pl_load_family.members[m]; m++) {
    // loads without either push as their presets say
    const pl_member *member = pl_load_family.members[m];
    int is_wind = pl_param_find(member, "velocity") >= 0;
    int has_value = is_wind || pl_param_find(member, "value") >= 0;
    pl_setting setting = {.name = is_wind ? "velocity" : "value", .value = {3, 4, 5}};
    bench b = open_bench(member->name, &setting, has_value);
    double max = 0;
    force(&b, b.q, b.v, b.f);
    for (int i = 0; i < b.n; i++) max = fmax(max, fabs(b.f[i]));
    CHECK(max > 0 && isfinite(max));
    pl_bsr *A = b.world->system.A;
    pl_bsr_zero(A, NULL);
    probe_matrix(b.world, &pl_coupling_load, 0, b.q, b.v, 1, 0.5, 0, A);
    for (int i = 0; i < b.n; i++) {
      b.d[i] = test_uniform() - 0.5;
      b.up[i] = test_uniform() - 0.5;
    }
    pl_bsr_multiply(A, b.d, b.product, NULL);
    pl_bsr_multiply(A, b.up, b.down, NULL);
    double left = pl_dot(b.up, b.product, b.n / 3, NULL),
           right = pl_dot(b.d, b.down, b.n / 3, NULL);
    CHECK_NEAR(left, right, 1e-12 * (1 + fabs(left)));
    close_bench(&b);
  }
}

/* Pressure on a closed surface has a symmetric derivative, so that the symmetric part is all. */
TEST(pressure_has_its_derivative)
{
  pl_setting settings[] = {{.name = "value", .value = {700}},
                           {.name = "tangent", .word = "symmetric"}};
  bench b = open_bench("pressure", settings, 2);
  double error_of = slope_error(&b, 1, 0);
  printf("  %.1e\n", error_of);
  CHECK(error_of < 1e-6);
  close_bench(&b);
}

/* Wind across the surface: exact in velocity. */
TEST(wind_has_its_derivative)
{
  pl_setting settings[] = {{.name = "velocity", .value = {6, -3, 2}},
                           {.name = "along", .value = {0}}};
  bench b = open_bench("wind", settings, 2);
  double error_of = slope_error(&b, 0, 1);
  printf("  %.1e\n", error_of);
  CHECK(error_of < 1e-5);
  close_bench(&b);
}

/* The viscous fluid: linear in velocity, and no force on faces that move with the stream. */
TEST(a_viscous_fluid_has_its_derivative)
{
  pl_setting settings[] = {{.name = "coefficient", .value = {3}},
                           {.name = "velocity", .value = {6, -3, 2}}};
  bench b = open_bench("viscous", settings, 2);
  CHECK(slope_error(&b, 0, 1) < 1e-8);
  for (int i = 0; i < b.n; i++) b.v[i] = settings[1].value[i % 3];
  force(&b, b.q, b.v, b.f);
  for (int i = 0; i < b.n; i++) CHECK(b.f[i] == 0);
  close_bench(&b);
}

/* A horizontal sheet that falls reaches sqrt(2 m g / (rho cn A)) on its two faces. */
TEST(falling_in_still_air_ends_at_the_terminal_speed)
{
  pl_setting settings[] = {{.name = "along", .value = {0}}, {.name = "normal", .value = {50}}};
  pl_setting box[] = {{.name = "size", .value = {0.5, 0.5, 0.02}},
                      {.name = "cells", .value = {4, 4, 1}}};
  pl_setting hooke[] = {{.name = "young", .value = {1e6}}, {.name = "poisson", .value = {0.3}}};
  pl_world_def def = pl_world_def_default();
  pl_body_def body_def = pl_body_def_default();
  pl_load_def load = pl_load_def_default();
  pl_selector all = {.region = {"all", NULL, 0}};
  pl_mesh *mesh = NULL;
  pl_world *world = NULL;
  pl_body_id body;
  def.threads = 1;
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", box, 2}, NULL, &mesh, error));
  CHECK_OK(pl_world_create(&def, &world, error));
  body_def.mesh = mesh;
  body_def.material.law = (pl_choice){"hooke", hooke, 2};
  body_def.material.density = 100;
  CHECK_OK(pl_world_add_body(world, &body_def, &body, error));
  load.load = (pl_choice){"wind", settings, 2};
  load.where = &all;
  load.where_count = 1;
  CHECK_OK(pl_world_add_load(world, body, &load, NULL, error));
  for (int i = 0; i < 200; i++) CHECK_OK(pl_world_step(world, error));
  double mass = 100 * 0.5 * 0.5 * 0.02, area = 2 * 0.5 * 0.5;
  double expected = sqrt(2 * mass * 9.81 / (1.2 * 50 * area)), v[3 * 50], mean = 0;
  CHECK_OK(pl_world_get_velocities(world, body, v, error));
  for (int i = 0; i < 50; i++) mean -= v[3 * i + 2] / 50;
  printf("  %.5f of %.5f m/s\n", mean, expected);
  CHECK_NEAR(mean, expected, 0.01 * expected);
  pl_mesh_destroy(mesh);
  pl_world_destroy(world);
}

TESTS(X(every_load_pushes_and_its_matrix_is_symmetric) X(pressure_has_its_derivative)
          X(wind_has_its_derivative) X(a_viscous_fluid_has_its_derivative)
              X(falling_in_still_air_ends_at_the_terminal_speed))
