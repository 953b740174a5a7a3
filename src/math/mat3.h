/* 3x3 matrices of doubles, row-major; see mat3_any.h for what there is. */
#ifndef PL_MATH_MAT3_H
#define PL_MATH_MAT3_H

#include "math/lanes.h"

#define PL_NUMBER     double
#define PL_NAME(name) pl_mat3_##name
#include "math/mat3_any.h"

static inline double pl_mat3_det(const double A[9])
{
  double cofactors[9];
  return pl_mat3_cofactors(A, cofactors);
}

/* Fills out = A^-1 and returns det(A); where that is 0 or not finite, out is left alone. */
static inline double pl_mat3_inverse(const double A[9], double out[9])
{
  double cofactors[9], det = pl_mat3_cofactors(A, cofactors);
  if (!(det < 0 || det > 0) || det - det != 0) return det;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) out[3 * i + j] = cofactors[3 * j + i] / det;
  }
  return det;
}

#endif
