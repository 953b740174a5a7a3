/* Hexahedra with one point, 2x2x2 and 3x3x3: modes without energy, what quadrature misses, the
 * bound of their frequencies, and how stiff they are in bending. */
#include "math/decompose.h"
#include "sparse/vector.h"

#include "bodies.h"
#include "eigen.h"

static const int one[3] = {1, 1, 1};
static const char *const rules[] = {"one-point", "full", "reference"};

static test_body block(const char *quadrature, const char *strain, const int cells[3],
                       const pl_material *material, double factor)
{
  pl_setting settings[] = {{.name = "strain", .word = strain},
                           {.name = "quadrature", .word = quadrature},
                           {.name = "hourglass", .value = {factor}}};
  pl_choice choice = {"fem", settings, 3};
  return test_body_make(test_mesh(NULL, 8, cells, 0, 0), &choice, material);
}

static const pl_material soft = {.density = 1000, .lambda = 3e4, .mu = 2e4};

/* The eigenvalues of M^-1/2 K M^-1/2 at q, w^2 in 1/s^2; the caller frees them. */
static double *frequencies(test_body *body, const double *q)
{
  int n = body->n;
  double *A = test_vector(n * n), *values = test_vector(n);
  test_evaluate(body->model, q, NULL, NULL, 1, 0, 0, body->A, NULL);
  for (int row = 0; row < body->A->rows; row++) {
    for (int k = body->A->start[row]; k < body->A->start[row + 1]; k++) {
      int column = body->A->columns[k];
      double scale = sqrt(body->model->lumped_mass[row]) * sqrt(body->model->lumped_mass[column]);
      for (int e = 0; e < 9; e++) // stored by columns
        A[n * (3 * row + e % 3) + 3 * column + e / 3] = body->A->values[9 * k + e] / scale;
    }
  }
  test_eigenvalues(A, n);
  for (int i = 0; i < n; i++) values[i] = A[(n + 1) * i];
  free(A);
  return values;
}

static double largest_of(const double *values, int n)
{
  double max = 0;
  for (int i = 0; i < n; i++) max = fmax(max, values[i]);
  return max;
}

static int count_zeros(test_body *body)
{
  double *values = frequencies(body, body->model->rest), max = largest_of(values, body->n);
  int zeros = 0;
  for (int i = 0; i < body->n; i++) zeros += fabs(values[i]) < 1e-6 * max;
  free(values);
  return zeros;
}

TEST(one_point_has_twelve_hourglass_modes_without_control)
{
  test_body bare = block("one-point", "linear", one, &soft, 1e-9);
  CHECK(count_zeros(&bare) == 18);
  test_body_release(&bare);
  for (int r = 0; r < 3; r++) {
    test_body body = block(rules[r], "linear", one, &soft, 1);
    CHECK(count_zeros(&body) == 6);
    test_body_release(&body);
  }
}

TEST(one_point_is_refused_without_control)
{
  pl_allocator memory = pl_allocator_default();
  pl_setting settings[] = {{.name = "quadrature", .word = "one-point"},
                           {.name = "hourglass", .value = {0}}};
  pl_choice choice = {"fem", settings, 2};
  pl_mesh *mesh = test_mesh(NULL, 8, one, 0, 0);
  pl_model *model = NULL;
  pl_error error;
  CHECK(pl_model_create(&memory, &choice, mesh, &soft, &model, &error) == PL_E_ARGUMENT);
  CHECK(strstr(error.message, "12 modes"));
  pl_mesh_destroy(mesh);
}

/* ---- what quadrature misses of Green's strain ---- */

static void twist(const double X[3], double x[3])
{
  double angle = 1.0471975511965976 * X[2] / 0.1, u = X[0] - 0.05, v = X[1] - 0.05;
  x[0] = 0.05 + cos(angle) * u - sin(angle) * v;
  x[1] = 0.05 + sin(angle) * u + cos(angle) * v;
  x[2] = X[2];
}

