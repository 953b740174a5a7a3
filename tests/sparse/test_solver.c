/* What every solver must keep with every preconditioner: a member is tested the moment it is
 * listed. */
#include "sparse/vector.h"

#include "combinations.h"

/* The solution differs from the dense one by no more than the residual allows: the matrices' least
 * eigenvalue is above 0.1, so |x - y| <= 10 |r|, plus rounding of the dense solve. */
static void check_dense(const pair *names)
{
  for (int rows = 1; rows <= 25; rows += 8) {
    for (int constrained = 0; constrained < 2; constrained++) {
      pl_bsr *A = test_spd(rows);
      test_filter constraints = {0};
      if (constrained) test_constrain(&constraints, rows);
      const pl_filter *filter = constrained ? &constraints.filter : NULL;
      double *b = test_vector(rows), *x = test_vector(rows), *y = test_vector(rows);
      memcpy(y, x, 3 * (size_t)rows * sizeof *x);
      test_dense_solve(A, filter, b, y);

      pl_solve_report report = {0};
      double target = 1e-10 * test_length(b, rows);
      CHECK_OK(solve(names, A, filter, b, x, 1e-10, NULL, &report, error));
      CHECK(test_distance(x, y, rows) <= 20 * target + 1e-12);
      CHECK(report.residual <= 1.01 * target);
      CHECK(report.products >= 1 && report.iterations >= 0);

      // the reported residual is the true one, up to rounding in its own computation
      CHECK_NEAR(report.residual, test_residual(A, filter, b, x), 1e-13 * test_length(b, rows));
      free(b), free(x), free(y);
      pl_bsr_destroy(A);
    }
  }
}

TEST(agrees_with_the_dense_solution) { for_all_pairs(check_dense); }

/* Prescribed values are kept to the bit where a node is fixed, and to rounding on planes and
 * lines. */
static void check_prescribed(const pair *names)
{
  int rows = 50;
  pl_bsr *A = test_spd(rows);
  test_filter constraints;
  test_constrain(&constraints, rows);
  const pl_filter *filter = &constraints.filter;
  double *b = test_vector(rows), *x = test_vector(rows), *given = test_vector(rows);
  memcpy(given, x, 3 * (size_t)rows * sizeof *x);
  CHECK_OK(solve(names, A, filter, b, x, 1e-8, NULL, NULL, error));
  for (int i = 0; i < filter->count; i++) {
    const double *P = filter->projections + 9 * i;
    double change[3];
    for (int c = 0; c < 3; c++)
      change[c] = x[3 * filter->nodes[i] + c] - given[3 * filter->nodes[i] + c];
    for (int c = 0; c < 3; c++) {
      double kept = change[c] - P[c] * change[0] - P[3 + c] * change[1] - P[6 + c] * change[2];
      if (P[0] + P[4] + P[8] < 0.5) CHECK(kept == 0);
      CHECK_NEAR(kept, 0, 1e-13);
    }
  }
  free(b), free(x), free(given);
  pl_bsr_destroy(A);
}

TEST(prescribed_values_are_kept) { for_all_pairs(check_prescribed); }

static void check_warm_start(const pair *names)
{
  int rows = 60;
  pl_bsr *A = test_spd(rows);
  double *b = test_vector(rows), *x = test_vector(rows), *again = test_vector(rows);
  pl_solve_report report;
  CHECK_OK(solve(names, A, NULL, b, x, 1e-12, NULL, &report, error));
  int cold = report.iterations;
  memcpy(again, x, 3 * (size_t)rows * sizeof *x);
  CHECK_OK(solve(names, A, NULL, b, again, 1e-10, NULL, &report, error));
  CHECK(report.iterations == 0 && memcmp(x, again, 3 * (size_t)rows * sizeof *x) == 0);

  // a good guess saves iterations
  for (int i = 0; i < 3 * rows; i++) again[i] += 1e-8 * test_uniform();
  CHECK_OK(solve(names, A, NULL, b, again, 1e-10, NULL, &report, error));
  CHECK(report.iterations < cold || cold <= is_complete(names));
  free(b), free(x), free(again);
  pl_bsr_destroy(A);
}

