/* Passes over vectors of blocks. Each number is treated on its own, so chunks do not show in the
 * bits; sums are taken over chunks that depend on the length only. */
#include "sparse/passes.h"

#include "sparse/passes_kernel.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { LEAST_BLOCKS = 256, MOST_RANGES = PL_MOST_RANGES, WHOLE_LINES = 8 };

typedef void pass_loop(const pl_pass *pass, size_t first, size_t last);
typedef double sum_loop(const pl_pass *pass, size_t first, size_t last);

/* How blocks are shared out. */
typedef struct division {
  int blocks, size;
} division;

/* What is done in a range, with a context of its own or somebody else's. */
typedef struct range_job {
  division by;
  pl_range_work *work;
  void *context; /* NULL: own */
  _Alignas(max_align_t) unsigned char own[PL_RANGE_BYTES];
} range_job;

/* A pass, over so many vectors one behind the other in x and y. */
typedef struct pass {
  pl_pass on;
  division by;
  int vectors;
  pass_loop *loop;
  sum_loop *sum_of;
  double *sums; /* MOST_RANGES */
} pass;

static_assert(sizeof(range_job) <= PL_DEFERRED_BYTES, "ranges can be deferred");
static_assert(sizeof(pass) <= PL_RANGE_BYTES, "passes can be deferred");

/* Ranges of equal size, of whole lines of the cache, and not so short that handing them out takes
 * longer than they do. */
static division divide(int blocks, int *count)
{
  division by = {blocks, 1};
  int ranges = blocks / LEAST_BLOCKS;
  if (ranges < 1) ranges = 1;
  if (ranges > MOST_RANGES) ranges = MOST_RANGES;
  by.size = WHOLE_LINES * pl_chunk_count(blocks, WHOLE_LINES * ranges);
  if (by.size < 1) by.size = 1;
  *count = pl_chunk_count(blocks, by.size);
  return by;
}

static int first_of(const division *by, int range) { return range * by->size; }

static int last_of(const division *by, int range)
{
  int last = first_of(by, range) + by->size;
  return last < by->blocks ? last : by->blocks;
}

static void run_range(void *context, int range)
{
  range_job *job = context;
  job->work(job->context ? job->context : job->own, first_of(&job->by, range),
            last_of(&job->by, range));
}

void pl_each_range(int blocks, pl_range_work *work, void *context, pl_pool *pool)
{
  int ranges;
  range_job job = {.by = divide(blocks, &ranges), .work = work, .context = context};
  pl_defer(pool, blocks, ranges, run_range, &job, sizeof job);
  pl_settle(pool);
}

void pl_defer_range(int blocks, pl_range_work *work, const void *context, size_t size,
                    pl_pool *pool)
{
  int ranges;
  range_job job = {.by = divide(blocks, &ranges), .work = work};
  memcpy(job.own, context, size);
  pl_defer(pool, blocks, ranges, run_range, &job, sizeof job);
}

static void clear_range(void *context, int first, int last)
{
  const pass *p = context;
  memset(p->on.y + 3 * (size_t)first, 0, 3 * (size_t)(last - first) * sizeof *p->on.y);
}

void pl_pass_clear(double *x, int blocks, pl_pool *pool)
{
  pass p = {.on.y = x};
  pl_defer_range(blocks, clear_range, &p, sizeof p, pool);
}

static void copy_range(void *context, int first, int last)
{
  const pass *p = context;
  size_t from = 3 * (size_t)first, count = 3 * (size_t)(last - first);
  for (int k = 0; k < p->vectors; k++, from += 3 * (size_t)p->by.blocks)
    memcpy(p->on.y + from, p->on.x + from, count * sizeof *p->on.y);
}

void pl_pass_copy(const double *x, double *y, int blocks, int vectors, pl_pool *pool)
{
  pass p = {.on = {.x = x, .y = y}, .by.blocks = blocks, .vectors = vectors};
  pl_defer_range(blocks, copy_range, &p, sizeof p, pool);
}

static void loop_range(void *context, int first, int last)
{
  const pass *p = context;
  p->loop(&p->on, (size_t)first, (size_t)last);
}

static void run_loop(const pl_pass *on, pass_loop *loop, int blocks, pl_pool *pool)
{
  pass p = {.on = *on, .loop = loop};
  pl_defer_range(blocks, loop_range, &p, sizeof p, pool);
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
  for (int k = 0; k < p->vectors; k++, on.x += 3 * (size_t)p->by.blocks)
    p->sums[range] +=
        p->sum_of(&on, (size_t)first_of(&p->by, range), (size_t)last_of(&p->by, range));
}

static void defer_sum(pass *p, int blocks, pl_range_sums *to, pl_pool *pool)
{
  p->by = divide(blocks, &to->count);
  p->sums = to->of;
  pl_defer(pool, blocks, to->count, sum_range, p, sizeof *p);
}

double pl_range_total(const pl_range_sums *sums)
{
  double total = 0;
  for (int r = 0; r < sums->count; r++) total += sums->of[r];
  return total;
}

void pl_defer_energy(const double *mass, const double *v, int blocks, pl_range_sums *to,
                     pl_pool *pool)
{
  pass p = {.on = {.x = v, .mass = mass}, .vectors = 1, .sum_of = pl_pass_kernel_pick()->energy};
  defer_sum(&p, blocks, to, pool);
}

void pl_defer_differences(const double *x, int blocks, int vectors, pl_range_sums *to,
                          pl_pool *pool)
{
  pass p = {.on = {.x = x}, .vectors = vectors, .sum_of = pl_pass_kernel_pick()->differences};
  defer_sum(&p, blocks, to, pool);
}

double pl_pass_energy(const double *mass, const double *v, int blocks, pl_pool *pool)
{
  pl_range_sums sums;
  pl_defer_energy(mass, v, blocks, &sums, pool);
  pl_settle(pool);
  return pl_range_total(&sums);
}

int pl_pass_is_finite(const double *x, int blocks, int vectors, pl_pool *pool)
{
  pl_range_sums sums;
  pl_defer_differences(x, blocks, vectors, &sums, pool);
  pl_settle(pool);
  return fabs(pl_range_total(&sums)) <= 0;
}
