/* Between nodes in memory and four elements in lanes, for the kernels of finite elements. */
#ifndef PL_MODEL_FEM_LANES_H
#define PL_MODEL_FEM_LANES_H

#include "math/lanes_mat3.h"

/* Two doubles of a node in memory. */
typedef double pl_two __attribute__((vector_size(16)));

PL_INLINE pl_two pl_load_two(const double *from)
{
  pl_two pair;
  memcpy(&pair, from, sizeof pair);
  return pair;
}

/* The position of a node of each lane. */
PL_INLINE void pl_fem_gather(const double *x, const int *nodes, pl_lanes *to)
{
  const double *at[PL_LANES];
  for (int lane = 0; lane < PL_LANES; lane++) at[lane] = x + nodes[lane];
  const pl_lanes even = __builtin_shufflevector(pl_load_two(at[0]), pl_load_two(at[2]), 0, 1, 2, 3);
  const pl_lanes odd = __builtin_shufflevector(pl_load_two(at[1]), pl_load_two(at[3]), 0, 1, 2, 3);
  to[0] = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
  to[1] = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
  to[2] = (pl_lanes){at[0][2], at[1][2], at[2][2], at[3][2]};
}

PL_INLINE void pl_add_to_node(double *to, pl_two xy, double z)
{
  pl_two sum = pl_load_two(to) + xy;
  memcpy(to, &sum, sizeof sum);
  to[2] += z;
}

/* Adds a vector of each lane to its node. */
PL_INLINE void pl_fem_scatter(double *f, const int *nodes, const pl_lanes *vector)
{
  const pl_lanes x = vector[0], y = vector[1], z = vector[2];
  pl_add_to_node(f + nodes[0], __builtin_shufflevector(x, y, 0, 4), z[0]);
  pl_add_to_node(f + nodes[1], __builtin_shufflevector(x, y, 1, 5), z[1]);
  pl_add_to_node(f + nodes[2], __builtin_shufflevector(x, y, 2, 6), z[2]);
  pl_add_to_node(f + nodes[3], __builtin_shufflevector(x, y, 3, 7), z[3]);
}

/* Adds each lane's block, its entries in the order of memory. A thread owns nothing behind it. */
PL_INLINE void pl_fem_scatter_block(double *values, const int *places, const pl_lanes *entries)
{
  pl_lanes low[PL_LANES], high[PL_LANES];
  pl_lanes_transpose(entries, low);
  pl_lanes_transpose(entries + 4, high);
  for (int lane = 0; lane < PL_LANES; lane++) {
    double *to = values + 9 * (size_t)places[lane];
    pl_lanes_store(to, pl_lanes_load(to) + low[lane]);
    pl_lanes_store(to + 4, pl_lanes_load(to + 4) + high[lane]);
    to[8] += entries[8][lane];
  }
}

#endif
