/* What the automatic solvers take, and the direct solver's memory: factors and columns that are
 * kept for as long as they serve. */
#include "sparse/factor.h"
#include "sparse/vector.h"
#include "system.h"

static pl_solver *make_solver_with(const char *name, const pl_setting *setting,
                                   const char *preconditioner, const pl_bsr *A)
{
  pl_allocator allocator = pl_allocator_default();
  pl_selection solver, part;
  pl_solver *made = NULL;
  CHECK_OK(pl_choice_resolve(&pl_solver_family, &(pl_choice){name, setting, setting != NULL},
                             &solver.member, solver.values, error));
  CHECK_OK(pl_choice_resolve(&pl_preconditioner_family, &(pl_choice){preconditioner, NULL, 0},
                             &part.member, part.values, error));
  CHECK_OK(pl_solver_create(&allocator, &solver, &part, A, &made, error));
  return made;
}

static pl_solver *make_solver(const char *name, const char *preconditioner, const pl_bsr *A)
{
  return make_solver_with(name, NULL, preconditioner, A);
}

static int solve(pl_solver *solver, const pl_bsr *A, const pl_filter *filter, double *x)
{
  double *b = malloc(3 * (size_t)A->rows * sizeof *b);
  pl_solve_report report = {0};
  for (int i = 0; i < 3 * A->rows; i++) b[i] = 1 + i % 7;
  memset(x, 0, 3 * (size_t)A->rows * sizeof *x);
  CHECK_OK(pl_solver_prepare(solver, A, NULL, filter, NULL, error));
  CHECK_OK(pl_solver_solve(solver, A, filter, b, x, 1e-9 * test_length(b, A->rows), NULL, &report,
                           error));
  CHECK(test_residual(A, filter, b, x) <= 1.02e-9 * test_length(b, A->rows));
  free(b);
  return report.iterations;
}

static void add_mass(pl_bsr *A, double mass)
{
  for (int row = 0; row < A->rows; row++) {
    for (int c = 0; c < 9; c += 4) A->values[9 * A->diagonal[row] + c] += mass;
  }
}

/* What auto takes at last for a grid of this size with this mass. */
static void check_auto(int width, int height, double mass, const char *preconditioner,
                       const char *expected, const char *why)
{
  pl_bsr *A = test_laplacian(width, height);
  add_mass(A, mass);
  double *x = malloc(3 * (size_t)A->rows * sizeof *x);
  pl_solver *solver = make_solver("auto", preconditioner, A);
  for (int i = 0; i < 3; i++) solve(solver, A, NULL, x);
  const char *reason;
  const pl_solver *used = pl_solver_in_use(solver, &reason);
  CHECK(strcmp(used->ops->info.name, expected) == 0);
  if (!strstr(reason, why)) printf("  %s: %s\n", used->ops->info.name, reason);
  CHECK(strstr(reason, why));
  pl_solver_destroy(solver);
  free(x);
  pl_bsr_destroy(A);
}

TEST(auto_takes_what_suits)
{
  check_auto(10, 10, 0.1, "auto", "eisenstat", "fewer than 400");
  // mass rules, or it does not
  check_auto(30, 30, 10, "auto", "eisenstat", "mass rules");
  check_auto(40, 40, 0.1, "auto", "eisenstat", "mass rules");
  check_auto(22, 22, 1e-4, "auto", "eisenstat", "484 rows are few");
  check_auto(60, 60, 1e-5, "auto", "cg", "little mass");
  check_auto(75, 75, 10, "auto", "eisenstat", "mass rules");
  check_auto(10, 10, 0.1, "ssor", "cg", "was chosen");
}

