/* Two elastic blocks in contact: how many iterations a solve takes with the contact-node
 * correction, whatever the stiffness of the contact, and what happens without it. */
// label: long
#include "combinations.h"
#include "sparse/correction.h"
#include "sparse/pairs.h"
#include "sparse/small_factor.h"

/* Two lattices of n x n x m nodes, the second above the first: springs of stiffness 1 along edges
 * and diagonals, the lowest and the highest layer held. */
typedef struct blocks {
  int n, m, rows;
  pl_bsr *A;
  double *points;
  pl_pairs *pairs;
  pl_filter filter;
  int *held;
  double *projections;
} blocks;

static int node_of(const blocks *self, int block, int i, int j, int k)
{
  return ((block * self->m + k) * self->n + j) * self->n + i;
}

/* Edges to the 13 neighbours in front; returns how many there are. */
static int neighbours_of(const blocks *self, int i, int j, int k, int out[13][3])
{
  int count = 0;
  for (int code = 14; code < 27; code++) {
    int at[3] = {i + code % 3 - 1, j + code / 3 % 3 - 1, k + code / 9 - 1};
    if (at[0] < 0 || at[0] >= self->n || at[1] < 0 || at[1] >= self->n || at[2] >= self->m)
      continue;
    memcpy(out[count++], at, sizeof at);
  }
  return count;
}

static void add_spring(pl_bsr *A, const double *points, int a, int b)
{
  double d[3], length = 0;
  for (int i = 0; i < 3; i++) d[i] = points[3 * a + i] - points[3 * b + i], length += d[i] * d[i];
  for (int k = 0; k < 4; k++) {
    int place = pl_bsr_find(A, k / 2 ? a : b, k % 2 ? a : b);
    for (int i = 0; i < 9; i++)
      A->values[9 * place + i] += (k / 2 == k % 2 ? 1 : -1) * d[i / 3] * d[i % 3] / length;
  }
}

static void make_springs(blocks *self)
{
  int *ends = malloc(26 * (size_t)self->rows * sizeof *ends), count = 0;
  for (int node = 0; node < self->rows; node++) {
    int i = node % self->n, j = node / self->n % self->n, layer = node / (self->n * self->n);
    int block = layer / self->m, k = layer % self->m, near[13][3];
    double *x = self->points + 3 * node;
    x[0] = i + 0.3 * block, x[1] = j + 0.3 * block, x[2] = layer;
    for (int e = neighbours_of(self, i, j, k, near); e-- > 0;) {
      ends[2 * count] = node;
      ends[2 * count++ + 1] = node_of(self, block, near[e][0], near[e][1], near[e][2]);
    }
  }
  CHECK_OK(pl_bsr_create(NULL, self->rows, &(pl_cliques){count, 2, ends, 0}, 1, &self->A, error));
  self->A->points = self->points;
  for (int e = 0; e < count; e++) add_spring(self->A, self->points, ends[2 * e], ends[2 * e + 1]);
  free(ends);
}

static blocks make_blocks(int n, int m)
{
  blocks self = {.n = n, .m = m, .rows = 2 * n * n * m};
  self.points = malloc(3 * (size_t)self.rows * sizeof(double));
  make_springs(&self);
  self.held = malloc(2 * (size_t)(n * n) * sizeof(int));
  self.projections = calloc(18 * (size_t)(n * n), sizeof(double));
  for (int i = 0; i < n * n; i++) self.held[i] = i, self.held[n * n + i] = self.rows - n * n + i;
  self.filter =
      (pl_filter){.count = 2 * n * n, .nodes = self.held, .projections = self.projections};
  CHECK_OK(pl_pairs_create(NULL, self.rows, &self.pairs, error));
  CHECK_OK(pl_pairs_reserve(self.pairs, 2 * n * n, 8 * n * n, error));
  return self;
}

static void destroy_blocks(blocks *self)
{
  pl_bsr_destroy(self->A);
  pl_pairs_destroy(self->pairs);
  free(self->points), free(self->held), free(self->projections);
}

/* Every point of the upper block's lowest layer that is above the lower one touches a triangle of
 * its highest layer, stiffness ratio: against its sliding, too, by some friction. */
