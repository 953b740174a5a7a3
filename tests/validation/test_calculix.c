/* Static equilibria against CalculiX on the same meshes, and against beam theory.
 *
 * recorded.h is written by calculix.py, which also describes the cases: a bar under its own weight
 * and a slender beam with a force on its end, E = 1 MPa, nu = 0.3, clamped at x = 0. On the same
 * mesh the same discrete equations are solved, so the results agree in all digits that CalculiX
 * prints (seven). */
#include "pliant/world.h"
#include "recorded.h"
#include "test.h"

static const double SAME = 5e-7;  /* relative: the seven digits that CalculiX prints */
static const double CLOSE = 0.02; /* relative: another mesh or another theory */

typedef struct bar {
  const char *element, *strain; /* of Pliant */
  double thickness;             /* m; the length is 1 m */
  int cells;                    /* across the thickness; cells are cubes */
  double gravity;               /* m/s^2 along -y */
  double force;                 /* N along -y, spread over the end */
} bar;

static pl_choice choose(const char *name, const pl_setting *settings, int count)
{
  return (pl_choice){name, settings, count};
}

static pl_mesh *make_mesh(const bar *b)
{
  double across = b->cells, along = round(across / b->thickness);
  const pl_setting shape[] = {{.name = "size", .value = {1, b->thickness, b->thickness}},
                              {.name = "cells", .value = {along, across, across}},
                              {.name = "element", .word = b->element}};
  pl_choice box = choose("box", shape, 3);
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_generate(&box, NULL, &mesh, error));
  return mesh;
}

static pl_body_id add_bar(pl_world *world, const bar *b, const pl_mesh *mesh)
{
  const pl_setting moduli[] = {{.name = "young", .value = {1e6}},
                               {.name = "poisson", .value = {0.3}}};
  const pl_setting measure = {.name = "strain", .word = b->strain};
  pl_body_def def = pl_body_def_default();
  def.name = "bar";
  def.mesh = mesh;
  def.material.law = choose("hooke", moduli, 2);
  def.material.density = 1000;
  def.model = choose("fem", &measure, 1);
  pl_body_id body = {0};
  CHECK_OK(pl_world_add_body(world, &def, &body, error));
  return body;
}

/* Clamps one end and pushes the other. */
static void hold_and_load(pl_world *world, pl_body_id body, const bar *b)
{
  const pl_selector root = {.set = "x-min"};
  pl_fix_def fix = pl_fix_def_default();
  fix.where = &root;
  fix.where_count = 1;
  CHECK_OK(pl_world_add_fix(world, body, &fix, NULL, error));

  if (b->force == 0) return;
  const pl_selector end = {.set = "x-max"};
  const double area = b->thickness * b->thickness;
  const pl_setting traction = {.name = "value", .value = {0, -b->force / area, 0}};
  pl_load_def load = pl_load_def_default();
  load.load = choose("traction", &traction, 1);
  load.where = &end;
  load.where_count = 1;
  CHECK_OK(pl_world_add_load(world, body, &load, NULL, error));
}

/* The displacement of the middle of the end in equilibrium. */
static void solve(const bar *b, double tip[3])
{
  const pl_setting tight = {.name = "tolerance", .value = {1e-8}};
  pl_world_def def = pl_world_def_default();
  memcpy(def.gravity, (double[3]){0, -b->gravity, 0}, sizeof def.gravity);
  def.dt = 1;
  def.integrator = choose("static", NULL, 0);
  def.solver = choose("cg", &tight, 1);
  pl_world *world = NULL;
  CHECK_OK(pl_world_create(&def, &world, error));

  pl_mesh *mesh = make_mesh(b);
  pl_body_id body = add_bar(world, b, mesh);
  hold_and_load(world, body, b);
  pl_probe_def probe = pl_probe_def_default();
  probe.name = "tip";
  probe.body = body;
  memcpy(probe.at, (double[3]){1, b->thickness / 2, b->thickness / 2}, sizeof probe.at);
  probe.quantity = "displacement";
  pl_probe_id id = {0};
  CHECK_OK(pl_world_add_probe(world, &probe, &id, error));

  CHECK_OK(pl_world_step(world, error));
  CHECK_OK(pl_world_read_probe(world, id, tip, error));
  pl_world_destroy(world);
  pl_mesh_destroy(mesh);
}

