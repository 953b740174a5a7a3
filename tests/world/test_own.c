/* What a program brings along itself: a law, a field of forces. */
#include "own_neo_hooke.h"
#include "world/world.h"

#include "bar.h"

static own_moduli rubber = {.lambda = 1e6 * 0.3 / (1.3 * 0.4), .mu = 1e6 / 2.6};

/* A bar of neo-hooke, by its name or by a function, or half and half. */
static void make_bar(const char *model, const char *element, int is_own, const char *integrator,
                     pl_world **world, pl_body_id *body)
{
  static const pl_setting moduli[] = {{.name = "young", .value = {1e6}},
                                      {.name = "poisson", .value = {0.3}}};
  pl_body_def like = pl_body_def_default();
  like.model.name = model;
  like.material.law = (pl_choice){"neo-hooke", moduli, 2};
  like.material.stiffness_damping = 0.002;
  if (is_own) like.material.own = (pl_own_law){own_neo_hooke, &rubber};
  const pl_setting region[] = {{.name = "min", .value = {0.5, -1, -1}},
                               {.name = "max", .value = {2, 2, 2}}};
  const pl_selector half = {.region = {"box", region, 2}};
  pl_body_part part = {&half, 1, like.material};
  part.material.own = (pl_own_law){0};
  if (is_own == 2) like.parts = &part, like.part_count = 1;
  bar_def def = {.n = 1, .element = element, .like = &like, .gravity = {0, 0, -20}};
  def.integrator = integrator;
  def.solver = 1e-12;
  def.newton = 40;
  def.newton_tolerance = 1e-10;
  CHECK_OK(bar_make(&def, world, body, error));
}

/* The same motion, whoever computes the law, with every model of points, with several threads, in a
 * part of the body, and in statics. */
TEST(a_law_of_ones_own_moves_like_the_same_law_inside)
{
  static const char *const cases[][3] = {{"fem", "tet", "implicit-euler"},
                                         {"fem", "hex", "bdf2"},
                                         {"fem", "tet", "static"},
                                         {"frames", "tet", "implicit-euler"},
                                         {"rigid-frames", "tet", "implicit-euler"}};
  for (int c = 0; c < 5; c++) {
    double tips[3][3];
    for (int is_own = 0; is_own < 3; is_own++) {
      pl_world *world;
      pl_body_id body;
      make_bar(cases[c][0], cases[c][1], is_own, cases[c][2], &world, &body);
      for (int i = 0; i < (c == 2 ? 1 : 5); i++) CHECK_OK(pl_world_step(world, error));
      bar_tip(world, body, tips[is_own]);
      pl_world_destroy(world);
    }
    CHECK(tips[0][2] < -1e-3);
    for (int k = 0; k < 3; k++) CHECK_NEAR(tips[1][k], tips[0][k], 1e-7);
    for (int k = 0; k < 3; k++) CHECK_NEAR(tips[2][k], tips[0][k], 1e-7);
  }
  CHECK(rubber.calls > 1000);
}

static void broken_law(void *context, const double F[9], double *W, double *P, double *H)
{
  own_neo_hooke(&rubber, F, W, P, H);
  if (*(int *)context && P) P[4] = NAN;
}

TEST(a_law_that_is_not_finite_fails_the_step_and_changes_nothing)
{
  pl_world *world;
  pl_body_id body;
  int is_broken = 0;
  static const pl_setting moduli[] = {{.name = "young", .value = {1e6}},
                                      {.name = "poisson", .value = {0.3}}};
  pl_body_def like = pl_body_def_default();
  like.material.law = (pl_choice){"hooke", moduli, 2};
  like.material.own = (pl_own_law){broken_law, &is_broken};
  bar_def def = {.n = 1, .like = &like, .gravity = {0, 0, -9.81}};
  CHECK_OK(bar_make(&def, &world, &body, error));
  CHECK_OK(pl_world_step(world, error));
  uint64_t hash = pl_world_state_hash(world);
  pl_error failed = {0};
  is_broken = 1;
  CHECK(pl_world_step(world, &failed) != PL_OK && failed.message[0]);
  CHECK(pl_world_state_hash(world) == hash);
  is_broken = 0;
  CHECK_OK(pl_world_step(world, error));
  pl_world_destroy(world);
}

/* ---- fields ---- */

typedef struct well {
  double stiffness; /* N/m of every node, towards the plane z = 0.125 */
  int nodes, calls, gives_slopes, is_broken;
} well;

static void pull_to_plane(void *context, double time, const double *x, const double *v,
                          double *forces, double *slopes)
{
  well *w = context;
  (void)time, (void)v;
  w->calls++;
  for (int i = 0; i < w->nodes; i++) {
    forces[3 * i + 2] = w->is_broken ? NAN : -w->stiffness * (x[3 * i + 2] - 0.125);
    if (slopes && w->gives_slopes) slopes[9 * i + 8] = -w->stiffness;
  }
}

