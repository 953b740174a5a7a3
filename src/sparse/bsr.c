/* Block matrices: the pattern from cliques, places in it, and the product.
 *
 * The pattern of a sum over elements is symmetric: row i holds column j if some clique holds both.
 * So when the rows are visited in ascending order and each writes its own number into the rows of
 * its neighbours, every row receives its columns in ascending order, and nothing is ever sorted. */
#include "sparse/bsr.h"

#include "core/error.h"
#include "core/memory.h"
#include "sparse/sparse_kernel.h"

#include <limits.h>
#include <string.h>

/* A chunk is one helping of work for a thread: large enough to be worth a ticket of the pool, small
 * enough that a small matrix still gives every thread several. */
enum {
  MOST_ROWS = INT_MAX / 9,
  MOST_BLOCKS = INT_MAX - 1,
  MOST_BLOCKS_PER_CHUNK = 4096,
  LEAST_BLOCKS_PER_CHUNK = 512,
  WANTED_CHUNKS = 64
};

typedef struct membership {
  int set, clique;
} membership;

/* What is needed while a pattern is built. */
typedef struct builder {
  int rows;
  const pl_cliques *cliques;
  int clique_sets;
  const unsigned char *elsewhere; /* marks rows that are empty unless a clique has them; or NULL */
  int *first;                     /* memberships of node i: [first[i], first[i+1]) */
  membership *memberships;
  int *seen; /* seen[j] == i + 1: j is already in the list of row i */
  int *list;
} builder;

static pl_status check_cliques(const builder *build, int64_t *total, pl_error *error)
{
  *total = 0;
  for (int set = 0; set < build->clique_sets; set++) {
    const pl_cliques *cliques = &build->cliques[set];
    if (cliques->count < 0 || cliques->size < 0)
      return pl_fail(error, PL_E_ARGUMENT, "%d groups of %d nodes cannot make a pattern",
                     cliques->count, cliques->size);
    int64_t nodes = (int64_t)cliques->count * cliques->size;
    if (nodes > INT_MAX - *total)
      return pl_fail(error, PL_E_LIMIT,
                     "the elements have more than %d corners in total; use a coarser mesh",
                     INT_MAX);
    *total += nodes;
    for (int64_t i = 0; i < nodes; i++) {
      int64_t node = (int64_t)cliques->nodes[i] + cliques->offset;
      if (node < 0 || node >= build->rows)
        return pl_fail_entity(error, PL_E_ARGUMENT, i / cliques->size,
                              "element %lld uses node %lld, but the matrix has the rows 0 to %d",
                              (long long)(i / cliques->size), (long long)node, build->rows - 1);
    }
  }
  return PL_OK;
}

/* Lists for every node the cliques that hold it. */
static void list_memberships(builder *build)
{
  // count, then make starts of the counts: first[i + 1] runs through the places of node i
  int *next = build->first + 1;
  for (int set = 0; set < build->clique_sets; set++) {
    const pl_cliques *cliques = &build->cliques[set];
    size_t nodes = (size_t)cliques->count * (size_t)cliques->size;
    for (size_t i = 0; i < nodes; i++) next[cliques->nodes[i] + cliques->offset]++;
  }
  int sum = 0;
  for (int i = 0; i < build->rows; i++) {
    int count = next[i];
    next[i] = sum;
    sum += count;
  }
  for (int set = 0; set < build->clique_sets; set++) {
    const pl_cliques *cliques = &build->cliques[set];
    const int *node = cliques->nodes;
    for (int clique = 0; clique < cliques->count; clique++) {
      for (int i = 0; i < cliques->size; i++)
        build->memberships[next[*node++ + cliques->offset]++] = (membership){set, clique};
    }
  }
}

/* Fills the list with the different neighbours of a row, itself included, and counts them. */
static int list_neighbours(builder *build, int row)
{
  int count = 0;
  if (build->elsewhere && build->elsewhere[row] && build->first[row] == build->first[row + 1])
    return 0;
  build->seen[row] = row + 1;
  build->list[count++] = row;
  for (int m = build->first[row]; m < build->first[row + 1]; m++) {
    const pl_cliques *cliques = &build->cliques[build->memberships[m].set];
    const int *nodes =
        cliques->nodes + (size_t)build->memberships[m].clique * (size_t)cliques->size;
    for (int i = 0; i < cliques->size; i++) {
      int node = nodes[i] + cliques->offset;
      if (build->seen[node] == row + 1) continue;
      build->seen[node] = row + 1;
      build->list[count++] = node;
    }
  }
  return count;
}