TEST(warm_start_costs_nothing) { for_all_pairs(check_warm_start); }

/* Nothing to do: no right side, everything fixed, no rows, a constrained node that nothing holds.
 */
static void check_trivial(const pair *names)
{
  int rows = 30, nodes[30];
  double zeros[90] = {0}, x[90] = {0}, projections[270] = {0};
  pl_bsr *A = test_spd(rows);
  pl_solve_report report;
  CHECK_OK(solve(names, A, NULL, zeros, x, 1e-6, NULL, &report, error));
  CHECK(report.iterations == 0 && report.residual == 0 && memcmp(x, zeros, sizeof x) == 0);

  double *b = test_vector(rows), *guess = test_vector(rows), *kept = test_vector(rows);
  memcpy(kept, guess, sizeof x);
  for (int i = 0; i < rows; i++) nodes[i] = i;
  pl_filter all = {.count = rows, .nodes = nodes, .projections = projections};
  CHECK_OK(solve(names, A, &all, b, guess, 1e-6, NULL, &report, error));
  CHECK(report.iterations == 0 && memcmp(guess, kept, sizeof x) == 0);

  // fixed nodes need neither mass nor stiffness
  pl_bsr_zero(A, NULL);
  CHECK_OK(solve(names, A, &all, b, guess, 1e-6, NULL, &report, error));
  pl_bsr_destroy(A);

  CHECK_OK(pl_bsr_create(NULL, 0, NULL, 0, &A, error));
  CHECK_OK(solve(names, A, NULL, b, guess, 1e-6, NULL, &report, error));
  CHECK(report.iterations == 0 && report.residual == 0);
  pl_bsr_destroy(A);
  free(b), free(guess), free(kept);
}

TEST(nothing_to_do_is_fine) { for_all_pairs(check_trivial); }

/* Targets that rounding puts out of reach end in success, with a residual of rounding's size. */
static void check_unreachable(const pair *names)
{
  int rows = 80;
  pl_bsr *A = test_spd(rows);
  for (int large = 0; large < 2; large++) {
    for (int k = 0; k < 3; k++) {
      double *b = test_vector(rows), *x = test_vector(rows);
      double tolerance = (double[]){0, 1e-17, 1e-15}[k];
      // a guess far off, whose size must not limit the accuracy
      for (int i = 0; large && i < 3 * rows; i++) x[i] *= 1e12;
      pl_solve_report report;
      CHECK_OK(solve(names, A, NULL, b, x, tolerance, NULL, &report, error));
      CHECK(report.residual <= 1e-13 * test_length(b, rows));
      CHECK(report.iterations < 3000);
      free(b), free(x);
    }
  }

  // numbers whose squares vanish
  double *b = test_vector(rows), *x = calloc(3 * (size_t)rows, sizeof *x);
  const double scales[] = {1e-100, 1e-139, 1e-141, 1e-150, 1e-160, 1e-165, 1e-310};
  for (int k = 0; k < 7; k++) {
    double *small = malloc(3 * (size_t)rows * sizeof *small);
    for (int i = 0; i < 3 * rows; i++) small[i] = scales[k] * b[i], x[i] = 0;
    CHECK_OK(solve(names, A, NULL, small, x, 1e-6, NULL, NULL, error));
    free(small);
  }
  free(b), free(x);
  pl_bsr_destroy(A);
}

TEST(rounding_level_is_accepted) { for_all_pairs(check_unreachable); }

/* Stiffness warped by one rotation per row: A_ij = R_i S_ij R_i^T + M, with the rows' rotations up
 * to 1 rad apart. */
