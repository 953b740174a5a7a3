/* Which of two ways has cost less so far: a cheap one, which is good where mass rules, or a strong
 * one, which is good everywhere and expensive.
 *
 * The iterations that the cheap way needs are bounded from the share of mass in the matrix:
 * stiffness does not resist translations e, so e.Ae / e.De is about the least eigenvalue of D^-1 A
 * where mass rules, and next to nothing in statics; its largest is about 3. Where the bound is not
 * many times the cost of the strong way, the cheap one is tried, the strong one where that costs
 * more than it usually would, and what a solve costs with each is remembered until the share of
 * mass has changed. Cost is counted, not clocked: 1 is an iteration of cg with block-diagonal, so
 * results can be repeated. */
#ifndef PL_SPARSE_DECISION_H
#define PL_SPARSE_DECISION_H

#include "sparse/bsr.h"

enum { PL_CHEAP, PL_STRONG, PL_WAYS };

typedef struct pl_decision {
  const char *names[PL_WAYS];
  double iteration; /* cost of one with the cheap way */
  double setup;     /* cost of preparing it */
  double fewer;     /* its iterations, as part of those with block-diagonal */
  int now;
  double cost[PL_WAYS]; /* of a solve, as of late when it was last used; 0: unknown */
  double bound;         /* on the cost of the cheap way when the matrix was last looked at */
  int age;              /* solves since then */
  int begun;
  int barred, pause; /* decisions for which the strong way is barred, and the last such number */
  char reason[160];
} pl_decision;

/* Takes in what the last solves cost, and decides which way goes on with the new matrix A. */
void pl_decide(pl_decision *decision, int solves, int iterations, const pl_bsr *A);

/* The strong way has failed: the cheap one goes on, and it has the next decisions for itself, twice
 * as many with every failure. */
void pl_decision_bar(pl_decision *decision);

/* After how many iterations a trial has cost what the other way would; infinite where there is
 * none. */
double pl_decision_limit(const pl_decision *decision);

#endif
