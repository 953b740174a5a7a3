#include "sparse/local.h"

#include "core/error.h"
#include "core/memory.h"

#include <string.h>

static pl_status make_room(pl_local_rows *self, pl_error *error)
{
  size_t here = (size_t)self->A->rows;
  self->at = pl_alloc(&self->allocator, here, sizeof *self->at);
  self->nodes = pl_alloc(&self->allocator, here, sizeof *self->nodes);
  self->points = pl_alloc(&self->allocator, 3 * here, sizeof *self->points);
  return self->at && self->nodes && self->points ? PL_OK : pl_fail_memory(error);
}

pl_status pl_local_create(const pl_allocator *allocator, const pl_bsr *A, pl_local_rows **out,
                          pl_error *error)
{
  pl_local_rows *self = *out = pl_alloc(allocator, 1, sizeof *self);
  if (!self) return pl_fail_memory(error);
  self->allocator = *allocator;
  pl_status status = pl_layout_create(allocator, A, &self->layout, error);
  if (status) return status;
  const pl_block_layout *layout = self->layout;
  status = pl_bsr_take(allocator, A, layout->row, layout->own + layout->copies, layout->place,
                       &self->A, error);
  return status ? status : make_room(self, error);
}

void pl_local_destroy(pl_local_rows *self)
{
  if (!self) return;
  pl_allocator memory = self->allocator;
  if (self->A) pl_bsr_destroy(self->A);
  pl_layout_destroy(self->layout);
  void *arrays[] = {(void *)self->at, self->nodes, self->projections, self->points, self};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(&memory, arrays[i]);
}

static void load_values(pl_local_rows *self, const pl_bsr *A)
{
  const pl_block_layout *layout = self->layout;
  double *to = self->A->values;
  if (self->A->is_view) return;
  for (int i = 0; i < self->A->rows; i++) {
    for (int k = A->start[layout->row[i]]; k < A->start[layout->row[i] + 1]; k++) {
      if (layout->place[A->columns[k]] < 0) continue;
      memcpy(to, A->values + 9 * (size_t)k, 9 * sizeof *to);
      to += 9;
    }
  }
}

/* Copies get a projection of zeros. */
static void load_filter(pl_local_rows *self, const pl_filter *filter)
{
  const pl_block_layout *layout = self->layout;
  int entry = 0, count = 0, copy = 0;
  for (int i = 0; i < self->A->rows; i++) {
    while (filter && entry < filter->count && filter->nodes[entry] < layout->row[i]) entry++;
    int is_there = filter && entry < filter->count && filter->nodes[entry] == layout->row[i];
    int is_copy = copy < layout->copies && layout->copy_at[copy] == i;
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
  size_t count = (size_t)self->layout->copies + (filter ? (size_t)filter->count : 0);
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
  for (int i = 0; A->points && i < self->A->rows; i++)
    memcpy(self->points + 3 * (size_t)i, A->points + 3 * (size_t)self->layout->row[i],
           3 * sizeof(double));
  return PL_OK;
}
