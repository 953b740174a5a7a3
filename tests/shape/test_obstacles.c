/* Every obstacle's shape: its gap changes by one along its normal, of length one, and by nothing
 * across it. */
#include "core/family.h"
#include "math/vec3.h"
#include "shape/obstacle.h"
#include "test.h"

TEST(every_gap_is_a_distance)
{
  for (int m = 0; pl_obstacle_family.members[m]; m++) {
    const pl_obstacle_ops *ops = (const pl_obstacle_ops *)pl_obstacle_family.members[m];
    double values[PL_MOST_VALUES];
    pl_param_presets(&ops->info, values);
    CHECK(ops->info.param_count > 0 && strcmp(ops->info.params[0].name, "friction") == 0);
    CHECK_OK(ops->settle(values, error));
    for (int trial = 0; trial < 200; trial++) {
      const double h = 1e-6;
      double x[3], normal[3], other[3], slope[3];
      for (int k = 0; k < 3; k++) x[k] = 4 * test_uniform() - 2;
      ops->gap(values, x, normal);
      CHECK_NEAR(pl_vec3_norm(normal), 1, 1e-12);
      for (int k = 0; k < 3; k++) {
        double up[3] = {x[0], x[1], x[2]}, down[3] = {x[0], x[1], x[2]};
        up[k] += h;
        down[k] -= h;
        slope[k] = (ops->gap(values, up, other) - ops->gap(values, down, other)) / (2 * h);
      }
      CHECK_NEAR(pl_vec3_distance(slope, normal), 0, 1e-6);
    }
  }
}

TESTS(X(every_gap_is_a_distance))
