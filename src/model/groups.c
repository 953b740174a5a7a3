/* Points sorted by their laws: creation, and what laws remember. */
#include "model/groups.h"

#include "core/error.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

static pl_material material_of(const pl_groups_def *def, int item)
{
  pl_material material = def->of ? def->of(def->context, item) : *def->all;
  if (def->plain) material.law = NULL;
  if (def->plain) material.fades = 0;
  return material;
}

/* What fades around a material's law; law NULL: nothing. */
static pl_fading fading_of(const pl_material *material, const pl_strain_ops *strain)
{
  const pl_law_ops *law = material->law;
  pl_fading fading = {.by_strain = !law || !law->points.stress || law->uses_strain,
                      .hermite = material->hermite,
                      .of = material->fading};
  if (material->fades) fading.law = pl_material_points(material, strain);
  return fading;
}

static pl_layers layers_of(const pl_material *material, const pl_strain_ops *strain)
{
  pl_layers layers = {.law = pl_material_points(material, strain),
                      .count = material->modifier_count,
                      .own = material->own};
  if (material->fades) layers.law = &pl_fading_of()->points;
  for (int i = 0; i < layers.count; i++) layers.modifiers[i] = material->modifiers[i];
  return layers;
}

/* Is the material of this group: the same law, memory and modifiers? */
static int belongs(const pl_groups_def *def, const pl_material *material, const pl_group *group)
{
  const pl_layers a = layers_of(material, def->strain), *b = &group->layers;
  const pl_fading fading = fading_of(material, def->strain);
  int same = a.law == b->law && a.count == b->count && a.own.evaluate == b->own.evaluate &&
             a.own.context == b->own.context;
  for (int i = 0; same && i < a.count; i++) same = a.modifiers[i] == b->modifiers[i];
  if (!same || group->fading.law != fading.law) return 0;
  return !fading.law || (group->fading.of == fading.of && group->fading.hermite == fading.hermite);
}

/* The group that a material belongs to, or the place for a new one. */
static pl_group *group_for(const pl_groups_def *def, const pl_material *material,
                           const pl_groups *groups)
{
  pl_group *group = groups->list;
  while (group < groups->list + groups->count && !belongs(def, material, group)) group++;
  return group;
}

/* The numbers of a point: the series where there is one, then the law's; returns how many. */
static int numbers_of(const pl_material *material, double numbers[PL_GROUP_NUMBERS])
{
  int series = material->fades ? PL_PRONY_NUMBERS : 0;
  int own = material->law ? material->law->number_count : 0;
  memcpy(numbers, material->series, (size_t)series * sizeof *numbers);
  memcpy(numbers + series, material->numbers, (size_t)own * sizeof *numbers);
  return series + own;
}

/* Does its stress depend on velocity? */
static int is_viscous(const pl_material *m)
{
  return m->viscous_lambda != 0 || m->viscous_mu != 0 || (m->fades && m->hermite);
}

/* Takes an item into account; last counts the items for now. */
static void count_item(const pl_groups_def *def, const pl_material *material, pl_groups *groups)
{
  const pl_law_ops *law = material->law;
  pl_group *group = group_for(def, material, groups);
  if (group == groups->list + groups->count) {
    const pl_layers layers = layers_of(material, def->strain);
    double numbers[PL_GROUP_NUMBERS];
    groups->count++;
    group->layers = layers;
    group->fading = fading_of(material, def->strain);
    group->points = layers.count ? PL_PICK_VARIANT(&pl_layered_points) : layers.law;
    group->strain = &def->strain->points;
    group->material = *material;
    if (!law || !law->points.stress || law->uses_strain) group->volume = def->strain->points.volume;
    group->number_count = numbers_of(material, numbers);
    group->memory = law && law->memory.count ? &law->memory : NULL;
    if (material->fades) group->memory = &pl_fading_of()->memory;
    for (int k = 0; k < group->number_count; k++) group->numbers[k] = pl_lanes_all(numbers[k]);
    for (int k = 0; k < PL_MODIFIER_NUMBERS * layers.count; k++)
      group->layer_numbers[k] = pl_lanes_all(material->modifier_numbers[k]);
    for (int k = 0; k < 9; k++) group->axes[k] = pl_lanes_all(material->axes[k]);
  }
  group->has_axes |= material->has_axes;
  int history = pl_material_history(material);
  if (history > group->history) group->history = history;
  group->viscous |= is_viscous(material);
  group->last++;
}

/* From counts of items to batches and places in the memory. */
static void place_groups(pl_groups *groups)
{
  size_t memory = 0;
  for (int g = 0; g < groups->count; g++) {
    pl_group *group = &groups->list[g];
    int batches = pl_chunk_count(group->last, PL_LANES);
    group->first = groups->batches;
    group->last = groups->batches += batches;
    group->place = memory;
    memory += (size_t)batches * (size_t)(groups->points * group->history * PL_LANES);
  }
}

