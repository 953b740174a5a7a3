/* Passes over vectors of blocks. Each number is treated on its own, so chunks do not show in the
 * bits; sums are taken over chunks that depend on the length only. */
#include "sparse/passes.h"

#include "sparse/passes_kernel.h"

#include <math.h>
#include <string.h>

enum { LEAST_BLOCKS = 256, MOST_RANGES = 64, WHOLE_LINES = 8 };

typedef void pass_loop(const pl_pass *pass, size_t first, size_t last);
typedef double sum_loop(const pl_pass *pass, size_t first, size_t last);

/* A pass, how it is shared out, and what is done in a range. */
typedef struct pass {
  pl_pass on;
  int blocks, size;
  int vectors; /* one behind the other in x and y */
  pass_loop *loop;
  sum_loop *sum_of;
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
  memset(p->on.y + 3 * (size_t)first, 0, 3 * (size_t)(last - first) * sizeof *p->on.y);
}

void pl_pass_clear(double *x, int blocks, pl_pool *pool)
{
  pass p = {.on.y = x};
  pl_each_range(blocks, clear_range, &p, pool);
}

static void copy_range(void *context, int first, int last)
{
  const pass *p = context;
  size_t from = 3 * (size_t)first, count = 3 * (size_t)(last - first);
  for (int k = 0; k < p->vectors; k++, from += 3 * (size_t)p->blocks)
    memcpy(p->on.y + from, p->on.x + from, count * sizeof *p->on.y);
}

void pl_pass_copy(const double *x, double *y, int blocks, int vectors, pl_pool *pool)
{
  pass p = {.on = {.x = x, .y = y}, .blocks = blocks, .vectors = vectors};
  pl_each_range(blocks, copy_range, &p, pool);
}

static void loop_range(void *context, int first, int last)
{
  const pass *p = context;
  p->loop(&p->on, (size_t)first, (size_t)last);
}

static void run_loop(const pl_pass *on, pass_loop *loop, int blocks, pl_pool *pool)
{
  pass p = {.on = *on, .loop = loop};
  pl_each_range(blocks, loop_range, &p, pool);
}

void pl_pass_divide(const double *y, const double *mass, double *x, int blocks, pl_pool *pool)
{
  const pl_pass on = {.x = y, .mass = mass, .y = x};
  run_loop(&on, pl_pass_kernel_pick()->divide, blocks, pool);
}

void pl_pass_weigh(double a, const double *mass, const double g[3], double *f, int blocks,
                   pl_pool *pool)
{
  const pl_pass on = {.a = a, .mass = mass, .other = g, .y = f};
  run_loop(&on, pl_pass_kernel_pick()->weigh, blocks, pool);
}

void pl_pass_mass_add(double a, const double *mass, const double *x, double *f, int blocks,
                      pl_pool *pool)
{
  const pl_pass on = {.a = a, .mass = mass, .x = x, .y = f};
  run_loop(&on, pl_pass_kernel_pick()->mass_add, blocks, pool);
}

void pl_pass_move(const double *q, const double *dq, double *out, int blocks, pl_pool *pool)
{
  const pl_pass on = {.x = q, .other = dq, .y = out};
  run_loop(&on, pl_pass_kernel_pick()->move, blocks, pool);
}

static void sum_range(void *context, int range)
{
  const pass *p = context;
  pl_pass on = p->on;
  p->sums[range] = 0;
  for (int k = 0; k < p->vectors; k++, on.x += 3 * (size_t)p->blocks)
    p->sums[range] += p->sum_of(&on, (size_t)first_of(p, range), (size_t)last_of(p, range));
}

/* The sum over all vectors. */
static double run_sum(pass *p, pl_pool *pool)
{
  double sums[MOST_RANGES], sum = 0;
  int ranges = ranges_of(p);
  p->sums = sums;
  pl_parallel(pool, ranges, sum_range, p);
  for (int r = 0; r < ranges; r++) sum += sums[r];
  return sum;
}

double pl_pass_energy(const double *mass, const double *v, int blocks, pl_pool *pool)
{
  pass p = {.on = {.x = v, .mass = mass},
            .blocks = blocks,
            .vectors = 1,
            .sum_of = pl_pass_kernel_pick()->energy};
  return run_sum(&p, pool);
}

int pl_pass_is_finite(const double *x, int blocks, int vectors, pl_pool *pool)
{
  pass p = {.on = {.x = x},
            .blocks = blocks,
            .vectors = vectors,
            .sum_of = pl_pass_kernel_pick()->differences};
  return fabs(run_sum(&p, pool)) <= 0;
}
