/* Matrices that cannot be solved, or nearly not: every solver with every preconditioner names what
 * is wrong, and endures what is not. */
// label: long
#include "combinations.h"

/* Off-diagonal blocks so large that the matrix is indefinite, though its diagonal is not; solvers
 * that take any matrix solve it. */
static void check_indefinite(const pair *names)
{
  if (takes_unsymmetric(names)) return;
  pl_bsr *A = test_laplacian(20, 5);
  for (int row = 0; row < A->rows; row++) {
    for (int k = A->start[row]; k < A->start[row + 1]; k++) {
      for (int c = 0; c < 9; c += 4) A->values[9 * k + c] *= A->columns[k] == row ? 1 : 2;
    }
  }
  double *b = test_vector(A->rows), *x = calloc(3 * (size_t)A->rows, sizeof *x);
  pl_solve_report report;
  if (takes_indefinite(names)) {
    // solved, unless the preconditioner wants a definite matrix
    pl_error error = {0};
    pl_status status = solve(names, A, NULL, b, x, 1e-6, NULL, &report, &error);
    CHECK(status == PL_OK || (status == PL_E_INDEFINITE && strstr(error.message, "indefinite")));
    if (!status) CHECK(test_residual(A, NULL, b, x) <= 1.02e-6 * test_length(b, A->rows));
  } else {
    CHECK_FAILS(solve(names, A, NULL, b, x, 1e-6, NULL, &report, error), PL_E_INDEFINITE,
                "indefinite");
    CHECK(isfinite(test_length(x, A->rows)));
    if (!is_complete(names))
      CHECK_NEAR(report.residual, test_residual(A, NULL, b, x), 1e-12 * report.residual);

    // negative in the first direction already
    for (int i = 0; i < 9 * A->start[A->rows]; i++) A->values[i] = -A->values[i];
    CHECK_FAILS(solve(names, A, NULL, b, x, 1e-6, NULL, &report, error), PL_E_INDEFINITE,
                "indefinite");
  }
  free(b), free(x);
  pl_bsr_destroy(A);
}

TEST(indefinite_matrices_are_found) { for_all_pairs(check_indefinite); }

/* Solvers that have no curvature to go by go on for long: fewer matrices will do for them, and a
 * lower limit where nothing else ends them. */
static pair limit(const pair *names, int *rounds)
{
  static const pl_setting few = {"iterations", {600}, NULL};
  pair limited = *names;
  if (takes_indefinite(names) || takes_unsymmetric(names)) *rounds = 2;
  if (takes_indefinite(names)) limited.solver.settings = &few;
  if (takes_indefinite(names)) limited.solver.setting_count = 1;
  return limited;
}

/* A body that nothing holds: forces that add up to something have no solution. */
static void check_singular(const pair *names)
{
  int rounds = TEST_SANITIZED ? 2 : 6;
  pair limited = limit(names, &rounds);
  for (int k = 0; k < rounds; k++) {
    pl_bsr *A = test_laplacian(10 + 7 * k, 9);
    double *b = test_vector(A->rows), *x = test_vector(A->rows);
    for (int i = 0; i < 3 * A->rows; i++) {
      if (k == 1) b[i] = 1;               // a pure push
      if (k == 2) b[i] += 1;              // mostly a push
      if (k == 3) b[i] = i == 0;          // at one node
      if (k == 4) b[i] = 1 + 1e-9 * b[i]; // almost a pure push
    }
    pl_error error = {0};
    pl_solve_report report;
    pl_status status = solve(&limited, A, NULL, b, x, 1e-6, NULL, &report, &error);
    if (takes_indefinite(names))
      CHECK(status != PL_OK);
    else
      CHECK(status == PL_E_SINGULAR && strstr(error.message, "nothing resists"));
    CHECK(isfinite(test_length(x, A->rows)) && isfinite(report.residual));
    free(b), free(x);
    pl_bsr_destroy(A);
  }
}

TEST(singular_matrices_are_found) { for_all_pairs(check_singular); }

