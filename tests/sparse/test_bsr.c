/* The pattern, its chunks, and the product in both variants. */
#include "core/cpu.h"
#include "sparse/measure.h"
#include "sparse/sparse_kernel.h"
#include "sparse/upper.h"
#include "system.h"

#include <limits.h>

/* A pattern the slow way: which[row * rows + column]. */
static char *brute_pattern(int rows, const pl_cliques *sets, int count)
{
  char *which = calloc((size_t)rows * (size_t)rows + 1, 1);
  for (int i = 0; i < rows; i++) which[i * rows + i] = 1;
  for (int s = 0; s < count; s++) {
    for (int c = 0; c < sets[s].count; c++) {
      const int *nodes = sets[s].nodes + c * sets[s].size;
      for (int i = 0; i < sets[s].size; i++) {
        for (int j = 0; j < sets[s].size; j++)
          which[(nodes[i] + sets[s].offset) * rows + nodes[j] + sets[s].offset] = 1;
      }
    }
  }
  return which;
}

static void check_chunks(const pl_bsr *A)
{
  CHECK(A->chunk_rows[0] == 0 && A->chunk_rows[A->chunks] == A->rows);
  for (int c = 0; c < A->chunks; c++) {
    int rows = A->chunk_rows[c + 1] - A->chunk_rows[c];
    CHECK(rows > 0 && rows <= PL_ROWS_PER_CHUNK);
  }
}

static void check_pattern(int rows, const pl_cliques *sets, int count)
{
  pl_bsr *A = NULL;
  CHECK_OK(pl_bsr_create(NULL, rows, sets, count, &A, error));
  if (!A) return;
  char *which = brute_pattern(rows, sets, count);
  int blocks = 0;
  for (int row = 0; row < rows; row++) {
    CHECK(A->columns[A->diagonal[row]] == row);
    for (int k = A->start[row] + 1; k < A->start[row + 1]; k++)
      CHECK(A->columns[k - 1] < A->columns[k]);
    for (int column = 0; column < rows; column++) {
      int k = pl_bsr_find(A, row, column);
      CHECK((k >= 0) == which[row * rows + column]);
      if (k < 0) continue;
      CHECK(A->columns[k] == column && k >= A->start[row] && k < A->start[row + 1]);
      blocks++;
    }
  }
  CHECK(blocks == A->start[rows]);
  CHECK(pl_bsr_find(A, -1, 0) == -1 && pl_bsr_find(A, rows, 0) == -1);
  CHECK(pl_bsr_find(A, 0, -1) == -1 && pl_bsr_find(A, 0, rows) == -1);
  for (int i = 0; i < 9 * blocks + 4; i++) CHECK(A->values[i] == 0);
  check_chunks(A);
  free(which);
  pl_bsr_destroy(A);
}

TEST(patterns_hold_what_the_cliques_couple)
{
  const int tangled[] = {7, 0, 3, 9, 0, 7, 9, 3, 5, 5, 5, 2}; // unsorted, twice, node in itself
  const int pairs[] = {0, 1, 4, 2};
  check_pattern(12, &(pl_cliques){3, 4, tangled, 0}, 1); // 1, 4, 6, 8, 10, 11 stand alone
  check_pattern(20, (pl_cliques[]){{3, 4, tangled, 0}, {2, 2, pairs, 10}, {0, 3, NULL, 0}}, 3);
  check_pattern(10, (pl_cliques[]){{2, 2, pairs, 5}, {2, 2, pairs, 0}, {1, 1, pairs, 9}}, 3);
  check_pattern(5, NULL, 0);
  check_pattern(0, NULL, 0);
  int *nodes = test_cliques(300, 700);
  check_pattern(300, &(pl_cliques){700, 4, nodes, 0}, 1);
  check_pattern(300, &(pl_cliques){350, 8, nodes, 0}, 1);
  check_pattern(300, &(pl_cliques){1, 300, nodes, 0}, 1);
  free(nodes);
}

