/* The complete factor of the matrix, or of an earlier one (factor.h).
 *
 * As in multigrid, a factor serves for several matrices: it is recomputed when the iterations that
 * it has cost, beyond those of the first solve with it, add up to "patience" times what a
 * factorisation costs in back-substitutions, and if that will pay: for a rate r of such iterations
 * now, and E of them so far in n solves, a new factor that ages as this one did saves r n - E
 * iterations in the next n solves. A rate that has been the same from the beginning is no reason
 * for a renewal until it has cost EVENTUALLY times as much: the matrix may have changed once and
 * for all. Solves that each cost more than a renewal on top, as with the matrices of Newton's
 * method in statics, which differ a lot, end the factor's time at once, and the next WARY matrices
 * have one each. Held nodes are in the factor; constraints that come and go (the filter's transient
 * ones) are eliminated around it (schur.h), unless they are so many that they are better inside. */
#include "core/error.h"
#include "core/hash.h"
#include "core/memory.h"
#include "sparse/blockwise.h"
#include "sparse/schur.h"

#include <math.h>

static const pl_param params[] = {PL_FACTOR_PARAMS};

/* More directions than these go into the factor. */
enum { MOST_CONSTRAINTS = 250 };

/* Solves that the present rate is a mean of. */
enum { LATELY = 20 };

/* Factorisations that a constant rate may cost before one is tried. */
enum { EVENTUALLY = 5 };

/* Matrices for which no factor is kept after one that had to be given up at once. */
enum { WARY = 8 };

typedef struct factored {
  pl_blockwise blockwise; /* only to name bad blocks */
  pl_factor *factor;
  pl_schur schur;
  int reuse, ready;
  int any; /* pivots may be negative */
  double patience;
  char *inside;    /* for each entry of the filter: is it in the factor? */
  int folded;      /* those that come and go are inside too */
  uint64_t held;   /* hash of what is in the factor */
  double first[2]; /* iterations per solve right after a factorisation, without and with pairs; 0:
                      not known yet */
  double excess;   /* iterations that came on top since */
  double rate;     /* of those, per solve, of late */
  int64_t count;   /* solves since */
  int wary;        /* so many more matrices have a factor of their own */
  const pl_filter *filter;
} factored;

static pl_status create(pl_preconditioner *common, const pl_bsr *A, const double *values,
                        pl_error *error)
{
  factored *self = (factored *)common;
  self->reuse = values[PL_FACTOR_REUSE] == 0;
  self->patience = values[PL_FACTOR_PATIENCE];
  self->any = values[PL_FACTOR_PIVOTS] == 1;
  pl_status status = pl_blockwise_create(common, A, values, error);
  if (status) return status;
  pl_schur_create(&common->allocator, A->rows, &self->schur);
  self->inside = pl_alloc(&common->allocator, (size_t)A->rows, 1);
  if (!self->inside) return pl_fail_memory(error);
  return pl_factor_create(&common->allocator, A, (pl_ordering)values[PL_FACTOR_ORDERING],
                          &self->factor, error);
}

static void destroy(pl_preconditioner *common)
{
  factored *self = (factored *)common;
  pl_schur_destroy(&self->schur);
  pl_factor_destroy(self->factor);
  pl_free(&common->allocator, self->inside);
  pl_blockwise_destroy(common);
}

/* Marks the entries that belong into the factor; returns a hash of them. */
static uint64_t mark_inside(factored *self, const pl_filter *filter, int folded)
{
  uint64_t hash = PL_HASH_START;
  for (int i = 0; filter && i < filter->count; i++) {
    self->inside[i] = (char)(folded || !filter->transient || !filter->transient[i]);
    if (!self->inside[i]) continue;
    int64_t node = filter->nodes[i];
    hash = pl_hash_words(hash, &node, 1);
    hash = pl_hash_words(hash, filter->projections + 9 * (size_t)i, 9);
  }
  return hash;
}

/* Takes the last solves into account: is the factor no longer worth its iterations? */
static int is_worn(factored *self)
{
  const pl_preconditioner *common = &self->blockwise.common;
  if (!self->ready || !self->reuse || common->refusals) return 1;
  if (common->solves == 0) return 0;
  if (self->wary > 0) return self->wary--;
  double each = (double)common->iterations / common->solves;
  double *first = &self->first[common->with_pairs];
  if (*first == 0) *first = each;
  double more = fmax(each - *first, 0), weight = fmin(1, (double)common->solves / LATELY);
  self->excess += more * common->solves;
  self->rate += weight * (more - self->rate);
  self->count += common->solves;
  // a new factor also asks for new columns of U (schur.h)
  double cost = pl_factor_cost(self->factor) + self->schur.active;
  double gain = self->rate * (double)self->count - self->excess;
  double worth = self->excess / (self->patience * cost);
  if (more >= cost) return self->wary = WARY;
  return worth >= EVENTUALLY || (worth >= 1 && gain >= fmin(1, self->patience) * cost);
}

static pl_status renew(factored *self, const pl_bsr *A, const pl_filter *filter, pl_pool *pool,
                       pl_error *error)
{
  pl_preconditioner *common = &self->blockwise.common;
  mark_inside(self, filter, 0);
  // constraints cannot be eliminated around an indefinite factor
  self->folded = self->any || pl_schur_size(filter, self->inside) > MOST_CONSTRAINTS;
  self->held = mark_inside(self, filter, self->folded);
  self->ready = 0;
  pl_schur_forget(&self->schur);
  pl_status status = PL_OK;
  if (!self->any) status = pl_blockwise_prepare(common, A, filter, pool, pl_block_invert, error);
  if (!status)
    status = pl_factor_compute(self->factor, A, filter, self->inside, self->any, pool, error);
  if (status) return status;
  common->factorisations++;
  self->first[0] = self->first[1] = self->excess = self->rate = 0;
  self->count = 0;
  self->ready = 1;
  return PL_OK;
}

static pl_status prepare(pl_preconditioner *common, const pl_bsr *A, const pl_filter *filter,
                         pl_pool *pool, pl_error *error)
{
  factored *self = (factored *)common;
  int worn = is_worn(self);
  self->filter = filter;
  pl_status status = PL_OK;
  if (!worn) worn = mark_inside(self, filter, self->folded) != self->held;
  if (!worn) worn = pl_schur_size(filter, self->inside) > MOST_CONSTRAINTS;
  if (worn) status = renew(self, A, filter, pool, error);
  if (!status) status = pl_schur_set(&self->schur, self->factor, filter, self->inside, pool, error);
  common->constraint_solves = self->schur.backsubstitutions;
  if (status) self->ready = 0;
  return status;
}

static void apply(pl_preconditioner *common, const double *r, double *z, pl_pool *pool)
{
  factored *self = (factored *)common;
  pl_factor_solve(self->factor, r, z, pool);
  pl_schur_apply(&self->schur, z);
  pl_filter_apply(self->filter, z);
}

static const double *blocks(const pl_preconditioner *self)
{
  (void)self;
  return NULL;
}

const pl_preconditioner_ops pl_preconditioner_factor = {
    .info = {"factor", "the complete factor of this matrix or an earlier one",
             "Hauth 2004, 3.4.2 and 5.4.2; Ng & Peyton 1993", params, PL_FACTOR_PARAM_COUNT, NULL},
    .state_size = sizeof(factored),
    .create = create,
    .destroy = destroy,
    .prepare = prepare,
    .apply = apply,
    .blocks = blocks,
};
