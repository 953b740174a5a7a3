/* Axes of the material per element. */
#include "mesh/axes.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/mat3.h"

#include <math.h>
#include <string.h>

pl_status pl_mesh_take_axes(pl_mesh *mesh, const double *axes, const int *parents, pl_error *error)
{
  if (!axes) return PL_OK;
  mesh->axes = pl_alloc(&mesh->allocator, (size_t)mesh->element_count, 6 * sizeof *mesh->axes);
  if (!mesh->axes) return pl_fail_memory(error);
  for (int e = 0; e < mesh->element_count; e++) {
    const double *from = axes + 6 * (size_t)(parents ? parents[e] : e);
    for (int k = 0; k < 6; k++) {
      if (!isfinite(from[k]))
        return pl_fail_entity(error, PL_E_MESH, e,
                              "the material's axes in element %d are not finite", e);
    }
    memcpy(mesh->axes + 6 * (size_t)e, from, 6 * sizeof *from);
  }
  return PL_OK;
}

pl_status pl_mesh_add_axes(pl_mesh **mesh, const double *axes, const int *parents, pl_error *error)
{
  pl_status status = pl_mesh_take_axes(*mesh, axes, parents, error);
  if (!status) return PL_OK;
  pl_mesh_destroy(*mesh);
  *mesh = NULL;
  return status;
}

void pl_mesh_turn_axes(pl_mesh *mesh, const double R[9])
{
  double turned[3];
  for (int i = 0; mesh->axes && i < 2 * mesh->element_count; i++) {
    pl_mat3_apply(R, mesh->axes + 3 * (size_t)i, turned);
    memcpy(mesh->axes + 3 * (size_t)i, turned, sizeof turned);
  }
}

const double *pl_mesh_axes(const pl_mesh *mesh) { return mesh->axes; }
