/* Equilibria under loads that press a body together, of laws whose energy is infinite for volumes
 * of zero. */
#include "pliant/world.h"
#include "world/world.h"

#include "bar.h"

#include <math.h>

/* A bar between smooth walls, y and z held everywhere, under a traction along x; the moduli of
 * E = 1e6, nu = 0.3. */
static pl_world *make_confined(const char *law, const char *element, double stress,
                               pl_body_id *body)
{
  pl_setting moduli[] = {{.name = "young", .value = {1e6}}, {.name = "poisson", .value = {0.3}}};
  pl_setting mooney[] = {{.name = "c10", .value = {1.5e5}},
                         {.name = "c01", .value = {5e4}},
                         {.name = "bulk", .value = {1e6}}};
  int is_mooney = strcmp(law, "mooney-rivlin") == 0;
  pl_body_def like = pl_body_def_default();
  like.material.law = (pl_choice){law, is_mooney ? mooney : moduli, is_mooney ? 3 : 2};
  bar_def def = {.integrator = "static", .element = element, .dt = 1, .like = &like};
  pl_selector all = {.region = {"box", NULL, 0}};
  pl_fix_def walls = pl_fix_def_default();
  walls.where = &all;
  walls.where_count = walls.free_axis[0] = 1;
  pl_world *world = NULL;
  CHECK_OK(bar_make(&def, &world, body, error));
  CHECK_OK(pl_world_add_fix(world, *body, &walls, NULL, error));
  CHECK_OK(bar_pull(world, *body, stress, error));
  return world;
}

/* Newton's first increment would turn the bar inside out: it is to be shortened, not followed. The
 * stretch s has the nominal stress mu (s - 1/s) + lambda (s - 1). */
TEST(strong_loads_press_but_do_not_invert)
{
  const char *const elements[] = {"tet", "hex"};
  double mu = 1e6 / 2.6, lambda = 0.3e6 / (1.3 * 0.4);
  for (int e = 0; e < 2; e++) {
    for (double load = 1e6; load < 4.2e6; load += 1e6) {
      pl_body_id body;
      double tip[3];
      pl_world *world = make_confined("neo-hooke", elements[e], -load, &body);
      CHECK_OK(pl_world_step(world, error));
      bar_tip(world, body, tip);
      double s = 1 + tip[0];
      CHECK(s > 0.1);
      CHECK_NEAR(mu * (s - 1 / s) + lambda * (s - 1), -load, 1e-6 * load);
      pl_world_destroy(world);
    }
  }
}

/* The laws are continued for volumes below a tenth, where they have finite energy and equilibria
 * inside out; these are refused, and the body stays where it was. */
TEST(inverted_equilibria_are_refused)
{
  const char *const laws[] = {"neo-hooke", "mooney-rivlin"}, *const elements[] = {"tet", "hex"};
  for (int k = 0; k < 4; k++) {
    pl_body_id body;
    pl_world_facts facts;
    pl_world *world = make_confined(laws[k / 2], elements[k % 2], -1e8, &body);
    CHECK_FAILS(pl_world_step(world, error), PL_E_DIVERGED, "inside out; take a smaller load");
    CHECK_OK(pl_world_measure(world, &facts, error));
    CHECK(facts.min_volume_ratio > 0.999 && facts.time == 0);
    pl_world_destroy(world);
  }
}

/* Hooke's law in a linear strain has a state for every volume, and keeps it. */
TEST(laws_without_a_wall_go_through)
{
  pl_setting moduli[] = {{.name = "young", .value = {1e6}}, {.name = "poisson", .value = {0.3}}};
  pl_setting linear = {.name = "strain", .word = "linear"};
  pl_body_def like = pl_body_def_default();
  like.material.law = (pl_choice){"hooke", moduli, 2};
  like.model = (pl_choice){"fem", &linear, 1};
  bar_def def = {.integrator = "static", .dt = 1, .like = &like};
  pl_world *world = NULL;
  pl_body_id body;
  pl_world_facts facts;
  CHECK_OK(bar_make(&def, &world, &body, error));
  CHECK_OK(bar_pull(world, body, -2e6, error));
  CHECK_OK(pl_world_step(world, error));
  CHECK_OK(pl_world_measure(world, &facts, error));
  CHECK(facts.min_volume_ratio < 0);
  pl_world_destroy(world);
}

/* A tangent that turns out indefinite is replaced; what its solve left is no result, and not told.
 */
TEST(residuals_of_refused_tangents_do_not_count)
{
  pl_setting newton[] = {{.name = "newton", .value = {100}}, {.name = "tangent", .word = "exact"}};
  bar_def def = {.n = 1, .strain = "green"};
  pl_world *world;
  pl_body_id body;
  pl_world_facts facts;
  CHECK_OK(bar_make(&def, &world, &body, error));
  CHECK_OK(pl_world_set_integrator(world, &(pl_choice){"static", newton, 2}, error));
  CHECK_OK(pl_world_set_solver(world, &(pl_choice){"cg", NULL, 0},
                               &(pl_choice){"block-diagonal", NULL, 0}, error));
  CHECK_OK(bar_pull(world, body, -1e5, error));
  CHECK_OK(pl_world_step(world, error));
  CHECK_OK(pl_world_measure(world, &facts, error));
  CHECK(world->tally.last.semidefinite_fallbacks > 0);
  // inside Newton, linear solves leave 1e-3 of its residual
  CHECK(facts.worst_linear_residual <= 1e-3);
  pl_world_destroy(world);
}