static void check_unsymmetric(const pair *names)
{
  if (!takes_unsymmetric(names)) return;
  for (int constrained = 0; constrained < 2; constrained++) {
    int rows = 25;
    pl_bsr *A = test_spd(rows);
    for (int row = 0; row < rows; row++) {
      double c = cos(0.04 * row), s = sin(0.04 * row);
      const double R[9] = {c, s, 0, -s, c, 0, 0, 0, 1};
      for (int k = A->start[row]; k < A->start[row + 1]; k++) {
        double *block = A->values + 9 * k, half[9] = {0}, whole[9] = {0};
        for (int i = 0; i < 27; i++)
          half[i % 9] += R[3 * (i / 9) + i % 3] * block[i % 9 - i % 3 + i / 9];
        for (int i = 0; i < 27; i++)
          whole[i % 9] += half[3 * (i / 9) + i % 3] * R[3 * (i / 9) + i % 9 / 3];
        memcpy(block, whole, sizeof whole);
      }
    }
    test_filter constraints = {0};
    if (constrained) test_constrain(&constraints, rows);
    const pl_filter *filter = constrained ? &constraints.filter : NULL;
    double *b = test_vector(rows), *x = test_vector(rows), *y = test_vector(rows);
    memcpy(y, x, 3 * (size_t)rows * sizeof *x);
    test_dense_solve(A, filter, b, y);
    double skew = 0;
    for (int i = 0; i < 9 * rows * rows; i++)
      skew = fmax(skew, fabs(test_entry(A, i / (3 * rows), i % (3 * rows)) -
                             test_entry(A, i % (3 * rows), i / (3 * rows))));
    CHECK(skew > 1e-3);
    CHECK_OK(solve(names, A, filter, b, x, 1e-11, NULL, NULL, error));
    CHECK(test_distance(x, y, rows) <= 1e-8);
    free(b), free(x), free(y);
    pl_bsr_destroy(A);
  }
}

TEST(unsymmetric_systems_are_solved) { for_all_pairs(check_unsymmetric); }

/* Some diagonal blocks change their sign. */
TEST(symmetric_indefinite_systems_are_solved)
{
  int rows = 20;
  pl_bsr *A = test_spd(rows);
  test_filter constraints;
  test_constrain(&constraints, rows);
  for (int row = 0; row < rows; row += 5) {
    for (int i = 0; i < 9; i++) A->values[9 * A->diagonal[row] + i] *= -1;
  }
  double *b = test_vector(rows), *x = test_vector(rows), *y = test_vector(rows);
  memcpy(y, x, 3 * (size_t)rows * sizeof *x);
  test_dense_solve(A, &constraints.filter, b, y);
  // minimal residuals, or a factor that may have negative pivots
  pl_setting any = {.name = "pivots", .word = "any"};
  pair names[] = {{{"minres", NULL, 0}, {"none", NULL, 0}},
                  {{"gmres", NULL, 0}, {"none", NULL, 0}},
                  {{"direct", &any, 1}, {"none", NULL, 0}},
                  {{"gmres", NULL, 0}, {"factor", &any, 1}}};
  double *start = test_vector(rows);
  memcpy(start, x, 3 * (size_t)rows * sizeof *x);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    memcpy(x, start, 3 * (size_t)rows * sizeof *x);
    CHECK_OK(solve(&names[i], A, &constraints.filter, b, x, 1e-10, NULL, NULL, error));
    CHECK(test_distance(x, y, rows) <= 1e-7);
  }
  free(b), free(x), free(y), free(start);
  pl_bsr_destroy(A);
}

/* A right-hand side along which the matrix is negative: conjugate gradients would refuse it,
 * however good the factor. */
TEST(a_factor_with_negative_pivots_serves_negative_directions)
{
  int rows = 20;
  pl_bsr *A = test_spd(rows);
  for (int row = 0; row < rows; row += 5) {
    for (int i = 0; i < 9; i++) A->values[9 * A->diagonal[row] + i] *= -1;
  }
  pl_setting any = {.name = "pivots", .word = "any"};
  pair names = {{"direct", &any, 1}, {"none", NULL, 0}};
  double *b = calloc(3 * (size_t)rows, sizeof *b), *x = calloc(3 * (size_t)rows, sizeof *x);
  for (int i = 0; i < 3 * rows; i++) b[i] = test_entry(A, i, 15);
  CHECK(b[15] < 0);
  CHECK_OK(solve(&names, A, NULL, b, x, 1e-10, NULL, NULL, error));
  for (int i = 0; i < 3 * rows; i++) CHECK_NEAR(x[i], i == 15, 1e-8);
  free(b), free(x);
  pl_bsr_destroy(A);
}

