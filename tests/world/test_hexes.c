/* Hexahedra in worlds: frequencies against beam theory, what averaged hanging nodes do in the long
 * run, mass damping of deformation only, and warnings. */
// label: release
#include "world/world.h"

#include <math.h>
#include <string.h>

#include "world/acts.h"

typedef struct box {
  double size[3];
  int cells[3], levels;
  double young, poisson, dt, gravity, damping;
  const char *integrator, *strain, *quadrature, *mass;
  int averaged, spares, held;
  const pl_log *log;
} box;

static const char *or_else(const char *text, const char *other) { return text ? text : other; }

static pl_world *make(const box *b, pl_body_id *id)
{
  const pl_setting shape[] = {{.name = "size", .value = {b->size[0], b->size[1], b->size[2]}},
                              {.name = "cells", .value = {b->cells[0], b->cells[1], b->cells[2]}},
                              {.name = "levels", .value = {b->levels}}};
  const pl_setting moduli[] = {{.name = "young", .value = {b->young}},
                               {.name = "poisson", .value = {b->poisson}}};
  const pl_setting words[] = {{.name = "strain", .word = or_else(b->strain, "green")},
                              {.name = "quadrature", .word = or_else(b->quadrature, "one-point")},
                              {.name = "mass", .word = or_else(b->mass, "lumped")}};
  pl_mesh *mesh = NULL;
  pl_choice generator = {"graded-box", shape, 3};
  CHECK_OK(pl_mesh_generate(&generator, NULL, &mesh, error));
  pl_world_def def = pl_world_def_default();
  def.allow_unstable = 1;
  memcpy(def.gravity, (double[3]){0, 0, b->gravity}, sizeof def.gravity);
  def.dt = b->dt;
  def.integrator = (pl_choice){.name = or_else(b->integrator, "verlet")};
  if (b->log) def.log = *b->log;
  pl_world *world = NULL;
  CHECK_OK(pl_world_create(&def, &world, error));
  pl_body_def from = pl_body_def_default();
  from.mesh = mesh;
  from.material.law = (pl_choice){"hooke", moduli, 2};
  from.material.mass_damping = b->damping;
  from.material.spares_rigid_motion = b->spares;
  from.model = (pl_choice){"fem", words, 3};
  from.average_hanging = b->averaged;
  CHECK_OK(pl_world_add_body(world, &from, id, error));
  if (b->held) CHECK_OK(fix_set(world, *id, "x-min", error));
  pl_mesh_destroy(mesh);
  return world;
}

/* ---- frequencies ---- */

static const double pi = 3.14159265358979323846;

static void bend(const double X[3], double v[3])
{
  // sections stay at right angles to the axis, nearly
  v[0] = -(X[1] - 0.05) * pi * cos(pi * X[0]);
  v[1] = sin(pi * X[0]);
  v[2] = 0;
}

static void twist(const double X[3], double v[3])
{
  v[0] = 0;
  v[1] = -(X[2] - 0.05) * cos(pi * X[0]);
  v[2] = (X[1] - 0.05) * cos(pi * X[0]);
}

/* Half a period of the motion that starts with these velocities: between the zeros of its part in
 * the momentum. */
static double half_period(pl_world *world, pl_body_id id, void (*mode)(const double *, double *))
{
  const pl_mesh *mesh = pl_world_body_mesh(world, id);
  int n = pl_mesh_node_count(mesh);
  double *v = malloc(3 * (size_t)n * sizeof *v), zeros[2] = {0}, last = 1;
  for (int i = 0; i < n; i++) {
    mode(pl_mesh_nodes(mesh) + 3 * i, v + 3 * i);
    for (int k = 0; k < 3; k++) v[3 * i + k] *= 1e-4;
  }
  CHECK_OK(pl_world_set_velocities(world, id, v, error));
  const pl_body *body = &world->bodies.list[0];
  for (int found = 0, step = 0; found < 2 && step < 4000; step++) {
    double part = 0, before = world->state.time;
    CHECK_OK(pl_world_step(world, error));
    for (int i = 0; i < body->blocks; i++) {
      const double *u = v + 3 * body->order[i], *now = world->state.v + 3 * i;
      for (int k = 0; k < 3; k++) part += body->model->lumped_mass[i] * u[k] * now[k];
    }
    if (part * last < 0)
      zeros[found++] = before + (world->state.time - before) * last / (last - part);
    last = part;
  }
  free(v);
  return zeros[1] - zeros[0];
}

