/* One cycle of smoothed-aggregation multigrid, in single precision.
 *
 * The finest level follows every new matrix; the coarse ones serve as long as they are worth it:
 * they are renewed when the iterations that they have cost, beyond those of the first solve with
 * them, add up to what a renewal costs. Counts decide, not clocks, so results can be repeated.
 *
 * Where volume is nearly kept, motions of a few nodes that keep it are soft beside all others,
 * which a smoother of low degree does not reach, and coarse functions are too stiff. Solves that
 * take many iterations therefore bring a smoother of a higher degree and prolongators of less
 * energy.
 *
 * A smoother is positive definite only up to the largest eigenvalue that it was given, and
 * estimates come from below: a few bad elements in a large body hide theirs for some rounds of the
 * power method. A solver that meets that says so (refusals), and prepares again. */
#include "core/error.h"
#include "core/hash.h"
#include "core/memory.h"
#include "sparse/multigrid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEGREE, REUSE, PRECISION, PARAM_COUNT };

static const pl_param params[PARAM_COUNT] = {
    [DEGREE] =
        {"degree", "count",
         "products with the matrix in each smoothing, one more on coarse levels; 0: 2, and 10 "
         "with better coarse levels while solves take many iterations",
         0, 0, 10, NULL, 0},
    [REUSE] = {"reuse", "1", "keep coarse levels over several matrices, or renew them for each", 0,
               0, 1, "yes|no", 0},
    [PRECISION] = {"precision", "1",
                   "of conjugate gradients around it; single: refined in double until the residual "
                   "is reached",
                   0, 0, 1, "single|double", 0},
};

/* What a renewal costs, in cycles. */
enum { RENEWAL = 10 };

/* Degrees of the smoother, and the iterations per solve from which on the other one is taken: above
 * MANY, and below FEW. */
enum { USUAL = 2, THOROUGH = 10, MANY = 40, FEW = 10 };

/* By which power of two the size of the matrix may change before it is scaled again. */
enum { MOST_DRIFT = 20 };

typedef struct multigrid {
  pl_blockwise blockwise; /* the inverse blocks of the diagonal */
  pl_multigrid grid;
  pl_single single;
  int degree, reuse, is_single;
  int adapts; /* the degree was not chosen */
  const pl_filter *filter;
  int ready, exponent; /* the matrix is scaled by 2^-exponent */
  double first[2];     /* iterations per solve right after a renewal, without and with pairs; 0: not
                          known yet */
  double excess;       /* iterations that came on top since */
  uint64_t *held;      /* per row: what the filter was when the coarse levels were made, 0: free */
  int held_count;
  int joined; /* and how many pairs there were */
} multigrid;

static pl_status create(pl_preconditioner *common, const pl_bsr *A, const double *values,
                        pl_error *error)
{
  multigrid *self = (multigrid *)common;
  self->adapts = values[DEGREE] < 1;
  self->degree = self->adapts ? USUAL : (int)values[DEGREE];
  self->reuse = values[REUSE] == 0;
  self->is_single = values[PRECISION] == 0;
  pl_status status = pl_blockwise_create(common, A, values, error);
  self->held = pl_alloc(&common->allocator, (size_t)A->rows, sizeof *self->held);
  if (!status && !self->held) status = pl_fail_memory(error);
  if (!status) status = pl_multigrid_create(&common->allocator, A, &self->grid, error);
  return status ? status : pl_multigrid_follow(&self->grid, A, error);
}

static void destroy(pl_preconditioner *common)
{
  pl_free(&common->allocator, ((multigrid *)common)->held);
  pl_multigrid_destroy(&((multigrid *)common)->grid);
  pl_blockwise_destroy(common);
}

/* Identifies a projection; never 0. */
static uint64_t hash_of(const pl_filter *filter, int entry)
{
  return pl_hash_words(PL_HASH_START, filter->projections + 9 * (size_t)entry, 9) | 1;
}

static void note_filter(multigrid *self, const pl_filter *filter)
{
  memset(self->held, 0, (size_t)self->blockwise.common.rows * sizeof *self->held);
  self->held_count = filter ? filter->count : 0;
  for (int i = 0; i < self->held_count; i++) self->held[filter->nodes[i]] = hash_of(filter, i);
}

/* With more held than they know of, the coarse levels correct too much: the cycle would not be
 * positive definite. What they believe to be held and is free only costs some iterations, so that
 * contacts may open, and close again, without a renewal. */
static int knows_filter(const multigrid *self, const pl_filter *filter)
{
  int count = filter ? filter->count : 0;
  for (int i = 0; i < count; i++) {
    if (self->held[filter->nodes[i]] != hash_of(filter, i)) return 0;
  }
  return self->grid.levels > 1 || count == self->held_count;
}

/* Do the coarse levels know about as many pairs as there are? Which ones they are does not matter
 * as much, and shows in the iterations. */
static int knows_pairs(const multigrid *self)
{
  const pl_pairs *pairs = self->blockwise.common.pairs;
  int count = pairs ? pairs->count : 0, change = abs(count - self->joined);
  return (count == 0) == (self->joined == 0) &&
         change <= (count > self->joined ? count : self->joined) / 3;
}

