/* Reading contacts: what couplings know of them, with the world's ids. */
#include "core/error.h"
#include "core/memory.h"
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
  return (pl_obstacle_id){slot + 1, world->ids.obstacles.list[slot].generation};
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

void pl_world_meetings(pl_world *world, const pl_meeting_sink *to)
{
  const pl_moment now = {.t = world->state.time, .q = world->state.q, .v = world->state.v};
  for (size_t i = 0; i < world->couplings.count && world->tally.knows_contacts; i++) {
    pl_coupling *coupling = world->couplings.list[i];
    if (coupling->ops->contacts) coupling->ops->contacts(coupling, &now, to);
  }
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
  pl_world_meetings(world, &(pl_meeting_sink){take, &all});
  *count = all.count;
  return PL_OK;
}

/* ---- events ---- */

typedef struct tracker {
  const pl_world *world;
  pl_touching *now;
  pl_status status;
} tracker;

static int is_same(const pl_contact_event *a, const pl_contact_event *b)
{
  return a->body.index1 == b->body.index1 && a->body.generation == b->body.generation &&
         a->other.index1 == b->other.index1 && a->other.generation == b->other.generation &&
         a->obstacle.index1 == b->obstacle.index1 &&
         a->obstacle.generation == b->obstacle.generation;
}

static pl_contact_event *find_event(const pl_touching *in, const pl_contact_event *like)
{
  for (size_t i = 0; i < in->count; i++) {
    if (is_same(&in->list[i], like)) return &in->list[i];
  }
  return NULL;
}

/* Adds a contact to those of its pair. */
static void track(void *context, const pl_meeting *meeting)
{
  tracker *all = context;
  int swaps = meeting->other >= 0 && meeting->other < meeting->body;
  pl_contact_event at = {.body = body_id(all->world, swaps ? meeting->other : meeting->body),
                         .other = body_id(all->world, swaps ? meeting->body : meeting->other),
                         .obstacle = obstacle_id(all->world, meeting->obstacle)};
  pl_contact_event *to = find_event(all->now, &at);
  void *list = all->now->list;
  if (!to &&
      pl_reserve(&all->world->allocator, &list, &all->now->room, all->now->count + 1, sizeof at))
    all->status = PL_E_MEMORY;
  all->now->list = list;
  if (all->status) return;
  if (!to) {
    to = &all->now->list[all->now->count++];
    *to = at;
  }
  to->points++;
  for (int k = 0; k < 3; k++) to->force[k] += (swaps ? -1 : 1) * meeting->at.force[k];
}

/* Both sides of an event are still in the world. */
static int is_alive(const pl_world *world, const pl_contact_event *at)
{
  pl_obstacle_facts facts;
  if (!pl_world_body(world, at->body)) return 0;
  if (at->other.index1) return pl_world_body(world, at->other) != NULL;
  return pl_world_read_obstacle(world, at->obstacle, &facts, NULL) == PL_OK;
}

static void report(int room, pl_contact_event *events, int *count, const pl_contact_event *what)
{
  if ((*count)++ < room) events[*count - 1] = *what;
}

pl_status pl_world_contact_events(pl_world *world, int room, pl_contact_event *events, int *count,
                                  pl_error *error)
{
  if (!count || room < 0 || (room > 0 && !events))
    return pl_fail(error, PL_E_ARGUMENT, "events need a place for their count, and for %d of them",
                   room);
  pl_touching now = {0};
  tracker all = {world, &now, PL_OK};
  pl_status status = pl_world_prepare(world, error);
  if (!status) pl_world_meetings(world, &(pl_meeting_sink){track, &all});
  if (!status && all.status) status = pl_fail_memory(error);
  if (status) {
    pl_free(&world->allocator, now.list);
    return status;
  }
  *count = 0;
  for (size_t i = 0; i < now.count; i++) {
    pl_contact_event *at = &now.list[i];
    at->phase = find_event(&world->touching, at) ? PL_CONTACT_LASTS : PL_CONTACT_BEGINS;
    report(room, events, count, at);
  }
  for (size_t i = 0; i < world->touching.count; i++) {
    pl_contact_event gone = world->touching.list[i];
    if (find_event(&now, &gone) || !is_alive(world, &gone)) continue;
    gone.phase = PL_CONTACT_ENDS;
    gone.points = 0;
    for (int k = 0; k < 3; k++) gone.force[k] = 0;
    report(room, events, count, &gone);
  }
  pl_free(&world->allocator, world->touching.list);
  world->touching = now;
  return PL_OK;
}