static void touch(blocks *self, double ratio, double friction)
{
  pl_pairs_clear(self->pairs);
  int n = self->n, top = self->m - 1;
  double D[9] = {ratio * friction, 0, 0, 0, ratio * friction, 0, 0, 0, ratio};
  const double weights[] = {1, -0.4, -0.3, -0.3};
  for (int j = 0; j + 1 < n; j++) {
    for (int i = 0; i + 1 < n; i++) {
      int nodes[] = {node_of(self, 1, i, j, 0), node_of(self, 0, i, j, top),
                     node_of(self, 0, i + 1, j, top), node_of(self, 0, i, j + 1, top)};
      if (ratio > 0) CHECK(pl_pairs_add(self->pairs, &(pl_stencil){4, nodes, weights, NULL, D}));
    }
  }
}

static void add_mass(blocks *self, double mass)
{
  for (int row = 0; row < self->rows; row++) {
    for (int c = 0; c < 9; c += 4) self->A->values[9 * self->A->diagonal[row] + c] += mass;
  }
}

/* Presses the blocks together and pushes a little. */
static double *make_force(const blocks *self)
{
  double *b = calloc(3 * (size_t)self->rows, sizeof *b);
  for (int i = 0; i < self->rows; i++) {
    b[3 * i + 2] = i < self->rows / 2 ? 1 : -1;
    b[3 * i] = 0.1 * (i % 5);
  }
  pl_filter_apply(&self->filter, b);
  return b;
}

static double dot_of(const double *x, const double *y, int count)
{
  double sum = 0;
  for (int i = 0; i < count; i++) sum += x[i] * y[i];
  return sum;
}

/* Iterations of a solve to 1e-6. */
static int iterations_of(blocks *self, const char *solver_name, const char *preconditioner)
{
  pair names = {{solver_name, NULL, 0}, {preconditioner, NULL, 0}};
  pl_solver *solver = make_solver(&names, self->A);
  double *b = make_force(self), *x = calloc(3 * (size_t)self->rows, sizeof *x);
  pl_solve_report report = {0};
  CHECK_OK(pl_solver_prepare(solver, self->A, self->pairs, &self->filter, NULL, error));
  CHECK_OK(pl_solver_solve(solver, self->A, &self->filter, b, x, 1e-6 * test_length(b, self->rows),
                           NULL, &report, error));
  pl_solver_destroy(solver);
  free(b), free(x);
  return report.iterations;
}

/* The same by conjugate gradients written out, around a preconditioner that is not corrected. */
static int bare_iterations_of(blocks *self, const char *preconditioner, int max)
{
  int rows = self->rows, n = 3 * rows, count = 0;
  pl_allocator allocator = pl_allocator_default();
  pl_selection part;
  pl_preconditioner *B = NULL;
  CHECK_OK(pl_choice_resolve(&pl_preconditioner_family, &(pl_choice){preconditioner, NULL, 0},
                             &part.member, part.values, error));
  CHECK_OK(pl_preconditioner_create(&allocator, &part, self->A, &B, error));
  CHECK_OK(B->ops->prepare(B, self->A, &self->filter, NULL, error));
  double *r = make_force(self), *x = calloc((size_t)n, sizeof *x),
         *p = calloc((size_t)n, sizeof *p);
  double *q = calloc((size_t)n, sizeof *q), *z = calloc((size_t)n, sizeof *z);
  double goal = 1e-6 * test_length(r, rows), before = 0;
  for (; count < max && test_length(r, rows) > goal; count++) {
    B->ops->apply(B, r, z, NULL);
    double rz = dot_of(r, z, n);
    for (int i = 0; i < n; i++) p[i] = z[i] + (count ? rz / before : 0) * p[i];
    before = rz;
    pl_bsr_multiply(self->A, p, q, NULL);
    pl_pairs_multiply(self->pairs, p, q, NULL);
    pl_filter_apply(&self->filter, q);
    double alpha = rz / dot_of(p, q, n);
    for (int i = 0; i < n; i++) x[i] += alpha * p[i], r[i] -= alpha * q[i];
  }
  pl_preconditioner_destroy(B);
  free(r), free(x), free(p), free(q), free(z);
  return count;
}

