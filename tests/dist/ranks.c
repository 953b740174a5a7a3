/* A world over several ranks is the same world: every scene here is computed by this process alone
 * and by all ranks together, and positions, energies and fields are compared. To be started by
 * mpirun. */
#include "couple/response.h"
#include "dist/dist.h"
#include "ode/integrator.h"
#include "pliant/scene.h"
#include "sparse/solver.h"
#include "test.h"

enum { MOST_CHANGES = 8, STEPS = 2 };

static pl_ranks *ranks;

typedef struct trial {
  const char *scene;
  const char *changes[MOST_CHANGES];
} trial;

/* Where a scene ends, or why it does not. */
typedef struct outcome {
  pl_status status;
  char message[512];
  int moved, count;
  double *numbers; /* displacements, `moved` of them, and behind them stress of the elements */
  double energy, iterations; /* iterations: of a linear solve, in the mean */
  char warning[256];         /* of inverted elements */
  char note[256];            /* why every rank holds all vectors; empty: each has its own */
} outcome;

static void hear(void *context, pl_level level, const char *text)
{
  outcome *out = context;
  if (level == PL_WARNING && !strncmp(text, "inverted elements", 17))
    snprintf(out->warning, sizeof out->warning, "%s", text);
  if (level == PL_NOTE && !strncmp(text, "every rank holds", 16))
    snprintf(out->note, sizeof out->note, "%s", text);
}

static pl_status look(pl_world *world, outcome *out, pl_error *error)
{
  pl_world_facts facts;
  pl_status status = pl_world_measure(world, &facts, error);
  if (status) return status;
  out->energy = facts.elastic_energy;
  out->iterations = (double)facts.linear_iterations / (double)facts.matrices;
  out->moved = 3 * facts.nodes;
  out->count = out->moved + facts.elements;
  out->numbers = calloc((size_t)out->count, sizeof *out->numbers);
  double *at = out->numbers, *stress = at + out->moved;
  for (int b = 0; b < pl_world_body_count(world) && !status; b++) {
    pl_body_id body = pl_world_body_at(world, b);
    const pl_mesh *mesh = pl_world_body_mesh(world, body);
    status = pl_world_get_positions(world, body, at, error);
    if (!status) status = pl_world_get_stress(world, body, stress, NULL, error);
    for (int i = 0; i < 3 * pl_mesh_node_count(mesh); i++) *at++ -= pl_mesh_nodes(mesh)[i];
    stress += pl_mesh_element_count(mesh);
  }
  return status;
}

/* By our own solver in this process alone, or by PETSc on all ranks, of which there may be one. */
static outcome run(const trial *of, int is_alone)
{
  char path[1024];
  pl_error error = {0};
  outcome out = {0};
  pl_scene_def def = pl_scene_def_default();
  snprintf(path, sizeof path, "%s/tests/dist/%s", getenv("PLIANT_SOURCE"), of->scene);
  def.path = path;
  def.threads = 1;
  def.log = (pl_log){hear, &out};
  def.ranks = is_alone ? NULL : ranks;
  const char *changes[MOST_CHANGES + 1];
  def.changes = changes;
  for (int i = 0; i < MOST_CHANGES && of->changes[i]; i++) {
    // the words for PETSc are not for our own solver; a direct one leaves nothing to a tolerance
    if (!is_alone || strncmp(of->changes[i], "solver.", 7) != 0)
      changes[def.change_count++] = of->changes[i];
  }
  if (is_alone && !strcmp(of->scene, "all.xml"))
    changes[def.change_count++] = "solver.method=direct";
  pl_scene *scene = NULL;
  out.status = pl_scene_load(&def, &scene, &error);
  for (int i = 0; i < STEPS && !out.status; i++) out.status = pl_scene_step(scene, &error);
  if (!out.status) out.status = look(pl_scene_world(scene), &out, &error);
  snprintf(out.message, sizeof out.message, "%s", error.message);
  pl_scene_destroy(scene);
  return out;
}

static double largest_difference(const outcome *a, const outcome *b, int from, int to)
{
  double max = 0, size = 0;
  for (int i = from; i < to; i++) {
    max = fmax(max, fabs(a->numbers[i] - b->numbers[i]));
    size = fmax(size, fabs(a->numbers[i]));
  }
  return size > 0 ? max / size : max;
}

