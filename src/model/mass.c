/* Mass by rows, so that threads share out rows and need no colours.
 *
 *   consistent M_ab = integral of density N_a N_b      lumped m_a = sum_b M_ab (Hauth 2004, 3.1.5)
 *
 * The row sums of a quadratic tetrahedron are negative at its corners; there m_a = M_aa times what
 * keeps the element's mass (Hinton, Rock, Zienkiewicz 1976): 1/36 at a corner, 4/27 at a midpoint.
 */
#include "model/mass.h"

#include "core/error.h"
#include "core/memory.h"
#include "sparse/passes.h"

#include <string.h>

enum { MOST_SIZE = 10, QUADRATIC = 10 };

/* The place of (row, column) among the rows' entries, whose columns ascend. */
static int find_entry(const pl_mass *mass, int row, int column)
{
  int low = mass->start[row], high = mass->start[row + 1] - 1;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (mass->columns[middle] < column)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The rows that elements couple; what has no element has no entry either. */
static pl_status couple_rows(const pl_allocator *allocator, const pl_cliques *elements, int rows,
                             pl_bsr **pattern, pl_error *error)
{
  unsigned char *all = pl_alloc(allocator, (size_t)rows, 1);
  if (!all) return pl_fail_memory(error);
  memset(all, 1, (size_t)rows);
  pl_status status = pl_bsr_create_divided(allocator, rows, elements, 1, all, pattern, error);
  pl_free(allocator, all);
  return status;
}

static pl_status make_pattern(const pl_allocator *allocator, const pl_cliques *elements,
                              pl_mass *mass, pl_error *error)
{
  pl_bsr *pattern = NULL;
  pl_status status = couple_rows(allocator, elements, mass->rows, &pattern, error);
  if (status) return status;
  size_t rows = (size_t)mass->rows, entries = (size_t)pattern->start[rows];
  mass->start = pl_alloc(allocator, rows + 1, sizeof *mass->start);
  mass->columns = pl_alloc(allocator, entries, sizeof *mass->columns);
  mass->values = pl_alloc(allocator, entries, sizeof *mass->values);
  if (mass->start && mass->columns && mass->values) {
    memcpy(mass->start, pattern->start, (rows + 1) * sizeof *mass->start);
    memcpy(mass->columns, pattern->columns, entries * sizeof *mass->columns);
  } else {
    status = pl_fail_memory(error);
  }
  pl_bsr_destroy(pattern);
  return status;
}

/* The diagonal, scaled to the element's mass. */
static void lump_diagonal(pl_mass *mass, const int *nodes, int size, const double *matrix)
{
  double whole = 0, diagonal = 0;
  for (int i = 0; i < size * size; i++) whole += matrix[i];
  for (int a = 0; a < size; a++) diagonal += matrix[(size + 1) * a];
  for (int a = 0; a < size; a++)
    mass->lumped[nodes[a]] += matrix[(size + 1) * a] * (whole / diagonal);
}

static void add_element(pl_mass *mass, const int *nodes, int size, const double *matrix)
{
  double *sums = size == QUADRATIC ? mass->weight : mass->lumped;
  if (size == QUADRATIC) lump_diagonal(mass, nodes, size, matrix);
  for (int a = 0; a < size; a++) {
    for (int b = 0; b < size; b++) {
      if (sums) sums[nodes[a]] += matrix[size * a + b];
      if (mass->values) mass->values[find_entry(mass, nodes[a], nodes[b])] += matrix[size * a + b];
    }
  }
}

pl_status pl_mass_create(const pl_allocator *allocator, int rows, const pl_cliques *elements,
                         void (*matrix)(const void *context, int element, double *values),
                         const void *context, int consistent, pl_mass *mass, pl_error *error)
{
  *mass = (pl_mass){.rows = rows};
  mass->lumped = pl_alloc(allocator, (size_t)rows, sizeof *mass->lumped);
  if (elements->size == QUADRATIC)
    mass->weight = pl_alloc(allocator, (size_t)rows, sizeof *mass->weight);
  int ok = mass->lumped && (mass->weight || elements->size != QUADRATIC);
  pl_status status = ok ? PL_OK : pl_fail_memory(error);
  if (!status && consistent) status = make_pattern(allocator, elements, mass, error);
  if (status) {
    pl_mass_destroy(allocator, mass);
    return status;
  }
  for (int e = 0; e < elements->count; e++) {
    double values[MOST_SIZE * MOST_SIZE];
    matrix(context, e, values);
    add_element(mass, elements->nodes + (size_t)e * (size_t)elements->size, elements->size, values);
  }
  return PL_OK;
}

void pl_mass_destroy(const pl_allocator *allocator, pl_mass *mass)
{
  pl_free(allocator, mass->lumped);
  pl_free(allocator, mass->weight);
  pl_free(allocator, mass->start);
  pl_free(allocator, mass->columns);
  pl_free(allocator, mass->places);
  pl_free(allocator, mass->values);
  *mass = (pl_mass){0};
}

pl_status pl_mass_bind(const pl_allocator *allocator, pl_mass *mass, const pl_bsr *A, int offset,
                       pl_error *error)
{
  mass->offset = offset;
  if (!mass->values) return PL_OK;
  if (!mass->places)
    mass->places = pl_alloc(allocator, (size_t)mass->start[mass->rows], sizeof *mass->places);
  if (!mass->places) return pl_fail_memory(error);
  return pl_bsr_places(A, offset, mass->rows, mass->start, mass->columns, mass->places, error);
}

typedef struct mass_job {
  const pl_mass *mass;
  double a;
  const double *x;
  double *f;
  pl_bsr *A;
} mass_job;

enum { ROWS_PER_CHUNK = 1024 };

static int last_row(const pl_mass *mass, int chunk)
{
  int last = (chunk + 1) * ROWS_PER_CHUNK;
  return last < mass->rows ? last : mass->rows;
}

static void add_rows(void *context, int chunk)
{
  const mass_job *job = context;
  const pl_mass *mass = job->mass;
  for (int i = chunk * ROWS_PER_CHUNK; i < last_row(mass, chunk); i++) {
    double sum[3] = {0};
    for (int k = mass->start[i]; k < mass->start[i + 1]; k++) {
      const double *x = job->x + 3 * (size_t)mass->columns[k];
      for (int c = 0; c < 3; c++) sum[c] += mass->values[k] * x[c];
    }
    for (int c = 0; c < 3; c++) job->f[3 * (size_t)i + (size_t)c] += job->a * sum[c];
  }
}

void pl_mass_add(const pl_mass *mass, double a, const double *x, double *f, pl_pool *pool)
{
  if (!mass->values) {
    pl_pass_mass_add(a, mass->lumped, x, f, mass->rows, pool);
    return;
  }
  mass_job job = {.mass = mass, .a = a, .x = x, .f = f};
  pl_parallel(pool, pl_chunk_count(mass->rows, ROWS_PER_CHUNK), add_rows, &job);
}

static void add_diagonal(double *block, double m)
{
  block[0] += m;
  block[4] += m;
  block[8] += m;
}

static void add_row_blocks(void *context, int chunk)
{
  const mass_job *job = context;
  const pl_mass *mass = job->mass;
  double *values = job->A->values;
  for (int i = chunk * ROWS_PER_CHUNK; i < last_row(mass, chunk); i++) {
    int diagonal = job->A->diagonal[mass->offset + i];
    if (!mass->values && diagonal >= 0)
      add_diagonal(values + 9 * (size_t)diagonal, job->a * mass->lumped[i]);
    if (!mass->values) continue;
    for (int k = mass->start[i]; k < mass->start[i + 1]; k++)
      add_diagonal(values + 9 * (size_t)mass->places[k], job->a * mass->values[k]);
  }
}

void pl_mass_matrix(const pl_mass *mass, double a, pl_bsr *A, pl_pool *pool)
{
  mass_job job = {.mass = mass, .a = a, .A = A};
  pl_parallel(pool, pl_chunk_count(mass->rows, ROWS_PER_CHUNK), add_row_blocks, &job);
}
