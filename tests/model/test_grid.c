/* Elastic grids: what their energy is in closed form, curved shapes at rest, particles that differ,
 * and the report's own stencils. */
#include "bodies.h"
#include "quotient.h"

enum { MOST_SETTINGS = 12 };

static pl_mesh *lattice(const char *shape, int m, int n, const double size[3], double arc)
{
  pl_setting settings[] = {{"shape", {0}, shape},
                           {"l", {4}, NULL},
                           {"m", {m}, NULL},
                           {"n", {n}, NULL},
                           {"size", {size[0], size[1], size[2]}, NULL},
                           {"arc", {arc}, NULL}};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_generate(&(pl_choice){"lattice", settings, 6}, NULL, &mesh, error));
  return mesh;
}

/* Report units. */
static test_body make(pl_mesh *mesh, const char *stencil, double eta, double shear, double xi,
                      double twist, const pl_model_def *sites)
{
  pl_setting settings[MOST_SETTINGS] = {{"stencil", {0}, stencil},
                                        {"tension", {eta, eta, eta}, NULL},
                                        {"shear", {shear, shear, shear}, NULL},
                                        {"mass", {1}, NULL},
                                        {"rigidity", {xi, xi, xi}, NULL},
                                        {"twist", {twist}, NULL}};
  int count = mesh->grid->axes == 3 ? 4 : 6;
  return test_body_at(mesh, &(pl_choice){"grid", settings, count}, &test_material, sites);
}

static const double unit[3] = {1, 1, 1}, oblong[3] = {2, 1.5, 1};
static const char *const shapes[] = {"plane", "arc",  "tube", "ellipsoid", "box",
                                     "ball",  "line", "ring", "helix"};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Those have the symmetric stencil only. */
static int is_curve(int i) { return i >= 6; }

static pl_mesh *shape_at(int i)
{
  return lattice(i == 1 ? "plane" : shapes[i], 6, 5, oblong, i == 1 ? 70 : 0);
}

TEST(slopes_agree_on_curved_shapes_in_both_units)
{
  for (int i = 0; i < SHAPES; i++) {
    for (int given = 0; given < 2; given++) {
      pl_mesh *mesh = shape_at(i);
      test_body body = given ? make(mesh, "symmetric", 0.7, 0.4, 0.02, 0.01, NULL)
                             : test_body_make(mesh, &(pl_choice){.name = "grid"}, &test_material);
      int before = test_failures;
      test_slopes(&body, 1e-5);
      if (test_failures > before) printf("    %s, %d\n", shapes[i], given);
      test_body_release(&body);
    }
  }
}

/* Forces at rest against those that moving a particle by a thousandth of the body makes. */
TEST(every_shape_rests_where_it_is)
{
  static const char *const stencils[] = {"symmetric", "report", "signed"};
  for (int i = 0; i < 3 * SHAPES; i++) {
    if (is_curve(i / 3) && i % 3) continue;
    test_body body = make(shape_at(i / 3), stencils[i % 3], 0.7, 0.4, 0.02, 0.01, NULL);
    memcpy(body.q, body.mesh->nodes, (size_t)body.n * sizeof *body.q);
    body.q[3 * (body.n / 6) + 2] += 1e-3;
    test_forces(&body, body.q, NULL, body.g);
    body.q[3 * (body.n / 6) + 2] -= 1e-3;
    test_forces(&body, body.q, NULL, body.f);
    CHECK(test_length(body.f, body.n) <= 1e-9 * test_length(body.g, body.n));
    CHECK(test_length(body.g, body.n) > 0);
    test_body_release(&body);
  }
}

/* Folded along the middle by 170 degrees, on a line, inside out, or anywhere (some nearly in one
 * point). */
static void place(test_body *body, int state)
{
  const double *X = body->mesh->nodes;
  double angle = 170 * 3.14159265358979323846 / 180;
  test_fill(body->q, body->n, state % 4 ? 1 : 1e-3);
  for (int i = 0; i < body->n && state < 3; i += 3) {
    double way = X[i] > 0 ? X[i] : 0;
    double to[3][3] = {{X[i] - way + cos(angle) * way, X[i + 1], X[i + 2] + sin(angle) * way},
                       {X[i] + 0.3 * X[i + 1] + 0.1 * X[i + 2], 0, 0},
                       {-1.2 * X[i], X[i + 1], X[i + 2]}};
    memcpy(body->q + i, to[state], sizeof to[state]);
  }
}