/* Bytes that a solver for A takes. */
static double bytes_of(const char *name, const char *preconditioner, const pl_bsr *A)
{
  counter memory = {0};
  pl_allocator allocator = counter_allocator(&memory);
  pl_selection solver, part;
  pl_solver *made = NULL;
  CHECK_OK(pl_choice_resolve(&pl_solver_family, &(pl_choice){name, NULL, 0}, &solver.member,
                             solver.values, error));
  CHECK_OK(pl_choice_resolve(&pl_preconditioner_family, &(pl_choice){preconditioner, NULL, 0},
                             &part.member, part.values, error));
  CHECK_OK(pl_solver_create(&allocator, &solver, &part, A, &made, error));
  pl_solver_destroy(made);
  return (double)memory.peak;
}

/* It has the choice of two and stands in the place of one. */
TEST(auto_takes_little_more_than_the_larger_way)
{
  pl_bsr *A = test_laplacian(60, 60);
  double cheap = bytes_of("eisenstat", "auto", A), strong = bytes_of("cg", "multigrid", A);
  double both = bytes_of("auto", "auto", A);
  printf("  eisenstat %.0f, multigrid %.0f, auto %.0f bytes\n", cheap, strong, both);
  CHECK(both >= fmax(cheap, strong) && both < 1.15 * fmax(cheap, strong));
  pl_bsr_destroy(A);
}

/* What auto takes if a solve may not have more than this many iterations. */
static void check_budget(int width, double max, const char *expected, const char *preconditioner,
                         const char *why)
{
  pl_bsr *A = test_laplacian(width, width);
  add_mass(A, 10);
  pl_setting few = {.name = "iterations", .value = {max}};
  pl_solver *solver = make_solver_with("auto", &few, "auto", A);
  CHECK_OK(pl_solver_prepare(solver, A, NULL, NULL, NULL, error));
  const char *reason;
  const pl_solver *used = pl_solver_in_use(solver, &reason);
  CHECK(strcmp(used->ops->info.name, expected) == 0);
  CHECK(strcmp(used->preconditioner->ops->info.name, preconditioner) == 0);
  CHECK(strstr(reason, why));
  pl_solver_destroy(solver);
  pl_bsr_destroy(A);
}

/* Few iterations are worth most with multigrid, even where mass rules; if there is a hierarchy. */
TEST(auto_makes_most_of_a_budget)
{
  check_budget(30, 49, "cg", "multigrid", "a budget of 49 iterations");
  check_budget(30, 4, "cg", "multigrid", "a budget of 4 iterations");
  check_budget(30, 50, "eisenstat", "none", "mass rules");
  check_budget(19, 4, "eisenstat", "none", "fewer than 400");
}

/* Where every solve is cut off, what is missing counts: the cheap way is left, though the bound
 * spoke for it and it never took more than 10 iterations. */
TEST(auto_counts_what_is_cut_off)
{
  pl_bsr *A = test_laplacian(40, 40);
  add_mass(A, 0.02);
  double *b = malloc(3 * (size_t)A->rows * sizeof *b), *x = calloc(3 * (size_t)A->rows, sizeof *x);
  for (int i = 0; i < 3 * A->rows; i++) b[i] = 1 + i % 7;
  pl_solver *solver = make_solver("auto", "auto", A);
  const char *reason, *expected[] = {"eisenstat", "cg"};
  for (int i = 0; i < 2; i++) {
    CHECK_OK(pl_solver_prepare(solver, A, NULL, NULL, NULL, error));
    CHECK(strcmp(pl_solver_in_use(solver, &reason)->ops->info.name, expected[i]) == 0);
    pl_solver_limit(solver, 10);
    memset(x, 0, 3 * (size_t)A->rows * sizeof *x);
    pl_status status =
        pl_solver_solve(solver, A, NULL, b, x, 1e-14 * test_length(b, A->rows), NULL, NULL, NULL);
    CHECK(status == PL_OK || status == PL_E_CONVERGENCE);
  }
  CHECK(strstr(reason, "multigrid is tried") != NULL);
  pl_solver_destroy(solver);
  free(b), free(x);
  pl_bsr_destroy(A);
}

