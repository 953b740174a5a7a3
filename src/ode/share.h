/* A system whose vectors hold a rank's own blocks and its copies (sparse/layout.h), not all.
 *
 * Integrators and Newton's method see such a system as any other: primal vectors (positions,
 * velocities, increments) are right at all blocks of it, dual ones (forces, residuals, products) at
 * own blocks. Its functions hand vectors on to the system of all blocks through a few vectors of
 * all blocks, and take back what is here. What is decided by looking at vectors is decided by the
 * sums below, which all ranks have alike; without a share they are plain sums over all blocks.
 *
 * Not served: rotating blocks, guarded increments, impulses, rows over several blocks, relations.
 */
#ifndef PL_ODE_SHARE_H
#define PL_ODE_SHARE_H

#include "ode/integrator.h"
#include "sparse/layout.h"

typedef struct pl_share {
  pl_allocator allocator;
  pl_ranks *ranks;
  pl_system *whole;        /* of all blocks */
  pl_system system;        /* of those that are here */
  pl_block_layout *layout; /* of the rows of whole->A */
  int needs_all; /* forces look beyond the blocks that are here: positions are made whole first */
  // vectors of all blocks, the caller's: the state; room for dual and for primal ones
  double *q, *v, *dual, *primal;
  double *own[5]; /* of the blocks here: q, v, reaction, unfiltered, what is expected of v */
  // the filter's part that is here
  int *nodes;
  double *projections;
  size_t room;
  double *number; /* room for numbers at nodes of the whole filter, of which some are exchanged */
} pl_share;

/* Each rank by itself; q to primal are filled in by the caller before the first step. On failure
 * *out may be half made, and is to be destroyed all the same. */
pl_status pl_share_create(const pl_allocator *allocator, pl_system *whole, pl_ranks *ranks,
                          pl_share **out, pl_error *error);
void pl_share_destroy(pl_share *self);
/* How many blocks are here. */
int pl_share_blocks(const pl_share *self);

/* All ranks: a step of an integrator of so many blocks from the state in q and v, in place;
 * history: what it remembers at all blocks, vector by vector, in and out. On failure q and v may
 * hold anything. */
pl_status pl_share_step(pl_share *self, pl_integrator *by, double t, double h, double *history,
                        pl_step_report *report, pl_error *error);

/* For pl_system_multiply, _leave and _solve. */
void pl_share_multiply(pl_share *self, const double *x, double *y);
void pl_share_leave(pl_share *self, const double *x);
pl_status pl_share_solve(pl_share *self, const double *b, double *x, double target,
                         pl_solve_report *report, pl_error *error);

/* ---- over all blocks, of a system with or without a share ---- */

double pl_system_dot(const pl_system *system, const double *x, const double *y);
double pl_system_norm(const pl_system *system, const double *x);
/* The sum of what each rank has from its own blocks. */
double pl_system_sum(const pl_system *system, double value);
/* The largest of what the ranks have: of numbers in x by magnitude; is a flag set on any? */
double pl_system_largest(const pl_system *system, const double *x);
int pl_system_any(const pl_system *system, int flag);
/* 1 + the block with the largest r, or the first that is not finite. */
int pl_system_worst1(const pl_system *system, const double *r);
/* How many blocks there are over all ranks. */
int pl_system_all_blocks(const pl_system *system);

#endif