/* 1000 states of every shape. */
TEST(the_semidefinite_matrix_has_no_negative_direction)
{
  const int states = TEST_SANITIZED ? 40 : 1000;
  double worst = 0;
  for (int i = 0; i < 3 * SHAPES; i++) {
    static const char *const stencils[] = {"symmetric", "report", "signed"};
    if (is_curve(i / 3) && i % 3) continue;
    test_body body = make(shape_at(i / 3), stencils[i % 3], 0.7, 0.4, 0.02, 0.01, NULL);
    for (int state = 0; state < (i % 3 ? states / 20 : states); state++) {
      place(&body, state);
      pl_bsr_zero(body.A, NULL);
      test_evaluate(body.model, body.q, NULL, NULL, 1, 0, 1, body.A, NULL);
      double least = test_least_quotient(&body);
      CHECK(least >= -1e-10);
      worst = fmin(worst, least);
    }
    test_body_release(&body);
  }
  printf("  least quotient %.1e of the largest entry\n", worst);
}

/* Force against energy and matrix against force where all is folded, on a line or inside out. */
TEST(slopes_agree_in_folded_collinear_and_inverted_states)
{
  for (int i = 0; i < 3 * SHAPES; i++) {
    test_body body = make(shape_at(i / 3), "symmetric", 0.7, 0.4, 0.02, 0.01, NULL);
    place(&body, i % 3);
    int before = test_failures;
    // normals have no slope where the surface is a line, so a little beside it
    test_fill(body.g, body.n, i % 3 == 1 ? 0.05 : 0);
    for (int k = 0; k < body.n; k++) body.q[k] += body.g[k];
    test_slopes(&body, 2e-4);
    if (test_failures > before) printf("    %s, %d\n", shapes[i / 3], i % 3);
    test_body_release(&body);
  }
}

/* Compressed by 10 %, the exact matrix has a negative direction and the other has none. */
TEST(compression_makes_the_exact_matrix_indefinite)
{
  test_body body = make(lattice("plane", 7, 6, (const double[3]){4, 4, 1}, 0), "symmetric", 0.35,
                        0.25, 0, 0, NULL);
  double min[2] = {0, 0};
  for (int i = 0; i < body.n; i++) body.q[i] = 0.9 * body.mesh->nodes[i];
  // buckling: particles go up and down by turns
  for (int i = 0; i < body.n / 3; i++) {
    int at[3], node;
    pl_grid_place(body.mesh->grid, i, at);
    node = pl_grid_node(body.mesh->grid, at);
    body.d[3 * node + 2] = (at[0] + at[1]) % 2 ? 1 : -1;
  }
  for (int semidefinite = 0; semidefinite < 2; semidefinite++) {
    pl_bsr_zero(body.A, NULL);
    test_evaluate(body.model, body.q, NULL, NULL, 1, 0, semidefinite, body.A, NULL);
    pl_bsr_multiply(body.A, body.d, body.f, NULL);
    min[semidefinite] = test_dot(body.d, body.f, body.n) / test_dot(body.d, body.d, body.n);
  }
  CHECK(min[0] < -1 && min[1] > -1e-9);
  test_body_release(&body);
}

/* E = 1/4 eta (s^2 - 1)^2 L^4 for each of the (M-1)(N-1) cells of a sheet stretched by s along m.
 */
TEST(the_energy_of_a_stretched_sheet_is_the_printed_one)
{
  double s = 1.2, L = 2;
  test_body body = make(lattice("plane", 6, 5, oblong, 0), "symmetric", 0.7, 0.4, 0.02, 0.01, NULL);
  for (int i = 0; i < body.n; i++) body.q[i] = body.mesh->nodes[i] * (i % 3 == 0 ? s : 1);
  double each = 0.25 * 0.7 * (s * s - 1) * (s * s - 1) * L * L * L * L;
  CHECK_NEAR(body.model->ops->energy(body.model, body.q, NULL), 20 * each, 1e-12 * each);
  test_body_release(&body);
}

/* A circle of radius R and a helix, stretched to s times their size: stretch as above, |L x| = s k
 * with k = v^2/R of speed v (to the order of the spacing), T of the helix k^2 t v^6. */
