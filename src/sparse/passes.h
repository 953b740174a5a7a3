/* Passes over vectors of blocks (3 doubles each) that explicit steps make, shared out in chunks.
 * Chunks are larger than those of dot products: such a pass is short, and waking a thread is not.
 */
#ifndef PL_SPARSE_PASSES_H
#define PL_SPARSE_PASSES_H

#include "core/thread.h"

/* Calls work(context, first, last) for ranges of blocks. */
typedef void pl_range_work(void *context, int first, int last);
void pl_each_range(int blocks, pl_range_work *work, void *context, pl_pool *pool);
/* The same with a copy of the context, of so many bytes, and later where the pool gathers: for work
 * on blocks that needs no other block. So do all passes below that return nothing. */
enum { PL_RANGE_BYTES = 128 };
void pl_defer_range(int blocks, pl_range_work *work, const void *context, size_t size,
                    pl_pool *pool);

/* x = 0, y = x, and x = y / m with one m per block; x may be y. Where several vectors of so many
 * blocks stand one behind the other, ranges are those of each: so a thread has the same blocks in
 * all passes, and nothing moves from cache to cache. */
void pl_pass_clear(double *x, int blocks, pl_pool *pool);
void pl_pass_copy(const double *x, double *y, int blocks, int vectors, pl_pool *pool);
void pl_pass_divide(const double *y, const double *mass, double *x, int blocks, pl_pool *pool);
/* f += a m g with one m per block and the same g at all. */
void pl_pass_weigh(double a, const double *mass, const double g[3], double *f, int blocks,
                   pl_pool *pool);
/* f += a m x. */
void pl_pass_mass_add(double a, const double *mass, const double *x, double *f, int blocks,
                      pl_pool *pool);
/* out = q + dq; out may be q. */
void pl_pass_move(const double *q, const double *dq, double *out, int blocks, pl_pool *pool);
/* The sum of m |v|^2; not finite where a number of v is not. */
double pl_pass_energy(const double *mass, const double *v, int blocks, pl_pool *pool);
/* Are all numbers of so many vectors finite? */
int pl_pass_is_finite(const double *x, int blocks, int vectors, pl_pool *pool);

/* The same later, where the pool gathers: sums of ranges, which stay where they are until the pool
 * has settled. Numbers are finite where the total of their differences x - x is zero. */
enum { PL_MOST_RANGES = 64 };
typedef struct pl_range_sums {
  int count;
  double of[PL_MOST_RANGES];
} pl_range_sums;
void pl_defer_energy(const double *mass, const double *v, int blocks, pl_range_sums *to,
                     pl_pool *pool);
void pl_defer_differences(const double *x, int blocks, int vectors, pl_range_sums *to,
                          pl_pool *pool);
double pl_range_total(const pl_range_sums *sums);

#endif