/* Eisenstat's iterates are those of cg with ssor, at half the sweeps. */
TEST(eisenstat_is_cg_with_ssor)
{
  pl_bsr *A = test_laplacian(30, 20);
  for (int row = 0; row < A->rows; row++) {
    for (int c = 0; c < 9; c += 4) A->values[9 * A->diagonal[row] + c] += 0.01;
  }
  test_filter constraints;
  test_constrain(&constraints, A->rows);
  double *b = test_vector(A->rows);
  int iterations[2];
  for (int k = 0; k < 2; k++) {
    pair names = {{k ? "eisenstat" : "cg", NULL, 0}, {"ssor", NULL, 0}};
    double *x = calloc(3 * (size_t)A->rows, sizeof *x);
    pl_solve_report report;
    CHECK_OK(solve(&names, A, &constraints.filter, b, x, 1e-8, NULL, &report, error));
    iterations[k] = report.iterations;
    free(x);
  }
  // they stop by different norms
  CHECK(abs(iterations[0] - iterations[1]) <= 4);
  free(b);
  pl_bsr_destroy(A);
}

TEST(iterations_are_limited)
{
  pl_bsr *A = test_laplacian(40, 40);
  for (int row = 0; row < A->rows; row++) {
    for (int c = 0; c < 9; c += 4) A->values[9 * A->diagonal[row] + c] += 1e-4;
  }
  double *b = test_vector(A->rows), *x = calloc(3 * (size_t)A->rows, sizeof *x);
  pl_setting few = {"iterations", {7}, NULL};
  pair names = {{"cg", &few, 1}, {"block-diagonal", NULL, 0}};
  pl_solve_report report;
  CHECK_FAILS(solve(&names, A, NULL, b, x, 1e-6, NULL, &report, error), PL_E_CONVERGENCE,
              "in 7 iterations");
  CHECK(report.iterations == 7 && report.products == 8);
  CHECK_NEAR(report.residual, test_residual(A, NULL, b, x), 1e-12 * report.residual);
  CHECK(report.residual < test_length(b, A->rows));
  free(b), free(x);
  pl_bsr_destroy(A);
}

/* Blocks of very different stiffness: preconditioning must pay, and block by block more than
 * entry by entry. */
TEST(preconditioners_save_iterations)
{
  pl_bsr *A = test_spd(200);
  double scale[600], *b = test_vector(200);
  for (int i = 0; i < 600; i++) scale[i] = pow(10, 0.7 * test_uniform());
  for (int row = 0; row < 200; row++) {
    for (int k = A->start[row]; k < A->start[row + 1]; k++) {
      for (int i = 0; i < 9; i++)
        A->values[9 * k + i] *= scale[3 * row + i % 3] * scale[3 * A->columns[k] + i / 3];
    }
  }
  int iterations[3];
  const char *const words[] = {"block-diagonal", "diagonal", "none"};
  for (int k = 0; k < 3; k++) {
    pair names = {{0}, {words[k], NULL, 0}};
    double *x = calloc(600, sizeof *x);
    pl_solve_report report;
    CHECK_OK(solve(&names, A, NULL, b, x, 1e-8, NULL, &report, error));
    iterations[k] = report.iterations;
    free(x);
  }
  CHECK(iterations[0] < iterations[1] && 4 * iterations[1] < iterations[2]);
  free(b);
  pl_bsr_destroy(A);
}

/* Where the preconditioner is the inverse, one iteration does it, with constraints or without. */
TEST(exact_preconditioners_take_one_iteration)
{
  int rows = 30;
  pl_bsr *A = NULL;
  CHECK_OK(pl_bsr_create(NULL, rows, NULL, 0, &A, error));
  test_filter constraints;
  test_constrain(&constraints, rows);
  double *b = test_vector(rows);
  for (int whole = 0; whole < 2; whole++) {
    for (int row = 0; row < rows; row++) {
      double G[9], *D = A->values + 9 * A->diagonal[row];
      for (int i = 0; i < 9; i++) G[i] = test_uniform();
      for (int i = 0; i < 9; i++) {
        D[i] = (i % 4 == 0) * (1 + row);
        for (int k = 0; whole && k < 3; k++) D[i] += G[3 * k + i % 3] * G[3 * k + i / 3];
      }
    }
    pair names = {{0}, {whole ? "block-diagonal" : "diagonal", NULL, 0}};
    for (int constrained = 0; constrained <= whole; constrained++) {
      double *x = test_vector(rows);
      pl_solve_report report;
      const pl_filter *filter = constrained ? &constraints.filter : NULL;
      CHECK_OK(solve(&names, A, filter, b, x, 1e-12, NULL, &report, error));
      CHECK(report.iterations == 1);
      free(x);
    }
  }
  free(b);
  pl_bsr_destroy(A);
}

