/* The points of a body sorted by their laws. Elements or samples (here: items) stand in batches of
 * PL_LANES, and all items of a batch have the same law: where a body has several, the items of each
 * law follow one another, and copies without weight fill up its last batch. The order depends on
 * the items only.
 *
 * What laws remember stands in doubles that do not belong to the model: PL_LANES of each number,
 * for each point of each batch of the groups whose law remembers. */
#ifndef PL_MODEL_GROUPS_H
#define PL_MODEL_GROUPS_H

#include "core/thread.h"
#include "material/material.h"

/* Lanes per batch: lambda, mu, viscous lambda and mu, then the law's own numbers (behind the series
 * of a memory around it), those of the modifiers and the axes. */
enum { PL_POINT_MODULI = 4, PL_GROUP_NUMBERS = PL_MOST_NUMBERS + PL_PRONY_NUMBERS };

/* The items of one law with the same modifiers. */
typedef struct pl_group {
  const pl_point_ops *points, *strain;
  void (*volume)(const pl_lanes *F, pl_lanes *theta, pl_lanes *slope); /* NULL: J - 1 */
  const pl_memory_ops *memory; /* NULL: the law remembers nothing */
  int first, last;             /* batches */
  int viscous;                 /* any item is */
  pl_material material;        /* that of all items where moduli is NULL */
  pl_fading fading;            /* law NULL: nothing fades around the law */
  pl_layers layers;            /* of laws with modifiers */
  pl_lanes numbers[PL_GROUP_NUMBERS], layer_numbers[PL_MOST_MODIFIERS * PL_MODIFIER_NUMBERS];
  int number_count;
  int has_axes; /* any item has */
  pl_lanes axes[9];
  pl_lanes *moduli;                /* of each batch; NULL: those of the material */
  int history;                     /* doubles that a point remembers */
  size_t place;                    /* where those of the group begin in the body's */
  pl_lanes *frozen;                /* what they amount to (pl_memory_ops), per batch and point */
  pl_lanes decays[PL_MOST_DECAYS]; /* of the h in the first, where has_decays */
  int has_decays;
} pl_group;

typedef struct pl_groups {
  pl_group *list;
  int count, items, batches;
  int points; /* per item */
  // where there are several groups, else NULL: the item of each place in a batch, or for copies
  // minus 1 minus the item; and the place of each item
  int *order, *place;
  // what begin was given, and how many s behind it points were asked for last; frozen numbers are
  // those of frozen_h s behind it as far as they are fresh
  const double *memory;
  double h, frozen_h;
  enum { PL_FROZEN_STALE, PL_FROZEN_FORCES, PL_FROZEN_ALL } fresh;
  int ahead; /* points that move on freeze what the next substep of the same length asks for */
  int begun; /* how often */
} pl_groups;

/* What groups are made of. */
typedef struct pl_groups_def {
  int items, points;
  const pl_strain_ops *strain;
  int plain;                                        /* laws count by Lame's constants only */
  const pl_material *all;                           /* what items are made of */
  pl_material (*of)(const void *context, int item); /* what each is made of; NULL: of all */
  const void *context;
} pl_groups_def;

/* To be destroyed even if it fails. */
pl_status pl_groups_create(const pl_allocator *allocator, const pl_groups_def *def,
                           pl_groups *groups, pl_error *error);
void pl_groups_destroy(const pl_allocator *allocator, pl_groups *groups);

/* Cuts the batches of every group into chunks of at most so many, and returns how many chunks there
 * are; starts (NULL: only counts) gets the first batch of each and, behind the last, the end. */
int pl_groups_cut(const pl_groups *groups, int batches, int *starts);

/* The item at a place, minus 1 minus the item for a copy. Without items, places are items. */
static inline int pl_groups_item(const pl_groups *groups, int place)
{
  if (groups->order) return groups->order[place];
  return place < groups->items || groups->items == 0 ? place : -groups->items;
}

static inline int pl_groups_place(const pl_groups *groups, int item)
{
  return groups->place ? groups->place[item] : item;
}

/* Is the memory around the law of a group no more than other moduli and a prestress? */
static inline int pl_group_is_eased(const pl_group *group)
{
  return group->fading.law && !group->fading.hermite && !group->layers.count;
}

/* The group of a batch. */
static inline const pl_group *pl_group_at(const pl_groups *groups, int batch)
{
  const pl_group *group = groups->list;
  while (batch >= group->last) group++;
  return group;
}

/* ---- memory ---- */

/* Doubles that the laws of all points remember. */
size_t pl_groups_memory(const pl_groups *groups);

/* What stood in memory at the beginning of a substep; NULL: nothing has happened to any point. It
 * is read until the next begin. */
void pl_groups_begin(pl_groups *groups, const double *memory);

/* Makes frozen what laws need h s later for stress and tangent. */
void pl_groups_freeze(pl_groups *groups, double h, pl_pool *pool);

/* The same for energies as well, where points were asked for last. */
void pl_groups_freeze_all(pl_groups *groups, pl_pool *pool);

/* Before and after all points have moved on by h from what stands in memory (pl_group_advance); as
 * far as they remember, they have begun with `to` then. */