static const struct {
  const char *solver, *preconditioner;
  double bound; /* on the iterations, in those without contact */
} members[] = {{"cg", "block-diagonal", 1.3}, {"cg", "ssor", 1.3},
               {"eisenstat", "none", 1.3},    {"cg", "incomplete-cholesky", 1.3},
               {"cg", "multigrid", 1.3},      {"auto", "auto", 1.3}};
enum { MEMBERS = sizeof members / sizeof *members };

static const double ratios[] = {0, 1, 1e2, 1e4, 1e6};
enum { RATIOS = sizeof ratios / sizeof *ratios };

static int width_of(int member)
{
  return (int)(strlen(members[member].solver) + strlen(members[member].preconditioner)) + 2;
}

static void print_head(const blocks *self, double friction, double mass, const char *what)
{
  printf("  %d nodes, %d contacts, friction %g, mass %g: iterations %s\n   ratio", self->rows,
         (self->n - 1) * (self->n - 1), friction, mass, what);
}

/* The table of iterations over the stiffness of the contact against that of the blocks. */
static void check_table(int n, int m, double friction, double mass)
{
  blocks self = make_blocks(n, m);
  add_mass(&self, mass);
  print_head(&self, friction, mass, "with the correction");
  for (int i = 0; i < MEMBERS; i++) printf(" %s+%s", members[i].solver, members[i].preconditioner);
  int without[MEMBERS];
  for (size_t r = 0; r < RATIOS; r++) {
    if (n > 9 && r == RATIOS - 2) continue; // large ones take long
    printf("\n  %6g", ratios[r]);
    touch(&self, ratios[r], friction);
    for (int i = 0; i < MEMBERS; i++) {
      int count = iterations_of(&self, members[i].solver, members[i].preconditioner);
      if (r == 0) without[i] = count;
      CHECK(count <= ceil(members[i].bound * without[i]));
      printf("%*d", width_of(i), count);
    }
  }
  printf("\n");
  destroy_blocks(&self);
}

TEST(iterations_do_not_grow_with_the_stiffness_of_contacts)
{
  check_table(9, 5, 0.3, 0);
  if (TEST_SANITIZED) return;
  check_table(9, 5, 0, 0);
  check_table(9, 5, 0, 0.1);
  check_table(18, 18, 0, 0);
}

/* What the correction is for: without it iterations grow with the stiffness, most with multigrid.
 */
TEST(bare_preconditioners_fail_in_stiff_contact)
{
  enum { MOST = 3000 };
  const char *names[] = {"block-diagonal", "ssor", "multigrid"};
  int counts[RATIOS][3];
  blocks self = make_blocks(9, 5);
  print_head(&self, 0, 0, "without the correction");
  for (int i = 0; i < 3; i++) printf(" %s", names[i]);
  for (size_t r = 0; r < RATIOS; r++) {
    printf("\n  %6g", ratios[r]);
    touch(&self, ratios[r], 0);
    for (int i = 0; i < 3; i++) {
      counts[r][i] = bare_iterations_of(&self, names[i], MOST);
      printf("%*d", (int)strlen(names[i]) + 1, counts[r][i]);
    }
  }
  printf("\n");
  for (int i = 0; i < 3; i++)
    CHECK(counts[2][i] > 3 * counts[0][i] && counts[4][i] > 8 * counts[0][i]);
  destroy_blocks(&self);
}

/* Every node is coupled with one of the other block: a factor of that would cost too much. */
static void touch_all(blocks *self, double ratio)
{
  int half = self->rows / 2;
  const double weights[] = {1, -1}, D[9] = {0, 0, 0, 0, 0, 0, 0, 0, ratio};
  CHECK_OK(pl_pairs_reserve(self->pairs, half, 2 * half, error));
  pl_pairs_clear(self->pairs);
  for (int i = 0; i < half; i++) {
    int nodes[] = {i, half + (i * 5) % half};
    pl_stencil stencil = {2, nodes, weights, NULL, D};
    CHECK(pl_pairs_add(self->pairs, &stencil));
  }
}

