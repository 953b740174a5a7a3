/* The rows of one rank with copies of their neighbours, and the coarse problem of rigid parts. */
#include "math/vec3.h"
#include "sparse/coarse.h"
#include "sparse/local.h"
#include "sparse/partition.h"
#include "system.h"

enum { ROWS = 400 };

static double *random_vector(int count)
{
  double *x = malloc((size_t)count * sizeof *x);
  for (int i = 0; i < count; i++) x[i] = test_uniform();
  return x;
}

/* A partition of a matrix, seen by one of two ranks that never speak. */
static pl_partition *cut(pl_bsr *A, pl_ranks *as)
{
  pl_allocator memory = pl_allocator_default();
  pl_partition *partition = NULL;
  int owner[ROWS];
  for (int i = 0; i < ROWS; i++) owner[i] = i / 7 % 2;
  CHECK_OK(pl_partition_create(&memory, as, A->rows, &partition, error));
  pl_partition_deal(partition, 0, A->rows, owner);
  CHECK_OK(pl_partition_close(partition, &memory, error));
  A->partition = partition;
  return partition;
}

/* x of the whole at the places of the local matrix, filtered by the whole filter. */
static double *shorten(const pl_local_rows *local, const double *x)
{
  double *out = malloc(3 * (size_t)local->A->rows * sizeof *out);
  for (int i = 0; i < 3 * local->A->rows; i++) out[i] = x[3 * local->layout->row[i / 3] + i % 3];
  return out;
}

/* What the other rank sends: its rows of `whole`, in the order of their numbers. */
typedef struct other_rank {
  const pl_partition *partition;
  const double *whole;
  int done, calls;
} other_rank;

static void receive(const pl_ranks *self, double *all, const int *first)
{
  other_rank *other = self->context;
  int r = 1 - self->rank, count = (first[r + 1] - first[r]) / 3;
  const int *row = other->partition->row + other->partition->first[r] + other->done;
  for (int i = 0; i < 3 * count; i++) all[first[r] + i] = other->whole[3 * row[i / 3] + i % 3];
  other->done += count;
  other->calls++;
}

TEST(vectors_become_whole_in_pieces_of_any_size)
{
  pl_allocator memory = pl_allocator_default();
  static const int pieces[] = {1, 7, 100, ROWS};
  pl_bsr *A = test_spd(ROWS);
  double *whole = random_vector(3 * ROWS);
  for (int i = 0; i < 8; i++) {
    other_rank other = {.whole = whole};
    pl_ranks as = {.rank = i % 2, .count = 2, .gather = receive, .context = &other};
    pl_partition *partition = cut(A, &as);
    other.partition = partition;
    int largest = partition->piece;
    if (pieces[i / 2] < largest) partition->piece = pieces[i / 2];
    double *x = random_vector(3 * ROWS);
    for (int k = 0; k < 3 * ROWS; k++) {
      if (pl_partition_is_own(partition, k / 3)) x[k] = whole[k];
    }
    pl_partition_complete(partition, x);
    CHECK(!memcmp(x, whole, 3 * ROWS * sizeof *x));
    CHECK(other.calls == (largest + partition->piece - 1) / partition->piece);
    free(x);
    pl_partition_destroy(&memory, partition);
  }
  A->partition = NULL;
  free(whole);
  pl_bsr_destroy(A);
}