static void support_ends(pl_world *world, pl_body_id id)
{
  static const char *const ends[] = {"x-min", "x-max"};
  for (int e = 0; e < 2; e++) {
    const pl_selector end = {.set = ends[e]};
    pl_fix_def fix = pl_fix_def_default();
    fix.where = &end;
    fix.where_count = 1;
    fix.normal[1] = 1;
    CHECK_OK(pl_world_add_fix(world, id, &fix, NULL, error));
  }
}

/* A bar of 1 x 0.1 x 0.1 m, nu = 0. Bending between supports: Timoshenko's beam with k = 5/6;
 * torsion of the free bar: St.Venant's constant of the square, 0.140577 a^4. The lumped mass has
 * 5.6 % too much moment of inertia about the axis at 6 cells, 1 + 2 / n^2, which the mixed
 * and the shifted mass halve, and the warping of sections is too stiff by about as much. */
TEST(bending_and_torsion_have_the_frequencies_of_beams)
{
  const double E = 1e6, rho = 1000, a = 0.1, G = E / 2, I = a * a * a * a / 12, A = a * a;
  const double beta = pi, kG = 5.0 / 6 * G;
  double p = rho * rho * I / kG, q = rho * A + rho * I * beta * beta * (1 + E / kG),
         r = E * I * pow(beta, 4);
  double bending = sqrt((q - sqrt(q * q - 4 * p * r)) / (2 * p));
  double torsion = pi * sqrt(G * 0.140577 * a * a * a * a / (rho * 2 * I));
  static const char *const masses[] = {"lumped", "shifted", "mixed"};
  for (int m = 0; m < 3; m++) {
    int mixed = m == 2;
    // the trapezoidal rule lowers a frequency w by (w dt)^2 / 12, here 1e-5
    box b = {.size = {1, a, a},
             .cells = {60, 6, 6},
             .young = E,
             .dt = mixed ? 2e-3 : 4e-4,
             .strain = "linear",
             .mass = masses[m],
             .integrator = mixed ? "newmark" : "verlet"};
    pl_body_id id;
    pl_world *world = make(&b, &id);
    double twisting = pi / half_period(world, id, twist);
    pl_world_destroy(world);
    world = make(&b, &id);
    support_ends(world, id);
    double bent = pi / half_period(world, id, bend);
    pl_world_destroy(world);
    printf("  %s mass: bending %+.2f %%, torsion %+.2f %%\n", b.mass, 100 * (bent / bending - 1),
           100 * (twisting / torsion - 1));
    CHECK(fabs(bent / bending - 1) < 0.01);
    CHECK(fabs(twisting / torsion - 1) < (m ? 0.01 : 0.016));
  }
}

/* T2: explicit Newmark steps are stable up to w dt = 2, whatever the mass damping; the largest w of
 * a free cube is known, 2 / (h sqrt(rho (1 - 2 nu) / E)). */
static double growth(double part, double damping)
{
  const double h = 0.1, nu = 0.3, E = 2e4, limit = h * sqrt(1000 * (1 - 2 * nu) / E);
  box b = {.size = {h, h, h},
           .cells = {1, 1, 1},
           .young = E,
           .poisson = nu,
           .dt = part * limit,
           .damping = damping / limit, // of 1: half of the critical damping of that mode
           .strain = "linear",
           .quadrature = "full",
           .integrator = "explicit-newmark"};
  pl_body_id id;
  pl_world *world = make(&b, &id);
  double v[24], max = 0;
  for (int i = 0; i < 24; i++) v[i] = 1e-6 * ((i * 7 + 3) % 11 - 5);
  CHECK_OK(pl_world_set_velocities(world, id, v, error));
  for (int i = 0; i < 3000 && !pl_world_step(world, NULL); i++) {
    for (int k = 0; k < 24; k++) max = fmax(max, fabs(world->state.v[k]));
  }
  pl_world_destroy(world);
  return max / 5e-6;
}

TEST(explicit_newmark_is_stable_up_to_twice_the_period)
{
  static const double damping[] = {0, 0.2, 1, 2, 4};
  for (int i = 0; i < 5; i++) {
    double below = growth(0.99, damping[i]), above = growth(1.01, damping[i]);
    printf("  damping ratio %.1f: %.1f times the first speed below the limit, %.1e above\n",
           0.25 * damping[i], below, above);
    CHECK(below < 50);
    CHECK(above > 1e3);
  }
}

