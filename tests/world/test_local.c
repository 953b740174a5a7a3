/* Smaller steps where elements are small: what the whole body keeps of Stoermer-Verlet, at steps
 * that its smallest elements alone could not take. */
#include "pliant/world.h"
#include "world/world.h"

#include "test.h"

#include <math.h>

/* A block of 0.1 m, 48 tetrahedra, a corner of which is cut so many times; or whose cells become
 * smaller along x, the smallest 64 times thinner than the block. */
typedef struct block {
  const char *integrator, *strain;
  int levels, threads, graded;
  double dt, damping, parts;
} block;

static void refine_corner(pl_world *world, pl_body_id body, double size)
{
  const pl_setting corners[] = {{.name = "min", .value = {-9, -9, -9}},
                                {.name = "max", .value = {size, size, size}}};
  const pl_selector where = {.region = {"box", corners, 2}};
  CHECK_OK(pl_world_refine(world, body, &where, 1, error));
}

static pl_mesh *make_mesh(int graded)
{
  const pl_setting box[] = {{.name = "size", .value = {0.1, 0.1, 0.1}},
                            {.name = "cells", .value = {graded ? 4 : 2, 2, 2}}};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", box, 2}, NULL, &mesh, error));
  for (int i = 0; graded && i < mesh->node_count; i++)
    mesh->nodes[3 * i] = 0.1 * pow(mesh->nodes[3 * i] / 0.1, 3);
  return mesh;
}

static pl_world *make(const block *b, pl_body_id *body)
{
  const pl_setting hooke[] = {{.name = "young", .value = {1e4}},
                              {.name = "poisson", .value = {0.3}}};
  const pl_setting fem = {.name = "strain", .word = b->strain ? b->strain : "green"};
  const pl_setting parts = {.name = "parts", .value = {b->parts}};
  pl_mesh *mesh = make_mesh(b->graded);
  pl_world *world = NULL;
  pl_world_def def = pl_world_def_default();
  def.dt = b->dt;
  def.threads = b->threads ? b->threads : 1;
  def.halvings = 0;
  def.substeps = 1;
  memset(def.gravity, 0, sizeof def.gravity);
  def.integrator = (pl_choice){b->integrator, &parts, b->parts > 0};
  CHECK_OK(pl_world_create(&def, &world, error));
  pl_body_def from = pl_body_def_default();
  from.mesh = mesh;
  from.material.law = (pl_choice){"hooke", hooke, 2};
  from.material.stiffness_damping = b->damping;
  from.model = (pl_choice){"fem", &fem, 1};
  if (b->levels)
    from.refine = (pl_refine_def){.levels = b->levels, .wait = 1, .indicator = {.name = "none"}};
  memcpy(from.spin, (double[3]){2, 5, 3}, sizeof from.spin);
  CHECK_OK(pl_world_add_body(world, &from, body, error));
  for (int level = 0; level < b->levels; level++) refine_corner(world, *body, 0.05 / (1 << level));
  pl_mesh_destroy(mesh);
  return world;
}

/* Steps until one fails; 1 if none does. */
static int go(pl_world *world, int steps)
{
  for (int i = 0; i < steps; i++) {
    pl_error error;
    if (pl_world_step(world, &error)) return 0;
  }
  return 1;
}

static uint64_t hash_after(const block *b, int steps)
{
  pl_body_id body;
  pl_world *world = make(b, &body);
  CHECK(go(world, steps));
  uint64_t hash = pl_world_state_hash(world);
  pl_world_destroy(world);
  return hash;
}

TEST(without_fast_elements_it_is_verlet)
{
  block b = {.dt = 1e-4, .integrator = "verlet", .damping = 1e-5};
  uint64_t expected = hash_after(&b, 50);
  b.integrator = "local-verlet";
  CHECK(hash_after(&b, 50) == expected);
}

TEST(threads_do_not_matter)
{
  block b = {.dt = 2e-3, .levels = 3, .integrator = "local-verlet"};
  uint64_t expected = hash_after(&b, 20);
  b.threads = 3;
  CHECK(hash_after(&b, 20) == expected);
}

/* Energy, momentum and angular momentum of the blocks. */
typedef struct total {
  double energy, P[3], L[3];
} total;

static total total_of(pl_world *world)
{
  pl_world_facts facts = {0};
  const pl_model *model = world->bodies.list[0].model;
  const double *q = world->state.q, *v = world->state.v;
  CHECK_OK(pl_world_measure(world, &facts, error));
  total now = {.energy = facts.kinetic_energy + facts.elastic_energy};
  for (int i = 0; i < 3 * model->blocks; i++) {
    int from = i - i % 3, k = i % 3, next = (k + 1) % 3, last = (k + 2) % 3;
    double mass = model->lumped_mass[i / 3];
    now.P[k] += mass * v[i];
    now.L[k] += mass * (q[from + next] * v[from + last] - q[from + last] * v[from + next]);
  }
  return now;
}

static double change(const double a[3], const double b[3])
{
  return fmax(fabs(a[0] - b[0]), fmax(fabs(a[1] - b[1]), fabs(a[2] - b[2])));
}

