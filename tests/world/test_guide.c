/* Hierarchical corotation: frames that a coarse nonlinear world lends to fine linear bodies. */
#include "counter.h"
#include "ode/integrator.h"
#include "pliant/world.h"
#include "world/guide.h"

#include "go_on.h"
#include "test.h"

enum { FINE, COARSE };

typedef struct bar {
  pl_world *world;
  pl_body_id id;
} bar;

/* A bar that is held at its left, or free and spinning. */
static bar make(int which, const char *method, double spin, const pl_allocator *allocator)
{
  double n = which == FINE ? 2 : 1;
  pl_setting box[] = {{.name = "size", .value = {0.3, 0.1, 0.1}},
                      {.name = "cells", .value = {3 * n, n, n}}};
  pl_setting hooke[] = {{.name = "young", .value = {2e4}},
                        {.name = "poisson", .value = {0.3}},
                        {.name = "update", .value = {1e6}}};
  pl_setting green = {.name = "strain", .word = "green"};
  pl_choice generator = {"box", box, 2};
  pl_mesh *mesh = NULL;
  bar it = {0};
  CHECK_OK(pl_mesh_generate(&generator, NULL, &mesh, error));
  pl_world_def world = pl_world_def_default();
  if (allocator) world.allocator = *allocator;
  world.dt = 0.01;
  world.gravity[2] = 0;
  world.threads = 1;
  world.integrator.name = method;
  pl_body_def def = pl_body_def_default();
  def.name = "bar";
  def.mesh = mesh;
  def.material.law =
      (pl_choice){which == FINE ? "hooke-lagged" : "hooke", hooke, which == FINE ? 3 : 2};
  if (which == COARSE) def.model = (pl_choice){"fem", &green, 1};
  def.spin[2] = spin;
  CHECK_OK(pl_world_create(&world, &it.world, error));
  if (it.world) CHECK_OK(pl_world_add_body(it.world, &def, &it.id, error));
  pl_mesh_destroy(mesh);
  return it;
}

static bar guided(const char *method, double spin, double update, int alone)
{
  bar fine = make(FINE, method, spin, NULL), coarse = make(COARSE, method, spin, NULL);
  CHECK_OK(pl_world_set_guide(fine.world, coarse.world, update, alone, error));
  return fine;
}

static double elastic(const bar *it)
{
  const pl_body *body = pl_world_body(it->world, it->id);
  return body->model->ops->energy(body->model, it->world->state.q + 3 * body->offset, NULL);
}

/* Turned by 50 degrees as a whole, with frames of the guide that is turned as well: no strain; in
 * the frames of the rest shape there is. */
TEST(frames_are_the_rotations_of_the_guide)
{
  bar fine = make(FINE, "implicit-euler", 0, NULL),
      coarse = make(COARSE, "implicit-euler", 0, NULL);
  const bar *both[] = {&fine, &coarse};
  double c = cos(0.9), s = sin(0.9);
  CHECK_OK(pl_world_set_guide(fine.world, coarse.world, 0.01, 1, error));
  for (int i = 0; i < 2; i++) {
    int nodes = pl_world_body(both[i]->world, both[i]->id)->mesh->node_count;
    double *x = malloc(3 * (size_t)nodes * sizeof *x);
    CHECK_OK(pl_world_get_positions(both[i]->world, both[i]->id, x, error));
    for (int n = 0; n < nodes; n++) {
      double a = x[3 * n], b = x[3 * n + 1];
      x[3 * n] = c * a - s * b;
      x[3 * n + 1] = s * a + c * b;
    }
    CHECK_OK(pl_world_set_positions(both[i]->world, both[i]->id, x, error));
    free(x);
  }
  double before = elastic(&fine);
  CHECK_OK(pl_world_step(fine.world, error));
  printf("  energy %.3g J in the frames at rest, %.3g in those of the guide\n", before,
         elastic(&fine));
  CHECK(before > 1e-2);
  CHECK(elastic(&fine) < 1e-12);
  pl_world_destroy(fine.world);
}

/* BDF4 to 6 are not stable where nothing damps, but at small steps. */
static double step_of(const pl_integrator_ops *ops)
{
  return strncmp(ops->info.name, "bdf", 3) == 0 && ops->order > 3 ? 0.001 : 0.01;
}

/* Free and spinning at 3 rad/s, with every implicit method: turned by 1.5 rad it has kept its size.
 * The guide goes on from the body, or moves alone. */
