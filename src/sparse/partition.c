#include "sparse/partition.h"

#include "core/error.h"
#include "core/memory.h"

#include <string.h>

/* Rows that are exchanged at a time, over all ranks: 6 MB. */
enum { MOST_ROWS = 1 << 18 };

pl_status pl_partition_create(const pl_allocator *allocator, const pl_ranks *ranks, int rows,
                              pl_partition **out, pl_error *error)
{
  pl_partition *self = *out = pl_alloc(allocator, 1, sizeof *self);
  if (!self) return pl_fail_memory(error);
  size_t count = (size_t)ranks->count, all = (size_t)rows;
  self->ranks = ranks;
  self->rows = rows;
  self->first = pl_alloc(allocator, count + 1, sizeof *self->first);
  self->span = pl_alloc(allocator, count + 1, sizeof *self->span);
  self->number = pl_alloc(allocator, all, sizeof *self->number);
  self->row = pl_alloc(allocator, all, sizeof *self->row);
  return self->first && self->span && self->number && self->row ? PL_OK : pl_fail_memory(error);
}

void pl_partition_destroy(const pl_allocator *allocator, pl_partition *self)
{
  if (!self) return;
  void *arrays[] = {self->first, self->span, self->number, self->row, self->room, self};
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

/* The most rows that a rank has. */
static int most_rows(const pl_partition *self)
{
  int most = 1;
  for (int r = 0; r < self->ranks->count; r++) {
    int rows = self->first[r + 1] - self->first[r];
    if (rows > most) most = rows;
  }
  return most;
}

pl_status pl_partition_close(pl_partition *self, const pl_allocator *allocator, pl_error *error)
{
  int count = self->ranks->count;
  for (int r = 0; r < count; r++) self->first[r + 1] += self->first[r];
  memcpy(self->span, self->first, ((size_t)count + 1) * sizeof *self->span);
  for (int row = 0; row < self->rows; row++) {
    self->number[row] = self->span[self->number[row]]++;
    self->row[self->number[row]] = row;
  }
  int most = most_rows(self), piece = count < MOST_ROWS ? MOST_ROWS / count : 1;
  self->piece = most < piece ? most : piece;
  size_t room = (size_t)self->piece * (size_t)count;
  if (room > (size_t)self->rows) room = (size_t)self->rows;
  self->room = pl_alloc(allocator, 3 * room, sizeof *self->room);
  return self->room ? PL_OK : pl_fail_memory(error);
}

/* The rows [from, from + piece) of each rank, counted from its first, or as many as it has. */
static int span_at(const pl_partition *self, int r, int from)
{
  int rows = self->first[r + 1] - self->first[r] - from;
  return rows < 0 ? 0 : rows < self->piece ? rows : self->piece;
}

static void complete_piece(const pl_partition *self, int from, double *x)
{
  int rank = self->ranks->rank, *span = self->span;
  span[0] = 0;
  for (int r = 0; r < self->ranks->count; r++) span[r + 1] = span[r] + 3 * span_at(self, r, from);
  const int *own = self->row + self->first[rank] + from;
  for (int i = 0; i < (span[rank + 1] - span[rank]) / 3; i++)
    memcpy(self->room + span[rank] + 3 * i, x + 3 * (size_t)own[i], 3 * sizeof *x);
  self->ranks->gather(self->ranks, self->room, span);
  for (int r = 0; r < self->ranks->count; r++) {
    const int *row = self->row + self->first[r] + from;
    for (int i = 0; r != rank && i < (span[r + 1] - span[r]) / 3; i++)
      memcpy(x + 3 * (size_t)row[i], self->room + span[r] + 3 * i, 3 * sizeof *x);
  }
}

void pl_partition_complete(const pl_partition *self, double *x)
{
  if (!self) return;
  int most = most_rows(self);
  for (int from = 0; from < most; from += self->piece) complete_piece(self, from, x);
}

void pl_partition_complete_at(const pl_partition *self, const int *rows, int count, double *x)
{
  for (int i = 0; i < count; i++) {
    if (!pl_partition_is_own(self, rows[i])) memset(x + 3 * (size_t)i, 0, 3 * sizeof *x);
  }
  self->ranks->sum(self->ranks, x, 3 * count);
}
