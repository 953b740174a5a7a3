/* The barrier: derivatives by differences, semidefinite matrices, laws at their ends. */
#include "couple/barrier.h"
#include "math/vec3.h"
#include "test.h"

static void random_points(double x[4][3])
{
  for (int i = 0; i < 12; i++) x[i / 3][i % 3] = test_uniform();
}

/* A barrier that reaches far enough for most random points. */
static pl_barrier some_barrier(int trial)
{
  return (pl_barrier){.law = trial % 3 ? PL_BARRIER_RATIONAL : PL_BARRIER_LOG,
                      .stiffness = 7,
                      .range = 1.5,
                      .separation = trial % 5 ? 0 : 0.05};
}

TEST(laws_end_smoothly_and_grow_without_bound)
{
  for (int law = 0; law < 2; law++) {
    pl_barrier barrier = {.law = (pl_barrier_law)law, .stiffness = 3, .range = 0.5};
    double W[3], up[3], down[3];
    pl_barrier_law_at(&barrier, 0.5 * (1 - 1e-6), W);
    CHECK(W[0] >= 0 && W[0] < 1e-11);
    CHECK_NEAR(W[1], 0, 1e-8);
    if (law == PL_BARRIER_RATIONAL) CHECK_NEAR(W[2], 0, 1e-4);
    pl_barrier_law_at(&barrier, 0.6, W);
    CHECK_NEAR(fabs(W[0]) + fabs(W[1]) + fabs(W[2]), 0, 0);
    pl_barrier_law_at(&barrier, 0, W);
    CHECK(isinf(W[0]));
    for (double gap = 0.49; gap > 1e-9; gap *= 0.7) {
      double h = 1e-5 * gap;
      pl_barrier_law_at(&barrier, gap, W);
      pl_barrier_law_at(&barrier, gap + h, up);
      pl_barrier_law_at(&barrier, gap - h, down);
      CHECK_NEAR((up[0] - down[0]) / (2 * h), W[1], 1e-7 * fabs(W[1]) + 1e-9);
      CHECK_NEAR((up[1] - down[1]) / (2 * h), W[2], 1e-7 * W[2] + 1e-7);
      CHECK(W[1] < 0 && W[2] > 0);
    }
  }
  // the force at a tenth of the range is a hundred times k r, nearly
  double W[3];
  pl_barrier_law_at(&(pl_barrier){.stiffness = 1, .range = 1}, 0.1, W);
  CHECK_NEAR(W[1], -97.2, 1e-12);
  CHECK_NEAR(W[2], 1998, 1e-9);
}

/* The largest deviation of gradient and matrix from differences, over the largest entry; negative
 * where the nearest points change their kind. */
static void compare(const pl_barrier *barrier, pl_contact_kind kind, double x[4][3], double h,
                    double out[2])
{
  double g[12], H[144], up[12], down[12], size[2] = {0};
  out[0] = out[1] = 0;
  pl_barrier_at(barrier, kind, (const double(*)[3])x, PL_BARRIER_EXACT, g, H);
  for (int i = 0; i < 144; i++) {
    size[1] = fmax(size[1], fabs(H[i]));
    size[0] = fmax(size[0], fabs(g[i % 12]));
  }
  for (int j = 0; j < 12; j++) {
    double *moved = &x[j / 3][j % 3], here = *moved;
    *moved = here + h;
    double one = pl_barrier_at(barrier, kind, (const double(*)[3])x, PL_BARRIER_EXACT, up, NULL);
    *moved = here - h;
    double two = pl_barrier_at(barrier, kind, (const double(*)[3])x, PL_BARRIER_EXACT, down, NULL);
    *moved = here;
    out[0] = fmax(out[0], fabs((one - two) / (2 * h) - g[j]) / size[0]);
    for (int i = 0; i < 12; i++)
      out[1] = fmax(out[1], fabs((up[i] - down[i]) / (2 * h) - H[12 * i + j]) / size[1]);
  }
}

/* How far points are from where the nearest points change their kind, roughly. */
static int is_plain(pl_contact_kind kind, double x[4][3])
{
  pl_closest at;
  pl_closest_points(kind, (const double(*)[3])x, &at);
  if (at.squared < 0.04 || at.squared > 1) return 0;
  for (int trial = 0; trial < 24; trial++) {
    double y[4][3];
    pl_closest other;
    memcpy(y, x, sizeof y);
    y[trial % 12 / 3][trial % 3] += trial < 12 ? 1e-3 : -1e-3;
    pl_closest_points(kind, (const double(*)[3])y, &other);
    if (memcmp(at.slopes, other.slopes, sizeof at.slopes) != 0) return 0;
  }
  return 1;
}