TEST(a_spinning_bar_keeps_its_size_with_every_integrator)
{
  for (int m = 0; pl_integrator_family.members[m]; m++) {
    const pl_integrator_ops *ops = (const void *)pl_integrator_family.members[m];
    const char *name = ops->info.name;
    if (!ops->is_implicit || ops->is_static) continue;
    for (int alone = 0; alone < 2; alone++) {
      bar it = guided(name, 3, 0.02, alone);
      CHECK_OK(pl_world_set_dt(it.world, step_of(ops), error));
      if (step_of(ops) < 0.01) CHECK_OK(pl_world_set_dt(it.world->set.guide->world, 0.001, error));
      int steps = TEST_SANITIZED ? 5 : 50;
      for (int i = 0; i < steps; i++) CHECK_OK(pl_world_step(it.world, error));
      const pl_body *body = pl_world_body(it.world, it.id);
      double *x = malloc(3 * (size_t)body->mesh->node_count * sizeof *x), far = 0;
      CHECK_OK(pl_world_get_positions(it.world, it.id, x, error));
      for (int n = 0; n < body->mesh->node_count; n++)
        far = fmax(far, hypot(x[3 * n] - 0.15, x[3 * n + 1] - 0.05));
      if (!(fabs(far - hypot(0.15, 0.05)) < 0.005)) printf("  %s, alone %d\n", name, alone);
      CHECK_NEAR(far, hypot(0.15, 0.05), 0.005);
      free(x);
      pl_world_destroy(it.world);
    }
  }
}

/* The guide's state goes with the world's. */
TEST(a_state_carries_the_guide)
{
  for (int alone = 0; alone < 2; alone++) {
    bar one = guided("bdf2", 3, 0.03, alone), other = guided("bdf2", 3, 0.03, alone);
    size_t size = 0;
    void *state = test_goes_on(one.world, other.world, &size);
    // a damaged guide is refused
    ((char *)state)[size - 9] ^= 1;
    CHECK_FAILS(pl_world_load_state(other.world, state, size, error), PL_E_ARGUMENT, "checksum");
    free(state);
    pl_world_destroy(one.world);
    pl_world_destroy(other.world);
  }
}

TEST(what_cannot_be_led_is_refused)
{
  bar fine = make(FINE, "implicit-euler", 0, NULL),
      coarse = make(COARSE, "implicit-euler", 0, NULL);
  bar other = make(COARSE, "implicit-euler", 0, NULL), led = guided("implicit-euler", 0, 0.1, 0);
  CHECK_FAILS(pl_world_set_guide(coarse.world, other.world, 0.1, 0, error), PL_E_ARGUMENT,
              "hooke-lagged");
  CHECK_FAILS(pl_world_set_guide(fine.world, coarse.world, 0, 0, error), PL_E_ARGUMENT, "0 s");
  CHECK_FAILS(pl_world_set_guide(fine.world, coarse.world, NAN, 0, error), PL_E_ARGUMENT, "s:");
  CHECK_FAILS(pl_world_set_guide(fine.world, fine.world, 0.1, 0, error), PL_E_ARGUMENT, "its own");
  CHECK_FAILS(pl_world_set_guide(fine.world, led.world, 0.1, 0, error), PL_E_ARGUMENT, "no guide");
  CHECK_OK(pl_world_remove_body(other.world, other.id, error));
  CHECK_FAILS(pl_world_set_guide(fine.world, other.world, 0.1, 0, error), PL_E_ARGUMENT, "\"bar\"");
  // bodies that are gone later are led no more
  CHECK_OK(pl_world_set_guide(fine.world, coarse.world, 0.01, 0, error));
  CHECK_OK(pl_world_remove_body(coarse.world, coarse.id, error));
  CHECK_OK(pl_world_step(fine.world, error));
  CHECK_OK(pl_world_set_guide(fine.world, NULL, 0, 0, error));
  CHECK_OK(pl_world_step(fine.world, error));
  pl_world_destroy(fine.world);
  pl_world_destroy(other.world);
  pl_world_destroy(led.world);
}

TEST(no_memory_is_told_and_nothing_leaks)
{
  counter c = {0};
  pl_allocator allocator = counter_allocator(&c);
  bar fine = make(FINE, "implicit-euler", 0, &allocator);
  bar coarse = make(COARSE, "implicit-euler", 0, NULL);
  long start = c.blocks, k = 0;
  pl_error told = {0};
  pl_status status;
  do {
    c.calls = 0;
    c.fail_at = ++k;
    status = pl_world_set_guide(fine.world, coarse.world, 0.1, 0, &told);
    CHECK(status == PL_OK || (status == PL_E_MEMORY && c.blocks == start));
  } while (status && k < 1000);
  CHECK(k > 5 && status == PL_OK);
  c.fail_at = 0;
  CHECK_OK(pl_world_step(fine.world, error));
  pl_world_destroy(fine.world);
  CHECK(c.blocks == 0);
}

TESTS(X(frames_are_the_rotations_of_the_guide)
          X(a_spinning_bar_keeps_its_size_with_every_integrator) X(a_state_carries_the_guide)
              X(what_cannot_be_led_is_refused) X(no_memory_is_told_and_nothing_leaks))
