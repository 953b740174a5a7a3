/* What this machine's memory gives, and what the product makes of it. */
#ifndef PL_SPARSE_MEASURE_H
#define PL_SPARSE_MEASURE_H

#include "sparse/bsr.h"

/* The best of some rounds of McCalpin's STREAM triad a = b + s c over three arrays of so many
 * doubles, in 1e9 bytes per second. As in STREAM 24 bytes are counted per element; the machine
 * moves 32, since it reads a line of a before it writes it. 0 if there is no memory. */
double pl_measure_triad(const pl_allocator *allocator, pl_pool *pool, size_t doubles, int rounds);

/* The most additions and multiplications, as many of each and never fused, in 1e9 per second: in
 * double or in single precision, over all threads of the pool. */
double pl_measure_flops(pl_pool *pool, int single, int rounds);

/* The shortest time of some rounds of anything, in seconds. */
double pl_measure_best(void (*round)(void *context, pl_pool *pool), void *context, pl_pool *pool,
                       int rounds);

/* The best time of some rounds of y = A x in seconds; 0 if there is no memory. */
double pl_measure_product(const pl_allocator *allocator, pl_pool *pool, const pl_bsr *A,
                          int rounds);

#endif