/* Takes another degree if the last solves ask for it; returns whether they do. */
static int adapt(multigrid *self)
{
  pl_preconditioner *common = &self->blockwise.common;
  if (!self->adapts || common->solves == 0) return 0;
  const double mean = (double)common->iterations / common->solves;
  const int degree = mean > MANY ? THOROUGH : mean < FEW ? USUAL : self->degree;
  if (degree == self->degree) return 0;
  self->degree = degree;
  self->grid.lowering = degree == THOROUGH ? PL_MULTIGRID_THOROUGH : 1;
  common->effort = pl_multigrid_cost_of_cycle(&self->grid, degree).bytes /
                   pl_multigrid_cost_of_cycle(&self->grid, USUAL).bytes;
  return 1;
}

/* Is it time to renew the coarse levels? Takes the last solve into account. */
static int is_worn(multigrid *self, int exponent)
{
  const pl_preconditioner *common = &self->blockwise.common;
  if (!self->ready || !self->reuse || common->refusals) return 1;
  if (!knows_filter(self, self->filter) || !knows_pairs(self)) return 1;
  if (abs(exponent - self->exponent) > MOST_DRIFT) return 1;
  double *first = &self->first[common->with_pairs], usual = *first * common->solves;
  if (*first == 0 && common->solves > 0)
    *first = (double)common->iterations / common->solves;
  else if (common->iterations > usual)
    self->excess += common->iterations - usual;
  return self->excess >= RENEWAL;
}

/* The cycle was not positive definite: some largest eigenvalue was estimated too low. All estimates
 * start again, and count for more from now on. */
static void distrust(pl_multigrid *grid)
{
  const double more = 1.5, max = 4;
  grid->caution = fmin(max, more * grid->caution);
  for (int i = 0; i < grid->levels; i++) grid->level[i].largest = 0;
}

static pl_status prepare(pl_preconditioner *common, const pl_bsr *A, const pl_filter *filter,
                         pl_pool *pool, pl_error *error)
{
  multigrid *self = (multigrid *)common;
  pl_multigrid *grid = &self->grid;
  pl_status status = pl_blockwise_prepare(common, A, filter, pool, pl_block_invert, error);
  if (status) return status;
  self->filter = filter;
  int exponent = pl_exponent_of_matrix(A, pool), worn = adapt(self) | is_worn(self, exponent);
  if (common->refusals) distrust(grid);
  if (worn) self->exponent = exponent;
  double scale = ldexp(1, -self->exponent);
  pl_multigrid_load(grid, A, self->blockwise.blocks, scale, pool);
  if (worn) {
    self->ready = 0;
    status = pl_multigrid_couple(grid, common->pairs, error);
    if (status) return status;
    pl_multigrid_source source = {A, filter, common->pairs, self->blockwise.blocks};
    pl_multigrid_refresh(grid, &source, scale, pool);
    pl_multigrid_remember(grid, A);
    note_filter(self, filter);
    self->joined = common->pairs ? common->pairs->count : 0;
    self->first[0] = self->first[1] = self->excess = 0;
    self->ready = 1;
  } else {
    pl_multigrid_measure(grid->level, 1, pool);
    pl_multigrid_turn(grid, A, pool);
  }
  if (common->pairs) pl_multigrid_rest(grid, common->pairs);
  return PL_OK;
}

/* One application, as the passes see it. */
typedef struct application {
  multigrid *self;
  double *z, back;
} application;

static void store_chunk(void *context, int chunk)
{
  const application *job = context;
  const pl_multigrid_level *level = job->self->grid.level;
  int first = chunk * level->chunk, last = pl_multigrid_last(level, chunk);
  for (int row = first; row < last; row++) {
    for (int c = 0; c < 3; c++) job->z[3 * row + c] = job->back * (double)level->x[4 * row + c];
  }
  pl_filter_apply_range(job->self->filter, first, last, job->z);
}

static void apply(pl_preconditioner *common, const double *r, double *z, pl_pool *pool)
{
  multigrid *self = (multigrid *)common;
  pl_multigrid_level *level = self->grid.level;
  application job = {.self = self, .z = z};
  int chunks = pl_chunk_count(level->rows, level->chunk), exponent;
  if (!pl_exponent_of(r, common->rows, &exponent, pool)) {
    memcpy(z, r, 3 * (size_t)common->rows * sizeof *z);
    return;
  }
  pl_multigrid_take(&self->grid, r, ldexp(1, -exponent), pool);
  job.back = ldexp(1, exponent - self->exponent);
  pl_multigrid_cycle(&self->grid, self->filter, self->degree, pool);
  pl_parallel(pool, chunks, store_chunk, &job);
}

static const double *blocks(const pl_preconditioner *self)
{
  (void)self;
  return NULL;
}

static const pl_single *single(pl_preconditioner *common)
{
  multigrid *self = (multigrid *)common;
  self->single = (pl_single){&self->grid, NULL, self->degree, self->exponent};
  return self->is_single ? &self->single : NULL;
}

const pl_preconditioner_ops pl_preconditioner_multigrid = {
    .info = {"multigrid",
             "smoothed aggregation with rigid motions: iterations hardly grow with size",
             "Vanek, Mandel & Brezina 1996", params, PARAM_COUNT, NULL},
    .state_size = sizeof(multigrid),
    .create = create,
    .destroy = destroy,
    .prepare = prepare,
    .apply = apply,
    .blocks = blocks,
    .single = single,
};
