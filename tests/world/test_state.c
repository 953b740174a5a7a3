/* The state is all that matters: save, go on, load, go on gives the same bits, with every
 * integrator, law and model, with friction, pulls, loads and attachments, in another world, in
 * another process and with other numbers of threads. (couple/couplings: every coupling.) */
#include "material/material.h"
#include "model/model.h"
#include "ode/integrator.h"
#include "pliant/world.h"
#include "test.h"

#include <unistd.h>

typedef struct plan {
  const char *integrator, *law, *model;
  const char *matrix; /* NULL: the integrator's own way */
  int direct;
  double dt;
  int threads, attached;
} plan;

static pl_mesh *box_at(double x, double z, int fine)
{
  pl_setting box[] = {{.name = "size", .value = {0.2, 0.1, 0.1}},
                      {.name = "origin", .value = {x, 0, z}},
                      {.name = "cells", .value = {2 * fine, fine, fine}}};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", box, 3}, NULL, &mesh, error));
  return mesh;
}

/* Those of these that the law has: soft, some of it fading, yielding early. */
static int take_settings(const char *law, pl_setting *settings)
{
  static const pl_setting usual[] = {
      {.name = "young", .value = {1e5}}, {.name = "poisson", .value = {0.3}},
      {.name = "c10", .value = {2e4}},   {.name = "bulk", .value = {1e5}},
      {.name = "g1", .value = {0.5}},    {.name = "tau1", .value = {0.05}},
      {.name = "yield", .value = {300}}};
  const pl_member *member = pl_member_find(&pl_law_family, law);
  int count = 0, by_young = pl_param_find(member, "young") >= 0;
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
    int other = strcmp(usual[i].name, "c10") == 0 || strcmp(usual[i].name, "bulk") == 0;
    if (pl_param_find(member, usual[i].name) >= 0 && !(other && by_young))
      settings[count++] = usual[i];
  }
  return count;
}

static pl_status add_block(pl_world *world, const plan *in, double x, double z, pl_body_id *body,
                           pl_error *error)
{
  pl_setting moduli[8];
  const char *law = in->law ? in->law : "hooke";
  pl_body_def def = pl_body_def_default();
  pl_mesh *mesh = box_at(x, z, in->model ? 3 : 1);
  def.mesh = mesh;
  def.model = (pl_choice){.name = in->model};
  def.material.law = (pl_choice){law, moduli, take_settings(law, moduli)};
  def.material.stiffness_damping = 0.002;
  def.velocity[0] = 0.8;
  pl_status status = pl_world_add_body(world, &def, body, error);
  pl_mesh_destroy(mesh);
  return status;
}

static pl_status add_attachment(pl_world *world, const plan *in, pl_body_id body, pl_error *error)
{
  pl_attachment_def attach = pl_attachment_def_default();
  pl_setting end[] = {{.name = "min", .value = {0.19, -9, -9}},
                      {.name = "max", .value = {0.21, 9, 9}}};
  pl_selector side = {.region = {"box", end, 2}};
  attach.where = &side;
  attach.where_count = 1;
  pl_status status = add_block(world, in, 0.2, 0, &attach.to, error);
  return status ? status : pl_world_add_attachment(world, body, &attach, NULL, error);
}

static pl_status add_couplings(pl_world *world, const plan *in, pl_body_id body, pl_error *error)
{
  pl_setting wind[] = {{.name = "velocity", .value = {0, 3, 0}}};
  pl_setting friction = {.name = "friction", .value = {0.4}};
  pl_load_def load = pl_load_def_default();
  pl_pull_def pull = pl_pull_def_default();
  pl_obstacle_def floor = pl_obstacle_def_default();
  const double at[3] = {0.2, 0.1, 0.1};
  pl_setting bounds[] = {{.name = "min", .value = {-9, -9, -9}},
                         {.name = "max", .value = {9, 9, 9}}};
  pl_selector all = {.region = {"box", bounds, 2}};
  load.load = (pl_choice){"wind", wind, 1};
  load.where = &all;
  load.where_count = 1;
  pl_status status = pl_world_add_load(world, body, &load, NULL, error);
  if (!status) status = pl_world_find_spot(world, body, at, &pull.at, error);
  pull.target[0] = 0.5;
  pull.target[2] = 0.2;
  pull.stiffness = 3;
  if (!status) status = pl_world_add_pull(world, &pull, NULL, error);
  floor.shape = (pl_choice){"plane", &friction, 1};
  if (!status) status = pl_world_add_obstacle(world, &floor, NULL, error);
  return status || !in->attached ? status : add_attachment(world, in, body, error);
}

