/* The hierarchy of a smoothed-aggregation multigrid method.
 *
 * Level 0 has the matrix's rows, with 3 unknowns each; a coarser level has one row for each group
 * of nodes of the level above, with 6 unknowns: the group's translation t and its rotation w about
 * the group's centre c, measured at the group's radius l, so that all six are lengths:
 *
 *   u_i = t + w x (x_i - c) / l            (a node of level 0)
 *   t_g = t + w x (c_g - c) / l,  w_g = (l_g / l) w            (a group of a coarser level)
 *
 * That is the tentative prolongator T. The prolongator is P = (I - omega D^-1 A) T with the block
 * diagonal D, whose energy is then lowered (multigrid_energy.c); the coarse matrix is P^T A P.
 * Vanek, Mandel & Brezina 1996, "Algebraic multigrid by smoothed aggregation for second and fourth
 * order elliptic problems".
 *
 * Matrices are symmetric, and products stream their upper triangles only: for a block A_ij right of
 * the diagonal, y_i += A_ij x_j and y_j += A_ij^T x_i.
 *
 * Patterns are made once. Coarse matrices are summed in double precision, since their soft
 * directions are differences of large numbers; what a cycle reads is single precision, and so is
 * A P, the largest of all arrays here, whose sums are single as well where A is the finest. */
#ifndef PL_SPARSE_MULTIGRID_H
#define PL_SPARSE_MULTIGRID_H

#include "sparse/blockwise.h"
#include "sparse/pairs.h"

enum { PL_MULTIGRID_COARSE = 6, PL_MULTIGRID_MOST_LEVELS = 12, PL_MULTIGRID_THOROUGH = 5 };

/* The blocks of a level's rows on and right of the diagonal. Rows are dealt with in chunks, within
 * a chunk in their order: a row's sum is complete when its turn comes, since all that it gets comes
 * from rows before it. But what leaves the chunk goes to slots, one for each pair of a chunk and a
 * row behind it. Rows that have slots are late: they are completed when all chunks are done, by
 * adding their slots in the order of the chunks. */
typedef struct pl_multigrid_half {
  int *start;      /* of the rows, rows + 1 */
  int *leaving;    /* where the blocks of a row begin that leave its chunk */
  int *columns;    /* ascending; of those that leave: rows + slot */
  float *values;   /* blocks, row by row */
  int *slot_row;   /* to which row a slot belongs; those of a row lie together */
  int *late_row;   /* ascending, and -1 at the end */
  int *late_start; /* the first slot of a late row, and the end */
  int *late_first; /* the first late row of a chunk, and the end */
  float *sums;     /* a vector for rows and slots; zero between products */
  int reach;       /* how many chunks behind its own a block lies at most */
  int batch;       /* chunks whose blocks are to stay in a cache */
} pl_multigrid_half;

/* A level. Vectors have 4 floats for each row of 3, and 8 for each row of 6, the last of which mean
 * nothing; everything has 8 floats of slack at its end, since loads are wide. */
typedef struct pl_multigrid_level {
  int rows, size;                  /* unknowns per row: 3 or 6 */
  int chunk;                       /* rows in one helping of work for a thread */
  int *start, *columns, *diagonal; /* pattern of the matrix (of level 0: the matrix's own) */
  pl_multigrid_half half;          /* what products read */
  float *inverse;                  /* of the diagonal blocks, column by column */
  double *precise; /* the blocks in double precision; of level 0: the matrix's own, not scaled */
  double *places;  /* 3 per row: where it is; NULL if unknown */
  double *radius;  /* of a coarse level's groups */
  int *counts;     /* and how many rows they have */
  double largest;  /* eigenvalue of D^-1 A, estimated from below */
  float *mode;     /* about its eigenvector, of length 1 */
  double *sums;    /* one for each chunk */

  // to the next level; groups is 0 on the last one
  int groups, *group;           /* group[i] -1: in none */
  double *tentative;            /* T: size rows of 6 for each row  */
  int *near_start, *near;       /* pattern of P: the groups that a row belongs to, ascending */
  float *prolong;               /* P: size rows of 6 for each entry of near */
  int *wide_start, *wide;       /* pattern of A P, ascending */
  float *product;               /* A P: size rows of 6 for each entry of wide */
  struct pl_multigrid_members { /* of a group: rows, and places in near */
    int *start, *row, *place;
  } members;
  float *gathered; /* P again, in the order of the members */

  // the cycle's vectors
  float *r, *x, *y, *t;
} pl_multigrid_level;

/* W = L^-1 where the last level's matrix is L L^T; row by row, all rows count long. */
typedef struct pl_multigrid_dense {
  int count;
  double *factor, *row; /* work: a matrix, and a row */
  float *values;
  float *in, *out; /* the cycle's vectors */
} pl_multigrid_dense;

/* Which groups of the first coarse level are coupled by pairs: row << 32 | column, ascending. */
typedef struct pl_multigrid_joints {
  int64_t *keys;
  size_t count, room;
  int is_broken; /* there was no memory for the patterns: they are to be rebuilt */
} pl_multigrid_joints;

/* How far the nodes of a sheet have turned since the coarse levels were made. */
typedef struct pl_multigrid_turns {
  double *former; /* where they were then, 3 each; NULL: coarse levels do not turn along */
  float *R;       /* 9 each, column by column, and one of slack */
  int active;     /* they have turned */
} pl_multigrid_turns;

