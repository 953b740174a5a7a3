/* T^T K T and T^T M T, block by block.
 *
 * The inner model fills its own matrix K over all nodes. Block (i, j) of it adds J_a^T B J_b to the
 * blocks of every pair of carriers, a of node i and b of node j, where J is w 1 for a point and
 * J e = e x r for a rotation: so J^T takes a column of B to r x column, and a row likewise. Rows of
 * free nodes are written in parallel, each by one thread; what the others add comes after them, one
 * by one: so the bits do not depend on the number of threads. */
#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "model/dependent.h"

#include <string.h>

enum { ROWS_PER_CHUNK = 256 };

/* ---- places ---- */

static int carrier_count(const pl_dependent *at, int node)
{
  return at->carried.start[node + 1] - at->carried.start[node];
}

static void count_places(const pl_dependent *at, size_t *rows)
{
  const pl_bsr *K = at->K;
  for (int i = 0; i < at->nodes; i++) {
    size_t sum = 0;
    for (int k = K->start[i]; k < K->start[i + 1]; k++)
      sum += (size_t)carrier_count(at, K->columns[k]);
    rows[i + 1] = rows[i] + sum * (size_t)carrier_count(at, i);
  }
}

static pl_status find_places(const pl_dependent *at, const pl_bsr *A, pl_error *error)
{
  const pl_carried *by = &at->carried;
  int *to = at->places;
  for (int i = 0; i < at->nodes; i++) {
    for (int k = at->K->start[i]; k < at->K->start[i + 1]; k++) {
      int j = at->K->columns[k];
      for (int a = by->start[i]; a < by->start[i + 1]; a++) {
        for (int b = by->start[j]; b < by->start[j + 1]; b++, to++) {
          pl_status status = pl_bsr_place(A, at->offset, by->blocks[a], by->blocks[b], to, error);
          if (status) return status;
        }
      }
    }
  }
  return PL_OK;
}

/* K, and the mass as one number per block of it. */
static pl_status make_inner(pl_model *self, pl_dependent *at, pl_error *error)
{
  if (at->K) return PL_OK;
  pl_cliques cliques = at->inner->ops->cliques(at->inner);
  pl_status status = pl_bsr_create(&self->allocator, at->nodes, &cliques, 1, &at->K, error);
  if (!status) status = pl_model_bind(at->inner, at->K, 0, error);
  if (status) return status;
  int blocks = at->K->start[at->nodes];
  at->mass = pl_alloc(&self->allocator, (size_t)blocks, sizeof(double));
  at->row_places = pl_alloc(&self->allocator, (size_t)at->nodes + 1, sizeof(size_t));
  if (!at->mass || !at->row_places) return pl_fail_memory(error);
  at->inner->ops->mass_matrix(at->inner, 1, at->K, NULL);
  for (int k = 0; k < blocks; k++) at->mass[k] = at->K->values[9 * (size_t)k];
  at->lumped_only = 1;
  for (int i = 0; i < at->nodes; i++) {
    for (int k = at->K->start[i]; k < at->K->start[i + 1]; k++)
      at->lumped_only &= at->K->columns[k] == i || at->mass[k] == 0;
  }
  count_places(at, at->row_places);
  at->places = pl_alloc(&self->allocator, at->row_places[at->nodes], sizeof(int));
  return at->places ? PL_OK : pl_fail_memory(error);
}

pl_status pl_dependent_bind(pl_model *self, const pl_bsr *A, int offset, pl_error *error)
{
  pl_dependent *at = self->state;
  at->offset = offset;
  pl_status status = make_inner(self, at, error);
  return status ? status : find_places(at, A, error);
}

/* ---- sums ---- */

/* out = J^T in of one entry. */
static void pull_back(const pl_dependent *at, int entry, const double in[3], double out[3])
{
  if (pl_dependent_turns(at, entry))
    pl_vec3_cross(at->arms + 3 * (size_t)entry, in, out);
  else
    pl_vec3_scale(at->carried.weights[entry], in, out);
}