/* ---- hanging nodes in the long run ---- */

/* Stretched, sheared and spinning. */
static void set_in_motion(pl_world *world, pl_body_id id)
{
  const pl_mesh *mesh = pl_world_body_mesh(world, id);
  int n = 3 * pl_mesh_node_count(mesh);
  double *x = malloc((size_t)n * sizeof *x), *v = malloc((size_t)n * sizeof *v);
  const double *X = pl_mesh_nodes(mesh);
  for (int i = 0; i < n; i += 3) {
    double at[3] = {1.06 * X[i] + 0.05 * X[i + 1], 0.97 * X[i + 1], X[i + 2] + 0.02 * X[i]};
    double speed[3] = {0.2 - 4 * (X[i + 1] - 0.05), 4 * (X[i] - 0.05), 0.1};
    memcpy(x + i, at, sizeof at);
    memcpy(v + i, speed, sizeof speed);
  }
  CHECK_OK(pl_world_set_positions(world, id, x, error));
  CHECK_OK(pl_world_set_velocities(world, id, v, error));
  free(x);
  free(v);
}

TEST(averaged_hanging_nodes_explode_and_carried_ones_do_not)
{
  double max[2] = {0}, min = 1, ended = 0;
  for (int averaged = 0; averaged < 2; averaged++) {
    box b = {.size = {0.1, 0.1, 0.1},
             .cells = {11, 11, 11},
             .levels = 1,
             .young = 2e4,
             .poisson = 0.3,
             .dt = 8e-4,
             .quadrature = "full",
             .averaged = averaged};
    pl_body_id id;
    pl_world *world = make(&b, &id);
    set_in_motion(world, id);
    double first = energy_of(world);
    pl_status status = PL_OK;
    for (int i = 0; i < 5000 && !status && max[averaged] < 10; i++) {
      status = pl_world_step(world, NULL);
      if (i % 20 || status) continue;
      double now = energy_of(world) / first;
      max[averaged] = fmax(max[averaged], now);
      if (!averaged) min = fmin(min, now);
    }
    CHECK(averaged || !status);
    if (averaged && (status || max[1] >= 10)) ended = world->state.time;
    pl_world_destroy(world);
  }
  printf(
      "  energy with forces carried over %.3f to %.3f of the first; averaged: explodes at %.2f s\n",
      min, max[0], ended);
  CHECK(min > 0.95 && max[0] < 1.01);
  CHECK(ended > 0.5 && ended < 4);
}

TEST(the_critical_step_of_a_graded_cube)
{
  box b = {.size = {0.1, 0.1, 0.1},
           .cells = {6, 6, 6},
           .levels = 2,
           .young = 2e4,
           .poisson = 0.3,
           .dt = 1e-3,
           .quadrature = "full"};
  pl_body_id id;
  pl_world *world = make(&b, &id);
  CHECK_OK(pl_world_prepare(world, error));
  printf("  %.4g s\n", world->proportion.critical);
  CHECK_NEAR(world->proportion.critical, 3.181e-3, 3e-5);
  pl_world_destroy(world);
}

/* ---- mass damping of deformation only ---- */

/* Linear momentum, and angular momentum about the mass centre. */
static void momenta(const pl_world *world, double P[3], double L[3])
{
  const pl_body *body = &world->bodies.list[0];
  double mass = 0, centre[3] = {0};
  memset(P, 0, 3 * sizeof *P);
  memset(L, 0, 3 * sizeof *L);
  for (int i = 0; i < body->blocks; i++) {
    double m = body->model->lumped_mass[i];
    mass += m;
    for (int k = 0; k < 3; k++) {
      centre[k] += m * world->state.q[3 * i + k];
      P[k] += m * world->state.v[3 * i + k];
    }
  }
  for (int i = 0; i < body->blocks; i++) {
    const double *q = world->state.q + 3 * i, *v = world->state.v + 3 * i;
    for (int k = 0; k < 3; k++) {
      int a = (k + 1) % 3, c = (k + 2) % 3;
      L[k] += body->model->lumped_mass[i] *
              ((q[a] - centre[a] / mass) * v[c] - (q[c] - centre[c] / mass) * v[a]);
    }
  }
}

