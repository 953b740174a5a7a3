/* The moving bar against other systems: tip displacement along y under gravity from rest,
 * corotated, backward Euler, dt 10 ms, one Newton iteration. Vega FEM 4.0 uses the consistent mass,
 * Bullet 3.24 the lumped one. 1 % is what two implementations of the same method may differ by:
 * they stop their solvers at different residuals and take their rotations at slightly different
 * points. */
// label: release
#include "bar.h"

static void compare(const char *mass, int n, int steps, double expected)
{
  bar_def def = {.n = n, .mass = mass, .gravity = {0, -9.81, 0}, .threads = 2};
  pl_world *world;
  pl_body_id body;
  double tip[3] = {0};
  CHECK_OK(bar_make(&def, &world, &body, error));
  if (!world) return;
  for (int i = 0; i < steps; i++) CHECK_OK(pl_world_step(world, error));
  bar_tip(world, body, tip);
  printf("  n %d, %s mass, t = %.1f: ours %.4f, peer %.4f\n", n, mass, 0.01 * steps, tip[1],
         expected);
  CHECK_NEAR(tip[1], expected, 0.01 * fabs(expected));
  pl_world_destroy(world);
}

TEST(vega_5k)
{
  compare("consistent", 6, 20, -.2290);
  compare("consistent", 6, 40, -.3864);
  compare("consistent", 6, 100, -.2782);
}

TEST(bullet_5k)
{
  compare("lumped", 6, 20, -.2284);
  compare("lumped", 6, 40, -.3857);
  compare("lumped", 6, 100, -.2764);
}

TEST(both_24k)
{
  compare("consistent", 10, 40, -.4146);
  compare("lumped", 10, 40, -.4138);
}

TESTS(X(vega_5k) X(bullet_5k) X(both_24k))