TEST(curves_have_the_energies_of_stretch_curvature_and_torsion)
{
  enum { M = 400 };
  static const double size[3] = {2, 2, 3}; // radius 1, 3 m high
  const double s = 1.1, pi = 3.14159265358979323846, turns = 3;
  const double a = 2 * pi * turns, v2 = a * a + 9, k = a * a / v2, t = 3 * a / v2;
  const double T = k * k * t * v2 * v2 * v2, eta = 0.7, xi = 0.02, zeta = 1e-9;
  for (int kind = 0; kind < 3; kind++) {
    pl_mesh *mesh = lattice("helix", M + 1, 2, size, 0);
    test_body body = make(mesh, "symmetric", kind == 0 ? eta : 0, 0, kind == 1 ? xi : 0,
                          kind == 2 ? zeta : 0, NULL);
    for (int i = 0; i < body.n; i++) body.q[i] = s * body.mesh->nodes[i];
    double found = body.model->ops->energy(body.model, body.q, NULL);
    double change = kind == 0   ? (s * s - 1) * v2
                    : kind == 1 ? (s - 1) * a * a // |x''| = a^2 R
                                : (s * s * s - 1) * T;
    double expected = kind == 0   ? 0.25 * eta * change * change * M
                      : kind == 1 ? 0.5 * xi * change * change * (M - 1)
                                  : 0.5 * zeta * change * change * (M - 2);
    CHECK_NEAR(found / expected, 1, 2e-3);
    test_body_release(&body);
  }
}

/* From the material: a sheet of thickness t stretched by a small e, at constant width, has the
 * energy E t / (1 - nu^2) e^2 / 2 per area; and one rolled to a cylinder of radius R D / (2 R^2).
 */
TEST(material_units_are_those_of_an_elastic_sheet)
{
  double lambda = test_material.lambda, mu = test_material.mu, t = 1e-3, e = 1e-5, R = 4;
  double nu = lambda / (2 * (lambda + mu)), young = 2 * mu * (1 + nu), area = 2 * 1.5;
  pl_mesh *mesh = lattice("plane", 41, 31, oblong, 0);
  test_body body = test_body_make(mesh, &(pl_choice){.name = "grid"}, &test_material);
  for (int i = 0; i < body.n; i++) body.q[i] = mesh->nodes[i] * (i % 3 == 0 ? 1 + e : 1);
  double stretched = body.model->ops->energy(body.model, body.q, NULL);
  double expected = area * young * t / (1 - nu * nu) * e * e / 2;
  CHECK_NEAR(stretched, expected, 1e-4 * expected);
  pl_mesh *arc = lattice("plane", 41, 31, oblong, 2 / R * 180 / 3.14159265358979323846);
  memcpy(body.q, arc->nodes, (size_t)body.n * sizeof *body.q);
  double bent = body.model->ops->energy(body.model, body.q, NULL);
  expected = area * young * t * t * t / (12 * (1 - nu * nu)) / (2 * R * R);
  // chords are shorter than arcs, which stretches the sheet a little; the ends have no curvature
  CHECK_NEAR(bent, expected, 0.06 * expected);
  pl_mesh_destroy(arc);
  test_body_release(&body);
}

/* A solid of the material under a linear map has the energy of Saint Venant and Kirchhoff's law for
 * small strains, volume term included. */
TEST(material_units_are_those_of_an_elastic_solid)
{
  double lambda = test_material.lambda, mu = test_material.mu;
  static const double e[6] = {1e-5, -2e-5, 3e-5, 1e-5, 2e-5, -1e-5}; /* xx yy zz yz xz xy */
  pl_mesh *mesh = lattice("box", 4, 3, oblong, 0);
  test_body body = test_body_make(mesh, &(pl_choice){.name = "grid"}, &test_material);
  for (int i = 0; i < body.n; i += 3) {
    const double *X = mesh->nodes + i;
    body.q[i] = X[0] + e[0] * X[0] + e[5] * X[1] + e[4] * X[2];
    body.q[i + 1] = X[1] + e[5] * X[0] + e[1] * X[1] + e[3] * X[2];
    body.q[i + 2] = X[2] + e[4] * X[0] + e[3] * X[1] + e[2] * X[2];
  }
  double trace = e[0] + e[1] + e[2], squares = 0;
  for (int k = 0; k < 6; k++) squares += (k < 3 ? 1 : 2) * e[k] * e[k];
  double expected = 3 * (lambda / 2 * trace * trace + mu * squares);
  CHECK_NEAR(body.model->ops->energy(body.model, body.q, NULL), expected, 1e-4 * expected);
  test_body_release(&body);
}

/* The cell that closes a tube is like the others: all particles of a ring feel alike. */
TEST(an_axis_that_goes_around_has_no_seam)
{
  test_body body = make(lattice("tube", 8, 5, unit, 0), "symmetric", 0.7, 0.4, 0.02, 0.01, NULL);
  for (int i = 0; i < body.n; i++) body.q[i] = body.mesh->nodes[i] * (i % 3 == 2 ? 1 : 1.3);
  test_forces(&body, body.q, NULL, body.f);
  for (int n = 0; n < 5; n++) {
    double first = 0;
    for (int m = 0; m < 8; m++) {
      double *f = body.f + 3 * pl_grid_node(body.mesh->grid, (int[3]){m, n, 0});
      double size = test_length(f, 3);
      if (m == 0) first = size;
      CHECK_NEAR(size, first, 1e-12 * first);
    }
    CHECK(first > 0.01);
  }
  test_body_release(&body);
}

