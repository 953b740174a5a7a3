/* Probes: what is read after every step, by name. */
#include "core/error.h"
#include "core/memory.h"
#include "mesh/locate.h"
#include "world/world.h"

#include <string.h>

pl_status pl_world_add_probe(pl_world *world, const pl_probe_def *def, pl_probe_id *id,
                             pl_error *error)
{
  pl_probe probe = {0};
  const pl_member *member = NULL;
  double none[PL_MOST_VALUES];
  pl_status status = pl_check_cookie(def ? def->cookie : 0, "pl_probe", error);
  if (!status)
    status = pl_choice_resolve(&pl_quantity_family, &(pl_choice){def->quantity, NULL, 0}, &member,
                               none, error);
  if (status) return status;
  const char *name = def->name ? def->name : "probe";
  probe.ops = (const pl_quantity_ops *)member;
  probe.body = -1;
  if (def->body.index1 || probe.ops->of_point) {
    const pl_body *body;
    status = pl_world_find_body(world, def->body, &body, error);
    if (!status && probe.ops->of_point)
      status = pl_mesh_locate(body->mesh, def->at, &probe.anchor, error);
    if (status) return status;
    probe.body = (int)(body - world->bodies.list);
    if (probe.anchor.distance > 0)
      pl_log_write(&world->log, PL_NOTE, "probe \"%s\" lies %.3g m outside body \"%s\"", name,
                   probe.anchor.distance, body->name);
  }
  status = pl_world_one_more(world, &world->probes.list, world->probes.count, &world->probes.room,
                             sizeof(pl_probe), error);
  if (status) return status;
  probe.name = pl_strdup(&world->allocator, name);
  status = probe.name ? pl_slots_take(&world->allocator, &world->ids.probes, &probe.slot,
                                      &probe.generation, error)
                      : pl_fail_memory(error);
  if (status) {
    pl_free(&world->allocator, probe.name);
    return status;
  }
  world->probes.list[world->probes.count++] = probe;
  if (id) *id = (pl_probe_id){probe.slot + 1, probe.generation};
  return PL_OK;
}

void pl_world_drop_probe(pl_world *world, size_t index)
{
  pl_probe *from = world->probes.list + index;
  pl_slots_give_back(&world->ids.probes, from->slot);
  pl_free(&world->allocator, from->name);
  memmove(from, from + 1, (--world->probes.count - index) * sizeof *from);
}

static const pl_probe *find_probe(const pl_world *world, pl_probe_id id, pl_error *error)
{
  if (pl_slots_check(&world->ids.probes, "probe", id.index1, id.generation, error)) return NULL;
  size_t at = 0;
  while (world->probes.list[at].slot != id.index1 - 1) at++;
  return &world->probes.list[at];
}

pl_status pl_world_remove_probe(pl_world *world, pl_probe_id id, pl_error *error)
{
  const pl_probe *probe = find_probe(world, id, error);
  if (!probe) return PL_E_ARGUMENT;
  pl_world_drop_probe(world, (size_t)(probe - world->probes.list));
  return PL_OK;
}

int pl_world_probe_count(const pl_world *world) { return (int)world->probes.count; }

pl_probe_id pl_world_probe_at(const pl_world *world, int index)
{
  if (index < 0 || (size_t)index >= world->probes.count) return (pl_probe_id){0};
  return (pl_probe_id){world->probes.list[index].slot + 1, world->probes.list[index].generation};
}

const char *pl_world_probe_name(const pl_world *world, pl_probe_id id)
{
  const pl_probe *probe = find_probe(world, id, NULL);
  return probe ? probe->name : NULL;
}

const char *pl_world_probe_quantity(const pl_world *world, pl_probe_id id)
{
  const pl_probe *probe = find_probe(world, id, NULL);
  return probe ? probe->ops->info.name : NULL;
}

const char *pl_world_probe_unit(const pl_world *world, pl_probe_id id)
{
  const pl_probe *probe = find_probe(world, id, NULL);
  return probe ? probe->ops->unit : NULL;
}

int pl_world_probe_width(const pl_world *world, pl_probe_id id)
{
  const pl_probe *probe = find_probe(world, id, NULL);
  return probe ? probe->ops->width : 0;
}

pl_status pl_world_read_probe(pl_world *world, pl_probe_id id, double value[3], pl_error *error)
{
  const pl_probe *probe = find_probe(world, id, error);
  if (!probe) return PL_E_ARGUMENT;
  if (!value)
    return pl_fail(error, PL_E_ARGUMENT, "pl_world_read_probe needs a place for the value");
  pl_status status = pl_world_prepare(world, error);
  if (!status) probe->ops->read(world, probe, value);
  return status;
}
