/* Costs of two ways, counted, and the choice between them. */
#include "sparse/decision.h"

#include "core/text.h"

#include <math.h>

enum {
  SETUP = 6,      /* cost of preparing the strong way */
  TYPICAL = 40,   /* cost of a solve with it */
  BOLDNESS = 2,   /* by how much the bound may exceed that when the cheap way is tried */
  PATIENCE = 200, /* solves after which the matrix is looked at again */
  FEW_ROWS = 1000 /* for which the cheap way is tried first in any case */
};

/* Cost of an iteration with the strong way: a fifth below what one thread takes, since more threads
 * share it, unlike sweeps. The choice may not know how many there are: bits would depend on it. */
static const double cycle = 3.6;

/* What is known of the other way is old: it must be better by this factor. And how much of a new
 * cost is taken in. */
static const double margin = 1.25, share = 0.3;

/* A bound on the cost with the cheap way of reducing the error by about 1e-6 (Saad 2003, 6.11.3),
 * from the share of mass. */
static double bound_cost(const pl_decision *decision, const pl_bsr *A)
{
  double all = 0, diagonal = 0;
  for (int row = 0; row < A->rows; row++) {
    for (int k = A->start[row]; k < A->start[row + 1]; k++) {
      const double *block = A->values + 9 * (size_t)k;
      all += block[0] + block[4] + block[8];
    }
    const double *D = A->values + 9 * (size_t)A->diagonal[row];
    diagonal += D[0] + D[4] + D[8];
  }
  double iterations = all > 0 ? 7 * sqrt(3 * diagonal / all) : INFINITY;
  return decision->iteration * decision->fewer * iterations + decision->setup;
}

/* Looks at the matrix now and then: what is known of the other way is worth nothing where the share
 * of mass has become another one. */
static void look(pl_decision *decision, const pl_bsr *A)
{
  double bound = bound_cost(decision, A), before = decision->bound;
  if (bound > 2 * before || 2 * bound < before) decision->cost[!decision->now] = 0;
  decision->bound = bound;
  decision->age = 0;
}

/* Which one is next? After a trial the better one. */
static int choose(const pl_decision *decision, int tried)
{
  int other = !decision->now;
  double cost = decision->cost[decision->now], known = decision->cost[other];
  if (cost == 0) return decision->now;
  if (known > 0) return known * (tried ? 1 : margin) < cost ? other : decision->now;
  if (other == PL_STRONG) return cost > TYPICAL ? PL_STRONG : PL_CHEAP;
  return decision->bound < BOLDNESS * cost ? PL_CHEAP : PL_STRONG;
}

static void switch_to(pl_decision *decision, int way)
{
  double was = decision->cost[decision->now], will = decision->cost[way];
  const char *const *names = decision->names;
  char *reason = decision->reason;
  size_t size = sizeof decision->reason;
  if (will > 0)
    pl_print(reason, size,
             "a solve costs %.0f with %s and %.0f with %s, in iterations of block-diagonal", will,
             names[way], was, names[decision->now]);
  else
    pl_print(reason, size,
             "a solve costs %.0f with %s, in iterations of block-diagonal; %s is tried", was,
             names[decision->now], names[way]);
  decision->now = way;
}

/* The first choice is the cheap way, unless it may cost many times as much: what the strong way
 * prepares may never be needed. */
static void begin(pl_decision *decision, const pl_bsr *A)
{
  double bound = bound_cost(decision, A);
  char *reason = decision->reason;
  size_t size = sizeof decision->reason;
  decision->begun = 1;
  decision->bound = bound;
  int rules = bound < BOLDNESS * TYPICAL;
  decision->now = rules || A->rows < FEW_ROWS ? PL_CHEAP : PL_STRONG;
  if (rules)
    pl_print(reason, size,
             "mass rules: a solve costs at most about %.0f iterations of block-diagonal", bound);
  else if (decision->now == PL_CHEAP)
    pl_print(reason, size, "%d rows are few: %s is tried first", A->rows,
             decision->names[PL_CHEAP]);
  else
    pl_print(reason, size, "%d rows, and little mass in the matrix", A->rows);
}

void pl_decision_bar(pl_decision *decision)
{
  const int shortest = 16, longest = 1 << 20;
  int pause = 2 * decision->pause;
  decision->pause = pause < shortest ? shortest : pause > longest ? longest : pause;
  decision->barred = decision->pause;
  decision->cost[PL_STRONG] = 0;
  decision->now = PL_CHEAP;
  decision->begun = 1;
  pl_print(decision->reason, sizeof decision->reason,
           "%s failed for a matrix and is not tried for the next %d, %s goes on",
           decision->names[PL_STRONG], decision->pause, decision->names[PL_CHEAP]);
}

void pl_decide(pl_decision *decision, int solves, int iterations, const pl_bsr *A)
{
  if (!decision->begun) {
    begin(decision, A);
    return;
  }
  double *cost = &decision->cost[decision->now];
  int tried = *cost == 0;
  if (solves > 0) {
    double all = decision->now == PL_CHEAP ? decision->iteration * iterations + decision->setup
                                           : cycle * iterations + SETUP;
    *cost = tried ? all / solves : (1 - share) * *cost + share * all / solves;
    decision->age += solves;
  }
  if (decision->age >= PATIENCE) look(decision, A);
  if (decision->barred > 0 && decision->barred-- > 0) return;
  int next = choose(decision, tried);
  if (next != decision->now) switch_to(decision, next);
}

double pl_decision_limit(const pl_decision *decision)
{
  const double min = 5;
  double known = decision->cost[!decision->now];
  if (decision->cost[decision->now] > 0 || known == 0) return INFINITY;
  double max = decision->now == PL_CHEAP ? (known - decision->setup) / decision->iteration
                                         : (known - SETUP) / cycle;
  return fmax(min, floor(max));
}
