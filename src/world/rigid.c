/* Rigid parts of bodies: bones with a skin of elements around them (Mueller et al. 2002, sections
 * 4.3 and 4.4, where the skull follows no force of the skin; here it does).
 *
 * The body's model is replaced by one in which the part's nodes are carried by a rotation and a
 * point (model/dependent.h), and the part's motion by the nearest one with the same momenta. */
#include "core/memory.h"
#include "world/replace.h"

pl_rigid_def pl_rigid_def_default(void)
{
  return (pl_rigid_def){.axis = {0, 0, 1}, .cookie = PL_COOKIE};
}

static pl_status replace(pl_world *world, int index, pl_replacement *what, pl_error *error)
{
  const pl_body *body = &world->bodies.list[index];
  pl_status status = pl_replace_build(world, what, error);
  if (status) return status;
  const pl_model *model = what->after.model;
  size_t first = 3 * (size_t)body->offset;
  model->ops->fit(model, what->x, what->speed, what->q + first, what->v + first);
  return pl_replace_commit(world, what, error);
}

pl_status pl_world_add_rigid(pl_world *world, pl_body_id id, const pl_rigid_def *def, int *elements,
                             pl_error *error)
{
  const pl_body *body;
  pl_replacement what;
  int count = 0;
  pl_status status = pl_check_cookie(def ? def->cookie : 0, "pl_rigid", error);
  if (!status) status = pl_world_find_body(world, id, &body, error);
  if (status) return status;
  pl_replace_begin(world, id.index1 - 1, &what);
  // which nodes touch by a layer is found anew
  what.after.penalty = NULL;
  status = pl_ties_add_part(&world->allocator, body, def, &what.after.ties, &what.after.rigid,
                            &count, error);
  if (status) return status;
  status = replace(world, id.index1 - 1, &what, error);
  pl_replace_drop(world, &what);
  if (!status && elements) *elements = count;
  return status;
}
