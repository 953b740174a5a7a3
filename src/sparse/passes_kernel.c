/* Four blocks at once: twelve numbers in three vectors, with the masses at their places. */
#include "sparse/passes_kernel.h"

#include "math/lanes.h"

/* The masses of four blocks, each at its three numbers. */
PL_INLINE void spread_masses(const double *mass, pl_lanes out[3])
{
  const pl_lanes m = pl_lanes_load(mass);
  out[0] = __builtin_shufflevector(m, m, 0, 0, 0, 1);
  out[1] = __builtin_shufflevector(m, m, 1, 1, 2, 2);
  out[2] = __builtin_shufflevector(m, m, 2, 3, 3, 3);
}

static void divide(const pl_pass *p, size_t i, size_t end)
{
  for (; i + PL_LANES <= end; i += PL_LANES) {
    pl_lanes m[3];
    spread_masses(p->mass + i, m);
    for (size_t k = 0; k < 3; k++)
      pl_lanes_store(p->y + 3 * i + 4 * k, pl_lanes_load(p->x + 3 * i + 4 * k) / m[k]);
  }
  for (; i < end; i++) {
    for (size_t k = 3 * i; k < 3 * i + 3; k++) p->y[k] = p->x[k] / p->mass[i];
  }
}

static void weigh(const pl_pass *p, size_t i, size_t end)
{
  const double *g = p->other;
  const pl_lanes along[3] = {
      {g[0], g[1], g[2], g[0]}, {g[1], g[2], g[0], g[1]}, {g[2], g[0], g[1], g[2]}};
  for (; i + PL_LANES <= end; i += PL_LANES) {
    pl_lanes m[3];
    spread_masses(p->mass + i, m);
    for (size_t k = 0; k < 3; k++) {
      double *at = p->y + 3 * i + 4 * k;
      pl_lanes_store(at, pl_lanes_load(at) + p->a * m[k] * along[k]);
    }
  }
  for (; i < end; i++) {
    for (size_t k = 0; k < 3; k++) p->y[3 * i + k] += p->a * p->mass[i] * g[k];
  }
}

static void mass_add(const pl_pass *p, size_t i, size_t end)
{
  for (; i + PL_LANES <= end; i += PL_LANES) {
    pl_lanes m[3];
    spread_masses(p->mass + i, m);
    for (size_t k = 0; k < 3; k++) {
      double *at = p->y + 3 * i + 4 * k;
      pl_lanes_store(at, pl_lanes_load(at) + p->a * (m[k] * pl_lanes_load(p->x + 3 * i + 4 * k)));
    }
  }
  for (; i < end; i++) {
    for (size_t k = 3 * i; k < 3 * i + 3; k++) p->y[k] += p->a * (p->mass[i] * p->x[k]);
  }
}

static void move(const pl_pass *p, size_t first, size_t last)
{
  for (size_t i = 3 * first; i < 3 * last; i++) p->y[i] = p->x[i] + p->other[i];
}

static double energy(const pl_pass *p, size_t i, size_t end)
{
  pl_lanes sums[3] = {pl_lanes_all(0), pl_lanes_all(0), pl_lanes_all(0)};
  for (; i + PL_LANES <= end; i += PL_LANES) {
    pl_lanes m[3];
    spread_masses(p->mass + i, m);
    for (size_t k = 0; k < 3; k++) {
      const pl_lanes v = pl_lanes_load(p->x + 3 * i + 4 * k);
      sums[k] += m[k] * (v * v);
    }
  }
  double rest = 0;
  for (; i < end; i++) {
    for (size_t k = 3 * i; k < 3 * i + 3; k++) rest += p->mass[i] * (p->x[k] * p->x[k]);
  }
  return pl_lanes_sum(sums[0] + sums[1] + sums[2]) + rest;
}

static double differences(const pl_pass *p, size_t first, size_t last)
{
  pl_lanes sums[4] = {pl_lanes_all(0), pl_lanes_all(0), pl_lanes_all(0), pl_lanes_all(0)};
  size_t i = 3 * first, end = 3 * last;
  for (; i + 4 * PL_LANES <= end; i += 4 * PL_LANES) {
    for (size_t k = 0; k < 4; k++) {
      const pl_lanes some = pl_lanes_load(p->x + i + PL_LANES * k);
      sums[k] += some - some;
    }
  }
  double rest = 0;
  for (; i < end; i++) rest += p->x[i] - p->x[i];
  return pl_lanes_sum((sums[0] + sums[1]) + (sums[2] + sums[3])) + rest;
}

const pl_pass_kernel PL_VARIANT(pl_pass_kernel) = {divide, weigh,  mass_add,
                                                   move,   energy, differences};