/* Dynamic relaxation carries moved nodes to the end of their way in as many parts as there are load
 * steps, and the bar between the ends is stretched evenly. */
TEST(relaxation_moves_fixes_in_load_steps)
{
  static const double times[] = {0, 1}, factors[] = {0, 1};
  pl_setting box[] = {{"size", {1, 0.25, 0.25}, NULL}, {"cells", {4, 1, 1}, NULL}};
  pl_setting hooke[] = {{"young", {1e5}, NULL}, {"poisson", {0}, NULL}};
  pl_setting steps = {"load-steps", {3}, NULL};
  pl_world_def def = pl_world_def_default();
  pl_body_def body_def = pl_body_def_default();
  pl_mesh *mesh = NULL;
  pl_world *world;
  pl_body_id body;
  double x[3 * 20];
  def.dt = 1;
  def.integrator = (pl_choice){"relaxation", &steps, 1};
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", box, 2}, NULL, &mesh, error));
  body_def.mesh = mesh;
  body_def.material.law = (pl_choice){"hooke", hooke, 2};
  CHECK_OK(pl_world_create(&def, &world, error));
  CHECK_OK(pl_world_add_body(world, &body_def, &body, error));
  CHECK_OK(fix_set(world, body, "x-min", error));
  pl_fix_def pull = pl_fix_def_default();
  pull.where = &(pl_selector){.set = "x-max"};
  pull.where_count = 1;
  pull.translation[0] = 0.05;
  pull.ramp = (pl_ramp){2, times, factors};
  CHECK_OK(pl_world_add_fix(world, body, &pull, NULL, error));
  CHECK_OK(pl_world_step(world, error));
  CHECK_OK(pl_world_get_positions(world, body, x, error));
  for (int i = 0; i < 20; i++) {
    double at = pl_mesh_nodes(mesh)[3 * i];
    CHECK_NEAR(x[3 * i], 1.05 * at, at > 0.99 ? 1e-12 : 0.01);
  }
  pl_mesh_destroy(mesh);
  pl_world_destroy(world);
}

static void count_unstable(void *user, pl_level level, const char *message)
{
  *(int *)user += level == PL_WARNING && strstr(message, "is unstable: the least push") != NULL;
}

/* A column of length L and width a stands while E > 12 rho g L^3 / (7.84 a^2); here E is 0.42
 * times that. Where it stands straight the equilibrium is unstable. */
static pl_world *make_column(const char *solver, double *tip, int *warnings, pl_status *status,
                             pl_error *failure)
{
  bar_def def = {.n = 4, .integrator = "static", .dt = 1, .gravity = {-98.1, 0, 0}};
  def.log = (pl_log){count_unstable, warnings};
  pl_world *world;
  pl_body_id body;
  CHECK_OK(bar_make(&def, &world, &body, error));
  CHECK_OK(pl_world_set_solver(world, &(pl_choice){solver, NULL, 0}, &(pl_choice){"auto", NULL, 0},
                               error));
  *status = pl_world_step(world, failure);
  double x[3 * 17 * 5 * 5];
  CHECK_OK(pl_world_get_positions(world, body, x, error));
  for (int k = 0; k < 3; k++) tip[k] = x[3 * (17 * 5 * 5 - 1) + k];
  return world;
}

/* auto goes on where minres would succeed, and says both what it took and that it is unstable. */
TEST(unstable_equilibria_are_found_and_named)
{
  double tip[3], by_minres[3];
  int warnings = 0, unheard = 0;
  pl_status status;
  pl_error failure = {0};
  pl_world *world = make_column("minres", by_minres, &unheard, &status, &failure);
  CHECK(status == PL_OK);
  pl_world_destroy(world);
  world = make_column("auto", tip, &warnings, &status, &failure);
  CHECK(status == PL_OK && warnings == 1);
  // Newton leaves 1e-8 of the weight, and the column's stiffness against buckling is some percent
  for (int k = 0; k < 3; k++) CHECK_NEAR(tip[k], by_minres[k], 1e-6);
  const char *reason;
  CHECK(strcmp(pl_world_solver_choice(world, &reason), "minres") == 0);
  CHECK(strstr(reason, "indefinite tangent") != NULL);
  // remembered: the next step, to the same equilibrium, takes no matrix in vain and is quiet
  CHECK_OK(pl_world_step(world, error));
  CHECK(world->tally.last.newton_iterations <= 2 && warnings == 1);
  pl_world_destroy(world);
  world = make_column("direct", tip, &unheard, &status, &failure);
  CHECK(status == PL_E_CONVERGENCE && strstr(failure.message, "the tangent is indefinite"));
  CHECK(strstr(failure.message, "\"minres\"") && unheard == 0);
  pl_world_destroy(world);
}

TESTS(X(unstable_equilibria_are_found_and_named) X(relaxation_moves_fixes_in_load_steps)
          X(strong_loads_press_but_do_not_invert) X(inverted_equilibria_are_refused)
              X(laws_without_a_wall_go_through) X(residuals_of_refused_tangents_do_not_count))
