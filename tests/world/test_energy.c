/* What integrators do to the energy of a body that nothing damps, holds or loads: a bar with
 * Green's strain that spins and swings. */
// label: release
#include "acts.h"
#include "bar.h"

typedef struct watched {
  double first, min, max;    /* J */
  double rise;               /* the most from one sample to the next, J */
  double late_min, late_max; /* over the second half */
} watched;

static watched watch(const char *integrator, double dt, int steps, int every)
{
  bar_def def = {.n = 1,
                 .free = 1,
                 .integrator = integrator,
                 .strain = "green",
                 .dt = dt,
                 .newton = dt > 1e-3 ? 40 : 0,
                 .newton_tolerance = dt > 1e-3 ? 1e-10 : 0,
                 .solver = dt > 1e-3 ? 1e-12 : 0,
                 .spin = {0, 2, 8}};
  pl_world *world;
  pl_body_id body;
  watched e = {.rise = -INFINITY, .late_min = INFINITY, .late_max = -INFINITY};
  CHECK_OK(bar_make(&def, &world, &body, error));
  double before = e.first = e.min = e.max = energy_of(world);
  for (int i = 1; i <= steps; i++) {
    CHECK_OK(pl_world_step(world, error));
    if (i % every) continue;
    double now = energy_of(world);
    e.rise = fmax(e.rise, now - before);
    e.min = fmin(e.min, now);
    e.max = fmax(e.max, now);
    if (i > steps / 2) e.late_min = fmin(e.late_min, now);
    if (i > steps / 2) e.late_max = fmax(e.late_max, now);
    before = now;
  }
  printf("  %-18s %6d steps of %g s: %.4f J at first, between %.4f and %.4f, late %.4f and %.4f\n",
         integrator, steps, dt, e.first, e.min, e.max, e.late_min, e.late_max);
  pl_world_destroy(world);
  return e;
}

/* It never rises from step to step, and much of it goes. */
TEST(implicit_euler_only_loses)
{
  watched e = watch("implicit-euler", 0.005, 400, 1);
  CHECK(e.rise <= 1e-9 * e.first);
  CHECK(e.late_max < 0.95 * e.first);
}

/* The energy of midpoint and Newmark swings by less than a thousandth, which is what steps of 4 ms
 * do not resolve, and does not drift: the second half of 20 000 steps stays within the bounds of
 * all. */
TEST(midpoint_and_newmark_do_not_gain)
{
  const char *members[] = {"implicit-midpoint", "newmark"};
  for (int i = 0; i < 2; i++) {
    watched e = watch(members[i], 0.004, TEST_SANITIZED ? 1000 : 20000, 1);
    CHECK(e.max <= 1.001 * e.first && e.min >= 0.998 * e.first);
    CHECK(e.late_max <= 1.001 * e.first);
  }
}

/* 10^5 steps, about 100 000 / 40 periods of the fastest motion. */
TEST(verlet_stays_within_bounds)
{
  watched e = watch("verlet", 2e-4, TEST_SANITIZED ? 5000 : 100000, 100);
  CHECK(e.min > 0.999 * e.first && e.max < 1.001 * e.first);
  CHECK(e.late_min > 0.999 * e.first && e.late_max < 1.001 * e.first);
}

TESTS(X(implicit_euler_only_loses) X(midpoint_and_newmark_do_not_gain)
          X(verlet_stays_within_bounds))
