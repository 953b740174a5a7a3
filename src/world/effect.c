/* Adding, reading, changing and removing effects and links: the public functions around these
 * families. */
#include "couple/effect.h"

#include "core/error.h"
#include "couple/link.h"
#include "world/world.h"

#include <string.h>

pl_status pl_world_add_effect(pl_world *world, pl_body_id body, const pl_choice *choice,
                              pl_effect_id *id, pl_error *error)
{
  const pl_body *found;
  const pl_member *member = NULL;
  double values[PL_MOST_VALUES];
  pl_coupling *made = NULL;
  if (!choice) return pl_fail(error, PL_E_ARGUMENT, "pl_world_add_effect needs a choice");
  pl_status status = pl_choice_resolve(&pl_effect_family, choice, &member, values, error);
  if (!status) status = pl_world_find_body(world, body, &found, error);
  if (!status)
    status = pl_coupling_create(&world->bodies, (const pl_coupling_ops *)(const void *)member,
                                &made, error);
  if (status) return status;
  made->acts_on[0] = (int)(found - world->bodies.list);
  memcpy(((pl_effect *)made)->values, values, sizeof values);
  status = pl_world_take(world, PL_OK, made, error);
  if (!status && id) *id = (pl_effect_id){made->slot + 1, made->generation};
  return status;
}

pl_status pl_world_add_link(pl_world *world, pl_body_id body, pl_body_id to,
                            const pl_choice *choice, pl_effect_id *id, pl_error *error)
{
  const pl_body *ends[2];
  pl_selection law;
  pl_coupling *made = NULL;
  if (!choice) return pl_fail(error, PL_E_ARGUMENT, "pl_world_add_link needs a choice");
  pl_status status = pl_choice_resolve(&pl_link_family, choice, &law.member, law.values, error);
  if (!status) status = pl_world_find_body(world, body, &ends[0], error);
  if (!status) status = pl_world_find_body(world, to, &ends[1], error);
  if (!status) status = pl_coupling_create(&world->bodies, &pl_coupling_link, &made, error);
  if (status) return status;
  for (int side = 0; side < 2; side++) made->acts_on[side] = (int)(ends[side] - world->bodies.list);
  memcpy(((pl_effect *)made)->values, law.values, sizeof law.values);
  status = pl_link_make((pl_link *)made, (const pl_link_ops *)(const void *)law.member, error);
  status = pl_world_take(world, status, made, error);
  if (!status && id) *id = (pl_effect_id){made->slot + 1, made->generation};
  return status;
}

/* What was chosen: the effect itself, or the law of a link. */
static const pl_member *member_of(const pl_effect *effect)
{
  if (effect->base.ops == &pl_coupling_link) return &((const pl_link *)effect)->law->info;
  return &effect->base.ops->info;
}

/* The effect or link of that id, whatever its kind; NULL: there is none. */
static pl_effect *find(const pl_world *world, pl_effect_id id, pl_error *error)
{
  pl_coupling *link = NULL;
  if (!pl_couplings_find(&world->couplings, &pl_coupling_link, id.index1, id.generation, &link,
                         NULL))
    return (pl_effect *)link;
  for (int i = 0; pl_effect_family.members[i]; i++) {
    const pl_coupling_ops *ops = (const void *)pl_effect_family.members[i];
    pl_coupling *found = NULL;
    if (!pl_couplings_find(&world->couplings, ops, id.index1, id.generation, &found, NULL))
      return (pl_effect *)found;
  }
  (void)pl_fail(error, PL_E_ARGUMENT, "there is no effect %d; it may have been removed",
                (int)id.index1);
  return NULL;
}

/* Its parameter of that name, with the place of the first value; NULL: it has none. */
static const pl_param *find_param(const pl_effect *effect, const char *name, int *place,
                                  pl_error *error)
{
  const pl_member *member = member_of(effect);
  int index = name ? pl_param_find(member, name) : -1;
  if (index < 0) {
    (void)pl_fail(error, PL_E_ARGUMENT, "%s \"%s\" has no parameter \"%.80s\"",
                  effect->base.ops == &pl_coupling_link ? "link" : "effect", member->name,
                  name ? name : "");
    return NULL;
  }
  *place = pl_param_place(member, index);
  return &member->params[index];
}

pl_status pl_world_set_effect(pl_world *world, pl_effect_id id, const pl_setting *setting,
                              pl_error *error)
{
  int place = 0;
  if (!setting) return pl_fail(error, PL_E_ARGUMENT, "pl_world_set_effect needs a setting");
  pl_effect *effect = find(world, id, error);
  if (!effect) return PL_E_ARGUMENT;
  const pl_param *param = find_param(effect, setting->name, &place, error);
  if (!param) return PL_E_ARGUMENT;
  double *to = effect->values + place, old[3];
  memcpy(old, to, sizeof old);
  pl_status status = setting->word ? pl_param_parse(param, setting->word, to, error)
                                   : pl_param_check(param, setting->value, to, error);
  if (status || effect->base.ops != &pl_coupling_link || place >= PL_LINK_OWN) return status;
  // other points are carried by other blocks
  status = pl_link_place((pl_link *)effect, error);
  if (status) {
    memcpy(to, old, sizeof old);
    (void)pl_link_place((pl_link *)effect, NULL);
  }
  pl_world_unprepare(world);
  return status;
}

pl_status pl_world_read_effect(const pl_world *world, pl_effect_id id, const pl_member **member,
                               const char *parameter, double value[3], pl_error *error)
{
  int place = 0;
  const pl_effect *effect = find(world, id, error);
  if (!effect) return PL_E_ARGUMENT;
  if (member) *member = member_of(effect);
  if (!value) return PL_OK;
  const pl_param *param = find_param(effect, parameter, &place, error);
  if (!param) return PL_E_ARGUMENT;
  for (int i = 0; i < 3; i++) value[i] = i < pl_param_width(param) ? effect->values[place + i] : 0;
  return PL_OK;
}

pl_status pl_world_remove_effect(pl_world *world, pl_effect_id id, pl_error *error)
{
  pl_effect *effect = find(world, id, error);
  if (!effect) return PL_E_ARGUMENT;
  pl_world_unprepare(world);
  pl_couplings_remove(&world->couplings, &effect->base);
  return PL_OK;
}

pl_effect_id pl_world_link_at(const pl_world *world, int index)
{
  pl_coupling *at = pl_couplings_next(&world->couplings, &pl_coupling_link, NULL);
  while (at && index-- > 0) at = pl_couplings_next(&world->couplings, &pl_coupling_link, at);
  return at ? (pl_effect_id){at->slot + 1, at->generation} : (pl_effect_id){0};
}

pl_status pl_world_read_link(const pl_world *world, pl_effect_id id, pl_link_facts *facts,
                             pl_error *error)
{
  pl_coupling *found;
  pl_link_state state;
  pl_tension tension;
  if (!facts) return pl_fail(error, PL_E_ARGUMENT, "pl_world_read_link needs a place for facts");
  pl_status status = pl_couplings_find(&world->couplings, &pl_coupling_link, id.index1,
                                       id.generation, &found, error);
  if (status) return status;
  *facts = (pl_link_facts){0};
  for (int side = 0; side < 2; side++)
    facts->bodies[side] = pl_world_body_at(world, found->acts_on[side]);
  pl_link_read((pl_link *)found, world->state.q, world->state.v, facts->ends, &state, &tension);
  facts->length = state.length;
  facts->rate = state.rate;
  facts->tension = tension.force;
  return PL_OK;
}