/* A grid with a weak mass. The four nodes at one corner are coupled more strongly than all others,
 * by a matrix whose one motion has an eigenvalue of D^-1 A of about twice what the grid has. */
static pl_bsr *make_knot(int width, double strength)
{
  int rows = width * width, count = 0, *nodes = malloc(4 * (size_t)rows * sizeof *nodes);
  for (int row = 0; row + width + 1 < rows; row++) {
    if (row % width + 1 == width) continue;
    int clique[] = {row, row + 1, row + width, row + width + 1};
    memcpy(nodes + 4 * count++, clique, sizeof clique);
  }
  pl_bsr *A = NULL;
  CHECK_OK(pl_bsr_create(NULL, rows, &(pl_cliques){count, 4, nodes, 0}, 1, &A, error));
  for (int e = 0; e < count; e++) {
    for (int k = 0; k < 16; k++) {
      int block = pl_bsr_find(A, nodes[4 * e + k / 4], nodes[4 * e + k % 4]);
      double sign = (k / 4 + k % 4) % 2 ? -1 : 1;
      double value = (k / 4 == k % 4 ? 3 : -1) + (e == 0 ? sign * strength : 0);
      for (int c = 0; c < 9; c += 4) A->values[9 * block + c] += value;
    }
  }
  add_mass(A, 1e-5);
  free(nodes);
  return A;
}

/* The strong coupling comes after the hierarchy was made: the smoother does not know its
 * eigenvalue, and is not positive definite there. It is told, and does better. */
TEST(multigrid_that_is_refused_estimates_anew)
{
  const char *names[] = {"cg", "auto"};
  for (int i = 0; i < 2; i++) {
    pl_bsr *A = make_knot(40, 0), *knot = make_knot(40, 3);
    double *x = calloc(3 * (size_t)A->rows, sizeof *x), *b = calloc(3 * (size_t)A->rows, sizeof *b);
    pl_solver *solver = make_solver(names[i], i ? "auto" : "multigrid", A);
    solve(solver, A, NULL, x);
    memcpy(A->values, knot->values, 9 * (size_t)A->start[A->rows] * sizeof *A->values);
    // a force on that one motion alone
    for (int k = 0; k < 4; k++) b[3 * (k % 2 + 40 * (k / 2))] = k % 2 ? -1 : 1;
    memset(x, 0, 3 * (size_t)A->rows * sizeof *x);
    CHECK_OK(pl_solver_prepare(solver, A, NULL, NULL, NULL, error));
    CHECK_OK(pl_solver_solve(solver, A, NULL, b, x, 1e-9, NULL, NULL, error));
    CHECK(test_residual(A, NULL, b, x) <= 1.02e-9);
    const char *reason;
    CHECK(strcmp(pl_solver_in_use(solver, &reason)->ops->info.name, "cg") == 0);
    pl_solver_destroy(solver);
    free(x), free(b);
    pl_bsr_destroy(A), pl_bsr_destroy(knot);
  }
}

/* Takes the coupling of rows below and from border on away, and makes the latter this soft. */
static void tear(pl_bsr *A, int border, double softness)
{
  for (int row = 0; row < A->rows; row++) {
    double *D = A->values + 9 * A->diagonal[row], lost = 0;
    for (int k = A->start[row]; k < A->start[row + 1]; k++) {
      if ((A->columns[k] < border) == (row < border)) continue;
      lost -= A->values[9 * k];
      memset(A->values + 9 * k, 0, 9 * sizeof *D);
    }
    for (int c = 0; c < 9; c += 4) D[c] -= lost;
    for (int k = 9 * A->start[row]; k < 9 * A->start[row + 1] && row >= border; k++)
      A->values[k] *= softness;
  }
}

/* Two grids of which one is so soft that single precision cannot hold both: multigrid cannot be
 * made, and auto, solver or preconditioner, goes on with what can. */
