#include "dist/mpi_matrix.h"

#include "core/error.h"
#include "core/memory.h"

#include <string.h>

pl_status pl_petsc_failed(PetscErrorCode code, pl_error *error)
{
  const char *text = NULL;
  PetscErrorMessage(code, &text, NULL);
  if (code == PETSC_ERR_MEM || !text)
    return pl_fail(error, PL_E_MEMORY,
                   "PETSc could not get the memory that its matrix and levels need (code %d); use "
                   "more processes on more machines, preset \"grid\", or a coarser mesh",
                   (int)code);
  return pl_fail(
      error, PL_E_LIMIT,
      "PETSc failed with code %d (%.200s); leave out options of --petsc, or take another "
      "preset of the solver",
      (int)code, text);
}

/* ---- rows ---- */

static int number_of(const pl_dist_matrix *self, int row)
{
  return self->partition ? self->partition->number[row] : row;
}

int pl_dist_matrix_row(const pl_dist_matrix *self, int i)
{
  return self->partition ? self->partition->row[self->first + i] : i;
}

static int is_own(const pl_dist_matrix *self, int row)
{
  return !self->partition || pl_partition_is_own(self->partition, row);
}

const double *pl_dist_projection(const pl_filter *filter, int row)
{
  int at = filter ? pl_filter_from(filter, row) : 0;
  return filter && at < filter->count && filter->nodes[at] == row
             ? filter->projections + 9 * (size_t)at
             : NULL;
}

/* B = P B Q, by columns; NULL is the unit matrix. */
static void project(const double *P, const double *Q, double *B)
{
  double half[9];
  for (int i = 0; P && i < 9; i++) {
    const double *column = B + 3 * (i / 3);
    half[i] = P[i % 3] * column[0] + P[3 + i % 3] * column[1] + P[6 + i % 3] * column[2];
  }
  if (P) memcpy(B, half, sizeof half);
  for (int i = 0; Q && i < 9; i++) {
    const double *column = Q + 3 * (i / 3);
    half[i] = B[i % 3] * column[0] + B[3 + i % 3] * column[1] + B[6 + i % 3] * column[2];
  }
  if (Q) memcpy(B, half, sizeof half);
}

/* ---- the pattern ---- */

/* Counts the blocks of each own row whose columns are here and elsewhere. */
static void count_row(const pl_dist_matrix *self, const pl_bsr *A, int row, PetscInt *here,
                      PetscInt *elsewhere)
{
  for (int k = A->start[row]; k < A->start[row + 1]; k++)
    ++*(is_own(self, A->columns[k]) ? here : elsewhere);
}

/* What pairs may add to that, at most. */
static void count_pairs(const pl_dist_matrix *self, const pl_pairs *pairs, PetscInt *here,
                        PetscInt *elsewhere)
{
  for (int s = 0; pairs && s < pairs->count; s++) {
    for (int e = pairs->first[s]; e < pairs->first[s + 1]; e++) {
      if (!is_own(self, pairs->block[e])) continue;
      int at = number_of(self, pairs->block[e]) - self->first, size = 0, own = 0;
      for (int o = pairs->first[s]; o < pairs->first[s + 1]; o++, size++)
        own += is_own(self, pairs->block[o]);
      here[at] += own;
      elsewhere[at] += size - own;
    }
  }
}

