/* Matrices by bands: which patterns have them, their products, vectors and solves. */
#include "sparse/bands_kernel.h"
#include "sparse/blockwise.h"
#include "system.h"

/* The row of a place: along the other axis first, and backwards. */
static int row_of(int n, int m, int place) { return n * m - 1 - (place % n * m + place / n); }

/* A sheet of n x m nodes, each coupled with the eight around it and those two further along both
 * axes by symmetric matrices of which the latter are multiples of 1, unless all are full; definite.
 */
static pl_bsr *make_sheet(int n, int m, int is_full)
{
  static const int steps[6][2] = {{1, 0}, {2, 0}, {-1, 1}, {0, 1}, {1, 1}, {0, 2}};
  int *pairs = malloc(12 * (size_t)(n * m) * sizeof *pairs),
      *kinds = malloc(6 * (size_t)(n * m) * sizeof *kinds), count = 0;
  for (int i = 0; i < 6 * n * m; i++) {
    int x = i / 6 % n + steps[i % 6][0], y = i / 6 / n + steps[i % 6][1];
    if (x < 0 || x >= n || y >= m) continue;
    pairs[2 * count] = row_of(n, m, i / 6);
    pairs[2 * count + 1] = row_of(n, m, x + n * y);
    kinds[count++] = i % 6;
  }
  pl_bsr *A = NULL;
  CHECK_OK(pl_bsr_create(NULL, n * m, &(pl_cliques){count, 2, pairs, 0}, 1, &A, error));
  A->lines = pl_alloc(&A->allocator, (size_t)A->rows, sizeof *A->lines);
  for (int i = 0; i < A->rows; i++) {
    A->lines[i] = row_of(n, m, i);
    for (int c = 0; c < 9; c++) A->values[9 * A->diagonal[i] + c] = c % 4 == 0 ? 40 : 0;
  }
  for (int k = 0; k < count; k++) {
    int multiple = !is_full && (kinds[k] == 1 || kinds[k] == 5);
    double *right = A->values + 9 * pl_bsr_find(A, pairs[2 * k], pairs[2 * k + 1]);
    double *left = A->values + 9 * pl_bsr_find(A, pairs[2 * k + 1], pairs[2 * k]);
    double one = test_uniform();
    for (int c = 0; c < 9; c++) right[c] = multiple ? (c % 4 == 0 ? one : 0) : test_uniform();
    for (int c = 0; c < 9; c++) left[c] = right[3 * (c % 3) + c / 3];
  }
  free(pairs), free(kinds);
  return A;
}

static pl_bands *make_bands(const pl_bsr *A)
{
  pl_allocator allocator = pl_allocator_default();
  pl_bands *bands = NULL;
  CHECK_OK(pl_bands_create(&allocator, A, &bands, error));
  return bands;
}

static void load(pl_bands *bands, const pl_bsr *A, double scale)
{
  double *inverse = malloc(9 * (size_t)A->rows * sizeof *inverse);
  for (int i = 0; i < A->rows; i++)
    CHECK(pl_block_invert(A->values + 9 * A->diagonal[i], NULL, inverse + 9 * i) == PL_OK);
  pl_bands_load(bands, A, inverse, scale, NULL);
  free(inverse);
}

/* A p by the kernel; p and the result with three numbers for each row. */
static double multiply(const pl_bands_kernel *kernel, const pl_bands *bands, const double *p,
                       double *q)
{
  double sum = 0;
  for (int i = 0; i < 3 * bands->rows; i++)
    bands->p[bands->stride * (size_t)(i % 3) + (size_t)bands->place_of[i / 3]] = (float)p[i];
  for (int chunk = 0; chunk * bands->chunk < bands->rows; chunk++)
    sum += kernel->multiply(bands, chunk * bands->chunk, pl_bands_last(bands, chunk));
  for (int i = 0; i < 3 * bands->rows; i++)
    q[i] = (double)bands->q[bands->stride * (size_t)(i % 3) + (size_t)bands->place_of[i / 3]];
  return sum;
}

static double reference(const pl_bsr *A, const double *x, size_t i)
{
  double y[3];
  pl_bsr_multiply_row(A, (int)(i / 3), x, y);
  return y[i % 3];
}

