/* Preconditioners of one 3x3 matrix per block row: storage, the walk over rows and constrained
 * nodes, and the application. */
#include "sparse/blockwise.h"

#include "core/error.h"
#include "core/memory.h"
#include "sparse/sparse_kernel.h"

#include <math.h>

pl_status pl_blockwise_create(pl_preconditioner *self, const pl_bsr *A, const double *values,
                              pl_error *error)
{
  (void)values;
  pl_blockwise *state = (pl_blockwise *)self;
  state->blocks = pl_alloc(&self->allocator, 9 * (size_t)A->rows, sizeof(double));
  state->refusals = pl_alloc(&self->allocator, (size_t)A->chunks, sizeof(pl_refusal));
  return state->blocks && state->refusals ? PL_OK : pl_fail_memory(error);
}

void pl_blockwise_destroy(pl_preconditioner *self)
{
  pl_blockwise *state = (pl_blockwise *)self;
  pl_free(&self->allocator, state->blocks);
  pl_free(&self->allocator, state->refusals);
}

typedef struct preparation {
  pl_blockwise *state;
  const pl_bsr *A;
  const pl_filter *filter;
  pl_block_maker *make;
} preparation;

/* A block that alone is not definite may be with what pairs add to it. */
static pl_status make_with_pairs(const preparation *job, int row, const double *P)
{
  const pl_pairs *pairs = job->state->common.pairs;
  int place = pairs ? pairs->local[row] : -1;
  const double *D = job->A->values + 9 * (size_t)job->A->diagonal[row];
  double *B = job->state->blocks + 9 * (size_t)row, sum[9];
  pl_status status = job->make(D, P, B);
  if (!status || place < 0) return status;
  pl_pairs_diagonal(pairs, place, sum); // symmetric: rows are columns
  for (int k = 0; k < 9; k++) sum[k] += D[k];
  return job->make(sum, P, B);
}

static void prepare_chunk(void *context, int chunk)
{
  const preparation *job = context;
  const pl_bsr *A = job->A;
  const pl_filter *filter = job->filter;
  int first = A->chunk_rows[chunk], last = A->chunk_rows[chunk + 1];
  int entry = pl_filter_from(filter, first);
  pl_status status = PL_OK;
  int row = first;
  for (; row < last; row++) {
    const double *P = NULL;
    if (filter && entry < filter->count && filter->nodes[entry] == row)
      P = filter->projections + 9 * entry++;
    status = make_with_pairs(job, row, P);
    if (status) break;
  }
  job->state->refusals[chunk] = (pl_refusal){status, row};
}

static pl_status fail_block(const pl_bsr *A, const pl_refusal *refusal, pl_error *error)
{
  int row = refusal->row, indefinite = refusal->status == PL_E_INDEFINITE;
  const double *D = A->values + 9 * (size_t)A->diagonal[row];
  if (!isfinite(D[0] + D[4] + D[8]))
    return pl_fail_entity(error, PL_E_DIVERGED, row,
                          "row %d of the matrix is not finite; use a smaller time step", row);
  return pl_fail_entity(error, refusal->status, row,
                        "the diagonal block of row %d (diagonal %.6g, %.6g, %.6g) is %s; %s", row,
                        D[0], D[4], D[8], indefinite ? "indefinite" : "singular",
                        indefinite ? "use a smaller time step or a tangent without negative "
                                     "eigenvalues"
                                   : "give every free node mass or stiffness");
}

pl_status pl_blockwise_prepare(pl_preconditioner *self, const pl_bsr *A, const pl_filter *filter,
                               pl_pool *pool, pl_block_maker *make, pl_error *error)
{
  preparation job = {(pl_blockwise *)self, A, filter, make};
  pl_parallel(pool, A->chunks, prepare_chunk, &job);
  for (int chunk = 0; chunk < A->chunks; chunk++) {
    const pl_refusal *refusal = &job.state->refusals[chunk];
    if (refusal->status) return fail_block(A, refusal, error);
  }
  return PL_OK;
}

typedef struct application {
  const pl_sparse_kernel *kernel;
  const double *blocks, *r;
  double *z;
  int rows;
} application;

static void apply_chunk(void *context, int chunk)
{
  const application *job = context;
  int first = chunk * PL_ROWS_PER_CHUNK;
  int last = job->rows - first < PL_ROWS_PER_CHUNK ? job->rows : first + PL_ROWS_PER_CHUNK;
  job->kernel->precondition(job->blocks, first, last, job->r, job->z);
}

void pl_blockwise_apply(pl_preconditioner *self, const double *r, double *z, pl_pool *pool)
{
  application job = {pl_sparse_kernel_pick(), pl_blockwise_blocks(self), r, z, self->rows};
  pl_parallel(pool, pl_chunk_count(self->rows, PL_ROWS_PER_CHUNK), apply_chunk, &job);
}

const double *pl_blockwise_blocks(const pl_preconditioner *self)
{
  return ((const pl_blockwise *)self)->blocks;
}

static void multiply(const double A[9], const double B[9], double C[9])
{
  for (int c = 0; c < 3; c++) {
    for (int r = 0; r < 3; r++)
      C[3 * c + r] = A[r] * B[3 * c] + A[3 + r] * B[3 * c + 1] + A[6 + r] * B[3 * c + 2];
  }
}

void pl_block_restrict(const double P[9], double M[9])
{
  double half[9], full[9];
  multiply(P, M, half);
  multiply(half, P, full);
  for (int c = 0; c < 3; c++) {
    for (int r = 0; r < 3; r++) M[3 * c + r] = 0.5 * (full[3 * c + r] + full[3 * r + c]);
  }
}