static pl_status allocate(pl_dist_matrix *self, const pl_bsr *A, const pl_pairs *pairs,
                          PetscInt *here, PetscInt *elsewhere, pl_error *error)
{
  PetscInt own = 3 * self->count;
  for (int i = 0; i < self->count; i++)
    count_row(self, A, pl_dist_matrix_row(self, i), &here[i], &elsewhere[i]);
  count_pairs(self, pairs, here, elsewhere);
  for (int i = 0; i < self->count; i++) {
    if (here[i] > self->count) here[i] = self->count;
    if (elsewhere[i] > A->rows - self->count) elsewhere[i] = A->rows - self->count;
  }
  PL_PETSC_TRY(MatCreate(self->comm, &self->matrix));
  PL_PETSC_TRY(MatSetSizes(self->matrix, own, own, 3 * A->rows, 3 * A->rows));
  PL_PETSC_TRY(MatSetType(self->matrix, MATAIJ));
  PL_PETSC_TRY(MatXAIJSetPreallocation(self->matrix, 3, here, elsewhere, NULL, NULL));
  PL_PETSC_TRY(MatSetOption(self->matrix, MAT_ROW_ORIENTED, PETSC_FALSE));
  PL_PETSC_TRY(MatSetOption(self->matrix, A->is_unsymmetric ? MAT_STRUCTURALLY_SYMMETRIC : MAT_SPD,
                            PETSC_TRUE));
  if (!A->is_unsymmetric)
    PL_PETSC_TRY(MatSetOption(self->matrix, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  PL_PETSC_TRY(MatSetOption(self->matrix, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
  return PL_OK;
}

pl_status pl_dist_matrix_make(pl_dist_matrix *self, const pl_bsr *A, const pl_pairs *pairs,
                              pl_error *error)
{
  const pl_allocator *allocator = &self->allocator;
  PetscInt *counts = pl_alloc(allocator, 2 * (size_t)self->count, sizeof *counts);
  if (!counts) return pl_fail_memory(error);
  MatDestroy(&self->matrix);
  pl_status status = allocate(self, A, pairs, counts, counts + self->count, error);
  pl_free(allocator, counts);
  self->has_pairs = pairs != NULL;
  return status;
}

/* ---- values ---- */

static pl_status add_row(pl_dist_matrix *self, const pl_bsr *A, const pl_filter *filter, int row,
                         double mean, pl_error *error)
{
  const double *P = pl_dist_projection(filter, row);
  PetscInt number = number_of(self, row), count = A->start[row + 1] - A->start[row];
  for (int i = 0; i < count; i++) {
    int k = A->start[row] + i, column = A->columns[k];
    double *block = self->block_row + 9 * (size_t)i;
    self->columns[i] = number_of(self, column);
    memcpy(block, A->values + 9 * (size_t)k, 9 * sizeof *block);
    project(P, filter && filter->count ? pl_dist_projection(filter, column) : NULL, block);
    for (int e = 0; P && column == row && e < 9; e++) block[e] += mean * ((e % 4 == 0) - P[e]);
  }
  PL_PETSC_TRY(MatSetValuesBlocked(self->matrix, 1, &number, count, self->columns, self->block_row,
                                   ADD_VALUES));
  return PL_OK;
}

/* out = C_a^T D C_b of two entries of a stencil, by columns. */
static void pair_block(const pl_pairs *pairs, int stencil, int a, int b, double out[9])
{
  const double *D = pairs->D + 9 * (size_t)stencil;
  double Ca[9] = {0}, Cb[9] = {0}, half[9] = {0};
  for (int k = 0; k < 9; k++) {
    int scalar = pairs->is_scalar[stencil];
    Ca[k] = scalar ? (k % 4 == 0) * pairs->weight[a] : pairs->C[9 * (size_t)a + (size_t)k];
    Cb[k] = scalar ? (k % 4 == 0) * pairs->weight[b] : pairs->C[9 * (size_t)b + (size_t)k];
  }
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) {
      for (int k = 0; k < 3; k++) half[3 * r + c] += D[3 * r + k] * Cb[3 * k + c];
    }
  }
  for (int e = 0; e < 9; e++) {
    out[e] = 0;
    for (int k = 0; k < 3; k++) out[e] += Ca[3 * k + e % 3] * half[3 * k + e / 3];
  }
}

static pl_status add_pairs(pl_dist_matrix *self, const pl_pairs *pairs, const pl_filter *filter,
                           pl_error *error)
{
  for (int s = 0; pairs && s < pairs->count; s++) {
    for (int a = pairs->first[s]; a < pairs->first[s + 1]; a++) {
      PetscInt row = number_of(self, pairs->block[a]);
      if (!is_own(self, pairs->block[a])) continue;
      for (int b = pairs->first[s]; b < pairs->first[s + 1]; b++) {
        double block[9];
        PetscInt column = number_of(self, pairs->block[b]);
        pair_block(pairs, s, a, b, block);
        project(pl_dist_projection(filter, pairs->block[a]),
                pl_dist_projection(filter, pairs->block[b]), block);
        PL_PETSC_TRY(MatSetValuesBlocked(self->matrix, 1, &row, 1, &column, block, ADD_VALUES));
      }
    }
  }
  return PL_OK;
}

pl_status pl_dist_matrix_fill(pl_dist_matrix *self, const pl_bsr *A, const pl_pairs *pairs,
                              const pl_filter *filter, double mean, pl_error *error)
{
  pl_status status = PL_OK;
  PL_PETSC_TRY(MatZeroEntries(self->matrix));
  for (int i = 0; i < self->count && !status; i++)
    status = add_row(self, A, filter, pl_dist_matrix_row(self, i), mean, error);
  if (!status) status = add_pairs(self, pairs, filter, error);
  if (status) return status;
  PL_PETSC_TRY(MatAssemblyBegin(self->matrix, MAT_FINAL_ASSEMBLY));
  PL_PETSC_TRY(MatAssemblyEnd(self->matrix, MAT_FINAL_ASSEMBLY));
  return PL_OK;
}

/* ---- beginning and end ---- */

pl_status pl_dist_matrix_begin(pl_dist_matrix *self, const pl_allocator *allocator, const pl_bsr *A,
                               pl_error *error)
{
  const pl_partition *partition = A->partition;
  int rank = partition ? partition->ranks->rank : 0, longest = 0;
  *self = (pl_dist_matrix){.allocator = *allocator, .partition = partition, .count = A->rows};
  self->comm = partition ? MPI_COMM_WORLD : MPI_COMM_SELF;
  if (partition) {
    self->first = partition->first[rank];
    self->count = partition->first[rank + 1] - self->first;
  }
  for (int row = 0; row < A->rows; row++) {
    int length = A->start[row + 1] - A->start[row];
    if (length > longest) longest = length;
  }
  self->block_row = pl_alloc(allocator, 9 * (size_t)longest, sizeof *self->block_row);
  self->columns = pl_alloc(allocator, (size_t)longest, sizeof *self->columns);
  return self->block_row && self->columns ? PL_OK : pl_fail_memory(error);
}

void pl_dist_matrix_release(pl_dist_matrix *self)
{
  MatDestroy(&self->matrix);
  pl_free(&self->allocator, self->block_row);
  pl_free(&self->allocator, self->columns);
}
