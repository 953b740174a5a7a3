/* Vector work and constraint filters. */
#include "sparse/rounding.h"
#include "sparse/vector.h"
#include "system.h"

TEST(vectors_agree_with_plain_loops)
{
  const int sizes[] = {0, 1, 2, 1000, 1024, 1025, 300000};
  for (int s = 0; s < 7; s++) {
    int blocks = sizes[s];
    double *x = test_vector(blocks), *y = test_vector(blocks), *z = test_vector(blocks);
    double sum = 0, size = 0;
    for (int i = 0; i < 3 * blocks; i++) sum += x[i] * y[i], size += fabs(x[i] * y[i]);
    CHECK_NEAR(pl_dot(x, y, blocks, NULL), sum, 1e-13 * size);
    CHECK_NEAR(pl_norm(x, blocks, NULL), test_length(x, blocks), 1e-12 * test_length(x, blocks));
    memcpy(z, y, 3 * (size_t)blocks * sizeof *z);
    pl_axpy(0.7, x, z, blocks, NULL);
    for (int i = 0; i < 3 * blocks; i++) CHECK(z[i] == y[i] + 0.7 * x[i]);
    memcpy(z, y, 3 * (size_t)blocks * sizeof *z);
    pl_xpay(x, -0.3, z, blocks, NULL);
    for (int i = 0; i < 3 * blocks; i++) CHECK(z[i] == x[i] - 0.3 * y[i]);
    pl_combine(y, 0.7, x, z, blocks, NULL);
    for (int i = 0; i < 3 * blocks; i++) CHECK(z[i] == y[i] + 0.7 * x[i]);
    pl_combine(NULL, -0.3, z, z, blocks, NULL);
    for (int i = 0; i < 3 * blocks; i++) CHECK(z[i] == -0.3 * (y[i] + 0.7 * x[i]));
    free(x), free(y), free(z);
  }
}

TEST(vectors_have_the_same_bits_for_any_threads)
{
  pl_allocator allocator = pl_allocator_default();
  int blocks = 50001;
  double *x = test_vector(blocks), *y = test_vector(blocks), dots[4];
  double *results[4];
  const int threads[] = {1, 2, 3, 8};
  for (int t = 0; t < 4; t++) {
    pl_pool *pool = NULL;
    CHECK_OK(pl_pool_create(&allocator, threads[t], &pool, error));
    dots[t] = pl_dot(x, y, blocks, pool);
    results[t] = malloc(3 * (size_t)blocks * sizeof(double));
    memcpy(results[t], y, 3 * (size_t)blocks * sizeof(double));
    pl_axpy(0.3, x, results[t], blocks, pool);
    pl_xpay(x, 0.7, results[t], blocks, pool);
    pl_combine(y, 0.9, results[t], results[t], blocks, pool);
    CHECK(memcmp(&dots[t], &dots[0], sizeof *dots) == 0);
    CHECK(memcmp(results[t], results[0], 3 * (size_t)blocks * sizeof(double)) == 0);
    pl_pool_destroy(pool);
  }
  for (int t = 0; t < 4; t++) free(results[t]);
  free(x), free(y);
}

TEST(filters_project_and_prescribe)
{
  int rows = 40;
  test_filter constraints;
  test_constrain(&constraints, rows);
  const pl_filter *filter = &constraints.filter;
  double *x = test_vector(rows), *y = test_vector(rows), *z = test_vector(rows);

  // P x once is P x twice; free nodes are left alone and fixed ones are zero
  memcpy(z, x, 3 * (size_t)rows * sizeof *z);
  pl_filter_apply(filter, z);
  CHECK(z[0] == x[0] && z[1] == x[1] && z[2] == x[2]);
  CHECK(z[3] == 0 && z[4] == 0 && z[5] == 0);
  memcpy(y, z, 3 * (size_t)rows * sizeof *z);
  pl_filter_apply(filter, y);
  CHECK(test_distance(y, z, rows) < 1e-15);

  // in ranges it is the same as at once
  memcpy(y, x, 3 * (size_t)rows * sizeof *z);
  for (int first = 0; first < rows; first += 7) pl_filter_apply_range(filter, first, first + 7, y);
  CHECK(memcmp(y, z, 3 * (size_t)rows * sizeof *z) == 0);

  // after prescribing, (I - P) of the result is that of y and P of the result that of x
  double *given = test_vector(rows), *result = test_vector(rows);
  memcpy(result, x, 3 * (size_t)rows * sizeof *z);
  pl_filter_prescribe(filter, given, result);
  CHECK(result[0] == x[0] && result[3] == given[3] && result[4] == given[4]);
  memcpy(y, result, 3 * (size_t)rows * sizeof *z);
  pl_filter_apply(filter, y);
  CHECK(test_distance(y, z, rows) < 1e-15); // P result = P x
  for (int i = 0; i < filter->count; i++) {
    int node = filter->nodes[i];
    double projected[3] = {given[3 * node], given[3 * node + 1], given[3 * node + 2]};
    pl_filter one = {
        .count = 1, .nodes = (const int[]){0}, .projections = filter->projections + 9 * i};
    pl_filter_apply(&one, projected);
    for (int c = 0; c < 3; c++)
      CHECK_NEAR(result[3 * node + c] - y[3 * node + c], given[3 * node + c] - projected[c], 1e-15);
  }

  CHECK(pl_filter_from(filter, 0) == 0 && pl_filter_from(filter, 2) == 1);
  CHECK(pl_filter_from(filter, rows) == filter->count && pl_filter_from(NULL, 3) == 0);
  memcpy(y, x, 3 * (size_t)rows * sizeof *z);
  pl_filter_apply(NULL, y);
  pl_filter_prescribe(NULL, given, y);
  CHECK(memcmp(y, x, 3 * (size_t)rows * sizeof *z) == 0);
  free(x), free(y), free(z), free(given), free(result);
}

/* |A| |x|, the bound of what rounding can change of A x. */
TEST(absolute_products_add_up_magnitudes)
{
  int rows = 30;
  pl_bsr *A = test_spd(rows);
  double *x = test_vector(rows), *y = test_vector(rows);
  pl_absolute_product(A, NULL, x, y);
  for (int i = 0; i < 3 * rows; i++) {
    double sum = 0;
    for (int j = 0; j < 3 * rows; j++) sum += fabs(test_entry(A, i, j) * x[j]);
    CHECK_NEAR(y[i], sum, 1e-13 * sum);
  }
  free(x), free(y);
  pl_bsr_destroy(A);
}

TESTS(X(vectors_agree_with_plain_loops) X(vectors_have_the_same_bits_for_any_threads)
          X(filters_project_and_prescribe) X(absolute_products_add_up_magnitudes))