static void bend(const double X[3], double x[3])
{
  double share = X[0] / 0.1 - 0.5;
  x[0] = X[0] + 0.8 * share * (X[2] - 0.05);
  x[1] = X[1];
  x[2] = X[2];
}

static void stretch(const double X[3], double x[3])
{
  for (int i = 0; i < 3; i++) x[i] = (i == 0 ? 1.3 : 1) * X[i];
}

/* The relative difference of one element's forces from those by 3x3x3 points, which are exact. */
static double missed(const char *quadrature, void (*shape)(const double X[3], double x[3]))
{
  test_body body = block(quadrature, "green", one, &soft, 1e-9);
  test_body exact = block("reference", "green", one, &soft, 1);
  for (int i = 0; i < body.n; i += 3) shape(body.model->rest + i, body.q + i);
  test_forces(&body, body.q, NULL, body.f);
  test_forces(&exact, body.q, NULL, exact.f);
  double off = 0;
  for (int i = 0; i < body.n; i++) off += pow(body.f[i] - exact.f[i], 2);
  off = sqrt(off) / test_length(exact.f, body.n);
  test_body_release(&body);
  test_body_release(&exact);
  return off;
}

TEST(full_quadrature_misses_what_is_known_of_it)
{
  printf("  60 deg twist: one point %.3f, 2x2x2 %.4f; bending %.3f, %.4f\n",
         missed("one-point", twist), missed("full", twist), missed("one-point", bend),
         missed("full", bend));
  CHECK_NEAR(missed("full", twist), 0.195, 0.02);
  CHECK_NEAR(missed("full", bend), 0.025, 0.01);
  CHECK(missed("one-point", bend) > 0.9);
  CHECK(missed("one-point", stretch) < 1e-8 && missed("full", stretch) < 1e-12);
}

/* ---- the bound of frequencies ---- */

static double bound_at(test_body *body, const double *q)
{
  double bounds[2];
  const pl_moment at = {.q = q};
  body->model->ops->stability.bounds(body->model, &at, bounds, NULL);
  return bounds[0];
}

TEST(the_bound_of_a_cube_is_exact)
{
  static const double poisson[] = {0, 0.25, 0.3, 0.4, 0.45, 0.49};
  for (int i = 0; i < 6; i++) {
    double E = 1e4, nu = poisson[i];
    pl_material material = {
        .density = 1000, .lambda = E * nu / ((1 + nu) * (1 - 2 * nu)), .mu = E / (2 * (1 + nu))};
    for (int r = 0; r < 3; r++) {
      test_body body = block(rules[r], "green", one, &material, 1);
      double *values = frequencies(&body, body.model->rest);
      double exact = largest_of(values, body.n), known = 4 * E / (1 - 2 * nu) / (1000 * 0.01);
      CHECK_NEAR(exact, known, 1e-9 * known);
      CHECK_NEAR(bound_at(&body, body.model->rest), known, 1e-6 * known);
      free(values);
      test_body_release(&body);
    }
  }
}

/* Random boxes, stretches, turns and laws: never below, and not far above. */
TEST(the_bound_holds_in_deformed_states)
{
  double min = INFINITY, max = 0;
  test_seed = 77;
  for (int l = 0; l < 3; l++) {
    const char *strain = l == 0 ? "green" : l == 1 ? "corotated" : "green";
    pl_material material = soft;
    if (l == 2) material.law = pl_law_at(PL_LAW_neo_hooke);
    for (int trial = 0; trial < 24; trial++) {
      test_body body = block(rules[trial % 3], strain, one, &material, 1);
      double F[9];
      for (int i = 0; i < 9; i++) F[i] = (i % 4 == 0 ? 1.25 : 0) + 0.45 * test_uniform();
      for (int i = 0; i < body.n; i++) {
        body.q[i] = 0.003 * test_uniform();
        for (int k = 0; k < 3; k++)
          body.q[i] += F[3 * (i % 3) + k] * body.model->rest[i - i % 3 + k];
      }
      double *values = frequencies(&body, body.q);
      double ratio = sqrt(bound_at(&body, body.q) / largest_of(values, body.n));
      min = fmin(min, ratio);
      max = fmax(max, ratio);
      free(values);
      test_body_release(&body);
    }
  }
  printf("  bound / exact between %.3f and %.3f\n", min, max);
  CHECK(min >= 0.999999 && max < 3.6);
}