/* Compares with a recorded case, relative to the whole displacement. */
static void check_against(const char *name, const bar *b, double tolerance)
{
  double tip[3] = {NAN, NAN, NAN};
  solve(b, tip);
  int found = 0;
  for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++) {
    if (strcmp(recorded[i].name, name)) continue;
    found = 1;
    double scale = hypot(recorded[i].ux, recorded[i].uy);
    printf("  %s: ux %.7g uy %.7g, recorded %.7g %.7g\n", name, tip[0], tip[1], recorded[i].ux,
           recorded[i].uy);
    CHECK_NEAR(tip[0], recorded[i].ux, tolerance * scale);
    CHECK_NEAR(tip[1], recorded[i].uy, tolerance * scale);
  }
  CHECK(found);
}

TEST(bar_of_tetrahedra_agrees_in_all_digits)
{
  check_against("bar-linear-c3d4-2", &(bar){"tet", "linear", 0.25, 2, 9.81, 0}, SAME);
  check_against("bar-green-c3d4-2", &(bar){"tet", "green", 0.25, 2, 9.81, 0}, SAME);
  check_against("bar-linear-c3d4-6", &(bar){"tet", "linear", 0.25, 6, 9.81, 0}, SAME);
  check_against("bar-green-c3d4-6", &(bar){"tet", "green", 0.25, 6, 9.81, 0}, SAME);
}

/* CalculiX's C3D8 is the plain hexahedron with 2 x 2 x 2 points. */
TEST(bar_of_hexahedra_agrees_in_all_digits)
{
  check_against("bar-linear-c3d8-2", &(bar){"hex", "linear", 0.25, 2, 9.81, 0}, SAME);
  check_against("bar-green-c3d8-2", &(bar){"hex", "green", 0.25, 2, 9.81, 0}, SAME);
  check_against("bar-linear-c3d8-6", &(bar){"hex", "linear", 0.25, 6, 9.81, 0}, SAME);
  check_against("bar-green-c3d8-6", &(bar){"hex", "green", 0.25, 6, 9.81, 0}, SAME);
}

TEST(beam_on_the_same_mesh_agrees_in_all_digits)
{
  check_against("beam-linear-c3d4-4", &(bar){"tet", "linear", 0.1, 4, 0, 0.1}, SAME);
  check_against("beam-green-c3d4-4", &(bar){"tet", "green", 0.1, 4, 0, 17}, SAME);
  check_against("beam-linear-c3d8-4", &(bar){"hex", "linear", 0.1, 4, 0, 0.1}, SAME);
  check_against("beam-green-c3d8-4", &(bar){"hex", "green", 0.1, 4, 0, 17}, SAME);
}

/* Timoshenko's beam, P L^3 / 3 E I + P L / k G A with k = 10 (1 + nu) / (12 + 11 nu) (Cowper 1966).
 * The solid itself is 0.7 % stiffer than the beam, since its clamped end cannot contract. */
TEST(small_force_on_a_slender_beam_agrees_with_timoshenko)
{
  double P = 0.1, L = 1, h = 0.1, E = 1e6, nu = 0.3;
  double I = h * h * h * h / 12, A = h * h, G = E / (2 * (1 + nu));
  double k = 10 * (1 + nu) / (12 + 11 * nu);
  double expected = -(P * L * L * L / (3 * E * I) + P * L / (k * G * A));
  CHECK_NEAR(expected, -4.0306e-3, 5e-8);

  double tip[3] = {NAN, NAN, NAN};
  solve(&(bar){"hex", "linear", h, 8, 0, P}, tip);
  printf("  80 x 8 x 8 hexahedra: uy %.6g, Timoshenko %.6g\n", tip[1], expected);
  CHECK_NEAR(tip[1], expected, CLOSE * fabs(expected));
}

/* Twenty-node hexahedra on a mesh that is fine enough for three digits. */
TEST(large_deflection_of_a_slender_beam_agrees_with_quadratic_elements)
{
  check_against("beam-green-c3d20-6", &(bar){"hex", "green", 0.1, 8, 0, 17}, CLOSE);
}

TESTS(X(bar_of_tetrahedra_agrees_in_all_digits) X(bar_of_hexahedra_agrees_in_all_digits)
          X(beam_on_the_same_mesh_agrees_in_all_digits)
              X(small_force_on_a_slender_beam_agrees_with_timoshenko)
                  X(large_deflection_of_a_slender_beam_agrees_with_quadratic_elements))
