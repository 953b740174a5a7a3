/* Condensing rigid parts; condense.h says what is computed. */
#include "sparse/condense.h"

#include "core/error.h"
#include "core/memory.h"

#include <string.h>

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

void pl_condense_destroy(pl_condense *condense)
{
  if (!condense) return;
  pl_allocator allocator = condense->allocator;
  if (condense->A) pl_free(&allocator, condense->A->points);
  pl_bsr_destroy(condense->A);
  pl_pairs_destroy(condense->pairs);
  void *arrays[] = {condense->b,  condense->x,    condense->place,       (void *)condense->basis,
                    condense->to, condense->held, condense->projections, condense->blocks,
                    condense->C};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(&allocator, arrays[i]);
  pl_free(&allocator, condense);
}

/* Blocks of the condensed system that a node has a share in. */
static int width(const pl_condense *condense, int node) { return condense->basis[node] ? 2 : 1; }

static void number_rows(pl_condense *condense, int nodes)
{
  int single = nodes;
  for (int p = 0; p < condense->rigid_count; p++) {
    const pl_rigid *rigid = &condense->rigids[p];
    single -= rigid->count;
    for (int i = 0; i < rigid->count; i++) {
      condense->basis[rigid->nodes[i]] = rigid->basis + 18 * (size_t)i;
      condense->place[rigid->nodes[i]] = p;
    }
  }
  condense->rows = single + 2 * condense->rigid_count;
  for (int node = 0, next = 0; node < nodes; node++)
    condense->place[node] = condense->basis[node] ? single + 2 * condense->place[node] : next++;
}

/* Every coupling of A as couplings of condensed rows. */
static pl_status make_pattern(pl_condense *condense, const pl_bsr *A, pl_error *error)
{
  size_t most = 4 * (size_t)A->start[A->rows] + (size_t)condense->rigid_count;
  int *pairs = pl_alloc(&condense->allocator, 2 * most, sizeof *pairs), count = 0;
  if (!pairs) return pl_fail_memory(error);
  for (int p = 0; p < condense->rigid_count; p++) {
    pairs[2 * count] = condense->rows - 2 * condense->rigid_count + 2 * p;
    pairs[2 * count + 1] = pairs[2 * count] + 1;
    count++;
  }
  for (int row = 0; row < A->rows; row++) {
    for (int k = A->diagonal[row] + 1; k < A->start[row + 1]; k++) {
      int other = A->columns[k], same = condense->place[row] == condense->place[other];
      for (int i = 0; i < width(condense, row) && !same; i++) {
        for (int j = 0; j < width(condense, other); j++) {
          pairs[2 * count] = condense->place[row] + i;
          pairs[2 * count++ + 1] = condense->place[other] + j;
        }
      }
    }
  }
  pl_cliques cliques = {.count = count, .size = 2, .nodes = pairs};
  pl_status status =
      pl_bsr_create(&condense->allocator, condense->rows, &cliques, 1, &condense->A, error);
  pl_free(&condense->allocator, pairs);
  if (status) return status;
  for (int row = 0; row < A->rows; row++) {
    for (int k = A->start[row]; k < A->start[row + 1]; k++) {
      for (int i = 0; i < width(condense, row); i++)
        condense->to[2 * k + i] =
            pl_bsr_find(condense->A, condense->place[row] + i, condense->place[A->columns[k]]);
    }
  }
  return PL_OK;
}

pl_status pl_condense_create(const pl_allocator *allocator, const pl_bsr *A, const pl_rigid *rigids,
                             int rigid_count, pl_condense **out, pl_error *error)
{
  *out = NULL;
  pl_condense *self = pl_alloc(allocator, 1, sizeof *self);
  if (!self) return pl_fail_memory(error);
  *self = (pl_condense){.allocator = *allocator, .rigids = rigids, .rigid_count = rigid_count};
  size_t nodes = (size_t)A->rows, room = nodes + 2 * (size_t)rigid_count;
  self->place = pl_alloc(allocator, nodes, sizeof *self->place);
  self->basis = pl_alloc(allocator, nodes, sizeof *self->basis);
  self->to = pl_alloc(allocator, 2 * (size_t)A->start[A->rows], sizeof *self->to);
  self->b = pl_alloc(allocator, 3 * room, sizeof *self->b);
  self->x = pl_alloc(allocator, 3 * room, sizeof *self->x);
  self->held = pl_alloc(allocator, room, sizeof *self->held);
  self->projections = pl_alloc(allocator, 9 * room, sizeof *self->projections);
  pl_status status = PL_OK;
  if (!self->place || !self->basis || !self->to || !self->b || !self->x || !self->held ||
      !self->projections)
    status = pl_fail_memory(error);
  if (!status) {
    number_rows(self, A->rows);
    status = make_pattern(self, A, error);
  }
  if (!status) status = pl_pairs_create(allocator, self->rows, &self->pairs, error);
  if (!status && A->points) {
    self->A->points = pl_alloc(allocator, 3 * (size_t)self->rows, sizeof(double));
    if (!self->A->points) status = pl_fail_memory(error);
  }
  if (status)
    pl_condense_destroy(self);
  else
    *out = self;
  return status;
}