static pl_status try_to_make(const plan *in, pl_world **world, pl_error *error)
{
  pl_world_def def = pl_world_def_default();
  def.allow_unstable = 1;
  pl_body_id body = {0};
  def.dt = in->dt;
  def.threads = in->threads;
  pl_setting matrix = {.name = "matrix", .word = in->matrix},
             reuse = {.name = "reuse", .word = "no"};
  def.integrator = (pl_choice){in->integrator, &matrix, in->matrix ? 1 : 0};
  if (in->direct) def.solver = (pl_choice){"direct", &reuse, 1};
  pl_status status = pl_world_create(&def, world, error);
  if (!status) status = add_block(*world, in, 0, 0, &body, error);
  return status ? status : add_couplings(*world, in, body, error);
}

static pl_world *make(const plan *in)
{
  pl_world *world = NULL;
  CHECK_OK(try_to_make(in, &world, error));
  return world;
}

/* (Sanitizers see a third of it.) */
static uint64_t go_on(pl_world *world, int steps)
{
  if (TEST_SANITIZED) steps = (steps + 2) / 3;
  for (int i = 0; i < steps; i++) CHECK_OK(pl_world_step(world, error));
  return pl_world_state_hash(world);
}

/* Back in the same world, and on in another one, which is as good as another process. */
static void compare(const plan *in)
{
  int failures = test_failures;
  pl_world *world = make(in);
  plan elsewhere = *in;
  elsewhere.threads = in->threads == 1 ? 3 : in->threads == 3 ? 8 : 1;
  pl_world *other = make(&elsewhere);
  go_on(world, 12);
  size_t size = pl_world_state_size(world);
  void *state = malloc(size);
  CHECK_OK(pl_world_save_state(world, state, size, error));
  uint64_t straight = go_on(world, 8);
  go_on(world, 3);
  CHECK_OK(pl_world_load_state(world, state, size, error));
  CHECK(go_on(world, 8) == straight);
  CHECK_OK(pl_world_load_state(other, state, size, error));
  CHECK(go_on(other, 8) == straight);
  if (test_failures > failures)
    printf("  %s, %s, %s\n", in->integrator, in->law ? in->law : "hooke",
           in->model ? in->model : "fem");
  free(state);
  pl_world_destroy(world);
  pl_world_destroy(other);
}

TEST(every_integrator_goes_on_with_the_same_bits)
{
  for (int m = 0; pl_integrator_family.members[m]; m++) {
    const pl_integrator_ops *ops = (const pl_integrator_ops *)pl_integrator_family.members[m];
    if (ops->is_static || ops->info.missing) continue;
    plan in = {.integrator = ops->info.name, .dt = ops->is_implicit ? 0.005 : 0.0002};
    in.threads = 1 + m % 3;
    in.attached = m % 2;
    compare(&in);
  }
}

TEST(laws_that_remember_go_on_with_the_same_bits)
{
  const char *names[] = {"implicit-euler", "implicit-midpoint", "bdf3",      "generalised-alpha",
                         "sdirk2",         "rosenbrock4",       "verlet",    "rk4",
                         "ros3w",          "explicit-newmark",  "imex-euler"};
  for (int i = 0; i < 11; i++) {
    int is_explicit = i == 6 || i == 7 || i == 9;
    plan in = {.integrator = names[i], .law = "hooke-prony", .dt = is_explicit ? 0.0002 : 0.005};
    in.threads = 1;
    compare(&in);
  }
}

TEST(every_law_goes_on_with_the_same_bits)
{
  for (int l = 0; pl_law_family.members[l]; l++) {
    plan in = {.integrator = "bdf2", .law = pl_law_family.members[l]->name, .dt = 0.005};
    in.threads = 1 + l % 3;
    compare(&in);
  }
}

/* Some models want other bodies, or do without loads and pulls: their own tests save states. */
static int takes_all_this(const plan *in)
{
  pl_world *world = NULL;
  pl_error why = {0};
  pl_status status = try_to_make(in, &world, &why);
  if (!status) status = pl_world_step(world, &why);
  if (status) printf("  %s: %s\n", in->model, why.message);
  pl_world_destroy(world);
  return status == PL_OK;
}

TEST(every_model_goes_on_with_the_same_bits)
{
  int count = 0;
  for (int m = 0; pl_model_family.members[m]; m++) {
    plan in = {.integrator = "bdf2", .dt = 0.005, .threads = 2};
    in.model = pl_model_family.members[m]->name;
    if (!takes_all_this(&in)) continue;
    compare(&in);
    count++;
  }
  CHECK(count >= 5);
}

