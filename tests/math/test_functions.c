/* Elementary functions against the C library's in long double, in units of the last place. */
#include "core/hash.h"
#include "math/functions.h"

#include "test.h"

/* A normal number of any size between two powers of two, of either sign. */
static double any(int min, int max)
{
  int exponent = min + (int)(test_random() % (uint64_t)(max - min + 1));
  return ldexp(0.75 + 0.25 * test_uniform(), exponent) * (test_random() & 1 ? 1 : -1);
}

/* How many units of the last place of the exact value lie between. */
static double ulps(double value, long double exact)
{
  double nearest = (double)exact;
  if (isnan(value) && isnan(nearest)) return 0;
  if (value == nearest) return 0.5;
  if (!isfinite(value) || !isfinite(nearest)) return INFINITY;
  int exponent;
  frexp(nearest, &exponent);
  if (exponent < -1021) exponent = -1021; // subnormal numbers
  return (double)fabsl(((long double)value - exact) / ldexpl(1, exponent - 53));
}

static double worst;
static double worst_at[2];

static void compare(double value, long double exact, double a, double b)
{
  double distance = ulps(value, exact);
  if (!(distance <= worst)) {
    worst = distance;
    worst_at[0] = a;
    worst_at[1] = b;
  }
}

static void report(const char *name)
{
  printf("  %-6s %.3f ulp at (%.17g, %.17g)\n", name, worst, worst_at[0], worst_at[1]);
  CHECK(worst <= 1);
  worst = 0;
}

enum { COUNT = TEST_SANITIZED ? 20000 : 200000 };

TEST(angles_to_lengths_are_within_one_unit)
{
  for (int i = 0; i < COUNT; i++) {
    double x = i % 2 ? 10 * test_uniform() : any(-60, 60);
    // the long double functions know pi to 66 bits only, so that large angles need another judge
    if (fabs(x) > 1e4) continue;
    compare(pl_sin(x), sinl((long double)x), x, 0);
  }
  report("sin");
  for (int i = 0; i < COUNT; i++) {
    double x = i % 2 ? 10 * test_uniform() : any(-60, 13);
    compare(pl_cos(x), cosl((long double)x), x, 0);
  }
  report("cos");
  for (int i = 0; i < COUNT; i++) {
    double x = i % 2 ? 2 * test_uniform() : any(-60, 12);
    compare(pl_tan(x), tanl((long double)x), x, 0);
  }
  report("tan");
}

/* Values of many digits, computed elsewhere (mpmath). */
TEST(large_angles_are_reduced_with_all_bits)
{
  /* x, and its sine and cosine as pairs hi + lo */
  static const double table[][5] = {
#include "large_angles.inc"
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    long double sine = (long double)table[i][1] + (long double)table[i][2];
    long double cosine = (long double)table[i][3] + (long double)table[i][4];
    compare(pl_sin(table[i][0]), sine, table[i][0], 0);
    compare(pl_cos(table[i][0]), cosine, table[i][0], 0);
    compare(pl_sin(-table[i][0]), -sine, table[i][0], 0);
  }
  report("large");
}

TEST(arcs_are_within_one_unit)
{
  for (int i = 0; i < COUNT; i++) {
    double y = i % 2 ? test_uniform() : any(-300, 300), x = i % 2 ? test_uniform() : any(-300, 300);
    if (i % 8 == 0) x = y * (1 + 1e-3 * test_uniform());
    if (i % 8 == 2) x = any(-20, 20), y = any(-20, 20);
    compare(pl_atan2(y, x), atan2l((long double)y, (long double)x), y, x);
  }
  report("atan2");
  static const double ends[] = {0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN, 1e-320, 1e308};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
      double value = pl_atan2(ends[i], ends[k]);
      long double exact = atan2l((long double)ends[i], (long double)ends[k]);
      compare(value, exact, ends[i], ends[k]);
      CHECK(isnan(value) || !signbit(value) == !signbit(exact));
    }
  }
  report("ends");
}

TEST(roots_are_within_one_unit)
{
  for (int i = 0; i < COUNT; i++) {
    double x = i % 2 ? 8 * test_uniform() : any(-1070, 1020);
    compare(pl_cbrt(x), cbrtl((long double)x), x, 0);
  }
  report("cbrt");
  for (int i = 0; i < COUNT; i++) {
    double a = i % 2 ? test_uniform() : any(-1060, 1020);
    double b = i % 2 ? test_uniform() : a * any(-30, 1);
    compare(pl_hypot(a, b), hypotl((long double)a, (long double)b), a, b);
  }
  report("hypot");
  for (int k = 1; k < 100; k++) CHECK(pl_cbrt((double)k * k * k) == k);
  CHECK(pl_hypot(3, 4) == 5 && pl_hypot(-5, 12) == 13 && pl_hypot(0, -2) == 2);
  CHECK(pl_hypot(INFINITY, NAN) == INFINITY && isnan(pl_hypot(NAN, 1)) && pl_cbrt(-27) == -3);
}

