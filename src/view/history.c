#include "view/history.h"

#include "core/error.h"
#include "core/memory.h"

enum { MOST_STATES = 100000 };

pl_status pl_history_create(const pl_world *world, size_t bytes, const pl_allocator *allocator,
                            pl_history *history, pl_error *error)
{
  *history = (pl_history){.allocator = pl_allocator_or_default(allocator), .here = -1};
  size_t room = bytes / pl_world_state_size(world);
  history->room = room < 2 ? 2 : room > MOST_STATES ? MOST_STATES : (int)room;
  history->states = pl_alloc(&history->allocator, (size_t)history->room, sizeof *history->states);
  return history->states ? PL_OK : pl_fail_memory(error);
}

void pl_history_release(pl_history *history)
{
  for (int i = 0; history->states && i < history->room; i++)
    pl_free(&history->allocator, history->states[i].bytes);
  pl_free(&history->allocator, history->states);
  *history = (pl_history){.allocator = history->allocator, .here = -1};
}

/* Where the state of that number stands. */
static struct pl_history_state *slot(pl_history *history, int place)
{
  return &history->states[(history->first + place) % history->room];
}

pl_status pl_history_add(pl_history *history, const pl_world *world, pl_error *error)
{
  int full = history->here + 1 == history->room;
  struct pl_history_state *to = slot(history, full ? 0 : history->here + 1);
  size_t size = pl_world_state_size(world);
  if (to->size != size) {
    // another integrator remembers more or less
    pl_free(&history->allocator, to->bytes);
    *to = (struct pl_history_state){size, pl_alloc(&history->allocator, 1, size)};
    if (!to->bytes) to->size = 0;
  }
  if (!to->bytes) return pl_fail_memory(error);
  pl_status status = pl_world_save_state(world, to->bytes, size, error);
  if (status) return status;
  if (full) {
    history->first = (history->first + 1) % history->room;
    history->dropped++;
  } else {
    history->here++;
  }
  history->count = history->here + 1;
  return PL_OK;
}

pl_status pl_history_go(pl_history *history, pl_world *world, int64_t place, pl_error *error)
{
  int last = history->count - 1;
  int target = place < 0 ? 0 : place > last ? last : (int)place;
  if (target < 0) return pl_fail(error, PL_E_ARGUMENT, "there is no earlier state");
  const struct pl_history_state *from = slot(history, target);
  pl_status status = pl_world_load_state(world, from->bytes, from->size, error);
  if (!status) history->here = target;
  return status;
}
