/* Numbers for things that come and go. */
#include "core/slots.h"

#include "core/error.h"
#include "core/memory.h"

pl_status pl_slots_take(const pl_allocator *allocator, pl_slots *slots, int *slot,
                        uint32_t *generation, pl_error *error)
{
  size_t at = 0;
  while (at < slots->count && slots->list[at].taken) at++;
  if (at == slots->count) {
    void *memory = slots->list;
    if (pl_reserve(allocator, &memory, &slots->room, at + 1, sizeof *slots->list))
      return pl_fail_memory(error);
    slots->list = memory;
    slots->list[slots->count++] = (struct pl_slot_state){0};
  }
  slots->list[at].taken = 1;
  *slot = (int)at;
  *generation = ++slots->list[at].generation;
  return PL_OK;
}

void pl_slots_give_back(pl_slots *slots, int slot) { slots->list[slot].taken = 0; }

void pl_slots_release(const pl_allocator *allocator, pl_slots *slots)
{
  pl_free(allocator, slots->list);
  *slots = (pl_slots){0};
}

pl_status pl_slots_check(const pl_slots *slots, const char *what, int32_t index1,
                         uint32_t generation, pl_error *error)
{
  int known = index1 >= 1 && (size_t)index1 <= slots->count && generation;
  const struct pl_slot_state *slot = known ? &slots->list[index1 - 1] : NULL;
  if (known && slot->taken && slot->generation == generation) return PL_OK;
  if (known && generation <= slot->generation)
    return pl_fail(error, PL_E_ARGUMENT, "%s number %d has been removed", what, (int)index1);
  return pl_fail(error, PL_E_ARGUMENT, "there is no %s number %d", what, (int)index1);
}
