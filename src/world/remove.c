/* Taking bodies out of the world. Nothing can fail once the body is found: all numbers move within
 * the room that they have. */
#include "core/error.h"
#include "world/world.h"

#include <string.h>

/* What acts on the body, or ties it to another. */
static void remove_couplings(pl_world *world, int body)
{
  for (size_t i = world->couplings.count; i-- > 0;) {
    pl_coupling *coupling = world->couplings.list[i];
    if (coupling->acts_on[0] == body || coupling->acts_on[1] == body)
      pl_couplings_remove(&world->couplings, coupling);
  }
}

static void remove_probes(pl_world *world, int body)
{
  for (size_t i = world->probes.count; i-- > 0;) {
    if (world->probes.list[i].body == body)
      pl_world_drop_probe(world, i);
    else
      world->probes.list[i].body -= world->probes.list[i].body > body;
  }
}

/* q and v of later bodies move up; what bodies and couplings remember stays where it is until the
 * world is prepared. */
static void close_gap(pl_world *world, const pl_body *body)
{
  double *vectors[] = {world->state.q, world->state.v};
  int end = body->offset + body->blocks;
  for (int k = 0; k < 2; k++)
    memmove(vectors[k] + 3 * body->offset, vectors[k] + 3 * end,
            (size_t)(world->bodies.blocks - end) * 3 * sizeof(double));
  world->bodies.blocks -= body->blocks;
  world->layout.v -= 3 * (size_t)body->blocks;
}

pl_status pl_world_remove_body(pl_world *world, pl_body_id id, pl_error *error)
{
  const pl_body *found;
  pl_status status = pl_world_find_body(world, id, &found, error);
  if (status) return status;
  int index = (int)(found - world->bodies.list);
  pl_body gone = *found;
  pl_world_unprepare(world);
  remove_couplings(world, index);
  remove_probes(world, index);
  close_gap(world, &gone);
  pl_body *place = world->bodies.list + index;
  memmove(place, place + 1, (--world->bodies.count - (size_t)index) * sizeof *place);
  for (size_t b = (size_t)index; b < world->bodies.count; b++)
    world->bodies.list[b].offset -= gone.blocks;
  const pl_renumbering change = {.body = index, .shift = -gone.blocks, .gone = 1, .before = &gone};
  pl_couplings_follow(&world->couplings, &change);
  for (int p = 0; p < gone.ties.part_count; p++)
    pl_slots_give_back(&world->ids.rigid_parts, gone.ties.parts[p].slot);
  pl_slots_give_back(&world->ids.bodies, gone.slot);
  pl_body_release(&world->allocator, &gone);
  return PL_OK;
}
