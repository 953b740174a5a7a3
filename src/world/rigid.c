/* Rigid parts of bodies: bones with a skin of elements around them (Mueller et al. 2002, sections
 * 4.3 and 4.4, where the skull follows no force of the skin; here it does).
 *
 * The body's model is replaced by one in which the part's nodes are carried by a rotation and a
 * point (model/dependent.h), and the part's motion by the nearest one with the same momenta. */
#include "core/error.h"
#include "core/memory.h"
#include "world/replace.h"

#include <string.h>

pl_rigid_def pl_rigid_def_default(void)
{
  return (pl_rigid_def){.axis = {0, 0, 1}, .cookie = PL_COOKIE};
}

/* Puts the body with its new ties in the place of the present one. */
static pl_status replace(pl_world *world, pl_replacement *what, pl_error *error)
{
  const pl_body *body = &world->bodies.list[what->body];
  pl_status status = pl_replace_build(world, what, error);
  if (!status) {
    const pl_model *model = what->after.model;
    size_t first = 3 * (size_t)body->offset, size = 3 * (size_t)model->blocks * sizeof(double);
    if (model->ops->fit) {
      model->ops->fit(model, what->x, what->speed, what->q + first, what->v + first);
    } else {
      // blocks are nodes again
      memcpy(what->q + first, what->x, size);
      memcpy(what->v + first, what->speed, size);
    }
    status = pl_replace_commit(world, what, error);
  }
  pl_replace_drop(world, what);
  return status;
}

pl_status pl_world_add_rigid(pl_world *world, pl_body_id id, const pl_rigid_def *def,
                             pl_rigid_id *part, pl_error *error)
{
  const pl_body *body;
  pl_replacement what;
  int slot;
  uint32_t generation;
  pl_status status = pl_check_cookie(def ? def->cookie : 0, "pl_rigid", error);
  if (!status) status = pl_world_find_body(world, id, &body, error);
  if (!status)
    status = pl_slots_take(&world->allocator, &world->ids.rigid_parts, &slot, &generation, error);
  if (status) return status;
  pl_replace_begin(world, (int)(body - world->bodies.list), &what);
  // which nodes touch by a layer is determined again
  what.after.penalty = NULL;
  status =
      pl_ties_add_part(&world->allocator, body, def, &what.after.ties, &what.after.rigid, error);
  if (!status) {
    what.after.ties.parts[what.after.ties.part_count - 1].slot = slot;
    status = replace(world, &what, error);
  }
  if (status) pl_slots_give_back(&world->ids.rigid_parts, slot);
  if (!status && part) *part = (pl_rigid_id){slot + 1, generation};
  return status;
}

static pl_status find_part(const pl_world *world, pl_rigid_id id, const pl_body **body, int *part,
                           pl_error *error)
{
  pl_status status =
      pl_slots_check(&world->ids.rigid_parts, "rigid part", id.index1, id.generation, error);
  for (size_t b = 0; b < world->bodies.count && !status; b++) {
    *body = &world->bodies.list[b];
    for (*part = 0; *part < (*body)->ties.part_count; ++*part) {
      if ((*body)->ties.parts[*part].slot == id.index1 - 1) return PL_OK;
    }
  }
  return status;
}

pl_status pl_world_remove_rigid(pl_world *world, pl_rigid_id id, pl_error *error)
{
  const pl_body *body = NULL;
  pl_replacement what;
  int part = 0;
  pl_status status = find_part(world, id, &body, &part, error);
  if (status) return status;
  pl_replace_begin(world, (int)(body - world->bodies.list), &what);
  what.after.penalty = NULL;
  status = pl_ties_remove_part(&world->allocator, body, part, &what.after.ties, &what.after.rigid,
                               error);
  if (!status) status = replace(world, &what, error);
  if (!status) pl_slots_give_back(&world->ids.rigid_parts, id.index1 - 1);
  return status;
}

pl_status pl_world_read_rigid(const pl_world *world, pl_rigid_id id, pl_rigid_facts *facts,
                              pl_error *error)
{
  const pl_body *body = NULL;
  int part = 0;
  pl_status status = find_part(world, id, &body, &part, error);
  if (!status && !facts)
    status = pl_fail(error, PL_E_ARGUMENT, "pl_world_read_rigid needs a place for the facts");
  if (status) return status;
  const pl_rigid_part *from = &body->ties.parts[part];
  *facts = (pl_rigid_facts){.nodes = from->count, .elements = pl_ties_mark_part(body, from, NULL)};
  return PL_OK;
}