/* The columns of a node's block i of T: entry (r, c) at [3 r + c]. */
static void columns_of(const double *basis, int i, double T[9])
{
  if (!basis) {
    memcpy(T, identity, sizeof identity);
    return;
  }
  for (int r = 0; r < 3; r++) memcpy(T + 3 * r, basis + 6 * r + 3 * i, 3 * sizeof *T);
}

/* out += L^T B R, blocks column by column, L and R row by row. */
static void add_product(const double *L, const double *B, const double *R, double *out)
{
  for (int c = 0; c < 3; c++) {
    double BR[3];
    for (int r = 0; r < 3; r++) BR[r] = B[r] * R[c] + B[3 + r] * R[3 + c] + B[6 + r] * R[6 + c];
    for (int r = 0; r < 3; r++)
      out[3 * c + r] += L[r] * BR[0] + L[3 + r] * BR[1] + L[6 + r] * BR[2];
  }
}

static void add_block(pl_condense *condense, int row, int k, int column, const double *B)
{
  const double *left = condense->basis[row], *right = condense->basis[column];
  if (!left && !right) {
    double *out = condense->A->values + 9 * (size_t)condense->to[2 * k];
    for (int i = 0; i < 9; i++) out[i] += B[i];
    return;
  }
  for (int i = 0; i < width(condense, row); i++) {
    double L[9], R[9];
    columns_of(left, i, L);
    for (int j = 0; j < width(condense, column); j++) {
      columns_of(right, j, R);
      // a part's two columns stand side by side
      add_product(L, B, R, condense->A->values + 9 * (size_t)(condense->to[2 * k + i] + j));
    }
  }
}

/* What a part uses of its six numbers. */
static void hold_unused(pl_condense *condense, int part, double P[18])
{
  const pl_rigid *rigid = &condense->rigids[part];
  memset(P, 0, 18 * sizeof *P);
  for (int i = 0; i < 3 * rigid->count; i++) {
    for (int c = 0; c < 6; c++) {
      if (rigid->basis[6 * (size_t)i + (size_t)c] != 0) P[9 * (c / 3) + 4 * (c % 3)] = 1;
    }
  }
}

static void condense_filter(pl_condense *condense, const pl_filter *filter)
{
  int count = 0, first = condense->rows - 2 * condense->rigid_count;
  for (int i = 0; i < filter->count; i++) {
    if (condense->basis[filter->nodes[i]]) continue;
    memcpy(condense->projections + 9 * (size_t)count, filter->projections + 9 * (size_t)i,
           9 * sizeof(double));
    condense->held[count++] = condense->place[filter->nodes[i]];
  }
  for (int p = 0; p < condense->rigid_count; p++) {
    hold_unused(condense, p, condense->projections + 9 * (size_t)count);
    condense->held[count++] = first + 2 * p;
    condense->held[count++] = first + 2 * p + 1;
  }
  condense->filter = (pl_filter){.count = count,
                                 .nodes = condense->held,
                                 .projections = condense->projections,
                                 .version = filter->version};
}

/* Room for all stencils, and for the blocks of the largest; twice as much as is asked for. */
static pl_status make_room(pl_condense *condense, const pl_pairs *pairs, pl_error *error)
{
  size_t most = 0;
  for (int s = 0; s < pairs->count; s++) {
    size_t size = 2 * (size_t)(pairs->first[s + 1] - pairs->first[s]);
    if (size > most) most = size;
  }
  if (most > condense->stencil_room) {
    pl_free(&condense->allocator, condense->blocks);
    pl_free(&condense->allocator, condense->C);
    condense->stencil_room = 0;
    condense->blocks = pl_alloc(&condense->allocator, 2 * most, sizeof *condense->blocks);
    condense->C = pl_alloc(&condense->allocator, 2 * 9 * most, sizeof *condense->C);
    if (!condense->blocks || !condense->C) return pl_fail_memory(error);
    condense->stencil_room = 2 * most;
  }
  return pl_pairs_reserve(condense->pairs, pairs->room, 2 * pairs->entry_room, error);
}