TEST(gradient_and_matrix_are_derivatives_of_the_potential)
{
  int count = 0;
  for (int trial = 0; trial < 4000; trial++) {
    double x[4][3], worst[2], a[3], b[3], n[3];
    pl_contact_kind kind = trial % 2 ? PL_EDGE_EDGE : PL_POINT_TRIANGLE;
    pl_barrier barrier = some_barrier(trial);
    random_points(x);
    pl_vec3_sub(x[kind == PL_EDGE_EDGE ? 1 : 2], x[kind == PL_EDGE_EDGE ? 0 : 1], a);
    pl_vec3_sub(x[3], x[kind == PL_EDGE_EDGE ? 2 : 1], b);
    pl_vec3_cross(a, b, n);
    if (!is_plain(kind, x) || pl_vec3_norm(n) < 0.3) continue;
    compare(&barrier, kind, x, 1e-5, worst);
    CHECK_NEAR(worst[0], 0, 1e-6);
    CHECK_NEAR(worst[1], 0, 1e-6);
    count++;
  }
  CHECK(count > 500);
}

TEST(edges_that_become_parallel_keep_their_derivatives)
{
  for (double angle = 0.1; angle > 1e-9; angle *= 0.1) {
    // crossing in the middle at a height of 0.1
    double x[4][3] = {
        {-0.5, 0.01, 0.1}, {0.5, -0.02, 0.1}, {-0.5, -0.5 * angle, 0}, {0.5, 0.5 * angle, 0}};
    x[0][1] = x[1][1] = 0;
    pl_barrier barrier = {.stiffness = 2, .range = 0.3, .rest = 100};
    double worst[2], g[12], H[144], h = angle > 1e-5 ? 1e-3 * angle : 1e-2 * angle;
    compare(&barrier, PL_EDGE_EDGE, x, h, worst);
    // where differences can tell
    if (angle > 5e-4) {
      CHECK_NEAR(worst[0], 0, 1e-5);
      CHECK_NEAR(worst[1], 0, 1e-3);
    }
    double W = pl_barrier_at(&barrier, PL_EDGE_EDGE, (const double(*)[3])x, PL_BARRIER_EXACT, g, H);
    CHECK(W >= 0 && W < 1);
    for (int i = 0; i < 144; i++) CHECK(isfinite(H[i]) && fabs(H[i]) < 1e4 && isfinite(g[i % 12]));
    // far from parallel against the rest nothing is taken off
    barrier.rest = 1e-30;
    double full =
        pl_barrier_at(&barrier, PL_EDGE_EDGE, (const double(*)[3])x, PL_BARRIER_EXACT, NULL, NULL);
    CHECK(full > W);
  }
}

/* ---- semidefinite ---- */

/* The least Rayleigh quotient of some random vectors, over the largest entry. */
static double min_quotient(const double H[144], double size)
{
  double min = INFINITY;
  for (int trial = 0; trial < 200; trial++) {
    double v[12], sum = 0, norm = 0;
    for (int i = 0; i < 12; i++) v[i] = test_uniform();
    for (int i = 0; i < 144; i++) sum += v[i / 12] * H[i] * v[i % 12];
    for (int i = 0; i < 12; i++) norm += v[i] * v[i];
    min = fmin(min, sum / norm / size);
  }
  return min;
}

TEST(projected_matrices_are_the_nearest_semidefinite_ones)
{
  int indefinite = 0;
  for (int trial = 0; trial < 2000; trial++) {
    double x[4][3], exact[144], H[144], size = 0, product = 0, removed = 0;
    pl_contact_kind kind = trial % 2 ? PL_EDGE_EDGE : PL_POINT_TRIANGLE;
    pl_barrier barrier = some_barrier(trial);
    barrier.rest = trial % 4 == 1 ? 1e4 : 0;
    random_points(x);
    double W = pl_barrier_at(&barrier, kind, (const double(*)[3])x, PL_BARRIER_EXACT, NULL, exact);
    if (!(W > 0) || isinf(W)) continue;
    pl_barrier_at(&barrier, kind, (const double(*)[3])x, PL_BARRIER_PROJECTED, NULL, H);
    for (int i = 0; i < 144; i++) size = fmax(size, fabs(exact[i]));
    CHECK(min_quotient(H, size) > -1e-12);
    // what was taken off is semidefinite too, and orthogonal to what is left
    double rest[144];
    for (int i = 0; i < 144; i++) rest[i] = H[i] - exact[i];
    CHECK(min_quotient(rest, size) > -1e-12);
    for (int i = 0; i < 12; i++) {
      for (int j = 0; j < 12; j++) {
        double sum = 0;
        for (int k = 0; k < 12; k++) sum += H[12 * i + k] * rest[12 * k + j];
        product = fmax(product, fabs(sum));
        removed = fmax(removed, fabs(rest[12 * i + j]));
      }
    }
    CHECK(product < 1e-11 * size * size);
    indefinite += removed > 1e-9 * size;
    pl_barrier_at(&barrier, kind, (const double(*)[3])x, PL_BARRIER_GAUSS_NEWTON, NULL, H);
    CHECK(min_quotient(H, size) > -1e-12);
  }
  CHECK(indefinite > 300);
}

