#include "sparse/partition.h"

#include "core/error.h"
#include "core/memory.h"

#include <string.h>

pl_status pl_partition_create(const pl_allocator *allocator, const pl_ranks *ranks, int rows,
                              pl_partition **out, pl_error *error)
{
  pl_partition *self = *out = pl_alloc(allocator, 1, sizeof *self);
  if (!self) return pl_fail_memory(error);
  size_t count = (size_t)ranks->count, all = (size_t)rows;
  self->ranks = ranks;
  self->rows = rows;
  self->first = pl_alloc(allocator, count + 1, sizeof *self->first);
  self->first3 = pl_alloc(allocator, count + 1, sizeof *self->first3);
  self->number = pl_alloc(allocator, all, sizeof *self->number);
  self->row = pl_alloc(allocator, all, sizeof *self->row);
  self->room = pl_alloc(allocator, 3 * all, sizeof *self->room);
  self->product = pl_alloc(allocator, 3 * all, sizeof *self->product);
  if (self->first && self->first3 && self->number && self->row && self->room && self->product)
    return PL_OK;
  return pl_fail_memory(error);
}

void pl_partition_destroy(const pl_allocator *allocator, pl_partition *self)
{
  if (!self) return;
  void *arrays[] = {self->first, self->first3,  self->number, self->row,
                    self->room,  self->product, self};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(allocator, arrays[i]);
}

/* Until the partition is closed, number holds the rank of each row. */
void pl_partition_deal(pl_partition *self, int from, int count, const int *owner)
{
  for (int i = 0; i < count; i++) {
    int rank = owner ? owner[i] : (int)((int64_t)i * self->ranks->count / count);
    self->number[from + i] = rank;
    self->first[rank + 1]++;
  }
}

void pl_partition_close(pl_partition *self)
{
  int count = self->ranks->count;
  for (int r = 0; r < count; r++) self->first[r + 1] += self->first[r];
  // first3 runs through the numbers of each rank, and gets its meaning then
  memcpy(self->first3, self->first, ((size_t)count + 1) * sizeof *self->first3);
  for (int row = 0; row < self->rows; row++) {
    self->number[row] = self->first3[self->number[row]]++;
    self->row[self->number[row]] = row;
  }
  for (int r = 0; r <= count; r++) self->first3[r] = 3 * self->first[r];
}

void pl_partition_complete(const pl_partition *self, double *x)
{
  if (!self) return;
  int rank = self->ranks->rank;
  for (int i = self->first[rank]; i < self->first[rank + 1]; i++)
    memcpy(self->room + 3 * (size_t)i, x + 3 * (size_t)self->row[i], 3 * sizeof *x);
  self->ranks->gather(self->ranks, self->room, self->first3);
  for (int i = 0; i < self->rows; i++)
    memcpy(x + 3 * (size_t)self->row[i], self->room + 3 * (size_t)i, 3 * sizeof *x);
}
