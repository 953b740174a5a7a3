/* CHOLMOD behind its door: the blocks of the lower half as a scalar matrix by columns. */
#include "sparse/factor.h"

#include "core/error.h"

#include <limits.h>

/* A number, and its row. */
double pl_factor_bytes(double numbers) { return numbers * (double)(sizeof(double) + sizeof(int)); }

pl_status pl_factor_fits(double numbers, double memory, pl_error *error)
{
  double bytes = pl_factor_bytes(numbers);
  if (numbers >= INT_MAX)
    return pl_fail(error, PL_E_LIMIT,
                   "the factor would have %.3g numbers, and the direct solver counts to %.3g only; "
                   "use solver \"cg\" with preconditioner \"multigrid\"",
                   numbers, (double)INT_MAX);
  if (bytes < memory) return PL_OK;
  return pl_fail(
      error, PL_E_LIMIT,
      "the factor would have %.3g numbers and take %.1f GB, and the machine has %.1f GB; "
      "use solver \"cg\" with preconditioner \"multigrid\"",
      numbers, 1e-9 * bytes, 1e-9 * memory);
}

#ifdef PL_WITH_CHOLMOD

#include "core/memory.h"

#include <cholmod.h>
#include <math.h>
#include <string.h>

/* A pivot below this part of the matrix' own diagonal is what rounding left of zero. */
#define LEAST_PIVOT 1e-13

struct pl_factor {
  pl_allocator allocator;
  cholmod_common common;
  cholmod_sparse *matrix; /* the lower half, stype -1 */
  cholmod_factor *L;
  cholmod_dense *b, *x, *y, *e; /* the last three are made by the first solve, and kept */
  double *projections;          /* 9 for each row; those of free rows are not set */
  char *held;                   /* for each row */
};

int pl_factor_exists(void) { return 1; }

void pl_factor_destroy(pl_factor *factor)
{
  if (!factor) return;
  pl_allocator allocator = factor->allocator;
  cholmod_free_sparse(&factor->matrix, &factor->common);
  cholmod_free_factor(&factor->L, &factor->common);
  cholmod_free_dense(&factor->b, &factor->common);
  cholmod_free_dense(&factor->x, &factor->common);
  cholmod_free_dense(&factor->y, &factor->common);
  cholmod_free_dense(&factor->e, &factor->common);
  cholmod_finish(&factor->common);
  pl_free(&allocator, factor->projections);
  pl_free(&allocator, factor->held);
  pl_free(&allocator, factor);
}

/* The pattern: column 3j+c has rows c..2 of block (j,j), then those of the blocks below it. A's
 * pattern is symmetric, so column j's blocks below the diagonal are those of row j right of it. */
static pl_status make_pattern(pl_factor *factor, const pl_bsr *A, pl_error *error)
{
  size_t rows = 3 * (size_t)A->rows, blocks = (size_t)A->start[A->rows];
  size_t entries = 9 * ((blocks - (size_t)A->rows) / 2) + 6 * (size_t)A->rows;
  if (rows > INT_MAX || entries > INT_MAX)
    return pl_fail(error, PL_E_LIMIT, "%zu numbers are too many for the direct solver; use \"cg\"",
                   entries);
  factor->matrix =
      cholmod_allocate_sparse(rows, rows, entries, 1, 1, -1, CHOLMOD_REAL, &factor->common);
  factor->b = cholmod_zeros(rows, 1, CHOLMOD_REAL, &factor->common);
  factor->projections = pl_alloc(&factor->allocator, 9 * (size_t)A->rows, sizeof(double));
  factor->held = pl_alloc(&factor->allocator, (size_t)A->rows, 1);
  if (!factor->matrix || !factor->b || !factor->projections || !factor->held)
    return pl_fail_memory(error);
  int *start = factor->matrix->p, *index = factor->matrix->i, place = 0;
  for (int row = 0; row < A->rows; row++) {
    for (int c = 0; c < 3; c++) {
      start[3 * row + c] = place;
      for (int r = c; r < 3; r++) index[place++] = 3 * row + r;
      for (int k = A->diagonal[row] + 1; k < A->start[row + 1]; k++) {
        for (int r = 0; r < 3; r++) index[place++] = 3 * A->columns[k] + r;
      }
    }
  }
  start[rows] = place;
  memset(factor->matrix->x, 0, entries * sizeof(double));
  return PL_OK;
}

