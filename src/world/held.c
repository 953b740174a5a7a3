/* What is prescribed: held nodes and touching ones, as the integrator's filter. */
#include "core/error.h"
#include "core/hash.h"
#include "core/memory.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "world/grip.h"
#include "world/world.h"

#include <string.h>

/* The fixes that hold each block, and along which of their directions: a later fix takes over what
 * it holds. */
static int find_holders(pl_world *world)
{
  int count = 0;
  for (size_t f = 0; f < world->fix_count; f++) {
    const pl_fix *fix = &world->fixes[f];
    for (int i = 0; i < fix->count; i++) {
      const pl_body *body = &world->bodies.list[fix->body];
      int block = body->offset + fix->nodes[i], *holder = world->holders + 3 * block;
      // who leaves a direction free leaves rotations free
      if (pl_model_is_rotation(body->model, fix->nodes[i]) && fix->hold_count < 3) continue;
      count += !holder[0];
      pl_grip before, grip = {0};
      pl_grip_find(world, block, &before);
      for (int d = 0; d < fix->hold_count; d++)
        pl_grip_add(&grip, 1 + 3 * (int)f + d, fix->hold[d]);
      for (int d = 0; d < before.count; d++) pl_grip_add(&grip, before.codes[d], before.given[d]);
      for (int d = 0; d < 3; d++) holder[d] = d < grip.count ? grip.codes[d] : 0;
    }
  }
  return count;
}

pl_status pl_world_make_filter(pl_world *world, pl_error *error)
{
  const pl_allocator *allocator = &world->allocator;
  size_t blocks = (size_t)world->bodies.blocks;
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
  for (int block = 0; block < world->bodies.blocks; block++) {
    const int *holder = world->holders + 3 * block;
    const pl_contact *contact = world->contacts ? &world->contacts[block] : NULL;
    int touches = contact && contact->touch != PL_APART;
    if (!holder[0] && !touches) continue;
    double *P = world->projections + 9 * (size_t)count;
    pl_grip grip;
    pl_grip_find(world, block, &grip);
    for (int i = 0; i < 9; i++) {
      int axis = i / 3;
      P[i] = i % 4 == 0;
      for (int m = 0; m < grip.count; m++) P[i] -= grip.basis[m][axis] * grip.basis[m][i % 3];
      // nothing is left free by three directions, to the bit
      if (grip.count == 3) P[i] = 0;
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

/* The held part of a block's velocity, so that it is where its fixes carry it. */
static void follow_fixes(const pl_world *world, const pl_body *body, int block, const pl_grip *grip,
                         double t, double h, const double *q, double *speed)
{
  int turns = pl_model_is_rotation(body->model, block - body->offset);
  double target[3], products[3];
  const pl_fix *last = NULL;
  for (int i = 0; i < grip->count; i++) {
    const pl_fix *fix = &world->fixes[(grip->codes[i] - 1) / 3];
    if (turns) {
      pl_fix_turn(fix, t + h, target);
      pl_rotation_between(q, target, speed);
      pl_vec3_scale(1 / h, speed, speed);
      return;
    }
    if (fix != last)
      pl_fix_target(fix, body->model->rest + 3 * (block - body->offset), t + h, target);
    last = fix;
    double way[3];
    pl_vec3_sub(target, q, way);
    products[i] = pl_vec3_dot(grip->given[i], way) / h;
  }
  pl_grip_free(grip, speed);
  pl_grip_fill(grip, products, speed);
}

/* Where fixes carry the block, and what touching asks for. */
void pl_world_prescribe(const pl_world *world, double t, double h, const double *q, double *v)
{
  for (int i = 0; i < world->system.filter.count; i++) {
    int block = world->held[i];
    const pl_body *body = pl_bodies_owner(&world->bodies, block);
    const pl_contact *contact = world->contacts ? &world->contacts[block] : NULL;
    double *speed = v + 3 * (size_t)block;
    pl_grip grip;
    pl_grip_find(world, block, &grip);
    if (grip.count) follow_fixes(world, body, block, &grip, t, h, q + 3 * (size_t)block, speed);
    if (contact && contact->touch != PL_APART)
      pl_vec3_scale(-contact->gap / h, contact->normal, speed);
  }
}
