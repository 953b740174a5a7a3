/* Owned blocks and copies, over ranks that are threads of this process. */
#include "sparse/layout.h"
#include "system.h"

#include <pthread.h>

enum { MOST_RANKS = 6, MOST_ROWS = 150 };

/* What the ranks share: a place for everybody's pointer, and a barrier between uses of it. */
typedef struct meeting {
  pthread_barrier_t barrier;
  int ranks;
  const double *out[MOST_RANKS];
  const pl_neighbours *with[MOST_RANKS];
} meeting;

typedef struct member {
  pl_ranks ranks;
  meeting *at;
  const pl_bsr *A; /* whole, complete on all */
  const int *owner;
  const double *x, *y;           /* whole vectors */
  double product[3 * MOST_ROWS]; /* A x at the rank's own rows, 0 elsewhere */
  double summed[3 * MOST_ROWS];  /* what pl_layout_sum makes of y at own rows, 0 elsewhere */
  int held[MOST_ROWS];
} member;

static void gather(const pl_ranks *self, double *all, const int *first)
{
  meeting *at = self->context;
  at->out[self->rank] = all;
  pthread_barrier_wait(&at->barrier);
  for (int r = 0; r < self->count; r++) {
    for (int i = first[r]; r != self->rank && i < first[r + 1]; i++) all[i] = at->out[r][i];
  }
  pthread_barrier_wait(&at->barrier);
}

static void exchange(const pl_ranks *self, const pl_neighbours *with, const double *out, double *in)
{
  meeting *at = self->context;
  at->out[self->rank] = out;
  at->with[self->rank] = with;
  pthread_barrier_wait(&at->barrier);
  for (int i = 0; i < with->count; i++) {
    const pl_neighbours *theirs = at->with[with->rank[i]];
    int me = 0;
    while (theirs->rank[me] != self->rank) me++;
    CHECK(theirs->send[me + 1] - theirs->send[me] == with->receive[i + 1] - with->receive[i]);
    memcpy(in + with->receive[i], at->out[with->rank[i]] + theirs->send[me],
           (size_t)(with->receive[i + 1] - with->receive[i]) * sizeof *in);
  }
  pthread_barrier_wait(&at->barrier);
}

/* y of the layout: of whole vector x at own places, and at copies too if they are known. */
static void take(const pl_block_layout *layout, const double *x, int with_copies, double *y)
{
  for (int i = 0; i < layout->own + layout->copies; i++)
    for (int k = 0; k < 3; k++) y[3 * i + k] = with_copies ? x[3 * layout->row[i] + k] : -7;
  for (int i = 0; i < layout->own; i++)
    for (int k = 0; k < 3; k++)
      y[3 * layout->own_at[i] + k] = x[3 * layout->row[layout->own_at[i]] + k];
}

static void give(const pl_block_layout *layout, const double *y, double *whole)
{
  for (int i = 0; i < layout->own; i++)
    for (int k = 0; k < 3; k++)
      whole[3 * layout->row[layout->own_at[i]] + k] = y[3 * layout->own_at[i] + k];
}

static void *work(void *context)
{
  member *self = context;
  pl_allocator memory = pl_allocator_default();
  pl_partition *partition = NULL;
  pl_block_layout *layout = NULL;
  pl_bsr A = *self->A, *own = NULL;
  double x[3 * MOST_ROWS], y[3 * MOST_ROWS];
  CHECK_OK(pl_partition_create(&memory, &self->ranks, A.rows, &partition, error));
  pl_partition_deal(partition, 0, A.rows, self->owner);
  CHECK_OK(pl_partition_close(partition, &memory, error));
  A.partition = partition;
  CHECK_OK(pl_layout_create(&memory, &A, &layout, error));
  CHECK_OK(pl_layout_connect(layout, error));
  for (int i = 0; i < layout->own + layout->copies; i++) self->held[layout->row[i]] = 1;
  // a product needs copies that are right, and is right at own rows
  CHECK_OK(pl_bsr_take(&memory, &A, layout->row, layout->own + layout->copies, layout->place, &own,
                       error));
  for (int row = 0, k = 0; row < own->rows; row++) {
    for (int from = A.start[layout->row[row]]; from < A.start[layout->row[row] + 1]; from++) {
      if (layout->place[A.columns[from]] >= 0)
        memcpy(own->values + 9 * k++, A.values + 9 * from, 9 * sizeof *own->values);
    }
  }
  take(layout, self->x, 0, x);
  pl_layout_update(layout, x);
  for (int i = 0; i < 3 * own->rows; i++) CHECK(x[i] == self->x[3 * layout->row[i / 3] + i % 3]);
  pl_bsr_multiply(own, x, y, NULL);
  give(layout, y, self->product);
  // what several ranks have of a dual vector meets at the owner
  take(layout, self->y, 1, y);
  pl_layout_sum(layout, y);
  give(layout, y, self->summed);
  pl_bsr_destroy(own);
  pl_layout_destroy(layout);
  pl_partition_destroy(&memory, partition);
  return NULL;
}

