/* What is written lane by lane against plain numbers. */
#include "math/lanes_curves.h"

#include "test.h"

/* Four vectors of numbers that all differ. */
static void fill(pl_lanes v[4], double scale)
{
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 4; k++) v[i][k] = scale * (10 * i + k - 11);
  }
}

TEST(transposing_swaps_lanes_and_vectors)
{
  pl_lanes in[4], out[4];
  fill(in, 1);
  fill(out, 1e9);
  pl_lanes_transpose(in, out);
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 4; k++) CHECK(out[i][k] == in[k][i]);
  }
}

TEST(sums_over_lanes_are_added)
{
  for (int count = 0; count <= 11; count++) {
    pl_lanes from[12];
    double to[13], before[13];
    for (int i = 0; i < 12; i++) {
      for (int k = 0; k < 4; k++) from[i][k] = i * i - 3 * k;
    }
    for (int i = 0; i < 13; i++) to[i] = before[i] = 100 + i;
    pl_lanes_add_sums(from, count, to);
    for (int i = 0; i < 13; i++) {
      double sum = 4 * i * i - 18;
      CHECK(to[i] == before[i] + (i < count ? sum : 0));
      if (i < 12) CHECK(pl_lanes_sum(from[i]) == sum);
    }
  }
}

TEST(masks_choose_lane_by_lane)
{
  pl_lanes v[4], zero = pl_lanes_all(0);
  fill(v, 0.5);
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      pl_lanes max = pl_lanes_max(v[i], v[j]), min = pl_lanes_min(v[i], v[j]), size;
      size = pl_lanes_abs(v[i]);
      for (int k = 0; k < 4; k++) {
        CHECK(max[k] == (v[i][k] > v[j][k] ? v[i][k] : v[j][k]));
        CHECK(min[k] == (v[i][k] < v[j][k] ? v[i][k] : v[j][k]));
        CHECK(size[k] == (v[i][k] < 0 ? -v[i][k] : v[i][k]));
      }
    }
  }
  // one lane is enough, whichever it is
  CHECK(!pl_lanes_any(zero > pl_lanes_all(1)));
  for (int k = 0; k < 4; k++) {
    pl_lanes one = zero;
    one[k] = 2;
    CHECK(pl_lanes_any(one > pl_lanes_all(1)));
  }
}

/* Logarithm, exponential and cube root on four numbers against those of the C library. */
TEST(curves_are_those_of_the_library)
{
  for (int k = -200; k < 200; k++) {
    pl_lanes x = {1.1 * exp(0.05 * k), exp(0.049 * k), 0.7 * exp(0.05 * k), exp(0.3 * k)};
    pl_lanes small = pl_lanes_all(0.05 * k) + (pl_lanes){0, 0.01, 0.02, 0.03};
    pl_lanes ln = pl_lanes_log(x), up = pl_lanes_exp(small), root = pl_lanes_inverse_root3(x);
    for (int i = 0; i < 4; i++) {
      CHECK_NEAR(ln[i], log(x[i]), 1e-15 * (1 + fabs(ln[i])));
      CHECK_NEAR(up[i] / exp(small[i]), 1, 1e-14);
      CHECK_NEAR(root[i] * cbrt(x[i]), 1, 1e-14);
    }
  }
}

TESTS(X(transposing_swaps_lanes_and_vectors) X(sums_over_lanes_are_added)
          X(masks_choose_lane_by_lane) X(curves_are_those_of_the_library))
