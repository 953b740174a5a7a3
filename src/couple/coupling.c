/* The family of couplings, and the list of those that a world has. */
#include "couple/coupling.h"

#include "core/error.h"
#include "core/family.h"
#include "core/memory.h"

#include <string.h>

#define X(name) &pl_coupling_##name.info,
PL_FAMILY(coupling, "what acts on bodies or between them", PL_COUPLINGS(X));
#undef X

pl_status pl_coupling_create(pl_bodies *bodies, const pl_coupling_ops *ops, pl_coupling **out,
                             pl_error *error)
{
  *out = pl_alloc(bodies->allocator, 1, ops->size);
  if (!*out) return pl_fail_memory(error);
  **out = (pl_coupling){.ops = ops, .bodies = bodies, .acts_on = {-1, -1}};
  return PL_OK;
}

void pl_coupling_destroy(pl_coupling *self)
{
  if (!self) return;
  if (self->ops->destroy) self->ops->destroy(self);
  pl_free(self->bodies->allocator, self);
}

/* The place of a kind in the family. */
static int rank_of(const pl_coupling_ops *ops)
{
  int rank = 0;
  while (pl_coupling_family.members[rank] != &ops->info) rank++;
  return rank;
}

pl_status pl_couplings_add(pl_couplings *all, pl_coupling *coupling, pl_error *error)
{
  void *memory = all->list;
  pl_status status = PL_OK;
  if (pl_reserve(all->bodies->allocator, &memory, &all->room, all->count + 1, sizeof *all->list))
    status = pl_fail_memory(error);
  all->list = memory;
  if (!status)
    status = pl_slots_take(all->bodies->allocator, &all->slots, &coupling->slot,
                           &coupling->generation, error);
  if (status) {
    pl_coupling_destroy(coupling);
    return status;
  }
  size_t at = all->count++;
  for (; at > 0 && rank_of(all->list[at - 1]->ops) > rank_of(coupling->ops); at--)
    all->list[at] = all->list[at - 1];
  all->list[at] = coupling;
  return PL_OK;
}

void pl_couplings_remove(pl_couplings *all, pl_coupling *coupling)
{
  size_t at = 0;
  while (all->list[at] != coupling) at++;
  memmove(all->list + at, all->list + at + 1, (--all->count - at) * sizeof *all->list);
  pl_slots_give_back(&all->slots, coupling->slot);
  pl_coupling_destroy(coupling);
}

void pl_couplings_release(pl_couplings *all)
{
  while (all->count) pl_couplings_remove(all, all->list[all->count - 1]);
  pl_free(all->bodies->allocator, all->list);
  pl_slots_release(all->bodies->allocator, &all->slots);
}

pl_status pl_couplings_find(const pl_couplings *all, const pl_coupling_ops *ops, int32_t index1,
                            uint32_t generation, pl_coupling **out, pl_error *error)
{
  *out = NULL;
  pl_status status = pl_slots_check(&all->slots, ops->info.name, index1, generation, error);
  if (status) return status;
  for (size_t i = 0; i < all->count; i++) {
    if (all->list[i]->slot == index1 - 1 && all->list[i]->ops == ops) *out = all->list[i];
  }
  if (*out) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT, "there is no %s number %d", ops->info.name, (int)index1);
}

pl_coupling *pl_couplings_next(const pl_couplings *all, const pl_coupling_ops *ops,
                               const pl_coupling *after)
{
  size_t at = 0;
  if (after) {
    while (all->list[at] != after) at++;
    at++;
  }
  for (; at < all->count; at++) {
    if (all->list[at]->ops == ops) return all->list[at];
  }
  return NULL;
}

pl_coupling *pl_couplings_last(const pl_couplings *all, const pl_coupling_ops *ops)
{
  for (size_t i = all->count; i-- > 0;) {
    if (all->list[i]->ops == ops) return all->list[i];
  }
  return NULL;
}

size_t pl_couplings_count(const pl_couplings *all, const pl_coupling_ops *ops)
{
  size_t count = 0;
  for (size_t i = 0; i < all->count; i++) count += all->list[i]->ops == ops;
  return count;
}

void pl_couplings_evaluate(const pl_couplings *all, const pl_moment *at, int internal, double *f,
                           const pl_tangent *tangent)
{
  for (size_t i = 0; i < all->count; i++) {
    const pl_coupling_ops *ops = all->list[i]->ops;
    if (!ops->evaluate || ops->is_internal != internal) continue;
    int gathers = ops->by_ranges ? 0 : pl_pool_gather(all->bodies->pool, 0);
    ops->evaluate(all->list[i], at, f, tangent);
    if (gathers) pl_pool_gather(all->bodies->pool, 1);
  }
}

pl_status pl_couplings_can_follow(const pl_couplings *all, const pl_renumbering *change,
                                  pl_error *error)
{
  pl_status status = PL_OK;
  for (size_t i = 0; i < all->count && !status; i++) {
    const pl_coupling *coupling = all->list[i];
    if (coupling->ops->can_follow) status = coupling->ops->can_follow(coupling, change, error);
  }
  return status;
}

/* Numbers by block: those of a body that is gone are taken out. Otherwise they stand at other
 * blocks now, and are forgotten. */
static void follow_memory(pl_coupling *coupling, const pl_renumbering *change)
{
  size_t width = (size_t)coupling->ops->remembers.per_block;
  size_t first = width * (size_t)change->before->offset;
  size_t gone = width * (size_t)change->before->blocks;
  if (!change->gone || first + gone > coupling->memory_count) {
    coupling->memory_count = 0;
    return;
  }
  if (!gone) return;
  coupling->memory_count -= gone;
  memmove(coupling->memory + first, coupling->memory + first + gone,
          (coupling->memory_count - first) * sizeof *coupling->memory);
}

void pl_couplings_follow(const pl_couplings *all, const pl_renumbering *change)
{
  for (size_t i = 0; i < all->count; i++) {
    pl_coupling *coupling = all->list[i];
    if (coupling->ops->follow) coupling->ops->follow(coupling, change);
    follow_memory(coupling, change);
    for (int k = 0; k < 2 && change->gone; k++)
      coupling->acts_on[k] -= coupling->acts_on[k] > change->body;
  }
}

int pl_couplings_grip(const pl_couplings *all, int body)
{
  if (all->bodies->list[body].model->hold_count) return 1;
  for (size_t i = 0; i < all->count; i++) {
    const pl_coupling *coupling = all->list[i];
    if (coupling->ops->grips && coupling->ops->grips(coupling, body)) return 1;
  }
  return 0;
}

int pl_couplings_are_changing(const pl_couplings *all)
{
  for (size_t i = 0; i < all->count; i++) {
    const pl_coupling *coupling = all->list[i];
    if (coupling->ops->is_changing && coupling->ops->is_changing(coupling)) return 1;
  }
  return 0;
}
