/* Columns of constraints, kept as long as the factor, and their small dense system. */
#include "sparse/schur.h"

#include "core/error.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

/* Unit vectors that differ by less are the same direction. */
#define SAME 1e-12

void pl_schur_create(const pl_allocator *allocator, int rows, pl_schur *schur)
{
  *schur = (pl_schur){.allocator = *allocator, .rows = rows};
}

void pl_schur_destroy(pl_schur *schur)
{
  for (size_t i = 0; i < schur->made; i++) pl_free(&schur->allocator, schur->columns[i].u);
  void *arrays[] = {schur->columns, schur->list, schur->S, schur->lambda};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(&schur->allocator, arrays[i]);
}

void pl_schur_forget(pl_schur *schur)
{
  schur->count = 0;
  schur->active = 0;
}

/* An orthonormal basis of what P takes away: columns of I - P, largest first, each freed of the
 * ones before. Returns how many there are. */
static int directions_of(const double *P, double basis[3][3])
{
  double Q[9];
  int count = 0;
  for (int i = 0; i < 9; i++) Q[i] = (i % 4 == 0) - P[i];
  for (; count < 3; count++) {
    int largest = Q[4] > Q[0] ? 1 : 0;
    if (Q[8] > Q[4 * largest]) largest = 2;
    if (Q[4 * largest] < 1e-6) break;
    // Q is a projection, so that its column k has the length sqrt(Q_kk)
    double *n = basis[count], length = sqrt(Q[4 * largest]);
    for (int i = 0; i < 3; i++) n[i] = Q[3 * largest + i] / length;
    for (int i = 0; i < 9; i++) Q[i] -= n[i % 3] * n[i / 3];
  }
  return count;
}

int pl_schur_size(const pl_filter *filter, const char *chosen)
{
  double basis[3][3];
  int size = 0;
  for (int i = 0; filter && i < filter->count; i++) {
    if (!chosen || !chosen[i]) size += directions_of(filter->projections + 9 * (size_t)i, basis);
  }
  return size;
}

static int find_column(const pl_schur *schur, int node, const double *n)
{
  for (size_t i = 0; i < schur->count; i++) {
    const pl_schur_column *column = &schur->columns[i];
    if (column->node != node) continue;
    double away = 0;
    for (int k = 0; k < 3; k++) away = fmax(away, fabs(column->direction[k] - n[k]));
    if (away < SAME) return (int)i;
  }
  return -1;
}

static pl_status add_column(pl_schur *schur, pl_factor *factor, int node, const double *n,
                            pl_pool *pool, pl_error *error)
{
  if (pl_reserve(&schur->allocator, (void **)&schur->columns, &schur->room, schur->count + 1,
                 sizeof *schur->columns))
    return pl_fail_memory(error);
  size_t size = 3 * (size_t)schur->rows;
  pl_schur_column *column = &schur->columns[schur->count];
  if (schur->count == schur->made) {
    *column = (pl_schur_column){.u = pl_alloc(&schur->allocator, size, sizeof(double))};
    if (!column->u) return pl_fail_memory(error);
    schur->made++;
  }
  column->node = node;
  memcpy(column->direction, n, sizeof column->direction);
  memset(column->u, 0, size * sizeof(double));
  memcpy(column->u + 3 * (size_t)node, n, 3 * sizeof(double));
  pl_factor_solve(factor, column->u, column->u, pool);
  schur->backsubstitutions++;
  schur->count++;
  return PL_OK;
}

static double along(const pl_schur_column *at, const double *x)
{
  const double *n = at->direction, *place = x + 3 * (size_t)at->node;
  return n[0] * place[0] + n[1] * place[1] + n[2] * place[2];
}

/* S = N^T U = G G^T; G takes its place. */
static pl_status factorise(pl_schur *schur, pl_error *error)
{
  size_t m = (size_t)schur->active;
  double *S = schur->S;
  for (size_t i = 0; i < m; i++) {
    const pl_schur_column *row = &schur->columns[schur->list[i]];
    for (size_t j = 0; j <= i; j++) {
      double sum = along(row, schur->columns[schur->list[j]].u);
      for (size_t k = 0; k < j; k++) sum -= S[i * m + k] * S[j * m + k];
      if (j < i)
        S[i * m + j] = sum / S[j * m + j];
      else if (sum > 0)
        S[i * m + i] = sqrt(sum);
      else
        return pl_fail_entity(error, PL_E_SINGULAR, row->node,
                              "the constraints on node %d contradict each other", row->node);
    }
  }
  return PL_OK;
}

pl_status pl_schur_set(pl_schur *schur, pl_factor *factor, const pl_filter *filter,
                       const char *chosen, pl_pool *pool, pl_error *error)
{
  schur->active = 0;
  for (int i = 0; filter && i < filter->count; i++) {
    double basis[3][3];
    if (!chosen || chosen[i]) continue;
    int count = directions_of(filter->projections + 9 * (size_t)i, basis);
    if (pl_reserve(&schur->allocator, (void **)&schur->list, &schur->list_room,
                   (size_t)schur->active + (size_t)count, sizeof *schur->list))
      return pl_fail_memory(error);
    for (int d = 0; d < count; d++) {
      int known = find_column(schur, filter->nodes[i], basis[d]);
      if (known < 0) {
        pl_status status = add_column(schur, factor, filter->nodes[i], basis[d], pool, error);
        if (status) return status;
        known = (int)schur->count - 1;
      }
      schur->list[schur->active++] = known;
    }
  }
  size_t m = (size_t)schur->active;
  if (m > schur->dense_room) {
    pl_free(&schur->allocator, schur->S);
    pl_free(&schur->allocator, schur->lambda);
    schur->dense_room = 0;
    schur->S = pl_alloc(&schur->allocator, 4 * m * m, sizeof(double));
    schur->lambda = pl_alloc(&schur->allocator, 2 * m, sizeof(double));
    if (!schur->S || !schur->lambda) return pl_fail_memory(error);
    schur->dense_room = 2 * m;
  }
  return factorise(schur, error);
}

void pl_schur_apply(const pl_schur *schur, double *x)
{
  size_t m = (size_t)schur->active, n = 3 * (size_t)schur->rows;
  const double *G = schur->S;
  double *lambda = schur->lambda;
  for (size_t i = 0; i < m; i++) {
    lambda[i] = along(&schur->columns[schur->list[i]], x);
    for (size_t k = 0; k < i; k++) lambda[i] -= G[i * m + k] * lambda[k];
    lambda[i] /= G[i * m + i];
  }
  for (size_t i = m; i-- > 0;) {
    for (size_t k = i + 1; k < m; k++) lambda[i] -= G[k * m + i] * lambda[k];
    lambda[i] /= G[i * m + i];
  }
  for (size_t i = 0; i < m; i++) {
    const double *u = schur->columns[schur->list[i]].u;
    for (size_t k = 0; k < n; k++) x[k] -= lambda[i] * u[k];
  }
}