static pl_status sort_items(const pl_allocator *allocator, const pl_groups_def *def,
                            pl_groups *groups, pl_error *error)
{
  groups->order = pl_alloc(allocator, (size_t)groups->batches * PL_LANES, sizeof *groups->order);
  groups->place = pl_alloc(allocator, (size_t)groups->items, sizeof *groups->place);
  if (!groups->order || !groups->place) return pl_fail_memory(error);
  for (int g = 0; g < groups->count; g++) {
    int place = PL_LANES * groups->list[g].first, end = PL_LANES * groups->list[g].last, item = 0;
    for (int i = 0; i < groups->items; i++) {
      pl_material material = material_of(def, i);
      if (!belongs(def, &material, &groups->list[g])) continue;
      groups->place[i] = place;
      groups->order[place++] = item = i;
    }
    while (place < end) groups->order[place++] = -1 - item;
  }
  return PL_OK;
}

static void set_moduli(const pl_groups_def *def, const pl_groups *groups, pl_group *group)
{
  size_t size = pl_group_lanes(group);
  for (int place = PL_LANES * group->first; place < PL_LANES * group->last; place++) {
    int item = pl_groups_item(groups, place), lane = place % PL_LANES;
    const pl_material m = material_of(def, item < 0 ? -1 - item : item);
    const double from[PL_POINT_MODULI] = {m.lambda, m.mu, m.viscous_lambda, m.viscous_mu};
    pl_lanes *to = group->moduli + size * (size_t)(place / PL_LANES - group->first);
    for (int k = 0; k < PL_POINT_MODULI; k++) to[k][lane] = from[k];
    double numbers[PL_GROUP_NUMBERS];
    numbers_of(&m, numbers);
    to += PL_POINT_MODULI;
    for (int k = 0; k < group->number_count; k++) to[k][lane] = numbers[k];
    to += group->number_count;
    for (int k = 0; k < PL_MODIFIER_NUMBERS * group->layers.count; k++)
      to[k][lane] = m.modifier_numbers[k];
    to += PL_MODIFIER_NUMBERS * group->layers.count;
    for (int k = 0; group->has_axes && k < 9; k++)
      to[k][lane] = m.has_axes ? m.axes[k] : k % 4 == 0;
  }
}

static pl_status fill_group(const pl_allocator *allocator, const pl_groups_def *def,
                            const pl_groups *groups, pl_group *group, pl_error *error)
{
  size_t batches = (size_t)(group->last - group->first);
  size_t size = pl_group_lanes(group);
  if (def->of) {
    group->moduli = pl_alloc(allocator, batches * size, sizeof *group->moduli);
    if (!group->moduli) return pl_fail_memory(error);
    set_moduli(def, groups, group);
  }
  if (!group->memory) return PL_OK;
  size_t frozen = batches * (size_t)(groups->points * group->memory->frozen);
  group->frozen = pl_alloc(allocator, frozen, sizeof *group->frozen);
  return group->frozen ? PL_OK : pl_fail_memory(error);
}

/* Any law, with up to four fibres and a limit or without, and with a memory of each kind or none.
 */
enum { MOST_GROUPS = 4 * (PL_LAW_COUNT + 1) * 2 * PL_MOST_MODIFIERS };

/* Can the strain measure do what the material's law asks of it? */
static pl_status check_item(const pl_groups_def *def, const pl_material *material, pl_error *error)
{
  const pl_law_ops *law = material->law;
  int by_strain = !law || !law->points.stress || law->uses_strain;
  int remembers = material->fades || (law && law->memory.count);
  if (by_strain && remembers && def->strain->is_mixed)
    return pl_fail(error, PL_E_ARGUMENT,
                   "law=\"%s\" has no memory in strain=\"%s\"; take strain=\"corotated\"",
                   law ? law->info.name : "hooke", def->strain->info.name);
  return PL_OK;
}

pl_status pl_groups_create(const pl_allocator *allocator, const pl_groups_def *def,
                           pl_groups *groups, pl_error *error)
{
  *groups = (pl_groups){.items = def->items, .points = def->points};
  int max = def->of && def->items < MOST_GROUPS ? def->items + 1 : MOST_GROUPS;
  groups->list = pl_alloc(allocator, (size_t)(def->of ? max : 1), sizeof *groups->list);
  if (!groups->list) return pl_fail_memory(error);
  if (def->of) {
    for (int i = 0; i < def->items; i++) {
      pl_material material = def->of(def->context, i);
      pl_status status = check_item(def, &material, error);
      if (status) return status;
      material = material_of(def, i);
      count_item(def, &material, groups);
    }
  } else {
    pl_material material = material_of(def, 0);
    pl_status status = check_item(def, def->all, error);
    if (status) return status;
    count_item(def, &material, groups);
    groups->list[0].last = def->items;
  }
  // what no item is made of counts too, so that only the material can change what is computed
  pl_material all = *def->all;
  if (def->plain) all.law = NULL;
  if (def->plain) all.fades = 0;
  pl_group *own = group_for(def, &all, groups);
  if (own < groups->list + groups->count) own->viscous |= is_viscous(&all);
  place_groups(groups);
  pl_status status = groups->count > 1 ? sort_items(allocator, def, groups, error) : PL_OK;
  for (int g = 0; g < groups->count && !status; g++)
    status = fill_group(allocator, def, groups, &groups->list[g], error);
  return status;
}

