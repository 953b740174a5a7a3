/* Rows over several blocks where blocks turn.
 *
 * During a substep the rows J v = u are constant. Taken in its middle, J is right to second order;
 * but the velocity has to go from the rows of the beginning to those of the middle and on to those
 * of the end. A projection onto the next plane J v = 0 would lose the part 1 - cos of the turn
 * every time, which makes any method one of first order that damps. So v is reflected at the plane
 * half way, of the first and of the third quarter: the mirror image of a velocity in the plane
 * before is one in the plane behind, to third order, with the same kinetic energy. The impulses are
 * the constraint's centripetal force; those of the beginning are counted as those of the end.
 * Projections onto the exact planes take what is left, or what never fitted. */
#include "world/world.h"

#include <string.h>

static int turns(const pl_world *world)
{
  if (!world->rows.mpcs || world->system.is_static) return 0;
  for (size_t b = 0; b < world->bodies.count; b++) {
    if (pl_model_has_rotations(world->bodies.list[b].model)) return 1;
  }
  return 0;
}

/* Constrains the world as it is where v takes it in a time. */
static pl_status constrain_after(pl_world *world, double time, pl_error *error)
{
  double *dq = world->vectors.scratch, *there = world->vectors.work;
  for (int i = 0; i < 3 * world->bodies.blocks; i++) dq[i] = time * world->state.v[i];
  world->system.ops->retract(&world->system, world->state.q, dq, there);
  return pl_world_constrain_at(world, there, error);
}

pl_status pl_world_turn_in(pl_world *world, double h, pl_error *error)
{
  if (!turns(world)) return PL_OK;
  pl_system *system = &world->system;
  pl_status status = pl_world_constrain(world, error);
  if (!status && system->filter.mpcs) pl_system_meet(system, NULL, world->state.v);
  if (!status) status = constrain_after(world, 0.25 * h, error);
  if (!status && system->filter.mpcs) pl_system_reflect(system, 0, world->state.v);
  // the velocity of the middle leads from the beginning there but for the third order
  return status ? status : constrain_after(world, 0.5 * h, error);
}

pl_status pl_world_turn_out(pl_world *world, double h, pl_error *error)
{
  pl_mpcs *mpcs = world->rows.mpcs;
  if (!turns(world) || !world->system.filter.mpcs) return PL_OK;
  double *forces = mpcs->u + mpcs->room;
  for (int i = 0; i < mpcs->count; i++) forces[i] = mpcs->list[i].force;
  pl_status status = constrain_after(world, -0.25 * h, error);
  if (!status) pl_system_reflect(&world->system, 2 / h, world->state.v);
  for (int i = 0; i < mpcs->count && !status; i++) forces[i] += mpcs->list[i].force;
  if (!status) status = pl_world_constrain(world, error);
  if (!status) pl_system_meet(&world->system, NULL, world->state.v);
  for (int i = 0; i < mpcs->count && !status; i++) mpcs->list[i].force = forces[i];
  return status;
}
