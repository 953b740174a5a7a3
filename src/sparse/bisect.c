#include "sparse/bisect.h"

#include "core/error.h"
#include "core/memory.h"

#include <stdlib.h>

/* A point by where it stands along the axis of a cut. */
typedef struct mark {
  double at;
  int point;
} mark;

typedef struct cutting {
  const double *points;
  int count, parts;
  mark *marks;
  int *part; /* of each point */
} cutting;

static int first_place(const cutting *of, int part)
{
  return (int)((int64_t)of->count * part / of->parts);
}

static int longest_axis(const cutting *of, int from, int to)
{
  double low[3] = {0}, high[3] = {0};
  int axis = 0;
  for (int i = from; i < to; i++) {
    const double *x = of->points + 3 * (size_t)of->marks[i].point;
    for (int k = 0; k < 3; k++) {
      if (i == from || x[k] < low[k]) low[k] = x[k];
      if (i == from || x[k] > high[k]) high[k] = x[k];
    }
  }
  for (int k = 1; k < 3; k++) {
    if (high[k] - low[k] > high[axis] - low[axis]) axis = k;
  }
  return axis;
}

static int compare(const void *a, const void *b)
{
  const mark *x = a, *y = b;
  if (x->at < y->at || x->at > y->at) return x->at < y->at ? -1 : 1;
  return x->point < y->point ? -1 : 1;
}

/* The points of parts [first, last) stand in the places that these are to have. */
static void cut(cutting *of, int first, int last)
{
  int from = first_place(of, first), to = first_place(of, last);
  if (last - first == 1) {
    for (int i = from; i < to; i++) of->part[of->marks[i].point] = first;
    return;
  }
  int axis = longest_axis(of, from, to), middle = (first + last) / 2;
  for (int i = from; i < to; i++)
    of->marks[i].at = of->points[3 * (size_t)of->marks[i].point + (size_t)axis];
  qsort(of->marks + from, (size_t)(to - from), sizeof *of->marks, compare);
  cut(of, first, middle);
  cut(of, middle, last);
}

pl_status pl_bisect(const pl_allocator *allocator, const double *points, int count, int parts,
                    int *part_of, pl_error *error)
{
  mark *marks = pl_alloc(allocator, (size_t)count, sizeof *marks);
  if (!marks) return pl_fail_memory(error);
  cutting of = {.points = points, .count = count, .parts = parts, .marks = marks, .part = part_of};
  for (int i = 0; i < count; i++) marks[i].point = i;
  cut(&of, 0, parts);
  pl_free(allocator, marks);
  return PL_OK;
}