/* The same with rows of different weight, so that rounding hides the zero eigenvalue. */
static void check_scaled_singular(const pair *names)
{
  int rounds = TEST_SANITIZED ? 2 : 12;
  pair limited = limit(names, &rounds);
  for (int k = 0; k < rounds; k++) {
    pl_bsr *A = test_laplacian(8 + k, 7);
    double *b = test_vector(A->rows), *x = test_vector(A->rows), *scale = test_vector(A->rows);
    for (int i = 0; i < 3 * A->rows; i++) scale[i] = 1.5 + scale[i], b[i] += 1;
    for (int row = 0; row < A->rows; row++) {
      for (int j = A->start[row]; j < A->start[row + 1]; j++) {
        for (int i = 0; i < 9; i++)
          A->values[9 * j + i] *= scale[3 * row + i % 3] * scale[3 * A->columns[j] + i / 3];
      }
    }
    pl_status status = solve(&limited, A, NULL, b, x, 1e-6, NULL, NULL, NULL);
    CHECK(status == PL_E_SINGULAR || (takes_indefinite(names) && status != PL_OK));
    free(b), free(x), free(scale);
    pl_bsr_destroy(A);
  }
}

TEST(hidden_singular_matrices_are_found) { for_all_pairs(check_scaled_singular); }

/* A singular matrix with a right side in its range is solvable, and solved. */
static void check_consistent(const pair *names)
{
  pl_bsr *A = test_laplacian(17, 11);
  double *b = test_vector(A->rows), *x = calloc(3 * (size_t)A->rows, sizeof *x);
  double *y = test_vector(A->rows);
  pl_bsr_multiply(A, y, b, NULL);
  pl_solve_report report;
  if (is_complete(names)) {
    CHECK_FAILS(solve(names, A, NULL, b, x, 1e-8, NULL, &report, error), PL_E_SINGULAR,
                "nothing resists");
  } else {
    CHECK_OK(solve(names, A, NULL, b, x, 1e-8, NULL, &report, error));
    CHECK(report.residual <= 1.01e-8 * test_length(b, A->rows));
  }
  free(b), free(x), free(y);
  pl_bsr_destroy(A);
}

TEST(consistent_singular_systems_are_solved) { for_all_pairs(check_consistent); }

static void check_not_finite(const pair *names)
{
  int rows = 20;
  pl_bsr *A = test_spd(rows);
  double *b = test_vector(rows), *x = test_vector(rows);
  const double bad[] = {NAN, INFINITY};
  for (int k = 0; k < 2; k++) {
    double kept = b[7];
    b[7] = bad[k];
    pl_status status = solve(names, A, NULL, b, x, 1e-6, NULL, NULL, NULL);
    CHECK(status == PL_E_DIVERGED);
    b[7] = kept;
    kept = A->values[40];
    A->values[40] = bad[k];
    status = solve(names, A, NULL, b, x, 1e-6, NULL, NULL, NULL);
    CHECK(status == PL_E_DIVERGED || status == PL_E_SINGULAR);
    A->values[40] = kept;
  }

  // finite numbers whose products are not
  for (int i = 0; i < 3 * rows; i++) b[i] *= 1e300;
  CHECK(solve(names, A, NULL, b, x, 1e-6, NULL, NULL, NULL) == PL_E_DIVERGED);
  for (int i = 0; i < 3 * rows; i++) b[i] = 1;
  pl_solver *solver = make_solver(names, A);
  CHECK_FAILS(pl_solver_solve(solver, A, NULL, b, x, NAN, NULL, NULL, error), PL_E_ARGUMENT, "nan");
  CHECK_FAILS(pl_solver_solve(solver, A, NULL, b, x, -1, NULL, NULL, error), PL_E_ARGUMENT, "-1");
  pl_solver_destroy(solver);
  free(b), free(x);
  pl_bsr_destroy(A);
}

TEST(what_is_not_finite_is_found) { for_all_pairs(check_not_finite); }

