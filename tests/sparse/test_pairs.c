/* Pairs that come and go: the list, its product, and every solver with every preconditioner on
 * matrix plus pairs, against a dense solve. */
#include "combinations.h"
#include "math/mat3.h"
#include "sparse/pairs.h"

/* ---- lists ---- */

static pl_pairs *make_list(int rows, int stencils, int entries)
{
  pl_pairs *pairs = NULL;
  CHECK_OK(pl_pairs_create(NULL, rows, &pairs, error));
  CHECK_OK(pl_pairs_reserve(pairs, stencils, entries, error));
  return pairs;
}

/* A random D = stiffness (n n^T + some I), or only stiffness n n^T. */
static void make_resistance(double stiffness, int is_flat, double D[9])
{
  double n[3] = {test_uniform(), test_uniform(), test_uniform()};
  for (int i = 0; i < 9; i++)
    D[i] = stiffness * (n[i / 3] * n[i % 3] + 0.1 * !is_flat * (i % 4 == 0));
}

enum { MOST_BLOCKS = 8 };

/* A random stencil of so many blocks, with weights or with full coefficients; twice one of them. */
typedef struct random_stencil {
  int blocks[MOST_BLOCKS];
  double weights[MOST_BLOCKS], C[9 * MOST_BLOCKS], D[9];
  pl_stencil stencil;
} random_stencil;

static void make_stencil(random_stencil *self, int rows, int count, int is_scalar, double stiffness)
{
  for (int i = 0; i < count; i++) {
    self->blocks[i] = (int)(test_random() % (uint64_t)rows);
    self->weights[i] = test_uniform();
    for (int k = 0; k < 9; k++) self->C[9 * i + k] = test_uniform();
  }
  if (count > 3) self->blocks[count - 1] = self->blocks[0];
  make_resistance(stiffness, count % 2, self->D);
  self->stencil =
      (pl_stencil){count, self->blocks, is_scalar ? self->weights : NULL, self->C, self->D};
}

/* K of a stencil, row by row, added to a dense matrix. */
static void add_dense(const pl_stencil *stencil, int rows, double *K)
{
  size_t n = 3 * (size_t)rows;
  double *C = calloc(3 * n, sizeof *C);
  for (int i = 0; i < stencil->count; i++) {
    for (size_t k = 0; k < 9; k++) {
      double c =
          stencil->weights ? stencil->weights[i] * (k % 4 == 0) : stencil->C[9 * (size_t)i + k];
      C[k / 3 * n + 3 * (size_t)stencil->blocks[i] + k % 3] += c;
    }
  }
  for (size_t r = 0; r < n; r++) {
    for (size_t c = 0; c < n; c++) {
      for (size_t k = 0; k < 9; k++)
        K[r * n + c] += C[k / 3 * n + r] * stencil->D[k] * C[k % 3 * n + c];
    }
  }
  free(C);
}

TEST(product_is_that_of_the_dense_matrix)
{
  enum { ROWS = 30, COUNT = 25 };
  pl_pairs *pairs = make_list(ROWS, COUNT, COUNT * MOST_BLOCKS);
  size_t n = 3 * ROWS;
  double *K = calloc(n * n, sizeof *K), *x = test_vector(ROWS), *y = test_vector(ROWS);
  double *expected = malloc(n * sizeof *expected), *other = test_vector(ROWS);
  for (int s = 0; s < COUNT; s++) {
    random_stencil one;
    make_stencil(&one, ROWS, 1 + s % MOST_BLOCKS, s % 3 == 0, 1);
    CHECK(pl_pairs_add(pairs, &one.stencil));
    add_dense(&one.stencil, ROWS, K);
  }
  double max = 0, dot = 0, seen = 0;
  for (size_t r = 0; r < n; r++) {
    expected[r] = y[r];
    for (size_t c = 0; c < n; c++) expected[r] += K[r * n + c] * x[c];
    dot += x[r] * (expected[r] - y[r]);
  }
  memset(other, 0, n * sizeof *other);
  pl_pairs_close(pairs);
  pl_pairs_measure(pairs, x, NULL);
  for (int row = 0; row < ROWS; row += 7)
    seen += pl_pairs_spread(pairs, row, row + 7 < ROWS ? row + 7 : ROWS, x, other);
  CHECK_NEAR(seen, dot, 1e-12 * fabs(dot));
  for (size_t i = 0; i < n; i++) CHECK_NEAR(y[i] + other[i], expected[i], 1e-12);
  pl_pairs_multiply(pairs, x, y, NULL);
  for (size_t i = 0; i < n; i++) CHECK_NEAR(y[i], expected[i], 1e-12);
  // and row by row
  for (int row = 0; row < ROWS; row++) {
    double sum[3] = {0};
    pl_pairs_multiply_row(pairs, row, x, sum);
    for (int i = 0; i < 3; i++) CHECK(sum[i] == other[3 * row + i]);
  }
  // diagonal blocks
  for (int t = 0; t < pairs->touched_count; t++) {
    double block[9];
    pl_pairs_diagonal(pairs, t, block);
    for (size_t i = 0; i < 9; i++) {
      size_t at = 3 * (size_t)pairs->touched[t];
      max = fmax(max, fabs(block[i] - K[(at + i / 3) * n + at + i % 3]));
    }
  }
  CHECK(max < 1e-12);
  free(K), free(x), free(y), free(expected), free(other);
  pl_pairs_destroy(pairs);
}