/* Cuts the rows into chunks of about equal numbers of blocks; chunk_rows NULL only counts. */
static int cut_chunks(const pl_bsr *matrix, int *chunk_rows)
{
  int wanted = matrix->start[matrix->rows] / WANTED_CHUNKS;
  if (wanted < LEAST_BLOCKS_PER_CHUNK) wanted = LEAST_BLOCKS_PER_CHUNK;
  if (wanted > MOST_BLOCKS_PER_CHUNK) wanted = MOST_BLOCKS_PER_CHUNK;
  int chunks = 0;
  for (int row = 0; row < matrix->rows; chunks++) {
    int first = row++;
    while (row < matrix->rows && row - first < PL_ROWS_PER_CHUNK &&
           matrix->start[row + 1] - matrix->start[first] <= wanted)
      row++;
    if (chunk_rows) chunk_rows[chunks + 1] = row;
  }
  return chunks;
}

static pl_status count_blocks(builder *build, pl_bsr *matrix, pl_error *error)
{
  matrix->start = pl_alloc(&matrix->allocator, (size_t)build->rows + 1, sizeof(int));
  if (!matrix->start) return pl_fail_memory(error);
  int64_t blocks = 0;
  for (int row = 0; row < build->rows; row++) {
    blocks += list_neighbours(build, row);
    if (blocks > MOST_BLOCKS)
      return pl_fail(error, PL_E_LIMIT,
                     "the matrix would have more than %d blocks; use a coarser mesh", MOST_BLOCKS);
    matrix->start[row + 1] = (int)blocks;
  }
  return PL_OK;
}

static pl_status fill_columns(builder *build, pl_bsr *matrix, pl_error *error)
{
  const pl_allocator *allocator = &matrix->allocator;
  size_t rows = (size_t)build->rows, blocks = (size_t)matrix->start[build->rows];
  matrix->columns = pl_alloc(allocator, blocks, sizeof(int));
  matrix->diagonal = pl_alloc(allocator, rows, sizeof(int));
  matrix->values = pl_alloc(allocator, 9 * blocks + 4, sizeof(double));
  if (!matrix->columns || !matrix->diagonal || !matrix->values) return pl_fail_memory(error);

  // diagonal[i] serves as the next free place of row i until all columns are in
  memset(build->seen, 0, rows * sizeof(int));
  memcpy(matrix->diagonal, matrix->start, rows * sizeof(int));
  for (int row = 0; row < build->rows; row++) {
    int count = list_neighbours(build, row);
    for (int i = 0; i < count; i++) matrix->columns[matrix->diagonal[build->list[i]]++] = row;
  }
  for (int row = 0; row < build->rows; row++) matrix->diagonal[row] = pl_bsr_find(matrix, row, row);
  return PL_OK;
}

static pl_status make_chunks(pl_bsr *matrix, pl_error *error)
{
  matrix->chunks = cut_chunks(matrix, NULL);
  matrix->chunk_rows = pl_alloc(&matrix->allocator, (size_t)matrix->chunks + 1, sizeof(int));
  if (!matrix->chunk_rows) return pl_fail_memory(error);
  cut_chunks(matrix, matrix->chunk_rows);
  return PL_OK;
}

static pl_status build_pattern(builder *build, pl_bsr *matrix, pl_error *error)
{
  int64_t total;
  pl_status status = check_cliques(build, &total, error);
  if (status) return status;
  const pl_allocator *allocator = &matrix->allocator;
  build->first = pl_alloc(allocator, (size_t)build->rows + 1, sizeof(int));
  build->memberships = pl_alloc(allocator, (size_t)total, sizeof(membership));
  build->seen = pl_alloc(allocator, (size_t)build->rows, sizeof(int));
  build->list = pl_alloc(allocator, (size_t)build->rows, sizeof(int));
  if (!build->first || !build->memberships || !build->seen || !build->list)
    return pl_fail_memory(error);

  list_memberships(build);
  status = count_blocks(build, matrix, error);
  if (!status) status = fill_columns(build, matrix, error);
  return status ? status : make_chunks(matrix, error);
}