void pl_groups_move(pl_groups *groups, const double *memory, double h);
void pl_groups_moved(pl_groups *groups, const double *to);

/* ---- points, for the hot files ---- */

/* Lanes that a batch of the group has where items are not all alike. */
PL_INLINE size_t pl_group_lanes(const pl_group *group)
{
  return (size_t)(PL_POINT_MODULI + group->number_count +
                  group->layers.count * PL_MODIFIER_NUMBERS + (group->has_axes ? 9 : 0));
}

/* Points of the group's material. */
PL_INLINE pl_point pl_point_of(const pl_group *group, int moving)
{
  pl_point point;
  const pl_material *material = &group->material;
  point.lambda = pl_lanes_all(material->lambda);
  point.mu = pl_lanes_all(material->mu);
  point.viscous_lambda = pl_lanes_all(material->viscous_lambda);
  point.viscous_mu = pl_lanes_all(material->viscous_mu);
  point.numbers = group->numbers;
  point.frozen = point.prestress = point.pressure = NULL;
  point.axes = group->has_axes ? group->axes : NULL;
  point.layers = &group->layers;
  point.layer_numbers = group->layer_numbers;
  point.strain = group->strain;
  point.fading = group->fading.law ? &group->fading : NULL;
  point.decays = group->has_decays ? group->decays : NULL;
  point.viscous = group->viscous && moving;
  point.move = NULL;
  return point;
}

/* A batch's moduli and numbers into a point, if they are not those of the material. */
PL_INLINE void pl_point_take(const pl_group *group, int batch, pl_point *point)
{
  if (!group->moduli) return;
  const pl_lanes *from = group->moduli + pl_group_lanes(group) * (size_t)(batch - group->first);
  point->lambda = from[0];
  point->mu = from[1];
  point->viscous_lambda = from[2];
  point->viscous_mu = from[3];
  point->numbers = from + PL_POINT_MODULI;
  point->layer_numbers = point->numbers + group->number_count;
  if (group->has_axes)
    point->axes = point->layer_numbers + group->layers.count * PL_MODIFIER_NUMBERS;
}

/* What the law makes of the memory of a batch's p-th points. */
PL_INLINE pl_lanes *pl_group_frozen(const pl_group *group, int points, int batch, int p)
{
  const size_t index = (size_t)(batch - group->first) * (size_t)points + (size_t)p;
  return group->frozen + index * (size_t)group->memory->frozen;
}

PL_INLINE void pl_point_recall(const pl_group *group, int points, int batch, int p, pl_point *point)
{
  if (group->memory) point->frozen = pl_group_frozen(group, points, batch, p);
}

/* Where the memory of a batch's p-th points begins. */
PL_INLINE size_t pl_group_place(const pl_group *group, int points, int batch, int p)
{
  const size_t index = (size_t)(batch - group->first) * (size_t)points + (size_t)p;
  return group->place + index * (size_t)(group->history * PL_LANES);
}

/* How points with these numbers move on by h; own: for factors of the decay that they do not have.
 */
PL_INLINE void pl_group_move(const pl_group *group, const pl_point *point, double h,
                             pl_lanes own[PL_MOST_DECAYS], pl_move *move)
{
  const pl_lanes *decays = point->decays;
  if (!decays || decays[0][0] != h) {
    group->memory->decays(point->numbers, h, group->history, own);
    decays = own;
  }
  move->shares = point->numbers;
  move->decays = decays + 1;
  move->terms = pl_prony_terms_in(group->history);
}

/* The same of a batch's p-th points, from where pl_groups_move said to `to`. */
PL_INLINE void pl_group_move_at(const pl_groups *groups, const pl_group *group, int batch, int p,
                                double *to, pl_move *move)
{
  const size_t place = pl_group_place(group, groups->points, batch, p);
  move->from = groups->memory + place;
  move->to = to + place;
  move->frozen = pl_group_frozen(group, groups->points, batch, p);
}

/* Moves the memory of a batch's p-th points on to the F of point, likewise. */
PL_INLINE void pl_group_advance(const pl_groups *groups, const pl_group *group, int batch, int p,
                                double h, pl_point *point, double *to)
{
  pl_lanes history[PL_MOST_MEMORY], own[PL_MOST_DECAYS];
  const size_t place = pl_group_place(group, groups->points, batch, p);
  if (groups->ahead && group->memory->move && !group->fading.hermite) {
    pl_move move;
    pl_group_move(group, point, h, own, &move);
    pl_group_move_at(groups, group, batch, p, to, &move);
    point->move = &move;
    group->memory->move(point);
    point->move = NULL;
    return;
  }
  for (int k = 0; k < group->history; k++)
    history[k] = pl_lanes_load(groups->memory + place + (size_t)(k * PL_LANES));
  group->memory->advance(point, h, group->history, history);
  for (int k = 0; k < group->history; k++)
    pl_lanes_store(to + place + (size_t)(k * PL_LANES), history[k]);
  if (!groups->ahead) return;
  group->memory->freeze(point, h, history, group->history,
                        pl_group_frozen(group, groups->points, batch, p));
}

#endif