static pl_status fail_inside(const pl_factor *factor, pl_error *error)
{
  if (factor->common.status == CHOLMOD_OUT_OF_MEMORY) return pl_fail_memory(error);
  return pl_fail(error, PL_E_LIMIT,
                 "CHOLMOD cannot factorise this matrix (its status is %d); use solver \"cg\"",
                 factor->common.status);
}

pl_status pl_factor_create(const pl_allocator *allocator, const pl_bsr *A, pl_ordering ordering,
                           pl_factor **out, pl_error *error)
{
  *out = NULL;
  pl_factor *factor = pl_alloc(allocator, 1, sizeof *factor);
  if (!factor) return pl_fail_memory(error);
  factor->allocator = *allocator;
  cholmod_common *common = &factor->common;
  cholmod_start(common);
  common->print = 0;
  common->error_handler = NULL;
  common->supernodal = CHOLMOD_SIMPLICIAL;
  common->final_ll = 0;
  common->nmethods = 1;
  common->method[0].ordering = ordering == PL_ORDER_NESTED ? CHOLMOD_METIS : CHOLMOD_AMD;
  common->postorder = 1;
  // no room for columns to grow: the analysis knows their lengths
  common->grow2 = 0;
  pl_status status = make_pattern(factor, A, error);
  if (!status) {
    factor->L = cholmod_analyze(factor->matrix, common);
    if (!factor->L || common->status < 0) status = fail_inside(factor, error);
  }
  if (!status) status = pl_factor_fits(common->lnz, pl_machine_memory(), error);
  if (status)
    pl_factor_destroy(factor);
  else
    *out = factor;
  return status;
}

/* M = P M Q, where NULL is the identity; column by column. */
static void restrict_block(const double *P, const double *Q, double *M)
{
  double left[9];
  for (int i = 0; P && i < 9; i++) {
    const double *column = M + 3 * (i / 3);
    left[i] = P[i % 3] * column[0] + P[3 + i % 3] * column[1] + P[6 + i % 3] * column[2];
  }
  if (P) memcpy(M, left, sizeof left);
  for (int i = 0; Q && i < 9; i++) {
    const double *q = Q + 3 * (i / 3);
    left[i] = M[i % 3] * q[0] + M[3 + i % 3] * q[1] + M[6 + i % 3] * q[2];
  }
  if (Q) memcpy(M, left, sizeof left);
}

static void mark_held(pl_factor *factor, const pl_bsr *A, const pl_filter *filter,
                      const char *chosen)
{
  memset(factor->held, 0, (size_t)A->rows);
  for (int i = 0; filter && i < filter->count; i++) {
    if (chosen && !chosen[i]) continue;
    int node = filter->nodes[i];
    factor->held[node] = 1;
    memcpy(factor->projections + 9 * (size_t)node, filter->projections + 9 * (size_t)i,
           9 * sizeof(double));
  }
}

/* P A P + s (I - P) at place k of A's row. */
static void take_block(const pl_factor *factor, const pl_bsr *A, int row, int k, double *M)
{
  int column = A->columns[k];
  const double *P = factor->held[row] ? factor->projections + 9 * (size_t)row : NULL;
  const double *Q = factor->held[column] ? factor->projections + 9 * (size_t)column : NULL;
  const double *block = A->values + 9 * (size_t)k;
  memcpy(M, block, 9 * sizeof *M);
  restrict_block(P, Q, M);
  if (row != column || !P) return;
  double size = fabs(block[0]) + fabs(block[4]) + fabs(block[8]);
  if (size == 0) size = 1;
  for (int i = 0; i < 9; i++) M[i] += size * ((i % 4 == 0) - P[i]);
}

static void load_values(pl_factor *factor, const pl_bsr *A)
{
  double *x = factor->matrix->x;
  const int *start = factor->matrix->p;
  for (int row = 0; row < A->rows; row++) {
    double M[9];
    take_block(factor, A, row, A->diagonal[row], M);
    int place[3] = {start[3 * row], start[3 * row + 1], start[3 * row + 2]};
    for (int c = 0; c < 3; c++) {
      for (int r = c; r < 3; r++) x[place[c]++] = 0.5 * (M[3 * c + r] + M[3 * r + c]);
    }
    // block (column, row) of the lower half is the transpose of block (row, column)
    for (int k = A->diagonal[row] + 1; k < A->start[row + 1]; k++) {
      take_block(factor, A, row, k, M);
      for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++) x[place[c]++] = M[3 * r + c];
      }
    }
  }
}