static void check_threads(const pair *names)
{
  pl_allocator allocator = pl_allocator_default();
  pl_bsr *A = test_laplacian(45, 30);
  for (int row = 0; row < A->rows; row++) {
    for (int c = 0; c < 9; c += 4) A->values[9 * A->diagonal[row] + c] += 0.01;
  }
  test_filter constraints;
  test_constrain(&constraints, A->rows);
  size_t bytes = 3 * (size_t)A->rows * sizeof(double);
  double *b = test_vector(A->rows), *guess = test_vector(A->rows), *first = malloc(bytes);
  const int threads[] = {1, 3, 2, 8};
  pl_solve_report reports[4];
  for (int t = 0; t < (TEST_SANITIZED ? 2 : 4); t++) {
    pl_pool *pool = NULL;
    CHECK_OK(pl_pool_create(&allocator, threads[t], &pool, error));
    double *x = malloc(bytes);
    memcpy(x, guess, bytes);
    CHECK_OK(solve(names, A, &constraints.filter, b, x, 1e-9, pool, &reports[t], error));
    if (t == 0) memcpy(first, x, bytes);
    CHECK(memcmp(first, x, bytes) == 0);
    CHECK(reports[t].iterations == reports[0].iterations &&
          reports[t].iterations > (is_complete(names) ? 0 : 4));
    CHECK(memcmp(&reports[t].residual, &reports[0].residual, sizeof(double)) == 0);
    pl_pool_destroy(pool);
    free(x);
  }
  free(b), free(guess), free(first);
  pl_bsr_destroy(A);
}

TEST(same_bits_for_any_threads) { for_all_pairs(check_threads); }

/* Memory is taken by create alone; if any of it fails, all is given back. */
static void check_memory(const pair *names)
{
  int rows = 40;
  pl_bsr *A = test_spd(rows);
  double *b = test_vector(rows), *x = test_vector(rows);
  for (int k = 0;; k++) {
    counter memory = {.fail_at = k + 1};
    pl_allocator allocator = counter_allocator(&memory);
    pl_solver *solver = NULL;
    pl_error error = {0};
    pl_status status = create(&allocator, names, A, &solver, &error);
    if (status == PL_OK) {
      long calls = memory.calls;
      memory.fail_at = calls + 1; // the next one would fail
      CHECK(calls >= 7 && k >= 7);
      for (int round = 0; round < 3; round++) {
        CHECK(pl_solver_prepare(solver, A, NULL, NULL, NULL, &error) == PL_OK);
        CHECK(pl_solver_solve(solver, A, NULL, b, x, 1e-9, NULL, NULL, &error) == PL_OK);
        x[round] += 1;
      }
      CHECK(memory.calls == calls);
      pl_solver_destroy(solver);
      CHECK(memory.blocks == 0);
      break;
    }
    CHECK(status == PL_E_MEMORY && error.code == PL_E_MEMORY && !solver && memory.blocks == 0);
  }
  free(b), free(x);
  pl_bsr_destroy(A);
}

TEST(memory_is_taken_at_creation_only) { for_all_pairs(check_memory); }

static int count_threshold(const pl_bsr *A, const double *b, double drop, double fill)
{
  pl_setting settings[] = {{"drop", {drop}, NULL}, {"fill", {fill}, NULL}};
  pair names = {{"cg", NULL, 0}, {"threshold-cholesky", settings, 2}};
  double *x = calloc(3 * (size_t)A->rows, sizeof *x);
  pl_solve_report report = {0};
  CHECK_OK(solve(&names, A, NULL, b, x, 1e-8, NULL, &report, error));
  free(x);
  return report.iterations;
}

