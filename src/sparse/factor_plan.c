/* Which order a factor is computed in, and what that takes. */
#include "core/error.h"
#include "core/memory.h"
#include "sparse/elimination.h"
#include "sparse/factor.h"

#include <math.h>
#include <string.h>

/* The order that was asked for, or the better of both; with what it will take. */
static pl_status choose_order(const pl_allocator *allocator, const pl_graph *graph,
                              pl_ordering wanted, int *order, int *is_nested, double *fill,
                              pl_error *error)
{
  double flops = INFINITY;
  int *other = pl_alloc(allocator, (size_t)graph->count + 1, sizeof(int));
  pl_status status = other ? PL_OK : pl_fail_memory(error);
  for (int nested = 0; nested < 2 && !status; nested++) {
    if (wanted == (nested ? PL_ORDER_DEGREE : PL_ORDER_NESTED)) continue;
    double numbers, operations;
    status = nested ? pl_order_nested(allocator, graph, other, error)
                    : pl_order_degree(allocator, graph, other, error);
    if (!status)
      status = pl_elimination_count(allocator, graph, other, &numbers, &operations, error);
    if (!status) status = pl_watch_check(graph->watch, error);
    if (status || operations >= flops) continue;
    memcpy(order, other, (size_t)graph->count * sizeof *order);
    *fill = numbers;
    flops = operations;
    *is_nested = nested;
  }
  pl_free(allocator, other);
  return status;
}

pl_status pl_factor_plan(const pl_allocator *allocator, const pl_bsr *A, pl_ordering wanted,
                         pl_elimination *plan, int *is_nested, pl_error *error)
{
  pl_graph graph;
  double fill = 0;
  int *order = pl_alloc(allocator, (size_t)A->rows + 1, sizeof(int));
  pl_status status = pl_graph_create(allocator, A, &graph, error);
  if (!status && !order) status = pl_fail_memory(error);
  if (!status) status = choose_order(allocator, &graph, wanted, order, is_nested, &fill, error);
  if (!status) status = pl_factor_fits(fill, pl_machine_memory(), error);
  if (!status) status = pl_elimination_create(allocator, &graph, order, plan, error);
  if (!status) status = pl_watch_check(A->watch, error);
  pl_graph_destroy(allocator, &graph);
  pl_free(allocator, order);
  return status;
}