/* to += J_a^T B J_b; blocks are stored by columns. */
static void add_pair(const pl_dependent *at, int a, int b, const double B[9], double *to)
{
  double half[9];
  for (int c = 0; c < 3; c++) pull_back(at, a, B + 3 * c, half + 3 * c);
  for (int r = 0; r < 3; r++) {
    const double row[3] = {half[r], half[3 + r], half[6 + r]};
    double out[3];
    pull_back(at, b, row, out);
    for (int c = 0; c < 3; c++) to[3 * c + r] += out[c];
  }
}

/* A += J_i^T B J_j over the carriers of both nodes; returns the places after theirs. */
static const int *add_block(const pl_dependent *at, int i, int j, const double B[9],
                            const int *places, pl_bsr *A)
{
  const pl_carried *by = &at->carried;
  for (int a = by->start[i]; a < by->start[i + 1]; a++) {
    for (int b = by->start[j]; b < by->start[j + 1]; b++)
      add_pair(at, a, b, B, A->values + 9 * (size_t)*places++);
  }
  return places;
}

/* Blocks between nodes of one rigid part are: its elements exert no force. */
static int is_zero(const double B[9])
{
  for (int e = 0; e < 9; e++) {
    if (B[e] != 0) return 0;
  }
  return 1;
}

static void add_row(const pl_dependent *at, int i, pl_bsr *A)
{
  const pl_bsr *K = at->K;
  const int *places = at->places + at->row_places[i];
  int is_free = at->node_block[i] >= 0;
  for (int k = K->start[i]; k < K->start[i + 1]; k++) {
    const double *B = K->values + 9 * (size_t)k;
    int j = K->columns[k];
    if (!is_free && is_zero(B)) {
      places += carrier_count(at, i) * carrier_count(at, j);
      continue;
    }
    if (!is_free || at->node_block[j] < 0) {
      places = add_block(at, i, j, B, places, A);
      continue;
    }
    double *to = A->values + 9 * (size_t)*places++;
    for (int e = 0; e < 9; e++) to[e] += B[e];
  }
}

typedef struct rows_job {
  const pl_dependent *at;
  pl_bsr *A;
} rows_job;

static void add_rows(void *context, int chunk)
{
  const rows_job *job = context;
  int first = chunk * ROWS_PER_CHUNK, last = first + ROWS_PER_CHUNK;
  for (int i = first; i < last && i < job->at->nodes; i++) {
    if (job->at->node_block[i] >= 0) add_row(job->at, i, job->A);
  }
}

void pl_dependent_add_stiffness(const pl_dependent *at, pl_bsr *A, pl_pool *pool)
{
  rows_job job = {at, A};
  pl_parallel(pool, (at->nodes + ROWS_PER_CHUNK - 1) / ROWS_PER_CHUNK, add_rows, &job);
  for (int i = 0; i < at->others.count; i++) add_row(at, at->others.list[i], A);
}

static void add_mass_row(const pl_dependent *at, int i, double a, pl_bsr *A)
{
  const pl_bsr *K = at->K;
  const int *places = at->places + at->row_places[i];
  for (int k = K->start[i]; k < K->start[i + 1]; k++) {
    double m = a * at->mass[k];
    int j = K->columns[k], pairs = carrier_count(at, i) * carrier_count(at, j);
    const double B[9] = {m, 0, 0, 0, m, 0, 0, 0, m};
    if (at->mass[k] != 0)
      places = add_block(at, i, j, B, places, A);
    else
      places += pairs;
  }
}

void pl_dependent_add_mass(const pl_dependent *at, double a, pl_bsr *A)
{
  for (int i = 0; i < at->nodes; i++) {
    int block = at->node_block[i];
    if (block < 0 || !at->lumped_only) {
      add_mass_row(at, i, a, A);
      continue;
    }
    double *to = A->values + 9 * (size_t)A->diagonal[at->offset + block];
    for (int e = 0; e < 9; e += 4) to[e] += a * at->mass[at->K->diagonal[i]];
  }
}
