/* Explicit steps gather their passes over blocks into few jobs. The reference is the same world
 * without a pool, which does every pass at once. */
#include "world/world.h"

#include "acts.h"
#include "test.h"

typedef struct kind {
  const char *model, *generator;
  int spares; /* mass damping of deformation only */
  int tied;   /* to a second body, by rows over several blocks */
} kind;

static const kind kinds[] = {{"fem", "box", 0, 0},    {"fem", "graded-box", 0, 0},
                             {"fem", "box", 1, 0},    {"springs", "box", 0, 0},
                             {"frames", "box", 0, 0}, {"fem", "box", 0, 1}};

static pl_body_id add_block(pl_world *world, const kind *k, double at)
{
  int is_graded = strcmp(k->generator, "graded-box") == 0;
  double cells = is_graded ? 7 : 4;
  const pl_setting box[] = {{.name = "size", .value = {1, 0.5, 0.5}},
                            {.name = "cells", .value = {2 * cells - is_graded, cells, cells}},
                            {.name = "levels", .value = {1}}};
  const pl_setting moduli[] = {{.name = "young", .value = {1e5}},
                               {.name = "poisson", .value = {0.3}}};
  pl_body_def def = pl_body_def_default();
  pl_mesh *mesh = NULL;
  pl_body_id body = {0};
  CHECK_OK(
      pl_mesh_generate(&(pl_choice){k->generator, box, is_graded ? 3 : 2}, NULL, &mesh, error));
  def.mesh = mesh;
  def.model = (pl_choice){.name = k->model};
  def.material.law = (pl_choice){"hooke", moduli, 2};
  def.material.mass_damping = 3;
  def.material.spares_rigid_motion = k->spares;
  def.translation[0] = at;
  CHECK_OK(pl_world_add_body(world, &def, &body, error));
  pl_mesh_destroy(mesh);
  return body;
}

/* NULL: all passes at once. */
static void take_pool(pl_world *world, pl_pool *pool)
{
  world->pool = world->bodies.pool = world->system.pool = pool;
}

/* The end of the body with what comes behind it. */
static void tie(pl_world *world, pl_body_id body, pl_body_id to)
{
  const pl_selector end = {.set = "x-max"};
  pl_attachment_def def = pl_attachment_def_default();
  def.to = to;
  def.where = &end;
  def.where_count = 1;
  def.exact = 1;
  CHECK_OK(pl_world_add_attachment(world, body, &def, NULL, error));
}

static uint64_t hash_after(const kind *k, const char *method, int threads)
{
  pl_world_def def = pl_world_def_default();
  def.integrator = (pl_choice){.name = method};
  def.dt = 2e-4;
  def.threads = threads ? threads : 1;
  pl_world *world = NULL;
  CHECK_OK(pl_world_create(&def, &world, error));
  pl_body_id body = add_block(world, k, 0);
  CHECK_OK(fix_set(world, body, "x-min", error));
  if (strcmp(k->model, "fem") == 0) CHECK_OK(pull_side(world, body, 0, 0.9, 2e3, error));
  if (k->tied) tie(world, body, add_block(world, k, 1));
  CHECK_OK(pl_world_prepare(world, error));
  pl_pool *pool = world->pool;
  if (!threads) take_pool(world, NULL);
  run_steps(world, 25);
  take_pool(world, pool);
  uint64_t hash = pl_world_state_hash(world);
  pl_world_destroy(world);
  return hash;
}

TEST(gathered_passes_have_the_bits_of_single_ones)
{
  static const char *const methods[] = {"explicit-newmark", "verlet"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    for (int m = 0; m < 2; m++) {
      uint64_t single = hash_after(&kinds[i], methods[m], 0);
      for (int threads = 1; threads <= 2; threads++) {
        int is_same = hash_after(&kinds[i], methods[m], threads) == single;
        if (!is_same) printf("  kind %d, %s, %d threads\n", (int)i, methods[m], threads);
        CHECK(is_same);
      }
    }
  }
}

TESTS(X(gathered_passes_have_the_bits_of_single_ones))
