/* Sparse matrices of 3x3 blocks with a fixed pattern.
 *
 * Block k of row i stands at values + 9*k, k in [start[i], start[i+1]), in column columns[k]; its
 * entries are stored column by column (values[9*k + 3*c + r] is row r, column c of the block),
 * which suits the product: y += column * x_c. Columns ascend within a row; every row has its
 * diagonal, but for rows that are another process' (pl_bsr_create_divided). The place k of a block
 * fits into an int, 9*k need not: write 9 * (size_t)k. 9 numbers for each row do fit. */
#ifndef PL_SPARSE_BSR_H
#define PL_SPARSE_BSR_H

#include "core/thread.h"
#include "core/watch.h"
#include "pliant/base.h"

enum { PL_ROWS_PER_CHUNK = 256 }; /* at most */

typedef struct pl_bsr {
  pl_allocator allocator;
  int rows;
  int *start, *columns, *diagonal; /* diagonal[i]: place of block (i,i); -1: the row is elsewhere */
  double *values;                  /* 4 doubles longer than the blocks need */
  int is_view;                     /* values are those of another matrix */
  int chunks;                      /* of about equal work: rows [chunk_rows[c], chunk_rows[c+1]) */
  int *chunk_rows;
  int *children; /* of a refined mesh, else NULL: a row and its two parents each, coarse to fine */
  int child_count;
  int *lines; /* of regular grids, else NULL: all rows in an order in which neighbours are at a few
                 distances from each other */
  double *points;     /* where the rows' nodes are now, 3 for each; the caller's, NULL if unknown */
  int is_unsymmetric; /* A^T may be another matrix */
  int is_sheet; /* its rows are nodes of sheets, all of them, and points says where they are */
  const struct pl_partition *partition; /* of its rows over ranks; the caller's, NULL: all here */
  pl_watch *watch; /* asked by solvers in every iteration; the caller's, NULL: nobody */
} pl_bsr;

/* A pattern is built from cliques: all nodes of an element are coupled with each other. */
typedef struct pl_cliques {
  int count, size; /* count groups of size nodes each */
  const int *nodes;
  int offset; /* added to every node number */
} pl_cliques;

/* A matrix of zeros. A node number outside [0, rows) is refused. */
pl_status pl_bsr_create(const pl_allocator *allocator, int rows, const pl_cliques *cliques,
                        int clique_sets, pl_bsr **matrix, pl_error *error);
/* The same without diagonals in rows that are marked as elsewhere and in no clique. */
pl_status pl_bsr_create_divided(const pl_allocator *allocator, int rows, const pl_cliques *cliques,
                                int clique_sets, const unsigned char *elsewhere, pl_bsr **matrix,
                                pl_error *error);
/* The rows row[0] < row[1] < ... of another matrix with their diagonals, and of these the columns
 * that are among them; place: of each row of `from` in that list, -1: not in it. Where no block is
 * left out the values are those of `from`, now and later; else they are for the caller to copy. */
pl_status pl_bsr_take(const pl_allocator *allocator, const pl_bsr *from, const int *row, int rows,
                      const int *place, pl_bsr **matrix, pl_error *error);
void pl_bsr_destroy(pl_bsr *matrix);

/* Place of block (row, column) in the list of blocks, -1 if it is not in the pattern. */
int pl_bsr_find(const pl_bsr *matrix, int row, int column);

/* The place of block (row, column) of a model whose first row is offset; refused with the model's
 * own numbers if the pattern has none. pl_bsr_places: of all blocks of a pattern in that form. */
pl_status pl_bsr_place(const pl_bsr *matrix, int offset, int row, int column, int *place,
                       pl_error *error);
pl_status pl_bsr_places(const pl_bsr *matrix, int offset, int rows, const int *start,
                        const int *columns, int *places, pl_error *error);

void pl_bsr_zero(pl_bsr *matrix, pl_pool *pool);

/* y = A x; x and y do not overlap. */
void pl_bsr_multiply(const pl_bsr *matrix, const double *x, double *y, pl_pool *pool);
/* The same for two vectors, by reading the matrix once. */
void pl_bsr_multiply_two(const pl_bsr *matrix, const double *x, double *y, const double *other_x,
                         double *other_y, pl_pool *pool);

/* y = one row of A x. */
void pl_bsr_multiply_row(const pl_bsr *matrix, int row, const double *x, double y[3]);

/* Bytes that one product must move: the matrix once, x and y once. */
size_t pl_bsr_bytes(const pl_bsr *matrix);

#endif