TEST(damping_of_deformation_lets_bodies_fall_and_spin)
{
  static const char *const methods[] = {"verlet",  "explicit-newmark",  "rk4",
                                        "newmark", "implicit-midpoint", "rosenbrock4"};
  for (int i = 0; i < 6; i++) {
    double P[3], L[3], P0[3], L0[3], strain[2];
    for (int damped = 0; damped < 2; damped++) {
      box b = {.size = {0.1, 0.1, 0.1},
               .cells = {4, 4, 4},
               .levels = 1,
               .young = 2e4,
               .poisson = 0.3,
               .dt = 1e-3,
               .gravity = -9.81,
               .damping = damped ? 40 : 0,
               .spares = 1,
               .integrator = methods[i]};
      pl_body_id id;
      pl_world *world = make(&b, &id);
      set_in_motion(world, id);
      momenta(world, P0, L0);
      for (int k = 0; k < 200; k++) CHECK_OK(pl_world_step(world, error));
      momenta(world, P, L);
      pl_world_facts facts;
      CHECK_OK(pl_world_measure(world, &facts, error));
      strain[damped] = facts.elastic_energy;
      pl_world_destroy(world);
    }
    double fall = (P[2] - P0[2]) / (-9.81 * 0.2), spin = L[2] / L0[2];
    printf("  %s: fall %.9f, spin %.6f of the undamped; strain energy %.2e of %.2e J\n", methods[i],
           fall, spin, strain[1], strain[0]);
    CHECK_NEAR(fall, 1, 1e-6);
    CHECK_NEAR(spin, 1, i < 3 ? 1e-6 : 2e-3);
    CHECK(strain[1] < 0.5 * strain[0]);
  }
}

/* ---- warnings ---- */

static int inverted, hourglassing;

static void hear(void *context, pl_level level, const char *message)
{
  (void)context;
  inverted += level == PL_WARNING && strstr(message, "inverted elements: ") != NULL;
  hourglassing += level == PL_WARNING && strstr(message, "hourglassing: ") != NULL;
}

TEST(hourglassing_is_warned_of_in_coarse_meshes_only)
{
  const pl_log log = {.write = hear};
  for (int n = 1; n <= 4; n += 3) {
    box b = {.size = {1, 0.25, 0.25},
             .cells = {4 * n, n, n},
             .young = 1e6,
             .poisson = 0.3,
             .dt = 1,
             .gravity = -9.81,
             .integrator = "static",
             .held = 1,
             .log = &log};
    pl_body_id id;
    hourglassing = 0;
    pl_world *world = make(&b, &id);
    CHECK_OK(pl_world_step(world, error));
    CHECK_OK(pl_world_step(world, error));
    CHECK(hourglassing == (n == 1));
    pl_world_destroy(world);
  }
}

TEST(inverted_elements_are_warned_of_and_stay_finite)
{
  const pl_log log = {.write = hear};
  static const char *const rules[] = {"one-point", "full"};
  for (int i = 0; i < 2; i++) {
    box b = {.size = {0.1, 0.1, 0.1},
             .cells = {3, 3, 3},
             .young = 2e4,
             .poisson = 0.3,
             .dt = 2e-4,
             .damping = 20,
             .quadrature = rules[i],
             .log = &log};
    pl_body_id id;
    inverted = 0;
    pl_world *world = make(&b, &id);
    const pl_mesh *mesh = pl_world_body_mesh(world, id);
    int n = 3 * pl_mesh_node_count(mesh);
    double *x = malloc((size_t)n * sizeof *x);
    // St.Venant-Kirchhoff's law has a second rest state inside out
    for (int k = 0; k < n; k++) x[k] = pl_mesh_nodes(mesh)[k] * (k % 3 ? 1 : -1);
    CHECK_OK(pl_world_set_positions(world, id, x, error));
    for (int k = 0; k < 64; k++) CHECK_OK(pl_world_step(world, error));
    CHECK(inverted == 1);
    for (int k = 0; k < 3 * world->bodies.blocks; k++) CHECK(isfinite(world->state.q[k]));
    free(x);
    pl_world_destroy(world);
  }
}

TESTS(X(bending_and_torsion_have_the_frequencies_of_beams)
          X(explicit_newmark_is_stable_up_to_twice_the_period)
              X(averaged_hanging_nodes_explode_and_carried_ones_do_not)
                  X(the_critical_step_of_a_graded_cube)
                      X(damping_of_deformation_lets_bodies_fall_and_spin)
                          X(hourglassing_is_warned_of_in_coarse_meshes_only)
                              X(inverted_elements_are_warned_of_and_stay_finite))
