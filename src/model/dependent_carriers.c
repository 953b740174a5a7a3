/* What hanging nodes are means of, and what carries them, sorted for the loops of explicit steps
 * (dependent_kernel.h). */
#include "core/error.h"
#include "core/memory.h"
#include "model/dependent.h"

/* ---- nodes as means ---- */

typedef enum mean_kind { EDGE, FACE, OTHER, KINDS } mean_kind;

static mean_kind kind_of(const pl_carried *by, int node)
{
  int first = by->start[node], count = by->start[node + 1] - first;
  if (count != 2 && count != 4) return OTHER;
  for (int k = first; k < first + count; k++) {
    if (by->weights[k] != 1.0 / count) return OTHER;
  }
  return count == 2 ? EDGE : FACE;
}

/* Appends a node with its entries, of which there are so many already. */
static int append_mean(const pl_carried *by, int node, int used, pl_means *to)
{
  to->places[to->count++] = 3 * node;
  for (int k = by->start[node]; k < by->start[node + 1]; k++, used++) {
    to->blocks[used] = 3 * by->blocks[k];
    to->weights[used] = by->weights[k];
  }
  return used;
}

static void fill_means(const pl_dependent *at, pl_means *to)
{
  int used = 0;
  for (mean_kind kind = EDGE; kind < KINDS; kind++) {
    int before = to->count;
    for (int i = 0; i < at->felt.count; i++) {
      if (kind_of(&at->carried, at->felt.list[i]) != kind) continue;
      if (kind == OTHER) to->others[to->count - before] = used;
      used = append_mean(&at->carried, at->felt.list[i], used, to);
    }
    if (kind == EDGE) to->edges = to->count - before;
    if (kind == FACE) to->faces = to->count - before;
    if (kind == OTHER) to->others[to->count - before] = used;
  }
}

static int find_means(const pl_allocator *allocator, pl_dependent *at, size_t entries)
{
  pl_means *to = &at->means;
  size_t count = (size_t)at->felt.count;
  to->places = pl_alloc(allocator, count, sizeof *to->places);
  to->blocks = pl_alloc(allocator, entries, sizeof *to->blocks);
  to->others = pl_alloc(allocator, count + 1, sizeof *to->others);
  to->weights = pl_alloc(allocator, entries, sizeof *to->weights);
  int ok = to->places && to->blocks && to->others && to->weights;
  if (ok) fill_means(at, to);
  return ok;
}

/* ---- blocks that carry ---- */

/* Sorts entries by their blocks: per_block counts them, and is then where the next one goes. */
static void sort_entries(const pl_dependent *at, int *per_block, pl_carrying *to)
{
  const pl_carried *by = &at->carried;
  int used = 0;
  for (int b = 0; b < at->free; b++) {
    if (!per_block[b]) continue;
    int count = per_block[b];
    to->blocks[to->count] = b;
    to->start[to->count++] = per_block[b] = used;
    used += count;
  }
  to->start[to->count] = used;
  for (int i = 0; i < at->felt.count; i++) {
    int node = at->felt.list[i];
    for (int k = by->start[node]; k < by->start[node + 1]; k++) {
      int place = per_block[by->blocks[k]]++;
      to->nodes[place] = 3 * node;
      to->weights[place] = by->weights[k];
    }
  }
}

/* How many entries there are, and how many of them each block has. */
static size_t count_entries(const pl_dependent *at, int *per_block)
{
  const pl_carried *by = &at->carried;
  size_t entries = 0;
  for (int i = 0; i < at->felt.count; i++) {
    int node = at->felt.list[i];
    for (int k = by->start[node]; k < by->start[node + 1]; k++, entries++)
      per_block[by->blocks[k]]++;
  }
  return entries;
}

pl_status pl_dependent_find_carriers(pl_model *self, pl_dependent *to, pl_error *error)
{
  const pl_allocator *allocator = &self->allocator;
  if (!pl_dependent_is_ranges(to)) return PL_OK;
  size_t blocks = (size_t)to->free;
  int *per_block = pl_alloc(allocator, blocks, sizeof *per_block);
  size_t entries = per_block ? count_entries(to, per_block) : 0;
  pl_carrying *carrying = &to->felt_by;
  carrying->blocks = pl_alloc(allocator, blocks, sizeof *carrying->blocks);
  carrying->start = pl_alloc(allocator, blocks + 1, sizeof *carrying->start);
  carrying->nodes = pl_alloc(allocator, entries, sizeof *carrying->nodes);
  carrying->weights = pl_alloc(allocator, entries, sizeof *carrying->weights);
  int ok = per_block && carrying->blocks && carrying->start && carrying->nodes && carrying->weights;
  if (ok) sort_entries(to, per_block, carrying);
  pl_free(allocator, per_block);
  ok = ok && find_means(allocator, to, entries);
  return ok ? PL_OK : pl_fail_memory(error);
}
