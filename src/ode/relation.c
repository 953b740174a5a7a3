/* Colours of relations: greedy in the order given. */
#include "ode/relation.h"

#include "core/error.h"
#include "core/memory.h"

static int free_colour(uint32_t taken)
{
  int colour = 0;
  while (colour < PL_RELATION_COLOURS && taken >> colour & 1) colour++;
  return colour;
}

static void sort(pl_relation_list *to, const pl_relation *list, const unsigned char *colour)
{
  int next = 0;
  for (int c = 0; c <= PL_RELATION_COLOURS; c++) {
    to->start[c] = next;
    for (int i = 0; i < to->count; i++) {
      if (colour[i] != c) continue;
      to->natural[i] = next;
      to->list[next++] = list[i];
    }
    if (next > to->start[c] && c < PL_RELATION_COLOURS) to->colours = c + 1;
  }
  to->start[PL_RELATION_COLOURS + 1] = next;
}

pl_status pl_relations_create(const pl_allocator *allocator, int block_count,
                              const pl_relation *list, int count, pl_relation_list **out,
                              pl_error *error)
{
  pl_relation_list *to = pl_alloc(allocator, 1, sizeof *to);
  *out = to;
  if (!to) return pl_fail_memory(error);
  to->count = count;
  to->list = pl_alloc(allocator, (size_t)count, sizeof *to->list);
  to->force = pl_alloc(allocator, (size_t)count, sizeof *to->force);
  to->natural = pl_alloc(allocator, (size_t)count, sizeof *to->natural);
  uint32_t *taken = pl_alloc(allocator, (size_t)block_count, sizeof *taken);
  unsigned char *colour = pl_alloc(allocator, (size_t)count, 1);
  int ok = to->list && to->force && to->natural && taken && colour;
  for (int i = 0; ok && i < count; i++) {
    uint32_t *a = &taken[list[i].blocks[0]], *b = &taken[list[i].blocks[1]];
    int c = free_colour(*a | *b);
    colour[i] = (unsigned char)c;
    if (c == PL_RELATION_COLOURS) continue;
    *a |= UINT32_C(1) << c;
    *b |= UINT32_C(1) << c;
  }
  if (ok) sort(to, list, colour);
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
  pl_free(allocator, relations->list);
  pl_free(allocator, relations->force);
  pl_free(allocator, relations->natural);
  pl_free(allocator, relations);
}
