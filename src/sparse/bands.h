/* Symmetric matrices whose blocks lie on few diagonals, as those of regular grids do: a copy for
 * products, in single precision and as it is.
 *
 * Rows are taken in the order of the grid's lines (pl_bsr.lines), and called places then. Place i
 * is coupled with the places i + d and i - d for a few distances d only: on a grid of m particles
 * in a line d = 1, 2, m - 1, m, m + 1, 2 m. So each entry of the blocks at a distance is an array
 * over the places (diagonal format: Saad 2003, "Iterative methods for sparse linear systems", 3.4),
 * and a product
 *
 *   y_i = A_ii x_i + sum over d > 0 of (A_i,i+d x_i+d + A_i-d,i^T x_i-d)
 *
 * takes eight places at once, knows no columns, and writes no places but its own. Where all blocks
 * at a distance are multiples of the unit matrix, as those of flat bending are, one number stands
 * for nine. Arrays have zeros on both sides, as far as places reach. */
#ifndef PL_SPARSE_BANDS_H
#define PL_SPARSE_BANDS_H

#include "sparse/bsr.h"
#include "sparse/filter.h"

enum { PL_BANDS_MOST = 16, PL_BANDS_LANES = 8 };

typedef struct pl_band {
  int distance, is_full; /* is_full: nine arrays, else one; the first band, the diagonal, has six */
  float *values;         /* the first array's row 0; times the scale */
  double *precise;       /* as they are */
} pl_band;

typedef struct pl_bands {
  pl_allocator allocator;
  int rows, chunk, count; /* chunk: places in one helping of work, a multiple of the lanes */
  int *row_of, *place_of; /* the rows in the order of places, and the other way round */
  size_t stride;          /* from an array to the next one's */
  pl_band band[PL_BANDS_MOST];
  float *inverse;          /* of the diagonal blocks, six arrays */
  float *x, *r, *p, *q;    /* the caller's vectors, three arrays each */
  double *wide[2];         /* what precise products multiply, three arrays each */
  double *sums, *products; /* one for each chunk */
  unsigned *full;          /* of each chunk: the bands that hold other than multiples of 1 */
  int *held_start, *held;  /* of each chunk: the entries of the filter that are there */
  float *memory;
  double *precise_memory;
} pl_bands;

/* For matrices of A's pattern; *out is NULL where that is no grid's, or not all of it is here. */
pl_status pl_bands_create(const pl_allocator *allocator, const pl_bsr *A, pl_bands **out,
                          pl_error *error);
void pl_bands_destroy(pl_bands *bands);

/* A, of which one triangle is read, and in single precision times scale; its inverse diagonal
 * blocks over scale. */
void pl_bands_load(pl_bands *bands, const pl_bsr *A, const double *inverse, double scale,
                   pl_pool *pool);

/* y = A x in double precision, for one or two vectors of rows (other_x may be NULL). */
void pl_bands_multiply(pl_bands *bands, const double *x, double *y, const double *other_x,
                       double *other_y, pl_pool *pool);

/* Finds the held places; then filters those of a chunk of a vector in single precision, or adds a
 * factor times them to a vector of rows, where what is held stays to the last bit, and leaves
 * zeros.
 */
void pl_bands_hold(pl_bands *bands, const pl_filter *filter);
void pl_bands_filter(const pl_bands *bands, const pl_filter *filter, int chunk, float *x);
void pl_bands_add(const pl_bands *bands, const pl_filter *filter, int chunk, double factor,
                  float *x, double *out);

/* The end of a chunk of places. */
static inline int pl_bands_last(const pl_bands *bands, int chunk)
{
  int last = (chunk + 1) * bands->chunk;
  return last < bands->rows ? last : bands->rows;
}

#endif
