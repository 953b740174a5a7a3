/* Numbers for things that come and go. A number is given again once its thing is gone, but with
 * another generation: so an id, which is both, is never another thing's. Things remember their
 * slot; finding one by its slot is the owner's work. */
#ifndef PL_CORE_SLOTS_H
#define PL_CORE_SLOTS_H

#include "pliant/base.h"

typedef struct pl_slots {
  struct pl_slot_state {
    uint32_t generation; /* of the last thing that had it, from 1 on */
    int taken;
  } * list;
  size_t count, room;
} pl_slots;

/* The least free slot, counted from 0, and its new generation. */
pl_status pl_slots_take(const pl_allocator *allocator, pl_slots *slots, int *slot,
                        uint32_t *generation, pl_error *error);
void pl_slots_give_back(pl_slots *slots, int slot);
void pl_slots_release(const pl_allocator *allocator, pl_slots *slots);

/* Is there a thing with this id, slot + 1 and generation? "fix number 3 has been removed" or "there
 * is no fix number 3" otherwise. */
pl_status pl_slots_check(const pl_slots *slots, const char *what, int32_t index1,
                         uint32_t generation, pl_error *error);

#endif
