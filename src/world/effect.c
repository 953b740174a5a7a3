/* Adding, reading, changing and removing effects: the public functions around that family. */
#include "couple/effect.h"

#include "core/error.h"
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

/* The effect of that id, whatever its kind; NULL: there is none. */
static pl_effect *find(const pl_world *world, pl_effect_id id, pl_error *error)
{
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
  const pl_member *member = &effect->base.ops->info;
  int index = name ? pl_param_find(member, name) : -1;
  if (index < 0) {
    (void)pl_fail(error, PL_E_ARGUMENT, "effect \"%s\" has no parameter \"%.80s\"", member->name,
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
  double *to = effect->values + place;
  return setting->word ? pl_param_parse(param, setting->word, to, error)
                       : pl_param_check(param, setting->value, to, error);
}

pl_status pl_world_read_effect(const pl_world *world, pl_effect_id id, const pl_member **member,
                               const char *parameter, double value[3], pl_error *error)
{
  int place = 0;
  const pl_effect *effect = find(world, id, error);
  if (!effect) return PL_E_ARGUMENT;
  if (member) *member = &effect->base.ops->info;
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
