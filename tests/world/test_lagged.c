/* Frames that are renewed at intervals (law hooke-lagged): linear in between, turned along then,
 * and part of the state. */
#include "pliant/world.h"
#include "world/world.h"

#include "go_on.h"
#include "test.h"

typedef struct bar {
  pl_world *world;
  pl_body_id id;
  const pl_body *body;
} bar;

static bar make(const char *law, double update, double dt, double spin)
{
  pl_setting box[] = {{.name = "size", .value = {0.3, 0.1, 0.1}},
                      {.name = "cells", .value = {3, 1, 1}}};
  pl_setting hooke[] = {{.name = "young", .value = {1e5}},
                        {.name = "poisson", .value = {0.3}},
                        {.name = "update", .value = {update}}};
  pl_choice generator = {"box", box, 2};
  pl_mesh *mesh = NULL;
  bar it = {0};
  CHECK_OK(pl_mesh_generate(&generator, NULL, &mesh, error));
  pl_world_def world = pl_world_def_default();
  world.dt = dt;
  world.gravity[2] = 0;
  world.integrator.name = "implicit-euler";
  pl_body_def def = pl_body_def_default();
  def.mesh = mesh;
  def.material.law = (pl_choice){law, hooke, update < 0 ? 2 : 3};
  def.spin[2] = spin;
  CHECK_OK(pl_world_create(&world, &it.world, error));
  CHECK_OK(pl_world_add_body(it.world, &def, &it.id, error));
  it.body = pl_world_body(it.world, it.id);
  pl_mesh_destroy(mesh);
  return it;
}

/* Forces at q, with what is remembered as it stands. */
static void forces(const bar *it, const double *q, double *f)
{
  pl_model *model = it->body->model;
  const pl_moment at = {.h = 0.001, .q = q};
  memset(f, 0, 3 * (size_t)model->blocks * sizeof *f);
  pl_model_begin(model, it->body->memory);
  model->ops->evaluate(model, &at, f, NULL, NULL);
}

/* f(q + d) + f(q - d) = 2 f(q), which corotated forces are far from. */
static double bend(const bar *it, double size)
{
  size_t count = 3 * (size_t)it->body->blocks;
  double *q = calloc(5 * count, sizeof *q), *f = q + 2 * count, worst = 0, max = 0;
  for (size_t i = 0; i < count; i++) {
    double d = size * test_uniform();
    q[i] = it->world->state.q[i] + d;
    q[count + i] = it->world->state.q[i] - d;
  }
  forces(it, q, f);
  forces(it, q + count, f + count);
  forces(it, it->world->state.q, f + 2 * count);
  for (size_t i = 0; i < count; i++) {
    worst = fmax(worst, fabs(f[i] + f[count + i] - 2 * f[2 * count + i]));
    max = fmax(max, fabs(f[i]));
  }
  free(q);
  return worst / max;
}

TEST(forces_are_linear_between_renewals)
{
  bar lagged = make("hooke-lagged", 0.1, 0.005, 2), corotated = make("hooke", -1, 0.005, 2);
  for (int step = 0; step < 30; step++) {
    CHECK_OK(pl_world_step(lagged.world, error));
    CHECK_OK(pl_world_step(corotated.world, error));
  }
  CHECK(bend(&lagged, 0.02) < 1e-12);
  CHECK(bend(&corotated, 0.02) > 1e-3);
  pl_world_destroy(lagged.world);
  pl_world_destroy(corotated.world);
}

/* Turned by 3 rad in all, in frames no more than 0.6 degrees old, it stays as large as it is; with
 * frames that are never renewed it grows. */
TEST(renewed_frames_follow_a_spin)
{
  const double updates[] = {0, 1e9, -1};
  double length[3];
  for (int i = 0; i < 3; i++) {
    bar it = make(i < 2 ? "hooke-lagged" : "hooke", updates[i], 0.005, 2);
    double *x = malloc(3 * (size_t)it.body->mesh->node_count * sizeof *x), high = 0;
    for (int step = 0; step < 300; step++) CHECK_OK(pl_world_step(it.world, error));
    CHECK_OK(pl_world_get_positions(it.world, it.id, x, error));
    for (int n = 0; n < it.body->mesh->node_count; n++) {
      double r = sqrt(pow(x[3 * n] - 0.15, 2) + pow(x[3 * n + 1] - 0.05, 2));
      high = fmax(high, r);
    }
    length[i] = high;
    free(x);
    pl_world_destroy(it.world);
  }
  printf("  corner at %.4f m corotated, %.4f renewed, %.4f never renewed\n", length[2], length[0],
         length[1]);
  CHECK_NEAR(length[0], length[2], 0.01 * length[2]);
  CHECK(fabs(length[1] - length[2]) > 0.05 * length[2]);
}

TEST(a_state_carries_the_frames)
{
  bar one = make("hooke-lagged", 0.023, 0.005, 3), other = make("hooke-lagged", 0.023, 0.005, 3);
  size_t size = 0;
  void *state = test_goes_on(one.world, other.world, &size);
  free(state);
  pl_world_destroy(one.world);
  pl_world_destroy(other.world);
}

TESTS(X(forces_are_linear_between_renewals) X(renewed_frames_follow_a_spin)
          X(a_state_carries_the_frames))
