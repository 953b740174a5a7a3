/* Dependent blocks: what rows over several blocks leave of a system.
 *
 * Some directions of a block s depend on other blocks: x_s = P_s x_s + sum_m L_sm x_m, where P_s is
 * the filter's projection and L_sm = (I - P_s) L_sm P_m, so that no block that is depended on
 * depends on anything itself, along these directions. With E = P + L (E E = E) every x that
 * satisfies the constraints is E x, a force acts as E^T f, and the matrix of the free blocks is
 *
 *   E^T A E = P A P + P A L + L^T A P + L^T A L.
 *
 * pl_links_fold makes A into (I + L)^T A (I + L): the free rows of that, after the filter's P, are
 * those of E^T A E, so that solvers and preconditioners need to know the filter alone. This is the
 * elimination of multi-point constraints by a transformation of the system (Cook et al. 2002,
 * "Concepts and applications of finite element analysis", 13.2). */
#ifndef PL_SPARSE_LINKS_H
#define PL_SPARSE_LINKS_H

#include "core/ranks.h"
#include "sparse/bsr.h"

typedef struct pl_links {
  int count;    /* dependent blocks */
  int *blocks;  /* ascending */
  int *start;   /* per dependent block, and the end: its places in on */
  int *on;      /* what it depends on */
  double *L;    /* 9 for each place, row by row */
  int *link_of; /* per block of the system: its place in blocks, or -1 */
} pl_links;

/* Pairs of blocks that a pattern lacks; a list that grows. */
typedef struct pl_block_pairs {
  pl_allocator allocator;
  int *list; /* 2 for each */
  size_t count, room;
} pl_block_pairs;

void pl_block_pairs_release(pl_block_pairs *pairs);
pl_status pl_block_pairs_add(pl_block_pairs *pairs, int row, int column, pl_error *error);

/* x_s += sum L x_m, and less; NULL links do nothing in all of these. */
void pl_links_extend(const pl_links *links, double *x);
void pl_links_strip(const pl_links *links, double *x);
/* r_m += L^T r_s, and less. */
void pl_links_gather(const pl_links *links, double *r);
void pl_links_scatter(const pl_links *links, double *r);

/* A = (I + L)^T A (I + L) as far as the pattern has room; returns how many blocks were missing.
 * Where rows are divided over ranks the rank's own become right, and all return the same. */
int pl_links_fold(const pl_links *links, pl_bsr *A);
/* The missing ones; calling it again after A has got them may find more. */
pl_status pl_links_missing(const pl_links *links, const pl_bsr *A, pl_block_pairs *to,
                           pl_error *error);

/* ---- where rows are divided over ranks; all of them call these ---- */

/* Blocks of dependent rows that their owners' patterns have and this rank's lacks. */
pl_status pl_links_share(const pl_links *links, const pl_bsr *A, pl_ranks *ranks,
                         pl_block_pairs *to, pl_error *error);
/* Dependent rows become their owners'; 1, on all ranks, where a pattern has no room for them. */
int pl_links_complete(const pl_links *links, pl_bsr *A);
/* The largest count of any rank. */
int pl_links_most(const pl_links *links, const pl_bsr *A, int count);

#endif
