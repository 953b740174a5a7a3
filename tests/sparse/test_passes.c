/* Passes over vectors of blocks against loops, for lengths around the width of lanes and chunks. */
#include "core/memory.h"
#include "sparse/passes.h"

#include "test.h"

#include <math.h>
#include <stdlib.h>

static const int lengths[] = {1, 3, 4, 5, 11, 8191, 8192, 20000};
enum { LENGTHS = sizeof lengths / sizeof *lengths, MOST = 20000 };

static double x[3 * MOST], y[3 * MOST], z[3 * MOST], mass[MOST];

static void fill(void)
{
  for (int i = 0; i < 3 * MOST; i++) {
    x[i] = sin(i);
    y[i] = z[i] = cos(3 * i);
  }
  for (int i = 0; i < MOST; i++) mass[i] = 1.5 + sin(7 * i);
}

TEST(passes_do_what_loops_do)
{
  const double g[3] = {0.3, -2, 9.81};
  pl_pool *pool = NULL;
  pl_allocator memory = pl_allocator_default();
  CHECK_OK(pl_pool_create(&memory, 3, &pool, error));
  for (int l = 0; l < LENGTHS; l++) {
    int n = lengths[l];
    fill();
    pl_pass_weigh(0.5, mass, g, y, n, pool);
    for (int i = 0; i < 3 * n; i++) CHECK(y[i] == z[i] + 0.5 * mass[i / 3] * g[i % 3]);
    fill();
    pl_pass_mass_add(-0.25, mass, x, y, n, pool);
    for (int i = 0; i < 3 * n; i++) CHECK(y[i] == z[i] + -0.25 * (mass[i / 3] * x[i]));
    pl_pass_divide(x, mass, y, n, pool);
    for (int i = 0; i < 3 * n; i++) CHECK(y[i] == x[i] / mass[i / 3]);
    pl_pass_move(x, z, y, n, pool);
    for (int i = 0; i < 3 * n; i++) CHECK(y[i] == x[i] + z[i]);
    double sum = 0, with = pl_pass_energy(mass, x, n, pool);
    for (int i = 0; i < 3 * n; i++) sum += mass[i / 3] * x[i] * x[i];
    CHECK_NEAR(with, sum, 1e-12 * sum);
    CHECK(with == pl_pass_energy(mass, x, n, NULL));
    pl_pass_clear(y, n, pool);
    for (int i = 0; i < 3 * n; i++) CHECK(y[i] == 0);
    pl_pass_copy(x, y, n, 1, pool);
    for (int i = 0; i < 3 * n; i++) CHECK(y[i] == x[i]);
  }
  pl_pool_destroy(pool);
}

TEST(one_number_that_is_not_finite_is_found)
{
  static const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int l = 0; l < LENGTHS; l++) {
    int n = lengths[l];
    fill();
    CHECK(pl_pass_is_finite(x, n, 1, NULL));
    for (int b = 0; b < 3; b++) {
      for (int where = 0; where < 3; where++) {
        int at = where == 0 ? 0 : where == 1 ? 3 * n / 2 : 3 * n - 1;
        double before = x[at];
        x[at] = bad[b];
        CHECK(!pl_pass_is_finite(x, n, 1, NULL));
        CHECK(!isfinite(pl_pass_energy(mass, x, n, NULL)));
        x[at] = before;
      }
    }
  }
}

/* Whole lanes are read up to the end of each range of blocks, and not beyond. */
TEST(numbers_behind_the_end_do_not_count)
{
  for (int n = 1; n < MOST; n += n < 40 ? 1 : 997) {
    fill();
    for (int i = 3 * n; i < 3 * MOST && i < 3 * n + 40; i++) x[i] = NAN;
    CHECK(pl_pass_is_finite(x, n, 1, NULL));
    CHECK(isfinite(pl_pass_energy(mass, x, n, NULL)));
  }
}

TESTS(X(passes_do_what_loops_do) X(one_number_that_is_not_finite_is_found)
          X(numbers_behind_the_end_do_not_count))