TEST(sweeps_take_the_place_of_a_factor_that_costs_too_much)
{
  blocks self = make_blocks(12, 9);
  int without = iterations_of(&self, "cg", "block-diagonal");
  for (double ratio = 1; ratio <= 1e6; ratio *= 100) {
    touch_all(&self, ratio);
    int count = iterations_of(&self, "cg", "block-diagonal");
    printf("  ratio %g: %d iterations instead of %d\n", ratio, count, without);
    CHECK(!pl_correction_is_exact(self.pairs) && count < without);
  }
  destroy_blocks(&self);
}

/* What an iteration of eisenstat costs with the pairs, in those without; the solution is that of
 * cg with ssor. */
static double effort_of_eisenstat(blocks *self)
{
  const char *solvers[] = {"eisenstat", "cg"};
  double *b = make_force(self), effort = 0, *x[2];
  for (int i = 0; i < 2; i++) {
    pair names = {{solvers[i], NULL, 0}, {i ? "ssor" : "none", NULL, 0}};
    pl_solver *solver = make_solver(&names, self->A);
    pl_solve_report report = {0};
    x[i] = calloc(3 * (size_t)self->rows, sizeof *x[i]);
    CHECK_OK(pl_solver_prepare(solver, self->A, self->pairs, &self->filter, NULL, error));
    CHECK_OK(pl_solver_solve(solver, self->A, &self->filter, b, x[i],
                             1e-11 * test_length(b, self->rows), NULL, &report, error));
    if (i == 0) effort = solver->effort;
    pl_solver_destroy(solver);
  }
  double size = test_length(x[1], self->rows);
  for (int i = 0; i < 3 * self->rows; i++) CHECK_NEAR(x[0][i], x[1][i], 1e-7 * size);
  free(b), free(x[0]), free(x[1]);
  return effort;
}

/* Friction couples all directions, and some of the nodes are constrained. Without a factor it is
 * cg, at cg's price. */
TEST(eisenstat_takes_the_factor_into_its_sweeps)
{
  blocks self = make_blocks(9, 5);
  for (double ratio = 0.1; ratio <= 1e5; ratio *= 100) {
    touch(&self, ratio, 0.3);
    CHECK(effort_of_eisenstat(&self) == 1 && pl_correction_is_exact(self.pairs));
  }
  destroy_blocks(&self);
  self = make_blocks(12, 9);
  touch_all(&self, 10);
  CHECK(effort_of_eisenstat(&self) == 4 && !pl_correction_is_exact(self.pairs));
  destroy_blocks(&self);
}

/* The blocks touch at two opposite edges only. */
static void touch_apart(blocks *self, int width)
{
  const double weights[] = {1, -0.4, -0.3, -0.3}, D[9] = {30, 0, 0, 0, 30, 0, 0, 0, 100};
  int n = self->n, top = self->m - 1;
  pl_pairs_clear(self->pairs);
  for (int place = 0; place < (n - 1) * (n - 1); place++) {
    int i = place % (n - 1), j = place / (n - 1);
    int nodes[] = {node_of(self, 1, i, j, 0), node_of(self, 0, i, j, top),
                   node_of(self, 0, i + 1, j, top), node_of(self, 0, i, j + 1, top)};
    if (i < width || i >= n - 1 - width)
      CHECK(pl_pairs_add(self->pairs, &(pl_stencil){4, nodes, weights, NULL, D}));
  }
}

/* Solves by so many threads; returns what is left. */
static double solve_by(blocks *self, const pair *names, int threads, const double *b, double *x)
{
  pl_allocator allocator = pl_allocator_default();
  pl_pool *pool = NULL;
  pl_solver *solver = make_solver(names, self->A);
  double *r = calloc(3 * (size_t)self->rows, sizeof *r);
  CHECK_OK(pl_pool_create(&allocator, threads, &pool, error));
  CHECK_OK(pl_solver_prepare(solver, self->A, self->pairs, &self->filter, pool, error));
  CHECK_OK(pl_solver_solve(solver, self->A, &self->filter, b, x, 1e-9 * test_length(b, self->rows),
                           pool, NULL, error));
  pl_bsr_multiply(self->A, x, r, NULL);
  pl_pairs_multiply(self->pairs, x, r, NULL);
  for (int i = 0; i < 3 * self->rows; i++) r[i] = b[i] - r[i];
  pl_filter_apply(&self->filter, r);
  double left = test_length(r, self->rows);
  pl_solver_destroy(solver);
  pl_pool_destroy(pool);
  free(r);
  return left;
}