static double dot_of(const double *x, const double *y, int rows)
{
  double sum = 0;
  for (int i = 0; i < 3 * rows; i++) sum += x[i] * y[i];
  return sum;
}

TEST(product_is_symmetric)
{
  enum { ROWS = 200 };
  pl_pairs *pairs = make_list(ROWS, 300, 300 * MOST_BLOCKS);
  for (int s = 0; s < 300; s++) {
    random_stencil one;
    make_stencil(&one, ROWS, 2 + s % 5, s % 2, 1);
    CHECK(pl_pairs_add(pairs, &one.stencil));
  }
  double *x = test_vector(ROWS), *y = test_vector(ROWS);
  double *Kx = calloc(3 * ROWS, sizeof *Kx), *Ky = calloc(3 * ROWS, sizeof *Ky);
  pl_pairs_multiply(pairs, x, Kx, NULL);
  pl_pairs_multiply(pairs, y, Ky, NULL);
  double a = dot_of(y, Kx, ROWS), b = dot_of(x, Ky, ROWS);
  CHECK_NEAR(a, b, 1e-13 * test_length(x, ROWS) * test_length(Ky, ROWS));
  CHECK(dot_of(x, Kx, ROWS) > 0);
  free(x), free(y), free(Kx), free(Ky);
  pl_pairs_destroy(pairs);
}

TEST(bits_of_the_product_do_not_depend_on_threads)
{
  enum { ROWS = 3000, COUNT = 2000 };
  pl_allocator allocator = pl_allocator_default();
  pl_pairs *pairs = make_list(ROWS, COUNT, COUNT * MOST_BLOCKS);
  for (int s = 0; s < COUNT; s++) {
    random_stencil one;
    make_stencil(&one, ROWS, 2 + s % 5, s % 2, 1);
    CHECK(pl_pairs_add(pairs, &one.stencil));
  }
  double *x = test_vector(ROWS), *first = calloc(3 * ROWS, sizeof *x),
         *y = malloc(3 * ROWS * sizeof *y);
  pl_pairs_multiply(pairs, x, first, NULL);
  for (int threads = 1; threads <= 8; threads += threads < 3 ? 1 : 5) {
    pl_pool *pool = NULL;
    CHECK_OK(pl_pool_create(&allocator, threads, &pool, error));
    memset(y, 0, 3 * ROWS * sizeof *y);
    pl_pairs_multiply(pairs, x, y, pool);
    CHECK(memcmp(first, y, 3 * ROWS * sizeof *y) == 0);
    pl_pool_destroy(pool);
  }
  free(x), free(first), free(y);
  pl_pairs_destroy(pairs);
}

