/* Ties as lists of their own; and dependent nodes around a model of fewer elements than the mesh
 * has: the leaves of a refined mesh, whose finest elements are those of the body. */
#include "core/error.h"
#include "core/memory.h"
#include "model/dependent.h"

#include <string.h>

/* ---- ties ---- */

void pl_ties_release(const pl_allocator *allocator, pl_ties *ties)
{
  for (int p = 0; ties->parts && p < ties->part_count; p++)
    pl_free(allocator, ties->parts[p].nodes);
  for (int h = 0; ties->hanging && h < ties->hanging_count; h++) {
    pl_free(allocator, ties->hanging[h].parents);
    pl_free(allocator, ties->hanging[h].weights);
  }
  pl_free(allocator, ties->parts);
  pl_free(allocator, ties->hanging);
  *ties = (pl_ties){0};
}

static void *copy_of(const pl_allocator *allocator, const void *from, size_t count, size_t size)
{
  void *to = pl_alloc(allocator, count, size);
  if (to && count) memcpy(to, from, count * size);
  return to;
}

pl_status pl_ties_copy(const pl_allocator *allocator, const pl_ties *from, pl_ties *to,
                       pl_error *error)
{
  *to = (pl_ties){.part_count = from->part_count, .hanging_count = from->hanging_count};
  to->averaged = from->averaged;
  to->parts = pl_alloc(allocator, (size_t)from->part_count, sizeof *to->parts);
  to->hanging = pl_alloc(allocator, (size_t)from->hanging_count, sizeof *to->hanging);
  int ok = to->parts && to->hanging;
  for (int p = 0; p < from->part_count && ok; p++) {
    const pl_rigid_part *part = &from->parts[p];
    to->parts[p] = *part;
    to->parts[p].nodes = copy_of(allocator, part->nodes, (size_t)part->count, sizeof(int));
    ok = to->parts[p].nodes != NULL;
  }
  for (int h = 0; h < from->hanging_count && ok; h++) {
    const pl_hanging *hanging = &from->hanging[h];
    size_t count = (size_t)hanging->count;
    to->hanging[h] = *hanging;
    to->hanging[h].parents = copy_of(allocator, hanging->parents, count, sizeof(int));
    to->hanging[h].weights = copy_of(allocator, hanging->weights, count, sizeof(double));
    ok = to->hanging[h].parents && to->hanging[h].weights;
  }
  if (ok) return PL_OK;
  pl_ties_release(allocator, to);
  return pl_fail_memory(error);
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