TEST(separate_places_of_contact_are_parts_of_the_factor)
{
  static const pair both[] = {{{"eisenstat", NULL, 0}, {"none", NULL, 0}},
                              {{"cg", NULL, 0}, {"ssor", NULL, 0}}};
  static const int threads[] = {1, 2, 3, 8};
  blocks self = make_blocks(14, 3);
  size_t count = 3 * (size_t)self.rows;
  double *b = make_force(&self), *x[2] = {0};
  touch_apart(&self, 3);
  for (int m = 0; m < 2; m++) {
    for (int t = 0; t < 4; t++) {
      x[t > 0] = realloc(x[t > 0], count * sizeof **x);
      memset(x[t > 0], 0, count * sizeof **x);
      CHECK(solve_by(&self, &both[m], threads[t], b, x[t > 0]) < 2e-9 * test_length(b, self.rows));
      CHECK(pl_correction_factor(self.pairs)->parts == 2);
      CHECK(t == 0 || memcmp(x[0], x[1], count * sizeof **x) == 0);
    }
  }
  free(b), free(x[0]), free(x[1]);
  destroy_blocks(&self);
}

/* ---- promises ---- */

/* New values, other contacts, again the first ones: nothing is taken once all have been seen. */
/* What is compressed has a block on the diagonal that alone is indefinite; with the contact that
 * holds it, it is not. */
TEST(blocks_that_only_contact_makes_definite_are_no_obstacle)
{
  static const char *const preconditioners[] = {"ssor", "block-diagonal"};
  blocks self = make_blocks(5, 3);
  touch(&self, 100, 0);
  add_mass(&self, 5);
  double *D = self.A->values + 9 * self.A->diagonal[node_of(&self, 1, 1, 1, 0)];
  D[8] = -0.5;
  CHECK(iterations_of(&self, "eisenstat", NULL) > 0);
  for (int i = 0; i < 2; i++) CHECK(iterations_of(&self, "cg", preconditioners[i]) > 0);
  destroy_blocks(&self);
}

static void check_steady(const pair *names)
{
  blocks self = make_blocks(8, 4);
  counter memory = {0};
  pl_allocator allocator = counter_allocator(&memory);
  pl_solver *solver = NULL;
  pl_pairs_destroy(self.pairs);
  CHECK_OK(pl_pairs_create(&allocator, self.rows, &self.pairs, error));
  CHECK_OK(pl_pairs_reserve(self.pairs, 64, 256, error));
  CHECK_OK(create(&allocator, names, self.A, &solver, error));
  double *b = make_force(&self), *x = calloc(3 * (size_t)self.rows, sizeof *x);
  long calls = 0;
  for (int round = 0; round < 12; round++) {
    if (round == 6) calls = memory.calls;
    add_mass(&self, 0.01);
    touch(&self, round % 3 ? pow(10, round % 6) : 0, 0.1);
    memset(x, 0, 3 * (size_t)self.rows * sizeof *x);
    CHECK_OK(pl_solver_prepare(solver, self.A, self.pairs, &self.filter, NULL, error));
    CHECK_OK(pl_solver_solve(solver, self.A, &self.filter, b, x, 1e-6 * test_length(b, self.rows),
                             NULL, NULL, error));
  }
  CHECK(memory.calls == calls);
  pl_solver_destroy(solver);
  pl_pairs_destroy(self.pairs);
  self.pairs = NULL;
  CHECK(memory.blocks == 0);
  free(b), free(x);
  destroy_blocks(&self);
}

TEST(steady_solves_with_pairs_take_no_memory) { for_all_pairs(check_steady); }

