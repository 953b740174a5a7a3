/* What every solver must keep with every preconditioner on systems that are large enough for a
 * hierarchy, and when it is cut off: a member is tested the moment it is listed. */
// label: long
#include "combinations.h"

/* A grid of springs with some mass. */
static pl_bsr *make_grid(int width, int height, double mass)
{
  pl_bsr *A = test_laplacian(width, height);
  for (int row = 0; row < A->rows; row++) {
    for (int c = 0; c < 9; c += 4) A->values[9 * A->diagonal[row] + c] += mass;
  }
  return A;
}

/* Where a solver hands out what it left, that is b - A x. */
static void check_left(const pl_solver *solver, const pl_bsr *A, const double *b, const double *x)
{
  double *r = calloc(3 * (size_t)A->rows, sizeof *r);
  pl_bsr_multiply(A, x, r, NULL);
  for (int i = 0; i < 3 * A->rows; i++) r[i] = b[i] - r[i];
  if (solver->left)
    CHECK(test_distance(solver->left, r, A->rows) <= 1e-12 * test_length(b, A->rows));
  else
    CHECK(strcmp(solver->ops->info.name, "cg") != 0);
  free(r);
}

/* Cut off after some iterations, the best so far is there with its true residual; allowed the rest,
 * the same solver goes on from there. */
static void check_cut_off(const pair *names)
{
  pl_bsr *A = make_grid(30, 20, 1e-3);
  double *b = test_vector(A->rows), *x = calloc(3 * (size_t)A->rows, sizeof *x);
  double size = test_length(b, A->rows);
  pl_solver *solver = make_solver(names, A);
  pl_solve_report report = {0};
  CHECK_OK(pl_solver_prepare(solver, A, NULL, NULL, NULL, error));
  for (int max = 0; max <= 4; max += 2) {
    pl_error error = {0};
    memset(x, 0, 3 * (size_t)A->rows * sizeof *x);
    pl_solver_limit(solver, max);
    pl_status status = pl_solver_solve(solver, A, NULL, b, x, 1e-10 * size, NULL, &report, &error);
    CHECK(status == PL_E_CONVERGENCE || (status == PL_OK && is_complete(names) && max > 0));
    CHECK(report.iterations <= max);
    CHECK_NEAR(report.residual, test_residual(A, NULL, b, x), 1e-12 * size);
    if (status) CHECK(strstr(error.message, "iterations") != NULL);
    if (status) check_left(solver, A, b, x);
  }
  pl_solver_limit(solver, 1e9);
  CHECK_OK(pl_solver_solve(solver, A, NULL, b, x, 1e-8 * size, NULL, &report, error));
  CHECK_NEAR(report.residual, test_residual(A, NULL, b, x), 1e-12 * size);
  CHECK(report.residual <= 1.01e-8 * size);
  pl_solver_destroy(solver);
  free(b), free(x);
  pl_bsr_destroy(A);
}

TEST(what_is_cut_off_tells_its_true_residual) { for_all_pairs(check_cut_off); }

/* Enough rows for every choice of auto and for levels of multigrid; new values, so that choices
 * and hierarchies are made anew. */
static void check_steady(const pair *names)
{
  pl_bsr *A = make_grid(30, 20, 10);
  double *b = test_vector(A->rows), *x = test_vector(A->rows);
  counter memory = {0};
  pl_allocator allocator = counter_allocator(&memory);
  pl_solver *solver = NULL;
  CHECK_OK(create(&allocator, names, A, &solver, error));
  long calls = memory.calls;
  memory.fail_at = calls + 1; // the next one would fail
  for (int round = 0; round < 6; round++) {
    // from where mass rules to where it does not
    for (int row = 0; row < A->rows; row++) {
      for (int c = 0; c < 9; c += 4)
        A->values[9 * A->diagonal[row] + c] -= round == 2 ? 9.9 : round == 4 ? 0.099 : 0;
    }
    x[round] += 1;
    CHECK_OK(pl_solver_prepare(solver, A, NULL, NULL, NULL, error));
    CHECK_OK(
        pl_solver_solve(solver, A, NULL, b, x, 1e-9 * test_length(b, A->rows), NULL, NULL, error));
  }
  CHECK(memory.calls == calls);
  pl_solver_destroy(solver);
  CHECK(memory.blocks == 0);
  free(b), free(x);
  pl_bsr_destroy(A);
}

