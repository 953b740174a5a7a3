/* Measured curves with hysteresis, creases and the warp of sheets. */
#include "math/vec3.h"
#include "model/cloth/tailor.h"

#include "statics.h"

static const double strains[] = {0, 0.02, 0.05, 0.2}, forces[] = {0, 1, 10, 100};

static pl_curve make_curve(double friction)
{
  return (pl_curve){.count = 4,
                    .is_odd = 1,
                    .strains = strains,
                    .forces = forces,
                    .friction = friction,
                    .turn = 0.004};
}

TEST(a_curve_is_the_slope_of_its_energy)
{
  static const double two_sided[] = {-0.1, 0, 0.03, 0.1}, pulls[] = {-1, 0, 4, 5};
  const double past[] = {0.7, 0.013}, h = 1e-7;
  for (int k = 0; k < 2; k++) {
    pl_curve curve = make_curve(1.5);
    if (k) curve.is_odd = 0, curve.strains = two_sided, curve.forces = pulls;
    for (double e = -0.31; e < 0.31; e += 0.0173) {
      pl_curve_point low = pl_curve_at(&curve, past, e - h),
                     high = pl_curve_at(&curve, past, e + h);
      pl_curve_point at = pl_curve_at(&curve, past, e);
      CHECK_NEAR((high.energy - low.energy) / (2 * h), at.force, 1e-6 * (1 + fabs(at.force)));
      CHECK_NEAR((high.force - low.force) / (2 * h), at.slope, 1e-5 * (1 + at.slope));
      CHECK(at.slope >= 0);
    }
  }
  // without friction: what the table says, odd, and on with its last slope
  pl_curve curve = make_curve(0);
  CHECK_NEAR(pl_curve_at(&curve, NULL, 0.035).force, 5.5, 1e-12);
  CHECK_NEAR(pl_curve_at(&curve, NULL, -0.035).force, -5.5, 1e-12);
  CHECK_NEAR(pl_curve_at(&curve, NULL, 0.3).force, 160, 1e-10);
}

/* What a steady cycle between -a and a dissipates: twice the integral of Dahl's force over 2a,
 * whatever the number of steps. */
TEST(a_closed_cycle_dissipates_its_area)
{
  const double a = 0.01, friction = 1.5;
  pl_curve curve = make_curve(friction);
  const double rest = exp(-2 * a / curve.turn), end = friction * tanh(a / curve.turn);
  const double right = 2 * (2 * a * friction - (friction + end) * curve.turn * (1 - rest));
  static const int steps[] = {1, 2, 7, 100};
  for (int k = 0; k < 4; k++) {
    double past[2] = {0, 0}, work = 0;
    for (int half = 0; half < 12; half++) {
      double from = half % 2 ? a : -a;
      if (half == 10) work = 0;
      for (int i = 1; i <= steps[k]; i++) {
        double before = from * (1 - 2.0 * (i - 1) / steps[k]), e = from * (1 - 2.0 * i / steps[k]);
        work += pl_curve_at(&curve, past, e).energy - pl_curve_at(&curve, past, before).energy;
        pl_curve_advance(&curve, e, past);
      }
    }
    CHECK_NEAR(work, right, 1e-9 * right);
  }
  printf("    a cycle dissipates %.6g J/m^2\n", right);
}

static pl_mesh *make_sheet(int along, int across)
{
  const pl_setting settings[] = {{"length", {0.4}, NULL},
                                 {"width", {0.3}, NULL},
                                 {"along", {along}, NULL},
                                 {"across", {across}, NULL}};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_generate(&(pl_choice){"sheet", settings, 4}, NULL, &mesh, error));
  return mesh;
}

static test_body make_body(int along, const char *bending, const pl_tailoring *tailoring)
{
  const pl_setting words[] = {{"bending", {0}, bending}};
  pl_model_def sites = {.tailoring = tailoring};
  return test_body_at(make_sheet(along, 3), &(pl_choice){"cloth", words, 1}, &test_material,
                      &sites);
}

/* Every direction alone and all together, with hysteresis and without. */
TEST(measured_sheets_have_exact_slopes)
{
  for (int i = 0; i < 10; i++) {
    pl_tailoring tailoring = {0};
    for (int k = 0; k < PL_CURVE_KINDS; k++) {
      if (i % 5 == 4 || i % 5 == k) tailoring.curves[k] = make_curve(i < 5 ? 0 : 2);
    }
    test_body body = make_body(4, i % 2 ? "quadratic" : "hinge", &tailoring);
    double *memory = test_live(&body);
    CHECK((memory != NULL) == (i >= 5));
    if (memory) pl_model_begin(body.model, memory);
    test_slopes(&body, 1e-4);
    test_semidefinite(&body);
    // nothing acts at rest
    if (memory) pl_model_begin(body.model, NULL);
    test_forces(&body, body.model->rest, NULL, body.f);
    CHECK(test_length(body.f, body.n) < 1e-9);
    test_body_release(&body);
    free(memory);
  }
}