static double height_of(pl_world *world, pl_body_id body, int nodes)
{
  double *x = calloc(3 * (size_t)nodes, sizeof *x), sum = 0;
  CHECK_OK(pl_world_get_positions(world, body, x, error));
  for (int i = 0; i < nodes; i++) sum += x[3 * i + 2] / nodes;
  free(x);
  return sum;
}

/* A stiff field that is stepped implicitly: with every model a free bar falls until the field holds
 * its weight, m g = sum k (x - 0.125), at steps that are far too long without slopes. */
TEST(a_stiff_field_holds_a_body_of_every_model)
{
  for (int m = 0; pl_model_family.members[m]; m++) {
    if (((const pl_model_ops *)(const void *)pl_model_family.members[m])->meshes == PL_ON_SEGMENTS)
      continue;
    pl_world *world;
    pl_body_id body;
    pl_body_def like = pl_body_def_default();
    like.model.name = pl_model_family.members[m]->name;
    like.material.mass_damping = 5;
    bar_def def = {.n = 1, .free = 1, .like = &like, .gravity = {0, 0, -9.81}, .dt = 0.05};
    CHECK_OK(bar_make(&def, &world, &body, error));
    int nodes = pl_mesh_node_count(pl_world_body_mesh(world, body));
    well w = {.stiffness = 1e5, .nodes = nodes, .gives_slopes = 1};
    double before = height_of(world, body, nodes);
    CHECK_OK(pl_world_set_force_field(world, body, &(pl_force_field){pull_to_plane, &w}, error));
    for (int i = 0; i < 40; i++) CHECK_OK(pl_world_step(world, error));
    CHECK(w.calls > 40);
    // the weight over all springs is at most a tenth of a millimetre
    CHECK_NEAR(height_of(world, body, nodes), 0.125, before == 0.125 ? 2e-4 : 5e-3);
    CHECK_OK(pl_world_set_force_field(world, body, NULL, error));
    int calls = w.calls;
    for (int i = 0; i < 5; i++) CHECK_OK(pl_world_step(world, error));
    CHECK(w.calls == calls && height_of(world, body, nodes) < 0.1);
    pl_world_destroy(world);
  }
}

/* One period of an undamped body in the field: omega^2 = sum k / m. */
TEST(a_field_has_the_frequency_of_its_springs)
{
  pl_world *world;
  pl_body_id body;
  bar_def def = {.n = 1, .free = 1, .integrator = "implicit-midpoint", .dt = 1e-3};
  def.solver = 1e-10;
  CHECK_OK(bar_make(&def, &world, &body, error));
  int nodes = pl_mesh_node_count(pl_world_body_mesh(world, body));
  // stiffness by the lumped mass of each node would move it as a whole; here all of it is moved up
  well w = {.stiffness = 10, .nodes = nodes, .gives_slopes = 1};
  double omega = sqrt(w.stiffness * nodes / (1000 * 0.0625)), start = height_of(world, body, nodes);
  pl_world_set_force_field(world, body, &(pl_force_field){pull_to_plane, &w}, NULL);
  CHECK_OK(pl_world_throw(world, body, (double[3]){0, 0, 0.1}, error));
  int quarter = (int)(1.5707963 / omega / 1e-3);
  for (int i = 0; i < quarter; i++) CHECK_OK(pl_world_step(world, error));
  CHECK_NEAR(height_of(world, body, nodes) - start, 0.1 / omega, 0.01 * 0.1 / omega);
  pl_world_destroy(world);
}

TEST(fields_and_set_forces_add_up_and_errors_change_nothing)
{
  pl_world *world;
  pl_body_id body;
  bar_def def = {.n = 1, .free = 1, .dt = 0.01};
  CHECK_OK(bar_make(&def, &world, &body, error));
  int nodes = pl_mesh_node_count(pl_world_body_mesh(world, body));
  well w = {.stiffness = 100, .nodes = nodes, .gives_slopes = 0};
  double *up = calloc(3 * (size_t)nodes, sizeof *up);
  for (int i = 0; i < nodes; i++) up[3 * i + 2] = 1;
  CHECK_OK(pl_world_set_forces(world, body, up, error));
  CHECK_OK(pl_world_set_force_field(world, body, &(pl_force_field){pull_to_plane, &w}, error));
  for (int i = 0; i < 10; i++) CHECK_OK(pl_world_step(world, error));
  CHECK(height_of(world, body, nodes) > 0.125);
  uint64_t hash = pl_world_state_hash(world);
  pl_error failed = {0};
  w.is_broken = 1;
  CHECK(pl_world_step(world, &failed) != PL_OK);
  CHECK(pl_world_state_hash(world) == hash);
  CHECK_FAILS(pl_world_set_force_field(world, body, &(pl_force_field){0}, error), PL_E_ARGUMENT,
              "function");
  CHECK_FAILS(pl_world_set_force_field(world, (pl_body_id){9, 9}, NULL, error), PL_E_ARGUMENT, "");
  CHECK_OK(pl_world_set_forces(world, body, NULL, error));
  CHECK_OK(pl_world_set_force_field(world, body, NULL, error));
  CHECK(pl_couplings_count(&world->couplings, &pl_coupling_own_force) == 0);
  CHECK_OK(pl_world_step(world, error));
  free(up);
  pl_world_destroy(world);
}

