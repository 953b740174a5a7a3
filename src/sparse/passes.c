/* Passes over vectors of blocks. Each number is treated on its own, so chunks do not show in the
 * bits; sums are taken over chunks that depend on the length only. */
#include "sparse/passes.h"

#include "math/lanes.h"

#include <math.h>
#include <string.h>

enum { LEAST_BLOCKS = 256, MOST_RANGES = 64, WHOLE_LINES = 8 };

typedef struct pass {
  double a;
  const double *x, *mass, *other;
  double *y;
  int blocks, size;
  int vectors; /* one behind the other in x and y */
  pl_range_work *work;
  void *context;
  double *sums; /* MOST_RANGES */
} pass;

/* Ranges of equal size, of whole lines of the cache, and not so short that handing them out takes
 * longer than they do. */
static int ranges_of(pass *p)
{
  int ranges = p->blocks / LEAST_BLOCKS;
  if (ranges < 1) ranges = 1;
  if (ranges > MOST_RANGES) ranges = MOST_RANGES;
  p->size = WHOLE_LINES * pl_chunk_count(p->blocks, WHOLE_LINES * ranges);
  if (p->size < 1) p->size = 1;
  return pl_chunk_count(p->blocks, p->size);
}

static int first_of(const pass *p, int range) { return range * p->size; }

static int last_of(const pass *p, int range)
{
  int last = first_of(p, range) + p->size;
  return last < p->blocks ? last : p->blocks;
}

static void run_range(void *context, int range)
{
  const pass *p = context;
  p->work(p->context, first_of(p, range), last_of(p, range));
}

void pl_each_range(int blocks, pl_range_work *work, void *context, pl_pool *pool)
{
  pass p = {.blocks = blocks, .work = work, .context = context};
  pl_parallel(pool, ranges_of(&p), run_range, &p);
}

static void clear_range(void *context, int first, int last)
{
  const pass *p = context;
  memset(p->y + 3 * (size_t)first, 0, 3 * (size_t)(last - first) * sizeof *p->y);
}

void pl_pass_clear(double *x, int blocks, pl_pool *pool)
{
  pass p = {.y = x};
  pl_each_range(blocks, clear_range, &p, pool);
}

static void copy_range(void *context, int first, int last)
{
  const pass *p = context;
  size_t from = 3 * (size_t)first, count = 3 * (size_t)(last - first);
  for (int k = 0; k < p->vectors; k++, from += 3 * (size_t)p->blocks)
    memcpy(p->y + from, p->x + from, count * sizeof *p->y);
}

void pl_pass_copy(const double *x, double *y, int blocks, int vectors, pl_pool *pool)
{
  pass p = {.x = x, .y = y, .blocks = blocks, .vectors = vectors};
  pl_each_range(blocks, copy_range, &p, pool);
}

/* The masses of four blocks, each at its three numbers. */
PL_INLINE void spread_masses(const double *mass, pl_lanes out[3])
{
  const pl_lanes m = pl_lanes_load(mass);
  out[0] = __builtin_shufflevector(m, m, 0, 0, 0, 1);
  out[1] = __builtin_shufflevector(m, m, 1, 1, 2, 2);
  out[2] = __builtin_shufflevector(m, m, 2, 3, 3, 3);
}

static void divide_range(void *context, int first, int last)
{
  const pass *p = context;
  size_t i = (size_t)first, end = (size_t)last;
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

void pl_pass_divide(const double *y, const double *mass, double *x, int blocks, pl_pool *pool)
{
  pass p = {.x = y, .mass = mass, .y = x};
  pl_each_range(blocks, divide_range, &p, pool);
}

static void weigh_range(void *context, int first, int last)
{
  const pass *p = context;
  const double *g = p->other;
  const pl_lanes along[3] = {
      {g[0], g[1], g[2], g[0]}, {g[1], g[2], g[0], g[1]}, {g[2], g[0], g[1], g[2]}};
  size_t i = (size_t)first, end = (size_t)last;
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

void pl_pass_weigh(double a, const double *mass, const double g[3], double *f, int blocks,
                   pl_pool *pool)
{
  pass p = {.a = a, .mass = mass, .other = g, .y = f};
  pl_each_range(blocks, weigh_range, &p, pool);
}

static void mass_range(void *context, int first, int last)
{
  const pass *p = context;
  size_t i = (size_t)first, end = (size_t)last;
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

void pl_pass_mass_add(double a, const double *mass, const double *x, double *f, int blocks,
                      pl_pool *pool)
{
  pass p = {.a = a, .mass = mass, .x = x, .y = f};
  pl_each_range(blocks, mass_range, &p, pool);
}

static void move_range(void *context, int first, int last)
{
  const pass *p = context;
  for (size_t i = 3 * (size_t)first; i < 3 * (size_t)last; i++) p->y[i] = p->x[i] + p->other[i];
}

void pl_pass_move(const double *q, const double *dq, double *out, int blocks, pl_pool *pool)
{
  pass p = {.x = q, .other = dq, .y = out};
  pl_each_range(blocks, move_range, &p, pool);
}

static void energy_range(void *context, int range)
{
  pass *p = context;
  pl_lanes sums[3] = {pl_lanes_all(0), pl_lanes_all(0), pl_lanes_all(0)};
  size_t i = (size_t)first_of(p, range), end = (size_t)last_of(p, range);
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
  p->sums[range] = pl_lanes_sum(sums[0] + sums[1] + sums[2]) + rest;
}

double pl_pass_energy(const double *mass, const double *v, int blocks, pl_pool *pool)
{
  double sums[MOST_RANGES], sum = 0;
  pass p = {.x = v, .mass = mass, .blocks = blocks, .sums = sums};
  int ranges = ranges_of(&p);
  pl_parallel(pool, ranges, energy_range, &p);
  for (int r = 0; r < ranges; r++) sum += sums[r];
  return sum;
}

/* x - x is zero, and not a number where x is not finite. */
static double sum_of_differences(const double *x, size_t i, size_t end)
{
  pl_lanes sums[4] = {pl_lanes_all(0), pl_lanes_all(0), pl_lanes_all(0), pl_lanes_all(0)};
  for (; i + 4 * PL_LANES <= end; i += 4 * PL_LANES) {
    for (size_t k = 0; k < 4; k++) {
      const pl_lanes some = pl_lanes_load(x + i + PL_LANES * k);
      sums[k] += some - some;
    }
  }
  double rest = 0;
  for (; i < end; i++) rest += x[i] - x[i];
  return pl_lanes_sum((sums[0] + sums[1]) + (sums[2] + sums[3])) + rest;
}

static void finite_range(void *context, int range)
{
  pass *p = context;
  size_t first = 3 * (size_t)first_of(p, range), last = 3 * (size_t)last_of(p, range);
  const double *x = p->x;
  p->sums[range] = 0;
  for (int k = 0; k < p->vectors; k++, x += 3 * (size_t)p->blocks)
    p->sums[range] += sum_of_differences(x, first, last);
}

int pl_pass_is_finite(const double *x, int blocks, int vectors, pl_pool *pool)
{
  double sums[MOST_RANGES];
  pass p = {.x = x, .blocks = blocks, .vectors = vectors, .sums = sums};
  int ranges = ranges_of(&p), ok = 1;
  pl_parallel(pool, ranges, finite_range, &p);
  for (int r = 0; r < ranges; r++) ok &= fabs(sums[r]) <= 0;
  return ok;
}