TEST(a_list_without_room_says_so_and_grows)
{
  counter memory = {0};
  pl_allocator allocator = counter_allocator(&memory);
  pl_pairs *pairs = NULL;
  CHECK_OK(pl_pairs_create(&allocator, 10, &pairs, error));
  CHECK(!pl_pairs_exist(pairs) && pl_pairs_version(pairs) == 0 && pl_pairs_version(NULL) == 0);
  random_stencil one;
  make_stencil(&one, 10, 3, 1, 1);
  long calls = memory.calls;
  for (int i = 0; i < 5; i++) CHECK(!pl_pairs_add(pairs, &one.stencil));
  CHECK(memory.calls == calls && pl_pairs_is_short(pairs) && !pl_pairs_exist(pairs));
  CHECK_OK(pl_pairs_grow(pairs, error));
  CHECK(pairs->room == 10 && pairs->entry_room == 30 && !pl_pairs_is_short(pairs));
  calls = memory.calls;
  for (int i = 0; i < 10; i++) CHECK(pl_pairs_add(pairs, &one.stencil));
  uint64_t version = pl_pairs_version(pairs);
  CHECK(!pl_pairs_add(pairs, &one.stencil) && pl_pairs_is_short(pairs));
  CHECK(version > 0 && pl_pairs_version(pairs) == version);
  CHECK(memory.calls == calls);
  // growth that fails leaves everything as it was
  for (int k = 1; k <= 11; k++) {
    memory.fail_at = memory.calls + k;
    CHECK(pl_pairs_grow(pairs, NULL) == PL_E_MEMORY);
    CHECK(pairs->count == 10 && pairs->room == 10);
  }
  memory.fail_at = 0;
  CHECK_OK(pl_pairs_grow(pairs, error));
  CHECK(pairs->count == 0 && pairs->room == 22);
  pl_pairs_destroy(pairs);
  CHECK(memory.blocks == 0);
}

/* J^T K J, J at one block that stencils with weights and with coefficients touch. */
TEST(turning_a_block_turns_the_product)
{
  enum { ROWS = 12, COUNT = 20, BLOCK = 5 };
  double J[9], *x = test_vector(ROWS), *turned = malloc(3 * ROWS * sizeof *x);
  double *expected = calloc(3 * ROWS, sizeof *x), *y = calloc(3 * ROWS, sizeof *y);
  pl_pairs *pairs = make_list(ROWS, COUNT, COUNT * MOST_BLOCKS);
  for (int s = 0; s < COUNT; s++) {
    random_stencil one;
    make_stencil(&one, ROWS, 2 + s % 4, s % 2, 1);
    CHECK(pl_pairs_add(pairs, &one.stencil));
  }
  for (int i = 0; i < 9; i++) J[i] = test_uniform();
  memcpy(turned, x, 3 * ROWS * sizeof *x);
  pl_mat3_apply(J, x + 3 * BLOCK, turned + 3 * BLOCK);
  pl_pairs_multiply(pairs, turned, expected, NULL);
  double force[3];
  pl_mat3_apply_t(J, expected + 3 * BLOCK, force);
  memcpy(expected + 3 * BLOCK, force, sizeof force);
  uint64_t version = pl_pairs_version(pairs);
  pl_pairs_turn(pairs, BLOCK, J);
  CHECK(pl_pairs_version(pairs) != version);
  pl_pairs_multiply(pairs, x, y, NULL);
  CHECK(test_distance(y, expected, ROWS) < 1e-12);
  free(x), free(turned), free(expected), free(y);
  pl_pairs_destroy(pairs);
}

TEST(stencils_go_into_the_matrix_where_it_has_room)
{
  pl_bsr *A = test_laplacian(4, 3);
  pl_pairs *pairs = make_list(A->rows, 4, 8);
  double before = A->values[9 * A->diagonal[5]], D[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2};
  // one block; neighbours; the ends of a diagonal, which are no neighbours
  int single[] = {5}, near[] = {5, 6}, far[] = {0, 5};
  double weights[] = {1, -1};
  CHECK(pl_stencil_put(A, pairs, &(pl_stencil){1, single, weights, NULL, D}));
  CHECK(A->values[9 * A->diagonal[5]] == before + 2 && pairs->count == 0);
  CHECK(pl_stencil_put(A, pairs, &(pl_stencil){2, near, weights, NULL, D}));
  CHECK(A->values[9 * A->diagonal[5]] == before + 4 && pairs->count == 0);
  CHECK(A->values[9 * pl_bsr_find(A, 5, 6)] == -3);
  CHECK(pl_stencil_put(A, pairs, &(pl_stencil){2, far, weights, NULL, D}));
  CHECK(A->values[9 * A->diagonal[5]] == before + 4 && pairs->count == 1);
  CHECK(!pl_stencil_put(A, NULL, &(pl_stencil){2, far, weights, NULL, D}));
  pl_pairs_destroy(pairs);
  pl_bsr_destroy(A);
}

/* ---- solves ---- */