/* Products are those of the matrix, to single precision, and both variants have the same bits. */
static void check_products(int n, int m, int is_full)
{
  pl_bsr *A = make_sheet(n, m, is_full);
  pl_bands *bands = make_bands(A);
  size_t count = 3 * (size_t)A->rows;
  double *p = malloc(count * sizeof *p), *q = malloc(count * sizeof *q), dot = 0;
  double *right = malloc(count * sizeof *p), *other = malloc(count * sizeof *q);
  CHECK(bands && bands->count == 7);
  for (size_t i = 0; i < count; i++) p[i] = (double)(float)test_uniform();
  load(bands, A, 0.25);
  for (int b = 1; b < bands->count; b++) {
    int distance = bands->band[b].distance;
    CHECK(bands->band[b].is_full == (is_full || !(distance == 2 || distance == 2 * n)));
  }
  pl_bsr_multiply(A, p, right, NULL);
  double sum = multiply(pl_bands_kernel_pick(), bands, p, q);
  CHECK(sum == multiply(&pl_bands_kernel_base, bands, p, other));
  CHECK(memcmp(q, other, count * sizeof *q) == 0);
  for (size_t i = 0; i < count; i++) {
    CHECK_NEAR(q[i], 0.25 * right[i], 5e-6);
    dot += p[i] * q[i];
  }
  CHECK_NEAR(sum, dot, 1e-9);
  pl_bands_multiply(bands, p, q, right, other, NULL);
  for (size_t i = 0; i < count; i++) CHECK_NEAR(q[i], reference(A, p, i), 1e-12);
  for (size_t i = 0; i < count; i++) CHECK_NEAR(other[i], reference(A, right, i), 1e-10);
  pl_bands_multiply(bands, right, q, NULL, NULL, NULL);
  CHECK(memcmp(q, other, count * sizeof *q) == 0);
  free(p), free(q), free(right), free(other);
  pl_bands_destroy(bands);
  pl_bsr_destroy(A);
}

TEST(products_are_those_of_the_matrix)
{
  check_products(32, 32, 0);
  check_products(21, 37, 0);
  check_products(40, 19, 1);
}

/* A band whose blocks were multiples of 1 may get others, and is right with multiples again. */
TEST(bands_become_full)
{
  pl_bsr *A = make_sheet(20, 20, 0), *B = make_sheet(20, 20, 1);
  pl_bands *bands = make_bands(A);
  double p[1200], q[1200], right[1200];
  for (int i = 0; i < 1200; i++) p[i] = (double)(float)test_uniform();
  for (int k = 0; k < 3; k++) {
    const pl_bsr *now = k == 1 ? B : A;
    load(bands, now, 1);
    pl_bsr_multiply(now, p, right, NULL);
    multiply(pl_bands_kernel_pick(), bands, p, q);
    for (int i = 0; i < 1200; i++) CHECK_NEAR(q[i], right[i], 5e-5);
  }
  pl_bands_destroy(bands);
  pl_bsr_destroy(A);
  pl_bsr_destroy(B);
}

TEST(other_patterns_have_no_bands)
{
  pl_bsr *A = test_spd(600), *small = make_sheet(5, 5, 0), *sheet = make_sheet(20, 20, 0);
  CHECK(!make_bands(A) && !make_bands(small));
  A->lines = pl_alloc(&A->allocator, 600, sizeof *A->lines);
  for (int i = 0; i < 600; i++) A->lines[i] = i;
  CHECK(!make_bands(A));
  sheet->is_unsymmetric = 1;
  CHECK(!make_bands(sheet));
  pl_bsr_destroy(A);
  pl_bsr_destroy(small);
  pl_bsr_destroy(sheet);
}

static float number(const pl_bands *bands, const float *vector, int i)
{
  return vector[bands->stride * (size_t)(i % 3) + (size_t)bands->place_of[i / 3]];
}