/* A matrix that was made some steps ago goes on being the same. */
TEST(kept_matrices_go_on_with_the_same_bits)
{
  for (int m = 0; pl_integrator_family.members[m]; m++) {
    const pl_integrator_ops *ops = (const pl_integrator_ops *)pl_integrator_family.members[m];
    if (ops->is_static || pl_param_find(&ops->info, "matrix") < 0) continue;
    plan in = {.integrator = ops->info.name, .dt = 0.005, .matrix = "kept", .threads = 1 + m % 3};
    in.direct = m % 3 == 0;
    in.attached = m % 2;
    in.law = m % 4 == 0 ? "hooke-prony" : NULL;
    compare(&in);
  }
}

/* ---- another process ---- */

static plan plan_of(int integrator)
{
  const pl_integrator_ops *ops =
      (const pl_integrator_ops *)pl_integrator_family.members[integrator];
  plan in = {.integrator = ops->info.name, .law = integrator % 2 ? "hooke-prony" : NULL};
  in.dt = ops->is_implicit ? 0.005 : 0.0002;
  in.attached = integrator % 3 == 0;
  in.threads = 1;
  return in;
}

static int can_go_on(int integrator)
{
  const pl_integrator_ops *ops =
      (const pl_integrator_ops *)pl_integrator_family.members[integrator];
  return !ops->is_static && !ops->info.missing;
}

/* Per integrator a state, the size of it before, and behind it the hash some steps later. */
static void write_states(FILE *file)
{
  for (int m = 0; pl_integrator_family.members[m]; m++) {
    if (!can_go_on(m)) continue;
    plan in = plan_of(m);
    pl_world *world = make(&in);
    go_on(world, 6);
    size_t size = pl_world_state_size(world);
    void *state = malloc(size);
    CHECK_OK(pl_world_save_state(world, state, size, error));
    uint64_t hash = go_on(world, 4);
    CHECK(fwrite(&size, sizeof size, 1, file) == 1 && fwrite(state, 1, size, file) == size &&
          fwrite(&hash, sizeof hash, 1, file) == 1);
    free(state);
    pl_world_destroy(world);
  }
}

/* Goes on from the states of the process before, with other numbers of threads. */
static void read_states(FILE *file)
{
  static const int threads[] = {1, 2, 3, 8};
  for (int m = 0; pl_integrator_family.members[m]; m++) {
    if (!can_go_on(m)) continue;
    plan in = plan_of(m);
    in.threads = threads[m % 4];
    pl_world *world = make(&in);
    uint64_t hash = 0;
    size_t size = 0;
    CHECK(fread(&size, sizeof size, 1, file) == 1);
    void *state = malloc(size);
    CHECK(fread(state, 1, size, file) == size && fread(&hash, sizeof hash, 1, file) == 1);
    CHECK_OK(pl_world_load_state(world, state, size, error));
    int same = go_on(world, 4) == hash;
    if (!same) printf("  %s\n", in.integrator);
    CHECK(same);
    free(state);
    pl_world_destroy(world);
  }
}

/* Called a second time with the file's name in the environment, it is the other process. */
TEST(another_process_goes_on_with_the_same_bits)
{
  const char *given = getenv("PLIANT_STATES");
  char path[] = "/tmp/pliant-states-XXXXXX", command[4200], self[4096] = {0};
  int opened = given ? -1 : mkstemp(path);
  FILE *file = given ? fopen(given, "rb") : fdopen(opened, "wb");
  CHECK(file != NULL);
  if (!file) return;
  if (given) {
    read_states(file);
    fclose(file);
    return;
  }
  write_states(file);
  fclose(file);
  CHECK(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
  snprintf(command, sizeof command, "PLIANT_STATES=%s '%s' another_process", path, self);
  CHECK(system(command) == 0);
  remove(path);
}

/* A law that remembers stands in the state: relaxing blocks differ from those that forget. */
TEST(memory_makes_a_difference)
{
  plan in = {.integrator = "implicit-euler", .dt = 0.005, .threads = 1};
  pl_world *forgets = make(&in);
  in.law = "hooke-prony";
  pl_world *remembers = make(&in);
  CHECK(pl_world_state_size(remembers) > pl_world_state_size(forgets));
  CHECK(go_on(remembers, 5) != go_on(forgets, 5));
  pl_world_destroy(forgets);
  pl_world_destroy(remembers);
}

TESTS(X(every_integrator_goes_on_with_the_same_bits) X(laws_that_remember_go_on_with_the_same_bits)
          X(every_law_goes_on_with_the_same_bits) X(every_model_goes_on_with_the_same_bits)
              X(kept_matrices_go_on_with_the_same_bits)
                  X(another_process_goes_on_with_the_same_bits) X(memory_makes_a_difference))
