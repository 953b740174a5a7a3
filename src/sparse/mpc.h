/* Multi-point constraints: rows sum_b a_b . v_b = u over several blocks.
 *
 * They are made independent by Gauss-Jordan elimination, in the order in which they came and after
 * all rows over one block, which count first: each row loses what earlier ones fix already, and is
 * then solved for one direction of one of its blocks (its first, unless another has a far larger
 * coefficient). A row of which nothing is left says what others have said, or contradicts them: it
 * is inactive, and its u is not asked for. What is left are links (links.h).
 *
 * The forces of the rows are J^T lambda. pl_mpcs_split finds lambda from the constraint forces of
 * all blocks by least squares, in the space that rows over one block leave; the products J v and
 * J^T lambda are here for whoever looks for the lambda that accelerations want (ode/system.h). */
#ifndef PL_SPARSE_MPC_H
#define PL_SPARSE_MPC_H

#include "sparse/links.h"

#include <stdint.h>

struct pl_rows;

typedef struct pl_mpc {
  int first, count; /* its entries */
  int source, tag;  /* who gave it, and that one's own number for it */
  int is_active;
  double force; /* lambda, N: what it exerts is a_b lambda */
} pl_mpc;

/* b . v_block = sum over entries c . v. */
typedef struct pl_pivot {
  int block, next; /* next: of the same block, or -1 */
  double b[3];
  size_t first;
  int count;
} pl_pivot;

typedef struct pl_mpc_entry {
  int block;
  double c[3];
} pl_mpc_entry;

typedef struct pl_mpcs {
  pl_allocator allocator;
  int blocks;
  int count, room;
  pl_mpc *list;
  int entries, entry_room;
  pl_mpc_entry *entry; /* of all rows as they were given */
  // elimination
  int pivot_count;
  pl_pivot *pivots;
  int *pivot_of; /* per block: its first pivot, or -1 */
  pl_mpc_entry *pool;
  size_t pool_count, pool_room;
  double *sum; /* 3 per block: a row in the making */
  int *place;  /* per block: 1 + its place in touched, or 0 */
  int *touched, touched_count;
  pl_links links;
  size_t link_room;
  // iterations
  double *u, *rho, *direction, *product; /* one number per row */
  double *work[2];                       /* vectors of the system */
  int *single; /* blocks under rows over one block, and what these leave free */
  double *projections;
  int single_count;
} pl_mpcs;

/* Room for as many rows with as many entries. */
pl_status pl_mpcs_create(const pl_allocator *allocator, int blocks, int rows, int entries,
                         int singles, pl_mpcs **out, pl_error *error);
void pl_mpcs_destroy(pl_mpcs *mpcs);

void pl_mpcs_clear(pl_mpcs *mpcs);
/* Ignored where the room is used up. The first block is the one to be made dependent. */
void pl_mpcs_add(pl_mpcs *mpcs, int source, int tag, int count, const pl_mpc_entry *entries);
/* Makes pivots and links; rows over one block are sorted already. */
pl_status pl_mpcs_eliminate(pl_mpcs *mpcs, const struct pl_rows *rows, pl_error *error);

/* out = J v of active rows (0 of others); f += J^T lambda; x = what single rows leave free. */
void pl_mpcs_measure(const pl_mpcs *mpcs, const double *v, double *out);
void pl_mpcs_push(const pl_mpcs *mpcs, const double *lambda, double *f);
void pl_mpcs_free(const pl_mpcs *mpcs, double *x);

/* Finds lambda with S lambda = rho by conjugate gradients, S = J P W P J^T where w = W f is called
 * for; lambda starts as zero and is returned in direction's place. scale: |rho| below this is
 * rounding. */
typedef void pl_mpc_weigh(void *user, const double *f, double *w);
const double *pl_mpcs_solve(pl_mpcs *mpcs, double scale, pl_mpc_weigh *weigh, void *user);

/* Takes the rows' part out of the constraint forces of all blocks, and keeps it as their force. */
void pl_mpcs_split(pl_mpcs *mpcs, double *reaction);

#endif