TEST(single_particles_have_numbers_of_their_own)
{
  pl_mesh *mesh = lattice("plane", 4, 4, unit, 0);
  pl_particle list[2] = {{.node = 5, .mass = 3, .damping = NAN}, {.node = 6, .mass = NAN}};
  for (int k = 0; k < 6; k++) list[0].tension[k] = list[1].tension[k] = NAN;
  for (int k = 0; k < 3; k++) list[0].rigidity[k] = list[1].rigidity[k] = NAN;
  list[1].damping = 2;
  list[1].tension[0] = 7;
  pl_model_def sites = {.particles = list, .particle_count = 2};
  test_body body = make(mesh, "symmetric", 0.7, 0.4, 0.02, 0.01, &sites);
  for (int i = 0; i < 16; i++) CHECK_NEAR(body.model->lumped_mass[i], i == 5 ? 3 : 1, 0);
  memcpy(body.q, mesh->nodes, (size_t)body.n * sizeof *body.q);
  test_forces(&body, body.q, body.v, body.f);
  for (int i = 0; i < body.n; i++) CHECK_NEAR(body.f[i], i / 3 == 6 ? -2 * body.v[i] : 0, 1e-12);
  // the tension counts at the corners of its particle
  for (int i = 0; i < body.n; i++) body.q[i] *= i % 3 == 0 ? 1.1 : 1;
  double g = (1.21 - 1) * (1.21 - 1) / 4;
  CHECK_NEAR(body.model->ops->energy(body.model, body.q, NULL), g * (9 * 0.7 + 4 * 0.25 * 6.3),
             1e-12);
  test_body_release(&body);
}

/* Bending of a flat shape is linear: the matrix is the same in every state. */
TEST(flat_bending_is_a_constant_matrix)
{
  test_body body = make(lattice("plane", 6, 5, oblong, 0), "symmetric", 0, 0, 0.02, 0.01, NULL);
  size_t numbers = 9 * (size_t)body.A->start[body.A->rows];
  double *first = malloc(numbers * sizeof *first);
  test_evaluate(body.model, body.q, NULL, NULL, 1, 0, 0, body.A, NULL);
  memcpy(first, body.A->values, numbers * sizeof *first);
  test_fill(body.q, body.n, 1);
  test_evaluate(body.model, body.q, NULL, NULL, 1, 0, 1, body.A, NULL);
  CHECK(!memcmp(first, body.A->values, numbers * sizeof *first));
  pl_bsr_multiply(body.A, body.q, body.g, NULL);
  test_forces(&body, body.q, NULL, body.f);
  for (int i = 0; i < body.n; i++) body.g[i] = -body.g[i];
  CHECK(test_distance(body.g, body.f, body.n) <= 1e-11);
  free(first);
  test_body_release(&body);
}

/* The report's matrix times the positions is its force (e = K r), whatever the state. */
TEST(the_reports_force_is_its_matrix_times_positions)
{
  static const char *const stencils[] = {"report", "signed"};
  for (int i = 0; i < 12; i++) {
    pl_mesh *mesh = shape_at(i / 2);
    pl_setting settings[] = {{"stencil", {0}, stencils[i % 2]},
                             {"tension", {0.7, 0.7, 0.7}, NULL},
                             {"shear", {0.4, 0.4, 0.4}, NULL},
                             {"volume", {0}, NULL},
                             {"rigidity", {0.02, 0.03, 0}, NULL}};
    pl_choice choice = {"grid", settings, mesh->grid->axes == 3 ? 4 : 5};
    test_body body = test_body_make(mesh, &choice, &test_material);
    pl_bsr_zero(body.A, NULL);
    test_evaluate(body.model, body.q, NULL, NULL, 1, 0, 0, body.A, NULL);
    pl_bsr_multiply(body.A, body.q, body.g, NULL);
    test_forces(&body, body.q, NULL, body.f);
    for (int k = 0; k < body.n; k++) body.g[k] = -body.g[k];
    CHECK(test_distance(body.g, body.f, body.n) <= 1e-11);
    test_body_release(&body);
  }
}

/* Its 13 numbers at an inner particle of a flat sheet at rest but for one that is moved, against
 * those printed: beta along the axes and of the cells around it, (3.3.11). */
