/* Fits of constants: least squares, Prony series to published ones and to closed forms. */
#include "core/memory.h"
#include "material/least_squares.h"
#include "material/prony_fit.h"
#include "test.h"

/* ---- least squares ---- */

TEST(linear_fits_solve_the_normal_equations)
{
  enum { ROWS = 40, COUNT = 5 };
  pl_allocator allocator = pl_allocator_default();
  double A[ROWS * COUNT], b[ROWS], x[COUNT], y[COUNT], condition;
  for (int i = 0; i < ROWS * COUNT; i++) A[i] = test_uniform() * (i % COUNT == 2 ? 1e6 : 1);
  for (int i = 0; i < ROWS; i++) b[i] = test_uniform();
  const pl_linear_fit fit = {ROWS, COUNT, A, b};
  CHECK_OK(pl_fit_linear(&allocator, &fit, x, &condition, error));
  CHECK(condition >= 1 && condition < 100);
  CHECK_OK(pl_fit_nonnegative(&allocator, &fit, y, error));
  for (int j = 0; j < COUNT; j++) {
    double slope = 0, held = 0, size = 0;
    for (int i = 0; i < ROWS; i++) {
      double left = b[i], right = b[i];
      for (int k = 0; k < COUNT; k++) left -= A[i * COUNT + k] * x[k];
      for (int k = 0; k < COUNT; k++) right -= A[i * COUNT + k] * y[k];
      slope += A[i * COUNT + j] * left;
      held += A[i * COUNT + j] * right;
      size += fabs(A[i * COUNT + j]);
    }
    CHECK_NEAR(slope / size, 0, 1e-14);
    // Kuhn and Tucker: nothing falls by growing, and what is above 0 has no slope
    CHECK(y[j] >= 0 && held / size < 1e-12);
    if (y[j] > 0) CHECK_NEAR(held / size, 0, 1e-12);
  }
  CHECK_FAILS(pl_fit_linear(&allocator, &(pl_linear_fit){2, 5, A, b}, x, NULL, error),
              PL_E_ARGUMENT, "2 values are too few for 5 constants");
}

static void banana(void *context, const double *x, double *r)
{
  (void)context;
  r[0] = 10 * (x[1] - x[0] * x[0]);
  r[1] = 1 - x[0];
}

TEST(nonlinear_fits_find_the_end_of_a_curved_valley)
{
  pl_allocator allocator = pl_allocator_default();
  const pl_nonlinear_fit fit = {.rows = 2, .count = 2, .min_fall = 1e-12, .residuals = banana};
  double x[2] = {-1.2, 1}, sum;
  CHECK_OK(pl_fit_nonlinear(&allocator, &fit, 200, x, NULL, &sum, error));
  CHECK_NEAR(x[0], 1, 1e-6);
  CHECK_NEAR(x[1], 1, 1e-6);
}

/* ---- constant Q: the table of prony fits from 0.1 Hz to 10 kHz, |M(2 Hz)| = 1 ---- */

static const double band[2] = {0.1, 1e4};

static pl_maxwell q_series(double q, int terms, pl_maxwell_aim aim)
{
  pl_allocator allocator = pl_allocator_default();
  const pl_constant_q of = {
      .q = q, .band = {band[0], band[1]}, .reference = 2, .terms = terms, .aim = aim};
  pl_maxwell series = {0};
  CHECK_OK(pl_maxwell_constant_q(&allocator, &of, &series, error));
  return series;
}

static double worst_quality(const pl_maxwell *series, double q)
{
  double worst = 0;
  for (int i = 0; i <= 400; i++)
    worst = fmax(worst, fabs(pl_maxwell_quality(series, 0.1 * pow(1e5, i / 400.0)) / q - 1));
  return worst;
}

