/* Grids on Bezier curves and patches and in Bezier solids.
 *
 * With the Bernstein polynomials B_i of the order n,
 *
 *   x(s, t) = sum_ij B_i(s) B_j(t) p_ij,        x(s, t, u) = sum_ijk B_i(s) B_j(t) B_k(u) p_ijk
 *
 * at parameters that are spaced evenly along each axis; the first index of the control points runs
 * fastest. Along an axis that goes around the last parameter is 1 - 1/M: then the first and last
 * control points should meet. "Implementation of Deformable Objects", 4.5.1.1. */
#include "core/error.h"
#include "core/memory.h"
#include "mesh/grid.h"

#include <math.h>
#include <string.h>

/* B_i(s) for i = 0 to order, by de Casteljau's recurrence. */
static void bernstein(int order, double s, double *B)
{
  memset(B, 0, (size_t)(order + 1) * sizeof *B);
  B[0] = 1;
  for (int n = 1; n <= order; n++) {
    for (int i = n; i >= 0; i--) B[i] = (1 - s) * B[i] + (i ? s * B[i - 1] : 0);
  }
}

static void place(const pl_bezier_def *def, const pl_grid *grid, const int at[3], double x[3])
{
  double B[3][PL_MOST_ORDER + 1] = {{1}, {1}, {1}};
  int side = def->order + 1, ends[3];
  for (int k = 0; k < 3; k++) {
    int cells = grid->wraps[k] ? grid->size[k] : grid->size[k] - 1;
    ends[k] = k < grid->axes ? side : 1;
    if (k < grid->axes) bernstein(def->order, (double)at[k] / cells, B[k]);
  }
  x[0] = x[1] = x[2] = 0;
  const double *p = def->points;
  for (int c = 0; c < ends[2]; c++) {
    for (int b = 0; b < ends[1]; b++) {
      for (int a = 0; a < side; a++, p += 3) {
        for (int k = 0; k < 3; k++) x[k] += B[0][a] * B[1][b] * B[2][c] * p[k];
      }
    }
  }
}

static pl_status check(const pl_bezier_def *def, pl_error *error)
{
  if (!def || !def->points) return pl_fail(error, PL_E_ARGUMENT, "pl_mesh_bezier needs points");
  if (def->axes < 1 || def->axes > 3)
    return pl_fail(error, PL_E_ARGUMENT, "a grid of %d axes is none; give 1 to 3", def->axes);
  if (def->order < 1 || def->order > PL_MOST_ORDER)
    return pl_fail(error, PL_E_ARGUMENT, "order = %d must lie between 1 and %d", def->order,
                   PL_MOST_ORDER);
  int count = pl_bezier_points(def->axes, def->order);
  for (int i = 0; i < 3 * count; i++) {
    if (!isfinite(def->points[i]))
      return pl_fail_entity(error, PL_E_ARGUMENT, i / 3, "control point %d is not finite", i / 3);
  }
  return PL_OK;
}

int pl_bezier_points(int axes, int order)
{
  int side = order + 1, count = 1;
  for (int k = 0; k < axes; k++) count *= side;
  return count;
}

pl_status pl_mesh_bezier(const pl_bezier_def *def, const pl_allocator *allocator, pl_mesh **mesh,
                         pl_error *error)
{
  if (!mesh) return pl_fail(error, PL_E_ARGUMENT, "pl_mesh_bezier needs a place for the mesh");
  *mesh = NULL;
  pl_status status = check(def, error);
  if (status) return status;
  pl_grid grid = {.axes = def->axes, .size = {1, 1, 1}};
  for (int k = 0; k < def->axes; k++) {
    grid.size[k] = def->particles[k];
    grid.wraps[k] = def->wraps[k] != 0;
  }
  status = pl_grid_check(&grid, error);
  if (status) return status;
  pl_allocator chosen = pl_allocator_or_default(allocator);
  int count = pl_grid_count(&grid), at[3];
  double *positions = pl_alloc(&chosen, (size_t)count, 3 * sizeof *positions);
  if (!positions) return pl_fail_memory(error);
  for (int i = 0; i < count; i++) {
    pl_grid_place(&grid, i, at);
    place(def, &grid, at, positions + 3 * (size_t)i);
  }
  status = pl_grid_mesh(&grid, positions, &chosen, mesh, error);
  pl_free(&chosen, positions);
  return status;
}
