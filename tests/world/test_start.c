/* Bodies that start in another shape than at rest. */
#include "math/vec3.h"
#include "world/world.h"

#include "mesh/failing.h"
#include "test.h"

enum { NODES = 3 * 3 * 5 };

typedef struct setup {
  const char *integrator, *model, *law;
  double dt, density, stretch[3];
  const double *start;
  const pl_allocator *allocator;
} setup;

static pl_mesh *make_mesh(const pl_allocator *allocator)
{
  pl_setting box[] = {{.name = "size", .value = {1, 0.25, 0.25}},
                      {.name = "cells", .value = {4, 2, 2}},
                      {.name = "element", .word = "hex"}};
  pl_mesh *mesh = NULL;
  return pl_mesh_generate(&(pl_choice){"box", box, 3}, allocator, &mesh, NULL) ? NULL : mesh;
}

static pl_status make(const setup *with, pl_world **world, pl_body_id *body, pl_error *error)
{
  pl_setting hooke[] = {{.name = "young", .value = {1e5}},
                        {.name = "poisson", .value = {0}},
                        {.name = "g1", .value = {0.6}},
                        {.name = "tau1", .value = {0.2}}};
  pl_setting exact = {.name = "tolerance", .value = {1e-12}};
  pl_world_def def = pl_world_def_default();
  def.integrator.name = with->integrator;
  def.solver = (pl_choice){"cg", &exact, 1};
  def.dt = with->dt;
  def.threads = 1;
  memset(def.gravity, 0, sizeof def.gravity);
  if (with->allocator) def.allocator = *with->allocator;
  pl_mesh *mesh = make_mesh(with->allocator);
  pl_status status = mesh ? pl_world_create(&def, world, error) : PL_E_MEMORY;
  pl_body_def bar = pl_body_def_default();
  bar.mesh = mesh;
  bar.material.law = (pl_choice){with->law ? with->law : "hooke", hooke, with->law ? 4 : 2};
  if (with->density > 0) bar.material.density = with->density;
  if (with->model) bar.model.name = with->model;
  bar.start = with->start;
  if (with->stretch[0] > 0) memcpy(bar.stretch, with->stretch, sizeof bar.stretch);
  if (!status) status = pl_world_add_body(*world, &bar, body, error);
  pl_mesh_destroy(mesh);
  return status;
}

static double length_of(const pl_world *world, pl_body_id body)
{
  double x[3 * NODES], low = INFINITY, high = -INFINITY;
  CHECK_OK(pl_world_get_positions(world, body, x, error));
  for (int i = 0; i < NODES; i++) {
    low = fmin(low, x[3 * i]);
    high = fmax(high, x[3 * i]);
  }
  return high - low;
}

/* A free bar of length 1 with Poisson's ratio 0 that starts stretched vibrates about its length:
 * its first mode has the period 2 L sqrt(rho / E). */
TEST(a_stretched_bar_swings_about_its_length_at_rest)
{
  static const char *const integrators[] = {"implicit-midpoint", "newmark", "verlet", "rk4",
                                            "rosenbrock4",       "bdf3"};
  for (size_t m = 0; m < sizeof integrators / sizeof *integrators; m++) {
    setup with = {.integrator = integrators[m], .dt = 0.0005, .stretch = {1.02, 1, 1}};
    pl_world *world = NULL;
    pl_body_id body;
    CHECK_OK(make(&with, &world, &body, error));
    CHECK_NEAR(length_of(world, body), 1.02, 1e-14);
    double low = INFINITY, high = 0, sum = 0;
    int steps = (int)(2 * sqrt(1000 / 1e5) / with.dt + 0.5);
    for (int i = 0; i < steps; i++) {
      CHECK_OK(pl_world_step(world, error));
      double length = length_of(world, body);
      low = fmin(low, length), high = fmax(high, length);
      sum += length / steps;
    }
    CHECK_NEAR(sum, 1, 2e-3);
    CHECK_NEAR(low, 0.98, 4e-3);
    CHECK_NEAR(high, 1.02, 4e-3);
    if (fabs(sum - 1) > 2e-3 || fabs(low - 0.98) > 4e-3)
      printf("  %s: %g to %g, mean %g\n", with.integrator, low, high, sum);
    pl_world_destroy(world);
  }
}

/* A bar too heavy to move, whose law fades: after one long step it was under strain 0.1 for all of
 * it, not only since the strain had risen. With Poisson's ratio 0 the deviator carries 2/3 of the
 * stress E e, of which the share 0.6 fades with 0.2 s. */