/* Stretched, sheared and bent evenly, a sheet stores its area times the curve's energy. */
TEST(a_sheet_stores_the_energy_of_its_curves)
{
  pl_tailoring tailoring = {0};
  for (int k = 0; k < PL_CURVE_KINDS; k++) tailoring.curves[k] = make_curve(0);
  test_body body = make_body(4, "hinge", &tailoring);
  for (int k = 0; k < 3; k++) {
    const double e = 0.035;
    for (int i = 0; i < body.model->blocks; i++) {
      const double *X = body.model->rest + 3 * i;
      double x[3] = {X[0], X[1], 0};
      if (k < 2) x[k] *= 1 + e;
      // yarns keep their lengths
      if (k == 2) x[0] += e * X[1], x[1] *= sqrt(1 - e * e);
      memcpy(body.q + 3 * i, x, sizeof x);
    }
    double right = 0.12 * pl_curve_at(&tailoring.curves[k], NULL, e).energy;
    CHECK_NEAR(body.model->ops->energy(body.model, body.q, NULL), right, 1e-9 * right);
  }
  test_body_release(&body);
}

/* A sheet that is creased in its middle rests folded there. */
TEST(a_crease_rests_folded)
{
  static const char *const bendings[] = {"hinge", "quadratic", "edge"};
  for (int k = 0; k < 6; k++) {
    pl_mesh *mesh = make_sheet(4, 3);
    const double angle = k < 3 ? 70 : -70, pi = 3.14159265358979;
    unsigned char *marks = calloc((size_t)mesh->node_count, 1);
    for (int i = 0; i < mesh->node_count; i++) marks[i] = fabs(mesh->nodes[3 * i] - 0.2) < 1e-9;
    pl_mesh_destroy(mesh);
    pl_fold fold = {marks, 2 * tan(angle * pi / 360)};
    pl_tailoring tailoring = {.fold_count = 1, .folds = &fold};
    test_body body = make_body(4, bendings[k % 3], &tailoring);
    memcpy(body.q, body.model->rest, (size_t)body.n * sizeof *body.q);
    CHECK(body.model->ops->energy(body.model, body.q, NULL) > 1e-6);
    // the upper side outside: what lies beyond goes down
    for (int i = 0; i < body.mesh->node_count; i++) {
      double past = body.q[3 * i] - 0.2;
      if (past <= 1e-9) continue;
      body.q[3 * i] = 0.2 + past * cos(angle * pi / 180);
      body.q[3 * i + 2] = -past * sin(angle * pi / 180);
    }
    test_forces(&body, body.q, NULL, body.f);
    CHECK_NEAR(test_length(body.f, body.n), 0, 1e-9);
    test_body_release(&body);
    free(marks);
  }
}

/* Given directions of the warp count as the material's axes do. */
TEST(warp_may_differ_from_triangle_to_triangle)
{
  pl_tailoring tailoring = {0};
  tailoring.curves[PL_CURVE_WARP] = make_curve(0);
  pl_mesh *mesh = make_sheet(4, 3);
  tailoring.warp = calloc(3 * (size_t)mesh->element_count, sizeof(double));
  for (int t = 0; t < mesh->element_count; t++) tailoring.warp[3 * t + t % 2] = 2;
  pl_mesh_destroy(mesh);
  test_body body = make_body(4, "none", &tailoring);
  for (int i = 0; i < body.n; i++) body.q[i] = body.model->rest[i] * (i % 3 == 1 ? 1.1 : 1);
  double along = 0.12 * 0.5 * pl_curve_at(&tailoring.curves[0], NULL, 0.1).energy;
  double E = test_material.mu * (3 * test_material.lambda + 2 * test_material.mu) /
             (test_material.lambda + test_material.mu);
  double nu = test_material.lambda / (2 * (test_material.lambda + test_material.mu));
  double green = 0.5 * (1.21 - 1),
         across = 0.12 * 0.5 * 0.5 * 1e-3 * E / (1 - nu * nu) * green * green;
  CHECK_NEAR(body.model->ops->energy(body.model, body.q, NULL), along + across,
             1e-9 * (along + across));
  test_body_release(&body);
  free(tailoring.warp);
}

TESTS(X(a_curve_is_the_slope_of_its_energy) X(a_closed_cycle_dissipates_its_area)
          X(measured_sheets_have_exact_slopes) X(a_sheet_stores_the_energy_of_its_curves)
              X(a_crease_rests_folded) X(warp_may_differ_from_triangle_to_triangle))
