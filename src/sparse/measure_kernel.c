/* Twelve chains of a = a m + c at once, so that none waits for itself. As in all of the house, a
 * multiplication and an addition are two operations: they are never fused. */
#include "sparse/measure_kernel.h"

#include "math/lanes.h"

typedef float octet __attribute__((vector_size(32)));

enum { CHAINS = PL_FLOPS_PER_ROUND / (2 * PL_LANES) };

static double run_double(int rounds)
{
  pl_lanes a[CHAINS];
  const pl_lanes m = pl_lanes_all(0.5), c = pl_lanes_all(1);
  for (int i = 0; i < CHAINS; i++) a[i] = pl_lanes_all(i);
  for (int round = 0; round < rounds; round++) {
    for (int i = 0; i < CHAINS; i++) a[i] = a[i] * m + c;
  }
  double sum = 0;
  for (int i = 0; i < CHAINS; i++) sum += a[i][0];
  return sum;
}

static double run_single(int rounds)
{
  octet a[CHAINS], m = {0}, c = {0};
  m += 0.5f;
  c += 1.0f;
  for (int i = 0; i < CHAINS; i++) a[i] = c * (float)i;
  for (int round = 0; round < rounds; round++) {
    for (int i = 0; i < CHAINS; i++) a[i] = a[i] * m + c;
  }
  float sum = 0;
  for (int i = 0; i < CHAINS; i++) sum += a[i][0];
  return (double)sum;
}

const pl_flops_kernel PL_VARIANT(pl_flops_kernel) = {run_double, run_single};
