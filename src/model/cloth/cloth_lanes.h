/* Between the vectors and matrix of a body of cloth and four items of it at once. */
#ifndef PL_MODEL_CLOTH_CLOTH_LANES_H
#define PL_MODEL_CLOTH_CLOTH_LANES_H

#include "math/lanes.h"

PL_INLINE void gather(const double *from, const int *nodes, pl_lanes *out)
{
  const double *x0 = from + 3 * (size_t)nodes[0], *x1 = from + 3 * (size_t)nodes[1];
  const double *x2 = from + 3 * (size_t)nodes[2], *x3 = from + 3 * (size_t)nodes[3];
  for (int i = 0; i < 3; i++) out[i] = (pl_lanes){x0[i], x1[i], x2[i], x3[i]};
}

PL_INLINE void scatter(double *to, const int *nodes, const pl_lanes *force)
{
  for (int lane = 0; lane < PL_LANES; lane++) {
    double *f = to + 3 * (size_t)nodes[lane];
    for (int i = 0; i < 3; i++) f[i] += force[i][lane];
  }
}

/* Swaps two numbers in the lanes of a mask. */
PL_INLINE void swap_lanes(pl_mask mask, pl_lanes *a, pl_lanes *b)
{
  const pl_mask change = ((pl_mask)*a ^ (pl_mask)*b) & mask;
  *a = (pl_lanes)((pl_mask)*a ^ change);
  *b = (pl_lanes)((pl_mask)*b ^ change);
}

/* Right of the diagonal a place below 0 is minus 1 minus that of the transposed block. */
PL_INLINE double *upper_block(double *values, int place)
{
  return values + 9 * (size_t)(place < 0 ? -1 - place : place);
}

/* Adds the blocks K (row by row) right of the diagonal; K is lost. */
PL_INLINE void add_upper(double *values, const int *places, pl_lanes *K)
{
  pl_lanes low[PL_LANES], high[PL_LANES];
  // blocks are stored column by column
  const pl_mask straight = {-(places[0] >= 0), -(places[1] >= 0), -(places[2] >= 0),
                            -(places[3] >= 0)};
  swap_lanes(straight, &K[1], &K[3]);
  swap_lanes(straight, &K[2], &K[6]);
  swap_lanes(straight, &K[5], &K[7]);
  pl_lanes_transpose(K, low);
  pl_lanes_transpose(K + 4, high);
  for (int lane = 0; lane < PL_LANES; lane++) {
    double *to = upper_block(values, places[lane]);
    pl_lanes_store(to, pl_lanes_load(to) + low[lane]);
    pl_lanes_store(to + 4, pl_lanes_load(to + 4) + high[lane]);
    to[8] += K[8][lane];
  }
}

/* Adds K (row by row) at the places of a pair of nodes, and transposed at those across. */
PL_INLINE void add_block(double *values, const int *there, const int *back, const pl_lanes *K)
{
  static const int turned[8] = {0, 3, 6, 1, 4, 7, 2, 5};
  pl_lanes straight[8], across[8];
  pl_lanes_transpose(K, straight);
  pl_lanes_transpose(K + 4, straight + 4);
  pl_lanes order[8];
  for (int i = 0; i < 8; i++) order[i] = K[turned[i]];
  pl_lanes_transpose(order, across);
  pl_lanes_transpose(order + 4, across + 4);
  for (int lane = 0; lane < PL_LANES; lane++) {
    // blocks are stored column by column
    double *to = values + 9 * (size_t)there[lane];
    pl_lanes_store(to, pl_lanes_load(to) + across[lane]);
    pl_lanes_store(to + 4, pl_lanes_load(to + 4) + across[4 + lane]);
    to[8] += K[8][lane];
    if (!back) continue;
    to = values + 9 * (size_t)back[lane];
    pl_lanes_store(to, pl_lanes_load(to) + straight[lane]);
    pl_lanes_store(to + 4, pl_lanes_load(to + 4) + straight[4 + lane]);
    to[8] += K[8][lane];
  }
}

#endif