/* A complete factor where nothing is dropped and there is room; the less is kept, the more
 * iterations; nothing kept but the diagonal is block-diagonal. */
TEST(drop_tolerance_trades_fill_for_iterations)
{
  pl_bsr *A = test_laplacian(20, 20);
  for (int row = 0; row < A->rows; row++) {
    for (int c = 0; c < 9; c += 4) A->values[9 * A->diagonal[row] + c] += 1e-2;
  }
  double *b = test_vector(A->rows);
  CHECK(count_threshold(A, b, 0, 400) == 1);
  int fine = count_threshold(A, b, 1e-3, 400), coarse = count_threshold(A, b, 3e-2, 400);
  int bounded = count_threshold(A, b, 1e-3, 1), none = count_threshold(A, b, 1, 10);
  CHECK(fine > 1 && fine < coarse && fine < bounded && bounded < none && coarse < none);

  pair names = {{"cg", NULL, 0}, {"block-diagonal", NULL, 0}};
  double *x = calloc(3 * (size_t)A->rows, sizeof *x);
  pl_solve_report report = {0};
  CHECK_OK(solve(&names, A, NULL, b, x, 1e-8, NULL, &report, error));
  CHECK(report.iterations == none);
  free(b), free(x);
  pl_bsr_destroy(A);
}

TEST(choices_are_checked)
{
  pl_bsr *A = test_spd(5), *larger = test_spd(6);
  pl_solver *solver = NULL;
  pl_choice preset = {0}, unknown = {"cgg", NULL, 0};
  pl_setting loose = {"tolerance", {0.9}, NULL}, fine = {"tolerance", {1e-9}, NULL};
  pl_choice bad = {"cg", &loose, 1}, good = {"cg", &fine, 1};
  CHECK_FAILS(create(NULL, &(pair){unknown, preset}, A, &solver, error), PL_E_ARGUMENT,
              "did you mean \"cg\"");
  CHECK_FAILS(create(NULL, &(pair){preset, unknown}, A, &solver, error), PL_E_ARGUMENT,
              "unknown preconditioner");
  CHECK_FAILS(create(NULL, &(pair){bad, preset}, A, &solver, error), PL_E_ARGUMENT,
              "tolerance = 0.9");
  CHECK(solver == NULL);
  CHECK_OK(create(NULL, &(pair){good, preset}, A, &solver, error));
  CHECK(pl_solver_tolerance(solver) == 1e-9);
  CHECK_FAILS(pl_solver_prepare(solver, larger, NULL, NULL, NULL, error), PL_E_ARGUMENT, "6 rows");
  double b[18] = {0}, x[18] = {0};
  CHECK_FAILS(pl_solver_solve(solver, larger, NULL, b, x, 0, NULL, NULL, error), PL_E_ARGUMENT,
              "6 rows");
  pl_solver_destroy(solver);
  CHECK_OK(create(NULL, &(pair){preset, preset}, A, &solver, error));
  CHECK(pl_solver_tolerance(solver) == 1e-6);
  CHECK(strcmp(solver->ops->info.name, "auto") == 0);
  pl_solver_destroy(solver);
  pl_solver_destroy(NULL);
  pl_bsr_destroy(A);
  pl_bsr_destroy(larger);

  for (int s = 0; pl_solver_family.members[s]; s++)
    CHECK(strcmp(pl_solver_family.members[s]->params[0].name, "tolerance") == 0);
}

TESTS(X(agrees_with_the_dense_solution) X(prescribed_values_are_kept) X(warm_start_costs_nothing)
          X(nothing_to_do_is_fine) X(rounding_level_is_accepted) X(unsymmetric_systems_are_solved)
              X(symmetric_indefinite_systems_are_solved)
                  X(a_factor_with_negative_pivots_serves_negative_directions)
                      X(eisenstat_is_cg_with_ssor) X(iterations_are_limited)
                          X(preconditioners_save_iterations)
                              X(exact_preconditioners_take_one_iteration)
                                  X(same_bits_for_any_threads) X(memory_is_taken_at_creation_only)
                                      X(drop_tolerance_trades_fill_for_iterations)
                                          X(choices_are_checked))