typedef struct pl_multigrid {
  pl_allocator allocator;
  int levels;
  pl_multigrid_level level[PL_MULTIGRID_MOST_LEVELS];
  pl_multigrid_dense dense; /* the inverse on the last level; count 0: there is none */
  double caution;           /* factor on all estimates of largest eigenvalues; at least 1 */
  pl_multigrid_joints joints;
  pl_multigrid_turns turns;
  int lowering; /* steps that lower the energy of prolongators: 0, 1 or THOROUGH */
} pl_multigrid;

/* What a preconditioner hands to a solver: the finest level of its hierarchy, or its bands, are the
 * matrix times 2^-exponent in single precision. */
typedef struct pl_single {
  pl_multigrid *grid;
  struct pl_bands *bands; /* in place of the grid where the pattern has few diagonals; NULL: no */
  int degree;             /* of cycles; 0: none, but the inverse blocks of the diagonal */
  int exponent;
} pl_single;

/* All patterns and memory for matrices of A's pattern; or of the finest level alone, which is to be
 * loaded only. */
pl_status pl_multigrid_create(const pl_allocator *allocator, const pl_bsr *A, pl_multigrid *grid,
                              pl_error *error);
pl_status pl_multigrid_create_finest(const pl_allocator *allocator, const pl_bsr *A,
                                     pl_multigrid *grid, pl_error *error);
void pl_multigrid_destroy(pl_multigrid *grid);

/* The patterns of all levels but the first again, for other joints; numbers are lost. */
pl_status pl_multigrid_rebuild(pl_multigrid *grid, pl_error *error);

/* Room for pairs (pairs.h, NULL: none) on the coarse levels. Where pairs couple groups that have
 * not been coupled before, the patterns are rebuilt, and memory is taken. */
pl_status pl_multigrid_couple(pl_multigrid *grid, const pl_pairs *pairs, pl_error *error);

/* Adds what pairs do, softened, to the first coarse level's matrix, on and right of the diagonal;
 * inverse has the inverse blocks of the finest diagonal. */
void pl_multigrid_add_pairs(pl_multigrid *grid, const pl_pairs *pairs, const double *inverse,
                            double scale);

/* The smoother of the finest level leaves touched blocks to the correction; until the next load. */
void pl_multigrid_rest(pl_multigrid *grid, const pl_pairs *pairs);

/* The exponent of the largest entry on the diagonal. */
int pl_exponent_of_matrix(const pl_bsr *A, pl_pool *pool);
/* The exponent of the largest of 3 numbers for each row; 0: all are zero, or some not finite, and
 * *exponent is not set. */
int pl_exponent_of(const double *r, int rows, int *exponent, pl_pool *pool);

/* The finest level's values and inverse diagonal blocks, times scale and over scale. */
void pl_multigrid_load(pl_multigrid *grid, const pl_bsr *A, const double *inverse, double scale,
                       pl_pool *pool);
/* What the coarse levels are made from. */
typedef struct pl_multigrid_source {
  const pl_bsr *A;
  const pl_filter *filter;
  const pl_pairs *pairs; /* NULL: none */
  const double *inverse; /* of A's diagonal blocks */
} pl_multigrid_source;

/* Everything else, from what was loaded with the same scale. */
void pl_multigrid_refresh(pl_multigrid *grid, const pl_multigrid_source *source, double scale,
                          pl_pool *pool);

/* Lowers the energy of a level's prolongator, whose copy in the order of the members is not made
 * yet, in 1 or THOROUGH steps; the filter is that of the finest level, else NULL. */
void pl_multigrid_minimise(pl_multigrid_level *level, const pl_filter *filter, double scale,
                           int steps, pl_pool *pool);

/* The end of a chunk of a level's rows. */
static inline int pl_multigrid_last(const pl_multigrid_level *level, int chunk)
{
  int last = (chunk + 1) * level->chunk;
  return last < level->rows ? last : level->rows;
}

/* Floats per row in vectors. */
static inline size_t pl_multigrid_width(const pl_multigrid_level *level)
{
  return level->size == 3 ? 4 : 8;
}

/* A better estimate of a level's largest eigenvalue, by some rounds of the power method. */
void pl_multigrid_measure(pl_multigrid_level *level, int rounds, pl_pool *pool);

/* x of level 0 = one cycle for its r: a V, but with two visits of the third level. */
void pl_multigrid_cycle(pl_multigrid *grid, const pl_filter *filter, int degree, pl_pool *pool);

/* Sets the finest level's r to scale times r. */
void pl_multigrid_take(pl_multigrid *grid, const double *r, double scale, pl_pool *pool);

/* Filters rows [first, last) of a vector of the finest level. */
void pl_multigrid_filter(const pl_filter *filter, int first, int last, float *x);

/* t of level 0 = r - A x. */
void pl_multigrid_residual(pl_multigrid *grid, const pl_filter *filter, pl_pool *pool);

/* Coarse levels that turn along with a sheet: memory for that, where the matrix is one of sheets;
 * they have just been made; where the nodes are now. */
pl_status pl_multigrid_follow(pl_multigrid *grid, const pl_bsr *A, pl_error *error);
void pl_multigrid_remember(pl_multigrid *grid, const pl_bsr *A);
void pl_multigrid_turn(pl_multigrid *grid, const pl_bsr *A, pl_pool *pool);

/* What passes must move and compute at least: every array once. */
typedef struct pl_multigrid_cost {
  double bytes, flops;
} pl_multigrid_cost;
pl_multigrid_cost pl_multigrid_cost_of_residual(const pl_multigrid_level *level);
pl_multigrid_cost pl_multigrid_cost_of_cycle(const pl_multigrid *grid, int degree);

#endif
