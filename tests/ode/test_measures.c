/* Numbers that integrators state or measure errors by. */
#include "toy.h"

/* x' = v, v' = -w^2 x - c v by forward Euler: is no eigenvalue of the step's matrix above 1? */
static int is_stable(double w, double c, double h)
{
  double half = 1 - h * c / 2, product = 1 - h * c + h * h * w * w, square = half * half - product;
  return square < 0 ? product <= 1 : fabs(half) + sqrt(square) <= 1;
}

TEST(the_bound_of_forward_euler_is_sharp)
{
  const double dampings[] = {0.3, 2, 9, 20, 50};
  for (int i = 0; i < 5; i++) {
    double h = pl_integrator_explicit_euler.critical(5, dampings[i]);
    CHECK(is_stable(5, dampings[i], 0.999 * h) && !is_stable(5, dampings[i], 1.001 * h));
  }
}

/* The root of the mean square of blocks, not of the sum. */
TEST(means_over_blocks_do_not_grow_with_their_number)
{
  const double a[] = {3, 0, 0, 0, 4, 0, 3, 0, 0, 0, 4, 0};
  CHECK_NEAR(pl_rms(&(pl_system){.blocks = 2}, -2, a, NULL), 2 * sqrt(12.5), 1e-14);
  CHECK_NEAR(pl_rms(&(pl_system){.blocks = 4}, -2, a, NULL), 2 * sqrt(12.5), 1e-14);
}

TESTS(X(the_bound_of_forward_euler_is_sharp) X(means_over_blocks_do_not_grow_with_their_number))
