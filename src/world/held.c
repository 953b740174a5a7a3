/* What is prescribed: held nodes and touching ones, as the integrator's filter. */
#include "core/error.h"
#include "core/hash.h"
#include "core/memory.h"
#include "math/rotation.h"
#include "world/world.h"

#include <string.h>

/* The fixes that hold each block along each axis: a later fix takes over the axes it holds. */
static int find_holders(pl_world *world)
{
  int count = 0;
  for (size_t f = 0; f < world->fix_count; f++) {
    const pl_fix *fix = &world->fixes[f];
    for (int i = 0; i < fix->count; i++) {
      const pl_body *body = &world->bodies[fix->body];
      int *holder = world->holders + 3 * (body->offset + fix->nodes[i]);
      // who leaves an axis free leaves rotations free
      if (pl_model_is_rotation(body->model, fix->nodes[i]) &&
          (fix->free_axis[0] || fix->free_axis[1] || fix->free_axis[2]))
        continue;
      count += !holder[0] && !holder[1] && !holder[2];
      for (int k = 0; k < 3; k++) holder[k] = fix->free_axis[k] ? holder[k] : (int)f + 1;
    }
  }
  return count;
}

pl_status pl_world_make_filter(pl_world *world, pl_error *error)
{
  const pl_allocator *allocator = &world->allocator;
  size_t blocks = (size_t)world->blocks;
  world->holders = pl_alloc(allocator, blocks * 3, sizeof(int));
  if (!world->holders) return pl_fail_memory(error);

  // where there is something to touch, any block may come under the filter
  size_t room = (size_t)find_holders(world);
  if (world->obstacle_count) {
    room = blocks;
    world->contacts = pl_alloc(allocator, blocks, sizeof *world->contacts);
    if (!world->contacts) return pl_fail_memory(error);
    pl_status status = pl_contacts_check(world, error);
    if (status) return status;
  }
  world->held = pl_alloc(allocator, room, sizeof(int));
  world->projections = pl_alloc(allocator, room * 9, sizeof(double));
  world->passing = pl_alloc(allocator, room, 1);
  if (!world->held || !world->projections || !world->passing) return pl_fail_memory(error);
  pl_world_fill_filter(world);
  return PL_OK;
}

/* A number that is the same for the same constraints. */
static uint64_t version_of(const pl_world *world, int count)
{
  uint64_t hash = pl_hash_words(PL_HASH_START, world->projections, 9 * (size_t)count);
  for (int i = 0; i < count; i++) {
    int64_t node = world->held[i];
    hash = pl_hash_words(hash, &node, 1);
  }
  return hash;
}

void pl_world_fill_filter(pl_world *world)
{
  int count = 0;
  for (int block = 0; block < world->blocks; block++) {
    const int *holder = world->holders + 3 * block;
    const pl_contact *contact = world->contacts ? &world->contacts[block] : NULL;
    int touches = contact && contact->touch != PL_APART;
    if (!holder[0] && !holder[1] && !holder[2] && !touches) continue;
    double *P = world->projections + 9 * (size_t)count;
    for (int i = 0; i < 9; i++) {
      int axis = i / 3;
      P[i] = i % 4 == 0 && !holder[axis];
      if (touches) P[i] -= contact->normal[axis] * contact->normal[i % 3];
      if (touches && contact->touch == PL_STICKS) P[i] = 0;
    }
    world->passing[count] = (char)touches;
    world->held[count++] = block;
  }
  world->system.filter = (pl_filter){.count = count,
                                     .nodes = world->held,
                                     .projections = world->projections,
                                     .passing = world->passing,
                                     .rigid_count = (int)world->core_count,
                                     .rigids = world->rigids,
                                     .version = version_of(world, count)};
}

const pl_body *pl_world_body_of(const pl_world *world, int block)
{
  size_t b = 0;
  while (b + 1 < world->body_count && block >= world->bodies[b + 1].offset) b++;
  return &world->bodies[b];
}

/* Where fixes carry the block, and what touching asks for. */
void pl_world_prescribe(const pl_world *world, double t, double h, const double *q, double *v)
{
  for (int i = 0; i < world->system.filter.count; i++) {
    int block = world->held[i];
    const pl_body *body = pl_world_body_of(world, block);
    const pl_contact *contact = world->contacts ? &world->contacts[block] : NULL;
    double *speed = v + 3 * (size_t)block;
    for (int k = 0; k < 3; k++) {
      int holder = world->holders[3 * block + k] - 1;
      if (holder < 0) continue;
      double target[3];
      if (pl_model_is_rotation(body->model, block - body->offset)) {
        pl_fix_turn(&world->fixes[holder], t + h, target);
        pl_rotation_between(q + 3 * block, target, speed);
        pl_vec3_scale(1 / h, speed, speed);
        break;
      }
      pl_fix_target(&world->fixes[holder], body->model->rest + 3 * (block - body->offset), t + h,
                    target);
      speed[k] = (target[k] - q[3 * block + k]) / h;
    }
    if (contact && contact->touch != PL_APART)
      pl_vec3_scale(-contact->gap / h, contact->normal, speed);
  }
}