/* Sum of C^T D C. */
static void sum_parts(const pl_barrier_part *parts, int count, double H[144])
{
  memset(H, 0, 144 * sizeof *H);
  for (int part = 0; part < count; part++) {
    for (int e = 0; e < 144; e++) {
      const double *a = parts[part].C[e / 12 / 3], *b = parts[part].C[e % 12 / 3];
      for (int k = 0; k < 9; k++)
        H[e] += a[3 * (k / 3) + e / 12 % 3] * parts[part].D[k] * b[3 * (k % 3) + e % 12 % 3];
    }
  }
}

TEST(exact_matrices_are_sums_of_parts)
{
  int counts[PL_BARRIER_PARTS + 1] = {0};
  for (int trial = 0; trial < 4000; trial++) {
    double x[4][3], H[144], sum[144], size = 0;
    pl_barrier_part parts[PL_BARRIER_PARTS];
    pl_contact_kind kind = trial % 2 ? PL_EDGE_EDGE : PL_POINT_TRIANGLE;
    pl_barrier barrier = some_barrier(trial);
    barrier.rest = trial % 4 == 1 ? 1e4 : 0;
    random_points(x);
    double W = pl_barrier_at(&barrier, kind, (const double(*)[3])x, PL_BARRIER_EXACT, NULL, H);
    int count = pl_barrier_split(&barrier, kind, (const double(*)[3])x, parts);
    CHECK((count > 0) == (W > 0 && !isinf(W)));
    if (!count) continue;
    sum_parts(parts, count, sum);
    for (int i = 0; i < 144; i++) size = fmax(size, fabs(H[i]));
    for (int i = 0; i < 144; i++) CHECK_NEAR(sum[i], H[i], 1e-12 * size);
    counts[count]++;
  }
  CHECK(counts[1] > 100 && counts[2] > 100 && counts[3] > 100);
}

TEST(forces_sum_to_nothing_and_turn_nothing)
{
  for (int trial = 0; trial < 2000; trial++) {
    double x[4][3], g[12], force[3] = {0}, torque[3] = {0}, size = 0;
    pl_contact_kind kind = trial % 2 ? PL_EDGE_EDGE : PL_POINT_TRIANGLE;
    pl_barrier barrier = some_barrier(trial);
    barrier.rest = trial % 4 == 1 ? 1e4 : 0;
    random_points(x);
    if (isinf(pl_barrier_at(&barrier, kind, (const double(*)[3])x, PL_BARRIER_EXACT, g, NULL)))
      continue;
    for (int i = 0; i < 4; i++) {
      double moment[3];
      pl_vec3_add(force, g + 3 * i, force);
      pl_vec3_cross(x[i], g + 3 * i, moment);
      pl_vec3_add(torque, moment, torque);
      size += pl_vec3_norm(g + 3 * i);
    }
    CHECK(pl_vec3_norm(force) <= 1e-14 * size);
    CHECK(pl_vec3_norm(torque) <= 1e-12 * size);
  }
}

TEST(features_that_touch_have_no_finite_potential)
{
  double x[4][3] = {{0.2, 0.2, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, g[12];
  pl_barrier barrier = {.stiffness = 1, .range = 1};
  CHECK(isinf(pl_barrier_at(&barrier, PL_POINT_TRIANGLE, (const double(*)[3])x, PL_BARRIER_EXACT, g,
                            NULL)));
  x[0][2] = 0.05;
  barrier.separation = 0.1;
  CHECK(isinf(pl_barrier_at(&barrier, PL_POINT_TRIANGLE, (const double(*)[3])x, PL_BARRIER_EXACT, g,
                            NULL)));
  // harmonic mean of 1 and 3 MPa is 1.5; and the floor by mass
  CHECK_NEAR(pl_barrier_stiffness((double[]){1e6, 3e6}, 1e-4, 1e-3, 1e-6, 0.01), 15000, 1e-9);
  CHECK_NEAR(pl_barrier_stiffness((double[]){1, 1}, 1e-4, 1e-3, 2, 0.01), 2000, 1e-9);
}

TESTS(X(laws_end_smoothly_and_grow_without_bound)
          X(gradient_and_matrix_are_derivatives_of_the_potential)
              X(edges_that_become_parallel_keep_their_derivatives)
                  X(projected_matrices_are_the_nearest_semidefinite_ones)
                      X(exact_matrices_are_sums_of_parts) X(forces_sum_to_nothing_and_turn_nothing)
                          X(features_that_touch_have_no_finite_potential))