pl_status pl_bsr_create(const pl_allocator *allocator, int rows, const pl_cliques *cliques,
                        int clique_sets, pl_bsr **out, pl_error *error)
{
  return pl_bsr_create_divided(allocator, rows, cliques, clique_sets, NULL, out, error);
}

pl_status pl_bsr_create_divided(const pl_allocator *allocator, int rows, const pl_cliques *cliques,
                                int clique_sets, const unsigned char *elsewhere, pl_bsr **out,
                                pl_error *error)
{
  *out = NULL;
  if (rows < 0 || rows > MOST_ROWS)
    return pl_fail(error, rows < 0 ? PL_E_ARGUMENT : PL_E_LIMIT,
                   "a matrix of %d block rows cannot be made; there can be 0 to %d", rows,
                   MOST_ROWS);
  pl_allocator source = pl_allocator_or_default(allocator);
  pl_bsr *matrix = pl_alloc(&source, 1, sizeof *matrix);
  if (!matrix) return pl_fail_memory(error);
  matrix->allocator = source;
  matrix->rows = rows;

  builder build = {
      .rows = rows, .cliques = cliques, .clique_sets = clique_sets, .elsewhere = elsewhere};
  pl_status status = build_pattern(&build, matrix, error);
  pl_free(&source, build.first);
  pl_free(&source, build.memberships);
  pl_free(&source, build.seen);
  pl_free(&source, build.list);
  if (status) {
    pl_bsr_destroy(matrix);
    return status;
  }
  *out = matrix;
  return PL_OK;
}

/* ---- some rows of another matrix ---- */

/* The blocks whose row and column are among those that are taken; columns NULL: only counts. */
static void take_columns(const pl_bsr *from, const int *row, const int *place, pl_bsr *matrix)
{
  int count = 0;
  for (int i = 0; i < matrix->rows; i++) {
    for (int k = from->start[row[i]]; k < from->start[row[i] + 1]; k++) {
      int column = place[from->columns[k]];
      if (column < 0) continue;
      if (matrix->columns && column == i) matrix->diagonal[i] = count;
      if (matrix->columns) matrix->columns[count] = column;
      count++;
    }
    matrix->start[i + 1] = count;
  }
}

static pl_status take_pattern(const pl_bsr *from, const int *row, const int *place, pl_bsr *matrix,
                              pl_error *error)
{
  const pl_allocator *allocator = &matrix->allocator;
  matrix->start = pl_alloc(allocator, (size_t)matrix->rows + 1, sizeof(int));
  matrix->diagonal = pl_alloc(allocator, (size_t)matrix->rows, sizeof(int));
  if (!matrix->start || !matrix->diagonal) return pl_fail_memory(error);
  take_columns(from, row, place, matrix);
  size_t blocks = (size_t)matrix->start[matrix->rows];
  matrix->columns = pl_alloc(allocator, blocks, sizeof(int));
  matrix->is_view = matrix->start[matrix->rows] == from->start[from->rows];
  matrix->values =
      matrix->is_view ? from->values : pl_alloc(allocator, 9 * blocks + 4, sizeof(double));
  if (!matrix->columns || !matrix->values) return pl_fail_memory(error);
  take_columns(from, row, place, matrix);
  return make_chunks(matrix, error);
}

pl_status pl_bsr_take(const pl_allocator *allocator, const pl_bsr *from, const int *row, int rows,
                      const int *place, pl_bsr **out, pl_error *error)
{
  pl_allocator source = pl_allocator_or_default(allocator);
  pl_bsr *matrix = *out = pl_alloc(&source, 1, sizeof *matrix);
  if (!matrix) return pl_fail_memory(error);
  matrix->allocator = source;
  matrix->rows = rows;
  pl_status status = take_pattern(from, row, place, matrix, error);
  if (!status) return PL_OK;
  pl_bsr_destroy(matrix);
  *out = NULL;
  return status;
}