/* The passes over vectors against plain loops; x in single precision. */
static void check_vectors(const pl_bands_kernel *kernel)
{
  pl_bsr *A = make_sheet(20, 20, 0);
  pl_bands *bands = make_bands(A);
  enum { COUNT = 1200 };
  double b[COUNT], rz = 0, rr = 0, found_rz, found = 0;
  float r[COUNT], z[COUNT], p[COUNT];
  load(bands, A, 0.5);
  for (int i = 0; i < COUNT; i++) b[i] = test_uniform();
  for (int first = 0; first < 400; first += bands->chunk)
    found += kernel->start(bands, b, first, pl_bands_last(bands, first / bands->chunk), 2);
  for (int i = 0; i < COUNT; i++) {
    r[i] = number(bands, bands->r, i), z[i] = number(bands, bands->q, i);
    CHECK(r[i] == (float)(2 * b[i]));
    CHECK(number(bands, bands->x, i) == 0 && number(bands, bands->p, i) == 0);
    rz += (double)r[i] * (double)z[i];
  }
  CHECK_NEAR(found, rz, 1e-9);
  kernel->turn(bands, 0, 400, 0.5F);
  kernel->turn(bands, 0, 400, 0.5F);
  for (int i = 0; i < COUNT; i++) CHECK((p[i] = number(bands, bands->p, i)) == z[i] + 0.5F * z[i]);
  for (int i = 0; i < COUNT; i++)
    bands->q[bands->stride * (size_t)(i % 3) + (size_t)bands->place_of[i / 3]] = z[i] =
        (float)test_uniform();
  found = kernel->advance(bands, 0, 400, 0.75F, &found_rz);
  rz = 0;
  for (int i = 0; i < COUNT; i++) {
    float left = number(bands, bands->r, i);
    CHECK(number(bands, bands->x, i) == 0.75F * p[i]);
    CHECK(left == r[i] - 0.75F * z[i]);
    rr += (double)left * (double)left;
    rz += (double)left * (double)number(bands, bands->q, i);
  }
  CHECK_NEAR(found, rr, 1e-9);
  CHECK_NEAR(found_rz, rz, 1e-9);
  pl_bands_destroy(bands);
  pl_bsr_destroy(A);
}

TEST(vectors_agree_with_plain_loops)
{
  check_vectors(&pl_bands_kernel_base);
  check_vectors(pl_bands_kernel_pick());
}

static pl_solver *make_solver(const pl_bsr *A)
{
  pl_allocator allocator = pl_allocator_default();
  const pl_setting single = {"precision", {0}, "single"};
  pl_selection solver = {.member = &pl_solver_cg.info}, part;
  pl_solver *made = NULL;
  pl_param_presets(solver.member, solver.values);
  CHECK_OK(pl_choice_resolve(&pl_preconditioner_family, &(pl_choice){"block-diagonal", &single, 1},
                             &part.member, part.values, error));
  CHECK_OK(pl_solver_create(&allocator, &solver, &part, A, &made, error));
  return made;
}

/* Refined to far below what single precision resolves, with constraints and any number of threads;
 * what is held stays to the last bit. */
TEST(solves_are_refined_with_the_same_bits)
{
  pl_bsr *A = make_sheet(50, 30, 0);
  int nodes[] = {0, 7, 700, 1499};
  double projections[36] = {0}, first[4500], x[4500], b[4500];
  for (int i = 0; i < 3; i++) projections[9 + 4 * i] = i > 0; // a node in a plane
  pl_filter held = {.count = 4, .nodes = nodes, .projections = projections};
  for (int i = 0; i < 4500; i++) b[i] = sin((double)i);
  for (int k = 0; k < 3; k++) {
    pl_allocator allocator = pl_allocator_default();
    pl_pool *pool = NULL;
    pl_solve_report report = {0};
    pl_solver *solver = make_solver(A);
    memset(x, 0, sizeof x);
    x[2101] = 0.1;
    CHECK_OK(pl_pool_create(&allocator, 1 + k, &pool, error));
    CHECK_OK(pl_solver_prepare(solver, A, NULL, &held, pool, error));
    CHECK_OK(pl_solver_solve(solver, A, &held, b, x, 1e-10, pool, &report, error));
    CHECK(report.residual <= 1.01e-10);
    CHECK_NEAR(report.residual, test_residual(A, &held, b, x), 1e-12);
    CHECK(x[2101] == 0.1 && x[0] == 0 && x[21] == 0);
    if (k == 0) memcpy(first, x, sizeof x);
    CHECK(memcmp(first, x, sizeof x) == 0);
    pl_solver_destroy(solver);
    pl_pool_destroy(pool);
  }
  pl_bsr_destroy(A);
}

TESTS(X(products_are_those_of_the_matrix) X(bands_become_full) X(other_patterns_have_no_bands)
          X(vectors_agree_with_plain_loops) X(solves_are_refined_with_the_same_bits))