static void check_alike(const trial *of, const outcome *alone, const outcome *all)
{
  int before = test_failures, is_there = alone->numbers && all->numbers;
  double moved = is_there ? largest_difference(alone, all, 0, alone->moved) : INFINITY;
  CHECK(alone->status == PL_OK && all->status == PL_OK);
  CHECK(alone->count == all->count);
  CHECK(moved < 1e-7);
  if (is_there) {
    CHECK(largest_difference(alone, all, alone->moved, alone->count) < 1e-6);
    CHECK_NEAR(all->energy, alone->energy, 1e-6 * fabs(alone->energy) + 1e-12);
  }
  if (test_failures > before || getenv("DIST_TALKS"))
    printf("  %s %s: \"%s\", \"%s\", %.2e, %g iterations %s\n", of->scene,
           of->changes[0] ? of->changes[0] : "", alone->message, all->message, moved,
           all->iterations, all->note);
}

/* The same number on all ranks? */
static int is_common(double number)
{
  double both[] = {number, -number};
  if (ranks) ranks->max(ranks, both, 2);
  return both[0] == -both[1];
}

/* All ranks have come to the same end, by the same bits. */
static void check_common(const trial *of, const outcome *all)
{
  double sum = 0, text = 0;
  for (int i = 0; all->numbers && i < all->count; i++) sum += (i + 1) * all->numbers[i];
  for (const char *c = all->message; *c; c++) text = fmod(31 * text + *c, 1e9);
  int before = test_failures;
  CHECK(is_common(all->status));
  CHECK(is_common(text));
  CHECK(is_common(isfinite(sum) ? sum : 0));
  if (test_failures > before) printf("  %s %s\n", of->scene, of->changes[0]);
}

/* The next rank computes the scene alone, while others go on. */
static int is_turn(void)
{
  static int turn;
  return !ranks || turn++ % ranks->count == ranks->rank;
}

/* may_fail: alone, and then by all. */
static void compare_end(const trial *of, int may_fail)
{
  outcome all = run(of, 0);
  check_common(of, &all);
  if (is_turn()) {
    outcome alone = run(of, 1);
    CHECK(alone.status == all.status);
    if (!may_fail || !alone.status) check_alike(of, &alone, &all);
    free(alone.numbers);
  }
  free(all.numbers);
}

static void compare(const trial *of) { compare_end(of, 0); }

/* A simple preconditioner, which takes few messages where processes wait for each other. */
#define SIMPLE "solver.method=petsc", "solver.preset=jacobi"
#define GAMG   "solver.method=petsc", "solver.preset=gamg"
#define GRID   "solver.method=petsc", "solver.preset=grid"
#define TIGHT  "integrator.newton-tolerance=1e-10"

/* Where everything acts on bodies that can. */
TEST(every_integrator_moves_bodies_alike)
{
  for (int i = 0; pl_integrator_family.members[i]; i++) {
    const pl_member *member = pl_integrator_family.members[i];
    const pl_integrator_ops *ops = (const void *)member;
    char method[128];
    snprintf(method, sizeof method, "integrator.method=%s", member->name);
    int newton = pl_param_find(member, "newton-tolerance") >= 0;
    trial of = {ops->is_static ? "bar.xml" : "all.xml", {method, SIMPLE, newton ? TIGHT : NULL}};
    // cvode is for small bodies, and takes thousands of solves; what works within one process is
    // refused
    if (member->missing || ops->over_ranks) continue;
    if (strcmp(member->name, "cvode") != 0) compare(&of);
  }
}

/* Each rank has its own part of the vectors, but for explicit methods. */
TEST(every_integrator_divides_vectors_alike)
{
  for (int i = 0; pl_integrator_family.members[i]; i++) {
    const pl_member *member = pl_integrator_family.members[i];
    const pl_integrator_ops *ops = (const void *)member;
    char method[128];
    snprintf(method, sizeof method, "integrator.method=%s", member->name);
    if (member->missing || !ops->is_implicit || !strcmp(member->name, "cvode")) continue;
    int newton = pl_param_find(member, "newton-tolerance") >= 0;
    trial of = {ops->is_static ? "bar.xml" : "own.xml", {method, SIMPLE, newton ? TIGHT : NULL}};
    outcome all = run(&of, 0);
    CHECK(!all.note[0]);
    free(all.numbers);
    compare(&of);
  }
}

