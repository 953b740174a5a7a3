/* Which patterns are those of grids, and the numbers of their bands. */
#include "sparse/bands.h"

#include "core/error.h"
#include "core/memory.h"
#include "sparse/bands_kernel.h"

#include <string.h>

/* At least this part of the blocks on the diagonals must be there. */
#define LEAST_FILL 0.75

enum { LEAST_CHUNK = 256, MOST_CHUNKS = 64, VECTORS = 4, LINE = 16, PAGE = 1024 };

/* Adds a distance in ascending order; 0: there are too many. */
static int insert(pl_bands *bands, int distance)
{
  int at = bands->count;
  while (at > 0 && bands->band[at - 1].distance > distance) at--;
  if (at > 0 && bands->band[at - 1].distance == distance) return 1;
  if (bands->count == PL_BANDS_MOST) return 0;
  memmove(bands->band + at + 1, bands->band + at,
          (size_t)(bands->count - at) * sizeof *bands->band);
  bands->band[at] = (pl_band){.distance = distance};
  bands->count++;
  return 1;
}

/* The distance of a block from the diagonal, in places; each pair of blocks has both signs of it.
 */
static int distance_of(const pl_bands *bands, const pl_bsr *A, int row, int k)
{
  return bands->place_of[A->columns[k]] - bands->place_of[row];
}

/* Finds the distances; 0: it is no grid. */
static int find_distances(const pl_bsr *A, pl_bands *bands)
{
  size_t blocks = 0;
  for (int row = 0; row < A->rows; row++) {
    for (int k = A->start[row]; k < A->start[row + 1]; k++) {
      int distance = distance_of(bands, A, row, k);
      if (distance < 0) continue;
      if (!insert(bands, distance)) return 0;
      blocks++;
    }
  }
  return (double)blocks >= LEAST_FILL * (double)bands->count * (double)A->rows;
}

/* Hands out a number of arrays. */
static float *give(const pl_bands *bands, size_t arrays, float **next)
{
  float *given = *next;
  *next += arrays * bands->stride;
  return given;
}

static double *give_precise(const pl_bands *bands, size_t arrays, double **next)
{
  double *given = *next;
  *next += arrays * bands->stride;
  return given;
}

/* Arrays lie so that equal places of neighbours are a line of the cache or two apart, up to whole
 * pages: else they would all compete for the same few lines. */
static pl_status take_memory(pl_bands *bands, pl_error *error)
{
  size_t reach = (size_t)bands->band[bands->count - 1].distance;
  size_t length = 2 * reach + (size_t)bands->rows + 2 * LINE;
  size_t matrix = 6 + 9 * ((size_t)bands->count - 1);
  size_t chunks = (size_t)pl_chunk_count(bands->rows, bands->chunk);
  const pl_allocator *from = &bands->allocator;
  bands->stride = (length + PAGE - 1) / PAGE * PAGE + LINE;
  bands->memory = pl_alloc(from, (matrix + 6 + 3 * VECTORS) * bands->stride, sizeof(float));
  bands->precise_memory = pl_alloc(from, (matrix + 6) * bands->stride, sizeof(double));
  bands->sums = pl_alloc(from, chunks, sizeof *bands->sums);
  bands->products = pl_alloc(from, chunks, sizeof *bands->products);
  bands->full = pl_alloc(from, chunks, sizeof *bands->full);
  bands->held_start = pl_alloc(from, chunks + 2, sizeof *bands->held_start);
  bands->held = pl_alloc(from, (size_t)bands->rows, sizeof *bands->held);
  if (!bands->memory || !bands->precise_memory || !bands->sums || !bands->products ||
      !bands->full || !bands->held_start || !bands->held)
    return pl_fail_memory(error);

  size_t front = (reach + LINE - 1) / LINE * LINE;
  float *next = bands->memory + front,
        **vectors[VECTORS] = {&bands->x, &bands->r, &bands->p, &bands->q};
  double *precise = bands->precise_memory + front;
  for (int b = 0; b < bands->count; b++) {
    bands->band[b].values = give(bands, b ? 9 : 6, &next);
    bands->band[b].precise = give_precise(bands, b ? 9 : 6, &precise);
  }
  for (int k = 0; k < VECTORS; k++) *vectors[k] = give(bands, 3, &next);
  bands->inverse = give(bands, 6, &next);
  for (int k = 0; k < 2; k++) bands->wide[k] = give_precise(bands, 3, &precise);
  return PL_OK;
}

