/* Projections at constrained nodes.
 *
 * Ascher & Boxerman 2003, "On the modified conjugate gradient method in cloth simulation". */
#include "sparse/filter.h"

#include "sparse/links.h"

#include <limits.h>

static void project(const double P[9], const double x[3], double y[3])
{
  for (int i = 0; i < 3; i++) y[i] = P[i] * x[0] + P[3 + i] * x[1] + P[6 + i] * x[2];
}

int pl_filter_from(const pl_filter *filter, int node)
{
  int low = 0, high = filter ? filter->count : 0;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (filter->nodes[middle] < node)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void pl_filter_apply_range(const pl_filter *filter, int first, int last, double *x)
{
  if (!filter) return;
  for (int i = pl_filter_from(filter, first); i < filter->count && filter->nodes[i] < last; i++) {
    double *at = x + 3 * filter->nodes[i], free_part[3];
    project(filter->projections + 9 * i, at, free_part);
    for (int c = 0; c < 3; c++) at[c] = free_part[c];
  }
}

void pl_filter_apply(const pl_filter *filter, double *x)
{
  pl_filter_apply_range(filter, 0, INT_MAX, x);
}

void pl_filter_force(const pl_filter *filter, double *r)
{
  if (filter) pl_links_gather(filter->links, r);
  pl_filter_apply(filter, r);
}

void pl_filter_motion(const pl_filter *filter, double *x)
{
  pl_filter_apply(filter, x);
  if (filter) pl_links_extend(filter->links, x);
}

/* x = y + E (x - y) at the filter's nodes, where everything depends on them alone. */
static void prescribe_linked(const pl_filter *filter, const double *y, double *x)
{
  for (int i = 0; i < filter->count; i++) {
    size_t at = 3 * (size_t)filter->nodes[i];
    for (size_t k = at; k < at + 3; k++) x[k] -= y[k];
  }
  pl_filter_motion(filter, x);
  for (int i = 0; i < filter->count; i++) {
    size_t at = 3 * (size_t)filter->nodes[i];
    for (size_t k = at; k < at + 3; k++) x[k] += y[k];
  }
}

void pl_filter_prescribe(const pl_filter *filter, const double *y, double *x)
{
  if (!filter) return;
  if (filter->links) {
    prescribe_linked(filter, y, x);
    return;
  }
  for (int i = 0; i < filter->count; i++) {
    int node = filter->nodes[i];
    const double *given = y + 3 * node;
    double *at = x + 3 * node;

    // y + P (x - y), so that the prescribed part of a fixed node is taken over bit by bit
    double difference[3], free_part[3];
    for (int c = 0; c < 3; c++) difference[c] = at[c] - given[c];
    project(filter->projections + 9 * i, difference, free_part);
    for (int c = 0; c < 3; c++) at[c] = given[c] + free_part[c];
  }
}
