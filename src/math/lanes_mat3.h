/* Four 3x3 matrices at once, row-major; see mat3_any.h for what there is. */
#ifndef PL_MATH_LANES_MAT3_H
#define PL_MATH_LANES_MAT3_H

#include "math/lanes.h"

#define PL_NUMBER     pl_lanes
#define PL_NAME(name) pl_lanes_mat3_##name
#include "math/mat3_any.h"

PL_INLINE pl_lanes pl_lanes_dot3(const pl_lanes *a, const pl_lanes *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* out = a x b; out may not be a or b. */
PL_INLINE void pl_lanes_cross3(const pl_lanes *a, const pl_lanes *b, pl_lanes *out)
{
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

/* A symmetric matrix as six numbers, xx yy zz xy xz yz, and back. */
PL_INLINE void pl_lanes_mat3_pack(const pl_lanes *A, pl_lanes *six)
{
  static const int upper[6] = {0, 4, 8, 1, 2, 5};
  for (int i = 0; i < 6; i++) six[i] = A[upper[i]];
}

PL_INLINE void pl_lanes_mat3_unpack(const pl_lanes *six, pl_lanes *A)
{
  static const int place[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
  for (int i = 0; i < 9; i++) A[i] = six[place[i]];
}

/* A : B of two such. */
PL_INLINE pl_lanes pl_lanes_dot6(const pl_lanes *a, const pl_lanes *b)
{
  return pl_lanes_dot3(a, b) + 2.0 * pl_lanes_dot3(a + 3, b + 3);
}

PL_INLINE void pl_lanes_mat3_identity(pl_lanes *out)
{
  for (int i = 0; i < 9; i++) out[i] = pl_lanes_all(i % 4 == 0);
}

#endif