TEST(auto_falls_back_where_multigrid_fails)
{
  const char *solvers[] = {"auto", "cg"}, *expected[] = {"eisenstat", "block-diagonal"};
  for (int i = 0; i < 2; i++) {
    pl_bsr *A = test_laplacian(60, 60);
    add_mass(A, 1e-5);
    tear(A, 1800, 1e-60);
    double *x = calloc(3 * (size_t)A->rows, sizeof *x), *b = calloc(3 * (size_t)A->rows, sizeof *b);
    for (int k = 0; k < 3 * A->rows; k++) b[k] = 1 + k % 7;
    pl_solver *solver = make_solver(solvers[i], "auto", A);
    for (int round = 0; round < 3; round++) {
      memset(x, 0, 3 * (size_t)A->rows * sizeof *x);
      CHECK_OK(pl_solver_prepare(solver, A, NULL, NULL, NULL, error));
      CHECK_OK(pl_solver_solve(solver, A, NULL, b, x, 1e-8 * test_length(b, A->rows), NULL, NULL,
                               error));
      const char *reason, *name = pl_solver_in_use(solver, &reason)->ops->info.name;
      if (i) name = solver->preconditioner->ops->choice(solver->preconditioner, &reason);
      CHECK(strcmp(name, expected[i]) == 0);
      if (!strstr(reason, "multigrid failed")) printf("  %d %d: %s\n", i, round, reason);
      CHECK(strstr(reason, "multigrid failed"));
    }
    pl_solver_destroy(solver);
    free(x), free(b);
    pl_bsr_destroy(A);
  }
}

/* Adds a skew part: what one neighbour pushes at the other is not pushed back. */
static void add_skew(pl_bsr *A, double size)
{
  for (int row = 0; row < A->rows; row++) {
    for (int k = A->start[row]; k < A->start[row + 1]; k++) {
      for (int c = 0; c < 9 && A->columns[k] != row; c += 4)
        A->values[9 * k + c] += A->columns[k] > row ? size : -size;
    }
  }
  A->is_unsymmetric = 1;
}

/* The way that nearly-symmetric goes for a grid with this skew part, and the iterations of the
 * last of these solves. */
static int take_way(double skew, int solves, const char *expected)
{
  pl_bsr *A = test_laplacian(10, 10);
  add_mass(A, 0.5);
  add_skew(A, skew);
  double *x = malloc(3 * (size_t)A->rows * sizeof *x);
  pl_solver *solver = make_solver("nearly-symmetric", "auto", A);
  int iterations = 0;
  for (int i = 0; i < solves; i++) iterations = solve(solver, A, NULL, x);
  const char *reason;
  CHECK(strcmp(pl_solver_in_use(solver, &reason)->ops->info.name, expected) == 0);
  CHECK(strstr(reason, "symmetric"));
  pl_solver_destroy(solver);
  free(x);
  pl_bsr_destroy(A);
  return iterations;
}

/* A skew part of some percent costs nothing, beyond rounding of the count; where it rules, the
 * first try is in vain, and after it none is made for some time. */
TEST(nearly_symmetric_has_a_net)
{
  int none = take_way(0, 1, "eisenstat"), small = take_way(0.01, 1, "eisenstat");
  int tried = take_way(2, 1, "bicgstab"), spared = take_way(2, 2, "bicgstab");
  printf("  %d, %d, %d, %d iterations\n", none, small, tried, spared);
  CHECK(small <= none + 3);
  CHECK(spared < tried);
  // the third one tries again, the next two do not
  CHECK(take_way(2, 3, "bicgstab") == tried);
  CHECK(take_way(2, 4, "bicgstab") == spared && take_way(2, 5, "bicgstab") == spared);
}

/* ---- constraints around a factor ---- */

/* The first count of the nodes 0, 3, 6, ... may not move along a slanted direction; every fourth
 * of them not at all. */
