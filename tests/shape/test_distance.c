/* Distances of points, edges and triangles: nearest indeed, and derivatives by differences. */
#include "math/vec3.h"
#include "shape/distance.h"
#include "test.h"

static void random_points(double x[4][3])
{
  for (int i = 0; i < 12; i++) x[i / 3][i % 3] = test_uniform();
}

static double squared(pl_contact_kind kind, double x[4][3])
{
  pl_closest at;
  pl_closest_points(kind, (const double(*)[3])x, &at);
  return at.squared;
}

/* The least square over a grid of parameters. */
static double sampled(pl_contact_kind kind, double x[4][3], int n)
{
  double min = INFINITY;
  for (int i = 0; i <= n; i++) {
    for (int j = 0; j <= (kind == PL_EDGE_EDGE ? n : n - i); j++) {
      double u = (double)i / n, v = (double)j / n, r[3];
      for (int k = 0; k < 3; k++)
        r[k] = kind == PL_EDGE_EDGE
                   ? (1 - u) * x[0][k] + u * x[1][k] - (1 - v) * x[2][k] - v * x[3][k]
                   : x[0][k] - (1 - u - v) * x[1][k] - u * x[2][k] - v * x[3][k];
      min = fmin(min, pl_vec3_dot(r, r));
    }
  }
  return min;
}

TEST(no_sample_is_nearer_and_some_are_as_near)
{
  for (int trial = 0; trial < (TEST_SANITIZED ? 200 : 4000); trial++) {
    double x[4][3];
    pl_contact_kind kind = trial % 2 ? PL_EDGE_EDGE : PL_POINT_TRIANGLE;
    random_points(x);
    if (trial % 7 == 0) pl_vec3_copy(x[2], x[3]); // degenerate
    if (trial % 11 == 0)
      for (int k = 0; k < 3; k++) x[3][k] = x[2][k] + x[1][k] - x[0][k]; // parallel
    double min = squared(kind, x), grid = sampled(kind, x, 60);
    CHECK(min <= grid * (1 + 1e-12));
    CHECK(sqrt(grid) - sqrt(min) < 0.1);
  }
}

TEST(weights_lead_to_the_nearest_points)
{
  int seen[2][3] = {{0}};
  for (int trial = 0; trial < 5000; trial++) {
    double x[4][3], r[3] = {0}, sum = 0;
    pl_contact_kind kind = trial % 2 ? PL_EDGE_EDGE : PL_POINT_TRIANGLE;
    random_points(x);
    pl_closest at;
    pl_closest_points(kind, (const double(*)[3])x, &at);
    for (int i = 0; i < 4; i++) {
      pl_vec3_add_scaled(at.weights[i], x[i], r);
      sum += at.weights[i];
    }
    CHECK(!(sum < 0) && !(sum > 0));
    CHECK(pl_vec3_distance(r, at.r) < 1e-11);
    CHECK_NEAR(pl_vec3_dot(at.r, at.r), at.squared, 1e-13);
    seen[trial % 2][at.params]++;
  }
  for (int i = 0; i < 6; i++) CHECK(seen[i / 3][i % 3] > 50);
}

TEST(first_and_second_derivatives_are_those_of_the_distance)
{
  double worst[2] = {0};
  for (int trial = 0; trial < 3000; trial++) {
    const double h = 1e-5;
    double x[4][3], H[144];
    pl_contact_kind kind = trial % 2 ? PL_EDGE_EDGE : PL_POINT_TRIANGLE;
    random_points(x);
    pl_closest at, up, down;
    pl_closest_points(kind, (const double(*)[3])x, &at);
    pl_closest_hessian((const double(*)[3])x, &at, H);
    double size = 0;
    for (int i = 0; i < 144; i++) size = fmax(size, fabs(H[i]));
    if (size > 100) continue; // nearly parallel: differences are too coarse
    for (int j = 0; j < 12; j++) {
      double *moved = &x[j / 3][j % 3], here = *moved;
      *moved = here + h;
      pl_closest_points(kind, (const double(*)[3])x, &up);
      *moved = here - h;
      pl_closest_points(kind, (const double(*)[3])x, &down);
      *moved = here;
      if (up.params != at.params || down.params != at.params) break; // across a border
      if (memcmp(up.slopes, down.slopes, sizeof up.slopes) != 0) break;
      double slope = (up.squared - down.squared) / (2 * h);
      worst[0] = fmax(worst[0], fabs(slope - 2 * at.weights[j / 3] * at.r[j % 3]) / fmax(size, 1));
      for (int i = 0; i < 12; i++) {
        double bend = 2 * (up.weights[i / 3] * up.r[i % 3] - down.weights[i / 3] * down.r[i % 3]);
        worst[1] = fmax(worst[1], fabs(bend / (2 * h) - H[12 * i + j]) / fmax(size, 1));
        CHECK_NEAR(H[12 * i + j], H[12 * j + i], 1e-10 * size);
      }
    }
  }
  CHECK_NEAR(worst[0], 0, 1e-6);
  CHECK_NEAR(worst[1], 0, 1e-6);
}

