/* Hanging nodes in a world: where small elements meet large ones a uniform strain is uniform, with
 * every integrator and solver, loads and fixes on hanging nodes included. */
#include "math/vec3.h"
#include "pliant/world.h"
#include "world/probe.h"
#include "world/world.h"

#include "../mesh/failing.h"
#include "test.h"
#include "world/acts.h"

/* Two cubes of 1 m side by side along x: the first one element (or six tetrahedra), the second of
 * fine^3. Nodes of the second on the common face hang; for fine = 4 some of them on others that do.
 */
enum { MOST_NODES = 8 + 125, MOST_CELLS = 65, MOST_HANGING = 25 };

typedef struct graded {
  int fine, nodes, cells, hanging;
  double at[3 * MOST_NODES];
  int hex[MOST_CELLS][8], tets[6 * MOST_CELLS][4];
  int parents[MOST_HANGING][4];
  double weights[MOST_HANGING][4];
  pl_hanging_node list[MOST_HANGING];
} graded;

static int node_at(graded *g, double x, double y, double z)
{
  for (int n = 0; n < g->nodes; n++) {
    const double *p = g->at + 3 * n;
    if (p[0] == x && p[1] == y && p[2] == z) return n;
  }
  pl_vec3_set(g->at + 3 * g->nodes, x, y, z);
  return g->nodes++;
}

