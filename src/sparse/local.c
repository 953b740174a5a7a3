#include "sparse/local.h"

#include "core/error.h"
#include "core/memory.h"
#include "sparse/partition.h"

#include <string.h>

static int is_own(const pl_bsr *A, int row)
{
  return !A->partition || pl_partition_is_own(A->partition, row);
}

/* place: 2 for the rank's rows, 1 for copies, 0 for others. */
static void mark_rows(pl_local_rows *self, const pl_bsr *A)
{
  for (int row = 0; row < A->rows; row++) {
    if (!is_own(A, row)) continue;
    self->place[row] = 2;
    for (int k = A->start[row]; k < A->start[row + 1]; k++) {
      int *at = &self->place[A->columns[k]];
      if (!*at) *at = 1;
    }
  }
  for (int row = 0; row < A->rows; row++) {
    self->own += self->place[row] == 2;
    self->copies += self->place[row] == 1;
  }
}

static pl_status number_rows(pl_local_rows *self, const pl_bsr *A, pl_error *error)
{
  const pl_allocator *memory = &self->allocator;
  self->place = pl_alloc(memory, (size_t)A->rows, sizeof *self->place);
  if (!self->place) return pl_fail_memory(error);
  mark_rows(self, A);
  size_t here = (size_t)self->own + (size_t)self->copies;
  self->own_at = pl_alloc(memory, (size_t)self->own, sizeof *self->own_at);
  self->copy_at = pl_alloc(memory, (size_t)self->copies, sizeof *self->copy_at);
  self->row = pl_alloc(memory, here, sizeof *self->row);
  self->at = pl_alloc(memory, here, sizeof *self->at);
  self->nodes = pl_alloc(memory, here, sizeof *self->nodes);
  self->points = pl_alloc(memory, 3 * here, sizeof *self->points);
  if (!self->own_at || !self->copy_at || !self->row || !self->at || !self->nodes || !self->points)
    return pl_fail_memory(error);
  int count = 0, own = 0, copies = 0;
  for (int row = 0; row < A->rows; row++) {
    int kind = self->place[row];
    self->place[row] = kind ? count : -1;
    if (!kind) continue;
    if (kind == 2)
      self->own_at[own++] = count;
    else
      self->copy_at[copies++] = count;
    self->row[count++] = row;
  }
  return PL_OK;
}

pl_status pl_local_create(const pl_allocator *allocator, const pl_bsr *A, pl_local_rows **out,
                          pl_error *error)
{
  pl_local_rows *self = *out = pl_alloc(allocator, 1, sizeof *self);
  if (!self) return pl_fail_memory(error);
  self->allocator = *allocator;
  pl_status status = number_rows(self, A, error);
  return status ? status
                : pl_bsr_take(allocator, A, self->row, self->own + self->copies, self->place,
                              &self->A, error);
}

void pl_local_destroy(pl_local_rows *self)
{
  if (!self) return;
  pl_allocator memory = self->allocator;
  if (self->A) pl_bsr_destroy(self->A);
  void *arrays[] = {self->own_at, self->copy_at,     self->row,    self->place, (void *)self->at,
                    self->nodes,  self->projections, self->points, self};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(&memory, arrays[i]);
}

static void load_values(pl_local_rows *self, const pl_bsr *A)
{
  double *to = self->A->values;
  if (self->A->is_view) return;
  for (int i = 0; i < self->own + self->copies; i++) {
    for (int k = A->start[self->row[i]]; k < A->start[self->row[i] + 1]; k++) {
      if (self->place[A->columns[k]] < 0) continue;
      memcpy(to, A->values + 9 * (size_t)k, 9 * sizeof *to);
      to += 9;
    }
  }
}

/* Copies get a projection of zeros. */
static void load_filter(pl_local_rows *self, const pl_filter *filter)
{
  int entry = 0, count = 0, copy = 0;
  for (int i = 0; i < self->own + self->copies; i++) {
    while (filter && entry < filter->count && filter->nodes[entry] < self->row[i]) entry++;
    int is_there = filter && entry < filter->count && filter->nodes[entry] == self->row[i];
    int is_copy = copy < self->copies && self->copy_at[copy] == i;
    copy += is_copy;
    self->at[i] = is_there ? filter->projections + 9 * (size_t)entry : NULL;
    if (!is_there && !is_copy) continue;
    double *P = self->projections + 9 * (size_t)count;
    for (int k = 0; k < 9; k++) P[k] = is_copy ? 0 : self->at[i][k];
    self->nodes[count++] = i;
  }
  self->filter = (pl_filter){.count = count,
                             .nodes = self->nodes,
                             .projections = self->projections,
                             .version = filter ? filter->version : 0};
}

/* Room for as many projections as there may be. */
static pl_status reserve(pl_local_rows *self, const pl_filter *filter, pl_error *error)
{
  size_t count = (size_t)self->copies + (filter ? (size_t)filter->count : 0);
  void *memory = self->projections;
  pl_status status = pl_reserve(&self->allocator, &memory, &self->room, 9 * count, sizeof(double));
  self->projections = memory;
  return status ? pl_fail_memory(error) : PL_OK;
}

pl_status pl_local_load(pl_local_rows *self, const pl_bsr *A, const pl_filter *filter,
                        pl_error *error)
{
  pl_status status = reserve(self, filter, error);
  if (status) return status;
  load_values(self, A);
  load_filter(self, filter);
  self->A->points = A->points ? self->points : NULL;
  for (int i = 0; A->points && i < self->own + self->copies; i++)
    memcpy(self->points + 3 * (size_t)i, A->points + 3 * (size_t)self->row[i], 3 * sizeof(double));
  return PL_OK;
}