/* ---- bending ---- */

/* The end of a cantilever of n x n x 6n cells, L = 6 d, under a transverse force, over that of a
 * beam with shear: P L^3 / (3 E I) + 1.2 P L / (G A). */
static double deflection(const char *quadrature, int n, double nu)
{
  double E = 1e5, d = 0.1 * n, L = 6 * d, mu = E / (2 * (1 + nu));
  pl_material material = {.density = 1000, .lambda = E * nu / ((1 + nu) * (1 - 2 * nu)), .mu = mu};
  const int cells[3] = {n, n, 6 * n};
  test_body body = block(quadrature, "linear", cells, &material, 1);
  const double *X = body.model->rest;
  int end = 0;
  for (int i = 0; i < body.n; i += 3) end += X[i + 2] > L - 1e-9;
  // conjugate gradients on the nodes off the clamped end
  double *x = test_vector(body.n), *r = test_vector(body.n), *p = test_vector(body.n),
         *y = test_vector(body.n);
  for (int i = 0; i < body.n; i += 3) r[i] = X[i + 2] > L - 1e-9 ? 1.0 / end : 0;
  test_evaluate(body.model, X, NULL, NULL, 1, 0, 0, body.A, NULL);
  memcpy(p, r, (size_t)body.n * sizeof *p);
  double rr = test_dot(r, r, body.n), first = rr;
  for (int k = 0; k < 4000 && rr > 1e-18 * first; k++) {
    pl_bsr_multiply(body.A, p, y, NULL);
    for (int i = 0; i < body.n; i++) y[i] = X[i - i % 3 + 2] < 1e-9 ? 0 : y[i];
    double step = rr / test_dot(p, y, body.n), before = rr;
    for (int i = 0; i < body.n; i++) x[i] += step * p[i];
    for (int i = 0; i < body.n; i++) r[i] -= step * y[i];
    rr = test_dot(r, r, body.n);
    for (int i = 0; i < body.n; i++) p[i] = r[i] + rr / before * p[i];
  }
  double sum = 0, I = d * d * d * d / 12;
  for (int i = 0; i < body.n; i += 3) sum += X[i + 2] > L - 1e-9 ? x[i] / end : 0;
  free(x);
  free(r);
  free(p);
  free(y);
  test_body_release(&body);
  return sum / (L * L * L / (3 * E * I) + 1.2 * L / (mu * d * d));
}

TEST(controlled_hexahedra_bend_as_beams_do)
{
  printf("  deflection over a beam's: one point %.4f (1 cell), %.4f (2); 2x2x2 %.4f, %.4f; nearly "
         "incompressible %.4f against %.4f\n",
         deflection("one-point", 1, 0.3), deflection("one-point", 2, 0.3),
         deflection("full", 1, 0.3), deflection("full", 2, 0.3), deflection("one-point", 2, 0.499),
         deflection("full", 2, 0.499));
  CHECK_NEAR(deflection("one-point", 1, 0.3), 1, 0.05);
  // the clamped end hinders lateral strain, which beams do not know
  CHECK_NEAR(deflection("one-point", 2, 0.3), 0.96, 0.01);
  CHECK_NEAR(deflection("one-point", 2, 0.499), 0.895, 0.02);
  CHECK(deflection("full", 2, 0.3) < 0.9);
}

TESTS(X(one_point_has_twelve_hourglass_modes_without_control)
          X(one_point_is_refused_without_control) X(full_quadrature_misses_what_is_known_of_it)
              X(the_bound_of_a_cube_is_exact) X(the_bound_holds_in_deformed_states)
                  X(controlled_hexahedra_bend_as_beams_do))
