#include "sparse/layout.h"

#include "core/error.h"
#include "core/memory.h"

#include <string.h>

static int is_own(const pl_bsr *A, int row)
{
  return !A->partition || pl_partition_is_own(A->partition, row);
}

/* ---- which blocks ---- */

/* place: 2 for the rank's rows, 1 for copies, 0 for others. */
static void mark_rows(pl_block_layout *self, const pl_bsr *A)
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

/* Marks become places. */
static void number_rows(pl_block_layout *self, int rows)
{
  int count = 0, own = 0, copies = 0;
  for (int row = 0; row < rows; row++) {
    int kind = self->place[row];
    self->place[row] = kind ? count : -1;
    if (!kind) continue;
    if (kind == 2)
      self->own_at[own++] = count;
    else
      self->copy_at[copies++] = count;
    self->row[count++] = row;
  }
}

pl_status pl_layout_create(const pl_allocator *allocator, const pl_bsr *A, pl_block_layout **out,
                           pl_error *error)
{
  pl_block_layout *self = *out = pl_alloc(allocator, 1, sizeof *self);
  if (!self) return pl_fail_memory(error);
  self->allocator = *allocator;
  self->partition = A->partition;
  self->place = pl_alloc(allocator, (size_t)A->rows, sizeof *self->place);
  if (!self->place) return pl_fail_memory(error);
  mark_rows(self, A);
  size_t here = (size_t)self->own + (size_t)self->copies;
  self->own_at = pl_alloc(allocator, (size_t)self->own, sizeof *self->own_at);
  self->copy_at = pl_alloc(allocator, (size_t)self->copies, sizeof *self->copy_at);
  self->row = pl_alloc(allocator, here, sizeof *self->row);
  if (!self->own_at || !self->copy_at || !self->row) return pl_fail_memory(error);
  number_rows(self, A->rows);
  return PL_OK;
}

void pl_layout_destroy(pl_block_layout *self)
{
  if (!self) return;
  pl_allocator memory = self->allocator;
  void *arrays[] = {self->own_at,    self->copy_at,      self->row,     self->place,
                    self->with.rank, self->with.send,    self->give_at, self->take_at,
                    self->out,       self->with.receive, self->in,      self};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(&memory, arrays[i]);
}

/* ---- who has copies of what ---- */