TEST(chunks_share_the_work_evenly)
{
  pl_bsr *A = test_laplacian(100, 100);
  check_chunks(A);
  CHECK(A->chunks >= 64);
  int max = 0;
  for (int c = 0; c < A->chunks; c++) {
    int blocks = A->start[A->chunk_rows[c + 1]] - A->start[A->chunk_rows[c]];
    max = blocks > max ? blocks : max;
  }
  CHECK(max <= 2 * A->start[A->rows] / A->chunks);
  pl_bsr_destroy(A);

  // one crowded row is a chunk of its own, many empty ones share one
  int star[4000];
  for (int i = 0; i < 2000; i++) star[2 * i] = 0, star[2 * i + 1] = i + 1;
  CHECK_OK(pl_bsr_create(NULL, 5000, &(pl_cliques){2000, 2, star, 0}, 1, &A, error));
  check_chunks(A);
  CHECK(A->chunk_rows[1] == 1 && A->start[1] == 2001);
  CHECK(A->chunk_rows[A->chunks - 1] - A->chunk_rows[A->chunks - 2] == PL_ROWS_PER_CHUNK);
  pl_bsr_destroy(A);
}

TEST(bad_cliques_are_refused)
{
  const int nodes[] = {0, 1, 2, 3, 4, 5, 6, 7};
  pl_bsr *A = NULL;
#define CREATE(rows, ...) pl_bsr_create(NULL, rows, &(pl_cliques){__VA_ARGS__}, 1, &A, error)
  CHECK_FAILS(CREATE(7, 2, 4, nodes, 0), PL_E_ARGUMENT, "element 1 uses node 7");
  CHECK_FAILS(CREATE(8, 2, 4, nodes, -1), PL_E_ARGUMENT, "element 0 uses node -1");
  CHECK_FAILS(CREATE(8, 1, 4, nodes + 1, INT_MAX), PL_E_ARGUMENT, "uses node 2147483648");
  CHECK_FAILS(CREATE(8, -1, 4, nodes, 0), PL_E_ARGUMENT, "-1 groups of 4");
  CHECK_FAILS(CREATE(8, 4, -4, nodes, 0), PL_E_ARGUMENT, "groups of -4");
  CHECK_FAILS(CREATE(8, INT_MAX, 4, nodes, 0), PL_E_LIMIT, "coarser mesh");
  CHECK_FAILS(CREATE(-1, 0, 4, nodes, 0), PL_E_ARGUMENT, "-1 block rows");
  CHECK_FAILS(CREATE(INT_MAX, 0, 4, nodes, 0), PL_E_LIMIT, "2147483647 block rows");
  CHECK(A == NULL);
  if (TEST_SANITIZED) return;

  // 50 000 nodes in one group would make 2.5e9 blocks: found before the memory for them is taken
  enum { CROWD = 50000 };
  int *crowd = malloc(CROWD * sizeof *crowd);
  for (int i = 0; i < CROWD; i++) crowd[i] = i;
  CHECK_FAILS(CREATE(CROWD, 1, CROWD, crowd, 0), PL_E_LIMIT, "more than 2147483646 blocks");
  free(crowd);
}

TEST(every_failing_allocation_is_reported)
{
  int *nodes = test_cliques(30, 60);
  for (int k = 0;; k++) {
    counter memory = {.fail_at = k + 1};
    pl_allocator allocator = counter_allocator(&memory);
    pl_bsr *A = NULL;
    pl_error error = {0};
    pl_status status = pl_bsr_create(&allocator, 30, &(pl_cliques){60, 4, nodes, 0}, 1, &A, &error);
    if (status == PL_OK) {
      CHECK(k >= 10);
      pl_bsr_destroy(A);
      CHECK(memory.blocks == 0);
      break;
    }
    CHECK(status == PL_E_MEMORY && error.code == PL_E_MEMORY && A == NULL && memory.blocks == 0);
  }
  free(nodes);
  pl_bsr_destroy(NULL);
}

/* The product entry by entry, summed in another order: the bound is for sums of some 100 numbers.
 */
