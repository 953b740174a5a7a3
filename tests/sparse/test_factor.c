/* The complete factor: its orders, its size, its accuracy, its threads, its refusals. */
#include "sparse/factor.h"

#include "sparse/elimination.h"
#include "sparse/factor_kernel.h"
#include "system.h"

/* A block of nx x ny x nz cubes of six tets; springs along edges with random directions. */
static pl_bsr *block_of_tets(int nx, int ny, int nz)
{
  static const int ways[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  int count = 0, rows = (nx + 1) * (ny + 1) * (nz + 1);
  int *tets = malloc(24 * (size_t)(nx * ny * nz) * sizeof *tets);
  for (int i = 0; i < 6 * nx * ny * nz; i++, count++) {
    int cube = i / 6, at[3] = {cube % nx, cube / nx % ny, cube / nx / ny};
    for (int k = 0; k < 4; k++) {
      tets[4 * count + k] = (at[2] * (ny + 1) + at[1]) * (nx + 1) + at[0];
      if (k < 3) at[ways[i % 6][k]]++;
    }
  }
  pl_bsr *A = NULL;
  CHECK_OK(pl_bsr_create(NULL, rows, &(pl_cliques){count, 4, tets, 0}, 1, &A, error));
  test_assemble(A, tets, count, 0.01);
  free(tets);
  return A;
}

/* Numbers in L by eliminating one block after the other from a full table of neighbours. */
static double fill_by_hand(const pl_bsr *A, const int *order)
{
  int n = A->rows;
  char *linked = calloc((size_t)n * (size_t)n, 1), *gone = calloc((size_t)n, 1);
  double fill = 0;
  for (int row = 0; row < n; row++) {
    for (int k = A->start[row]; k < A->start[row + 1]; k++) linked[row * n + A->columns[k]] = 1;
  }
  for (int k = 0; k < n; k++) {
    int own = order[k], degree = 0;
    gone[own] = 1;
    for (int i = 0; i < n; i++) {
      if (gone[i] || !linked[own * n + i]) continue;
      degree++;
      for (int j = 0; j < n; j++) linked[i * n + j] |= (char)(linked[own * n + j] && !gone[j]);
    }
    fill += 9 * degree + 6;
  }
  free(linked), free(gone);
  return fill;
}

static double natural_fill(const pl_bsr *A)
{
  int *order = malloc((size_t)A->rows * sizeof *order);
  for (int i = 0; i < A->rows; i++) order[i] = i;
  double fill = fill_by_hand(A, order);
  free(order);
  return fill;
}

static void check_order(const pl_bsr *A, int nested, double max_fill)
{
  pl_allocator allocator = pl_allocator_default();
  pl_graph graph;
  int n = A->rows, *order = malloc((size_t)n * sizeof *order);
  char *seen = calloc((size_t)n, 1);
  double fill, flops;
  CHECK_OK(pl_graph_create(&allocator, A, &graph, error));
  CHECK_OK(nested ? pl_order_nested(&allocator, &graph, order, error)
                  : pl_order_degree(&allocator, &graph, order, error));
  int different = 0;
  for (int k = 0; k < n; k++) {
    if (order[k] < 0 || order[k] >= n) continue;
    different += !seen[order[k]];
    seen[order[k]] = 1;
  }
  CHECK(different == n);
  double before = fill_by_hand(A, order);
  CHECK_OK(pl_elimination_count(&allocator, &graph, order, &fill, &flops, error));
  // the count is right, and a postorder changes nothing
  CHECK(fill == before && fill == fill_by_hand(A, order));
  CHECK(fill <= max_fill);
  pl_graph_destroy(&allocator, &graph);
  free(order), free(seen);
}

TEST(orders_are_complete_and_save_fill)
{
  pl_bsr *grid = test_laplacian(30, 30), *random = test_spd(200), *tets = block_of_tets(8, 5, 4);
  for (int nested = 0; nested < 2; nested++) {
    check_order(grid, nested, 0.5 * natural_fill(grid));
    check_order(random, nested, INFINITY);
    check_order(tets, nested, 0.8 * natural_fill(tets));
  }
  pl_bsr_destroy(grid), pl_bsr_destroy(random), pl_bsr_destroy(tets);
}

/* No neighbours at all, all of them, and parts that know nothing of each other. */
TEST(odd_graphs_are_ordered)
{
  pl_bsr *lone = NULL, *all = NULL, *parts = NULL;
  int nodes[150], pairs[400];
  for (int i = 0; i < 150; i++) nodes[i] = i;
  for (int i = 0; i < 200; i++) pairs[2 * i] = 2 * i, pairs[2 * i + 1] = 2 * i + 1;
  CHECK_OK(pl_bsr_create(NULL, 300, NULL, 0, &lone, error));
  CHECK_OK(pl_bsr_create(NULL, 150, &(pl_cliques){1, 150, nodes, 0}, 1, &all, error));
  CHECK_OK(pl_bsr_create(NULL, 400, &(pl_cliques){200, 2, pairs, 0}, 1, &parts, error));
  for (int nested = 0; nested < 2; nested++) {
    check_order(lone, nested, 300 * 6);
    check_order(all, nested, 450 * 451 / 2);
    check_order(parts, nested, 200 * 21);
  }
  pl_bsr_destroy(lone), pl_bsr_destroy(all), pl_bsr_destroy(parts);
}

static double residual(const pl_bsr *A, const double *b, const double *x)
{
  double *y = test_vector(A->rows), sum = 0;
  pl_bsr_multiply(A, x, y, NULL);
  for (int i = 0; i < 3 * A->rows; i++) sum += (b[i] - y[i]) * (b[i] - y[i]);
  free(y);
  return sqrt(sum) / test_length(b, A->rows);
}

/* One back-substitution leaves 1e-12; the numbers do not depend on threads. */
TEST(factors_are_accurate_and_the_same_for_any_threads)
{
  pl_allocator allocator = pl_allocator_default();
  pl_bsr *A = block_of_tets(20, 9, 8);
  size_t bytes = 3 * (size_t)A->rows * sizeof(double);
  double *b = test_vector(A->rows), *x = test_vector(A->rows), *first = test_vector(A->rows);
  const int threads[] = {1, 2, 5};
  for (pl_ordering order = PL_ORDER_LEAST; order <= PL_ORDER_NESTED; order++) {
    pl_factor *factor = NULL;
    CHECK_OK(pl_factor_create(&allocator, A, order, &factor, error));
    for (int t = 0; t < 3; t++) {
      pl_pool *pool = NULL;
      CHECK_OK(pl_pool_create(&allocator, threads[t], &pool, error));
      CHECK_OK(pl_factor_compute(factor, A, NULL, NULL, 0, pool, error));
      pl_factor_solve(factor, b, x, pool);
      if (t == 0) memcpy(first, x, bytes);
      CHECK(residual(A, b, x) < 1e-12 && memcmp(first, x, bytes) == 0);
      pl_pool_destroy(pool);
    }
    // a right side of one node
    memset(b, 0, bytes);
    b[3 * 100] = 1;
    pl_factor_solve(factor, b, x, NULL);
    CHECK(residual(A, b, x) < 1e-12);
    for (int i = 0; i < 3 * A->rows; i++) b[i] = test_uniform();
    pl_factor_destroy(factor);
  }
  free(b), free(x), free(first);
  pl_bsr_destroy(A);
}

static int count_down(void *context, double time)
{
  (void)time;
  return --*(int *)context == 0;
}

/* Orders ask on the way as well: cancelled at each of those places they leave nothing behind. */
TEST(an_order_can_be_cancelled)
{
  pl_allocator allocator = pl_allocator_default();
  pl_bsr *A = block_of_tets(8, 7, 6);
  for (pl_ordering order = PL_ORDER_LEAST; order <= PL_ORDER_NESTED; order++) {
    pl_factor *factor = NULL;
    int left = 0;
    pl_watch watch = {.by = {.ask = count_down, .context = &left}};
    A->watch = &watch;
    CHECK_OK(pl_factor_create(&allocator, A, order, &factor, error));
    pl_factor_destroy(factor);
    int all = -left;
    CHECK(all > 1);
    for (int patience = 1; patience <= all; patience++) {
      left = patience;
      watch.ended = 0;
      CHECK_FAILS(pl_factor_create(&allocator, A, order, &factor, error), PL_E_CANCELLED,
                  "cancelled");
      CHECK(left == 0 && !factor);
    }
  }
  pl_bsr_destroy(A);
}

/* Long factorisations ask on the way, with any ordering; the next one is whole again. */
TEST(a_factorisation_can_be_cancelled)
{
  pl_allocator allocator = pl_allocator_default();
  pl_bsr *A = block_of_tets(8, 7, 6);
  double *b = test_vector(A->rows), *x = test_vector(A->rows);
  for (pl_ordering order = PL_ORDER_LEAST; order <= PL_ORDER_NESTED; order++) {
    pl_factor *factor = NULL;
    CHECK_OK(pl_factor_create(&allocator, A, order, &factor, error));
    for (int patience = 1; patience < 5; patience++) {
      int left = patience;
      pl_watch watch = {.by = {.ask = count_down, .context = &left}};
      A->watch = &watch;
      CHECK_FAILS(pl_factor_compute(factor, A, NULL, NULL, 0, NULL, error), PL_E_CANCELLED,
                  "cancelled");
      CHECK(left == 0);
    }
    A->watch = NULL;
    CHECK_OK(pl_factor_compute(factor, A, NULL, NULL, 0, NULL, error));
    pl_factor_solve(factor, b, x, NULL);
    CHECK(residual(A, b, x) < 1e-12);
    pl_factor_destroy(factor);
  }
  free(b), free(x);
  pl_bsr_destroy(A);
}

/* Ranges of panels pause so that somebody can be asked: that changes no bit. */
TEST(pauses_of_a_factorisation_change_nothing)
{
  pl_allocator allocator = pl_allocator_default();
  pl_bsr *A = block_of_tets(14, 13, 12);
  size_t bytes = 3 * (size_t)A->rows * sizeof(double);
  double *b = test_vector(A->rows), *x = test_vector(A->rows), *y = test_vector(A->rows);
  pl_factor *factor = NULL;
  int left = 0;
  pl_watch watch = {.by = {.ask = count_down, .context = &left}};
  CHECK_OK(pl_factor_create(&allocator, A, PL_ORDER_NESTED, &factor, error));
  CHECK_OK(pl_factor_compute(factor, A, NULL, NULL, 0, NULL, error));
  pl_factor_solve(factor, b, x, NULL);
  A->watch = &watch;
  CHECK_OK(pl_factor_compute(factor, A, NULL, NULL, 0, NULL, error));
  pl_factor_solve(factor, b, y, NULL);
  CHECK(left < 0 && memcmp(x, y, bytes) == 0);
  pl_factor_destroy(factor);
  free(b), free(x), free(y);
  pl_bsr_destroy(A);
}

/* Negative pivots are counted by Sylvester's law, allowed where asked for, and refused where one is
 * too small to divide by. */
TEST(indefinite_matrices_have_a_factor_where_that_is_safe)
{
  pl_allocator allocator = pl_allocator_default();
  pl_bsr *A = block_of_tets(4, 3, 3);
  pl_factor *factor = NULL;
  double *b = test_vector(A->rows), *x = test_vector(A->rows);
  A->values[9 * A->diagonal[20]] -= 500;
  A->values[9 * A->diagonal[51] + 4] -= 500;
  CHECK_OK(pl_factor_create(&allocator, A, PL_ORDER_LEAST, &factor, error));
  CHECK_FAILS(pl_factor_compute(factor, A, NULL, NULL, 0, NULL, error), PL_E_INDEFINITE,
              "2 negative pivots");
  CHECK_OK(pl_factor_compute(factor, A, NULL, NULL, 1, NULL, error));
  pl_factor_solve(factor, b, x, NULL);
  CHECK(residual(A, b, x) < 1e-11);
  pl_factor_destroy(factor);
  pl_bsr_destroy(A);

  // [0 1; 1 0] in the x of two nodes, nearly, has no stable factor without exchanges
  int nodes[2] = {0, 1};
  CHECK_OK(pl_bsr_create(NULL, 2, &(pl_cliques){1, 2, nodes, 0}, 1, &A, error));
  for (int i = 0; i < 2; i++) {
    A->values[9 * A->diagonal[i] + 4] = A->values[9 * A->diagonal[i] + 8] = 1;
    A->values[9 * A->diagonal[i]] = 1e-10;
    A->values[9 * pl_bsr_find(A, i, 1 - i)] = 1;
  }
  CHECK_OK(pl_factor_create(&allocator, A, PL_ORDER_LEAST, &factor, error));
  CHECK_FAILS(pl_factor_compute(factor, A, NULL, NULL, 1, NULL, error), PL_E_INDEFINITE,
              "1e-10 of its row: too small");
  pl_factor_destroy(factor);
  free(b), free(x);
  pl_bsr_destroy(A);
}

/* Both variants of the kernels do the same operations. */
TEST(kernels_have_the_same_bits)
{
  if (!pl_cpu_has_avx2()) return;
  const pl_factor_kernel *kernels[] = {&pl_factor_kernel_base, PL_PICK_VARIANT(&pl_factor_kernel)};
  enum { HEIGHT = 77, STRIDE = 80, WIDTH = 27 };
  static double panels[2][STRIDE * WIDTH + 8], x[2][WIDTH], y[2][HEIGHT];
  for (int i = 0; i < STRIDE * WIDTH; i++) panels[0][i] = test_uniform();
  for (int i = 0; i < WIDTH; i++) panels[0][STRIDE * i + i] += i % 5 ? 20 : -20;
  memcpy(panels[1], panels[0], sizeof panels[0]);
  for (int v = 0; v < 2; v++) {
    double pivots[WIDTH], signs[WIDTH];
    for (int i = 0; i < WIDTH; i++) x[v][i] = i - 7.5;
    kernels[v]->factorise(panels[v], STRIDE, WIDTH, pivots, signs);
    kernels[v]->finish(panels[v], STRIDE, WIDTH, signs, WIDTH, HEIGHT);
    kernels[v]->forward(panels[v], STRIDE, WIDTH, HEIGHT, x[v], y[v]);
    kernels[v]->backward(panels[v], STRIDE, WIDTH, HEIGHT, x[v], y[v]);
  }
  CHECK(memcmp(panels[0], panels[1], sizeof panels[0]) == 0);
  CHECK(memcmp(x[0], x[1], sizeof x[0]) == 0);
}

TESTS(X(an_order_can_be_cancelled) X(a_factorisation_can_be_cancelled)
          X(pauses_of_a_factorisation_change_nothing) X(orders_are_complete_and_save_fill)
              X(odd_graphs_are_ordered) X(factors_are_accurate_and_the_same_for_any_threads)
                  X(indefinite_matrices_have_a_factor_where_that_is_safe)
                      X(kernels_have_the_same_bits))
