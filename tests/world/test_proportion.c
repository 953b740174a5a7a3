/* Critical steps of explicit methods, explosions that are noticed, and steps that are cancelled. */
// label: long
#include "ode/integrator.h"
#include "pliant/world.h"

#include "bar.h"

/* ---- the critical step ---- */

/* A free cube of one hexahedron. */
static pl_status make_cube(double edge, double poisson, double dt, pl_world **world,
                           pl_error *error)
{
  pl_setting box[] = {{.name = "size", .value = {edge, edge, edge}},
                      {.name = "cells", .value = {1, 1, 1}},
                      {.name = "element", .word = "hex"}};
  pl_setting hooke[] = {{.name = "young", .value = {1e4}}, {.name = "poisson", .value = {poisson}}};
  pl_setting fem[] = {{.name = "mass", .word = "lumped"}};
  pl_world_def world_def = pl_world_def_default();
  world_def.dt = dt;
  world_def.integrator = (pl_choice){"verlet", NULL, 0};
  pl_body_def body = pl_body_def_default();
  pl_mesh *mesh = NULL;
  pl_body_id id;
  pl_status status = pl_mesh_generate(&(pl_choice){"box", box, 3}, NULL, &mesh, error);
  if (!status) status = pl_world_create(&world_def, world, error);
  body.mesh = mesh;
  body.material.law = (pl_choice){"hooke", hooke, 2};
  body.model = (pl_choice){"fem", fem, 1};
  if (!status) status = pl_world_add_body(*world, &body, &id, error);
  pl_mesh_destroy(mesh);
  return status;
}

/* dt = h sqrt(rho (1 - 2 nu) / E), for the worst mode is uniform dilation. */
TEST(the_critical_step_of_a_cube_is_that_of_the_formula)
{
  for (double poisson = 0; poisson < 0.46; poisson += 0.15) {
    pl_world *world = NULL;
    pl_world_facts facts;
    double edge = 0.02, expected = edge * sqrt(1000 * (1 - 2 * poisson) / 1e4);
    CHECK_OK(make_cube(edge, poisson, 1e-4, &world, error));
    CHECK_OK(pl_world_step(world, error));
    CHECK_OK(pl_world_measure(world, &facts, error));
    CHECK_NEAR(facts.critical_dt, expected, 1e-3 * expected);
    pl_world_destroy(world);
  }
}

/* ---- explosions ---- */

/* A damped bar that sags; a dt below zero is that many times the critical one. */
static pl_status sag(const char *integrator, double dt, int steps, pl_error *error)
{
  bar_def def = {
      .n = 1, .integrator = integrator, .gravity = {0, -9.81, 0}, .dt = 1e-6, .unstable = 1};
  def.stiffness_damping = 1e-3;
  pl_world *world;
  pl_body_id body;
  pl_world_facts facts;
  pl_status status = bar_make(&def, &world, &body, error);
  if (!status) status = pl_world_step(world, error);
  if (!status) status = pl_world_measure(world, &facts, error);
  if (!status) status = pl_world_set_dt(world, dt < 0 ? -dt * facts.critical_dt : dt, error);
  uint64_t before = 0;
  for (int i = 0; i < steps && !status; i++) {
    before = pl_world_state_hash(world);
    status = pl_world_step(world, error);
  }
  if (status) CHECK(!world || pl_world_state_hash(world) == before);
  pl_world_destroy(world);
  return status;
}

TEST(every_explicit_method_knows_its_critical_step)
{
  const pl_member *const *members = pl_integrator_family.members;
  int found = 0;
  for (; *members; members++) {
    const pl_integrator_ops *ops = (const pl_integrator_ops *)*members;
    if (!ops->critical) continue;
    found++;
    printf("  %s\n", ops->info.name);
    CHECK_OK(sag(ops->info.name, -0.9, 3000, error));
    CHECK_FAILS(sag(ops->info.name, -1.4, 3000, error), PL_E_DIVERGED,
                "is stable up to a step of about");
  }
  CHECK(found >= 6);
}

TEST(the_error_names_body_time_and_bound)
{
  pl_error error = {0};
  CHECK(sag("rk4", 0.01, 100, &error) == PL_E_DIVERGED);
  CHECK(strstr(error.message, "body \"body\" diverged: node ") != NULL);
  CHECK(strstr(error.message, " is the fastest at t = 0.0") != NULL && error.entity >= 0);
  CHECK(strstr(error.message, "and dt is 0.01 s; take a smaller dt or an implicit method") != NULL);
}

static char told[256];

static void keep_told(void *context, pl_level level, const char *text)
{
  (void)context;
  if (level == PL_WARNING) snprintf(told, sizeof told, "%s", text);
}