TEST(solves_take_no_memory_whatever_is_chosen) { for_all_pairs(check_steady); }

/* The same solver, the same systems one after the other, which may be remembered: the same bits. */
static void check_repeated_threads(const pair *names)
{
  pl_allocator allocator = pl_allocator_default();
  uint64_t bits[3] = {0};
  double *b = test_vector(900);
  for (int t = 0; t < (TEST_SANITIZED ? 2 : 3); t++) {
    pl_bsr *A = make_grid(30, 30, 1);
    double *x = calloc(3 * (size_t)A->rows, sizeof *x);
    pl_pool *pool = NULL;
    CHECK_OK(pl_pool_create(&allocator, 1 + 2 * t, &pool, error));
    pl_solver *solver = make_solver(names, A);
    for (int round = 0; round < (TEST_SANITIZED ? 2 : 4); round++) {
      for (int row = 0; row < A->rows; row++) {
        for (int c = 0; c < 9; c += 4) A->values[9 * A->diagonal[row] + c] -= round ? 0.33 : 0;
      }
      CHECK_OK(pl_solver_prepare(solver, A, NULL, NULL, pool, error));
      CHECK_OK(pl_solver_solve(solver, A, NULL, b, x, 1e-7 * test_length(b, A->rows), pool, NULL,
                               error));
      for (int i = 0; i < 3 * A->rows; i++) {
        uint64_t word;
        memcpy(&word, &x[i], sizeof word);
        bits[t] = 31 * bits[t] + word;
      }
    }
    CHECK(bits[t] == bits[0]);
    pl_solver_destroy(solver);
    pl_pool_destroy(pool);
    free(x);
    pl_bsr_destroy(A);
  }
  free(b);
}

TEST(choices_do_not_depend_on_threads) { for_all_pairs(check_repeated_threads); }

/* What counts for a solve that was cut off is about what it would have taken: within a factor 2
 * from a tenth of the way on, where conjugate gradients have found their pace. */
TEST(what_is_missing_is_estimated)
{
  pl_bsr *A = make_grid(40, 40, 1e-2);
  double *b = test_vector(A->rows), *x = calloc(3 * (size_t)A->rows, sizeof *x);
  double target = 1e-8 * test_length(b, A->rows);
  pair names = {{"cg", NULL, 0}, {"block-diagonal", NULL, 0}};
  pl_solver *solver = make_solver(&names, A);
  pl_solve_report report;
  CHECK_OK(pl_solver_prepare(solver, A, NULL, NULL, NULL, error));
  CHECK_OK(pl_solver_solve(solver, A, NULL, b, x, target, NULL, &report, error));
  int whole = report.iterations;
  CHECK(solver->preconditioner->iterations == whole && solver->preconditioner->solves == 1);
  for (int part = 1; part < 10; part += 2) {
    CHECK_OK(pl_solver_prepare(solver, A, NULL, NULL, NULL, error));
    memset(x, 0, 3 * (size_t)A->rows * sizeof *x);
    pl_solver_limit(solver, part * whole / 10);
    CHECK(pl_solver_solve(solver, A, NULL, b, x, target, NULL, &report, NULL) == PL_E_CONVERGENCE);
    int guess = solver->preconditioner->iterations;
    printf("  cut off at %d of %d: %d are expected\n", report.iterations, whole, guess);
    CHECK(2 * guess > whole && guess < 2 * whole);
  }
  // one that has not come nearer counts ten times
  CHECK_OK(pl_solver_prepare(solver, A, NULL, NULL, NULL, error));
  for (int i = 0; i < 3 * A->rows; i++) x[i] = 1e3 * (i % 2);
  pl_solver_limit(solver, 1);
  CHECK(pl_solver_solve(solver, A, NULL, b, x, target, NULL, &report, NULL) == PL_E_CONVERGENCE);
  CHECK(solver->preconditioner->iterations == 11);
  pl_solver_destroy(solver);
  free(b), free(x);
  pl_bsr_destroy(A);
}

TESTS(X(what_is_cut_off_tells_its_true_residual) X(solves_take_no_memory_whatever_is_chosen)
          X(choices_do_not_depend_on_threads) X(what_is_missing_is_estimated))
