/* Constraint rows: what spans solve, and the filter that is made of them. */
#include "core/memory.h"
#include "math/vec3.h"
#include "sparse/rows.h"
#include "test.h"

static pl_row row_of(int block, double x, double y, double z)
{
  return (pl_row){.block = block, .direction = {x, y, z}};
}

/* Directions at any angle: products are met, forces are split, dependent directions are left out.
 */
TEST(spans_solve_what_they_are_given)
{
  const pl_row given[4] = {row_of(0, 1, 0, 0), row_of(0, 0.6, 0.8, 0), row_of(0, 0.28, 0.96, 0),
                           row_of(0, 0, 0.6, -0.8)};
  pl_span span = {0};
  for (int i = 0; i < 4; i++) pl_span_add(&span, &given[i]);
  CHECK(span.count == 3 && span.row[0] == given && span.row[1] == given + 1 &&
        span.row[2] == given + 3);
  double x[3] = {5, 6, 7}, shares[3], sum[3] = {0};
  pl_span_free(&span, x);
  CHECK_NEAR(pl_vec3_norm(x), 0, 1e-14);
  pl_span_fill(&span, (double[]){1, 2, 3}, x);
  CHECK_NEAR(pl_vec3_dot(x, given[0].direction), 1, 1e-14);
  CHECK_NEAR(pl_vec3_dot(x, given[1].direction), 2, 1e-14);
  CHECK_NEAR(pl_vec3_dot(x, given[3].direction), 3, 1e-14);
  pl_span_split(&span, x, shares);
  for (int i = 0; i < 3; i++) pl_vec3_add_scaled(shares[i], span.row[i]->direction, sum);
  CHECK_NEAR(pl_vec3_distance(sum, x), 0, 1e-13);
}

/* Blocks whose three axes one coupling gave, in their order, are prescribed at once. */
TEST(who_gave_three_axes_is_known)
{
  pl_allocator allocator = pl_allocator_default();
  pl_rows rows;
  pl_filter filter = {0};
  CHECK_OK(pl_rows_create(&allocator, 5, 15, &rows, error));
  for (int block = 0; block < 5; block++) {
    for (int m = 0; m < 3; m++) {
      pl_row row = {.block = block, .source = 7, .tag = m};
      row.direction[block == 1 ? (m + 1) % 3 : m] = 1; // axes in another order
      if (block == 2 && m == 2) row.source = 8;        // two give them
      if (block == 3 && m == 2) continue;              // one is free
      pl_rows_add(&rows, &row);
    }
  }
  CHECK(!pl_rows_finish(&rows, &filter, NULL));
  const int expected[5] = {7, -1, -1, -1, 7};
  for (int i = 0; i < 5; i++) CHECK(rows.giver[i] == expected[i]);
  pl_rows_release(&rows);
}

/* Rows in any order of blocks: one projection per block, symmetric, P P = P, and P d = 0. */
TEST(rows_make_the_filter)
{
  enum { BLOCKS = 9 };
  pl_allocator allocator = pl_allocator_default();
  pl_rows rows;
  pl_filter filter = {0};
  CHECK_OK(pl_rows_create(&allocator, BLOCKS, 12, &rows, error));
  const int blocks[12] = {7, 2, 7, 0, 2, 5, 5, 5, 5, 8, 2, 7};
  for (int i = 0; i < 12; i++) {
    pl_row row = {.block = blocks[i], .tag = i, .transient = blocks[i] == 5};
    for (int k = 0; k < 3; k++) row.direction[k] = test_uniform() - 0.5;
    if (blocks[i] == 8) pl_vec3_set(row.direction, 0, 1, 0);
    pl_vec3_scale(1 / pl_vec3_norm(row.direction), row.direction, row.direction);
    pl_rows_add(&rows, &row);
  }
  pl_row more = row_of(1, 0, 0, 1);
  pl_rows_add(&rows, &more); // there is no room
  CHECK(!pl_rows_finish(&rows, &filter, NULL));
  CHECK(rows.count == 12 && filter.count == 5);
  const int held[5] = {0, 2, 5, 7, 8};
  for (int i = 0; i < 5; i++) {
    const double *P = filter.projections + 9 * i;
    CHECK(filter.nodes[i] == held[i] && filter.transient[i] == (held[i] == 5));
    for (int r = 0; r < 3; r++) {
      for (int c = 0; c < 3; c++) {
        double square = 0;
        for (int k = 0; k < 3; k++) square += P[3 * r + k] * P[3 * k + c];
        CHECK_NEAR(square, P[3 * r + c], 1e-12);
        CHECK_NEAR(P[3 * c + r], P[3 * r + c], 1e-15);
      }
    }
    for (int k = rows.start[held[i]]; k < rows.start[held[i] + 1]; k++) {
      const pl_row *row = &rows.list[rows.order[k]];
      CHECK(row->block == held[i] &&
            (k == rows.start[held[i]] || rows.order[k - 1] < rows.order[k]));
      for (int r = 0; r < 3; r++) CHECK_NEAR(pl_vec3_dot(P + 3 * r, row->direction), 0, 1e-7);
    }
  }
  // along an axis everything is exact
  const double *P = filter.projections + 36;
  CHECK(P[0] == 1 && P[4] == 0 && P[8] == 1 && P[1] == 0 && P[3] == 0);
  uint64_t version = filter.version;
  CHECK(!pl_rows_finish(&rows, &filter, NULL));
  CHECK(filter.version == version);
  pl_rows_clear(&rows);
  CHECK(!pl_rows_finish(&rows, &filter, NULL));
  CHECK(filter.count == 0 && filter.version != version);
  pl_rows_release(&rows);
}

TESTS(X(spans_solve_what_they_are_given) X(rows_make_the_filter) X(who_gave_three_axes_is_known))