void pl_groups_destroy(const pl_allocator *allocator, pl_groups *groups)
{
  for (int g = 0; g < groups->count; g++) {
    pl_free(allocator, groups->list[g].moduli);
    pl_free(allocator, groups->list[g].frozen);
  }
  pl_free(allocator, groups->list);
  pl_free(allocator, groups->order);
  pl_free(allocator, groups->place);
  *groups = (pl_groups){0};
}

int pl_groups_cut(const pl_groups *groups, int batches, int *starts)
{
  int count = 0;
  for (int g = 0; g < groups->count; g++) {
    for (int at = groups->list[g].first; at < groups->list[g].last; at += batches, count++) {
      if (starts) starts[count] = at;
    }
  }
  if (starts) starts[count] = groups->batches;
  return count;
}

/* ---- memory ---- */

size_t pl_groups_memory(const pl_groups *groups)
{
  size_t sum = 0;
  for (int g = 0; g < groups->count; g++) {
    const pl_group *group = &groups->list[g];
    sum +=
        (size_t)(group->last - group->first) * (size_t)(groups->points * group->history * PL_LANES);
  }
  return sum;
}

void pl_groups_begin(pl_groups *groups, const double *memory)
{
  groups->memory = memory;
  groups->h = 0;
  groups->fresh = PL_FROZEN_STALE;
  groups->begun = (groups->begun + 1) % 1000000;
}

static void freeze_batch(const pl_groups *groups, const pl_group *group, int batch)
{
  pl_lanes history[PL_MOST_MEMORY];
  const size_t size = (size_t)group->history * sizeof *history;
  pl_point point = pl_point_of(group, 0);
  pl_point_take(group, batch, &point);
  if (!groups->memory) memset(history, 0, size);
  for (int p = 0; p < groups->points; p++) {
    const size_t place = pl_group_place(group, groups->points, batch, p);
    if (groups->memory) memcpy(history, groups->memory + place, size);
    group->memory->freeze(&point, groups->h, history, group->history,
                          pl_group_frozen(group, groups->points, batch, p));
  }
}

enum { BATCHES_PER_CHUNK = 64 };

static void freeze_chunk(void *context, int chunk)
{
  const pl_groups *groups = context;
  int last = (chunk + 1) * BATCHES_PER_CHUNK;
  if (last > groups->batches) last = groups->batches;
  for (int batch = chunk * BATCHES_PER_CHUNK; batch < last; batch++) {
    const pl_group *group = pl_group_at(groups, batch);
    if (group->memory) freeze_batch(groups, group, batch);
  }
}

static void find_decays(pl_group *group, double h)
{
  if (!group->memory || !group->memory->decays || group->moduli) return;
  int rates = group->fading.law && group->fading.hermite ? 6 : 0;
  if (group->has_decays && group->decays[0][0] == h) return;
  group->memory->decays(group->numbers, h, group->history - rates, group->decays);
  group->has_decays = 1;
}

/* Where all items have the same numbers, what follows from these and h is found once, before points
 * are frozen or advanced by h. */
static void find_all_decays(pl_groups *groups, double h)
{
  for (int g = 0; g < groups->count; g++) find_decays(&groups->list[g], h);
}

static int remembers(const pl_groups *groups)
{
  for (int g = 0; g < groups->count; g++) {
    if (groups->list[g].memory) return 1;
  }
  return 0;
}

void pl_groups_freeze(pl_groups *groups, double h, pl_pool *pool)
{
  if (!remembers(groups)) return;
  groups->h = h;
  if (groups->fresh != PL_FROZEN_STALE && groups->frozen_h == h) return;
  groups->fresh = PL_FROZEN_STALE;
  pl_groups_freeze_all(groups, pool);
}

void pl_groups_freeze_all(pl_groups *groups, pl_pool *pool)
{
  if (!remembers(groups)) return;
  if (groups->fresh == PL_FROZEN_ALL && groups->frozen_h == groups->h) return;
  groups->frozen_h = groups->h;
  groups->fresh = PL_FROZEN_ALL;
  find_all_decays(groups, groups->h);
  pl_parallel(pool, pl_chunk_count(groups->batches, BATCHES_PER_CHUNK), freeze_chunk, groups);
}

void pl_groups_move(pl_groups *groups, const double *memory, double h)
{
  groups->memory = memory;
  groups->ahead = groups->h == h && h > 0 && h < INFINITY;
  find_all_decays(groups, h);
}

void pl_groups_moved(pl_groups *groups, const double *to)
{
  const double h = groups->h;
  pl_groups_begin(groups, to);
  groups->fresh = groups->ahead ? PL_FROZEN_FORCES : PL_FROZEN_STALE;
  groups->frozen_h = h;
  groups->ahead = 0;
}