/* rms over 201 frequencies of the relative error of the complex compliance. */
static double compliance_error(const pl_maxwell *series, double q)
{
  double sum = 0, power = 2 * atan(1 / q) / 3.14159265358979324;
  for (int i = 0; i <= 200; i++) {
    double f = 0.1 * pow(1e5, i / 200.0), size = pow(f / 2, power), M[2];
    double a = size * cos(1.5707963267948966 * power), b = size * sin(1.5707963267948966 * power);
    pl_maxwell_modulus(series, f, M);
    double square = M[0] * M[0] + M[1] * M[1];
    double re = (a * M[0] + b * M[1]) / square - 1, im = (b * M[0] - a * M[1]) / square;
    sum += re * re + im * im;
  }
  return sqrt(sum / 201);
}

TEST(constant_q_has_the_errors_of_the_table)
{
  static const double qs[] = {2, 4.8, 10, 50};
  static const double errors[4][7] = {{.2551, .1385, .0724, .0371, .0189, .0095, .0048},
                                      {.1233, .0671, .0353, .0182, .0093, .0047, .0024},
                                      {.0608, .0331, .0175, .0090, .0046, .0023, .0012},
                                      {.0123, .0067, .0035, .0018, .0009, .0005, .0002}};
  static const double worst[] = {1.704, .5615, .2270, .0985, .0440, .0199, .0091};
  for (int terms = 2; terms <= 8; terms++) {
    for (int k = 0; k < 4; k++) {
      pl_maxwell series = q_series(qs[k], terms, PL_MAXWELL_COMPLIANCE);
      CHECK(series.terms == terms);
      CHECK_NEAR(compliance_error(&series, qs[k]), errors[k][terms - 2],
                 0.02 * errors[k][terms - 2] + 5e-5);
    }
    pl_maxwell even = q_series(4.8, terms, PL_MAXWELL_MINIMAX);
    CHECK_NEAR(worst_quality(&even, 4.8), worst[terms - 2], 0.01 * worst[terms - 2]);
    for (int i = 0; i < even.terms; i++) CHECK(even.moduli[i] > 0 && even.times[i] > 0);
  }
}

/* Constants of the prototype: liver, three terms and six. */
TEST(constant_q_has_the_constants_of_the_table)
{
  static const double three[] = {.697665, 1.15669, .70369, .42937, 8.80898e-5, 3.84235e-3, .169954};
  static const double six[] = {.575617,    1.08254, .61425,     .46134,     .34788,
                               .26266,     .2295,   1.67922e-5, 1.71006e-4, 1.48818e-3,
                               1.29171e-2, .112395, 1.07262};
  const double *const given[] = {three, six};
  for (int k = 0; k < 2; k++) {
    int terms = k ? 6 : 3;
    pl_maxwell series = q_series(4.8, terms, PL_MAXWELL_COMPLIANCE);
    CHECK_NEAR(series.lasting, given[k][0], 5e-5);
    for (int i = 0; i < terms; i++) {
      CHECK_NEAR(series.moduli[i], given[k][1 + i], 1e-4 * given[k][1 + i]);
      CHECK_NEAR(series.times[i], given[k][1 + terms + i], 1e-4 * given[k][1 + terms + i]);
    }
  }
}

/* A point of the material follows the creep law (t w0)^(2 gamma) / (M0 Gamma(1 + 2 gamma)). */
TEST(constant_q_creeps_by_a_power_law)
{
  for (int k = 0; k < 2; k++) {
    pl_maxwell series = q_series(4.8, k ? 6 : 3, PL_MAXWELL_COMPLIANCE);
    double power = 2 * atan(1 / 4.8) / 3.14159265358979324, worst = 0;
    for (int i = 0; i <= 100; i++) {
      double t = 0.01 * pow(100, i / 100.0);
      double law = pow(t * 2 * 3.14159265358979324 * 2, power) / tgamma(1 + power);
      worst = fmax(worst, fabs(pl_maxwell_creep(&series, t) / law - 1));
    }
    printf("  %d terms: worst %.4f of the creep\n", series.terms, worst);
    CHECK(worst < (k ? 0.0125 : 0.047));
  }
}