/* At a step that Verlet fails at, a free block that spins keeps its energy and its momenta. */
TEST(a_spinning_block_keeps_energy_and_momentum)
{
  block b = {.dt = 2e-3, .levels = 3, .integrator = "verlet"};
  pl_body_id body;
  pl_world *world = make(&b, &body);
  CHECK(!go(world, 2000));
  pl_world_destroy(world);

  b.integrator = "local-verlet";
  world = make(&b, &body);
  CHECK_OK(pl_world_prepare(world, error));
  total start = total_of(world);
  double low = start.energy, high = low, drift = 0, turn = 0;
  const int steps = TEST_SANITIZED ? 200 : 1500;
  for (int i = 0; i < steps; i++) {
    CHECK_OK(pl_world_step(world, error));
    total now = total_of(world);
    low = fmin(low, now.energy);
    high = fmax(high, now.energy);
    drift = fmax(drift, change(now.P, start.P));
    turn = fmax(turn, change(now.L, start.L) / fabs(start.L[1]));
  }
  printf(
      "  %d parts; energy %.4g J, between %.4f and %.4f of it; momentum %.1e, angular %.1e of it\n",
      (int)(world->tally.substeps / steps), start.energy, low / start.energy, high / start.energy,
      drift, turn);
  CHECK(low > 0.98 * start.energy && high < 1.02 * start.energy);
  CHECK(drift < 1e-12);
  CHECK(turn < 1e-3);
  pl_world_destroy(world);
}

/* Random velocities have all frequencies in them. At these steps plain leapfrog in the smaller
 * steps is in resonance: the energy grew to 1.6, 4, 213 and 18 times what it was. */
TEST(no_step_is_in_resonance)
{
  static const block blocks[] = {{.dt = 0.00221, .levels = 3},
                                 {.dt = 0.00408, .levels = 3},
                                 {.dt = 0.00136, .graded = 1},
                                 {.dt = 0.00173, .graded = 1}};
  for (int i = 0; i < 4; i++) {
    block b = blocks[i];
    pl_body_id body;
    b.integrator = "local-verlet";
    b.strain = "linear";
    pl_world *world = make(&b, &body);
    CHECK_OK(pl_world_prepare(world, error));
    for (int k = 0; k < 3 * world->bodies.blocks; k++) world->state.v[k] = 0.01 * test_uniform();
    double start = total_of(world).energy, high = 0;
    for (int step = 0; step < 600; step++) {
      CHECK_OK(pl_world_step(world, error));
      if (step % 10 == 0) high = fmax(high, total_of(world).energy);
    }
    printf("  %g s: energy up to %.3f of that at first\n", b.dt, high / start);
    CHECK(high < 1.5 * start);
    pl_world_destroy(world);
  }
}

static void end_of(const block *b, int steps, double time, double *x, size_t count)
{
  block own = *b;
  pl_body_id body;
  own.dt = time / steps;
  pl_world *world = make(&own, &body);
  CHECK(go(world, steps));
  CHECK(3 * (size_t)pl_mesh_node_count(pl_world_body_mesh(world, body)) == count);
  CHECK_OK(pl_world_get_positions(world, body, x, error));
  pl_world_destroy(world);
}

static double distance(const double *a, const double *b, size_t count)
{
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum);
}

/* Against Verlet with steps that are small everywhere. */
TEST(the_order_is_two)
{
  enum { COUNT = 3 * 45 };
  double x[3][COUNT], reference[COUNT], errors[3];
  block b = {.graded = 1, .integrator = "verlet"};
  const double time = 0.02;
  end_of(&b, 4000, time, reference, COUNT);
  b.integrator = "local-verlet";
  for (int i = 0; i < 3; i++) {
    end_of(&b, 20 << i, time, x[i], COUNT);
    errors[i] = distance(x[i], reference, COUNT);
  }
  printf("  errors %.2e %.2e %.2e m, order %.2f %.2f\n", errors[0], errors[1], errors[2],
         log2(errors[0] / errors[1]), log2(errors[1] / errors[2]));
  CHECK_NEAR(log2(errors[1] / errors[2]), 2, 0.3);
}

TEST(what_it_cannot_do_is_said)
{
  const block bad[] = {{.dt = 2e-3, .levels = 3, .integrator = "local-verlet", .damping = 1e-2},
                       {.dt = 2e-3, .levels = 3, .integrator = "local-verlet", .parts = 2}};
  const char *const words[] = {"is too long for a damping of", "above parts = 2"};
  for (int i = 0; i < 2; i++) {
    pl_body_id body;
    pl_error error = {0};
    pl_world *world = make(&bad[i], &body);
    CHECK(pl_world_step(world, &error) != PL_OK);
    if (!strstr(error.message, words[i])) printf("  %s\n", error.message);
    CHECK(strstr(error.message, words[i]) != NULL);
    pl_world_destroy(world);
  }
}

TESTS(X(without_fast_elements_it_is_verlet) X(threads_do_not_matter)
          X(a_spinning_block_keeps_energy_and_momentum) X(no_step_is_in_resonance)
              X(the_order_is_two) X(what_it_cannot_do_is_said))