TEST(degenerate_features_have_a_distance_and_a_direction)
{
  // points, edges and triangles of no extent, all places equal, and far from the origin
  for (int trial = 0; trial < 600; trial++) {
    double x[4][3], n[3], far = trial % 3 ? 0 : 1e6;
    pl_contact_kind kind = trial % 2 ? PL_EDGE_EDGE : PL_POINT_TRIANGLE;
    random_points(x);
    for (int i = 0; i < 4; i++) {
      for (int k = 0; k < 3; k++) x[i][k] += far;
    }
    int same = (trial / 6) % 16; // these points take the place of the last
    for (int i = 0; i < 4; i++) {
      if (same >> i & 1) pl_vec3_copy(x[3], x[i]);
    }
    pl_closest at;
    pl_closest_points(kind, (const double(*)[3])x, &at);
    pl_closest_normal(kind, (const double(*)[3])x, &at, n);
    CHECK(at.squared >= 0 && at.squared < 20);
    CHECK_NEAR(pl_vec3_norm(n), 1, 1e-14);
    CHECK_NEAR(at.squared, sampled(kind, x, 40), 0.25);
  }
}

TEST(gaps_tiny_against_the_edges_keep_their_direction)
{
  for (int e = 1; e < 15; e++) {
    double gap = pow(10, -e), n[3];
    double x[4][3] = {{0.3, 0.3, gap}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    double y[4][3] = {{-1, 0.1, gap}, {1, 0.2, gap}, {0.1, -1, 0}, {0, 1, 0}};
    pl_closest at;
    pl_closest_points(PL_POINT_TRIANGLE, (const double(*)[3])x, &at);
    pl_closest_normal(PL_POINT_TRIANGLE, (const double(*)[3])x, &at, n);
    CHECK_NEAR(n[2], 1, 1e-15);
    CHECK_NEAR(sqrt(at.squared), gap, 1e-15 * gap);
    pl_closest_points(PL_EDGE_EDGE, (const double(*)[3])y, &at);
    pl_closest_normal(PL_EDGE_EDGE, (const double(*)[3])y, &at, n);
    CHECK_NEAR(n[2], 1, 1e-15);
    CHECK_NEAR(sqrt(at.squared), gap, 1e-15 * gap);
  }
}

/* B'' (c n)(c n)^T + B' Hess d for B = -d lies in the span. */
TEST(second_derivatives_lie_in_a_space_of_five)
{
  for (int trial = 0; trial < 1000; trial++) {
    double x[4][3], H[144], n[3], basis[5][12];
    pl_contact_kind kind = trial % 2 ? PL_EDGE_EDGE : PL_POINT_TRIANGLE;
    random_points(x);
    pl_closest at;
    pl_closest_points(kind, (const double(*)[3])x, &at);
    pl_closest_normal(kind, (const double(*)[3])x, &at, n);
    pl_closest_hessian((const double(*)[3])x, &at, H);
    int count = pl_closest_basis(&at, n, basis);
    CHECK(count == 3 + at.params);
    // orthonormal, then what is left of each column
    double size = 0, rest = 0;
    for (int b = 0; b < count; b++) {
      for (int pass = 0; pass < 2; pass++) {
        for (int a = 0; a < b; a++) {
          double dot = 0;
          for (int i = 0; i < 12; i++) dot += basis[a][i] * basis[b][i];
          for (int i = 0; i < 12; i++) basis[b][i] -= dot * basis[a][i];
        }
      }
      double norm = 0;
      for (int i = 0; i < 12; i++) norm += basis[b][i] * basis[b][i];
      for (int i = 0; i < 12; i++) basis[b][i] /= sqrt(norm);
    }
    for (int j = 0; j < 12; j++) {
      double column[12];
      for (int i = 0; i < 12; i++) column[i] = H[12 * i + j];
      for (int b = 0; b < count; b++) {
        double dot = 0;
        for (int i = 0; i < 12; i++) dot += basis[b][i] * column[i];
        for (int i = 0; i < 12; i++) column[i] -= dot * basis[b][i];
      }
      for (int i = 0; i < 12; i++) {
        rest = fmax(rest, fabs(column[i]));
        size = fmax(size, fabs(H[12 * i + j]));
      }
    }
    CHECK(rest < 1e-10 * size);
  }
}

TESTS(X(no_sample_is_nearer_and_some_are_as_near) X(weights_lead_to_the_nearest_points)
          X(first_and_second_derivatives_are_those_of_the_distance)
              X(degenerate_features_have_a_distance_and_a_direction)
                  X(gaps_tiny_against_the_edges_keep_their_direction)
                      X(second_derivatives_lie_in_a_space_of_five))