TEST(product_agrees_with_the_naive_one)
{
  for (int rows = 0; rows <= 40; rows += 8) {
    pl_bsr *A = test_spd(rows ? rows : 1);
    double *x = test_vector(A->rows), *y = test_vector(A->rows);
    y[3 * A->rows] = 123; // stands behind the end
    pl_bsr_multiply(A, x, y, NULL);
    for (int i = 0; i < 3 * A->rows; i++) {
      double sum = 0, size = 0;
      for (int j = 0; j < 3 * A->rows; j++) {
        sum += test_entry(A, i, j) * x[j];
        size += fabs(test_entry(A, i, j) * x[j]);
      }
      CHECK_NEAR(y[i], sum, 1e-14 * size);
    }
    CHECK(y[3 * A->rows] == 123);
    pl_bsr_zero(A, NULL);
    for (int i = 0; i < 9 * A->start[A->rows]; i++) CHECK(A->values[i] == 0);
    free(x), free(y);
    pl_bsr_destroy(A);
  }
}

TEST(two_products_at_once_have_the_bits_of_each)
{
  pl_bsr *A = test_laplacian(40, 30);
  size_t count = 3 * (size_t)A->rows, size = count * sizeof(double);
  double *x = test_vector(A->rows), *b = malloc(size), *y[4];
  for (size_t i = 0; i < count; i++) b[i] = x[count - 1 - i];
  for (int i = 0; i < 4; i++) y[i] = calloc(count, sizeof(double));
  pl_bsr_multiply(A, x, y[0], NULL);
  pl_bsr_multiply(A, b, y[1], NULL);
  pl_bsr_multiply_two(A, x, y[2], b, y[3], NULL);
  CHECK(memcmp(y[0], y[2], size) == 0 && memcmp(y[1], y[3], size) == 0);
  for (int i = 0; i < 4; i++) free(y[i]);
  free(x), free(b);
  pl_bsr_destroy(A);
}

TEST(product_has_the_same_bits_for_any_threads)
{
  pl_allocator allocator = pl_allocator_default();
  pl_bsr *A = test_laplacian(60, 50);
  for (int i = 0; i < 9 * A->start[A->rows]; i++) A->values[i] = test_uniform();
  size_t bytes = 3 * (size_t)A->rows * sizeof(double);
  double *x = test_vector(A->rows), *y = test_vector(A->rows), *other = test_vector(A->rows);
  pl_bsr_multiply(A, x, y, NULL);
  const int threads[] = {1, 2, 3, 8};
  for (int t = 0; t < 4; t++) {
    pl_pool *pool = NULL;
    CHECK_OK(pl_pool_create(&allocator, threads[t], &pool, error));
    for (int round = 0; round < 20; round++) {
      memset(other, 0xff, bytes);
      pl_bsr_multiply(A, x, other, pool);
      CHECK(memcmp(y, other, bytes) == 0);
    }
    if (t == 3) pl_bsr_zero(A, pool);
    pl_pool_destroy(pool);
  }
  for (int i = 0; i < 9 * A->start[A->rows]; i++) CHECK(A->values[i] == 0);
  free(x), free(y), free(other);
  pl_bsr_destroy(A);
}

#if PL_HAS_AVX2_VARIANT
/* All the passes of one variant into out: y, z, x, r, z and the sums of every chunk. */
static void run_variant(const pl_sparse_kernel *kernel, const pl_bsr *A, const double *in,
                        double *out)
{
  size_t n = 3 * (size_t)A->rows;
  const double *p = in, *blocks = in + n;
  double *y = out, *z = y + n, *x = z + n, *r = x + n, *w = r + n, *sums = w + n;
  memcpy(x, in + 10 * n, n * sizeof *x);
  memcpy(r, in + 11 * n, n * sizeof *r);
  for (int c = 0; c < A->chunks; c++, sums += 5) {
    int first = A->chunk_rows[c], last = A->chunk_rows[c + 1];
    kernel->multiply(A, c, p, y);
    kernel->precondition(blocks, first, last, y, z);
    sums[0] = kernel->multiply_dot(A, c, p, y);
    kernel->advance(&(pl_advance){0.37, p, y, NULL, x, r, w}, first, last, sums + 1);
    kernel->advance(&(pl_advance){-1.7, p, y, blocks, x, r, w}, first, last, sums + 3);
  }
}