TEST(a_step_above_the_bound_is_told_where_it_is_allowed)
{
  bar_def def = {
      .n = 1, .integrator = "verlet", .dt = 0.01, .log = {keep_told, NULL}, .unstable = 1};
  pl_world *world;
  pl_body_id body;
  told[0] = 0;
  CHECK_OK(bar_make(&def, &world, &body, error));
  CHECK_OK(pl_world_step(world, error));
  CHECK(strstr(told, "verlet is stable up to a step of about") != NULL);
  pl_world_destroy(world);
}

/* ---- steps above the critical one ---- */

enum { MASS, STIFFNESS, DAMPINGS };

/* A bar that nothing holds, with the fastest mode damped by this part of the critical damping. */
static pl_world *damped(const pl_integrator_ops *ops, int kind, double part, int unstable,
                        pl_body_id *body)
{
  bar_def def = {.n = 1, .integrator = ops->info.name, .free = 1, .dt = 1e-9, .along = 2};
  pl_world *world;
  pl_world_facts facts;
  def.element = "hex";
  def.strain = "linear";
  def.unstable = 1;
  def.never_halve = 1;
  def.integrator = "verlet";
  CHECK_OK(bar_make(&def, &world, body, error));
  CHECK_OK(pl_world_step(world, error));
  CHECK_OK(pl_world_measure(world, &facts, error));
  pl_world_destroy(world);
  double frequency = 2 / facts.critical_dt;
  def.integrator = ops->info.name;
  def.unstable = unstable;
  if (kind == MASS) def.mass_damping = 2 * part * frequency;
  if (kind == STIFFNESS) def.stiffness_damping = 2 * part / frequency;
  CHECK_OK(bar_make(&def, &world, body, error));
  return world;
}

/* How the first speed, of all modes, has grown after many steps. */
static double grown(const pl_integrator_ops *ops, int kind, double part, double of_critical)
{
  pl_body_id body;
  pl_world *world = damped(ops, kind, part, 1, &body);
  pl_world_facts facts;
  double v[36], start = 0, end = 0;
  for (int i = 0; i < 36; i++) v[i] = 1e-6 * ((i * 7 + 3) % 11 - 5);
  CHECK_OK(pl_world_step(world, error));
  CHECK_OK(pl_world_measure(world, &facts, error));
  CHECK_OK(pl_world_set_dt(world, of_critical * facts.critical_dt, error));
  CHECK_OK(pl_world_set_velocities(world, body, v, error));
  for (int i = 0; i < 36; i++) start = fmax(start, fabs(v[i]));
  for (int i = 0; i < 4000 && end < 1e3 * start; i++) {
    if (pl_world_step(world, NULL)) break;
    CHECK_OK(pl_world_get_velocities(world, body, v, error));
    for (int k = 0; k < 36; k++) end = fmax(end, fabs(v[k]));
  }
  pl_world_destroy(world);
  return end / start;
}

/* The bound is neither too small, for then steps would be refused that are stable, nor too large.
 */
TEST(bounds_are_sharp_for_any_damping)
{
  static const double parts[] = {0.2, 0.5, 0.95, 1.2, 4};
  const pl_member *const *members = pl_integrator_family.members;
  for (; *members; members++) {
    const pl_integrator_ops *ops = (const pl_integrator_ops *)*members;
    if (!ops->critical) continue;
    for (int k = 0; k < DAMPINGS; k++)
      for (int i = 0; i < 5; i++) {
        double below = grown(ops, k, parts[i], 0.97), above = grown(ops, k, parts[i], 1.04);
        printf("  %s, %s damping %.2f: %.2g below the bound, %.2g above\n", ops->info.name,
               k ? "stiffness" : "mass", parts[i], below, above);
        CHECK(below < 100);
        CHECK(above > 100);
      }
  }
}

TEST(steps_above_the_bound_are_refused_by_every_explicit_method)
{
  const pl_member *const *members = pl_integrator_family.members;
  for (; *members; members++) {
    const pl_integrator_ops *ops = (const pl_integrator_ops *)*members;
    if (!ops->critical) continue;
    pl_body_id body;
    pl_world *world = damped(ops, STIFFNESS, 0.1, 0, &body);
    pl_world_facts facts;
    CHECK_OK(pl_world_step(world, error));
    CHECK_OK(pl_world_measure(world, &facts, error));
    uint64_t before = pl_world_state_hash(world);
    CHECK_OK(pl_world_set_dt(world, 1.02 * facts.critical_dt, error));
    CHECK_FAILS(pl_world_step(world, error), PL_E_ARGUMENT,
                "take substeps=\"auto\", a smaller dt or an implicit method");
    CHECK(pl_world_state_hash(world) == before);
    CHECK_OK(pl_world_set_dt(world, 0.99 * facts.critical_dt, error));
    CHECK_OK(pl_world_step(world, error));
    pl_world_destroy(world);
  }
}

