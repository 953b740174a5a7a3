/* The computed coefficients of ROCK2: order, stability, and how many stages an interval takes. */
#include "ode/rock2_table.h"
#include "test.h"

/* The stability polynomial at z, by the stages themselves. */
static double stability(const pl_rock2 *table, double z)
{
  double before = 1, now = 1;
  for (int k = 0; k < table->stages - 2; k++) {
    double next = table->m[k] * z * now + table->n[k] * now - (table->n[k] - 1) * before;
    before = now;
    now = next;
  }
  return now * (1 + 2 * table->sigma * z + table->tau * z * z);
}

/* R(0) = R'(0) = R''(0) = 1, |R| <= 1 over the whole interval and no more than 0.95 but near 0. */
TEST(every_number_of_stages_has_order_2_and_its_interval)
{
  for (int s = PL_ROCK2_LEAST; s <= PL_ROCK2_MOST; s += s < 20 ? 1 : 36) {
    static pl_rock2 table;
    pl_rock2_compute(s, &table);
    double h = 1e-3, plus = stability(&table, h), minus = stability(&table, -h), max = 0;
    CHECK_NEAR(stability(&table, 0), 1, 1e-12);
    CHECK_NEAR((plus - minus) / (2 * h), 1, 1e-5);
    CHECK_NEAR((plus + minus - 2) / (h * h), 1, 1e-4);
    int samples = 50 * s;
    for (int i = 1; i <= samples; i++) {
      double z = -table.interval * i / samples, size = fabs(stability(&table, z));
      CHECK(size <= 1);
      if (i > samples / 10) max = fmax(max, size);
    }
    CHECK(max < 0.96);
    if (s < 7 || s % 36 == 20)
      printf("  %d stages: interval %.3f s^2, sigma %.3g\n", s, table.interval / s / s,
             table.sigma);
    CHECK(table.sigma > 0 && table.interval > (s < 5 ? 0.65 : s < 10 ? 0.75 : 0.785) * s * s);
    // what is asked for is there
    CHECK(pl_rock2_stages(0.8 * s * s - 1.5 - 1e-9) <= s && table.interval > 0.8 * s * s - 1.5);
  }
  CHECK(pl_rock2_stages(0) == PL_ROCK2_LEAST && pl_rock2_stages(1e6) > PL_ROCK2_MOST);
}

TESTS(X(every_number_of_stages_has_order_2_and_its_interval))
