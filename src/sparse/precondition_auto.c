/* The preconditioner that has cost less so far: block-diagonal, which is cheap and good where mass
 * rules, or multigrid, which is good everywhere and expensive. Small matrices have the first one
 * only. See decision.h. */
#include "core/error.h"
#include "core/text.h"
#include "sparse/decision.h"
#include "sparse/solver.h"

enum { LEAST_ROWS = 200 /* of a matrix that is worth a hierarchy */ };

typedef struct automatic {
  pl_preconditioner common;
  pl_preconditioner *ways[PL_WAYS];
  pl_decision decision;
} automatic;

static pl_status create(pl_preconditioner *common, const pl_bsr *A, const double *values,
                        pl_error *error)
{
  (void)values;
  automatic *self = (automatic *)common;
  const pl_preconditioner_ops *ops[PL_WAYS] = {&pl_preconditioner_block_diagonal,
                                               &pl_preconditioner_multigrid};
  self->decision = (pl_decision){
      .names = {ops[0]->info.name, ops[1]->info.name}, .iteration = 1, .setup = 1, .fewer = 1};
  pl_print(self->decision.reason, sizeof self->decision.reason, "%d rows are fewer than %d",
           A->rows, LEAST_ROWS);
  for (int way = 0; way < (A->rows < LEAST_ROWS ? 1 : PL_WAYS); way++) {
    pl_selection part = {.member = &ops[way]->info};
    pl_param_presets(part.member, part.values);
    pl_status status =
        pl_preconditioner_create(&common->allocator, &part, A, &self->ways[way], error);
    if (status) return status;
  }
  return PL_OK;
}

static void destroy(pl_preconditioner *common)
{
  for (int way = 0; way < PL_WAYS; way++)
    pl_preconditioner_destroy(((automatic *)common)->ways[way]);
}

static pl_preconditioner *now(const pl_preconditioner *common)
{
  const automatic *self = (const automatic *)common;
  return self->ways[self->decision.now];
}

static pl_status prepare(pl_preconditioner *common, const pl_bsr *A, const pl_filter *filter,
                         pl_pool *pool, pl_error *error)
{
  automatic *self = (automatic *)common;
  now(common)->solves = common->solves;
  now(common)->iterations = common->iterations;
  now(common)->with_pairs = common->with_pairs;
  // refused once, it may renew what it has; refused again, the other one goes on
  now(common)->refusals = common->refusals;
  if (common->refusals > 1 && self->decision.now == PL_STRONG)
    pl_decision_bar(&self->decision);
  else if (self->ways[PL_STRONG])
    pl_decide(&self->decision, common->solves, (int)(now(common)->effort * common->iterations), A);
  pl_preconditioner *next = now(common);
  next->pairs = common->pairs;
  return next->ops->prepare(next, A, filter, pool, error);
}

static void apply(pl_preconditioner *common, const double *r, double *z, pl_pool *pool)
{
  now(common)->ops->apply(now(common), r, z, pool);
}

static const double *blocks(const pl_preconditioner *common)
{
  return now(common)->ops->blocks(now(common));
}

static const struct pl_single *single(pl_preconditioner *common)
{
  return now(common)->ops->single ? now(common)->ops->single(now(common)) : NULL;
}

static const char *choice(const pl_preconditioner *common, const char **reason)
{
  *reason = ((const automatic *)common)->decision.reason;
  return now(common)->ops->info.name;
}

const pl_preconditioner_ops pl_preconditioner_auto = {
    .info = {"auto", "block-diagonal or multigrid, whichever has cost less so far", "", NULL, 0,
             NULL},
    .state_size = sizeof(automatic),
    .create = create,
    .destroy = destroy,
    .prepare = prepare,
    .apply = apply,
    .blocks = blocks,
    .single = single,
    .choice = choice,
};