TEST(products_are_right_at_own_rows)
{
  pl_allocator memory = pl_allocator_default();
  pl_bsr *A = test_spd(ROWS);
  for (int rank = 0; rank < 2; rank++) {
    pl_ranks as = {.rank = rank, .count = 2};
    pl_partition *partition = cut(A, &as);
    pl_local_rows *local = NULL;
    double *x = random_vector(3 * ROWS), *y = random_vector(3 * ROWS), here[3 * ROWS];
    A->points = x;
    CHECK_OK(pl_local_create(&memory, A, &local, error));
    CHECK_OK(pl_local_load(local, A, NULL, error));
    CHECK(local->layout->own == partition->first[rank + 1] - partition->first[rank]);
    CHECK(local->layout->copies > 0 && local->filter.count == local->layout->copies);
    double *short_x = shorten(local, x);
    pl_bsr_multiply(A, x, y, NULL);
    pl_bsr_multiply(local->A, short_x, here, NULL);
    for (int i = 0; i < local->layout->own; i++) {
      const int at = local->layout->own_at[i], row = partition->row[partition->first[rank] + i];
      CHECK(local->layout->row[at] == row);
      CHECK(pl_vec3_distance(here + 3 * at, y + 3 * row) < 1e-12);
      CHECK(pl_vec3_distance(local->A->points + 3 * at, x + 3 * row) == 0);
    }
    // what a preconditioner sees of copies is nothing
    pl_filter_apply(&local->filter, here);
    for (int i = 0; i < 3 * local->layout->copies; i++)
      CHECK(here[3 * local->layout->copy_at[i / 3] + i % 3] == 0);
    free(short_x);
    free(x);
    free(y);
    A->points = NULL;
    pl_local_destroy(local);
    pl_partition_destroy(&memory, partition);
  }
  A->partition = NULL;
  pl_bsr_destroy(A);
}

/* Rows of others that no clique has are empty, and then a rank's rows are read in place. */
TEST(rows_that_are_elsewhere_take_no_room)
{
  enum { NODES = 12, HERE = 7 };
  pl_allocator memory = pl_allocator_default();
  unsigned char elsewhere[NODES] = {0};
  int owner[NODES], pairs[2 * (HERE - 1)];
  // a chain up to HERE: its last node belongs to rank 1, node NODES - 1 is rank 0's without a
  // clique
  for (int i = 0; i < NODES; i++) {
    owner[i] = i >= HERE - 1 && i < NODES - 1;
    elsewhere[i] = (unsigned char)owner[i];
  }
  for (int i = 0; i < HERE - 1; i++) {
    pairs[2 * i] = i;
    pairs[2 * i + 1] = i + 1;
  }
  const pl_cliques chain = {.count = HERE - 1, .size = 2, .nodes = pairs};
  pl_ranks as = {.rank = 0, .count = 2};
  pl_partition *partition = NULL;
  pl_local_rows *local = NULL;
  pl_bsr *A = NULL;
  CHECK_OK(pl_bsr_create_divided(&memory, NODES, &chain, 1, elsewhere, &A, error));
  CHECK_OK(pl_partition_create(&memory, &as, NODES, &partition, error));
  pl_partition_deal(partition, 0, NODES, owner);
  CHECK_OK(pl_partition_close(partition, &memory, error));
  A->partition = partition;
  CHECK(A->start[NODES] == HERE + 2 * (HERE - 1) + 1);
  for (int i = 0; i < NODES; i++)
    CHECK(A->diagonal[i] == (i < HERE || i == NODES - 1 ? pl_bsr_find(A, i, i) : -1));
  CHECK_OK(pl_local_create(&memory, A, &local, error));
  CHECK(local->A->is_view && local->A->values == A->values);
  CHECK(local->layout->own == HERE && local->layout->copies == 1 && local->A->rows == HERE + 1);
  A->values[9 * (size_t)A->diagonal[NODES - 1]] = 2;
  double x[3 * NODES], y[3 * NODES], here[3 * (HERE + 1)];
  for (int i = 0; i < 3 * NODES; i++) x[i] = y[i] = i;
  pl_bsr_multiply(A, x, y, NULL);
  double *short_x = shorten(local, x);
  pl_bsr_multiply(local->A, short_x, here, NULL);
  CHECK(here[3 * HERE] == 2 * x[3 * NODES - 3] && y[3 * NODES - 3] == here[3 * HERE]);
  for (int i = 3 * HERE; i < 3 * (NODES - 1); i++) CHECK(y[i] == 0);
  free(short_x);
  pl_local_destroy(local);
  pl_partition_destroy(&memory, partition);
  pl_bsr_destroy(A);
}