/* The bits of a solution, over steps with other contacts. */
static uint64_t bits_of(const pair *names, int threads, int with_empty_list)
{
  blocks self = make_blocks(10, 4);
  pl_allocator allocator = pl_allocator_default();
  pl_pool *pool = NULL;
  CHECK_OK(pl_pool_create(&allocator, threads, &pool, error));
  pl_solver *solver = make_solver(names, self.A);
  double *b = make_force(&self), *x = calloc(3 * (size_t)self.rows, sizeof *x);
  uint64_t bits = 0;
  // what there is to see is there after a few iterations
  double goal = (TEST_SANITIZED ? 1e-1 : 1e-3) * test_length(b, self.rows);
  for (int round = 0; round < 3; round++) {
    touch(&self, with_empty_list >= 0 ? 0 : pow(10, 2 * round), 0.2);
    pl_pairs *pairs = with_empty_list == 0 ? NULL : self.pairs;
    CHECK_OK(pl_solver_prepare(solver, self.A, pairs, &self.filter, pool, error));
    CHECK_OK(pl_solver_solve(solver, self.A, &self.filter, b, x, goal, pool, NULL, error));
    for (int i = 0; i < 3 * self.rows; i++) {
      uint64_t word;
      memcpy(&word, &x[i], sizeof word);
      bits = 31 * bits + word;
    }
  }
  pl_solver_destroy(solver);
  pl_pool_destroy(pool);
  free(b), free(x);
  destroy_blocks(&self);
  return bits;
}

static void check_bits(const pair *names)
{
  uint64_t first = bits_of(names, 1, -1);
  CHECK(bits_of(names, 3, -1) == first);
  if (!TEST_SANITIZED) CHECK(bits_of(names, 8, -1) == first);
  CHECK(bits_of(names, 2, 0) == bits_of(names, 3, 1));
}

TEST(bits_depend_neither_on_threads_nor_on_an_empty_list) { for_all_pairs(check_bits); }

/* Prepares with the k-th allocation failing, for every k: an error each time, and then it works. */
TEST(memory_that_is_missing_is_told)
{
  pair names = {{"cg", NULL, 0}, {"block-diagonal", NULL, 0}};
  blocks self = make_blocks(5, 3);
  for (long k = 1, more = 1; more; k++) {
    counter memory = {0};
    pl_allocator allocator = counter_allocator(&memory);
    pl_pairs_destroy(self.pairs);
    self.pairs = NULL;
    CHECK_OK(pl_pairs_create(&allocator, self.rows, &self.pairs, error));
    CHECK_OK(pl_pairs_reserve(self.pairs, 50, 200, error));
    touch(&self, 1e3, 0);
    pl_solver *solver = make_solver(&names, self.A);
    memory.fail_at = memory.calls + k;
    pl_status status = pl_solver_prepare(solver, self.A, self.pairs, &self.filter, NULL, NULL);
    CHECK(status == PL_E_MEMORY || status == PL_OK);
    more = status != PL_OK;
    memory.fail_at = 0;
    CHECK_OK(pl_solver_prepare(solver, self.A, self.pairs, &self.filter, NULL, error));
    pl_solver_destroy(solver);
    pl_pairs_destroy(self.pairs);
    self.pairs = NULL;
    CHECK(memory.blocks == 0);
    CHECK(k < 100);
  }
  destroy_blocks(&self);
}

TEST(pairs_of_another_size_are_refused)
{
  pair names = {{"cg", NULL, 0}, {"block-diagonal", NULL, 0}};
  blocks small = make_blocks(4, 2), large = make_blocks(5, 2);
  touch(&large, 1, 0);
  pl_solver *solver = make_solver(&names, small.A);
  CHECK_FAILS(pl_solver_prepare(solver, small.A, large.pairs, NULL, NULL, error), PL_E_ARGUMENT,
              "pairs over 100 rows");
  pl_solver_destroy(solver);
  destroy_blocks(&small), destroy_blocks(&large);
}

TESTS(X(iterations_do_not_grow_with_the_stiffness_of_contacts)
          X(bare_preconditioners_fail_in_stiff_contact)
              X(sweeps_take_the_place_of_a_factor_that_costs_too_much)
                  X(eisenstat_takes_the_factor_into_its_sweeps)
                      X(separate_places_of_contact_are_parts_of_the_factor)
                          X(blocks_that_only_contact_makes_definite_are_no_obstacle)
                              X(steady_solves_with_pairs_take_no_memory)
                                  X(bits_depend_neither_on_threads_nor_on_an_empty_list)
                                      X(memory_that_is_missing_is_told)
                                          X(pairs_of_another_size_are_refused))