TEST(elements_and_laws_are_divided_alike)
{
  static const trial trials[] = {
      {"bar.xml", {"mesh.box.element=hex", SIMPLE}},
      {"bar.xml", {"body.quadrature=one-point", "mesh.box.element=hex", SIMPLE}},
      {"bar.xml", {"mesh.element=tet10", SIMPLE}},
      {"bar.xml", {"body.mass=consistent", "integrator.method=implicit-midpoint", TIGHT, SIMPLE}},
      {"bar.xml", {"body.strain=green", "integrator.newton=10", TIGHT, SIMPLE}},
      {"bar.xml", {"body.volume=node", "material.poisson=0.49", SIMPLE}},
      // matrices that are not symmetric
      {"bar.xml", {"body.strain=warped", SIMPLE}},
      {"bar.xml", {"body.strain=warped", "material.young=2e8", GAMG}},
      {"bar.xml", {"body.strain=warped", "material.young=2e8", GRID}},
  };
  for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) compare(&trials[i]);
}

TEST(bodies_act_on_each_other_alike)
{
  static const trial trials[] = {
      {"many.xml", {"integrator.method=implicit-euler", SIMPLE}},
      {"touch.xml", {NULL}},
      {"slide.xml", {SIMPLE}},
      {"slide.xml", {"body.mass=consistent", GRID}},
      {"tie.xml", {"integrator.method=bdf2", TIGHT, GRID}},
      {"tie.xml", {"integrator.method=ros3w", GAMG}},
  };
  for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) compare(&trials[i]);
}

TEST(every_response_to_contact_ends_alike)
{
  for (int i = 0; pl_response_family.members[i]; i++) {
    char response[128];
    snprintf(response, sizeof response, "contact.response=%s", pl_response_family.members[i]->name);
    trial of = {"all.xml", {response, TIGHT, SIMPLE}};
    compare_end(&of, 1);
  }
}

/* Whatever ends a step, halves it or cuts it short does so on all ranks: none waits for another. */
TEST(steps_fail_on_all_ranks_together)
{
  static const struct {
    trial of;
    int fails;
  } trials[] = {
      // a sentence before the first step, by all bodies
      {{"all.xml", {"integrator.method=static", SIMPLE}}, 1},
      {{"bar.xml", {"integrator.method=explicit-euler", "world.substeps=one"}}, 1},
      // one that ends a step: the tangent is indefinite
      {{"bar.xml",
        {"integrator.method=static", "integrator.newton=2", "world.gravity=-3e3 0 0",
         "material.law=neo-hooke", "body.strain=green", SIMPLE}},
       1},
      // halved steps, steps that are cut short, steps by the error
      {{"bar.xml",
        {"integrator.newton=5", "world.gravity=-1e6 0 0", "material.law=neo-hooke",
         "body.strain=green", SIMPLE}},
       0},
      {{"bar.xml", {"solver.method=petsc", "solver.iterations=3"}}, 0},
      {{"bar.xml", {"world.budget=4", SIMPLE}}, 0},
      {{"bar.xml", {"integrator.method=ros3w", "world.tolerance=1e-5", SIMPLE}}, 0},
  };
  for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
    outcome all = run(&trials[i].of, 0);
    check_common(&trials[i].of, &all);
    CHECK(!all.status == !trials[i].fails);
    if (!all.status != !trials[i].fails || getenv("DIST_TALKS"))
      printf("  %s %s: \"%s\"\n", trials[i].of.scene, trials[i].of.changes[0], all.message);
    free(all.numbers);
  }
}

