/* The preconditioner that has cost less so far: block-diagonal, which is cheap and good where mass
 * rules, or multigrid, which is good everywhere and dear.
 *
 * Small matrices have the first one only. For larger ones the iterations that block-diagonal needs
 * are bounded from the share of mass in the matrix: stiffness does not resist translations e, so
 * e.Ae / e.De is about the least eigenvalue of D^-1 A where mass rules, and next to nothing in
 * statics; its largest is about 3. Where the bound lies between the two costs, the other one is
 * tried, and what a solve costs with each is remembered. Cost is counted, not clocked: 1 is an
 * iteration with block-diagonal, so results can be repeated. */
#include "core/error.h"
#include "core/text.h"
#include "sparse/solver.h"

#include <math.h>

enum {
  LEAST_ROWS = 200, /* of a matrix that is worth a hierarchy */
  CYCLE = 4,        /* cost of an iteration with multigrid */
  SETUP = 6,        /* cost of preparing multigrid */
  TYPICAL = 46,     /* cost of a solve with multigrid */
  BOLDNESS = 4,     /* by how much the bound may exceed that when the other is tried */
  PATIENCE = 200    /* solves after which the other one gets a new chance */
};

enum { CHEAP, STRONG, KINDS };

typedef struct automatic {
  pl_preconditioner common;
  pl_preconditioner *kinds[KINDS];
  int now;
  double cost[KINDS]; /* of a solve when it was last used; 0: unknown */
  int age;            /* solves since the other one was used */
  int begun;
  char reason[160];
} automatic;

static pl_status create(pl_preconditioner *common, const pl_bsr *A, const double *values,
                        pl_error *error)
{
  (void)values;
  automatic *self = (automatic *)common;
  const pl_preconditioner_ops *ops[KINDS] = {&pl_preconditioner_block_diagonal,
                                             &pl_preconditioner_multigrid};
  pl_print(self->reason, sizeof self->reason, "%d rows are fewer than %d", A->rows, LEAST_ROWS);
  for (int kind = 0; kind < (A->rows < LEAST_ROWS ? 1 : KINDS); kind++) {
    pl_part part = {.member = &ops[kind]->info};
    pl_param_presets(part.member, part.values);
    pl_status status =
        pl_preconditioner_create(&common->allocator, &part, A, &self->kinds[kind], error);
    if (status) return status;
  }
  if (!self->kinds[STRONG]) return PL_OK;
  self->now = STRONG;
  pl_print(self->reason, sizeof self->reason, "%d rows, and little mass in the matrix", A->rows);
  return PL_OK;
}

static void destroy(pl_preconditioner *common)
{
  for (int kind = 0; kind < KINDS; kind++)
    pl_preconditioner_destroy(((automatic *)common)->kinds[kind]);
}

/* Takes in what the last solves cost. */
static void account(automatic *self)
{
  const pl_preconditioner *common = &self->common;
  if (common->solves == 0) return;
  double iterations = (double)common->iterations / common->solves;
  self->cost[self->now] = self->now == CHEAP ? iterations : CYCLE * iterations + SETUP;
  self->age += common->solves;
  self->kinds[self->now]->solves = common->solves;
  self->kinds[self->now]->iterations = common->iterations;
}

/* A bound on the iterations with block-diagonal that reduce the error by about 1e-6 (Saad 2003,
 * 6.11.3), from the share of mass. */
static double bound_iterations(const pl_bsr *A)
{
  double all = 0, diagonal = 0;
  for (int row = 0; row < A->rows; row++) {
    for (int k = A->start[row]; k < A->start[row + 1]; k++) {
      const double *block = A->values + 9 * k;
      all += block[0] + block[4] + block[8];
    }
    const double *D = A->values + 9 * A->diagonal[row];
    diagonal += D[0] + D[4] + D[8];
  }
  return all > 0 ? 7 * sqrt(3 * diagonal / all) : INFINITY;
}

/* Which one is next? */
static int decide(const automatic *self, const pl_bsr *A)
{
  int other = !self->now;
  double cost = self->cost[self->now], known = self->cost[other];
  if (!self->begun) return bound_iterations(A) < TYPICAL ? CHEAP : STRONG;
  if (cost == 0) return self->now;
  if (known > 0 && self->age < PATIENCE) return known < cost ? other : self->now;
  if (other == STRONG) return cost > TYPICAL ? STRONG : CHEAP;
  return cost < TYPICAL && bound_iterations(A) < BOLDNESS * TYPICAL ? CHEAP : STRONG;
}

static void switch_to(automatic *self, int kind)
{
  double was = self->cost[self->now], will = self->cost[kind];
  const char *names[KINDS] = {"block-diagonal", "multigrid"};
  if (was == 0)
    pl_print(self->reason, sizeof self->reason, "mass rules: at most about %d iterations", TYPICAL);
  else if (will > 0)
    pl_print(self->reason, sizeof self->reason,
             "a solve costs %.0f with %s and %.0f with %s, in iterations of block-diagonal", will,
             names[kind], was, names[self->now]);
  else
    pl_print(self->reason, sizeof self->reason,
             "a solve costs %.0f with %s, in iterations of block-diagonal; %s is tried", was,
             names[self->now], names[kind]);
  self->now = kind;
  self->age = 0;
}

static pl_status prepare(pl_preconditioner *common, const pl_bsr *A, const pl_filter *filter,
                         pl_pool *pool, pl_error *error)
{
  automatic *self = (automatic *)common;
  account(self);
  int next = self->kinds[STRONG] ? decide(self, A) : CHEAP;
  if (next != self->now) switch_to(self, next);
  self->begun = 1;
  pl_preconditioner *now = self->kinds[self->now];
  return now->ops->prepare(now, A, filter, pool, error);
}

static void apply(pl_preconditioner *common, const double *r, double *z, pl_pool *pool)
{
  pl_preconditioner *now = ((automatic *)common)->kinds[((automatic *)common)->now];
  now->ops->apply(now, r, z, pool);
}

static const double *blocks(const pl_preconditioner *common)
{
  const pl_preconditioner *now =
      ((const automatic *)common)->kinds[((const automatic *)common)->now];
  return now->ops->blocks(now);
}

static const char *choice(const pl_preconditioner *common, const char **reason)
{
  const automatic *self = (const automatic *)common;
  *reason = self->reason;
  return self->kinds[self->now]->ops->info.name;
}

const pl_preconditioner_ops pl_preconditioner_auto = {
    .info = {"auto", "block-diagonal or multigrid, whichever has cost less so far", "", NULL, 0},
    .state_size = sizeof(automatic),
    .create = create,
    .destroy = destroy,
    .prepare = prepare,
    .apply = apply,
    .blocks = blocks,
    .choice = choice,
};
