/* Colours of relations: greedy in the order given. */
#include "ode/relation.h"

#include "core/error.h"
#include "core/memory.h"

#include <string.h>

static int free_colour(uint32_t taken)
{
  int colour = 0;
  while (colour < PL_RELATION_COLOURS && taken >> colour & 1) colour++;
  return colour;
}

/* The colour of each of those given; taken: room for a number per block. */
static void paint(const pl_relation *list, int count, uint32_t *taken, unsigned char *colour)
{
  for (int i = 0; i < count; i++) {
    uint32_t *a = &taken[list[i].blocks[0]], *b = &taken[list[i].blocks[1]];
    int c = free_colour(*a | *b);
    colour[i] = (unsigned char)c;
    if (c == PL_RELATION_COLOURS) continue;
    *a |= UINT32_C(1) << c;
    *b |= UINT32_C(1) << c;
  }
}

static void sort(pl_relation_list *to, const pl_relation *list, const unsigned char *colour)
{
  const pl_relation none = {{to->blocks, to->blocks}, 0, 0, 0};
  int next = 0;
  for (int c = 0; c <= PL_RELATION_COLOURS; c++) {
    to->start[c] = next;
    for (int i = 0; i < to->given; i++) {
      if (colour[i] != c) continue;
      to->natural[i] = next;
      to->list[next++] = list[i];
      if (list[i].damping > 0) to->damped = 1;
    }
    if (next > to->start[c] && c < PL_RELATION_COLOURS) to->colours = c + 1;
    while (next % PL_LANES) to->list[next++] = none;
  }
  to->start[PL_RELATION_COLOURS + 1] = to->count = next;
}

static void pack(pl_relation_list *to)
{
  for (int i = 0; i < to->count; i++) {
    pl_relation_batch *batch = &to->batches[i / PL_LANES];
    const pl_relation *from = &to->list[i];
    int lane = i % PL_LANES;
    for (int k = 0; k < 2; k++) batch->ends[k][lane] = from->blocks[k];
    batch->rest[lane] = from->rest;
    batch->compliance[lane] = from->compliance;
    batch->damping[lane] = from->damping;
  }
}

static int take_room(const pl_allocator *allocator, pl_relation_list *to)
{
  size_t max = (size_t)to->given + (PL_LANES - 1) * (PL_RELATION_COLOURS + 1);
  size_t batches = max / PL_LANES + 1, blocks = (size_t)to->blocks + 1;
  to->list = pl_alloc(allocator, PL_LANES * batches, sizeof *to->list);
  to->batches = pl_alloc(allocator, batches, sizeof *to->batches);
  to->force = pl_alloc(allocator, PL_LANES * batches, sizeof *to->force);
  to->natural = pl_alloc(allocator, (size_t)to->given, sizeof *to->natural);
  to->x = pl_alloc(allocator, 4 * blocks, sizeof *to->x);
  to->before = pl_alloc(allocator, 4 * blocks, sizeof *to->before);
  to->free = pl_alloc(allocator, 12 * blocks, sizeof *to->free);
  return to->list && to->batches && to->force && to->natural && to->x && to->before && to->free;
}

pl_status pl_relations_create(const pl_allocator *allocator, int block_count,
                              const pl_relation *list, int count, pl_relation_list **out,
                              pl_error *error)
{
  pl_relation_list *to = pl_alloc(allocator, 1, sizeof *to);
  *out = to;
  if (!to) return pl_fail_memory(error);
  to->given = count;
  to->blocks = block_count;
  uint32_t *taken = pl_alloc(allocator, (size_t)block_count, sizeof *taken);
  unsigned char *colour = pl_alloc(allocator, (size_t)count, 1);
  int ok = take_room(allocator, to) && taken && colour;
  if (ok) {
    paint(list, count, taken, colour);
    sort(to, list, colour);
    pack(to);
  }
  pl_free(allocator, taken);
  pl_free(allocator, colour);
  if (ok) return PL_OK;
  pl_relations_destroy(allocator, to);
  *out = NULL;
  return pl_fail_memory(error);
}

void pl_relations_destroy(const pl_allocator *allocator, pl_relation_list *relations)
{
  if (!relations) return;
  void *arrays[] = {relations->list, relations->batches, relations->force, relations->natural,
                    relations->x,    relations->before,  relations->free};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(allocator, arrays[i]);
  pl_free(allocator, relations);
}
