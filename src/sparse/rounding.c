/* What rounding can do to a residual. */
#include "sparse/rounding.h"

#include "sparse/vector.h"

#include <math.h>
#include <string.h>

void pl_absolute_product(const pl_bsr *A, const pl_pairs *pairs, const double *x, double *y)
{
  for (int row = 0; row < A->rows; row++) {
    double sum[3] = {0};
    for (int k = A->start[row]; k < A->start[row + 1]; k++) {
      for (int i = 0; i < 9; i++)
        sum[i % 3] += fabs(A->values[9 * (size_t)k + (size_t)i] * x[3 * A->columns[k] + i / 3]);
    }
    memcpy(y + 3 * row, sum, sizeof sum);
  }
  if (pairs) pl_pairs_absolute(pairs, x, y);
}

double pl_rounding_level(const pl_bsr *A, const pl_pairs *pairs, const pl_filter *filter,
                         const double *b, const double *x, double *work, pl_pool *pool)
{
  pl_absolute_product(A, pairs, x, work);
  for (int i = 0; i < 3 * A->rows; i++) work[i] += fabs(b[i]);
  // what stands against fixed nodes is no part of the residual
  for (int i = 0; filter && i < filter->count; i++) {
    const double *P = filter->projections + 9 * i;
    if (P[0] + P[4] + P[8] < 0.5) memset(work + 3 * filter->nodes[i], 0, 3 * sizeof *work);
  }
  return PL_ROUNDING * pl_norm(work, A->rows, pool) + PL_SMALLEST_NORM;
}