static void add_cell(graded *g, double x, double y, double z, double h)
{
  static const int cuts[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                 {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
  int *hex = g->hex[g->cells];
  for (int k = 0; k < 8; k++)
    hex[k] = node_at(g, x + h * (k % 4 == 1 || k % 4 == 2), y + h * (k % 4 > 1), z + h * (k / 4));
  for (int t = 0; t < 24; t++) g->tets[6 * g->cells + t / 4][t % 4] = hex[cuts[t / 4][t % 4]];
  g->cells++;
}

/* The node (j, k) of the common face hangs half-way between others a step further apart; the middle
 * of a face on all four corners, or of tetrahedra on the two of the diagonal. */
static void hang(graded *g, int j, int k, int tets)
{
  double h = 1.0 / g->fine;
  int step = 1, h_index = g->hanging;
  while (step < g->fine && j / step % 2 == 0 && k / step % 2 == 0) step *= 2;
  if (step >= g->fine) return;
  int odd_j = j / step % 2, odd_k = k / step % 2, count = 0;
  for (int a = -odd_j; a <= odd_j; a += 2) {
    for (int b = -odd_k; b <= odd_k; b += 2) {
      if (!tets || !odd_j || !odd_k || a == b)
        g->parents[h_index][count++] = node_at(g, 1, h * (j + a * step), h * (k + b * step));
      if (!odd_k) break;
    }
    if (!odd_j) break;
  }
  for (int i = 0; i < count; i++) g->weights[h_index][i] = 1.0 / count;
  g->list[h_index] = (pl_hanging_node){node_at(g, 1, h * j, h * k), count, g->parents[h_index],
                                       g->weights[h_index]};
  g->hanging++;
}

static void grade(int fine, int tets, graded *g)
{
  memset(g, 0, sizeof *g);
  g->fine = fine;
  double h = 1.0 / fine;
  add_cell(g, 0, 0, 0, 1);
  for (int c = 0; c < fine * fine * fine; c++)
    add_cell(g, 1 + h * (c % fine), h * (c / fine % fine), h * (c / fine / fine), h);
  for (int j = 0; j <= fine; j++) {
    for (int k = 0; k <= fine; k++) hang(g, j, k, tets);
  }
}

static pl_mesh *mesh_of(const graded *g, int tets, const pl_allocator *allocator)
{
  pl_mesh_def def = {.node_count = g->nodes,
                     .nodes = g->at,
                     .element_count = tets ? 6 * g->cells : g->cells,
                     .nodes_per_element = tets ? 4 : 8,
                     .elements = tets ? g->tets[0] : g->hex[0],
                     .allocator = allocator};
  pl_mesh *mesh = NULL;
  if (pl_mesh_create(&def, &mesh, NULL)) return NULL;
  return mesh;
}

typedef struct scene {
  int fine, tets;
  const char *integrator, *solver, *preconditioner, *mass, *model;
  double dt, gravity[3], damping;
  int held;  /* 0: nothing, 1: three sides in their planes, 2: the end at x = 0 */
  int loose; /* hanging nodes are left free */
  const pl_allocator *allocator;
} scene;

static pl_status make(const scene *from, pl_world **world, pl_body_id *body, pl_error *error)
{
  graded g;
  grade(from->fine, from->tets, &g);
  pl_mesh *mesh = mesh_of(&g, from->tets, from->allocator);
  if (!mesh) return PL_E_MEMORY;
  pl_setting hooke[] = {{.name = "young", .value = {1e5}}, {.name = "poisson", .value = {0.3}}};
  pl_setting fem[] = {{.name = "strain", .word = "linear"},
                      {.name = "mass", .word = from->mass ? from->mass : "lumped"}};
  pl_setting exact = {.name = "tolerance", .value = {1e-13}};
  pl_world_def world_def = pl_world_def_default();
  if (from->allocator) world_def.allocator = *from->allocator;
  world_def.dt = from->dt > 0 ? from->dt : 0.01;
  memcpy(world_def.gravity, from->gravity, sizeof world_def.gravity);
  world_def.integrator.name = from->integrator;
  world_def.solver.name = from->solver;
  world_def.preconditioner.name = from->preconditioner;
  if (from->solver &&
      pl_param_find(pl_member_find(&pl_solver_family, from->solver), "tolerance") >= 0)
    world_def.solver.settings = &exact, world_def.solver.setting_count = 1;
  pl_body_def def = pl_body_def_default();
  def.mesh = mesh;
  def.material.law = (pl_choice){"hooke", hooke, 2};
  def.material.stiffness_damping = from->damping;
  def.model = (pl_choice){"fem", fem, 2};
  def.hanging = g.list;
  def.hanging_count = from->loose ? 0 : g.hanging;
  *world = NULL;
  pl_status status = pl_world_create(&world_def, world, error);
  if (!status) status = pl_world_add_body(*world, &def, body, error);
  for (int axis = 0; axis < 3 && from->held == 1 && !status; axis++)
    status = probe_fix_side(*world, *body, axis, 0, error);
  if (from->held == 2 && !status) status = probe_fix_side(*world, *body, 0, 1, error);
  pl_mesh_destroy(mesh);
  return status;
}

/* The largest distance of a node from where a uniform strain puts it. */
static double off(pl_world *world, pl_body_id body, double sx, double sy)
{
  const pl_mesh *mesh = pl_world_body_mesh(world, body);
  const double e[3] = {(sx - 0.3 * sy) / 1e5, (sy - 0.3 * sx) / 1e5, -0.3 * (sx + sy) / 1e5};
  double *x = malloc((size_t)mesh->node_count * 3 * sizeof *x), worst = 0;
  CHECK_OK(pl_world_get_positions(world, body, x, error));
  for (int i = 0; i < 3 * mesh->node_count; i++)
    worst = fmax(worst, fabs(x[i] - mesh->nodes[i] * (1 + e[i % 3])));
  free(x);
  return worst;
}

/* ---- the patch test ---- */

static void patch(scene from)
{
  pl_world *world;
  pl_body_id body;
  from.integrator = "static";
  from.held = 1;
  int before = test_failures;
  CHECK_OK(make(&from, &world, &body, error));
  CHECK_OK(pull_side(world, body, 0, 1.999, 3000, error));
  CHECK_OK(pull_side(world, body, 1, 0.999, -2000, error));
  pl_error reason = {0};
  pl_status status = pl_world_step(world, &reason);
  // not every build has every solver
  CHECK(!status || status == PL_E_UNSUPPORTED);
  if (!status) CHECK_NEAR(off(world, body, 3000, -2000), 0, 1e-10);
  if (test_failures > before)
    printf("    fine %d, tets %d, %s, %s\n", from.fine, from.tets, from.solver,
           from.preconditioner ? from.preconditioner : "preset");
  pl_world_destroy(world);
}

/* Tension along x and pressure along y, both on faces with hanging nodes, between rollers that hold
 * some of them as well: hexahedra and tetrahedra, hanging once and twice. */
TEST(a_uniform_strain_is_uniform)
{
  for (int k = 0; k < 4; k++) patch((scene){.fine = k / 2 ? 4 : 2, .tets = k % 2, .solver = "cg"});
}

/* Where they do not hang the same mesh comes apart. */
TEST(loose_nodes_fail_the_patch_test)
{
  scene from = {.fine = 2, .integrator = "static", .held = 1, .solver = "cg", .loose = 1};
  pl_world *world;
  pl_body_id body;
  CHECK_OK(make(&from, &world, &body, error));
  CHECK_OK(pull_side(world, body, 0, 1.999, 3000, error));
  CHECK_OK(pull_side(world, body, 1, 0.999, -2000, error));
  CHECK_OK(pl_world_step(world, error));
  CHECK(off(world, body, 3000, -2000) > 1e-3);
  pl_world_destroy(world);
}

TEST(every_solver_passes_the_patch_test)
{
  for (int s = 0; pl_solver_family.members[s] && !pl_solver_family.members[s]->missing; s++)
    patch((scene){.fine = 4, .solver = pl_solver_family.members[s]->name});
  for (int p = 0; pl_preconditioner_family.members[p]; p++)
    patch((scene){.fine = 4,
                  .tets = 1,
                  .solver = "cg",
                  .preconditioner = pl_preconditioner_family.members[p]->name});
}

/* ---- in motion ---- */

static void tip(pl_world *world, pl_body_id body, double out[3])
{
  pl_probe_def def = pl_probe_def_default();
  pl_probe_id probe = {0};
  def.body = body;
  pl_vec3_set(def.at, 2, 1, 1);
  CHECK_OK(pl_world_add_probe(world, &def, &probe, error));
  CHECK_OK(pl_world_read_probe(world, probe, out, error));
}

static void sag(const char *integrator, const char *mass, double dt, double out[3])
{
  scene from = {.fine = 2, .integrator = integrator, .dt = dt, .held = 2, .mass = mass};
  pl_world *world;
  pl_body_id body;
  from.gravity[2] = -9.81;
  from.damping = 0.002;
  from.solver = "cg";
  CHECK_OK(make(&from, &world, &body, error));
  for (int i = 0; i < (int)(0.2 / dt + 0.5); i++) CHECK_OK(pl_world_step(world, error));
  tip(world, body, out);
  pl_world_destroy(world);
}

/* Clamped at the coarse end, it sags alike with all of them; explicit ones take the lumped mass,
 * which is a little different. */
TEST(every_integrator_moves_hanging_nodes)
{
  double exact[2][3];
  sag("sdirk2", "lumped", 0.0005, exact[0]);
  sag("rk4", "lumped", 0.0005, exact[1]);
  CHECK(exact[0][2] < -0.03);
  CHECK_NEAR(pl_vec3_distance(exact[0], exact[1]), 0, 0.03 * -exact[0][2]);
  for (int m = 0; pl_integrator_family.members[m]; m++) {
    const pl_member *member = pl_integrator_family.members[m];
    const pl_integrator_ops *ops = (const pl_integrator_ops *)member;
    double at[3];
    if (ops->is_static || ops->info.missing) continue;
    int before = test_failures, explicitly = !ops->is_implicit;
    sag(member->name, "lumped", explicitly ? 0.001 : 0.005, at);
    double gap = pl_vec3_distance(at, exact[explicitly]);
    CHECK_NEAR(gap, 0, (ops->order == 1 ? 0.12 : 0.01) * -exact[0][2]);
    if (test_failures > before) printf("    %s: %.3g\n", member->name, gap / -exact[0][2]);
  }
}

/* Falling freely every node falls alike, whatever the mass matrix. */
TEST(they_fall_with_the_others)
{
  static const char *const masses[] = {"lumped", "consistent"};
  static const char *const integrators[] = {"implicit-midpoint", "rk4"};
  for (int k = 0; k < 4; k++) {
    scene from = {.fine = 4, .mass = masses[k % 2], .integrator = integrators[k / 2], .dt = 0.002};
    pl_world *world;
    pl_body_id body;
    double velocity[3 * MOST_NODES];
    from.gravity[1] = -10;
    CHECK_OK(make(&from, &world, &body, error));
    for (int i = 0; i < 50; i++) CHECK_OK(pl_world_step(world, error));
    CHECK_OK(pl_world_get_velocities(world, body, velocity, error));
    double worst = 0;
    for (int i = 0; i < 3 * pl_mesh_node_count(pl_world_body_mesh(world, body)); i++)
      worst = fmax(worst, fabs(velocity[i] + (i % 3 == 1)));
    CHECK_NEAR(worst, 0, 1e-6);
    pl_world_destroy(world);
  }
}

/* ---- with rigid parts, and mistakes ---- */

/* What lies between two planes across x, below y = high. */
static pl_status make_slice(pl_world *world, pl_body_id body, double min, double max, double high,
                            pl_error *error)
{
  const double box[2][3] = {{min, -9, -9}, {max, high, 9}};
  return make_rigid(world, body, box, PL_HINGE_NONE, NULL, error);
}

/* The coarse half is rigid: what hangs on its corners goes with it. */
TEST(rigid_parts_take_hanging_nodes_with_them)
{
  scene from = {.fine = 2, .integrator = "implicit-euler"};
  pl_world *world;
  pl_body_id body;
  double x[3 * MOST_NODES];
  from.gravity[2] = -9.81;
  CHECK_OK(make(&from, &world, &body, error));
  CHECK_OK(make_slice(world, body, -0.01, 1.01, 9, error));
  const pl_body *inside = &world->bodies.list[0];
  CHECK(inside->ties.parts[0].count == 8);
  CHECK(world->bodies.blocks == inside->mesh->node_count - 13 + 2);
  for (int i = 0; i < 20; i++) CHECK_OK(pl_world_step(world, error));
  CHECK_OK(pl_world_get_positions(world, body, x, error));
  for (int n = 0; n < inside->mesh->node_count; n++)
    CHECK_NEAR(x[3 * n + 2] - inside->mesh->nodes[3 * n + 2], x[2] - inside->mesh->nodes[2], 1e-9);
  pl_world_destroy(world);
}

TEST(mistakes_are_refused)
{
  graded g;
  grade(2, 0, &g);
  pl_mesh *mesh = mesh_of(&g, 0, NULL);
  pl_world_def world_def = pl_world_def_default();
  pl_world *world = NULL;
  pl_setting hooke[] = {{.name = "young", .value = {1e5}}, {.name = "poisson", .value = {0.3}}};
  pl_body_def def = pl_body_def_default();
  def.mesh = mesh;
  def.material.law = (pl_choice){"hooke", hooke, 2};
  def.hanging = g.list;
  def.hanging_count = g.hanging;
  CHECK_OK(pl_world_create(&world_def, &world, error));
  const pl_hanging_node good = g.list[0];
  int lost[] = {0, 4711}, own = good.node;
  double heavy[] = {0.5, 0.6}, one = 1;
  g.list[0].parents = lost;
  CHECK_FAILS(pl_world_add_body(world, &def, NULL, error), PL_E_ARGUMENT, "names node 4711");
  g.list[0] = good;
  g.list[0].node = -1;
  CHECK_FAILS(pl_world_add_body(world, &def, NULL, error), PL_E_ARGUMENT, "names node -1");
  g.list[0] = good;
  g.list[0].weights = heavy;
  CHECK_FAILS(pl_world_add_body(world, &def, NULL, error), PL_E_ARGUMENT, "sum to 1.1");
  g.list[0] = (pl_hanging_node){good.node, 1, &own, &one};
  CHECK_FAILS(pl_world_add_body(world, &def, NULL, error), PL_E_ARGUMENT, "hangs on itself");
  g.list[0] = (pl_hanging_node){good.node, 0, &own, &one};
  CHECK_FAILS(pl_world_add_body(world, &def, NULL, error), PL_E_ARGUMENT, "needs parents");
  g.list[0] = good;
  def.hanging = NULL;
  CHECK_FAILS(pl_world_add_body(world, &def, NULL, error), PL_E_ARGUMENT, "no list of them");
  def.hanging = g.list;
  def.model.name = "frames";
  CHECK_FAILS(pl_world_add_body(world, &def, NULL, error), PL_E_UNSUPPORTED, "follow its frames");
  CHECK(pl_world_body_count(world) == 0);
  pl_world_destroy(world);
  pl_mesh_destroy(mesh);

  // a hanging node cannot be held where what it hangs on is not
  scene from = {.fine = 2, .integrator = "implicit-euler"};
  pl_body_id body;
  pl_setting corners[] = {{.name = "min", .value = {0.9, 0.4, 0.4}},
                          {.name = "max", .value = {1.1, 0.6, 0.6}}};
  pl_selector where = {.region = {"box", corners, 2}};
  pl_fix_def fix = pl_fix_def_default();
  fix.where = &where;
  fix.where_count = 1;
  CHECK_OK(make(&from, &world, &body, error));
  CHECK_FAILS(pl_world_add_fix(world, body, &fix, NULL, error), PL_E_ARGUMENT,
              "hold both or neither");
  // nor be rigid where that is not
  CHECK_FAILS(make_slice(world, body, 0.99, 2.01, 0.6, error), PL_E_ARGUMENT, "which is not");
  pl_world_destroy(world);
}

static pl_status attempt(const pl_allocator *allocator, void *context)
{
  (void)context;
  scene from = {.fine = 2, .integrator = "implicit-euler", .allocator = allocator, .held = 2};
  pl_world *world = NULL;
  pl_body_id body;
  pl_status status = make(&from, &world, &body, NULL);
  if (!status) status = make_slice(world, body, 1.4, 2.01, 9, NULL);
  for (int i = 0; i < 2 && !status; i++) status = pl_world_step(world, NULL);
  pl_world_destroy(world);
  return status;
}

TEST(memory_may_run_out) { fail_every_allocation(attempt, NULL); }

TESTS(X(a_uniform_strain_is_uniform) X(loose_nodes_fail_the_patch_test)
          X(every_solver_passes_the_patch_test) X(every_integrator_moves_hanging_nodes)
              X(they_fall_with_the_others) X(rigid_parts_take_hanging_nodes_with_them)
                  X(mistakes_are_refused) X(memory_may_run_out))