TEST(powers_are_within_one_unit)
{
  for (int i = 0; i < COUNT; i++) {
    double x = i % 2 ? 1 + 0.5 * test_uniform() : fabs(any(-1070, 1020));
    compare(pl_ln(x), logl((long double)x), x, 0);
  }
  report("log");
  for (int i = 0; i < COUNT; i++) {
    double x = i % 2 ? 1 + 0.9 * test_uniform() : fabs(any(-100, 100));
    double y = i % 4 < 2 ? 8 * test_uniform() : 1.0 / (double)(2 + i % 5);
    compare(pl_pow(x, y), powl((long double)x, (long double)y), x, y);
  }
  report("pow");
  CHECK(pl_pow(2, 10) == 1024 && pl_pow(0, 2) == 0 && pl_pow(5, 0) == 1 && isnan(pl_pow(-1, 0.5)));
  CHECK(pl_pow(10, 400) == INFINITY && pl_pow(10, -400) == 0 && pl_pow(0, -1) == INFINITY);
  CHECK(pl_ln(1) == 0 && pl_ln(0) == -INFINITY && isnan(pl_ln(-1)) && isinf(pl_ln(INFINITY)));
}

/* The argument of number i: both signs, from tiny to large, the same on every machine. */
static double argument(int i, int spread)
{
  uint64_t bits = pl_hash_words(PL_HASH_START, &(uint64_t){(uint64_t)i}, 1);
  double part = 0.5 + ldexp((double)(bits >> 12), -53);
  return ldexp(part, i % (2 * spread + 1) - spread) * (i & 1 ? 1 : -1);
}

static double power(double x) { return pl_pow(fabs(x), 0.3); }
static double power_of_ten(double x) { return pl_pow(10, x); }
static double logarithm(double x) { return pl_ln(fabs(x)); }
static double arc(double x) { return pl_atan2(x, 0.75); }
static double far_arc(double x) { return pl_atan2(-0.6, x); }
static double length(double x) { return pl_hypot(x, 1.25); }

/* Recorded once, from a build by gcc; every compiler and machine must give the same. */
TEST(a_thousand_values_of_each_have_the_recorded_bits)
{
  static const struct {
    const char *name;
    double (*of)(double x);
    int spread;
    uint64_t bits;
  } recorded[] = {
      {"sin", pl_sin, 40, UINT64_C(0x4c52e4562657cec5)},
      {"cos", pl_cos, 40, UINT64_C(0xbb6e241b0d138e36)},
      {"tan", pl_tan, 40, UINT64_C(0xf1249bc521261516)},
      {"cbrt", pl_cbrt, 300, UINT64_C(0x1aef9a341d9ff47f)},
      {"atan2 up", arc, 60, UINT64_C(0x2f172053b592489f)},
      {"atan2 down", far_arc, 60, UINT64_C(0x669c3e835d24e1a7)},
      {"hypot", length, 60, UINT64_C(0x7e8250494f2ab1eb)},
      {"log", logarithm, 300, UINT64_C(0xc16875785016980b)},
      {"pow", power, 300, UINT64_C(0x25e17863f6b4306a)},
      {"power of ten", power_of_ten, 8, UINT64_C(0xb69cd27adb9ef5bc)},
  };
  for (size_t k = 0; k < sizeof recorded / sizeof *recorded; k++) {
    uint64_t bits = PL_HASH_START;
    for (int i = 0; i < 1000; i++) {
      double value = recorded[k].of(argument(i, recorded[k].spread));
      bits = pl_hash_words(bits, &value, 1);
    }
    if (bits != recorded[k].bits)
      printf("  %s: UINT64_C(0x%016llx)\n", recorded[k].name, (unsigned long long)bits);
    CHECK(bits == recorded[k].bits);
  }
}

TEST(what_is_no_angle_has_no_sine)
{
  CHECK(isnan(pl_sin(INFINITY)) && isnan(pl_cos(-INFINITY)) && isnan(pl_tan(NAN)));
  CHECK(isnan(pl_tan(INFINITY)) && pl_tan(0) == 0 && signbit(pl_tan(-0.0)) && !signbit(pl_tan(0)));
  CHECK(pl_sin(0) == 0 && signbit(pl_sin(-0.0)) && pl_cos(0) == 1 && pl_tan(0) == 0);
}

TESTS(X(angles_to_lengths_are_within_one_unit) X(large_angles_are_reduced_with_all_bits)
          X(arcs_are_within_one_unit) X(roots_are_within_one_unit) X(powers_are_within_one_unit)
              X(a_thousand_values_of_each_have_the_recorded_bits) X(what_is_no_angle_has_no_sine))
