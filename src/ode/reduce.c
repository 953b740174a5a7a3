/* Sums and maxima over all blocks of a system, which its ranks have alike. */
#include "ode/share.h"
#include "sparse/vector.h"

#include <math.h>

static const pl_ranks *ranks_of(const pl_system *system)
{
  return system->share->layout->partition->ranks;
}

static double max_over(const pl_system *system, double value)
{
  if (system->share) ranks_of(system)->max(ranks_of(system), &value, 1);
  return value;
}

int pl_system_all_blocks(const pl_system *system)
{
  return system->share ? system->share->whole->blocks : system->blocks;
}

double pl_system_sum(const pl_system *system, double value)
{
  if (system->share) ranks_of(system)->sum(ranks_of(system), &value, 1);
  return value;
}

double pl_system_dot(const pl_system *system, const double *x, const double *y)
{
  if (!system->share) return pl_dot(x, y, system->blocks, system->pool);
  const pl_block_layout *layout = system->share->layout;
  double sums[3] = {0};
  pl_settle(system->pool);
  for (int i = 0; i < layout->own; i++) {
    size_t at = 3 * (size_t)layout->own_at[i];
    for (size_t k = 0; k < 3; k++) sums[k] += x[at + k] * y[at + k];
  }
  return pl_system_sum(system, sums[0] + sums[1] + sums[2]);
}

double pl_system_norm(const pl_system *system, const double *x)
{
  return sqrt(pl_system_dot(system, x, x));
}

int pl_system_any(const pl_system *system, int flag) { return max_over(system, flag) > 0; }

/* Numbers that are none count as nothing, here as there. */
double pl_system_largest(const pl_system *system, const double *x)
{
  const pl_block_layout *layout = system->share ? system->share->layout : NULL;
  double max = 0;
  for (int i = 0; i < (layout ? layout->own : system->blocks); i++) {
    size_t at = 3 * (size_t)(layout ? layout->own_at[i] : i);
    for (size_t k = at; k < at + 3; k++) max = fmax(max, fabs(x[k]));
  }
  return max_over(system, max);
}

/* The largest block from the first on that are here; *size: how large, infinite if not finite. */
static int worst_here(const pl_system *system, const double *r, double *size)
{
  const pl_block_layout *layout = system->share ? system->share->layout : NULL;
  int worst = 0;
  *size = -1;
  for (int i = 0; i < (layout ? layout->own : system->blocks); i++) {
    int block = layout ? layout->own_at[i] : i;
    const double *at = r + 3 * (size_t)block;
    double own = at[0] * at[0] + at[1] * at[1] + at[2] * at[2];
    if (!isfinite(own)) own = INFINITY;
    if (!(own > *size)) continue;
    *size = own;
    worst = 1 + (layout ? layout->row[block] : block);
  }
  return worst;
}

int pl_system_worst1(const pl_system *system, const double *r)
{
  double size;
  int worst = worst_here(system, r, &size), all = pl_system_all_blocks(system);
  if (!system->share) return worst;
  // of several the first
  double first = max_over(system, size) > size || !worst ? -all - 1 : -worst;
  return (int)-max_over(system, first);
}