static pl_status take_order(const pl_bsr *A, pl_bands *bands, pl_error *error)
{
  size_t rows = (size_t)A->rows;
  bands->row_of = pl_alloc(&bands->allocator, rows, sizeof *bands->row_of);
  bands->place_of = pl_alloc(&bands->allocator, rows, sizeof *bands->place_of);
  if (!bands->row_of || !bands->place_of) return pl_fail_memory(error);
  memcpy(bands->row_of, A->lines, rows * sizeof *bands->row_of);
  for (int place = 0; place < A->rows; place++) bands->place_of[bands->row_of[place]] = place;
  return PL_OK;
}

pl_status pl_bands_create(const pl_allocator *allocator, const pl_bsr *A, pl_bands **out,
                          pl_error *error)
{
  *out = NULL;
  if (!A->lines || A->partition || A->is_unsymmetric || A->rows < LEAST_CHUNK) return PL_OK;
  pl_bands *bands = pl_alloc(allocator, 1, sizeof *bands);
  if (!bands) return pl_fail_memory(error);
  int chunk = pl_chunk_count(A->rows, MOST_CHUNKS);
  if (chunk < LEAST_CHUNK) chunk = LEAST_CHUNK;
  bands->allocator = *allocator;
  bands->rows = A->rows;
  bands->chunk = LINE * pl_chunk_count(chunk, LINE);
  pl_status status = take_order(A, bands, error);
  int is_grid = !status && find_distances(A, bands);
  if (is_grid) status = take_memory(bands, error);
  if (is_grid && !status)
    *out = bands;
  else
    pl_bands_destroy(bands);
  return status;
}

void pl_bands_destroy(pl_bands *bands)
{
  if (!bands) return;
  pl_allocator allocator = bands->allocator;
  void *arrays[] = {
      bands->row_of,   bands->place_of, bands->memory, bands->precise_memory, bands->sums,
      bands->products, bands->full,     bands->held,   bands->held_start,     bands};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(&allocator, arrays[i]);
}

/* ---- numbers ---- */

typedef struct loading {
  pl_bands *bands;
  const pl_bsr *A;
  const double *inverse;
  double scale;
} loading;

static void load_chunk(void *context, int chunk)
{
  const loading *job = context;
  pl_bands *bands = job->bands;
  int first = chunk * bands->chunk, last = pl_bands_last(bands, chunk);
  bands->full[chunk] = pl_bands_kernel_pick()->load(bands, job->A, first, last, job->scale);
  pl_bands_kernel_pick()->load_inverse(bands, job->inverse, first, last, 1 / job->scale);
}

/* Which bands are full is found on the way; then the numbers are loaded a second time. What was
 * full once stays so. */
void pl_bands_load(pl_bands *bands, const pl_bsr *A, const double *inverse, double scale,
                   pl_pool *pool)
{
  loading job = {bands, A, inverse, scale};
  int chunks = pl_chunk_count(bands->rows, bands->chunk);
  for (int again = 1; again;) {
    pl_parallel(pool, chunks, load_chunk, &job);
    unsigned full = 0;
    for (int chunk = 0; chunk < chunks; chunk++) full |= bands->full[chunk];
    again = 0;
    for (int b = 1; b < bands->count; b++) {
      if (!(full >> b & 1) || bands->band[b].is_full) continue;
      again = bands->band[b].is_full = 1;
    }
  }
}

/* ---- precise products ---- */

typedef struct product {
  const pl_bands *bands;
  const double *x, *other_x;
  double *y, *other_y;
} product;