/* A + K as one matrix whose pattern has everything, to compare with. */
static pl_bsr *make_union(const pl_bsr *A, const pl_pairs *pairs)
{
  int count = 0, *nodes = malloc(2 * ((size_t)A->rows * (size_t)A->rows) * sizeof *nodes);
  for (int row = 0; row < A->rows; row++) {
    for (int other = row + 1; other < A->rows; other++)
      nodes[2 * count] = row, nodes[2 * count++ + 1] = other;
  }
  pl_bsr *all = NULL;
  CHECK_OK(pl_bsr_create(NULL, A->rows, &(pl_cliques){count, 2, nodes, 0}, 1, &all, error));
  for (int row = 0; row < A->rows; row++) {
    for (int k = A->start[row]; k < A->start[row + 1]; k++) {
      double *to = all->values + 9 * pl_bsr_find(all, row, A->columns[k]);
      for (int i = 0; i < 9; i++) to[i] += A->values[9 * k + i];
    }
  }
  for (int s = 0; s < pairs->count; s++) {
    int first = pairs->first[s], size = pairs->first[s + 1] - first;
    pl_stencil stencil = {size, pairs->block + first,
                          pairs->is_scalar[s] ? pairs->weight + first : NULL, pairs->C + 9 * first,
                          pairs->D + 9 * s};
    CHECK(pl_bsr_add_stencil(all, &stencil));
  }
  free(nodes);
  return all;
}

typedef enum scenery { NOTHING, SOME, REDUNDANT, EVERYWHERE } scenery;

static void fill(pl_pairs *pairs, scenery what, double stiffness)
{
  pl_pairs_clear(pairs);
  int count = what == NOTHING ? 0 : what == EVERYWHERE ? pairs->rows : 5;
  for (int s = 0; s < count; s++) {
    random_stencil one;
    make_stencil(&one, pairs->rows, 2 + s % 4, s % 2, stiffness);
    if (what == EVERYWHERE) one.blocks[0] = s;
    // redundant: the same three times
    for (int again = 0; again < (what == REDUNDANT ? 3 : 1); again++)
      CHECK(pl_pairs_add(pairs, &one.stencil));
  }
}

static void check_dense(const pair *names)
{
  enum { ROWS = 16 };
  for (int scene = NOTHING; scene <= EVERYWHERE; scene++) {
    for (int power = -1; power <= 5; power += 3) {
      pl_bsr *A = test_spd(ROWS);
      pl_pairs *pairs = make_list(ROWS, 40, 200);
      fill(pairs, (scenery)scene, pow(10, power));
      pl_bsr *all = make_union(A, pairs);
      test_filter held;
      test_constrain(&held, ROWS);
      const pl_filter *filters[] = {NULL, &held.filter};
      for (int f = 0; f < 2; f++) {
        double *b = test_vector(ROWS), *x = test_vector(ROWS), *y = malloc(3 * ROWS * sizeof *y);
        memcpy(y, x, 3 * ROWS * sizeof *y);
        test_dense_solve(all, filters[f], b, y);
        pl_solver *solver = make_solver(names, A);
        pl_solve_report report = {0};
        double size = test_length(b, ROWS);
        CHECK_OK(pl_solver_prepare(solver, A, pairs, filters[f], NULL, error));
        CHECK_OK(pl_solver_solve(solver, A, filters[f], b, x, 1e-10 * size, NULL, &report, error));
        // what rounding makes of stiff pairs is in both
        double rounding = 1e-11 * size + 1e-14 * pow(10, power) * (1 + test_length(x, ROWS));
        CHECK_NEAR(report.residual, test_residual(all, filters[f], b, x), rounding);
        double away = test_distance(x, y, ROWS);
        if (away > 1e-7 * (1 + test_length(y, ROWS)))
          printf("  scene %d, stiffness 1e%d, filter %d: %g\n", scene, power, f, away);
        CHECK(away <= 1e-7 * (1 + test_length(y, ROWS)));
        pl_solver_destroy(solver);
        free(b), free(x), free(y);
      }
      pl_bsr_destroy(A), pl_bsr_destroy(all);
      pl_pairs_destroy(pairs);
    }
  }
}

TEST(every_solver_with_every_preconditioner_knows_pairs) { for_all_pairs(check_dense); }

TESTS(X(turning_a_block_turns_the_product) X(product_is_that_of_the_dense_matrix)
          X(product_is_symmetric) X(bits_of_the_product_do_not_depend_on_threads)
              X(a_list_without_room_says_so_and_grows)
                  X(stencils_go_into_the_matrix_where_it_has_room)
                      X(every_solver_with_every_preconditioner_knows_pairs))