TEST(base_and_avx2_have_the_same_bits)
{
  if (!pl_cpu_has_avx2()) return;
  pl_bsr *A = test_spd(700);
  size_t n = 3 * (size_t)A->rows, room = 5 * n + 5 * (size_t)A->chunks;
  double *in = malloc(12 * n * sizeof *in);
  double *base = calloc(room, sizeof *base), *avx2 = calloc(room, sizeof *avx2);
  for (size_t i = 0; i < 12 * n; i++) in[i] = test_uniform();
  run_variant(&pl_sparse_kernel_base, A, in, base);
  run_variant(&pl_sparse_kernel_avx2, A, in, avx2);
  CHECK(memcmp(base, avx2, room * sizeof *base) == 0);
  CHECK(base[0] != 0 && base[room - 1] != 0);
  free(in), free(base), free(avx2);
  pl_bsr_destroy(A);
}
#else
TEST(base_and_avx2_have_the_same_bits) {}
#endif

/* Is the block at a place the transposed one of another? */
static int is_across(const pl_bsr *A, int place, int other)
{
  int same = 1;
  for (int i = 0; i < 9; i++)
    same &= A->values[9 * place + i] == A->values[9 * other + 3 * (i % 3) + i / 3];
  return same;
}

/* Of rows 100 to 299: what couples them to rows before is no concern of the body's. */
TEST(what_stands_right_of_the_diagonal_makes_the_whole_matrix)
{
  enum { FIRST = 100, ROWS = 200 };
  pl_bsr *A = test_laplacian(20, 20);
  pl_allocator allocator = pl_allocator_or_default(NULL);
  pl_upper upper = {0};
  CHECK_OK(pl_upper_bind(&upper, &allocator, A, FIRST, ROWS, error));
  pl_upper_clear(&upper, A, NULL);
  for (int row = FIRST; row < FIRST + ROWS; row++) {
    for (int i = 9 * (A->diagonal[row] + 1); i < 9 * A->start[row + 1]; i++) {
      CHECK(A->values[i] == 0);
      A->values[i] = (double)(i * 37 % 101) - 50;
    }
  }
  pl_upper_finish(&upper, A, NULL);
  for (int row = FIRST; row < FIRST + ROWS; row++) {
    double sum[9] = {0};
    for (int k = A->start[row]; k < A->start[row + 1]; k++) {
      const int column = A->columns[k];
      if (column >= FIRST && column < FIRST + ROWS)
        CHECK(is_across(A, k, pl_bsr_find(A, column, row)));
      // small whole numbers and halves: exact
      for (int i = 0; i < 9; i++)
        sum[i] += A->values[9 * k + i] + A->values[9 * k + 3 * (i % 3) + i / 3];
      for (int i = 0; i < 9 && column < FIRST; i++) CHECK(A->values[9 * k + i] == 0);
    }
    for (int i = 0; i < 9; i++) CHECK(sum[i] == 0);
  }
  pl_upper_destroy(&upper, &allocator);
  pl_bsr_destroy(A);
}

TEST(measurements_give_numbers)
{
  pl_bsr *A = test_laplacian(20, 20);
  size_t blocks = (size_t)A->start[400];
  CHECK(blocks == 400 + 4 * 19 * 20);
  CHECK(pl_bsr_bytes(A) == blocks * 76 + 401 * 4 + 400 * 48);
  CHECK(pl_measure_triad(NULL, NULL, 100000, 3) > 0);
  CHECK(pl_measure_triad(NULL, NULL, 0, 3) == 0);
  CHECK(pl_measure_flops(NULL, 0, 3) > 0 && pl_measure_flops(NULL, 1, 3) > 0);
  CHECK(pl_measure_product(NULL, NULL, A, 3) > 0);
  counter memory = {.fail_at = 1};
  pl_allocator none = counter_allocator(&memory);
  CHECK(pl_measure_triad(&none, NULL, 1000, 1) == 0);
  pl_bsr_destroy(A);
}

TESTS(X(patterns_hold_what_the_cliques_couple) X(chunks_share_the_work_evenly)
          X(bad_cliques_are_refused) X(every_failing_allocation_is_reported)
              X(product_agrees_with_the_naive_one) X(two_products_at_once_have_the_bits_of_each)
                  X(product_has_the_same_bits_for_any_threads) X(base_and_avx2_have_the_same_bits)
                      X(what_stands_right_of_the_diagonal_makes_the_whole_matrix)
                          X(measurements_give_numbers))
