/* The ways of filling, and the size that gives a wanted number of elements. */
#include "mesh/fill.h"

#include "core/error.h"
#include "core/family.h"
#include "core/memory.h"
#include "math/functions.h"

#include <math.h>
#include <string.h>

#define X(name) extern const pl_filler_ops pl_filler_##name;
PL_FILLERS(X)
#undef X

#define X(name) &pl_filler_##name.info,
PL_FAMILY(filler, "ways to fill a surface or a solid with elements", PL_FILLERS(X));
#undef X

enum { SAMPLES = 20, MOST_ACROSS = 4000 };

double pl_volume_value(const pl_volume *volume, const double point[3])
{
  double value = volume->value(volume->context, point);
  for (int k = 0; k < 3; k++)
    value = fmax(value, fmax(volume->low[k] - point[k], point[k] - volume->high[k]));
  return value;
}

/* The false position method in its Illinois form, which keeps both ends moving. */
double pl_volume_cut(const pl_volume *volume, const double a[3], double at_a, const double b[3],
                     double at_b)
{
  double low = 0, high = 1, at = 0.5, enough = 1e-7 * fabs(at_a - at_b);
  for (int i = 0, last = 0; i < 40 && high - low > 1e-6; i++) {
    double point[3];
    at = (low * at_b - high * at_a) / (at_b - at_a);
    if (!(at > low && at < high)) at = 0.5 * (low + high);
    for (int k = 0; k < 3; k++) point[k] = a[k] + at * (b[k] - a[k]);
    double value = pl_volume_value(volume, point);
    if (fabs(value) < enough) break;
    if ((value < 0) == (at_a < 0)) {
      low = at;
      at_a = value;
      if (last == -1) at_b *= 0.5;
      last = -1;
    } else {
      high = at;
      at_b = value;
      if (last == 1) at_a *= 0.5;
      last = 1;
    }
  }
  return fmin(fmax(at, 1e-9), 1 - 1e-9);
}

/* Samples of the volume: how much of each cell of a coarse grid is inside, and how deep it lies. */
typedef struct sample {
  double inside, depth;
} sample;

static void take_samples(const pl_volume *volume, sample *samples)
{
  double step[3], cell = 1;
  for (int k = 0; k < 3; k++) {
    step[k] = (volume->high[k] - volume->low[k]) / SAMPLES;
    cell *= step[k];
  }
  for (int i = 0; i < SAMPLES * SAMPLES * SAMPLES; i++) {
    int at[3] = {i % SAMPLES, i / SAMPLES % SAMPLES, i / SAMPLES / SAMPLES};
    double point[3];
    for (int k = 0; k < 3; k++) point[k] = volume->low[k] + (at[k] + 0.5) * step[k];
    double value = volume->value(volume->context, point);
    samples[i] = (sample){cell * fmin(fmax(0.5 - value / pl_cbrt(cell), 0), 1), -value};
  }
  // something is inside, even if no sample met it
  samples[0].inside += 0.5 * cell;
}

/* How many cells a size makes; they double where they lie deep enough. */
static double count_cells(const sample *samples, double size, int levels)
{
  double count = 0;
  for (int i = 0; i < SAMPLES * SAMPLES * SAMPLES; i++) {
    int level = 0;
    while (level < levels && samples[i].depth > size * (1 + (2 << level))) level++;
    double edge = size * (1 << level);
    count += samples[i].inside / (edge * edge * edge);
  }
  return count;
}

/* The size that makes about so many cells, by halving the interval of its logarithm. */
static pl_status size_for(const pl_volume *volume, double cells, int levels,
                          const pl_allocator *allocator, double *size, pl_error *error)
{
  sample *samples = pl_alloc(allocator, SAMPLES * SAMPLES * SAMPLES, sizeof *samples);
  if (!samples) return pl_fail_memory(error);
  take_samples(volume, samples);
  // without grading the first guess is right
  double high = pl_cbrt(count_cells(samples, 1, 0) / cells), low = high / (1 << levels);
  for (int i = 0; levels && i < 40; i++) {
    *size = sqrt(low * high);
    if (count_cells(samples, *size, levels) > cells)
      low = *size;
    else
      high = *size;
  }
  *size = high;
  pl_free(allocator, samples);
  return PL_OK;
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

  pl_allocator chosen = pl_allocator_or_default(allocator);
  double size = values[0];
  if (isnan(size))
    status = size_for(volume, values[1] / ops->elements_per_cell,
                      ops->grading ? (int)values[ops->grading] : 0, &chosen, &size, error);
  if (status) return status;
  if (isnan(values[0])) size = fmin(size, longest); // few elements of many in a cell
  if (size > longest * (1 + 1e-9))
    return pl_fail(error, PL_E_ARGUMENT,
                   "a size of %g m is larger than the whole shape of %g m; make it smaller", size,
                   longest);
  if (!(longest / size < MOST_ACROSS))
    return pl_fail(error, PL_E_LIMIT,
                   "a size of %g m makes more than %d cells along the shape of %g m; enlarge it",
                   size, MOST_ACROSS, longest);
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