/* ---- measurements made of a known series ---- */

static const pl_maxwell known = {3, 2e3, {4e3, 1e3, 5e2}, {0.01, 0.3, 20}};

static void recover(pl_maxwell_kind kind)
{
  enum { ROWS = 60 };
  pl_allocator allocator = pl_allocator_default();
  double at[ROWS], values[ROWS], losses[ROWS];
  pl_maxwell found;
  for (int i = 0; i < ROWS; i++) {
    double M[2];
    at[i] = 1e-3 * pow(2e5, i / (ROWS - 1.0));
    pl_maxwell_modulus(&known, at[i], M);
    values[i] = kind == PL_MAXWELL_MODULUS      ? M[0]
                : kind == PL_MAXWELL_RELAXATION ? pl_maxwell_relaxation(&known, at[i])
                                                : pl_maxwell_creep(&known, at[i]);
    losses[i] = M[1];
  }
  const pl_maxwell_data data = {
      .kind = kind, .rows = ROWS, .at = at, .values = values, .losses = losses};
  CHECK_OK(pl_maxwell_fit(&allocator, &data, 3, &found, error));
  CHECK(found.terms == 3);
  CHECK_NEAR(found.lasting, known.lasting, 1e-3 * known.lasting);
  for (int i = 0; i < 3 && found.terms == 3; i++) {
    CHECK_NEAR(found.moduli[i], known.moduli[i], 1e-3 * known.moduli[i]);
    CHECK_NEAR(found.times[i], known.times[i], 1e-3 * known.times[i]);
  }
  CHECK_FAILS(pl_maxwell_fit(&allocator, &data, 0, &found, error), PL_E_ARGUMENT, "1 to 12");
}

TEST(series_come_back_from_relaxation_creep_and_moduli)
{
  recover(PL_MAXWELL_RELAXATION);
  recover(PL_MAXWELL_CREEP);
  recover(PL_MAXWELL_MODULUS);
}

/* As many values as constants will do, one fewer will not. */
TEST(as_many_values_as_constants_will_do)
{
  const double at[] = {0.1, 0.5, 2};
  const pl_maxwell one = {1, 3, {2}, {0.5}};
  pl_allocator allocator = pl_allocator_default();
  double values[3];
  pl_maxwell found;
  for (int i = 0; i < 3; i++) values[i] = pl_maxwell_relaxation(&one, at[i]);
  pl_maxwell_data data = {.kind = PL_MAXWELL_RELAXATION, .rows = 3, .at = at, .values = values};
  CHECK_OK(pl_maxwell_fit(&allocator, &data, 1, &found, error));
  CHECK_NEAR(found.times[0], 0.5, 1e-6);
  data.rows = 2;
  CHECK_FAILS(pl_maxwell_fit(&allocator, &data, 1, &found, error), PL_E_ARGUMENT, "too few");
}

/* Standard solid: 1/Einf - E1 / (Einf (Einf + E1)) exp(-t/tc), tc = tau (Einf + E1) / Einf. */
TEST(creep_of_a_standard_solid_has_the_closed_form)
{
  const pl_maxwell standard = {1, 3, {2}, {0.5}};
  for (int i = 0; i < 20; i++) {
    double t = 0.2 * i, tc = 0.5 * 5 / 3;
    CHECK_NEAR(pl_maxwell_creep(&standard, t), 1.0 / 3 - 2.0 / 15 * exp(-t / tc), 1e-12);
  }
}

TESTS(X(linear_fits_solve_the_normal_equations) X(nonlinear_fits_find_the_end_of_a_curved_valley)
          X(constant_q_has_the_errors_of_the_table) X(constant_q_has_the_constants_of_the_table)
              X(constant_q_creeps_by_a_power_law)
                  X(series_come_back_from_relaxation_creep_and_moduli)
                      X(as_many_values_as_constants_will_do)
                          X(creep_of_a_standard_solid_has_the_closed_form))