static void take(const pl_bands *bands, int first, int last, const double *x, double *to)
{
  for (int place = first; place < last; place++) {
    const double *from = x + 3 * (size_t)bands->row_of[place];
    for (size_t c = 0; c < 3; c++) to[c * bands->stride + (size_t)place] = from[c];
  }
}

static void take_chunk(void *context, int chunk)
{
  const product *job = context;
  int first = chunk * job->bands->chunk, last = pl_bands_last(job->bands, chunk);
  take(job->bands, first, last, job->x, job->bands->wide[0]);
  if (job->other_x) take(job->bands, first, last, job->other_x, job->bands->wide[1]);
}

static void multiply_chunk(void *context, int chunk)
{
  const product *job = context;
  int first = chunk * job->bands->chunk, last = pl_bands_last(job->bands, chunk);
  pl_bands_kernel_pick()->multiply_precise(job->bands, first, last, job->y, job->other_y);
}

void pl_bands_multiply(pl_bands *bands, const double *x, double *y, const double *other_x,
                       double *other_y, pl_pool *pool)
{
  product job = {bands, x, other_x, y, other_y};
  int chunks = pl_chunk_count(bands->rows, bands->chunk);
  pl_parallel(pool, chunks, take_chunk, &job);
  pl_parallel(pool, chunks, multiply_chunk, &job);
}

/* ---- what is held ---- */

void pl_bands_hold(pl_bands *bands, const pl_filter *filter)
{
  int chunks = pl_chunk_count(bands->rows, bands->chunk), count = filter ? filter->count : 0;
  int *start = bands->held_start;
  memset(start, 0, ((size_t)chunks + 2) * sizeof *start);
  for (int i = 0; i < count; i++) start[bands->place_of[filter->nodes[i]] / bands->chunk + 2]++;
  for (int chunk = 0; chunk < chunks; chunk++) start[chunk + 2] += start[chunk + 1];
  for (int i = 0; i < count; i++)
    bands->held[start[bands->place_of[filter->nodes[i]] / bands->chunk + 1]++] = i;
}

/* d = P x at an entry of the filter, in double precision. */
static void project(const pl_filter *filter, int entry, const double x[3], double d[3])
{
  const double *P = filter->projections + 9 * (size_t)entry;
  for (int i = 0; i < 3; i++) d[i] = P[i] * x[0] + P[3 + i] * x[1] + P[6 + i] * x[2];
}

void pl_bands_filter(const pl_bands *bands, const pl_filter *filter, int chunk, float *x)
{
  const size_t stride = bands->stride;
  for (int k = bands->held_start[chunk]; k < bands->held_start[chunk + 1]; k++) {
    float *at = x + bands->place_of[filter->nodes[bands->held[k]]];
    double from[3] = {(double)at[0], (double)at[stride], (double)at[2 * stride]}, to[3];
    project(filter, bands->held[k], from, to);
    for (size_t c = 0; c < 3; c++) at[c * stride] = (float)to[c];
  }
}

void pl_bands_add(const pl_bands *bands, const pl_filter *filter, int chunk, double factor,
                  float *x, double *out)
{
  const size_t stride = bands->stride;
  for (int k = bands->held_start[chunk]; k < bands->held_start[chunk + 1]; k++) {
    int row = filter->nodes[bands->held[k]];
    float *at = x + bands->place_of[row];
    double from[3], to[3];
    for (size_t c = 0; c < 3; c++) from[c] = factor * (double)at[c * stride], at[c * stride] = 0;
    project(filter, bands->held[k], from, to);
    for (int c = 0; c < 3; c++) out[3 * row + c] += to[c];
  }
  for (int place = chunk * bands->chunk; place < pl_bands_last(bands, chunk); place++) {
    double *to = out + 3 * (size_t)bands->row_of[place];
    for (size_t c = 0; c < 3; c++) to[c] += factor * (double)x[c * stride + (size_t)place];
  }
}