/* C' = C T of an entry, for block i of those that its node has a share in; row by row. */
static void turn_coefficient(const pl_condense *condense, const pl_pairs *pairs, int stencil,
                             int entry, int i, double *out)
{
  double T[9];
  const double *C = pairs->C + 9 * (size_t)entry;
  columns_of(condense->basis[pairs->block[entry]], i, T);
  for (int k = 0; k < 9; k++) {
    int r = k / 3, c = k % 3;
    out[k] = pairs->is_scalar[stencil]
                 ? pairs->weight[entry] * T[k]
                 : C[3 * r] * T[c] + C[3 * r + 1] * T[3 + c] + C[3 * r + 2] * T[6 + c];
  }
}

static pl_status condense_pairs(pl_condense *condense, const pl_pairs *pairs, pl_error *error)
{
  pl_pairs_clear(condense->pairs);
  if (!pl_pairs_exist(pairs)) return PL_OK;
  pl_status status = make_room(condense, pairs, error);
  if (status) return status;
  for (int s = 0; s < pairs->count; s++) {
    int count = 0;
    for (int e = pairs->first[s]; e < pairs->first[s + 1]; e++) {
      for (int i = 0; i < width(condense, pairs->block[e]); i++) {
        turn_coefficient(condense, pairs, s, e, i, condense->C + 9 * (size_t)count);
        condense->blocks[count++] = condense->place[pairs->block[e]] + i;
      }
    }
    // what moves with one rigid part only has nothing to resist; its coefficients say so
    pl_stencil stencil = {.count = count,
                          .blocks = condense->blocks,
                          .C = condense->C,
                          .D = pairs->D + 9 * (size_t)s};
    (void)pl_pairs_add(condense->pairs, &stencil);
  }
  return PL_OK;
}

pl_status pl_condense_matrix(pl_condense *condense, const pl_bsr *A, const pl_pairs *pairs,
                             const pl_filter *filter, pl_error *error)
{
  pl_bsr *small = condense->A;
  memset(small->values, 0, 9 * (size_t)small->start[small->rows] * sizeof *small->values);
  for (int row = 0; row < A->rows; row++) {
    for (int k = A->start[row]; k < A->start[row + 1]; k++)
      add_block(condense, row, k, A->columns[k], A->values + 9 * (size_t)k);
    for (int i = 0; small->points && i < width(condense, row); i++)
      memcpy(small->points + 3 * (size_t)(condense->place[row] + i), A->points + 3 * (size_t)row,
             3 * sizeof(double));
  }
  condense_filter(condense, filter);
  return condense_pairs(condense, pairs, error);
}

void pl_condense_down(const pl_condense *condense, const double *x, double *u)
{
  memset(u, 0, 3 * (size_t)condense->rows * sizeof *u);
  int nodes = condense->rows - 2 * condense->rigid_count;
  for (int p = 0; p < condense->rigid_count; p++) nodes += condense->rigids[p].count;
  for (int node = 0; node < nodes; node++) {
    const double *at = x + 3 * (size_t)node, *T = condense->basis[node];
    double *to = u + 3 * (size_t)condense->place[node];
    for (int c = 0; c < (T ? 6 : 3); c++)
      to[c] += T ? T[c] * at[0] + T[6 + c] * at[1] + T[12 + c] * at[2] : at[c];
  }
}

void pl_condense_up(const pl_condense *condense, const double *u, double *x)
{
  int nodes = condense->rows - 2 * condense->rigid_count;
  for (int p = 0; p < condense->rigid_count; p++) nodes += condense->rigids[p].count;
  for (int node = 0; node < nodes; node++) {
    const double *from = u + 3 * (size_t)condense->place[node], *T = condense->basis[node];
    double *at = x + 3 * (size_t)node;
    for (int r = 0; r < 3; r++) {
      at[r] = T ? 0 : from[r];
      for (int c = 0; T && c < 6; c++) at[r] += T[6 * r + c] * from[c];
    }
  }
}
