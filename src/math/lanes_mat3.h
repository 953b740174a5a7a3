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

PL_INLINE void pl_lanes_mat3_identity(pl_lanes *out)
{
  for (int i = 0; i < 9; i++) out[i] = pl_lanes_all(i % 4 == 0);
}

#endif