static int owner_of(const pl_partition *partition, int row)
{
  int low = 0, high = partition->ranks->count - 1, number = partition->number[row];
  while (low < high) {
    int middle = (low + high + 1) / 2;
    if (partition->first[middle] <= number)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/* wanted[r * count + s]: how many blocks of rank s rank r has copies of. */
static void count_wanted(const pl_block_layout *self, double *wanted, int *first)
{
  const pl_ranks *ranks = self->partition->ranks;
  double *own = wanted + (size_t)ranks->rank * (size_t)ranks->count;
  for (int i = 0; i < self->copies; i++)
    own[owner_of(self->partition, self->row[self->copy_at[i]])]++;
  for (int r = 0; r <= ranks->count; r++) first[r] = r * ranks->count;
  ranks->gather(ranks, wanted, first);
}

/* The neighbours and how much goes to and from each. */
static void list_neighbours(pl_block_layout *self, const double *wanted)
{
  const pl_ranks *ranks = self->partition->ranks;
  pl_neighbours *with = &self->with;
  for (int r = 0; r < ranks->count; r++) {
    int given = (int)wanted[r * ranks->count + ranks->rank],
        taken = (int)wanted[ranks->rank * ranks->count + r], i = with->count;
    if (!given && !taken) continue;
    with->rank[i] = r;
    with->send[i + 1] = with->send[i] + given;
    with->receive[i + 1] = with->receive[i] + taken;
    with->count++;
  }
}

static pl_status make_room(pl_block_layout *self, pl_error *error)
{
  const pl_allocator *memory = &self->allocator;
  size_t given = (size_t)self->with.send[self->with.count], taken = (size_t)self->copies;
  self->give_at = pl_alloc(memory, given, sizeof *self->give_at);
  self->take_at = pl_alloc(memory, taken, sizeof *self->take_at);
  self->out = pl_alloc(memory, 3 * (given > taken ? given : taken), sizeof *self->out);
  self->in = pl_alloc(memory, 3 * (given > taken ? given : taken), sizeof *self->in);
  return self->give_at && self->take_at && self->out && self->in ? PL_OK : pl_fail_memory(error);
}

/* Each asks its neighbours for the blocks that it has copies of, by their numbers. */
static void exchange_lists(pl_block_layout *self)
{
  pl_neighbours *with = &self->with, back = {with->count, with->rank, with->receive, with->send};
  const pl_ranks *ranks = self->partition->ranks;
  int place = 0;
  for (int n = 0; n < with->count; n++) {
    for (int i = 0; i < self->copies; i++) {
      if (owner_of(self->partition, self->row[self->copy_at[i]]) != with->rank[n]) continue;
      self->take_at[place] = self->copy_at[i];
      self->out[place++] = self->row[self->copy_at[i]];
    }
  }
  ranks->exchange(ranks, &back, self->out, self->in);
  for (int i = 0; i < with->send[with->count]; i++)
    self->give_at[i] = self->place[(int)self->in[i]];
  // from here on three numbers for each
  for (int n = 0; n <= with->count; n++) {
    with->send[n] *= 3;
    with->receive[n] *= 3;
  }
}

pl_status pl_layout_connect(pl_block_layout *self, pl_error *error)
{
  if (!self->partition) return PL_OK;
  const pl_allocator *memory = &self->allocator;
  pl_neighbours *with = &self->with;
  size_t count = (size_t)self->partition->ranks->count;
  double *wanted = pl_alloc(memory, count * count, sizeof *wanted);
  with->rank = pl_alloc(memory, count, sizeof *with->rank);
  with->send = pl_alloc(memory, count + 1, sizeof *with->send);
  with->receive = pl_alloc(memory, count + 1, sizeof *with->receive);
  pl_status status =
      wanted && with->rank && with->send && with->receive ? PL_OK : pl_fail_memory(error);
  // with->send serves as room until it is filled
  if (!status) count_wanted(self, wanted, with->send);
  if (!status) memset(with->send, 0, (count + 1) * sizeof *with->send);
  if (!status) list_neighbours(self, wanted);
  pl_free(memory, wanted);
  if (!status) status = make_room(self, error);
  if (!status) exchange_lists(self);
  return status;
}

void pl_layout_take(const pl_block_layout *self, const double *all, double *x)
{
  for (size_t i = 0; i < (size_t)self->own + (size_t)self->copies; i++)
    memcpy(x + 3 * i, all + 3 * (size_t)self->row[i], 3 * sizeof *x);
}

void pl_layout_put(const pl_block_layout *self, const double *x, double *all)
{
  for (size_t i = 0; i < (size_t)self->own + (size_t)self->copies; i++)
    memcpy(all + 3 * (size_t)self->row[i], x + 3 * i, 3 * sizeof *x);
}

/* ---- exchanges ---- */

void pl_layout_update(const pl_block_layout *self, double *x)
{
  const pl_neighbours *with = &self->with;
  if (!self->partition) return;
  for (int i = 0; i < with->send[with->count] / 3; i++)
    memcpy(self->out + 3 * (size_t)i, x + 3 * (size_t)self->give_at[i], 3 * sizeof *x);
  self->partition->ranks->exchange(self->partition->ranks, with, self->out, self->in);
  for (int i = 0; i < self->copies; i++)
    memcpy(x + 3 * (size_t)self->take_at[i], self->in + 3 * (size_t)i, 3 * sizeof *x);
}

void pl_layout_sum(const pl_block_layout *self, double *f)
{
  const pl_neighbours *with = &self->with;
  if (!self->partition) return;
  const pl_neighbours back = {with->count, with->rank, with->receive, with->send};
  for (int i = 0; i < self->copies; i++)
    memcpy(self->out + 3 * (size_t)i, f + 3 * (size_t)self->take_at[i], 3 * sizeof *f);
  self->partition->ranks->exchange(self->partition->ranks, &back, self->out, self->in);
  for (int i = 0; i < with->send[with->count]; i++)
    f[3 * (size_t)self->give_at[i / 3] + (size_t)(i % 3)] += self->in[i];
}