TEST(laws_that_remember_take_it_as_sudden)
{
  setup with = {.integrator = "implicit-euler",
                .dt = 0.2,
                .law = "hooke-prony",
                .density = 1e12,
                .stretch = {1.1, 1, 1}};
  pl_world *world = NULL;
  pl_body_id body;
  double momentum = 0;
  CHECK_OK(make(&with, &world, &body, error));
  CHECK_OK(pl_world_step(world, error));
  const pl_body *bar = &world->bodies.list[0];
  for (int k = 0; k < bar->blocks; k++)
    momentum += bar->model->lumped_mass[k] * fabs(world->state.v[3 * k]);
  double left = 1.0 / 3 + 2.0 / 3 * (0.4 + 0.6 * exp(-1));
  double force = 1e5 * 0.25 * 0.25 * 0.1 * left;
  CHECK_NEAR(momentum, 2 * force * 0.2, 1e-3 * momentum);
  pl_world_destroy(world);
}

TEST(nodes_start_where_they_are_put_and_saved_states_go_on)
{
  static const char *const models[] = {"fem", "springs"};
  for (int m = 0; m < 2; m++) {
    pl_mesh *bent = make_mesh(NULL);
    CHECK(bent != NULL);
    for (int i = 0; i < NODES; i++)
      bent->nodes[3 * i + 2] += 0.1 * bent->nodes[3 * i] * bent->nodes[3 * i];
    setup with = {
        .integrator = "implicit-euler", .model = models[m], .dt = 0.01, .start = bent->nodes};
    pl_world *world = NULL;
    pl_body_id body;
    double x[3 * NODES];
    CHECK_OK(make(&with, &world, &body, error));
    CHECK_OK(pl_world_get_positions(world, body, x, error));
    CHECK(memcmp(x, bent->nodes, sizeof x) == 0);
    size_t size = pl_world_state_size(world);
    void *saved = malloc(size);
    CHECK_OK(pl_world_save_state(world, saved, size, error));
    for (int i = 0; i < 5; i++) CHECK_OK(pl_world_step(world, error));
    uint64_t hash = pl_world_state_hash(world);
    CHECK_OK(pl_world_load_state(world, saved, size, error));
    for (int i = 0; i < 5; i++) CHECK_OK(pl_world_step(world, error));
    CHECK(pl_world_state_hash(world) == hash);
    free(saved);
    pl_mesh_destroy(bent);
    pl_world_destroy(world);
  }
}

TEST(wrong_starts_are_refused)
{
  double wrong[3 * NODES] = {0};
  pl_world *world = NULL;
  pl_body_id body;
  setup with = {.integrator = "implicit-euler", .dt = 0.01, .start = wrong};
  CHECK_FAILS(make(&with, &world, &body, error), PL_E_ARGUMENT, "starts inside out");
  CHECK(pl_world_body_count(world) == 0);
  pl_world_destroy(world);
  wrong[4] = NAN;
  CHECK_FAILS(make(&with, &world, &body, error), PL_E_ARGUMENT, "start of node 1");
  pl_world_destroy(world);
  with.start = NULL;
  pl_vec3_set(with.stretch, 1, -1, 1);
  CHECK_FAILS(make(&with, &world, &body, error), PL_E_ARGUMENT, "stretch = -1");
  pl_world_destroy(world);
  pl_vec3_set(with.stretch, 1.1, 1, 1);
  with.model = "frames";
  CHECK_FAILS(make(&with, &world, &body, error), PL_E_ARGUMENT, "follow its frames");
  pl_world_destroy(world);
}

static pl_status attempt(const pl_allocator *allocator, void *user)
{
  (void)user;
  setup with = {.integrator = "verlet",
                .dt = 1e-3,
                .law = "hooke-prony",
                .stretch = {1.1, 1, 1},
                .allocator = allocator};
  pl_world *world = NULL;
  pl_body_id body;
  pl_error error;
  pl_status status = make(&with, &world, &body, &error);
  pl_world_destroy(world);
  return status;
}

TEST(memory_may_fail) { fail_every_allocation(attempt, NULL); }

TESTS(X(a_stretched_bar_swings_about_its_length_at_rest) X(laws_that_remember_take_it_as_sudden)
          X(nodes_start_where_they_are_put_and_saved_states_go_on) X(wrong_starts_are_refused)
              X(memory_may_fail))