/* ---- many worlds ---- */

enum { MANY = 7 };

TEST(many_worlds_have_the_bits_of_one_alone)
{
  pl_world *worlds[MANY], *alone;
  pl_body_id body;
  bar_def def = {.n = 1, .gravity = {0, 0, -9.81}};
  for (int i = 0; i < MANY; i++) CHECK_OK(bar_make(&def, &worlds[i], &body, error));
  CHECK_OK(bar_make(&def, &alone, &body, error));
  for (int i = 0; i < 3; i++) CHECK_OK(pl_world_step(alone, error));
  for (int threads = 0; threads < 4; threads++)
    CHECK_OK(pl_worlds_step(worlds, MANY, threads == 0 ? 3 : 0, threads, NULL, NULL, error));
  for (int i = 0; i < MANY; i++)
    CHECK(pl_world_state_hash(worlds[i]) == pl_world_state_hash(alone));
  pl_world *twice[] = {worlds[0], worlds[1], worlds[0]}, *missing[] = {worlds[0], NULL};
  CHECK_FAILS(pl_worlds_step(twice, 3, 1, 2, NULL, NULL, error), PL_E_ARGUMENT, "second time");
  CHECK_FAILS(pl_worlds_step(missing, 2, 1, 2, NULL, NULL, error), PL_E_ARGUMENT, "NULL");
  CHECK_FAILS(pl_worlds_step(worlds, -1, 1, 2, NULL, NULL, error), PL_E_ARGUMENT, "negative");
  CHECK_OK(pl_worlds_step(NULL, 0, 1, 2, NULL, NULL, error));
  // one fails: the others go on
  well w = {
      .stiffness = 1, .nodes = pl_mesh_node_count(pl_world_body_mesh(alone, body)), .is_broken = 1};
  pl_status statuses[MANY];
  pl_error errors[MANY];
  CHECK_OK(pl_world_set_force_field(worlds[3], pl_world_body_at(worlds[3], 0),
                                    &(pl_force_field){pull_to_plane, &w}, error));
  CHECK(pl_worlds_step(worlds, MANY, 2, 2, statuses, errors, NULL) == statuses[3]);
  CHECK(statuses[3] != PL_OK && errors[3].message[0]);
  for (int i = 0; i < 2; i++) CHECK_OK(pl_world_step(alone, error));
  for (int i = 0; i < MANY; i++)
    CHECK((pl_world_state_hash(worlds[i]) == pl_world_state_hash(alone)) == (i != 3));
  for (int i = 0; i < MANY; i++) pl_world_destroy(worlds[i]);
  pl_world_destroy(alone);
}

/* ---- watchers that are asked seldom ---- */

static int count_question(void *context, double time)
{
  (void)time;
  ++*(int *)context;
  return 0;
}

TEST(a_watcher_with_a_pause_is_asked_seldom)
{
  pl_world *world;
  pl_body_id body;
  int often = 0, seldom = 0;
  bar_def def = {.n = 2, .gravity = {0, 0, -9.81}};
  CHECK_OK(bar_make(&def, &world, &body, error));
  pl_world_set_watcher(world, &(pl_watcher){count_question, &often, 0});
  for (int i = 0; i < 5; i++) CHECK_OK(pl_world_step(world, error));
  pl_world_set_watcher(world, &(pl_watcher){count_question, &seldom, 1000});
  for (int i = 0; i < 5; i++) CHECK_OK(pl_world_step(world, error));
  CHECK(often > 10 && seldom <= 1);
  pl_world_destroy(world);
}

TESTS(X(a_law_of_ones_own_moves_like_the_same_law_inside)
          X(a_law_that_is_not_finite_fails_the_step_and_changes_nothing)
              X(a_stiff_field_holds_a_body_of_every_model)
                  X(a_field_has_the_frequency_of_its_springs)
                      X(fields_and_set_forces_add_up_and_errors_change_nothing)
                          X(many_worlds_have_the_bits_of_one_alone)
                              X(a_watcher_with_a_pause_is_asked_seldom))
