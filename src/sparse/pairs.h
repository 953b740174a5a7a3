/* Pairs that come and go: a second, small matrix beside the fixed one.
 *
 * Contacts, springs between bodies and whatever else couples blocks for some steps only are
 * stencils. A stencil over the blocks i measures the relative motion s = sum_i C_i x_i (3 numbers)
 * and resists it by a symmetric 3x3 matrix D. All of them together make
 *
 *   K = sum over stencils of C^T D C,         and the matrix of the system is A + K.
 *
 * The pattern of A stays as it is. K is never assembled: its product takes two passes,
 *
 *   (1) per stencil  w = D sum_i C_i x_i,     (2) per block  y_i += sum over its stencils C_i^T w,
 *
 * the second over lists sorted by stencil, so that every sum has a fixed order and the bits are the
 * same for any number of threads. Blocks that a stencil touches are called touched.
 *
 * The life of a list: clear, add stencil after stencil, then products and solves. Adding takes no
 * memory. A stencil for which there is no room is refused and counted; pl_pairs_grow makes room
 * between two steps, and whoever adds does so again. */
#ifndef PL_SPARSE_PAIRS_H
#define PL_SPARSE_PAIRS_H

#include "sparse/bsr.h"
#include "sparse/links.h"

#include <stdint.h>

/* All matrices here are row-major. */
typedef struct pl_stencil {
  int count;
  const int *blocks;     /* one that comes twice counts once, with the sum of its coefficients */
  const double *weights; /* C_i = weights[i] I; NULL: C holds them */
  const double *C;       /* 9 for each block; not read where there are weights */
  const double *D;       /* 9, symmetric */
} pl_stencil;

typedef struct pl_pairs {
  pl_allocator allocator;
  int rows;
  // stencils
  int count, room;
  int *first;      /* entries of stencil s: [first[s], first[s+1]) */
  char *is_scalar; /* it has weights */
  double *D, *w;   /* 9 and 3 for each; w is the product's first pass */
  // their entries
  int entries, entry_room;
  int *block;
  double *weight, *C; /* 1 and 9 for each entry; one of them is used */
  // who touches a block: made by pl_pairs_close
  int touched_count;
  int *touched;                   /* ascending */
  int *list_start;                /* per touched block, and the end */
  int *list_stencil, *list_entry; /* ascending */
  int *local;                     /* per row: place in touched, or -1 */
  int *mark;                      /* per row: work */
  int is_closed;
  int asked, asked_entries;   /* since the last clear, with what was refused */
  int wanted, wanted_entries; /* the most that was asked for when some were refused; 0: none were */
  uint64_t version;           /* another number whenever something was cleared or added */
  struct pl_correction *correction;
  const pl_links *links; /* stencils are folded as A is (links.h); the caller's, NULL: nothing is */
} pl_pairs;

/* An empty list without room, for matrices of so many block rows. */
pl_status pl_pairs_create(const pl_allocator *allocator, int rows, pl_pairs **out, pl_error *error);
void pl_pairs_destroy(pl_pairs *pairs);

/* Room for so many stencils, with so many blocks in all. Where it grows, the list is empty
 * afterwards; on failure nothing has changed. Not to be called within a step. */
pl_status pl_pairs_reserve(pl_pairs *pairs, int stencils, int entries, pl_error *error);

/* Was a stencil refused since the last time that there was room? Then grow makes room for twice of
 * what was asked for. */
int pl_pairs_is_short(const pl_pairs *pairs);
pl_status pl_pairs_grow(pl_pairs *pairs, pl_error *error);

void pl_pairs_clear(pl_pairs *pairs);

/* Returns 0, and counts, if there is no room. Blocks are in [0, rows). */
int pl_pairs_add(pl_pairs *pairs, const pl_stencil *stencil);

/* A += C^T D C if A's pattern has room for all of it, as it has for stencils over a single block;
 * otherwise nothing happens, and 0 is returned. */
int pl_bsr_add_stencil(pl_bsr *A, const pl_stencil *stencil);

/* Into A if the pattern has room, else into pairs: nothing is lumped on the diagonal. Returns 0 if
 * there is no room in pairs either, or pairs is NULL. */
int pl_stencil_put(pl_bsr *A, pl_pairs *pairs, const pl_stencil *stencil);

/* Is there anything in it? NULL is empty. */
static inline int pl_pairs_exist(const pl_pairs *pairs) { return pairs && pairs->count > 0; }

/* Identifies a list; 0 is empty. */
static inline uint64_t pl_pairs_version(const pl_pairs *pairs)
{
  return pl_pairs_exist(pairs) ? pairs->version : 0;
}

/* K becomes J^T K J with J (row-major) at one block: C_i = C_i J. */
void pl_pairs_turn(pl_pairs *pairs, int block, const double J[9]);

/* Makes the lists, unless they are there. Products and solvers call it. */
void pl_pairs_close(pl_pairs *pairs);

/* y += K x. */
void pl_pairs_multiply(pl_pairs *pairs, const double *x, double *y, pl_pool *pool);

/* y += one row of K x. */
void pl_pairs_multiply_row(pl_pairs *pairs, int row, const double *x, double y[3]);

/* The two passes of a closed list: w for all stencils; then y += K x in rows [first, last), where
 * the rows' part of x . K x is returned. */
void pl_pairs_measure(const pl_pairs *pairs, const double *x, pl_pool *pool);
double pl_pairs_spread(const pl_pairs *pairs, int first, int last, const double *x, double *y);

/* The place in touched from which on blocks are not below row. */
int pl_pairs_from(const pl_pairs *pairs, int row);

/* y += |K||x| with absolute values of all factors: an upper bound, to judge rounding by. */
void pl_pairs_absolute(const pl_pairs *pairs, const double *x, double *y);

/* The diagonal block of K at a touched place; the block C_a^T D C_b of two entries of a stencil.
 * Both row-major. */
void pl_pairs_diagonal(const pl_pairs *pairs, int place, double out[9]);
void pl_pairs_block(const pl_pairs *pairs, int stencil, int a, int b, double out[9]);

#endif
