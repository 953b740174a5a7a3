/* Clearing what stands right of the diagonal, and mirroring it. */
#include "sparse/upper_kernel.h"

#include "math/lanes.h"

#include <string.h>

static void clear(pl_bsr *A, int first, int last)
{
  for (int row = first; row < last; row++) {
    int after = A->diagonal[row] + 1;
    if (!after) continue; // it is elsewhere
    memset(A->values + 9 * (size_t)after, 0,
           (size_t)(A->start[row + 1] - after) * 9 * sizeof *A->values);
  }
}

/* A block as it stands in memory: two vectors and the last entry. */
typedef struct block {
  pl_lanes low, high;
  double last;
} block;

PL_INLINE block load_block(const double *from)
{
  return (block){pl_lanes_load(from), pl_lanes_load(from + 4), from[8]};
}

PL_INLINE void store_block(double *to, block b)
{
  pl_lanes_store(to, b.low);
  pl_lanes_store(to + 4, b.high);
  to[8] = b.last;
}

PL_INLINE block transposed(block b)
{
  return (block){__builtin_shufflevector(b.low, b.high, 0, 3, 6, 1),
                 __builtin_shufflevector(b.low, b.high, 4, 7, 2, 5), b.last};
}

PL_INLINE block sum_of(block a, block b)
{
  return (block){a.low + b.low, a.high + b.high, a.last + b.last};
}

static void finish(pl_bsr *A, const int *mirror, int first, int last)
{
  const block zero = {pl_lanes_all(0), pl_lanes_all(0), 0};
  for (int row = first; row < last; row++) {
    block sum = zero;
    if (A->diagonal[row] < 0) continue;
    for (int k = A->start[row]; k < A->diagonal[row]; k++) {
      block b = mirror[k] < 0 ? zero : transposed(load_block(A->values + 9 * (size_t)mirror[k]));
      store_block(A->values + 9 * (size_t)k, b);
      sum = sum_of(sum, b);
    }
    for (int k = A->diagonal[row] + 1; k < A->start[row + 1]; k++)
      sum = sum_of(sum, load_block(A->values + 9 * (size_t)k));

    // symmetric to the last bit
    block twice = sum_of(sum, transposed(sum));
    store_block(A->values + 9 * (size_t)A->diagonal[row],
                (block){-0.5 * twice.low, -0.5 * twice.high, -0.5 * twice.last});
  }
}

const pl_upper_kernel PL_VARIANT(pl_upper_kernel) = {clear, finish};
