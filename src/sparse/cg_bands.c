/* Conjugate gradients in single precision by bands (bands.h), in three passes over memory:
 *
 *   p = z + beta p        q = P A p, p.q        x += alpha p, r -= alpha q, z = B r, r.r, r.z
 *
 * z takes the place of q. Both are filtered behind their sums, which do without that since p = P p
 * and r = P r. */
#include "sparse/bands_kernel.h"
#include "sparse/cg_single.h"

typedef pl_cg_single_work work;

static int chunks_of(const pl_bands *bands) { return pl_chunk_count(bands->rows, bands->chunk); }

static double pass(work *job, void (*chunk_work)(void *, int))
{
  const pl_bands *bands = job->single->bands;
  double sum = 0;
  pl_parallel(job->pool, chunks_of(bands), chunk_work, job);
  for (int chunk = 0; chunk < chunks_of(bands); chunk++) sum += bands->sums[chunk];
  return sum;
}

static void start_chunk(void *context, int chunk)
{
  const work *job = context;
  const pl_bands *bands = job->single->bands;
  int first = chunk * bands->chunk, last = pl_bands_last(bands, chunk);
  bands->sums[chunk] = pl_bands_kernel_pick()->start(bands, job->b, first, last, job->scale);
  pl_bands_filter(bands, job->filter, chunk, bands->q);
}

static void start(work *job, double scale)
{
  job->scale = scale;
  pl_bands_hold(job->single->bands, job->filter);
  job->rz = pass(job, start_chunk);
}

static double precondition(work *job) { return job->rz; }

static void turn_chunk(void *context, int chunk)
{
  const work *job = context;
  const pl_bands *bands = job->single->bands;
  pl_bands_kernel_pick()->turn(bands, chunk * bands->chunk, pl_bands_last(bands, chunk), job->beta);
}

static void turn(work *job)
{
  pl_parallel(job->pool, chunks_of(job->single->bands), turn_chunk, job);
}

static void multiply_chunk(void *context, int chunk)
{
  const work *job = context;
  const pl_bands *bands = job->single->bands;
  int first = chunk * bands->chunk, last = pl_bands_last(bands, chunk);
  bands->sums[chunk] = pl_bands_kernel_pick()->multiply(bands, first, last);
  pl_bands_filter(bands, job->filter, chunk, bands->q);
}

static double multiply(work *job) { return pass(job, multiply_chunk); }

static void advance_chunk(void *context, int chunk)
{
  const work *job = context;
  const pl_bands *bands = job->single->bands;
  int first = chunk * bands->chunk, last = pl_bands_last(bands, chunk);
  bands->sums[chunk] =
      pl_bands_kernel_pick()->advance(bands, first, last, job->alpha, &bands->products[chunk]);
  pl_bands_filter(bands, job->filter, chunk, bands->q);
}

static double advance(work *job)
{
  const pl_bands *bands = job->single->bands;
  double rr = pass(job, advance_chunk);
  job->rz = 0;
  for (int chunk = 0; chunk < chunks_of(bands); chunk++) job->rz += bands->products[chunk];
  return rr;
}

static void finish_chunk(void *context, int chunk)
{
  const work *job = context;
  const pl_bands *bands = job->single->bands;
  pl_bands_add(bands, job->filter, chunk, job->back, bands->x, job->out);
}

static void finish(work *job)
{
  pl_parallel(job->pool, chunks_of(job->single->bands), finish_chunk, job);
}

const pl_cg_single_passes pl_cg_bands = {start, precondition, turn, multiply, advance, finish};