TEST(methods_that_need_damping_are_refused_without)
{
  const pl_member *const *members = pl_integrator_family.members;
  for (; *members; members++) {
    const pl_integrator_ops *ops = (const pl_integrator_ops *)*members;
    if (!ops->critical || !ops->needs_damping) continue;
    pl_body_id body;
    pl_world *world = damped(ops, MASS, 0, 0, &body);
    CHECK_FAILS(pl_world_step(world, error), PL_E_ARGUMENT, "is stable at no step without damping");
    pl_world_destroy(world);
  }
}

/* A fall of an hour and a throw of 10 km/s are fast, and in proportion. */
TEST(what_is_fast_by_its_loads_is_no_explosion)
{
  bar_def def = {.n = 1, .free = 1, .gravity = {0, -9.81, 0}, .dt = 10};
  pl_world *world;
  pl_body_id body;
  CHECK_OK(bar_make(&def, &world, &body, error));
  for (int i = 0; i < 360; i++) CHECK_OK(pl_world_step(world, error));
  CHECK_OK(pl_world_throw(world, body, (double[]){1e4, 0, 0}, error));
  for (int i = 0; i < 5; i++) CHECK_OK(pl_world_step(world, error));
  pl_world_destroy(world);
}

/* ---- steps that are cancelled ---- */

typedef struct clerk {
  int asked, end_at; /* end_at 0: never */
} clerk;

static int ask(void *context, double time)
{
  clerk *c = context;
  CHECK(time >= 0 && time <= 0.1);
  return ++c->asked == c->end_at;
}

/* Cancels at every place where the first step asks; the step after that is as if nothing had
 * been. */
static void cancel_everywhere(const bar_def *def)
{
  pl_world *world;
  pl_body_id body;
  CHECK_OK(bar_make(def, &world, &body, error));
  clerk c = {0};
  pl_world_set_watcher(world, &(pl_watcher){.ask = ask, .context = &c});
  uint64_t start = pl_world_state_hash(world);
  CHECK_OK(pl_world_step(world, error));
  uint64_t whole = pl_world_state_hash(world);
  pl_world_destroy(world);
  int stride = (c.asked + 39) / 40, places = stride ? c.asked / stride : 0;
  CHECK(places > 0);
  for (int k = 0; k < places; k++) {
    CHECK_OK(bar_make(def, &world, &body, error));
    c = (clerk){.end_at = 1 + k * stride};
    pl_world_set_watcher(world, &(pl_watcher){.ask = ask, .context = &c});
    CHECK_FAILS(pl_world_step(world, error), PL_E_CANCELLED, "cancelled");
    CHECK(c.asked == c.end_at);
    CHECK(pl_world_state_hash(world) == start && pl_world_time(world) == 0);
    pl_world_set_watcher(world, NULL);
    CHECK_OK(pl_world_step(world, error));
    CHECK(pl_world_state_hash(world) == whole);
    pl_world_destroy(world);
  }
}

TEST(a_step_of_every_integrator_can_be_cancelled)
{
  const pl_member *const *members = pl_integrator_family.members;
  for (; *members; members++) {
    const pl_integrator_ops *ops = (const pl_integrator_ops *)*members;
    if (ops->info.missing) continue;
    printf("  %s\n", ops->info.name);
    bar_def def = {.n = 1, .integrator = ops->info.name, .gravity = {0, -9.81, 0}};
    def.dt = ops->critical ? 5e-5 : 0.01;
    def.stiffness_damping = 1e-4;
    cancel_everywhere(&def);
  }
}

TEST(a_solve_of_every_solver_can_be_cancelled)
{
  const pl_family *family = pl_family_find("solver");
  for (const pl_member *const *member = family->members; *member; member++) {
    if ((*member)->missing) continue; // in this build
    printf("  %s\n", (*member)->name);
    bar_def def = {.n = 2, .gravity = {0, -9.81, 0}, .solver = 1e-8};
    def.method = (*member)->name;
    cancel_everywhere(&def);
  }
}

TESTS(X(the_critical_step_of_a_cube_is_that_of_the_formula)
          X(every_explicit_method_knows_its_critical_step) X(the_error_names_body_time_and_bound)
              X(a_step_above_the_bound_is_told_where_it_is_allowed)
                  X(bounds_are_sharp_for_any_damping)
                      X(steps_above_the_bound_are_refused_by_every_explicit_method)
                          X(methods_that_need_damping_are_refused_without)
                              X(what_is_fast_by_its_loads_is_no_explosion)
                                  X(a_step_of_every_integrator_can_be_cancelled)
                                      X(a_solve_of_every_solver_can_be_cancelled))