static pl_filter touch(int count, int *nodes, double *projections, char *transient)
{
  const double n[3] = {2. / 3, -1. / 3, 2. / 3};
  for (int i = 0; i < count; i++) {
    nodes[i] = 3 * i;
    transient[i] = 1;
    for (int k = 0; k < 9; k++)
      projections[9 * i + k] = i % 4 == 3 ? 0 : (k % 4 == 0) - n[k % 3] * n[k / 3];
  }
  return (pl_filter){
      .count = count, .nodes = nodes, .projections = projections, .transient = transient};
}

TEST(transient_constraints_cost_once)
{
  enum { MOST = 10 };
  int nodes[MOST];
  double projections[9 * MOST];
  char transient[MOST];
  pl_bsr *A = test_spd(60);
  double *x = malloc(180 * sizeof *x), *y = malloc(180 * sizeof *y), *b = malloc(180 * sizeof *b);
  for (int i = 0; i < 180; i++) b[i] = 1 + i % 7;
  pl_solver *solver = make_solver("direct", "auto", A);
  const pl_preconditioner *factor = solver->preconditioner;
  // 10 nodes, of which two are held in all directions: 14 columns; fewer and again as many cost
  // none
  const int counts[] = {4, 10, 10, 6, 0, 10}, columns[] = {6, 14, 14, 14, 14, 14};
  for (int i = 0; i < 6; i++) {
    pl_filter filter = touch(counts[i], nodes, projections, transient);
    CHECK(solve(solver, A, &filter, x) == 1);
    memset(y, 0, 180 * sizeof *y);
    test_dense_solve(A, &filter, b, y);
    CHECK(test_distance(x, y, 60) <= 1e-7);
    CHECK(factor->factorisations == 1 && factor->constraint_solves == columns[i]);
  }
  // what is held for good belongs into the factor
  pl_filter filter = touch(10, nodes, projections, transient);
  transient[0] = 0;
  CHECK(solve(solver, A, &filter, x) == 1);
  CHECK(factor->factorisations == 2 && factor->constraint_solves == 14 + 13);
  pl_solver_destroy(solver);
  free(x), free(y), free(b);
  pl_bsr_destroy(A);
}

TEST(many_constraints_go_into_the_factor)
{
  enum { MOST = 300 };
  int nodes[MOST];
  double projections[9 * MOST];
  char transient[MOST];
  pl_bsr *A = test_laplacian(40, 25);
  add_mass(A, 0.1);
  double *x = malloc(3000 * sizeof *x);
  pl_solver *solver = make_solver("direct", "auto", A);
  pl_filter filter = touch(MOST, nodes, projections, transient);
  CHECK(solve(solver, A, &filter, x) == 1);
  CHECK(solver->preconditioner->constraint_solves == 0);
  // and out of it again
  filter = touch(20, nodes, projections, transient);
  CHECK(solve(solver, A, &filter, x) == 1);
  CHECK(solver->preconditioner->factorisations == 2);
  CHECK(solver->preconditioner->constraint_solves == 30);
  pl_solver_destroy(solver);
  free(x);
  pl_bsr_destroy(A);
}

TEST(factors_are_reused_and_renewed)
{
  pl_bsr *A = test_laplacian(30, 30);
  add_mass(A, 0.1);
  double *x = malloc(2700 * sizeof *x);
  pl_setting patience = {.name = "patience", .value = {1}};
  pl_solver *solver = make_solver_with("direct", &patience, "auto", A);
  CHECK(solve(solver, A, NULL, x) == 1);
  // a small change costs some iterations, but no new factor
  for (int row = 0; row < A->rows; row += 2) A->values[9 * A->diagonal[row]] *= 1.02;
  int iterations = solve(solver, A, NULL, x);
  CHECK(iterations > 1 && iterations < 15 && solver->preconditioner->factorisations == 1);
  // a large one is answered by a new factor soon
  for (int row = 0; row < A->rows; row += 3) A->values[9 * A->diagonal[row]] *= 50;
  for (int i = 0; i < 30 && iterations > 1; i++) iterations = solve(solver, A, NULL, x);
  CHECK(iterations == 1 && solver->preconditioner->factorisations == 2);
  pl_solver_destroy(solver);
  free(x);
  pl_bsr_destroy(A);
}