void pl_bsr_destroy(pl_bsr *matrix)
{
  if (!matrix) return;
  pl_allocator allocator = matrix->allocator;
  pl_free(&allocator, matrix->start);
  pl_free(&allocator, matrix->columns);
  pl_free(&allocator, matrix->diagonal);
  if (!matrix->is_view) pl_free(&allocator, matrix->values);
  pl_free(&allocator, matrix->chunk_rows);
  pl_free(&allocator, matrix->children);
  pl_free(&allocator, matrix->lines);
  pl_free(&allocator, matrix);
}

int pl_bsr_find(const pl_bsr *matrix, int row, int column)
{
  if (row < 0 || row >= matrix->rows) return -1;
  int low = matrix->start[row], high = matrix->start[row + 1];
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (matrix->columns[middle] < column)
      low = middle + 1;
    else
      high = middle;
  }
  return low < matrix->start[row + 1] && matrix->columns[low] == column ? low : -1;
}

pl_status pl_bsr_place(const pl_bsr *matrix, int offset, int row, int column, int *place,
                       pl_error *error)
{
  *place = pl_bsr_find(matrix, offset + row, offset + column);
  if (*place >= 0) return PL_OK;
  return pl_fail_entity(error, PL_E_ARGUMENT, row,
                        "the matrix has no block for nodes %d and %d; build it from the model's "
                        "cliques",
                        row, column);
}

pl_status pl_bsr_places(const pl_bsr *matrix, int offset, int rows, const int *start,
                        const int *columns, int *places, pl_error *error)
{
  pl_status status = PL_OK;
  for (int row = 0; row < rows && !status; row++) {
    for (int k = start[row]; k < start[row + 1] && !status; k++)
      status = pl_bsr_place(matrix, offset, row, columns[k], &places[k], error);
  }
  return status;
}

static void zero_chunk(void *context, int chunk)
{
  const pl_bsr *matrix = context;
  int first = matrix->start[matrix->chunk_rows[chunk]];
  int last = matrix->start[matrix->chunk_rows[chunk + 1]];
  memset(matrix->values + 9 * first, 0, 9 * (size_t)(last - first) * sizeof(double));
}

void pl_bsr_zero(pl_bsr *matrix, pl_pool *pool)
{
  pl_parallel(pool, matrix->chunks, zero_chunk, matrix);
}

typedef struct product {
  const pl_sparse_kernel *kernel;
  const pl_bsr *matrix;
  const double *x, *other_x; /* NULL: there is only one */
  double *y, *other_y;
} product;

static void multiply_chunk(void *context, int chunk)
{
  const product *job = context;
  job->kernel->multiply(job->matrix, chunk, job->x, job->y);
  // the chunk's blocks are still near
  if (job->other_x) job->kernel->multiply(job->matrix, chunk, job->other_x, job->other_y);
}

void pl_bsr_multiply(const pl_bsr *matrix, const double *x, double *y, pl_pool *pool)
{
  pl_bsr_multiply_two(matrix, x, y, NULL, NULL, pool);
}

void pl_bsr_multiply_two(const pl_bsr *matrix, const double *x, double *y, const double *other_x,
                         double *other_y, pl_pool *pool)
{
  product job = {pl_sparse_kernel_pick(), matrix, x, other_x, y, other_y};
  pl_parallel(pool, matrix->chunks, multiply_chunk, &job);
}

void pl_bsr_multiply_row(const pl_bsr *matrix, int row, const double *x, double y[3])
{
  y[0] = y[1] = y[2] = 0;
  for (int k = matrix->start[row]; k < matrix->start[row + 1]; k++) {
    const double *block = matrix->values + 9 * (size_t)k;
    const double *from = x + 3 * (size_t)matrix->columns[k];
    for (int e = 0; e < 9; e++) y[e % 3] += block[e] * from[e / 3];
  }
}

size_t pl_bsr_bytes(const pl_bsr *matrix)
{
  size_t rows = (size_t)matrix->rows, blocks = (size_t)matrix->start[rows];
  return blocks * (9 * sizeof(double) + sizeof(int)) + (rows + 1) * sizeof(int) +
         rows * 6 * sizeof(double);
}