/* Heavy rows beside light ones: contrasts of 1e10 are no reason to call a matrix singular. */
static void check_contrast(const pair *names)
{
  pl_bsr *A = test_laplacian(12, 12);
  for (int row = 0; row < A->rows; row++) {
    for (int c = 0; c < 9; c += 4)
      A->values[9 * A->diagonal[row] + c] += row % 5 == 0 ? 1e10 : row % 7 == 0 ? 1 : 0;
  }
  double *b = test_vector(A->rows), *x = calloc(3 * (size_t)A->rows, sizeof *x);
  CHECK_OK(solve(names, A, NULL, b, x, 1e-9, NULL, NULL, error));
  free(b), free(x);
  pl_bsr_destroy(A);
}

TEST(contrasts_are_endured) { for_all_pairs(check_contrast); }

static void check_bad_block(const pair *names)
{
  int rows = 700;
  if (strcmp(names->preconditioner.name, "none") == 0) return; // looks at no block
  int whole = strcmp(names->preconditioner.name, "diagonal") != 0;
  pl_bsr *A = test_spd(rows);
  double *b = test_vector(rows), *x = test_vector(rows);
  const double worse[3][9] = {{0}, {1, 0, 0, 0, -1, 0, 0, 0, 1}, {1, 2, 0, 2, 1, 0, 0, 0, 1}};
  pl_filter fixed = {.count = 1, .nodes = (const int[]){431}, .projections = (const double[9]){0}};
  for (int k = 0; k < 2 + whole; k++) {
    memcpy(A->values + 9 * A->diagonal[431], worse[k], sizeof worse[k]);
    CHECK_FAILS(solve(names, A, NULL, b, x, 1e-6, NULL, NULL, error),
                k == 0 ? PL_E_SINGULAR : PL_E_INDEFINITE, "diagonal block of row 431");
    // a fixed node needs no stiffness of its own
    CHECK_OK(solve(names, A, &fixed, b, x, 1e-6, NULL, NULL, error));
  }
  free(b), free(x);
  pl_bsr_destroy(A);
}

TEST(bad_diagonal_blocks_are_named) { for_all_pairs(check_bad_block); }

/* A definite matrix whose incomplete factors have no real root: the diagonal is raised, the solve
 * succeeds, and the reason says so. (Kershaw 1978, 3.1: the 4x4 example, here by blocks.) */
TEST(breakdowns_are_mended_and_told)
{
  static const double M[4][4] = {{3, -2, 0, 2}, {-2, 3, -2, 0}, {0, -2, 3, -2}, {2, 0, -2, 3}};
  static const int edges[] = {0, 1, 1, 2, 2, 3, 3, 0};
  pl_cliques cliques = {4, 2, edges, 0};
  const char *const words[] = {"incomplete-cholesky", "threshold-cholesky"};
  pl_bsr *A = NULL;
  CHECK_OK(pl_bsr_create(NULL, 4, &cliques, 1, &A, error));
  for (int row = 0; row < 4; row++) {
    for (int k = A->start[row]; k < A->start[row + 1]; k++) {
      for (int c = 0; c < 9; c += 4) A->values[9 * k + c] = M[row][A->columns[k]];
    }
  }
  double *b = test_vector(4);
  for (int k = 0; k < 2; k++) {
    pl_setting none = {"fill", {0}, NULL};
    pair names = {{"cg", NULL, 0}, {words[k], &none, k}};
    pl_solver *solver = make_solver(&names, A);
    double x[12] = {0};
    const char *reason = "";
    CHECK_OK(pl_solver_prepare(solver, A, NULL, NULL, NULL, error));
    CHECK_OK(pl_solver_solve(solver, A, NULL, b, x, 1e-9, NULL, NULL, error));
    CHECK(test_residual(A, NULL, b, x) <= 1e-9);
    CHECK(strcmp(solver->preconditioner->ops->choice(solver->preconditioner, &reason), words[k]) ==
          0);
    CHECK(strstr(reason, "the diagonal is raised") != NULL);
    pl_solver_destroy(solver);
  }
  free(b);
  pl_bsr_destroy(A);
}

TESTS(X(indefinite_matrices_are_found) X(singular_matrices_are_found)
          X(hidden_singular_matrices_are_found) X(consistent_singular_systems_are_solved)
              X(what_is_not_finite_is_found) X(contrasts_are_endured)
                  X(bad_diagonal_blocks_are_named) X(breakdowns_are_mended_and_told))
