/* Reading contacts: what couplings know of them, with the world's ids. */
#include "core/error.h"
#include "couple/contact.h"
#include "world/world.h"

typedef struct collected {
  const pl_world *world;
  pl_contact_point *list;
  int room, count;
} collected;

static pl_body_id body_id(const pl_world *world, int index)
{
  return index < 0 ? (pl_body_id){0} : pl_world_id_of(&world->bodies.list[index]);
}

static pl_obstacle_id obstacle_id(const pl_world *world, int index)
{
  if (index < 0) return (pl_obstacle_id){0};
  int slot = pl_world_contact(world)->obstacles[index].slot;
  return (pl_obstacle_id){slot + 1, world->obstacle_slots.list[slot].generation};
}

static void take(void *context, const pl_meeting *meeting)
{
  collected *all = context;
  if (all->count++ >= all->room) return;
  pl_contact_point *to = &all->list[all->count - 1];
  *to = meeting->at;
  to->body = body_id(all->world, meeting->body);
  to->other = body_id(all->world, meeting->other);
  to->obstacle = obstacle_id(all->world, meeting->obstacle);
}

pl_status pl_world_contacts(pl_world *world, int room, pl_contact_point *contacts, int *count,
                            pl_error *error)
{
  if (!count || room < 0 || (room > 0 && !contacts))
    return pl_fail(error, PL_E_ARGUMENT,
                   "contacts need a place for their count, and for %d of them", room);
  pl_status status = pl_world_prepare(world, error);
  if (status) return status;
  collected all = {world, contacts, room, 0};
  const pl_meeting_sink sink = {take, &all};
  const pl_moment now = {.t = world->state.time, .q = world->state.q, .v = world->state.v};
  for (size_t i = 0; i < world->couplings.count && world->tally.knows_contacts; i++) {
    pl_coupling *coupling = world->couplings.list[i];
    if (coupling->ops->contacts) coupling->ops->contacts(coupling, &now, &sink);
  }
  *count = all.count;
  return PL_OK;
}