/* With matrices that have little in common a kept factor would cost more than new ones. */
TEST(factors_are_not_kept_for_matrices_that_differ)
{
  pl_bsr *A = test_laplacian(30, 30);
  add_mass(A, 0.1);
  double *x = malloc(2700 * sizeof *x);
  pl_solver *solver = make_solver("direct", "auto", A);
  int iterations = solve(solver, A, NULL, x);
  for (int i = 0; i < 9; i++) {
    for (int row = i; row < A->rows; row += 9) A->values[9 * A->diagonal[row]] *= 1e4;
    iterations += solve(solver, A, NULL, x);
  }
  printf("  10 matrices: %d factors, %d iterations\n", (int)solver->preconditioner->factorisations,
         iterations);
  CHECK(solver->preconditioner->factorisations == 9);
  CHECK(iterations < 60);
  pl_solver_destroy(solver);
  free(x);
  pl_bsr_destroy(A);
}

/* What the analysis predicts is told before it is tried, not by running out of memory. */
TEST(factors_that_do_not_fit_are_refused)
{
  CHECK_OK(pl_factor_fits(1e8, 2e9, error));
  CHECK_FAILS(pl_factor_fits(1e9, 8e9, error), PL_E_LIMIT, "1e+09 numbers and take 10.4 GB");
  CHECK(pl_machine_memory() > 1e7);
}

/* Where an indefinite matrix is expected auto solves it, and goes back to definite ones after that.
 */
TEST(auto_bears_indefinite_matrices_on_demand)
{
  pl_bsr *A = test_laplacian(30, 30);
  int n = 3 * A->rows;
  double *b = calloc((size_t)n, sizeof *b), *x = calloc((size_t)n, sizeof *x);
  for (int i = 0; i < n; i++) b[i] = sin(i);
  pl_solver *solver = make_solver_with("auto", NULL, "auto", A);
  for (int turn = 0; turn < 3; turn++) {
    int is_indefinite = turn == 1;
    const char *reason;
    // the least eigenvalues of the Laplacian are 0 and pi^2 / 30^2 = 0.011
    add_mass(A, turn == 0 ? 1 : is_indefinite ? -1.005 : 1.005);
    pl_solver_expect_indefinite(solver, is_indefinite);
    memset(x, 0, (size_t)n * sizeof *x);
    CHECK_OK(pl_solver_prepare(solver, A, NULL, NULL, NULL, error));
    pl_solve_report report;
    CHECK_OK(pl_solver_solve(solver, A, NULL, b, x, 1e-8, NULL, &report, error));
    CHECK(report.residual <= 1e-8);
    const char *name = pl_solver_in_use(solver, &reason)->ops->info.name;
    CHECK((strcmp(name, "minres") == 0) == is_indefinite);
  }
  pl_solver_destroy(solver);
  pl_bsr_destroy(A);
  free(b);
  free(x);
}

TESTS(X(auto_bears_indefinite_matrices_on_demand) X(auto_takes_what_suits)
          X(auto_takes_little_more_than_the_larger_way) X(auto_makes_most_of_a_budget)
              X(auto_counts_what_is_cut_off) X(multigrid_that_is_refused_estimates_anew)
                  X(auto_falls_back_where_multigrid_fails) X(nearly_symmetric_has_a_net)
                      X(transient_constraints_cost_once) X(many_constraints_go_into_the_factor)
                          X(factors_are_reused_and_renewed)
                              X(factors_are_not_kept_for_matrices_that_differ)
                                  X(factors_that_do_not_fit_are_refused))