TEST(the_reports_stencil_is_the_printed_one)
{
  int M = 7;
  double h = 1.0 / (M - 1), xi = 0.02, twist = 0.01;
  test_body body = make(lattice("plane", M, M, unit, 0), "report", 0, 0, xi, twist, NULL);
  const pl_grid *grid = body.mesh->grid;
  // z = a x^2 + b x y has the same beta everywhere: normals are those of a nearly flat sheet
  double a = 1e-4, b = 3e-4;
  for (int i = 0; i < body.n; i += 3) {
    const double *X = body.mesh->nodes + i;
    memcpy(body.q + i, X, 3 * sizeof *X);
    body.q[i + 2] = a * X[0] * X[0] + b * X[0] * X[1];
  }
  pl_bsr_zero(body.A, NULL);
  test_evaluate(body.model, body.q, NULL, NULL, 1, 0, 0, body.A, NULL);
  double b11 = xi * 2 * a, c = 2 * twist * b, H = h * h * h * h;
  int centre = pl_grid_node(grid, (int[3]){3, 3, 0});
  static const int steps[6][2] = {{0, 0}, {1, 0}, {0, 1}, {2, 0}, {0, 2}, {1, 1}};
  double printed[6] = {
      (6 * b11 + 4 * c) / H, (-4 * b11 - 2 * c) / H, -2 * c / H, b11 / H, 0, c / H};
  for (int i = 0; i < 6; i++) {
    int other = pl_grid_node(grid, (int[3]){3 + steps[i][0], 3 + steps[i][1], 0});
    double value = body.A->values[9 * pl_bsr_find(body.A, centre, other)];
    CHECK_NEAR(value, printed[i], 1e-6 * printed[0]);
  }
  test_body_release(&body);
}

TEST(numbers_below_the_threshold_are_cut)
{
  pl_setting settings[] = {{"stencil", {0}, "report"},
                           {"tension", {1e-5, 1e-5, 1e-5}, NULL},
                           {"threshold", {1.0 / 8192}, NULL}};
  test_body body = test_body_make(lattice("plane", 4, 4, unit, 0),
                                  &(pl_choice){"grid", settings, 3}, &test_material);
  test_forces(&body, body.q, NULL, body.f);
  CHECK(test_length(body.f, body.n) == 0);
  test_body_release(&body);
}

TEST(what_does_not_fit_is_refused)
{
  pl_model *model = NULL;
  pl_setting rigid = {"rigidity", {1, 1, 1}, NULL};
  pl_setting both[] = {{"tension", {1, 1, 1}, NULL}, rigid};
  pl_mesh *box = lattice("box", 3, 3, unit, 0), *plane = lattice("plane", 3, 3, unit, 0), *none;
  CHECK_OK(pl_mesh_generate(&(pl_choice){.name = "sphere"}, NULL, &none, error));
  CHECK_FAILS(
      pl_model_create(NULL, &(pl_choice){.name = "grid"}, none, &test_material, &model, error),
      PL_E_ARGUMENT, "whose nodes are a grid");
  CHECK_FAILS(
      pl_model_create(NULL, &(pl_choice){"grid", &rigid, 1}, plane, &test_material, &model, error),
      PL_E_ARGUMENT, "tension is not");
  CHECK_FAILS(
      pl_model_create(NULL, &(pl_choice){"grid", both, 2}, box, &test_material, &model, error),
      PL_E_ARGUMENT, "no rigidity");
  pl_mesh_destroy(box);
  pl_mesh_destroy(plane);
  pl_mesh_destroy(none);
}

TESTS(X(slopes_agree_on_curved_shapes_in_both_units) X(every_shape_rests_where_it_is)
          X(the_semidefinite_matrix_has_no_negative_direction)
              X(slopes_agree_in_folded_collinear_and_inverted_states)
                  X(compression_makes_the_exact_matrix_indefinite)
                      X(the_energy_of_a_stretched_sheet_is_the_printed_one)
                          X(curves_have_the_energies_of_stretch_curvature_and_torsion)
                              X(material_units_are_those_of_an_elastic_sheet)
                                  X(material_units_are_those_of_an_elastic_solid)
                                      X(an_axis_that_goes_around_has_no_seam)
                                          X(single_particles_have_numbers_of_their_own)
                                              X(flat_bending_is_a_constant_matrix)
                                                  X(the_reports_force_is_its_matrix_times_positions)
                                                      X(the_reports_stencil_is_the_printed_one)
                                                          X(numbers_below_the_threshold_are_cut)
                                                              X(what_does_not_fit_is_refused))
