/* Ties as lists of their own; and dependent nodes around a model of fewer elements than the mesh
 * has: the leaves of a refined mesh, whose finest elements are those of the body. */
#include "core/error.h"
#include "core/memory.h"
#include "model/dependent.h"

#include <string.h>

/* ---- ties ---- */

pl_status pl_ties_reserve(const pl_allocator *allocator, pl_ties *ties, int hanging, size_t parents,
                          pl_error *error)
{
  ties->hanging = pl_alloc(allocator, (size_t)hanging, sizeof *ties->hanging);
  ties->parents = pl_alloc(allocator, parents, sizeof *ties->parents);
  ties->weights = pl_alloc(allocator, parents, sizeof *ties->weights);
  return ties->hanging && ties->parents && ties->weights ? PL_OK : pl_fail_memory(error);
}

pl_hanging *pl_ties_append(pl_ties *ties, int node, int count)
{
  int h = ties->hanging_count++;
  const pl_hanging *last = h ? &ties->hanging[h - 1] : NULL;
  ties->hanging[h] = (pl_hanging){.node = node,
                                  .count = count,
                                  .parents = last ? last->parents + last->count : ties->parents,
                                  .weights = last ? last->weights + last->count : ties->weights};
  return &ties->hanging[h];
}

void pl_ties_release(const pl_allocator *allocator, pl_ties *ties)
{
  for (int p = 0; ties->parts && p < ties->part_count; p++)
    pl_free(allocator, ties->parts[p].nodes);
  pl_free(allocator, ties->parts);
  pl_free(allocator, ties->hanging);
  pl_free(allocator, ties->parents);
  pl_free(allocator, ties->weights);
  *ties = (pl_ties){0};
}

static pl_status copy_parts(const pl_allocator *allocator, const pl_ties *from, pl_ties *to,
                            pl_error *error)
{
  to->parts = pl_alloc(allocator, (size_t)from->part_count, sizeof *to->parts);
  if (!to->parts) return pl_fail_memory(error);
  for (; to->part_count < from->part_count; to->part_count++) {
    const pl_rigid_part *part = &from->parts[to->part_count];
    pl_rigid_part *copy = &to->parts[to->part_count];
    size_t count = (size_t)part->count;
    *copy = *part;
    copy->nodes = pl_alloc(allocator, count, sizeof(int));
    if (!copy->nodes) return pl_fail_memory(error);
    memcpy(copy->nodes, part->nodes, count * sizeof(int));
  }
  return PL_OK;
}

static pl_status copy_hanging(const pl_allocator *allocator, const pl_ties *from, pl_ties *to,
                              pl_error *error)
{
  size_t parents = 0;
  for (int h = 0; h < from->hanging_count; h++) parents += (size_t)from->hanging[h].count;
  pl_status status = pl_ties_reserve(allocator, to, from->hanging_count, parents, error);
  for (int h = 0; h < from->hanging_count && !status; h++) {
    const pl_hanging *hanging = &from->hanging[h];
    const pl_hanging *copy = pl_ties_append(to, hanging->node, hanging->count);
    memcpy(copy->parents, hanging->parents, (size_t)hanging->count * sizeof(int));
    memcpy(copy->weights, hanging->weights, (size_t)hanging->count * sizeof(double));
  }
  return status;
}

pl_status pl_ties_copy(const pl_allocator *allocator, const pl_ties *from, pl_ties *to,
                       pl_error *error)
{
  *to = (pl_ties){.averaged = from->averaged};
  pl_status status = copy_parts(allocator, from, to, error);
  if (!status) status = copy_hanging(allocator, from, to, error);
  if (status) pl_ties_release(allocator, to);
  return status;
}

/* ---- what is known of elements ---- */

/* From the inner model's elements to those of the mesh, width numbers each; `to` may be NULL. */
static void expand(const pl_dependent *at, int width, const double *from, double *to)
{
  const pl_leaf_map *map = &at->leaves;
  size_t size = (size_t)width;
  for (int e = 0; to && e < map->elements; e++)
    memcpy(to + size * (size_t)e, from + size * (size_t)map->element_of[e], size * sizeof *to);
}

/* Two lists of numbers per element, either of which may be NULL. */
typedef void inner_lists(pl_model *inner, const double *q, double *first, double *second,
                         pl_pool *pool);

static void each_list(const pl_dependent *at, inner_lists *list, int width, const double *q,
                      double *first, double *second, pl_pool *pool)
{
  const double *x = pl_dependent_at(at, q);
  if (!at->leaves.mesh) {
    list(at->inner, x, first, second, pool);
    return;
  }
  double *room = at->leaves.room,
         *other = room + (size_t)width * (size_t)at->leaves.mesh->element_count;
  list(at->inner, x, first ? room : NULL, second ? other : NULL, pool);
  expand(at, width, room, first);
  expand(at, width, other, second);
}

void pl_dependent_fields(pl_model *self, const double *q, double *von_mises, double *det_f,
                         pl_pool *pool)
{
  const pl_dependent *at = self->state;
  each_list(at, at->inner->ops->fields, 1, q, von_mises, det_f, pool);
}

void pl_dependent_strains(pl_model *self, const double *q, double *strain, double *energies,
                          pl_pool *pool)
{
  const pl_dependent *at = self->state;
  each_list(at, at->inner->ops->strains, 1, q, strain, energies, pool);
}

void pl_dependent_tensors(pl_model *self, const double *q, double *F, double *stress, pl_pool *pool)
{
  const pl_dependent *at = self->state;
  each_list(at, at->inner->ops->tensors, 9, q, F, stress, pool);
}

void pl_dependent_leaf_tensors(pl_model *model, const double *q, double *F, double *stress,
                               pl_pool *pool)
{
  const pl_dependent *at = model->state;
  at->inner->ops->tensors(at->inner, pl_dependent_at(at, q), F, stress, pool);
}

pl_status pl_dependent_take_leaves(pl_model *model, pl_mesh *mesh, int *element_of, int elements,
                                   pl_error *error)
{
  pl_leaf_map *map = &((pl_dependent *)model->state)->leaves;
  size_t room = 18 * (size_t)mesh->element_count;
  *map = (pl_leaf_map){.mesh = mesh, .element_of = element_of, .elements = elements};
  map->room = pl_alloc(&model->allocator, room, sizeof(double));
  return map->room ? PL_OK : pl_fail_memory(error);
}