/* Looks at the pivots: their signs tell the matrix' (Sylvester's law of inertia). */
static pl_status check_pivots(const pl_factor *factor, const pl_bsr *A, pl_error *error)
{
  const cholmod_factor *L = factor->L;
  const int *start = L->p, *order = L->Perm;
  const double *values = L->x;
  int negative = 0, worst = -1, flat = -1;
  for (int i = 0; i < 3 * A->rows; i++) {
    int row = order ? order[i] : i;
    double pivot = values[start[i]];
    double size = fabs(A->values[9 * A->diagonal[row / 3] + 4 * (row % 3)]);
    if (!isfinite(pivot))
      return pl_fail_entity(error, PL_E_DIVERGED, row / 3,
                            "row %d of the matrix is not finite; use a smaller time step", row / 3);
    if (fabs(pivot) <= LEAST_PIVOT * size && flat < 0) flat = row / 3;
    if (pivot >= -LEAST_PIVOT * size) continue;
    if (negative++ == 0) worst = row / 3;
  }
  if (negative)
    return pl_fail_entity(error, PL_E_INDEFINITE, worst,
                          "the matrix is indefinite: its factor has %d negative pivots, the first "
                          "in row %d; use a smaller time step, a tangent without negative "
                          "eigenvalues, or solver \"minres\"",
                          negative, worst);
  if (flat >= 0)
    return pl_fail_entity(error, PL_E_SINGULAR, flat,
                          "the matrix is singular: nothing resists a motion of row %d; fix enough "
                          "nodes or give the bodies mass",
                          flat);
  return PL_OK;
}

pl_status pl_factor_compute(pl_factor *factor, const pl_bsr *A, const pl_filter *filter,
                            const char *chosen, pl_error *error)
{
  mark_held(factor, A, filter, chosen);
  load_values(factor, A);
  cholmod_factorize(factor->matrix, factor->L, &factor->common);
  if (factor->common.status < 0) return fail_inside(factor, error);
  if (factor->L->minor < factor->L->n) {
    // a pivot of exactly zero: CHOLMOD stops there
    const int *order = factor->L->Perm;
    int row = (order ? order[factor->L->minor] : (int)factor->L->minor) / 3;
    return pl_fail_entity(error, PL_E_SINGULAR, row,
                          "the matrix is singular: nothing resists a motion of row %d; fix enough "
                          "nodes or give the bodies mass",
                          row);
  }
  return check_pivots(factor, A, error);
}

int pl_factor_solve(pl_factor *factor, const double *b, double *x)
{
  size_t size = factor->L->n * sizeof(double);
  memcpy(factor->b->x, b, size);
  if (!cholmod_solve2(CHOLMOD_A, factor->L, factor->b, NULL, &factor->x, NULL, &factor->y,
                      &factor->e, &factor->common))
    return 0;
  memcpy(x, factor->x->x, size);
  return 1;
}

double pl_factor_fill(const pl_factor *factor) { return factor->common.lnz; }
double pl_factor_flops(const pl_factor *factor) { return factor->common.fl; }

double pl_factor_cost(const pl_factor *factor)
{
  // the factorisation runs at about a third of the speed of a back-substitution
  return factor->common.lnz > 0 ? 3 * factor->common.fl / (4 * factor->common.lnz) : 1;
}

#else

int pl_factor_exists(void) { return 0; }

pl_status pl_factor_create(const pl_allocator *allocator, const pl_bsr *A, pl_ordering ordering,
                           pl_factor **out, pl_error *error)
{
  (void)allocator, (void)A, (void)ordering;
  *out = NULL;
  return pl_fail(error, PL_E_UNSUPPORTED,
                 "this build has no direct solver; install libsuitesparse-dev and configure with "
                 "-DPLIANT_WITH_CHOLMOD=ON, or "
                 "use solver \"cg\"");
}

void pl_factor_destroy(pl_factor *factor) { (void)factor; }

pl_status pl_factor_compute(pl_factor *factor, const pl_bsr *A, const pl_filter *filter,
                            const char *chosen, pl_error *error)
{
  (void)factor, (void)A, (void)filter, (void)chosen;
  return pl_fail(error, PL_E_UNSUPPORTED, "this build has no direct solver");
}

int pl_factor_solve(pl_factor *factor, const double *b, double *x)
{
  (void)factor, (void)b, (void)x;
  return 0;
}

double pl_factor_cost(const pl_factor *factor) { return (void)factor, 0; }
double pl_factor_fill(const pl_factor *factor) { return (void)factor, 0; }
double pl_factor_flops(const pl_factor *factor) { return (void)factor, 0; }

#endif