/* Whose elements it was that turned inside out, and where a law has no state, is found by all. */
TEST(inverted_elements_are_counted_over_all)
{
  static const trial pressed = {"bar.xml",
                                {"integrator.method=static", "world.gravity=-300 0 0", SIMPLE}};
  outcome alone = run(&pressed, 1), all = run(&pressed, 0);
  CHECK(alone.warning[0] && !strcmp(alone.warning, all.warning));
  free(alone.numbers);
  free(all.numbers);
  compare(&(trial){"bar.xml",
                   {"integrator.method=static", "world.gravity=-150 0 0", "material.law=neo-hooke",
                    "body.strain=green", TIGHT, SIMPLE}});
}

/* As one process, and with the same bits the second time. */
static void check_repeats(const trial *of)
{
  outcome alone = run(of, 1), all = run(of, 0), again = run(of, 0);
  check_common(of, &all);
  check_alike(of, &alone, &all);
  // to 1e-12; blocks of the diagonal alone would take 53
  CHECK(all.iterations < 40);
  CHECK(all.count == again.count);
  if (all.numbers && again.numbers)
    CHECK(!memcmp(all.numbers, again.numbers, (size_t)all.count * sizeof *all.numbers));
  free(alone.numbers);
  free(all.numbers);
  free(again.numbers);
}

TEST(multigrid_has_the_same_bits_every_time)
{
  // so stiff that the matrix is far from that of the mass, for which levels are not made
  static const trial trials[] = {
      {"bar.xml", {"integrator.method=implicit-euler", "material.young=2e8", GAMG}},
      {"bar.xml", {"integrator.method=implicit-euler", "material.young=2e8", GRID}},
  };
  for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) check_repeats(&trials[i]);
}

/* Contacts, which it leaves to PETSc's matrix, come and go. */
TEST(multigrid_within_ranks_solves_alike)
{
  static const trial trials[] = {
      {"many.xml", {"integrator.method=implicit-euler", GRID}},
      {"many.xml", {"integrator.method=newmark", TIGHT, GRID}},
      {"touch.xml", {GRID}},
      {"bar.xml", {"integrator.method=static", "material.young=2e6", TIGHT, GRID}},
      {"bar.xml", {"mesh.box.element=hex", "material.young=2e8", GRID}},
  };
  for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) compare(&trials[i]);
}

TEST(what_is_for_one_process_is_refused)
{
  if (!ranks) return;
  outcome out;
  // a factorisation asks by the clock whether to go on: ranks that ask together could not follow
  for (int i = 0; pl_solver_family.members[i]; i++) {
    const pl_member *member = pl_solver_family.members[i];
    if (member->missing || !strcmp(member->name, "petsc") || !strcmp(member->name, "auto"))
      continue;
    char method[128];
    snprintf(method, sizeof method, "solver.method=%s", member->name);
    trial other = {"bar.xml", {method}};
    out = run(&other, 0);
    CHECK(out.status != PL_OK && strstr(out.message, "works within one process"));
  }
  static const trial local = {"bar.xml", {"integrator.method=local-verlet"}};
  out = run(&local, 0);
  CHECK(out.status != PL_OK && strstr(out.message, "over several take \"verlet\""));
}

#define NAMES                                                                                      \
  X(every_integrator_moves_bodies_alike)                                                           \
  X(every_integrator_divides_vectors_alike)                                                        \
  X(elements_and_laws_are_divided_alike)                                                           \
  X(bodies_act_on_each_other_alike)                                                                \
  X(every_response_to_contact_ends_alike)                                                          \
  X(steps_fail_on_all_ranks_together)                                                              \
  X(inverted_elements_are_counted_over_all)                                                        \
  X(multigrid_has_the_same_bits_every_time)                                                        \
  X(multigrid_within_ranks_solves_alike)                                                           \
  X(what_is_for_one_process_is_refused)

int main(int count, char **words)
{
  pl_error error = {0};
  if (pl_dist_start(&ranks, &error)) {
    printf("%s\n", error.message);
    return 1;
  }
#undef X
#define X(name)                                                                                    \
  if (count < 2 || strstr(#name, words[1])) test_##name();
  NAMES
#undef X
  // one process speaks; what it compares is the same everywhere
  int failures = pl_dist_any(ranks, test_failures);
  if (!ranks || ranks->rank == 0)
    printf("%d ranks: %s\n", ranks ? ranks->count : 1, failures ? "FAILED" : "all as by one");
  pl_dist_end(ranks);
  return failures != 0;
}