/* Q A u is u where every part moves rigidly, for every u = Q b is such a motion: Q A Q = Q. */
static void check_projects(pl_bsr *A, const pl_filter *filter)
{
  pl_allocator memory = pl_allocator_default();
  pl_local_rows *local = NULL;
  pl_coarse *coarse = NULL;
  size_t size = 3 * (size_t)A->rows * sizeof(double);
  double *b = random_vector(3 * A->rows), *u = calloc(1, size), *f = malloc(size),
         *again = calloc(1, size), largest = 0;
  CHECK_OK(pl_local_create(&memory, A, &local, error));
  CHECK_OK(pl_coarse_create(&memory, local, A, &coarse, error));
  CHECK_OK(pl_local_load(local, A, filter, error));
  CHECK_OK(pl_coarse_prepare(coarse, NULL, error));
  CHECK(pl_coarse_parts(coarse) == (A->rows + 32) / 64);
  pl_filter_apply(filter, b);
  pl_coarse_correct(coarse, b, u, NULL);
  pl_bsr_multiply(A, u, f, NULL);
  pl_filter_apply(filter, f);
  pl_coarse_correct(coarse, f, again, NULL);
  for (int i = 0; i < 3 * A->rows; i++) largest = fmax(largest, fabs(u[i]));
  for (int i = 0; i < 3 * A->rows; i++) CHECK_NEAR(again[i], u[i], 1e-8 * largest);
  CHECK(largest > 1e-6);
  memcpy(f, u, size);
  pl_filter_apply(filter, f);
  CHECK(!memcmp(f, u, size));
  pl_coarse_destroy(coarse);
  pl_local_destroy(local);
  free(b);
  free(u);
  free(f);
  free(again);
}

TEST(the_coarse_problem_is_solved_exactly)
{
  pl_bsr *A = test_spd(ROWS);
  double *points = random_vector(3 * ROWS), projections[9 * 90] = {0};
  int nodes[90];
  A->points = points;
  check_projects(A, NULL);
  // a plane holds some nodes, and others are fixed
  for (int i = 0; i < 90; i++) {
    nodes[i] = i;
    projections[9 * i] = projections[9 * i + 4] = i % 3 == 0;
  }
  check_projects(A, &(pl_filter){.count = 90, .nodes = nodes, .projections = projections});
  // nodes in a line do not turn about it, and those of a part in one place do not turn at all
  for (int i = 0; i < ROWS; i++) points[3 * i + 1] = points[3 * i + 2] = 0;
  check_projects(A, NULL);
  for (int i = 0; i < ROWS; i++) points[3 * i] = 0;
  check_projects(A, NULL);
  free(points);
  A->points = NULL;
  pl_bsr_destroy(A);
}

/* Makes both with an allocator; what is half made is destroyed. */
static pl_status make(const pl_allocator *allocator, const pl_bsr *A, pl_error *error)
{
  pl_local_rows *local = NULL;
  pl_coarse *coarse = NULL;
  pl_status status = pl_local_create(allocator, A, &local, error);
  if (!status) status = pl_local_load(local, A, NULL, error);
  if (!status) status = pl_coarse_create(allocator, local, A, &coarse, error);
  pl_coarse_destroy(coarse);
  pl_local_destroy(local);
  return status;
}

TEST(failing_allocations_leave_nothing)
{
  pl_bsr *A = test_spd(ROWS);
  double *points = random_vector(3 * ROWS);
  A->points = points;
  counter memory = {0};
  pl_allocator allocator = counter_allocator(&memory);
  pl_error error = {0};
  CHECK(make(&allocator, A, &error) == PL_OK && memory.blocks == 0);
  long calls = memory.calls;
  for (long k = 1; k <= calls; k++) {
    memory = (counter){.fail_at = k};
    CHECK(make(&allocator, A, &error) == PL_E_MEMORY);
    CHECK(memory.blocks == 0);
  }
  free(points);
  A->points = NULL;
  pl_bsr_destroy(A);
}

TESTS(X(vectors_become_whole_in_pieces_of_any_size) X(products_are_right_at_own_rows)
          X(rows_that_are_elsewhere_take_no_room) X(the_coarse_problem_is_solved_exactly)
              X(failing_allocations_leave_nothing))