/* All ranks over one matrix with rows dealt out by `owner`. */
static void run(const pl_bsr *A, const int *owner, int ranks)
{
  static member all[MOST_RANKS];
  pthread_t threads[MOST_RANKS];
  meeting at = {.ranks = ranks};
  double x[3 * MOST_ROWS], y[3 * MOST_ROWS], whole[3 * MOST_ROWS];
  for (int i = 0; i < 3 * A->rows; i++) {
    x[i] = test_uniform();
    y[i] = test_uniform();
  }
  CHECK(pthread_barrier_init(&at.barrier, NULL, (unsigned)ranks) == 0);
  for (int r = 0; r < ranks; r++) {
    all[r] = (member){.ranks = {.rank = r,
                                .count = ranks,
                                .gather = gather,
                                .exchange = exchange,
                                .context = &at},
                      .A = A,
                      .owner = owner,
                      .x = x,
                      .y = y};
    CHECK(pthread_create(&threads[r], NULL, work, &all[r]) == 0);
  }
  for (int r = 0; r < ranks; r++) CHECK(pthread_join(threads[r], NULL) == 0);
  pthread_barrier_destroy(&at.barrier);
  pl_bsr_multiply(A, x, whole, NULL);
  for (int i = 0; i < 3 * A->rows; i++) {
    double product = 0, summed = 0;
    int held = 0;
    for (int r = 0; r < ranks; r++) {
      product += all[r].product[i];
      summed += all[r].summed[i];
      held += all[r].held[i / 3];
    }
    CHECK_NEAR(product, whole[i], 1e-12);
    CHECK_NEAR(summed, held * y[i], 1e-12);
  }
}

TEST(any_partition_gives_the_products_and_sums_of_the_whole)
{
  for (int trial = 0; trial < 40; trial++) {
    int rows = 1 + (int)(test_uniform() * 0.5 * MOST_ROWS + 0.5 * MOST_ROWS), owner[MOST_ROWS];
    if (rows > MOST_ROWS) rows = MOST_ROWS;
    pl_bsr *A = test_spd(rows);
    int ranks = 1 + trial % MOST_RANKS;
    for (int i = 0; i < rows; i++) owner[i] = (int)(fabs(test_uniform()) * 0.999 * ranks);
    run(A, owner, ranks);
    // spans, and ranks that have nothing
    for (int i = 0; i < rows; i++) owner[i] = i * ranks / rows;
    run(A, owner, ranks);
    for (int i = 0; i < rows; i++) owner[i] = trial % 2 ? ranks - 1 : ranks / 2;
    run(A, owner, ranks);
    pl_bsr_destroy(A);
  }
}

TEST(one_process_owns_all_and_exchanges_nothing)
{
  pl_allocator memory = pl_allocator_default();
  pl_bsr *A = test_spd(20);
  pl_block_layout *layout = NULL;
  double x[60];
  for (int i = 0; i < 60; i++) x[i] = i;
  CHECK_OK(pl_layout_create(&memory, A, &layout, error));
  CHECK_OK(pl_layout_connect(layout, error));
  CHECK(layout->own == 20 && layout->copies == 0);
  pl_layout_update(layout, x);
  pl_layout_sum(layout, x);
  for (int i = 0; i < 60; i++) CHECK(x[i] == i);
  pl_layout_destroy(layout);
  pl_bsr_destroy(A);
}

TEST(failing_allocations_leave_nothing)
{
  pl_bsr *A = test_spd(30);
  counter memory = {0};
  pl_allocator allocator = counter_allocator(&memory);
  pl_error error = {0};
  pl_block_layout *layout = NULL;
  CHECK(pl_layout_create(&allocator, A, &layout, &error) == PL_OK);
  pl_layout_destroy(layout);
  CHECK(memory.blocks == 0);
  long calls = memory.calls;
  for (long k = 1; k <= calls; k++) {
    memory = (counter){.fail_at = k};
    CHECK(pl_layout_create(&allocator, A, &layout, &error) == PL_E_MEMORY);
    pl_layout_destroy(layout);
    CHECK(memory.blocks == 0);
  }
  pl_bsr_destroy(A);
}

TESTS(X(any_partition_gives_the_products_and_sums_of_the_whole)
          X(one_process_owns_all_and_exchanges_nothing) X(failing_allocations_leave_nothing))
