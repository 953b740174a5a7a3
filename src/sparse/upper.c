/* Assembling only what stands right of the diagonal: places, and passes over the rows. */
#include "sparse/upper.h"

#include "core/error.h"
#include "core/memory.h"
#include "sparse/upper_kernel.h"

enum { ROWS_PER_CHUNK = 256 };

pl_status pl_upper_bind(pl_upper *self, const pl_allocator *allocator, const pl_bsr *A, int first,
                        int rows, pl_error *error)
{
  const int start = A->start[first];
  pl_upper_destroy(self, allocator);
  *self = (pl_upper){.first = first, .rows = rows};
  self->mirror = pl_alloc(allocator, (size_t)(A->start[first + rows] - start), sizeof(int));
  if (!self->mirror) return pl_fail_memory(error);
  for (int row = first; row < first + rows; row++) {
    for (int k = A->start[row]; k < A->diagonal[row]; k++)
      self->mirror[k - start] = A->columns[k] < first ? -1 : pl_bsr_find(A, A->columns[k], row);
  }
  return PL_OK;
}

void pl_upper_destroy(pl_upper *self, const pl_allocator *allocator)
{
  pl_free(allocator, self->mirror);
  self->mirror = NULL;
}

typedef struct pass {
  const pl_upper_kernel *kernel;
  const pl_upper *self;
  pl_bsr *A;
} pass;

/* The first row of a chunk. */
static int chunk_row(const pl_upper *self, int chunk)
{
  const int row = chunk * ROWS_PER_CHUNK;
  return self->first + (row < self->rows ? row : self->rows);
}

static void clear_chunk(void *context, int chunk)
{
  const pass *job = context;
  job->kernel->clear(job->A, chunk_row(job->self, chunk), chunk_row(job->self, chunk + 1));
}

static void finish_chunk(void *context, int chunk)
{
  const pass *job = context;
  job->kernel->finish(job->A, job->self->mirror - job->A->start[job->self->first],
                      chunk_row(job->self, chunk), chunk_row(job->self, chunk + 1));
}

static void run(const pl_upper *self, pl_bsr *A, void (*work)(void *, int), pl_pool *pool)
{
  pass job = {pl_upper_kernel_pick(), self, A};
  pl_parallel(pool, pl_chunk_count(self->rows, ROWS_PER_CHUNK), work, &job);
}

void pl_upper_clear(const pl_upper *self, pl_bsr *A, pl_pool *pool)
{
  run(self, A, clear_chunk, pool);
}

void pl_upper_finish(const pl_upper *self, pl_bsr *A, pl_pool *pool)
{
  run(self, A, finish_chunk, pool);
}
