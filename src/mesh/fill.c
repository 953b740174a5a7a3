/* The ways of filling, and the size that gives a wanted number of elements. */
#include "mesh/fill.h"

#include "core/error.h"
#include "core/family.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

#define X(name) extern const pl_filler_ops pl_filler_##name;
PL_FILLERS(X)
#undef X

#define X(name) &pl_filler_##name.info,
static const pl_member *const members[] = {PL_FILLERS(X) NULL};
#undef X

const pl_family pl_filler_family = {"filler", "ways to fill a surface or a solid with elements",
                                    members};

enum { SAMPLES = 20, MOST_ACROSS = 4000 };

/* The volume inside, by sampling: cells that the surface cuts count by the value in their middle.
 */
static double estimate_volume(const pl_volume *volume)
{
  double step[3], cell = 1, sum = 0;
  for (int k = 0; k < 3; k++) {
    step[k] = (volume->high[k] - volume->low[k]) / SAMPLES;
    cell *= step[k];
  }
  int at[3];
  for (at[2] = 0; at[2] < SAMPLES; at[2]++) {
    for (at[1] = 0; at[1] < SAMPLES; at[1]++) {
      for (at[0] = 0; at[0] < SAMPLES; at[0]++) {
        double point[3];
        for (int k = 0; k < 3; k++) point[k] = volume->low[k] + (at[k] + 0.5) * step[k];
        double share = 0.5 - volume->value(volume->context, point) / cbrt(cell);
        sum += fmin(fmax(share, 0), 1);
      }
    }
  }
  return cell * fmax(sum, 0.5);
}

static pl_status check_box(const pl_volume *volume, double *longest, pl_error *error)
{
  *longest = 0;
  for (int k = 0; k < 3; k++) {
    double extent = volume->high[k] - volume->low[k];
    if (!isfinite(volume->low[k]) || !isfinite(volume->high[k]) || extent > 1e30)
      return pl_fail(error, PL_E_ARGUMENT,
                     "the shape has no end along %c; cut it, for example with <intersection>",
                     "xyz"[k]);
    if (extent <= 0) return pl_fail(error, PL_E_ARGUMENT, "the shape is empty");
    if (extent > *longest) *longest = extent;
  }
  return PL_OK;
}

pl_status pl_fill(const pl_volume *volume, const pl_choice *filler, const pl_allocator *allocator,
                  pl_mesh **mesh, pl_error *error)
{
  *mesh = NULL;
  const pl_member *member;
  double values[PL_MOST_VALUES], longest;
  pl_status status = pl_choice_resolve(&pl_filler_family, filler, &member, values, error);
  if (!status) status = check_box(volume, &longest, error);
  if (status) return status;
  const pl_filler_ops *ops = (const pl_filler_ops *)(const void *)member; // info comes first in it

  double size = values[0];
  if (isnan(size)) size = cbrt(estimate_volume(volume) * ops->elements_per_cell / values[1]);
  if (!(longest / size < MOST_ACROSS))
    return pl_fail(error, PL_E_LIMIT,
                   "a size of %g m makes more than %d cells along the shape of %g m; enlarge it",
                   size, MOST_ACROSS, longest);
  pl_allocator chosen = pl_allocator_or_default(allocator);
  return ops->fill(volume, size, values, &chosen, mesh, error);
}

int pl_heap_node(pl_heap *heap, const double position[3])
{
  void *nodes = heap->nodes;
  if (heap->failed || heap->node_count >= PL_MOST_NODES ||
      pl_reserve(&heap->allocator, &nodes, &heap->node_room, heap->node_count + 1,
                 3 * sizeof *heap->nodes)) {
    heap->failed = 1;
    return -1;
  }
  heap->nodes = nodes;
  memcpy(heap->nodes + 3 * heap->node_count, position, 3 * sizeof *position);
  return (int)heap->node_count++;
}

void pl_heap_element(pl_heap *heap, const int *nodes)
{
  size_t width = (size_t)heap->nodes_per_element;
  void *elements = heap->elements;
  if (heap->failed || heap->element_count >= PL_MOST_ELEMENTS ||
      pl_reserve(&heap->allocator, &elements, &heap->element_room, heap->element_count + 1,
                 width * sizeof *heap->elements)) {
    heap->failed = 1;
    return;
  }
  heap->elements = elements;
  memcpy(heap->elements + width * heap->element_count++, nodes, width * sizeof *nodes);
}

pl_status pl_heap_finish(pl_heap *heap, double size, pl_mesh **mesh, pl_error *error)
{
  pl_status status = PL_OK;
  if (heap->node_count >= PL_MOST_NODES || heap->element_count >= PL_MOST_ELEMENTS)
    status = pl_mesh_check_limits((int64_t)heap->node_count + 1, (int64_t)heap->element_count + 1,
                                  error);
  else if (heap->failed)
    status = pl_fail_memory(error);
  else if (!heap->element_count)
    status = pl_fail(error, PL_E_ARGUMENT,
                     "no element fits into the shape with a size of %g m; make it smaller", size);
  if (!status)
    status = pl_mesh_create(&(pl_mesh_def){.node_count = (int)heap->node_count,
                                           .nodes = heap->nodes,
                                           .element_count = (int)heap->element_count,
                                           .nodes_per_element = heap->nodes_per_element,
                                           .elements = heap->elements,
                                           .allocator = &heap->allocator},
                            mesh, error);
  pl_free(&heap->allocator, heap->nodes);
  pl_free(&heap->allocator, heap->elements);
  return status;
}
